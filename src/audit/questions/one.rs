//! A question of somebody's own, asked of accountants: an expression and a point, in the doubles nearest to them.

use dpcert_vectors::{Direction, Factor};

use super::stored::in_doubles;
use crate::audit::question::{Asked, Question};
use crate::error::Error;
use crate::mechanism::{Composition, Place, Template, check};
use crate::query::Point;
use crate::vector::convert;

/// Noise of which a calibration may ask how much.
const NOISE: [&str; 3] = ["sigma", "scale", "sigma2"];

/// The question about this expression at this point. What is asked follows from the point: an epsilon asks for delta, a
/// delta for epsilon, both together for the noise that is written `?`.
///
/// The numbers become doubles, for accountants can be asked no others, and the truth is that of the doubles.
///
/// # Errors
/// [`Error::Input`] if nothing can be asked so: what cannot be read, a point that belongs to no quantity, a number that
/// no double is near, a `?` that is no noise, guarantees inside of a composition, of which only bounds are known, and a
/// point outside the domain of the quantity.
pub fn one(expression: &str, point: &Point, direction: Direction) -> Result<Question, Error> {
    let asked = match (&point.epsilon, &point.delta, &point.alpha, &point.order) {
        (Some(_), None, None, None) => Asked::Delta,
        (None, Some(_), None, None) => Asked::Epsilon,
        (None, None, Some(_), None) => Asked::Beta,
        (None, None, None, Some(_)) => Asked::Renyi,
        (Some(_), Some(_), None, None) => Asked::Noise,
        _ => {
            return Err(Error::input(
                "give one point: --epsilon for delta, --delta for epsilon, --alpha for beta, --order for renyi, or \
                 --epsilon and --delta for a noise parameter marked `?`",
            ));
        }
    };
    point.delta.as_ref().map_or(Ok(()), |delta| check::unit("delta", delta))?;
    point.alpha.as_ref().map_or(Ok(()), |alpha| check::unit("alpha", alpha))?;
    point.order.as_ref().map_or(Ok(()), |order| check::above_one("order", order))?;
    let (factors, guaranteed) = match asked {
        Asked::Noise => noise(expression)?,
        _ => {
            let composition = expression.parse::<Composition>()?;
            (convert::factors(&composition)?, composition.has_guarantee())
        }
    };
    let point: Vec<_> =
        point.clone().coordinates().into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let question = in_doubles(asked, &factors, &convert::at(&point)?)?;
    let mut question = question.ok_or_else(|| Error::input("a number rounds to 0, 1 or infinity as a double"))?;
    question.direction = direction;
    // A guarantee is no pair: what follows from several is a bound, and a claim below it may well be true.
    let guarantee = question.steps.iter().any(|step| matches!(step.mechanism.as_str(), "zcdp" | "rdp"));
    if guaranteed && (!guarantee || question.steps.len() > 1) {
        return Err(Error::input(
            "an audit takes a single guarantee, zcdp or rdp: for compositions and other guarantees only bounds are \
             known, which cannot decide whether a claim is sound",
        ));
    }
    if guaranteed && !matches!(asked, Asked::Delta | Asked::Epsilon) {
        return Err(Error::input("an audit of a guarantee takes --epsilon or --delta, not --alpha or --order"));
    }
    question.subject()?;
    Ok(question)
}

/// The steps with noise that is looked for, and whether there is a guarantee among them.
fn noise(expression: &str) -> Result<(Vec<Factor>, bool), Error> {
    let template = Template::parse(expression)?;
    match template.place() {
        Place::Parameter(_, parameter) if NOISE.contains(&parameter.name) => {}
        place => {
            return Err(Error::input(format!(
                "`?` marks {}, which is not a noise parameter; it can mark {}",
                place.name(),
                NOISE.join(", ")
            )));
        }
    }
    let rest = template.without()?;
    Ok((convert::sought(&template)?, rest.is_some_and(|rest| rest.has_guarantee())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpcert_vectors::Double;

    fn at(epsilon: Option<&str>, delta: Option<&str>) -> Point {
        let real = |text: Option<&str>| text.map(|text| text.parse().expect("a constant"));
        Point { epsilon: real(epsilon), delta: real(delta), ..Point::default() }
    }

    fn asked(expression: &str, point: &Point) -> Result<Question, String> {
        one(expression, point, Direction::Worst).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_become_the_nearest_doubles() {
        let question =
            asked("poisson(rate=256/60000, gaussian(sigma=1.1))^14062", &at(None, Some("1e-5"))).expect("one");
        assert_eq!(question.asked, Asked::Epsilon);
        assert_eq!(question.mechanism(), "poisson(rate=0.004266666666666667, gaussian(sigma=1.1))^14062");
        assert_eq!(question.at.delta, Some(Double(1e-5)));
        assert_eq!(question.rounding().len(), 1, "what was meant is kept");
        let question = asked("gaussian(sigma=2) * laplace(scale=1/2)^3", &at(Some("1/4"), None)).expect("one");
        assert_eq!((question.asked, question.unrounded.len()), (Asked::Delta, 0));
        assert!(question.subject().is_ok());
    }

    #[test]
    fn a_question_mark_asks_for_noise() {
        let both = at(Some("1"), Some("1e-5"));
        let question = asked("poisson(rate=1/100, gaussian(sigma=?))^1000", &both).expect("one");
        assert_eq!(question.asked, Asked::Noise);
        assert_eq!(question.mechanism(), "poisson(rate=0.01, gaussian(sigma=?))^1000");
        assert!(asked("gaussian(sigma=1)", &both).expect_err("no ?").contains("no parameter is marked `?`"));
        for (expression, place) in [("gaussian(sigma=1)^?", "repeats"), ("poisson(rate=?, gaussian(sigma=1))", "rate")]
        {
            let why = asked(expression, &both).expect_err("no noise");
            assert!(why.contains(&format!("marks {place}")), "{why}");
        }
        // It once was asked with the number that stood in for the `?`.
        let why = asked("discrete-gaussian(sigma=?)", &both).expect_err("a parameter by another name");
        assert!(why.starts_with("sigma is an alias of a parameter"), "{why}");
    }

    /// Of several guarantees a bound is known alone, and a claim below a bound may be true.
    #[test]
    fn guarantees_are_asked_about_alone() {
        let delta = at(None, Some("1e-5"));
        assert!(asked("zcdp(rho=1/2)", &delta).is_ok());
        for expression in ["zcdp(rho=1/2)^2", "zcdp(rho=1/2) * gaussian(sigma=1)", "pure-dp(epsilon=1)^10"] {
            assert!(asked(expression, &delta).is_err(), "{expression}");
        }
    }

    #[test]
    fn refuses_points_outside_the_domain() {
        let real = |text: &str| Some(text.parse().expect("a constant"));
        let alpha = |text| Point { alpha: real(text), ..Point::default() };
        let order = |text| Point { order: real(text), ..Point::default() };
        for (point, why) in [
            (at(None, Some("2")), "delta must be between 0 and 1, not 2"),
            (alpha("-1"), "alpha must be between 0 and 1, not -1"),
            (order("1/2"), "order must be greater than 1, not 1/2"),
        ] {
            assert_eq!(asked("gaussian(sigma=1)", &point).expect_err("outside"), why);
        }
        for point in [alpha("1/2"), order("2")] {
            let why = asked("zcdp(rho=1)", &point).expect_err("a bound has neither");
            assert!(why.contains("takes --epsilon or --delta"), "{why}");
            assert!(asked("gaussian(sigma=1)", &point).is_ok());
        }
    }

    #[test]
    fn points_belong_to_quantities() {
        assert!(asked("gaussian(sigma=1)", &Point::default()).expect_err("no point").starts_with("give one point"));
        assert!(asked("gaussian(sigma=1)", &at(Some("1e400"), None)).expect_err("no double").contains("infinity"));
        assert!(asked("gaussian(sigma=-1)", &at(Some("1"), None)).is_err());
    }
}
