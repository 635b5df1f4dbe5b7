//! Loss distributions with many atoms, asked through their tails.
//!
//! A finite pair is a list of atoms (loss, P-mass, Q-mass). Sums over the pairs of two lists, sorted by loss, need only
//! one walk along both: with two lists of 2^20 atoms that stands for 2^40 outcomes.
//!
//! What is certified: masses are whole multiples of `2^-F`, rounded down, and what all of them miss together is
//! counted; losses are whole multiples of `2^-K`, so that near a threshold the tail set may be chosen wrongly, by atoms
//! whose loss is within `kappa` of it. That costs the profile at most `2 kappa` times their mass, because for
//! `|L - t| <= kappa <= 1/2` `|p - e^t q| = p |1 - e^(t-L)| <= 2 kappa p`. And it never costs a bound its truth: for
//! *every* set S, `P(S) - X Q(S)` is a lower bound of the profile, and `(P(S) - D)/Q(S)` of the inverse at the level D.
//!
//! Why the loops end: a fixed number of search steps; what they miss stays in the enclosure.

use std::cmp::Ordering;
use std::time::Duration;

use rug::float::Round::{Down, Up};
use rug::{Float, Integer, Rational};

use crate::alarm;
use crate::error::Error;
use enclosure::{AdaptivePrecision, AtMost, Budget, Enclosure, Number};

/// Less than what a sum costs with its place in the order: what there is no time for is not begun.
const LEAST_COST: Duration = Duration::from_nanos(250);

/// What has two bounds, to be told in an alarm.
const TYPE_II: &str = "type II error of a sum over two halves";

/// A value in fixed point, rounded down: at most two units too small. `None` if the enclosure is too wide for that.
pub(super) fn fixed(value: &Enclosure, fraction: u32) -> Option<Integer> {
    let scaled = |x: &Float, round| {
        Float::with_val_round(value.bits() + 1, x << fraction, round).0.to_integer_round(round).map(|(n, _)| n)
    };
    let (low, high) = (scaled(value.lower(), Down)?, scaled(value.upper(), Up)?);
    (Integer::from(&high - &low) <= 2).then_some(low)
}

/// The same for data of the composition, for which only an exponent beyond the arithmetic is too wide.
pub(super) fn fixed_or_refuse(value: &Enclosure, fraction: u32) -> Result<Integer, Error> {
    fixed(value, fraction).ok_or_else(|| Error::Undecided("a loss is beyond the range of the arithmetic".into()))
}

/// `n 2^-fraction`, as a set of one point or the nearest two numbers around it.
fn unfixed(n: &Integer, fraction: u32, bits: u32) -> Enclosure {
    let scale = |round| Float::with_val_round(bits, n, round).0 >> fraction;
    Enclosure::new(scale(Down), scale(Up))
}

/// One atom: its loss in units of `2^-K`, its masses in units of `2^-F`.
#[derive(Clone, Debug)]
pub(super) struct Keyed {
    pub key: Integer,
    pub p: Integer,
    pub q: Integer,
}

/// One list, by falling loss.
#[derive(Clone, Debug)]
pub(super) struct Half {
    /// Losses in units of `2^-K`, each at most `key_error` units too small.
    keys: Vec<Integer>,
    key_error: Integer,
    /// The least and the largest key of all that was ever there, with or without a unit of mass.
    ends: (Integer, Integer),
    /// Masses in units of `2^-F`, none too large.
    p: Vec<Integer>,
    q: Vec<Integer>,
    /// What the masses of the list miss together, at most, under either distribution.
    missing: Integer,
    /// Are there outcomes that were never in the list, and may be beyond its ends?
    open: bool,
}

impl Half {
    /// Loss zero, for certain.
    pub(super) fn nothing(fraction: u32) -> Self {
        let one = Integer::from(1) << fraction;
        Half {
            keys: vec![Integer::new()],
            key_error: Integer::new(),
            ends: Default::default(),
            p: vec![one.clone()],
            q: vec![one],
            missing: Integer::new(),
            open: false,
        }
    }

    /// Atoms in any order, whose keys are each at most so much too small, and each of whose masses is at most `error`
    /// units too small.
    pub(super) fn new(atoms: Vec<Keyed>, key_error: Integer, error: u32) -> Self {
        let missing = Integer::from(atoms.len()) * error;
        let mut atoms = atoms;
        atoms.sort_by(|a, b| b.key.cmp(&a.key));
        let key = |atom: Option<&Keyed>| atom.map(|atom| atom.key.clone()).unwrap_or_default();
        let ends = (key(atoms.last()), key(atoms.first()));
        Self::sorted(atoms, ends, key_error, missing)
    }

    /// Atoms by falling key. Those of one key are one: on which side of a threshold they are is seen from the key
    /// alone, and the bound of its error holds of each of them. What has come to no unit of mass at all is left out: it
    /// has been counted with what is missing.
    fn sorted(
        atoms: impl IntoIterator<Item = Keyed>,
        ends: (Integer, Integer),
        key_error: Integer,
        missing: Integer,
    ) -> Self {
        let mut list = Half { keys: Vec::new(), key_error, ends, p: Vec::new(), q: Vec::new(), missing, open: false };
        for Keyed { key, p, q } in atoms {
            if p == 0 && q == 0 {
                continue;
            }
            match (list.keys.last(), list.p.last_mut(), list.q.last_mut()) {
                (Some(last), Some(sum_p), Some(sum_q)) if *last == key => {
                    *sum_p += p;
                    *sum_q += q;
                }
                _ => {
                    list.keys.push(key);
                    list.p.push(p);
                    list.q.push(q);
                }
            }
        }
        list
    }

    /// The same with P and Q exchanged: a loss is what minus the loss was, and too small where that was too large.
    pub(super) fn reversed(&self) -> Self {
        let turned = |list: &[Integer]| list.iter().rev().cloned().collect();
        let key = |key: &Integer| -Integer::from(key + &self.key_error);
        let (least, largest) = &self.ends;
        Half {
            keys: self.keys.iter().rev().map(key).collect(),
            key_error: self.key_error.clone(),
            ends: (key(largest), key(least)),
            p: turned(&self.q),
            q: turned(&self.p),
            missing: self.missing.clone(),
            open: self.open,
        }
    }

    /// The list of a law of which it lacks some outcomes, so many units of mass at most under either distribution.
    pub(super) fn lacking(mut self, units: &Integer) -> Self {
        self.missing += units;
        self.open |= *units > 0;
        self
    }

    /// How many atoms there are.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The composition with one more list: every pair of atoms, merged into one order.
    ///
    /// What is missing adds up, as masses of one list sum to at most 1: `sum pq - p' q' <= sum (p - p') q + sum p' (q -
    /// q')`; and each product that is rounded misses one unit more.
    pub(super) fn compose(&self, other: &Half, fraction: u32, budget: &Budget) -> Result<Half, Error> {
        let size = self.keys.len().saturating_mul(other.keys.len());
        let needed = LEAST_COST.saturating_mul(u32::try_from(size).unwrap_or(u32::MAX));
        if budget.remaining().is_some_and(|left| needed > left) {
            return Err(Error::undecided(format!("there is no time for {size} sums of losses")));
        }
        let mut order: Vec<(Integer, u32, u32)> = Vec::with_capacity(size);
        for (j, key) in other.keys.iter().enumerate() {
            budget.check()?;
            for (i, mine) in self.keys.iter().enumerate() {
                order.push((Integer::from(mine + key), i as u32, j as u32));
            }
        }
        // Runs that are sorted already: the stable sort merges them.
        order.sort_by(|a, b| b.0.cmp(&a.0));
        budget.check()?;
        let product = |a: &Integer, b: &Integer| Integer::from(a * b) >> fraction;
        let atoms = order.into_iter().map(|(key, i, j)| {
            let (i, j) = (i as usize, j as usize);
            Keyed { key, p: product(&self.p[i], &other.p[j]), q: product(&self.q[i], &other.q[j]) }
        });
        let sum = |a: &Integer, b: &Integer| Integer::from(a + b);
        let ends = (sum(&self.ends.0, &other.ends.0), sum(&self.ends.1, &other.ends.1));
        let missing = sum(&self.missing, &other.missing) + size;
        let open = self.open || other.open;
        Ok(Half { open, ..Self::sorted(atoms, ends, sum(&self.key_error, &other.key_error), missing) })
    }
}

/// Two lists, whose pairs of atoms are the outcomes; and what is beside them.
pub(super) struct MeetInTheMiddle {
    first: Half,
    second: Half,
    /// `p[i]`, `q[i]`: the mass of the first i atoms of `second`.
    p_sums: Vec<Integer>,
    q_sums: Vec<Integer>,
    /// The P-mass where Q has none.
    infinite: Enclosure,
    /// Fraction bits of masses and of losses.
    fraction: u32,
    key_fraction: u32,
}

/// A set of outcomes with its masses.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    pub p: Enclosure,
    pub q: Enclosure,
}

impl MeetInTheMiddle {
    pub(super) fn new(first: Half, second: Half, infinite: Enclosure, fraction: u32, key_fraction: u32) -> Self {
        let sums = |masses: &[Integer]| {
            let mut total = Integer::new();
            let mut sums = vec![Integer::new()];
            for mass in masses {
                total += mass;
                sums.push(total.clone());
            }
            sums
        };
        let (p_sums, q_sums) = (sums(&second.p), sums(&second.q));
        MeetInTheMiddle { first, second, p_sums, q_sums, infinite, fraction, key_fraction }
    }

    /// The same with P and Q exchanged; beside it what Q has where P has nothing.
    pub(super) fn reversed(&self, infinite: Enclosure) -> Self {
        Self::new(self.first.reversed(), self.second.reversed(), infinite, self.fraction, self.key_fraction)
    }

    /// What is claimed if nothing is said of the masses that are missing.
    #[cfg(test)]
    pub(super) fn without_missing(&self) -> Self {
        let half = |half: &Half| Half { missing: Integer::new(), ..half.clone() };
        let (first, second) = (half(&self.first), half(&self.second));
        Self::new(first, second, self.infinite.clone(), self.fraction, self.key_fraction)
    }

    /// What is claimed if all keys are taken for exact, and fine.
    #[cfg(test)]
    pub(super) fn without_slack(&self) -> Self {
        let exact = |half: &Half| Half {
            key_error: Integer::new(),
            keys: half.keys.iter().map(|key| Integer::from(key << 1000_u32)).collect(),
            ends: (Integer::from(&half.ends.0 << 1000_u32), Integer::from(&half.ends.1 << 1000_u32)),
            ..half.clone()
        };
        let (first, second) = (exact(&self.first), exact(&self.second));
        Self::new(first, second, self.infinite.clone(), self.fraction, self.key_fraction + 1000)
    }

    /// Note what these masses are worth.
    pub(super) fn explain(&self, budget: &Budget) {
        let (first, second) = (&self.first, &self.second);
        if first.keys.len() > 1 {
            budget.note("losses in the first half", first.keys.len());
            budget.note("losses in the second half", second.keys.len());
        } else {
            budget.note("losses in the list", second.keys.len());
        }
        let missing = Integer::from(&first.missing + &second.missing);
        budget.note("mass lost by rounding", format_args!("at most {missing} units of 2^-{}", self.fraction));
        let key_error = Integer::from(&first.key_error + &second.key_error);
        budget.note("error of each loss", format_args!("at most {key_error} units of 2^-{}", self.key_fraction));
    }

    /// Bits beyond which nothing is known of a mass.
    fn bits(&self) -> u32 {
        self.fraction + 32
    }

    /// The outcomes whose loss, as far as the keys tell, exceeds a threshold in units of `2^-K`.
    fn tail_above(&self, key: &Integer, budget: &Budget) -> Result<Tail, Error> {
        let (mut p, mut q) = (Integer::new(), Integer::new());
        let mut count = 0;
        let mut sum = Integer::new();
        for i in 0..self.first.keys.len() {
            if i % 0x4000 == 0 {
                budget.check()?;
            }
            // Walk from the top of `first`: its keys fall, so ever fewer of `second` remain... from the bottom up.
            let i = self.first.keys.len() - 1 - i;
            sum.assign_sum(&self.first.keys[i], self.second.keys.get(count));
            while count < self.second.keys.len() && sum > *key {
                count += 1;
                sum.assign_sum(&self.first.keys[i], self.second.keys.get(count));
            }
            p += &self.first.p[i] * &self.p_sums[count];
            q += &self.first.q[i] * &self.q_sums[count];
        }
        // Lower approximations, of which each list misses so much: see `compose`.
        let error = Integer::from(&self.first.missing + &self.second.missing) << self.fraction;
        let bounds = |n: &Integer| {
            let low = unfixed(n, 2 * self.fraction, self.bits());
            low.hull(&unfixed(&Integer::from(n + &error), 2 * self.fraction, self.bits()))
        };
        Ok(Tail { p: &bounds(&p) + &self.infinite, q: bounds(&q) })
    }

    /// A tail near a threshold, and how much the profile may exceed what it shows.
    pub(super) fn tail(&self, threshold: &Enclosure, budget: &Budget) -> Result<(Tail, Enclosure), Error> {
        let scaled = |x: &Float, round| {
            let scaled = Float::with_val_round(threshold.bits() + 1, x << self.key_fraction, round).0;
            scaled.to_integer_round(round).map(|(n, _)| n).ok_or_else(|| budget.out_of_bits())
        };
        let key = scaled(threshold.lower(), Down)?;
        let width = scaled(threshold.upper(), Up)? - &key;
        let units = width + &self.first.key_error + &self.second.key_error + 2_u32;
        let tail = self.tail_above(&key, budget)?;
        let wider = self.tail_above(&Integer::from(&key - &units), budget)?;
        let kappa = unfixed(&units, self.key_fraction, 64);
        if *kappa.upper() > 0.5 {
            // Too coarse for the estimate; still, the profile is at most 1.
            return Ok((tail, Enclosure::one(64).shift(1).hull(&Enclosure::whole(64)).positive_part()));
        }
        Ok((tail, (&kappa.shift(1) * &wider.p).positive_part()))
    }

    /// The profile at `e^t`.
    pub(super) fn profile(&self, threshold: &Enclosure, budget: &Budget) -> Result<Enclosure, Error> {
        let (tail, slack) = self.tail(threshold, budget)?;
        let shown = &tail.p - &(&threshold.exp() * &tail.q);
        budget.note("losses too near to the threshold to tell", AtMost(slack.upper()));
        alarm::not_negative(&shown.hull(&(&shown + &slack)), "profile of a sum over two halves")
    }

    /// The largest of the losses, up to the width of the enclosure.
    pub(super) fn largest(&self) -> Enclosure {
        self.loss(&Integer::from(&self.first.ends.1 + &self.second.ends.1))
    }

    /// The least of them.
    fn least(&self) -> Enclosure {
        self.loss(&Integer::from(&self.first.ends.0 + &self.second.ends.0))
    }

    /// The losses that have this key.
    fn loss(&self, key: &Integer) -> Enclosure {
        let high = Integer::from(key + &self.first.key_error) + &self.second.key_error;
        unfixed(key, self.key_fraction, self.bits()).hull(&unfixed(&high, self.key_fraction, self.bits()))
    }

    /// The least `eps >= 0` with profile at most the level, which is above the infinite atom's mass.
    ///
    /// Search by Newton's method on the logarithm of the profile, kept inside a bracket. Prove: the last tail S gives
    /// the lower bound `ln((P(S) - D)/Q(S))`, and the profile a little further up is certainly below the level.
    pub(super) fn inverse(&self, level: &Enclosure, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let zero = Enclosure::zero(bits);
        let at_zero = self.profile(&zero, budget)?;
        if matches!(at_zero.compare(level), Some(Ordering::Less | Ordering::Equal)) {
            return Ok(Number::zero());
        }
        let work = self.bits();
        let top = self.largest();
        let (mut low, mut high) = (Float::with_val(work, 0), top.upper().clone());
        let mut at = Float::with_val(work, 0);
        let goal = level.ln();
        let mut lower = zero.clone();
        for _ in 0..80 {
            budget.check()?;
            let point = Enclosure::new(at.clone(), at.clone());
            let (tail, _) = self.tail(&point, budget)?;
            let shown = &tail.p - &(&point.exp() * &tail.q);
            let candidate = (&(&tail.p - level) / &tail.q).ln();
            if candidate.is_bounded() && candidate.lower() > lower.lower() {
                lower = candidate.clone();
            }
            if *shown.lower() > *level.lower() {
                low = at.clone()
            } else {
                high = at.clone()
            }
            let step = if candidate.is_bounded() { candidate.lower().clone() } else { Float::new(work) };
            let close = Float::with_val(work, &step - &at).abs();
            if candidate.is_bounded() && close <= Float::with_val(64, 1) >> (bits + 8) {
                break;
            }
            // Far from the root, on the logarithm; near it, on the profile itself, which is piecewise linear in e^t.
            let excess = &shown.positive_part().ln() - &goal;
            let slope = &shown / &(&point.exp() * &tail.q);
            let log_step = &excess * &slope;
            let far = excess.is_bounded() && Float::with_val(64, excess.lower().abs_ref()) > 0.25;
            let next = if far && log_step.is_bounded() { Float::with_val(work, &at + log_step.lower()) } else { step };
            at = if next > low && next < high { next } else { Float::with_val(work, &low + &high) / 2_u32 };
        }
        let lower = lower.positive_part();
        for more in [0_u32, 16, bits / 2] {
            let wide = lower.lower().get_exp().unwrap_or(0);
            let gap = Float::with_val(64, 1) << (wide - i32::try_from(bits.saturating_sub(more)).unwrap_or(0));
            let above = Float::with_val_round(work, lower.upper() + &gap, Up).0;
            let proven = self.profile(&Enclosure::new(above.clone(), above.clone()), budget)?;
            if matches!(proven.compare(level), Some(Ordering::Less | Ordering::Equal)) {
                return Ok(Number::Enclosed(Enclosure::new(lower.lower().clone(), above)));
            }
        }
        if self.first.open || self.second.open {
            // Losses that are not listed may be larger.
            let unbounded = Enclosure::new(lower.lower().clone(), Float::with_val(work, rug::float::Special::Infinity));
            return Ok(Number::Enclosed(unbounded));
        }
        let set = alarm::bracket(&lower, &top, "epsilon of a sum over two halves")?;
        Ok(Number::Enclosed(set.positive_part()))
    }

    /// The least Q-mass of a test that accepts P-mass `mass`, `0 < mass <= 1 - (mass of P that Q lacks)`.
    ///
    /// Above: a mixture of two tails accepts that much. Below, for every slope `Y`: `Y (mass - profile(1/Y))`.
    /// The search takes the slope of the chord of two tails; it is over when no tail lies below the chord.
    pub(super) fn least_mass(&self, mass: &Enclosure, budget: &Budget) -> Result<Enclosure, Error> {
        let work = self.bits();
        let mut low_t = Float::with_val_round(work, self.least().lower() - 1_u32, Down).0;
        let mut high_t = Float::with_val_round(work, self.largest().upper() + 1_u32, Up).0;
        // Below the least key; what was left out for want of mass is taken in, too.
        let below = Integer::from(&self.first.ends.0 + &self.second.ends.0) - 1_u32;
        let everything = self.tail_above(&below, budget)?;
        let mut less = Tail { p: self.infinite.clone(), q: Enclosure::zero(work) };
        let mut more = everything;
        let mut lower = Enclosure::zero(work);
        for round in 0..96 {
            budget.check()?;
            let chord = &(&more.q - &less.q) / &(&more.p - &less.p);
            let slope_t = (-&chord.ln()).clone();
            let use_chord = round >= 10 && slope_t.is_bounded();
            let at = if use_chord {
                Float::with_val(work, slope_t.lower())
            } else {
                Float::with_val(work, &low_t + &high_t) / 2_u32
            };
            let point = Enclosure::new(at.clone(), at.clone());
            let (tail, slack) = self.tail(&point, budget)?;
            let y = (-&point).exp();
            // Y (mass - P(S) - slack) + Q(S)
            let value = &(&y * &(&(mass - &tail.p) - &slack)) + &tail.q;
            let value = Enclosure::new(value.lower().clone(), value.lower().clone());
            lower = lower.max(&value);
            let same = |a: &Tail| a.p.lower() == tail.p.lower();
            let done = use_chord && (same(&less) || same(&more));
            if *tail.p.upper() <= *mass.lower() {
                less = tail;
                high_t = at;
            } else if *tail.p.lower() >= *mass.upper() {
                more = tail;
                low_t = at;
            } else {
                // The tail itself has that mass, as far as can be told: what may be missing is taken from the larger
                // one.
                let share = (&(mass - &tail.p) / &(&more.p - &tail.p)).positive_part();
                let upper = &tail.q + &(&share * &(&more.q - &tail.q).positive_part());
                return alarm::bracket(&lower, if upper.is_bounded() { &upper } else { &more.q }, TYPE_II);
            }
            if done {
                break;
            }
        }
        let share = &(mass - &less.p) / &(&more.p - &less.p);
        let upper = &less.q + &(&share * &(&more.q - &less.q));
        alarm::bracket(&lower, if upper.is_bounded() { &upper } else { &more.q }, TYPE_II)
    }
}

/// In-place sums for the walk.
trait AssignSum {
    fn assign_sum(&mut self, a: &Integer, b: Option<&Integer>);
}

impl AssignSum for Integer {
    fn assign_sum(&mut self, a: &Integer, b: Option<&Integer>) {
        if let Some(b) = b {
            rug::Assign::assign(self, a + b);
        }
    }
}

/// A finite pair in exact fractions: numerators over one denominator, by falling loss.
#[derive(Clone, Debug)]
pub(super) struct ExactAtoms {
    atoms: Vec<(Integer, Integer)>,
    whole: Integer,
}

impl ExactAtoms {
    /// From any order.
    pub(super) fn new(mut atoms: Vec<(Integer, Integer)>, whole: Integer) -> Self {
        atoms.retain(|(p, q)| *p != 0 || *q != 0);
        atoms.sort_by(|a, b| Integer::from(&b.0 * &a.1).cmp(&Integer::from(&a.0 * &b.1)));
        ExactAtoms { atoms, whole }
    }

    /// The same pair with P and Q exchanged.
    pub(super) fn reversed(&self) -> Self {
        let atoms = self.atoms.iter().rev().map(|(p, q)| (q.clone(), p.clone())).collect();
        ExactAtoms { atoms, whole: self.whole.clone() }
    }

    /// `sum (p - X q)_+`.
    pub(super) fn profile(&self, x: &Rational) -> Rational {
        let mut sum = Integer::new();
        for (p, q) in &self.atoms {
            let excess = Integer::from(p * x.denom()) - Integer::from(q * x.numer());
            if excess <= 0 {
                break;
            }
            sum += excess;
        }
        Rational::from((sum, Integer::from(&self.whole * x.denom())))
    }

    /// The least `X >= 1` with profile at most the level: the largest of all `(P(S) - D)/Q(S)`; `None` for infinity.
    pub(super) fn inverse(&self, level: &Rational) -> Option<Rational> {
        let (mut p_sum, mut q_sum) = (Integer::new(), Integer::new());
        let mut best = Rational::from(1);
        let target = Rational::from(level * &self.whole);
        for (p, q) in &self.atoms {
            p_sum += p;
            q_sum += q;
            if q_sum == 0 {
                if p_sum > target {
                    return None;
                }
                continue;
            }
            let candidate = Rational::from(&p_sum - &target) / &q_sum;
            if candidate > best {
                best = candidate;
            }
        }
        Some(best)
    }

    /// The least Q-mass of a test that accepts P-mass `mass`.
    pub(super) fn least_mass(&self, mass: &Rational) -> Rational {
        let mut left = Rational::from(mass * &self.whole);
        let mut accepted = Rational::new();
        for (p, q) in &self.atoms {
            if left <= 0 {
                break;
            }
            if *p == 0 {
                continue;
            }
            if left >= *p {
                left -= p;
                accepted += q;
            } else {
                accepted += Rational::from(&left * q) / p;
                left = Rational::new();
            }
        }
        accepted / &self.whole
    }
}

/// Try with growing fixed point until `bits` relative bits are proven, five times at most; then what there is.
pub(super) fn adaptive(
    bits: u32,
    extra: u32,
    budget: &Budget,
    mut value: impl FnMut(u32) -> Result<Number, Error>,
) -> Result<Number, Error> {
    let attempts = AdaptivePrecision::new(bits, extra.saturating_add(48), budget).fixed_point().attempts(5);
    attempts.run(|fraction| value(fraction).map(Some))
}
