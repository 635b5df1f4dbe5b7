//! Formulas as the papers write them: `2*k*e/(x+1)`, `sqrt(2*k*ln(1/d))`, `Phi(m/2 - e/m)`.
//!
//! One text is read once and evaluated in every arithmetic there is: exactly, as a rational function; in enclosures, at
//! a point or on a whole box; and as a Taylor series over either. So what a record prints is what is checked.
//!
//! `+ - * / ^`, parentheses, numbers (`7`, `0.56`, `9/10`), names, and the functions of [`Function`]. An exponent is a
//! constant integer or half of one.

use rug::Rational;
use winnow::Parser;
use winnow::ascii::multispace0;
use winnow::combinator::{alt, cut_err, delimited, opt, preceded, separated};
use winnow::error::ContextError;
use winnow::token::{one_of, take_while};

use crate::error::Error;

/// A formula in numbered variables.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    /// A constant.
    Number(Rational),
    /// The variable of this number.
    Variable(usize),
    /// `a + b`.
    Sum(Box<Formula>, Box<Formula>),
    /// `a - b`.
    Difference(Box<Formula>, Box<Formula>),
    /// `a * b`.
    Product(Box<Formula>, Box<Formula>),
    /// `a / b`.
    Quotient(Box<Formula>, Box<Formula>),
    /// `a^n`, for an integer n of any sign.
    Power(Box<Formula>, i32),
    /// A function.
    Call(Function, Vec<Formula>),
}

/// What may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `exp(y)`.
    Exp,
    /// `expm1(y) = e^y - 1`.
    Expm1,
    /// `ln(y)`.
    Ln,
    /// `log1p(y) = ln(1 + y)`.
    Log1p,
    /// `sqrt(y)`.
    Sqrt,
    /// `tanh(y)`.
    Tanh,
    /// `sinh(y)`.
    Sinh,
    /// `cosh(y)`.
    Cosh,
    /// `Phi(y)`, the normal distribution function.
    Phi,
    /// `phi(y)`, its density.
    Density,
    /// `rtp()`, that is `1/sqrt(2 pi)`.
    RootTwoPi,
    /// `gauss(mu, eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)`, for `mu >= 0` and `eps >= 0`.
    Gauss,
    /// `max(a, b)`.
    Max,
    /// `min(a, b)`.
    Min,
    /// `pos(a) = max(a, 0)`.
    Pos,
    /// `abs(a)`.
    Abs,
}

/// Names, and how many arguments they take.
const FUNCTIONS: [(&str, Function, usize); 16] = [
    ("exp", Function::Exp, 1),
    ("expm1", Function::Expm1, 1),
    ("ln", Function::Ln, 1),
    ("log1p", Function::Log1p, 1),
    ("sqrt", Function::Sqrt, 1),
    ("tanh", Function::Tanh, 1),
    ("sinh", Function::Sinh, 1),
    ("cosh", Function::Cosh, 1),
    ("Phi", Function::Phi, 1),
    ("phi", Function::Density, 1),
    ("rtp", Function::RootTwoPi, 0),
    ("gauss", Function::Gauss, 2),
    ("max", Function::Max, 2),
    ("min", Function::Min, 2),
    ("pos", Function::Pos, 1),
    ("abs", Function::Abs, 1),
];

/// Where formulas are evaluated.
pub trait Arithmetic {
    /// What stands for a number.
    type Value: Clone;
    /// A constant.
    fn number(&self, value: &Rational) -> Self::Value;
    /// `a + b`.
    fn add(&self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// `a - b`.
    fn sub(&self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// `a * b`.
    fn mul(&self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// `a / b`.
    fn div(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Error>;
    /// `a^n`.
    fn power(&self, a: &Self::Value, n: u32) -> Self::Value;
    /// A function of as many arguments as it takes.
    fn call(&self, function: Function, arguments: &[Self::Value]) -> Result<Self::Value, Error>;
}

/// The variables of a formula, and abbreviations for parts of it.
#[derive(Clone, Debug, Default)]
pub struct Names {
    variables: Vec<String>,
    parts: Vec<(String, Formula)>,
}

impl Names {
    /// These variables, in this order.
    pub fn new<'a>(variables: impl IntoIterator<Item = &'a str>) -> Self {
        Names { variables: variables.into_iter().map(str::to_string).collect(), parts: Vec::new() }
    }

    /// With an abbreviation more; it may use those before it.
    pub fn with(mut self, name: &str, text: &str) -> Result<Self, Error> {
        let part = Formula::read(text, &self)?;
        self.parts.push((name.to_string(), part));
        Ok(self)
    }

    /// The variables.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    fn find(&self, name: &str) -> Option<Formula> {
        let part = self.parts.iter().rev().find(|(part, _)| part == name).map(|(_, formula)| formula.clone());
        part.or_else(|| self.variables.iter().position(|variable| variable == name).map(Formula::Variable))
    }
}

impl Formula {
    /// The formula that a text is.
    pub fn read(text: &str, names: &Names) -> Result<Self, Error> {
        sum(names).parse(text).map_err(|error| Error::input(format!("the formula {text}: {error}")))
    }

    /// Its value where the variables have these values.
    pub fn evaluate<A: Arithmetic>(&self, a: &A, variables: &[A::Value]) -> Result<A::Value, Error> {
        let of = |part: &Formula| part.evaluate(a, variables);
        Ok(match self {
            Formula::Number(value) => a.number(value),
            Formula::Variable(i) => {
                variables.get(*i).cloned().ok_or_else(|| Error::internal(format!("no value for variable {i}")))?
            }
            Formula::Sum(x, y) => a.add(&of(x)?, &of(y)?),
            Formula::Difference(x, y) => a.sub(&of(x)?, &of(y)?),
            Formula::Product(x, y) => a.mul(&of(x)?, &of(y)?),
            Formula::Quotient(x, y) => a.div(&of(x)?, &of(y)?)?,
            Formula::Power(x, n) => {
                let power = a.power(&of(x)?, n.unsigned_abs());
                if *n < 0 { a.div(&a.number(&Rational::from(1)), &power)? } else { power }
            }
            Formula::Call(function, arguments) => {
                let arguments = arguments.iter().map(of).collect::<Result<Vec<_>, _>>()?;
                a.call(*function, &arguments)?
            }
        })
    }

    /// `self - other`.
    pub fn minus(self, other: Formula) -> Formula {
        Formula::Difference(Box::new(self), Box::new(other))
    }
}

type Failed = winnow::error::ErrMode<ContextError>;

fn symbol<'s>(c: char) -> impl Parser<&'s str, char, Failed> {
    delimited(multispace0, c, multispace0)
}

fn sum<'s>(names: &Names) -> impl Parser<&'s str, Formula, Failed> {
    move |input: &mut &'s str| {
        let mut value = product(names).parse_next(input)?;
        while let Some(sign) = opt(delimited(multispace0, one_of(['+', '-']), multispace0)).parse_next(input)? {
            let next = Box::new(cut_err(product(names)).parse_next(input)?);
            value = match sign {
                '+' => Formula::Sum(Box::new(value), next),
                _ => Formula::Difference(Box::new(value), next),
            };
        }
        Ok(value)
    }
}

fn product<'s>(names: &Names) -> impl Parser<&'s str, Formula, Failed> {
    move |input: &mut &'s str| {
        let mut value = signed(names).parse_next(input)?;
        while let Some(sign) = opt(delimited(multispace0, one_of(['*', '/']), multispace0)).parse_next(input)? {
            let next = Box::new(cut_err(signed(names)).parse_next(input)?);
            value = match sign {
                '*' => Formula::Product(Box::new(value), next),
                _ => Formula::Quotient(Box::new(value), next),
            };
        }
        Ok(value)
    }
}

/// `-a^b` is `-(a^b)`.
fn signed<'s>(names: &Names) -> impl Parser<&'s str, Formula, Failed> {
    move |input: &mut &'s str| {
        if opt(symbol('-')).parse_next(input)?.is_some() {
            let value = power(names).parse_next(input)?;
            return Ok(Formula::Number(Rational::new()).minus(value));
        }
        power(names).parse_next(input)
    }
}

fn power<'s>(names: &Names) -> impl Parser<&'s str, Formula, Failed> {
    move |input: &mut &'s str| {
        let base = atom(names).parse_next(input)?;
        let exponent = alt((integer, delimited(symbol('('), integer, symbol(')'))));
        match opt(preceded(symbol('^'), cut_err(exponent))).parse_next(input)? {
            Some(exponent) => Ok(Formula::Power(Box::new(base), exponent)),
            None => Ok(base),
        }
    }
}

fn integer(input: &mut &str) -> Result<i32, Failed> {
    (opt('-'), take_while(1.., '0'..='9')).take().parse_to().parse_next(input)
}

fn atom<'s>(names: &Names) -> impl Parser<&'s str, Formula, Failed> {
    move |input: &mut &'s str| {
        preceded(
            multispace0,
            alt((
                constant,
                delimited(symbol('('), |input: &mut &'s str| sum(names).parse_next(input), symbol(')')),
                named(names),
            )),
        )
        .parse_next(input)
    }
}

/// `7` or `0.56`.
fn constant(input: &mut &str) -> Result<Formula, Failed> {
    let (whole, part): (&str, Option<&str>) =
        (take_while(1.., '0'..='9'), opt(preceded('.', take_while(1.., '0'..='9')))).parse_next(input)?;
    let part = part.unwrap_or_default();
    let digits = format!("{whole}{part}");
    let places = u32::try_from(part.len()).unwrap_or(u32::MAX);
    let value = digits.parse::<rug::Integer>().map_err(|_| Failed::Backtrack(ContextError::new()))?;
    let scale = rug::ops::Pow::pow(rug::Integer::from(10), places);
    Ok(Formula::Number(Rational::from((value, scale))))
}

/// A variable, an abbreviation, or a function with its arguments.
fn named<'s>(names: &Names) -> impl Parser<&'s str, Formula, Failed> {
    move |input: &mut &'s str| {
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = take_while(1.., letter).parse_next(input)?;
        if opt(symbol('(')).parse_next(input)?.is_none() {
            return names.find(name).ok_or_else(|| Failed::Cut(ContextError::new()));
        }
        let arguments: Vec<Formula> =
            separated(0.., |input: &mut &'s str| sum(names).parse_next(input), symbol(',')).parse_next(input)?;
        symbol(')').parse_next(input)?;
        let known = FUNCTIONS.iter().find(|(known, _, count)| *known == name && *count == arguments.len());
        known
            .map(|(_, function, _)| Formula::Call(*function, arguments))
            .ok_or_else(|| Failed::Cut(ContextError::new()))
    }
}
