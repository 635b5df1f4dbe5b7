//! Gaussian noise against itself shifted: a normal loss, cut off far out.

use std::cmp::Ordering;

use rug::Rational;

use super::{Atoms, LossLaw, Sides, Spread};
use crate::error::Error;
use enclosure::special::{normal_cdf, normal_tail};
use enclosure::{Budget, Enclosure, Number, Real};

/// Standard deviations that are kept on either side of either mean. Beyond them is less than 2^-294 of the mass, which
/// is counted as missing: a grid that wants to leave out less than that is refused its digits, not its soundness.
const REACH: u32 = 20;

/// `N(mu, 1)` against `N(0, 1)`, from `m = mu^2`.
///
/// The loss is normal with variance m, of mean `m/2` under P and `-m/2` under Q. Kept are the losses between
/// `-m/2 - 20 mu` and `m/2 + 20 mu`; what lies outside has at most `2 Q(20)` of P and of Q (`Q` the normal tail).
#[derive(Clone, Debug)]
pub struct Gaussian {
    square: Real,
}

impl Gaussian {
    /// For a positive `mu^2`.
    pub fn new(square: Real) -> Result<Self, Error> {
        if square.sign() != Some(Ordering::Greater) {
            return Err(Error::input(format!("mu^2 of Gaussian noise must be positive, not {square}")));
        }
        Ok(Gaussian { square })
    }

    /// The mass of a normal variable between two points that are already centred and scaled, `a <= b`: as a difference
    /// of the smaller tails.
    fn mass(a: &Enclosure, b: &Enclosure, bits: u32) -> Enclosure {
        let budget = Budget::default();
        let right = a.lower().to_f64() + b.upper().to_f64() > 0.0;
        let difference = if right {
            normal_tail(a, bits, &budget).and_then(|a| Ok(&a - &normal_tail(b, bits, &budget)?))
        } else {
            normal_cdf(b, bits, &budget).and_then(|b| Ok(&b - &normal_cdf(a, bits, &budget)?))
        };
        // Without a value it is still a probability.
        difference.map_or(Enclosure::zero(bits).hull(&Enclosure::one(bits)), |mass| mass.positive_part())
    }
}

impl LossLaw for Gaussian {
    fn name(&self) -> String {
        format!("gdp(mu=sqrt({}))", self.square)
    }

    fn symmetric(&self) -> bool {
        true
    }

    fn atoms(&self, bits: u32, _depth: u32, _sides: Sides, budget: &Budget) -> Result<Atoms, Error> {
        let reach = Enclosure::rational(&Rational::from(REACH), bits);
        let missing = normal_tail(&reach, bits, budget)?.shift(1);
        Ok(Atoms {
            list: Vec::new(),
            infinite_p: Number::zero(),
            infinite_q: Number::zero(),
            missing_p: missing.clone(),
            missing_q: missing,
        })
    }

    fn spread(&self) -> Option<&dyn Spread> {
        Some(self)
    }
}

impl Spread for Gaussian {
    fn ends(&self, bits: u32) -> (Enclosure, Enclosure) {
        let square = self.square.enclosure(bits);
        let far = &square.shift(-1) + &(&square.sqrt() * &Enclosure::rational(&Rational::from(REACH), bits));
        (-&far, far)
    }

    fn between(&self, low: &Enclosure, high: &Enclosure, bits: u32) -> (Enclosure, Enclosure) {
        let (first, last) = self.ends(bits);
        let (a, b) = (low.max(&first).min(&last), high.min(&last).max(&first));
        let square = self.square.enclosure(bits);
        let (half, deviation) = (square.shift(-1), square.sqrt());
        let scaled = |loss: &Enclosure| &(loss - &half) / &deviation;
        let p = Self::mass(&scaled(&a), &scaled(&b), bits);
        let shifted = |loss: &Enclosure| &(loss + &half) / &deviation;
        let q = Self::mass(&shifted(&a), &shifted(&b), bits);
        (p, q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The masses of cells add up to all but what is missing, and Q is P tilted.
    #[test]
    fn cells_are_the_law() {
        let law = Gaussian::new("9/4".parse().unwrap()).unwrap();
        let point = |x: i32| Enclosure::rational(&Rational::from((x, 4)), 128);
        let (mut p, mut q) = (Enclosure::zero(128), Enclosure::zero(128));
        for x in -200..200 {
            let (cell_p, cell_q) = law.between(&point(x), &point(x + 1), 128);
            // dP/dQ = e^loss.
            let above = &cell_q * &point(x + 1).exp();
            let below = &cell_q * &point(x).exp();
            assert!(cell_p.lower() <= above.upper() && cell_p.upper() >= below.lower(), "{x}");
            (p, q) = (&p + &cell_p, &q + &cell_q);
        }
        let missing = law.atoms(128, 100, Sides::Both, &Budget::default()).unwrap();
        for (sum, missing) in [(p, missing.missing_p), (q, missing.missing_q)] {
            let lack = &Enclosure::one(128) - &sum;
            assert!(lack.lower() <= missing.upper(), "{lack:?}");
            assert!(lack.upper().to_f64() < 1e-30);
        }
    }
}
