//! Closed forms against sums and integrals of tails, with bounds of what is left out, in fractions where there are any.

use rug::ops::Pow;

use super::*;

fn noise(text: &str) -> Noise {
    Noise::of(&text.parse().expect("a mechanism")).expect("noise")
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

fn q(numer: i64, denom: i64) -> Rational {
    Rational::from((numer, denom))
}

fn exact(number: Result<Number, Error>) -> Rational {
    number.expect("a number").exact().expect("rational").clone()
}

/// All kinds, with constants that are rational, logarithms, and neither.
const ALL: [&str; 10] = [
    "gaussian(sigma=3/2)",
    "gaussian(sigma=sqrt(2))",
    "laplace(scale=3)",
    "laplace(scale=ln(3))",
    "geometric(epsilon=ln(3))",
    "geometric(epsilon=1/2)",
    "staircase(epsilon=ln(9), gamma=1/4)",
    "staircase(epsilon=1, gamma=1)",
    "discrete-gaussian(sigma2=1/3)",
    "discrete-gaussian(sigma2=20)",
];

#[test]
fn values_by_hand() {
    let budget = Budget::default();
    let check = |text: &str, variance: Rational, mean: Rational, tails: &[(&str, Rational)]| {
        let noise = noise(text);
        assert_eq!(exact(noise.variance(64, &budget)), variance, "{text}");
        assert_eq!(exact(noise.mean_absolute(64, &budget)), mean, "{text}");
        for (threshold, tail) in tails {
            assert_eq!(exact(noise.tail(&real(threshold), 64, &budget)), *tail, "{text} {threshold}");
        }
    };
    check("laplace(scale=3)", q(18, 1), q(3, 1), &[("0", q(1, 1)), ("-1", q(1, 1)), ("3*ln(5)", q(1, 5))]);
    // P(0) = 1/2, and thirds from there.
    let tails = [("-1/2", q(1, 1)), ("0", q(1, 2)), ("9/10", q(1, 2)), ("1", q(1, 6)), ("2.5", q(1, 18))];
    check("geometric(epsilon=ln(3))", q(3, 2), q(3, 4), &tails);
    // Geng and Viswanath: the least mean is e^(epsilon/2)/(e^epsilon - 1), at gamma = 1/(1 + e^(epsilon/2)). |Z| has
    // the density 8/3 up to 1/4, 8/27 up to 5/4, then 8/243.
    let tails =
        [("0", q(1, 1)), ("1/8", q(2, 3)), ("1/4", q(1, 3)), ("1", q(1, 9)), ("3/2", q(7, 243)), ("2", q(1, 81))];
    check("staircase(epsilon=ln(9), gamma=1/4)", q(10, 64) + q(1, 16) + q(1, 8), q(3, 8), &tails);
    // Uniform steps: gamma = 1.
    check("staircase(epsilon=ln(2), gamma=1)", q(3, 1) + q(1, 1) + q(1, 3), q(3, 2), &[("1/2", q(3, 4))]);
    assert_eq!(exact(noise("gaussian(sigma=sqrt(2))").variance(64, &budget)), 2);
    // The sensitivity changes nothing.
    assert_eq!(noise("laplace(scale=3, sensitivity=7)"), noise("laplace(scale=3)"));
}

/// `E|Z| = int P[|Z| > T] dT` and `E Z^2 = int 2T P[|Z| > T] dT`, between sums over steps of length `1/n`, for the tail
/// does not rise. From N on it falls by at least `P[|Z| > N+1]/P[|Z| > N]` from T to T + 1: all these laws are
/// log-concave, or fall by one factor from step to step.
#[test]
fn moments_are_integrals_of_tails() {
    let budget = Budget::default();
    let (steps, end) = (32_i64, 40_i64);
    for text in ALL {
        let noise = noise(text);
        let tail = |place: i64| noise.tail(&Real::from(q(place, steps)), 96, &budget).expect("a tail");
        let weigh = |number: &Number, weight: Rational| number * &Number::Exact(weight);
        let tails: Vec<Number> = (0..=(end + 1) * steps).map(tail).collect();
        let [mut low, mut high] = [0, 1].map(|_| [Number::zero(), Number::zero()]);
        for i in 0..end * steps {
            let [above, below] = [&tails[i as usize], &tails[i as usize + 1]];
            low[0] = &low[0] + &weigh(below, q(1, steps));
            high[0] = &high[0] + &weigh(above, q(1, steps));
            low[1] = &low[1] + &weigh(below, q(2 * i, steps * steps));
            high[1] = &high[1] + &weigh(above, q(2 * (i + 1), steps * steps));
        }
        let one = Number::one();
        let last = &tails[(end * steps) as usize];
        let ratio = &tails[((end + 1) * steps) as usize] / last;
        let series = &one / &(&one - &ratio);
        high[0] = &high[0] + &(last * &series);
        let second = &weigh(&series, q(2 * (end + 1), 1)) + &(&weigh(&ratio, q(2, 1)) * &(&series * &series));
        high[1] = &high[1] + &(last * &second);
        let moments = [noise.mean_absolute(96, &budget), noise.variance(96, &budget)].map(|m| m.expect("a number"));
        for (i, moment) in moments.iter().enumerate() {
            // At a step of length 1 the upper sum of geometric noise is the mean itself.
            assert_ne!(low[i].compare(moment), Some(Ordering::Greater), "{text} {i}: {:?} {moment:?}", low[i]);
            assert_ne!(moment.compare(&high[i]), Some(Ordering::Greater), "{text} {i}: {moment:?} {:?}", high[i]);
        }
    }
}

/// The sums of geometric noise in fractions: what is left out beyond N falls at least by `(1 + 1/N)^2/x` a term.
#[test]
fn geometric_noise_by_summation() {
    let (budget, n) = (Budget::default(), 60_u32);
    for x in [q(3, 1), q(3, 2), q(11, 10)] {
        let geometric = Noise::Geometric { epsilon: Real::from(x.clone()).ln().expect("positive") };
        let b = Rational::from(x.recip_ref());
        let scale = Rational::from(1 - &b) / Rational::from(1 + &b);
        let mass = |j: u32| Rational::from(&scale * 2u32) * Rational::from(rug::ops::Pow::pow(&b, j as i32));
        for (power, value) in [(1, geometric.mean_absolute(64, &budget)), (2, geometric.variance(64, &budget))] {
            let term = |j: u32| mass(j) * j.pow(power);
            let sum: Rational = (1..=n).map(term).sum();
            let fall = &b * q((i64::from(n) + 2).pow(power), (i64::from(n) + 1).pow(power));
            let rest = term(n + 1) / (1 - fall);
            let value = exact(value);
            assert!(sum < value && value < sum + rest, "{x} {power}");
        }
        for threshold in [0, 1, 7] {
            let inside: Rational = (1..=threshold).map(mass).sum::<Rational>() + &scale;
            let tail = exact(geometric.tail(&Real::from(u64::from(threshold)), 64, &budget));
            assert_eq!(inside + tail, 1, "{x} {threshold}");
        }
    }
}

/// Discrete Gaussian noise, each mass by an exponential of its own.
#[test]
fn discrete_gaussian_noise_by_summation() {
    let (budget, bits) = (Budget::default(), 160);
    for sigma2 in [q(1, 50), q(1, 6), q(1, 1), q(7, 2), q(20_000, 1)] {
        let normal = Noise::DiscreteGaussian { sigma2: sigma2.clone() };
        let n = 30 + 20 * Float::with_val(53, &sigma2).sqrt().to_u32_saturating().expect("a number");
        let mass = |j: u32| {
            let exponent = Rational::from(Integer::from(j).square()) / Rational::from(&sigma2 * 2u32);
            (-Enclosure::rational(&exponent, bits)).exp()
        };
        let masses: Vec<Enclosure> = (0..=n + 1).map(mass).collect();
        // Beyond n terms fall at least by 4 e^(-(2n+3)/(2 sigma2)).
        let fall = mass(n + 2).shift(2) / masses[n as usize + 1].clone();
        let sum = |power: u32, from: u32| {
            let term = |j: u32| &masses[j as usize] * &Enclosure::integer(&Integer::from(j).pow(power), bits);
            let head = (from..=n).map(term).fold(Enclosure::zero(bits), |sum, term| &sum + &term);
            let rest = term(n + 1) / (&Enclosure::one(bits) - &fall);
            (&head + &Enclosure::zero(bits).hull(&rest)).shift(1)
        };
        let whole = &Enclosure::one(bits) + &sum(0, 1);
        let check = |expected: Enclosure, found: Result<Number, Error>| {
            let found = found.expect("a number").enclosure(bits);
            let expected = &expected / &whole;
            assert!(expected.overlaps(&found), "{sigma2}: {expected:?} {found:?}");
            assert!(found.relative_bits() > Some(80) && expected.relative_bits() > Some(60), "{sigma2}");
        };
        check(sum(2, 1), normal.variance(100, &budget));
        check(sum(1, 1), normal.mean_absolute(100, &budget));
        for threshold in [0, 1, n / 3] {
            check(sum(0, threshold + 1), normal.tail(&Real::from(u64::from(threshold)), 100, &budget));
        }
    }
}

/// A quantile is where the tail comes down to what is beyond it.
#[test]
fn quantiles_invert_tails() {
    let budget = Budget::default();
    for text in ALL {
        let noise = noise(text);
        for u in ["1/1000", "1/3", "1/2", "8/9", "17/18", "0.999", "1 - 1e-30"] {
            let (u, p) = (real(u), real("1").sub(&real(u)).number(96));
            let quantile = noise.quantile(&u, 96, &budget).expect("a quantile");
            let tail = |t: &Rational| noise.tail(&Real::from(t.clone()), 96, &budget).expect("a tail");
            if noise.is_discrete() {
                let n = quantile.exact().expect("an integer").clone();
                assert_ne!(tail(&n).compare(&p), Some(Ordering::Greater), "{text} {u}");
                assert_eq!(tail(&(n - 1u32)).compare(&p), Some(Ordering::Greater), "{text} {u}");
            } else if let Some(t) = quantile.exact() {
                assert_eq!(tail(t).exact(), p.exact(), "{text} {u}");
            } else {
                let set = quantile.enclosure(96);
                let [low, high] = [set.lower(), set.upper()].map(|end| tail(&end.to_rational().expect("a number")));
                let between = high.enclosure(96).hull(&low.enclosure(96));
                assert!(between.overlaps(&p.enclosure(96)) && set.relative_bits() > Some(90), "{text} {u}");
            }
        }
        for u in ["0", "1", "-1/2", "3"] {
            assert!(matches!(noise.quantile(&real(u), 64, &budget), Err(Error::Undefined(_))), "{text} {u}");
        }
    }
    // Ends of steps: P[|Z| > k] is e^(-epsilon k).
    let staircase = noise("staircase(epsilon=ln(9), gamma=1/4)");
    assert_eq!(exact(staircase.quantile(&real("80/81"), 64, &budget)), 2);
    assert_eq!(exact(staircase.quantile(&real("2/3"), 64, &budget)), q(1, 4));
}

/// Far out there is a bound, and no panic.
#[test]
fn extremes_are_answered() {
    let budget = Budget::default();
    let thresholds = ["1e-300", "1e300", "exp(100)", "1e30"];
    for text in [
        "gaussian(sigma=1e-300)",
        "gaussian(sigma=1e300)",
        "laplace(scale=1e-300)",
        "laplace(scale=1e300)",
        "geometric(epsilon=1e-300)",
        "geometric(epsilon=1e300)",
        "staircase(epsilon=1e-300, gamma=0)",
        "staircase(epsilon=1e300, gamma=1/3)",
        "discrete-gaussian(sigma2=1e-99)",
        "discrete-gaussian(sigma2=1e199)",
    ] {
        let noise = noise(text);
        let mut all = vec![noise.variance(64, &budget), noise.mean_absolute(64, &budget)];
        all.extend(thresholds.iter().map(|threshold| noise.tail(&real(threshold), 64, &budget)));
        for number in all {
            let set = number.expect("a number").enclosure(64);
            assert!(*set.lower() >= 0 && set.is_bounded(), "{text}: {set:?}");
        }
    }
}

#[test]
fn operators_leave_the_noise_as_it_is() {
    let laplace = noise("laplace(scale=3)");
    for text in [
        "laplace(scale=3)^10",
        "laplace(scale=3) * laplace(scale=3, sensitivity=2)^5",
        "poisson(rate=1/100, laplace(scale=3))^1000",
        "group(k=2, laplace(scale=3))",
    ] {
        assert_eq!(noise(text), laplace, "{text}");
    }
}

#[test]
fn refuses_what_adds_no_noise() {
    for text in [
        "gdp(mu=1)",
        "randomized-response(epsilon=1)",
        "zcdp(rho=1)",
        "finite(p=[1/2,1/2], q=[1/3,2/3])",
        "laplace(scale=3) * laplace(scale=4)",
        "gaussian(sigma=1) * laplace(scale=1)",
        "mixture(1/2: gaussian(sigma=1), 1/2: gaussian(sigma=1))",
        "gdp(mu=0)^0",
        "discrete-gaussian(sigma2=1e300)",
        "discrete-gaussian(sigma2=1e-300)",
    ] {
        assert!(matches!(Noise::of(&text.parse().expect("a mechanism")), Err(Error::Input(_))), "{text}");
    }
    let nothing = Noise::of(&"geometric(epsilon=0)".parse().expect("a mechanism"));
    assert!(matches!(nothing, Err(Error::Undefined(_))));
}
