//! The language of constants.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = signed { ("*" | "/") signed }
//! signed  = { "-" | "+" } power
//! power   = primary [ "^" signed-power ]        right associative, so 2^3^2 = 2^9; the exponent may have a sign
//! primary = number | "f64:" double | ("sqrt" | "ln" | "exp") "(" sum ")" | "(" sum ")"
//! ```
//!
//! Values are computed while parsing, so each error has a position. The stack grows with the nesting only, which is
//! limited, and a meter stops constants that would take minutes to evaluate.

use std::cmp::Ordering;
use std::str::FromStr;

use rug::float::Round;
use rug::ops::Pow;
use rug::{Float, Integer, Rational};
use winnow::Parser;
use winnow::ascii::{digit0, digit1, hex_digit0, multispace0};
use winnow::combinator::{opt, peek};
use winnow::stream::{Location, Stream};
use winnow::token::{any, one_of, take_while};

use super::Real;
use crate::Error;
use crate::syntax::{Input, ParseError, Parsed, complete, expected, fault};

/// The most operations in one constant.
const MAX_OPERATIONS: u64 = 2000;

/// The most bits handled in one text, over all operations.
const MAX_WORK: u64 = 1 << 24;

/// The most bits of the denominators of one sum: the common one may have as many.
const MAX_DENOMINATORS: u64 = 1 << 21;

/// The most irrational terms in one constant.
const MAX_TERMS: usize = 100;

impl Real {
    /// Parse a constant; [`ParseError::caret`] points at an error.
    pub fn parse(source: &str) -> Result<Self, ParseError> {
        Self::parse_metered(source, &mut Meter::default())
    }

    /// Parse one of several constants that share a meter.
    pub fn parse_metered(source: &str, meter: &mut Meter) -> Result<Self, ParseError> {
        complete(source, "an operator or the end", |input| constant(input, meter))
    }
}

impl FromStr for Real {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        Ok(Real::parse(text)?)
    }
}

/// Parse a constant inside a longer text, with the white space around it.
pub fn constant(input: &mut Input<'_>, meter: &mut Meter) -> Parsed<Real> {
    meter.operations = 0;
    sum(input, meter)
}

/// Parse a number, a function or a parenthesized constant inside a longer text, with the white space around it.
pub fn constant_atom(input: &mut Input<'_>, meter: &mut Meter) -> Parsed<Real> {
    meter.operations = 0;
    primary(input, meter)
}

/// Work of the parser so far: operations on this constant, bits over all constants of the text.
#[derive(Default)]
pub struct Meter {
    operations: u64,
    work: u64,
}

impl Meter {
    fn charge(&mut self, position: usize, value: Real) -> Parsed<Real> {
        self.operations += 1;
        self.work = self.work.saturating_add(super::size(&value.rational)).saturating_add(weight(&value));
        if self.operations > MAX_OPERATIONS {
            return fault(position, format!("more than {MAX_OPERATIONS} operations in one constant"));
        }
        if self.work > MAX_WORK {
            return too_much_work(position);
        }
        if value.terms() > MAX_TERMS {
            return fault(position, format!("more than {MAX_TERMS} irrational terms in one constant"));
        }
        Ok(value)
    }

    /// The result of an operation written at `position`.
    fn done(&mut self, position: usize, result: Result<Real, Error>) -> Parsed<Real> {
        match result {
            Ok(value) => self.charge(position, value),
            Err(Error::Input(message) | Error::Undefined(message)) => fault(position, message),
            Err(Error::Undecided(reason)) => fault(position, reason.to_string()),
            Err(alarm @ (Error::Contradiction { .. } | Error::Internal { .. })) => fault(position, alarm.to_string()),
        }
    }
}

/// Bits of the irrational terms.
fn weight(value: &Real) -> u64 {
    value.rest.as_ref().map_or(0, |rest| {
        let roots = rest.roots.iter().map(|(n, c)| u64::from(n.significant_bits()) + super::size(c));
        let logs = rest.logs.iter().map(|(a, c)| super::size(a) + super::size(c));
        let atoms = rest.atoms.iter().map(|(_, c)| 4096 + super::size(c));
        roots.chain(logs).chain(atoms).sum()
    })
}

fn too_much_work<T>(position: usize) -> Parsed<T> {
    fault(position, "the constant is too expensive: its intermediate numbers are too large")
}

fn space(input: &mut Input<'_>) -> Parsed<()> {
    multispace0.void().parse_next(input)
}

fn sum(input: &mut Input<'_>, meter: &mut Meter) -> Parsed<Real> {
    let start = input.current_token_start();
    let first = product(input, meter)?;
    let mut terms = vec![first];
    // The normal form of a sum is found once, for the whole chain.
    while let Some(operator) = opt(one_of(['+', '-'])).parse_next(input)? {
        let at = input.current_token_start();
        let term = product(input, meter)?;
        terms.push(meter.charge(at, if operator == '-' { term.neg() } else { term })?);
    }
    if terms.len() == 1 {
        return Ok(terms.swap_remove(0));
    }
    let count: usize = terms.iter().map(|term| term.terms() - 1).sum();
    if count > 3 * MAX_TERMS {
        return fault(start, format!("more than {} irrational terms in one sum", 3 * MAX_TERMS));
    }
    let denominators = terms.iter().map(|term| u64::from(term.rational.denom().significant_bits()));
    if terms.len() > 2 && denominators.sum::<u64>() > MAX_DENOMINATORS {
        return fault(start, format!("the denominators of a sum have more than {MAX_DENOMINATORS} bits together"));
    }
    meter.work = meter.work.saturating_add(terms.iter().map(|term| weight(term).saturating_mul(count as u64)).sum());
    if meter.work > MAX_WORK {
        return too_much_work(start);
    }
    meter.charge(start, Real::sum(&terms))
}

fn product(input: &mut Input<'_>, meter: &mut Meter) -> Parsed<Real> {
    let mut value = signed(input, meter)?;
    while let Some(operator) = opt(one_of(['*', '/'])).parse_next(input)? {
        let at = input.current_token_start();
        let factor = signed(input, meter)?;
        let result = if operator == '*' { value.mul(&factor) } else { value.div(&factor) };
        value = meter.done(at, result)?;
    }
    Ok(value)
}

fn signs(input: &mut Input<'_>) -> Parsed<bool> {
    let signs = take_while(0.., |c: char| c == '-' || c == '+' || c.is_ascii_whitespace()).parse_next(input)?;
    Ok(signs.chars().filter(|&c| c == '-').count() % 2 == 1)
}

fn signed(input: &mut Input<'_>, meter: &mut Meter) -> Parsed<Real> {
    let negative = signs(input)?;
    let value = power(input, meter)?;
    Ok(if negative { value.neg() } else { value })
}

fn power(input: &mut Input<'_>, meter: &mut Meter) -> Parsed<Real> {
    let mut chain = vec![(false, input.current_token_start(), primary(input, meter)?)];
    while opt('^').parse_next(input)?.is_some() {
        let at = input.current_token_start();
        let negative = signs(input)?;
        chain.push((negative, at, primary(input, meter)?));
        if chain.len() > 100 {
            return fault(at, "more than 100 nested powers");
        }
    }
    let (mut negative, mut at, mut value) = match chain.pop() {
        Some(last) => last,
        None => return expected(input, "a number"),
    };
    while let Some((next_negative, next_at, base)) = chain.pop() {
        let exponent = if negative { value.neg() } else { value };
        value = meter.done(at, base.pow(&exponent))?;
        (negative, at) = (next_negative, next_at);
    }
    Ok(value)
}

fn primary(input: &mut Input<'_>, meter: &mut Meter) -> Parsed<Real> {
    space(input)?;
    let start = input.current_token_start();
    let value = match input.peek_token() {
        Some('0'..='9' | '.') => {
            let value = decimal(input)?;
            meter.charge(start, Real::from(value))?
        }
        Some('(') => {
            any.void().parse_next(input)?;
            let value = sum(input, meter)?;
            close(input)?;
            value
        }
        Some(c) if c.is_ascii_alphabetic() => {
            let name = take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '_').parse_next(input)?;
            named(name, start, input, meter)?
        }
        _ => return expected(input, "a number"),
    };
    space(input)?;
    Ok(value)
}

fn close(input: &mut Input<'_>) -> Parsed<()> {
    match opt(')').parse_next(input)? {
        Some(_) => Ok(()),
        None => expected(input, "an operator or ')'"),
    }
}

fn named(name: &str, start: usize, input: &mut Input<'_>, meter: &mut Meter) -> Parsed<Real> {
    let function = match name {
        "f64" => {
            if opt(':').parse_next(input)?.is_none() {
                return expected(input, "':' and a double, as in f64:0.1");
            }
            let value = double(input)?;
            return meter.charge(start, Real::from(value));
        }
        "sqrt" => Real::sqrt,
        "ln" => Real::ln,
        "exp" => Real::exp,
        _ => {
            let advice = match name.to_ascii_lowercase().as_str() {
                "nan" | "inf" | "infinity" => "NaN and infinity are not numbers here".into(),
                "log" => "unknown function 'log'; write ln for the natural logarithm".into(),
                "e" => "unknown name 'e'; write exp(1)".into(),
                // A name is ASCII, and may be as long as the text.
                _ if name.len() > 40 => format!("unknown name '{}...' (known: sqrt, ln, exp, f64:)", &name[..40]),
                _ => format!("unknown name '{name}' (known: sqrt, ln, exp, f64:)"),
            };
            return fault(start, advice);
        }
    };
    space(input)?;
    if opt('(').parse_next(input)?.is_none() {
        return expected(input, &format!("'(' after {name}"));
    }
    let argument = sum(input, meter)?;
    close(input)?;
    meter.done(start, function(&argument))
}

/// `12`, `0.1`, `.5`, `1e-11`: exactly what is written.
fn decimal(input: &mut Input<'_>) -> Parsed<Rational> {
    let start = input.current_token_start();
    let (whole, fraction) = (digit0, opt(('.', digit0))).parse_next(input)?;
    let fraction = fraction.map_or("", |(_, digits)| digits);
    if whole.is_empty() && fraction.is_empty() {
        return fault(start, "a decimal point without digits");
    }
    let exponent = match opt(one_of(['e', 'E'])).parse_next(input)? {
        Some(_) => {
            let (sign, digits) = (opt(one_of(['+', '-'])), opt(digit1)).parse_next(input)?;
            let Some(digits) = digits else { return expected(input, "the digits of the exponent") };
            // What does not fit is absurd anyway.
            let size = digits.parse::<i64>().unwrap_or(i64::MAX / 2).min(i64::MAX / 2);
            if sign == Some('-') { -size } else { size }
        }
        None => 0,
    };
    if peek(opt(one_of(('a'..='z', 'A'..='Z', '_', '.')))).parse_next(input)?.is_some() {
        return expected(input, "an operator or the end of the number");
    }
    let digits = format!("{whole}{fraction}");
    let Ok(mantissa) = Integer::from_str_radix(&digits, 10) else { return fault(start, "not a number") };
    let places = i64::try_from(fraction.len()).unwrap_or(i64::MAX / 2);
    let exponent = exponent - places;
    if mantissa.is_zero() {
        return Ok(Rational::new());
    }
    // 10^n has 3.33 n bits.
    if exponent.unsigned_abs().saturating_mul(10) / 3 > Real::MAX_BITS {
        return fault(start, format!("the exponent is too large: a number has at most {} bits", Real::MAX_BITS));
    }
    let scale = Integer::from(Integer::u_pow_u(10, u32::try_from(exponent.unsigned_abs()).unwrap_or(u32::MAX)));
    Ok(if exponent < 0 { Rational::from((mantissa, scale)) } else { Rational::from(mantissa * scale) })
}

/// The double that is written in hex, or nearest to what is written in decimal.
fn double(input: &mut Input<'_>) -> Parsed<Rational> {
    let start = input.current_token_start();
    let negative = opt(one_of(['-', '+'])).parse_next(input)? == Some('-');
    let value = if opt(("0", one_of(['x', 'X']))).parse_next(input)?.is_some() {
        let (whole, fraction) = (hex_digit0, opt(('.', hex_digit0))).parse_next(input)?;
        let fraction = fraction.map_or("", |(_, digits)| digits);
        let exponent = match opt(one_of(['p', 'P'])).parse_next(input)? {
            Some(_) => {
                let (sign, digits) = (opt(one_of(['+', '-'])), opt(digit1)).parse_next(input)?;
                let Some(digits) = digits else { return expected(input, "the digits of the binary exponent") };
                let size = digits.parse::<i32>().unwrap_or(i32::MAX).min(1 << 20);
                if sign == Some('-') { -size } else { size }
            }
            None => 0,
        };
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || digits.len() > 64 {
            return fault(start, "a hexadecimal double has up to 64 digits, as in f64:0x1.8p-3");
        }
        let Ok(mantissa) = Integer::from_str_radix(&digits, 16) else { return fault(start, "not a number") };
        let places = 4 * i32::try_from(fraction.len()).unwrap_or(0);
        Rational::from(mantissa) * Rational::from(2).pow(exponent - places)
    } else {
        let mut text = (digit0, opt(('.', digit0)), opt((one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1))).take();
        let text = text.parse_next(input)?;
        match text.parse::<f64>().ok().and_then(Rational::from_f64) {
            Some(value) => value,
            None if text.is_empty() => return expected(input, "a double, as in f64:0.1 or f64:0x1.8p-3"),
            None => return fault(start, "this is not a finite double"),
        }
    };
    // A double has 53 bits and exponents down to 2^-1074.
    let (rounded, order) = Float::with_val_round(53, &value, Round::Nearest);
    let exact = order == Ordering::Equal
        && rounded.to_f64().is_finite()
        && Rational::from_f64(rounded.to_f64()).is_some_and(|back| back == value);
    if !exact {
        return fault(start, "this is not exactly a double (53 bits, exponents from -1074 to 1023)");
    }
    Ok(if negative { -value } else { value })
}
