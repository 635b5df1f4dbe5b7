//! The integral of `e^(-x^2)` over `[0, 1]`, enclosed by Simpson's rule and its error, against the error function.
//!
//! The error of Simpson's rule with `n` steps of width `h` is at most `n h^5 / 180` times the largest fourth
//! derivative, in modulus. Here that derivative is `(16 x^4 - 48 x^2 + 12) e^(-x^2)`; the polynomial falls in `x^2` up
//! to 3/2, so on `[0, 1]` it lies between 12 and -20, and the other factor is at most 1: no more than 20 in all.
//!
//! ```sh
//! cargo run --release -p dpcert-enclosure --example integral
//! ```

use enclosure::special::erf;
use enclosure::{Budget, Enclosure, Error};
use rug::{Integer, Rational};

/// An even number of steps.
const STEPS: u32 = 2000;

/// Bits of the sum; the error of the rule is far larger than that of the rounding.
const BITS: u32 = 128;

fn main() -> Result<(), Error> {
    let value = |k: u32| (-Enclosure::rational(&Rational::from((k, STEPS)), BITS).square()).exp();
    let mut sum = value(0) + value(STEPS);
    for k in 1..STEPS {
        sum = sum + value(k).mul_u32(if k % 2 == 1 { 4 } else { 2 });
    }
    let simpson = sum.div_u32(3).div_u32(STEPS);
    // n h^5 / 180 * 20 with h = 1/n.
    let error =
        Enclosure::rational(&Rational::from((1, Integer::from(9) * Integer::from(STEPS).square().square())), BITS);
    let integral = simpson.widen(error.upper());
    println!("by Simpson's rule       {integral:?}");

    let half_root_pi = Enclosure::pi(BITS).sqrt().shift(-1);
    let closed = half_root_pi * erf(&Enclosure::one(BITS), BITS, &Budget::default())?;
    println!("by the error function   {closed:?}");
    assert!(integral.overlaps(&closed), "two enclosures of one number that do not meet prove a mistake");
    Ok(())
}
