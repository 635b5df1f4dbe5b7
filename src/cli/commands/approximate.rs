//! `approximate`: what limit theorems say of a composition, beside what is so.

use serde::Serialize;

use super::super::args::limits::{Approximate, DIGITS, Theorem, typed};
use super::super::failure::Failure;
use super::super::points::Scale;
use super::{budget, points, say, say_json, told_mechanism};
use crate::answer::{Outcome, answer};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::print::{Numbers, Status, Table, number_text};
use crate::query::{Point, Quantity, QuantityName, Query};
use crate::statement::{self, Statement};
use crate::supervise;
use crate::theorem;
use crate::theorem::berry_esseen::BerryEsseen;
use crate::theorem::clt::{Clt, Form};
use crate::theorem::edgeworth::Edgeworth;
use crate::theorem::shuffling::{self, Reports};
use enclosure::{Brief, Budget, Enclosure, Number, bits_of_digits};

/// What a theorem says: its parameters, then one approximation, or two bounds.
struct Said {
    parameters: Vec<(&'static str, Enclosure)>,
    what: Claim,
}

/// What is claimed.
enum Claim {
    Approximation(Value),
    Between([Value; 2]),
    Below(Value),
}

/// The JSON object.
#[derive(Serialize)]
struct Line {
    theorem: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<u32>,
    quantity: QuantityName,
    mechanism: String,
    at: Point,
    direction: Direction,
    /// Is what it says proven?
    certified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mu: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gamma: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approximation: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_bound: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Numbers>,
    statement: &'static str,
}

/// A value with its kind.
#[derive(Serialize)]
struct Shown {
    kind: &'static str,
    #[serde(flatten)]
    numbers: Numbers,
}

impl Shown {
    fn of(value: &Value, digits: u32) -> Self {
        match value {
            Value::Finite(number) => Shown { kind: "enclosure", numbers: Numbers::of(number, digits) },
            Value::Infinite => Shown { kind: "infinite", numbers: Numbers::default() },
        }
    }
}

/// `dpcert approximate`.
pub fn run(asked: &Approximate) -> Result<Status, Failure> {
    let question = &asked.question;
    let quantities: Vec<Quantity> = match (&asked.epsilon, &asked.delta, &asked.alpha) {
        (Some(epsilon), _, _) => {
            let all = points("epsilon", epsilon, Scale::Linear)?;
            all.into_iter().map(|epsilon| Quantity::Delta { epsilon }).collect()
        }
        (_, Some(delta), _) => {
            let all = points("delta", delta, Scale::Logarithmic)?;
            all.into_iter().map(|delta| Quantity::Epsilon { delta }).collect()
        }
        (_, _, Some(alpha)) => {
            let all = points("alpha", alpha, Scale::Logarithmic)?;
            all.into_iter().map(|alpha| Quantity::Beta { alpha }).collect()
        }
        _ => return Err(Failure::input("--epsilon, --delta or --alpha is wanted")),
    };
    if asked.order.is_some() && asked.kind != Theorem::Edgeworth {
        return Err(Failure::input("--order is of Edgeworth expansions"));
    }
    if asked.form.is_some() && asked.kind != Theorem::Clt {
        return Err(Failure::input("--form is of central limit theorems"));
    }
    let composition = told_mechanism(&question.mechanism)?;
    let digits = question.digits.unwrap_or(DIGITS);
    let many = quantities.len() > 1;
    let mut table: Option<Table> = None;
    for quantity in quantities {
        let query = Query::new(quantity, composition.clone()).with_direction(question.direction.into());
        let query = query.with_digits(digits).checked()?;
        let limits = budget(question.limits);
        let said = said(asked, &query, &limits)?;
        let exact = if asked.alone { None } else { Some(answer(&query, &limits)?.outcome) };
        let told = Told { asked, query: &query, digits, said: &said, exact: exact.as_ref() };
        if question.json {
            say_json(&told.line())?;
        } else if many {
            let (titles, cells) = told.cells();
            table.get_or_insert_with(|| told.table(&titles)).row(cells);
        } else {
            say(&told.text())?;
        }
    }
    if let Some(table) = table {
        say(&table.text())?;
    }
    Ok(Status::Fine)
}

/// What the theorem says at one point.
fn said(asked: &Approximate, query: &Query, limits: &Budget) -> Result<Said, Failure> {
    let (kind, own, work) = (asked.kind, query.mechanism.clone(), limits.clone());
    let (point, way, digits) = (query.quantity.clone(), query.direction, query.digits);
    let order = asked.order.unwrap_or(2);
    let form = asked.form.map_or(Form::Auto, Form::from);
    Ok(supervise::within(limits, move || {
        let bits = bits_of_digits(digits).saturating_add(32);
        match kind {
            Theorem::Clt => clt(&own, form, &point, bits, &work),
            Theorem::BerryEsseen => berry_esseen(&own, &point, bits, &work),
            Theorem::Edgeworth => edgeworth(&own, order, &point, way, bits, &work),
            Theorem::Clones => amplification(&own, shuffling::Theorem::Clones, &point, bits),
            Theorem::StrongerClones => amplification(&own, shuffling::Theorem::Stronger, &point, bits),
            Theorem::ShiftedRenyi => shifted(&own, &point, bits, &work),
        }
    })?)
}

fn clt(composition: &Composition, form: Form, at: &Quantity, bits: u32, budget: &Budget) -> Result<Said, Error> {
    let limit = Clt::of(composition, form, bits, budget)?;
    let value = match at {
        Quantity::Delta { epsilon } => finite(limit.delta(epsilon, bits, budget)?),
        Quantity::Beta { alpha } => finite(limit.beta(alpha, bits, budget)?),
        Quantity::Epsilon { delta } => limit.epsilon(delta, bits, budget)?,
        _ => return Err(Error::input("a limit has delta, epsilon and beta")),
    };
    Ok(Said { parameters: vec![("mu", limit.mu().clone())], what: Claim::Approximation(value) })
}

fn berry_esseen(composition: &Composition, at: &Quantity, bits: u32, budget: &Budget) -> Result<Said, Error> {
    let bounds = BerryEsseen::of(composition, bits, budget)?;
    let values = match at {
        Quantity::Delta { epsilon } => bounds.delta(epsilon, bits, budget)?.map(finite),
        Quantity::Beta { alpha } => bounds.beta(alpha, bits, budget)?.map(finite),
        Quantity::Epsilon { delta } => bounds.epsilon(delta, bits, budget)?,
        _ => return Err(Error::input("the theorem is of delta, epsilon and beta")),
    };
    let parameters = vec![("mu", bounds.mu().clone()), ("gamma", bounds.gamma().clone())];
    Ok(Said { parameters, what: Claim::Between(values) })
}

fn edgeworth(
    composition: &Composition,
    order: u32,
    at: &Quantity,
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Said, Error> {
    let expansion = Edgeworth::of(composition, order, bits, budget)?;
    let value = match at {
        Quantity::Delta { epsilon } => finite(expansion.delta(epsilon, direction, bits, budget)?),
        Quantity::Beta { alpha } => finite(expansion.beta(alpha, direction, bits, budget)?),
        Quantity::Epsilon { delta } => expansion.epsilon(delta, direction, bits, budget)?,
        _ => return Err(Error::input("an expansion has delta, epsilon and beta")),
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
                "this theorem is about one shuffle of any local mechanism, such as shuffle(n=10000, epsilon0=1), not \
                 {composition}"
            )));
        }
    };
    let reports = Reports { n: reports.0, epsilon0: reports.1.clone() };
    let value = match at {
        Quantity::Delta { epsilon } => reports.delta(theorem, epsilon, bits)?,
        Quantity::Epsilon { delta } => reports.epsilon(theorem, delta, bits)?,
        _ => return Err(Error::input("amplification by shuffling has delta and epsilon")),
    };
    Ok(Said { parameters: Vec::new(), what: Claim::Below(finite(value)) })
}

fn shifted(composition: &Composition, at: &Quantity, bits: u32, budget: &Budget) -> Result<Said, Error> {
    let (Some((Mechanism::NoisyCgd(mechanism), 1)), Quantity::Epsilon { delta }) = (composition.single(), at) else {
        return Err(Error::input(format!(
            "this bound is of the epsilon of one noisy-cgd(...) at a delta, and {composition} was asked for"
        )));
    };
    let rho = mechanism.rho()?.enclosure(bits);
    let value = theorem::shifted::epsilon(mechanism, delta, bits, budget)?;
    Ok(Said { parameters: vec![("rho", rho)], what: Claim::Below(finite(value)) })
}

fn finite(set: Enclosure) -> Value {
    Value::Finite(Number::Enclosed(set))
}

/// All that is told.
struct Told<'a> {
    asked: &'a Approximate,
    query: &'a Query,
    digits: u32,
    said: &'a Said,
    exact: Option<&'a Outcome>,
}

impl Told<'_> {
    fn name(&self) -> String {
        match self.asked.kind {
            Theorem::Clt => "central limit theorem".to_string(),
            Theorem::BerryEsseen => "Berry-Esseen theorem".to_string(),
            Theorem::Edgeworth => format!("Edgeworth expansion of order {}", self.asked.order.unwrap_or(2)),
            Theorem::Clones => "clones of 2022 in closed form".to_string(),
            Theorem::StrongerClones => "stronger clones of 2023 in closed form".to_string(),
            Theorem::ShiftedRenyi => "shifted Renyi divergences".to_string(),
        }
    }

    fn statement(&self) -> &'static Statement {
        match self.asked.kind {
            Theorem::Clt => &statement::CENTRAL_LIMIT,
            Theorem::BerryEsseen => &statement::BERRY_ESSEEN,
            Theorem::Edgeworth => &statement::EDGEWORTH,
            Theorem::Clones | Theorem::StrongerClones => &statement::AMPLIFICATION,
            Theorem::ShiftedRenyi => &statement::SHIFTED,
        }
    }

    /// Approximation minus exact value.
    fn error(&self) -> Option<Number> {
        match (&self.said.what, self.exact?.number()?) {
            (Claim::Approximation(Value::Finite(value)), exact) => Some(value - &exact),
            _ => None,
        }
    }

    fn line(&self) -> Line {
        let shown = |value| Some(Shown::of(value, self.digits));
        let (approximation, lower_bound, upper_bound) = match &self.said.what {
            Claim::Approximation(value) => (shown(value), None, None),
            Claim::Between([lower, upper]) => (None, shown(lower), shown(upper)),
            Claim::Below(upper) => (None, None, shown(upper)),
        };
        let parameter = |name| {
            let found = self.said.parameters.iter().find(|(known, _)| *known == name);
            found.map(|(_, set)| Numbers::of(&Number::Enclosed(set.clone()), self.digits))
        };
        let exact = self.exact.map(|outcome| match outcome {
            Outcome::Exact(value) => Shown { kind: "exact", numbers: Numbers::of(&value.into(), self.digits) },
            Outcome::Infinite => Shown { kind: "infinite", numbers: Numbers::default() },
            other => match other.number() {
                Some(number) => Shown::of(&Value::Finite(number), self.digits),
                None => Shown { kind: "undecided", numbers: Numbers::default() },
            },
        });
        Line {
            theorem: typed(self.asked.kind),
            order: (self.asked.kind == Theorem::Edgeworth).then(|| self.asked.order.unwrap_or(2)),
            quantity: self.query.quantity.name(),
            mechanism: self.query.mechanism.to_string(),
            at: self.query.quantity.point(),
            direction: self.query.direction,
            certified: !matches!(self.said.what, Claim::Approximation(_)),
            mu: parameter("mu"),
            gamma: parameter("gamma"),
            rho: parameter("rho"),
            approximation,
            lower_bound,
            upper_bound,
            exact,
            error: self.error().map(|number| Numbers::of(&number, self.digits)),
            statement: self.statement().citation(),
        }
    }

    /// An empty table, of rows with these cells.
    fn table(&self, titles: &[&str]) -> Table {
        let name = match &self.query.quantity {
            Quantity::Delta { .. } => "delta",
            Quantity::Epsilon { .. } => "epsilon",
            _ => "beta",
        };
        let mut table = Table::new(format!("{name} of {}, by the {}", self.query.mechanism, self.name()), titles);
        if matches!(self.said.what, Claim::Approximation(_)) {
            table.source("an approximation has no certificate".to_string());
        }
        table.source(self.statement().citation().to_string());
        table
    }

    /// One point as cells, with the titles of their columns.
    fn cells(&self) -> (Vec<&'static str>, Vec<String>) {
        let short = |text: String| text.trim_start_matches("in ").trim_start_matches("= ").to_string();
        let number = |number: &Number| {
            let text = number_text(number, self.digits, false);
            short(text.lines().last().unwrap_or_default().trim().to_string())
        };
        let value = |value: &Value| match value {
            Value::Finite(finite) => number(finite),
            Value::Infinite => "infinite".to_string(),
        };
        let (coordinate, at) = match &self.query.quantity {
            Quantity::Epsilon { delta } => ("delta", delta),
            Quantity::Beta { alpha } => ("alpha", alpha),
            Quantity::Delta { epsilon } => ("epsilon", epsilon),
            _ => return Default::default(),
        };
        let mut all = vec![(coordinate, Brief(at).to_string())];
        match &self.said.what {
            Claim::Approximation(said) => all.push(("approximation", value(said))),
            Claim::Between([lower, upper]) => {
                all.extend([("lower bound", value(lower)), ("upper bound", value(upper))])
            }
            Claim::Below(upper) => all.push(("upper bound", value(upper))),
        }
        if let Some(exact) = self.exact {
            let shown = match exact {
                Outcome::Infinite => "infinite".to_string(),
                outcome => outcome.number().map_or("undecided".to_string(), |exact| number(&exact)),
            };
            all.push(("exact", shown));
            if matches!(self.said.what, Claim::Approximation(_)) {
                all.push(("error", self.error().map_or("-".to_string(), |error| number(&error))));
            }
        }
        all.into_iter().unzip()
    }

    fn text(&self) -> String {
        let number = |number: &Number| number_text(number, self.digits, false).replace("\n ", "");
        let value = |value: &Value| match value {
            Value::Finite(finite) => number(finite),
            Value::Infinite => "infinite".to_string(),
        };
        let question = match &self.query.quantity {
            Quantity::Delta { epsilon } => format!("delta at epsilon = {epsilon}"),
            Quantity::Epsilon { delta } => format!("epsilon at delta = {delta}"),
            Quantity::Beta { alpha } => format!("beta at alpha = {alpha}"),
            _ => String::new(),
        };
        let mut lines = vec![format!("{question} of {}, by the {}", self.query.mechanism, self.name())];
        for (name, set) in &self.said.parameters {
            lines.push(format!("  {name:<14} {}", number(&Number::Enclosed(set.clone()))));
        }
        match &self.said.what {
            Claim::Approximation(said) => lines.push(format!("  approximation  {}  (no certificate)", value(said))),
            Claim::Between([lower, upper]) => {
                lines.push(format!("  lower bound    {}", value(lower)));
                lines.push(format!("  upper bound    {}", value(upper)));
            }
            Claim::Below(upper) => lines.push(format!("  upper bound    {}", value(upper))),
        }
        match self.exact {
            Some(Outcome::Infinite) => lines.push("  exact          infinite".to_string()),
            Some(outcome) => match outcome.number() {
                Some(exact) => lines.push(format!("  exact          {}", number(&exact))),
                None => lines.push("  exact          undecided".to_string()),
            },
            None => {}
        }
        if let Some(error) = self.error() {
            lines.push(format!("  error          {}", number(&error)));
        }
        lines.push(format!("  {}", self.statement().citation()));
        lines.join("\n")
    }
}
