//! Exact composition of finite pairs with rational masses.
//!
//! **Certified results.** The composed pair is stored exactly, one atom for each likelihood ratio, with integer masses
//! under P and under Q. Equal ratios are recognised exactly (`ratios`). So at a rational point (`e^epsilon`, delta or
//! alpha) the answer is an exact rational number. At any other point it is an enclosure: a search compares the exact
//! ratios with an enclosure of the point, to find the atom at which the test splits. If the precision does not decide
//! this, all candidates are evaluated. Each of them is a lower bound on the supremum and one attains it, so their
//! maximum is the answer in every case.
//!
//! **Why it ends.** The atoms are finitely many and counted against [`Limits`] as they appear. Ratios of different
//! atoms are different rationals, so at growing precision at most one atom stays undecided, and then both candidates
//! agree to all bits. Proofs are in `proofs/paper/finite-pairs.md`.
//!
//! With `A_j`, `B_j` the masses under P and Q of the `j` atoms of largest ratio (those that Q never has included):
//! `delta(epsilon) = max_j (A_j - e^epsilon B_j)`, its inverse is `e^epsilon = max_j (A_j - delta)/B_j`, and the
//! trade-off function is the polyline through `(1 - A_j, B_j)`.

use std::borrow::Cow;
use std::cmp::Ordering;

use rug::{Integer, Rational};

use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::FinitePair;
use crate::statement::{self, Statement};
use enclosure::{AdaptivePrecision, Budget, Enclosure, Note, Number, Real};

mod masses;
mod ratios;
#[cfg(test)]
mod tests;

use masses::{Cap, Mass, Masses};
use ratios::Ratios;

/// A finite pair, with its number of runs.
#[derive(Clone, Debug)]
pub struct Factor {
    /// One draw.
    pub pair: FinitePair,
    /// How often.
    pub times: u64,
}

#[cfg(test)]
impl Factor {
    /// `times` draws of the pair (p, q).
    pub fn new(p: Vec<Rational>, q: Vec<Rational>, times: u64) -> Result<Self, Error> {
        Ok(Factor { pair: FinitePair::new(p, q)?, times })
    }
}

/// How large an exact composition may grow.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Different likelihood ratios.
    pub max_atoms: usize,
    /// Memory for the masses of the composition, in bytes. Intermediate results can take a few times as much.
    pub max_bytes: u64,
}

impl Default for Limits {
    /// Those of the default budget.
    fn default() -> Self {
        Limits::of(&Budget::default())
    }
}

impl Limits {
    /// Two million ratios, and half the memory of a budget. The other half is for intermediate results.
    pub fn of(budget: &Budget) -> Self {
        Limits { max_atoms: 2_000_000, max_bytes: budget.max_bytes() / 2 }
    }
}

/// A composition of finite pairs, exactly.
#[derive(Clone, Debug)]
pub struct Atoms {
    p_total: Integer,
    q_total: Integer,
    /// Masses of the first j atoms by decreasing P/Q, j = 0, 1, ...: under P from what Q never has up to `p_total`,
    /// under Q from 0 up to `q_total` less what P never has. Both lists have one entry more than there are atoms.
    p_tails: Vec<Integer>,
    q_tails: Vec<Integer>,
    symmetric: bool,
}

impl Atoms {
    /// Compose the factors. Without factors the result is the pair that reveals nothing.
    ///
    /// Fails with [`Error::Undecided`] if there are more atoms than `limits` allows, or time runs out.
    pub fn new(factors: &[Factor], limits: Limits, budget: &Budget) -> Result<Self, Error> {
        let ratios_of = |factor: &Factor| {
            let both = factor.pair.outcomes().filter(|(p, q)| !p.is_zero() && !q.is_zero());
            both.map(|(p, q)| Rational::from(p / q)).collect::<Vec<_>>()
        };
        let lists: Vec<_> = factors.iter().map(|factor| (ratios_of(factor), factor.times)).collect();
        let ratios = Ratios::new(&lists)?;
        let draws: Vec<_> = factors.iter().map(|factor| (Masses::of(factor, &ratios), factor.times)).collect();
        let cap = Cap::new(&draws, limits)?;
        let mut powers = draws.iter().map(|(draw, n)| draw.power(*n, &cap, budget)).collect::<Result<Vec<_>, _>>()?;
        // Small ones first, so that most products are small.
        powers.sort_by_key(|masses| masses.atoms.len());
        let composed = powers.iter().try_fold(Masses::unit(), |all, one| all.product(one, &cap, budget))?;
        drop(powers);
        budget.check()?;
        Ok(Self::from_masses(composed, &ratios))
    }

    fn from_masses(masses: Masses, ratios: &Ratios) -> Self {
        let Masses { p_total, q_total, atoms } = masses;
        let mut sorted: Vec<(ratios::FixedLog, Mass)> =
            atoms.into_iter().map(|(key, mass)| (ratios.log(key), mass)).collect();
        sorted.sort_unstable_by(|((log, error), (p, q)), ((other_log, other_error), (r, s))| {
            // Logarithms further apart than their errors are in order; the rest is for exact arithmetic.
            if log.saturating_sub(*other_log).saturating_abs() > error.saturating_add(*other_error) {
                other_log.cmp(log)
            } else {
                Integer::from(r * q).cmp(&Integer::from(p * s))
            }
        });
        let p_common: Integer = sorted.iter().map(|(_, (p, _))| p).sum();
        let mut p_tails = vec![(&p_total - p_common)];
        let mut q_tails = vec![Integer::new()];
        for (_, (mut p, mut q)) in sorted {
            if let (Some(a), Some(b)) = (p_tails.last(), q_tails.last()) {
                p += a;
                q += b;
            }
            p_tails.push(p);
            q_tails.push(q);
        }
        let mut result = Atoms { p_total, q_total, p_tails, q_tails, symmetric: false };
        result.symmetric = result.is_symmetric();
        result
    }

    /// How many different finite likelihood ratios there are.
    pub fn len(&self) -> usize {
        self.p_tails.len() - 1
    }

    /// The profile at `x = e^epsilon > 0`, exactly; `Worst` is the larger of both directions.
    pub fn delta_at(&self, x: &Rational, direction: Direction) -> Result<Rational, Error> {
        if x.cmp0().is_le() {
            return Err(Error::Undefined(format!("e^epsilon must be positive, not {x}")));
        }
        let values = self.views(direction).map(|view| {
            let (numer, denom) = (x.numer(), x.denom());
            // p/p_total > x q/q_total
            let (left, right) = (Integer::from(view.second_total() * denom), Integer::from(view.first_total() * numer));
            let taken = view.partition(|_, p, q| Integer::from(p * &left) > Integer::from(q * &right));
            view.first_share(taken) - view.second_share(taken) * x
        });
        Ok(values.max().unwrap_or_default())
    }

    /// `e^epsilon` for the least `epsilon >= 0` with profile at most `delta` in [0, 1], exactly; `None` if it is
    /// infinite. `Worst` is the larger of both directions.
    pub fn exp_epsilon(&self, delta: &Rational, direction: Direction) -> Result<Option<Rational>, Error> {
        if delta.cmp0().is_lt() || *delta > 1 {
            return Err(Error::Undefined(format!("delta must be between 0 and 1, not {delta}")));
        }
        let mut worst = Rational::from(1);
        for view in self.views(direction) {
            if view.first_share(0) > *delta {
                return Ok(None);
            }
            // The profile at the ratio of atom j is A_j - (p_j/q_j) B_j; it is at most delta for the first atoms.
            let units = Integer::from(view.first_total() * delta.numer());
            let taken = view.partition(|j, p, q| {
                let profile = Integer::from(&*view.first(j) * q) - Integer::from(&*view.second(j) * p);
                profile * delta.denom() <= Integer::from(&units * q)
            });
            // Between that atom and the next the profile is A - x B. With no atom, delta is 1.
            if taken > 0 {
                worst = worst.max((view.first_share(taken) - delta) / view.second_share(taken));
            }
        }
        Ok(Some(worst))
    }

    /// The trade-off function at `alpha` in [0, 1], exactly; `Worst` is the smaller of both directions.
    pub fn beta_at(&self, alpha: &Rational, direction: Direction) -> Result<Rational, Error> {
        if alpha.cmp0().is_lt() || *alpha > 1 {
            return Err(Error::Undefined(format!("alpha must be between 0 and 1, not {alpha}")));
        }
        let accepted = Rational::from(1 - alpha);
        let values = self.views(direction).map(|view| {
            if accepted <= view.first_share(0) {
                return Rational::new();
            }
            let units = Rational::from(&accepted * view.first_total());
            let whole = view.partition(|j, _, _| *view.first(j) <= units);
            let rest = &accepted - view.first_share(whole);
            if rest.is_zero() {
                return view.second_share(whole);
            }
            let (p, q) = view.shares(whole + 1);
            view.second_share(whole) + rest * q / p
        });
        Ok(values.min().unwrap_or_default())
    }

    fn is_symmetric(&self) -> bool {
        let (forward, backward) = (View { atoms: self, swapped: false }, View { atoms: self, swapped: true });
        let common = Integer::from(self.p_total.gcd_ref(&self.q_total));
        let (p_unit, q_unit) = (Integer::from(&self.p_total / &common), Integer::from(&self.q_total / &common));
        // Equal shares of P and of Q; mostly both units are 1.
        let same = |p: &Integer, q: &Integer| Integer::from(p * &q_unit) == Integer::from(q * &p_unit);
        (0..=self.len())
            .all(|j| same(&forward.first(j), &backward.first(j)) && same(&backward.second(j), &forward.second(j)))
    }

    fn views(&self, direction: Direction) -> impl Iterator<Item = View<'_>> {
        let (forward, backward) = match direction {
            Direction::Worst => (true, !self.symmetric),
            Direction::Forward => (true, false),
            Direction::Backward => (false, true),
        };
        let views = [forward.then_some(false), backward.then_some(true)];
        views.into_iter().flatten().map(|swapped| View { atoms: self, swapped })
    }
}

/// The composition seen in one direction: `first` is P or Q, `second` the other; atoms `1, ..., n` by decreasing
/// first/second.
#[derive(Clone, Copy)]
struct View<'a> {
    atoms: &'a Atoms,
    swapped: bool,
}

impl<'a> View<'a> {
    fn first_total(&self) -> &'a Integer {
        if self.swapped { &self.atoms.q_total } else { &self.atoms.p_total }
    }

    fn second_total(&self) -> &'a Integer {
        if self.swapped { &self.atoms.p_total } else { &self.atoms.q_total }
    }

    /// The mass of the first `j` atoms under the first distribution, with what the second never has.
    fn first(&self, j: usize) -> Cow<'a, Integer> {
        if self.swapped {
            Cow::Owned(Integer::from(&self.atoms.q_total - &self.atoms.q_tails[self.atoms.len() - j]))
        } else {
            Cow::Borrowed(&self.atoms.p_tails[j])
        }
    }

    /// Their mass under the second.
    fn second(&self, j: usize) -> Cow<'a, Integer> {
        if self.swapped {
            Cow::Owned(Integer::from(&self.atoms.p_total - &self.atoms.p_tails[self.atoms.len() - j]))
        } else {
            Cow::Borrowed(&self.atoms.q_tails[j])
        }
    }

    fn first_share(&self, j: usize) -> Rational {
        Rational::from((self.first(j).into_owned(), self.first_total().clone()))
    }

    fn second_share(&self, j: usize) -> Rational {
        Rational::from((self.second(j).into_owned(), self.second_total().clone()))
    }

    /// The masses of atom `j >= 1` in units.
    fn mass(&self, j: usize) -> Mass {
        (Integer::from(&*self.first(j) - &*self.first(j - 1)), Integer::from(&*self.second(j) - &*self.second(j - 1)))
    }

    fn shares(&self, j: usize) -> (Rational, Rational) {
        let (p, q) = self.mass(j);
        (Rational::from((p, self.first_total().clone())), Rational::from((q, self.second_total().clone())))
    }

    /// How many atoms satisfy a condition that holds for the first ones and then no more; it gets the atom's number
    /// and its masses.
    fn partition(&self, holds: impl Fn(usize, &Integer, &Integer) -> bool) -> usize {
        let (mut yes, mut no) = (0, self.atoms.len() + 1);
        while no - yes > 1 {
            let j = yes + (no - yes) / 2;
            let (p, q) = self.mass(j);
            if holds(j, &p, &q) {
                yes = j;
            } else {
                no = j;
            }
        }
        yes
    }

    /// The least and the largest possible answer of [`partition`](Self::partition), when `order` compares two values
    /// that decide the condition (`Greater`: it holds) and may be uncertain; `None` if there are too many in between.
    ///
    /// Uncertain comparisons need not be in order along the atoms, but both searches end between a true and a false
    /// answer: at `least` the condition certainly holds, after `most` it certainly does not, and its truth is in order.
    fn candidates(
        &self,
        order: impl Fn(usize, &Integer, &Integer) -> Option<Ordering>,
    ) -> Option<std::ops::RangeInclusive<usize>> {
        let least = self.partition(|j, p, q| order(j, p, q) == Some(Ordering::Greater));
        let most = self.partition(|j, p, q| order(j, p, q) != Some(Ordering::Less));
        (most - least <= 2).then_some(least..=most)
    }

    /// `first(j)` and `second(j)` as rounded shares.
    fn enclosed_shares(&self, j: usize, bits: u32) -> (Enclosure, Enclosure) {
        (quotient(&self.first(j), self.first_total(), bits), quotient(&self.second(j), self.second_total(), bits))
    }

    fn delta(&self, x: &Enclosure, bits: u32) -> Option<Number> {
        let scale = quotient(self.second_total(), self.first_total(), bits);
        let range = self.candidates(|_, p, q| (quotient(p, q, bits) * &scale).compare(x))?;
        let values = range.map(|j| {
            let share = self.first_share_if_free(j);
            share.unwrap_or_else(|| {
                let (first, second) = self.enclosed_shares(j, bits);
                Number::Enclosed((first - second * x).positive_part())
            })
        });
        values.reduce(|a, b| a.max(&b))
    }

    /// The share of the first distribution if the second has none there, so that the answer is exact.
    fn first_share_if_free(&self, j: usize) -> Option<Number> {
        (j == 0).then(|| Number::Exact(self.first_share(0)))
    }

    fn exp_epsilon(&self, delta: &Enclosure, bits: u32) -> Option<Number> {
        let range = self.candidates(|j, p, q| {
            let profile = Integer::from(&*self.first(j) * q) - Integer::from(&*self.second(j) * p);
            let units = Integer::from(self.first_total() * q);
            // The condition is "profile <= delta", so the order is turned around.
            delta.compare(&quotient(&profile, &units, bits))
        })?;
        // The first atom's profile is first(0), which is below delta: candidate 0 cannot be, not to speak of it alone.
        if *range.end() == 0 {
            return None;
        }
        let values = range.filter(|j| *j > 0).map(|j| {
            let (first, second) = self.enclosed_shares(j, bits);
            Number::Enclosed((first - delta) / second)
        });
        Some(values.fold(Number::one(), |a, b| a.max(&b)))
    }

    fn beta(&self, accepted: &Enclosure, bits: u32) -> Option<Number> {
        let order = |value: &Integer| accepted.compare(&quotient(value, self.first_total(), bits));
        if matches!(order(&self.first(0)), Some(Ordering::Less | Ordering::Equal)) {
            return Some(Number::zero());
        }
        let range = self.candidates(|j, _, _| order(&self.first(j)))?;
        let values = range.filter(|j| *j < self.atoms.len()).map(|j| {
            let (first, second) = self.enclosed_shares(j, bits);
            let (p, q) = self.mass(j + 1);
            let slope = quotient(&q, &p, bits) * quotient(self.first_total(), self.second_total(), bits);
            Number::Enclosed((second + (accepted - first) * slope).positive_part())
        });
        // No test accepts more than everything; alpha = 0 is rational and never gets here.
        values.reduce(|a, b| a.max(&b))
    }
}

/// `a/b` for a positive `b`.
fn quotient(a: &Integer, b: &Integer, bits: u32) -> Enclosure {
    Enclosure::integer(a, bits) / Enclosure::integer(b, bits)
}

/// Evaluate until `bits` relative bits are proven, or the precision budget is exhausted. An attempt that cannot
/// separate the candidates returns `None`.
fn settle(bits: u32, budget: &Budget, value: impl Fn(u32) -> Result<Option<Number>, Error>) -> Result<Number, Error> {
    AdaptivePrecision::new(bits, 32, budget).attempts(u32::MAX).run(value)
}

/// `ln r` of a rational `r >= 1`, with full relative accuracy near 1.
fn ln_number(value: &Number, bits: u32) -> Number {
    match value {
        Number::Exact(x) if *x <= 1 => Number::zero(),
        Number::Exact(x) if *x < 2 => Number::Enclosed(Enclosure::rational(&Rational::from(x - 1u32), bits).log1p()),
        Number::Exact(x) => Number::Enclosed(Enclosure::rational(x, bits).ln()),
        Number::Enclosed(x) => Number::Enclosed(x.ln().positive_part()),
    }
}

impl Curve for Atoms {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// `max_j (A_j - e^epsilon B_j)`: exact if `e^epsilon` is rational or no atom has a ratio above it.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if let Some(x) = epsilon.exp_rational() {
            return self.delta_at(&x, direction).map(Number::Exact);
        }
        let mut worst = Number::zero();
        for view in self.views(direction) {
            let value = settle(bits, budget, |bits| Ok(view.delta(&epsilon.exp_number(bits).enclosure(bits), bits)))?;
            worst = worst.max(&value);
        }
        Ok(worst)
    }

    /// `ln max_j (A_j - delta)/B_j`, at least 0; exact if it is 0. See [`Edges`](super::Edges) for what is not asked of
    /// an irrational point, here and below.
    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if let Some(delta) = delta.as_rational() {
            let x = self.exp_epsilon(delta, direction)?;
            return Ok(
                x.map_or(Value::Infinite, |x| Value::Finite(ln_number(&Number::Exact(x), bits.saturating_add(8))))
            );
        }
        let mut worst = Number::zero();
        for view in self.views(direction) {
            let value = settle(bits, budget, |bits| {
                Ok(view.exp_epsilon(&delta.enclosure(bits), bits).map(|x| ln_number(&x, bits)))
            })?;
            worst = worst.max(&value);
        }
        Ok(Value::Finite(worst))
    }

    /// The polyline through `(1 - A_j, B_j)`; exact for rational alpha.
    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if let Some(alpha) = alpha.as_rational() {
            return self.beta_at(alpha, direction).map(Number::Exact);
        }
        let mut least = Number::one();
        for view in self.views(direction) {
            let value = settle(bits, budget, |bits| {
                let accepted = Enclosure::one(bits) - alpha.enclosure(bits);
                Ok(view.beta(&accepted, bits))
            })?;
            least = least.min(&value);
        }
        Ok(least)
    }

    fn method(&self) -> &'static str {
        "exact composition of atoms"
    }

    fn explain(&self) -> Vec<Note> {
        let bits = self.p_total.significant_bits().max(self.q_total.significant_bits());
        vec![
            Note::new("different finite privacy losses", self.len()),
            Note::new("masses", format_args!("exact integers of up to {bits} bits")),
        ]
    }

    fn statement(&self) -> &'static Statement {
        &statement::FINITE_PAIRS
    }
}
