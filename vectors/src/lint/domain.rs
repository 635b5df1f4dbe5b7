//! Which parameters each mechanism takes, and their domains. A new mechanism is one more row of [`MECHANISMS`]; a test
//! of the program asks that this is what its own catalogue says.

use std::cmp::Ordering;

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::exact::Exact;
use crate::format::{Factor, Parameter};
use crate::number::{Rational, compare, quote};

/// The set that a number must be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Domain {
    /// Any number that exists.
    Real,
    NonNegative,
    Positive,
    /// `[0, 1]`
    Probability,
    /// 0, 1, 2, ...
    Count,
    /// 2, 3, 4, ...
    Several,
}

/// The shape of a parameter.
enum Shape {
    Number(Domain),
    /// Probabilities that sum to exactly 1.
    Distribution,
}

struct Spec {
    name: &'static str,
    shape: Shape,
    required: bool,
}

struct Mechanism {
    name: &'static str,
    /// In the order of the canonical expression.
    parameters: &'static [Spec],
    /// Whether it acts on another mechanism.
    has_inner: bool,
}

const fn number(name: &'static str, domain: Domain) -> Spec {
    Spec { name, shape: Shape::Number(domain), required: true }
}

const fn distribution(name: &'static str) -> Spec {
    Spec { name, shape: Shape::Distribution, required: true }
}

const SENSITIVITY: Spec = Spec { name: "sensitivity", shape: Shape::Number(Domain::NonNegative), required: false };

/// A sensitivity of noise on integers.
const STEPS: Spec = Spec { name: "sensitivity", shape: Shape::Number(Domain::Count), required: false };

const fn simple(name: &'static str, parameters: &'static [Spec]) -> Mechanism {
    Mechanism { name, parameters, has_inner: false }
}

const MECHANISMS: &[Mechanism] = &[
    simple("approx-dp", &[number("epsilon", Domain::NonNegative), number("delta", Domain::Probability)]),
    simple("randomized-response", &[number("epsilon", Domain::NonNegative)]),
    simple("k-randomized-response", &[number("epsilon", Domain::NonNegative), number("categories", Domain::Several)]),
    simple("gaussian", &[number("sigma", Domain::Positive), SENSITIVITY]),
    simple("gdp", &[number("mu", Domain::NonNegative)]),
    simple("laplace", &[number("scale", Domain::Positive), SENSITIVITY]),
    simple("geometric", &[number("epsilon", Domain::NonNegative), STEPS]),
    simple("staircase", &[number("epsilon", Domain::Positive), number("gamma", Domain::Probability), STEPS]),
    simple("discrete-gaussian", &[number("sigma2", Domain::Positive), STEPS]),
    simple("finite", &[distribution("p"), distribution("q")]),
    Mechanism { name: "poisson", parameters: &[number("rate", Domain::Probability)], has_inner: true },
];

/// The names of all mechanisms.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    MECHANISMS.iter().map(|mechanism| mechanism.name)
}

fn find(factor: &Factor) -> Option<&'static Mechanism> {
    MECHANISMS.iter().find(|mechanism| mechanism.name == factor.mechanism)
}

/// Whether the factor and those inside are in the table, so that [`expression`] knows the order of their parameters.
pub(crate) fn is_known(factor: &Factor) -> bool {
    find(factor).is_some() && factor.of.iter().all(is_known)
}

/// The canonical expression of a composition: `approx-dp(epsilon=1/10, delta=1/1000)^30 * gaussian(sigma=2)`.
///
/// Parameters come in the order in which the mechanism declares them, unknown ones last and by name.
pub fn expression(factors: &[Factor]) -> String {
    factors.iter().map(factor_expression).collect::<Vec<_>>().join(" * ")
}

fn factor_expression(factor: &Factor) -> String {
    let order: &[Spec] = find(factor).map_or(&[], |mechanism| mechanism.parameters);
    let known = order.iter().filter_map(|spec| factor.parameters.get_key_value(spec.name));
    let unknown = factor.parameters.iter().filter(|(name, _)| order.iter().all(|spec| spec.name != name.as_str()));
    let mut arguments: Vec<String> =
        known.chain(unknown).map(|(name, value)| format!("{name}={}", parameter_expression(value))).collect();
    if !factor.of.is_empty() {
        arguments.push(expression(&factor.of));
    }
    let power = if factor.times == 1 { String::new() } else { format!("^{}", factor.times) };
    format!("{}({}){power}", factor.mechanism, arguments.join(", "))
}

fn parameter_expression(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Number(value) => value.to_string(),
        Parameter::List(list) => {
            format!("[{}]", list.iter().map(Exact::to_string).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Reports what is wrong with a factor and with those inside it.
pub(crate) fn lint(report: &mut dyn FnMut(String), factor: &Factor) {
    let name = &factor.mechanism;
    if factor.times == 0 {
        report(format!("{name} is run 0 times"));
    }
    for inner in &factor.of {
        lint(report, inner);
    }
    let Some(mechanism) = find(factor) else {
        report(format!("unknown mechanism {}", quote(name)));
        return;
    };
    if mechanism.has_inner == factor.of.is_empty() {
        let what = if mechanism.has_inner { "needs a mechanism to act on" } else { "acts on no other mechanism" };
        report(format!("{name} {what}"));
    }
    for spec in mechanism.parameters {
        match factor.parameters.get(spec.name) {
            None if spec.required => report(format!("{name} lacks the parameter {}", spec.name)),
            None => {}
            Some(value) => {
                if let Some(problem) = spec.shape.problem(value) {
                    report(format!("{name} {}: {problem}", spec.name));
                }
            }
        }
    }
    for unknown in factor.parameters.keys().filter(|key| mechanism.parameters.iter().all(|spec| spec.name != **key)) {
        report(format!("{name} has no parameter {}", quote(unknown)));
    }
    if let (Some(Parameter::List(p)), Some(Parameter::List(q))) =
        (factor.parameters.get("p"), factor.parameters.get("q"))
        && p.len() != q.len()
    {
        report(format!("{name}: p has {} outcomes and q has {}", p.len(), q.len()));
    }
}

impl Shape {
    fn problem(&self, parameter: &Parameter) -> Option<String> {
        match (self, parameter) {
            (Self::Number(domain), Parameter::Number(value)) => domain.problem(value),
            (Self::Number(_), Parameter::List(_)) => Some("a list where a number should be".to_owned()),
            (Self::Distribution, Parameter::Number(_)) => Some("a number where a list should be".to_owned()),
            (Self::Distribution, Parameter::List(list)) => distribution_problem(list),
        }
    }
}

fn distribution_problem(list: &[Exact]) -> Option<String> {
    let mut sum = BigRational::zero();
    for value in list {
        match value.as_rational() {
            Some(value) if !value.is_negative() => sum += value,
            _ => return Some(format!("{value} is not a rational probability")),
        }
    }
    (!sum.is_one()).then(|| format!("the probabilities sum to {sum}, not to 1"))
}

impl Domain {
    /// Why the number is not in the domain.
    ///
    /// A probability or a count must be rational or a square root, because there the comparison with 1 is exact.
    /// Expressions are left to the program that evaluates them.
    pub(crate) fn problem(self, value: &Exact) -> Option<String> {
        if let Some(problem) = undefined(value) {
            return Some(problem);
        }
        let zero = BigRational::zero();
        let one = BigRational::one();
        // How the number compares with 0 and with 1.
        let (with_zero, with_one) = match value {
            Exact::Expr(_) => return None,
            Exact::Rational(Rational(x)) | Exact::Sqrt(Rational(x)) => (compare(x, &zero), Some(compare(x, &one))),
            Exact::Ln(Rational(x)) => (compare(x, &one), None),
        };
        let (holds, wanted) = match self {
            Self::Real => (true, "a number"),
            Self::NonNegative => (with_zero.is_ge(), ">= 0"),
            Self::Positive => (with_zero.is_gt(), "> 0"),
            Self::Probability => (with_zero.is_ge() && with_one.is_some_and(Ordering::is_le), "in [0, 1]"),
            Self::Count => (value.as_rational().is_some_and(|x| x.is_integer() && !x.is_negative()), "0, 1, 2, ..."),
            Self::Several => (value.as_rational().is_some_and(|x| x.is_integer() && *x > one), "2, 3, 4, ..."),
        };
        (!holds).then(|| format!("{value} is not {wanted}"))
    }
}

/// Why the number does not exist.
fn undefined(value: &Exact) -> Option<String> {
    match value {
        Exact::Ln(x) if !x.0.is_positive() => Some(format!("{value} does not exist")),
        Exact::Sqrt(x) if x.0.is_negative() => Some(format!("{value} does not exist")),
        Exact::Expr(text) if text.trim().is_empty() => Some("an empty expression".to_owned()),
        _ => None,
    }
}
