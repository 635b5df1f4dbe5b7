//! The records are well formed, and the ways to check refuse what is false.

use std::collections::BTreeSet;

use super::check::{Check, on_box, readable};
use super::*;
use crate::published::statements::Index;

/// The formulas and variables of a check.
fn formulas(check: &Check, found: &mut Vec<(Vec<&'static str>, Vec<&'static str>)>) {
    match *check {
        Check::Identity { of, left, right }
        | Check::AtPoints { of, left, right, .. }
        | Check::SameAtPoints { of, left, right, .. } => found.push((of.to_vec(), vec![left, right])),
        Check::IdentityWithin { of, within, left, right } => {
            found.push((of.to_vec(), vec![left, right]));
            within.iter().for_each(|text| found.push((of.to_vec(), vec![text, "0"])));
        }
        Check::Always { where_, free, left, right } => {
            let names = where_.iter().map(|(name, _)| *name).chain(free.iter().copied()).collect();
            found.push((names, vec![left, right]));
        }
        Check::OnBox { of, left, right } => {
            found.push((of.iter().map(|(name, _, _)| *name).collect(), vec![left, right]));
        }
        Check::Computed(_) => {}
        Check::All(checks) | Check::Figures(checks) => {
            assert!(!checks.is_empty());
            checks.iter().for_each(|check| formulas(check, found));
        }
    }
}

#[test]
fn records_are_well_formed() {
    let claims = all();
    let ids: BTreeSet<&str> = claims.iter().map(|claim| claim.id).collect();
    assert_eq!(ids.len(), claims.len(), "two claims have one name");
    for claim in claims {
        for text in [claim.id, claim.place, claim.says, claim.domain, claim.how] {
            assert!(!text.trim().is_empty() && !text.contains("  "), "{}: {text:?}", claim.id);
        }
        if let Some(fault) = claim.fault {
            assert!(ids.contains(fault.corrected) && fault.corrected != claim.id, "{}", claim.id);
        }
        let mut found = Vec::new();
        formulas(&claim.check, &mut found);
        for (names, texts) in found {
            for text in &texts {
                // Abbreviations may be for another of its checks, with other variables.
                let with: Vec<_> = claim.with.to_vec();
                assert!(readable(text, &names, &with).is_ok(), "{}: {text}", claim.id);
            }
            assert_ne!(texts[0], texts[1], "{} compares a formula with itself", claim.id);
        }
    }
}

#[test]
fn each_claim_belongs_to_a_statement_of_the_index() {
    let index = Index::embedded().unwrap();
    let ids: Vec<&str> =
        all().into_iter().map(|claim| claim.id).chain(UNCHECKED.iter().map(|unchecked| unchecked.id)).collect();
    let homeless: Vec<_> = ids.iter().filter(|id| index.statements.iter().all(|row| !row.has(id))).collect();
    assert!(homeless.is_empty(), "{homeless:?}");
    for row in &index.statements {
        let stale = row.stale(&ids);
        assert!(stale.is_empty(), "{}: {stale:?} name no claim", row.name);
    }
}

#[test]
fn each_erratum_of_the_index_has_claims() {
    let index = Index::embedded().unwrap();
    for known in &index.errata {
        assert!(!erratum(&known.name).is_empty(), "{}", known.name);
    }
    let listed = |name: &str| index.errata.iter().any(|known| known.name == name);
    for claim in all() {
        let fault = claim.fault.and_then(|fault| fault.what.split_once(':')).map(|(name, _)| name);
        assert!(fault.is_none_or(|name| !name.starts_with("E-") || listed(name)), "{}", claim.id);
    }
}

/// Subjects of a paper, and where they are in it.
const WHERE: [(&str, &str, &str); 6] = [
    ("KOV-", "equation (8)", "Section 3.2"),
    ("KOV-", "the classical condition", "Section 4.1"),
    ("GEO-", "Geometric noise", "KOV, Theorem 4.4"),
    ("SU-", "link functions", "Section 2.3"),
    ("SU-", "Edgeworth accountant", "Section 3.3"),
    ("SU-", "inequality (4.1)", "Section 4.3"),
];

/// Numbers of what Kairouz, Oh and Viswanath state: definitions, remarks and theorems.
const STATED: [&str; 15] =
    ["2.1", "2.2", "2.3", "2.4", "2.5", "3.1", "3.2", "3.3", "3.4", "3.5", "4.1", "4.2", "4.3", "4.4", "5.1"];

#[test]
fn subjects_are_cited_at_one_place() {
    for (prefix, subject, place) in WHERE {
        let mut of_it = all().into_iter().filter(|claim| claim.id.starts_with(prefix) && claim.place.contains(subject));
        let first = of_it.next().unwrap_or_else(|| panic!("{subject}"));
        for claim in of_it.chain([first]) {
            assert!(claim.place.contains(place), "{}: {} is in {place}", claim.id, claim.place);
        }
    }
}

#[test]
fn theorems_of_kairouz_oh_viswanath_exist() {
    for claim in all().into_iter().filter(|claim| claim.id.starts_with("KOV-") && !claim.place.contains("Theorem 1.")) {
        for (_, rest) in claim.place.match_indices("Theorem ").map(|(at, word)| (at, &claim.place[at + word.len()..])) {
            // What is quoted of another paper names it.
            if claim.place.contains("also Theorem") && rest.contains("Dong") && !rest.contains("also") {
                continue;
            }
            let number = rest.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
            assert!(STATED.contains(&number), "{}: there is no theorem {number}", claim.id);
        }
    }
}

/// An erratum is found by its name, with what is right behind what is printed.
#[test]
fn errata_have_claims() {
    let ids = |name: &str| erratum(name).iter().map(|claim| claim.id).collect::<Vec<_>>();
    assert_eq!(ids("E-1"), ["KOV-4.3-printed", "KOV-4.3"]);
    assert_eq!(ids("e-18"), ["DR-1-delta-printed", "DR-1-delta", "DR-1-delta-inverted-printed"]);
    assert_eq!(ids("E-13"), ["SU-4.1-sgd-printed", "SU-4.1-sgd", "SU-4.1-noise-printed", "SU-4.1-noise"]);
    assert!(ids("E-").is_empty() && ids("E-99").is_empty() && ids("").is_empty());
    for number in 1..=24 {
        assert!(!ids(&format!("E-{number}")).is_empty(), "E-{number}");
    }
}

/// Figures are proven by inequalities with a margin, and by nothing less.
#[test]
fn figures_are_proven_by_inequalities() {
    let run = |checks: &'static [Check]| Check::Figures(checks).run(&[]).expect("a verdict");
    const NO: &[&[&str]] = &[&[]];
    let verdict = run(&[Check::AtPoints { of: &[], at: NO, left: "0.38", right: "2*Phi(1/2) - 1" }]);
    assert!(matches!(verdict, Verdict::Proven { .. }), "{verdict:?}");
    let verdict = run(&[Check::AtPoints { of: &[], at: NO, left: "0.39", right: "2*Phi(1/2) - 1" }]);
    assert!(matches!(verdict, Verdict::Fails { .. }), "{verdict:?}");
    let verdict = run(&[Check::AtPoints { of: &[], at: NO, left: "1", right: "1" }]);
    assert!(matches!(verdict, Verdict::Holds { .. }), "{verdict:?}");
    let verdict = run(&[Check::SameAtPoints { of: &[], at: NO, left: "1 - Phi(1)", right: "Phi(0-1)" }]);
    assert!(matches!(verdict, Verdict::Holds { .. }), "{verdict:?}");
}

/// Identities that are none, inequalities that fail somewhere, and bounds that are too sharp are found out.
#[test]
fn what_is_false_is_refused() {
    let fails = |check: Check| matches!(check.run(&[]), Ok(Verdict::Fails { .. }));
    assert!(fails(Check::Identity { of: &["x"], left: "(x-1)/(x+1)", right: "(x-1)/(x+2)" }));
    let x = &[("x", "1+u")];
    assert!(fails(Check::Always { where_: x, free: &["u"], left: "x-1", right: "(x-1)/(x+1)" }));
    assert!(fails(Check::AtPoints { of: &["x"], at: &[&["0"], &["1"]], left: "exp(x)", right: "1 + x" }));
    assert!(fails(Check::SameAtPoints { of: &["x"], at: &[&["1"]], left: "Phi(x)", right: "Phi(x + 1/1000000)" }));
    // tanh(y) <= y, but not a little less; the counterexamples are small, at an edge, or far away.
    for (left, right) in [
        ("tanh(y)", "y*0.999999"),
        ("y - y^3/3 + y^4/1000", "tanh(y)"),
        ("2*Phi(y/2) - 1", "tanh(y/2)"),
        ("Phi(0-y)", "exp(0-y^2/2)/2 - y/1000000"),
        ("cosh(y)", "exp(y^2/2) - y^4/11.9"),
    ] {
        let verdict = on_box(&[("y", "0", "20")], &[], left, right);
        assert!(matches!(verdict, Ok(Verdict::Fails { .. })), "{left} <= {right}: {verdict:?}");
    }
    // In two variables, with the counterexample in a corner.
    let verdict = on_box(&[("a", "0", "1"), ("b", "0", "1")], &[], "a + b - 1", "a*b - 1/1000");
    assert!(matches!(verdict, Ok(Verdict::Fails { .. })), "{verdict:?}");
}

/// True statements are proven; those with equality inside the box stay undecided.
#[test]
fn what_is_true_is_proven_or_left() {
    for (left, right) in [
        ("tanh(y)", "y"),
        ("log1p(y)", "y"),
        ("y", "expm1(y)"),
        ("y - y^3/6", "sinh(y)"),
        ("1 + y^2/2", "cosh(y)"),
        ("2*Phi(y) - 1", "2*y*phi(0)"),
        ("sqrt(1 + y) - 1", "y/2"),
        ("gauss(1, y)", "1"),
    ] {
        let verdict = on_box(&[("y", "0", "10")], &[], left, right);
        assert!(matches!(verdict, Ok(Verdict::Proven { .. })), "{left} <= {right}: {verdict:?}");
    }
    use super::formula::{Formula, Names};
    use super::prove::{Range, Search, nowhere_negative};
    use rug::Rational;
    let inside = Formula::read("(y - 0.7)^2*expm1(y) - (y - 0.7)^2*y", &Names::new(["y"])).expect("a formula");
    let range = Range { lower: Rational::new(), upper: Some(Rational::from(2)) };
    let search = nowhere_negative(&inside, &[range], 500);
    assert!(matches!(search, Ok(Search::Undecided(_))), "{search:?}");
}

/// The values of a formula at points of a part lie in its value on the part, and difference quotients in its slope.
#[test]
fn values_on_parts_hold_the_values_at_points() {
    use super::formula::{Formula, Names};
    use super::prove::{Numbers, Taylor};
    use enclosure::{Enclosure, Number};
    use rug::Rational;
    let names = Names::new(["x", "y"]);
    for text in [
        "x*y/(1+x^2)",
        "exp(x - y)*ln(1+x)",
        "sqrt(1+x*y)",
        "tanh(x)*cosh(y) - sinh(x*y/4)",
        "Phi(x-y)*phi(y)",
        "gauss(x, y)",
        "max(x, y)*min(x^2, y) + pos(x-y) + abs(y-x)",
        "log1p(x*y) - expm1(0-x)",
    ] {
        let formula = Formula::read(text, &names).expect("a formula");
        let numbers = Numbers { bits: 100 };
        let taylor = Taylor { base: &numbers, order: 1 };
        let side = |low: i32, high: i32| {
            let end = |n: i32| Enclosure::rational(&Rational::from((n, 8)), 100);
            Number::Enclosed(end(low).hull(&end(high)))
        };
        let part = [side(4, 7), side(5, 11)];
        let whole = formula.evaluate(&numbers, &part).expect("a value").enclosure(100);
        let series: Vec<_> = (0..2).map(|i| taylor.variable(&part[i], i == 0)).collect();
        let slope = formula.evaluate(&taylor, &series).expect("a slope")[1].enclosure(100);
        for i in 4..=7 {
            for j in 5..=11 {
                let at = |i: i32| {
                    let point = [Rational::from((i, 8)), Rational::from((j, 8))].map(Number::Exact);
                    formula.evaluate(&numbers, &point).expect("a value").enclosure(100)
                };
                assert!(whole.overlaps(&at(i)), "{text} at {i}, {j}");
                if i < 7 {
                    let quotient = (at(i + 1) - at(i)).mul_u32(8);
                    assert!(slope.overlaps(&quotient), "{text} between {i} and {}, {j}", i + 1);
                }
            }
        }
    }
}
