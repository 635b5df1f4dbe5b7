//! Evaluate many queries about one composition. A session reuses intermediate results between queries.
//!
//! `cargo run --release --example session`

use std::time::Duration;

use dpcert::{Budget, Composition, Direction, Method, Outcome, Quantity, Query, Session};

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let composition: Composition = "laplace(scale=2)^10 * gaussian(sigma=3)".parse()?;
    let session = Session::new(composition.clone(), Method::Auto);
    // Limits for each query: working precision in bits, and time. Beyond them the answer is a reason, not a number.
    let budget = || Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::from_secs(20)));

    for delta in ["1e-3", "1e-6", "1e-9", "1e-12"] {
        let query = Query::new(Quantity::Epsilon { delta: delta.parse()? }, composition.clone());
        match session.answer(&query, &budget())?.outcome {
            Outcome::Enclosure(epsilon) => println!("delta = {delta}: epsilon in {epsilon}"),
            other => println!("delta = {delta}: {other:?}"),
        }
    }

    // Both directions of the same composition: adding a record and removing a record can have different deltas.
    for direction in [Direction::Forward, Direction::Backward, Direction::Worst] {
        let query = Query::new(Quantity::Delta { epsilon: 1.into() }, composition.clone()).with_direction(direction);
        let delta = session.answer(&query, &budget())?.outcome;
        println!("{direction:?}: delta at epsilon 1 is at most {}", delta.upper_f64().ok_or("no number")?);
    }
    Ok(())
}
