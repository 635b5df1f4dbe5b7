//! Whether an answer is exact or a bound for the mechanism that an expression describes.
//!
//! Every method computes a number of one pair (P, Q). The number is *exact* for the mechanism if two neighbouring data
//! sets have the output distributions P and Q. It is a *bound* if the pair only dominates the mechanism: every pair of
//! neighbours is at least as private as (P, Q), and possibly more private. Only [`Mechanism::standing`] decides which
//! of both holds. A new mechanism does not compile without an arm there.

use super::{Argument, Composition, Entry, Mechanism, Poisson};
use crate::pair::symmetric;

/// Relation between the pair of a composition and the described mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Two neighbouring data sets have these two distributions.
    Realised,
    /// The curve is that of both orders of a pair that neighbours realise: the larger profile, and the trade-off
    /// function `min(f, f^-1)**`. No one order has the whole curve.
    ///
    /// In the worst direction that is what the pair itself is asked for, so that numbers of the curve are exact: delta,
    /// epsilon, beta, the largest loss, the Bayes risk, the conjugate and the best mu. Other divergences of the curve
    /// may exceed those of both orders, and each order alone is at least as private.
    WorstOrder(Cause),
    /// Every pair of neighbours is at least as private as this pair.
    Dominates(Cause),
}

/// Why a pair only dominates the mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A guarantee covers every mechanism that satisfies it.
    Guarantee,
    /// Shifted interpolation bounds the last iterate.
    ShiftedInterpolation,
    /// Clones bound the shuffled reports of every local mechanism.
    Clones,
    /// Stronger clones bound the shuffled reports of a class of local mechanisms.
    StrongerClones,
    /// The chain of a group is the worst one of all mechanisms whose links this pair bounds in both orders.
    Group,
    /// The same, of links that all go one way.
    OneWayGroup,
    /// The curve of a sample of fixed size covers both orders of the neighbours.
    FixedSize,
    /// The hull covers both orders of the neighbours.
    Hull,
    /// The larger one of both orders bounds what is f-DP in both of them.
    Symmetrized,
}

impl Cause {
    /// Why the pair bounds the mechanism, with the source of the bound.
    pub fn reason(self) -> &'static str {
        match self {
            Cause::Guarantee => "the bound holds for every mechanism that satisfies the guarantee",
            Cause::ShiftedInterpolation => {
                "the last iterate is at least as private as this pair (shifted interpolation, Bok, Su, Altschuler 2024)"
            }
            Cause::Clones => {
                "the shuffled reports of every epsilon0-private local mechanism are at least as private as this pair \
                 (Feldman, McMillan, Talwar 2022)"
            }
            Cause::StrongerClones => {
                "shuffled reports of randomized response, and of other local mechanisms in the class of the erratum of \
                 Feldman, McMillan, Talwar 2023, are at least as private as this pair; `shuffle-clones` bounds every \
                 local mechanism"
            }
            Cause::Group => {
                "a group is at least as private as this pair, the worst chain of neighbours of any mechanism whose \
                 trade-off function is at least min(f, f^-1)** (Dong, Roth, Su, Theorem 2.14)"
            }
            Cause::OneWayGroup => {
                "a group of records that are all added, or all removed, is at least as private as this pair, the worst \
                 such chain (Dong, Roth, Su, Theorem 2.14); other groups may be less private"
            }
            Cause::FixedSize => {
                "each direction is at least as private as this pair, which covers both (Dong, Roth, Su, Theorem 4.2)"
            }
            Cause::Hull => "each direction is at least as private as this pair, which covers both",
            Cause::Symmetrized => {
                "every mechanism that is f-DP in both directions is at least as private as this pair (Dong, Roth, Su, \
                 Proposition 2.4)"
            }
        }
    }
}

impl Standing {
    /// The same as a part of something larger, where the two orders no longer stand apart.
    fn inside(self) -> Self {
        match self {
            Standing::WorstOrder(cause) => Standing::Dominates(cause),
            other => other,
        }
    }

    /// Of two parts together: realised only if both are. A guarantee is named before other causes.
    fn and(self, other: Self) -> Self {
        match (self.inside(), other.inside()) {
            (first, Standing::Realised) => first,
            (Standing::Realised, second) | (_, second @ Standing::Dominates(Cause::Guarantee)) => second,
            (first, _) => first,
        }
    }
}

impl Mechanism {
    /// How the pair of one run stands to the mechanism.
    ///
    /// **Realised.**
    ///
    /// * *Noise* (`gaussian`, `laplace`, `geometric`, `staircase`, `discrete-gaussian`): a query that moves by its
    ///   whole sensitivity has the pair. *Responses* and `finite` are their own pairs.
    /// * *Names of the worst pair of a class* (`approx-dp`, `gdp`, `trade-off`, `profile`): the pair is a mechanism of
    ///   its class, and none in the class is less private. The name means this mechanism.
    /// * `shuffle` with three or more `categories`: k-ary randomized response of a record that has one of two answers,
    ///   while all others have a third. The counts of the two answers are exactly (P, Q).
    /// * `poisson`: a mechanism whose output is P with the record in the sample and Q without it.
    /// * `mixture`: the index is visible by definition. Every part has to be realised.
    /// * `inverse`: the same neighbours in the opposite direction.
    ///
    /// **The worse order.**
    ///
    /// * `hull(M)` has `min(f, f^-1)**`. Neighbours have f in one order and `f^-1` in the other.
    /// * `subsample(rate, M)` has the hull of `f_rate` and its inverse (Dong, Roth, Su, Theorem 4.2). Neighbours differ
    ///   by the replacement of a record. Where a sample without the record has the distribution Q, they have `f_rate`
    ///   in one order and its inverse in the other. At rate 0 and 1 there is nothing to cover.
    ///
    /// **Dominates.**
    ///
    /// * *Guarantees* (`pure-dp`, `f-dp`, `zcdp`, `rdp`, `cdp`) cover every mechanism that satisfies them.
    /// * `noisy-cgd`, `noisy-gd` and `noisy-sgd` bound the last iterate (Bok, Su, Altschuler 2024). With contraction 0
    ///   the iterate forgets all steps but the last, and the bound is strict.
    /// * `shuffle` with two categories is the pair of the stronger clones, which shows how many of the other reports
    ///   are clones. That is more than the shuffled reports of randomised response show. It bounds the local mechanisms
    ///   of a class (`proofs/axioms.md`). `shuffle-clones` has a larger bound, of every local mechanism.
    /// * `group(k, M)` and `group-one-way(k, M)` are the best bounds of all f-DP mechanisms, but a group of M itself
    ///   may be more private. For samples it bounds user-level training. It is realised for `k = 0`, where nothing is
    ///   shown, for `k = 1`, which is M, and where M is one query with noise whose group is the same noise moved k
    ///   times as far ([`is_moved`]).
    /// * `symmetrize(M)` bounds what is f-DP in both orders.
    ///
    /// Where M is its own inverse `hull` and `symmetrize` change nothing. What is made of a pair that only dominates
    /// dominates too: samples, groups, mixtures, products and both orders are more private if what is inside is.
    pub(crate) fn standing(&self) -> Standing {
        match self {
            Mechanism::Gaussian(_)
            | Mechanism::Laplace(_)
            | Mechanism::Geometric(_)
            | Mechanism::Staircase(_)
            | Mechanism::DiscreteGaussian(_)
            | Mechanism::RandomizedResponse(_)
            | Mechanism::KRandomizedResponse(_)
            | Mechanism::Finite(_)
            | Mechanism::ApproxDp(_)
            | Mechanism::Gdp(_)
            | Mechanism::TradeOffPoints(_)
            | Mechanism::ProfilePoints(_) => Standing::Realised,
            Mechanism::PureDp(_) | Mechanism::FDp(_) | Mechanism::Zcdp(_) | Mechanism::Rdp(_) | Mechanism::Cdp(_) => {
                Standing::Dominates(Cause::Guarantee)
            }
            Mechanism::NoisyCgd(_) => Standing::Dominates(Cause::ShiftedInterpolation),
            Mechanism::Shuffle(shuffle) if shuffle.categories() >= 3 => Standing::Realised,
            Mechanism::Shuffle(_) => Standing::Dominates(Cause::StrongerClones),
            Mechanism::ShuffleClones(_) => Standing::Dominates(Cause::Clones),
            Mechanism::Poisson(sample) => sample.inner().standing().inside(),
            Mechanism::Mixture(mixture) => {
                mixture.parts().fold(Standing::Realised, |all, (_, part)| all.and(part.standing()))
            }
            Mechanism::Inverse(inverse) => inverse.inner().standing(),
            Mechanism::Group(group) => chain(group.parts(), Cause::Group),
            Mechanism::GroupOneWay(group) => chain(group.parts(), Cause::OneWayGroup),
            Mechanism::Subsample(sample) => {
                let trivial = sample.rate().is_zero() || *sample.rate() == enclosure::Real::one();
                covering(sample.inner().standing(), trivial, Cause::FixedSize)
            }
            Mechanism::Hull(hull) => covering(hull.inner().standing(), is_symmetric(hull.inner()), Cause::Hull),
            Mechanism::Symmetrize(larger) if is_symmetric(larger.inner()) => larger.inner().standing(),
            Mechanism::Symmetrize(larger) => larger.inner().standing().and(Standing::Dominates(Cause::Symmetrized)),
        }
    }
}

/// Why a composition inside these arguments is only a bound, if it is rewritten: several mechanisms on one Poisson
/// sample become one finite pair, which does not record where it came from.
pub(super) fn rewritten(entry: &Entry, given: &[(String, Argument)]) -> Option<Cause> {
    if entry.name != Poisson::ENTRY.name {
        return None;
    }
    given.iter().find_map(|(_, argument)| match argument {
        Argument::Mechanism(inner) if !matches!(inner.single(), Some((_, 1))) => match inner.standing().inside() {
            Standing::Dominates(cause) | Standing::WorstOrder(cause) => Some(cause),
            Standing::Realised => None,
        },
        _ => None,
    })
}

/// Standing of the ends of a chain of k neighbours.
fn chain((k, inner): (u64, &Composition), cause: Cause) -> Standing {
    match k {
        // Both data sets are the same.
        0 if !inner.has_guarantee() => Standing::Realised,
        1 => inner.standing(),
        _ if is_moved(inner) => inner.standing(),
        _ => inner.standing().and(Standing::Dominates(cause)),
    }
}

/// Standing of a curve that covers both directions of the composition inside.
fn covering(inner: Standing, is_same: bool, cause: Cause) -> Standing {
    match inner {
        _ if is_same => inner,
        Standing::Realised => Standing::WorstOrder(cause),
        other => other.inside(),
    }
}

/// Is the composition known to be its own inverse?
fn is_symmetric(composition: &Composition) -> bool {
    composition.pairs().is_ok_and(|pairs| symmetric(&pairs))
}

/// Is the group of this composition the same noise on a query that moves k times as far?
///
/// With `F(t) = P(Y > t)` a test by the threshold t has the errors of a point on f wherever the likelihood ratio of two
/// shifts rises with the output, so that `1 - f` carries `F(t)` to `F(t - d)`, d the shift, and its k-th power carries
/// it to `F(t - kd)`. That is the trade-off function of the shift kd, whose likelihood ratio rises, too. It rises for
/// log-concave noise (Gaussian, Laplace, geometric, discrete Gaussian; on a lattice between thresholds both sides are
/// straight), and for staircase noise moved by whole steps: the number of steps to the centre does not fall with the
/// distance, and the difference of both numbers is constant outside of the two centres.
///
/// Of several queries only Gaussian noise has one direction that decides: a product of Gaussians is one Gaussian. For
/// two queries with Laplace noise the power of the curve is not the curve of a shift.
fn is_moved(composition: &Composition) -> bool {
    if only_gaussian(composition) {
        return true;
    }
    match composition.single() {
        Some((Mechanism::Group(group), 1)) => is_moved(group.parts().1),
        Some((Mechanism::GroupOneWay(group), 1)) => is_moved(group.parts().1),
        Some((mechanism, 1)) => matches!(
            mechanism,
            Mechanism::Laplace(_) | Mechanism::Geometric(_) | Mechanism::Staircase(_) | Mechanism::DiscreteGaussian(_)
        ),
        _ => false,
    }
}

/// Is all noise of it Gaussian, groups of Gaussian noise included?
fn only_gaussian(composition: &Composition) -> bool {
    composition.factors().iter().all(|(mechanism, _)| match mechanism {
        Mechanism::Gaussian(_) | Mechanism::Gdp(_) | Mechanism::NoisyCgd(_) => true,
        Mechanism::Group(group) => only_gaussian(group.parts().1),
        Mechanism::GroupOneWay(group) => only_gaussian(group.parts().1),
        _ => false,
    })
}

impl Composition {
    /// How the pair of the whole composition stands to what is described.
    ///
    /// A product of realised pairs is realised by independent runs on the same two data sets. A word of the text that
    /// bounds a mechanism by a composition, as `noisy-sgd` does, makes the whole a bound ([`Composition::only`]).
    pub(crate) fn standing(&self) -> Standing {
        let parts = match self.single() {
            Some((mechanism, 1)) => mechanism.standing(),
            _ => self.factors().iter().fold(Standing::Realised, |all, (mechanism, _)| all.and(mechanism.standing())),
        };
        match self.only() {
            Some(cause) => parts.and(Standing::Dominates(cause)),
            None => parts,
        }
    }
}
