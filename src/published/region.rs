//! Kairouz, Oh and Viswanath's region of optimal composition, in numbers and in formulas.

use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::print::{Region, formulas};
use enclosure::{Budget, Real};

/// Vertices `(epsilon, delta)` of the exact privacy region of a composition with a piecewise-linear trade-off function,
/// by decreasing epsilon. The exact region is the intersection of the (epsilon, delta)-DP regions of the vertices. They
/// are the vertices of the profile with `epsilon >= 0`, each with its smallest delta to `digits` digits. For an
/// asymmetric pair they are those of both directions, `min(f, f^-1)**`.
///
/// For k equal mechanisms the vertices are `((k-2i) epsilon, 1 - (1-delta)^k (1-delta_i))`, `i = 0, ..., floor(k/2)`,
/// `delta_i = sum over l < i of C(k,l) (x^(k-l) - x^(k-2i+l))/(1+x)^k`, `x = e^epsilon` (Kairouz, Oh, Viswanath,
/// Theorem 3.3; its text counts k regions, but the formula has `floor(k/2) + 1`). For different mechanisms they follow
/// from Murtagh and Vadhan, Theorem 1.5, at the sums `sum +-epsilon_i`.
///
/// ```
/// use dpcert::{Budget, Outcome, region};
///
/// let steps = "randomized-response(epsilon=ln(3/2))^4".parse()?;
/// let corners = region(&steps, 10, &Budget::default())?;
/// let Some((epsilon, Outcome::Exact(delta))) = corners.last() else { return Err("not exact".into()) };
/// assert_eq!((corners.len(), epsilon.to_string(), delta.to_string()), (3, "0".into(), "37/125".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Undefined`] for a trade-off function that is not piecewise linear or has too many vertices;
/// [`Error::Input`] for digits out of range; [`Error::Undecided`] if the budget runs out.
pub fn region(composition: &Composition, digits: u32, budget: &Budget) -> Result<Vec<(Real, Outcome)>, Error> {
    let mut corners = Vec::new();
    Region::new(composition.clone(), false, digits)?.pairs(budget, |pair| {
        corners.push((pair.epsilon, Outcome::of(pair.delta)));
        Ok::<(), Error>(())
    })?;
    Ok(corners)
}

/// The k-fold composition of an (epsilon, delta) mechanism for every epsilon at once: rational functions of `x =
/// e^epsilon` in lowest terms, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Formulas {
    /// `(m, delta)`: the composition is `(m epsilon, delta)`-DP, and the exact region is the intersection of these
    /// guarantees.
    pub region: Vec<(u32, String)>,
    /// The vertices `(alpha, beta)` of the composed trade-off function, from alpha = 0 to (1, 0).
    pub vertices: Vec<(String, String)>,
}

/// The k-fold composition of one (epsilon, delta) mechanism as rational functions of `x = e^epsilon`, for every epsilon
/// at once: the pairs of [`region`] (Kairouz, Oh, Viswanath, Theorem 3.3), and the vertices
/// `A_j = sum over l <= j of C(k,l) x^l/(1+x)^k`, `B_j = 1 - sum over l <= j of C(k,l) x^(k-l)/(1+x)^k` of the
/// trade-off function, both times `(1-delta)^k`.
///
/// ```
/// use dpcert::{Budget, symbolic};
///
/// let formulas = symbolic(&"randomized-response(epsilon=1)".parse()?, 2, &Budget::default())?;
/// assert_eq!(formulas.region, [(2, "0".to_string()), (0, "(x - 1)/(1+x)".to_string())]);
/// assert_eq!(formulas.vertices.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Input`] unless `mechanism` is one (epsilon, delta) mechanism with a rational delta, and for `times` above
/// 64; [`Error::Undecided`] if the budget runs out.
pub fn symbolic(mechanism: &Composition, times: u32, budget: &Budget) -> Result<Formulas, Error> {
    let found = formulas(mechanism, times, budget)?;
    Ok(Formulas {
        region: found.points.iter().map(|point| (point.times, point.total.to_string())).collect(),
        vertices: found.vertices.iter().map(|vertex| (vertex.alpha.to_string(), vertex.beta.to_string())).collect(),
    })
}
