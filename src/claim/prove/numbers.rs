//! Formulas in numbers: exact where they are rational, enclosed where they are not, at a point or on a whole box.
//!
//! **What is certified.** If each variable encloses the values it takes, the value encloses all values of the formula.
//! Outside of the domain of a function nothing is known, or the points outside are left out, as in [`Enclosure`].

use std::cmp::Ordering;

use rug::Rational;

use super::taylor::Base;
use crate::claim::formula::{Arithmetic, Function};
use crate::error::Error;
use enclosure::special::{normal_cdf, normal_density, recip_sqrt_two_pi};
use enclosure::{Budget, Enclosure, Number};

/// Numbers of this many bits, where they are not exact.
pub struct Numbers {
    /// Working precision.
    pub bits: u32,
}

impl Numbers {
    fn phi(&self, y: &Number) -> Result<Number, Error> {
        Ok(Number::Enclosed(normal_cdf(&y.enclosure(self.bits), self.bits, &Budget::default())?))
    }

    /// `phi(y)`: even, and falling from 0 on.
    fn density(&self, y: &Number) -> Number {
        let y = y.enclosure(self.bits).abs();
        let top = recip_sqrt_two_pi(self.bits);
        let at = |end: &rug::Float| {
            if end.is_infinite() {
                return Enclosure::zero(self.bits);
            }
            normal_density(&Enclosure::new(end.clone(), end.clone()), self.bits)
        };
        Number::Enclosed(at(y.upper()).hull(&at(y.lower())).max(&Enclosure::zero(self.bits)).min(&top))
    }

    /// The Gaussian profile at a point: `Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)`, and 0 for `mu = 0`.
    fn gauss_at(&self, mu: &rug::Float, eps: &rug::Float) -> Result<Enclosure, Error> {
        let bits = self.bits + 64;
        let zero = Enclosure::zero(self.bits);
        if mu.is_zero() || eps.is_infinite() {
            return Ok(zero);
        }
        if mu.is_infinite() {
            return Ok(Enclosure::one(self.bits));
        }
        let point = |end: &rug::Float| Enclosure::new(end.clone(), end.clone()).with_bits(bits.max(end.prec()));
        let (mu, eps) = (point(mu), point(eps));
        let (half, ratio) = (mu.shift(-1), &eps / &mu);
        let budget = Budget::default();
        let high = normal_cdf(&(&half - &ratio), bits, &budget)?;
        let low = eps.exp() * normal_cdf(&-(&half + &ratio), bits, &budget)?;
        Ok((&high - &low).max(&zero).min(&high).with_bits(self.bits))
    }

    /// The Gaussian profile on a box: it grows with mu and falls with epsilon (more noise is post-processing, and a
    /// larger epsilon allows more), so its ends are at corners.
    fn gauss(&self, mu: &Number, eps: &Number) -> Result<Number, Error> {
        let (mu, eps) = (mu.enclosure(self.bits), eps.enclosure(self.bits));
        if *mu.lower() < 0 || *eps.lower() < 0 {
            return Ok(Number::Enclosed(Enclosure::whole(self.bits)));
        }
        let low = self.gauss_at(mu.lower(), eps.upper())?;
        let high = self.gauss_at(mu.upper(), eps.lower())?;
        Ok(Number::Enclosed(low.hull(&high)))
    }
}

impl Arithmetic for Numbers {
    type Value = Number;
    fn number(&self, value: &Rational) -> Number {
        Number::Exact(value.clone())
    }
    fn add(&self, a: &Number, b: &Number) -> Number {
        a + b
    }
    fn sub(&self, a: &Number, b: &Number) -> Number {
        a - b
    }
    fn mul(&self, a: &Number, b: &Number) -> Number {
        a * b
    }
    fn div(&self, a: &Number, b: &Number) -> Result<Number, Error> {
        Ok(a / b)
    }
    fn power(&self, a: &Number, n: u32) -> Number {
        a.pow(u64::from(n))
    }
    fn call(&self, function: Function, arguments: &[Number]) -> Result<Number, Error> {
        let bits = self.bits;
        let of = |f: fn(&Enclosure) -> Enclosure, y: &Number| match y {
            // All of these are 0 at 0.
            Number::Exact(y) if y.is_zero() => Number::zero(),
            y => Number::Enclosed(f(&y.enclosure(bits))),
        };
        Ok(match (function, arguments) {
            (Function::Exp, [y]) => y.exp(bits),
            (Function::Expm1, [y]) => of(Enclosure::expm1, y),
            (Function::Ln, [y]) => y.ln(bits),
            (Function::Log1p, [y]) => of(Enclosure::log1p, y),
            (Function::Sqrt, [y]) => y.sqrt(bits),
            (Function::Tanh, [y]) => of(Enclosure::tanh, y),
            // (e^y - e^-y)/2 grows; (e^y + e^-y)/2 is even and grows from 0 on.
            (Function::Sinh, [y]) => of(|y| at_ends(y, sinh_at), y),
            (Function::Cosh, [y]) => Number::Enclosed(at_ends(&y.enclosure(bits).abs(), cosh_at)),
            (Function::Phi, [y]) => self.phi(y)?,
            (Function::Density, [y]) => self.density(y),
            (Function::RootTwoPi, []) => Number::Enclosed(recip_sqrt_two_pi(bits)),
            (Function::Gauss, [mu, eps]) => self.gauss(mu, eps)?,
            (Function::Max, [a, b]) => a.max(b),
            (Function::Min, [a, b]) => a.min(b),
            (Function::Pos, [a]) => a.positive_part(),
            (Function::Abs, [a]) => match a {
                Number::Exact(a) => Number::Exact(Rational::from(a.abs_ref())),
                Number::Enclosed(a) => Number::Enclosed(a.abs()),
            },
            _ => return Err(Error::internal(format!("{function:?} of {} arguments", arguments.len()))),
        })
    }
}

/// A function that grows, from its values at the ends.
fn at_ends(y: &Enclosure, f: fn(&Enclosure) -> Enclosure) -> Enclosure {
    let point = |end: &rug::Float| Enclosure::new(end.clone(), end.clone());
    f(&point(y.lower())).hull(&f(&point(y.upper())))
}

fn sinh_at(y: &Enclosure) -> Enclosure {
    let rise = y.expm1();
    // sinh y = (e^y - 1)/2 + (1 - e^-y)/2: both terms have the sign of y.
    (&rise - &(-y).expm1()).shift(-1)
}

fn cosh_at(y: &Enclosure) -> Enclosure {
    (y.exp() + (-y).exp()).shift(-1)
}

impl Base for Numbers {
    fn sign(&self, value: &Number) -> Option<Ordering> {
        value.sign()
    }
    fn hull(&self, a: &Number, b: &Number) -> Option<Number> {
        Some(Number::Enclosed(a.enclosure(self.bits).hull(&b.enclosure(self.bits))))
    }
    fn unknown(&self) -> Option<Number> {
        Some(Number::Enclosed(Enclosure::whole(self.bits)))
    }
}
