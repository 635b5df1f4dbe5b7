//! Results of operators on pairs: the algebra of trade-off functions.
//!
//! With `f = T(P,Q)` of the pairs inside, which are independent,
//!
//! | operator | trade-off function | Dong, Roth, Su |
//! |---|---|---|
//! | [`Inverse`](Operator::Inverse) | `f^-1 = T(Q,P)` | Proposition 2.4 |
//! | [`Group`](Operator::Group) | `1 - (1-f)^(o k)` | Theorem 2.14, for symmetric f |
//! | [`Larger`](Operator::Larger) | `max(f, f^-1)` | Proposition 2.4 |
//! | [`Hull`](Operator::Hull) | `min(f, f^-1)**` | Section 4 |
//! | [`Subsample`](Operator::Subsample) | `C_p(f) = min(f_p, f_p^-1)**`, for symmetric f | Theorem 4.2 |
//! | [`Mixture`](Operator::Mixture) | that of the pair with the index: outcomes `(i, o)`, masses `w_i p_i(o)` | - |
//!
//! where `f_p = p f + (1-p) Id`.
//!
//! Results with a simpler form take it. Pairs in fractions become exact finite pairs ([`TradeOff`](super::TradeOff)),
//! which compose with everything. Groups of Gaussian, Laplace, geometric or discrete Gaussian noise are the same noise
//! with a larger shift. Groups and samples of randomized response are on a lattice for every epsilon. Symmetric pairs
//! are their own symmetrisations. All others are a [`Derived`] pair, whose curve is computed from the curves inside.
//! Paper proof: `proofs/paper/operators.md`.

mod ends;
mod lattices;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use rug::Rational;

use super::trade_off::not_symmetric;
use super::{Discrete, Law, Pair, TradeOff};
use crate::error::Error;
use enclosure::{Budget, Real};

/// Independent pairs, each so many times.
pub type Factors = Vec<(Pair, u64)>;

/// What is done to the pairs inside.
#[derive(Clone, Debug)]
pub enum Operator {
    /// The other order.
    Inverse,
    /// A chain of k neighbours, all links bounded by f in the order of the chain; k is at least 2.
    Group(u64),
    /// `max(f, f^-1)`.
    Larger,
    /// `min(f, f^-1)**`.
    Hull,
    /// A sample of a fixed share of the records, strictly between 0 and 1.
    Subsample(Real),
    /// One of the mechanisms, drawn with these probabilities, and told which.
    Mixture(Vec<Real>),
}

/// A pair that is made of others, and is nothing simpler.
#[derive(Clone, Debug)]
pub struct Derived {
    operator: Operator,
    /// One for each weight of a mixture; otherwise one.
    parts: Vec<Factors>,
    /// How many operators are inside each other, this one counted.
    depth: u32,
}

/// Operators inside each other: each asks the curve inside many times.
const DEEPEST: u32 = 12;

/// The most segments that a polyline in fractions may have on the way, and the most bits of all its numbers.
const MOST_SEGMENTS: u64 = 1 << 13;
const MOST_BITS: u64 = 1 << 25;

impl Derived {
    /// What is done.
    pub fn operator(&self) -> &Operator {
        &self.operator
    }

    /// To what.
    pub fn parts(&self) -> &[Factors] {
        &self.parts
    }

    /// The rate and the noise, if it is one Gaussian or Laplace noise on a sample of a fixed size; the larger one of
    /// both orders of a Poisson sample is the same curve.
    pub fn folded(&self) -> Option<(Real, Pair)> {
        let [part] = self.parts.as_slice() else { return None };
        if let (Operator::Subsample(rate), [_, _, ..]) = (&self.operator, part.as_slice()) {
            return Some((rate.clone(), Pair::Gaussian { mu: all_gaussian(part)?.sqrt().ok()? }));
        }
        let [(pair, times)] = part.as_slice() else { return None };
        let (rate, noise, times) = match (&self.operator, pair) {
            (Operator::Subsample(rate), noise) => (rate, noise, *times),
            (Operator::Hull, Pair::Sample { rate, inner }) if *times == 1 => (rate, inner.as_ref(), 1),
            _ => return None,
        };
        let noise = match (noise, times) {
            (Pair::Gaussian { mu }, _) => Pair::Gaussian { mu: mu.mul(&Real::from(times).sqrt().ok()?).ok()? },
            (Pair::Laplace { shift }, 1) => Pair::Laplace { shift: shift.clone() },
            _ => return None,
        };
        Some((rate.clone(), noise))
    }

    /// The rate and the noise, if it is the larger one of both orders of a Poisson sample of Gaussian or Laplace noise.
    pub fn larger_of_a_sample(&self) -> Option<(Real, Pair)> {
        let (Operator::Larger, [part]) = (&self.operator, self.parts.as_slice()) else { return None };
        let [(Pair::Sample { rate, inner }, 1)] = part.as_slice() else { return None };
        let noise = matches!(**inner, Pair::Gaussian { .. } | Pair::Laplace { .. });
        noise.then(|| (rate.clone(), Pair::clone(inner)))
    }

    /// What it is, for people; one `s` more makes it the plural.
    pub fn kind(&self) -> &'static str {
        match self.operator {
            Operator::Inverse => "inverse curve",
            Operator::Group(_) => "group curve",
            Operator::Larger | Operator::Hull => "symmetrized curve",
            Operator::Subsample(_) => "fixed-size subsample",
            Operator::Mixture(_) => "mixture",
        }
    }

    /// As it stands, whatever it comes to.
    pub(crate) fn of(operator: Operator, parts: Vec<Factors>) -> Result<Pair, Error> {
        let inside = parts.iter().flatten().map(|(pair, _)| pair.depth()).max().unwrap_or(0);
        if inside >= DEEPEST {
            return Err(Error::undecided(format!(
                "operators are nested more than {DEEPEST} deep and the parameters are not all fractions"
            )));
        }
        Ok(Pair::Derived(Derived { operator, parts, depth: inside + 1 }))
    }
}

/// How many runs they are in all, of what is inside of operators too.
pub(crate) fn runs(factors: &Factors) -> u128 {
    let each = factors.iter().map(|(pair, times)| pair.runs().saturating_mul(u128::from(*times)));
    each.fold(0, u128::saturating_add)
}

/// The pairs of operators. Each takes independent pairs, each so many times.
impl Pair {
    /// Independent pairs as one.
    pub fn several(factors: Factors) -> Self {
        let mut leaking: Factors = Vec::new();
        for (pair, times) in factors {
            match pair {
                Pair::Equal => {}
                Pair::Several(inner) => {
                    leaking.extend(inner.into_iter().map(|(pair, count)| (pair, count.saturating_mul(times))));
                }
                _ if times == 0 => {}
                other => leaking.push((other, times)),
            }
        }
        match leaking.pop() {
            None => Pair::Equal,
            Some((pair, 1)) if leaking.is_empty() => pair,
            Some(last) => {
                leaking.push(last);
                Pair::Several(leaking)
            }
        }
    }

    /// `(Q, P)`.
    ///
    /// # Errors
    /// [`Error::Undecided`] for operators too deep inside each other, here and below.
    pub fn inverse(self) -> Result<Self, Error> {
        let swapped = |factors: Factors| -> Result<Factors, Error> {
            factors.into_iter().map(|(pair, times)| Ok((pair.inverse()?, times))).collect()
        };
        Ok(match self {
            Pair::Several(factors) => Pair::several(swapped(factors)?),
            Pair::Discrete(pair) => match pair.law() {
                Law::Rational(pair) => Pair::finite(pair.swapped()),
                Law::Sample { .. } | Law::Listed(_) => {
                    Derived::of(Operator::Inverse, vec![vec![(Pair::Discrete(pair), 1)]])?
                }
                Law::Response { .. } | Law::SymmetricLattice { .. } => Pair::Discrete(pair),
            },
            Pair::Sample { .. } => Derived::of(Operator::Inverse, vec![vec![(self, 1)]])?,
            Pair::Derived(Derived { operator: Operator::Inverse, mut parts, .. }) => {
                Pair::several(parts.pop().unwrap_or_default())
            }
            Pair::Derived(Derived {
                operator: operator @ (Operator::Group(_) | Operator::Mixture(_)), parts, ..
            }) => Derived::of(operator, parts.into_iter().map(swapped).collect::<Result<_, _>>()?)?,
            symmetric => symmetric,
        })
    }

    /// The ends of a chain of `size` neighbours, each two of which are bounded by f or by `f^-1`, in any order.
    ///
    /// For one neighbour it is this pair, whose direction the query names. For more it is `1 - (1-h)^(o k)` with
    /// `h = min(f, f^-1)**`, because h is below f and below `f^-1`, and the bound falls with the trade-off function of
    /// each link (Dong, Roth, Su, Theorem 2.14, for the symmetric h). Where f is symmetric, h is f.
    ///
    /// # Errors
    /// Those of fractions that are not found.
    pub fn group(self, size: u64) -> Result<Self, Error> {
        if size < 2 { self.group_one_way(size) } else { self.hull()?.group_one_way(size) }
    }

    /// The ends of a chain of `size` neighbours, each two of which are this pair, in the order of the chain: all
    /// records are added, or all are removed.
    ///
    /// `1 - (1-f)^(o k)`, the identity for `k = 0`. For noise with a log-concave density F, where
    /// `f(a) = F(F^-1(1-a) - c)`, it is the same noise moved by `k c`: `F^-1(1 - a)` falls by c each time. Noise on
    /// integers with log-concave masses that is moved by an integer has the vertices of f at its own tails, which
    /// `1 - f` carries to each other, straight between, and the same holds.
    ///
    /// # Errors
    /// Those of fractions that are not found.
    pub fn group_one_way(self, size: u64) -> Result<Self, Error> {
        if let Some(f) = fractions(std::slice::from_ref(&self))? {
            let most = most_segments(u64::from(f.size()).saturating_mul(size));
            if let Ok(group) = f.group(size, most) {
                return Ok(Pair::finite(group.representing_pair()?));
            }
        }
        let many = Rational::from(size);
        Ok(match self {
            _ if size == 0 => Pair::Equal,
            pair if size == 1 => pair,
            Pair::Equal => Pair::Equal,
            Pair::Discrete(pair) => match lattices::group(&pair, size)? {
                Some(group) => group,
                None => Derived::of(Operator::Group(size), vec![vec![(Pair::Discrete(pair), 1)]])?,
            },
            Pair::Gaussian { mu } => Pair::gaussian(mu.mul_rational(&many)),
            Pair::Laplace { shift } => Pair::laplace(shift.mul_rational(&many)),
            Pair::DiscreteGaussian { sigma2, sensitivity } => {
                let far = sensitivity.checked_mul(size);
                Pair::discrete_gaussian(
                    sigma2,
                    far.ok_or_else(|| Error::input("the sensitivity of a group must be at most 2^64"))?,
                )
            }
            Pair::Several(factors) => match all_gaussian(&factors) {
                Some(square) => Pair::gaussian(square.sqrt()?.mul_rational(&many)),
                None => Derived::of(Operator::Group(size), vec![factors])?,
            },
            Pair::Derived(Derived { operator: Operator::Group(inside), parts, .. }) => {
                let size =
                    inside.checked_mul(size).ok_or_else(|| Error::input("a group must have at most 2^64 records"))?;
                Derived::of(Operator::Group(size), parts)?
            }
            pair => Derived::of(Operator::Group(size), vec![vec![(pair, 1)]])?,
        })
    }

    /// `max(f, f^-1)`: what is f-DP for both orders of each two neighbours is this.
    ///
    /// # Errors
    /// Those of fractions that are not found.
    pub fn symmetrized(self) -> Result<Self, Error> {
        self.made_symmetric(Operator::Larger, TradeOff::symmetrized_max)
    }

    /// `min(f, f^-1)**`: the largest trade-off function that holds for both orders of the pair.
    ///
    /// # Errors
    /// Those of fractions that are not found.
    pub fn hull(self) -> Result<Self, Error> {
        self.made_symmetric(Operator::Hull, TradeOff::symmetrized_min)
    }

    fn made_symmetric(self, operator: Operator, exactly: impl Fn(&TradeOff) -> TradeOff) -> Result<Self, Error> {
        if self.symmetric() {
            return Ok(self);
        }
        if let Some(f) = fractions(std::slice::from_ref(&self))? {
            return Ok(Pair::finite(exactly(&f).representing_pair()?));
        }
        // Both orders are taken, and the one with fewer operators is written.
        let pair = match self.clone().inverse() {
            Ok(inverse) if inverse.depth() < self.depth() => inverse,
            _ => self,
        };
        Derived::of(operator, vec![pair.into_factors()])
    }

    /// `C_p(f)`: a sample of a fixed share of the records, drawn without replacement, under replacement of one record.
    ///
    /// # Errors
    /// [`Error::Undefined`] unless f is known to be symmetric, [`Error::Input`] for a rate that is no probability.
    pub fn subsampled(self, rate: &Real) -> Result<Self, Error> {
        let rest = Real::one().sub(rate).sign();
        // In fractions that is told of the whole, whatever it is made of.
        let exact = || fractions(std::slice::from_ref(&self));
        if !self.symmetric() && !exact()?.is_some_and(|f| f.is_symmetric()) {
            return Err(not_symmetric("this one", &self.asymmetry()?));
        }
        match (rate.sign(), rest) {
            (Some(Ordering::Less) | None, _) | (_, Some(Ordering::Less) | None) => {
                return Err(Error::input(format!("a sampling rate must be between 0 and 1, not {rate}")));
            }
            (Some(Ordering::Equal), _) => return Ok(Pair::Equal),
            (_, Some(Ordering::Equal)) => return Ok(self),
            _ => {}
        }
        if matches!(self, Pair::Equal) {
            return Ok(self);
        }
        if let (Some(rate), Some(f)) = (rate.as_rational(), fractions(std::slice::from_ref(&self))?) {
            return Ok(Pair::finite(f.subsampled(rate)?.representing_pair()?));
        }
        if let Pair::Discrete(pair) = &self
            && let Some(sample) = lattices::subsampled(pair, rate)?
        {
            return Ok(sample);
        }
        Derived::of(Operator::Subsample(rate.clone()), vec![self.into_factors()])
    }

    /// One of these, drawn with its probability, and told which: `P = sum w_i P_i` on disjoint outcomes, Q too.
    ///
    /// # Errors
    /// Those of fractions that are not found.
    pub fn mixture(parts: Vec<(Real, Self)>) -> Result<Self, Error> {
        let mut parts: Vec<(Real, Self)> = parts.into_iter().filter(|(weight, _)| !weight.is_zero()).collect();
        if parts.iter().all(|(_, pair)| matches!(pair, Pair::Equal)) {
            return Ok(Pair::Equal);
        }
        if let ([_], Some((_, only))) = (parts.as_slice(), parts.last().cloned()) {
            parts.clear();
            return Ok(only);
        }
        let mut exact = Vec::new();
        for (weight, pair) in &parts {
            let Some(weight) = weight.as_rational() else { break };
            let Some(f) = fractions(std::slice::from_ref(pair))? else { break };
            exact.push((weight.clone(), f));
        }
        if exact.len() == parts.len() {
            return Ok(Pair::finite(TradeOff::revealed_mixture(&exact).representing_pair()?));
        }
        let (weights, parts) = parts.into_iter().map(|(weight, pair)| (weight, pair.into_factors())).unzip();
        Derived::of(Operator::Mixture(weights), parts)
    }

    /// The independent pairs that it consists of.
    pub fn into_factors(self) -> Factors {
        match self {
            Pair::Equal => Vec::new(),
            Pair::Several(factors) => factors,
            pair => vec![(pair, 1)],
        }
    }

    /// How many runs it consists of, each of those inside of operators counted once.
    fn runs(&self) -> u128 {
        match self {
            Pair::Equal => 0,
            Pair::Sample { inner, .. } => inner.runs(),
            Pair::Several(factors) => runs(factors),
            Pair::Derived(derived) => derived.parts.iter().map(runs).fold(0, u128::saturating_add),
            _ => 1,
        }
    }

    /// How many operators are inside each other.
    fn depth(&self) -> u32 {
        match self {
            Pair::Derived(derived) => derived.depth,
            Pair::Sample { inner, .. } => inner.depth(),
            Pair::Several(factors) => factors.iter().map(|(pair, _)| pair.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// The trade-off function as a polyline in fractions, if it is one and not too long.
    ///
    /// # Errors
    /// Alarms.
    pub fn trade_off(&self) -> Result<Option<TradeOff>, Error> {
        fractions(std::slice::from_ref(self))
    }
}

/// The sum of the squares of mu, if all is Gaussian noise.
fn all_gaussian(factors: &[(Pair, u64)]) -> Option<Real> {
    factors.iter().try_fold(Real::zero(), |sum, (pair, times)| match pair {
        Pair::Gaussian { mu } => Some(sum.add(&mu.square().mul_rational(&Rational::from(*times)))),
        _ => None,
    })
}

/// So many segments, with numbers of so many bits, take a moment and not more.
fn most_segments(bits: u64) -> usize {
    usize::try_from((MOST_BITS / bits.max(1)).min(MOST_SEGMENTS)).unwrap_or(0)
}

/// The trade-off function of all of these pairs together in fractions, where it is one and not too long.
fn fractions(pairs: &[Pair]) -> Result<Option<TradeOff>, Error> {
    let mut factors = Vec::new();
    let mut bits = 0_u64;
    for (pair, times) in pairs.iter().cloned().flat_map(Pair::into_factors) {
        let Pair::Discrete(pair) = pair else { return Ok(None) };
        let Some(f) = of_discrete(&pair)? else { return Ok(None) };
        bits = bits.saturating_add(u64::from(f.size()).saturating_mul(times));
        factors.push((f, times));
    }
    let (most, budget) = (most_segments(bits), Budget::default());
    let mut all = TradeOff::identity();
    for (f, times) in factors {
        let product = f.power(times, most, &budget).and_then(|power| all.tensor(&power, most, &budget));
        match product {
            Ok(product) => all = product,
            Err(error) if error.is_alarm() => return Err(error),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(all))
}

fn of_discrete(pair: &Discrete) -> Result<Option<TradeOff>, Error> {
    if pair.places() > MOST_SEGMENTS {
        return Ok(None);
    }
    match pair.fractions() {
        Ok(pair) => Ok(pair.as_ref().map(TradeOff::from_pair)),
        Err(error) if error.is_alarm() => Err(error),
        Err(_) => Ok(None),
    }
}
