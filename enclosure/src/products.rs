//! Sums and differences of two products, rounded once.
//!
//! **Contract.** The value stored is `a b + c d` (or `a b - c d`) rounded to nearest, once, at the precision of the
//! place it is stored in. Where the exact value is below the smallest positive number, it is zero or that number, of
//! the right sign, and wrong by less than that number; beyond the largest it is infinite.
//!
//! MPFR has functions for this, `mpfr_fmma` and `mpfr_fmms`, and in MPFR 4.2.2 they do not do what it says everywhere.
//! Below the smallest positive number they may round to the farther neighbour, which the contract allows for; and
//! worse: they multiply exactly, into numbers whose exponents may lie outside of the range, and add these. Where one of
//! the two products is zero the sum is a *copy* of the other, and the mark "my exponent is elsewhere" is copied with
//! it: the result claims to be a regular number with an exponent of about `-2^63`, and whatever is computed with that
//! is undefined. So they are called here and nowhere else, and never with a factor that is zero: what is left then is
//! one product, and `mpfr_mul` rounds that as it should. With four factors that are not zero there are two exact
//! products that are not zero, for which the sum is computed and not copied.

use rug::ops::NegAssign;
use rug::{Assign, Float};

/// `a b + c d` in `target`, rounded to nearest at its precision.
pub fn assign_sum(target: &mut Float, (a, b): (&Float, &Float), (c, d): (&Float, &Float)) {
    if a.is_zero() || b.is_zero() {
        target.assign(c * d);
    } else if c.is_zero() || d.is_zero() {
        target.assign(a * b);
    } else {
        target.assign(a * b + c * d);
    }
}

/// `a b - c d` in `target`, rounded to nearest at its precision.
pub fn assign_difference(target: &mut Float, (a, b): (&Float, &Float), (c, d): (&Float, &Float)) {
    if a.is_zero() || b.is_zero() {
        target.assign(c * d);
        // Rounding to nearest is the same on both sides of zero.
        target.neg_assign();
    } else if c.is_zero() || d.is_zero() {
        target.assign(a * b);
    } else {
        target.assign(a * b - c * d);
    }
}

/// [`assign_sum`] in a new number of this precision.
pub fn sum(bits: u32, ab: (&Float, &Float), cd: (&Float, &Float)) -> Float {
    let mut target = Float::new(bits);
    assign_sum(&mut target, ab, cd);
    target
}

/// [`assign_difference`] in a new number of this precision.
pub fn difference(bits: u32, ab: (&Float, &Float), cd: (&Float, &Float)) -> Float {
    let mut target = Float::new(bits);
    assign_difference(&mut target, ab, cd);
    target
}
