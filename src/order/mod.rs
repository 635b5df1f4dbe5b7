//! Comparison of two compositions by privacy: is `f_A >= f_B` at every type I error?
//!
//! Here `f = T(P,Q)` of each, P the first distribution as the mechanisms document it; that order says everything about
//! the other one too, for the inverse keeps it. [`order_of_both`] compares what holds for both orders of each two
//! neighbours, `min(f, f^-1)**`, whose profile is the larger one of both. By Blackwell's theorem `f_A >= f_B` means
//! that whatever A shows can be made from what B shows, whatever is done with it.
//!
//! It is decided, in this order,
//!
//! * exactly, where both are polylines in fractions ([`TradeOff`](crate::pair::TradeOff)): at all vertices of both;
//! * factor by factor (`factors`): runs that are matched with less private ones prove the whole;
//! * exactly, where both are polylines whose numbers are rational functions of exponentials
//!   ([`Polyline`](crate::pair::Polyline)), at all vertices of both;
//! * without the runs that both have: what is proven of the rest holds beside them;
//! * by few runs of one mechanism beside one run of another, of two that are run many times;
//! * several runs of shuffled reports beside Gaussian noise alone, by what is known of the fit of one;
//! * on the profiles of both (`whole`), by branch and bound over all epsilons, by values far out (`far`), and by few
//!   coarse ones (`few`);
//! * at a type I error of 0 (`zero`), which is exact.
//!
//! If a relation fails, there is a witness ([`Witness`]): a type I error with both type II errors, or an epsilon with
//! both deltas, which do not overlap. A profile that is larger at one epsilon is that of a trade-off function that is
//! smaller somewhere. Far from the centre, bounds on both tails may show it (`tails`). Paper proof:
//! `proofs/paper/order.md`.

mod alike;
mod channel;
mod factors;
mod far;
mod few;
#[cfg(feature = "cli")]
mod formulas;
#[cfg(feature = "cli")]
mod noise_map;
#[cfg(feature = "cli")]
mod quotient;
mod side;
mod steep;
mod tails;
#[cfg(test)]
mod tests;
mod whole;
mod witness;
mod words;
mod zero;

use rug::Rational;

use crate::alarm::declined;
use crate::attack::bounds;
use crate::compose::{Engines, Method};
use crate::error::Error;
use crate::mechanism::{Composition, Hull, Mechanism};
use crate::pair::{Discrete, Factors, FinitePair, Law, Pair, Polyline};
use crate::supervise;
use enclosure::{Budget, Reason, Work};

#[cfg(feature = "cli")]
pub(crate) use self::{formulas::between as formulas, noise_map::NoiseMap, quotient::Quotient};
pub use channel::Channel;
pub use witness::{Place, Witness};
#[cfg(feature = "cli")]
pub(crate) use words::alpha_text;

/// Whether one composition is at least as private as another one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Relation {
    /// Proven at every type I error, by the named method.
    Proven(&'static str),
    /// False at this place.
    Fails(Witness),
    /// Neither proven nor refuted, for this reason.
    Undecided(Reason),
}

impl Relation {
    /// Whether the relation is proven.
    pub fn is_proven(&self) -> bool {
        matches!(self, Relation::Proven(_))
    }
}

/// How two compositions compare, in both directions of comparison. Their trade-off functions are compared at every type
/// I error, which is equivalent to comparing their profiles in both directions at every epsilon (Dong, Roth, Su,
/// Proposition 2.12).
///
/// ```
/// use dpcert::{Budget, Composition, order};
///
/// let noisy: Composition = "poisson(rate=1/100, gaussian(sigma=2))^1000".parse()?;
/// let other: Composition = "poisson(rate=1/50, gaussian(sigma=1))^1000".parse()?;
/// let order = order(&noisy, &other, &Budget::default())?;
/// assert!(order.at_least.is_proven() && !order.at_most.is_proven());
/// # Ok::<(), dpcert::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Order {
    /// Whether the first composition is at least as private as the second.
    pub at_least: Relation,
    /// Whether the second composition is at least as private as the first.
    pub at_most: Relation,
}

impl Order {
    /// The result in words, as the command line prints it.
    pub fn verdict(&self) -> &'static str {
        match (&self.at_least, &self.at_most) {
            (Relation::Proven(_), Relation::Proven(_)) => "equal",
            (Relation::Proven(_), Relation::Fails(_)) => "more private",
            (Relation::Proven(_), Relation::Undecided(_)) => "at least as private",
            (Relation::Fails(_), Relation::Proven(_)) => "less private",
            (Relation::Undecided(_), Relation::Proven(_)) => "at most as private",
            (Relation::Fails(_), Relation::Fails(_)) => "incomparable",
            (Relation::Fails(_), Relation::Undecided(_)) => "not at least as private",
            (Relation::Undecided(_), Relation::Fails(_)) => "not at most as private",
            (Relation::Undecided(_), Relation::Undecided(_)) => "undecided",
        }
    }

    /// Whether each of the two relations is proven or refuted.
    pub fn is_decided(&self) -> bool {
        ![&self.at_least, &self.at_most].iter().any(|relation| matches!(relation, Relation::Undecided(_)))
    }
}

/// Compare two compositions by privacy. The first is at least as private as the second if `T(P,Q) >= T(P',Q')`
/// everywhere. This holds if and only if some randomised map sends (P', Q') to (P, Q) (Blackwell; Dong, Roth, Su,
/// Theorem 2.10; Kairouz, Oh, Viswanath, Theorem 2.5).
///
/// # Errors
/// [`Error::Undefined`] if a composition has no dominating pair, [`Error::Undecided`] if a limit is reached.
pub fn order(first: &Composition, second: &Composition, budget: &Budget) -> Result<Order, Error> {
    let (one, two, own) = (first.clone(), second.clone(), budget.clone());
    let question = format!("the order of {first} and {second}");
    supervise::within(budget, move || ordered(&one, &two, &own)).map_err(|error| error.about(&question))
}

/// How what holds for both orders of each two neighbours is ordered: `min(f, f^-1)**` of each, which is f itself where
/// that is symmetric (Dong, Roth, Su, Section 4). By profiles: the larger one of both directions at every epsilon.
///
/// # Errors
/// Those of [`order`].
pub fn order_of_both(first: &Composition, second: &Composition, budget: &Budget) -> Result<Order, Error> {
    let Order { at_least, at_most } = order(&of_both(first)?, &of_both(second)?, budget)?;
    let worst = |relation| match relation {
        Relation::Fails(witness) => Relation::Fails(witness.of_both()),
        other => other,
    };
    Ok(Order { at_least: worst(at_least), at_most: worst(at_most) })
}

/// Is its trade-off function known to be its own inverse?
///
/// # Errors
/// Those of the pairs.
pub fn is_symmetric(composition: &Composition) -> Result<bool, Error> {
    Ok(composition.asymmetric()?.is_none())
}

/// The hull of a composition, or itself.
fn of_both(composition: &Composition) -> Result<Composition, Error> {
    if is_symmetric(composition)? {
        return Ok(composition.clone());
    }
    Composition::new([(Hull::new(composition.clone()).into(), 1)])
}

fn ordered(first: &Composition, second: &Composition, budget: &Budget) -> Result<Order, Error> {
    let (a, b) = (first.pairs()?, second.pairs()?);
    let polylines = (Pair::several(a.clone()).trade_off()?, Pair::several(b.clone()).trade_off()?);
    if let (Some(f), Some(g)) = polylines {
        let relation = |below: Option<(Rational, Rational, Rational)>| match below {
            None => Relation::Proven("all vertices of two polylines in fractions"),
            Some((alpha, less, more)) => Relation::Fails(Witness::exact(alpha, less, more)),
        };
        return Ok(Order { at_least: relation(f.falls_below(&g)), at_most: relation(g.falls_below(&f)) });
    }
    let matched = |a: &Factors, b: &Factors| -> Result<Option<Relation>, Error> {
        Ok(factors::at_least(a, b)?
            .then_some(Relation::Proven("each run beside one of the other that is no more private")))
    };
    let (at_least, at_most) = (matched(&a, &b)?, matched(&b, &a)?);
    if let (Some(at_least), Some(at_most)) = (&at_least, &at_most) {
        return Ok(Order { at_least: at_least.clone(), at_most: at_most.clone() });
    }
    let share = budget.share(POLYLINES, Some(LONGEST_POLYLINES));
    if let Some([f, g]) = Polyline::of_pairs([&Pair::several(a.clone()), &Pair::several(b.clone())], &share) {
        let relation = |one: &Polyline, other: &Polyline| {
            one.falls_below(other, &share).map(|below| match below {
                None => Relation::Proven("all vertices of two polylines over exponentials"),
                Some((alpha, less, more)) => Relation::Fails(Witness::new(alpha, less, more)),
            })
        };
        if let (Some(at_least), Some(at_most)) = (relation(&f, &g), relation(&g, &f)) {
            return Ok(Order { at_least, at_most });
        }
    }
    let rest = match without_common(first, second)? {
        Some((a, b)) => match ordered(&a, &b, &budget.share(SHARE, None)) {
            Ok(rest) => Some(rest),
            Err(error) if error.is_alarm() => return Err(error),
            Err(_) => None,
        },
        None => None,
    };
    let or_rest = |known: Option<Relation>, rest: Option<&Relation>| {
        let proven = rest.is_some_and(Relation::is_proven);
        known.or(proven.then_some(Relation::Proven("what is left beside the runs that both have")))
    };
    let at_least = or_rest(at_least, rest.as_ref().map(|rest| &rest.at_least));
    let at_most = or_rest(at_most, rest.as_ref().map(|rest| &rest.at_most));
    if let (Some(at_least), Some(at_most)) = (&at_least, &at_most) {
        return Ok(Order { at_least: at_least.clone(), at_most: at_most.clone() });
    }
    let runs = |one: &Composition, other: &Composition, known: Option<Relation>| match known {
        Some(known) => Ok(Some(known)),
        None => run_by_run(one, other, budget),
    };
    let (at_least, at_most) = (runs(first, second, at_least)?, runs(second, first, at_most)?);
    if let (Some(at_least), Some(at_most)) = (&at_least, &at_most) {
        return Ok(Order { at_least: at_least.clone(), at_most: at_most.clone() });
    }
    let fitted = |one: (&Composition, &Factors), other: &Factors, known: Option<Relation>| match known {
        Some(known) => Ok(Some(known)),
        None => by_fit(one, other, budget),
    };
    let (at_least, at_most) = (fitted((first, &a), &b, at_least)?, fitted((second, &b), &a, at_most)?);
    let engines = [first, second].map(|composition| Engines::new(composition.clone(), Method::Auto));
    let [one, two] = &engines;
    let decided = |known: Option<Relation>, swapped: bool| -> Result<Relation, Error> {
        if let Some(known) = known {
            return Ok(known);
        }
        let (left, right) = if swapped { (&b, &a) } else { (&a, &b) };
        // Far out it is known to fail already: what is nearer is easier to read, and sought for a while.
        if let Some(witness) = declined(tails::parted(left, right, budget))?.flatten() {
            // Without a limit on the work the search has none either.
            let share = budget.share(NEARER, budget.remaining().map(|_| LONGEST_NEARER));
            let curves = match whole::Curves::new((one, &a), (two, &b), &share) {
                Ok(curves) => curves,
                Err(error) if error.is_alarm() => return Err(error),
                Err(_) => return Ok(Relation::Fails(witness)),
            };
            let curves = if swapped { curves.swapped() } else { curves };
            return match curves.at_least()? {
                Relation::Undecided(_) => Ok(Relation::Fails(witness)),
                Relation::Proven(_) => Err(Error::internal("what fails far out was proven everywhere")),
                nearer => Ok(nearer),
            };
        }
        let curves = match whole::Curves::new((one, &a), (two, &b), budget) {
            Ok(curves) => curves,
            Err(Error::Undecided(reason)) => return Ok(Relation::Undecided(reason)),
            Err(error) => return Err(error),
        };
        let (curves, less) = if swapped { (curves.swapped(), second) } else { (curves, first) };
        let found = curves.at_least()?;
        if let Relation::Undecided(_) = &found
            && let Some(witness) = declined(curves.by_what_is_more_private(side::samples_alone(less)?))?.flatten()
        {
            return Ok(Relation::Fails(witness));
        }
        if let Relation::Undecided(_) = &found
            && let Some(witness) = declined(zero::witness(left, right))?.flatten()
        {
            return Ok(Relation::Fails(witness));
        }
        Ok(found)
    };
    Ok(Order { at_least: decided(at_least, false)?, at_most: decided(at_most, true)? })
}

/// The part of the work that is spent on witnesses that are nearer than one that is known, and the most.
const NEARER: (u32, u32) = (1, 2);
const LONGEST_NEARER: Work = Work::seconds(20);

/// The part of the work that polylines over exponentials get, and the most.
const POLYLINES: (u32, u32) = (1, 8);
const LONGEST_POLYLINES: Work = Work::seconds(1);

/// Of one mechanism run n times and another run m times: are as many runs of the first as come to one of the other, at
/// least as private as that one? `f^(r) >= g` gives `f^(rm) >= g^m`, and `n <= r m` runs are no less private.
fn run_by_run(first: &Composition, second: &Composition, budget: &Budget) -> Result<Option<Relation>, Error> {
    let ([(one, n)], [(other, m)]) = (first.factors(), second.factors()) else { return Ok(None) };
    if *m < 2 || *n == 0 {
        return Ok(None);
    }
    let some = Composition::new([(one.clone(), n.div_ceil(*m))])?;
    let single = Composition::new([(other.clone(), 1)])?;
    match ordered(&some, &single, &budget.share(RUNS, Some(LONGEST_RUNS))) {
        Ok(order) => Ok(order.at_least.is_proven().then_some(Relation::Proven("runs beside runs of the other"))),
        Err(error) if error.is_alarm() => Err(error),
        Err(_) => Ok(None),
    }
}

/// Shuffled reports that are run several times, whose profiles are then expensive, against Gaussian noise alone: is its
/// mu large enough by the bounds on the parts (`attack/bounds.rs`)? `G_mu <= f` proves it.
fn by_fit(
    (first, parts): (&Composition, &Factors),
    second: &Factors,
    budget: &Budget,
) -> Result<Option<Relation>, Error> {
    let shuffled = parts.iter().any(|(pair, times)| matches!(pair, Pair::Shuffled(_)) && *times > 1);
    let Pair::Gaussian { mu } = Pair::several(second.clone()) else { return Ok(None) };
    if !shuffled {
        return Ok(None);
    }
    let share = budget.share(FITS, Some(LONGEST_FITS));
    let Some((_, Some(enough))) = declined(bounds(first, &share))? else { return Ok(None) };
    let proven = *mu.enclosure(FIT_BITS).lower() >= enough;
    Ok(proven.then_some(Relation::Proven("Gaussian noise between both, by the fits of parts")))
}

/// Bits of a mu that is compared, the part of the work that is spent on fits, and the most.
const FIT_BITS: u32 = 128;
const FITS: (u32, u32) = (1, 8);
const LONGEST_FITS: Work = Work::seconds(3);

/// The part of the work that is spent on few runs of both, and the most.
const RUNS: (u32, u32) = (1, 8);
const LONGEST_RUNS: Work = Work::seconds(5);

/// The part of the work that is spent on what is left beside the runs that both have.
const SHARE: (u32, u32) = (1, 2);

/// Both without the runs that both have, if there are any: `f >= g` gives `f (x) h >= g (x) h`. The converse fails, so
/// that nothing but a proof is taken from there.
fn without_common(first: &Composition, second: &Composition) -> Result<Option<(Composition, Composition)>, Error> {
    let times = |of: &Composition, mechanism: &Mechanism| {
        of.factors().iter().find(|(known, _)| known == mechanism).map_or(0, |(_, times)| *times)
    };
    let left = |of: &Composition, other: &Composition| {
        let factors = of.factors().iter();
        Composition::new(factors.map(|(known, count)| (known.clone(), count - (*count).min(times(other, known)))))
    };
    let common = first.factors().iter().any(|(known, _)| times(second, known) > 0);
    if common { Ok(Some((left(first, second)?, left(second, first)?))) } else { Ok(None) }
}

/// The randomised map that produces the first composition from the second, if the first is at least as private.
/// Otherwise a witness that no such map exists.
///
/// If `T(P,Q) <= T(P',Q')` everywhere, then some randomised map of outcomes sends P to P' and Q to Q' (Blackwell 1953;
/// Dong, Roth, Su, Theorem 2.10; Kairouz, Oh, Viswanath, Theorem 2.5). This function computes it as a stochastic matrix
/// of rational numbers and checks it exactly. Conversely, no map lowers a trade-off function (Dong, Roth, Su, Lemma
/// 2.9), so a type I error at which the first composition has the smaller type II error rules out every map.
///
/// The rows and columns of the matrix are the outcomes of a single `finite` mechanism, and otherwise the segments of
/// the trade-off function.
///
/// ```
/// use dpcert::{Budget, Composition, channel};
///
/// let (coin, dice): (Composition, Composition) =
///     ("finite(p=[1/2, 1/2], q=[1/3, 2/3])".parse()?, "finite(p=[1/2, 1/4, 1/4], q=[1/4, 1/4, 1/2])".parse()?);
/// let made = channel(&coin, &dice, &Budget::default())?.map_err(|_| "no map")?;
/// let [p, _] = made.to();
/// assert_eq!((made.matrix().len(), p[0].to_string()), (3, "1/2".to_string()));
/// // There is none in the opposite direction.
/// let witness = channel(&dice, &coin, &Budget::default())?.expect_err("a witness");
/// assert!(witness.smaller().upper_f64() < witness.larger().lower_f64());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`order`]; [`Error::Undecided`] if the order is not decided; [`Error::Undefined`] if a trade-off function
/// is not piecewise linear with rational vertices, or has too many of them.
pub fn channel(first: &Composition, second: &Composition, budget: &Budget) -> Result<Result<Channel, Witness>, Error> {
    match order(first, second, budget)?.at_least {
        Relation::Proven(_) => carrying(first, second).map(Ok),
        Relation::Fails(witness) => Ok(Err(witness)),
        Relation::Undecided(reason) => Err(Error::Undecided(reason)),
    }
}

/// The map of the outcomes of the second to those of the first, which is known to be at least as private.
///
/// # Errors
/// [`Error::Undefined`] where some curve is not in fractions, or too long; an alarm if what was made is no such map.
pub(crate) fn carrying(first: &Composition, second: &Composition) -> Result<Channel, Error> {
    let (to, from) = (outcomes(first)?, outcomes(second)?);
    Channel::between(&from, &to)
}

/// The finite pair that a composition is, up to what no test sees unless it is one.
fn outcomes(composition: &Composition) -> Result<FinitePair, Error> {
    let pair = Pair::several(composition.pairs()?);
    if let Pair::Discrete(pair) = &pair
        && let Some(given) = as_given(pair)
    {
        return Ok(given);
    }
    match pair.trade_off()? {
        Some(f) => f.representing_pair(),
        None => Err(Error::Undefined(
            "dpcert computes the map only between pairs of few outcomes with rational masses, such as \
             finite(p=[1/2,1/2], q=[1/3,2/3]), between randomised responses whose epsilons are multiples of one \
             number, and between Gaussian mechanisms"
                .into(),
        )),
    }
}

fn as_given(pair: &Discrete) -> Option<FinitePair> {
    match pair.law() {
        Law::Rational(pair) => Some(pair.clone()),
        _ => None,
    }
}
