//! Curves given by points: a piecewise-linear trade-off function, and a list of (epsilon, delta) guarantees.
//!
//! **Pairs.** `trade-off(alpha=[0, 1/4, 1], beta=[1, 1/4, 0])` is a finite pair whose trade-off function is the
//! piecewise-linear function through these points: each segment `(a, b) -- (a + p, b - q)` is an outcome of mass p
//! under P and q under Q, and what is missing of 1 at alpha = 0 is an outcome that only Q has. Points that are on no
//! trade-off function are refused, with the first place where that is seen: it has to be convex, not to increase, and
//! to lie between 0 and `1 - alpha` (Dong, Roth, Su, Proposition 2.2; a polyline is continuous).
//!
//! `profile(epsilon=[0, ln(2)], delta=[1/3, 1/20])` has the largest trade-off function that follows from
//! (epsilon_i, delta_i)-privacy for all i, `max_i f_{epsilon_i, delta_i}` (Proposition 2.11): any mechanism with these
//! promises is at least as private, and some is no better. With `x = e^epsilon`, its profile on `x >= 1` is the lower
//! hull of the points `(x_i, delta_i)`, continued to the right by its least delta, and to the left by the line that is
//! lowest at `x = 1`: the profile of `f_{epsilon_i, delta_i}` with the least total variation there. A profile with
//! corners at `x_j`, where its slope grows by `s_j`, and the limit d is that of a mixture of randomized responses with
//! their index seen, of weights `(1 + x_j) s_j`, and of total failure, of weight d: so that is the pair, whatever
//! `e^epsilon` is; where all of it is in fractions it is a finite one. (`proofs/paper/piecewise-linear.md`)

use std::cmp::Ordering;

use rug::Rational;

use super::catalogue::{Arguments, shortened};
use super::finite::rationals;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::{Pair, TradeOff};
use enclosure::{Exponentials, Quotient};

/// Trade-off function given by points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TradeOffPoints {
    alpha: Vec<Real>,
    beta: Vec<Real>,
}

/// Several (epsilon, delta) guarantees at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProfilePoints {
    epsilon: Vec<Real>,
    delta: Vec<Real>,
}

pub(super) const fn list(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, domain: Domain::Constants, presence: Presence::Required, loss: Trend::Unknown, meaning }
}

impl TradeOffPoints {
    pub(super) const ENTRY: Entry = Entry {
        name: "trade-off",
        aliases: &[],
        summary: "custom trade-off function: the piecewise-linear function through given points",
        pair: "P and Q with one outcome for each segment: its width is the mass under P, its height that under Q",
        example: "trade-off(alpha=[0,1/4,1], beta=[1,1/4,0])",
        answers: "Answers are exact for this pair, the least private one that is f-DP for this function f.",
        parameters: &[
            list("alpha", "type I errors, fractions that increase from 0 to 1"),
            list("beta", "type II errors there, fractions, the last one 0"),
        ],
        build: Self::build,
    };

    /// The piecewise-linear function through these points. Domain: fractions that are points of a trade-off function.
    ///
    /// # Errors
    /// [`Error::Input`] outside the domain, with the first point that fails.
    pub fn new(alpha: Vec<Real>, beta: Vec<Real>) -> Result<Self, Error> {
        same_length("alpha", &alpha, "beta", &beta)?;
        let points = TradeOffPoints { alpha, beta };
        points.polyline()?;
        Ok(points)
    }

    fn polyline(&self) -> Result<TradeOff, Error> {
        let list = rationals("alpha", &self.alpha)?.into_iter().zip(rationals("beta", &self.beta)?);
        TradeOff::new(list.collect()).map_err(|error| match error {
            Error::Input(fault) => Error::input(format!(
                "{fault}; use biconjugate(...) for the largest trade-off function below these points"
            )),
            other => other,
        })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let points = TradeOffPoints::new(given.list("alpha")?.to_vec(), given.list("beta")?.to_vec());
        Ok(given.checked("beta", points)?.into())
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Ok(Pair::finite(self.polyline()?.representing_pair()?))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("alpha", Argument::List(self.alpha.clone())), ("beta", Argument::List(self.beta.clone()))]
    }
}

impl ProfilePoints {
    pub(super) const ENTRY: Entry = Entry {
        name: "profile",
        aliases: &[],
        summary: "several (epsilon_i, delta_i)-DP guarantees: the least private mechanism that satisfies all of them",
        pair: "P and Q with trade-off function max_i f_{epsilon_i, delta_i}, a mixture of randomized responses",
        example: "profile(epsilon=[0,ln(2)], delta=[1/3,1/20])",
        answers: "Answers are exact for this pair, the least private one that satisfies all guarantees.",
        parameters: &[
            list("epsilon", "epsilons, each at least 0; if every e^epsilon is rational, results are exact fractions"),
            list("delta", "deltas, one fraction between 0 and 1 for each epsilon"),
        ],
        build: Self::build,
    };

    /// These guarantees together. Domain: each `epsilon` at least 0, each `delta` a fraction between 0 and 1.
    ///
    /// # Errors
    /// [`Error::Input`] outside the domain.
    pub fn new(epsilon: Vec<Real>, delta: Vec<Real>) -> Result<Self, Error> {
        same_length("epsilon", &epsilon, "delta", &delta)?;
        for epsilon in &epsilon {
            check::nonnegative("epsilon", epsilon)?;
        }
        for delta in &delta {
            check::unit("delta", delta)?;
        }
        let points = ProfilePoints { epsilon, delta };
        points.pair()?;
        Ok(points)
    }

    /// `(e^epsilon, delta)` in fractions, if they are.
    fn fractions(&self, deltas: &[Rational]) -> Option<Vec<(Rational, Rational)>> {
        let powers = self.epsilon.iter().map(Real::exp_rational).collect::<Option<Vec<_>>>()?;
        Some(powers.into_iter().zip(deltas.iter().cloned()).collect())
    }

    /// The guarantees at which the profile has vertices, by increasing epsilon; empty if no guarantee restricts it.
    fn corners(&self, deltas: &[Rational]) -> Result<Vec<(&Real, Rational)>, Error> {
        let undecided = || {
            let shown = shortened(&self.epsilon.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
            Error::input(format!("cannot decide which of these guarantees are the strongest: epsilon = [{shown}]"))
        };
        let powers = self.epsilon.iter().map(Real::exp).collect::<Result<Vec<_>, _>>()?;
        let field = Exponentials::of(&powers).ok_or_else(undecided)?;
        let mut points = Vec::new();
        for ((epsilon, power), delta) in self.epsilon.iter().zip(&powers).zip(deltas).filter(|(_, delta)| **delta != 1)
        {
            points.push(Point { epsilon, x: field.quotient(power).ok_or_else(undecided)?, delta: delta.clone() });
        }
        let hull = hull(&field, points).ok_or_else(undecided)?;
        Ok(hull.into_iter().map(|point| (point.epsilon, point.delta)).collect())
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let points = ProfilePoints::new(given.list("epsilon")?.to_vec(), given.list("delta")?.to_vec());
        Ok(given.checked("epsilon", points)?.into())
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        let deltas = rationals("delta", &self.delta)?;
        match self.fractions(&deltas) {
            Some(fractions) => Ok(Pair::finite(TradeOff::from_profile(&fractions)?.representing_pair()?)),
            None => self.mixture(&deltas),
        }
    }

    /// The same as a mixture of randomised responses and of total failure.
    fn mixture(&self, deltas: &[Rational]) -> Result<Pair, Error> {
        let corners = self.corners(deltas)?;
        let failing = Pair::response(Real::zero(), Real::one())?;
        let Some((_, least)) = corners.last() else { return Ok(failing) };
        let mut parts = vec![(Real::from(least.clone()), failing)];
        // The slope to the left of the first corner, then from corner to corner, then 0.
        let mut before: Option<Real> = None;
        for (at, (epsilon, delta)) in corners.iter().enumerate() {
            let x = epsilon.exp()?;
            let one_more = Real::one().add(&x);
            let left = match before {
                Some(slope) => slope,
                None => Real::from(Rational::from(delta - 1)).div(&one_more)?,
            };
            let right = match corners.get(at + 1) {
                Some((next, lower)) => Real::from(Rational::from(lower - delta)).div(&next.exp()?.sub(&x))?,
                None => Real::zero(),
            };
            parts.push((one_more.mul(&right.sub(&left))?, Pair::response((*epsilon).clone(), Real::zero())?));
            before = Some(right);
        }
        Pair::mixture(parts)
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("epsilon", Argument::List(self.epsilon.clone())), ("delta", Argument::List(self.delta.clone()))]
    }
}

/// An (epsilon, delta) guarantee, with `x = e^epsilon`.
struct Point<'a> {
    epsilon: &'a Real,
    x: Quotient,
    delta: Rational,
}

/// The vertices of the profile that follows from these guarantees, whose deltas are below 1; `None` if an order cannot
/// be decided.
fn hull<'a>(field: &Exponentials, mut points: Vec<Point<'a>>) -> Option<Vec<Point<'a>>> {
    let of = |value: &Rational| Quotient::from(value.clone());
    let kept = |point: &Point| of(&Rational::from(1 - &point.delta));
    // The lowest line at x = 1 has the largest (1 - delta)/(1 + x); of several promises on it the last one is a corner.
    let mut first: Option<usize> = None;
    for (at, point) in points.iter().enumerate() {
        let better = match first.and_then(|first| points.get(first)) {
            None => true,
            Some(known) => {
                let (new, old) = (Quotient::one().add(&point.x)?, Quotient::one().add(&known.x)?);
                match field.compare(&kept(point).mul(&old)?, &kept(known).mul(&new)?)? {
                    Ordering::Equal => field.compare(&point.x, &known.x)? == Ordering::Greater,
                    order => order == Ordering::Greater,
                }
            }
        };
        if better {
            first = Some(at);
        }
    }
    let Some(first) = first else { return Some(Vec::new()) };
    let first = points.swap_remove(first);
    // What promises no smaller delta at a larger epsilon follows from it.
    let mut rest: Vec<Point> = Vec::new();
    for point in points {
        if point.delta >= first.delta || field.compare(&point.x, &first.x)? != Ordering::Greater {
            continue;
        }
        let mut place = rest.len();
        while let Some(before) = place.checked_sub(1) {
            let order = field.compare(&rest.get(before)?.x, &point.x)?;
            if order == Ordering::Less || order == Ordering::Equal && rest.get(before)?.delta <= point.delta {
                break;
            }
            place = before;
        }
        rest.insert(place, point);
    }
    let mut chain = vec![first];
    for point in rest {
        if chain.last().is_some_and(|last| point.delta >= last.delta) {
            continue;
        }
        while let [.., a, b] = chain.as_slice() {
            // b stays if it lies strictly below the chord from a to the new point.
            let (to_b, to_point) = (Rational::from(&b.delta - &a.delta), Rational::from(&point.delta - &a.delta));
            let up = of(&to_b).mul(&point.x.sub(&a.x)?)?.sub(&of(&to_point).mul(&b.x.sub(&a.x)?)?)?;
            if field.sign(&up)? == Ordering::Less {
                break;
            }
            chain.pop();
        }
        chain.push(point);
    }
    Some(chain)
}

fn same_length(first: &str, a: &[Real], second: &str, b: &[Real]) -> Result<(), Error> {
    let (a, b) = (a.len(), b.len());
    if a != b {
        return Err(Error::input(format!(
            "{first} has {a} entries and {second} has {b}; both need one entry for each point"
        )));
    }
    if a == 0 { Err(Error::input(format!("{first} is empty; give at least one point"))) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Outcome, answer};
    use crate::mechanism::Composition;
    use crate::query::{Quantity, Query};
    use enclosure::{Budget, Enclosure};

    fn reals(list: &[&str]) -> Vec<Real> {
        list.iter().map(|text| text.parse().expect("a constant")).collect()
    }

    /// Both pairs of what is in fractions have one trade-off function: that of the envelope, and that of the mixture.
    #[test]
    fn mixtures_are_envelopes() {
        for (epsilons, deltas) in [
            (&["0", "ln(2)"][..], &["1/3", "1/20"][..]),
            (&["ln(3)", "ln(3/2)", "0"], &["1/100", "1/10", "1/4"]),
            (&["ln(2)", "ln(5)"], &["1/10", "1/11"]),
            (&["ln(2)", "ln(2)", "ln(7)"], &["1/5", "1/10", "0"]),
            (&["ln(3)", "0"], &["1/2", "1/2"]),
            (&["0"], &["1"]),
            (&["0"], &["0"]),
            (&["ln(3/2)", "ln(2)", "ln(3)", "ln(4)", "ln(9)"], &["3/10", "9/40", "1/5", "1/6", "1/100"]),
            // Three on one line: 1/2 - (x-1)/8 at x = 1, 2 and 3.
            (&["0", "ln(2)", "ln(3)"], &["1/2", "3/8", "1/4"]),
        ] {
            let points = ProfilePoints::new(reals(epsilons), reals(deltas)).expect("promises");
            let deltas = rationals("delta", &points.delta).expect("fractions");
            let fractions = points.fractions(&deltas).expect("fractions");
            let envelope = TradeOff::from_profile(&fractions).expect("an envelope");
            let mixture = points.mixture(&deltas).expect("a mixture").trade_off().expect("a curve");
            assert_eq!(mixture, Some(envelope), "{epsilons:?} {deltas:?}");
        }
    }

    /// Elsewhere, at single type I errors: the largest of what each promise gives, by the engine of approx-dp.
    #[test]
    fn promises_of_any_epsilon_hold_together() {
        let beta = |mechanism: &str, alpha: &str| -> Enclosure {
            let mechanism: Composition = mechanism.parse().expect("a mechanism");
            let quantity = Quantity::Beta { alpha: alpha.parse().expect("a constant") };
            let query = Query::new(quantity, mechanism).with_digits(20);
            let outcome: Outcome = answer(&query, &Budget::default()).expect("an answer").outcome;
            assert!(!matches!(outcome, Outcome::Short { .. }), "{outcome:?}");
            outcome.number().expect("a number").enclosure(160)
        };
        for (epsilons, deltas) in [
            (&["0", "1"][..], &["1/3", "1/20"][..]),
            (&["2", "1/2", "1"], &["1/1000", "1/5", "1/10"]),
            (&["sqrt(2)", "ln(2)"], &["0", "1/10"]),
            (&["1", "1", "3"], &["1/5", "1/6", "1/6"]),
        ] {
            let all = format!("profile(epsilon=[{}], delta=[{}])", epsilons.join(","), deltas.join(","));
            for alpha in ["1/100", "1/5", "1/3", "1/2", "9/10"] {
                let each = epsilons
                    .iter()
                    .zip(deltas)
                    .map(|(epsilon, delta)| beta(&format!("approx-dp(epsilon={epsilon}, delta={delta})"), alpha));
                let largest = each.reduce(|a, b| a.max(&b)).expect("a promise");
                assert!(beta(&all, alpha).overlaps(&largest), "{all} at {alpha}");
            }
        }
    }

    #[test]
    fn promises_are_numbers_in_their_domain() {
        for (epsilons, deltas) in [(&["-1"][..], &["0"][..]), (&["1"], &["2"]), (&["1"], &["sqrt(1/2)"]), (&["1"], &[])]
        {
            assert!(matches!(ProfilePoints::new(reals(epsilons), reals(deltas)), Err(Error::Input(_))), "{epsilons:?}");
        }
    }
}
