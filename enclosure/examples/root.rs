//! A hundred digits of the number with `x e^x = 1`, each of them proven.
//!
//! ```sh
//! cargo run --release -p dpcert-enclosure --example root
//! ```

use enclosure::decimal::{Side, decimal};
use enclosure::{Budget, Enclosure, Error, Number, refine, root};
use rug::Float;

fn main() -> Result<(), Error> {
    let budget = Budget::default();
    // e^-x - x falls, and its slope is -(e^-x + 1). A double is a good place to start from; it proves nothing.
    let start = Float::with_val(53, 0.567);
    let omega = refine(100, &budget, |bits| {
        let value = |x: &Float, bits: u32| {
            let x = Enclosure::new(x.clone(), x.clone()).with_bits(bits);
            Ok((-&x).exp() - x)
        };
        let slope = |x: &Enclosure, bits: u32| Ok((-x).exp() + Enclosure::one(bits));
        root::newton(&start, bits, &budget, value, slope).map(Number::Enclosed)
    })?;
    println!("{} <=", decimal(&omega, 100, Side::Lower));
    println!("{}", decimal(&omega, 100, Side::Upper));

    // The number that is enclosed solves the equation, as far as the enclosure tells.
    let omega = omega.enclosure(400);
    let one = &omega * &omega.exp();
    println!("x e^x is within {:.3e} of 1", (one - Enclosure::one(400)).abs().upper().to_f64());
    Ok(())
}
