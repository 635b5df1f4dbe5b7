//! Optimal composition by direct convolution of the four-outcome mechanisms.
//!
//! The worst (epsilon, delta)-DP mechanism has the outcomes
//!
//! | | 0 | 1 | 2 | 3 |
//! |---|---|---|---|---|
//! | P | delta | (1-delta) x/(1+x) | (1-delta)/(1+x) | 0 |
//! | Q | 0 | (1-delta)/(1+x) | (1-delta) x/(1+x) | delta |
//!
//! and a composition is their product. No binomial coefficient, no closed tail and no theorem on composition is used:
//! masses are multiplied out as integer arrays, one huge product at a time, and the profile is the sum of positive
//! parts by its definition. The table read from its other end has the columns of P and Q exchanged, and so have
//! products of such tables: the masses of Q by falling loss are those of P by rising loss. With rational x and delta
//! and few compositions everything is exact. Otherwise masses are rounded down to multiples of `2^-F`, and each is at
//! most `error` units above: for sub-probabilities `a, b` known from below, `ab - a'b' <= (a-a') + (b-b')`, so errors
//! add up, and one for the rounding of each product. Every bound below takes the errors outward, so no comparison of
//! losses is ever needed.

use malachite::base::num::arithmetic::traits::{IsPowerOf2, Pow, Square};
use malachite::base::num::basic::traits::{One, Zero};
use malachite::base::num::conversion::traits::RoundingFrom;
use malachite::base::num::logic::traits::SignificantBits;
use malachite::base::rounding_modes::RoundingMode;
use malachite::{Integer, Natural, Rational};

/// Two rationals with a real number between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Not above the number.
    pub lower: Rational,
    /// Not below the number.
    pub upper: Rational,
}

impl Bounds {
    /// A number known exactly.
    pub fn exact(value: Rational) -> Self {
        Bounds { lower: value.clone(), upper: value }
    }

    /// Is it known exactly?
    pub fn is_exact(&self) -> bool {
        self.lower == self.upper
    }
}

/// `2^n`.
trait PowerOf2Of {
    fn power_of_2_of(n: u64) -> Natural;
}

impl PowerOf2Of for Natural {
    fn power_of_2_of(n: u64) -> Natural {
        Natural::ONE << n
    }
}

/// So many mechanisms with this `x = e^epsilon` and this delta, whose losses are `+-steps` on a common lattice.
#[derive(Clone, Debug)]
pub struct Part {
    /// `e^epsilon`.
    pub x: Bounds,
    /// The failure probability.
    pub delta: Rational,
    /// How many.
    pub times: u64,
    /// Epsilon in units of the lattice. Wrong steps would merge different losses: they must be exact.
    pub steps: usize,
}

/// A composition, multiplied out. One serves any number of questions.
pub struct Convolution {
    /// P- and Q-masses, by falling loss.
    atoms: Vec<(Natural, Natural)>,
    /// What mass 1 is in units.
    whole: Natural,
    /// Units that each mass may be too small.
    error: Natural,
    /// Atoms that were dropped with mass 0: theirs is at most the error too.
    dropped: u64,
    /// P-mass where Q has none, and also Q-mass where P has none.
    infinite: Bounds,
}

/// Masses by falling loss: how many atoms above are left out, and the masses.
#[derive(Clone)]
struct Array {
    skipped: u64,
    length: u64,
    masses: Vec<Natural>,
    error: Natural,
}

impl Array {
    fn one(unit: Natural) -> Self {
        Array { skipped: 0, length: 1, masses: vec![unit], error: Natural::ZERO }
    }

    /// Drop masses that are zero at both ends.
    fn trim(mut self) -> Self {
        let front = self.masses.iter().take_while(|mass| **mass == 0).count();
        self.masses.drain(..front);
        self.skipped += front as u64;
        while self.masses.last().is_some_and(|mass| *mass == 0) {
            self.masses.pop();
        }
        self
    }

    /// The same masses by rising loss.
    fn reversed(&self) -> Array {
        let masses: Vec<_> = self.masses.iter().rev().cloned().collect();
        // Where there are no masses they are nowhere.
        let skipped = if masses.is_empty() { self.skipped } else { self.length - self.skipped - masses.len() as u64 };
        Array { skipped, length: self.length, masses, error: self.error.clone() }
    }

    fn times(&self, other: &Array, fraction: Option<u64>) -> Array {
        let masses = polynomial_product(&self.masses, &other.masses);
        let length = self.length + other.length - 1;
        let skipped = self.skipped + other.skipped;
        match fraction {
            None => Array { skipped, length, masses, error: Natural::ZERO },
            Some(fraction) => {
                let masses = masses.into_iter().map(|mass| mass >> fraction).collect();
                let error = &self.error + &other.error + Natural::ONE;
                Array { skipped, length, masses, error }.trim()
            }
        }
    }

    fn power(&self, mut times: u64, unit: Natural, fraction: Option<u64>) -> Array {
        let (mut result, mut base) = (Array::one(unit), self.clone());
        while times > 0 {
            if times % 2 == 1 {
                result = result.times(&base, fraction);
            }
            times /= 2;
            if times > 0 {
                base = base.times(&base, fraction);
            }
        }
        result
    }
}

/// The product of two polynomials, their coefficients written side by side in one integer.
fn polynomial_product(a: &[Natural], b: &[Natural]) -> Vec<Natural> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let top = |masses: &[Natural]| masses.iter().map(SignificantBits::significant_bits).max().unwrap_or(0);
    let count = a.len().min(b.len()) as u64;
    let bits = top(a) + top(b) + (64 - u64::from(count.leading_zeros()));
    let limbs = usize::try_from(bits.div_ceil(64).max(1)).unwrap_or(usize::MAX);
    let pack = |masses: &[Natural]| {
        let mut words = vec![0_u64; masses.len() * limbs];
        for (mass, place) in masses.iter().zip(words.chunks_mut(limbs)) {
            for (word, place) in mass.limbs().zip(place) {
                *place = word;
            }
        }
        Natural::from_owned_limbs_asc(words)
    };
    let packed = pack(a);
    let words = if std::ptr::eq(a, b) { packed.square() } else { packed * pack(b) }.into_limbs_asc();
    let mut product: Vec<_> = words.chunks(limbs).map(Natural::from_limbs_asc).collect();
    product.resize(a.len() + b.len() - 1, Natural::ZERO);
    product
}

/// `(p b - q a)_+`, mostly told from 0 by the sizes alone.
fn excess((p, b): (&Natural, &Natural), (q, a): (&Natural, &Natural)) -> Natural {
    // A product has as many bits as both factors, or one less.
    let bits = |x: &Natural, y: &Natural| x.significant_bits() + y.significant_bits();
    if *p == 0 || bits(p, b) + 1 < bits(q, a) {
        return Natural::ZERO;
    }
    let gain = if b.is_power_of_2() { p << (b.significant_bits() - 1) } else { p * b };
    let loss = q * a;
    if gain > loss { gain - loss } else { Natural::ZERO }
}

fn floor(value: &Rational) -> Natural {
    let integer = Integer::rounding_from(value, RoundingMode::Floor).0;
    Natural::try_from(integer).unwrap_or(Natural::ZERO)
}

impl Convolution {
    /// Multiply out. `fraction` is the number of bits F of the fixed point; `None` asks for exact masses, which needs
    /// exact `x` and memory for all numerators.
    pub fn new(parts: &[Part], fraction: Option<u64>) -> Self {
        let fraction = if parts.iter().all(|part| part.x.is_exact()) { fraction } else { fraction.or(Some(400)) };
        let mut p = Array::one(fraction.map_or(Natural::ONE, Natural::power_of_2_of));
        let mut whole = p.masses.first().cloned().unwrap_or(Natural::ONE);
        let mut kept = Bounds::exact(Rational::ONE);
        let mut kept_exactly = Natural::ONE;
        for part in parts {
            let rest = Rational::ONE - &part.delta;
            let (high, low, unit, error);
            match fraction {
                None => {
                    let (a, b) = part.x.lower.clone().into_numerator_and_denominator();
                    let (u, v) = rest.clone().into_numerator_and_denominator();
                    let one = (&a + &b) * &v;
                    whole *= one.pow(part.times);
                    kept_exactly *= ((&a + &b) * &u).pow(part.times);
                    (high, low, unit, error) = (a * &u, b * &u, Natural::ONE, Natural::ZERO);
                }
                Some(fraction) => {
                    let scale = Rational::from(Natural::power_of_2_of(fraction));
                    let share = |x: &Rational| Rational::ONE / (Rational::ONE + x);
                    // x/(1+x) rises with x, 1/(1+x) falls. The bounds of x are closer than a unit, or the error says
                    // so.
                    let exact_high = |x: &Rational| &rest * x * share(x) * &scale;
                    let exact_low = |x: &Rational| &rest * share(x) * &scale;
                    high = floor(&exact_high(&part.x.lower));
                    low = floor(&exact_low(&part.x.upper));
                    let spread = floor(&(exact_high(&part.x.upper) - exact_high(&part.x.lower)))
                        + floor(&(exact_low(&part.x.lower) - exact_low(&part.x.upper)));
                    error = spread + Natural::from(2_u32);
                    unit = Natural::power_of_2_of(fraction);
                    kept = power_bounds(&kept, &rest, part.times, fraction);
                }
            }
            // One flip lowers the loss by twice its epsilon: steps of two units, so half as many places.
            let spaced = |first: &Natural, last: &Natural| {
                let mut masses = vec![Natural::ZERO; part.steps + 1];
                if part.steps == 0 {
                    masses[0] = first + last;
                } else {
                    masses[0] = first.clone();
                    masses[part.steps] = last.clone();
                }
                let error = &error + &error;
                Array { skipped: 0, length: masses.len() as u64, masses, error }.trim()
            };
            p = p.times(&spaced(&high, &low).power(part.times, unit, fraction), fraction);
        }
        let q = p.reversed();
        if fraction.is_none() {
            kept = Bounds::exact(Rational::from_naturals(kept_exactly, whole.clone()));
        }
        let infinite = Bounds { lower: Rational::ONE - &kept.upper, upper: Rational::ONE - &kept.lower };
        // Both arrays on the union of their windows.
        let from = p.skipped.min(q.skipped);
        let to = (p.skipped + p.masses.len() as u64).max(q.skipped + q.masses.len() as u64);
        let at = |array: &Array, i: u64| {
            let index = i.checked_sub(array.skipped).and_then(|i| usize::try_from(i).ok());
            index.and_then(|i| array.masses.get(i)).cloned().unwrap_or(Natural::ZERO)
        };
        let atoms = (from..to).map(|i| (at(&p, i), at(&q, i))).collect();
        let error = p.error.max(q.error);
        Convolution { atoms, whole, error, dropped: p.length - (to - from), infinite }
    }

    /// At most twenty or so mechanisms with any epsilons: all subsets, one by one. `steps` is ignored.
    pub fn subsets(parts: &[Part], fraction: Option<u64>) -> Self {
        let mut all: Option<Convolution> = None;
        for part in parts {
            for _ in 0..part.times {
                let one = Part { times: 1, steps: 1, ..part.clone() };
                let next = Convolution::new(&[one], fraction);
                all = Some(match all {
                    None => next,
                    Some(before) => before.outer(&next, fraction),
                });
            }
        }
        let mut all = all.unwrap_or_else(|| Convolution::new(&[], fraction));
        all.atoms.retain(|(p, q)| *p != 0 || *q != 0);
        all.atoms.sort_by(|a, b| (&b.0 * &a.1).cmp(&(&a.0 * &b.1)));
        all
    }

    fn outer(&self, other: &Self, fraction: Option<u64>) -> Self {
        let product = |a: &Natural, b: &Natural| match fraction {
            Some(fraction) => (a * b) >> fraction,
            None => a * b,
        };
        let atoms: Vec<_> = self
            .atoms
            .iter()
            .flat_map(|(p, q)| other.atoms.iter().map(move |(a, b)| (product(p, a), product(q, b))))
            .collect();
        let one = Rational::ONE;
        let keep = |a: &Rational, b: &Rational| &one - (&one - a) * (&one - b);
        let exact = fraction.is_none();
        Convolution {
            dropped: self.dropped + other.dropped + atoms.len() as u64,
            atoms,
            whole: if exact { &self.whole * &other.whole } else { self.whole.clone() },
            error: if exact { Natural::ZERO } else { &self.error + &other.error + Natural::ONE },
            infinite: Bounds {
                lower: keep(&self.infinite.lower, &other.infinite.lower),
                upper: keep(&self.infinite.upper, &other.infinite.upper),
            },
        }
    }

    /// `sum (p - X q)_+` plus the mass at infinity, for `X = e^epsilon` between two bounds.
    pub fn delta(&self, x: &Bounds) -> Bounds {
        let (mut low, mut high) = (Natural::ZERO, Natural::from(self.dropped) * &self.error);
        let (low_a, low_b) = x.lower.to_numerator_and_denominator();
        let (high_a, high_b) = x.upper.to_numerator_and_denominator();
        low *= &high_b;
        high *= &low_b;
        for (p, q) in &self.atoms {
            low += excess((p, &high_b), (&(q + &self.error), &high_a));
            high += excess((&(p + &self.error), &low_b), (q, &low_a));
        }
        Bounds {
            lower: &self.infinite.lower + Rational::from_naturals(low, &self.whole * high_b),
            upper: &self.infinite.upper + Rational::from_naturals(high, &self.whole * low_b),
        }
    }

    /// The least type II error at type I error `alpha`.
    ///
    /// Above: the test that accepts large losses until it has accepted P-mass `1 - alpha` for certain. Below, by
    /// duality: `(1 - alpha - delta(X))/X` at the likelihood ratio X where that test stops.
    pub fn beta(&self, alpha: &Rational) -> Bounds {
        let goal = Rational::ONE - alpha;
        let missing = &goal - &self.infinite.lower;
        if missing <= 0 {
            return Bounds::exact(Rational::ZERO);
        }
        let mut missing = missing * Rational::from(self.whole.clone());
        let mut accepted = Rational::ZERO;
        let mut upper = None;
        let mut ratios = Vec::new();
        let mut count = Natural::ZERO;
        for (i, (p, q)) in self.atoms.iter().enumerate() {
            let mass = Rational::from(p.clone());
            count += Natural::ONE;
            if mass >= missing {
                let share = &missing / &mass;
                // Units of Q that the accepted atoms may have above what was counted.
                let more = Rational::from((&count + Natural::from(self.dropped)) * &self.error);
                upper =
                    Some((accepted + share * Rational::from(q.clone()) + more) / Rational::from(self.whole.clone()));
                for (p, q) in self.atoms.iter().skip(i.saturating_sub(1)).take(3) {
                    if *q != 0 && *p != 0 {
                        ratios.push(Rational::from_naturals(p.clone(), q.clone()));
                    }
                }
                break;
            }
            missing -= mass;
            accepted += Rational::from(q.clone());
        }
        // Everything accepted: the Q-mass where P has none is rejected.
        let upper = upper.unwrap_or_else(|| Rational::ONE - &self.infinite.lower);
        if ratios.is_empty() {
            ratios.extend(
                self.atoms
                    .iter()
                    .rev()
                    .filter(|(p, q)| *p != 0 && *q != 0)
                    .take(1)
                    .map(|(p, q)| Rational::from_naturals(p.clone(), q.clone())),
            );
        }
        let mut lower = Rational::ZERO;
        for x in ratios {
            let candidate = (&goal - self.delta(&Bounds::exact(x.clone())).upper) / x;
            if candidate > lower {
                lower = candidate;
            }
        }
        Bounds { lower, upper }
    }

    /// Is the least epsilon with `delta(epsilon) <= level` between two bounds, given as `e^lower` and `e^upper`? `None`
    /// if this convolution is too coarse to say.
    pub fn confirms_epsilon(&self, low: &Bounds, high: &Bounds, level: &Rational) -> Option<bool> {
        let (at_low, at_high) = (self.delta(low), self.delta(high));
        // An epsilon of zero is least whatever delta(0) is.
        let trivial = low.lower == Rational::ONE;
        if (trivial || at_low.lower >= *level) && at_high.upper <= *level {
            Some(true)
        } else if (!trivial && at_low.upper < *level) || at_high.lower > *level {
            Some(false)
        } else {
            None
        }
    }
}

/// `kept * base^times`, rounded outward to `2^-(fraction + 64)`.
fn power_bounds(kept: &Bounds, base: &Rational, mut times: u64, fraction: u64) -> Bounds {
    let scale = fraction + 64;
    let unit = Rational::from(Natural::power_of_2_of(scale));
    let round = |value: &Rational, mode| Rational::from(Integer::rounding_from(value * &unit, mode).0) / &unit;
    let cut = |low: Rational, high: Rational| Bounds {
        lower: round(&low, RoundingMode::Floor),
        upper: round(&high, RoundingMode::Ceiling),
    };
    let mut power = Bounds::exact(base.clone());
    let mut result = kept.clone();
    if *base == 1 {
        return result;
    }
    while times > 0 {
        if times % 2 == 1 {
            result = cut(&result.lower * &power.lower, &result.upper * &power.upper);
        }
        times /= 2;
        power = cut(&power.lower * &power.lower, &power.upper * &power.upper);
    }
    result
}

#[cfg(test)]
mod tests;
