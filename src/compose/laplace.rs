//! Compositions of Laplace mechanisms, of one scale or several, in closed form. Proofs are in
//! `proofs/paper/laplace.md`.
//!
//! **The pair.** `P = Lap(0,1)` and `Q = Lap(c,1)`, `c = sensitivity/scale`. Let `M` be the measure with
//! `dP = e^(l/2) dM`, `dQ = e^(-l/2) dM` at privacy loss `l`. It is even: `M` has atoms `e^(-c/2)/2` at `c` and `-c`
//! and the density `e^(-c/2)/4` between. With `w^n` for a shift by `nc` and `u` for "half the integral over what lies
//! to the left", that is
//!
//! ```text
//! M = (e^(-c/2)/2) [ w (1 + u) + w^-1 (1 - u) ],
//! M^k = (e^(-kc/2)/2^k) sum_j C(k,j) w^(k-2j) (1+u)^(k-j) (1-u)^j.
//! ```
//!
//! So the k-fold loss has `k+1` knots `(k-2j)c`, each with its polynomial, and what lies above a threshold `t` needs
//! only the knots above `t`. Integrating `e^(-l/2)`, or the difference of `e^(l/2)` and it, is division by `p + 1` or
//! `p^2 - 1`, where a power `p^-(n+1)` stands for `r^n/n!`. With `r_j = ((k-2j)c - t)/2`, over the knots with
//! `r_j > 0`:
//!
//! ```text
//! delta(t)   = 2^(1-k) e^((t-kc)/2)  sum_j C(k,j) [ (p+1)^(k-j-1) (p-1)^(j-1) / p^k ](r_j)
//! Q(loss > t) = 2^-k   e^(-(t+kc)/2) sum_j C(k,j) [ (p+1)^(k-j-1) (p-1)^j     / p^k ](r_j)
//! ```
//!
//! All are polynomials with integer coefficients but for `j = 0`, where `1/(p-1)` leaves one exponential. There are
//! about `k^2/4` terms in all, where the sum over the numbers of atoms and of continuous parts would have `k^4`.
//!
//! **Several scales.** With k_i mechanisms of shift c_i, k in all, the factors multiply alike: of each kind j_i are
//! taken with a minus, j in all, in `prod C(k_i, j_i)` ways, and their knot is `sum (k_i - 2 j_i) c_i`. The polynomial
//! is that of j. So the sums go over all lists of j_i, and kc becomes the largest loss.
//!
//! **What is certified, and why it ends.** Each sum is evaluated with outward rounding. It cancels: the precision is
//! raised until the sum itself has the relative precision asked for. For `0 <= t < kc` each sum is positive, so this
//! ends.

mod below;
mod cells;
mod tradeoff;

pub use self::cells::Cells;

use std::cmp::Ordering;

use rug::{Float, Integer, Rational};

use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::special::expm1_thin;
use enclosure::{Brief, Budget, Enclosure, Need, Note, Number, Real, adaptive_precision};

/// The name of the quantity that is enclosed more than once, for alarms.
const ROOT: &str = "epsilon of Laplace mechanisms";
const TYPE_II: &str = "type II error of Laplace mechanisms";

/// The composition of `Lap(0,1)` against `Lap(c,1)`, of one c or several.
#[derive(Clone, Debug)]
pub struct Laplace {
    kinds: Vec<(Real, u64)>,
    /// All of them.
    times: u64,
    /// Where atoms are, each once, from the largest loss down to its opposite; none if the sums are not affordable.
    knots: Vec<Real>,
    /// By the number of minus signs: a knot, by its place among them, and in how many ways it comes about.
    terms: Vec<Vec<(usize, Integer)>>,
}

/// A threshold for the privacy loss.
enum Point<'a> {
    /// A real number, or its negative.
    Real { value: &'a Real, negated: bool },
    /// One of the knots.
    Atom(usize),
    /// A rational chosen by a search.
    Rational(Rational),
}

/// The integrand above the threshold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kernel {
    /// `dP - e^t dQ`.
    Profile,
    /// `dQ`.
    Second,
}

impl Laplace {
    /// Beyond this many compositions the sums would take minutes: they cost the cube of it.
    pub const MAX_TIMES: u64 = 2000;
    /// The most lists of minus signs of several scales.
    const MAX_TERMS: u64 = 20_000;

    /// The composition of `times` Laplace mechanisms with `shift = sensitivity/scale >= 0`.
    #[cfg(test)]
    pub fn new(shift: Real, times: u64) -> Result<Self, Error> {
        Laplace::of_several(vec![(shift, times)])
    }

    /// The composition of several kinds, each with its `shift = sensitivity/scale >= 0` and its number of runs.
    ///
    /// # Errors
    /// [`Error::Undecided`] for several scales whose knots are too many, or whose order is not found.
    pub fn of_several(kinds: Vec<(Real, u64)>) -> Result<Self, Error> {
        for (shift, _) in &kinds {
            match shift.sign() {
                Some(Ordering::Less) => {
                    return Err(Error::input("laplace: sensitivity/scale must be at least 0"));
                }
                None => {
                    return Err(Error::Undecided("laplace: cannot decide the sign of sensitivity/scale".into()));
                }
                Some(_) => {}
            }
        }
        let times = kinds.iter().fold(0, |all: u64, (_, times)| all.saturating_add(*times));
        let mut law = Laplace { kinds, times, knots: Vec::new(), terms: Vec::new() };
        let lists = law.kinds.iter().fold(1, |lists: u64, (_, times)| lists.saturating_mul(times.saturating_add(1)));
        if law.kinds.len() > 1 {
            law.affordable()?;
            Budget::default().afford(&Need {
                what: "lists of signs of Laplace noise of several scales",
                count: lists,
                most: Self::MAX_TERMS,
                bytes: 0,
                relax: "try fewer compositions",
            })?;
        }
        if times <= Self::MAX_TIMES {
            law.expand()?;
        }
        Ok(law)
    }

    /// Find all knots, and the ways to each.
    fn expand(&mut self) -> Result<(), Error> {
        // Knots with their minus signs and ways, kind by kind.
        let mut all = vec![(Real::zero(), 0usize, Integer::from(1))];
        for (shift, times) in &self.kinds {
            let mut more = Vec::new();
            let mut ways = Integer::from(1);
            for minus in 0..=*times {
                let part = shift.mul_rational(&(Rational::from(*times) - Rational::from(2 * minus)));
                for (knot, before, count) in &all {
                    let knot = if self.kinds.len() == 1 { part.clone() } else { knot.add(&part) };
                    more.push((
                        knot,
                        before + usize::try_from(minus).unwrap_or(usize::MAX),
                        Integer::from(count * &ways),
                    ));
                }
                ways = ways * (times - minus) / (minus + 1);
            }
            all = more;
        }
        let mut order: Vec<usize> = (0..all.len()).collect();
        if self.kinds.len() > 1 {
            // In order as doubles tell them apart, then those that they do not.
            let about: Vec<f64> = all.iter().map(|(knot, ..)| knot.to_f64()).collect();
            order.sort_by(|a, b| about[*b].total_cmp(&about[*a]));
            for end in 1..order.len() {
                let mut place = end;
                while place > 0 {
                    match all[order[place - 1]].0.compare(&all[order[place]].0) {
                        Some(Ordering::Less) => order.swap(place - 1, place),
                        Some(_) => break,
                        None => {
                            let why = "cannot order the privacy losses of Laplace noise of several scales";
                            return Err(Error::undecided(why));
                        }
                    }
                    place -= 1;
                }
            }
        }
        self.terms = vec![Vec::new(); usize::try_from(self.times).unwrap_or(0) + 1];
        for i in order {
            let (knot, minus, ways) = &all[i];
            let same = |last: &Real| self.kinds.len() > 1 && last.compare(knot) == Some(Ordering::Equal);
            if !self.knots.last().is_some_and(same) {
                self.knots.push(knot.clone());
            }
            if let Some(terms) = self.terms.get_mut(*minus) {
                terms.push((self.knots.len() - 1, ways.clone()));
            }
        }
        Ok(())
    }

    /// The number of compositions for the loops, if their work is affordable.
    fn affordable(&self) -> Result<i64, Error> {
        Budget::default().afford(&Need {
            what: "compositions of Laplace noise in one exact sum",
            count: self.times,
            most: Self::MAX_TIMES,
            bytes: 0,
            relax: "the time is the cube of that number, so try fewer",
        })?;
        i64::try_from(self.times).map_err(|_| Error::Undecided("laplace: the composition has too many runs".into()))
    }

    /// A knot.
    fn knot(&self, i: usize, bits: u32) -> Number {
        self.knots.get(i).map_or_else(Number::zero, |knot| knot.number(bits))
    }

    /// The largest loss.
    fn reach(&self, bits: u32) -> Number {
        self.knot(0, bits)
    }

    /// `r = (knot - t)/2`, half the way from the threshold up to a knot; `None` when it is certainly negative.
    fn half_way(&self, i: usize, point: &Point, bits: u32) -> Option<Enclosure> {
        let gap = match point {
            Point::Real { value, negated } => {
                let knot = self.knots.get(i)?;
                let gap = if *negated { knot.add(value) } else { knot.sub(value) };
                if gap.sign() == Some(Ordering::Equal) { Number::zero() } else { gap.number(bits) }
            }
            Point::Atom(at) if i == *at => Number::zero(),
            Point::Atom(at) if i < *at => &self.knot(i, bits) - &self.knot(*at, bits),
            Point::Atom(_) => return None,
            Point::Rational(value) => &self.knot(i, bits) - &Number::Exact(value.clone()),
        };
        (gap.sign() != Some(Ordering::Less)).then(|| gap.enclosure(bits).shift(-1))
    }

    /// One of the two sums of the header at a threshold in `(-kc, kc]`, for `1 <= k` affordable and `c > 0`.
    ///
    /// `closed` counts an atom at the threshold itself. Where it cannot be told whether a knot is above the threshold
    /// the term is enclosed for both cases (for the profile they agree, its polynomials vanish at 0).
    fn sum(&self, kernel: Kernel, point: &Point, closed: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let k = self.affordable()?;
        let (plus, minus) = match kernel {
            Kernel::Profile => (1, 1),
            Kernel::Second => (1, 0),
        };
        let zero = Enclosure::zero(bits);
        let mut total = zero.clone();
        let mut at_bottom = false;
        // Coefficients of (p+1)^(k-j-plus) (p-1)^(j-minus) by ascending powers of p; begins at j = minus.
        let mut row = binomial_row(k - plus - minus);
        let mut knots = 0;
        for (j, terms) in (0..=k).zip(&self.terms) {
            // With one more minus the highest knot is lower.
            let above: Vec<_> =
                terms.iter().filter_map(|(i, ways)| Some((self.half_way(*i, point, bits)?, ways))).collect();
            let Some((first, _)) = above.first() else { break };
            if plus == 1 && j == k {
                // The last knot has no polynomial: here the threshold is not above it.
                match (kernel, first.sign()) {
                    (Kernel::Second, Some(Ordering::Equal)) if !closed => {}
                    (Kernel::Second, Some(_)) => return Ok(Enclosure::one(bits)),
                    (Kernel::Second, None) => at_bottom = true,
                    _ => return Ok(Enclosure::whole(bits)),
                }
                break;
            }
            budget.check()?;
            knots += above.len();
            if j > minus {
                next_row(&mut row);
            }
            for (way, ways) in above {
                let certainly = way.sign();
                let way = way.positive_part();
                let value =
                    if j < minus { first_knot(k, k - plus, &way, bits) } else { horner(&row, k - 1, &way, bits) };
                let value = match certainly {
                    _ if kernel == Kernel::Profile => value,
                    Some(Ordering::Equal) if closed => value,
                    Some(Ordering::Equal) => zero.clone(),
                    Some(_) => value,
                    None => zero.hull(&value),
                };
                total = &total + &(&value * &Enclosure::integer(ways, bits));
            }
        }
        let all: usize = self.terms.iter().map(Vec::len).sum();
        budget.note("knots above the threshold", format_args!("{knots} of {all}"));
        let way_up = self.half_way(0, point, bits).unwrap_or_else(|| zero.clone());
        let exponent = match kernel {
            Kernel::Profile => way_up,
            // (t + kc)/2 = kc - r_0.
            Kernel::Second => &self.reach(bits).enclosure(bits) - &way_up,
        };
        let scale = i32::try_from(k).unwrap_or(i32::MAX) - i32::from(kernel == Kernel::Profile);
        let value = (&total * &(-exponent).exp()).shift(-scale);
        Ok(if at_bottom { value.hull(&Enclosure::one(bits)) } else { value })
    }

    /// [`sum`](Self::sum) with `bits` of relative precision, or as many as the budget allows.
    fn precise_sum(
        &self,
        kernel: Kernel,
        point: &Point,
        closed: bool,
        bits: u32,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let guard = u32::try_from(self.times).unwrap_or(u32::MAX).saturating_add(48);
        let budget = &budget.under(match kernel {
            Kernel::Profile => "profile",
            Kernel::Second => "tail of Q",
        });
        adaptive_precision(bits, guard, budget, |working| {
            budget.note("working precision", format_args!("{working} bits"));
            self.sum(kernel, point, closed, working, budget)
        })
    }

    /// `1 - e^((epsilon - c)/2)` for `-c <= epsilon <= c`; exact if `e^(epsilon - c)` is the square of a rational.
    fn single_profile(shift: &Real, epsilon: &Real, bits: u32) -> Number {
        if let (Some(x), Some(y)) = (epsilon.exp_rational(), shift.exp_rational()) {
            let root = Number::Exact(x / y).sqrt(bits);
            if root.exact().is_some() {
                return &Number::one() - &root;
            }
        }
        let gap = (&epsilon.number(bits) - &shift.number(bits)).enclosure(bits).shift(-1);
        Number::Enclosed(-expm1_thin(&gap, bits))
    }

    /// The least epsilon of one Laplace mechanism, `max(0, c + 2 ln(1 - delta))`, for `0 < delta < 1`.
    fn single_epsilon(shift: &Real, delta: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if let (Some(x), Some(d)) = (shift.exp_rational(), delta.as_rational()) {
            let pass = Rational::from(1 - d);
            let ratio = x * pass.clone() * pass;
            return Ok(if ratio <= 1 { Number::zero() } else { Number::Exact(ratio).ln(bits) });
        }
        let value = adaptive_precision(bits, 32, budget, |working| {
            let log = (-delta.enclosure(working)).log1p().shift(1);
            Ok(&shift.enclosure(working) + &log)
        })?;
        Ok(Number::Enclosed(value).positive_part())
    }

    /// The shift of one mechanism, run once.
    fn single(&self) -> Option<&Real> {
        match self.kinds.as_slice() {
            [(shift, 1)] => Some(shift),
            _ => None,
        }
    }

    /// An enclosure of the root of `delta(epsilon) = delta` in `[0, kc]`, for `0 < delta < delta(0)`.
    ///
    /// Where it is not sure that `crosses` holds, that `delta < delta(0)`: of the root or, if there is none, of zero.
    ///
    /// `delta(b) - delta(a) = - int_a^b e^s Q(loss > s) ds`, so over a bracket `[lo, hi]` the slope is between
    /// `-e^hi Q(loss > lo)` and `-e^lo Q(loss > hi)`: one step of the interval Newton method, which holds the root
    /// whether or not the profile has a kink (an atom) in the bracket. Where it gains less than bisection would, the
    /// sign of `delta(mid) - delta` halves the bracket instead.
    fn root(&self, delta: &Real, crosses: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.affordable()?;
        let reach = self.reach(bits.saturating_add(32)).enclosure(bits.saturating_add(32));
        let mut bracket = Enclosure::new(Float::new(bits), reach.upper().clone());
        let (mut idle, mut crosses) = (0, crosses);
        while idle < 4 {
            budget.check()?;
            let reached = bracket.relative_bits().unwrap_or(0).max(0);
            if reached >= i64::from(bits) {
                break;
            }
            let working = u32::try_from(reached).unwrap_or(u32::MAX).saturating_mul(2).saturating_add(64);
            let working = working.min(bits.saturating_add(32));
            let middle = Float::with_val(working.max(64), bracket.lower() + bracket.upper()) / 2u32;
            let Some(at) = middle.to_rational() else { break };
            let target = delta.enclosure(working.saturating_add(16));
            let excess = &self.precise_sum(Kernel::Profile, &Point::Rational(at), false, working, budget)? - &target;
            let middle = Enclosure::new(middle.clone(), middle);
            let tail = |end: &Float| -> Result<Enclosure, Error> {
                match end.to_rational() {
                    Some(t) => self.precise_sum(Kernel::Second, &Point::Rational(t), false, working / 2 + 32, budget),
                    None => Ok(Enclosure::zero(64).hull(&Enclosure::one(64))),
                }
            };
            let ends = bracket.with_bits(working.max(64)).exp();
            let steepest = Enclosure::new(ends.upper().clone(), ends.upper().clone()) * tail(bracket.lower())?;
            let flattest = Enclosure::new(ends.lower().clone(), ends.lower().clone()) * tail(bracket.upper())?;
            let slope = steepest.hull(&flattest);
            let step = &middle + &(&excess / &slope);
            crosses |= excess.sign() == Some(Ordering::Greater);
            if !crosses && bracket.lower().is_zero() && *step.upper() < 0 {
                // A root in the bracket would be in the step: there is none, and zero is the least epsilon that does.
                return Ok(Enclosure::zero(bits));
            }
            let mut next = alarm::meet(&bracket, &step, ROOT)?;
            let half = match excess.sign() {
                Some(Ordering::Greater) => Some(Enclosure::new(middle.lower().clone(), bracket.upper().clone())),
                Some(Ordering::Less) => Some(Enclosure::new(bracket.lower().clone(), middle.upper().clone())),
                _ => None,
            };
            if let Some(half) = half {
                next = alarm::meet(&next, &half, ROOT)?;
            }
            let width = |set: &Enclosure| Float::with_val(64, set.upper() - set.lower());
            // Rounding keeps the last bits from settling now and then; then the caller comes back with more bits.
            idle = if width(&next) * 3u32 < width(&bracket) * 2u32 { 0 } else { idle + 1 };
            bracket = next.with_bits(bits.saturating_add(32));
        }
        Ok(bracket)
    }
}

impl Curve for Laplace {
    fn symmetric(&self) -> bool {
        true
    }

    /// The header's profile for `0 <= epsilon < kc`; above `-kc`
    /// `delta(epsilon) = 1 - e^epsilon + e^epsilon delta(-epsilon)`, since the pair is symmetric. See
    /// [`Edges`](super::Edges) for what lies beyond, here and below.
    ///
    /// One mechanism: `1 - e^((epsilon - c)/2)`, a rational if `e^(epsilon - c)` is the square of one.
    fn delta(&self, epsilon: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if let Some(shift) = self.single() {
            // Near the ends of the interval, where the order could not be told, the pieces meet.
            return Ok(match Laplace::single_profile(shift, epsilon, bits) {
                exact @ Number::Exact(_) => exact,
                value => value.positive_part(),
            });
        }
        let negative = epsilon.sign() == Some(Ordering::Less);
        let point = Point::Real { value: epsilon, negated: negative };
        let sum = self.precise_sum(Kernel::Profile, &point, false, bits, budget)?;
        let value = alarm::not_negative(&sum, "profile of Laplace mechanisms")?;
        if !negative {
            return Ok(Number::Enclosed(value));
        }
        let exp = epsilon.enclosure(bits.saturating_add(16));
        Ok(Number::Enclosed(&-exp.expm1() + &(&exp.exp() * &value)))
    }

    /// One mechanism: `max(0, c + 2 ln(1 - delta))`. Otherwise the root of the profile, enclosed by
    /// the interval Newton method, and 0 from the total variation on.
    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if let Some(shift) = self.single() {
            return Laplace::single_epsilon(shift, delta, bits, budget).map(Value::Finite);
        }
        let total_variation = self.delta(&Real::from(0), direction, bits, budget)?;
        let order = delta.number(bits).compare(&total_variation);
        if order.is_some_and(Ordering::is_ge) {
            return Ok(Value::Finite(Number::zero()));
        }
        self.root(delta, order.is_some(), bits, budget).map(|root| Value::Finite(Number::Enclosed(root)))
    }

    /// `1 - e^(kc) alpha` up to `2^-k e^(-kc)`, `e^(-kc) (1 - alpha)` from `1 - 2^-k` on; between, `e^(-c)/(4 alpha)`
    /// for one mechanism, and `max_t (1 - delta(t) - e^t alpha)` for more.
    fn beta(&self, alpha: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let level = alpha.number(bits);
        let one = Number::one();
        let k = self.affordable()?;
        let half = Rational::from((1, Integer::from(1) << u32::try_from(k).unwrap_or(u32::MAX)));
        let top = match self.kinds.as_slice() {
            [(shift, times)] if let Some(x) = shift.exp_rational() => Number::Exact(x).pow(*times),
            _ => Number::Enclosed(self.reach(bits).enclosure(bits).exp()),
        };
        let first = &Number::Exact(half.clone()) / &top;
        let last = Number::Exact(1 - half);
        if level.compare(&first).is_some_and(Ordering::is_le) {
            return Ok(&one - &(&top * &level));
        }
        if level.compare(&last).is_some_and(Ordering::is_ge) {
            return Ok(&(&one - &level) / &top);
        }
        if k > 1 {
            return self.interior_beta(alpha, bits, budget).map(Number::Enclosed);
        }
        let four = Number::Exact(Rational::from(4));
        let middle = &one / &(&(&four * &top) * &level);
        // Undecided comparisons: the pieces that meet there.
        let mut values = vec![middle];
        if level.compare(&first).is_none() {
            values.push(&one - &(&top * &level));
        }
        if level.compare(&last).is_none() {
            values.push(&(&one - &level) / &top);
        }
        let hull = values
            .iter()
            .skip(1)
            .fold(values[0].clone(), |hull, value| Number::Enclosed(hull.enclosure(bits).hull(&value.enclosure(bits))));
        Ok(hull)
    }

    fn method(&self) -> &'static str {
        "closed form of the k-fold Laplace loss"
    }

    fn statement(&self) -> &'static Statement {
        &statement::LAPLACE
    }

    fn explain(&self) -> Vec<Note> {
        let of = |(shift, times): &(Real, u64)| {
            [Note::new("sensitivity/scale", Brief(shift)), Note::new("compositions", times)]
        };
        self.kinds.iter().flat_map(of).collect()
    }
}

/// The coefficients of `(p+1)^n`.
fn binomial_row(n: i64) -> Vec<Integer> {
    let n = n.max(0);
    let mut row = vec![Integer::from(1)];
    let mut entry = Integer::from(1);
    for i in 1..=n {
        entry = entry * (n - i + 1) / i;
        row.push(entry.clone());
    }
    row
}

/// Replace one factor `p + 1` by `p - 1`, in a polynomial by ascending powers that has the factor.
fn next_row(row: &mut [Integer]) {
    // Quotient q of the division by p + 1: q_i = row_i - q_(i-1); then (p - 1) q has q_(i-1) - q_i.
    let mut before = Integer::new();
    for entry in row.iter_mut() {
        let quotient = Integer::from(&*entry - &before);
        *entry = Integer::from(&before - &quotient);
        before = quotient;
    }
}

/// `sum_i row_i r^n/n!` with `n = degree - i`, that is the function that `row(p)/p^(degree+1)` stands for.
fn horner(row: &[Integer], degree: i64, r: &Enclosure, bits: u32) -> Enclosure {
    let mut sum = Enclosure::zero(bits);
    let mut n = u32::try_from(degree).unwrap_or(0);
    for entry in row {
        sum = &sum + &Enclosure::integer(entry, bits);
        if n == 0 {
            return sum;
        }
        sum = (&sum * r).div_u32(n);
        n -= 1;
    }
    // Powers that the row lacks: it ends above n = 0.
    while n > 0 {
        sum = (&sum * r).div_u32(n);
        n -= 1;
    }
    sum
}

/// The function that `(p+1)^d/(p^k (p-1))` stands for, `d` being `k` or `k-1`: its coefficients are the partial sums
/// `S_n` of the binomials `C(d,i)`, `2^d` from `n = k` on, so it is
/// `2^d (e^r - 1) + S_0 - sum_{1<=n<k} (2^d - S_n) r^n/n!`.
fn first_knot(k: i64, d: i64, r: &Enclosure, bits: u32) -> Enclosure {
    // 2^d - S_n = sum of C(d,i) over i > d - k + n; the highest power comes first for Horner.
    let binomials = binomial_row(d);
    let mut rest = Integer::new();
    let mut row = Vec::new();
    for n in (1..k).rev() {
        let i = usize::try_from(d - k + n + 1).unwrap_or(0);
        if let Some(entry) = binomials.get(i) {
            rest += entry;
        }
        row.push(rest.clone());
    }
    let minus = horner(&row, k - 1, r, bits);
    let two = Enclosure::one(bits).shift(i32::try_from(d).unwrap_or(i32::MAX));
    let mut value = &(&two * &expm1_thin(r, bits)) - &minus;
    if d == k {
        value = &value + &Enclosure::one(bits);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::Edges;
    use crate::compose::reference::edged;
    use crate::pair::Pair;
    use enclosure::refine;
    use rug::float::Round;

    /// A decimal reference, right to one unit of its last digit.
    fn decimal(text: &str) -> Enclosure {
        let digits = text.split('.').nth(1).map_or(0, str::len) as u32;
        let scale = Integer::from(Integer::u_pow_u(10, digits));
        let value: Integer = text.replace('.', "").parse().unwrap();
        let end =
            |d: i32, round| Float::with_val_round(400, Rational::from((value.clone() + d, scale.clone())), round).0;
        Enclosure::new(end(-1, Round::Down), end(1, Round::Up))
    }

    fn real(text: &str) -> Real {
        match text.strip_prefix("ln ") {
            Some(inner) => Real::from(inner.parse::<Rational>().unwrap()).ln().unwrap(),
            None => Real::from(text.parse::<Rational>().unwrap()),
        }
    }

    fn laplace(shift: &str, times: u64) -> Laplace {
        Laplace::new(real(shift), times).unwrap()
    }

    fn between(curve: &Laplace) -> Edges {
        edged(curve.clone(), curve.kinds.iter().map(|(shift, times)| (Pair::laplace(shift.clone()), *times)))
    }

    fn delta(curve: &Laplace, epsilon: &str, digits: u32) -> Number {
        let (budget, curve) = (Budget::default(), between(curve));
        refine(digits, &budget, |bits| curve.delta(&real(epsilon), Direction::Forward, bits, &budget)).unwrap()
    }

    fn beta(curve: &Laplace, alpha: &str, digits: u32) -> Number {
        let (budget, curve) = (Budget::default(), between(curve));
        refine(digits, &budget, |bits| curve.beta(&real(alpha), Direction::Forward, bits, &budget)).unwrap()
    }

    fn epsilon(curve: &Laplace, delta: &str, digits: u32) -> Number {
        let (budget, curve) = (Budget::default(), between(curve));
        refine(digits, &budget, |bits| match curve.epsilon(&real(delta), Direction::Forward, bits, &budget)? {
            Value::Finite(value) => Ok(value),
            Value::Infinite => panic!("infinite"),
        })
        .unwrap()
    }

    fn overlaps(value: &Number, reference: &str) {
        let value = value.enclosure(400);
        let (low, high) = (value.lower(), value.upper());
        assert!(value.overlaps(&decimal(reference)), "[{low:.50}, {high:.50}] against {reference}");
    }

    /// Kinds of one shift are one: knots coincide, lists of signs do not.
    #[test]
    fn kinds_of_one_shift_are_one() {
        let split = Laplace::of_several(vec![(real("1/2"), 2), (real("1/2"), 1), (real("1/2"), 2)]).unwrap();
        let whole = laplace("1/2", 5);
        assert_eq!(split.knots, whole.knots);
        for (j, terms) in whole.terms.iter().enumerate() {
            let ways: Integer = split.terms[j].iter().map(|(_, ways)| ways).sum();
            assert_eq!(vec![(terms[0].0, ways)], *terms);
        }
        let same = |one: Number, other: Number| assert!(one.enclosure(300).overlaps(&other.enclosure(300)));
        for at in ["-1", "0", "1/2", "3/4", "2"] {
            same(delta(&split, at, 30), delta(&whole, at, 30));
        }
        for level in ["1/100", "1/20", "1/2", "99/100"] {
            same(beta(&split, level, 30), beta(&whole, level, 30));
        }
        same(epsilon(&split, "1/50", 30), epsilon(&whole, "1/50", 30));
    }

    /// Of shifts 1 and 3 the density under P from 2 to 4 is `e^((l-4)/2) (1/4 + (4-l)/16)`: each noise moved by half of
    /// the other's atoms, and the overlap of both; at 4 there is an atom of 1/4.
    #[test]
    fn two_scales_by_hand() {
        let curve = Laplace::of_several(vec![(real("1"), 1), (real("3"), 1)]).unwrap();
        assert_eq!(curve.knots, ["4", "2", "-2", "-4"].map(real));
        let number = |text: &str| real(text).enclosure(200);
        // At l = 4 - s: int_0^1 e^(-s/2) (1 - e^(s-1)) (1/4 + s/16) ds, at epsilon = 3, and the atom 1/4 (1 - e^-1).
        // With u = e^(-1/2): int (1/4 + s/16) e^(-s/2) = 3/4 - 7/8 u, int (1/4 + s/16) e^(s/2) = 3/8 / u - 1/4.
        let root = number("-1/2").exp();
        let first = &number("3/4") - &(&number("7/8") * &root);
        let second = &(&number("3/8") / &root) - &number("1/4");
        let less = &root * &root;
        let atom = &number("1/4") * &(&number("1") - &less);
        let truth = &(&first - &(&second * &less)) + &atom;
        assert!(delta(&curve, "3", 30).enclosure(200).overlaps(&truth));
        // The last pieces: the atom alone.
        let top = number("4").exp();
        let level = number("1/1000");
        assert!(beta(&curve, "1/1000", 30).enclosure(200).overlaps(&(&number("1") - &(&top * &level))));
    }

    /// Knots nearer to each other than doubles tell apart.
    #[test]
    fn knots_that_doubles_do_not_tell_apart_are_in_order() {
        let near = real("1").add(&Real::from(Rational::from((1, Integer::from(1) << 80u32))));
        let curve = Laplace::of_several(vec![(real("1"), 1), (near.clone(), 1)]).unwrap();
        let apart = near.sub(&real("1"));
        assert_eq!(curve.knots, [near.add(&real("1")), apart.clone(), apart.neg(), near.add(&real("1")).neg()]);
    }

    #[test]
    fn too_many_scales_are_refused() {
        let many = (1..=20).map(|c| (Real::from(c), 1)).collect();
        assert!(matches!(Laplace::of_several(many), Err(Error::Undecided(_))));
    }

    #[test]
    fn profile_overlaps_the_references() {
        overlaps(&delta(&laplace("1", 1), "3/10", 40), "0.2953119102812865656451793009691215318156");
        overlaps(&delta(&laplace("1", 2), "1/2", 40), "0.350495989981104777685185992453006619666");
        overlaps(&delta(&laplace("1", 3), "1", 40), "0.3102260478035456470083929309472608735391");
        overlaps(&delta(&laplace("1", 10), "2", 40), "0.6128420290499026016008077118952480406989");
    }

    #[test]
    fn trade_off_function_of_one_overlaps_the_references() {
        let curve = laplace("1", 1);
        overlaps(&beta(&curve, "1/10", 40), "0.7281718171540954764639712528647337502243");
        overlaps(&beta(&curve, "3/10", 40), "0.3065662009762019346629364751345507228715");
        overlaps(&beta(&curve, "7/10", 40), "0.1103638323514326964786571310484382602337");
    }

    #[test]
    fn rational_values_are_exact() {
        let exact = |value: Number, text: &str| assert_eq!(value.exact(), Some(&text.parse().unwrap()), "{value:?}");
        let curve = laplace("ln 9/4", 1);
        exact(delta(&curve, "0", 30), "1/3");
        exact(delta(&curve, "ln 9/4", 30), "0");
        exact(delta(&curve, "ln 4/9", 30), "5/9");
        exact(delta(&curve, "ln 1/5", 30), "4/5");
        exact(beta(&curve, "1/9", 30), "3/4");
        exact(beta(&curve, "1/3", 30), "1/3");
        exact(beta(&curve, "3/4", 30), "1/9");
        exact(beta(&curve, "0", 30), "1");
        exact(beta(&curve, "1", 30), "0");
        exact(epsilon(&curve, "1/3", 30), "0");
        let curve = laplace("ln 3/2", 3);
        exact(delta(&curve, "ln 27/8", 30), "0");
        exact(delta(&curve, "ln 8/27", 30), "19/27");
        exact(beta(&curve, "1/27", 30), "7/8");
        exact(beta(&curve, "7/8", 30), "1/27");
        exact(epsilon(&laplace("3", 7), "0", 30), "21");
        exact(delta(&laplace("3", 7), "21", 30), "0");
        exact(delta(&laplace("0", 7), "1", 30), "0");
        exact(delta(&laplace("3", 0), "ln 1/2", 30), "1/2");
    }

    #[test]
    fn trade_off_function_is_its_own_inverse() {
        for (shift, times) in [("1", 2), ("1/10", 5), ("ln 2", 4), ("5", 3), ("1/2", 12)] {
            let curve = laplace(shift, times);
            for alpha in ["1/1000000", "1/100", "1/5", "1/2", "4/5", "999/1000"] {
                let low = beta(&curve, alpha, 25).enclosure(200);
                // f(f(alpha)) = alpha: f of both ends of the enclosure of f(alpha) must have alpha between.
                let back = |end: &Float| beta(&curve, &end.to_rational().unwrap().to_string(), 22).enclosure(200);
                let both = back(low.lower()).hull(&back(low.upper()));
                assert!(both.contains(&alpha.parse().unwrap()), "{shift} {times} {alpha}: {both:?}");
            }
        }
    }

    #[test]
    fn inverse_profile_gives_the_profile_back() {
        for (shift, times, d) in [
            ("1", 2, "1/10"),
            ("1", 10, "1/100000"),
            ("1/10", 30, "1/1000000000000"),
            ("ln 2", 5, "1/3"),
            ("40", 3, "9/10"),
            ("1/1000000000000000000000", 4, "1/10000000000000000000000"),
        ] {
            let curve = laplace(shift, times);
            let root = epsilon(&curve, d, 25).enclosure(200);
            let at = |end: &Float| delta(&curve, &end.to_rational().unwrap().to_string(), 30).enclosure(200);
            assert!(
                at(root.lower()).hull(&at(root.upper())).contains(&d.parse().unwrap()),
                "{shift} {times} {d} {root:?}"
            );
        }
    }

    #[test]
    fn tiny_and_huge_parameters_keep_their_digits() {
        for (shift, times, epsilon) in [
            ("1/10000000000000000000000000000000000000000000000000000000000", 10, "0"),
            ("1000000", 10, "9999999"),
            ("1000000", 3, "2"),
            ("1", 60, "5999/100"),
            ("1/100", 60, "1/10"),
        ] {
            let value = delta(&laplace(shift, times), epsilon, 30).enclosure(100);
            assert_eq!(value.sign(), Some(Ordering::Greater));
        }
    }
}
