//! Asking the plain f64 implementations of `crate::float` the questions of the vectors, and judging what they say.
//!
//! A question is asked of an implementation only if every parameter and the point are doubles exactly: then any
//! difference is the implementation's, not the rounding of its input.
//!
//! **The judgement.** A careful form promises `|c - v| <= relative |v| + absolute` for the exact value `v >= 0`. With
//! `v` in `[lower, upper]` the promise is certainly broken if `c` lies outside
//! `[lower (1 - relative) - absolute, upper (1 + relative) + absolute]`; comparisons are of exact rationals. An inverse
//! promises this for a delta moved by `perturbation min(delta, 1-delta)`; epsilon falls as delta grows, so `lower` is
//! then taken at the larger delta and `upper` at the smaller one. A textbook form promises nothing: it is *caught*
//! where it errs by more than [`CAUGHT`], or returns something that is no number.

use rug::Rational;

use crate::answer::{Outcome, answer};
use crate::error::Error;
use crate::float::bound::ErrorBound;
use crate::float::registry::{Family, Form, Function, Implementation, Quantity as Computed};
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query};
use enclosure::decimal::rational_bounds;
use enclosure::{Budget, Real};

/// A relative error that no accountant should make.
pub const CAUGHT: f64 = 1e-6;

/// What an implementation said, and what is to be thought of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The computed value.
    pub computed: f64,
    /// An upper bound on the relative error; infinite where there is none.
    pub relative_error: f64,
    /// Is a promised bound certainly broken, or a form that promises nothing caught?
    pub fault: bool,
}

/// Ask one implementation one query; `None` if the query is not one it answers, or not at doubles.
pub fn ask(implementation: &Implementation, query: &Query) -> Option<f64> {
    if !same_quantity(implementation.quantity, &query.quantity) {
        return None;
    }
    let parameters = parameters(implementation.family, &query.mechanism)?;
    let point = match &query.quantity {
        Quantity::Delta { epsilon } => Some(double(epsilon)?),
        Quantity::Epsilon { delta } => Some(double(delta)?),
        Quantity::Beta { alpha } => Some(double(alpha)?),
        Quantity::Renyi { order } => Some(double(order)?),
        _ => None,
    };
    match (implementation.function, parameters, point) {
        (Function::Constant(f), Parameters::One(a), None) => Some(f(a)),
        (Function::Curve(f), Parameters::One(a), Some(x)) => Some(f(a, x)),
        // A function of two parameters and no point: total variation at (epsilon, delta).
        (Function::Curve(f), Parameters::One(a), None) => Some(f(a, 0.0)),
        (Function::Curve(f), Parameters::Approximate(a, b, 1), None) => Some(f(a, b)),
        (Function::Composition(f), Parameters::Approximate(a, b, k), Some(x)) => Some(f(a, b, k, x)),
        (Function::Power(f), Parameters::Power(a, n), Some(x)) => Some(f(a, n, x)),
        _ => None,
    }
}

/// Judge what an implementation said by the truth about the query.
///
/// `truth` must answer `query`; inverses that are allowed a perturbation are answered again at the perturbed points.
pub fn judge(
    implementation: &Implementation,
    query: &Query,
    truth: &Outcome,
    computed: f64,
    budget: &Budget,
) -> Result<Judgement, Error> {
    let Some((lower, upper)) = ends(truth) else {
        let right = matches!(truth, Outcome::Infinite) && computed == f64::INFINITY;
        let error = if right { 0.0 } else { f64::INFINITY };
        return Ok(Judgement { computed, relative_error: error, fault: !right });
    };
    let relative_error = relative_error(computed, &lower, &upper);
    let fault = match implementation.bound {
        None => relative_error.is_nan() || relative_error > CAUGHT,
        Some(bound) => breaks(&bound, query, (lower, upper), computed, budget)?,
    };
    Ok(Judgement { computed, relative_error, fault })
}

fn breaks(
    bound: &ErrorBound,
    query: &Query,
    (mut lower, mut upper): (Rational, Rational),
    computed: f64,
    budget: &Budget,
) -> Result<bool, Error> {
    let Some(computed) = Rational::from_f64(computed) else { return Ok(true) };
    if let (Quantity::Epsilon { delta }, true) = (&query.quantity, bound.perturbation > 0.0)
        && let Some(delta) = delta.as_rational()
    {
        let complement = Rational::from(1 - delta);
        let move_by = delta.clone().min(complement) * rational(bound.perturbation);
        let at = |delta: Rational| -> Result<Option<(Rational, Rational)>, Error> {
            let moved = Query { quantity: Quantity::Epsilon { delta: Real::from(delta) }, ..query.clone() };
            Ok(ends(&answer(&moved, budget)?.outcome))
        };
        if let Some((low, _)) = at(Rational::from(delta + &move_by))? {
            lower = low;
        }
        if let Some((_, high)) = at(Rational::from(delta - &move_by))? {
            upper = high;
        }
    }
    let (relative, absolute) = (rational(bound.relative), rational(bound.absolute));
    let least = lower * (Rational::from(1) - &relative) - &absolute;
    let most = upper * (Rational::from(1) + &relative) + &absolute;
    Ok(computed < least || computed > most)
}

/// A finite double is a rational; the bounds are finite by construction.
fn rational(value: f64) -> Rational {
    Rational::from_f64(value).unwrap_or_default()
}

fn ends(truth: &Outcome) -> Option<(Rational, Rational)> {
    match truth {
        Outcome::Exact(value) => Some((value.value().clone(), value.value().clone())),
        Outcome::Enclosure(set) => rational_bounds(set.set()),
        Outcome::Infinite | Outcome::Undefined(_) | Outcome::Short { .. } | Outcome::Undecided(_) => None,
    }
}

/// `|c - v| / v` at the worse end, rounded up.
fn relative_error(computed: f64, lower: &Rational, upper: &Rational) -> f64 {
    let Some(computed) = Rational::from_f64(computed) else { return f64::INFINITY };
    let at = |value: &Rational| -> f64 {
        let difference = Rational::from(&computed - value).abs();
        if difference.is_zero() {
            return 0.0;
        }
        if value.is_zero() {
            return f64::INFINITY;
        }
        let quotient = difference / value.clone().abs();
        rug::Float::with_val_round(64, &quotient, rug::float::Round::Up).0.to_f64_round(rug::float::Round::Up)
    };
    at(lower).max(at(upper))
}

/// A constant that is a double exactly.
fn double(value: &Real) -> Option<f64> {
    let value = value.as_rational()?;
    let nearest = value.to_f64();
    (Rational::from_f64(nearest)? == *value).then_some(nearest)
}

enum Parameters {
    /// mu, the shift of Laplace, or the epsilon of randomised response.
    One(f64),
    /// epsilon0, delta0, k.
    Approximate(f64, f64, u64),
    /// sigma^2, n.
    Power(f64, u64),
}

fn parameters(family: Family, composition: &Composition) -> Option<Parameters> {
    let (mechanism, times) = composition.single()?;
    match (family, mechanism) {
        (Family::Gaussian, Mechanism::Gdp(m)) if times == 1 => Some(Parameters::One(double(m.mu())?)),
        (Family::Gaussian, Mechanism::Gaussian(m)) if times == 1 => {
            Some(Parameters::One(double(&m.sensitivity().div(m.sigma()).ok()?)?))
        }
        (Family::ApproximateDp, Mechanism::ApproxDp(m)) => {
            Some(Parameters::Approximate(double(m.epsilon())?, double(m.delta())?, times))
        }
        (Family::RandomizedResponse, Mechanism::RandomizedResponse(m)) if times == 1 => {
            Some(Parameters::One(double(m.epsilon())?))
        }
        (Family::RandomizedResponse, Mechanism::ApproxDp(m)) if times == 1 => {
            Some(Parameters::Approximate(double(m.epsilon())?, double(m.delta())?, 1))
        }
        (Family::Laplace, Mechanism::Laplace(m)) if times == 1 => {
            Some(Parameters::One(double(&m.sensitivity().div(m.scale()).ok()?)?))
        }
        (Family::DiscreteGaussian, Mechanism::DiscreteGaussian(m)) if m.sensitivity() == 1 => {
            Some(Parameters::Power(double(&Real::from(m.sigma2().clone()))?, times))
        }
        _ => None,
    }
}

fn same_quantity(computed: Computed, asked: &Quantity) -> bool {
    matches!(
        (computed, asked),
        (Computed::Delta, Quantity::Delta { .. })
            | (Computed::Epsilon, Quantity::Epsilon { .. })
            | (Computed::Beta, Quantity::Beta { .. })
            | (Computed::Renyi, Quantity::Renyi { .. })
            | (Computed::KullbackLeibler, Quantity::Kl)
            | (Computed::TotalVariation, Quantity::Tv)
            | (Computed::ChiSquared, Quantity::Chi2)
    )
}

/// Whether it is a form with an error bound.
pub fn is_careful(implementation: &Implementation) -> bool {
    implementation.form == Form::Careful
}
