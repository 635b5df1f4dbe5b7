//! What the papers claim, held against certified arithmetic.
//!
//! A claim is a record ([`record`]): source, statement, domain, and a check. `check` is the list of ways to check:
//! identities of rational functions, and inequalities by the signs of coefficients, hold for all parameters; `prove`
//! has branch and bound for boxes; what is left is tried at points. The folders and files named after papers hold the
//! records, and what their checks compute: `tests` (finite pairs by the sum over all sets), `symbolic` (compositions
//! outcome by outcome, as rational functions), `ask` (the engines). `unchecked` has the statements for which there is
//! no check, with the reason. `ledger` writes the page and the JSON file.
//!
//! Verdicts depend on no clock and on no number of threads: budgets count work.

mod algebra;
mod ask;
mod check;
mod finite;
mod formula;
mod ledger;
mod prove;
mod record;
mod symbolic;
mod tally;
mod unchecked;
mod verdict;

mod auxiliary;
mod dr;
mod drs;
mod kov;
mod noise;
mod st;
mod su;

use rayon::prelude::*;

use crate::error::Error;

pub use ledger::{Entry, Listed, Standing, json, page, summary};
pub use record::Claim;
pub use unchecked::UNCHECKED;
pub use verdict::Verdict;

/// All claims, in the order of the ledger.
pub fn all() -> Vec<&'static Claim> {
    [kov::CLAIMS, drs::CLAIMS, dr::CLAIMS, st::CLAIMS, su::CLAIMS, auxiliary::CLAIMS, &[noise::CLAIMS]]
        .into_iter()
        .flat_map(|paper| paper.iter().flat_map(|section| section.iter()))
        .collect()
}

/// The claims about an erratum of this name, `E-1`: each statement that is wrong as printed and behind it the one that
/// is right, and those that name it as a note on what they say; none if there is no such erratum.
pub fn erratum(name: &str) -> Vec<&'static Claim> {
    let claims = all();
    let name = name.to_ascii_uppercase();
    let (faulty, noted) = (format!("{name}: "), format!("({name})"));
    let mut about: Vec<&'static Claim> = Vec::new();
    for claim in &claims {
        let corrected = claim.fault.filter(|fault| fault.what.starts_with(&faulty)).map(|fault| fault.corrected);
        let own = (corrected.is_some() || claim.says.contains(&noted)).then_some(claim.id);
        for id in own.into_iter().chain(corrected) {
            if about.iter().all(|known| known.id != id) {
                about.extend(claims.iter().find(|claim| claim.id == id));
            }
        }
    }
    about
}

impl Claim {
    /// Check it.
    pub fn verdict(&self) -> Result<Verdict, Error> {
        self.check.run(self.with).map_err(|error| error.about(format!("claim {}", self.id)))
    }
}

/// Check claims on all processors, in order; `done` is called for each one.
pub fn judged(claims: &[&'static Claim], done: impl Fn(&Claim) + Sync) -> Result<Vec<Entry>, Error> {
    let one = |claim: &&'static Claim| {
        let entry = Entry::new(claim, claim.verdict()?);
        done(claim);
        Ok(entry)
    };
    claims.par_iter().with_max_len(1).map(one).collect()
}

#[cfg(test)]
mod tests;
