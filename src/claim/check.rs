//! The ways to check a claim.
//!
//! A check holds two sides against each other that come from different computations: what a paper prints against the
//! sum over all tests, the product outcome by outcome, an engine, or another formula that the paper derives it from.

use rug::Rational;

use super::algebra::{Exact, Fraction};
use super::formula::{Formula, Names};
use super::prove::{Numbers, Range, Search, nowhere_negative};
use super::tally::Tally;
use super::verdict::Verdict;
use crate::error::Error;
use enclosure::{Budget, Number, Real, refine};

/// A variable, and a formula for it in others.
pub type Named = (&'static str, &'static str);

/// A variable, from where, and to where: `inf` for no end.
pub type Side = (&'static str, &'static str, &'static str);

/// Parts of a box that are looked at, unless a check says otherwise.
const PARTS: usize = 200_000;

/// Digits of numbers at points; more where a comparison wants them.
const DIGITS: u32 = 20;

/// Bits of two enclosures that are to meet.
const SAME_BITS: u32 = 320;

/// How a claim is checked.
#[derive(Clone, Copy)]
pub enum Check {
    /// Both sides are the same rational function of all variables.
    Identity {
        /// The variables.
        of: &'static [&'static str],
        /// One side.
        left: &'static str,
        /// The other.
        right: &'static str,
    },
    /// The same, of a statement about points where none of `within` is negative. The functions are the same everywhere
    /// or nowhere near, so that the proof is the same; a counterexample is one of the statement's own points.
    IdentityWithin {
        /// The variables.
        of: &'static [&'static str],
        /// Expressions that are nonnegative on the domain.
        within: &'static [&'static str],
        /// One side.
        left: &'static str,
        /// The other.
        right: &'static str,
    },
    /// `left <= right` for rational functions, wherever the variables are as in `where_`, with every other name from 0
    /// to infinity: then no coefficient of the difference is negative.
    Always {
        /// The variables by others that are free: `x = 1 + u` says `x >= 1`, `d = 1/(1+v)` says `0 < d <= 1`.
        where_: &'static [Named],
        /// The free ones.
        free: &'static [&'static str],
        /// The smaller side.
        left: &'static str,
        /// The larger side.
        right: &'static str,
    },
    /// `left <= right` on a whole box, by branch and bound.
    OnBox {
        /// The box.
        of: &'static [Side],
        /// The smaller side.
        left: &'static str,
        /// The larger side.
        right: &'static str,
    },
    /// `left <= right` at points, each a list of constants.
    AtPoints {
        /// The variables.
        of: &'static [&'static str],
        /// The points.
        at: &'static [&'static [&'static str]],
        /// The smaller side.
        left: &'static str,
        /// The larger side.
        right: &'static str,
    },
    /// `left = right` at points: enclosures of many digits that meet.
    SameAtPoints {
        /// The variables.
        of: &'static [&'static str],
        /// The points.
        at: &'static [&'static [&'static str]],
        /// One side.
        left: &'static str,
        /// The other.
        right: &'static str,
    },
    /// Whatever a function finds.
    Computed(fn() -> Result<Verdict, Error>),
    /// All of these.
    All(&'static [Check]),
    /// All of these, which are inequalities between the only numbers that the statement is about: certified, they prove
    /// it.
    Figures(&'static [Check]),
}

impl Check {
    /// Run it; `with` are abbreviations.
    pub fn run(&self, with: &[Named]) -> Result<Verdict, Error> {
        match *self {
            Check::Identity { of, left, right } => identity(&names(of, with)?, &[], left, right),
            Check::IdentityWithin { of, within, left, right } => identity(&names(of, with)?, within, left, right),
            Check::Always { where_, free, left, right } => always(where_, free, with, left, right),
            Check::OnBox { of, left, right } => on_box(of, with, left, right),
            Check::AtPoints { of, at, left, right } => at_points(&names(of, with)?, at, left, right),
            Check::SameAtPoints { of, at, left, right } => same_at_points(&names(of, with)?, at, left, right),
            Check::Computed(find) => find(),
            Check::All(checks) => Verdict::all(checks.iter().map(|check| check.run(with))),
            Check::Figures(checks) => {
                Ok(Verdict::all(checks.iter().map(|check| check.run(with)))?.of_nothing_else("the numbers printed"))
            }
        }
    }
}

fn names(of: &[&str], with: &[(&str, &str)]) -> Result<Names, Error> {
    with.iter().try_fold(Names::new(of.iter().copied()), |names, (name, text)| names.with(name, text))
}

fn exact(text: &str, names: &Names) -> Result<Fraction, Error> {
    let variables: Vec<_> = (0..names.variables().len()).map(Fraction::variable).collect();
    Formula::read(text, names)?.evaluate(&Exact, &variables)
}

fn identity(names: &Names, within: &[&str], left: &str, right: &str) -> Result<Verdict, Error> {
    let difference = exact(left, names)?.sub(&exact(right, names)?);
    let within = within.iter().map(|text| exact(text, names)).collect::<Result<Vec<_>, Error>>()?;
    same(names.variables(), &within, &difference)
}

/// The verdict on a difference that is to be the zero function where none of `within` is negative.
pub fn same(variables: &[String], within: &[Fraction], difference: &Fraction) -> Result<Verdict, Error> {
    if difference.is_zero() {
        return Ok(Verdict::exact("the same rational function"));
    }
    let inside = |point: &[Rational]| within.iter().all(|f| f.at(point).is_some_and(|value| value.cmp0().is_ge()));
    let found = lattice(variables.len()).filter(|point| inside(point)).find_map(|point| {
        let value = difference.at(&point)?;
        (!value.is_zero()).then(|| (shown(variables, &point), value))
    });
    Ok(match found {
        Some((at, value)) => Verdict::Fails { at, margin: Some(Number::Exact(value.abs())) },
        None => Verdict::Undecided { why: "the functions differ, but no small counterexample was found".to_string() },
    })
}

/// Small positive rationals for the variables, the simplest first.
fn lattice(variables: usize) -> impl Iterator<Item = Vec<Rational>> {
    let values = [(2, 1), (1, 2), (3, 1), (1, 3), (3, 2), (1, 4)].map(Rational::from);
    let count = values.len().pow(u32::try_from(variables.min(6)).unwrap_or(6));
    (0..count).map(move |mut index| {
        (0..variables)
            .map(|_| {
                let value = values[index % values.len()].clone();
                index /= values.len();
                value
            })
            .collect()
    })
}

/// A point with the names of its coordinates.
fn shown(names: &[String], point: &[Rational]) -> String {
    let parts: Vec<String> = names.iter().zip(point).map(|(name, value)| format!("{name} = {value}")).collect();
    told(&parts)
}

/// Coordinates of a point, or what there is to say of a statement without variables.
fn told(coordinates: &[String]) -> String {
    if coordinates.is_empty() { "the numbers as printed".to_string() } else { coordinates.join(", ") }
}

fn always(where_: &[Named], free: &[&str], with: &[Named], left: &str, right: &str) -> Result<Verdict, Error> {
    let mut names = Names::new(free.iter().copied());
    for (name, text) in where_.iter().chain(with) {
        names = names.with(name, text)?;
    }
    let difference = exact(right, &names)?.sub(&exact(left, &names)?);
    if difference.never_negative() {
        return Ok(Verdict::exact("no negative coefficient"));
    }
    // Told in the variables of the statement, not in the free ones.
    let told: Vec<String> = where_.iter().map(|(name, _)| (*name).to_string()).collect();
    let own = where_.iter().map(|(name, _)| exact(name, &names)).collect::<Result<Vec<_>, _>>()?;
    let found = lattice(free.len()).find_map(|point| {
        let value = difference.at(&point)?;
        let at: Option<Vec<Rational>> = own.iter().map(|variable| variable.at(&point)).collect();
        value.cmp0().is_lt().then(|| at.map(|at| (shown(&told, &at), value)))?
    });
    Ok(match found {
        Some((at, value)) => Verdict::Fails { at, margin: Some(Number::Exact(value.abs())) },
        None => {
            Verdict::Undecided { why: "coefficients of both signs, but no small counterexample was found".to_string() }
        }
    })
}

/// `left <= right` on a box.
pub fn on_box(of: &[(&str, &str, &str)], with: &[(&str, &str)], left: &str, right: &str) -> Result<Verdict, Error> {
    let list: Vec<&str> = of.iter().map(|(name, _, _)| *name).collect();
    let names = names(&list, with)?;
    let end = |text: &str| {
        exact(text, &Names::default())?.as_constant().ok_or_else(|| Error::internal(format!("{text} is not a number")))
    };
    let ranges = of
        .iter()
        .map(|(_, from, to)| {
            let upper = if *to == "inf" { None } else { Some(end(to)?) };
            Ok(Range { lower: end(from)?, upper })
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let gap = Formula::read(right, &names)?.minus(Formula::read(left, &names)?);
    Ok(match nowhere_negative(&gap, &ranges, PARTS)? {
        Search::Proven(bound) => {
            let side = |(name, from, to): &(&str, &str, &str)| match *to {
                "inf" => format!("{name} >= {from}"),
                to => format!("{from} <= {name} <= {to}"),
            };
            let sides: Vec<String> = of.iter().map(side).collect();
            let by = format!("on {}", sides.join(", "));
            Verdict::Proven { margin: Some(bound.least), by, parts: bound.parts }
        }
        Search::Fails { point, value } => Verdict::Fails { at: shown(names.variables(), &point), margin: Some(-value) },
        Search::Undecided(why) => Verdict::Undecided { why },
    })
}

fn at_points(names: &Names, at: &[&[&str]], left: &str, right: &str) -> Result<Verdict, Error> {
    let (left, right) = (Formula::read(left, names)?, Formula::read(right, names)?);
    let gap = right.minus(left);
    let mut tally = Tally::default();
    for point in at {
        let constants = point.iter().map(|text| text.parse::<Real>()).collect::<Result<Vec<_>, Error>>()?;
        let told: Vec<String> =
            names.variables().iter().zip(*point).map(|(name, value)| format!("{name} = {value}")).collect();
        let value = refine(DIGITS, &Budget::default(), |bits| {
            let variables: Vec<Number> = constants.iter().map(|constant| constant.number(bits)).collect();
            gap.evaluate(&Numbers { bits }, &variables)
        })?;
        tally.not_negative(|| self::told(&told), &value);
    }
    tally.verdict()
}

fn same_at_points(names: &Names, at: &[&[&str]], left: &str, right: &str) -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for point in at {
        let told: Vec<String> =
            names.variables().iter().zip(*point).map(|(name, value)| format!("{name} = {value}")).collect();
        tally.meet(|| self::told(&told), &value(left, names, point)?, &value(right, names, point)?);
    }
    tally.verdict()
}

/// A formula at a point whose coordinates are constants, to many digits.
fn value(text: &str, names: &Names, point: &[&str]) -> Result<Number, Error> {
    let formula = Formula::read(text, names)?;
    let constants = point.iter().map(|text| text.parse::<Real>()).collect::<Result<Vec<_>, Error>>()?;
    let variables: Vec<Number> = constants.iter().map(|constant| constant.number(SAME_BITS)).collect();
    formula.evaluate(&Numbers { bits: SAME_BITS }, &variables)
}

/// The same, for a check that computes; the names are given with their constants.
pub fn formula_at(text: &str, point: &[(&str, &str)]) -> Result<Number, Error> {
    let constants: Vec<&str> = point.iter().map(|(_, constant)| *constant).collect();
    value(text, &Names::new(point.iter().map(|(name, _)| *name)), &constants)
}

/// The formulas of a check can be read: asked of all records at once, by a test.
#[cfg(test)]
pub fn readable(text: &str, of: &[&str], with: &[Named]) -> Result<(), Error> {
    Formula::read(text, &names(of, with)?).map(|_| ())
}
