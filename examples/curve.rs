//! Print the privacy profile and the trade-off function of a composition as a CSV table.
//!
//! `cargo run --release --example curve > curve.csv`

use dpcert::{Budget, Composition, Error, Method, Outcome, Quantity, Query, Real, Session};

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let composition: Composition = "discrete-gaussian(sigma2=4)^16".parse()?;
    let session = Session::new(composition.clone(), Method::Auto);
    let ask = |quantity| -> Result<Outcome, Error> {
        let query = Query::new(quantity, composition.clone()).with_digits(6);
        Ok(session.answer(&query, &Budget::default())?.outcome)
    };
    println!("x,delta at epsilon x,beta at alpha x/4");
    for quarter in 0..=4_u32 {
        // Points are exact numbers too: 1/4 is a fraction, not a double.
        let (x, alpha) = (format!("{quarter}/4").parse::<Real>()?, format!("{quarter}/16").parse::<Real>()?);
        let delta = ask(Quantity::Delta { epsilon: x.clone() })?;
        let beta = ask(Quantity::Beta { alpha })?;
        // Report an upper bound for delta and a lower bound for the type II error.
        let (delta, beta) = (delta.upper_f64().ok_or("no number")?, beta.lower_f64().ok_or("no number")?);
        println!("{x},{delta},{beta}");
    }
    Ok(())
}
