//! Whether the parameters of a mechanism are those that the catalogue gives it, each in its domain.

use std::cmp::Ordering;

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::catalogue::{Catalogue, Domain, Mechanism, Parameter as Spec};
use crate::exact::Exact;
use crate::format::{Factor, Parameter, Weight};
use crate::number::{Rational, compare, quote};

/// The names of all mechanisms.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    Catalogue::stored().mechanisms.iter().map(|mechanism| mechanism.name.as_str())
}

fn find(factor: &Factor) -> Option<&'static Mechanism> {
    Catalogue::stored().mechanism(&factor.mechanism)
}

/// Whether the factor and those inside are in the table, so that [`expression`] knows the order of their parameters.
pub(crate) fn is_known(factor: &Factor) -> bool {
    find(factor).is_some() && factor.of.iter().all(is_known)
}

/// Returns the canonical expression of a composition: `approx-dp(epsilon=1/10, delta=1/1000)^30 * gaussian(sigma=2)`.
///
/// Parameters come in the order in which the mechanism declares them, unknown ones last and by name.
pub fn expression(factors: &[Factor]) -> String {
    factors.iter().map(factor_expression).collect::<Vec<_>>().join(" * ")
}

fn factor_expression(factor: &Factor) -> String {
    let order: &[Spec] = find(factor).map_or(&[], |mechanism| &mechanism.parameters);
    let known = order.iter().filter_map(|spec| factor.parameters.get_key_value(&spec.name));
    let unknown = factor.parameters.iter().filter(|(name, _)| order.iter().all(|spec| spec.name != **name));
    let mut arguments: Vec<String> =
        known.chain(unknown).map(|(name, value)| format!("{name}={}", parameter_expression(value))).collect();
    if let Some(weights) = weights(factor) {
        let parts = weights.iter().zip(&factor.of);
        arguments = parts.map(|(weight, part)| format!("{weight}: {}", factor_expression(part))).collect();
    } else if !factor.of.is_empty() {
        arguments.push(expression(&factor.of));
    }
    let power = match factor.times {
        _ if factor.sought => "^?".to_owned(),
        1 => String::new(),
        times => format!("^{times}"),
    };
    format!("{}({}){power}", factor.mechanism, arguments.join(", "))
}

/// The weights of mechanisms inside, one for each, if it has them.
fn weights(factor: &Factor) -> Option<Vec<String>> {
    let weights: Vec<String> = match factor.parameters.get("weights") {
        Some(Parameter::List(weights)) => weights.iter().map(Exact::to_string).collect(),
        Some(Parameter::Weights(weights)) => weights.iter().map(Weight::to_string).collect(),
        _ => return None,
    };
    (weights.len() == factor.of.len()).then_some(weights)
}

fn parameter_expression(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Number(value) => value.to_string(),
        Parameter::List(list) => {
            format!("[{}]", list.iter().map(Exact::to_string).collect::<Vec<_>>().join(", "))
        }
        Parameter::Weights(list) => {
            format!("[{}]", list.iter().map(Weight::to_string).collect::<Vec<_>>().join(", "))
        }
        Parameter::Unknown => "?".to_owned(),
    }
}

/// Reports what is wrong with a factor and with those inside it.
pub(crate) fn lint(report: &mut dyn FnMut(String), factor: &Factor) {
    let name = &factor.mechanism;
    if factor.times == 0 {
        report(format!("{name} has times 0; times must be at least 1"));
    }
    if factor.sought && factor.times != 1 {
        report(format!("{name} has times {}, but times must be 1 where it is the unknown", factor.times));
    }
    for inner in &factor.of {
        lint(report, inner);
    }
    let Some(mechanism) = find(factor) else {
        report(format!("unknown mechanism {}", quote(name)));
        return;
    };
    if mechanism.acts_on_another == factor.of.is_empty() {
        let what = if mechanism.acts_on_another { "needs an inner mechanism" } else { "takes no inner mechanism" };
        report(format!("{name} {what}"));
    }
    for spec in &mechanism.parameters {
        match factor.parameters.get(&spec.name) {
            None if spec.default.is_none() => report(format!("{name} needs the parameter {}", spec.name)),
            None => {}
            Some(value) => {
                let problem = match value {
                    Parameter::Weights(list) if spec.name == "weights" => weights_problem(list),
                    value => shape_problem(spec.domain, value),
                };
                if let Some(problem) = problem {
                    report(format!("{name} {}: {problem}", spec.name));
                }
            }
        }
    }
    if factor.parameters.contains_key("weights") && weights(factor).is_none() {
        report(format!("{name}: each of the {} mechanisms needs a weight", factor.of.len()));
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

/// How many of the numbers are looked for.
pub(super) fn unknowns(factors: &[Factor]) -> usize {
    let here = |factor: &Factor| {
        let sought = |value: &Parameter| match value {
            Parameter::Unknown => 1,
            Parameter::Weights(list) => list.iter().filter(|weight| **weight == Weight::Unknown).count(),
            Parameter::Number(_) | Parameter::List(_) => 0,
        };
        factor.parameters.values().map(sought).sum::<usize>() + usize::from(factor.sought)
    };
    factors.iter().map(|factor| here(factor) + unknowns(&factor.of)).sum()
}

/// Why the value of a parameter is not in its domain.
fn shape_problem(domain: Domain, parameter: &Parameter) -> Option<String> {
    match (domain, parameter) {
        (Domain::Distribution | Domain::Constants, Parameter::Number(_)) => {
            Some("expected a list, found a number".to_owned())
        }
        // `dpcert` checks further conditions on the list.
        (Domain::Constants, Parameter::List(list)) => list.iter().find_map(undefined),
        (Domain::Distribution, Parameter::List(list)) => distribution_problem(list),
        (_, Parameter::Number(value)) => domain.problem(value),
        (Domain::Distribution | Domain::Constants, Parameter::Weights(_)) => {
            Some("expected a list of numbers".to_owned())
        }
        (_, Parameter::List(_) | Parameter::Weights(_)) => Some("expected a number, found a list".to_owned()),
        (Domain::Distribution | Domain::Constants, Parameter::Unknown) => {
            Some("expected a list, found an unknown".to_owned())
        }
        (_, Parameter::Unknown) => None,
    }
}

/// Why these are not weights of which one is looked for.
fn weights_problem(list: &[Weight]) -> Option<String> {
    let count = |wanted: &Weight| list.iter().filter(|weight| *weight == wanted).count();
    if (count(&Weight::Unknown), count(&Weight::Rest)) != (1, 1) {
        return Some("exactly one weight must be `?` and one `rest`".to_owned());
    }
    let mut sum = BigRational::zero();
    for weight in list {
        match weight {
            Weight::Unknown | Weight::Rest => {}
            Weight::Number(value) => match value.as_rational() {
                Some(value) if !value.is_negative() => sum += value,
                _ => return Some(format!("{value} is not a rational probability")),
            },
        }
    }
    (sum >= BigRational::one()).then(|| format!("the other weights sum to {sum}, which leaves no weight"))
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
            Self::Real => return None,
            Self::NonNegative => (with_zero.is_ge(), ">= 0"),
            Self::Positive => (with_zero.is_gt(), "> 0"),
            Self::AboveOne => (with_one.is_some_and(Ordering::is_gt), "> 1"),
            Self::Probability => (with_zero.is_ge() && with_one.is_some_and(Ordering::is_le), "in [0, 1]"),
            Self::Integer { least } => return integer_problem(value, least),
            // None of these is a number.
            Self::Distribution | Self::Constants | Self::Mechanism | Self::Mechanisms => (false, "of this domain"),
        };
        (!holds).then(|| format!("{value} is not {wanted}"))
    }
}

fn integer_problem(value: &Exact, least: u64) -> Option<String> {
    let bound = BigRational::from_integer(least.into());
    let holds = value.as_rational().is_some_and(|x| x.is_integer() && *x >= bound);
    (!holds).then(|| format!("{value} is not one of {least}, {}, {}, ...", least + 1, least + 2))
}

/// Why the number does not exist.
fn undefined(value: &Exact) -> Option<String> {
    match value {
        Exact::Ln(x) if !x.0.is_positive() => Some(format!("{value} is undefined")),
        Exact::Sqrt(x) if x.0.is_negative() => Some(format!("{value} is undefined")),
        Exact::Expr(text) if text.trim().is_empty() => Some("empty expression".to_owned()),
        _ => None,
    }
}
