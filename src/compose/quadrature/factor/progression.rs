//! Sums of geometric progressions, `sum_j A_j R_j^m` for `m = 0, 1, 2, ...`, in fixed point.
//!
//! **Contract.** All numbers are complex integers in units of `2^unit`. If `A_j` and `R_j` lie in the discs given and
//! `|R_j| <= 1`, then the true sum differs from the one returned by at most the bound returned.
//!
//! *Error.* Let `x_m` be the integer that stands for `X_m = A R^m`, `R~` the fixed-point number that stands for `R`,
//! `|R - R~| <= rho`. Each part of a product is rounded by at most one unit, so
//! `|x_(m+1) - X_(m+1)| <= |X_m - x_m| |R| + |x_m| rho + sqrt 2 <= e_m + |x_m| rho + sqrt 2`. While `m <= MAX_STEPS`, an increment `d >= 2` with
//! `(|A| + e_0 + d MAX_STEPS) rho <= d - sqrt 2` makes `e_m <= e_0 + d m` (by induction: `|x_m| <= |A| + e_m`). So the sums of `e_0` and of `d`
//! over the terms are all that has to be remembered.

use rug::float::Round::{Nearest, Up};
use rug::ops::AddAssignRound;
use rug::{Assign, Float, Integer};

use crate::number::Complex;

/// After so many steps the progressions are at the end of their error bound.
pub(super) const MAX_STEPS: u32 = 1 << 16;

/// One progression.
struct Term {
    re: Integer,
    im: Integer,
    turn_re: Integer,
    turn_im: Integer,
}

/// Progressions that advance together.
pub(super) struct Progressions {
    unit: i32,
    bits: u32,
    terms: Vec<Term>,
    /// Sum of `e_0`, in units.
    initial: Float,
    /// Sum of `d`, in units.
    drift: Float,
    steps: u32,
}

fn up(x: f64) -> Float {
    Float::with_val_round(64, x, Up).0
}

/// `x + y`, rounded up.
fn sum(x: &Float, y: &Float) -> Float {
    Float::with_val_round(64, x + y, Up).0
}

/// `x 2^-unit` to the nearest integer; `None` if it is not finite or absurd.
fn integer(x: &Float, unit: i32) -> Option<Integer> {
    let scaled = Float::with_val(x.prec(), x >> unit);
    scaled.to_integer_round(Nearest).map(|(value, _)| value)
}

impl Progressions {
    /// None yet; `bits` is the precision of the ratios.
    pub fn new(unit: i32, bits: u32) -> Self {
        Progressions { unit, bits, terms: Vec::new(), initial: Float::new(64), drift: Float::new(64), steps: 0 }
    }

    /// Add one; only before the first step. False, and nothing is added, if the discs are too wide for the units.
    pub fn push(&mut self, start: &Complex, ratio: &Complex) -> bool {
        let fraction = -i32::try_from(self.bits).unwrap_or(i32::MAX);
        let (Some(re), Some(im)) = (integer(start.centre().0, self.unit), integer(start.centre().1, self.unit)) else {
            return false;
        };
        let (Some(turn_re), Some(turn_im)) = (integer(ratio.centre().0, fraction), integer(ratio.centre().1, fraction))
        else {
            return false;
        };
        // Half a unit in each part is below 3/4 of a unit together.
        let initial = sum(&Float::with_val_round(64, start.radius() >> self.unit, Up).0, &up(0.75));
        let rho = sum(ratio.radius(), &(up(0.75) >> self.bits));
        let modulus = Float::with_val_round(64, &start.modulus_upper() >> self.unit, Up).0;
        let at = |d: f64| {
            let whole = sum(&sum(&modulus, &initial), &up(d * f64::from(MAX_STEPS)));
            Float::with_val_round(64, &whole * &rho, Up).0
        };
        let Some(d) = [2.0, 3.0, 4.0, 8.0, 64.0, 1024.0, 1048576.0].into_iter().find(|&d| at(d) <= d - 1.4143) else {
            return false;
        };
        self.initial.add_assign_round(&initial, Up);
        self.drift.add_assign_round(&up(d), Up);
        self.terms.push(Term { re, im, turn_re, turn_im });
        true
    }

    /// The sums at the present step, and the bound of their error, all in units of `2^unit`.
    pub fn sum(&self) -> (Integer, Integer, Float) {
        let (mut re, mut im) = (Integer::new(), Integer::new());
        for term in &self.terms {
            re += &term.re;
            im += &term.im;
        }
        let drift = Float::with_val_round(64, &self.drift * self.steps, Up).0;
        (re, im, sum(&self.initial, &drift))
    }

    /// How many more steps there can be.
    pub fn left(&self) -> u32 {
        MAX_STEPS - self.steps
    }

    /// From `m` to `m + 1`.
    pub fn advance(&mut self) {
        let mut product = Integer::new();
        for term in &mut self.terms {
            product.assign(&term.re * &term.turn_re);
            product -= &term.im * &term.turn_im;
            term.im *= &term.turn_re;
            term.im += &term.re * &term.turn_im;
            term.im >>= self.bits;
            term.re.assign(&product >> self.bits);
        }
        self.steps += 1;
    }
}
