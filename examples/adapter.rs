//! A complete adapter for `dpcert audit`: delta of the Gaussian mechanism by a textbook formula.
//!
//! `adapters/README.md` describes the protocol.
// The adapter of a user, who may use the C library.
#![allow(clippy::disallowed_methods)]

use std::io::{Write, stdin, stdout};

use dpcert_vectors::{Double, hex_of_f64};
use serde_json::{Value, json};

fn number(text: &Value) -> Option<f64> {
    Some(text.as_str()?.parse::<Double>().ok()?.0)
}

fn cdf(x: f64) -> f64 {
    libm::erfc(-x / 2.0_f64.sqrt()) / 2.0
}

fn delta(query: &Value) -> Option<Value> {
    let [step] = query["parameters"].as_array()?.as_slice() else { return None };
    if query["quantity"] != "delta" || step["mechanism"] != "gaussian" || step["parameters"].as_object()?.len() != 1 {
        return None;
    }
    let (sigma, epsilon) = (number(&step["parameters"]["sigma"])?, number(&query["at"]["epsilon"])?);
    let mu = step["times"].as_f64()?.sqrt() / sigma;
    let delta = cdf(mu / 2.0 - epsilon / mu) - epsilon.exp() * cdf(-mu / 2.0 - epsilon / mu);
    let says = "an equality: Balle and Wang 2018, Theorem 8";
    Some(json!({ "id": query["id"], "estimate": hex_of_f64(delta), "says": says }))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in stdin().lines() {
        let query: Value = serde_json::from_str(&line?)?;
        let answer = delta(&query).unwrap_or_else(|| json!({ "id": query["id"], "unsupported": true }));
        writeln!(stdout(), "{answer}")?;
    }
    Ok(())
}
