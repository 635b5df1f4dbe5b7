//! Listed losses beside Laplace noise of one scale that is run many times.
//!
//! The noise is a table of polynomials between its knots ([`Cells`]), in which a value takes a dozen products; the
//! formula for it takes the square of the number of runs. The sum is that of `roots`. Paper proof:
//! `proofs/paper/listed.md`, (4).

use super::listing::Listings;
use super::roots::Roots;
use crate::compose::by_sum::Summed;
use crate::compose::choose::Refusal;
use crate::compose::laplace::Cells;
use crate::error::Error;
use crate::pair::Product;
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Note, Number, Real};

/// Losses that are listed at most.
const MOST_LOSSES: u64 = 1 << 17;

/// Listed losses beside one scale of Laplace noise.
pub struct ManyLaplace {
    roots: Roots,
    cells: Cells,
    symmetric: bool,
}

impl ManyLaplace {
    /// The curve of this product, failures left aside.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] unless it has Laplace noise of one scale beside discrete losses; what says so for more
    /// runs or losses than are taken on.
    pub(super) fn of(product: &Product, budget: &Budget) -> Result<Self, Refusal> {
        let [(shift, times)] = product.laplace.as_slice() else { return Err(Refusal::OtherKind) };
        let rest = Product { laplace: Vec::new(), failures: Vec::new(), ..product.clone() };
        if rest.families().is_empty() {
            return Err(Refusal::OtherKind);
        }
        let roots = Roots::of(Listings::of(&rest, MOST_LOSSES, budget)?);
        let cells = Cells::new(shift.clone(), *times)?;
        Ok(ManyLaplace { roots, cells, symmetric: product.symmetric() })
    }
}

impl Summed for ManyLaplace {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn sum(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        // Few precisions, so that lists and tables serve many questions.
        let bits = bits.div_ceil(32).saturating_mul(32);
        let wide = bits.saturating_add(64);
        let at = epsilon.enclosure(wide);
        let ends = self.cells.ends(wide);
        let known = self.roots.around(&at, &ends, (backward, bits), budget)?;
        // The roots with e^(eps/2) are at most e^(t/2): so much larger may the sum be.
        let more = ends[1].upper().to_f64().clamp(0.0, 1e6);
        let value = self.cells.value(bits.saturating_add(more as u32 + 16), budget)?;
        let mut sum = Enclosure::zero(wide);
        for (t, root) in &known.between {
            budget.check()?;
            sum = &sum + &(root * &value(t));
        }
        Ok((&known.beyond + &(&known.scale * &sum)).positive_part())
    }

    fn infinite(&self, backward: bool, bits: u32) -> Number {
        self.roots.listings().laws().infinite(backward).both(bits, 0).0
    }

    fn what(&self) -> &'static str {
        "profile of listed losses beside cells of Laplace noise"
    }

    fn method(&self) -> &'static str {
        "listed losses beside Laplace noise in polynomials between its knots"
    }

    fn statement(&self) -> &'static Statement {
        &statement::LISTED
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("listed loss distributions", self.roots.listings().laws().count())]
    }
}
