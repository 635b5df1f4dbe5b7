use super::*;
use crate::compose::{Method, curve};
use crate::curve::{Direction, Value};
use crate::theorem::berry_esseen;
use crate::theorem::factors::tests::printed;
use enclosure::Budget;
use enclosure::special::normal_cdf;

fn composed(text: &str) -> Composition {
    text.parse().expect("a composition")
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

fn of(text: &str) -> Result<(NearGaussian, Enclosure), Error> {
    bounds(&composed(text), 80)
}

/// Each constant is rounded to its side, and by no more than a millionth.
#[test]
fn constants_are_rounded_to_their_side() {
    let float = |value: f64| Float::with_val(200, value);
    let pi = Float::with_val(200, rug::float::Constant::Pi);
    let h = |u: &Float| {
        let sine = Float::with_val(200, u / 2u32).sin();
        (Float::with_val(200, sine.square_ref()) * 4u32).recip() - Float::with_val(200, u.square_ref()).recip()
    };
    let places = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0];
    assert_eq!(places.len(), CUTS.len());
    for (cut, u) in CUTS.iter().zip(places) {
        let u = float(u);
        let half = Float::with_val(200, &u / 2u32);
        let w = half.clone().sin() * 2u32;
        let q = Float::with_val(200, &u / &w);
        let cosine = Float::with_val(200, &pi * &half.cos());
        let square = Float::with_val(200, q.square_ref());
        let a = Float::with_val(200, &pi / 2u32).sqrt() * &square / 6u32 / &cosine;
        let b = square * &q * 2u32 / &cosine;
        let d = h(&u) / &cosine;
        let share = Float::with_val(200, 2u32 / &pi);
        let e = Float::with_val(200, &pi / &u).ln() * &share + Float::with_val(200, &pi - &u) * h(&pi) * share;
        let r = w.square() / 2u32;
        for (rounded, exact) in [(cut.skewness, a), (cut.kurtosis, b), (cut.lattice, d), (cut.rest, e)] {
            let exact = exact * 1_000_000u32;
            assert!(exact <= rounded && exact > rounded - 1, "{rounded} for {exact}");
        }
        let r = r * 1_000_000u32;
        assert!(r >= cut.decay && r < cut.decay + 1, "{} for {r}", cut.decay);
    }
}

/// `ln(x/sin x) - x^2/6 <= x^4/150` up to `pi/2`: the left side over `x^4` rises, so it is enough at the end.
#[test]
fn the_uniform_number_is_near_its_normal_one() {
    let half = Float::with_val(200, rug::float::Constant::Pi) / 2u32;
    let square = Float::with_val(200, half.square_ref());
    let left = half.ln() - Float::with_val(200, &square / 6u32);
    assert!(left < square.square() / 150u32);
}

/// By another program: `c` at `mu = 1` and `mu = 4`.
#[test]
fn values_by_another_program() {
    for (text, c) in [
        ("randomized-response(epsilon=1/10)^100", "0.342129378505213510363891255993"),
        ("randomized-response(epsilon=1/2)^4", "1.41317341198172600758762388084"),
        ("randomized-response(epsilon=1/2)^64", "1.03306098071623024727924326248"),
    ] {
        let (_, found) = of(text).expect("the theorem");
        assert!(found.overlaps(&printed(c)), "{text}: {found:?}");
    }
}

/// The exact curve lies between the bounds, at all alphas and with what fails outright, and so do its profile and the
/// inverse of that; where both theorems say something these bounds are the closer ones.
#[test]
fn exact_curves_lie_between() {
    let budget = Budget::default();
    for text in [
        "randomized-response(epsilon=1/10)^100",
        "randomized-response(epsilon=1/2)^4",
        "randomized-response(epsilon=1/3)^9",
        "randomized-response(epsilon=1)^16",
        "randomized-response(epsilon=1/100)^50",
        "approx-dp(epsilon=1/10, delta=1/1000)^60 * randomized-response(epsilon=1/10)^40",
    ] {
        let composition = composed(text);
        let (bounds, _) = of(text).expect("the theorem");
        let exact = curve(&composition, Method::Auto, &budget).expect("a curve");
        for alpha in
            (0..=40).map(|i| Rational::from((i, 40))).chain([(1, 1000), (1, 100), (99, 100)].map(Rational::from))
        {
            let alpha = Real::from(alpha);
            let truth = exact.beta(&alpha, Direction::Forward, 60, &budget).expect("beta").enclosure(60);
            let [lower, upper] = bounds.beta(&alpha, 60, &budget).expect("bounds");
            assert!(lower.lower() <= truth.upper() && truth.lower() <= upper.upper(), "{text} at {alpha}");
            let inside = !alpha.is_zero();
            assert!(!inside || (lower.upper() <= truth.lower() && truth.upper() <= upper.lower()), "{text} at {alpha}");
        }
        for epsilon in ["0", "1/2", "1", "3"] {
            let epsilon = real(epsilon);
            let truth = exact.delta(&epsilon, Direction::Forward, 60, &budget).expect("delta").enclosure(60);
            let [lower, upper] = bounds.delta(&epsilon, 60, &budget).expect("bounds");
            assert!(lower.upper() <= truth.lower() && truth.upper() <= upper.lower(), "{text} at {epsilon}");
        }
        let delta = real("3/10");
        let Ok(Value::Finite(truth)) = exact.epsilon(&delta, Direction::Forward, 60, &budget) else { panic!("{text}") };
        let [lower, upper] = bounds.epsilon(&delta, 40, &budget).expect("bounds");
        assert!(lower.compare(&Value::Finite(truth.clone())) != Some(Ordering::Greater), "{text}");
        assert!(upper.compare(&Value::Finite(truth)) != Some(Ordering::Less), "{text}");
        let runs: u64 = composition.factors().iter().map(|(_, times)| times).sum();
        if let (true, Ok(known)) = (runs > 4, berry_esseen::bounds(&composition, 80, &budget)) {
            assert!(bounds.gamma().upper() < known.gamma().lower(), "{text}");
        }
    }
}

/// Of the count itself: its distribution function with a uniform number is as near to the normal one as is said, and of
/// many lopsided responses hardly nearer, so that no part of the term with the cubes can be missing.
#[test]
fn the_count_is_near_its_normal_law() {
    let (bits, budget) = (120, Budget::default());
    for (epsilon, n, tight) in [("1/100", 20u64, false), ("1/10", 100, false), ("1", 30, false), ("3/2", 1000, true)] {
        let epsilon = real(epsilon).enclosure(bits);
        let said = from_normal(&epsilon, n, bits);
        let (one, small) = (Enclosure::one(bits), (-&epsilon).exp());
        let (p, q) = (&one / &(&one + &small), &small / &(&one + &small));
        let count = Enclosure::integer(&n.into(), bits);
        let spread = (&count * &p * &q + real("1/12").enclosure(bits)).sqrt();
        // From the lower end, where the count is k - 1/2 or less.
        let (mut mass, mut below, mut farthest) = (q.pow(n), Enclosure::zero(bits), Enclosure::zero(bits));
        for k in 0..=n {
            let place = (Enclosure::integer(&(2 * k).into(), bits) - &one).shift(-1) - &count * &p;
            let normal = normal_cdf(&(place / &spread), bits, &budget).expect("a value");
            let off = (&below - &normal).abs();
            assert!(off.upper() <= said.lower(), "{k} of {n}: {off:?} beyond {said:?}");
            farthest = farthest.max(&off);
            below = below + &mass;
            let step = Enclosure::rational(&Rational::from((n - k, k + 1)), bits);
            mass = mass * step * &p / &q;
        }
        let near = farthest.mul_u32(6).div_u32(5);
        assert!(!tight || said.upper() < near.lower(), "{said:?} for {farthest:?}");
    }
}

/// A distance of order `1/n` at a fixed mu.
#[test]
fn c_falls_at_a_fixed_mu() {
    for mu in [1u32, 2, 4] {
        let mut last = real("1000").enclosure(80);
        for n in [25u32, 100, 400, 10_000, 1_000_000] {
            let root = f64::from(n).sqrt() as u32;
            let (_, c) = of(&format!("randomized-response(epsilon={mu}/{root})^{n}")).expect("the theorem");
            assert!(c.compare(&last) == Some(Ordering::Less), "mu = {mu}, n = {n}");
            last = c;
        }
        assert!(last.upper() < &Float::with_val(80, 1), "mu = {mu}");
    }
}

/// Each hypothesis is named with its value.
#[test]
fn hypotheses_are_named() {
    for (text, told) in [
        (
            "gaussian(sigma=1)^100",
            "one (epsilon, delta) mechanism, but gaussian(sigma=1)^100 contains another mechanism",
        ),
        (
            "randomized-response(epsilon=1) * randomized-response(epsilon=2)",
            "equal epsilon, but randomized-response(epsilon=1) * randomized-response(epsilon=2) has 1 and 2",
        ),
        ("gdp(mu=0)^10", "mu = epsilon sqrt(n) > 0, but mu = 0: the composition reveals nothing"),
        ("randomized-response(epsilon=1)", "n > 1 runs for the constant c that dpcert proves, but n = 1"),
        ("randomized-response(epsilon=1)^2", "c/n < 1/2 for the constant c that dpcert proves, but c/n >= "),
        ("randomized-response(epsilon=20)^10", "c/n < 1/2 for the constant c that dpcert proves, but c/n >= "),
        // No term but one is told there.
        ("randomized-response(epsilon=1000000000)^3", "c/n < 1/2 for the constant c that dpcert proves, but c/n >= "),
    ] {
        match of(text) {
            Err(Error::Undefined(reason)) => assert!(reason.contains(told), "{reason}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}
