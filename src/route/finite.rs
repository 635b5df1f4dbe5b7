//! Finite pairs a second time: brute force over outcome tuples, in malachite's rationals.
//!
//! Where the engines merge outcomes of equal likelihood ratio and search among them, this route lists every tuple of
//! outcomes and adds up the definition; where they call MPFR for logarithms and exponentials, it sums series of
//! fractions with explicit remainders. It is slow, short, and shares no arithmetic with what it checks. Numbers come
//! and go as text ("p/q").
//!
//! Enclosures are pairs of rationals whose absolute error is about `2^-256`: more than 45 digits for all but tiny values.

use std::str::FromStr;

use malachite::Integer;
use malachite::base::num::arithmetic::traits::{Ceiling, Floor, PowerOf2, Reciprocal, Sign};
use malachite::rational::Rational;

use crate::error::Error;

/// Binary places of the series: what is dropped is below `2^-BITS` each time and counted.
const BITS: u64 = 256;

/// The most outcome tuples that are listed.
const MOST_TUPLES: usize = 1 << 20;

/// `lower <= truth <= upper`, exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// No more than the truth.
    pub lower: Rational,
    /// No less than the truth.
    pub upper: Rational,
}

impl Bracket {
    fn point(value: Rational) -> Self {
        Bracket { lower: value.clone(), upper: value }
    }

    /// The ends as fractions "p/q".
    pub fn texts(&self) -> (String, String) {
        (self.lower.to_string(), self.upper.to_string())
    }

    fn times(&self, factor: &Rational) -> Self {
        let (a, b) = (&self.lower * factor, &self.upper * factor);
        if a <= b { Bracket { lower: a, upper: b } } else { Bracket { lower: b, upper: a } }
    }

    fn plus(&self, other: &Self) -> Self {
        Bracket { lower: &self.lower + &other.lower, upper: &self.upper + &other.upper }
    }

    fn negated(&self) -> Self {
        self.times(&Rational::from(-1))
    }

    /// Ends cut to `places` binary places, outward.
    fn rounded(&self, places: u64) -> Self {
        let unit = Rational::power_of_2(places);
        let down: Integer = (&self.lower * &unit).floor();
        let up: Integer = (&self.upper * &unit).ceiling();
        Bracket { lower: Rational::from(down) / &unit, upper: Rational::from(up) / &unit }
    }
}

/// The joint masses (p, q) of all tuples of outcomes.
pub struct Tuples {
    masses: Vec<(Rational, Rational)>,
}

impl Tuples {
    /// All tuples of a composition, given as lists of fractions and how often each pair is drawn.
    pub fn new(factors: &[(Vec<String>, Vec<String>, u32)]) -> Result<Self, Error> {
        let mut masses = vec![(Rational::from(1), Rational::from(1))];
        for (p, q, times) in factors {
            let outcomes: Vec<(Rational, Rational)> =
                p.iter().zip(q).map(|(p, q)| Ok((number(p)?, number(q)?))).collect::<Result<_, Error>>()?;
            for _ in 0..*times {
                if masses.len().saturating_mul(outcomes.len()) > MOST_TUPLES {
                    return Err(Error::undecided(format!("more than {MOST_TUPLES} tuples of outcomes")));
                }
                masses = masses.iter().flat_map(|(p, q)| outcomes.iter().map(move |(r, s)| (p * r, q * s))).collect();
            }
        }
        Ok(Tuples { masses })
    }

    /// The same composition by how often each outcome occurs: tuples that are permutations of each other stand together,
    /// as `T!/(n_1! ... n_m!)` times one of them. Outcomes without mass under either are left out.
    pub fn counted(factors: &[(Vec<String>, Vec<String>, u32)]) -> Result<Self, Error> {
        let mut masses = vec![(Rational::from(1), Rational::from(1))];
        for (p, q, times) in factors {
            // Of the outcomes so far: the masses, and the draws that are left for the others.
            let mut parts = vec![(Rational::from(1), Rational::from(1), *times)];
            let mut outcomes: Vec<(Rational, Rational)> =
                p.iter().zip(q).map(|(p, q)| Ok((number(p)?, number(q)?))).collect::<Result<_, Error>>()?;
            outcomes.retain(|(p, q)| *p != 0u32 || *q != 0u32);
            for (index, (p, q)) in outcomes.iter().enumerate() {
                let last = index + 1 == outcomes.len();
                let mut longer = Vec::new();
                for (a, b, left) in &parts {
                    // a C(left, n) p^n, one n after the other.
                    let (mut r, mut s) = (a.clone(), b.clone());
                    for n in 0..=*left {
                        if !last || n == *left {
                            longer.push((r.clone(), s.clone(), left - n));
                        }
                        let next = Rational::from(left - n) / Rational::from(n + 1);
                        r *= p * &next;
                        s *= q * next;
                    }
                    if longer.len() > MOST_TUPLES {
                        return Err(Error::undecided(format!("more than {MOST_TUPLES} counts of outcomes")));
                    }
                }
                parts = longer;
            }
            if masses.len().saturating_mul(parts.len()) > MOST_TUPLES {
                return Err(Error::undecided(format!("more than {MOST_TUPLES} counts of outcomes")));
            }
            masses = masses.iter().flat_map(|(a, b)| parts.iter().map(move |(r, s, _)| (a * r, b * s))).collect();
        }
        Ok(Tuples { masses })
    }

    /// The pair with P and Q exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Tuples { masses: self.masses.iter().map(|(p, q)| (q.clone(), p.clone())).collect() }
    }

    /// `H_x(P||Q)`: the sum over all tuples of `max(p - x q, 0)`.
    pub fn delta(&self, x: &Rational) -> Rational {
        let zero = Rational::from(0);
        self.masses.iter().map(|(p, q)| p - x * q).filter(|excess| *excess > zero).fold(zero.clone(), |a, b| a + b)
    }

    /// `H(P||Q)` at `e^epsilon` for a rational epsilon; the profile decreases in x.
    pub fn delta_at_epsilon(&self, epsilon: &Rational) -> Bracket {
        let x = exp(epsilon);
        Bracket { lower: self.delta(&x.upper), upper: self.delta(&x.lower) }
    }

    /// `T(P,Q)(alpha)` by filling the rejection set greedily with the tuples that Q likes most.
    pub fn beta(&self, alpha: &Rational) -> Rational {
        let zero = Rational::from(0);
        let mut order: Vec<_> = self.masses.iter().filter(|(_, q)| *q != zero).collect();
        // q/p descending without dividing: tuples with p = 0 come first.
        order.sort_by(|(p, q), (r, s)| (s * p).cmp(&(q * r)));
        let mut left = alpha.clone();
        let mut beta = Rational::from(1);
        for (p, q) in order {
            if *p <= left {
                left -= p;
                beta -= q;
            } else {
                beta -= q * &left / p;
                break;
            }
        }
        beta
    }

    /// `KL(P||Q)`; `None` if it is infinite.
    pub fn kl(&self) -> Option<Bracket> {
        let zero = Rational::from(0);
        let mut sum = Bracket::point(zero.clone());
        for (p, q) in self.masses.iter().filter(|(p, _)| *p != zero) {
            if *q == zero {
                return None;
            }
            sum = sum.plus(&ln(&(p / q)).times(p));
        }
        Some(sum)
    }
}

/// A fraction "p/q", or an integer.
pub fn number(text: &str) -> Result<Rational, Error> {
    Rational::from_str(text).map_err(|()| Error::input(format!("`{text}` is no fraction p/q")))
}

/// `ln r` for `r > 0`: `r = 2^k s` with `2/3 <= s <= 4/3` or so, `ln s = 2 artanh((s-1)/(s+1))`.
pub fn ln(r: &Rational) -> Bracket {
    let (two, one) = (Rational::from(2), Rational::from(1));
    let mut k = 0i64;
    let mut s = r.clone();
    while s > Rational::from_signeds(4, 3) {
        s /= &two;
        k += 1;
    }
    while s < Rational::from_signeds(2, 3) {
        s *= &two;
        k -= 1;
    }
    let mantissa = twice_artanh(&((&s - &one) / (&s + &one)));
    // ln 2 = 2 artanh(1/3)
    mantissa.plus(&twice_artanh(&Rational::from_signeds(1, 3)).times(&Rational::from(k)))
}

/// `2 artanh z = 2 sum z^(2n+1)/(2n+1)` for `|z| <= 1/3`; what follows a term is below `1/8` of it times `1/(1 - 1/9)`.
fn twice_artanh(z: &Rational) -> Bracket {
    let zero = Rational::from(0);
    if *z == zero {
        return Bracket::point(zero);
    }
    if *z < zero {
        return twice_artanh(&-z).negated();
    }
    let square = z * z;
    // Powers are kept short: each is a bracket with BITS + 64 places.
    let places = BITS + 64;
    let mut power = Bracket::point(z.clone()).rounded(places);
    let mut sum = Bracket::point(zero);
    let bound = Rational::power_of_2(BITS).reciprocal();
    let mut n = 1i64;
    while power.upper > bound {
        sum = sum.plus(&power.times(&Rational::from_signeds(2, n)));
        power = power.times(&square).rounded(places);
        n += 2;
    }
    // The rest is at most 2 power (1 + 1/9 + 1/81 + ...) <= 3 power.
    sum.upper += Rational::from(3) * power.upper;
    sum.rounded(places)
}

/// `e^y` for a rational y: the series at `y/2^h` with `|y/2^h| <= 1/2`, squared h times.
pub fn exp(y: &Rational) -> Bracket {
    let (zero, one) = (Rational::from(0), Rational::from(1));
    if y.sign() == std::cmp::Ordering::Less {
        let inverse = exp(&-y);
        return Bracket { lower: inverse.upper.reciprocal(), upper: inverse.lower.reciprocal() };
    }
    let (mut halvings, mut small) = (0u64, y.clone());
    while small > Rational::from_signeds(1, 2) {
        small /= Rational::from(2);
        halvings += 1;
    }
    // Squaring doubles relative errors, and the value may be as large as e^y: room for both.
    let places = BITS + 64 + 2 * halvings;
    let bound = Rational::power_of_2(places).reciprocal();
    let mut term = Bracket::point(one.clone());
    let mut sum = Bracket::point(zero);
    let mut n = 1i64;
    while term.upper > bound {
        sum = sum.plus(&term);
        term = term.times(&(&small / Rational::from(n))).rounded(places + 8);
        n += 1;
    }
    // Terms at least halve from here on.
    sum.upper += Rational::from(2) * term.upper;
    for _ in 0..halvings {
        sum = Bracket { lower: &sum.lower * &sum.lower, upper: &sum.upper * &sum.upper }.rounded(places);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::atoms::{Atoms, Factor, Limits};
    use crate::curve::{Curve, Direction, Value, finite_kl};
    use crate::pair::FinitePair;
    use enclosure::{Budget, Enclosure, Number, Real, refine};

    fn texts(masses: &[(u32, u32)]) -> Vec<String> {
        masses.iter().map(|(a, b)| format!("{a}/{b}")).collect()
    }

    fn rug(value: &Rational) -> rug::Rational {
        value.to_string().parse().unwrap()
    }

    fn enclosure(bracket: &Bracket) -> Enclosure {
        Enclosure::rational(&rug(&bracket.lower), 400).hull(&Enclosure::rational(&rug(&bracket.upper), 400))
    }

    /// Fifty digits: the bracket is narrower than 10^-45 of the value.
    fn assert_confirms(bracket: &Bracket, value: &Number) {
        let own = enclosure(bracket);
        assert!(own.relative_bits().unwrap() > 150, "{own:?}");
        assert!(own.overlaps(&value.enclosure(200)), "{own:?} {value:?}");
    }

    #[test]
    fn series_against_mpfr() {
        for text in ["3/2", "1/1000", "123456789/1234567", "10000000001/10000000000", "2"] {
            let r = number(text).unwrap();
            assert_confirms(&ln(&r), &Number::Enclosed(Enclosure::rational(&rug(&r), 300).ln()));
        }
        for text in ["1", "-1", "1/1000", "20", "-123/10"] {
            let y = number(text).unwrap();
            assert_confirms(&exp(&y), &Number::Enclosed(Enclosure::rational(&rug(&y), 300).exp()));
        }
        assert_eq!(ln(&number("1").unwrap()), Bracket::point(number("0").unwrap()));
    }

    /// Counting permutations gives what listing them does, at every point.
    #[test]
    fn counts_and_lists_agree() {
        let factors = [
            (texts(&[(1, 2), (1, 3), (1, 6)]), texts(&[(1, 6), (1, 3), (1, 2)]), 4),
            (texts(&[(3, 4), (1, 4), (0, 1), (0, 1)]), texts(&[(1, 4), (0, 1), (3, 4), (0, 1)]), 3),
        ];
        let (listed, counted) = (Tuples::new(&factors).expect("few"), Tuples::counted(&factors).expect("fewer"));
        assert_eq!((listed.masses.len(), counted.masses.len()), (81 * 64, 15 * 10));
        for (p, q) in [(0, 1), (1, 3), (1, 1), (3, 2), (27, 1)] {
            let at = Rational::from_signeds(p, q);
            assert_eq!(listed.delta(&at), counted.delta(&at), "{p}/{q}");
            assert_eq!(listed.swapped().delta(&at), counted.swapped().delta(&at), "{p}/{q}");
            assert_eq!(listed.beta(&at), counted.beta(&at), "{p}/{q}");
        }
    }

    #[test]
    fn confirms_the_engine() {
        let factors = [
            (texts(&[(1, 2), (1, 4), (1, 4), (0, 1)]), texts(&[(1, 3), (1, 3), (1, 6), (1, 6)]), 3),
            (texts(&[(3, 5), (2, 5)]), texts(&[(2, 5), (3, 5)]), 4),
        ];
        let list = |texts: &[String]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>();
        let drawn: Vec<Factor> =
            factors.iter().map(|(p, q, n)| Factor::new(list(p), list(q), u64::from(*n)).unwrap()).collect();
        let budget = Budget::default();
        let atoms = Atoms::new(&drawn, Limits::default(), &budget).unwrap();
        let tuples = Tuples::new(&factors).unwrap();
        for (tuples, direction) in [(tuples.swapped(), Direction::Backward), (tuples, Direction::Forward)] {
            for x in ["1/3", "1", "3/2", "27/8", "40"] {
                let x = number(x).unwrap();
                assert_eq!(Ok(rug(&tuples.delta(&x))), atoms.delta_at(&rug(&x), direction));
            }
            for alpha in ["0", "1/100", "1/3", "7/8", "1"] {
                let alpha = number(alpha).unwrap();
                assert_eq!(Ok(rug(&tuples.beta(&alpha))), atoms.beta_at(&rug(&alpha), direction));
            }
            for epsilon in ["1/7", "1", "-1/2"] {
                let epsilon = number(epsilon).unwrap();
                let point = Real::from(rug(&epsilon));
                let value = refine(45, &budget, |bits| atoms.delta(&point, direction, bits, &budget)).unwrap();
                assert_confirms(&tuples.delta_at_epsilon(&epsilon), &value);
            }
        }
    }

    #[test]
    fn confirms_the_divergence() {
        let (p, q) = (texts(&[(1, 2), (1, 4), (1, 4)]), texts(&[(1, 3), (1, 3), (1, 3)]));
        let list = |texts: &[String]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>();
        let pair = FinitePair::new(list(&p), list(&q)).unwrap();
        let Value::Finite(value) = finite_kl(&pair, 200) else { panic!("infinite") };
        assert_confirms(&Tuples::new(&[(p, q, 1)]).unwrap().kl().unwrap(), &value);
        let escaping = Tuples::new(&[(texts(&[(1, 2), (1, 2)]), texts(&[(1, 1), (0, 1)]), 1)]).unwrap();
        assert_eq!(escaping.kl(), None);
    }
}
