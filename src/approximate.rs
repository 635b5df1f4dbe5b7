//! Numbers from theorems about long compositions, about shuffling and about the last iterate of gradient descent, for
//! delta, epsilon or beta of a composition, next to the exact value.
//!
//! A question is a query with a `theorem`:
//!
//! ```json
//! {"theorem": "edgeworth", "order": 2, "quantity": "epsilon", "mechanism": "laplace(scale=5)^30",
//!  "at": {"delta": "1e-3"}}
//! ```
//!
//! What a limit theorem says is no bound, and its answer says so (`certified`); `order` is of Edgeworth expansions,
//! `form` of central limit theorems, and with `alone` the exact value is left out.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::answer::{Meaning, Outcome, answer};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::{Cause, Composition, Mechanism};
use crate::number::Interval;
use crate::query::{Point, Quantity, QuantityName, Query};
use crate::statement::{self, Statement};
use crate::supervise;
use crate::theorem::berry_esseen;
use crate::theorem::clt::{Clt, Form};
use crate::theorem::edgeworth::{Edgeworth, HIGHEST};
use crate::theorem::near_gaussian::NearGaussian;
use crate::theorem::rate;
use crate::theorem::shifted;
use crate::theorem::shuffling::{self, Reports};
use enclosure::{Budget, Cache, Enclosure, Number, Reason, bits_of_digits, refine};

/// Digits of approximations, unless more are asked for.
pub const DIGITS: u32 = 6;

/// The order of an expansion, unless another one is asked for.
const ORDER: u32 = 2;

/// More digits than this may take all the time there is.
const MANY: u32 = 200;

/// Number of expansions that are cached.
const KEPT: usize = 16;

/// The theorems about long compositions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theorem {
    /// Central limit theorem: a Gaussian mechanism, an approximation
    Clt,
    /// Berry-Esseen theorem: lower and upper bounds around the Gaussian limit
    BerryEsseen,
    /// Lower and upper bounds at distance O(1/n), for n compositions of one (epsilon, delta) mechanism
    CltRate,
    /// Edgeworth expansion: the limit with corrections, an approximation
    Edgeworth,
    /// Upper bounds for `shuffle` by the closed form of the clone bound (2022)
    Clones,
    /// Upper bounds for `shuffle` by the closed form of the stronger clone bound (2023)
    StrongerClones,
    /// Upper bound for `noisy-cgd` by shifted Renyi divergences
    ShiftedRenyi,
}

/// [`Form`] by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormName {
    /// mu = 2 sum kl/sqrt(sum (kappa_2 - kl^2))
    Centred,
    /// mu = 2 sum kl/sqrt(sum kappa_2)
    Printed,
    /// mu^2 = sum epsilon^2 for (epsilon, delta) mechanisms, with failure probability 1 - e^(-sum delta)
    Worst,
    /// mu^2 = sum r^2 chi^2 for Poisson subsampling
    Poisson,
    /// mu^2 = 2 sum r^2 chi^2_+ for batches of a fixed size, with one record replaced
    Uniform,
}

impl From<FormName> for Form {
    fn from(name: FormName) -> Self {
        match name {
            FormName::Centred => Form::Centred,
            FormName::Printed => Form::Printed,
            FormName::Worst => Form::Worst,
            FormName::Poisson => Form::Poisson,
            FormName::Uniform => Form::Uniform,
        }
    }
}

/// The question.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "ApproximationJson")]
pub struct Approximation {
    /// By which theorem.
    pub theorem: Theorem,
    /// Up to which order an Edgeworth expansion goes.
    pub order: Option<u32>,
    /// Which central limit theorem.
    pub form: Option<FormName>,
    /// Is the exact value left out?
    pub alone: bool,
    /// Delta, epsilon or beta of what, and where.
    pub query: Query,
}

/// It as it stands in JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a query with a theorem")]
struct ApproximationJson {
    id: Option<String>,
    theorem: Theorem,
    order: Option<u32>,
    form: Option<FormName>,
    #[serde(default)]
    alone: bool,
    quantity: QuantityName,
    mechanism: Composition,
    #[serde(default)]
    at: Point,
    #[serde(default = "worst")]
    direction: Direction,
    digits: Option<u32>,
}

fn worst() -> Direction {
    Direction::Worst
}

impl TryFrom<ApproximationJson> for Approximation {
    type Error = Error;

    fn try_from(json: ApproximationJson) -> Result<Self, Error> {
        let query = Query::new(Quantity::at(json.quantity, json.at)?, json.mechanism).with_direction(json.direction);
        let query = Query { id: json.id, ..query.with_digits(json.digits.unwrap_or(DIGITS)) };
        let ApproximationJson { theorem, order, form, alone, .. } = json;
        Approximation { theorem, order, form, alone, query }.checked()
    }
}

/// Expansions of the highest order that were asked last, by their precision: several questions are about each.
pub(crate) struct Expansions(Cache<(Composition, u32), Edgeworth>);

impl Default for Expansions {
    fn default() -> Self {
        Expansions(Cache::new(KEPT))
    }
}

/// What a theorem says: its parameters, then one approximation, or bounds.
pub struct Said {
    /// By name.
    pub parameters: Vec<(&'static str, Enclosure)>,
    /// Of the quantity.
    pub what: Claim,
}

/// The claim of a theorem.
pub enum Claim {
    /// No bound.
    Approximation(Value),
    /// Bounds on both sides.
    Between([Value; 2]),
    /// An upper bound.
    Below(Value),
}

/// The answer.
pub struct Approximated {
    /// By the theorem.
    pub said: Said,
    /// The exact value, unless it is omitted.
    pub exact: Option<Outcome>,
    /// Why that is left out without having been asked for, or of which mechanism all this is.
    pub note: Option<&'static str>,
    /// How many digits of what the theorem says are known, if these are fewer than were asked for, and why.
    pub short: Option<(u32, Reason)>,
    /// What the value of the pair says about the mechanism, and why if it is not exact. The theorem is about the pair.
    pub meaning: Meaning,
    pub cause: Option<Cause>,
}

impl Said {
    /// The numbers that are claimed.
    fn values(&self) -> &[Value] {
        match &self.what {
            Claim::Approximation(value) | Claim::Below(value) => std::slice::from_ref(value),
            Claim::Between(both) => both,
        }
    }

    /// The digits that are known of each number.
    fn digits(&self) -> u32 {
        let of = |value: &Value| match value {
            Value::Finite(Number::Enclosed(set)) => Interval::from(set.clone()).digits(),
            Value::Finite(Number::Exact(_)) | Value::Infinite => u32::MAX,
        };
        self.values().iter().map(of).min().unwrap_or(0)
    }
}

/// Of the constant for samples of a fixed size, where Poisson samples were written.
const OTHER_SAMPLES: &str = "the exact value is omitted: this limit is that of samples of fixed size, subsample(...), \
                             and poisson(...) is a different mechanism";

/// Of a guarantee with a worst pair; of others there is no limit.
const WORST: &str = "these numbers hold for the worst mechanism that satisfies the guarantee; other mechanisms may be \
                     more private";

impl Approximation {
    /// The same question, refused if its query is out of range, or has what another theorem has.
    pub fn checked(self) -> Result<Self, Error> {
        if self.order.is_some() && self.theorem != Theorem::Edgeworth {
            return Err(Error::input("an order applies to Edgeworth expansions only"));
        }
        if self.order.is_some_and(|order| order > HIGHEST) {
            return Err(Error::input(format!("the order of an Edgeworth expansion must be from 0 to {HIGHEST}")));
        }
        if self.form.is_some() && self.theorem != Theorem::Clt {
            return Err(Error::input("a form applies to central limit theorems only"));
        }
        Ok(Approximation { query: self.query.checked()?, ..self })
    }

    /// The order of the expansion, if it is one.
    pub fn expansion(&self) -> Option<u32> {
        (self.theorem == Theorem::Edgeworth).then(|| self.order.unwrap_or(ORDER))
    }

    /// The form of the central limit theorem that is used.
    pub fn form_used(&self) -> Form {
        let form = self.form.map_or(Form::Auto, Form::from);
        form.used(&self.query.mechanism).unwrap_or(form)
    }

    /// What the theorem rests on.
    pub fn statement(&self) -> &'static Statement {
        match self.theorem {
            Theorem::Clt => match self.form_used() {
                Form::Auto => &statement::MIXED_LIMIT,
                Form::Centred => &statement::CENTRED_LIMIT,
                Form::Printed => &statement::PRINTED_LIMIT,
                Form::Worst => &statement::WORST_LIMIT,
                Form::Poisson => &statement::POISSON_LIMIT,
                Form::Uniform => &statement::UNIFORM_LIMIT,
            },
            Theorem::BerryEsseen => &statement::BERRY_ESSEEN,
            Theorem::CltRate => &statement::RATE,
            Theorem::Edgeworth => &statement::EDGEWORTH,
            Theorem::Clones | Theorem::StrongerClones => &statement::AMPLIFICATION,
            Theorem::ShiftedRenyi => &statement::SHIFTED,
        }
    }

    /// The answer within a budget.
    ///
    /// # Errors
    /// [`Error::Undefined`] with the hypothesis that fails, [`Error::Undecided`] beyond the budget.
    pub fn answer(&self, budget: &Budget) -> Result<Approximated, Error> {
        let digits = self.query.digits;
        let another = (!self.alone && self.is_of_another()).then_some(OTHER_SAMPLES);
        let (meaning, cause) = Meaning::of(&self.query.quantity, &self.query.mechanism, self.query.direction);
        let note = another.or((cause == Some(Cause::Guarantee)).then_some(WORST));
        let alone = self.alone || another.is_some();
        // Of many digits those of the exact value have their turn.
        let share = if alone || digits <= MANY { budget.clone() } else { budget.share((1, 2), None) };
        let (own, work) = (self.clone(), share.clone());
        let (said, reason) = supervise::by_digits(digits, &share, move |digits| {
            own.said(bits_of_digits(digits).saturating_add(32), &work)
        })?;
        let short = reason.map(|reason| (said.digits(), reason)).filter(|(known, _)| *known < digits);
        let exact = if alone { None } else { Some(answer(&self.query, budget)?.outcome) };
        Ok(Approximated { said, exact, note, short, meaning, cause })
    }

    /// Is the limit that of another mechanism than the one that was written, which has its rate and its noise?
    fn is_of_another(&self) -> bool {
        let fixed = |mechanism: &Mechanism| matches!(mechanism, Mechanism::Subsample(_));
        self.form == Some(FormName::Uniform) && !self.query.mechanism.factors().iter().all(|(one, _)| fixed(one))
    }

    /// One number that the theorem says, to all digits of the query: of two bounds the upper one or the other.
    ///
    /// # Errors
    /// As [`answer`](Self::answer) has them.
    pub(crate) fn number(&self, upper: bool, known: &Expansions, budget: &Budget) -> Result<Outcome, Error> {
        let mut infinite = false;
        let number = refine(self.query.digits, budget, |bits| {
            let said = match self.expansion() {
                Some(order) => {
                    let mechanism = &self.query.mechanism;
                    let all =
                        known.0.get((mechanism.clone(), bits), || Edgeworth::of(mechanism, HIGHEST, bits, budget))?;
                    expanded(&all.up_to(order), &self.query, bits, budget)?
                }
                None => self.said(bits, budget)?,
            };
            let value = match said.what {
                Claim::Approximation(value) | Claim::Below(value) => value,
                Claim::Between([_, high]) if upper => high,
                Claim::Between([low, _]) => low,
            };
            Ok(match value {
                Value::Finite(number) => number,
                Value::Infinite => {
                    infinite = true;
                    Number::zero()
                }
            })
        })?;
        Ok(if infinite { Outcome::Infinite } else { Outcome::of(number) })
    }

    fn said(&self, bits: u32, budget: &Budget) -> Result<Said, Error> {
        let (mechanism, at) = (&self.query.mechanism, &self.query.quantity);
        match self.theorem {
            Theorem::Clt => clt(mechanism, self.form.map_or(Form::Auto, Form::from), at, bits, budget),
            Theorem::BerryEsseen => near(&berry_esseen::bounds(mechanism, bits, budget)?, at, bits, budget),
            Theorem::CltRate => {
                let (bounds, c) = rate::bounds(mechanism, bits)?;
                let mut said = near(&bounds, at, bits, budget)?;
                said.parameters.push(("c", c));
                Ok(said)
            }
            Theorem::Edgeworth => {
                let order = self.order.unwrap_or(ORDER);
                expanded(&Edgeworth::of(mechanism, order, bits, budget)?, &self.query, bits, budget)
            }
            Theorem::Clones => amplification(mechanism, shuffling::Theorem::Clones, at, bits),
            Theorem::StrongerClones => amplification(mechanism, shuffling::Theorem::Stronger, at, bits),
            Theorem::ShiftedRenyi => shifted_renyi(mechanism, at, bits, budget),
        }
    }
}

fn clt(composition: &Composition, form: Form, at: &Quantity, bits: u32, budget: &Budget) -> Result<Said, Error> {
    let limit = Clt::of(composition, form, bits, budget)?;
    let value = match at {
        Quantity::Delta { epsilon } => finite(limit.delta(epsilon, bits, budget)?),
        Quantity::Beta { alpha } => finite(limit.beta(alpha, bits, budget)?),
        Quantity::Epsilon { delta } => limit.epsilon(delta, bits, budget)?,
        _ => return Err(Error::input("a limit theorem applies to delta, epsilon and beta only")),
    };
    Ok(Said { parameters: vec![("mu", limit.mu().clone())], what: Claim::Approximation(value) })
}

fn near(bounds: &NearGaussian, at: &Quantity, bits: u32, budget: &Budget) -> Result<Said, Error> {
    let values = match at {
        Quantity::Delta { epsilon } => bounds.delta(epsilon, bits, budget)?.map(finite),
        Quantity::Beta { alpha } => bounds.beta(alpha, bits, budget)?.map(finite),
        Quantity::Epsilon { delta } => bounds.epsilon(delta, bits, budget)?,
        _ => return Err(Error::input("the theorem applies to delta, epsilon and beta only")),
    };
    let parameters = vec![("mu", bounds.mu().clone()), ("gamma", bounds.gamma().clone())];
    Ok(Said { parameters, what: Claim::Between(values) })
}

fn expanded(expansion: &Edgeworth, query: &Query, bits: u32, budget: &Budget) -> Result<Said, Error> {
    let direction = query.direction;
    let value = match &query.quantity {
        Quantity::Delta { epsilon } => finite(expansion.delta(epsilon, direction, bits, budget)?),
        Quantity::Beta { alpha } => finite(expansion.beta(alpha, direction, bits, budget)?),
        Quantity::Epsilon { delta } => expansion.epsilon(delta, direction, bits, budget)?,
        _ => return Err(Error::input("an expansion applies to delta, epsilon and beta only")),
    };
    Ok(Said { parameters: Vec::new(), what: Claim::Approximation(value) })
}

fn amplification(
    composition: &Composition,
    theorem: shuffling::Theorem,
    at: &Quantity,
    bits: u32,
) -> Result<Said, Error> {
    let reports = match composition.single() {
        Some((Mechanism::Shuffle(mechanism), 1)) if mechanism.categories() == 2 => mechanism.reports(),
        Some((Mechanism::ShuffleClones(mechanism), 1)) => mechanism.reports(),
        _ => {
            return Err(Error::input(format!(
                "this theorem requires one shuffle of a local mechanism, such as shuffle(n=10000, epsilon0=1), not \
                 {composition}"
            )));
        }
    };
    let reports = Reports { n: reports.0, epsilon0: reports.1.clone() };
    let value = match at {
        Quantity::Delta { epsilon } => reports.delta(theorem, epsilon, bits)?,
        Quantity::Epsilon { delta } => reports.epsilon(theorem, delta, bits)?,
        _ => return Err(Error::input("amplification by shuffling applies to delta and epsilon only")),
    };
    Ok(Said { parameters: Vec::new(), what: Claim::Below(finite(value)) })
}

fn shifted_renyi(composition: &Composition, at: &Quantity, bits: u32, budget: &Budget) -> Result<Said, Error> {
    let (Some((Mechanism::NoisyCgd(mechanism), 1)), Quantity::Epsilon { delta }) = (composition.single(), at) else {
        return Err(Error::input(format!(
            "this bound applies to the epsilon of one noisy-cgd(...) at a delta, not to {composition}"
        )));
    };
    let rho = mechanism.rho()?.enclosure(bits);
    let value = shifted::epsilon(mechanism, delta, bits, budget)?;
    Ok(Said { parameters: vec![("rho", rho)], what: Claim::Below(finite(value)) })
}

fn finite(set: Enclosure) -> Value {
    Value::Finite(Number::Enclosed(set))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Approximation, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// What a theorem says from JSON is what it says of the composition: here of Gaussians, which are their own limit.
    #[test]
    fn a_gaussian_is_its_own_limit() {
        for (quantity, at) in [("delta", r#"{"epsilon":"1"}"#), ("epsilon", r#"{"delta":"1e-3"}"#)] {
            for theorem in [r#""clt""#, r#""edgeworth","order":0"#, r#""edgeworth","order":3"#] {
                let line = format!(
                    r#"{{"theorem":{theorem},"quantity":"{quantity}","mechanism":"gdp(mu=1/2)^4","at":{at},"digits":9}}"#
                );
                let found = read(&line).expect("a question").answer(&Budget::default()).expect("an answer");
                let Claim::Approximation(Value::Finite(said)) = &found.said.what else { panic!("{line}: no number") };
                let exact = found.exact.and_then(|outcome| outcome.number()).expect("a number");
                assert!(said.enclosure(80).overlaps(&exact.enclosure(80)), "{line}");
            }
        }
    }

    #[test]
    fn what_another_theorem_has_is_refused() {
        let rest = r#""quantity":"delta","mechanism":"gdp(mu=1)","at":{"epsilon":"1"}"#;
        for (theorem, told) in [
            (r#""clt","order":2"#, "an order applies to Edgeworth expansions only"),
            (r#""edgeworth","order":4"#, "the order of an Edgeworth expansion must be from 0 to 3"),
            (r#""edgeworth","form":"poisson""#, "a form applies to central limit theorems only"),
        ] {
            let error = read(&format!(r#"{{"theorem":{theorem},{rest}}}"#)).expect_err("no question").to_string();
            assert!(error.starts_with(told), "{error}");
        }
        let none = r#"{"theorem":"clt","quantity":"kl","mechanism":"gdp(mu=1)"}"#;
        let asked = read(none).expect("a question").answer(&Budget::default());
        assert!(matches!(asked, Err(Error::Input(_))), "a theorem without that quantity");
    }

    /// The form is named, and cites what it is from: three forms have three numbers.
    #[test]
    fn each_form_of_the_central_limit_theorem_cites_its_source() {
        for (mechanism, form, name, source) in [
            ("randomized-response(epsilon=0.5)^10", "", "centred", "mu of Dong-Roth-Su, Theorem 3.4"),
            ("randomized-response(epsilon=0.5)^10", "centred", "centred", "mu of Dong-Roth-Su, Theorem 3.4"),
            ("randomized-response(epsilon=0.5)^10", "printed", "printed", "Dong-Roth-Su, Theorem 3.5;"),
            ("approx-dp(epsilon=0.5, delta=1/100)^10", "worst", "worst", "Dong-Roth-Su, Theorem 3.6"),
            ("poisson(rate=1/10, gdp(mu=1))^10", "", "poisson", "Bu, Dong, Long, Su 2020 (form"),
            ("poisson(rate=1/10, gdp(mu=1))^10 * gdp(mu=1)", "", "centred and poisson", "Bu, Dong, Long, Su 2020, for"),
            ("subsample(rate=1/10, gdp(mu=1))^10", "uniform", "uniform", "Dong-Roth-Su, Theorem 5.2"),
        ] {
            let form = if form.is_empty() { String::new() } else { format!(r#""form":"{form}","#) };
            let line = format!(
                r#"{{"theorem":"clt",{form}"quantity":"delta","mechanism":"{mechanism}","at":{{"epsilon":"1"}}}}"#
            );
            let asked = read(&line).expect("a question");
            assert_eq!(asked.form_used().name(), name, "{line}");
            assert!(asked.statement().citation().starts_with(source), "{line}: {}", asked.statement().citation());
        }
    }

    /// What is so is of the mechanism that was written: of Poisson samples it is no value beside the limit of samples
    /// of a fixed size.
    #[test]
    fn another_mechanism_has_no_exact_value() {
        for (mechanism, form, there) in [
            ("poisson(rate=1/10, gdp(mu=1))", "uniform", false),
            ("poisson(rate=1/10, gdp(mu=1))", "poisson", true),
            ("subsample(rate=1/10, gdp(mu=1))", "uniform", true),
        ] {
            let at = r#""at":{"epsilon":"1/10"}"#;
            let line =
                format!(r#"{{"theorem":"clt","form":"{form}","quantity":"delta","mechanism":"{mechanism}",{at}}}"#);
            let found = read(&line).expect("a question").answer(&Budget::default()).expect("an answer");
            assert_eq!((found.exact.is_some(), found.note.is_none()), (there, there), "{line}");
        }
    }

    /// The hypothesis that fails is named, with its value.
    #[test]
    fn a_hypothesis_that_fails_is_named() {
        let line = r#"{"theorem":"berry-esseen","quantity":"delta","mechanism":"gdp(mu=1)","at":{"epsilon":"1"}}"#;
        match read(line).expect("a question").answer(&Budget::default()) {
            Err(Error::Undefined(reason)) => assert!(reason.contains("gamma < 1/2, but gamma >= 0.89"), "{reason}"),
            _ => panic!("no hypothesis fails"),
        }
    }
}
