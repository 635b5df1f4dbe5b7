//! Templates: compositions with one number marked `?`, which calibration solves for.
//!
//! A template is a text. With a number it is the composition of the text with that number in place of the `?`: the
//! parser reads the text again and uses the number at the `?`. Files that the text names are read once, with the
//! template.

use super::catalogue::{Domain, Parameter, shortened};
use super::mixture::Weighed;
use super::{ApproxDp, Argument, Composition, Entry, Gdp, Mechanism, Real, Trend, file};
use crate::error::Error;
use enclosure::ParseError;

/// A composition with one number marked `?`, such as `gaussian(sigma=?)^10`: the unknown of a calibration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
    files: Files,
    place: Place,
    notes: Vec<String>,
    loss: Trend,
    /// The mixture whose weight is the unknown.
    weighed: Option<Box<Weighed>>,
    /// Is that mixture the whole composition, run once?
    alone: bool,
}

/// Contents of each file that the text names: a composition, or an expression with a `?`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Files {
    read: Vec<(String, Composition)>,
    texts: Vec<(String, Option<String>)>,
}

impl Files {
    fn is_empty(&self) -> bool {
        self.read.is_empty() && self.texts.is_empty()
    }
}

/// Which number is marked `?`.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// The number of repeats.
    Repeats,
    /// A parameter of a mechanism.
    Parameter(&'static Entry, &'static Parameter),
    /// The weight of a part of a mixture in which another part has the weight `rest`.
    Weight,
    /// An unknown parameter, which the parser reports.
    Nowhere,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Place {}

impl Place {
    /// The parameter of this name, if there is one.
    pub(super) fn parameter(entry: &'static Entry, name: &str) -> Self {
        entry.parameter(name).map_or(Place::Nowhere, |parameter| Place::Parameter(entry, parameter))
    }

    /// Name of the number.
    pub fn name(&self) -> &'static str {
        match self {
            Place::Parameter(_, parameter) => parameter.name,
            Place::Weight => "weight",
            Place::Repeats | Place::Nowhere => "repeats",
        }
    }

    /// Phrase for a value of it.
    pub fn value(&self) -> String {
        match self {
            Place::Parameter(_, parameter) => format!("value of {}", parameter.name),
            Place::Weight => "weight".into(),
            Place::Repeats | Place::Nowhere => "number of repeats".into(),
        }
    }

    /// The set of allowed values.
    pub fn domain(&self) -> Domain {
        match self {
            Place::Parameter(_, parameter) => parameter.domain,
            Place::Weight => Domain::Probability,
            Place::Repeats | Place::Nowhere => Domain::Integer { least: 0 },
        }
    }

    /// Monotonicity of the privacy loss in the number. More runs reveal more, because they include the outputs of
    /// fewer. For a weight it depends on the order of two parts.
    fn loss(&self) -> Trend {
        match self {
            Place::Parameter(_, parameter) => parameter.loss,
            Place::Weight => Trend::Unknown,
            Place::Repeats | Place::Nowhere => Trend::Grows,
        }
    }

    /// A value inside the domain; `None` if the domain has no numbers.
    pub(crate) fn inside(&self) -> Option<rug::Rational> {
        self.sample().ok()?.as_rational().cloned()
    }

    /// The domain in words.
    fn range(&self) -> String {
        match self.domain() {
            Domain::Integer { least } => format!("any integer of at least {least}"),
            Domain::AboveOne => "any number above 1".into(),
            Domain::Probability => "any number from 0 to 1".into(),
            Domain::NonNegative => "any number of at least 0".into(),
            Domain::Positive => "any number above 0".into(),
            _ => "any number".into(),
        }
    }

    /// Is it an integer for which the other parameters of the mechanism imply a lower bound?
    fn bounded_below(&self) -> bool {
        let Place::Parameter(entry, parameter) = self else { return false };
        // At most all examples are in a batch, at most all steps are sampled, and `p` is at least 1/categories.
        let known = [("dp-sgd", "examples"), ("noisy-sgd", "steps"), ("k-randomized-response", "categories")];
        known.contains(&(entry.name, parameter.name))
    }

    /// A value inside the domain, for checking the rest of a text.
    fn sample(&self) -> Result<Real, String> {
        let name = self.name();
        Ok(match self.domain() {
            Domain::Integer { .. } if self.bounded_below() => Real::from(1_u64 << 62),
            // Two runs are not one: what has to be run once cannot be repeated.
            Domain::Integer { least } => Real::from(least.max(2)),
            Domain::AboveOne => Real::from(2),
            Domain::Probability => Real::from(rug::Rational::from((1, 2))),
            Domain::Real | Domain::NonNegative | Domain::Positive => Real::one(),
            Domain::Distribution | Domain::Constants => {
                return Err(format!("a `?` marks one number, but {name} takes a list"));
            }
            Domain::Mechanism | Domain::Mechanisms => {
                return Err(format!("a `?` marks a number, but {name} takes a mechanism"));
            }
        })
    }
}

/// The value of a `?` while a text is parsed.
pub(super) struct Unknown {
    stand_in: StandIn,
    place: Option<Place>,
    /// Monotonicity of the privacy loss in the number, if it depends on the other parameters.
    loss: Option<Trend>,
    /// The mixture whose weight it is.
    pub(super) weighed: Option<Weighed>,
    files: Files,
}

enum StandIn {
    /// Whatever the domain allows.
    Sample,
    This(Real),
    /// A mechanism in the place of the one with the `?`.
    Instead(Mechanism),
}

impl Unknown {
    fn new(stand_in: StandIn, files: Files) -> Self {
        Unknown { stand_in, place: None, loss: None, weighed: None, files }
    }

    /// What stands for the `?` in this place.
    pub(super) fn stand_in(&mut self, place: Place) -> Result<Real, String> {
        if self.place.replace(place).is_some() {
            return Err("a second `?`: only one parameter can be computed".into());
        }
        match &self.stand_in {
            StandIn::This(value) => Ok(value.clone()),
            StandIn::Sample | StandIn::Instead(_) => place.sample(),
        }
    }

    /// What stands for the `?` in the place of a weight, where so much is left for it and for `rest`.
    pub(super) fn weight(&self, left: &rug::Rational) -> Result<Real, String> {
        let StandIn::This(value) = &self.stand_in else { return Ok(Real::from(rug::Rational::from(left / 2u32))) };
        match value.as_rational() {
            Some(weight) if *weight >= 0 && weight <= left => Ok(value.clone()),
            _ => {
                let [left, shown] = [left.to_string(), value.to_string()].map(|text| shortened(&text));
                Err(format!("the weight must be a fraction between 0 and {left}, not {shown}"))
            }
        }
    }

    /// The mechanism with the `?` has these parameters too. With a number of steps the size of a batch decides the rate
    /// alone, and the number of examples too (I in `proofs/paper/calibration.md`). The error is the reason why the
    /// parameter cannot be computed beside the others.
    pub(super) fn beside(&mut self, given: &[(String, Argument)]) -> Result<(), String> {
        let Some(Place::Parameter(entry, parameter)) = self.place else { return Ok(()) };
        let has = |wanted: &str| given.iter().any(|(name, _)| name == wanted);
        let steps = entry.name == "dp-sgd" && has("steps");
        self.loss = match parameter.name {
            // The number that is chosen changes with the others, and the bounds of different ones have no order.
            _ if entry.name == "noisy-sgd" && !has("sampled") => Some(Trend::Unknown),
            "batch" if steps => Some(Trend::Grows),
            "examples" if steps => Some(Trend::Falls),
            // With a fixed `p`, the probability of each other answer decreases.
            "categories" if entry.name == "k-randomized-response" && has("p") => Some(Trend::Grows),
            _ => None,
        };
        let level = |other: &str| {
            format!("sensitivity does not change the privacy loss beside {other}; mark {other} with `?` instead")
        };
        match (entry.name, parameter.name) {
            ("gaussian", "sensitivity") if has("noise-multiplier") => Err(level("noise-multiplier")),
            ("gaussian", "sensitivity") if has("mu") => Err(level("mu")),
            ("laplace", "sensitivity") if has("epsilon") => Err(level("epsilon")),
            ("randomized-response", "p") => {
                Err("p cannot be computed; compute epsilon instead, p = e^epsilon/(e^epsilon + 1)".into())
            }
            ("k-randomized-response", "p") => {
                Err("p cannot be computed; compute epsilon instead, p = e^epsilon/(e^epsilon + categories - 1)".into())
            }
            _ => Ok(()),
        }
    }

    /// What stands for the mechanism with the `?`, if anything does.
    pub(super) fn instead(&self) -> Option<Mechanism> {
        match &self.stand_in {
            StandIn::Instead(mechanism) => Some(mechanism.clone()),
            StandIn::Sample | StandIn::This(_) => None,
        }
    }

    pub(super) fn file(&self, path: &str) -> Option<Composition> {
        self.files.read.iter().find(|(known, _)| known == path).map(|(_, composition)| composition.clone())
    }

    /// The text that a file stands for, if there is a `?` in it; it is read once.
    pub(super) fn text(&mut self, path: &str) -> Result<Option<String>, Error> {
        if let Some((_, text)) = self.files.texts.iter().find(|(known, _)| known == path) {
            return Ok(text.clone());
        }
        let text = file::template(path)?;
        self.files.texts.push((path.into(), text.clone()));
        Ok(text)
    }

    pub(super) fn keep_file(&mut self, path: &str, composition: &Composition) {
        if self.file(path).is_none() {
            self.files.read.push((path.into(), composition.clone()));
        }
    }
}

impl Template {
    /// The template that a text is. It may name files, which are read.
    pub(crate) fn parse(source: &str) -> Result<Self, ParseError> {
        Self::parse_with(source, true)
    }

    /// Parse a template that may not name files, for untrusted text.
    pub fn parse_closed(source: &str) -> Result<Self, ParseError> {
        Self::parse_with(source, false)
    }

    fn parse_with(source: &str, files: bool) -> Result<Self, ParseError> {
        let mut unknown = Unknown::new(StandIn::Sample, Files::default());
        let sample = Composition::parse_open(source, files, &mut unknown)?;
        let Some(place) = unknown.place else {
            let message = "no parameter is marked `?`; mark the one to compute, as in gaussian(sigma=?)";
            return Err(ParseError::new(message, source, source.len()));
        };
        // Notes hold for the numbers of the text, not for the sample value of the `?`.
        let told = matches!(place.name(), "sigma" | "noise-multiplier");
        let notes = if told { sample.notes().to_vec() } else { Vec::new() };
        // Of a bound at one order alone (L in `proofs/paper/calibration.md`).
        let order = matches!(sample.factors(), [(Mechanism::Rdp(_), _)]) && place.name() == "order";
        let loss = unknown.loss.unwrap_or(if order { Trend::Falls } else { place.loss() });
        let weighed = unknown.weighed.map(Box::new);
        let alone = weighed.as_ref().is_some_and(|weighed| weighed.is_all(&sample));
        Ok(Template { text: source.trim().into(), files: unknown.files, place, notes, loss, weighed, alone })
    }

    /// The composition with this number in place of the `?`.
    ///
    /// # Errors
    /// [`Error::Input`] if the number is outside the domain.
    pub(crate) fn with(&self, value: Real) -> Result<Composition, Error> {
        let shown = shortened(&value.to_string());
        self.filled(StandIn::This(value))
            .map_err(|error| Error::input(format!("with {shown} for the `?`: {}", error.message())))
    }

    /// The composition without the mechanism that has the `?`. It is at least as private as with any number there.
    /// `None` if the `?` is not a parameter of a mechanism.
    pub(crate) fn without(&self) -> Result<Option<Composition>, Error> {
        self.with_instead(Gdp::new(Real::zero())?.into())
    }

    /// The composition in which the mechanism with the `?` reveals everything. It is at most as private as with any
    /// number there. `None` if the `?` is not a parameter of a mechanism.
    pub(crate) fn disclosing(&self) -> Result<Option<Composition>, Error> {
        self.with_instead(ApproxDp::new(Real::zero(), Real::one())?.into())
    }

    fn with_instead(&self, mechanism: Mechanism) -> Result<Option<Composition>, Error> {
        match self.place {
            Place::Parameter(..) => Ok(Some(self.filled(StandIn::Instead(mechanism))?)),
            Place::Repeats | Place::Weight | Place::Nowhere => Ok(None),
        }
    }

    fn filled(&self, stand_in: StandIn) -> Result<Composition, ParseError> {
        let mut unknown = Unknown::new(stand_in, self.files.clone());
        // Files may be named if they were when the text was read: then they are known.
        Composition::parse_open(&self.text, !self.files.is_empty(), &mut unknown)
    }

    /// Notes about the shorthands that were expanded, as in [`Composition::notes`].
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Monotonicity of the privacy loss in the number.
    pub(crate) fn loss(&self) -> Trend {
        self.loss
    }

    /// Which number is marked `?`.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The mixture whose weight is the unknown.
    pub(crate) fn weighed(&self) -> Option<&Weighed> {
        self.weighed.as_deref()
    }

    /// Is that mixture the whole composition, run once?
    pub(crate) fn is_mixture_alone(&self) -> bool {
        self.alone
    }

    /// The allowed numbers in words.
    pub(crate) fn range(&self) -> String {
        match &self.weighed {
            Some(weighed) => format!("any number from 0 to {}", shortened(&weighed.left.to_string())),
            None => self.place.range(),
        }
    }
}

/// The expression with its `?`. With `{:#}`, for headings, one of more than 200 characters is abbreviated.
impl std::fmt::Display for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if f.alternate() {
            return f.write_str(&super::heading::abbreviated(&self.text));
        }
        f.write_str(&self.text)
    }
}

impl std::str::FromStr for Template {
    type Err = Error;
    fn from_str(source: &str) -> Result<Self, Error> {
        Ok(Template::parse(source)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(template: &str, value: &str) -> Composition {
        let template: Template = template.parse().expect(template);
        template.with(value.parse().expect("a constant")).expect(template.text.as_str())
    }

    /// A template with a number is what the text with that number in its place is.
    #[test]
    fn a_template_with_a_number_is_the_text_with_it() {
        for (template, value) in [
            ("gaussian(sigma=?)", "3/2"),
            ("(poisson(rate=1/10, gaussian( sigma = ? )) * gdp(mu=1))^3", "sqrt(2)"),
            ("poisson(rate=?, gaussian(sigma=1))", "1/3"),
            ("(gdp(mu=1) * laplace(scale=2)^3)^? * gdp(mu=1)", "1000000000000000000"),
            ("(gdp(mu=1)^?)^2", "5"),
            ("gdp(mu=1)^?", "0"),
            ("approx-dp(epsilon=1, delta=?)^4", "1e-9"),
            ("k-randomized-response(epsilon=1, categories=?)", "7"),
            ("discrete-gaussian(sigma=?)", "sqrt(2)"),
            ("gaussian(sigma2=?)", "3"),
            ("gaussian(sensitivity=?, sigma2=3)", "2"),
            ("gaussian(mu=?, sensitivity=3)", "1/2"),
            ("laplace(epsilon=?, sensitivity=3)", "ln(2)"),
            ("geometric(scale=?, sensitivity=3)", "1/ln(2)"),
            ("k-randomized-response(p=1/3, categories=?)", "3"),
            ("gaussian(sensitivity=?, sigma=2)", "0"),
            ("mixture(rest: gdp(mu=1)^2, 1/7: laplace(scale=?))^3", "2"),
        ] {
            let written: Composition = template.replace('?', value).parse().expect(template);
            assert_eq!(with(template, value), written, "{template}");
        }
    }

    #[test]
    fn numbers_out_of_the_domain_do_not_belong_there() {
        let template: Template = "(poisson(rate=?, gdp(mu=1)))^2".parse().expect("a template");
        assert_eq!((template.place().name(), template.to_string()), ("rate", "(poisson(rate=?, gdp(mu=1)))^2".into()));
        let error = template.with(Real::from(2)).expect_err("no probability").to_string();
        assert_eq!(error, "with 2 for the `?`: rate must be between 0 and 1, not 2");
        let template: Template = "(gdp(mu=1)^?)^8".parse().expect("a template");
        assert!(template.with(Real::from(1_u64 << 60)).is_ok() && template.with(Real::from(1_u64 << 61)).is_err());
    }

    /// A file may have the `?`, in the place of a number or of `times`, inside of a mechanism as well; it is read once.
    #[test]
    fn a_file_may_have_the_question_mark() {
        let path = std::env::temp_dir().join(format!("dpcert template {}.toml", std::process::id()));
        let written = |text: &str| std::fs::write(&path, text).expect("a file");
        let source = format!("@\"{}\" * gdp(mu=1)", path.display());
        let head =
            "# where is it?\n[[mechanism]]\nname = \"laplace\"\nscale = 2\n\n[[mechanism]]\nname = \"poisson\"\n";
        for (rest, one) in [
            ("rate = 0.1\nmechanism = { name = \"gaussian\", sigma = \"?\" }\ntimes = 9", "3/2"),
            ("rate = 0.1\nmechanism = \"gaussian(sigma=?)\"\ntimes = 9", "3/2"),
            ("rate = \"?\"\nmechanism = \"gaussian(sigma=2)\"", "1/3"),
            ("rate = 0.1\nmechanism = \"gaussian(sigma=2)\"\ntimes = \"?\"", "12"),
            (
                "rate = 0.1\nmechanism = { name = \"mixture\", weights = [\"?\", \"rest\"], mechanisms = \
                 [\"gdp(mu=1)\", \"laplace(scale=2)\"] }",
                "1/7",
            ),
        ] {
            written(&format!("{head}{rest}"));
            let template: Template = source.parse().expect(rest);
            let filled = rest.replace("\"?\"", &format!("\"{one}\"")).replace("=?", &format!("={one}"));
            written(&format!("{head}{filled}"));
            let composition: Composition = source.parse().expect(&filled);
            assert_eq!(template.with(one.parse().expect("a constant")).expect(rest), composition, "{rest}");
        }
        written("[[mechanism]]\nname = \"gaussian\"\nsigma = \"?\"\nsensitivity = \"?\"\n");
        assert!(Template::parse(&source).expect_err("two").to_string().contains("a second `?`"));
        std::fs::remove_file(&path).expect("removed");
    }

    /// The mechanism with the `?` stands for itself, not for the one around it.
    #[test]
    fn limits_are_put_in_the_place_of_the_mechanism() {
        let limits = |text: &str| {
            let template: Template = text.parse().expect(text);
            let [without, disclosing] = [template.without(), template.disclosing()].map(|limit| limit.expect(text));
            [without, disclosing].map(|limit| limit.map(|limit| limit.to_string()))
        };
        let some = |text: &str| Some(text.to_string());
        assert_eq!(
            limits("poisson(rate=1/2, gaussian(sigma=?))^2 * gdp(mu=1)"),
            [
                some("poisson(rate=1/2, gdp(mu=0))^2 * gdp(mu=1)"),
                some("poisson(rate=1/2, approx-dp(epsilon=0, delta=1))^2 * gdp(mu=1)")
            ]
        );
        assert_eq!(
            limits("poisson(rate=?, gaussian(sigma=1))"),
            [some("gdp(mu=0)"), some("approx-dp(epsilon=0, delta=1)")]
        );
        assert_eq!(limits("gdp(mu=1)^?"), [None, None]);
    }

    /// A weight takes its share of what there is for it and the rest, wherever the mixture is.
    #[test]
    fn a_weight_is_taken_from_the_rest() {
        for (text, weight, written, left) in [
            ("mixture(?: gdp(mu=1), rest: gdp(mu=2))", "1/3", "mixture(1/3: gdp(mu=1), 2/3: gdp(mu=2))", "1"),
            ("mixture(rest: gdp(mu=1), ?: gdp(mu=2))^2", "1", "mixture(0: gdp(mu=1), 1: gdp(mu=2))^2", "1"),
            (
                "inverse(mixture(0.1: gdp(mu=3), rest: gdp(mu=1), 1/5: gdp(mu=4), ?: gdp(mu=2)^2))",
                "1/2",
                "inverse(mixture(1/10: gdp(mu=3), 1/5: gdp(mu=1), 1/5: gdp(mu=4), 1/2: gdp(mu=2)^2))",
                "7/10",
            ),
        ] {
            let composition = with(text, weight);
            assert_eq!(composition, written.parse().expect(written), "{text}");
            assert_eq!(composition.to_string().parse::<Composition>().expect(text), composition);
            let template: Template = text.parse().expect(text);
            assert_eq!((template.place().name(), template.loss()), ("weight", Trend::Unknown));
            assert_eq!(template.weighed().expect("a weight").left.to_string(), left);
            assert_eq!(template.is_mixture_alone(), text.ends_with("rest: gdp(mu=2))"), "{text}");
            for wrong in ["-1/9", "11/10", "ln(2)/9"] {
                let error = template.with(wrong.parse().expect(wrong)).expect_err(text).to_string();
                assert!(error.contains("the weight must be a fraction between 0 and "), "{error}");
            }
        }
    }

    #[test]
    fn a_template_has_one_question_mark_where_a_number_stands() {
        for (text, told) in [
            ("gaussian(sigma=1)", "no parameter is marked `?`"),
            ("gaussian(sigma=?, sensitivity=?)", "a second `?`"),
            ("gaussian(sigma=?)^?", "a second `?`"),
            ("finite(p=[?], q=[1])", "cannot be an entry of a list"),
            ("finite(p=?, q=[1])", "takes a list"),
            ("mixture(?: gdp(mu=1), 1: gdp(mu=2))", "another part with the weight `rest`"),
            ("mixture(?: gdp(mu=1), rest: gdp(mu=2), ?: gdp(mu=3))", "a second `?`"),
            ("mixture(?: gdp(mu=1), rest: gdp(mu=2), rest: gdp(mu=3))", "a second `rest`"),
            ("mixture(?: gdp(mu=?), rest: gdp(mu=2))", "a second `?`"),
            ("mixture(?: gdp(mu=1), rest: gdp(mu=2), 1: gdp(mu=3))", "sum to 1: nothing is left"),
            ("mixture(?: gdp(mu=1), rest: gdp(mu=2), ln(2): gdp(mu=3))", "must be rational, not ln(2)"),
            ("mixture(?/2: gdp(mu=1), rest: gdp(mu=2))", "expected ':' after a weight"),
            ("mixture(weights=?, mechanisms=[1])", "unknown name 'weights'"),
            ("poisson(rate=1/2, mechanism=?)", "mechanism takes a mechanism"),
            ("poisson(rate=1/2, ?)", "unexpected '?'"),
            ("gaussian(sigma=?+1)", "replaces a whole number"),
            ("gaussian(sigma=2*?)", "unexpected '?'"),
            ("gaussian(sigma=?, sigma=1)", "`sigma` is given twice"),
            ("gaussian(tau=?)", "no parameter `tau`"),
            ("gaussian(mu=?, sigma=1)", "give mu or sigma, not both"),
            ("gaussian(mu=1, sensitivity=?)", "sensitivity does not change the privacy loss beside mu; mark mu"),
            ("gaussian(noise-multiplier=1, sensitivity=?)", "does not change the privacy loss beside noise-multiplier"),
            ("laplace(sensitivity=?, epsilon=1)", "does not change the privacy loss beside epsilon; mark epsilon"),
            ("randomized-response(p=?)", "compute epsilon instead, p = e^epsilon/(e^epsilon + 1)"),
            ("k-randomized-response(p=?, categories=4)", "p = e^epsilon/(e^epsilon + categories - 1)"),
            ("poisson(rate=?)", "`mechanism` is missing"),
            ("?(mu=1)", "unexpected '?'"),
            ("gdp(mu=1)^-?", "unexpected '?'"),
            ("?", "unexpected '?'"),
            ("", "unexpected end"),
        ] {
            let error = Template::parse_closed(text).expect_err(text).to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
        let error = "gdp(mu=?)".parse::<Composition>().expect_err("a template").to_string();
        assert!(error.contains("`calibrate`"), "{error}");
        assert!(Template::parse_closed("@file.toml * gdp(mu=?)").is_err());
    }
}
