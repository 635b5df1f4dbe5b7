//! `calibrate`: the number in the place of a `?`, and the two values that prove it.

use super::super::args::{Engine, Inverse};
use super::super::failure::{Failure, Status};
use super::super::interrupt::until;
use super::super::points::Scale;
use super::super::progress::spinner;
use super::super::talk;
use super::{budget, forgotten_at, points, say_json, say_painted};
use crate::calibrate::{Calibration, Target, calibrate_telling};
use crate::curve::Direction;
use crate::mechanism::Template;
use crate::print::{Table, calibrated_line, calibrated_row, calibrated_text, direction_text, shortfall};
use enclosure::{Brief, Real};

/// More promises than this are no table.
const MOST: usize = 10_000;

/// The target options.
pub struct Promise {
    pub epsilon: Option<String>,
    pub delta: Option<String>,
    pub beta: Option<String>,
    pub alpha: Option<String>,
    pub mu: Option<String>,
    pub rho: Option<String>,
    /// An order, and a value.
    pub renyi: Option<(String, String)>,
}

impl Promise {
    /// Each promise that was typed: every epsilon with every delta, or every alpha with every beta.
    fn targets(&self) -> Result<Vec<Target>, Failure> {
        let profile = |(epsilon, delta)| Target::Profile { epsilon, delta };
        let tradeoff = |(alpha, beta)| Target::Tradeoff { alpha, beta };
        match (self.epsilon.as_ref().zip(self.delta.as_ref()), self.alpha.as_ref().zip(self.beta.as_ref()), self) {
            (Some((epsilon, delta)), None, Promise { mu: None, rho: None, renyi: None, .. }) => {
                let epsilons = points("epsilon", epsilon, Scale::Linear)?;
                let deltas = points("delta", delta, Scale::Logarithmic)?;
                Ok(pairs(&epsilons, &deltas)?.into_iter().map(profile).collect())
            }
            (None, Some((alpha, beta)), Promise { mu: None, rho: None, renyi: None, .. }) => {
                let alphas = points("alpha", alpha, Scale::Logarithmic)?;
                let betas = points("beta", beta, Scale::Logarithmic)?;
                Ok(pairs(&alphas, &betas)?.into_iter().map(tradeoff).collect())
            }
            (None, None, Promise { mu: Some(mu), rho: None, renyi: None, .. }) => {
                Ok(points("mu", mu, Scale::Linear)?.into_iter().map(|mu| Target::Gdp { mu }).collect())
            }
            (None, None, Promise { mu: None, rho: Some(rho), renyi: None, .. }) => {
                Ok(points("rho", rho, Scale::Linear)?.into_iter().map(|rho| Target::Zcdp { rho }).collect())
            }
            (None, None, Promise { mu: None, rho: None, renyi: Some((order, value)), .. }) => {
                let orders = points("renyi", order, Scale::Linear)?;
                let values = points("renyi", value, Scale::Linear)?;
                Ok(pairs(&orders, &values)?.into_iter().map(|(order, value)| Target::Renyi { order, value }).collect())
            }
            _ => Err(Failure::input(
                "name one target: --epsilon and --delta, --beta and --alpha, --mu, --rho, or --renyi ORDER VALUE",
            )),
        }
    }
}

/// Each of the first with each of the second.
fn pairs(first: &[Real], second: &[Real]) -> Result<Vec<(Real, Real)>, Failure> {
    let count = first.len().saturating_mul(second.len());
    if count > MOST {
        return Err(Failure::input(format!("{count} targets exceed the maximum of {MOST}")));
    }
    Ok(first.iter().flat_map(|one| second.iter().map(move |other| (one.clone(), other.clone()))).collect())
}

/// `dpcert calibrate`.
pub fn run(inverse: &Inverse, engine: Engine, promise: &Promise) -> Result<Status, Failure> {
    let template = Template::parse(&inverse.mechanism).map_err(|error| match forgotten_at(&inverse.mechanism) {
        Some(advice) => Failure::input(advice),
        None => error.into(),
    })?;
    let targets = promise.targets()?;
    let direction: Direction = inverse.direction.into();
    let mut table = (targets.len() > 1).then(|| heading(&template, &targets, direction));
    let line = spinner();
    line.set_prefix(template.place().name());
    let mut worst = Status::Fine;
    for target in until(targets) {
        let cells = point(&target);
        let question = Calibration::new(template.clone(), target).with_direction(direction).with_method(engine.method);
        let question = match inverse.digits {
            Some(digits) => question.with_digits(digits),
            None => question,
        };
        let answer = calibrate_telling(&question, &budget(inverse.limits), &mut |what| {
            line.set_message(what.to_string());
            line.tick();
        });
        let answer = answer.inspect_err(|_| line.finish_and_clear())?;
        worst = worst.and((&answer.outcome).into());
        match &mut table {
            _ if inverse.json => line.suspend(|| say_json(&calibrated_line(&question, &answer)))?,
            Some(table) => {
                if let Some(why) = shortfall(&answer.outcome, question.digits, false) {
                    table.remark(format!("for {}: {why}", cells.join(", ")));
                }
                if let (true, false, Some(statement)) = (talk::is_verbose(), answer.method.is_empty(), answer.statement)
                {
                    table.source(format!("by {} ({})", answer.method, statement.citation()));
                    table.source(answer.order.citation().to_string());
                }
                table.row(cells.into_iter().chain(calibrated_row(&question, &answer)));
            }
            None => {
                line.finish_and_clear();
                let notes: String = question.template.notes().iter().map(|note| format!("\n  {note}")).collect();
                say_painted(&(calibrated_text(&question, &answer, talk::is_verbose()) + &notes))?;
            }
        }
    }
    line.finish_and_clear();
    if let Some(mut table) = table.filter(|_| !inverse.json) {
        template.notes().iter().for_each(|note| table.source(note.clone()));
        say_painted(&table.text())?;
    }
    Ok(worst)
}

/// The table of many promises, before there is a row in it.
fn heading(template: &Template, targets: &[Target], direction: Direction) -> Table {
    let (promise, columns) = match targets.first() {
        Some(Target::Tradeoff { .. }) => ("each beta at alpha", &["alpha", "beta"][..]),
        Some(Target::Gdp { .. }) => ("each mu", &["mu"][..]),
        Some(Target::Zcdp { .. }) => ("each rho", &["rho"][..]),
        Some(Target::Renyi { .. }) => ("each Renyi divergence at an order", &["order", "divergence"][..]),
        _ => ("each delta at epsilon", &["epsilon", "delta"][..]),
    };
    let direction = direction_text(direction);
    let columns = [columns, &["lower", "upper", "safe"]].concat();
    let name = template.place().name();
    Table::new(format!("{name} of {template:#} for {promise}{direction}"), &columns)
}

/// The target as table cells.
fn point(target: &Target) -> Vec<String> {
    let values = match target {
        Target::Profile { epsilon, delta } => vec![epsilon, delta],
        Target::Tradeoff { alpha, beta } => vec![alpha, beta],
        Target::Gdp { mu } => vec![mu],
        Target::Zcdp { rho } => vec![rho],
        Target::Renyi { order, value } => vec![order, value],
    };
    values.into_iter().map(|value| Brief(value).to_string()).collect()
}
