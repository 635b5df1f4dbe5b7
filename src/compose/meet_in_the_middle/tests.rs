//! Lists in numbers of each width and in each way, against multinomials in fractions.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rug::Rational;

use super::half::Half;
use super::list::List;
use super::walk::pairs;
use super::*;
use enclosure::words::{Limbs, Word};

/// A law in fractions: keys, and masses under P and Q.
type Law = Vec<(i64, Rational, Rational)>;

fn law(weights: &[(u32, u32)]) -> Law {
    let sum = |of: fn(&(u32, u32)) -> u32| weights.iter().map(of).sum::<u32>();
    let (p, q) = (sum(|w| w.0), sum(|w| w.1));
    let keys = weights.iter().enumerate().map(|(i, _)| 1000 * i as i64 - 2500 - (i * i) as i64);
    keys.zip(weights).map(|(key, w)| (key, Rational::from((w.0, p)), Rational::from((w.1, q)))).collect()
}

fn fixed_point(x: &Rational, fraction: u32) -> Integer {
    (Rational::from(x << fraction)).floor().into_numer_denom().0
}

/// Draws from it, one way.
fn draws(law: &Law, times: u64, way: Way, fraction: u32) -> Draws {
    let bits = if way == Way::Sequences { fraction + SEQUENCE_GUARD } else { fraction };
    let atoms = law.iter().map(|(key, p, q)| Keyed {
        key: Integer::from(*key),
        p: fixed_point(p, bits),
        q: fixed_point(q, bits),
    });
    let (key_error, lacking) = (Integer::from(3), Integer::new());
    Draws { atoms: atoms.collect(), key_error, error: 1, lacking, times, way }
}

/// All sums of keys with their masses.
fn composed(law: &Law, times: u64) -> BTreeMap<i64, (Rational, Rational)> {
    let mut all = BTreeMap::from([(0, (Rational::from(1), Rational::from(1)))]);
    for _ in 0..times {
        let mut next: BTreeMap<i64, (Rational, Rational)> = BTreeMap::new();
        for (sum, (p, q)) in &all {
            for (key, more_p, more_q) in law {
                let slot = next.entry(sum + key).or_default();
                slot.0 += Rational::from(p * more_p);
                slot.1 += Rational::from(q * more_q);
            }
        }
        all = next;
    }
    all
}

fn list<W: Word>(draws: &[Draws], fraction: u32) -> (Vec<[Integer; 3]>, Integer) {
    let half = Half::<W>::new(draws, fraction, &Budget::default()).expect("a half");
    let List { keys, p, q } = &half.list;
    let atoms = keys.iter().zip(p).zip(q).map(|((key, p), q)| [key, p, q].map(Word::integer));
    (atoms.collect(), half.frame.missing)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the width and the way, no mass is too large, all are there, and what is missing is counted.
    #[test]
    fn lists_are_multinomials(
        weights in prop::collection::vec((0..9u32, 0..9u32), 1..6), more in 1..9u32, times in 1..=8u64,
        fraction in prop_oneof![6..30u32, Just(90)],
    ) {
        let law = law(&[weights, vec![(more, 1)]].concat());
        let truth = composed(&law, times);
        for way in [Way::Squares, Way::Sequences] {
            let draws = [draws(&law, times, way, fraction)];
            let (atoms, missing) = list::<Integer>(&draws, fraction);
            prop_assert_eq!(&list::<Limbs<3>>(&draws, fraction).0, &atoms);
            prop_assert_eq!(&list::<Limbs<5>>(&draws, fraction).0, &atoms);
            prop_assert_eq!(&list::<Limbs<8>>(&draws, fraction).0, &atoms);
            prop_assert!(atoms.windows(2).all(|two| two[0][0] > two[1][0]));
            let mut lost = [Rational::from(1), Rational::from(1)];
            for [key, p, q] in &atoms {
                let (exact_p, exact_q) = &truth[&key.to_i64().expect("a key")];
                let unit = |n: &Integer| Rational::from(n) >> fraction;
                prop_assert!(unit(p) <= *exact_p && unit(q) <= *exact_q, "{:?} {}", way, key);
                lost[0] -= unit(p);
                lost[1] -= unit(q);
            }
            prop_assert!(lost.iter().all(|lost| Rational::from(lost << fraction) <= missing), "{:?} {:?}", way, lost);
        }
    }
}

/// Draws one by one: none of the masses is two units too small, with kinds of which many come to nothing.
#[test]
fn sequences_are_sharp() {
    let weights: Vec<(u32, u32)> = (0..9).map(|i| (1 << i, 3_u32.pow(i))).collect();
    let law = law(&weights);
    for (times, fraction) in [(2, 20), (5, 24), (8, 40)] {
        let truth = composed(&law, times);
        let (atoms, missing) = list::<Limbs<3>>(&[draws(&law, times, Way::Sequences, fraction)], fraction);
        let kept: BTreeMap<i64, &[Integer; 3]> = atoms.iter().map(|a| (a[0].to_i64().expect("a key"), a)).collect();
        // Sums of one key come together; each has two units for each multiset of it: with these keys none is shared.
        for (key, (p, q)) in &truth {
            for (exact, at) in [(p, 1), (q, 2)] {
                let found = kept.get(key).map_or_else(Integer::new, |atom| atom[at].clone());
                let lost = Rational::from(exact << fraction) - found;
                assert!(lost >= 0 && lost < 2 * shared(&law, times, *key), "{times} {key} {lost}");
            }
        }
        assert!(missing >= 2 * truth.len() as u64, "{missing}");
    }
}

/// How many multisets have this sum.
fn shared(law: &Law, times: u64, sum: i64) -> u64 {
    fn count(law: &[(i64, Rational, Rational)], times: u64, sum: i64) -> u64 {
        match law.split_first() {
            None => u64::from(times == 0 && sum == 0),
            Some(((key, ..), others)) => (0..=times).map(|n| count(others, times - n, sum - key * n as i64)).sum(),
        }
    }
    count(law, times, sum)
}

/// A threshold far beyond all sums, on either side, and in numbers that none of the lists has room for.
#[test]
fn thresholds_beyond_all_sums() {
    let law = law(&[(1, 2), (3, 1), (2, 2)]);
    let halves = [vec![draws(&law, 3, Way::Sequences, 40)], vec![draws(&law, 2, Way::Squares, 40)]];
    let budget = Budget::default();
    let walk = pairs(&halves, 40, &budget).expect("lists");
    for bits in [100_u32, 200, 5000] {
        let far = Integer::from(1) << bits;
        let none = walk.above(&far, &budget).expect("masses");
        assert_eq!(none, [Integer::new(), Integer::new()], "{bits}");
        let [p, q] = walk.above(&-far, &budget).expect("masses");
        let frames = walk.frames();
        let missing = Integer::from(&frames[0].missing + &frames[1].missing) << 40;
        let whole = Integer::from(1) << 80;
        assert!(p <= whole && Integer::from(&p + &missing) >= whole, "{bits} {p}");
        assert!(q <= whole && Integer::from(&q + &missing) >= whole, "{bits} {q}");
    }
}
