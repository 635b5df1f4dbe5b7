//! Arithmetic of numbers that are proven: fractions stay fractions, the rest are enclosures.
//!
//! ```text
//! sum      = product (("+" | "-") product)*
//! product  = power (("*" | "/") power)*
//! power    = "-" power | atom ("^" integer)?
//! atom     = decimal | "pi" | "[" column "]" | function "(" sum ("," sum)* ")" | "(" sum ")"
//! function = exp | ln | sqrt | tanh | Phi | min | max | gdp_epsilon
//! ```
//!
//! `Phi` is the normal distribution function, `gdp_epsilon(mu, delta)` the epsilon of mu-GDP.

use std::cmp::Ordering;

use rug::Rational;

use super::printed::Printed;
use crate::error::Error;
use enclosure::special::normal_cdf;
use enclosure::{Budget, Enclosure, Number, ParseError};

/// The deepest nesting.
const DEPTH: usize = 100;

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A number.
    Rational(Rational),
    /// Half the way around.
    Pi,
    /// A column.
    Column(String),
    /// The other sign.
    Negative(Box<Formula>),
    /// Two, and what is done with them.
    Two(char, Box<[Formula; 2]>),
    /// A power.
    Power(Box<Formula>, u32),
    /// A function.
    Function(Function, Vec<Formula>),
}

/// The functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// To the base e.
    Exp,
    /// To the base e.
    Ln,
    /// The square root.
    Sqrt,
    /// The hyperbolic tangent.
    Tanh,
    /// The normal distribution function.
    Phi,
    /// The lesser of two.
    Min,
    /// The greater of two.
    Max,
    /// The epsilon of mu-GDP at a delta.
    GdpEpsilon,
}

const FUNCTIONS: [(&str, Function, usize); 8] = [
    ("exp", Function::Exp, 1),
    ("ln", Function::Ln, 1),
    ("sqrt", Function::Sqrt, 1),
    ("tanh", Function::Tanh, 1),
    ("Phi", Function::Phi, 1),
    ("min", Function::Min, 2),
    ("max", Function::Max, 2),
    ("gdp_epsilon", Function::GdpEpsilon, 2),
];

/// What a formula is evaluated with.
pub struct Surroundings<'a> {
    /// Working precision.
    pub bits: u32,
    /// How long it may take.
    pub budget: &'a Budget,
    /// The columns.
    pub column: &'a dyn Fn(&str) -> Result<Number, Error>,
    /// The epsilon of mu-GDP.
    pub epsilon: &'a dyn Fn(&Number, &Number) -> Result<Number, Error>,
}

impl Formula {
    /// The formula that a text is.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let formula = parser.sum()?;
        match parser.peek() {
            None => Ok(formula),
            Some(c) => Err(parser.fault(format!("unexpected {c:?}, expected '+', '-', '*', '/', '^' or the end"))),
        }
    }

    /// The columns it names.
    pub fn names(&self) -> Vec<String> {
        match self {
            Formula::Rational(_) | Formula::Pi => Vec::new(),
            Formula::Column(name) => vec![name.clone()],
            Formula::Negative(inside) | Formula::Power(inside, _) => inside.names(),
            Formula::Two(_, both) => both.iter().flat_map(Formula::names).collect(),
            Formula::Function(_, arguments) => arguments.iter().flat_map(Formula::names).collect(),
        }
    }

    /// Its number, at this precision.
    pub fn evaluate(&self, with: &Surroundings) -> Result<Number, Error> {
        let bits = with.bits;
        Ok(match self {
            Formula::Rational(value) => Number::Exact(value.clone()),
            Formula::Pi => Number::Enclosed(Enclosure::pi(bits)),
            Formula::Column(name) => (with.column)(name)?,
            Formula::Negative(inside) => -inside.evaluate(with)?,
            Formula::Power(inside, exponent) => inside.evaluate(with)?.pow(u64::from(*exponent)),
            Formula::Two(sign, both) => {
                let (a, b) = (both[0].evaluate(with)?, both[1].evaluate(with)?);
                match sign {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    _ if b.sign() == Some(Ordering::Equal) => {
                        return Err(Error::Undefined("division by zero in a formula".into()));
                    }
                    _ => a / b,
                }
            }
            Formula::Function(function, arguments) => {
                let values = arguments.iter().map(|argument| argument.evaluate(with)).collect::<Result<Vec<_>, _>>()?;
                function.evaluate(&values, with)?
            }
        })
    }
}

impl Function {
    fn evaluate(self, values: &[Number], with: &Surroundings) -> Result<Number, Error> {
        let bits = with.bits;
        Ok(match (self, values) {
            (Function::Exp, [a]) => a.exp(bits),
            (Function::Ln, [a]) if a.sign() == Some(Ordering::Greater) => a.ln(bits),
            (Function::Ln, [a]) if a.sign().is_some() => {
                return Err(Error::Undefined("logarithm of a nonpositive number in a formula".into()));
            }
            (Function::Sqrt, [a]) if a.sign() == Some(Ordering::Less) => {
                return Err(Error::Undefined("square root of a negative number in a formula".into()));
            }
            (Function::Sqrt, [a]) => a.sqrt(bits),
            (Function::Tanh, [a]) => Number::Enclosed(a.enclosure(bits).tanh()),
            (Function::Phi, [a]) => Number::Enclosed(normal_cdf(&a.enclosure(bits), bits, with.budget)?),
            (Function::Min, [a, b]) => a.min(b),
            (Function::Max, [a, b]) => a.max(b),
            (Function::GdpEpsilon, [mu, delta]) => (with.epsilon)(mu, delta)?,
            // Of unknown sign at this precision, or never parsed.
            _ => Number::Enclosed(Enclosure::whole(bits)),
        })
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), ParseError> {
        if self.eat(wanted) { Ok(()) } else { Err(self.unexpected(&format!("'{wanted}'"))) }
    }

    fn unexpected(&mut self, wanted: &str) -> ParseError {
        match self.peek() {
            Some(c) => self.fault(format!("unexpected {c:?}, expected {wanted}")),
            None => self.fault(format!("unexpected end, expected {wanted}")),
        }
    }

    fn fault(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(message, self.text, self.at)
    }

    fn sum(&mut self) -> Result<Formula, ParseError> {
        self.chain(&['+', '-'], Self::product)
    }

    fn product(&mut self) -> Result<Formula, ParseError> {
        self.chain(&['*', '/'], Self::power)
    }

    fn chain(
        &mut self,
        signs: &[char],
        part: fn(&mut Self) -> Result<Formula, ParseError>,
    ) -> Result<Formula, ParseError> {
        let mut formula = part(self)?;
        while let Some(sign) = self.peek().filter(|c| signs.contains(c)) {
            self.at += 1;
            formula = Formula::Two(sign, Box::new([formula, part(self)?]));
        }
        Ok(formula)
    }

    fn power(&mut self) -> Result<Formula, ParseError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.fault("the formula is nested too deeply"));
        }
        let formula = if self.eat('-') {
            Formula::Negative(Box::new(self.power()?))
        } else {
            let base = self.atom()?;
            if self.eat('^') {
                let digits = self.taken(|c| c.is_ascii_digit());
                let exponent = digits.parse().ok().filter(|exponent| *exponent <= 1_000_000);
                Formula::Power(Box::new(base), exponent.ok_or_else(|| self.unexpected("an integer up to 1000000"))?)
            } else {
                base
            }
        };
        self.depth -= 1;
        Ok(formula)
    }

    fn taken(&mut self, wanted: impl Fn(char) -> bool) -> String {
        self.peek();
        let rest = self.rest();
        let taken = rest.split_at(rest.find(|c| !wanted(c)).unwrap_or(rest.len())).0.to_string();
        self.at += taken.len();
        taken
    }

    fn atom(&mut self) -> Result<Formula, ParseError> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let formula = self.sum()?;
                self.expect(')')?;
                Ok(formula)
            }
            Some('[') => {
                self.at += 1;
                let name = self.taken(|c| c != ']');
                self.expect(']')?;
                Ok(Formula::Column(name))
            }
            Some(c) if c.is_ascii_digit() => {
                let start = self.at;
                let mut text = self.taken(|c| c.is_ascii_digit() || c == '.');
                if self.rest().starts_with(['e', 'E']) {
                    self.at += 1;
                    let sign = if self.rest().starts_with('-') { "-" } else { "" };
                    self.at += sign.len();
                    let digits = self.taken(|c| c.is_ascii_digit());
                    text = format!("{text}e{sign}{digits}");
                }
                let number = Printed::parse(&text);
                number.map(|number| Formula::Rational(number.value)).map_err(|what| {
                    self.at = start;
                    self.fault(what)
                })
            }
            Some(c) if c.is_ascii_alphabetic() => {
                let start = self.at;
                let name = self.taken(|c| c.is_ascii_alphanumeric() || c == '_');
                if name == "pi" {
                    return Ok(Formula::Pi);
                }
                let Some((_, function, count)) = FUNCTIONS.iter().find(|(other, ..)| *other == name) else {
                    self.at = start;
                    let all = FUNCTIONS.map(|(name, ..)| name).join(", ");
                    return Err(self.fault(format!("unknown function; known functions: {all}")));
                };
                self.expect('(')?;
                let mut arguments = vec![self.sum()?];
                while self.eat(',') {
                    arguments.push(self.sum()?);
                }
                self.expect(')')?;
                if arguments.len() != *count {
                    self.at = start;
                    return Err(self.fault(format!("{name} takes {count}, not {}", arguments.len())));
                }
                Ok(Formula::Function(*function, arguments))
            }
            _ => Err(self.unexpected("a number, a [column], a function or '('")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Number, Error> {
        let with = Surroundings {
            bits: 200,
            budget: &Budget::default(),
            column: &|name| match name {
                "a b" => Ok(Number::Exact(Rational::from((1, 3)))),
                _ => Err(Error::input("no such column")),
            },
            epsilon: &|mu, _| Ok(mu.clone()),
        };
        Formula::parse(text)?.evaluate(&with)
    }

    #[test]
    fn fractions_stay_fractions() {
        for (text, numer, denom) in [
            ("1 + 2*3", 7, 1),
            ("(1 + 2)*3", 9, 1),
            ("2 - 3 - 4", -5, 1),
            ("-2^2/3", -4, 3),
            ("1.5e-1/[a b]", 9, 20),
            ("min(1/2, max(1/3, [a b]))", 1, 3),
            ("exp(0) + ln(1) + sqrt(0)", 1, 1),
        ] {
            let number = value(text).unwrap();
            assert_eq!(number.exact(), Some(&Rational::from((numer, denom))), "{text}");
        }
    }

    #[test]
    fn functions_are_enclosed() {
        for (text, lower, upper) in [
            ("exp(1)", "2.718281828459045235360287471352662497757", "2.718281828459045235360287471352662497758"),
            ("Phi(-1)", "0.158655253931457051414767454367962077522", "0.158655253931457051414767454367962077523"),
            ("tanh(1/2)", "0.46211715726000975850231848364367254873", "0.46211715726000975850231848364367254874"),
            ("4*exp(-pi)", "0.172855673", "0.172855674"),
        ] {
            let set = value(text).unwrap().enclosure(200);
            let end = |text: &str| Printed::parse(text).unwrap().value;
            assert!(set.lower().to_rational().unwrap() > end(lower), "{text}: {set:?}");
            assert!(set.upper().to_rational().unwrap() < end(upper), "{text}: {set:?}");
        }
    }

    #[test]
    fn faults_know_their_column() {
        for (text, column, what) in [
            ("", 1, "unexpected end"),
            ("1 +", 4, "unexpected end"),
            ("1 $ 2", 3, "unexpected '$'"),
            ("2^x", 3, "expected an integer"),
            ("sin(1)", 1, "unknown function"),
            ("min(1)", 1, "min takes 2, not 1"),
            ("1 + 1.2.3", 5, "is not a decimal"),
            ("[a", 3, "expected ']'"),
        ] {
            let error = Formula::parse(text).unwrap_err();
            assert!(error.column() == column && error.message().contains(what), "{text}: {error}");
        }
        assert!(Formula::parse(&"(".repeat(5000)).is_err());
        assert!(Formula::parse(&"-".repeat(5000)).is_err());
        assert!(matches!(value("1/(1 - 1)"), Err(Error::Undefined(_))));
        assert!(matches!(value("ln(0 - 1)"), Err(Error::Undefined(_))));
        assert!(matches!(value("sqrt(0 - 1)"), Err(Error::Undefined(_))));
    }
}
