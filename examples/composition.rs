//! Build a composition from mechanisms in code instead of parsing an expression.
//!
//! `cargo run --release --example composition`

use dpcert::{Budget, Composition, Outcome, Quantity, Query, Real, answer};

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Parameters are exact numbers: integers, or parsed constants such as 1/100, 1e-9 and ln(3/2).
    let rate: Real = "1/100".parse()?;
    let step = Composition::poisson(rate, &Composition::gaussian(1, 1)?)?;
    let training = step.repeat(100)?;
    let survey = Composition::randomized_response("ln(3/2)".parse::<Real>()?)?;
    let all = training.and(&survey.repeat(2)?)?;

    // A composition prints as an expression, which parses back to the same composition.
    println!("{all}");
    assert_eq!(all, all.to_string().parse()?);

    let query = Query::new(Quantity::Delta { epsilon: 1.into() }, all);
    let together = answer(&query, &Budget::default())?.outcome;
    println!("together: delta at epsilon 1 is at most {}", together.upper_f64().ok_or("no number")?);

    // The privacy losses of the survey alone are logarithms of fractions, so its delta is an exact fraction.
    let epsilon = "ln(3/2)".parse()?;
    let query = Query::new(Quantity::Delta { epsilon }, survey.repeat(2)?);
    if let Outcome::Exact(delta) = answer(&query, &Budget::default())?.outcome {
        println!("the survey: delta at epsilon ln(3/2) is {delta}, which is {}", delta.upper(5));
    }
    Ok(())
}
