//! Whether the fields of an answer belong together. Every comparison is exact.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::answer::{Answer, DECIMAL_DIGITS, Kind};
use crate::format::Quantity;
use crate::number::{Decimal, Double, Dyadic, compare, difference, hex_of_f64, tightest_f64};

/// A decimal may be this many units of its last digit away from what it bounds.
const MAX_UNITS: u32 = 2;

pub(super) fn lint(report: &mut dyn FnMut(String), quantity: Quantity, answer: &Answer) {
    lint_fields(report, answer);
    if (answer.kind == Kind::Order) != (quantity == Quantity::Order) {
        report(format!(
            "the answer is {} order, but the quantity is {quantity}",
            if answer.kind == Kind::Order { "an" } else { "no" }
        ));
    }
    if answer.kind == Kind::Infinite && quantity.is_probability() {
        report(format!("{quantity} cannot be infinite"));
    }
    if let Some(exact) = &answer.exact {
        lint_range(report, quantity, "exact", &exact.0);
    }
    if let Some(lower) = &answer.lower {
        let value = lower.to_rational();
        lint_range(report, quantity, "lower", &value);
        lint_double(report, "f64_lower", answer.f64_lower, tightest_f64(&value).0);
        if let Some(decimal) = &answer.lower_decimal {
            let gap = difference(&value, &decimal.to_rational());
            lint_decimal(report, "lower_decimal", "above lower", lower, decimal, &gap);
        }
    }
    if let Some(upper) = &answer.upper {
        let value = upper.to_rational();
        lint_range(report, quantity, "upper", &value);
        lint_double(report, "f64_upper", answer.f64_upper, tightest_f64(&value).1);
        if let Some(decimal) = &answer.upper_decimal {
            let gap = difference(&decimal.to_rational(), &value);
            lint_decimal(report, "upper_decimal", "below upper", upper, decimal, &gap);
        }
    }
    if let (Some(lower), Some(upper)) = (&answer.lower, &answer.upper) {
        if lower > upper {
            report("lower is above upper".to_owned());
        }
        if let Some(exact) = &answer.exact {
            let exact = &exact.0;
            if compare(&lower.to_rational(), exact).is_gt() || compare(exact, &upper.to_rational()).is_gt() {
                report("exact is not between lower and upper".to_owned());
            }
        }
    }
}

/// Each kind has its fields and no others.
fn lint_fields(report: &mut dyn FnMut(String), answer: &Answer) {
    let (kind, exact, bounds) = match answer.kind {
        Kind::Exact => ("exact", true, true),
        Kind::Enclosure => ("enclosure", false, true),
        Kind::Infinite => ("infinite", false, false),
        Kind::Order => ("order", false, false),
    };
    let fields = [
        ("exact", answer.exact.is_some(), exact),
        ("lower", answer.lower.is_some(), bounds),
        ("upper", answer.upper.is_some(), bounds),
        ("lower_decimal", answer.lower_decimal.is_some(), bounds),
        ("upper_decimal", answer.upper_decimal.is_some(), bounds),
        ("f64_lower", answer.f64_lower.is_some(), bounds),
        ("f64_upper", answer.f64_upper.is_some(), bounds),
        ("order", answer.order.is_some(), answer.kind == Kind::Order),
    ];
    for (field, is_there, should_be) in fields {
        match (is_there, should_be) {
            (true, false) => report(format!("an answer of kind {kind} has no {field}")),
            (false, true) => report(format!("an answer of kind {kind} needs {field}")),
            _ => {}
        }
    }
}

/// The range of the quantity holds for the ends too: an end outside it is looser than what everybody knows.
fn lint_range(report: &mut dyn FnMut(String), quantity: Quantity, field: &str, value: &BigRational) {
    if value.is_negative() && !quantity.is_signed() {
        report(format!("{field} is negative"));
    }
    if quantity.is_probability() && compare(value, &BigRational::one()).is_gt() {
        report(format!("{field} is above 1, but {quantity} is at most 1"));
    }
}

fn lint_double(report: &mut dyn FnMut(String), field: &str, found: Option<Double>, tightest: f64) {
    if let Some(found) = found.filter(|found| *found != Double(tightest)) {
        report(format!("{field} is {found}, but the tightest double is {}", hex_of_f64(tightest)));
    }
}

/// `gap` is how far the decimal is outside the end.
fn lint_decimal(
    report: &mut dyn FnMut(String),
    field: &str,
    wrong_side: &str,
    end: &Dyadic,
    decimal: &Decimal,
    gap: &BigRational,
) {
    if gap.is_negative() {
        report(format!("{field} is {wrong_side}"));
    }
    if end.mantissa().is_zero() {
        // The digits of zero have no unit.
        if !gap.is_zero() {
            report(format!("{field} is not 0, but its exact value is 0"));
        }
        return;
    }
    if decimal.significant() != DECIMAL_DIGITS as usize {
        report(format!("{field} has {} significant digits, not {DECIMAL_DIGITS}", decimal.significant()));
    }
    let unit = decimal.unit();
    let allowed = BigRational::new_raw(unit.numer() * MAX_UNITS, unit.denom().clone());
    if compare(gap, &allowed).is_gt() {
        report(format!("{field} is more than {MAX_UNITS} units of its last digit from the exact value"));
    }
}
