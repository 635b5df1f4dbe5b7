//! Formatting of constants; parsing the output gives the same form.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter, Write};

use rug::Rational;

use super::Real;
use super::atom::Atom;

impl Display for Real {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(rest) = &self.rest else { return write!(f, "{}", self.rational) };
        let mut first = true;
        if !self.rational.is_zero() {
            write!(f, "{}", self.rational)?;
            first = false;
        }
        for (n, c) in &rest.roots {
            term(f, c, &mut first, |f| write!(f, "sqrt({n})"))?;
        }
        for (a, c) in &rest.logs {
            term(f, c, &mut first, |f| write!(f, "ln({a})"))?;
        }
        for (atom, c) in &rest.atoms {
            term(f, c, &mut first, |f| write!(f, "{atom}"))?;
        }
        Ok(())
    }
}

/// One term `c body` of a sum, with its sign.
fn term(
    f: &mut Formatter<'_>,
    c: &Rational,
    first: &mut bool,
    body: impl FnOnce(&mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    let negative = c.cmp0() == Ordering::Less;
    f.write_str(match (*first, negative) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    })?;
    *first = false;
    let size = c.as_abs();
    if *size != 1 {
        write!(f, "{}*", *size)?;
    }
    body(f)
}

impl Display for Atom {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Exp(x) => write!(f, "exp({x})"),
            Atom::Ln(x) => write!(f, "ln({x})"),
            Atom::Sqrt(x) => write!(f, "sqrt({x})"),
            Atom::Product(factors) => {
                for (index, (base, n)) in factors.iter().enumerate() {
                    if index > 0 {
                        f.write_char('*')?;
                    }
                    // A base has one term with coefficient 1, or is a sum.
                    if base.terms() > 2 || !base.rational.is_zero() {
                        write!(f, "({base})")?;
                    } else {
                        write!(f, "{base}")?;
                    }
                    if *n != 1 {
                        write!(f, "^{n}")?;
                    }
                }
                Ok(())
            }
        }
    }
}

impl fmt::Debug for Real {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Real({self})")
    }
}
