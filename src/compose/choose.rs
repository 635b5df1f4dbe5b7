//! Which engine for which product: the engines side by side, each with one face, and one ordered list.
//!
//! An engine that supports a product returns [`Ready`] with a curve, and states whether that is quick; otherwise it
//! returns a [`Refusal`]. Infinite privacy losses are added around the curve here, and the [edges](Edges) around both,
//! once for all engines.

use std::borrow::Borrow;
use std::sync::OnceLock;

use super::atoms::{self, Atoms};
use super::between_knots::BetweenKnots;
use super::by_sum::BySum;
use super::engine::{Engine, LISTS};
use super::integral::Integral;
use super::two_samples::TwoSamples;
use super::{
    Chernoff, DiscreteGaussian, Edges, Enumeration, Gaussian, Geometric, Grid, Heterogeneous, Laplace, LargeLosses,
    LargeSteps, Lattice, LatticePair, Majorized, Method, Mixture, Polygons, Quadrature, Shuffle, Staircase, Staircases,
    Subsampled, WithFailure,
};
use super::{derived, listed, staircase};
use crate::curve::Curve;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::{Discrete, Family, Pair, Part, Product};
use enclosure::{Budget, Real, Reason};

/// The grid of a product. It caches the expensive computations for any number of points.
pub(super) type Shared = OnceLock<Result<Grid, Refusal>>;

/// The grid, limited to this number of points if given.
fn shared(grid: &Shared, product: &Product, content: Option<u32>) -> Result<Grid, Refusal> {
    let grid = grid.get_or_init(|| Grid::of(product)).as_ref().map_err(Clone::clone)?;
    Ok(grid.content_with(content))
}

/// An engine that takes a product on.
pub(super) struct Ready {
    /// The curve.
    pub curve: Box<dyn Curve>,
    /// Are its sums short? Only the quadrature knows beforehand that they are not.
    pub quick: bool,
}

/// Why an engine does not take a product on.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// It is made for other kinds of pairs.
    OtherKind,
    /// The engine supports these mechanisms, but they are too many, too long or too fine for it, or a constant is out
    /// of range. The error states the limit and how to avoid it.
    Unable(Error),
}

impl Refusal {
    /// Whether it proves a bug in dpcert.
    pub(super) fn is_alarm(&self) -> bool {
        matches!(self, Refusal::Unable(error) if error.is_alarm())
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Unable(error)
    }
}

/// The engines in order, each offered the product once, until `take` has what it wants; `None` if it never has.
///
/// First come the engines that are best for the families of the product, then those for any, from exact to rounded. Of
/// a group only the first engine that supports the product is taken. The quadrature is before the others where it needs
/// few nodes. Where it needs many, the losses have no common lattice or one that is too fine for it, which is too fine
/// for arrays too; and the grid knows soon how many digits are out of its reach. A method by name is one engine.
pub(super) fn in_order<T: Borrow<Ready>, R>(
    product: &Product,
    method: Method,
    mut offer: impl FnMut(Engine) -> Result<T, Refusal>,
    mut take: impl FnMut(Result<T, Refusal>) -> Option<R>,
) -> Option<R> {
    let first = match method {
        Method::Auto => best(product),
        Method::ClosedForm => &[Engine::Closed],
        Method::Lattice => &[Engine::Lattice],
        Method::Enumeration => &[Engine::Enumeration],
        Method::Quadrature => &[Engine::Contour],
        Method::SecondContour => &[Engine::SecondContour],
        Method::Grid => &[Engine::Grid],
    };
    let taken = take(offered(first, &mut offer));
    if taken.is_some() || method != Method::Auto {
        return taken;
    }
    // Whatever has finitely many losses and no lattice.
    let taken = take(offer(Engine::Enumeration));
    if taken.is_some() {
        return taken;
    }
    let contour = offer(Engine::Contour);
    let others: &[&[Engine]] = match &contour {
        Ok(ready) if !ready.borrow().quick => &[LISTS, &[Engine::Grid], &[Engine::Contour]],
        _ => &[&[Engine::Contour], LISTS, &[Engine::Lattice], &[Engine::Grid]],
    };
    let mut contour = Some(contour);
    others.iter().filter(|group| **group != first).find_map(|group| match group {
        [Engine::Contour] => take(contour.take()?),
        group => take(offered(group, &mut offer)),
    })
}

/// The first engine of a group that supports the product; else the first reason why one does not.
fn offered<T>(group: &[Engine], mut offer: impl FnMut(Engine) -> Result<T, Refusal>) -> Result<T, Refusal> {
    let mut refusal = Refusal::OtherKind;
    for engine in group {
        match (offer(*engine), &refusal) {
            (Err(Refusal::OtherKind), _) => {}
            (Err(unable), _) if unable.is_alarm() => return Err(unable),
            (Err(unable), Refusal::OtherKind) => refusal = unable,
            (Err(_), _) => {}
            (ready, _) => return ready,
        }
    }
    Err(refusal)
}

/// The engines that are best for these families.
fn best(product: &Product) -> &'static [Engine] {
    match product.families().as_slice() {
        [] | [Family::Response] => &[Engine::Optimal],
        [Family::DiscreteGaussian] if product.discrete_gaussian.len() == 1 => &[Engine::Sums],
        [Family::Lattice] if without_list(product) => &[Engine::Closed],
        [Family::Lattice]
        | [Family::Response, Family::Lattice]
        | [Family::Finite]
        | [Family::Response, Family::Finite] => &[Engine::Lattice],
        _ if one_gaussian_sample(product) || two_gaussian_samples(product) || beside_a_curve(product) => LISTS,
        _ => &[Engine::Closed],
    }
}

/// Terms of a sum, list or lattice up to which it is evaluated before any other engine is prepared.
pub(super) const AT_HAND: u64 = 1 << 18;

/// Terms up to which the work takes at most some milliseconds at a few hundred digits.
pub(super) const LIGHT: u64 = 1 << 6;

/// The terms of optimal composition that take as long as one term of other sums.
const RESPONSES_A_TERM: u64 = 1 << 6;

/// The engine that answers at once, at any number of digits: a closed form, or a list or lattice of about `most` terms.
/// `None` if there is no such engine.
///
/// The count of terms bounds the work, so the choice is the same on every machine.
pub(super) fn at_hand(product: &Product, most: u64) -> Option<Engine> {
    let few = |counts: &[u64]| counts.iter().fold(1, |all: u64, count| all.saturating_mul(*count)) <= most;
    let simple = match product.families().as_slice() {
        [] | [Family::Gaussian] => true,
        [Family::Response] => {
            matches!(product.responses.as_slice(), [one] if few(&[one.times.div_ceil(RESPONSES_A_TERM)]))
        }
        // The sums cost the cube of the number of runs.
        [Family::Laplace] => matches!(product.laplace.as_slice(), [(_, times)] if few(&[*times, *times, *times])),
        [Family::DiscreteGaussian] => {
            let one = product.discrete_gaussian.as_slice();
            matches!(one, [(sigma2, _, times)] if *sigma2 <= most && few(&[*times]))
        }
        [Family::Lattice] if without_list(product) => true,
        [Family::Lattice] => {
            let terms = product.lattice.iter().map(|(pair, times)| pair.places().saturating_mul(*times));
            terms.fold(0, u64::saturating_add) <= most
        }
        // A rational pair run once is a list of its outcomes.
        [Family::Finite] => matches!(product.finite.as_slice(), [(_, 1)]),
        [Family::Sampled] => match product.sampled.as_slice() {
            [(pair, 1)] => {
                let inner = pair.as_sample().map(|(_, inner)| Product::new([(inner, 1)]));
                inner.is_some_and(|inner| at_hand(&inner, most).is_some())
            }
            _ => false,
        },
        _ => false,
    };
    best(product).first().copied().filter(|_| simple)
}

/// Is there something that is known by its curve alone, run once, beside discrete losses? Neither moments nor cells
/// are cheap there.
fn beside_a_curve(product: &Product) -> bool {
    let curves = product.sampled.iter().filter(|(pair, _)| listed::is_curve(pair)).map(|(_, times)| times);
    let mut runs = curves.chain(product.derived.iter().map(|(_, times)| times));
    let others = product.families().len() > 1 || product.sampled.len() + product.derived.len() > 1;
    (runs.next(), runs.next()) == (Some(&1), None) && others
}

/// Is one sample of Gaussian noise, run once, beside something? Its moments decay, but as slowly as the little mass
/// that has no atom allows.
fn one_gaussian_sample(product: &Product) -> bool {
    let gaussian = |pair: &Pair| matches!(pair, Pair::Sample { inner, .. } if matches!(**inner, Pair::Gaussian { .. }));
    let mut samples = product.sampled.iter().filter(|(pair, _)| gaussian(pair));
    let one = matches!((samples.next(), samples.next()), (Some((_, 1)), None));
    let others = product.sampled.len() + product.families().len() > 2;
    // Beside Laplace noise run once there is an integral, if there is nothing else.
    let laplace = match product.laplace.as_slice() {
        [] => true,
        [(_, 1)] => product.families().len() == 2 && product.sampled.len() == 1,
        _ => false,
    };
    one && product.mu_squared.is_zero() && laplace && others
}

/// Are two samples of Gaussian noise all that there is, one of them with so little noise that its moments decay late?
fn two_gaussian_samples(product: &Product) -> bool {
    let little = |pair: &Pair| match pair {
        Pair::Sample { inner, .. } => matches!(&**inner, Pair::Gaussian { mu } if mu.to_f64() >= 1.0),
        _ => false,
    };
    product.sampled.iter().any(|(pair, _)| little(pair)) && TwoSamples::of(product).is_ok()
}

impl Engine {
    /// The curve of a product; by a method by name, from nothing but what that name says.
    pub(super) fn offer(
        self,
        product: &Product,
        method: Method,
        grid: &Shared,
        budget: &Budget,
    ) -> Result<Ready, Refusal> {
        self.on()?;
        // Only what has a formula goes without lists.
        if self != Engine::Closed || !without_list(product) {
            product.affordable(budget)?;
        }
        let mut quick = true;
        let curve = match self {
            Engine::Optimal => Heterogeneous::new(&product.responses, budget).map(boxed).map_err(Refusal::from),
            Engine::Sums => sums(product),
            Engine::Closed => formula(product, method, budget),
            Engine::Lattice => on_lattice(product, budget),
            Engine::Enumeration => match Enumeration::of(product, budget) {
                Err(Refusal::OtherKind) if method == Method::Enumeration => listed::alone(product, budget),
                enumeration => enumeration.map(boxed),
            },
            Engine::TwoSamples => TwoSamples::of(product).map(boxed),
            Engine::Integral => Integral::of(product, budget).map(BySum).map(boxed),
            Engine::Beside => listed::beside(product, budget),
            // A product on a lattice has a short list there.
            Engine::Listed => match on_lattice(product, budget) {
                Ok(_) => Err(Refusal::OtherKind),
                Err(_) => listed::alone(product, budget),
            },
            Engine::BesideMany => listed::beside_many(product, budget),
            Engine::BetweenKnots => BetweenKnots::of(product, budget).map(BySum).map(boxed),
            Engine::Grid => shared(grid, product, None).map(boxed),
            Engine::Contour | Engine::SecondContour => Quadrature::of(product).map(|curve| {
                quick = curve.is_quick();
                boxed(if self == Engine::SecondContour { curve.on_second_contours() } else { curve })
            }),
            // These answer to few digits, or to none; see `rough`.
            Engine::AlmostPeriodic
            | Engine::Swept
            | Engine::Majorized
            | Engine::Polygons
            | Engine::LargeSteps
            | Engine::LargeLosses
            | Engine::Chernoff => Err(Refusal::OtherKind),
        };
        match curve {
            Ok(curve) => {
                let curve = with_failure(curve, product)?;
                let edged = derived::fails_outright(product);
                let curve = if edged { curve } else { boxed(Edges::around(curve, product)?) };
                Ok(Ready { curve, quick })
            }
            Err(Refusal::OtherKind) if method != Method::Auto => {
                Err(Refusal::Unable(method.refuses(self.needs(), &product.names())))
            }
            Err(refusal) => Err(refusal),
        }
    }
}

/// The curve of a composition, by the first engine that takes it on, or by an engine of the kind that is asked for.
///
/// # Errors
/// [`Error::Undecided`] when no engine (of this kind) composes these mechanisms with each other within the budget; the
/// reason names them and says what would help.
pub fn curve(composition: &Composition, method: Method, budget: &Budget) -> Result<Box<dyn Curve>, Error> {
    curve_of(&Product::new(composition.pairs()?), method, budget)
}

/// The curve of a composition on a grid of few points, for comparison: its answers are enclosures of a few digits, or
/// of none. `None` if there is no grid for it.
///
/// # Errors
/// Alarms, and those of the pairs.
#[cfg(feature = "cli")]
pub fn bracket(composition: &Composition) -> Result<Option<Box<dyn Curve>>, Error> {
    rough(&Product::new(composition.pairs()?), Rough::Grid(FEW), &Shared::default(), &Budget::default())
}

/// A second curve for what is answered by this method, if that is one for samples of Gaussian noise: by large steps,
/// and if those were asked, by other cuts of them.
///
/// # Errors
/// Those of the engine.
#[cfg(feature = "generate")]
pub fn second_for_samples(
    composition: &Composition,
    first: &str,
    digits: u32,
) -> Result<Option<Box<dyn Curve>>, Error> {
    let moved = first == super::large_steps::METHOD;
    if !moved && first != super::two_samples::METHOD {
        return Ok(None);
    }
    let product = Product::new(composition.pairs()?);
    let curve = LargeSteps::of(&product, digits).map(|curve| boxed(if moved { curve.moved() } else { curve }));
    match curve {
        Ok(curve) => Ok(Some(boxed(Edges::around(with_failure(curve, &product)?, &product)?))),
        Err(Refusal::Unable(error)) => Err(error),
        Err(Refusal::OtherKind) => Ok(None),
    }
}

/// Points that prove some digits where losses spread out.
#[cfg(feature = "cli")]
const FEW: u32 = 1 << 13;

/// Curves whose answers are enclosures of few digits, or of none, at any precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rough {
    /// A grid of about this number of points.
    Grid(u32),
    /// What grids have proven already, if any was asked.
    Told,
    /// A contour along which the integrand does not decay, for this number of digits.
    AlmostPeriodic(u32),
    /// A contour whose nodes are all evaluated up to a limit, for this number of digits.
    Swept(u32),
    /// Nodes in a row between a minorant and a majorant, for this number of digits.
    Majorized(u32),
    /// Polygons around the trade-off functions that have no other representation, for this number of digits.
    Polygons(u32),
    /// Samples of Gaussian noise, split into large and small steps, for this number of digits.
    LargeSteps(u32),
    /// Samples of discrete Gaussian noise by their large privacy losses, for this number of digits.
    LargeLosses(u32),
    /// Chernoff's bound, and the mass at infinity.
    Chernoff,
}

impl Rough {
    /// The engine.
    pub fn engine(self) -> Engine {
        match self {
            Rough::Grid(_) | Rough::Told => Engine::Grid,
            Rough::AlmostPeriodic(_) => Engine::AlmostPeriodic,
            Rough::Swept(_) => Engine::Swept,
            Rough::Majorized(_) => Engine::Majorized,
            Rough::Polygons(_) => Engine::Polygons,
            Rough::LargeSteps(_) => Engine::LargeSteps,
            Rough::LargeLosses(_) => Engine::LargeLosses,
            Rough::Chernoff => Engine::Chernoff,
        }
    }
}

/// The curve of a product, whatever digits it proves; `None` if there is none of this kind for it.
///
/// # Errors
/// Alarms, and those of the pairs.
pub(super) fn rough(
    product: &Product,
    how: Rough,
    grid: &Shared,
    budget: &Budget,
) -> Result<Option<Box<dyn Curve>>, Error> {
    if how.engine().on().is_err() {
        return Ok(None);
    }
    // What there is no room to list is not rounded either.
    product.affordable(budget)?;
    let curve = match how {
        Rough::Grid(points) => shared(grid, product, Some(points)).map(boxed),
        Rough::Told if grid.get().is_none() => Err(Refusal::OtherKind),
        Rough::Told => shared(grid, product, Some(0)).map(boxed),
        Rough::AlmostPeriodic(digits) => {
            Quadrature::of(product).and_then(|curve| curve.almost_periodic(digits)).map(boxed)
        }
        Rough::Swept(digits) => Quadrature::of(product).map(|curve| boxed(curve.swept(digits))),
        Rough::Majorized(digits) => Majorized::of(product, digits).map(boxed),
        Rough::Polygons(digits) => Polygons::of(product, digits).map(boxed),
        Rough::LargeSteps(digits) => LargeSteps::of(product, digits).map(boxed),
        Rough::LargeLosses(digits) => LargeLosses::of(product, digits).map(boxed),
        Rough::Chernoff => Chernoff::of(product).map(boxed),
    };
    match curve {
        Ok(curve) => Ok(Some(boxed(Edges::around(with_failure(curve, product)?, product)?))),
        Err(Refusal::Unable(error)) if error.is_alarm() => Err(error),
        Err(_) => Ok(None),
    }
}

/// The curve of a product by the first engine that takes it on.
pub(super) fn curve_of(product: &Product, method: Method, budget: &Budget) -> Result<Box<dyn Curve>, Error> {
    let (mut reason, grid) = (None, Shared::default());
    let offer = |engine: Engine| engine.offer(product, method, &grid, budget);
    let curve = in_order(product, method, offer, |offer| match offer {
        Ok(ready) => Some(Ok(ready.curve)),
        Err(Refusal::OtherKind) => None,
        Err(Refusal::Unable(error)) if error.is_alarm() => Some(Err(error)),
        // What one engine finds too large may be easy for another.
        Err(Refusal::Unable(error)) => {
            reason.get_or_insert(error);
            None
        }
    });
    curve.unwrap_or_else(|| Err(reason.unwrap_or_else(|| nobody_composes(product))))
}

/// That no engine takes a product on.
pub(super) fn nobody_composes(product: &Product) -> Error {
    Error::undecided(format!("no method composes {}", product.names()))
}

fn boxed(curve: impl Curve + 'static) -> Box<dyn Curve> {
    Box::new(curve)
}

/// Add infinite privacy losses to an engine that does not support them.
fn with_failure(inner: Box<dyn Curve>, product: &Product) -> Result<Box<dyn Curve>, Error> {
    if product.failures.is_empty() { Ok(inner) } else { Ok(Box::new(WithFailure::new(inner, &product.failures)?)) }
}

fn sums(product: &Product) -> Result<Box<dyn Curve>, Refusal> {
    let [(sigma2, sensitivity, times)] = product.discrete_gaussian.as_slice() else { return Err(Refusal::OtherKind) };
    Ok(boxed(DiscreteGaussian::new(sigma2.clone(), (*sensitivity).into(), *times)?))
}

/// Up to this sensitivity staircase noise is listed, which is as fast, and makes divergences of it as well.
const LISTED: u64 = 1 << 11;

/// The noise that is all there is, run once, where it has a formula, however many losses that has. (Geometric noise
/// moved by 1 is randomised response.)
fn one_noise(product: &Product) -> Option<&Discrete> {
    let ([Family::Lattice], [(pair, 1)]) = (product.families().as_slice(), product.lattice.as_slice()) else {
        return None;
    };
    let long = pair.as_staircase().is_some_and(|(.., sensitivity)| sensitivity > LISTED);
    (long || pair.as_geometric().is_some()).then_some(pair)
}

/// The noise that is all there is, run a few times, where that has a formula and its list would be long.
fn few_runs(product: &Product) -> Option<(&Discrete, u64)> {
    let ([Family::Lattice], [(pair, times)]) = (product.families().as_slice(), product.lattice.as_slice()) else {
        return None;
    };
    let shift = pair.as_staircase().map(|(.., shift)| shift).or(pair.as_geometric().map(|(_, shift)| shift))?;
    (shift > LISTED && (2..=Staircases::MOST).contains(times)).then_some((pair, *times))
}

/// Has it a formula that needs no list?
fn without_list(product: &Product) -> bool {
    one_noise(product).is_some() || few_runs(product).is_some()
}

/// The curve of a few runs.
fn of_runs(pair: &Discrete, times: u64) -> Result<Box<dyn Curve>, Refusal> {
    match (pair.as_geometric(), pair.as_staircase()) {
        (Some((rate, shift)), _) => {
            let unit = rate.clone();
            let odds = move |bits: u32| unit.neg().exp_number(bits).enclosure(bits);
            Ok(boxed(Staircases::new(rate.clone(), shift, times, odds)?))
        }
        (_, Some((epsilon, gamma, narrow, shift))) => {
            let (unit, at) = (epsilon.clone(), gamma.clone());
            let odds = move |bits: u32| staircase::odds(&unit, &at, narrow, bits);
            Ok(boxed(Staircases::new(epsilon.clone(), shift, times, odds)?))
        }
        _ => Err(Refusal::OtherKind),
    }
}

/// The curve of one run.
fn of_noise(pair: &Discrete) -> Result<Box<dyn Curve>, Refusal> {
    match (pair.as_geometric(), pair.as_staircase()) {
        (Some((rate, sensitivity)), _) => Ok(boxed(Geometric::new(rate.clone(), sensitivity)?)),
        (_, Some((epsilon, gamma, narrow, sensitivity))) => {
            Ok(boxed(Staircase::new(epsilon.clone(), gamma.clone(), narrow, sensitivity)))
        }
        _ => Err(Refusal::OtherKind),
    }
}

fn formula(product: &Product, method: Method, budget: &Budget) -> Result<Box<dyn Curve>, Refusal> {
    Ok(match product.families().as_slice() {
        [] | [Family::Response] => boxed(Heterogeneous::by_formula(&product.responses, budget)?),
        [Family::Gaussian] => boxed(Gaussian::new(product.mu_squared.clone())?),
        [Family::Laplace] => boxed(Laplace::of_several(product.laplace.clone())?),
        [Family::Sampled] if let [(Pair::Shuffled(pair), 1)] = product.sampled.as_slice() => {
            boxed(Shuffle::new(pair.clone()))
        }
        [Family::Sampled] if matches!(product.sampled.as_slice(), [(_, 1)]) => {
            let (rate, inner) = product.sampled[0].0.as_sample().ok_or(Refusal::OtherKind)?;
            let inner = curve_of(&Product::new([(inner, 1)]), method, budget)?;
            boxed(Subsampled::new(rate.clone(), inner)?)
        }
        [Family::Derived] => match product.derived.as_slice() {
            [(pair, 1)] => derived::curve(pair)?,
            _ => derived::turned(product)?,
        },
        families if families.contains(&Family::Derived) => derived::turned(product)?,
        _ => match (one_noise(product), few_runs(product)) {
            (Some(pair), _) => of_noise(pair)?,
            (None, Some((pair, times))) => of_runs(pair, times)?,
            (None, None) => boxed(Mixture::of(product, budget)?),
        },
    })
}

fn on_lattice(product: &Product, budget: &Budget) -> Result<Box<dyn Curve>, Refusal> {
    let families = product.families();
    let continuous =
        |family: &Family| matches!(family, Family::Gaussian | Family::Laplace | Family::Sampled | Family::Derived);
    match families.as_slice() {
        [Family::Finite] | [Family::Response, Family::Finite] => match finite(product, budget) {
            // Arrays may be short where fractions are too long. If neither fit, both reasons are reported.
            Err(Error::Undecided(fractions)) => lattice(product).map_err(|error| match error {
                Error::Undecided(arrays) => {
                    Error::Undecided(Reason::joined([fractions, arrays], "; next method: ")).into()
                }
                other => other.into(),
            }),
            Err(error) if !error.is_alarm() => Ok(lattice(product)?),
            all => Ok(all?),
        },
        _ if families.iter().any(continuous) => Err(Refusal::OtherKind),
        _ => lattice(product).map_err(Refusal::from),
    }
}

/// Whatever has its losses on lattices with a common refinement.
fn lattice(product: &Product) -> Result<Box<dyn Curve>, Error> {
    // All but finite pairs are their own mirror images, and so are their compositions.
    Ok(boxed(Lattice::new(lattice_pairs(product)?, product.finite.is_empty())?))
}

/// The unit and the shift of a lattice on which all finite losses of a product lie: they are whole multiples of the
/// unit beyond the shift. `None` where a family has other losses.
///
/// # Errors
/// [`Error::Undecided`] for units without a common refinement, or one too fine.
pub(crate) fn common_lattice(product: &Product) -> Result<Option<(Real, Real)>, Error> {
    let listed = |family: &Family| {
        !matches!(family, Family::Response | Family::Lattice | Family::Finite | Family::DiscreteGaussian)
    };
    if product.families().iter().any(listed) {
        return Ok(None);
    }
    let lattice = Lattice::new(lattice_pairs(product)?, false)?;
    Ok(Some((lattice.unit().clone(), lattice.shift().clone())))
}

/// The pairs of a product on their lattices.
fn lattice_pairs(product: &Product) -> Result<Vec<(LatticePair, u64)>, Error> {
    let mut pairs = Vec::new();
    for (pair, times) in &product.lattice {
        pairs.extend(LatticePair::of(pair)?.map(|pair| (pair, *times)));
    }
    for (pair, times) in &product.finite {
        let pair = LatticePair::of(&Discrete::rational(pair.clone()))?.ok_or_else(|| {
            Error::undecided(
                "the privacy losses of a finite pair are not integer multiples of a common unit".to_string(),
            )
        })?;
        pairs.push((pair, *times));
    }
    for (sigma2, sensitivity, times) in &product.discrete_gaussian {
        pairs.push((LatticePair::discrete_gaussian(sigma2.clone(), (*sensitivity).into())?, *times));
    }
    // A mechanism that only fails fits any lattice.
    let unit = pairs.first().map_or_else(Real::one, |(pair, _)| pair.unit().clone());
    for Part { epsilon, delta, times } in &product.responses {
        pairs.push((LatticePair::response(epsilon.clone(), delta.clone(), &unit)?, *times));
    }
    if pairs.is_empty() {
        // Nothing leaks: all mass at loss zero.
        pairs.push((LatticePair::response(Real::zero(), Real::zero(), &unit)?, 1));
    }
    Ok(pairs)
}

/// Finite pairs, with (epsilon, delta) mechanisms that are finite pairs of rationals themselves.
fn finite(product: &Product, budget: &Budget) -> Result<Box<dyn Curve>, Error> {
    let mut factors = Vec::new();
    for (pair, times) in &product.finite {
        factors.push(atoms::Factor { pair: pair.clone(), times: *times });
    }
    for Part { epsilon, delta, times } in &product.responses {
        let pair = Discrete::response(epsilon.clone(), delta.clone())?.fractions()?.ok_or_else(|| {
            Error::undecided(format!(
                "finite pairs compose with (epsilon, delta) mechanisms only if e^epsilon and delta are rational, as \
                with epsilon = ln(3/2); here epsilon = {epsilon}, delta = {delta}"
            ))
        })?;
        factors.push(atoms::Factor { pair, times: *times });
    }
    Ok(Box::new(Atoms::new(&factors, atoms::Limits::of(budget), budget)?))
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::curve::Direction;

    /// A few runs of geometric noise have formulas, whatever its sensitivity; more are listed, as far as there is room.
    #[test]
    fn geometric_noise_run_a_few_times_goes_without_a_list() {
        let few = Budget::default().with_max_bytes(1 << 20);
        let made = |text: &str, method: Method, budget: &Budget| {
            let composition: Composition = text.parse().expect("a composition");
            curve(&composition, method, budget).map(|curve| curve.method())
        };
        for noise in
            ["geometric(epsilon=1, sensitivity=100000)", "geometric(epsilon=1, sensitivity=9223372036854775808)"]
        {
            assert_eq!(made(noise, Method::Auto, &few), Ok("closed form"), "{noise}");
            assert_eq!(made(noise, Method::ClosedForm, &few), Ok("closed form"), "{noise}");
            assert_eq!(made(&format!("{noise}^2"), Method::Auto, &few), Ok("closed form"), "{noise}");
            for (text, method) in [(noise.to_string(), Method::Lattice), (format!("{noise}^65"), Method::Auto)] {
                assert!(matches!(made(&text, method, &few), Err(Error::Undecided(_))), "{text}");
            }
        }
        let short = "geometric(epsilon=1, sensitivity=3)";
        assert_ne!(made(short, Method::Lattice, &few), Ok("closed form"));
        assert!(made(&format!("{short}^2"), Method::Auto, &few).is_ok_and(|method| method != "closed form"));
        assert!(made(&format!("{short} * {short}"), Method::ClosedForm, &few).is_err());
    }

    /// A failure beside a lattice mechanism keeps all its mass: `delta = d + (1-d) delta_f`, exactly.
    #[test]
    fn failures_beside_lattices_keep_their_mass() {
        let budget = Budget::default();
        let delta = |text: &str| {
            let composition: Composition = text.parse().expect("a composition");
            let curve = curve(&composition, Method::Auto, &budget).expect("a curve");
            let delta = curve.delta(&Real::zero(), Direction::Forward, 100, &budget).expect("a number");
            delta.exact().cloned().expect("rational data")
        };
        for pair in ["geometric(epsilon=ln(2), sensitivity=2)", "staircase(epsilon=ln(2), gamma=1/3)"] {
            let whole = delta(&format!("{pair} * approx-dp(epsilon=0, delta=1/10)^2"));
            let kept = Rational::from((81, 100));
            assert_eq!(whole, 1 - kept.clone() + kept * delta(pair), "{pair}");
        }
    }
}
