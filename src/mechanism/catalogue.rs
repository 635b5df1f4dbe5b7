//! Names and parameters of mechanisms, declared once for parsers, error messages and help.

pub use dpcert_vectors::catalogue::{Domain, Trend};

use super::words::{self, Word};
use super::{Argument, Composition, Mechanism, Real, abbreviations, check};

/// Name, description and parameters of a mechanism.
#[derive(Debug)]
pub struct Entry {
    /// The name in expressions.
    pub name: &'static str,
    /// Other accepted names, never printed.
    pub aliases: &'static [&'static str],
    /// What it is: a noun phrase without a full stop.
    pub summary: &'static str,
    /// The pair of distributions, P first.
    pub pair: &'static str,
    /// An expression to copy.
    pub example: &'static str,
    /// Whether answers are exact or bounds, with the source of the bound, as [`Mechanism::standing`] decides.
    pub answers: &'static str,
    /// The parameters, in the order in which they are printed.
    pub parameters: &'static [Parameter],
    pub(super) build: fn(&Arguments) -> Result<Mechanism, Misfit>,
}

/// One parameter of a mechanism.
#[derive(Debug)]
pub struct Parameter {
    /// The name in expressions.
    pub name: &'static str,
    /// The set of allowed values, as the lint of the vectors checks it.
    pub domain: Domain,
    /// Whether it may be omitted.
    pub presence: Presence,
    /// Whether the privacy loss increases or decreases with it.
    pub loss: Trend,
    /// Description, with its domain.
    pub meaning: &'static str,
}

/// Kind of value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any constant.
    Real,
    /// A constant that is an integer from 0 to 2^63.
    Integer,
    /// A list of rationals.
    List,
    /// A mechanism, run once, or a composition.
    Mechanism,
    /// Compositions, each preceded by its weight.
    Mechanisms,
}

/// Whether a parameter may be omitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It must be given, unless another parameter replaces it.
    Required,
    /// It defaults to this value.
    Default(&'static str),
    /// By default it is chosen as the entry describes.
    Optional,
    /// It replaces the parameter of this name.
    InsteadOf(&'static str),
}

/// Why arguments do not make a mechanism.
#[derive(Debug)]
pub(super) struct Misfit {
    /// The argument that is wrong, by its position among those given.
    pub(super) argument: Option<usize>,
    pub(super) message: String,
}

impl Misfit {
    pub(super) fn new(argument: Option<usize>, message: impl Into<String>) -> Self {
        Misfit { argument, message: message.into() }
    }
}

/// Arguments whose names are known, each given once.
pub(super) struct Arguments {
    given: Vec<(String, Argument)>,
}

impl Arguments {
    fn position(&self, name: &str) -> Option<usize> {
        self.given.iter().position(|(other, _)| other == name)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// The parameter that is given of these alternatives; the first if none is.
    pub(super) fn alternative<'a>(&self, first: &'a str, others: &[&'a str]) -> &'a str {
        others.iter().copied().find(|name| self.has(name)).unwrap_or(first)
    }

    /// A fault of the argument of this name.
    pub(super) fn misfit(&self, name: &str, message: impl Into<String>) -> Misfit {
        Misfit::new(self.position(name), message)
    }

    /// A constant; `default` if it was not given.
    pub(super) fn real(&self, name: &str, default: u64) -> Result<Real, Misfit> {
        match self.position(name).and_then(|at| self.given.get(at)) {
            None => Ok(Real::from(default)),
            Some((_, Argument::Constant(value))) => Ok(value.clone()),
            Some((_, Argument::List(_))) => Err(self.misfit(name, format!("{name} must be a constant, not a list"))),
            Some((_, Argument::Mechanism(_) | Argument::Mechanisms(_))) => {
                Err(self.misfit(name, format!("{name} must be a constant, not a mechanism")))
            }
        }
    }

    pub(super) fn list(&self, name: &str) -> Result<&[Real], Misfit> {
        match self.position(name).and_then(|at| self.given.get(at)) {
            Some((_, Argument::List(values))) => Ok(values),
            _ => Err(self.misfit(name, format!("{name} must be a list, as in {name}=[1/2,1/2]"))),
        }
    }

    /// Any composition.
    pub(super) fn composition(&self, name: &str) -> Result<Composition, Misfit> {
        match self.position(name).and_then(|at| self.given.get(at)) {
            Some((_, Argument::Mechanism(inner))) => Ok(inner.clone()),
            _ => Err(self.misfit(name, format!("{name} must be a mechanism, as in gaussian(sigma=1)^10"))),
        }
    }

    /// Several compositions.
    pub(super) fn compositions(&self, name: &str) -> Result<&[Composition], Misfit> {
        match self.position(name).and_then(|at| self.given.get(at)) {
            Some((_, Argument::Mechanisms(all))) => Ok(all),
            _ => Err(self.misfit(name, format!("{name} must be mechanisms with weights, as in 1/2: gdp(mu=1)"))),
        }
    }

    /// Let the fault of a domain check point at the argument.
    pub(super) fn checked<T>(&self, name: &str, result: Result<T, crate::Error>) -> Result<T, Misfit> {
        result.map_err(|error| match error {
            crate::Error::Input(message) => self.misfit(name, message),
            crate::Error::Undecided(reason) => self.misfit(name, reason.to_string()),
            other => self.misfit(name, other.to_string()),
        })
    }
}

impl Parameter {
    /// Kind of its values.
    pub fn kind(&self) -> Kind {
        match self.domain {
            Domain::Real | Domain::NonNegative | Domain::Positive | Domain::AboveOne | Domain::Probability => {
                Kind::Real
            }
            Domain::Integer { .. } => Kind::Integer,
            Domain::Distribution | Domain::Constants => Kind::List,
            Domain::Mechanism => Kind::Mechanism,
            Domain::Mechanisms => Kind::Mechanisms,
        }
    }
}

impl Entry {
    /// The entry of this name or alias.
    pub fn find(name: &str) -> Option<&'static Entry> {
        Mechanism::catalogue().iter().find(|entry| entry.name == name || entry.aliases.contains(&name))
    }

    /// The entry of the abbreviation of this name or alias.
    pub(super) fn abbreviation(name: &str) -> Option<&'static Entry> {
        abbreviations().find(|entry| entry.name == name || entry.aliases.contains(&name))
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Usage line: `gaussian(sigma=..., sensitivity=1)`.
    pub fn usage(&self) -> String {
        let parameters = self.parameters.iter().filter_map(|parameter| match (parameter.presence, parameter.kind()) {
            (Presence::InsteadOf(_) | Presence::Optional, _) => None,
            (Presence::Default(value), _) => Some(format!("{}={value}", parameter.name)),
            (Presence::Required, Kind::List) if self.takes_parts() => None,
            (Presence::Required, Kind::List) => Some(format!("{}=[...]", parameter.name)),
            (Presence::Required, Kind::Mechanism) => Some(parameter.name.to_uppercase()),
            (Presence::Required, Kind::Mechanisms) => Some("WEIGHT: MECHANISM, ...".to_string()),
            (Presence::Required, _) => Some(format!("{}=...", parameter.name)),
        });
        format!("{}({})", self.name, parameters.collect::<Vec<_>>().join(", "))
    }

    /// The parameter that is a mechanism and may be given without its name.
    pub(super) fn inner(&self) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.kind() == Kind::Mechanism)
    }

    /// Does it take compositions, each with its weight before it?
    pub(super) fn takes_parts(&self) -> bool {
        self.parameters.iter().any(|parameter| parameter.kind() == Kind::Mechanisms)
    }

    pub(super) fn is_default(&self, name: &str, value: &Argument) -> bool {
        match self.parameter(name).map(|parameter| parameter.presence) {
            Some(Presence::Default(text)) => value.to_string() == text,
            _ => false,
        }
    }

    /// The mechanism with these arguments, in any order.
    pub(super) fn mechanism(&self, given: Vec<(String, Argument)>) -> Result<Mechanism, Misfit> {
        (self.build)(&self.arguments(given)?)
    }

    /// The arguments, if each is known, none is given twice and none is missing.
    pub(super) fn arguments(&self, given: Vec<(String, Argument)>) -> Result<Arguments, Misfit> {
        for (at, (name, _)) in given.iter().enumerate() {
            if self.parameter(name).is_none() {
                let known = self.parameters.iter().map(|parameter| parameter.name);
                let meant = words::parameter(name, known.clone());
                let advice = match meant {
                    Some(meant) => format!("; use `{meant}`"),
                    None => advice(name, known),
                };
                return Err(Misfit::new(Some(at), format!("{} has no parameter `{name}`{advice}", self.name)));
            }
            if given.iter().take(at).any(|(other, _)| other == name) {
                return Err(Misfit::new(Some(at), format!("`{name}` is given twice")));
            }
        }
        let given = Arguments { given };
        let mut missing = Vec::new();
        for parameter in self.parameters {
            match parameter.presence {
                Presence::InsteadOf(replaced) if given.has(parameter.name) => {
                    let another = |other: &&Parameter| {
                        let alike = other.presence == parameter.presence && other.name != parameter.name;
                        (alike || other.name == replaced) && given.has(other.name)
                    };
                    if let Some(other) = self.parameters.iter().find(another) {
                        let message = format!("give {} or {}, not both", parameter.name, other.name);
                        return Err(given.misfit(parameter.name, message));
                    }
                }
                Presence::Required if !given.has(parameter.name) => {
                    let instead = |other: &&Parameter| {
                        other.presence == Presence::InsteadOf(parameter.name) && given.has(other.name)
                    };
                    if !self.parameters.iter().any(|other| instead(&other)) {
                        missing.push(parameter.name);
                    }
                }
                _ => {}
            }
        }
        if !missing.is_empty() {
            return Err(Misfit::new(None, check::missing(&missing, &self.usage())));
        }
        Ok(given)
    }
}

/// The error text for a name that no mechanism has.
pub(super) fn unknown(name: &str) -> String {
    let more = match words::meaning(name) {
        Some(Word::Foreign(row)) => format!(": {}", row.sentence()),
        Some(Word::Spelling(entry)) => format!("; did you mean `{}`?", entry.name),
        None => advice(name, Mechanism::catalogue().iter().chain(abbreviations()).map(|entry| entry.name)),
    };
    format!("unknown mechanism `{}`{more}", shortened(name))
}

/// "; did you mean `...`?" if a name is similar, otherwise the list of all names.
pub(super) fn advice<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let name = shortened(name).to_lowercase().replace('_', "-");
    let known: Vec<&str> = known.collect();
    let scored = known.iter().map(|&candidate| (strsim::damerau_levenshtein(&name, candidate), candidate));
    match scored.min_by_key(|(distance, _)| *distance) {
        // A name of one letter is similar to every other one.
        Some((distance, nearest)) if distance <= nearest.len().div_ceil(3) && distance < nearest.len() => {
            format!("; did you mean `{nearest}`?")
        }
        _ => format!(" (known names: {})", known.join(", ")),
    }
}

/// At most 40 characters of something.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}...", text.split_at(at).0),
        None => text.into(),
    }
}
