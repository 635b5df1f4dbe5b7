//! Formulas as Taylor series in one direction, by the recurrences of automatic differentiation.
//!
//! **What is certified.** With variables `x_i + s_i t` the coefficient of `t^n` of the value is `f^(n)(x)/n!` in that
//! direction, in whatever arithmetic the coefficients are. Over enclosures of a box, the first coefficients enclose the
//! derivatives at all of its points; where a maximum has no certain winner, the hull of both derivatives encloses
//! the generalised gradient, for which the mean value theorem holds too, and higher ones are unknown.

use std::cmp::Ordering;

use rug::Rational;

use crate::claim::algebra::{Exact, Fraction};
use crate::claim::formula::{Arithmetic, Function};
use crate::error::Error;

/// What the coefficients have to be able to do beside.
pub trait Base: Arithmetic {
    /// The sign, if it is certain.
    fn sign(&self, value: &Self::Value) -> Option<Ordering>;
    /// What holds both, if there is such a thing.
    fn hull(&self, a: &Self::Value, b: &Self::Value) -> Option<Self::Value>;
    /// What holds everything, if there is such a thing.
    fn unknown(&self) -> Option<Self::Value>;
}

impl Base for Exact {
    fn sign(&self, value: &Fraction) -> Option<Ordering> {
        value.as_constant().map(|value| value.cmp0())
    }
    fn hull(&self, _: &Fraction, _: &Fraction) -> Option<Fraction> {
        None
    }
    fn unknown(&self) -> Option<Fraction> {
        None
    }
}

/// Series up to this power of t.
pub struct Taylor<'a, A> {
    /// The arithmetic of the coefficients.
    pub base: &'a A,
    /// The highest power.
    pub order: usize,
}

/// The coefficients from the constant upward.
type Series<V> = Vec<V>;

/// A series that is derived, and what its derivative is multiplied by.
type Product<'v, V> = (&'v [V], &'v [V]);

impl<A: Base> Taylor<'_, A> {
    /// A variable that moves: `at + t` if it is the one, else `at`.
    pub fn variable(&self, at: &A::Value, moves: bool) -> Series<A::Value> {
        let mut series = vec![self.int(0); self.order + 1];
        series[0] = at.clone();
        if moves && self.order > 0 {
            series[1] = self.int(1);
        }
        series
    }

    fn int(&self, value: usize) -> A::Value {
        self.base.number(&Rational::from(value))
    }

    /// `sum over i in 1..=n of i a_i b_(n-i)`, over n: the coefficient of the integral of `a' b`.
    fn integral(&self, a: &[A::Value], b: &[A::Value], n: usize) -> Result<A::Value, Error> {
        let sum = (1..=n).fold(self.int(0), |sum, i| {
            let term = self.base.mul(&self.base.mul(&self.int(i), &a[i]), &b[n - i]);
            self.base.add(&sum, &term)
        });
        self.base.div(&sum, &self.int(n))
    }

    /// `f(u)` from `f(u_0)`, for `f' = factor(f)`, whose coefficients up to n-1 follow from those of f up to n-1.
    fn solve(
        &self,
        first: A::Value,
        u: &[A::Value],
        mut factor: impl FnMut(&[A::Value], usize) -> Result<A::Value, Error>,
    ) -> Result<Series<A::Value>, Error> {
        let mut values = vec![first];
        let mut factors = Vec::new();
        for n in 1..=self.order {
            factors.push(factor(&values, n - 1)?);
            values.push(self.integral(u, &factors, n)?);
        }
        Ok(values)
    }

    /// The coefficient of `t^n` of a product.
    fn coefficient(&self, a: &[A::Value], b: &[A::Value], n: usize) -> A::Value {
        (0..=n).fold(self.int(0), |sum, i| self.base.add(&sum, &self.base.mul(&a[i], &b[n - i])))
    }

    fn exp(&self, first: A::Value, u: &[A::Value]) -> Result<Series<A::Value>, Error> {
        self.solve(first, u, |values, n| Ok(values[n].clone()))
    }

    /// `phi(u)`.
    fn density(&self, u: &[A::Value]) -> Result<Series<A::Value>, Error> {
        let square = self.mul(&u.to_vec(), &u.to_vec());
        let half = self.div(&square, &self.number(&Rational::from(-2)))?;
        self.exp(self.base.call(Function::Density, &u[..1])?, &half)
    }

    /// A series whose derivative is the sum of `a_i' b_i`.
    fn primitive(&self, first: A::Value, parts: &[Product<A::Value>]) -> Result<Series<A::Value>, Error> {
        let mut values = vec![first];
        for n in 1..=self.order {
            let mut sum = self.int(0);
            for (a, b) in parts {
                sum = self.base.add(&sum, &self.integral(a, b, n)?);
            }
            values.push(sum);
        }
        Ok(values)
    }

    /// The one of two series whose first coefficient is the greater one.
    fn maximum(&self, a: &[A::Value], b: &[A::Value]) -> Result<Series<A::Value>, Error> {
        match self.base.sign(&self.base.sub(&a[0], &b[0])) {
            Some(Ordering::Greater) => return Ok(a.to_vec()),
            Some(Ordering::Less) => return Ok(b.to_vec()),
            _ => {}
        }
        let none = || Error::Undefined("maximum of functions that could not be separated".into());
        let mut values = vec![self.base.call(Function::Max, &[a[0].clone(), b[0].clone()])?];
        for n in 1..=self.order {
            let both = if n == 1 { self.base.hull(&a[1], &b[1]) } else { self.base.unknown() };
            values.push(both.ok_or_else(none)?);
        }
        Ok(values)
    }

    fn negative(&self, a: &[A::Value]) -> Series<A::Value> {
        a.iter().map(|value| self.base.sub(&self.int(0), value)).collect()
    }
}

impl<A: Base> Arithmetic for Taylor<'_, A> {
    type Value = Series<A::Value>;
    fn number(&self, value: &Rational) -> Self::Value {
        self.variable(&self.base.number(value), false)
    }
    fn add(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        a.iter().zip(b).map(|(a, b)| self.base.add(a, b)).collect()
    }
    fn sub(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        a.iter().zip(b).map(|(a, b)| self.base.sub(a, b)).collect()
    }
    fn mul(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        (0..=self.order).map(|n| self.coefficient(a, b, n)).collect()
    }
    fn div(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Error> {
        let mut values: Self::Value = Vec::new();
        for n in 0..=self.order {
            let taken =
                (0..n).fold(a[n].clone(), |rest, i| self.base.sub(&rest, &self.base.mul(&values[i], &b[n - i])));
            values.push(self.base.div(&taken, &b[0])?);
        }
        Ok(values)
    }
    fn power(&self, a: &Self::Value, n: u32) -> Self::Value {
        if n == 0 {
            return self.number(&Rational::from(1));
        }
        let mut product = (1..n).fold(a.clone(), |product, _| self.mul(&product, a));
        // Sharper on a box, for even powers.
        product[0] = self.base.power(&a[0], n);
        product
    }
    fn call(&self, function: Function, arguments: &[Self::Value]) -> Result<Self::Value, Error> {
        let heads: Vec<A::Value> = arguments.iter().map(|series| series[0].clone()).collect();
        let head = || self.base.call(function, &heads);
        let one = self.number(&Rational::from(1));
        match (function, arguments) {
            (Function::RootTwoPi, []) => Ok(self.variable(&head()?, false)),
            (Function::Exp, [u]) => self.exp(head()?, u),
            (Function::Expm1, [u]) => {
                let mut values = self.exp(self.base.call(Function::Exp, &heads)?, u)?;
                values[0] = head()?;
                Ok(values)
            }
            (Function::Ln, [u]) => {
                let slope = self.div(&one, u)?;
                self.primitive(head()?, &[(u, &slope)])
            }
            (Function::Log1p, [u]) => {
                let slope = self.div(&one, &self.add(&one, u))?;
                self.primitive(head()?, &[(u, &slope)])
            }
            (Function::Sqrt, [u]) => {
                let mut values = vec![head()?];
                for n in 1..=self.order {
                    let taken = (1..n)
                        .fold(u[n].clone(), |rest, i| self.base.sub(&rest, &self.base.mul(&values[i], &values[n - i])));
                    values.push(self.base.div(&taken, &self.base.mul(&self.int(2), &values[0]))?);
                }
                Ok(values)
            }
            (Function::Tanh, [u]) => self.solve(head()?, u, |values, n| {
                let square = self.coefficient(values, values, n);
                Ok(self.base.sub(&self.int(usize::from(n == 0)), &square))
            }),
            (Function::Sinh | Function::Cosh, [u]) => {
                let other = if function == Function::Sinh { Function::Cosh } else { Function::Sinh };
                let (mut own, mut twin) = (vec![head()?], vec![self.base.call(other, &heads)?]);
                for n in 1..=self.order {
                    let (next, next_twin) = (self.integral(u, &twin, n)?, self.integral(u, &own, n)?);
                    own.push(next);
                    twin.push(next_twin);
                }
                Ok(own)
            }
            (Function::Phi, [u]) => {
                let slope = self.density(u)?;
                self.primitive(head()?, &[(u, &slope)])
            }
            (Function::Density, [u]) => self.density(u),
            (Function::Gauss, [mu, eps]) => {
                // Its derivatives are phi(mu/2 - eps/mu) in mu and -e^eps Phi(-mu/2 - eps/mu) in epsilon.
                let (half, ratio) = (self.div(mu, &self.number(&Rational::from(2)))?, self.div(eps, mu)?);
                let by_mu = self.density(&self.sub(&half, &ratio))?;
                let tail = self.call(Function::Phi, &[self.negative(&self.add(&half, &ratio))])?;
                let by_eps = self.negative(&self.mul(&self.call(Function::Exp, std::slice::from_ref(eps))?, &tail));
                self.primitive(head()?, &[(mu, &by_mu), (eps, &by_eps)])
            }
            (Function::Max, [a, b]) => self.maximum(a, b),
            (Function::Min, [a, b]) => Ok(self.negative(&self.maximum(&self.negative(a), &self.negative(b))?)),
            (Function::Pos, [a]) => self.maximum(a, &self.number(&Rational::new())),
            (Function::Abs, [a]) => self.maximum(a, &self.negative(a)),
            _ => Err(Error::internal(format!("{function:?} of {} arguments", arguments.len()))),
        }
    }
}
