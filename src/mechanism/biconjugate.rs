//! The largest trade-off function that is nowhere above given points. It is a shorthand for `trade-off(...)` with the
//! vertices of that function.
//!
//! For a polyline f from alpha = 0 to (1, 0) that begins at most at 1 it is the biconjugate `f** = (f*)*`, the greatest
//! convex function below f: a list of points is the graph of a trade-off function exactly if it is its own biconjugate
//! and lies between 0 and `1 - alpha`. Whatever else the points are, it is the lower hull of them with (0, 1) and
//! (1, 0). A trade-off function is convex, at most 1 at 0, and 0 at 1; and the hull is one, because it is convex, not
//! negative and 0 at 1, so that it does not increase. For measured errors of tests it is the least privacy that they
//! allow; for the points of two functions it is `min(f, g)**`. A note lists why the points are not a trade-off
//! function. (`proofs/paper/duality.md`)

use super::abbreviation::Meaning;
use super::catalogue::Arguments;
use super::finite::rationals;
use super::points::list;
use super::{Entry, Misfit, Real, TradeOffPoints};
use crate::error::Error;
use crate::pair::TradeOff;

/// Largest number of faults in the note.
const MOST_FAULTS: usize = 6;

/// The shorthand and its parameters.
pub(super) const ENTRY: Entry = Entry {
    name: "biconjugate",
    aliases: &[],
    summary: "largest trade-off function that is nowhere above given points; shorthand for trade-off(...)",
    pair: "the pair of the trade-off(...) it expands to",
    example: "biconjugate(alpha=[0,1/4,1/2,1], beta=[9/10,3/5,1/10,0])",
    answers: "Answers are exact for this trade-off function.",
    parameters: &[
        list("alpha", "type I errors, fractions from 0 to 1 in any order"),
        list("beta", "type II errors there, fractions of at least 0"),
    ],
    build: |_| Err(Misfit::new(None, "biconjugate is a shorthand and cannot be used here; use trade-off(...)")),
};

/// Expansion of arguments that fit the entry.
pub(super) fn polyline(given: &Arguments) -> Result<Meaning, Misfit> {
    let (alpha, beta) = (given.list("alpha")?, given.list("beta")?);
    if alpha.len() != beta.len() {
        let (alpha, beta) = (alpha.len(), beta.len());
        return Err(given.misfit(
            "beta",
            format!("alpha has {alpha} entries and beta has {beta}; both need one entry for each point"),
        ));
    }
    let alphas = given.checked("alpha", rationals("alpha", alpha))?;
    let betas = given.checked("beta", rationals("beta", beta))?;
    let points: Vec<_> = alphas.into_iter().zip(betas).collect();
    let f = given.checked("beta", TradeOff::below(&points))?;
    let coordinates = |of: fn(&crate::pair::Vertex) -> &rug::Rational| -> Vec<Real> {
        f.vertices().iter().map(|vertex| Real::from(of(vertex).clone())).collect()
    };
    let polyline: Result<_, Error> =
        TradeOffPoints::new(coordinates(|vertex| &vertex.0), coordinates(|vertex| &vertex.1));
    let polyline = given.checked("beta", polyline)?;
    let faults = TradeOff::faults(&points);
    let note = match faults.as_slice() {
        [] => "biconjugate: the points are those of a trade-off function".to_string(),
        faults => {
            let told: Vec<&str> = faults.iter().take(MOST_FAULTS).map(String::as_str).collect();
            let more = match faults.len().saturating_sub(MOST_FAULTS) {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            format!("biconjugate: the points are not those of a trade-off function: {}{more}", told.join("; "))
        }
    };
    Ok(Meaning { factors: vec![(polyline.into(), 1)], only: None, note })
}

#[cfg(test)]
mod tests {
    use crate::mechanism::Composition;

    fn read(text: &str) -> (String, String) {
        let read: Composition = text.parse().expect("a mechanism");
        let note = read.notes().first().map(ToString::to_string).unwrap_or_default();
        (read.to_string(), note)
    }

    /// By hand: the chord from (0, 9/10) to (1/2, 1/10) passes (1/4, 1/2).
    #[test]
    fn what_lies_above_a_chord_is_left_out() {
        let (f, note) = read("biconjugate(alpha=[0,1/4,1/2,1], beta=[9/10,3/5,1/10,0])");
        assert_eq!(f, "trade-off(alpha=[0, 1/2, 1], beta=[9/10, 1/10, 0])");
        assert!(note.ends_with(": not convex: the point at alpha = 1/4 lies above a chord"), "{note}");
    }

    /// All that is wrong is told, and whatever it is, (0, 1) and (1, 0) are on no trade-off function's wrong side.
    #[test]
    fn all_faults_are_told() {
        let (f, note) = read("biconjugate(alpha=[1/2,1/4,3/4], beta=[3/5,1/4,3/10])");
        // Of these only (1/4, 1/4) lies below the diagonal's hull with it: (3/4, 3/10) is above (1/4, 1/4) -- (1, 0).
        assert_eq!(f, "trade-off(alpha=[0, 1/4, 1], beta=[1, 1/4, 0])");
        for fault in [
            "alpha must go from 0 to 1",
            "at alpha = 1/2, beta = 3/5 is not in",
            "at alpha = 3/4, beta = 3/10 is not in",
            "alpha must increase, but 1/2 is followed by 1/4",
            "beta increases after alpha = 1/4",
        ] {
            assert!(note.contains(fault), "{fault}: {note}");
        }
    }

    /// The points of two functions are those of the hull of both; here of `f` and `f^-1`, which `hull(f)` is.
    #[test]
    fn points_of_two_functions_have_the_hull_of_both() {
        let (f, _) = read("biconjugate(alpha=[0,1/10,1/2,1,0,1/8,3/5,9/10,1], beta=[9/10,3/5,1/8,0,1,1/2,1/10,0,0])");
        let hull: Composition =
            "hull(trade-off(alpha=[0,1/10,1/2,1], beta=[9/10,3/5,1/8,0]))".parse().expect("a mechanism");
        let vertices = |of: &Composition| {
            let pair = crate::pair::Pair::several(of.pairs().expect("pairs"));
            pair.trade_off().expect("a curve").expect("a polyline")
        };
        assert_eq!(vertices(&f.parse().expect("a mechanism")), vertices(&hull));
    }

    #[test]
    fn points_of_a_trade_off_function_stay() {
        let (f, note) = read("biconjugate(alpha=[0,1/4,1], beta=[1,1/4,0])");
        assert_eq!(f, "trade-off(alpha=[0, 1/4, 1], beta=[1, 1/4, 0])");
        assert!(note.ends_with("those of a trade-off function") && !note.contains("not those"), "{note}");
    }

    #[test]
    fn errors_are_no_negative_numbers() {
        for (text, told) in [
            ("biconjugate(alpha=[0,1/2], beta=[1,-1/4])", "at alpha = 1/2 the type II error -1/4 is negative"),
            ("biconjugate(alpha=[0,3/2], beta=[1,1/4])", "alpha must be between 0 and 1, not 3/2"),
            ("biconjugate(alpha=[0], beta=[1,0])", "alpha has 1 entries and beta has 2"),
            ("biconjugate(alpha=[sqrt(2)], beta=[1])", "sqrt(2)"),
        ] {
            let error = text.parse::<Composition>().expect_err("no points").to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
