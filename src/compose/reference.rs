//! Help for the tests of this floor: printed digits as sets, and the definition, in exact fractions.

use rug::ops::Pow;
use rug::{Float, Integer, Rational};

use super::{Edges, Kov, LatticePair};
use crate::curve::Curve;
use crate::mechanism::Composition;
use crate::pair::{Discrete, Pair, Product};
use enclosure::{Enclosure, Number, Real};

/// The reals that a printed decimal, correct to one unit in its last place, may stand for.
pub(crate) fn printed(digits: &str) -> Enclosure {
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((digits, "0"));
    let exponent: i32 = exponent.parse().unwrap();
    let places = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
    let whole: Integer = mantissa.replace('.', "").parse().unwrap();
    let power = Integer::from(10).pow((places - exponent).unsigned_abs());
    let scaled = |n: Integer| {
        if places >= exponent { Rational::from((n, power.clone())) } else { Rational::from(n * &power) }
    };
    let bits = 4 * mantissa.len() as u32 + 64;
    let low = Float::with_val_round(bits, scaled(whole.clone() - 1), rug::float::Round::Down).0;
    Enclosure::new(low, Float::with_val_round(bits, scaled(whole + 1), rug::float::Round::Up).0)
}

/// Does the value agree with printed digits, and is it known at least as well as they are?
pub(crate) fn assert_agrees(value: &Number, digits: &str) {
    let (value, printed) = (value.enclosure(400), printed(digits));
    assert!(value.overlaps(&printed), "{value:?} against {digits}");
    let width = |set: &Enclosure| Float::with_val(64, set.upper() - set.lower());
    assert!(width(&value) <= width(&printed), "{value:?} is too wide for {digits}");
}

/// The pair of a mechanism with finitely many losses.
pub(super) fn discrete(text: &str) -> Discrete {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    match composition.single().expect("one mechanism").0.pair() {
        Ok(Pair::Discrete(pair)) => pair,
        other => panic!("{text}: {other:?}"),
    }
}

/// A curve between its edges.
pub(crate) fn edged(curve: impl Curve + 'static, pairs: impl IntoIterator<Item = (Pair, u64)>) -> Edges {
    Edges::around(Box::new(curve), &Product::new(pairs)).expect("edges")
}

/// The curve of so many equal (epsilon, delta) mechanisms.
pub(crate) fn edged_kov(kov: &Kov) -> Edges {
    let (epsilon, delta, times) = kov.parts();
    edged(kov.clone(), [(Pair::response(epsilon, delta).expect("a pair"), times)])
}

/// The same on its lattice.
pub(super) fn on_lattice(text: &str) -> LatticePair {
    LatticePair::of(&discrete(text)).unwrap_or_else(|error| panic!("{text}: {error}")).expect("a lattice")
}

pub(crate) fn q(text: &str) -> Rational {
    if let Some((whole, fraction)) = text.split_once('.') {
        let scale = Integer::from(10).pow(fraction.len() as u32);
        return Rational::from((format!("{whole}{fraction}").parse::<Integer>().unwrap(), scale));
    }
    text.parse().unwrap()
}

pub(super) fn real(text: &str) -> Real {
    Real::from(q(text))
}

pub(super) fn ln(text: &str) -> Real {
    Real::from(q(text)).ln().unwrap()
}

/// The composed worst mechanisms as atoms of (P, Q) masses: all outcomes, one by one.
pub(super) fn atoms(parts: &[(Rational, Rational)]) -> Vec<(Rational, Rational)> {
    let mut all = vec![(Rational::from(1), Rational::from(1))];
    for (x, delta) in parts {
        let kept = Rational::from(1 - delta) / Rational::from(1 + x);
        let one = [
            (delta.clone(), Rational::new()),
            (Rational::from(&kept * x), kept.clone()),
            (kept.clone(), Rational::from(&kept * x)),
            (Rational::new(), delta.clone()),
        ];
        all = all
            .iter()
            .flat_map(|(p, q)| one.iter().map(move |(a, b)| (Rational::from(p * a), Rational::from(q * b))))
            .filter(|(p, q)| *p != 0 || *q != 0)
            .collect();
    }
    all
}

/// `sum (p - X q)_+`, the definition of the profile.
pub(crate) fn profile(atoms: &[(Rational, Rational)], x: &Rational) -> Rational {
    atoms.iter().map(|(p, q)| p - Rational::from(q * x)).filter(|d| *d > 0).sum()
}

/// The least type II error, by sorting likelihood ratios.
pub(crate) fn tradeoff(atoms: &[(Rational, Rational)], alpha: &Rational) -> Rational {
    let mut sorted = atoms.to_vec();
    // Large Q/P first.
    sorted.sort_by(|a, b| Rational::from(&b.1 * &a.0).cmp(&Rational::from(&a.1 * &b.0)));
    let (mut level, mut beta) = (alpha.clone(), Rational::from(1));
    for (p, q) in sorted {
        if p <= level {
            level -= &p;
            beta -= q;
        } else {
            beta -= q * level / p;
            break;
        }
    }
    beta
}

/// The least X >= 1 with profile at most the level; `None` for infinity.
pub(crate) fn inverse(atoms: &[(Rational, Rational)], level: &Rational) -> Option<Rational> {
    let mut sorted = atoms.to_vec();
    sorted.sort_by(|a, b| Rational::from(&b.0 * &a.1).cmp(&Rational::from(&a.0 * &b.1)));
    let (mut p_sum, mut q_sum, mut best) = (Rational::new(), Rational::new(), Rational::from(1));
    for (p, q) in sorted {
        p_sum += p;
        q_sum += q;
        if q_sum == 0 {
            if p_sum > *level {
                return None;
            }
        } else {
            let candidate = Rational::from(&p_sum - level) / &q_sum;
            if candidate > best {
                best = candidate;
            }
        }
    }
    Some(best)
}
