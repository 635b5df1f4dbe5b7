//! The masses up to a place, by the coefficients of a rational function.

use rug::{Integer, Rational};

use crate::alarm;
use crate::error::Error;
use enclosure::{Budget, Cache, Enclosure, Real};

/// The odds g at any precision.
type Odds = Box<dyn Fn(u32) -> Enclosure + Send + Sync>;

/// The law of the sum of some runs.
pub struct Tails {
    unit: Real,
    shift: Integer,
    runs: u32,
    odds: Odds,
    kept: Cache<u32, Table>,
}

/// `(1+g)^-k C(k,i) h_ir y^floor(r/2)`, by i and r.
type Table = Vec<Vec<Enclosure>>;

/// A product of two polynomials.
fn product(one: &[Enclosure], other: &[Enclosure], bits: u32) -> Vec<Enclosure> {
    let mut all = vec![Enclosure::zero(bits); one.len() + other.len() - 1];
    for (i, a) in one.iter().enumerate() {
        for (j, b) in other.iter().enumerate() {
            all[i + j] = &all[i + j] + &(a * b);
        }
    }
    all
}

impl Tails {
    pub fn new(unit: Real, shift: Integer, runs: u32, odds: Odds) -> Self {
        Tails { unit, shift, runs, odds, kept: Cache::new(6) }
    }

    /// `a`.
    pub fn unit(&self) -> &Real {
        &self.unit
    }

    /// `y^n`.
    fn power(&self, n: &Integer, bits: u32) -> Enclosure {
        self.unit.mul_rational(&Rational::from(n)).neg().exp_number(bits.saturating_add(16)).enclosure(bits)
    }

    /// How many bits the sums lose, about.
    fn cancelling(&self) -> u32 {
        let size = Integer::from(&self.shift * self.runs).significant_bits() + 4;
        self.runs.saturating_mul(size)
    }

    /// The coefficients at a precision.
    fn table(&self, bits: u32, budget: &Budget) -> Result<Table, Error> {
        let one = Enclosure::one(bits);
        let odds = (self.odds)(bits).with_bits(bits);
        let y = self.power(&Integer::from(1), bits);
        let (rise, ratio) = (y.recip(), &odds / &y);
        let fall = [one.clone(), -&one];
        let own = [one.clone(), ratio];
        let other = product(&[one.clone(), -&rise], &[odds.clone(), one.clone()], bits);
        let both = product(&fall, &own, bits);
        let powers = |factor: &[Enclosure]| {
            let mut list = vec![vec![one.clone()]];
            for i in 1..self.runs as usize {
                list.push(product(&list[i - 1], factor, bits));
            }
            list
        };
        let (left, right) = (powers(&both), powers(&other));
        let scale = (&one + &odds).pow(u64::from(self.runs)).recip();
        let mut ways = Integer::from(1);
        let mut table = Table::new();
        for (i, (a, b)) in left.iter().rev().zip(&right).enumerate() {
            budget.check()?;
            let weight = &scale * &Enclosure::integer(&ways, bits);
            let mut row = product(&product(a, &own, bits), b, bits);
            let mut damp = weight;
            for pair in row.chunks_mut(2) {
                for value in pair {
                    *value = &*value * &damp;
                }
                damp = &damp * &y;
            }
            table.push(row);
            let i = i as u32;
            ways = ways * (self.runs - i) / (i + 1);
        }
        Ok(table)
    }

    /// `B_N`: 0 below the first place, and 1 from the last on.
    pub fn upto(&self, n: &Integer, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let span = Integer::from(&self.shift * 2u32);
        let last = Integer::from(&span * self.runs);
        if *n < 0 {
            return Ok(Enclosure::zero(bits));
        }
        if *n >= last {
            return Ok(Enclosure::one(bits));
        }
        let work = bits.saturating_add(self.cancelling());
        let table = self.kept.get(work, || self.table(work, budget))?;
        let odd = usize::from(n.is_odd());
        let mut sum = Enclosure::zero(work);
        for (i, row) in table.iter().enumerate() {
            // (N - r)/2 - si, for r from 0 or 1 on.
            let mut place: Integer = (Integer::from(n - odd as u32) >> 1u32) - Integer::from(&self.shift * i as u32);
            if place < 0 {
                break;
            }
            budget.check()?;
            // C(place + k-1, k-1), down to place 0.
            let mut ways = Integer::from(1);
            for j in 1..self.runs {
                ways = ways * Integer::from(&place + j) / j;
            }
            for value in row.iter().skip(odd).step_by(2) {
                sum = &sum + &(value * &Enclosure::integer(&ways, work));
                if place.is_zero() {
                    break;
                }
                ways = ways * &place / Integer::from(&place + (self.runs - 1));
                place -= 1u32;
            }
        }
        // sk - (N - r)/2 without r.
        let depth = (last - Integer::from(n - odd as u32)) >> 1u32;
        let value = &sum * &self.power(&depth, work);
        alarm::probability(&value, "probability of losses of staircases")
    }
}
