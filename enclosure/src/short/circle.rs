//! `cos r + i sin r` for `0 <= r < pi/2`: two tables and two series.

use rug::float::Constant;
use rug::float::Round::Down;
use rug::{Float, Integer};

use super::constants::{floor, fraction, kept, reciprocal};
use super::limbs::{Limbs, minus, plus, times};
use super::units::{Units, of_whole};

/// Rows of the first table, at `i/256`: `pi/2` lies between the last and one more.
const ROWS: usize = 403;

/// Tables for sine and cosine; the error of each entry is, as a vector, below the units noted.
pub(super) struct Circle<const N: usize> {
    /// Cosine and sine of `i/256`, halved: 1700.
    coarse: Vec<[Limbs<N>; 2]>,
    /// `1 - cos` and `sin` of `j/65536`: 1200.
    fine: Vec<[Limbs<N>; 2]>,
    /// `1/(2n + 2)!` and `1/(2n + 3)!`: 1 each.
    series: Vec<[Limbs<N>; 2]>,
    /// `floor((pi/2) 2^(64 (N + 1)))`.
    half_pi: Option<Units>,
}

kept!(Circle);

/// `(x + iy)(1 - c + is)`, where both parts of the product are at least 0; one that comes out below is 0.
///
/// Both products of each part lose less than `1 + 2^-60` units, so that the result is wrong, as a vector, by less than
/// 2.9 units more than x, y, c and s make it.
fn turn<const N: usize>([x, y]: &[Limbs<N>; 2], [c, s]: &[Limbs<N>; 2]) -> [Limbs<N>; 2] {
    [minus(x, &plus(&times(x, c), &times(y, s))), minus(&plus(y, &times(x, s)), &times(y, c))]
}

impl<const N: usize> Circle<N> {
    /// Each entry from the one before it, by a turn: the error before it keeps its length, that of the turn (1 unit in
    /// each part) counts for half of it as the entries are halved, and 2.9 units are added: less than
    /// `4.2 * 402 < 1700`. The fine entries are turned around 1: `c + c' - c c' + s s'` and `s + s' - s c' - c s'`; 1.5
    /// units for the turn and 2.9 for the products: less than `4.5 * 255 < 1200`.
    fn new() -> Self {
        let bits = 64 * N as u32;
        let step = |exponent: u32| {
            let angle = Float::with_val(64, 1) >> exponent;
            // 1 - cos x = 2 sin^2(x/2), which does not cancel.
            let half = Float::with_val(64, &angle >> 1u32);
            let down = |bits: u32, x: &Float| Float::with_val_round(bits, x.sin_ref(), Down).0;
            let versed = |bits: u32| Float::with_val_round(bits, down(bits + 64, &half).square_ref(), Down).0 << 1u32;
            [fraction::<N>(versed), fraction::<N>(|bits| down(bits, &angle))]
        };
        let (one, small) = (step(8), step(16));
        let mut half = [0; N];
        half[N - 1] = 1 << 63;
        let coarse = std::iter::successors(Some([half, [0; N]]), |at| Some(turn(at, &one))).take(ROWS).collect();
        let next = |[c, s]: &[Limbs<N>; 2]| {
            let [c1, s1] = &small;
            let versed = minus(&plus(&plus(c, c1), &times(s, s1)), &times(c, c1));
            let sine = minus(&plus(s, s1), &plus(&times(s, c1), &times(c, s1)));
            Some([versed, sine])
        };
        let fine = std::iter::successors(Some([[0; N]; 2]), next).take(256).collect();
        // The first terms left out, t^(2n)/(2n + 2)! at most, and all after them are below one unit.
        let mut series = Vec::new();
        let mut factorial = Integer::from(1);
        for n in 0u32.. {
            factorial *= 2 * n + 2;
            if 32 * n + factorial.significant_bits() > bits + 1 {
                break;
            }
            let even = reciprocal(&factorial);
            factorial *= 2 * n + 3;
            series.push([even, reciprocal(&factorial)]);
        }
        let half_pi = of_whole(&floor(&Float::with_val_round(bits + 128, Constant::Pi, Down).0, bits + 63));
        Circle { coarse, fine, series, half_pi }
    }

    /// `pi/2` in units of `2^(-64 (N + 1))`, rounded down.
    pub fn half_pi(&self) -> Option<&Units> {
        self.half_pi.as_ref()
    }

    /// Half the cosine and half the sine of `whole + r < pi/2`, together wrong by less than 2400 units.
    ///
    /// With `whole + r = i/256 + j/65536 + t`, `1 - cos t = t^2 (1/2 - t^2/24 + ...)` and
    /// `sin t = t - t^3 (1/6 - ...)`: each bracket is wrong by less than 4 units, and both results by less than 1.6,
    /// hence 2.3 as a vector. A vector of length 1/2 is turned twice: `1700 + 600 + 2.9
    /// + 1.2 + 2.9` units and their products, which are below one.
    pub fn halves(&self, whole: u64, r: &Limbs<N>) -> [Limbs<N>; 2] {
        let top = r[N - 1];
        let mut t = *r;
        t[N - 1] = top & (u64::MAX >> 16);
        let square = times(&t, &t);
        let mut brackets = [[0; N]; 2];
        for coefficients in self.series.iter().rev() {
            for (bracket, coefficient) in brackets.iter_mut().zip(coefficients) {
                *bracket = minus(coefficient, &times(bracket, &square));
            }
        }
        let [even, odd] = brackets;
        let last = [times(&square, &even), minus(&t, &times(&t, &times(&square, &odd)))];
        let (i, j) = ((whole << 8 | top >> 56) as usize, (top >> 48) as usize & 0xff);
        turn(&turn(&self.coarse[i.min(ROWS - 1)], &self.fine[j]), &last)
    }
}
