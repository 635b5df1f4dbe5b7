//! Conversions: the best (epsilon, delta) that a bound on Renyi divergences implies, enclosed from both sides.
//!
//! All that is known of the mechanism is the bound, so the truth is a supremum over all mechanisms that keep it.
//!
//! * **From above** by the standard conversion (Canonne, Kamath and Steinke 2020, Proposition 12; also Asoodeh et al.
//!   2020, Lemma 1): if the Renyi divergence of order `a > 1` is at most `r`, then for every epsilon
//!   `delta <= e^{(a-1)(r-epsilon)} / (a-1) (1 - 1/a)^a`. Solved for epsilon this is
//!   `epsilon = r + ln(1-1/a) - ln(a delta)/(a-1)`. For zCDP, where `r = rho a` at every order, the best order is
//!   taken: any order gives a bound that holds, so that order may be found in floating point.
//! * **From below** by a mechanism that keeps the bound: for zCDP the Gaussian with `mu^2 = 2 rho`, whose Renyi
//!   divergence of order `a` is `rho a` exactly; for a single order two points `P = (p, 1-p)`,
//!   `Q = (p e^-l, 1 - p e^-l)`, whose Renyi divergences of this order are certified to be at most the bound in both
//!   directions. Which `p` and `l` is searched in floating point.
//!
//! A claim above the upper number holds for every mechanism with the bound; a claim below the lower one is refuted by
//! one. Between them a claim stays undecided, however many digits are spent.

use std::cmp::Ordering;

use dpcert_vectors::{Direction, Truth};
use rug::{Float, Rational};

use super::{Known, ask, coordinate};
use crate::answer::Outcome;
use crate::audit::question::{Asked, Question};
use crate::error::Error;
use crate::mechanism::{Composition, Gdp, Mechanism};
use crate::number::Fraction;
use crate::query::Quantity;
use crate::theorem::zcdp::Zcdp;
use crate::vector::convert;
use crate::vector::sessions::Sessions;
use enclosure::{Budget, Enclosure, Number, Portable, Real};

/// The working precision; conversions need no more than their doubles.
const BITS: u32 = 256;

/// The digits of the Gaussian's answer.
const DIGITS: u32 = 25;

/// The target quantity.
#[derive(Clone, Debug)]
pub enum Goal {
    /// Delta at this epsilon.
    Delta(Real),
    /// Epsilon at this delta.
    Epsilon(Real),
}

impl Goal {
    /// What a question asks for.
    pub fn of(question: &Question) -> Result<Self, Error> {
        match question.asked {
            Asked::Delta => Ok(Goal::Delta(coordinate(question, "epsilon")?)),
            Asked::Epsilon => Ok(Goal::Epsilon(coordinate(question, "delta")?)),
            Asked::Beta | Asked::Renyi | Asked::Noise => {
                Err(Error::Undefined("a bound on Renyi divergences converts only to epsilon or delta".into()))
            }
        }
    }
}

/// What `rho`-zCDP implies.
pub fn zcdp(rho: &Real, goal: &Goal, budget: &Budget) -> Result<Known, Error> {
    let gaussian = Mechanism::from(Gdp::new(rho.mul_rational(&Rational::from(2)).sqrt()?)?);
    let gaussian = Composition::from(gaussian);
    let exact = rho.as_rational().cloned().unwrap_or_default();
    let (quantity, above) = match goal.clone() {
        Goal::Epsilon(delta) => {
            let above = Zcdp::new(exact)?.canonne_kamath_steinke(&delta, BITS, budget)?;
            (Quantity::Epsilon { delta }, above)
        }
        Goal::Delta(epsilon) => {
            let above = zcdp_delta(rho, &epsilon);
            (Quantity::Delta { epsilon }, above)
        }
    };
    // One Gaussian alone has nothing to keep for the next question.
    let open = Sessions::default();
    between(ask(&open, gaussian, quantity, Direction::Worst, DIGITS, budget)?, &above)
}

/// The standard conversion to delta at its best order.
fn zcdp_delta(rho: &Real, epsilon: &Real) -> Number {
    if rho.is_zero() {
        // Order a gives e^{-(a-1) epsilon}/(a-1) (1-1/a)^a, which vanishes as a grows, for epsilon >= 0.
        return Number::zero();
    }
    // The logarithm of the bound is convex in t = a - 1, with the derivative below, which increases.
    let (r, e) = (rho.to_f64(), epsilon.to_f64());
    let (mut low, mut high) = (-700.0_f64, 700.0_f64);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        let t = middle.portable_exp();
        if (2.0 * t + 1.0) * r - e - (1.0 / t).portable_ln_1p() < 0.0 { low = middle } else { high = middle }
    }
    let t = Enclosure::double(low.portable_exp(), BITS);
    let bound = rho.enclosure(BITS) * (&t + &Enclosure::one(BITS));
    standard_delta(&t, &bound, epsilon)
}

/// `e^{t (r - epsilon)} / t (1 - 1/a)^a` with `t = a - 1`, or 1 if that is less.
fn standard_delta(t: &Enclosure, bound: &Enclosure, epsilon: &Real) -> Number {
    let one = Enclosure::one(BITS);
    let order = t + &one;
    // ln(1 - 1/a) = -ln(1 + 1/t).
    let share = -(&one / t).log1p();
    let log = t * &(bound - &epsilon.enclosure(BITS)) - t.ln() + &order * &share;
    Number::Enclosed(log.exp().min(&one))
}

/// What a bound on the Renyi divergence of one order implies.
pub fn rdp(order: &Real, bound: &Real, goal: &Goal, budget: &Budget) -> Result<Known, Error> {
    budget.check()?;
    if order.compare(&Real::one()) != Some(Ordering::Greater) || bound.sign() == Some(Ordering::Less) {
        return Err(Error::Undefined("a Renyi bound needs an order above 1 and a nonnegative bound".into()));
    }
    let zero = || Truth::Within { lower: num_rational::BigRational::default(), upper: Default::default() };
    if bound.is_zero() {
        // Divergence zero: both distributions are the same.
        return Ok(Known { truth: zero(), refinable: false });
    }
    let t = order.sub(&Real::one());
    let r = bound.enclosure(BITS);
    let above = match goal {
        Goal::Delta(epsilon) => standard_delta(&t.enclosure(BITS), &r, epsilon),
        Goal::Epsilon(delta) if delta.sign() != Some(Ordering::Greater) => {
            // Losses of any size have some probability: the two points with a small p keep the bound.
            return Ok(Known { truth: Truth::Infinite, refinable: false });
        }
        Goal::Epsilon(delta) => {
            let t = t.enclosure(BITS);
            let log = (order.enclosure(BITS) * delta.enclosure(BITS)).ln();
            let epsilon = r - (&Enclosure::one(BITS) / &t).log1p() - &log / &t;
            Number::Enclosed(epsilon.max(&Enclosure::zero(BITS)))
        }
    };
    let points = Points { order: order.to_f64(), bound: bound.to_f64() };
    let (p, l) = points.best(goal);
    let below = points.certified(p, l, order, bound, goal);
    let below = match below {
        Some(value) => Number::Enclosed(value.max(&Enclosure::zero(BITS))),
        None => Number::zero(),
    };
    between(Truth::Within { lower: lower_end(&below)?, upper: lower_end(&below)? }, &above)
}

/// Two points that keep a bound of one order.
struct Points {
    order: f64,
    bound: f64,
}

impl Points {
    /// The largest `p` with which a first loss of `l` keeps the bound, about.
    fn p(&self, l: f64) -> f64 {
        let t = self.order - 1.0;
        let keeps = |p: f64| {
            let q = p * (-l).portable_exp();
            if p >= 1.0 {
                return false;
            }
            let rest = self.order * (-p).portable_ln_1p() - t * (-q).portable_ln_1p();
            if t * self.bound > 30.0 {
                // The rest is at most 1, beside e^30.
                return p.portable_ln() + t * l <= t * self.bound;
            }
            p * (t * l).portable_exp() + rest.portable_exp_m1() <= (t * self.bound).portable_exp_m1()
        };
        let (mut low, mut high) = (-745.0_f64, 0.0_f64);
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if keeps(middle.portable_exp()) { low = middle } else { high = middle }
        }
        // A little less, so that what was rounded does not break the bound.
        low.portable_exp() * (1.0 - 1e-9)
    }

    /// What two points attain, about.
    fn value(&self, l: f64, goal: &Goal) -> f64 {
        let p = self.p(l);
        match goal {
            Goal::Delta(epsilon) => p * -(epsilon.to_f64() - l).portable_exp_m1(),
            Goal::Epsilon(delta) => {
                let left = 1.0 - delta.to_f64() / p;
                if left > 0.0 { l + left.portable_ln() } else { f64::NEG_INFINITY }
            }
        }
    }

    /// The best `p` and `l`, about: a grid of losses, then finer ones about the best of the last.
    fn best(&self, goal: &Goal) -> (f64, f64) {
        let start = match goal {
            Goal::Delta(epsilon) => epsilon.to_f64().max(0.0),
            Goal::Epsilon(_) => 0.0,
        };
        // Excess over the start, in the logarithm.
        let (mut from, mut to) = (-40.0_f64, 8.0_f64);
        let mut best = start + 1.0;
        for _ in 0..6 {
            let step = (to - from) / 60.0;
            let excess = |index: u32| from + step * f64::from(index);
            let found = (0..=60_u32)
                .map(|index| (self.value(start + excess(index).portable_exp(), goal), index))
                .max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, index)) = found else { break };
            best = start + excess(index).portable_exp();
            (from, to) = (excess(index) - step, excess(index) + step);
        }
        (self.p(best), best)
    }

    /// What these two points attain, if they certainly keep the bound in both directions.
    fn certified(&self, p: f64, l: f64, order: &Real, bound: &Real, goal: &Goal) -> Option<Enclosure> {
        if !(p > 0.0 && p < 1.0 && l > 0.0 && l.is_finite()) {
            return None;
        }
        let one = Enclosure::one(BITS);
        let (p, l) = (Enclosure::double(p, BITS), Enclosure::double(l, BITS));
        let q = &p * &(-&l).exp();
        let (a, t) = (order.enclosure(BITS), order.sub(&Real::one()).enclosure(BITS));
        let (rest_p, rest_q) = ((&one - &p).ln(), (&one - &q).ln());
        let most = (&t * &bound.enclosure(BITS)).exp();
        // sum of P^a Q^{1-a}, and of Q^a P^{1-a}.
        let forward = &p * &(&t * &l).exp() + (&a * &rest_p - &t * &rest_q).exp();
        let backward = &p * &(-(&a * &l)).exp() + (&a * &rest_q - &t * &rest_p).exp();
        if forward.upper() > most.lower() || backward.upper() > most.lower() {
            return None;
        }
        match goal {
            Goal::Delta(epsilon) => Some(&p - &(&q * &epsilon.enclosure(BITS).exp())),
            Goal::Epsilon(delta) => {
                let left = &p - &delta.enclosure(BITS);
                (left.sign() == Some(Ordering::Greater)).then(|| (&left / &q).ln())
            }
        }
    }
}

/// All that is known: not below the one, not above the other.
fn between(below: Truth, above: &Number) -> Result<Known, Error> {
    let truth = match below {
        Truth::Infinite => Truth::Infinite,
        Truth::Within { lower, .. } => Truth::Within { upper: upper_end(above)?.max(lower.clone()), lower },
    };
    Ok(Known { truth, refinable: false })
}

fn lower_end(number: &Number) -> Result<num_rational::BigRational, Error> {
    end(number, Enclosure::lower)
}

fn upper_end(number: &Number) -> Result<num_rational::BigRational, Error> {
    end(number, Enclosure::upper)
}

fn end(number: &Number, side: impl Fn(&Enclosure) -> &Float) -> Result<num_rational::BigRational, Error> {
    let value = match number {
        Number::Exact(value) => value.clone(),
        Number::Enclosed(set) => {
            side(set).to_rational().ok_or_else(|| Error::undecided("the conversion is unbounded".to_string()))?
        }
    };
    match convert::truth(&Outcome::Exact(Fraction::new(value))) {
        Some(Truth::Within { lower, .. }) => Ok(lower),
        _ => Err(Error::undecided("the conversion gives no finite value".to_string())),
    }
}

#[cfg(test)]
mod tests {
    use dpcert_vectors::{Claim, Double, Side, Verdict, judge};

    use super::*;
    use crate::audit::question::{At, Step};

    fn question(step: Step, at: At) -> Question {
        let asked = if at.epsilon.is_some() { Asked::Delta } else { Asked::Epsilon };
        Question::new("q", asked, vec![step], at)
    }

    fn known(step: Step, at: At) -> Known {
        let question = question(step, at);
        let budget = Budget::default();
        let goal = Goal::of(&question).expect("a goal");
        let number =
            |name: &str| Real::from(Rational::from_f64(question.steps[0].number(name).expect("it")).expect("finite"));
        match question.steps[0].mechanism.as_str() {
            "zcdp" => zcdp(&number("rho"), &goal, &budget).expect("an enclosure"),
            _ => rdp(&number("order"), &number("epsilon"), &goal, &budget).expect("an enclosure"),
        }
    }

    fn ends(known: &Known) -> (f64, f64) {
        match &known.truth {
            Truth::Within { lower, upper } => {
                (dpcert_vectors::tightest_f64(lower).0, dpcert_vectors::tightest_f64(upper).1)
            }
            Truth::Infinite => (f64::INFINITY, f64::INFINITY),
        }
    }

    /// Bun and Steinke's conversion is above the best order's, and the Gaussian's epsilon below it.
    #[test]
    fn zcdp_lies_between_the_gaussian_and_the_best_order() {
        let known = known(Step::new("zcdp", &[("rho", 0.5)]), At { delta: Some(Double(1e-5)), ..At::default() });
        let (lower, upper) = ends(&known);
        assert!((4.377..4.378).contains(&lower), "{lower}");
        let simple = 0.5 + 2.0 * (0.5 * 1e5f64.portable_ln()).sqrt();
        assert!(lower < upper && upper < simple, "{lower} {upper} {simple}");
        assert_eq!(judge(Side::Upper, &Claim::from(simple), &known.truth), Verdict::Sound);
        assert_eq!(judge(Side::Upper, &Claim::from(4.3), &known.truth), Verdict::Unsound);
        assert_eq!(judge(Side::Upper, &Claim::from(4.5), &known.truth), Verdict::Undecided);
    }

    /// Delta at epsilon and epsilon at delta are two readings of one curve.
    #[test]
    fn the_two_conversions_agree() {
        for step in [Step::new("zcdp", &[("rho", 0.25)]), Step::new("rdp", &[("order", 8.0), ("epsilon", 1.0)])] {
            let at_delta = known(step.clone(), At { delta: Some(Double(1e-6)), ..At::default() });
            let (_, epsilon) = ends(&at_delta);
            let at_epsilon = known(step, At { epsilon: Some(Double(epsilon)), ..At::default() });
            let (_, delta) = ends(&at_epsilon);
            assert!((delta / 1e-6 - 1.0).abs() < 1e-9, "{delta}");
        }
    }

    /// Where the divergence is large the two points nearly attain the standard conversion.
    #[test]
    fn two_points_come_near_the_conversion() {
        for (order, bound, epsilon) in [(2.0, 5.0, 8.0), (8.0, 1.0, 2.0), (64.0, 0.5, 1.0), (1.5, 20.0, 30.0)] {
            let known = known(
                Step::new("rdp", &[("order", order), ("epsilon", bound)]),
                At { epsilon: Some(Double(epsilon)), ..At::default() },
            );
            let (lower, upper) = ends(&known);
            assert!(lower > 0.9 * upper, "{order} {bound} {epsilon}: {lower} {upper}");
        }
        let known = known(
            Step::new("rdp", &[("order", 2.0), ("epsilon", 0.01)]),
            At { delta: Some(Double(1e-6)), ..At::default() },
        );
        let (lower, upper) = ends(&known);
        assert!(0.0 < lower && lower < upper, "{lower} {upper}");
    }

    #[test]
    fn edges() {
        let zero = At { delta: Some(Double(0.0)), ..At::default() };
        assert_eq!(known(Step::new("rdp", &[("order", 2.0), ("epsilon", 1.0)]), zero).truth, Truth::Infinite);
        let some = At { delta: Some(Double(0.5)), ..At::default() };
        assert_eq!(ends(&known(Step::new("rdp", &[("order", 2.0), ("epsilon", 0.0)]), some.clone())), (0.0, 0.0));
        assert_eq!(ends(&known(Step::new("zcdp", &[("rho", 0.0)]), some)), (0.0, 0.0));
    }
}
