//! Large steps against other engines, closed forms, and plans that are spoilt on purpose.

use proptest::prelude::*;

use super::*;
use crate::alarm::declined;
use crate::compose::choose::{Rough, Shared, rough};
use crate::compose::quadrature::factor::poisson_gaussian::split::{Split, some_of};
use crate::compose::reference::printed;
use crate::compose::{Method, curve};
use crate::mechanism::Composition;
use enclosure::special::normal_tail;

fn large_steps(text: &str) -> LargeSteps {
    let composition: Composition = text.parse().expect("a composition");
    match LargeSteps::of(&Product::new(composition.pairs().expect("pairs")), 15) {
        Ok(curve) => curve,
        Err(_) => panic!("{text} is not for large steps"),
    }
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

fn sample(rate: &str, sigma: &str) -> PoissonGaussian {
    PoissonGaussian::new(real(rate), Real::one().div(&real(sigma)).expect("a quotient")).expect("a sample")
}

/// `E[w^r; Z + G/(s sqrt 2) > x]` by the binomial theorem for a whole r: the weight is the distribution function of
/// independent noise.
fn by_binomials(rate: f64, mu: f64, r: u32, cut: f64, steepness: f64) -> Enclosure {
    let bits = 200;
    let number = |x: f64| Enclosure::double(x, bits);
    let one = Enclosure::one(bits);
    let (p, mu, s) = (number(rate), number(mu), number(steepness));
    let q = &one - &p;
    let deviation = (&one + &s.square().shift(1).recip()).sqrt();
    let mut sum = Enclosure::zero(bits);
    for j in 0..=r {
        let shift = &mu * &number(f64::from(j));
        let binomial = enclosure::special::binomial_enclosure(u64::from(r), u64::from(j), bits).expect("a coefficient");
        let height = &(&shift.square() - &(&shift * &mu)).shift(-1);
        let tail = normal_tail(&(&(&number(cut) - &shift) / &deviation), bits, &Budget::default()).expect("a tail");
        let weight = &(&p.pow(u64::from(j)) * &q.pow(u64::from(r - j))) * &binomial;
        sum = &sum + &(&(&weight * &height.exp()) * &tail);
    }
    sum
}

/// The bound of what some large step adds is above that, and of the right size.
#[test]
fn what_some_step_adds_is_below_its_bound() {
    for (steps, small, large) in
        [(1u32, (1, 1), (1, 3)), (2, (9, 10), (1, 10)), (50, (99, 100), (1, 1000)), (7, (3, 1), (2, 1))]
    {
        let (small, large) = (Rational::from(small), Rational::from(large));
        let power = |x: Rational| -> Rational { rug::ops::Pow::pow(x, steps) };
        let truth = power(Rational::from(&small + &large)) - power(small.clone());
        let [small, large] = [small, large].map(|x| Enclosure::rational(&x, 64));
        let bound = some_of(u64::from(steps), &small, &large);
        assert!(*bound.upper() >= truth, "{steps}: {bound:?} {truth}");
        assert!(*bound.lower() <= truth * Rational::from(steps), "{steps}: {bound:?}");
    }
}

/// Transforms of small, large and huge steps at whole points, in both directions.
#[test]
fn transforms_at_whole_points_are_sums_of_tails() {
    let budget = Budget::default();
    for (rate, sigma, cut, steepness, huge) in
        [(0.25, 0.5, 1.5, 2.0, 5.0), (0.015_625, 2.0, 6.25, 0.5, 11.5), (0.5, 0.125, 3.5, 8.0, 12.0)]
    {
        let factor = sample(&format!("{rate}"), &format!("{sigma}"));
        for (backward, c) in [(false, 1i32), (false, 4), (false, -1), (true, -2), (true, -5)] {
            let r = if backward { -c } else { 1 + c };
            let split = Split::new(&factor, backward, cut, steepness).expect("a split");
            let truth = |cut: f64| by_binomials(rate, 1.0 / sigma, r as u32, cut, steepness);
            let [small, large, none] = split.moments(&Rational::from(c), 100, &budget).expect("moments");
            assert!(large.overlaps(&truth(cut)) && large.relative_bits() >= Some(90), "{rate} {c}: {large:?}");
            assert!((&small + &large).overlaps(&truth(-1e9)) && none.upper().to_f64() == 0.0, "{rate} {c}");
            let alone = split.small(&Rational::from(c), 100, &budget).expect("a moment");
            assert!(alone.overlaps(&small) && alone.relative_bits() >= Some(90), "{rate} {c}: {alone:?}");
            for (coarser, shorter) in SPOILT {
                let coarse = split.clone().spoilt(coarser, shorter);
                if let Ok(alone) = coarse.small(&Rational::from(c), 100, &budget) {
                    assert!(alone.overlaps(&small), "{rate} {c} {coarser} {shorter}: {alone:?}");
                }
                let Ok([less, more, _]) = coarse.moments(&Rational::from(c), 100, &budget) else { continue };
                assert!(more.overlaps(&truth(cut)) && less.overlaps(&small), "{rate} {c} {coarser}: {more:?} {less:?}");
            }
            let split = split.with_huge(huge).expect("a split");
            let [less, between, beyond] = split.moments(&Rational::from(c), 100, &budget).expect("moments");
            assert!(less.overlaps(&small) && (&between + &beyond).overlaps(&large), "{rate} {c}");
        }
    }
}

/// Small steps alone at large orders, where the range ends where the weight does: the same as over the whole range,
/// and more is left out the sooner it ends.
#[test]
fn small_steps_alone_are_those_of_all() {
    let budget = Budget::default();
    for (rate, sigma, cut, steepness) in
        [(0.000_976_562_5, 1.0, 4.5, 1.0), (0.25, 2.0, 2.5, 0.5), (0.015_625, 0.5, 3.0, 3.0)]
    {
        let factor = sample(&format!("{rate}"), &format!("{sigma}"));
        for (backward, c) in [(false, 40), (false, 200), (true, -60)] {
            let split = Split::new(&factor, backward, cut, steepness).expect("a split");
            let [small, ..] = split.moments(&Rational::from(c), 80, &budget).expect("moments");
            assert!(small.relative_bits() >= Some(50), "{rate} {c}: {small:?}");
            for shorter in [0.0, 40.0, 50.0, 60.0, 70.0] {
                let alone =
                    split.clone().spoilt(1.0, shorter).small(&Rational::from(c), 60, &budget).expect("a moment");
                assert!(alone.overlaps(&small), "{rate} {c} {shorter}: {alone:?} {small:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Small and large steps add up to all, at the nodes of a line as on the axis, and the bound that falls is one.
    #[test]
    fn both_together_are_the_step(rate in 1u32..99, sigma in 2u32..30, odds in -4i32..5, steepness in 1u32..40,
        c in prop::sample::select(vec![-30i32, -12, -5, 1, 4, 11, 30]), period in 3u64..40, backward: bool) {
        let budget = Budget::default();
        let factor = sample(&format!("{rate}/1000"), &format!("{sigma}/10"));
        let (mu, log_odds) = factor.in_doubles();
        let cut = mu / 2.0 + (f64::from(odds) - log_odds) / mu;
        let split = Split::new(&factor, backward, cut, f64::from(steepness) / 4.0).expect("a split");
        let tilt = Rational::from((c, 4));
        let line = quadrature::VerticalContour::new(tilt.clone(), Real::from(period));
        let last = 24;
        let values = split.along(&line, last, 60, &budget).expect("values");
        let inner: Arc<dyn Factor> = Arc::new(factor.clone());
        let whole: Arc<dyn Factor> = if backward { Arc::new(Reversed(inner)) } else { inner };
        let truth = whole.on(&line, 120, &budget).expect("a line").run(0, 25, &budget).expect("values");
        let [small, large, _] = split.moments(&tilt, 64, &budget).expect("moments");
        for (coarser, shorter) in SPOILT {
            let coarse = split.clone().spoilt(coarser, shorter);
            let Ok(coarse) = coarse.along(&line, last, 60, &budget) else { continue };
            for (coarse, fine) in coarse.iter().flatten().zip(values.iter().flatten()) {
                prop_assert!(coarse.re().overlaps(&fine.re()) && coarse.im().overlaps(&fine.im()), "{coarser}");
            }
        }
        for (k, ([a, b], truth)) in values.iter().zip(&truth).enumerate() {
            let sum = a + b;
            prop_assert!(sum.re().overlaps(&truth.re()) && sum.im().overlaps(&truth.im()), "{k}");
            // `2^-60` of each and a little.
            prop_assert!(a.radius() <= Float::with_val(64, small.upper() >> 56u32));
            prop_assert!(b.radius() <= Float::with_val(64, large.upper() >> 56u32));
        }
        for k in [1u64, 6, 18] {
            let u = line.ordinate(k, 64).lower().clone();
            let (height, _) = split.log_fall(tilt.to_f64(), u.to_f64());
            let bound = split.fall(&tilt, &u, height, &budget).expect("a bound");
            for [_, b] in values.iter().skip(k as usize) {
                let (re, im) = b.centre();
                let least = Float::with_val(64, re.hypot_ref(im)) - b.radius();
                prop_assert!(least <= Float::with_val(64, &bound * 1.000_001f64), "{k}: {least} {bound}");
            }
        }
    }
}

/// Inner rules whose steps are too long, or of which too much is left out.
const SPOILT: [(f64, f64); 5] = [(2.0, 0.0), (4.0, 0.0), (1.0, 20.0), (1.0, 35.0), (3.0, 20.0)];

/// Compositions and epsilons.
const QUESTIONS: [(&str, &str); 9] = [
    ("poisson(rate=1/2, gaussian(sigma=1/5))", "1"),
    ("poisson(rate=1/2, gaussian(sigma=1/5))^2", "1"),
    ("poisson(rate=1/100, gaussian(sigma=3/5))^3", "5/2"),
    ("poisson(rate=1/1000, gaussian(sigma=3/4))^40", "4"),
    ("poisson(rate=1/500, gaussian(sigma=1/3)) * laplace(scale=4)^3", "6"),
    ("poisson(rate=1/20, gaussian(sigma=2/5))^2 * gdp(mu=1/3)", "7/2"),
    ("poisson(rate=3/10000, gaussian(sigma=1/2))^5 * randomized-response(epsilon=1/3)^2", "3"),
    ("poisson(rate=1/300, gaussian(sigma=1/2)) * approx-dp(epsilon=1/10, delta=1/100)", "2"),
    ("poisson(rate=1/10000, gaussian(sigma=2))^2000", "2"),
];

/// Profiles against whatever engine is first.
#[test]
fn profiles_agree_with_other_engines() {
    let budget = Budget::default();
    let another = ("poisson(rate=3/10, gaussian(sigma=1/2))^6", "6");
    for (text, epsilon) in [QUESTIONS[0], QUESTIONS[3], QUESTIONS[5], QUESTIONS[7], another] {
        let (steps, epsilon) = (large_steps(text), real(epsilon));
        let composition: Composition = text.parse().expect("a composition");
        let other = curve(&composition, Method::Auto, &budget).expect("a curve");
        for direction in [Direction::Forward, Direction::Backward] {
            let here = declined(steps.delta(&epsilon, direction, 70, &budget)).expect("no alarm");
            let Some(here) = here else {
                assert_eq!(direction, Direction::Backward, "{text}");
                continue;
            };
            let there = other.delta(&epsilon, direction, 60, &budget).expect("a number").enclosure(80);
            assert!(here.enclosure(80).overlaps(&there), "{text} {direction:?}: {here:?} {there:?}");
        }
    }
}

/// Plans that are spoilt prove less, and nothing wrong: too few nodes, too short a period, too few terms, a cut that is
/// not steep.
#[test]
fn spoilt_plans_enclose_the_same() {
    let budget = Budget::default();
    for (text, epsilon) in [
        ("poisson(rate=1/1000, gaussian(sigma=3/4))^40", "4"),
        ("poisson(rate=3/10, gaussian(sigma=1/2))^6", "6"),
        ("poisson(rate=1/500, gaussian(sigma=1/3))^3 * laplace(scale=4)^3", "6"),
        ("poisson(rate=1/1000, gaussian(sigma=1/8))^20", "40"),
    ] {
        let (steps, epsilon) = (large_steps(text), real(epsilon));
        let plan = steps.plan(epsilon.to_f64(), false, 60, &budget).expect("a plan");
        let truth = steps.finite(&epsilon, false, 90, &budget).expect("a profile");
        let value = |plan: &Plan| -> Result<Enclosure, Error> {
            let law = Law { split: plan.split.clone(), steps: steps.steps, rest: &steps.sides[0] };
            let none_large = NoLargeStep::new(&law, plan, &budget)?;
            let huge = match law.split.has_huge() {
                true => Some((short(plan.huge)?, law.some_huge(&short(plan.huge)?, &budget)?)),
                false => None,
            };
            let line = Line::new(&law, plan, &budget)?;
            Ok(Prepared { epsilon: 0.0, bits: 0, none_large, huge, line }.value(&epsilon))
        };
        let mut spoilt = vec![plan.clone()];
        for part in [2, 3, 5, 8, 16] {
            spoilt.push(Plan { last: plan.last / part, ..plan.clone() });
            spoilt.push(Plan { period: plan.period / part as f64, last: plan.last / part, ..plan.clone() });
        }
        for terms in 1..plan.terms {
            spoilt.push(Plan { terms, ..plan.clone() });
        }
        let at = plan.split.cut();
        for steepness in [0.5, 1.0, 2.0, 3.0, 4.0] {
            let factor = &steps.factor;
            let split = Split::new(factor, false, at, steepness).expect("a split");
            spoilt.push(Plan { split, none_large: NoneLarge::Negligible(1.5), ..plan.clone() });
        }
        let split = plan.split.with_huge(at + 3.0).expect("a split");
        spoilt.push(Plan { split, huge: 0.5, ..plan.clone() });
        let mut answered = 0;
        for plan in &spoilt {
            let Some(set) = declined(value(plan)).expect("no alarm") else { continue };
            answered += 1;
            assert!(set.overlaps(&truth), "{text}: {plan:?}\n{set:?}\n{truth:?}");
        }
        assert!(answered > 12, "{text}: {answered} of {}", spoilt.len());
    }
}

/// The epsilons of both ends of a profile's value are on either side of where it was taken.
#[test]
fn epsilons_are_inverse_to_profiles() {
    let budget = Budget::default();
    for (text, epsilon) in [QUESTIONS[1], QUESTIONS[3], QUESTIONS[6]] {
        let (steps, epsilon) = (large_steps(text), real(epsilon));
        let delta = steps.delta(&epsilon, Direction::Forward, 100, &budget).expect("a profile").enclosure(100);
        let [above, below] = [delta.lower(), delta.upper()].map(|end| {
            let at = Real::from(end.to_rational().expect("a number"));
            let Value::Finite(found) = steps.epsilon(&at, Direction::Forward, 100, &budget).expect("an epsilon") else {
                panic!("{text}: infinite")
            };
            found.enclosure(100)
        });
        let truth = epsilon.enclosure(100);
        assert!(above.relative_bits() >= Some(45) && below.relative_bits() >= Some(45), "{text}: {above:?} {below:?}");
        assert!(below.lower() <= truth.upper() && truth.lower() <= above.upper(), "{text}: {above:?} {below:?}");
    }
}

/// Far out the sum is large because of one step: the exponent is that of the step, not that of Chernoff's bound.
#[test]
fn one_step_is_the_way_far_out() {
    let steps = large_steps("poisson(rate=0.00014, gaussian(sigma=3.3))^20000");
    let budget = Budget::default();
    let epsilon = real("1/2");
    let delta = steps.delta(&epsilon, Direction::Forward, 70, &budget).expect("a profile").enclosure(70);
    assert!(delta.relative_bits() >= Some(48), "{delta:?}");
    // Another cut, another line.
    let other = steps.prepared(0.499, false, 64, &budget).expect("a line").value(&epsilon);
    assert!(other.overlaps(&delta) && other.relative_bits() >= Some(12), "{other:?} {delta:?}");
    // One large step integrated over, and the cumulants of all others up to the sixth, in decimals of 60 digits.
    assert!(printed("2.62638818e-170").overlaps(&delta), "{delta:?}");
}

/// A bound that costs nothing says of no profile that it is less than it is, and tells what is far below.
#[test]
fn chernoffs_bound_is_above_the_profile() {
    let budget = Budget::default();
    let mut told = 0;
    for (text, epsilon) in [QUESTIONS[0], QUESTIONS[3], QUESTIONS[5], QUESTIONS[6], QUESTIONS[7]] {
        let (steps, at) = (large_steps(text), real(epsilon));
        let truth = steps.delta(&at, Direction::Forward, 60, &budget).expect("a profile").enclosure(80);
        let at_most =
            |direction, level: &Enclosure| steps.is_at_most(&at, direction, level, &budget).expect("no alarm");
        let less = &truth * &Enclosure::rational(&Rational::from((99, 100)), 80);
        assert!(!at_most(Direction::Forward, &less) && !at_most(Direction::Forward, &truth.shift(-9)), "{text}");
        told += u32::from(at_most(Direction::Backward, &truth));
    }
    assert!(told >= 4, "{told}");
}

/// It is asked first where a contour would cancel nearly all of its sum, and nowhere else.
#[test]
fn it_is_apt_far_below_chernoffs_bound() {
    let apt = |text: &str, epsilon: &str| large_steps(text).is_apt(&real(epsilon), &Budget::default());
    assert!(apt("poisson(rate=0.00014, gaussian(sigma=3.3))^20000", "1/2"));
    for (text, epsilon) in [
        ("poisson(rate=1/100, gaussian(sigma=1))^1000", "1"),
        ("poisson(rate=1/100, gaussian(sigma=1))^1000", "30"),
        ("poisson(rate=1/10, gaussian(sigma=4))^100", "5"),
    ] {
        assert!(!apt(text, epsilon), "{text} at {epsilon}");
    }
}

/// The size of a profile that is guessed before anything is planned is about right.
#[test]
fn what_is_guessed_of_a_profile_is_near() {
    for (text, epsilon) in [
        ("poisson(rate=0.00014, gaussian(sigma=3.3))^20000", "1/2"),
        ("poisson(rate=1/1000, gaussian(sigma=3/4))^40", "12"),
        ("poisson(rate=1e-6, gaussian(sigma=2))^1000000", "1/10"),
    ] {
        let (steps, at) = (large_steps(text), real(epsilon));
        let truth = steps.delta(&at, Direction::Forward, 40, &Budget::default()).expect("a profile").enclosure(80);
        let guess = steps.searching(false, &Budget::default(), |search| search.log_value(at.to_f64()));
        // In bits: a line has so many to spare.
        let off = (guess - truth.ln().upper().to_f64()).abs() / std::f64::consts::LN_2;
        assert!(off < f64::from(AROUND), "{text} at {epsilon}: {off} bits");
    }
}

/// A search whose time is up ends with nothing, which is not kept.
#[test]
fn a_search_ends_with_its_time() {
    let (over, at) = (Budget::new(1 << 20, Some(std::time::Duration::ZERO)), real("1/2"));
    let steps = large_steps("poisson(rate=0.00014, gaussian(sigma=3.3))^20000");
    assert!(matches!(steps.plan(0.5, false, 60, &over), Err(Error::Undecided(_))));
    let value = |budget: &Budget| steps.searching(false, budget, |search| steps.log_value(0.5, false, search));
    assert_eq!(value(&over), f64::INFINITY);
    assert!(!steps.is_apt(&at, &over) && value(&Budget::default()).is_finite());
    assert!(steps.is_apt(&at, &Budget::default()));
}

/// With next to no noise the losses of one step are in the tens: lines have small tilts, and the least steep cuts have
/// none.
#[test]
fn almost_no_noise_has_a_plan() {
    let budget = Budget::default();
    for (text, epsilon) in [
        ("poisson(rate=1/100, gaussian(sigma=1/10))^100", "20"),
        ("poisson(rate=1/100, gaussian(sigma=1/8))^100", "100"),
        ("poisson(rate=1/1000, gaussian(sigma=1/10))^100", "100"),
    ] {
        let (steps, epsilon) = (large_steps(text), real(epsilon));
        let value = |curve: &dyn Curve, bits: u32| {
            curve.delta(&epsilon, Direction::Forward, bits, &budget).expect("a number").enclosure(80)
        };
        let composition: Composition = text.parse().expect("a composition");
        let product = Product::new(composition.pairs().expect("pairs"));
        let grid = rough(&product, Rough::Grid(1 << 13), &Shared::default(), &budget).expect("no alarm");
        let grid = grid.expect("a grid");
        let here = value(&steps, 50);
        assert!(here.relative_bits() > Some(20), "{text}: {here:?}");
        for there in [value(&steps.moved(), 50), value(grid.as_ref(), 10)] {
            assert!(here.overlaps(&there), "{text}: {here:?} {there:?}");
        }
    }
}
