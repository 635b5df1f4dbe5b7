//! What one block of a grid over the number of clones proves of shuffled reports.

use serde::Deserialize;

use super::super::data::Names;
use super::super::fill::filled;
use super::{Value, budget, real};
use crate::error::Error;
use crate::theorem::one_block::epsilon;
use crate::theorem::shuffling::Reports;
use enclosure::{Number, refine};

/// The reports, and the delta.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneBlock {
    n: String,
    epsilon0: String,
    delta: String,
}

impl OneBlock {
    /// All texts in which names are filled in.
    pub fn texts(&self) -> Vec<&str> {
        [&self.n, &self.epsilon0, &self.delta].map(String::as_str).into()
    }

    /// The least epsilon that the block leaves.
    pub fn ask(&self, given: &Names, digits: u32) -> Result<Value, Error> {
        let n = filled(&self.n, given);
        let n = n.parse().map_err(|_| Error::input(format!("n must be a number of reports, not `{n}`")))?;
        let reports = Reports { n, epsilon0: real("epsilon0", &self.epsilon0, given)? };
        let (delta, budget) = (real("delta", &self.delta, given)?, budget());
        let least = |bits| epsilon(&reports, &delta, bits, &budget).map(Number::Enclosed);
        refine(digits, &budget, least).map(Value::Number)
    }
}
