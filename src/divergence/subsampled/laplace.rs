//! Expectations under Laplace noise: Taylor series on panels, with their remainders.
//!
//! With `c = sensitivity/scale` the inner loss under Q is `-c` with probability 1/2, `c` with probability `e^-c/2`, and
//! has the density `e^(-c/2) e^(-l/2)/4` between. So the expectation is two values and the integral of
//! `e^(-l/2) F(w(l))`, `w = 1-p + p e^l`, an entire function of l whose powers and logarithm are analytic for
//! `|Im l| < pi`.
//!
//! **What is certified.** On a panel of half-width `h <= 3/8` around `l_0` the Taylor polynomial with N terms is off by
//! at most `M q^N/(1-q)`, `q = h/R`, with M a bound on the circle of radius `R = 3/2` (Cauchy). There
//! `|w| <= w(l_0 + R)` and, as `|Im l| <= pi/2`, `|w| >= w(l_0 - R)/sqrt 2`. The coefficients come from the usual
//! recurrences for powers and logarithms of series, with outward rounding.
//!
//! **Why it ends.** The number of panels and terms is bounded first.

use std::cmp::Ordering;

use rug::{Integer, Rational};

use super::Integrand;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Portable, Real, Work};

/// Panels times terms, at most.
const MOST_TERMS: f64 = 1e6;

/// Units of work of a product of two terms.
const PRODUCT: u64 = 150;

/// The likelihood ratio of shifted Laplace noise.
pub(super) struct Laplace {
    shift: Real,
}

impl Laplace {
    /// `Lap(c, 1)` against `Lap(0, 1)`.
    pub(super) fn new(shift: Real) -> Self {
        Laplace { shift }
    }

    /// The expectation of an integrand, to about `bits` bits after the binary point.
    pub(super) fn expectation(
        &self,
        rate: &Real,
        integrand: &Integrand,
        bits: u32,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let order = match integrand {
            Integrand::Power(z) => z.to_f64().abs(),
            _ => 1.0,
        };
        let size = self.shift.to_f64();
        let panels = (size / 0.375).ceil().max(1.0);
        // Two bits a term; powers grow by e^(3/2) sqrt 2 each from the middle to the circle.
        let terms = ((f64::from(bits) + 3.0 * order) / 2.0).ceil() + 16.0;
        if !(panels * terms < MOST_TERMS && order * size < 1e8) {
            return Err(Error::Undecided(
                "cannot compute the integral over a subsampled Laplace mechanism: the noise is too small or the order \
                 too large"
                    .into(),
            ));
        }
        // Each panel takes some products of series, which cost the square of their length.
        let needed = Work::units((panels * terms * terms) as u64 * PRODUCT);
        if budget.remaining().is_some_and(|left| needed > left) {
            return Err(Error::undecided(
                "the integral over a subsampled Laplace mechanism needs more work than is left",
            ));
        }
        let (panels, terms) = (panels as u32, terms as usize);
        let wide =
            bits.saturating_add((order * size.max(1.0)).max(2.0).portable_log2().ceil() as u32).saturating_add(32);
        let series = Series {
            rate: rate.enclosure(wide),
            rest: Real::one().sub(rate).enclosure(wide),
            power: match integrand {
                Integrand::Power(z) => z.enclosure(wide),
                _ => Enclosure::one(wide),
            },
            integrand,
            terms,
            bits: wide,
        };
        let c = self.shift.enclosure(wide);
        let half = (&c / &Enclosure::integer(&Integer::from(panels), wide)).with_bits(wide);
        let mut integral = Enclosure::zero(wide);
        for panel in 0..panels {
            budget.check()?;
            let middle = &(&half * &Enclosure::integer(&Integer::from(2 * u64::from(panel) + 1), wide)) - &c;
            integral = integral + series.panel(&middle, &half)?;
        }
        let end = |loss: &Enclosure| series.value(&(&series.rest + &(&series.rate * &loss.exp())));
        let ends = end(&-&c) + (-&c).exp() * end(&c);
        let value = ends.shift(-1) + ((-&c).shift(-1).exp() * integral).shift(-2);
        Ok(match integrand {
            Integrand::Power(_) => value - Enclosure::one(wide),
            Integrand::Forward | Integrand::Backward => value,
        })
    }
}

/// The function of w that is integrated, without the line that the integrand subtracts.
struct Series<'a> {
    rate: Enclosure,
    rest: Enclosure,
    power: Enclosure,
    integrand: &'a Integrand,
    terms: usize,
    bits: u32,
}

impl Series<'_> {
    /// `w^z`, `w ln w` or `-ln w`.
    fn value(&self, w: &Enclosure) -> Enclosure {
        match self.integrand {
            Integrand::Power(_) => (&self.power * &w.ln()).exp(),
            Integrand::Forward => w * &w.ln(),
            Integrand::Backward => -w.ln(),
        }
    }

    /// The integral of `e^(-l/2) F(w(l))` over `|l - middle| <= half`.
    fn panel(&self, middle: &Enclosure, half: &Enclosure) -> Result<Enclosure, Error> {
        let bits = self.bits;
        let scale = &self.rate * &middle.exp();
        // w = rest + scale e^t
        let mut ratio = vec![&self.rest + &scale];
        let mut term = scale.clone();
        for n in 1..self.terms {
            term = term.div_u32(index(n));
            ratio.push(term.clone());
        }
        let values = match self.integrand {
            Integrand::Power(_) => self.powers(&ratio),
            Integrand::Forward => product(&ratio, &logarithm(&ratio), bits),
            Integrand::Backward => logarithm(&ratio).iter().map(|term| -term).collect(),
        };
        let mut fall = vec![(-middle).shift(-1).exp()];
        for n in 1..self.terms {
            let next = fall.last().map(|term| -term.shift(-1).div_u32(index(n)));
            fall.extend(next);
        }
        // The odd powers cancel.
        let square = half.square();
        let mut sum = Enclosure::zero(bits);
        for (n, coefficient) in product(&values, &fall, bits).iter().enumerate().rev() {
            if n % 2 == 0 {
                sum = &(&sum * &square) + &coefficient.div_u32(index(n + 1));
            }
        }
        let integral = (&sum * half).shift(1);
        let off = self.remainder(middle, half)?;
        Ok(integral.widen((off * half).shift(1).upper()))
    }

    /// A bound on what the Taylor polynomial is off by.
    fn remainder(&self, middle: &Enclosure, half: &Enclosure) -> Result<Enclosure, Error> {
        const BITS: u32 = 64;
        let radius = Enclosure::rational(&Rational::from((3, 2)), BITS);
        let (middle, half) = (middle.with_bits(BITS), half.with_bits(BITS));
        let at = |loss: Enclosure| self.rest.with_bits(BITS) + self.rate.with_bits(BITS) * loss.exp();
        let largest = at(&middle + &radius).ln();
        // ln sqrt 2 < 0.35
        let smallest = at(&middle - &radius).ln() - Enclosure::rational(&Rational::from((35, 100)), BITS);
        let modulus = match self.integrand {
            Integrand::Power(_) => {
                let power = self.power.with_bits(BITS);
                let worst = if power.sign() == Some(Ordering::Less) { &smallest } else { &largest };
                (&power * worst).exp()
            }
            Integrand::Forward | Integrand::Backward => {
                // |ln w| <= |ln |w|| + pi/2
                let log = largest.abs().max(&smallest.abs()) + Enclosure::one(BITS).shift(1);
                if matches!(self.integrand, Integrand::Forward) { log * largest.exp() } else { log }
            }
        };
        let modulus = modulus * (-&(&middle - &radius)).shift(-1).exp();
        let share = &half / &radius;
        let rest = &Enclosure::one(BITS) - &share;
        if rest.sign() != Some(Ordering::Greater) {
            return Err(Error::Undecided("a panel wider than its series converges".into()));
        }
        Ok(modulus * share.pow(self.terms as u64) / rest)
    }

    /// The series of `w^z`: `n w_0 f_n = sum_(k=1..n) (k z - n + k) w_k f_(n-k)`, from `w f' = z w' f`.
    fn powers(&self, ratio: &[Enclosure]) -> Vec<Enclosure> {
        let Some(first) = ratio.first() else { return Vec::new() };
        let mut series = vec![(&self.power * &first.ln()).exp()];
        let inverse = first.recip();
        let grown = &self.power + &Enclosure::one(self.bits);
        for n in 1..ratio.len() {
            let mut sum = Enclosure::zero(self.bits);
            for (k, (w, f)) in ratio.iter().skip(1).zip(series.iter().rev()).enumerate() {
                // k counts from 1.
                let k = index(k + 1);
                let factor = &grown.mul_u32(k) - &Enclosure::integer(&Integer::from(n), self.bits);
                sum = sum + &(w * f) * &factor;
            }
            series.push((&sum * &inverse).div_u32(index(n)));
        }
        series
    }
}

/// The series of `ln w`: `n w_0 L_n = n w_n - sum_(0<k<n) k L_k w_(n-k)`.
fn logarithm(ratio: &[Enclosure]) -> Vec<Enclosure> {
    let Some(first) = ratio.first() else { return Vec::new() };
    let bits = first.bits();
    let mut series = vec![first.ln()];
    let inverse = first.recip();
    for (n, w) in ratio.iter().enumerate().skip(1) {
        let mut sum = w.mul_u32(index(n));
        for k in 1..n {
            if let (Some(l), Some(w)) = (series.get(k), ratio.get(n - k)) {
                sum = sum - (l * w).mul_u32(index(k));
            }
        }
        series.push((&sum * &inverse).div_u32(index(n)).with_bits(bits));
    }
    series
}

/// The product of two series of equal length, cut there.
fn product(a: &[Enclosure], b: &[Enclosure], bits: u32) -> Vec<Enclosure> {
    let coefficient = |n: usize| {
        let pairs = a.iter().take(n + 1).zip(b.iter().take(n + 1).rev());
        pairs.fold(Enclosure::zero(bits), |sum, (x, y)| sum + x * y)
    };
    (0..a.len().min(b.len())).map(coefficient).collect()
}

fn index(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
