//! Sums of geometric progressions, `sum_j A_j R_j^m` for `m = 0, 1, 2, ...`, in fixed point.
//!
//! **Contract.** All numbers are complex integers in units of `2^unit`. If `A_j` and `R_j` lie in the discs given and
//! `|R_j| <= 1`, then the true sum differs from the one returned by at most the bound returned.
//!
//! *Error.* Let `x_m` be the integer that stands for `X_m = A R^m`, `R~` the fixed-point number that stands for `R`,
//! `|R - R~| <= rho`. Each part of a product is rounded by less than `1 + 2^-50` units, so
//! `|x_(m+1) - X_(m+1)| <= |X_m - x_m| |R| + |x_m| rho + 1.4143 <= e_m + |x_m| rho + 1.4143`. While `m <=
//! MAX_STEPS`, an increment `d` with `(|A| + e_0 + d MAX_STEPS) rho <= d - 1.4143` makes `e_m <= e_0 + d
//! m`, by induction, for `|x_m| <= |A| + e_m`. So the sums of `e_0` and of `d` over the terms are all that has to be
//! remembered.
//!
//! *Turning.* If all `|R_j| = 1`, nodes are summed in blocks: `R^-k` is the conjugate of `R^k`, so that four real
//! products of a term at the middle node and the k-th power of its ratio tell what it is at two nodes, and only from
//! block to block a term is multiplied itself. The k-th power is wrong by at most k times
//! `sigma = 1.02 rho' + 2.3 2^-F`, `rho'` the radius of the disc of R and F the bits of a ratio. With sigma in the
//! place of rho the same d will do, up to the last node of the block.
//!
//! *Size.* Terms differ by many orders of magnitude, and a small one needs neither high limbs nor an accurate ratio:
//! each is kept with as many 64-bit limbs as it has. All of it is proven in
//! `proofs/paper/node-values-and-progressions.md`.

mod limbs;

use rug::float::Round::{Nearest, Up};
use rug::ops::AddAssignRound;
use rug::{Assign, Float, Integer};

use self::limbs::Limbs;
use crate::{Complex, work};

/// Largest number of steps that the error bound covers.
pub const MAX_STEPS: u32 = 1 << 16;

/// Nodes of a block on either side of its middle.
const SIDE: usize = 4;

/// The sums at the nodes of a block, but for that in the middle.
type Block = [[Integer; 2]; 2 * SIDE + 1];

/// Terms of one width.
trait Terms {
    /// One more: its parts and those of its ratio, which has modulus one where it turns.
    fn push(&mut self, term: &[Integer; 4], turns: bool);
    /// The sum of the terms is added to these.
    fn sum(&self, re: &mut Integer, im: &mut Integer);
    /// From `m` to `m + 1`, or from the middle of a block to that of the next.
    fn advance(&mut self);
    /// The sums of terms in blocks around their middle are added to these.
    fn block(&mut self, block: &mut Block);
}

/// Terms of any width.
struct Wide {
    bits: u32,
    terms: Vec<[Integer; 4]>,
}

/// Progressions that advance together.
pub struct Progressions {
    unit: i32,
    narrow: Narrow,
    wide: Wide,
    /// Sum of `e_0`, in units.
    initial: Float,
    /// Sum of `d`, in units.
    drift: Float,
    steps: u32,
    turning: Option<Turning>,
}

/// Where terms that turn are.
struct Turning {
    /// The node of the block.
    place: usize,
    /// The block, once it was asked for.
    block: Option<Block>,
}

/// Ratios that turn are known at least so well.
const MOST_BLURRED: f64 = 1e-6;

/// Terms of more limbs than this are left to GMP.
const WIDEST: u32 = 8;

/// The terms of up to so many limbs.
#[derive(Default)]
struct Narrow {
    one: Limbs<1>,
    two: Limbs<2>,
    three: Limbs<3>,
    four: Limbs<4>,
    five: Limbs<5>,
    six: Limbs<6>,
    seven: Limbs<7>,
    eight: Limbs<8>,
}

impl Narrow {
    fn all_mut(&mut self) -> [&mut dyn Terms; 8] {
        [
            &mut self.one,
            &mut self.two,
            &mut self.three,
            &mut self.four,
            &mut self.five,
            &mut self.six,
            &mut self.seven,
            &mut self.eight,
        ]
    }
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
    /// No progressions yet; `bits` is the precision of ratios of terms that are too wide for limbs.
    pub fn new(unit: i32, bits: u32) -> Self {
        Progressions {
            unit,
            narrow: Narrow::default(),
            wide: Wide { bits, terms: Vec::new() },
            initial: Float::new(64),
            drift: Float::new(64),
            steps: 0,
            turning: None,
        }
    }

    /// The same for ratios with `|R_j| = 1`, which the caller must ensure: many steps are then faster.
    pub fn turning(unit: i32, bits: u32) -> Self {
        Progressions { turning: Some(Turning { place: SIDE, block: None }), ..Progressions::new(unit, bits) }
    }

    /// Add a progression; only before the first step. Returns `false` and adds nothing if the discs are too wide for
    /// the units, or the ratio violates the contract.
    pub fn push(&mut self, start: &Complex, ratio: &Complex) -> bool {
        // Ratios are known but for their rounding; beyond this the products of limbs would be too large for their
        // places.
        if ratio.modulus_upper() > 1.25 || self.turning.is_some() && ratio.radius() > MOST_BLURRED {
            return false;
        }
        let (Some(re), Some(im)) = (integer(start.centre().0, self.unit), integer(start.centre().1, self.unit)) else {
            return false;
        };
        // Half a unit in each part is below 3/4 of a unit together.
        let initial = sum(&Float::with_val_round(64, start.radius() >> self.unit, Up).0, &up(0.75));
        let modulus = Float::with_val_round(64, &start.modulus_upper() >> self.unit, Up).0;
        let reach = |d: f64| sum(&sum(&modulus, &initial), &up(d * f64::from(MAX_STEPS + SIDE as u32)));
        let turns = self.turning.is_some();
        let increment = |fraction: u32| {
            let rho = if turns {
                sum(&Float::with_val_round(64, ratio.radius() * 1.02, Up).0, &(up(2.3) >> fraction))
            } else {
                sum(&ratio.radius(), &(up(0.75) >> fraction))
            };
            let fits = |d: f64| Float::with_val_round(64, &reach(d) * &rho, Up).0 <= d - 1.4143;
            [2.0, 3.0, 4.0, 8.0, 64.0, 1024.0, 1_048_576.0].into_iter().find(|&d| fits(d))
        };
        let turn = |fraction: u32| {
            let unit = -i32::try_from(fraction).ok()?;
            Some((integer(ratio.centre().0, unit)?, integer(ratio.centre().1, unit)?))
        };
        let least = (re.significant_bits().max(im.significant_bits()) + 4).div_ceil(64);
        for limbs in least..=WIDEST {
            let Some(d) = increment(64 * limbs - 2) else { continue };
            // Parts of the numbers stay below 2^(64 limbs - 3), so that products stay within twice as many limbs.
            if reach(d) >= Float::with_val(64, 1) << (64 * limbs - 3) {
                continue;
            }
            let Some((turn_re, turn_im)) = turn(64 * limbs - 2) else { return false };
            let terms = self.narrow.all_mut().into_iter().nth(limbs as usize - 1);
            let Some(terms) = terms else { return false };
            terms.push(&[re, im, turn_re, turn_im], self.turning.is_some());
            self.grow(&initial, d);
            return true;
        }
        let (Some(d), Some((turn_re, turn_im))) = (increment(self.wide.bits), turn(self.wide.bits)) else {
            return false;
        };
        self.wide.terms.push([re, im, turn_re, turn_im]);
        self.grow(&initial, d);
        true
    }

    fn grow(&mut self, initial: &Float, d: f64) {
        self.initial.add_assign_round(initial, Up);
        self.drift.add_assign_round(&up(d), Up);
    }

    /// The sum at the current step (real and imaginary part) and its error bound, in units of `2^unit`.
    pub fn sum(&mut self) -> (Integer, Integer, Float) {
        let (mut re, mut im) = (Integer::new(), Integer::new());
        let mut counted = self.steps;
        match &mut self.turning {
            Some(Turning { place, block }) if *place != SIDE => {
                let narrow = &mut self.narrow;
                let block = block.get_or_insert_with(|| {
                    let mut block = Block::default();
                    narrow.all_mut().into_iter().for_each(|terms| terms.block(&mut block));
                    block
                });
                [re, im] = block[*place].clone();
            }
            _ => self.narrow.all_mut().into_iter().for_each(|terms| terms.sum(&mut re, &mut im)),
        }
        if let Some(Turning { place, .. }) = &self.turning {
            counted = counted.saturating_add((2 * SIDE - place) as u32);
        }
        self.wide.sum(&mut re, &mut im);
        // Beyond the last step nothing is proven.
        let steps = if self.steps <= MAX_STEPS { f64::from(counted) } else { f64::INFINITY };
        let drift = Float::with_val_round(64, &self.drift * steps, Up).0;
        (re, im, sum(&self.initial, &drift))
    }

    /// The sum as a disc with a centre of about `bits + 32` bits and `error` added to the radius.
    pub fn value(&mut self, bits: u32, error: &Float) -> Complex {
        let (re, im, own) = self.sum();
        let mut radius = sum(&(own << self.unit), error);
        let mut part = |x: Integer| {
            let value = Float::with_val(bits.saturating_add(32), &x) << self.unit;
            // Half a unit in the last place, if it was rounded.
            radius = sum(&radius, &(Float::with_val_round(64, value.abs_ref(), Up).0 >> bits.saturating_add(32)));
            value
        };
        let (re, im) = (part(re), part(im));
        Complex::disc(re, im, &radius)
    }

    /// Number of remaining steps.
    pub fn left(&self) -> u32 {
        MAX_STEPS.saturating_sub(self.steps)
    }

    /// Advance from `m` to `m + 1`.
    pub fn advance(&mut self) {
        match &mut self.turning {
            Some(Turning { place, .. }) if *place < 2 * SIDE => *place += 1,
            turning => {
                self.narrow.all_mut().into_iter().for_each(Terms::advance);
                *turning = turning.is_some().then(|| Turning { place: 0, block: None });
            }
        }
        self.wide.advance();
        self.steps = self.steps.saturating_add(1);
    }
}

impl Wide {
    /// The sum of the terms is added to these.
    fn sum(&self, re: &mut Integer, im: &mut Integer) {
        for term in &self.terms {
            *re += &term[0];
            *im += &term[1];
        }
    }

    /// Advance from `m` to `m + 1`.
    fn advance(&mut self) {
        let mut product = Integer::new();
        for [re, im, turn_re, turn_im] in &mut self.terms {
            work::spend_product(self.bits);
            work::spend_product(self.bits);
            product.assign(&*re * &*turn_re);
            product -= &*im * &*turn_im;
            *im *= &*turn_re;
            *im += &*re * &*turn_im;
            *im >>= self.bits;
            re.assign(&product >> self.bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rug::Rational;

    use super::*;
    use crate::Enclosure;

    proptest! {
        /// Sums in fixed point against discs, for terms of all widths and with and without damping.
        #[test]
        fn sums_of_discs(
            terms in prop::collection::vec((0i32..700, 0u32..1000, 0u32..3000, 0u32..40), 1..12),
            bits in 30u32..700,
            steps in 1usize..60,
            turns: bool,
        ) {
            let work = 800;
            let small = |n: u32, d: u32| Enclosure::rational(&Rational::from((n, d)), work);
            let unit = -i32::try_from(bits).unwrap();
            let progressions = if turns { Progressions::turning } else { Progressions::new };
            let mut sums = progressions(unit, bits + 20);
            let mut discs = Vec::new();
            for &(size, angle, turn, fall) in &terms {
                let start = Complex::real(&Enclosure::one(work).shift(-size), work);
                let start = &start * &Complex::cis(&small(angle, 100), work);
                let fall = if turns { 0 } else { fall };
                let ratio = Complex::exp(&-small(fall, 300), &small(turn, 500), work);
                prop_assert!(sums.push(&start, &ratio));
                discs.push((start, ratio));
            }
            for _ in 0..steps {
                let (re, im, error) = sums.sum();
                let truth = discs.iter().fold(Complex::zero(work), |sum, (value, _)| &sum + value);
                let part = |x: Integer| Float::with_val(work, x) >> bits;
                let value = Complex::disc(part(re), part(im), &(error.clone() >> bits));
                prop_assert!(value.re().overlaps(&truth.re()) && value.im().overlaps(&truth.im()));
                prop_assert!(error <= 3 * terms.len() * (steps + 1 + 2 * SIDE));
                for (value, ratio) in &mut discs {
                    *value = &*value * &*ratio;
                }
                sums.advance();
            }
        }
    }
}
