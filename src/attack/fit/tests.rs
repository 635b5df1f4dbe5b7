use proptest::prelude::*;
use rug::ops::Pow;

use super::*;
use crate::curve::Direction;
use crate::number::Interval;
use enclosure::refine;

fn fitted(mechanism: &str, digits: u32) -> (Enclosure, Touch, Gap) {
    let composition: Composition = mechanism.parse().expect("a mechanism");
    match fit(&composition, digits, 3, &Budget::default()).expect("a fit") {
        Fit::Least { mu, touch, gap } => (mu.enclosure(300), touch, gap),
        Fit::Infinite(reason) => panic!("{mechanism}: {reason}"),
    }
}

/// `z(alpha) + z(beta)`.
fn mu_at(alpha: &Rational, beta: &Number) -> Enclosure {
    let z = |p: &Number| tail_quantile(p, 200, &Budget::default()).expect("a quantile").enclosure(200);
    z(&Number::Exact(alpha.clone())) + z(beta)
}

/// mu at an alpha through the trade-off function, which the search never asks.
fn primal(engines: &Engines, alpha: &Rational) -> Enclosure {
    mu_at(alpha, &beta(engines, alpha))
}

fn beta(engines: &Engines, alpha: &Rational) -> Number {
    let (at, budget) = (Real::from(alpha.clone()), Budget::default());
    let found = engines
        .ask(&budget, |curve, budget| refine(30, budget, |bits| curve.beta(&at, Direction::Forward, bits, budget)));
    found.expect("a type II error")
}

fn within(touch: &Touch, alpha: f64) -> bool {
    match touch {
        Touch::Within(sets) => sets.iter().any(|(low, high)| *low <= alpha && *high >= alpha),
        Touch::At { alphas, .. } => {
            let sets = alphas.iter().map(|alpha| alpha.enclosure(64).widen(&Float::with_val(64, 1e-15)));
            sets.into_iter().any(|set| *set.lower() <= alpha && *set.upper() >= alpha)
        }
        _ => false,
    }
}

#[test]
fn gaussians_fit_themselves() {
    for (mechanism, square) in [
        ("gdp(mu=3)", "9"),
        ("gaussian(sigma=2)^3", "3/4"),
        ("gaussian(sigma=1) * gdp(mu=1/2)", "5/4"),
        ("laplace(scale=1, sensitivity=0) * gdp(mu=1)", "1"),
    ] {
        let (mu, touch, gap) = fitted(mechanism, 20);
        assert!(mu.square().contains(&square.parse().expect("a fraction")), "{mechanism}");
        assert!(matches!(touch, Touch::Everywhere) && gap.proven.exact().is_some_and(Rational::is_zero));
    }
    // The rate is of no help in the limit.
    let composition: Composition =
        "poisson(rate=1/100, gaussian(sigma=2))^9 * gdp(mu=1/2)".parse().expect("a mechanism");
    let class = classify(&composition).expect("a class").expect("no mass at infinity");
    assert_eq!((class.sampled.to_string(), class.gaussian.to_string()), ("9/4".into(), "1/4".into()));
}

/// Where losses are finitely many, f is a polygon, and a convex function is below it exactly if it is at its corners.
#[test]
fn corners_of_randomised_response() {
    for k in [1u32, 2, 5] {
        let (x, mut alpha, mut beta) = (Rational::from(3), Rational::new(), Rational::from(1));
        let whole = Rational::from(rug::Integer::from(4u32).pow(k));
        let mut best: Option<Enclosure> = None;
        for l in 0..k {
            let count = rug::Integer::from(k).binomial(l);
            let power = |n: u32| Rational::from(Pow::pow(&x, n));
            alpha += power(l) * &count / &whole;
            beta -= power(k - l) * &count / &whole;
            let mu = mu_at(&alpha, &Number::Exact(beta.clone()));
            best = Some(best.map_or(mu.clone(), |best| best.max(&mu)));
        }
        let (mu, touch, _) = fitted(&format!("randomized-response(epsilon=ln(3))^{k}"), 12);
        let best = best.expect("a corner");
        assert!(mu.overlaps(&best), "{k}: {mu:?} {best:?}");
        assert!(mu.relative_bits() > Some(40));
        // Of one response the corner is where both errors are 1/4.
        assert!(k > 1 || within(&touch, 0.25));
    }
}

/// Alphas everywhere are below the fit, and the best of a search among them reaches it.
#[test]
fn no_alpha_is_beyond_the_fit() {
    for mechanism in [
        "laplace(scale=1)",
        "laplace(scale=2) * gdp(mu=1/2)",
        "randomized-response(epsilon=1) * gaussian(sigma=1)",
        "shuffle(n=100, epsilon0=1)",
    ] {
        let (mu, touch, gap) = fitted(mechanism, 7);
        let engines = Engines::new(mechanism.parse().expect("a mechanism"), Method::Auto);
        let at = |alpha: f64| primal(&engines, &Rational::from_f64(alpha).expect("finite"));
        for alpha in [1e-12, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999] {
            assert!(at(alpha).lower() <= mu.upper(), "{mechanism}: {alpha}");
        }
        let Touch::Within(sets) = &touch else { panic!("{mechanism}: {touch:?}") };
        // In an interval where it may touch, narrowed down by thirds.
        let reached = sets.iter().any(|(low, high)| {
            let (mut low, mut high) = (low.to_f64(), high.to_f64());
            for _ in 0..60 {
                let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if at(a).lower() < at(b).lower() { low = a } else { high = b }
            }
            // Between the two nothing is above z(low) + z(f(high)).
            let (low, high) = (Rational::from_f64(low).expect("finite"), Rational::from_f64(high).expect("finite"));
            mu_at(&low, &beta(&engines, &high)).upper() >= mu.lower()
        });
        assert!(reached, "{mechanism}: {touch:?}");
        let gap = gap.proven.enclosure(64);
        assert!(gap.lower() > &0 && gap.upper() < &1);
    }
}

#[test]
fn what_has_no_fit_says_why() {
    let ask = |mechanism: &str| fit(&mechanism.parse().expect("a mechanism"), 6, 3, &Budget::default());
    for mechanism in ["approx-dp(epsilon=1, delta=1/10)", "gdp(mu=1) * finite(p=[1/2, 1/2, 0], q=[1/2, 1/4, 1/4])"] {
        assert!(matches!(ask(mechanism), Ok(Fit::Infinite(_))), "{mechanism}");
    }
    for mechanism in [
        "poisson(rate=1/10, discrete-gaussian(sigma2=4))",
        "poisson(rate=1/10, gaussian(sigma=1)) * laplace(scale=1)",
        "poisson(rate=1/10, gaussian(sigma=1)) * discrete-gaussian(sigma2=4)",
    ] {
        assert!(matches!(ask(mechanism), Err(Error::Undecided(_))), "{mechanism}");
    }
}

/// Vertices of a discrete Gaussian, composed, from sums of its masses: none is beyond the fit, and one reaches it.
#[test]
fn vertices_of_discrete_gaussians() {
    for (sigma2, sensitivity, times) in [((4, 1), 1, 1), ((1, 2), 1, 1), ((1, 3), 2, 3), ((2, 1), 1, 2)] {
        let sigma2 = Rational::from(sigma2);
        let text = format!("discrete-gaussian(sigma2={sigma2}, sensitivity={sensitivity})^{times}");
        let (mu, touch, gap) = fitted(&text, 7);
        // Masses from -60 to 60, up to their sum; those beyond are below e^-400 of it.
        let weight =
            |j: i32| (-Enclosure::rational(&(Rational::from(j * j) / Rational::from(&sigma2 * 2u32)), 900)).exp();
        let one: Vec<Enclosure> = (-60..=60).map(weight).collect();
        let mut all = one.clone();
        for _ in 1..times {
            let mut next = vec![Enclosure::zero(900); all.len() + one.len() - 1];
            for (i, a) in all.iter().enumerate() {
                for (j, b) in one.iter().enumerate() {
                    next[i + j] = &next[i + j] + &(a * b);
                }
            }
            all = next;
        }
        let sum = all.iter().fold(Enclosure::zero(900), |sum, mass| &sum + mass);
        let rest = Float::with_val(64, Float::i_exp(1, -500));
        let centre = all.len() / 2;
        let tail = |k: i32| {
            let from = (centre as i32 + k) as usize;
            let tail = all[from..].iter().fold(Enclosure::zero(900), |sum, mass| &sum + mass);
            (&tail / &sum).widen(&rest)
        };
        let quantile = |p: Enclosure| {
            let end = |p: &Float| {
                let p = Number::Exact(p.to_rational().expect("a number"));
                tail_quantile(&p, 200, &Budget::default()).expect("a quantile").enclosure(200)
            };
            end(p.upper()).hull(&end(p.lower()))
        };
        let shift = sensitivity * times;
        let mut best: Option<Enclosure> = None;
        // As far as the tails are told from nothing.
        let far = (Rational::from(&sigma2 * (400 * times)).to_f64()).sqrt() as i32;
        for k in -shift..(far - shift) {
            let at = quantile(tail(k + shift)) - quantile(tail(k));
            assert!(at.lower() <= mu.upper(), "{text}, {k}: {at:?} {mu:?}");
            best = Some(best.map_or(at.clone(), |best| best.max(&at)));
        }
        let best = best.expect("a vertex");
        assert!(mu.overlaps(&best) && mu.relative_bits() > Some(20), "{text}: {mu:?} {best:?}");
        assert!(matches!(touch, Touch::Within(sets) if !sets.is_empty()) && gap.short.is_none());
    }
}

/// Discrete Gaussians beside others: no alpha is beyond the fit, and it is not far from one.
#[test]
fn discrete_gaussians_beside_others() {
    let mut decided = 0;
    for mechanism in [
        "discrete-gaussian(sigma2=4) * laplace(scale=1)",
        "discrete-gaussian(sigma2=4) * gaussian(sigma=1)",
        "discrete-gaussian(sigma2=4) * discrete-gaussian(sigma2=2)",
        "discrete-gaussian(sigma2=4)^2 * randomized-response(epsilon=1)",
    ] {
        // Where the profile has few digits there is no fit.
        let composition: Composition = mechanism.parse().expect("a mechanism");
        let mu = match fit(&composition, 2, 2, &Budget::default()) {
            Ok(Fit::Least { mu, .. }) => mu.enclosure(200),
            Err(Error::Undecided(_)) => continue,
            other => panic!("{mechanism}: {other:?}"),
        };
        decided += 1;
        let engines = Engines::new(mechanism.parse().expect("a mechanism"), Method::Auto);
        let mut best: Option<Enclosure> = None;
        for alpha in [1e-9, 1e-4, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 0.999] {
            let at = primal(&engines, &Rational::from_f64(alpha).expect("finite"));
            assert!(at.lower() <= mu.upper(), "{mechanism}: {alpha}");
            best = Some(best.map_or(at.clone(), |best| best.max(&at)));
        }
        let best = best.expect("an alpha");
        let near = &best * &Enclosure::rational(&Rational::from((11, 10)), 64);
        assert!(mu.upper() < near.upper() && mu.lower() > &0, "{mechanism}: {mu:?} {best:?}");
    }
    assert!(decided > 1, "{decided}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Pairs of finitely many masses, by their corners, which are sums in the order of likelihood ratios.
    #[test]
    fn finite_pairs_fit_at_a_corner(masses in prop::collection::vec((1u32..40, 1u32..40), 2..6)) {
        let (p, q): (u32, u32) = masses.iter().fold((0, 0), |(a, b), (x, y)| (a + x, b + y));
        prop_assume!(masses.iter().any(|(x, y)| x * q != y * p));
        let list = |pick: fn(&(u32, u32)) -> u32, of: u32| {
            masses.iter().map(|m| format!("{}/{of}", pick(m))).collect::<Vec<_>>().join(", ")
        };
        let mechanism = format!("finite(p=[{}], q=[{}])", list(|m| m.0, p), list(|m| m.1, q));
        let mut sorted = masses.clone();
        sorted.sort_by(|a, b| (b.1 * a.0).cmp(&(a.1 * b.0)));
        let (mut alpha, mut beta) = (Rational::new(), Rational::from(1));
        let mut best: Option<Enclosure> = None;
        for (x, y) in &sorted[..sorted.len() - 1] {
            alpha += Rational::from((*x, p));
            beta -= Rational::from((*y, q));
            let mu = mu_at(&alpha, &Number::Exact(beta.clone()));
            best = Some(best.map_or(mu.clone(), |best| best.max(&mu)));
        }
        let (mu, _, _) = fitted(&mechanism, 8);
        prop_assert!(mu.overlaps(&best.expect("a corner")), "{}: {:?}", mechanism, mu);
    }
}

/// Where a polyline touches is a vertex, to all digits: of randomised response `1/(1+e)`, of its powers two that mirror
/// each other.
#[test]
fn polylines_touch_at_vertices() {
    let at = |mechanism: &str| match fitted(mechanism, 25).1 {
        Touch::At { alphas, all } => (alphas, all),
        other => panic!("{mechanism}: {other:?}"),
    };
    let one = Enclosure::one(200);
    let response = &one / &(&one + &one.exp());
    for mechanism in ["randomized-response(epsilon=1)", "geometric(epsilon=1)", "staircase(epsilon=1, gamma=1/2)"] {
        let (alphas, all) = at(mechanism);
        let [alpha] = alphas.as_slice() else { panic!("{mechanism}: {alphas:?}") };
        let alpha = alpha.enclosure(200);
        assert!(all && alpha.overlaps(&response) && alpha.relative_bits() > Some(83), "{mechanism}: {alpha:?}");
    }
    // In fractions, exactly.
    let exact = |mechanism: &str| at(mechanism).0.iter().map(|alpha| alpha.exact().cloned()).collect::<Vec<_>>();
    assert_eq!(exact("finite(p=[1/2, 1/2], q=[1/3, 2/3])"), [Some(Rational::from((1, 2)))]);
    assert_eq!(exact("trade-off(alpha=[0, 1/4, 1], beta=[1, 1/2, 0])"), [Some(Rational::from((1, 4)))]);
    // Two vertices that mirror each other: both touch, and mu is what each asks for.
    for mechanism in ["randomized-response(epsilon=1)^10", "randomized-response(epsilon=ln(3))^10"] {
        let (alphas, all) = at(mechanism);
        let (mu, _, _) = fitted(mechanism, 25);
        assert!(all && alphas.len() == 2, "{mechanism}: {alphas:?}");
        let z = |p: &Number| tail_quantile(p, 200, &Budget::default()).expect("a quantile").enclosure(200);
        let end = |alpha: &Number| alpha.enclosure(300).lower().to_rational().expect("a number").into();
        let sum = z(&end(&alphas[0])) + z(&end(&alphas[1]));
        assert!((sum - mu).abs().upper() < &1e-24, "{mechanism}");
    }
}

/// Gaussian noise on samples of any kind asks for its own mu: alone, in products and under hulls and inverses.
#[test]
fn samples_of_gaussian_noise() {
    for (mechanism, square) in [
        ("subsample(rate=1/10, gdp(mu=1))", "1"),
        ("hull(poisson(rate=1/10, gdp(mu=1)))", "1"),
        ("inverse(poisson(rate=1/10, gdp(mu=1)))^3", "3"),
        ("inverse(poisson(rate=1/10, gdp(mu=1)) * gdp(mu=1/2))", "5/4"),
        ("hull(poisson(rate=1/10, gdp(mu=1))) * inverse(poisson(rate=1/3, gdp(mu=1)))^2", "3"),
    ] {
        let composition: Composition = mechanism.parse().expect("a mechanism");
        let class = classify(&composition).expect("a class").expect("no mass at infinity");
        assert!(class.order.is_some(), "{mechanism}");
        assert_eq!(class.sampled.add(&class.gaussian).to_string(), square, "{mechanism}");
    }
    let (mu, touch, _) = fitted("subsample(rate=1/10, gdp(mu=1))", 8);
    assert!(mu.contains(&1.into()) && matches!(touch, Touch::Limit));
    // With the mixtures on different sides the limit is another one, and nothing is said.
    let both = "poisson(rate=1/10, gdp(mu=1)) * inverse(poisson(rate=1/10, gdp(mu=1)))";
    let asked = fit(&both.parse().expect("a mechanism"), 6, 3, &Budget::default());
    assert!(matches!(asked, Err(Error::Undecided(_))), "{asked:?}");
}

/// The fit of a hull is that of what is inside, and it touches there and at the mirror image.
#[test]
fn a_hull_fits_as_what_is_inside() {
    let inside = "finite(p=[1/2, 1/2], q=[1/5, 4/5]) * gdp(mu=1/2)";
    let (mu, touch, _) = fitted(inside, 5);
    let (hull, both, _) = fitted(&format!("hull({inside})"), 5);
    assert!(mu.overlaps(&hull));
    let (Touch::Within(one), Touch::Within(two)) = (touch, both) else { panic!("no intervals") };
    assert!(one.len() == 1 && two.len() == 2 && two.contains(&one[0]));
    // alpha and G_mu(alpha): quantiles of both add up to mu.
    let z = |set: &(Float, Float)| {
        let middle = (set.0.to_rational().expect("a number") + set.1.to_rational().expect("a number")) / 2u32;
        tail_quantile(&Number::Exact(middle), 200, &Budget::default()).expect("a quantile").enclosure(200)
    };
    assert!((z(&two[0]) + z(&two[1]) - mu).abs().upper() < &0.01);
}

/// A gap that no point tells is at most the total variation distance of the Gaussian: `2 Phi(sqrt(10)/2) - 1`.
#[test]
fn a_gap_that_no_point_tells_has_bounds() {
    let (_, touch, gap) = fitted("subsample(rate=1/10, gaussian(sigma=1))^10", 6);
    assert!(gap.short.is_some());
    let gap = gap.proven.enclosure(64);
    let [least, most] = [gap.lower(), gap.upper()].map(rug::Float::to_f64);
    assert!(
        matches!(touch, Touch::Limit) && least == 0.0 && (0.886_153_701_993_34..0.886_154).contains(&most),
        "{gap:?}"
    );
}

/// The gap, which is sought on profiles, is that of the trade-off functions: none is above it, and the best of a search
/// reaches it.
#[test]
fn a_gap_by_trade_off_functions() {
    for mechanism in ["laplace(scale=1)^2", "laplace(scale=2) * gdp(mu=1/2)", "poisson(rate=1/3, laplace(scale=1))"] {
        let composition: Composition = mechanism.parse().expect("a mechanism");
        let Fit::Least { mu, gap, .. } = fit(&composition, 9, 4, &Budget::default()).expect("a fit") else {
            panic!("{mechanism} has a fit")
        };
        let (mu, engines) = (mu.enclosure(300), Engines::new(composition, Method::Auto));
        assert!(gap.short.is_none(), "{mechanism}: {gap:?}");
        let gap = gap.proven.enclosure(64);
        let above = |alpha: &Rational| {
            let gaussian = gaussian_at(&Float::with_val(300, alpha), &mu, 300, &Budget::default());
            beta(&engines, alpha).enclosure(300) - gaussian.expect("a Gaussian")
        };
        let mut best = (Enclosure::zero(64), 0_u32);
        for k in 1..128_u32 {
            let here = above(&Rational::from((k, 128_u32)));
            assert!(here.lower() <= gap.upper(), "{mechanism}: {k}");
            if here.lower() > best.0.lower() {
                best = (here, k);
            }
        }
        let (mut low, mut high) = (Rational::from((best.1 - 1, 128)), Rational::from((best.1 + 1, 128)));
        for _ in 0..24 {
            let third = Rational::from(&high - &low) / 3u32;
            let (a, b) = (Rational::from(&low + &third), Rational::from(&high - &third));
            if above(&a).lower() < above(&b).lower() { low = a } else { high = b }
        }
        let reached = above(&low).max(&above(&high));
        assert!(reached.upper() >= gap.lower() && reached.lower() <= gap.upper(), "{mechanism}: {reached:?} {gap:?}");
    }
}

/// All digits are there or there is a reason, and never both.
#[test]
fn gaps_to_all_digits() {
    for mechanism in ["laplace(scale=1)^10", "laplace(scale=10)^20"] {
        let Fit::Least { gap, .. } =
            fit(&mechanism.parse().expect("a mechanism"), 6, 6, &Budget::default()).expect("a fit")
        else {
            panic!("{mechanism} has a fit")
        };
        let digits = Interval::from(gap.proven.enclosure(256)).digits();
        assert!(gap.short.is_none() && digits >= 6, "{mechanism}: {gap:?}");
    }
}

/// Where mu is known to few digits the gap is, too, and no node makes a bound worse than it was.
#[test]
fn a_gap_ends_where_mu_does() {
    let composition = "laplace(scale=5)^30".parse().expect("a mechanism");
    let Fit::Least { gap, .. } = fit(&composition, 4, 6, &Budget::default()).expect("a fit") else { panic!("a fit") };
    let (digits, truth) = (Interval::from(gap.proven.enclosure(256)).digits(), gap.proven.enclosure(64));
    assert!(gap.short.is_some() && (1..6).contains(&digits), "{gap:?}");
    // With more digits of mu it is 0.00188578...
    assert!(*truth.lower() <= 0.001_885_787 && *truth.upper() >= 0.001_885_79, "{gap:?}");
}

/// Shuffled reports: it touches where both errors are far apart, and at the mirror image of that.
#[test]
fn shuffled_reports_touch_at_mirror_images() {
    let (mu, touch, gap) = fitted("shuffle(n=100, epsilon0=1)", 4);
    assert!(mu.relative_bits() > Some(13) && gap.proven.enclosure(64).lower() > &0);
    let Touch::Within(sets) = touch else { panic!("{touch:?}") };
    let at = |alpha: &Float| gaussian_at(alpha, &mu, 300, &Budget::default()).expect("a type II error");
    for (low, high) in &sets {
        let mirrored = at(high).hull(&at(low));
        assert!(sets.iter().any(|(a, b)| Enclosure::new(a.clone(), b.clone()).overlaps(&mirrored)), "{sets:?}");
    }
}

/// What is given up early is told as far as it is known, and it is so; half of the tangents say what all do.
#[test]
fn what_is_known_is_told() {
    let (truth, _, _) = fitted("laplace(scale=1)", 8);
    let engines = Engines::new("laplace(scale=1)".parse().expect("a mechanism"), Method::Auto);
    let budget = Budget::default();
    for (symmetric, most) in [(true, 9), (false, 14)] {
        let left = std::cell::Cell::new(most);
        let profile = |epsilon: &Real, side| {
            if left.replace(left.get() - 1) == 0 {
                return Err(Error::undecided("no more"));
            }
            engines.ask(&budget, |curve, budget| refine(20, budget, |bits| curve.delta(epsilon, side, bits, budget)))
        };
        let told = std::cell::RefCell::new(Vec::new());
        let note = |set| {
            told.borrow_mut().push(set);
            Ok(())
        };
        let tangents = Tangents { profile: &profile, bits: 200, budget: &budget };
        let ends = (Real::one().neg(), Real::one());
        let search = Search { tangents: &tangents, digits: 8, beyond: &Beyond::Nothing, ends, symmetric, told: &note };
        assert!(matches!(search.run(), Err(Error::Undecided(reason)) if reason.to_string().contains("no more")));
        let told = told.into_inner();
        let [set] = told.as_slice() else { panic!("{told:?}") };
        assert!(set.overlaps(&truth) && set.relative_bits() > Some(2), "{set:?} {truth:?}");
    }
}
