//! Functionals of a trade-off function, for one mechanism or a composition.
//!
//! With `L = ln(dP/dQ)` under P and f the trade-off function of P against Q, `-ln |f'(alpha)|` is the loss at the
//! threshold of type I error alpha, so that integrals of it over alpha are averages of L:
//!
//! | functional | is | of a composition |
//! |---|---|---|
//! | `kappa2` | `int ln^2\|f'\| = E L^2` | `V + kl^2` |
//! | `variance` | `V = kappa_2 - kl^2` | adds |
//! | cumulants | of L, the first is `kl = -int ln\|f'\| = E L`, the second V | add |
//! | `kappa3` | `E \|L\|^3` | by the list of its losses, or on a line |
//! | `kappa3bar` | `E \|L - kl\|^3` | by the list of its losses, or on a line |
//! | `chi2-plus` | `int (\|f'\| - 1)_+^2` | by the list of its losses, or on a line |
//! | `hellinger` | `1 - sum sqrt(p q)` | `1 - h` multiplies |
//! | `jensen-shannon` | `(sum p ln(2p/(p+q)) + sum q ln(2q/(p+q)))/2` | by the list of its losses, or on a line |
//! | `le-cam` | `(1/2) sum (p-q)^2/(p+q)` | by the list of its losses, or on a line |
//! | `antipodal-kl` | `epsilon TV(P, Q)`, `epsilon` the largest `|L|` | epsilon adds up; the curve at epsilon = 0 |
//! | `subgaussian` | the least tau with `E e^(t (L - kl)) <= e^(t^2 tau^2/2)` for all real t | [`concentration`] |
//! | `zcdp` | the least rho with `D_a <= rho a` for all `a > 1` | [`concentration`] |
//!
//! A composition of randomised responses has a list of privacy losses, the binomial one on the lattice of epsilon. So
//! has a composition of pairs with rational masses. Any other composition with a moment generating function is
//! integrated on a line ([`composed`]), and the rest is enclosed by values of the trade-off function. If none of these
//! determines `kappa3` and `kappa3bar` of a composition, bounds follow from the moments of its parts ([`by_parts`]).
//!
//! Hellinger, Jensen-Shannon and Le Cam are F-divergences. Mass where the other distribution has none adds the terms
//! `F(0)` and `lim F(u)/u` to the integral over f' (Dong, Roth and Su, Proposition B.4), as for total variation (Su
//! 2024 prints `(1/2) int |1 + f'|` without `(1 - f(0))/2`). The first seven functionals are infinite then, in the
//! direction of that mass. Paper proof: `proofs/paper/moments.md`.

mod by_parts;
mod composed;
mod concentration;

pub(crate) use concentration::rhos_add_up;

use std::cmp::Ordering;

use rug::{Integer, Rational};

use crate::alarm;
use crate::compose::{self, Method};
use crate::curve::{Direction, Value};
use crate::divergence::moments::folded::Folded;
use crate::divergence::moments::{Average, averages, cumulants};
use crate::divergence::{self, Kind};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::{Discrete, Law, Pair, symmetric};
use enclosure::special::normal_cdf;
use enclosure::{Budget, Enclosure, Number, Real};

/// A functional of a trade-off function f, in terms of the privacy loss `L = ln(dP/dQ)` under P, in nats, with mean kl.
///
/// kl and the first three functionals are those of Dong, Roth and Su, Section 3.2 (before Theorem 3.4), as integrals of
/// powers of `-ln|f'|` over alpha. Hellinger, Jensen-Shannon and Le Cam are F-divergences (their Proposition B.4), with
/// the terms `F(0) (1 - f(0))` and `lim F(u)/u` times the mass where Q has none. Su 2024, Section 3, omits these terms
/// in the integral for total variation.
///
/// ```
/// use dpcert::{Budget, Functional, Quantity, Query, answer};
///
/// let ask = |functional| {
///     answer(&Query::new(Quantity::Functional(functional), "gaussian(sigma=1)".parse()?), &Budget::default())
/// };
/// // The privacy loss is normal, with mean 1/2 and variance 1.
/// assert_eq!(ask(Functional::Kappa2)?.outcome.upper_f64(), Some(1.25));
/// assert_eq!(ask(Functional::Cumulant(2))?.outcome.upper_f64(), Some(1.0));
/// # Ok::<(), dpcert::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Functional {
    /// `E L^2 = int ln^2|f'|`.
    Kappa2,
    /// `E |L|^3 = int |ln|f'||^3`.
    Kappa3,
    /// `E |L - kl|^3 = int |ln|f'| + kl|^3`.
    Kappa3Bar,
    /// `E (L - kl)^2 = kappa_2 - kl^2`, the V of the Berry-Esseen theorem. It is additive under composition.
    Variance,
    /// The cumulant of L of an order from 1 to 5. Cumulants are additive under composition, and Edgeworth expansions
    /// use them (Wang, Gao, Zhang, Su, Shen 2022).
    Cumulant(u32),
    /// `chi^2_+ = int (|f'| - 1)_+^2`, for a symmetric f with f(0) = 1. `mu = nu sqrt(2 chi^2_+)` is the limit for
    /// samples of fixed size as `rate sqrt(times)` tends to nu (Dong, Roth, Su, Section 5).
    PositiveChiSquared,
    /// The Hellinger divergence `1 - sum sqrt(p q)`, with `F(u) = (sqrt(u) - 1)^2/2`.
    Hellinger,
    /// The Jensen-Shannon divergence `(sum p ln(p/m) + sum q ln(q/m))/2`, with the midpoint `m = (p+q)/2`.
    JensenShannon,
    /// The Le Cam divergence `(1/2) sum (p-q)^2/(p+q)`, with `F(u) = (u-1)^2/(2u+2)`.
    LeCam,
    /// `KL(M||N) = KL(N||M) = epsilon TV(P, Q)` of the antipodal replacement (M, N), in nats, where epsilon is the
    /// larger max divergence of both directions. It is an upper bound on `KL(P||Q)` and `KL(Q||P)`. Infinite if epsilon
    /// is.
    ///
    /// Dwork and Rothblum 2016, Lemma 3.9, replaces each outcome (p, q) by one with the log-ratio epsilon, 0 or
    /// -epsilon and the same `p - q`; by their Lemma 3.10 the divergences of both directions are equal. With
    /// `m - n = p - q` and `ln(m/n) = epsilon sign(p - q)` where `m != n`,
    /// `KL(M||N) + KL(N||M) = sum (m - n) ln(m/n) = 2 epsilon TV(P, Q)`. The paper states no closed form.
    Antipodal,
    /// The subgaussian standard of the privacy loss: the smallest tau with `E e^(t (L - kl)) <= e^(t^2 tau^2/2)` for
    /// all real t, in nats (Dwork and Rothblum 2016, Definition 2.5). A mechanism is `(mu, tau)`-concentrated if its kl
    /// is at most mu and its standard at most tau, in both directions (their Definition 3.3). Infinite if a privacy
    /// loss is.
    Subgaussian,
    /// The smallest rho of zero-concentrated differential privacy: `D_a <= rho a` for all orders `a > 1`, in nats (Bun
    /// and Steinke 2016, Definition 1.1). Infinite if a privacy loss is.
    Zcdp,
}

/// `epsilon TV(P, Q)`; see [`Functional::Antipodal`].
fn antipodal(composition: &Composition, bits: u32, budget: &Budget) -> Result<Value, Error> {
    let largest = divergence::composed(Kind::Max, composition)?;
    let side = |direction| largest.value(direction, bits, budget);
    let Value::Finite(epsilon) = side(Direction::Forward)?.max(&side(Direction::Backward)?) else {
        return Ok(Value::Infinite);
    };
    if epsilon.exact().is_some_and(Rational::is_zero) {
        return Ok(Value::Finite(Number::zero()));
    }
    let curve = compose::curve(composition, Method::Auto, budget)?;
    let distance = curve.delta(&Real::zero(), Direction::Forward, bits, budget)?;
    Ok(Value::Finite(&epsilon * &distance))
}

/// The highest order of a cumulant.
pub const HIGHEST: u32 = 5;

impl Functional {
    /// Whether post-processing never increases the functional. This holds for divergences, because post-processing only
    /// increases f (Dong, Roth, Su, Lemma 2.9).
    pub fn is_divergence(self) -> bool {
        match self {
            Functional::PositiveChiSquared
            | Functional::Hellinger
            | Functional::JensenShannon
            | Functional::LeCam
            | Functional::Antipodal
            | Functional::Zcdp => true,
            Functional::Kappa2
            | Functional::Kappa3
            | Functional::Kappa3Bar
            | Functional::Variance
            | Functional::Cumulant(_)
            | Functional::Subgaussian => false,
        }
    }

    /// Is it the same in both directions, whatever the pair?
    fn is_even(self) -> bool {
        matches!(self, Functional::Hellinger | Functional::JensenShannon | Functional::LeCam | Functional::Antipodal)
    }

    /// Of a composition, in one direction or the larger of both; enclosed, with about `bits` bits behind the point.
    ///
    /// # Errors
    /// [`Error::Undefined`] where `chi2-plus` is asked of a curve that is not symmetric or has f(0) < 1;
    /// [`Error::Undecided`] for what is out of reach, as compositions without a list of losses are for some.
    pub(crate) fn of(
        self,
        composition: &Composition,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Value, Error> {
        if self == Functional::PositiveChiSquared
            && let Some(factor) = composition.asymmetric()?
        {
            let why = factor.pair()?.asymmetry()?;
            return Err(Error::Undefined(format!(
                "chi^2_+ requires symmetric trade-off functions, but that of {factor} {why}"
            )));
        }
        if self == Functional::Antipodal {
            return antipodal(composition, bits, budget);
        }
        let pairs = listed_reports(one_gaussian(composition.pairs()?))?;
        if self == Functional::Zcdp
            && let Some(rho) = concentration::at_infinity(&pairs, direction, bits)
        {
            return Ok(Value::Finite(rho));
        }
        if direction == Direction::Worst {
            let forward = self.one_way(&pairs, Direction::Forward, bits, budget)?;
            if self.is_even() || symmetric(&pairs) {
                return Ok(forward);
            }
            return Ok(forward.max(&self.one_way(&pairs, Direction::Backward, bits, budget)?));
        }
        self.one_way(&pairs, direction, bits, budget)
    }

    fn one_way(self, pairs: &[(Pair, u64)], direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let sum = |order| self::sum(pairs, order, direction, bits, budget);
        match self {
            Functional::Variance => sum(2),
            Functional::Subgaussian => concentration::standard(pairs, direction, bits, budget),
            Functional::Zcdp => concentration::zcdp(pairs, direction, bits, budget),
            Functional::Cumulant(order) if (1..=HIGHEST).contains(&order) => sum(order),
            Functional::Cumulant(order) => {
                Err(Error::input(format!("the order of a cumulant must be from 1 to {HIGHEST}, not {order}")))
            }
            Functional::Kappa2 => Ok(match (sum(1)?, sum(2)?) {
                (Value::Finite(mean), Value::Finite(variance)) => Value::Finite(&variance + &mean.pow(2)),
                _ => Value::Infinite,
            }),
            Functional::Hellinger => {
                let mut affinity = Enclosure::one(bits.saturating_add(32));
                for (pair, times) in pairs {
                    let all = averages(pair, &[Average::Affinity], direction, bits, budget)?;
                    affinity = affinity * all.values[0].pow(*times);
                }
                let one = Enclosure::one(affinity.bits());
                Ok(Value::Finite(Number::Enclosed((one - affinity).positive_part())))
            }
            _ => match pairs {
                [] => Ok(Value::Finite(Number::zero())),
                [(pair, 1)] => self.single(pair, direction, bits, budget),
                _ => match alarm::declined(listed(pairs))?.flatten() {
                    Some(pair) => self.single(&pair, direction, bits, budget),
                    None => match composed::of(self, pairs, direction, bits, budget)? {
                        Some(value) => Ok(value),
                        None => self.single(&Pair::several(pairs.to_vec()), direction, bits, budget),
                    },
                },
            },
        }
    }

    /// Of one pair.
    fn single(self, pair: &Pair, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let wide = bits.saturating_add(32);
        let finite = |set: Enclosure| Value::Finite(Number::Enclosed(set));
        if let (Functional::Kappa3, Some(epsilon)) = (self, response(pair)) {
            return Ok(Value::Finite(epsilon.number(wide).pow(3)));
        }
        match self {
            Functional::Kappa3Bar if has_constant_loss(pair, direction) => Ok(Value::Finite(Number::zero())),
            Functional::Kappa3 | Functional::Kappa3Bar => {
                let Some(mean) = moments(pair, 1, direction, wide, budget)? else { return Ok(Value::Infinite) };
                let zero = Enclosure::zero(wide);
                let centre = if self == Functional::Kappa3 { &zero } else { &mean[0] };
                Ok(absolute_cube(pair, centre, direction, bits, budget)?.map_or(Value::Infinite, finite))
            }
            Functional::PositiveChiSquared => positive_chi_squared(pair, bits, budget).map(finite),
            Functional::JensenShannon => {
                let side = |direction| averages(pair, &[Average::Midpoint], direction, bits, budget);
                let (forward, backward) = (side(Direction::Forward)?, side(Direction::Backward)?);
                let beyond = forward.infinite.map_or(Enclosure::zero(wide), |(first, second)| first + second);
                let sum = &forward.values[0] + &backward.values[0] + beyond * Enclosure::ln_2(wide);
                Ok(finite(sum.shift(-1).positive_part()))
            }
            _ => {
                let all = averages(pair, &[Average::Triangle], direction, bits, budget)?;
                let beyond = all.infinite.map_or(Enclosure::zero(wide), |(first, second)| first + second);
                Ok(finite((&all.values[0] + &beyond).shift(-1).positive_part()))
            }
        }
    }
}

/// Is the privacy loss certainly a constant in this direction? Its cumulants from the second on are exactly zero then,
/// which no enclosure would show. Recognised for rational masses.
fn has_constant_loss(pair: &Pair, direction: Direction) -> bool {
    let Pair::Discrete(discrete) = pair else { return false };
    match (discrete.law(), direction) {
        (Law::Rational(pair), Direction::Backward) => pair.swapped().has_constant_loss(),
        (Law::Rational(pair), _) => pair.has_constant_loss(),
        _ => false,
    }
}

/// The summed cumulants of an order; rational ones are exact.
fn sum(pairs: &[(Pair, u64)], order: u32, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
    let mut all = Number::zero();
    for (pair, times) in pairs {
        let wide = bits.saturating_add(32);
        let known = match (pair, order) {
            (Pair::Gaussian { mu }, 1) => Some(&mu.number(wide).pow(2) / &Number::Exact(2.into())),
            (Pair::Gaussian { mu }, 2) => Some(mu.number(wide).pow(2)),
            _ if order > 1 && has_constant_loss(pair, direction) => Some(Number::zero()),
            _ => None,
        };
        let own = match known {
            Some(known) => known,
            None => match cumulants(pair, order, direction, bits, budget)? {
                Some(own) => own.last().map_or_else(Number::zero, |last| match last.sign() {
                    Some(Ordering::Equal) => Number::zero(),
                    _ => Number::Enclosed(last.clone()),
                }),
                None => return Ok(Value::Infinite),
            },
        };
        all = &all + &(&own * &Number::Exact(Rational::from(*times)));
    }
    Ok(Value::Finite(all))
}

/// The most randomised responses whose sum of losses is listed.
const MOST_RESPONSES: u64 = 4096;

/// A composition as one pair whose losses are listed, if it is one that is known here.
///
/// Of k randomised responses of epsilon the loss is `(2j - k) epsilon` with the P-mass `C(k,j) b^(k-j)/(1+b)^k`,
/// `b = e^-epsilon`, and its own mirror image.
fn listed(pairs: &[(Pair, u64)]) -> Result<Option<Pair>, Error> {
    if let [(pair, times)] = pairs
        && let (Some(epsilon), 2..=MOST_RESPONSES) = (response(pair), *times)
        && let Ok(times) = u32::try_from(*times)
    {
        let unit = epsilon.clone();
        let masses = move |bits: u32| {
            let wide = bits.saturating_add(64);
            let b = (-epsilon.enclosure(wide)).exp();
            let whole = (Enclosure::one(wide) + &b).pow(times.into());
            let mass = |place: u32| {
                // Places are `-k, -k + 1, ..., k` units, and every other one of them has a mass.
                let (j, odd) = (place / 2, place % 2);
                if odd == 1 {
                    return Number::zero();
                }
                let ways = Enclosure::integer(&Integer::from(times).binomial(j), wide);
                Number::Enclosed(ways * b.pow((times - j).into()) / &whole)
            };
            (0..=2 * times).map(mass).collect()
        };
        let lattice = Discrete::symmetric_lattice("composed response", unit, times.into(), masses)?;
        return Ok(Some(Pair::Discrete(lattice)));
    }
    match Pair::several(pairs.to_vec()).trade_off()? {
        Some(f) => Ok(Some(Pair::finite(f.representing_pair()?))),
        None => Ok(None),
    }
}

/// Few shuffled reports, and samples of them, as lists, where they are more than one run.
fn listed_reports(pairs: Vec<(Pair, u64)>) -> Result<Vec<(Pair, u64)>, Error> {
    if let [] | [(_, 1)] = pairs.as_slice() {
        return Ok(pairs);
    }
    let listed = |(pair, times): (Pair, u64)| Ok((pair.with_listed_reports()?, times));
    pairs.into_iter().map(listed).collect()
}

/// Several Gaussian mechanisms and nothing else are one.
fn one_gaussian(pairs: Vec<(Pair, u64)>) -> Vec<(Pair, u64)> {
    let mut square = Real::zero();
    for (pair, times) in &pairs {
        match pair {
            Pair::Equal => {}
            Pair::Gaussian { mu } => square = square.add(&mu.square().mul_rational(&Rational::from(*times))),
            _ => return pairs.into_iter().filter(|(pair, _)| !matches!(pair, Pair::Equal)).collect(),
        }
    }
    match square.sqrt() {
        Ok(mu) if !square.is_zero() => vec![(Pair::gaussian(mu), 1)],
        Ok(_) => Vec::new(),
        Err(_) => pairs,
    }
}

/// The epsilon of a randomised response that does not fail.
fn response(pair: &Pair) -> Option<Real> {
    pair.as_response().filter(|(_, delta)| delta.is_zero()).map(|(epsilon, _)| epsilon)
}

/// `E L^j` for `j = 1, ..., count`, L the loss under the first distribution of the direction: kl is the first, kappa_2
/// the second (Dong, Roth and Su, before Theorem 3.4, as integrals over f). `None` where they are infinite.
///
/// # Errors
/// [`Error::Undecided`] for losses that are too many or integrals out of reach.
pub fn moments(
    pair: &Pair,
    count: u32,
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Option<Vec<Enclosure>>, Error> {
    let powers: Vec<Average> = (1..=count).map(Average::Power).collect();
    let all = averages(pair, &powers, direction, bits, budget)?;
    Ok(all.finite()?.then_some(all.values))
}

/// `E |L - centre|^3`: kappa_3 about 0, kappa_3-bar about the mean (Dong, Roth and Su, before Theorem 3.4, as
/// integrals over f). `None` where it is infinite.
///
/// # Errors
/// As [`moments`].
pub fn absolute_cube(
    pair: &Pair,
    centre: &Enclosure,
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Option<Enclosure>, Error> {
    let mut all = averages(pair, &[Average::Cube(centre.clone())], direction, bits, budget)?;
    Ok(if all.finite()? { all.values.pop() } else { None })
}

/// `chi^2_+(f) = E_P (e^-L - 1)_+^2`: `e^(mu^2) Phi(3mu/2) + 3 Phi(-mu/2) - 2` of `G_mu`, a sum where the losses are
/// listed, and of Laplace noise moved by s
/// `(e^s - 1)^2 e^-s/2 + e^(-s/2) [(2/3)(e^(3s/2) - 1) - 4 (e^(s/2) - 1) + 2 (1 - e^(-s/2))]/4`.
/// A sample of a fixed share r of the records has `r^2` times that of the noise.
///
/// # Errors
/// [`Error::Undefined`] where f(0) < 1 or f is not symmetric; [`Error::Undecided`] where there is no formula here.
pub fn positive_chi_squared(pair: &Pair, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let wide = bits.saturating_add(64);
    match pair {
        Pair::Equal => Ok(Enclosure::zero(wide)),
        Pair::Gaussian { mu } => {
            let mu = mu.enclosure(wide);
            let first = mu.square().exp() * normal_cdf(&mu.mul_u32(3).shift(-1), wide, budget)?;
            let second = normal_cdf(&-mu.shift(-1), wide, budget)?.mul_u32(3);
            Ok(first + second - Enclosure::one(wide).shift(1))
        }
        Pair::Laplace { shift } => {
            let s = shift.enclosure(wide);
            let half = s.shift(-1);
            let end = s.expm1().square() * (-&s).exp().shift(-1);
            let cubic = half.mul_u32(3).expm1().shift(1).div_u32(3);
            let between = cubic - half.expm1().shift(2) - (-&half).expm1().shift(1);
            Ok(end + between * (-&half).exp().shift(-2))
        }
        Pair::Discrete(pair) => {
            let outcomes = pair.outcomes(wide)?;
            if [&outcomes.infinite_p, &outcomes.infinite_q].iter().any(|mass| mass.sign() != Some(Ordering::Equal)) {
                return Err(Error::Undefined("chi^2_+ requires a trade-off function with f(0) = 1".into()));
            }
            let mut sum = Enclosure::zero(wide);
            for outcome in &outcomes.finite {
                sum = sum + outcome.p.enclosure(wide) * (-&outcome.loss).expm1().positive_part().square();
            }
            Ok(sum)
        }
        Pair::Derived(derived) if let Some(folded) = Folded::of(derived) => {
            // Its slope beyond -1 is that of `r f + (1-r) Id`.
            let (rate, noise) = folded.inside();
            Ok(rate.enclosure(wide).square() * positive_chi_squared(&noise, bits, budget)?)
        }
        _ => Err(Error::undecided("dpcert has no formula for chi^2_+ of this mechanism")),
    }
}

#[cfg(test)]
mod tests;
