//! Whether what stands beside an order belongs to it: the other mechanism, and a witness for each relation that fails.

use crate::answer::{Answer, Truth};
use crate::catalogue::Domain;
use crate::format::{Case, Direction, Quantity, Relation, Witness};
use crate::number::compare;

use super::{answer, domain, lint_expression};

pub(super) fn lint(report: &mut dyn FnMut(String), quantity: Quantity, case: &Case) {
    if quantity != Quantity::Order {
        if case.other.is_some() || !case.witnesses.is_empty() {
            report(format!("{quantity} takes a single mechanism and no witnesses"));
        }
        return;
    }
    match &case.other {
        None => report("an order needs a second mechanism (`other`)".to_owned()),
        Some(other) => {
            if other.parameters.is_empty() {
                report("other mechanism has no factors".to_owned());
            }
            for factor in &other.parameters {
                domain::lint(&mut |reason| report(format!("other mechanism: {reason}")), factor);
            }
            if domain::unknowns(&other.parameters) > 0 {
                report("other mechanism has an unknown parameter".to_owned());
            }
            let told = &mut |reason| report(format!("other mechanism: {reason}"));
            lint_expression(told, &other.mechanism, &other.parameters);
        }
    }
    if case.direction == Direction::Backward {
        report("direction of an order must be forward or worst".to_owned());
    }
    if let Some(order) = case.answer.order {
        let wanted: Vec<Relation> = Relation::BOTH.into_iter().filter(|relation| !relation.holds(order)).collect();
        let given: Vec<Relation> = case.witnesses.iter().map(|witness| witness.against).collect();
        if given != wanted {
            let names = |relations: &[Relation]| match relations {
                [] => "none".to_owned(),
                some => some.iter().map(|relation| relation.name()).collect::<Vec<_>>().join(" and "),
            };
            report(format!("{} needs witnesses against {}, not {}", order.name(), names(&wanted), names(&given)));
        }
    }
    for witness in &case.witnesses {
        lint_witness(
            &mut |reason| report(format!("witness against {}: {reason}", witness.against.name())),
            case,
            witness,
        );
    }
}

/// One point of one of both curves, and two numbers that are certainly apart, in the right order.
fn lint_witness(report: &mut dyn FnMut(String), case: &Case, witness: &Witness) {
    let given: Vec<_> = witness.at.given().collect();
    let quantity = match given.as_slice() {
        [("alpha", value)] => {
            domain_problem(report, Domain::Probability, value);
            // The hull of both orders may lie below both of them at a type I error, and not in its profile.
            if witness.direction == Direction::Worst {
                report("a witness at an alpha needs direction forward or backward".to_owned());
            }
            Quantity::Beta
        }
        [("epsilon", value)] => {
            domain_problem(report, Domain::Real, value);
            Quantity::Delta
        }
        _ => return report("needs an alpha or an epsilon".to_owned()),
    };
    if (witness.direction == Direction::Worst) != (case.direction == Direction::Worst) {
        report("direction does not match the case".to_owned());
    }
    for value in [&witness.first, &witness.second] {
        answer::lint(report, quantity, value);
    }
    let (Some(first), Some(second)) = (ends(&witness.first), ends(&witness.second)) else { return };
    // The first errs less, or loses more, where it is not at least as private.
    let first_is_larger = (quantity == Quantity::Delta) == (witness.against == Relation::AtLeast);
    let (smaller, larger) = if first_is_larger { (second, first) } else { (first, second) };
    if !compare(&smaller.1, &larger.0).is_lt() {
        report("the two enclosures do not refute the relation".to_owned());
    }
}

fn domain_problem(report: &mut dyn FnMut(String), domain: Domain, value: &crate::exact::Exact) {
    if let Some(problem) = domain.problem(value) {
        report(problem);
    }
}

fn ends(answer: &Answer) -> Option<(num_rational::BigRational, num_rational::BigRational)> {
    match answer.truth()? {
        Truth::Within { lower, upper } => Some((lower, upper)),
        Truth::Infinite => None,
    }
}
