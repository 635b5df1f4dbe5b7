//! The optimal composition theorem for different (epsilon, delta)-DP mechanisms.
//!
//! Murtagh and Vadhan (Theorem 1.5): with `x_i = e^eps_i`,
//!
//! ```text
//! delta(eps) = 1 - prod (1-delta_i) [1 - prod 1/(1+x_i) sum_S (prod_{i in S} x_i - e^eps prod_{i not in S} x_i)_+].
//! ```
//!
//! That sum has 2^k terms, and computing it exactly is #P-complete in general. There are four methods, in this order of
//! preference. (1) All epsilons are equal: one binomial tail. (2) All epsilons are integer multiples of one unit with
//! few points on that lattice: a convolution, polynomial in the number of points. (3) There are few distinct sums: a
//! list, in exact rational numbers if the data are. (4) Two halves of up to 2^20 sums each: one merge along both.
//! Otherwise the result is undecided. Proofs are in `proofs/paper/heterogeneous.md`.
//!
//! For the certified results and termination see `kov.rs`, `lattice` and `meet_in_the_middle`, whose engines do the
//! work.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::ops::Pow;
use rug::{Integer, Rational};

use super::binomial::binomial_times_exp;
use super::exact_atoms::ExactAtoms;
use super::infinite_mass::InfiniteMass;
use super::kov::{Kov, below_zero, scaled_tradeoff};
use super::lattice::{Lattice, LatticePair, ln_of, threshold_bits};
use super::meet_in_the_middle::{Draws, Keyed, MeetInTheMiddle, Way, adaptive, fixed_or_refuse};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::Part;
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Need, Note, Number, Real, common_unit, signs};

/// Atoms of one half, at most.
const MOST_ATOMS: u64 = 1 << 20;
/// Lattice points, at most.
const MOST_POINTS: u64 = 1 << 18;
/// Outcomes that are listed in exact fractions.
const MOST_EXACT: u64 = 1 << 14;

/// The composition of (epsilon_i, delta_i)-DP mechanisms, at its worst.
#[derive(Clone)]
pub struct Heterogeneous {
    leak: InfiniteMass,
    /// Positive epsilons, equal ones together.
    groups: Vec<(Real, u64)>,
    /// Do all mechanisms have the same epsilon and the same delta?
    equal: bool,
    engine: Engine,
    /// Both halves by fraction bits.
    halved: Cache<u32, MeetInTheMiddle>,
    listed: Cache<(), Option<ExactAtoms>>,
}

#[derive(Clone)]
enum Engine {
    /// At most one distinct positive epsilon.
    Equal(Box<Kov>),
    /// Whole multiples of a unit.
    Lattice(Box<Lattice>),
    /// Groups of the first and of the second half.
    MeetInTheMiddle(Vec<(Real, u64)>, Vec<(Real, u64)>),
}

impl Heterogeneous {
    /// The composition of all parts.
    ///
    /// # Errors
    /// [`Error::Input`] if some epsilon is negative or some delta is not in [0, 1]; [`Error::Undecided`] if there are
    /// too many different sums of epsilons.
    pub fn new(parts: &[Part], budget: &Budget) -> Result<Self, Error> {
        Self::with(parts, true, budget)
    }

    /// The same by the sum of the theorem, its terms grouped and sorted but never convolved on a lattice.
    ///
    /// # Errors
    /// As [`new`](Self::new); more compositions have too many sums.
    pub fn by_formula(parts: &[Part], budget: &Budget) -> Result<Self, Error> {
        Self::with(parts, false, budget)
    }

    fn with(parts: &[Part], lattices: bool, budget: &Budget) -> Result<Self, Error> {
        let leak = InfiniteMass::new(parts.iter().map(|part| (&part.delta, part.times)))?;
        let mut groups: Vec<(Real, u64)> = Vec::new();
        for part in parts {
            budget.check()?;
            let epsilon = &part.epsilon;
            match epsilon.sign() {
                Some(Ordering::Less) => {
                    return Err(Error::input(format!("epsilon must be at least 0, not {epsilon}")));
                }
                Some(Ordering::Equal) => continue,
                Some(Ordering::Greater) => {}
                None => return Err(Error::undecided(format!("cannot decide the sign of epsilon = {epsilon}"))),
            }
            if part.times == 0 {
                continue;
            }
            match groups.iter_mut().find(|(other, _)| other == epsilon) {
                Some((_, times)) => *times = times.saturating_add(part.times),
                None => groups.push((epsilon.clone(), part.times)),
            }
        }
        let engine = Self::choose(&groups, lattices)?;
        let mut run = parts.iter().filter(|part| part.times > 0);
        let first = run.next();
        let equal = run.all(|part| first.is_some_and(|one| one.epsilon == part.epsilon && one.delta == part.delta));
        // Large halves are kept one pair at a time: they would fill the memory.
        let room = if sums(&groups) <= 1 << 24 { 8 } else { 1 };
        Ok(Heterogeneous { leak, groups, equal, engine, halved: Cache::new(room), listed: Cache::new(1) })
    }

    fn choose(groups: &[(Real, u64)], lattices: bool) -> Result<Engine, Error> {
        let none = Real::from(0);
        match groups {
            [] => return Ok(Engine::Equal(Box::new(Kov::new(none.clone(), none, 0)?))),
            [(epsilon, times)] => return Ok(Engine::Equal(Box::new(Kov::new(epsilon.clone(), none, *times)?))),
            _ => {}
        }
        let sums = sums(groups);
        if lattices && let Some((unit, steps)) = small_multiples(groups) {
            let points = groups
                .iter()
                .zip(&steps)
                .fold(0_u64, |n, ((_, times), steps)| n.saturating_add(times.saturating_mul(2 * u64::from(*steps))));
            if points <= MOST_POINTS && (points <= 1 << 10 || points <= sums.saturating_mul(4)) {
                let mut pairs = Vec::new();
                for ((_, times), steps) in groups.iter().zip(steps) {
                    let epsilon = unit.mul_rational(&Rational::from(steps));
                    pairs.push((LatticePair::response(epsilon, none.clone(), &unit)?, *times));
                }
                return Ok(Engine::Lattice(Box::new(Lattice::new(pairs, true)?)));
            }
        }
        // The largest groups first, each to the half that is smaller.
        let mut sorted = groups.to_vec();
        sorted.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        let (mut first, mut second) = ((1_u64, Vec::new()), (1_u64, Vec::new()));
        for (epsilon, times) in sorted {
            let half = if first.0 <= second.0 { &mut first } else { &mut second };
            half.0 = half.0.saturating_mul(times.saturating_add(1));
            half.1.push((epsilon, times));
        }
        Budget::default().afford(&work(first.0.max(second.0), 0))?;
        Ok(Engine::MeetInTheMiddle(first.1, second.1))
    }

    /// `sum n_i eps_i - target`, its sign.
    fn largest_against(&self, target: &Real, budget: &Budget) -> Result<Option<Ordering>, Error> {
        let mut terms: Vec<_> = self.groups.iter().map(|(epsilon, times)| (Integer::from(*times), epsilon)).collect();
        terms.push((Integer::from(-1), target));
        signs::sign(&terms, budget)
    }

    /// All outcomes in exact fractions, if `x_i` are rational and there are few.
    fn exact(&self, budget: &Budget) -> Result<Arc<Option<ExactAtoms>>, Error> {
        match &self.engine {
            Engine::Equal(_) => Ok(Arc::new(None)),
            Engine::Lattice(lattice) => lattice.exact(budget),
            Engine::MeetInTheMiddle(..) => self.listed.get((), || self.list(budget)),
        }
    }

    fn list(&self, budget: &Budget) -> Result<Option<ExactAtoms>, Error> {
        let sums = sums(&self.groups);
        if sums > MOST_EXACT {
            return Ok(None);
        }
        let mut atoms = vec![(Integer::from(1), Integer::from(1))];
        let mut whole = Integer::from(1);
        for (epsilon, times) in &self.groups {
            let (Some(x), Ok(n)) = (epsilon.exp_rational(), u32::try_from(*times)) else { return Ok(None) };
            let (a, b) = x.into_numer_denom();
            let size = u64::from(whole.significant_bits()) + u64::from(n) * u64::from(a.significant_bits() + 1);
            if size.saturating_mul(sums) > 1 << 28 {
                return Ok(None);
            }
            let power = |base: &Integer, n: u32| Integer::from(base.pow(n));
            let masses: Vec<_> = (0..=n)
                .map(|i| {
                    let c = Integer::from(Integer::binomial_u(n, i));
                    (
                        Integer::from(&c * &power(&a, n - i)) * power(&b, i),
                        Integer::from(&c * &power(&a, i)) * power(&b, n - i),
                    )
                })
                .collect();
            budget.check()?;
            atoms = atoms
                .iter()
                .flat_map(|(p, q)| masses.iter().map(move |(a, b)| (Integer::from(p * a), Integer::from(q * b))))
                .collect();
            whole *= power(&Integer::from(&a + &b), n);
        }
        Ok(Some(ExactAtoms::new(atoms, whole)))
    }

    /// One half in fixed point: each group contributes its binomial masses.
    fn half(groups: &[(Real, u64)], fraction: u32, budget: &Budget) -> Result<Vec<Draws>, Error> {
        let bits = fraction.saturating_add(96);
        let mut half = Vec::new();
        for (epsilon, times) in groups {
            let n = *times;
            let step = epsilon.enclosure(bits.saturating_add(64));
            let scaled = |m: i128| &step * &Enclosure::integer(&Integer::from(m), bits.saturating_add(64));
            let norm = &(-&step).exp().log1p() * &Enclosure::integer(&n.into(), bits.saturating_add(64));
            let mut atoms = Vec::new();
            for i in 0..=n {
                // Binomials of large groups take a while each.
                budget.check()?;
                let mass = |flips: u64| {
                    let log = &scaled(i128::from(flips)) + &norm;
                    fixed_or_refuse(&binomial_times_exp(n, i, &-log, bits), fraction)
                };
                let key = fixed_or_refuse(&scaled(i128::from(n) - 2 * i128::from(i)), fraction)?;
                atoms.push(Keyed { key, p: mass(i)?, q: mass(n - i)? });
            }
            let (key_error, lacking) = (Integer::from(2), Integer::new());
            half.push(Draws { atoms, key_error, error: 2, lacking, times: n, way: Way::Multisets });
        }
        Ok(half)
    }

    fn halves(&self, fraction: u32, budget: &Budget) -> Result<Arc<MeetInTheMiddle>, Error> {
        match &self.engine {
            Engine::MeetInTheMiddle(first, second) => {
                let halves = self.halved.get(fraction, || {
                    budget.afford(&work(sums(first).max(sums(second)), fraction))?;
                    let halves = [Self::half(first, fraction, budget)?, Self::half(second, fraction, budget)?];
                    let none = Enclosure::zero(fraction.saturating_add(32));
                    MeetInTheMiddle::new(&halves, none, (fraction, fraction), budget)
                })?;
                halves.explain(budget);
                Ok(halves)
            }
            Engine::Equal(_) | Engine::Lattice(_) => Err(Error::Undecided("this composition has no halves".into())),
        }
    }

    /// The profile of the randomised responses alone at `eps >= 0`.
    fn kernel(&self, target: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if let Engine::Equal(kov) = &self.engine {
            return kov.delta(target, Direction::Forward, bits, budget);
        }
        if let Some(x) = target.exp_rational()
            && let Some(atoms) = self.exact(budget)?.as_ref()
        {
            return Ok(Number::Exact(atoms.profile(&x)));
        }
        if matches!(self.largest_against(target, budget)?, Some(Ordering::Less | Ordering::Equal)) {
            return Ok(Number::zero());
        }
        if let Engine::Lattice(lattice) = &self.engine {
            return lattice.profile(target, bits, budget);
        }
        adaptive(bits, threshold_bits(target), budget, |fraction| {
            let halves = self.halves(fraction, budget)?;
            Ok(Number::Enclosed(halves.profile(&target.enclosure(fraction.saturating_add(64)), budget)?))
        })
    }
}

/// How many different sums the losses of these groups have, at most.
fn sums(groups: &[(Real, u64)]) -> u64 {
    groups.iter().fold(1, |n, (_, times)| n.saturating_mul(times.saturating_add(1)))
}

/// The cost of both halves, of which the larger has this number of sums: keys and masses of each, and their sorted
/// order.
fn work(sums: u64, fraction: u32) -> Need<'static> {
    Need {
        what: "sums of epsilons in one of two halves",
        count: sums,
        most: MOST_ATOMS,
        bytes: sums.saturating_mul(u64::from(fraction / 8) * 9 + 320),
        relax: "try epsilons that are integer multiples of one unit (rounding up is sound), which give a lattice",
    }
}

/// A unit of which all epsilons are whole multiples, with the multiples, none of them large.
fn small_multiples(groups: &[(Real, u64)]) -> Option<(Real, Vec<u32>)> {
    let (unit, multiples) = common_unit(groups.iter().map(|(epsilon, _)| epsilon))?;
    let steps: Option<Vec<u32>> = multiples.iter().map(|steps| steps.to_u32().filter(|n| *n < 1 << 20)).collect();
    Some((unit, steps?))
}

impl Curve for Heterogeneous {
    fn symmetric(&self) -> bool {
        true
    }

    /// The optimal delta at any real epsilon; exact for rational `e^eps_i`, `e^eps` and delta_i if there are few
    /// outcomes.
    fn delta(&self, epsilon: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let work = bits.saturating_add(16);
        let kernel = match epsilon.sign() {
            Some(Ordering::Greater | Ordering::Equal) => self.kernel(epsilon, work, budget)?,
            Some(Ordering::Less) => below_zero(epsilon, work, |negated| self.kernel(negated, work, budget))?,
            None => return Err(Error::undecided(format!("cannot decide the sign of epsilon = {epsilon}"))),
        };
        Ok(self.leak.profile(&kernel, work, u64::from(budget.max_bits())))
    }

    /// The least `eps >= 0` with optimal delta at most the target, which is between `1 - prod (1-delta_i)` and 1: see
    /// [`Edges`](super::Edges) for others, here and below.
    fn epsilon(&self, delta: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let work = bits.saturating_add(32);
        if let Engine::Equal(kov) = &self.engine {
            return Ok(Value::Finite(kov.invert_with(&self.leak, delta, bits, budget)?));
        }
        if let Some(atoms) = self.exact(budget)?.as_ref()
            && let (Number::Exact(level), _) = self.leak.level(delta, work, u64::from(budget.max_bits()))
            && let Some(x) = atoms.inverse(&level)
        {
            return Ok(Value::Finite(ln_of(&x, work)));
        }
        if let Engine::Lattice(lattice) = &self.engine {
            let level = |bits: u32| self.leak.level(delta, bits, 0).0.enclosure(bits);
            return Ok(Value::Finite(lattice.inverse(&level, work, budget)?));
        }
        Ok(Value::Finite(adaptive(bits, 64, budget, |fraction| {
            let halves = self.halves(fraction, budget)?;
            let (level, _) = self.leak.level(delta, fraction.saturating_add(32), 0);
            halves.inverse(&level.enclosure(fraction.saturating_add(32)), bits.saturating_add(4), budget)
        })?))
    }

    /// `prod (1-delta_i) f(alpha / prod (1-delta_i))`.
    fn beta(&self, alpha: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let atoms = self.exact(budget)?;
        let equal = match &self.engine {
            Engine::Equal(kov) => Some(kov),
            _ => None,
        };
        let exact = atoms.is_some() || equal.is_some_and(|kov| kov.exactly(0, budget));
        scaled_tradeoff(&self.leak, alpha, exact, bits, budget, |alpha, rest, bits| {
            if let Some(kov) = equal {
                return kov.tradeoff(alpha, rest, bits, budget);
            }
            if let (Some(atoms), Some(rest)) = (atoms.as_ref(), rest.exact()) {
                return Ok(Number::Exact(atoms.least_mass(rest)));
            }
            if let Engine::Lattice(lattice) = &self.engine {
                return lattice.tradeoff(alpha, rest, bits, budget);
            }
            adaptive(bits, 64, budget, |fraction| {
                let halves = self.halves(fraction, budget)?;
                Ok(Number::Enclosed(halves.least_mass(&rest.enclosure(fraction + 64), budget)?))
            })
        })
    }

    fn method(&self) -> &'static str {
        match self.engine {
            Engine::Equal(_) => "optimal composition (binomial tails)",
            Engine::Lattice(_) => "optimal composition (lattice convolution)",
            Engine::MeetInTheMiddle(..) => "optimal composition (two sorted halves)",
        }
    }

    fn statement(&self) -> &'static Statement {
        if self.equal { &statement::EQUAL_MECHANISMS } else { &statement::DIFFERENT_MECHANISMS }
    }

    fn explain(&self) -> Vec<Note> {
        let mut notes = vec![Note::new("different epsilons", self.groups.len())];
        match &self.engine {
            Engine::Equal(kov) => notes = kov.explain(),
            Engine::Lattice(lattice) => notes.extend(lattice.explain()),
            Engine::MeetInTheMiddle(..) => {}
        }
        notes
    }
}

#[cfg(test)]
mod tests;
