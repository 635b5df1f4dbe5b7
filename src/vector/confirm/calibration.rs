//! Confirms a calibrated parameter by evaluating the composition on both sides of it, by two routes.
//!
//! A little below the number and a little above, the promise is kept on the one side and broken on the other, each time
//! by an answer that a second route confirms. *A little* is `2^-85` of the number; the answers there have thirty digits
//! and more, and lie `10^-29` of themselves and of what is promised away from it at least, so what the second route has
//! computed is on the same side. So the number is the end of the values that keep the promise, to some 25 digits, by
//! both routes. On which side the safe values lie is a theorem that both share; where that is an argument about one
//! kind of noise, some larger values are asked as well.
//!
//! Of whole numbers the last one that keeps the promise and the next one are asked instead, with the same margins.

use std::cmp::Ordering;

use rug::Rational;

use super::{Claim, Routes, require};
use crate::answer::Outcome;
use crate::calibrate::{Calibration, Target};
use crate::error::Error;
use crate::mechanism::{Domain, Trend};
use crate::query::Query;
use crate::vector::DIGITS;
use enclosure::{Budget, Real};

/// Larger values that are asked too, as parts of the number, where the loss grows and falls and the number is the least
/// from which on all values keep the promise.
const ABOVE: [(u32, u32); 8] = [(65, 64), (9, 8), (4, 3), (7, 4), (9, 4), (5, 2), (3, 1), (5, 1)];

/// How far from the number, relative to it: `2^-85`.
const BESIDE: u32 = 85;
/// Digits of what is promised there: more than the thirty to which second routes are asked to agree.
const ASKED: u32 = 34;

impl Routes {
    /// The name of the second route that agrees with a calibration.
    ///
    /// # Errors
    /// As [`Routes::confirm`] has them.
    pub fn confirm_calibration(&self, question: &Calibration, outcome: &Outcome) -> Result<String, Error> {
        let claim = Claim::of(outcome)?;
        let (lower, upper) = claim.within()?;
        require(lower.cmp0().is_gt(), "the number is not positive")?;
        if let Some(weighed) = question.template.weighed() {
            return self.confirm_weight(question, [lower, upper], &weighed.left);
        }
        let loss = question.template.loss();
        let grows = loss == Trend::Grows;
        let (safe, fails) = if matches!(question.template.place().domain(), Domain::Integer { .. }) {
            require(lower == upper && lower.is_integer(), "the number is not an integer")?;
            let next = if grows { Rational::from(lower + 1) } else { Rational::from(lower - 1) };
            (lower.clone(), next)
        } else {
            let little = Rational::from((1, rug::Integer::from(1) << BESIDE));
            let below = Rational::from(1 - &little) * lower;
            let above = Rational::from(1 + &little) * upper;
            if grows { (below, above) } else { (above, below) }
        };
        let (name, kept) = self.beside(question, safe)?;
        let (_, broken) = self.beside(question, fails)?;
        require(kept && !broken, "the target must be met on exactly one side of the number")?;
        if loss == Trend::Unknown {
            for times in ABOVE {
                let (_, kept) = self.beside(question, upper.clone() * Rational::from(times))?;
                require(kept, "the target is not met above the number")?;
            }
        }
        Ok(format!("{name}, on both sides"))
    }

    /// The same for the weight of a part of a mixture; the ends determine the safe side.
    fn confirm_weight(&self, question: &Calibration, ends: [&Rational; 2], left: &Rational) -> Result<String, Error> {
        let little = Rational::from((1, rug::Integer::from(1) << BESIDE));
        let below = Rational::from(1 - &little) * ends[0];
        let above = Rational::from(1 + &little) * ends[1];
        require(above <= *left, "the number is the upper end of the domain")?;
        let (name, kept) = self.beside(question, below)?;
        for (value, wanted) in [(Rational::new(), kept), (above, !kept), (left.clone(), !kept)] {
            let (_, found) = self.beside(question, value)?;
            require(found == wanted, "whether the target is met changes elsewhere than at the number")?;
        }
        Ok(format!("{name}, on both sides"))
    }

    /// Whether the promise is kept with this number in the place of the `?`, and the second route that says so too.
    fn beside(&self, question: &Calibration, value: Rational) -> Result<(String, bool), Error> {
        let composition = question.template.with(Real::from(value))?;
        let query =
            Query::new(question.target.quantity(), composition).with_direction(question.direction).with_digits(ASKED);
        let answer = self.engines.answer(&query, &Budget::default())?;
        let claim = Claim::of(&answer.outcome)?;
        let name = self.agrees(&query, &claim, &answer.method)?;
        let (lower, upper) = claim.within()?;
        // For a target of 0, the second route only proves a delta below 2^-300.
        if question.target.level().is_zero() && upper.is_zero() {
            return Ok((name, matches!(question.target, Target::Profile { .. })));
        }
        let level = question.target.level().enclosure(4 * DIGITS);
        let side = if *level.upper() < *lower {
            Ordering::Greater
        } else if *level.lower() > *upper {
            Ordering::Less
        } else {
            Ordering::Equal
        };
        let margin = match side {
            Ordering::Greater => lower - level.upper().to_rational().unwrap_or_default(),
            Ordering::Less => level.lower().to_rational().unwrap_or_default() - upper,
            Ordering::Equal => Rational::new(),
        };
        let least = Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, 29))));
        let size = level.upper().to_rational().unwrap_or_default().max(upper.clone());
        require(
            margin >= least * size && side.is_ne(),
            "next to the number it is not decided whether the target is met",
        )?;
        let above = side.is_gt();
        let kept = match question.target {
            Target::Tradeoff { .. } => above,
            _ => !above,
        };
        Ok((name, kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibrate::calibrate;

    fn asked(template: &str, target: Target) -> Calibration {
        Calibration::new(template.parse().expect(template), target).with_digits(DIGITS)
    }

    fn real(text: &str) -> Real {
        text.parse().expect(text)
    }

    /// The number is confirmed; one that is a little larger or smaller is not, in either kind of promise.
    #[test]
    fn another_number_is_not_confirmed() {
        for (template, target) in [
            ("laplace(scale=?)^3", Target::Profile { epsilon: real("1"), delta: real("1/100") }),
            ("randomized-response(epsilon=?)^4", Target::Profile { epsilon: real("1"), delta: real("0") }),
            ("gaussian(sigma=?)", Target::Tradeoff { alpha: real("1/20"), beta: real("9/10") }),
            ("discrete-gaussian(sigma2=?)", Target::Profile { epsilon: real("1"), delta: real("1e-5") }),
        ] {
            let question = asked(template, target);
            let outcome = calibrate(&question, &Budget::default()).expect(template).outcome;
            let routes = Routes::default();
            let name = routes.confirm_calibration(&question, &outcome).expect(template);
            assert!(name.starts_with("malachite") && name.ends_with("on both sides"), "{name}");
            let Claim::Within(lower, upper) = Claim::of(&outcome).expect("bounds") else { panic!("{outcome:?}") };
            for factor in [Rational::from((1_000_001, 1_000_000)), Rational::from((999_999, 1_000_000))] {
                let moved = [&lower, &upper].map(|end| Rational::from(end * &factor));
                let ends = moved.map(|end| enclosure::Enclosure::rational(&end, 200));
                let other = Outcome::Enclosure(ends[0].hull(&ends[1]).into());
                let error = routes.confirm_calibration(&question, &other).expect_err(template).to_string();
                assert!(error.contains("exactly one side"), "{error}");
            }
        }
    }

    /// If the target is met on several intervals, only the last change is confirmed.
    #[test]
    fn an_earlier_change_of_sides_is_not_confirmed() {
        let target = Target::Profile { epsilon: real("20"), delta: real("1/10000") };
        let question = asked("discrete-gaussian(sigma2=?)", target);
        let outcome = calibrate(&question, &Budget::default()).expect("an answer").outcome;
        let routes = Routes::default();
        routes.confirm_calibration(&question, &outcome).expect("the last one");
        // At sigma2 = 1/40 the profile has a vertex at epsilon 20; a little below it delta is far above the level.
        let level = question.target.level().clone();
        let (mut low, mut high) = (Rational::from((24, 1000)), Rational::from((26, 1000)));
        for _ in 0..110 {
            let middle = Rational::from(&low + &high) / 2u32;
            let composition = question.template.with(Real::from(middle.clone())).expect("a composition");
            let query = Query::new(question.target.quantity(), composition).with_digits(60);
            let delta = routes.engines.answer(&query, &Budget::default()).expect("an answer").outcome;
            let above = delta.number().and_then(|number| number.compare(&level.number(400))) == Some(Ordering::Greater);
            if above { low = middle } else { high = middle }
        }
        let ends = [&low, &high].map(|end| enclosure::Enclosure::rational(end, 200));
        let other = Outcome::Enclosure(ends[0].hull(&ends[1]).into());
        let error = routes.confirm_calibration(&question, &other).expect_err("an earlier one").to_string();
        assert!(error.contains("not met above"), "{error}");
    }

    /// For integers, the last one that meets the target is confirmed, and none of its neighbours.
    #[test]
    fn a_neighbour_is_not_confirmed() {
        for template in
            ["discrete-gaussian(sigma2=100, sensitivity=?)", "k-randomized-response(epsilon=3, categories=?)"]
        {
            let question = asked(template, Target::Profile { epsilon: real("1"), delta: real("1/100") });
            let outcome = calibrate(&question, &Budget::default()).expect(template).outcome;
            let routes = Routes::default();
            routes.confirm_calibration(&question, &outcome).expect(template);
            let Outcome::Exact(value) = &outcome else { panic!("{outcome:?}") };
            for by in [1, -1] {
                let other = Outcome::Exact(crate::number::Fraction::new(Rational::from(value.value() + by)));
                let error = routes.confirm_calibration(&question, &other).expect_err(template).to_string();
                assert!(error.contains("exactly one side"), "{error}");
            }
            let ends = enclosure::Enclosure::rational(&(value.value() + Rational::from((1, 2))), 64);
            let error = routes.confirm_calibration(&question, &Outcome::Enclosure(ends.into())).expect_err(template);
            assert!(error.to_string().contains("not an integer"), "{error}");
        }
    }
}
