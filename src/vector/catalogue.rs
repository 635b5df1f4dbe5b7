//! The catalogue of mechanisms as the vectors have it: what the loader, its lint and the Python package know of them.

use dpcert_vectors::catalogue::{Catalogue, Domain, Mechanism, Parameter};

use crate::error::Error;
use crate::mechanism::{self, Entry, Presence};

/// `catalogue.json`, as it is stored.
pub fn catalogue() -> Result<String, Error> {
    let catalogue = Catalogue::new(mechanism::Mechanism::catalogue().iter().map(entry).collect());
    let text = serde_json::to_string_pretty(&catalogue)
        .map_err(|error| Error::input(format!("cannot write the catalogue: {error}")))?;
    Ok(text + "\n")
}

/// Vectors give each parameter in one way only, and a mechanism inside apart from the parameters.
fn entry(entry: &Entry) -> Mechanism {
    let stored = |parameter: &&mechanism::Parameter| {
        !matches!(parameter.domain, Domain::Mechanism | Domain::Mechanisms)
            && !matches!(parameter.presence, Presence::InsteadOf(_))
    };
    let parameter = |parameter: &mechanism::Parameter| Parameter {
        name: parameter.name.to_string(),
        domain: parameter.domain,
        default: match parameter.presence {
            Presence::Default(value) => Some(value.to_string()),
            Presence::Required | Presence::InsteadOf(_) | Presence::Optional => None,
        },
        loss: parameter.loss,
    };
    Mechanism {
        name: entry.name.to_string(),
        parameters: entry.parameters.iter().filter(stored).map(parameter).collect(),
        acts_on_another: entry
            .parameters
            .iter()
            .any(|parameter| matches!(parameter.domain, Domain::Mechanism | Domain::Mechanisms)),
    }
}
