//! What a vector asks beside compositions: what a theorem says of numbers, and how well a function of private bits is
//! computed. Each has a composition beside it, for programs that know mechanisms only: what the theorem is about, or
//! what the parties publish together.

use dpcert_vectors::Exact;

use super::question::Said;
use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::print;
use crate::statement::MULTIPARTY;
use enclosure::{Budget, Real};

/// The first route of a theorem.
const THEOREM: &str = "the theorem's closed form";

/// That of an accuracy.
const ACCURACY: &str = "sum over transcripts, bit by bit";

/// The most parties there are.
const MOST_PARTIES: usize = 12;

/// One number that a theorem says.
#[derive(Clone)]
pub struct Stated {
    /// As it is stored.
    pub stored: dpcert_vectors::Stated,
    /// The theorem with its numbers.
    pub asked: print::Stated,
    /// The mechanism it applies to.
    pub about: Composition,
}

/// An accuracy.
#[derive(Clone, Debug)]
pub struct Game {
    /// As it is stored.
    pub stored: dpcert_vectors::Game,
    /// The question.
    pub asked: print::Game,
    /// What the parties publish.
    pub about: Composition,
}

/// A stored number.
fn read(value: &Exact) -> Result<Real, Error> {
    value.to_string().parse().map_err(|error| Error::input(format!("{error}")))
}

fn parsed(text: &str) -> Result<Composition, Error> {
    Composition::parse_closed(text).map_err(|error| Error::input(error.to_string()))
}

impl Stated {
    /// The question of a stored one.
    ///
    /// # Errors
    /// [`Error::Input`] for what is no theorem, and for numbers that it does not take or lacks.
    pub fn new(stored: &dpcert_vectors::Stated, digits: u32) -> Result<Self, Error> {
        let entry = print::Stated::find(&stored.name)?;
        let values: Result<Vec<_>, Error> =
            stored.given.iter().map(|(name, value)| Ok((name.clone(), read(value)?))).collect();
        let given = entry.given(values?)?;
        let of = |name: &str| given.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
        let named = |mechanism: &str, names: &[&str]| -> Option<String> {
            let all: Option<Vec<String>> = names.iter().map(|name| Some(format!("{name}={}", of(name)?))).collect();
            Some(format!("{mechanism}({})", all?.join(", ")))
        };
        let steps = |epsilon: &str, delta: &str, times: &str| -> Option<String> {
            Some(format!("approx-dp(epsilon={}, delta={})^{}", of(epsilon)?, of(delta)?, of(times)?))
        };
        let composed = || match (steps("epsilon", "delta", "times"), steps("epsilon2", "delta2", "times2")) {
            (Some(first), Some(second)) => Some(format!("{first} * {second}")),
            (Some(first), None) => Some(first),
            _ => named("zcdp", &["rho"])
                .or_else(|| named("rdp", &["order", "epsilon"]))
                .or_else(|| named("pure-dp", &["epsilon"]).filter(|_| given.0.len() == 1)),
        };
        let about = match entry.id {
            // The guarantee of all queries together.
            "KOV-A" | "KOV-4.1" | "KOV-4.2" | "KOV-4.3" | "KOV-B" | "classical-gaussian" => {
                named("approx-dp", &["epsilon", "delta"])
            }
            "DR-3.2" => named("gaussian", &["sigma", "sensitivity"]),
            "DR-RR" => named("randomized-response", &["epsilon"]),
            "DR-C3.1" | "DR-4.1" => {
                let times = of("times").map(|times| format!("^{times}")).unwrap_or_default();
                named("cdp", &["mu", "tau"]).map(|step| step + &times)
            }
            _ => composed(),
        };
        let about = about.ok_or_else(|| Error::input(format!("{} has no associated mechanism", entry.id)))?;
        let asked = print::Stated { entry, given, digits };
        Ok(Stated { stored: stored.clone(), asked, about: parsed(&about)? })
    }

    /// What the theorem says.
    ///
    /// # Errors
    /// Those of the theorem, and [`Error::Input`] for what it does not say.
    pub fn answer(&self, budget: &Budget) -> Result<Said, Error> {
        let says = &self.stored.says;
        let said = self.asked.answer(budget)?.into_iter().find(|(name, _)| name == says);
        let (_, outcome) = said.ok_or_else(|| Error::input(format!("{} has no result {says}", self.stored.name)))?;
        Ok(Said { outcome, method: THEOREM.to_string(), citation: self.asked.entry.source.to_string(), bound: None })
    }
}

impl Game {
    /// The question of a stored one.
    ///
    /// # Errors
    /// [`Error::Input`] for what is no function of bits, no party or no privacy.
    pub fn new(stored: &dpcert_vectors::Game, digits: u32) -> Result<Self, Error> {
        let all = |list: &[Exact]| list.iter().map(read).collect::<Result<Vec<_>, _>>();
        let (epsilons, deltas) = (all(&stored.epsilon)?, all(&stored.delta)?);
        let observer = match stored.observer.as_str() {
            "central" => 0,
            party => match party.parse() {
                Ok(party) if (1..=MOST_PARTIES).contains(&party) => party,
                _ => return Err(Error::input(format!("{party} is not an observer"))),
            },
        };
        let bits = match stored.bits {
            dpcert_vectors::Bits::Average => print::Bits::Average,
            dpcert_vectors::Bits::Worst => print::Bits::Worst,
        };
        let parts = epsilons.iter().zip(&deltas);
        let parts: Vec<_> =
            parts.map(|(epsilon, delta)| format!("approx-dp(epsilon={epsilon}, delta={delta})")).collect();
        let about = parsed(&parts.join(" * "))?;
        let name = (stored.function.as_str(), Some(stored.parties as usize));
        let asked = print::Game::new(name, epsilons, deltas, observer, bits, digits)?;
        Ok(Game { stored: stored.clone(), asked, about })
    }

    /// The best accuracy.
    ///
    /// # Errors
    /// Those of the question.
    pub fn answer(&self, budget: &Budget) -> Result<Said, Error> {
        let outcome: Outcome = self.asked.answer(budget)?.outcome;
        let citation = MULTIPARTY.citation().to_string();
        Ok(Said { outcome, method: ACCURACY.to_string(), citation, bound: None })
    }
}
