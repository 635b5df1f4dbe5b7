//! Parser for compositions; the grammar is in the [module documentation](super).

use std::str::FromStr;

use winnow::Parser;
use winnow::ascii::multispace0;
use winnow::combinator::opt;
use winnow::stream::{Location, Stream};
use winnow::token::{any, one_of, take_while};

use super::catalogue::{Kind, shortened, unknown};
use super::mixture::{self, REST, Weighed, Weight};
use super::template::{Place, Unknown};
use super::{Argument, Cause, Composition, Entry, Mechanism, Real, abbreviation, check, file, meaning};
use crate::error::Error;
use enclosure::syntax::{Input, ParseError, Parsed, complete, expected, fault};
use enclosure::{Meter, constant, constant_atom};

/// Permissions of a text, and the work spent on it.
struct Context<'m> {
    /// May it name files?
    files: bool,
    meter: &'m mut Meter,
    /// The value for `?`, if the text may contain one.
    unknown: Option<&'m mut Unknown>,
    /// Notes about expanded shorthands.
    notes: Vec<String>,
    /// Why the composition is only a bound, if a shorthand expanded to a bound.
    only: Option<Cause>,
}

impl Composition {
    /// Parse an expression, reading the files that it names (`@census.toml`).
    pub(crate) fn parse(source: &str) -> Result<Self, ParseError> {
        Self::parse_with(source, true, &mut Meter::default())
    }

    /// Parse an expression that may not name files, for untrusted text.
    pub fn parse_closed(source: &str) -> Result<Self, ParseError> {
        Self::parse_metered(source, &mut Meter::default())
    }

    /// Parse one of several texts that share a meter.
    pub(super) fn parse_metered(source: &str, meter: &mut Meter) -> Result<Self, ParseError> {
        Self::parse_with(source, false, meter)
    }

    fn parse_with(source: &str, files: bool, meter: &mut Meter) -> Result<Self, ParseError> {
        let mut context = Context { files, meter, unknown: None, notes: Vec::new(), only: None };
        let read = complete(source, "'*', '^' or the end", |input| product(input, &mut context))?;
        Ok(read.noting(context.notes).bounding(context.only))
    }

    /// Parse a text with a `?`, whose value `unknown` supplies.
    pub(super) fn parse_open(source: &str, files: bool, unknown: &mut Unknown) -> Result<Self, ParseError> {
        let mut context =
            Context { files, meter: &mut Meter::default(), unknown: Some(unknown), notes: Vec::new(), only: None };
        let read = complete(source, "'*', '^' or the end", |input| product(input, &mut context))?;
        Ok(read.noting(context.notes).bounding(context.only))
    }
}

impl Context<'_> {
    /// The constant for a `?` that was just read at this place.
    fn open(&mut self, position: usize, place: Place) -> Parsed<Real> {
        match &mut self.unknown {
            None => fault(position, "only `calibrate` accepts a parameter marked `?`"),
            Some(unknown) => unknown.stand_in(place).or_else(|message| fault(position, message)),
        }
    }
}

impl FromStr for Composition {
    type Err = Error;
    fn from_str(source: &str) -> Result<Self, Error> {
        Ok(Composition::parse(source)?)
    }
}

fn space(input: &mut Input<'_>) -> Parsed<()> {
    multispace0.void().parse_next(input)
}

fn product(input: &mut Input<'_>, context: &mut Context<'_>) -> Parsed<Composition> {
    let start = input.current_token_start();
    let mut factors: Vec<(Mechanism, u64)> = Vec::new();
    loop {
        factors.extend(repeated(input, context)?.into_factors());
        if opt('*').parse_next(input)?.is_none() {
            break;
        }
        no_count(*input)?;
    }
    at(start, Composition::new(factors))
}

/// Refuse a number after `*`. A separate function, to keep the stack frames of the recursion small.
fn no_count(mut ahead: Input<'_>) -> Parsed<()> {
    space(&mut ahead)?;
    match ahead.peek_token() {
        Some(c) if c.is_ascii_digit() => {
            expected(&ahead, "a mechanism; write a product of counts in parentheses, as in ^(60*235)")
        }
        _ => Ok(()),
    }
}

fn at<T>(position: usize, result: Result<T, Error>) -> Parsed<T> {
    result.or_else(|error| match error {
        Error::Input(message) => fault(position, message),
        Error::Undecided(reason) => fault(position, reason.to_string()),
        other => fault(position, other.to_string()),
    })
}

fn repeated(input: &mut Input<'_>, context: &mut Context<'_>) -> Parsed<Composition> {
    let inner = single(input, context)?;
    space(input)?;
    if opt('^').parse_next(input)?.is_none() {
        return Ok(inner);
    }
    space(input)?;
    let start = input.current_token_start();
    let count = if opt('?').parse_next(input)?.is_some() {
        let count = context.open(start, Place::Repeats)?;
        space(input)?;
        count
    } else {
        let negative = opt('-').parse_next(input)?.is_some();
        let count = constant_atom(input, context.meter)?;
        if negative { count.neg() } else { count }
    };
    let times = at(start, check::count("the number of repeats", &count))?;
    if input.peek_token() == Some('^') {
        return expected(input, "parentheses around a repeated repetition, as in (gaussian(sigma=1)^2)^3");
    }
    at(start, inner.repeat(times))
}

fn single(input: &mut Input<'_>, context: &mut Context<'_>) -> Parsed<Composition> {
    space(input)?;
    let start = input.current_token_start();
    match input.peek_token() {
        Some('(') => {
            any.void().parse_next(input)?;
            let inner = product(input, context)?;
            match opt(')').parse_next(input)? {
                Some(_) => Ok(inner),
                None => expected(input, "'*', '^' or ')'"),
            }
        }
        Some('@') => {
            any.void().parse_next(input)?;
            let path = path(input)?;
            if !context.files {
                return fault(start, "files are not allowed here; write out the composition");
            }
            if let Some(unknown) = &mut context.unknown
                && let Ok(Some(text)) = unknown.text(&path)
            {
                let read = complete(&text, "'*', '^' or the end", |input| product(input, context));
                return read.or_else(|error| fault(start, format!("{path}: {error}")));
            }
            let known = context.unknown.as_ref().and_then(|unknown| unknown.file(&path));
            match known.map_or_else(|| file::load(&path), Ok) {
                Ok(composition) => {
                    if let Some(unknown) = &mut context.unknown {
                        unknown.keep_file(&path, &composition);
                    }
                    context.notes.extend(composition.notes().iter().cloned());
                    context.only = context.only.or(composition.only());
                    Ok(composition)
                }
                Err(error) => fault(start, format!("{error}{}", blank(input))),
            }
        }
        Some(c) if c.is_ascii_alphabetic() => mechanism(input, context),
        _ => expected(input, "a mechanism, as in gaussian(sigma=1)"),
    }
}

/// `"any path"` in quotation marks, a part of the file behind them or not, or one without spaces and operators.
fn path(input: &mut Input<'_>) -> Parsed<String> {
    let bare = |c: char| !c.is_whitespace() && !"*^()[],\"".contains(c);
    if opt('"').parse_next(input)?.is_some() {
        let path: &str = take_while(0.., |c| c != '"').parse_next(input)?;
        if opt('"').parse_next(input)?.is_none() {
            return expected(input, "'\"' after the path");
        }
        let part: &str = if input.peek_token() == Some(':') { take_while(0.., bare).parse_next(input)? } else { "" };
        return Ok(format!("{path}{part}"));
    }
    let path: &str = take_while(0.., bare).parse_next(input)?;
    if path.is_empty() { expected(input, "a path after '@'") } else { Ok(path.into()) }
}

/// Advice if an unreadable path seems to continue after a space.
fn blank(ahead: &Input<'_>) -> &'static str {
    let mut rest = *ahead;
    let goes_on = space(&mut rest).is_ok() && rest.peek_token().is_some_and(|c| !"*^)],:".contains(c));
    let quoted = "; put a path with spaces in quotation marks, as in @\"my files/steps.toml\"";
    if goes_on { quoted } else { "" }
}

fn name<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_').parse_next(input)
}

fn mechanism(input: &mut Input<'_>, context: &mut Context<'_>) -> Parsed<Composition> {
    let start = input.current_token_start();
    let name = name(input)?;
    let Some(entry) = Entry::find(name).or_else(|| Entry::abbreviation(name)) else {
        return fault(start, unknown(name));
    };
    space(input)?;
    if opt('(').parse_next(input)?.is_none() {
        return expected(input, &format!("'(', as in {}", entry.usage()));
    }
    let (given, positions, open) =
        if entry.takes_parts() { parts(entry, input, context)? } else { arguments(entry, input, context)? };
    if open && let Some(unknown) = &mut context.unknown {
        unknown.beside(&given).or_else(|message| fault(start, message))?;
    }
    if open && let Some(instead) = context.unknown.as_ref().and_then(|unknown| unknown.instead()) {
        return Ok(Composition::from(instead));
    }
    built(entry, given, &positions, start, context)
}

/// The composition of these arguments. A separate function, to keep the stack frames of the recursion small.
fn built(
    entry: &'static Entry,
    given: Vec<(String, Argument)>,
    positions: &[usize],
    start: usize,
    context: &mut Context<'_>,
) -> Parsed<Composition> {
    context.only = context.only.or(meaning::rewritten(entry, &given));
    let made = match abbreviation::meaning(entry, &given) {
        Some(meaning) => meaning.map(|meaning| {
            context.notes.push(meaning.note);
            context.only = context.only.or(meaning.only);
            meaning.factors
        }),
        None => entry.mechanism(given).map(|mechanism| vec![(mechanism, 1)]),
    };
    match made {
        Ok(factors) => at(start, Composition::new(factors)),
        Err(misfit) => {
            let place = misfit.argument.and_then(|index| positions.get(index));
            fault(place.copied().unwrap_or(start), misfit.message)
        }
    }
}

/// Arguments, their positions, and whether one of them is a `?`.
type Given = (Vec<(String, Argument)>, Vec<usize>, bool);

fn arguments(entry: &'static Entry, input: &mut Input<'_>, context: &mut Context<'_>) -> Parsed<Given> {
    let (mut given, mut positions, mut open) = (Vec::new(), Vec::new(), false);
    space(input)?;
    if opt(')').parse_next(input)?.is_some() {
        return Ok((given, positions, open));
    }
    loop {
        space(input)?;
        let start = input.current_token_start();
        if given.len() >= 100 {
            return fault(start, "more than 100 arguments");
        }
        let (name, value, unknown) = argument(entry, input, context)?;
        given.push((name, value));
        positions.push(start);
        open |= unknown;
        match opt(one_of([',', ')'])).parse_next(input)? {
            Some(',') => {}
            Some(_) => return Ok((given, positions, open)),
            None if unknown => return expected(input, "',' or ')' after '?', which replaces a whole number"),
            None => return expected(input, "an operator, ',' or ')'"),
        }
    }
}

/// A weight: a constant, `rest`, or `?`.
fn weight(input: &mut Input<'_>, context: &mut Context<'_>) -> Parsed<Weight> {
    let start = input.current_token_start();
    if opt('?').parse_next(input)?.is_some() {
        context.open(start, Place::Weight)?;
        return Ok(Weight::Sought);
    }
    let mut ahead = *input;
    if name(&mut ahead).is_ok_and(|word| word == REST) {
        *input = ahead;
        return Ok(Weight::Rest);
    }
    Ok(Weight::Number(constant(input, context.meter)?))
}

/// The weights of these compositions as numbers. A separate function, to keep the stack frames of the recursion small.
fn weighed(
    weights: &[Weight],
    parts: &[Composition],
    starts: &[usize],
    context: &mut Context<'_>,
) -> Parsed<Vec<Real>> {
    let mut sought = |left: &rug::Rational| match &context.unknown {
        Some(unknown) => unknown.weight(left),
        None => Ok(Real::zero()),
    };
    let numbers = mixture::numbers(weights, &mut sought)
        .or_else(|(at, told)| fault(starts.get(at).copied().unwrap_or_default(), told))?;
    if let (Some(unknown), Some(weighed)) = (&mut context.unknown, Weighed::new(weights, &numbers, parts)) {
        unknown.weighed = Some(weighed);
    }
    Ok(numbers)
}

/// Compositions, each with its weight before it: `1/3: gdp(mu=1), 2/3: laplace(scale=1)^2)`.
fn parts(entry: &'static Entry, input: &mut Input<'_>, context: &mut Context<'_>) -> Parsed<Given> {
    let (mut weights, mut all, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    space(input)?;
    if opt(')').parse_next(input)?.is_some() {
        return Ok((Vec::new(), starts, false));
    }
    loop {
        space(input)?;
        starts.push(input.current_token_start());
        weights.push(weight(input, context)?);
        space(input)?;
        if opt(':').parse_next(input)?.is_none() {
            return expected(input, &format!("':' after a weight, as in {}", entry.example));
        }
        all.push(product(input, context)?);
        match opt(one_of([',', ')'])).parse_next(input)? {
            Some(',') => {}
            Some(_) => break,
            None => return expected(input, "'*', '^', ',' or ')'"),
        }
    }
    let weights = weighed(&weights, &all, &starts, context)?;
    let kinds = [(Kind::List, Argument::List(weights)), (Kind::Mechanisms, Argument::Mechanisms(all))];
    let named = |(kind, value): (Kind, Argument)| {
        let parameter = entry.parameters.iter().find(|parameter| parameter.kind() == kind);
        parameter.map(|parameter| (parameter.name.to_string(), value))
    };
    Ok((kinds.into_iter().filter_map(named).collect(), starts, false))
}

/// `name=value`, or the mechanism inside without a name; and whether the value is a `?`.
fn argument(
    entry: &'static Entry,
    input: &mut Input<'_>,
    context: &mut Context<'_>,
) -> Parsed<(String, Argument, bool)> {
    let inner = entry.inner();
    if let Some(inner) = inner
        && begins_mechanism(input)
    {
        return Ok((inner.name.to_string(), Argument::Mechanism(product(input, context)?), false));
    }
    if !input.peek_token().is_some_and(|c| c.is_ascii_alphabetic()) {
        return expected(input, &format!("a parameter with its name, as in {}", entry.usage()));
    }
    let name = name(input)?;
    space(input)?;
    if opt('=').parse_next(input)?.is_none() {
        return expected(input, &format!("'=' after `{}`, as in {}", shortened(name), entry.usage()));
    }
    space(input)?;
    let start = input.current_token_start();
    if opt('?').parse_next(input)?.is_some() {
        let value = context.open(start, Place::parameter(entry, name))?;
        space(input)?;
        return Ok((name.to_string(), Argument::Constant(value), true));
    }
    let value = match inner {
        Some(inner) if inner.name == name => Argument::Mechanism(product(input, context)?),
        _ => value(input, context)?,
    };
    Ok((name.to_string(), value, false))
}

/// Is what follows a mechanism rather than `name=`? Nothing is taken from the input.
fn begins_mechanism(input: &Input<'_>) -> bool {
    let mut ahead = *input;
    match ahead.peek_token() {
        Some('(' | '@') => true,
        Some(c) if c.is_ascii_alphabetic() => {
            let known = |name: &str| Entry::find(name).is_some() || Entry::abbreviation(name).is_some();
            let known = name(&mut ahead).is_ok_and(known);
            let next = space(&mut ahead).ok().and_then(|()| ahead.peek_token());
            next == Some('(') || known && next != Some('=')
        }
        _ => false,
    }
}

fn value(input: &mut Input<'_>, context: &mut Context<'_>) -> Parsed<Argument> {
    space(input)?;
    if opt('[').parse_next(input)?.is_none() {
        return Ok(Argument::Constant(constant(input, context.meter)?));
    }
    let mut values = Vec::new();
    space(input)?;
    if opt(']').parse_next(input)?.is_none() {
        loop {
            space(input)?;
            if input.peek_token() == Some('?') {
                return expected(input, "a constant: a '?' cannot be an entry of a list");
            }
            values.push(constant(input, context.meter)?);
            match opt(one_of([',', ']'])).parse_next(input)? {
                Some(',') => {}
                Some(_) => break,
                None => return expected(input, "an operator, ',' or ']'"),
            }
        }
    }
    space(input)?;
    Ok(Argument::List(values))
}
