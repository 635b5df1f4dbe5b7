//! Laplace noise, or one sample of it, beside one more law without atoms: the profile of the one integrated over the
//! other's loss.
//!
//! With (A, A') the Laplace noise or a sample of it, L its loss, and g the profile of the other pair, Gaussian or
//! Laplace noise, or a sample of it,
//!
//! ```text
//! forward    delta(eps) = E_A [g(eps - L)]     = two atoms + int a(l) g(eps - L(l)) dl
//! backward   delta(eps) = E_A'[g'(eps + L)]    = two atoms + int a'(l) g'(eps + L(l)) dl
//! ```
//!
//! L is bounded, its density is elementary, and g is analytic but at two knots at most: so the integral is one of
//! Taylor polynomials with a proven remainder on few pieces.
//!
//! | file | does |
//! |---|---|
//! | `kernel` | g, and where its knots are |
//! | `spread` | atoms and density, and the integral |
//!
//! **What is certified**: enclosures of the values of g, of the density, and of their Taylor coefficients over whole
//! pieces (`enclosure::taylor`). Paper proof: `proofs/paper/integral.md`. **Why it ends.** A bounded number of halvings
//! of each piece; what is left stays in the enclosure.

mod kernel;
mod spread;
#[cfg(test)]
mod tests;

use self::kernel::Kernel;
use self::spread::{Atom, Spread};
use super::Method;
use super::by_sum::Summed;
use super::choose::{Refusal, curve_of};
use crate::curve::{Curve, Direction};
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Note, Real};

/// Laplace noise or a sample of it, beside one more noise or sample.
pub struct Integral {
    spread: Spread,
    kernel: Kernel,
    /// Of the kernel.
    inner: Box<dyn Curve>,
    symmetric: bool,
}

/// The factors of a product that are run once, none of which has atoms alone; `None` if there are others.
fn factors(product: &Product) -> Option<Vec<Product>> {
    let mut all = Vec::new();
    for (pair, times) in &product.sampled {
        if *times != 1 || !matches!(pair, Pair::Sample { .. }) {
            return None;
        }
        all.push(Product { sampled: vec![(pair.clone(), 1)], ..Product::default() });
    }
    for (shift, times) in &product.laplace {
        for _ in 0..(*times).min(3) {
            all.push(Product { laplace: vec![(shift.clone(), 1)], ..Product::default() });
        }
    }
    if !product.mu_squared.is_zero() {
        all.push(Product { mu_squared: product.mu_squared.clone(), ..Product::default() });
    }
    let discrete = product.discrete_gaussian.is_empty()
        && product.lattice.is_empty()
        && product.finite.is_empty()
        && product.responses.is_empty();
    (discrete && product.derived.is_empty()).then_some(all)
}

/// The spread that a factor is.
fn as_spread(factor: &Product) -> Option<Spread> {
    match (factor.laplace.as_slice(), factor.sampled.as_slice()) {
        ([(shift, 1)], []) => Spread::of(&Pair::Laplace { shift: shift.clone() }),
        ([], [(pair, 1)]) => Spread::of(pair),
        _ => None,
    }
}

/// The kernel that a factor is.
fn as_kernel(factor: &Product) -> Option<Kernel> {
    match (factor.laplace.as_slice(), factor.sampled.as_slice()) {
        ([(shift, 1)], []) => Kernel::of(&Pair::Laplace { shift: shift.clone() }),
        ([], [(pair, 1)]) => Kernel::of(pair),
        ([], []) => Some(Kernel::gaussian(factor.mu_squared.clone())),
        _ => None,
    }
}

impl Integral {
    /// The curve of this product, failures left aside.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] unless it is of two such factors.
    pub(super) fn of(product: &Product, budget: &Budget) -> Result<Self, Refusal> {
        let all = factors(product).ok_or(Refusal::OtherKind)?;
        let [first, second] = all.as_slice() else { return Err(Refusal::OtherKind) };
        for (outer, beside) in [(first, second), (second, first)] {
            if let (Some(spread), Some(kernel)) = (as_spread(outer), as_kernel(beside)) {
                let inner = curve_of(beside, Method::Auto, budget)?;
                return Ok(Integral { spread, kernel, inner, symmetric: product.symmetric() });
            }
        }
        Err(Refusal::OtherKind)
    }
}

impl Summed for Integral {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// The sum of the header.
    fn sum(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let direction = if backward { Direction::Backward } else { Direction::Forward };
        let inside = budget.under("rest of the composition");
        let wide = bits.saturating_add(32);
        let mut sum = self.spread.integral(&self.kernel, &epsilon.enclosure(wide), backward, bits, budget)?;
        // A constant that grows too large is no fault of the question.
        let atoms = self.spread.atoms().map_err(|error| match error {
            Error::Input(message) => Error::undecided(message),
            other => other,
        })?;
        for Atom { loss, p, q } in atoms {
            let (at, mass) = if backward { (epsilon.add(&loss), q) } else { (epsilon.sub(&loss), p) };
            let value = self.inner.delta(&at, direction, bits, &inside)?.enclosure(wide);
            sum = &sum + &(&mass.enclosure(wide) * &value);
        }
        Ok(sum)
    }

    fn tries(&self) -> u32 {
        4
    }

    fn what(&self) -> &'static str {
        "profile by an integral over one loss"
    }

    fn method(&self) -> &'static str {
        "an integral over the loss of Laplace noise"
    }

    fn statement(&self) -> &'static Statement {
        &statement::INTEGRAL
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("rest of the composition", self.inner.method())]
    }
}
