//! Dwork and Rothblum's Lemma 3.9 on a finite pair: the question, and its answer in JSON.
//!
//! `{"quantity": "antipodal", "mechanism": "finite(...)"}`.

use serde::{Deserialize, Serialize};

use super::{Numbers, Status};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::pair::FinitePair;
use crate::query::Query;
use crate::supervise;
use crate::theorem::{Antipodal, Chain};
use enclosure::Budget;

/// A finite pair, its replacement, and the chain of divergences.
pub struct Replaced {
    mechanism: Composition,
    /// The replacement.
    pub antipodal: Antipodal,
    /// The chain, to the digits that were asked for.
    pub chain: Chain,
    digits: u32,
}

impl Replaced {
    /// The replacement of a composition that is one finite pair.
    ///
    /// # Errors
    /// [`Error::Input`] for another composition; those of [`Antipodal::new`] and [`Antipodal::chain`].
    pub fn new(mechanism: Composition, digits: u32, budget: &Budget) -> Result<Self, Error> {
        let Some((Mechanism::Finite(pair), 1)) = mechanism.single() else {
            return Err(Error::input(format!(
                "antipodal needs one finite pair, such as finite(p=[1/2,1/2], q=[1/3,2/3]), got {mechanism}"
            )));
        };
        Query::check_digits(digits)?;
        let antipodal = Antipodal::new(FinitePair::new(pair.p().to_vec(), pair.q().to_vec())?)?;
        let (whole, own) = (antipodal.clone(), budget.clone());
        let chain = supervise::within(budget, move || whole.chain(digits, &own))?;
        Ok(Replaced { mechanism, antipodal, chain, digits })
    }

    /// The answer as an object of JSON.
    pub fn line(&self, asked: Option<Asked>) -> impl Serialize + use<> {
        let numbers = |number| Numbers::of(number, self.digits);
        Line {
            asked,
            mechanism: self.mechanism.to_string(),
            replacement: self.antipodal.clone(),
            epsilon: numbers(&self.chain.epsilon),
            kl_forward: numbers(&self.chain.forward),
            kl_backward: numbers(&self.chain.backward),
            epsilon_times_tv: numbers(&self.chain.antipodal),
            epsilon_times_tanh: numbers(&self.chain.sharp),
            printed_bound: numbers(&self.chain.printed),
            strict: self.antipodal.strict(),
        }
    }
}

/// What a line of JSON asked.
#[derive(Serialize)]
pub struct Asked {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: &'static str,
}

/// The JSON object: the exact replacement, then the chain of enclosures. The fields are a promise to scripts.
#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    asked: Option<Asked>,
    mechanism: String,
    #[serde(flatten)]
    replacement: Antipodal,
    epsilon: Numbers,
    kl_forward: Numbers,
    kl_backward: Numbers,
    epsilon_times_tv: Numbers,
    epsilon_times_tanh: Numbers,
    printed_bound: Numbers,
    strict: [bool; 3],
}

/// A question as it stands in JSON.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a finite pair, as in {\"quantity\": \"antipodal\", \
                                          \"mechanism\": \"finite(p=[1/2,1/2], q=[1/3,2/3])\"}"
)]
pub struct AntipodalQuestion {
    /// Echoed.
    pub id: Option<String>,
    #[serde(rename = "quantity")]
    _quantity: serde::de::IgnoredAny,
    mechanism: Composition,
    digits: Option<u32>,
}

impl AntipodalQuestion {
    /// The answer, with how it went.
    ///
    /// # Errors
    /// Those of [`Replaced::new`].
    pub fn answer(&self, budget: &Budget) -> Result<(impl Serialize + use<>, Status), Error> {
        let digits = self.digits.unwrap_or(Query::DEFAULT_DIGITS);
        let found = Replaced::new(self.mechanism.clone(), digits, budget)?;
        let asked = Asked { id: self.id.clone(), quantity: "antipodal" };
        Ok((found.line(Some(asked)), Status::Fine))
    }
}
