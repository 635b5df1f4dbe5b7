//! What a query is about: mechanisms, and how often each was run.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};

use super::check::MAX_COUNT;
use super::{Argument, Cause, Mechanism};
use crate::error::Error;
use crate::pair::{Pair, runs, symmetric};

/// A composition in normal form: distinct mechanisms in order of first appearance, each with its number of runs, from
/// 1 to 2^63.
///
/// The pair of a composition is the product of the pairs of its mechanisms. The product also bounds adaptive
/// composition, where earlier outputs decide each later mechanism, if each mechanism is dominated by its pair.
/// Independent runs attain the bound (Dong, Roth, Su, Theorem 3.2; Kairouz, Oh, Viswanath, Theorem 3.3, for (epsilon,
/// delta)).
///
/// The empty composition reveals nothing. It is written `gdp(mu=0)^0`.
///
/// The text form is an expression such as `gaussian(sigma=2)^10 * laplace(scale=1)`. `dpcert help mechanisms` lists all
/// mechanisms; the common ones have a constructor here. Expressions may read files, as in `@steps.toml`. Use
/// [`Composition::parse_closed`] for untrusted text: it does not read files.
///
/// ```
/// use dpcert::{Composition, Real};
///
/// let step = Composition::poisson("1/100".parse::<Real>()?, &Composition::gaussian(1, 1)?)?;
/// let all = step.repeat(1000)?.and(&Composition::approx_dp(1, "1e-9".parse::<Real>()?)?)?;
/// assert_eq!(all, "poisson(rate=0.01, gaussian(sigma=1))^1000 * approx-dp(epsilon=1, delta=1e-9)".parse()?);
/// assert!(Composition::parse_closed("@steps.toml").is_err());
/// # Ok::<(), dpcert::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Composition {
    factors: Vec<(Mechanism, u64)>,
    /// Notes about expanded shorthands; not part of the composition.
    notes: Option<Box<[String]>>,
    /// Why the composition is only a bound, if a shorthand expanded to a bound; not part of the composition.
    only: Option<Cause>,
}

/// Largest number of stored notes.
const MOST_NOTES: usize = 20;

impl PartialEq for Composition {
    fn eq(&self, other: &Self) -> bool {
        self.factors == other.factors
    }
}

impl Eq for Composition {}

impl Hash for Composition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.factors.hash(state);
    }
}

impl Composition {
    /// Expression of the empty composition.
    pub(crate) const EMPTY: &'static str = "gdp(mu=0)^0";

    /// The normal form of these mechanisms, each with its number of runs.
    pub(crate) fn new(factors: impl IntoIterator<Item = (Mechanism, u64)>) -> Result<Self, Error> {
        let mut places: HashMap<Mechanism, usize> = HashMap::new();
        let mut distinct: Vec<(Mechanism, u64)> = Vec::new();
        let mut factors = factors.into_iter().filter(|(_, times)| *times > 0).peekable();
        while let Some((mechanism, times)) = factors.next() {
            // One mechanism alone needs no table.
            let alone = distinct.is_empty() && factors.peek().is_none();
            let at = if alone { 0 } else { *places.entry(mechanism.clone()).or_insert(distinct.len()) };
            let sum = match distinct.get_mut(at) {
                Some((_, sum)) => sum,
                None => {
                    distinct.push((mechanism, 0));
                    &mut distinct[at].1
                }
            };
            *sum = sum.checked_add(times).filter(|&sum| sum <= MAX_COUNT).ok_or_else(too_often)?;
        }
        Ok(Composition { factors: distinct, notes: None, only: None })
    }

    /// The same composition with notes about expanded shorthands.
    pub(super) fn noting(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        let mut all = self.notes.take().map_or_else(Vec::new, Vec::from);
        for note in notes {
            if all.len() < MOST_NOTES && !all.contains(&note) {
                all.push(note);
            }
        }
        self.notes = (!all.is_empty()).then(|| all.into_boxed_slice());
        self
    }

    /// The same composition, marked as a bound if there is a cause.
    pub(super) fn bounding(self, cause: Option<Cause>) -> Self {
        Composition { only: self.only.or(cause), ..self }
    }

    /// Why the composition is only a bound, if a shorthand expanded to a bound.
    pub(crate) fn only(&self) -> Option<Cause> {
        self.only
    }

    /// Notes about the shorthands that were expanded: rates, numbers of steps, and rounding.
    ///
    /// ```
    /// let text = "dp-sgd(examples=60000, batch=256, noise-multiplier=1.1, epochs=1)";
    /// let training: dpcert::Composition = text.parse()?;
    /// assert_eq!(training.to_string(), "poisson(rate=8/1875, gaussian(sigma=11/10))^235");
    /// assert!(training.notes()[0].ends_with("1*60000/256 = 234.37... steps, rounded up to 235"));
    /// # Ok::<(), dpcert::Error>(())
    /// ```
    pub fn notes(&self) -> &[String] {
        self.notes.as_deref().unwrap_or_default()
    }

    /// The mechanisms, each with its number of runs.
    pub(crate) fn factors(&self) -> &[(Mechanism, u64)] {
        &self.factors
    }

    pub(super) fn into_factors(self) -> Vec<(Mechanism, u64)> {
        self.factors
    }

    /// Whether the composition is empty.
    pub fn is_empty(&self) -> bool {
        self.factors.is_empty()
    }

    /// The composition of both.
    ///
    /// # Errors
    /// [`Error::Input`] if a mechanism is run more than 2^63 times.
    pub fn and(&self, other: &Self) -> Result<Self, Error> {
        let both = Self::new(self.factors.iter().chain(&other.factors).cloned())?;
        Ok(both.noting(self.notes().iter().chain(other.notes()).cloned()).bounding(self.only.or(other.only)))
    }

    /// The composition repeated `times` times.
    ///
    /// # Errors
    /// [`Error::Input`] if a mechanism is run more than 2^63 times.
    pub fn repeat(&self, times: u64) -> Result<Self, Error> {
        if times == 0 {
            return Ok(Composition::default());
        }
        let mut factors = self.factors.clone();
        for (_, count) in &mut factors {
            *count = count.checked_mul(times).filter(|&count| count <= MAX_COUNT).ok_or_else(too_often)?;
        }
        Ok(Composition { factors, notes: self.notes.clone(), only: self.only })
    }

    /// The pairs of the mechanisms, each with its number of runs; mechanisms that reveal nothing are left out.
    ///
    /// The total number of runs, including those inside operators, is at most 2^63, so sums of counts do not overflow.
    /// A saturated count is refused here.
    ///
    /// # Errors
    /// Those of [`Mechanism::pair`], and [`Error::Input`] for more runs.
    pub(crate) fn pairs(&self) -> Result<Vec<(Pair, u64)>, Error> {
        let mut all = Vec::new();
        for (mechanism, times) in &self.factors {
            let factors = mechanism.pair()?.into_factors().into_iter();
            all.extend(factors.map(|(pair, count)| (pair, count.saturating_mul(*times))));
        }
        if runs(&all) > u128::from(MAX_COUNT) {
            return Err(Error::input("mechanisms are run more than 2^63 times in all"));
        }
        Ok(all)
    }

    /// The first mechanism whose trade-off function is not known to be its own inverse.
    ///
    /// # Errors
    /// Those of [`Mechanism::pair`].
    pub(crate) fn not_symmetric(&self) -> Result<Option<&Mechanism>, Error> {
        for (mechanism, _) in &self.factors {
            if !mechanism.pair()?.symmetric() {
                return Ok(Some(mechanism));
            }
        }
        Ok(None)
    }

    /// Like [`not_symmetric`](Self::not_symmetric), but `None` if the whole is symmetric, as `M * inverse(M)` is.
    ///
    /// # Errors
    /// Those of [`Mechanism::pair`].
    pub(crate) fn asymmetric(&self) -> Result<Option<&Mechanism>, Error> {
        if symmetric(&self.pairs()?) {
            return Ok(None);
        }
        self.not_symmetric()
    }

    /// How the directions of asymmetric steps are combined: `same_order` if at least two steps are asymmetric. Then all
    /// steps have the same direction, and mixed directions may give other numbers. `None` with fewer asymmetric steps,
    /// and for guarantees, which bound both directions.
    ///
    /// ```
    /// let model = |text: &str| Ok::<_, dpcert::Error>(text.parse::<dpcert::Composition>()?.order_model());
    /// assert_eq!(model("poisson(rate=1/10, gdp(mu=1))^2")?, Some("same_order"));
    /// assert_eq!(model("gdp(mu=1)^2")?, None);
    /// assert_eq!(model("poisson(rate=1/10, gdp(mu=1)) * gdp(mu=1)")?, None);
    /// assert_eq!(model("poisson(rate=1/10, gdp(mu=1)) * poisson(rate=1/20, gdp(mu=1))")?, Some("same_order"));
    /// # Ok::<(), dpcert::Error>(())
    /// ```
    pub fn order_model(&self) -> Option<&'static str> {
        if self.has_guarantee() || matches!(self.single(), Some((_, 1))) {
            return None;
        }
        let mut runs = 0_u64;
        for (pair, times) in self.pairs().ok()? {
            if !pair.symmetric() {
                runs = runs.saturating_add(times);
            }
        }
        (runs > 1).then_some("same_order")
    }

    /// Each mechanism as an expression, its number of runs, and a description of its pair, followed by the pairs of the
    /// mechanisms inside.
    ///
    /// ```
    /// let sample: dpcert::Composition = "poisson(rate=1/10, gdp(mu=1))^2".parse()?;
    /// let [(step, times, pairs)] = &sample.pairs_in_words()[..] else { return Err("one mechanism".into()) };
    /// assert_eq!((step.as_str(), *times, pairs.len()), ("poisson(rate=1/10, gdp(mu=1))", 2, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pairs_in_words(&self) -> Vec<(String, u64, Vec<&'static str>)> {
        let told = |(mechanism, times): &(Mechanism, u64)| {
            let mut pairs = vec![mechanism.entry().pair];
            for (_, argument) in mechanism.arguments() {
                let inside = match argument {
                    Argument::Mechanism(inner) => vec![inner],
                    Argument::Mechanisms(all) => all,
                    Argument::Constant(_) | Argument::List(_) => Vec::new(),
                };
                pairs.extend(inside.iter().flat_map(Self::pairs_in_words).flat_map(|(_, _, pairs)| pairs));
            }
            (mechanism.to_string(), *times, pairs)
        };
        self.factors.iter().map(told).collect()
    }

    /// Each mechanism with all its runs, as a separate composition.
    pub(crate) fn blocks(&self) -> Vec<Composition> {
        let block =
            |factor: &(Mechanism, u64)| Composition { factors: vec![factor.clone()], notes: None, only: self.only };
        self.factors.iter().map(block).collect()
    }

    /// Are there at most `most` different mechanisms, whose parameters are all short constants?
    pub(crate) fn is_short(&self, most: usize) -> bool {
        let short = |argument: &Argument| matches!(argument, Argument::Constant(value) if value.is_short());
        let all_short = |mechanism: &Mechanism| mechanism.arguments().iter().all(|(_, argument)| short(argument));
        self.factors.len() <= most && self.factors.iter().all(|(mechanism, _)| all_short(mechanism))
    }

    /// Does it contain a guarantee rather than a mechanism, so that answers are bounds?
    pub(crate) fn has_guarantee(&self) -> bool {
        self.factors.iter().any(|(mechanism, _)| mechanism.is_guarantee())
    }

    /// The mechanism and its number of runs, if there is only one mechanism.
    pub(crate) fn single(&self) -> Option<(&Mechanism, u64)> {
        match self.factors.as_slice() {
            [(mechanism, times)] => Some((mechanism, *times)),
            _ => None,
        }
    }
}

fn too_often() -> Error {
    Error::input("a mechanism is run more than 2^63 times")
}

impl From<Mechanism> for Composition {
    fn from(mechanism: Mechanism) -> Self {
        Composition { factors: vec![(mechanism, 1)], notes: None, only: None }
    }
}

impl Composition {
    /// The expression, which parses to this composition.
    fn expression(&self) -> String {
        if self.factors.is_empty() {
            return Self::EMPTY.to_string();
        }
        let factor = |(mechanism, times): &(Mechanism, u64)| match times {
            1 => mechanism.to_string(),
            times => format!("{mechanism}^{times}"),
        };
        self.factors.iter().map(factor).collect::<Vec<_>>().join(" * ")
    }
}

/// The expression. With `{:#}`, for headings, one of more than 200 characters is abbreviated.
impl fmt::Display for Composition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expression = self.expression();
        f.write_str(&if f.alternate() { super::heading::abbreviated(&expression) } else { expression })
    }
}
