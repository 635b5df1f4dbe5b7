//! A whole curve: the privacy profile beside the trade-off function, as a table to be plotted.
//!
//! `cargo run --release --example curve > curve.csv`

use dpcert::{Budget, Composition, Error, Method, Outcome, Quantity, Query, Real, Session};

/// Runs it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let composition: Composition = "discrete-gaussian(sigma2=4)^16".parse()?;
    let session = Session::new(composition.clone(), Method::Auto);
    let ask = |quantity| -> Result<Outcome, Error> {
        let query = Query::new(quantity, composition.clone()).with_digits(6);
        Ok(session.answer(&query, &Budget::default())?.outcome)
    };
    println!("x,delta at epsilon x,beta at alpha x/4");
    for quarter in 0..=4_u32 {
        // Places are exact as well: 1/4 is a fourth, whatever doubles make of other fractions.
        let (x, alpha) = (format!("{quarter}/4").parse::<Real>()?, format!("{quarter}/16").parse::<Real>()?);
        let delta = ask(Quantity::Delta { epsilon: x.clone() })?;
        let beta = ask(Quantity::Beta { alpha })?;
        // A profile is promised from above, a type II error from below.
        let (delta, beta) = (delta.upper_f64().ok_or("no number")?, beta.lower_f64().ok_or("no number")?);
        println!("{x},{delta},{beta}");
    }
    Ok(())
}
