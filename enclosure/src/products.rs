//! Sums and differences of two products, rounded once.
//!
//! **Contract.** The result is `a b + c d` (or `a b - c d`), rounded once, to nearest, at the precision of the target.
//! If the exact value is below the smallest positive number, the result is zero or that number, with the right sign and
//! an error below that number. Beyond the largest number it is infinite.
//!
//! MPFR has `mpfr_fmma` and `mpfr_fmms` for this, but in MPFR 4.2.2 they deviate from their specification. Below the
//! smallest positive number they may round to the farther neighbour, which the contract allows. Worse, they form exact
//! products whose exponents may be out of range. If one product is zero, the sum is a *copy* of the other product,
//! including its internal mark for an extended exponent. The result then claims to be a regular number with an exponent
//! of about `-2^63`, and further computation with it is undefined. Therefore this module is the only caller, and it
//! never passes a zero factor: one product remains then, which `mpfr_mul` rounds correctly.

use rug::ops::NegAssign;
use rug::{Assign, Float};

use super::work;

/// `a b + c d` in `target`, rounded to nearest at its precision.
pub fn assign_sum(target: &mut Float, (a, b): (&Float, &Float), (c, d): (&Float, &Float)) {
    work::spend_product(target.prec());
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
    work::spend_product(target.prec());
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
