//! Compositions in JSON: one string in the language, or a list of steps.
//!
//! ```json
//! [{ "mechanism": "approx-dp", "parameters": { "epsilon": { "ln": "3/2" }, "delta": "1/1000" }, "times": 30 },
//!  { "mechanism": "poisson", "parameters": { "rate": "1/100" },
//!    "of": [{ "mechanism": "gdp", "parameters": { "mu": 1 } }] }]
//! ```
//!
//! For calibration the string `"?"` marks one number or `times`; alternatively `"sought": true` stands beside `times`,
//! as in vector files.
//!
//! `of` is the mechanism that an operator acts on, as in vector files; for a mixture it lists one step for each weight.
//! One of the `weights` may be the string `"rest"`, the remainder, and one more may be `"?"`.
//!
//! Numbers are strings or integers. A JSON number with a point or an exponent is parsed as a double and read as the
//! shortest decimal that rounds to it; it is refused if the written number cannot be recovered ([`decimal_of`]).

use std::fmt;

use serde::de::{self, MapAccess, SeqAccess, Visitor};
#[cfg(test)]
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::argument::Raw;
use super::catalogue::{Kind, shortened, unknown};
use super::mixture::{self, REST, Weight};
use super::{Argument, Cause, Composition, Entry, Mechanism, Template, abbreviation, check, meaning};
use crate::error::Error;
use enclosure::{Meter, decimal_of};

/// One factor of a composition as data.
#[cfg(test)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The name of the mechanism.
    pub mechanism: &'static str,
    /// Its arguments, but for those at their default.
    pub parameters: Parameters,
    /// The mechanism inside, for one that acts on another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<Step>,
    /// How often it is run.
    pub times: u64,
}

/// Arguments by name, in the order of the catalogue.
#[cfg(test)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters(Vec<(&'static str, Argument)>);

#[cfg(test)]
impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            match value {
                Argument::Constant(value) => map.serialize_entry(name, value)?,
                Argument::List(values) => map.serialize_entry(name, values)?,
                Argument::Mechanism(inner) => map.serialize_entry(name, inner)?,
                Argument::Mechanisms(all) => map.serialize_entry(name, all)?,
            }
        }
        map.end()
    }
}

#[cfg(test)]
impl Composition {
    /// The composition as a list of steps, the other form in JSON.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let step = |(mechanism, times): &(Mechanism, u64)| {
            let mut parameters = mechanism.explicit_arguments();
            let inner = parameters.extract_if(.., |(_, value)| matches!(value, Argument::Mechanism(_)));
            let of = inner.flat_map(|(_, value)| match value {
                Argument::Mechanism(inner) => inner.steps(),
                Argument::Constant(_) | Argument::List(_) | Argument::Mechanisms(_) => Vec::new(),
            });
            let of = of.collect();
            Step { mechanism: mechanism.name(), parameters: Parameters(parameters), of, times: *times }
        };
        self.factors().iter().map(step).collect()
    }
}

/// Which part of a step is wrong.
pub(super) enum Place {
    Name,
    Times,
    Argument(usize),
}

/// One step of a data file, as it was read.
pub(super) struct Read {
    /// Mechanisms, each with its number of runs.
    pub factors: Vec<(Mechanism, u64)>,
    /// Notes about expanded shorthands.
    pub notes: Vec<String>,
    /// Why the step is only a bound, if a shorthand expanded to a bound.
    pub only: Option<Cause>,
}

/// The composition of some steps.
pub(super) fn composed(steps: Vec<Read>) -> Result<Composition, Error> {
    let mut notes = Vec::new();
    let mut factors = Vec::new();
    let mut only = None;
    for step in steps {
        notes.extend(step.notes);
        only = only.or(step.only);
        factors.extend(step.factors);
    }
    Ok(Composition::new(factors)?.noting(notes).bounding(only))
}

/// Notes about expanded shorthands inside an argument.
fn notes_inside(argument: &Argument) -> Vec<String> {
    inside(argument).iter().flat_map(Composition::notes).cloned().collect()
}

/// The compositions inside of an argument.
fn inside(argument: &Argument) -> &[Composition] {
    match argument {
        Argument::Mechanism(inner) => std::slice::from_ref(inner),
        Argument::Mechanisms(all) => all.as_slice(),
        Argument::Constant(_) | Argument::List(_) => &[],
    }
}

/// One step of a data file, from its parts.
pub(super) fn step(
    name: &str,
    given: Vec<(String, Raw)>,
    times: Option<&Raw>,
    meter: &mut Meter,
) -> Result<Read, (Place, String)> {
    let Some(entry) = Entry::find(name).or(Entry::abbreviation(name)) else { return Err((Place::Name, unknown(name))) };
    let (mut arguments, mut notes, mut only) = (Vec::new(), Vec::new(), None);
    for (index, (name, raw)) in given.into_iter().enumerate() {
        let value = match &raw {
            // In the language, as the whole composition may be.
            Raw::Text(text) if entry.inner().is_some_and(|inner| inner.name == name) => {
                Composition::parse_metered(text, meter).map(Argument::Mechanism).map_err(|error| error.to_string())
            }
            // Several, each in the language.
            Raw::List(items) if entry.parameter(&name).is_some_and(|known| known.kind() == Kind::Mechanisms) => {
                compositions(items, meter).map(Argument::Mechanisms)
            }
            Raw::List(items) if entry.takes_parts() => weights(items, meter).and_then(|weights| {
                let asked = || "only `calibrate` accepts a parameter marked `?`".to_string();
                let numbers = mixture::numbers(&weights, &mut |_| Err(asked()));
                numbers.map(Argument::List).map_err(|(_, told)| told)
            }),
            _ => raw.read(meter),
        };
        let value = value.map_err(|message| (Place::Argument(index), format!("{name}: {message}")))?;
        notes.extend(notes_inside(&value));
        only = only.or(inside(&value).iter().find_map(Composition::only));
        arguments.push((name, value));
    }
    only = only.or(meaning::rewritten(entry, &arguments));
    let made = match abbreviation::meaning(entry, &arguments) {
        Some(meaning) => meaning.map(|meaning| {
            notes.push(meaning.note);
            only = only.or(meaning.only);
            meaning.factors
        }),
        None => entry.mechanism(arguments).map(|mechanism| vec![(mechanism, 1)]),
    };
    let factors = made.map_err(|misfit| (misfit.argument.map_or(Place::Name, Place::Argument), misfit.message))?;
    let times = match times.map(|times| times.read(meter)) {
        None => 1,
        Some(Ok(Argument::Constant(value))) => {
            check::count("times", &value).map_err(|error| (Place::Times, error.to_string()))?
        }
        Some(Ok(Argument::List(_) | Argument::Mechanism(_) | Argument::Mechanisms(_))) => {
            return Err((Place::Times, "times must be an integer".into()));
        }
        Some(Err(message)) => return Err((Place::Times, format!("times: {message}"))),
    };
    let factors = factors.into_iter().map(|(mechanism, steps)| Some((mechanism, steps.checked_mul(times)?)));
    match factors.collect() {
        Some(factors) => Ok(Read { factors, notes, only }),
        None => Err((Place::Times, "a mechanism is run more than 2^63 times".into())),
    }
}

/// Weights, of which one may be a word.
fn weights(items: &[Raw], meter: &mut Meter) -> Result<Vec<Weight>, String> {
    let weight = |item: &Raw| match item {
        Raw::Text(text) if text == REST => Ok(Weight::Rest),
        Raw::Text(text) if text == ASKED => Ok(Weight::Sought),
        other => match other.read(meter)? {
            Argument::Constant(value) => Ok(Weight::Number(value)),
            _ => Err("a weight must be a constant".to_string()),
        },
    };
    items.iter().map(weight).collect()
}

/// Each of several compositions, as a text in the language or as a step.
fn compositions(items: &[Raw], meter: &mut Meter) -> Result<Vec<Composition>, String> {
    let composition = |item: &Raw| match item {
        Raw::Text(text) => Composition::parse_metered(text, meter).map_err(|error| error.to_string()),
        Raw::Mechanism(inner) => Ok(inner.clone()),
        Raw::List(_) | Raw::Function(..) => Err("expected a mechanism expression, as in \"gdp(mu=1)\"".into()),
    };
    items.iter().map(composition).collect()
}

impl Serialize for Composition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Composition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CompositionVisitor)
    }
}

/// A template is a text in the language; a list of steps, one of whose numbers or `times` is `"?"`, becomes one.
impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Template;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mechanism with a `?`, as in \"gaussian(sigma=?)^10\", or a list of steps with one")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Template, E> {
                Template::parse_closed(text).map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Template, A::Error> {
                let mut meter = Meter::default();
                let mut texts: Vec<String> = Vec::new();
                while let Some(raw) = seq.next_element::<RawStep>()? {
                    let text = raw.text(&mut meter);
                    texts.push(text.map_err(|told| de::Error::custom(format!("step {}: {told}", texts.len() + 1)))?);
                }
                Template::parse_closed(&texts.join(" * ")).map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_any(Text)
    }
}

struct CompositionVisitor;

impl<'de> Visitor<'de> for CompositionVisitor {
    type Value = Composition;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mechanism expression or a list of steps")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Composition, E> {
        Composition::parse_closed(text).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Composition, A::Error> {
        let mut meter = Meter::default();
        let mut steps: Vec<Read> = Vec::new();
        while let Some(raw) = seq.next_element::<RawStep>()? {
            let result = raw.read(&mut meter);
            steps.push(result.map_err(|message| de::Error::custom(format!("step {}: {message}", steps.len() + 1)))?);
        }
        composed(steps).map_err(de::Error::custom)
    }
}

/// A step as it was written, before it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a step, as in {\"mechanism\": \"gdp\", \"parameters\": {\"mu\": 1}}")]
pub(super) struct RawStep {
    mechanism: String,
    #[serde(default)]
    parameters: RawParameters,
    of: Option<Vec<RawStep>>,
    times: Option<Raw>,
    /// As in vector files: `times` is the unknown, whatever its value.
    #[serde(default)]
    sought: bool,
}

impl RawStep {
    pub(super) fn new(
        mechanism: String,
        parameters: Vec<(String, Raw)>,
        of: Option<RawStep>,
        times: Option<Raw>,
    ) -> Self {
        let of = of.map(|step| vec![step]);
        RawStep { mechanism, parameters: RawParameters(parameters), of, times, sought: false }
    }

    fn read(self, meter: &mut Meter) -> Result<Read, String> {
        if self.sought {
            return Err(format!("the step of {} has \"sought\", which only calibration accepts", self.mechanism));
        }
        let mut given = self.parameters.0;
        if let Some(of) = self.of {
            let entry = Entry::find(&self.mechanism);
            let several =
                |entry: &'static Entry| entry.parameters.iter().find(|known| known.kind() == Kind::Mechanisms);
            if let Some(several) = entry.and_then(several) {
                let part = |step: RawStep| -> Result<Raw, String> {
                    let part = composed(vec![step.read(meter)?]).map_err(|error| error.to_string())?;
                    Ok(Raw::Mechanism(part))
                };
                let parts = of.into_iter().map(part).collect::<Result<_, _>>()?;
                given.push((several.name.to_string(), Raw::List(parts)));
                return step(&self.mechanism, given, self.times.as_ref(), meter).map_err(|(_, message)| message);
            }
            let inner = entry.map(Entry::inner);
            if inner.is_some_and(|inner| inner.is_none()) {
                return Err(format!("{} acts on no other mechanism; remove `of`", self.mechanism));
            }
            // A list cut short would be perfectly private.
            if of.is_empty() && entry.is_some() {
                return Err(format!("{} needs a mechanism in `of`, but there is none", self.mechanism));
            }
            let name = inner.flatten().map_or("of", |inner| inner.name);
            let steps = of.into_iter().map(|step| step.read(meter));
            let inner = composed(steps.collect::<Result<Vec<_>, _>>()?).map_err(|error| error.to_string())?;
            given.push((name.to_string(), Raw::Mechanism(inner)));
        }
        step(&self.mechanism, given, self.times.as_ref(), meter).map_err(|(_, message)| message)
    }
}

/// A composition in the language, written as it was read; it may have the `?`.
fn text_inside(raw: &Raw, meter: &mut Meter) -> Result<String, String> {
    match raw {
        Raw::Text(text) if text.contains(ASKED) => {
            Template::parse_closed(text).map(|template| template.to_string()).map_err(|error| error.to_string())
        }
        raw => match compositions(std::slice::from_ref(raw), meter)?.as_slice() {
            [one] => Ok(one.to_string()),
            _ => Err("expected one mechanism".into()),
        },
    }
}

/// Marks the unknown number.
const ASKED: &str = "?";

impl RawStep {
    /// The step in the language, a `?` where it has one. All else that stands in it is read, and written as it was
    /// read.
    pub(super) fn text(self, meter: &mut Meter) -> Result<String, String> {
        let name = self.mechanism;
        let Some(entry) = Entry::find(&name).or(Entry::abbreviation(&name)) else { return Err(unknown(&name)) };
        let several = entry.parameters.iter().find(|known| known.kind() == Kind::Mechanisms);
        let (mut given, mut words, mut inside) = (Vec::new(), Vec::new(), Vec::new());
        for (name, raw) in self.parameters.0 {
            // The parser reports names that it cannot read.
            if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') {
                return Err(format!("{} has no parameter `{}`", entry.name, shortened(&name)));
            }
            let value = match (&raw, entry.parameter(&name).map_or(Kind::Real, |known| known.kind())) {
                (Raw::Text(text), _) if text == ASKED => ASKED.to_string(),
                (Raw::Text(_), Kind::Mechanism) => {
                    text_inside(&raw, meter).map_err(|told| format!("{name}: {told}"))?
                }
                (Raw::List(items), Kind::Mechanisms) => {
                    let texts = items.iter().map(|item| text_inside(item, meter)).collect::<Result<Vec<_>, _>>();
                    inside = texts.map_err(|told| format!("{name}: {told}"))?;
                    continue;
                }
                // Before what they are the weights of.
                (Raw::List(items), Kind::List) if several.is_some() => {
                    let weights = weights(items, meter).map_err(|told| format!("{name}: {told}"))?;
                    words = weights.iter().map(Weight::to_string).collect();
                    continue;
                }
                _ => raw.read(meter).map_err(|told| format!("{name}: {told}"))?.to_string(),
            };
            given.push(format!("{name}={value}"));
        }
        if let Some(of) = self.of {
            inside.extend(of.into_iter().map(|step| step.text(meter)).collect::<Result<Vec<_>, _>>()?);
            match (several, entry.inner()) {
                (Some(_), _) => {}
                (None, Some(inner)) => given.push(format!("{}={}", inner.name, inside.join(" * "))),
                (None, None) => return Err(format!("{name} acts on no other mechanism; remove `of`")),
            }
        }
        if several.is_some() {
            if words.len() != inside.len() {
                return Err(format!("{name} needs one weight for each of its mechanisms"));
            }
            given.extend(words.iter().zip(inside).map(|(weight, part)| format!("{weight}: {part}")));
        }
        let once = format!("{}({})", entry.name, given.join(", "));
        let times = match self.times {
            _ if self.sought => ASKED.to_string(),
            None => return Ok(once),
            Some(Raw::Text(text)) if text == ASKED => ASKED.to_string(),
            Some(times) => match times.read(meter).map_err(|told| format!("times: {told}"))? {
                Argument::Constant(value) => {
                    check::count("times", &value).map_err(|error| error.to_string())?.to_string()
                }
                _ => return Err("times must be an integer".into()),
            },
        };
        Ok(format!("{once}^{times}"))
    }
}

/// Pairs rather than a map: a name given twice must be seen.
#[derive(Default)]
struct RawParameters(Vec<(String, Raw)>);

impl<'de> Deserialize<'de> for RawParameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = RawParameters;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of parameters")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawParameters, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    if pairs.len() >= 100 {
                        return Err(de::Error::custom("more than 100 parameters"));
                    }
                    pairs.push(pair);
                }
                Ok(RawParameters(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number in a string, an integer, {\"ln\": \"3/2\"}, {\"sqrt\": \"2\"} or a list of them")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_string()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_string()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Raw, E> {
        decimal_of(value).map(Raw::Text).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let one = || de::Error::custom("expected one function, as in {\"ln\": \"3/2\"}");
        let (name, argument): (String, Raw) = map.next_entry()?.ok_or_else(one)?;
        if map.next_key::<String>()?.is_some() {
            return Err(one());
        }
        match argument {
            Raw::Text(text) => Ok(Raw::Function(name, text)),
            _ => Err(de::Error::custom("expected a constant, as in {\"ln\": \"3/2\"}")),
        }
    }
}
