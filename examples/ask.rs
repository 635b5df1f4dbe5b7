//! Compute epsilon of a training run with one query.
//!
//! `cargo run --release --example ask`

use dpcert::{Budget, Composition, Outcome, Quantity, Query, answer};

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A thousand steps with Gaussian noise, each on a Poisson sample with sampling rate 1/100. Numbers are exact.
    let run: Composition = "poisson(rate=1/100, gaussian(sigma=1))^1000".parse()?;
    let query = Query::new(Quantity::Epsilon { delta: "1e-6".parse()? }, run).with_digits(12);
    let answer = answer(&query, &Budget::default())?;
    match &answer.outcome {
        Outcome::Exact(value) => println!("epsilon = {value}"),
        Outcome::Enclosure(truth) => println!("{} <= epsilon <= {}", truth.lower(12), truth.upper(12)),
        Outcome::Infinite => println!("epsilon is infinite"),
        Outcome::Undefined(reason) => println!("there is no epsilon: {reason}"),
        Outcome::Undecided(reason) => println!("not decided: {reason}"),
        // Later versions may add outcomes; none of them is a number.
        other => println!("{other:?}"),
    }
    println!("by {}: {}", answer.method, answer.citation());

    // To report an epsilon, use the double that is proven to be at least the true value.
    let upper = answer.outcome.upper_f64().ok_or("no number")?;
    println!("epsilon is at most {upper}");
    Ok(())
}
