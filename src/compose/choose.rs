//! Which engine for which composition. One place: a new engine is one more arm here; [`Method`] names the kinds of
//! engines, and each arm says to which kind it belongs.

use super::atoms::{self, Atoms};
use super::parts::{Family, Parts};
use super::{
    DiscreteGaussian, Gaussian, Geometric, Grid, Heterogeneous, Laplace, Lattice, LatticePair, Method, Mixture, Part,
    Quadrature, Subsampled, WithFailure,
};
use crate::alarm::declined;
use crate::curve::Curve;
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use enclosure::{Budget, Real};

/// Engines that one composition may be given to.
pub(super) const ENGINES: usize = 5;

/// The curve of a composition, by the first engine that takes it on, or by an engine of the kind that is asked for.
///
/// # Errors
/// [`Error::Undecided`] when no engine (of this kind) composes these mechanisms with each other within the budget; the
/// reason names them and says what would help.
pub fn curve(composition: &Composition, method: Method, budget: &Budget) -> Result<Box<dyn Curve>, Error> {
    let mut reason = None;
    for rank in 0..ENGINES {
        match engine(composition, method, rank, budget) {
            Some(Ok(curve)) => return Ok(curve),
            Some(Err(error)) if error.is_alarm() => return Err(error),
            // What one engine finds too large may be easy for another.
            Some(Err(error)) => reason = reason.or(Some(error)),
            None => {}
        }
    }
    Err(match reason {
        Some(reason) => reason,
        None => nobody_composes(composition)?,
    })
}

/// The engine of a rank, from exact to rounded; `None` if it is not for this composition, or there is none of this rank.
pub(super) fn engine(
    composition: &Composition,
    method: Method,
    rank: usize,
    budget: &Budget,
) -> Option<Result<Box<dyn Curve>, Error>> {
    if rank == 0
        && matches!(method, Method::Auto | Method::ClosedForm)
        && let Some(curve) = one_geometric(composition)
    {
        return Some(curve);
    }
    let parts = match Parts::of(composition).and_then(|parts| parts.affordable(budget).map(|()| parts)) {
        Ok(parts) => parts,
        Err(error) => return Some(Err(error)),
    };
    match method {
        Method::Auto => automatic(&parts, rank, budget),
        _ if rank == 0 => Some(by_name(&parts, method, budget)),
        _ => None,
    }
}

fn automatic(parts: &Parts, rank: usize, budget: &Budget) -> Option<Result<Box<dyn Curve>, Error>> {
    match rank {
        0 => exact(parts, budget),
        1 => quadrature(parts, Method::Auto, true),
        // A lattice that is too fine for the quadrature is too fine for arrays.
        2 if !too_fine(parts) => on_lattice(parts, budget),
        // It knows soon how many digits are out of its reach.
        3 => grid(parts),
        4 => quadrature(parts, Method::Auto, false),
        _ => None,
    }
}

fn by_name(parts: &Parts, method: Method, budget: &Budget) -> Result<Box<dyn Curve>, Error> {
    let (curve, needs) = match method {
        Method::ClosedForm => (
            closed_form(parts, method, budget),
            "Gaussian mechanisms alone, (epsilon, delta) mechanisms alone, one geometric mechanism run once, or Laplace \
             mechanisms of one scale, or one sample of one, alone or beside mechanisms with finitely many losses",
        ),
        Method::Lattice => (on_lattice(parts, budget), "mechanisms whose losses are whole multiples of a common unit"),
        Method::Grid => (grid(parts), "mechanisms whose losses can be put into cells"),
        Method::Auto | Method::Quadrature | Method::SecondContour => {
            (quadrature(parts, method, false), "mechanisms whose losses have a known moment generating function")
        }
    };
    curve.unwrap_or_else(|| Err(method.refuses(needs, &names(&parts.families()))))
}

/// That no engine takes a composition on.
pub(super) fn nobody_composes(composition: &Composition) -> Result<Error, Error> {
    let families = Parts::of(composition)?.families();
    Ok(Error::undecided(format!("no engine here composes {}", names(&families))))
}

/// The engine that is best for a single family, if there is one.
fn exact(parts: &Parts, budget: &Budget) -> Option<Result<Box<dyn Curve>, Error>> {
    match parts.families().as_slice() {
        [] | [Family::Kov] => Some(Heterogeneous::new(&parts.kov, budget).map(boxed)),
        [Family::DiscreteGaussian] if parts.discrete_gaussian.len() == 1 => {
            let (sigma2, sensitivity, times) = parts.discrete_gaussian[0].clone();
            Some(DiscreteGaussian::new(sigma2, sensitivity, times).and_then(|one| with_failure(boxed(one), parts)))
        }
        [Family::Lattice] | [Family::Kov, Family::Lattice] | [Family::Finite] | [Family::Kov, Family::Finite] => {
            on_lattice(parts, budget)
        }
        _ => closed_form(parts, Method::Auto, budget),
    }
}

/// Geometric noise run once has a formula for any sensitivity, however many losses that has. (At sensitivity 1 it is
/// randomised response.)
fn one_geometric(composition: &Composition) -> Option<Result<Box<dyn Curve>, Error>> {
    let (Mechanism::Geometric(noise), 1) = composition.single()? else { return None };
    let several = noise.sensitivity() > 1 && !noise.epsilon().is_zero();
    several.then(|| Geometric::new(noise.epsilon().clone(), noise.sensitivity()).map(boxed))
}

/// Formulas.
fn closed_form(parts: &Parts, method: Method, budget: &Budget) -> Option<Result<Box<dyn Curve>, Error>> {
    let curve = match parts.families().as_slice() {
        [] | [Family::Kov] => return Some(Heterogeneous::by_formula(&parts.kov, budget).map(boxed)),
        [Family::Gaussian] => Gaussian::new(parts.mu_squared.clone()).map(boxed),
        [Family::Laplace] if parts.laplace.len() == 1 => {
            let (shift, times) = parts.laplace[0].clone();
            Laplace::new(shift, times).map(boxed)
        }
        [Family::Sampled] if matches!(parts.sampled.as_slice(), [(_, 1)]) => {
            let (poisson, _) = &parts.sampled[0];
            curve(&Composition::from(poisson.inner().clone()), method, budget)
                .and_then(|inner| Subsampled::new(poisson.rate().clone(), inner))
                .map(boxed)
        }
        _ => Mixture::of(parts, budget)?.map(boxed),
    };
    Some(curve.and_then(|curve| with_failure(curve, parts)))
}

/// All losses with their masses.
fn on_lattice(parts: &Parts, budget: &Budget) -> Option<Result<Box<dyn Curve>, Error>> {
    let families = parts.families();
    match families.as_slice() {
        [Family::Finite] | [Family::Kov, Family::Finite] => {
            Some(declined(finite(parts, budget)).and_then(|curve| curve.map_or_else(|| lattice(parts), Ok)))
        }
        _ if families.iter().any(|family| matches!(family, Family::Gaussian | Family::Laplace | Family::Sampled)) => {
            None
        }
        _ => Some(lattice(parts)),
    }
}

/// The trapezoid rule, for whatever has a moment generating function; or only for what has one that decays, or a lattice, so
/// that it needs few nodes.
fn quadrature(parts: &Parts, method: Method, quick: bool) -> Option<Result<Box<dyn Curve>, Error>> {
    let curve = Quadrature::of(parts)?.map(|curve| match method {
        Method::SecondContour => curve.on_second_contours(),
        _ => curve,
    });
    if quick && curve.as_ref().is_ok_and(|curve| !curve.is_quick()) {
        return None;
    }
    Some(curve.and_then(|curve| with_failure(boxed(curve), parts)))
}

/// Have the losses no common lattice, or one of too many points?
fn too_fine(parts: &Parts) -> bool {
    Quadrature::of(parts).is_some_and(|curve| curve.is_ok_and(|curve| !curve.is_quick()))
}

/// Losses rounded to a grid.
fn grid(parts: &Parts) -> Option<Result<Box<dyn Curve>, Error>> {
    Some(Grid::of(parts)?.and_then(|curve| with_failure(boxed(curve), parts)))
}

fn boxed(curve: impl Curve + 'static) -> Box<dyn Curve> {
    Box::new(curve)
}

fn names(families: &[Family]) -> String {
    let names: Vec<_> = families.iter().map(|family| family.name()).collect();
    if names.is_empty() { "no mechanisms that leak".to_string() } else { names.join(" and ") }
}

/// What fails outright, put beside an engine that has no room for it.
fn with_failure(inner: Box<dyn Curve>, parts: &Parts) -> Result<Box<dyn Curve>, Error> {
    if parts.failures.is_empty() { Ok(inner) } else { Ok(Box::new(WithFailure::new(inner, &parts.failures)?)) }
}

/// Whatever has its losses on lattices with a common refinement.
fn lattice(parts: &Parts) -> Result<Box<dyn Curve>, Error> {
    let mut pairs = parts.lattice.clone();
    for (p, q, times) in &parts.finite {
        let pair = LatticePair::finite(p, q)?.ok_or_else(|| {
            Error::undecided("the losses of a finite pair are not whole multiples of a common unit".to_string())
        })?;
        pairs.push((pair, *times));
    }
    for (sigma2, sensitivity, times) in &parts.discrete_gaussian {
        pairs.push((LatticePair::discrete_gaussian(sigma2.clone(), sensitivity.clone())?, *times));
    }
    let unit = pairs.first().map(|(pair, _)| pair.unit().clone());
    for part in &parts.kov {
        let pair = if part.epsilon.is_zero() {
            // Nothing but failure: on any lattice.
            LatticePair::two_points(unit.clone().unwrap_or_else(Real::one), 0, part.delta.clone())?
        } else {
            LatticePair::randomized_response(part.epsilon.clone(), part.delta.clone())?
        };
        pairs.push((pair, part.times));
    }
    if pairs.is_empty() {
        // Nothing leaks: all mass at loss zero.
        pairs.push((LatticePair::two_points(Real::one(), 0, Real::zero())?, 1));
    }
    // All but finite pairs are their own mirror images, and so are their compositions.
    with_failure(boxed(Lattice::new(pairs, parts.finite.is_empty())?), parts)
}

/// Finite pairs, with (epsilon, delta) mechanisms that are finite pairs of rationals themselves.
fn finite(parts: &Parts, budget: &Budget) -> Result<Box<dyn Curve>, Error> {
    let mut factors = Vec::new();
    for (p, q, times) in &parts.finite {
        factors.push(atoms::Factor::new(p.clone(), q.clone(), *times)?);
    }
    for Part { epsilon, delta, times } in &parts.kov {
        let (Some(x), Some(delta)) = (epsilon.exp_rational(), delta.as_rational()) else {
            return Err(Error::undecided(format!(
                "finite pairs compose with (epsilon, delta) mechanisms only if e^epsilon and delta are rational, as with \
                 epsilon = ln(3/2); here epsilon = {epsilon}, delta = {delta}"
            )));
        };
        let pair = crate::curve::FinitePair::approximate_dp(&x, delta)?;
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
