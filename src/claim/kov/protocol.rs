//! Section 5: multi-party computation, in which each party publishes a randomised response of its bit.
//!
//! A central observer of all transcripts decides by maximum a posteriori: transcript by transcript it takes the value
//! of the function that has the larger mass. Here all bits and all transcripts are summed, as rational functions.

use super::super::algebra::Fraction;
use super::super::check::Check;
use super::super::record::{Claim, Paper};
use super::super::tally::Identities;
use super::super::verdict::Verdict;
use super::regions::worst_pair;
use crate::error::Error;

const KOV: Claim = Claim::of(Paper::Kov);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "KOV-5-xor",
        place: "Section 5, the optimal decision for XOR of the bits",
        says: "From the randomised responses of k parties, the XOR of their bits is computed with largest accuracy (1 \
               + prod r_i)/2, r_i = delta_i + (1-delta_i)(x_i-1)/(x_i+1).",
        domain: "all x_i >= 1; k = 1 to 3, delta_i = 0, and k = 1, 2 with every delta_i",
        check: Check::Computed(xor),
        how: "maximum a posteriori over all 2^k bits and all transcripts, as rational functions",
        ..KOV
    },
    Claim {
        id: "KOV-5-and",
        place: "Section 5, the optimal decision for AND of two bits",
        says: "With the same epsilon for two parties the MAP rule for AND has the accuracy 3/4 up to x = 1 + \
               sqrt(2), and (1 + 2x + 2 x^2)/(2 (1+x)^2) from there on.",
        domain: "all x >= 1",
        check: Check::Computed(and),
        how: "maximum a posteriori over all bits and transcripts, with the signs of the differences of masses, one of \
              which is that of x^2 - 2x - 1",
        ..KOV
    },
    Claim {
        id: "KOV-5-or",
        place: "Section 5, the optimal decision for OR of two bits",
        says: "OR of two bits is decided with the accuracy of AND: 3/4 up to x = 1 + sqrt(2), and (1 + 2x + 2 x^2)/(2 \
               (1+x)^2) from there on.",
        domain: "all x >= 1",
        check: Check::Computed(or),
        how: "maximum a posteriori over all bits and transcripts, with the signs of the differences of masses, one of \
              which is that of x^2 - 2x - 1",
        ..KOV
    },
    Claim {
        id: "KOV-5-majority",
        place: "Section 5, the optimal decision for a function of the bits: majority of three",
        says: "With the same epsilon for three parties the MAP rule for their majority has the accuracy x (2x^2 + 3x + \
               3)/(2 (1+x)^3).",
        domain: "all x >= 1",
        check: Check::Computed(majority),
        how: "maximum a posteriori over all bits and transcripts, with the signs of the differences of masses",
        ..KOV
    },
    Claim {
        id: "KOV-5-xor-own",
        place: "Section 5, the optimal decision for XOR by a party that knows its own bit",
        says: "A party that knows its own bit decides the XOR with the accuracy (1 + prod over the others of r_j)/2.",
        domain: "all x_j >= 1 and delta_j = 0; one or two others",
        check: Check::Computed(xor_own),
        how: "maximum a posteriori, with the own bit known",
        ..KOV
    },
];

/// The masses of a party's transcripts for bit 0 and for bit 1.
type Party = Vec<(Fraction, Fraction)>;

/// `sum over transcripts of max over v of P(f = v, transcript)`, for a function of the bits.
fn accuracy(parties: &[Party], f: fn(&[bool]) -> bool) -> Result<Fraction, Error> {
    accuracy_where(parties, f, None)
}

/// The same where this function is not negative, whose sign is not that of its coefficients.
fn accuracy_where(
    parties: &[Party],
    f: fn(&[bool]) -> bool,
    not_negative: Option<&Fraction>,
) -> Result<Fraction, Error> {
    let known = |a: &Fraction, b: &Fraction| {
        let difference = a.sub(b);
        difference.never_negative() || not_negative.is_some_and(|other| difference.sub(other).is_zero())
    };
    let mut sum = Fraction::integer(0);
    let count = parties.iter().map(Vec::len).product::<usize>();
    for transcript in 0..count {
        let mut rest = transcript;
        let seen: Vec<&(Fraction, Fraction)> = parties
            .iter()
            .map(|party| {
                let outcome = &party[rest % party.len()];
                rest /= party.len();
                outcome
            })
            .collect();
        let mut masses = [Fraction::integer(0), Fraction::integer(0)];
        for bits in 0..1_usize << parties.len() {
            let bits: Vec<bool> = (0..parties.len()).map(|i| bits >> i & 1 == 1).collect();
            let mass = seen.iter().zip(&bits).fold(Fraction::integer(1), |mass, (outcome, bit)| {
                mass.mul(if *bit { &outcome.1 } else { &outcome.0 })
            });
            let value = usize::from(f(&bits));
            masses[value] = masses[value].add(&mass);
        }
        let [zero, one] = &masses;
        let larger = if known(zero, one) {
            zero
        } else if known(one, zero) {
            one
        } else {
            return Err(Error::undecided("the sign of a difference of masses does not follow from its coefficients"));
        };
        sum = sum.add(larger);
    }
    sum.div(&Fraction::integer(1 << parties.len()))
}

fn xor() -> Result<Verdict, Error> {
    let one = Fraction::integer(1);
    let mut all = Identities::default();
    for (k, with_delta) in [(1, false), (2, false), (3, false), (1, true), (2, true)] {
        let mut parties = Vec::new();
        let mut product = one.clone();
        for i in 0..k {
            let x = one.add(&Fraction::variable(2 * i));
            let d = if with_delta { one.div(&one.add(&Fraction::variable(2 * i + 1)))? } else { Fraction::integer(0) };
            let outcomes = worst_pair(&x, &d)?.into_iter().filter(|(p, q)| !(p.is_zero() && q.is_zero()));
            parties.push(outcomes.collect::<Party>());
            let tanh = x.sub(&one).div(&x.add(&one))?;
            product = product.mul(&d.add(&one.sub(&d).mul(&tanh)));
        }
        let claimed = one.add(&product).div(&Fraction::integer(2))?;
        let found = accuracy(&parties, |bits| bits.iter().filter(|bit| **bit).count() % 2 == 1)?;
        let names: Vec<String> = (0..2 * k).map(|i| format!("y{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        all.same(|| format!("k = {k}"), &names, &found, &claimed)?;
    }
    all.verdict()
}

/// Randomised responses without what fails.
fn response(x: &Fraction) -> Result<Party, Error> {
    let pair = worst_pair(x, &Fraction::integer(0))?;
    Ok(pair.into_iter().filter(|(p, q)| !(p.is_zero() && q.is_zero())).collect())
}

fn or() -> Result<Verdict, Error> {
    two_bits(|bits| bits.iter().any(|bit| *bit))
}

fn and() -> Result<Verdict, Error> {
    two_bits(|bits| bits.iter().all(|bit| *bit))
}

/// `x = 1 + u`, and the sign of `x^2 - 2x - 1`, which changes at `x = 1 + sqrt(2)` alone, as it is on either side.
fn two_bits(f: fn(&[bool]) -> bool) -> Result<Verdict, Error> {
    let (one, two) = (Fraction::integer(1), Fraction::integer(2));
    let mut all = Identities::default();
    let x = one.add(&Fraction::variable(0));
    let parties = [response(&x)?, response(&x)?];
    let whole = one.add(&x).power(2);
    let turn = x.power(2).sub(&two.mul(&x)).sub(&one).div(&whole)?;
    let found = accuracy_where(&parties, f, Some(&turn))?;
    let above = one.add(&two.mul(&x)).add(&two.mul(&x.power(2)));
    all.same(|| "x >= 1 + sqrt(2)".into(), &["u"], &found, &above.div(&two.mul(&whole))?)?;
    let found = accuracy_where(&parties, f, Some(&Fraction::integer(0).sub(&turn)))?;
    all.same(|| "x <= 1 + sqrt(2)".into(), &["u"], &found, &Fraction::integer(3).div(&Fraction::integer(4))?)?;
    all.verdict()
}

fn majority() -> Result<Verdict, Error> {
    let (one, two, three) = (Fraction::integer(1), Fraction::integer(2), Fraction::integer(3));
    let mut all = Identities::default();
    let x = one.add(&Fraction::variable(0));
    let parties = [response(&x)?, response(&x)?, response(&x)?];
    let found = accuracy(&parties, |bits| bits.iter().filter(|bit| **bit).count() >= 2)?;
    let above = x.mul(&two.mul(&x.power(2)).add(&three.mul(&x)).add(&three));
    let claimed = above.div(&two.mul(&one.add(&x).power(3)))?;
    all.same(|| "x >= 1".into(), &["u"], &found, &claimed)?;
    all.verdict()
}

fn xor_own() -> Result<Verdict, Error> {
    let (one, none) = (Fraction::integer(1), Fraction::integer(0));
    let mut all = Identities::default();
    for others in 1..=2 {
        let mut parties = vec![vec![(one.clone(), none.clone()), (none.clone(), one.clone())]];
        let mut product = one.clone();
        for i in 0..others {
            let x = one.add(&Fraction::variable(i));
            parties.push(response(&x)?);
            product = product.mul(&x.sub(&one).div(&x.add(&one))?);
        }
        let found = accuracy(&parties, |bits| bits.iter().filter(|bit| **bit).count() % 2 == 1)?;
        let claimed = one.add(&product).div(&Fraction::integer(2))?;
        all.same(|| format!("{others} others"), &["u", "v"][..others], &found, &claimed)?;
    }
    all.verdict()
}
