//! A composition region as rational functions of `x = e^epsilon`: the question, and its answer in JSON.
//!
//! `{"quantity": "symbolic", "mechanism": ..., "k": 4}`.

use serde::{Deserialize, Serialize};

use super::Status;
use crate::compose::region::homogeneous;
use crate::curve::SymbolicComposition;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::supervise;
use enclosure::Budget;

/// The k-fold composition of one (epsilon, delta) mechanism, whose epsilon becomes the variable.
///
/// # Errors
/// [`Error::Input`] for another composition and for more than are written out; what a budget that runs out says.
pub fn formulas(mechanism: &Composition, k: u32, budget: &Budget) -> Result<SymbolicComposition, Error> {
    let Some((_, delta, 1)) = homogeneous(mechanism) else {
        return Err(Error::input(format!(
            "symbolic requires one (epsilon, delta) mechanism that runs once, such as approx-dp(epsilon=1, \
             delta=1/100), not {mechanism}; give the power as k"
        )));
    };
    let Some(delta) = delta.as_rational().cloned() else {
        return Err(Error::input(format!("delta must be rational for symbolic, not {delta}")));
    };
    let own = budget.clone();
    supervise::within(budget, move || {
        own.check()?;
        SymbolicComposition::new(k, &delta)
    })
}

/// The JSON object of an answer. The fields are a promise to scripts.
#[derive(Serialize)]
struct SymbolicLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: &'static str,
    mechanism: String,
    #[serde(flatten)]
    formulas: SymbolicComposition,
}

/// A question as it stands in JSON.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a mechanism and a k, as in {\"quantity\": \"symbolic\", \
                                          \"mechanism\": \"randomized-response(epsilon=1)\", \"k\": 4}"
)]
pub struct SymbolicQuestion {
    /// Echoed.
    pub id: Option<String>,
    #[serde(rename = "quantity")]
    _quantity: serde::de::IgnoredAny,
    mechanism: Composition,
    k: u32,
}

impl SymbolicQuestion {
    /// The answer, with how it went.
    ///
    /// # Errors
    /// Those of [`formulas`].
    pub fn answer(&self, budget: &Budget) -> Result<(impl Serialize + use<>, Status), Error> {
        let line = SymbolicLine {
            id: self.id.clone(),
            quantity: "symbolic",
            mechanism: self.mechanism.to_string(),
            formulas: formulas(&self.mechanism, self.k, budget)?,
        };
        Ok((line, Status::Fine))
    }
}
