//! `e^r` for `0 <= r < ln 2`: two tables and a series.

use rug::float::Constant;
use rug::float::Round::Down;
use rug::{Float, Integer};

use super::constants::{floor, fraction, kept, reciprocal};
use super::limbs::{Limbs, plus, times};
use super::units::{Units, of_whole};

/// Rows of the first table, `e^(i/256)`: the last is above 2.
const ROWS: usize = 178;

/// Tables for the exponential, each entry too small by less than the units noted.
pub(super) struct Powers<const N: usize> {
    /// `e^(i/256)/4`: 400.
    coarse: Vec<Limbs<N>>,
    /// `e^(j/65536) - 1`: 530.
    fine: Vec<Limbs<N>>,
    /// `1/(n + 2)!`: 1.
    series: Vec<Limbs<N>>,
    /// `floor(ln(2) 2^(64 (N + 1)))`.
    ln_2: Option<Units>,
}

kept!(Powers);

impl<const N: usize> Powers<N> {
    /// Each entry from the one before it: `e^((i+1)/256) = e^(i/256) (1 + b)`. An error of e units becomes `e (1 + b)`,
    /// and at most 1 for b (times an entry below 0.51) and `1 + 2^-60` for the product are added: less than
    /// `1.6 * 254 = 400` after 177 steps. The fine entries, `x + c + x c`, add 1, 1 and `2^-8` at each step: less than
    /// `2.02 * 1.01 * 256 = 530`.
    fn new() -> Self {
        let bits = 64 * N as u32;
        let step = |exponent: u32| {
            fraction::<N>(|bits| {
                let x = Float::with_val(bits, 1) >> exponent;
                Float::with_val_round(bits, x.exp_m1_ref(), Down).0
            })
        };
        let (b, c) = (step(8), step(16));
        let mut quarter = [0; N];
        quarter[N - 1] = 1 << 62;
        let coarse = std::iter::successors(Some(quarter), |x| Some(plus(x, &times(x, &b)))).take(ROWS).collect();
        let fine = std::iter::successors(Some([0; N]), |x| Some(plus(&plus(x, &c), &times(x, &c)))).take(256).collect();
        // The first term left out, t^n/(n + 2)!, and all after it are below one unit.
        let mut series = Vec::new();
        let mut factorial = Integer::from(1);
        for n in 0u32.. {
            factorial *= n + 2;
            if 16 * n + factorial.significant_bits() > bits + 1 {
                break;
            }
            series.push(reciprocal(&factorial));
        }
        let ln_2 = of_whole(&floor(&Float::with_val_round(bits + 128, Constant::Log2, Down).0, bits + 64));
        Powers { coarse, fine, series, ln_2 }
    }

    /// `ln 2` in units of `2^(-64 (N + 1))`, rounded down.
    pub fn ln_2(&self) -> Option<&Units> {
        self.ln_2.as_ref()
    }

    /// `e^r/4` for a fraction `r < ln 2`, too small by less than 800 units.
    ///
    /// With `r = i/256 + j/65536 + t` it is `A (1 + B) (1 + u)`, `u = e^t - 1 = t + t^2 (1/2 + t/6 + ...)`. The bracket
    /// is too small by less than 4 units (a coefficient, a product and what is left out, and `2^-16` of the step
    /// before), u by less than 1.1. `A (1 + B)` is too small by less than `400 (1 + 2^-7) + 0.51 * 530 + 1.1 < 676`,
    /// the result by `676 (1 + 2^-15) + 1.1 + 1.1`.
    pub fn quarter(&self, r: &Limbs<N>) -> Limbs<N> {
        let top = r[N - 1];
        let mut t = *r;
        t[N - 1] = top & (u64::MAX >> 16);
        let mut bracket = [0; N];
        for coefficient in self.series.iter().rev() {
            bracket = plus(coefficient, &times(&bracket, &t));
        }
        let u = plus(&t, &times(&t, &times(&t, &bracket)));
        let (i, j) = ((top >> 56) as usize, (top >> 48) as usize & 0xff);
        let coarse = &self.coarse[i.min(ROWS - 1)];
        let value = plus(coarse, &times(coarse, &self.fine[j]));
        plus(&value, &times(&value, &u))
    }
}
