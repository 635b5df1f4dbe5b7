//! Which engine for which composition. One place: a new engine is one more arm here; [`Method`] names the kinds of
//! engines, and each arm says to which kind it belongs.

use super::atoms::{self, Atoms};
use super::{
    DiscreteGaussian, Gaussian, Geometric, Grid, Heterogeneous, Laplace, Lattice, LatticePair, Method, Mixture,
    Quadrature, Subsampled, WithFailure,
};
use crate::alarm::declined;
use crate::curve::Curve;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::{Discrete, Family, Part, Product};
use enclosure::{Budget, Real};

/// Engines that one composition may be given to.
pub(super) const ENGINES: usize = 5;

/// The curve of a composition, by the first engine that takes it on, or by an engine of the kind that is asked for.
///
/// # Errors
/// [`Error::Undecided`] when no engine (of this kind) composes these mechanisms with each other within the budget; the
/// reason names them and says what would help.
pub fn curve(composition: &Composition, method: Method, budget: &Budget) -> Result<Box<dyn Curve>, Error> {
    first(&Product::new(composition.pairs()?), method, budget)
}

fn first(product: &Product, method: Method, budget: &Budget) -> Result<Box<dyn Curve>, Error> {
    let mut reason = None;
    for rank in 0..ENGINES {
        match engine(product, method, rank, budget) {
            Some(Ok(curve)) => return Ok(curve),
            Some(Err(error)) if error.is_alarm() => return Err(error),
            // What one engine finds too large may be easy for another.
            Some(Err(error)) => reason = reason.or(Some(error)),
            None => {}
        }
    }
    Err(reason.unwrap_or_else(|| nobody_composes(product)))
}

/// The engine of a rank, from exact to rounded; `None` if it is not for this product, or there is none of this rank.
pub(super) fn engine(
    product: &Product,
    method: Method,
    rank: usize,
    budget: &Budget,
) -> Option<Result<Box<dyn Curve>, Error>> {
    if rank == 0
        && matches!(method, Method::Auto | Method::ClosedForm)
        && let Some(curve) = one_geometric(product)
    {
        return Some(curve);
    }
    if let Err(error) = product.affordable(budget) {
        return Some(Err(error));
    }
    match method {
        Method::Auto => automatic(product, rank, budget),
        _ if rank == 0 => Some(by_name(product, method, budget)),
        _ => None,
    }
}

fn automatic(product: &Product, rank: usize, budget: &Budget) -> Option<Result<Box<dyn Curve>, Error>> {
    match rank {
        0 => exact(product, budget),
        1 => quadrature(product, Method::Auto, true),
        // A lattice that is too fine for the quadrature is too fine for arrays.
        2 if !too_fine(product) => on_lattice(product, budget),
        // It knows soon how many digits are out of its reach.
        3 => grid(product),
        4 => quadrature(product, Method::Auto, false),
        _ => None,
    }
}

fn by_name(product: &Product, method: Method, budget: &Budget) -> Result<Box<dyn Curve>, Error> {
    let (curve, needs) = match method {
        Method::ClosedForm => (
            closed_form(product, method, budget),
            "Gaussian mechanisms alone, (epsilon, delta) mechanisms alone, one geometric mechanism run once, or Laplace \
             mechanisms of one scale, or one sample of one, alone or beside mechanisms with finitely many losses",
        ),
        Method::Lattice => {
            (on_lattice(product, budget), "mechanisms whose losses are whole multiples of a common unit")
        }
        Method::Grid => (grid(product), "mechanisms whose losses can be put into cells"),
        Method::Auto | Method::Quadrature | Method::SecondContour => {
            (quadrature(product, method, false), "mechanisms whose losses have a known moment generating function")
        }
    };
    curve.unwrap_or_else(|| Err(method.refuses(needs, &product.names())))
}

/// That no engine takes a product on.
pub(super) fn nobody_composes(product: &Product) -> Error {
    Error::undecided(format!("no engine here composes {}", product.names()))
}

/// The engine that is best for a single family, if there is one.
fn exact(product: &Product, budget: &Budget) -> Option<Result<Box<dyn Curve>, Error>> {
    match product.families().as_slice() {
        [] | [Family::Response] => Some(Heterogeneous::new(&product.responses, budget).map(boxed)),
        [Family::DiscreteGaussian] if product.discrete_gaussian.len() == 1 => {
            let (sigma2, sensitivity, times) = product.discrete_gaussian[0].clone();
            Some(
                DiscreteGaussian::new(sigma2, sensitivity.into(), times)
                    .and_then(|one| with_failure(boxed(one), product)),
            )
        }
        [Family::Lattice]
        | [Family::Response, Family::Lattice]
        | [Family::Finite]
        | [Family::Response, Family::Finite] => on_lattice(product, budget),
        _ => closed_form(product, Method::Auto, budget),
    }
}

/// Geometric noise run once has a formula for any sensitivity, however many losses that has. (At sensitivity 1 it is
/// randomised response.)
fn one_geometric(product: &Product) -> Option<Result<Box<dyn Curve>, Error>> {
    let ([Family::Lattice], [(pair, 1)]) = (product.families().as_slice(), product.lattice.as_slice()) else {
        return None;
    };
    let (rate, sensitivity) = pair.as_geometric()?;
    let curve = Geometric::new(rate.clone(), sensitivity).map(boxed);
    Some(curve.and_then(|curve| with_failure(curve, product)))
}

/// Formulas.
fn closed_form(product: &Product, method: Method, budget: &Budget) -> Option<Result<Box<dyn Curve>, Error>> {
    let curve = match product.families().as_slice() {
        [] | [Family::Response] => return Some(Heterogeneous::by_formula(&product.responses, budget).map(boxed)),
        [Family::Gaussian] => Gaussian::new(product.mu_squared.clone()).map(boxed),
        [Family::Laplace] if product.laplace.len() == 1 => {
            let (shift, times) = product.laplace[0].clone();
            Laplace::new(shift, times).map(boxed)
        }
        [Family::Sampled] if matches!(product.sampled.as_slice(), [(_, 1)]) => {
            let (rate, inner) = product.sampled[0].0.as_sample()?;
            first(&Product::new([(inner, 1)]), method, budget)
                .and_then(|inner| Subsampled::new(rate.clone(), inner))
                .map(boxed)
        }
        _ => Mixture::of(product, budget)?.map(boxed),
    };
    Some(curve.and_then(|curve| with_failure(curve, product)))
}

/// All losses with their masses.
fn on_lattice(product: &Product, budget: &Budget) -> Option<Result<Box<dyn Curve>, Error>> {
    let families = product.families();
    match families.as_slice() {
        [Family::Finite] | [Family::Response, Family::Finite] => {
            Some(declined(finite(product, budget)).and_then(|curve| curve.map_or_else(|| lattice(product), Ok)))
        }
        _ if families.iter().any(|family| matches!(family, Family::Gaussian | Family::Laplace | Family::Sampled)) => {
            None
        }
        _ => Some(lattice(product)),
    }
}

/// The trapezoid rule, for whatever has a moment generating function; or only for what has one that decays, or a lattice, so
/// that it needs few nodes.
fn quadrature(product: &Product, method: Method, quick: bool) -> Option<Result<Box<dyn Curve>, Error>> {
    let curve = Quadrature::of(product)?.map(|curve| match method {
        Method::SecondContour => curve.on_second_contours(),
        _ => curve,
    });
    if quick && curve.as_ref().is_ok_and(|curve| !curve.is_quick()) {
        return None;
    }
    Some(curve.and_then(|curve| with_failure(boxed(curve), product)))
}

/// Have the losses no common lattice, or one of too many points?
fn too_fine(product: &Product) -> bool {
    Quadrature::of(product).is_some_and(|curve| curve.is_ok_and(|curve| !curve.is_quick()))
}

/// Losses rounded to a grid.
fn grid(product: &Product) -> Option<Result<Box<dyn Curve>, Error>> {
    Some(Grid::of(product)?.and_then(|curve| with_failure(boxed(curve), product)))
}

fn boxed(curve: impl Curve + 'static) -> Box<dyn Curve> {
    Box::new(curve)
}

/// What fails outright, put beside an engine that has no room for it.
fn with_failure(inner: Box<dyn Curve>, product: &Product) -> Result<Box<dyn Curve>, Error> {
    if product.failures.is_empty() { Ok(inner) } else { Ok(Box::new(WithFailure::new(inner, &product.failures)?)) }
}

/// Whatever has its losses on lattices with a common refinement.
fn lattice(product: &Product) -> Result<Box<dyn Curve>, Error> {
    let mut pairs = Vec::new();
    for (pair, times) in &product.lattice {
        pairs.extend(LatticePair::of(pair)?.map(|pair| (pair, *times)));
    }
    for (pair, times) in &product.finite {
        let pair = LatticePair::of(&Discrete::rational(pair.clone()))?.ok_or_else(|| {
            Error::undecided("the losses of a finite pair are not whole multiples of a common unit".to_string())
        })?;
        pairs.push((pair, *times));
    }
    for (sigma2, sensitivity, times) in &product.discrete_gaussian {
        pairs.push((LatticePair::discrete_gaussian(sigma2.clone(), (*sensitivity).into())?, *times));
    }
    // What does nothing but fail stands on any lattice.
    let unit = pairs.first().map_or_else(Real::one, |(pair, _)| pair.unit().clone());
    for Part { epsilon, delta, times } in &product.responses {
        pairs.push((LatticePair::response(epsilon.clone(), delta.clone(), &unit)?, *times));
    }
    if pairs.is_empty() {
        // Nothing leaks: all mass at loss zero.
        pairs.push((LatticePair::response(Real::zero(), Real::zero(), &unit)?, 1));
    }
    // All but finite pairs are their own mirror images, and so are their compositions.
    with_failure(boxed(Lattice::new(pairs, product.finite.is_empty())?), product)
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
                "finite pairs compose with (epsilon, delta) mechanisms only if e^epsilon and delta are rational, as with \
                 epsilon = ln(3/2); here epsilon = {epsilon}, delta = {delta}"
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
