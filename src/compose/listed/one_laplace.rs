//! Listed losses in two halves beside one Laplace mechanism: the profile of the noise is three exponentials.
//!
//! Run once, Laplace noise of shift c has the profile `0` at `u >= c`, `1 - e^((u-c)/2)` between `-c` and c, and
//! `1 - e^u` below. At an outcome of loss L with masses p and q, `u = eps - L` and `p e^(-L) = q`, `p e^(-L/2) = r`,
//! `r^2 = p q`, so
//!
//! ```text
//! delta(eps) = P(L > eps-c) - e^eps Q(L > eps+c) - e^((eps-c)/2) [R(L > eps-c) - R(L > eps+c)].
//! ```
//!
//! R multiplies for independent losses as P and Q do: so these are four tails of sums in two halves, each one walk
//! along both. Near a threshold the two forms meet, and a loss on the wrong side of it costs `|1 - e^(d/2)|` of its
//! mass, or less, at a distance d: at most d where `d <= 1/2`. Paper proof: `proofs/paper/listed.md`, (3).

use super::halves::{Halves, Masses};
use crate::alarm;
use crate::compose::by_profile::ByProfile;
use crate::compose::choose::Refusal;
use crate::compose::lattice::threshold_bits;
use crate::compose::meet_in_the_middle::adaptive;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::Product;
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Note, Number, Real};

/// Listed losses beside one Laplace mechanism.
pub struct OneLaplace {
    halves: Halves,
    shift: Real,
    symmetric: bool,
}

impl OneLaplace {
    /// The curve of this product, failures left aside.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] unless it has one Laplace mechanism, run once, beside discrete losses; what says so for
    /// more of them than are taken on.
    pub(super) fn of(product: &Product, budget: &Budget) -> Result<Self, Refusal> {
        let [(shift, 1)] = product.laplace.as_slice() else { return Err(Refusal::OtherKind) };
        let rest = Product { laplace: Vec::new(), failures: Vec::new(), ..product.clone() };
        if rest.families().is_empty() {
            return Err(Refusal::OtherKind);
        }
        let halves = Halves::of(&rest, budget)?;
        Ok(OneLaplace { halves, shift: shift.clone(), symmetric: product.symmetric() })
    }

    /// The header's formula, with so many bits after the point.
    pub(super) fn sum(
        &self,
        epsilon: &Real,
        backward: bool,
        fraction: u32,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let masses = self.halves.listed(backward, fraction, budget)?;
        let roots = self.halves.listed_masses(Masses::Roots, backward, fraction, budget)?;
        let wide = fraction.saturating_add(64);
        let (at, shift) = (epsilon.enclosure(wide), self.shift.enclosure(wide));
        let (low, high) = (&at - &shift, &at + &shift);
        let ((above, error), (beyond, more)) = (masses.tail(&low, budget)?, masses.tail(&high, budget)?);
        let (whole, part) = (roots.tail(&low, budget)?.0.p, roots.tail(&high, budget)?.0.p);
        let between = &low.shift(-1).exp() * &(&whole - &part);
        let shown = &(&above.p - &(&at.exp() * &beyond.q)) - &between;
        let wrong = (&error + &more).into_bounds().1;
        let zero = Enclosure::zero(wide);
        let wrong = Enclosure::new(wrong.clone(), wrong);
        alarm::not_negative(
            &(&shown + &(-&wrong).hull(&zero).hull(&wrong)),
            "profile of two halves beside Laplace noise",
        )
    }

    fn profile(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Number, Error> {
        adaptive(bits.saturating_add(8), threshold_bits(epsilon), budget, |fraction| {
            // Few precisions, so that lists serve many questions.
            let fraction = fraction.div_ceil(64).saturating_mul(64);
            self.sum(epsilon, backward, fraction, budget).map(Number::Enclosed)
        })
    }

    fn by_profile<T>(
        &self,
        direction: Direction,
        budget: &Budget,
        question: impl FnOnce(&ByProfile) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let backward = !self.symmetric && direction == Direction::Backward;
        let side = |reversed: bool| !self.symmetric && backward != reversed;
        // The mass at infinity is in the profile.
        let finite = |at: &Real, reversed: bool, bits: u32| {
            Ok(self.profile(at, side(reversed), bits, budget)?.enclosure(bits.saturating_add(32)))
        };
        question(&ByProfile { finite: &finite, infinite: &|_, _| Number::zero() })
    }
}

impl Curve for OneLaplace {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// The header's formula, at any real epsilon. See [`Edges`](crate::compose::Edges) for what is not asked, here and
    /// below.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = !self.symmetric && direction == Direction::Backward;
        self.profile(epsilon, backward, bits, budget)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.by_profile(direction, budget, |profile| profile.epsilon(delta, bits, budget)).map(Value::Finite)
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.by_profile(direction, budget, |profile| profile.beta(alpha, bits, budget)).map(Number::Enclosed)
    }

    fn method(&self) -> &'static str {
        "enumeration of listed losses beside one Laplace mechanism"
    }

    fn statement(&self) -> &'static Statement {
        &statement::LISTED
    }

    fn explain(&self) -> Vec<Note> {
        self.halves.explain()
    }
}
