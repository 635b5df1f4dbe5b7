use rug::Integer;
use rug::integer::Order;

use super::*;

/// The coefficients by definition.
fn plain(a: &[Integer], b: &[Integer], s: usize, t: usize) -> Vec<Integer> {
    let mut out = vec![Integer::new(); (a.len() - 1) * s + (b.len() - 1) * t + 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[s * i + t * j] += Integer::from(x * y);
        }
    }
    out
}

/// Numbers of up to so many bits, from a xorshift generator.
fn random(count: usize, bits: u32, state: &mut u64) -> Vec<Integer> {
    let mut word = || {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    };
    let digits = bits.div_ceil(64);
    let mut number = || Integer::from_digits(&(0..digits).map(|_| word()).collect::<Vec<_>>(), Order::Lsf);
    (0..count).map(|_| number() >> (64 * digits - bits)).collect()
}

fn words(numbers: &[Integer], width: usize) -> Vec<u64> {
    numbers
        .iter()
        .flat_map(|n| {
            let mut digits = n.to_digits::<u64>(Order::Lsf);
            digits.resize(width, 0);
            digits
        })
        .collect()
}

fn numbers(words: &[u64], width: usize) -> Vec<Integer> {
    words.chunks_exact(width).map(|n| Integer::from_digits(n, Order::Lsf)).collect()
}

#[test]
fn products_are_the_sums_by_definition() {
    let budget = Budget::default();
    let mut state = 88_172_645_463_325_252;
    for (n, m, width, s, t) in [
        (1, 1, 1, 1, 1),
        (20, 13, 1, 1, 1),
        (100, 61, 2, 1, 1),
        (64, 65, 5, 1, 1),
        (200, 57, 1, 3, 1),
        (40, 77, 3, 1, 5),
        (90, 77, 2, 4, 7),
        (13, 300, 2, 50, 1),
        (1500, 1700, 1, 1, 1),
        (3000, 2500, 2, 2, 3),
        (9, 30, 4, 2, 5),
    ] {
        // Sums stay below the allowed size when numbers are a few bits short.
        let bits = 64 * width as u32 - 8;
        let (a, b) = (random(n, bits, &mut state), random(m, bits, &mut state));
        let (x, y) = (words(&a, width), words(&b, width));
        let expected = plain(&a, &b, s, t);
        for drop in [0, width] {
            let first = Sequence { words: &x, width, stride: s };
            let second = Sequence { words: &y, width, stride: t };
            let out = product(first, second, drop, None, &budget).unwrap();
            let got = numbers(&out, 2 * width - drop);
            assert_eq!(got.len(), expected.len());
            for (got, expected) in got.iter().zip(&expected) {
                assert_eq!(*got, Integer::from(expected >> (64 * drop as u32)), "{n} {m} {width} {s} {t} {drop}");
            }
        }
    }
}

#[test]
fn squares_and_cycles() {
    let budget = Budget::default();
    let mut state = 88_172_645_463_325_252;
    for (n, width) in [(14, 1), (700, 2), (1000, 6), (3000, 1)] {
        let a = random(n, 64 * width as u32 - 12, &mut state);
        let x = words(&a, width);
        let one = Sequence { words: &x, width, stride: 1 };
        let expected = plain(&a, &a, 1, 1);
        let whole = numbers(&product(one, one, 0, None, &budget).unwrap(), 2 * width);
        assert_eq!(whole, expected);
        for cycle in [n + 3, n / 2] {
            let round = numbers(&product(one, one, 0, Some(cycle), &budget).unwrap(), 2 * width);
            assert!(round.len() >= cycle.min(expected.len()));
            let mut wrapped = vec![Integer::new(); round.len()];
            for (k, value) in expected.iter().enumerate() {
                wrapped[k % round.len()] += value;
            }
            assert_eq!(round, wrapped);
        }
    }
}

/// All digits as large as the contract allows: a single number per sequence with all bits set, beside zeros.
#[test]
fn the_largest_coefficients_fit() {
    let budget = Budget::default();
    for width in [1, 2, 5, 7, 40, 150] {
        let mut x = vec![0_u64; 40 * width];
        x[17 * width..18 * width].fill(u64::MAX);
        let one = Sequence { words: &x, width, stride: 1 };
        let out = numbers(&product(one, one, 0, None, &budget).unwrap(), 2 * width);
        let top = (Integer::from(1) << (64 * width as u32)) - 1_u32;
        assert_eq!(out[34], Integer::from(&top * &top));
        assert_eq!(out.iter().filter(|n| **n != 0).count(), 1);
    }
}

/// All sizes of transforms, and sizes on either side of the change from near blocks to far ones.
#[test]
fn every_size_of_transform() {
    let budget = Budget::default();
    let mut state = 88_172_645_463_325_252;
    for length in [16, 24, 32, 48, 64, 96, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576] {
        let n = length / 2;
        let a = random(n, 40, &mut state);
        let b: Vec<Integer> = (0..n).map(|i| Integer::from(u32::from(i % 57 == 3))).collect();
        let (x, y) = (words(&a, 1), words(&b, 1));
        let out = product(
            Sequence { words: &x, width: 1, stride: 1 },
            Sequence { words: &y, width: 1, stride: 1 },
            0,
            None,
            &budget,
        )
        .unwrap();
        let mut expected = vec![Integer::new(); 2 * n - 1];
        for j in (3..n).step_by(57) {
            for (i, x) in a.iter().enumerate() {
                expected[i + j] += x;
            }
        }
        assert_eq!(numbers(&out, 2), expected, "{length}");
    }
}

/// What the header of `prime` proves, by other means: the Baillie-Pomerance-Selfridge-Wagstaff test has no exception
/// below `2^64`. And what is not prime, or of another form, is no modulus.
#[test]
fn moduli_are_prime() {
    use super::prime::{LONGEST, MOST, Prime};
    use rug::integer::IsPrime;
    for prime in primes(300).unwrap() {
        assert_ne!(Integer::from(prime.p).is_probably_prime(30), IsPrime::No, "{}", prime.p);
        assert!(prime.p % LONGEST == 1 && prime.p >> 61 == 1);
    }
    // The one product of two numbers of the form 1 mod 3 2^28 that is of this form and size itself; one of the form,
    // but small; one of the size, but not of the form; a prime that is not of the form.
    let composite = (LONGEST + 1) * (7 * LONGEST + 1);
    for p in [composite, LONGEST + 1, (1 << 62) - 1, 4_611_686_018_427_387_847] {
        assert!(Prime::new(p).is_none(), "{p}");
    }
    assert!(primes(MOST + 1).is_err());
}

/// What a caller promises of sizes is checked.
#[test]
fn coefficients_too_large_for_their_words_are_refused() {
    let budget = Budget::default();
    let all = vec![u64::MAX; 20];
    let one = Sequence { words: &all, width: 1, stride: 1 };
    assert!(matches!(product(one, one, 0, None, &budget), Err(Error::Input(_))));
    let torn = Sequence { words: &all[..19], width: 2, stride: 1 };
    let small = Sequence { words: &[1, 0, 0, 0], width: 2, stride: 1 };
    assert!(matches!(product(torn, small, 0, None, &budget), Err(Error::Input(_))));
    let far = Sequence { words: &[1, 1, 1, 1], width: 1, stride: usize::MAX / 2 };
    let near = Sequence { words: &[1, 1], width: 1, stride: 1 };
    assert!(product(far, near, 0, None, &budget).is_err());
}
