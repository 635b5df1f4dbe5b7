//! One question and its answer: how private is a training run?
//!
//! `cargo run --release --example ask`

use dpcert::{Budget, Composition, Outcome, Quantity, Query, answer};

/// Runs it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A thousand steps with Gaussian noise, each on a sample that has every hundredth person. Numbers are exact.
    let run: Composition = "poisson(rate=1/100, gaussian(sigma=1))^1000".parse()?;
    let query = Query::new(Quantity::Epsilon { delta: "1e-6".parse()? }, run).with_digits(12);
    let answer = answer(&query, &Budget::default())?;
    match &answer.outcome {
        Outcome::Exact(value) => println!("epsilon = {value}"),
        Outcome::Enclosure(truth) => println!("{} <= epsilon <= {}", truth.lower(12), truth.upper(12)),
        Outcome::Infinite => println!("epsilon is infinite"),
        Outcome::Undefined(reason) => println!("there is no epsilon: {reason}"),
        Outcome::Undecided(reason) => println!("not decided: {reason}"),
        // More may come: whatever it is, it is no number.
        other => println!("{other:?}"),
    }
    println!("by {}: {}", answer.method, answer.citation());

    // Whoever promises something wants a double that is certainly not below the truth.
    let promise = answer.outcome.upper_f64().ok_or("no number")?;
    println!("promised: epsilon = {promise}");
    Ok(())
}
