//! Finitely many losses a second time: every count of outcomes, masses in malachite's integers.
//!
//! The engine sorts sums of losses and splits them into halves. This route knows neither losses nor halves: it lists
//! how often each outcome occurs, each list of counts with its two masses, and adds up the definition
//! `sum (p - x q)_+`. Masses are multiples of `2^-F`, rounded outwards. A type II error lies between what one test has
//! (filled greedily, in an order that rounding may spoil: it is a test all the same) and what no test can have
//! (`1 - y alpha - sum (q - y p)_+` for any y, by duality).

use malachite::Integer;
use malachite::base::num::arithmetic::traits::{DivRound, ShrRound};
use malachite::base::num::basic::traits::{One, Zero};
use malachite::base::num::logic::traits::SignificantBits;
use malachite::base::rounding_modes::RoundingMode::{Ceiling, Floor};
use malachite::rational::Rational;

use super::dyadic::{Dyadic, Ends, div, mul};
use super::elementary::{Bounds, below_one, ceiling_at, floor_at};
use super::polygon::Polygon;
use crate::error::Error;

/// The most lists of counts.
const MOST_COUNTS: usize = 1 << 18;

/// A number between two multiples of `2^-F`, none negative.
#[derive(Clone, Debug)]
struct Mass {
    low: Integer,
    high: Integer,
}

/// One draw: bounds of the masses (p, q) of each outcome.
pub type Draw = Vec<(Bounds, Bounds)>;

/// The counts of n shuffled reports of a first and of a second kind, the own one among them: under P it is of the first
/// kind with probability `own`, of the second with `other` and of neither with `none`; under Q these two are exchanged.
/// Each of the others is a clone with probability `clone`, and of either kind then with the same chance.
pub fn shuffled(n: u32, clone: &Bounds, [own, other, none]: [&Bounds; 3], bits: u64) -> Draw {
    // A unit may be lost in the mass of each way, and there are at most 3^n ways.
    let bits = bits + 2 * u64::from(n);
    let mass = |bounds: &Bounds| Mass::of(bounds, bits);
    let [own, other, none] = [own, other, none].map(mass);
    let rest = (Rational::ONE - &clone.1, Rational::ONE - &clone.0);
    let (n, others) = (n as usize, n.saturating_sub(1));
    let both = powers(&mass(clone).scaled(1, 2), &mass(&rest), others, bits);
    // At (a+1, b+1) the mass of so many clones of either kind, in (n-1)!/(a! b! (n-1-a-b)!) ways.
    let zero = Mass { low: Integer::ZERO, high: Integer::ZERO };
    let mut table = vec![vec![zero; n + 2]; n + 2];
    let mut first = Integer::ONE;
    for a in 0..n {
        let mut ways = first.clone();
        for b in 0..n - a {
            let each = both[a + b].0.times(&both[n - 1 - a - b].1, bits);
            table[a + 1][b + 1] = Mass { low: each.low * &ways, high: each.high * &ways };
            ways = ways * Integer::from(n - 1 - a - b) / Integer::from(b + 1);
        }
        first = first * Integer::from(n - 1 - a) / Integer::from(a + 1);
    }
    let number = |value: Integer| Rational::from(value) >> bits;
    let mut draw = Draw::new();
    for a in 0..=n {
        for b in 0..=n - a {
            let with = |one: &Mass, two: &Mass| {
                let parts = [(one, &table[a][b + 1]), (two, &table[a + 1][b]), (&none, &table[a + 1][b + 1])];
                let parts = parts.map(|(share, mass)| share.times(mass, bits));
                let (low, high): (Vec<Integer>, Vec<Integer>) = parts.into_iter().map(|m| (m.low, m.high)).unzip();
                (number(low.into_iter().sum()), number(high.into_iter().sum()))
            };
            draw.push((with(&own, &other), with(&other, &own)));
        }
    }
    draw
}

/// The joint masses (p, q) of all lists of counts.
#[derive(Clone)]
pub struct Counts {
    masses: Vec<(Mass, Mass)>,
    bits: u64,
}

impl Mass {
    fn of((low, high): &Bounds, bits: u64) -> Self {
        Mass { low: floor_at(low, bits), high: ceiling_at(high, bits) }
    }

    fn times(&self, other: &Mass, bits: u64) -> Mass {
        Mass { low: (&self.low * &other.low) >> bits, high: (&self.high * &other.high).shr_round(bits, Ceiling).0 }
    }

    /// `x n / d`.
    fn scaled(&self, n: u32, d: u32) -> Mass {
        let (n, d) = (Integer::from(n), Integer::from(d));
        Mass { low: (&self.low * &n).div_round(&d, Floor).0, high: (&self.high * &n).div_round(d, Ceiling).0 }
    }
}

/// About a quotient, to be put into order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Odds {
    /// Nothing, or of a size, and of one size by the leading bits.
    Finite(i64, Integer),
    Infinite,
}

impl Odds {
    /// `a/b` to so many bits.
    fn of(a: &Integer, b: &Integer, bits: u64) -> Self {
        let size = |x: &Integer| x.significant_bits() as i64;
        if *b == 0 {
            return Odds::Infinite;
        }
        if *a == 0 {
            return Odds::Finite(i64::MIN, Integer::ZERO);
        }
        let shift = bits as i64 + size(b) - size(a);
        let (a, b) =
            if shift >= 0 { (a << shift.unsigned_abs(), b.clone()) } else { (a.clone(), b << shift.unsigned_abs()) };
        // Of `bits` bits, or of one more.
        let quotient = a.div_round(b, Floor).0;
        let more = size(&quotient) - bits as i64;
        Odds::Finite(more - shift, if more > 0 { quotient } else { quotient << 1u64 })
    }
}

/// Powers of two masses, from that of nothing on.
fn powers(p: &Mass, q: &Mass, most: u32, bits: u64) -> Vec<(Mass, Mass)> {
    let one = Mass { low: Integer::ONE << bits, high: Integer::ONE << bits };
    let mut powers = vec![(one.clone(), one)];
    for _ in 0..most {
        let next = powers.last().map(|(a, b)| (a.times(p, bits), b.times(q, bits)));
        powers.extend(next);
    }
    powers
}

/// Bits of factors beyond those of masses.
const SPARE: u64 = 64;

/// The masses of all counts of the outcomes of one draw, so often drawn, in multiples of `2^-bits`.
///
/// Their factors may be as small as they are, and as large: `C(n, i)` may be `2^n`. They are of so many bits and some.
fn repeated(
    draw: &Draw,
    times: u32,
    bits: u64,
    fits: &dyn Fn(usize) -> Result<(), Error>,
) -> Result<Vec<(Mass, Mass)>, Error> {
    let work = bits + SPARE;
    let whole = |n: u32| (Dyadic::whole(i64::from(n)), Dyadic::whole(i64::from(n)));
    let ends = |(low, high): &Bounds| {
        let digits = work + if *low > 0u32 { below_one(low) } else { 0 };
        (Dyadic::of(low, digits).0, Dyadic::of(high, digits).1)
    };
    // Of the outcomes so far: the masses, and the draws that are left for the others.
    let mut parts = vec![(whole(1), whole(1), times)];
    for (index, (p, q)) in draw.iter().enumerate() {
        let (p, q) = (ends(p), ends(q));
        if index + 1 == draw.len() {
            // All draws that are left: one power of its mass.
            let powers = [p, q].map(|mass| {
                let mut power = whole(1);
                let next = |_| {
                    let next = mul(&power, &mass, work);
                    std::mem::replace(&mut power, next)
                };
                (0..=times).map(next).collect::<Vec<_>>()
            });
            for (a, b, left) in &mut parts {
                let at = |powers: &[Ends]| usize::try_from(*left).ok().and_then(|left| powers.get(left).cloned());
                let [Some(p), Some(q)] = [&powers[0], &powers[1]].map(|powers| at(powers)) else { continue };
                (*a, *b) = (mul(a, &p, work), mul(b, &q, work));
            }
            break;
        }
        let mut longer = Vec::new();
        for (mut a, mut b, left) in parts {
            // a C(left, n) p^n, one n after the other.
            for n in 0..=left {
                longer.push((a.clone(), b.clone(), left - n));
                let next =
                    |a: &Ends, p: &Ends| div(&mul(&mul(a, p, work), &whole(left - n), work), &whole(n + 1), work);
                (a, b) = (next(&a, &p), next(&b, &q));
            }
            fits(longer.len())?;
        }
        parts = longer;
    }
    let mass = |ends: &Ends| Mass { low: ends.0.units(bits, Floor), high: ends.1.units(bits, Ceiling) };
    Ok(parts.iter().map(|(a, b, _)| (mass(a), mass(b))).collect())
}

impl Counts {
    /// Of a composition of draws, each so many times, in multiples of `2^-bits`.
    ///
    /// # Errors
    /// [`Error::Undecided`] for too many counts.
    pub fn new(factors: &[(Draw, u32)], bits: u64) -> Result<Self, Error> {
        let one = Mass { low: Integer::ONE << bits, high: Integer::ONE << bits };
        let too_many = |count: usize| {
            let error = || Error::undecided(format!("more than {MOST_COUNTS} counts of outcomes"));
            if count > MOST_COUNTS { Err(error()) } else { Ok(()) }
        };
        let mut masses = vec![(one.clone(), one.clone())];
        for (draw, times) in factors {
            let parts = if *times == 1 {
                draw.iter().map(|(p, q)| (Mass::of(p, bits), Mass::of(q, bits))).collect()
            } else {
                repeated(draw, *times, bits, &too_many)?
            };
            too_many(masses.len().saturating_mul(parts.len()))?;
            let with = |(a, b): &(Mass, Mass)| -> Vec<(Mass, Mass)> {
                parts.iter().map(|(r, s)| (a.times(r, bits), b.times(s, bits))).collect()
            };
            masses = masses.iter().flat_map(with).collect();
        }
        Ok(Counts { masses, bits })
    }

    /// The pair with P and Q exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Counts { masses: self.masses.iter().map(|(p, q)| (q.clone(), p.clone())).collect(), bits: self.bits }
    }

    fn number(&self, low: &Integer, high: &Integer) -> Bounds {
        let scale = |n: &Integer| Rational::from(n.clone()) >> self.bits;
        (scale(low), scale(high))
    }

    /// `sum (a - x b)_+` of pairs of masses.
    fn excess<'a>(&self, pairs: impl Iterator<Item = (&'a Mass, &'a Mass)>, x: &Mass) -> (Integer, Integer) {
        let (mut low, mut high) = (Integer::ZERO, Integer::ZERO);
        for (a, b) in pairs {
            let taken = b.times(x, self.bits);
            let (least, most) = (&a.low - taken.high, &a.high - taken.low);
            if least > 0 {
                low += least;
            }
            if most > 0 {
                high += most;
            }
        }
        (low, high)
    }

    /// `H_x(P||Q)`.
    pub fn delta(&self, x: &Bounds) -> Bounds {
        let (low, high) = self.excess(self.masses.iter().map(|(p, q)| (p, q)), &Mass::of(x, self.bits));
        self.number(&low, &high)
    }

    /// The masses under P and Q of the counts with `p > x q`; wide where that is not decided.
    pub fn above(&self, x: &Bounds) -> (Bounds, Bounds) {
        let x = Mass::of(x, self.bits);
        let mut sums = [Integer::ZERO, Integer::ZERO, Integer::ZERO, Integer::ZERO];
        for (p, q) in &self.masses {
            let level = q.times(&x, self.bits);
            if p.low > level.high {
                sums[0] += &p.low;
                sums[2] += &q.low;
            }
            if p.high > level.low {
                sums[1] += &p.high;
                sums[3] += &q.high;
            }
        }
        (self.number(&sums[0], &sums[1]), self.number(&sums[2], &sums[3]))
    }

    /// `T(P,Q)(alpha)`.
    pub fn beta(&self, alpha: &Rational) -> Bounds {
        let one = Integer::ONE << self.bits;
        let level = Mass::of(&(alpha.clone(), alpha.clone()), self.bits);
        let (mut left, mut rejected) = (level.low, Integer::ZERO);
        let mut y = Mass { low: Integer::ZERO, high: Integer::ZERO };
        for (p, q) in self.in_order() {
            if p.high <= left {
                left -= &p.high;
                rejected += &q.low;
            } else {
                // A part of it, that surely is not too large.
                rejected += (&q.low * &left).div_round(&p.high, Floor).0;
                let slope = (&q.high << self.bits).div_round(&p.high, Floor).0;
                y = Mass { low: slope.clone(), high: slope };
                break;
            }
        }
        let low = self.line(alpha, &y);
        self.number(&if low > 0 { low } else { Integer::ZERO }, &(one - rejected))
    }

    /// `min(f, f^-1)**` at alpha, for `f = T(P,Q)` and the counts of the other order: on the lower hull of points above
    /// both functions, and on the line with the slope of that hull below both.
    pub fn beta_of_both(&self, other: &Self, alpha: &Rational) -> Bounds {
        let (zero, one) = (Rational::from(0), Rational::from(1));
        let mut points = vec![(zero.clone(), one.clone()), (one.clone(), zero.clone())];
        for side in [self, other] {
            let (mut paid, mut rejected) = (Integer::ZERO, Integer::ZERO);
            for (p, q) in side.in_order() {
                paid += &p.high;
                rejected += &q.low;
                let (gained, level) = self.number(&rejected, &paid);
                if level >= one {
                    break;
                }
                points.push((level, &one - gained));
            }
        }
        let hull = Polygon::hull(points);
        let high = hull.at(alpha);
        let edge = hull.vertices().windows(2).find(|edge| matches!(edge, [_, (end, _)] if end >= alpha));
        let low = match edge {
            Some([(a, b), (c, d)]) => {
                let y = Mass::of(&((b - d) / (c - a), (b - d) / (c - a)), self.bits);
                let y = Mass { low: y.low.clone(), high: y.low };
                let below = self.line(alpha, &y).min(other.line(alpha, &y));
                self.number(&if below > 0 { below } else { Integer::ZERO }, &Integer::ZERO).0
            }
            _ => zero,
        };
        (low, high)
    }

    /// The outcomes with any mass, by falling `q/p`, as far as the enclosures show it.
    fn in_order(&self) -> Vec<&(Mass, Mass)> {
        let some = |(p, q): &&(Mass, Mass)| p.high > 0 || q.high > 0;
        let mut order: Vec<&(Mass, Mass)> = self.masses.iter().filter(some).collect();
        order.sort_by_cached_key(|(p, q)| std::cmp::Reverse(Odds::of(&q.high, &p.high, self.bits)));
        order
    }

    /// A lower bound of the height at alpha of the line of slope `-y` below the errors.
    fn line(&self, alpha: &Rational, y: &Mass) -> Integer {
        let alpha = Mass::of(&(alpha.clone(), alpha.clone()), self.bits);
        let (_, lost) = self.excess(self.masses.iter().map(|(p, q)| (q, p)), y);
        (Integer::ONE << self.bits) - (&y.high * &alpha.high).shr_round(self.bits, Ceiling).0 - lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::finite::{Tuples, number};

    fn exact(text: &str) -> Bounds {
        let value = number(text).expect("a fraction");
        (value.clone(), value)
    }

    /// Around the fractions of the route that lists all tuples, and narrow.
    #[test]
    fn encloses_all_tuples() {
        let factors = [
            (vec!["1/2", "1/4", "1/4", "0"], vec!["1/3", "1/3", "1/6", "1/6"], 3),
            (vec!["3/5", "2/5"], vec!["2/5", "3/5"], 4),
        ];
        let texts = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let lists: Vec<_> = factors.iter().map(|(p, q, n)| (texts(p), texts(q), *n)).collect();
        let draws: Vec<_> = factors
            .iter()
            .map(|(p, q, n)| (p.iter().zip(q).map(|(p, q)| (exact(p), exact(q))).collect::<Draw>(), *n))
            .collect();
        let (tuples, counts) = (Tuples::new(&lists).expect("few"), Counts::new(&draws, 300).expect("few"));
        let narrow = Rational::from(1u32) >> 280u64;
        for (tuples, counts) in [(tuples.swapped(), counts.swapped()), (tuples, counts)] {
            for x in ["1/3", "1", "3/2", "27/8", "40"] {
                let ((low, high), truth) = (counts.delta(&exact(x)), tuples.delta(&number(x).expect("a fraction")));
                assert!(low <= truth && truth <= high && high - low < narrow, "{x}");
            }
            for alpha in ["0", "1/100", "1/3", "7/8", "1"] {
                let alpha = number(alpha).expect("a fraction");
                let ((low, high), truth) = (counts.beta(&alpha), tuples.beta(&alpha));
                assert!(low <= truth && truth <= high && high - low < narrow, "{alpha}");
            }
        }
    }

    /// Two reports, by hand: the other one is with probability 1/4 a clone of the first kind, 1/4 of the second, 1/2
    /// none.
    #[test]
    fn two_shuffled_reports_by_hand() {
        let draw = shuffled(2, &exact("1/2"), [&exact("1/2"), &exact("1/3"), &exact("1/6")], 200);
        // Counts (0,0), (0,1), (0,2), (1,0), (1,1), (2,0); under Q the kinds are exchanged.
        let first = ["1/12", "5/24", "1/12", "7/24", "5/24", "1/8"];
        let second = ["1/12", "7/24", "1/8", "5/24", "5/24", "1/12"];
        assert_eq!(draw.len(), first.len());
        for ((p, q), (first, second)) in draw.iter().zip(first.iter().zip(second)) {
            for ((low, high), truth) in [(p, number(first)), (q, number(second))] {
                let truth = truth.expect("a fraction");
                assert!(*low <= truth && truth <= *high && high - low < Rational::from(1u32) >> 190u64, "{truth}");
            }
        }
    }

    /// Bounds that are wide give bounds that are wide, around all that they allow.
    #[test]
    fn wide_masses_are_bounded() {
        let wide = |low: &str, high: &str| (number(low).expect("a fraction"), number(high).expect("a fraction"));
        let draw = |p: (&str, &str), q: (&str, &str)| (wide(p.0, p.1), wide(q.0, q.1));
        let counts =
            Counts::new(&[(vec![draw(("1/2", "3/5"), ("1/4", "1/3")), draw(("2/5", "1/2"), ("2/3", "3/4"))], 3)], 200)
                .expect("few");
        for (p, q) in [("1/2", "1/3"), ("11/20", "1/4"), ("3/5", "3/10")] {
            let (p, q) = (number(p).expect("a fraction"), number(q).expect("a fraction"));
            let rest = |mass: &Rational| (Rational::from(1u32) - mass).to_string();
            let tuples =
                Tuples::new(&[(vec![p.to_string(), rest(&p)], vec![q.to_string(), rest(&q)], 3)]).expect("few");
            for x in ["1/2", "1", "2"] {
                let ((low, high), truth) = (counts.delta(&exact(x)), tuples.delta(&number(x).expect("a fraction")));
                assert!(low <= truth && truth <= high, "{x}");
            }
            for alpha in ["1/10", "1/2"] {
                let alpha = number(alpha).expect("a fraction");
                let ((low, high), truth) = (counts.beta(&alpha), tuples.beta(&alpha));
                assert!(low <= truth && truth <= high, "{alpha}");
            }
        }
    }
}
