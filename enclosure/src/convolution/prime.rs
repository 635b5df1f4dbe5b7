//! Word-sized primes with roots of unity of high order, and Montgomery's multiplication modulo them.
//!
//! `p = 1 mod 3 2^28`, `2^61.9 < p < 2^62`, so that four times `p` fits in a word and reductions can be put off.
//! Products are Montgomery's: `mul(x, y) = x y / 2^64 mod p`, from the range `x y < 2^64 p` into `0..2p`.
//!
//! That `p` is prime is needed, for inverses are powers `x^(p-2)`, and it is proven when a modulus is made
//! (Pocklington). Let `n = 3 2^28`, and w the root of unity, with `w^(n/2) = -1` and `z^2 + z + 1 = 0` for `z =
//! w^(n/3)`, both modulo p, which are checked. Modulo any prime divisor q of p, which is neither 2 nor 3 as `p = 1 mod
//! 6`, w has an order that divides n, but neither `n/2`, as `-1` is not 1, nor `n/3`, as `z = 1` would make `3 = 0`:
//! the order is n. It divides `q - 1` (Fermat), so `q = 1 mod n`. If p were not prime, some such q would be at most
//! `sqrt p < 2^31 < 3 n + 1`: it would be `n + 1` or `2 n + 1`, and that neither divides p is checked as well.

use std::sync::{Arc, Mutex};

use rug::Integer;
use rug::integer::IsPrime;

use crate::Error;

/// The order of the roots of unity, and the longest transform.
pub(super) const LONGEST: u64 = 3 << 28;

/// No modulus is as small: `2^61.9 = 0.933 2^62`.
const LEAST: u64 = (1_u64 << 62) / 1000 * 934;

/// So many moduli at most. What is computed to some bits of fractions of each, for all of them together, has room for
/// twice as many (see `residues`).
pub(super) const MOST: usize = 1 << 16;

/// One modulus.
#[derive(Clone, Debug)]
pub(super) struct Prime {
    pub p: u64,
    /// `p^-1 mod 2^64`.
    inverse: u64,
    /// `2^128 mod p`: times it, a number becomes Montgomery's form of itself.
    pub square: u64,
    /// Montgomery's form of one, `2^64 mod p`.
    pub one: u64,
    /// Montgomery's form of a root of unity of order `3 2^28`.
    root: u64,
}

impl Prime {
    /// `None` unless p is `1 mod 3 2^28`, odd, between `2^61.9` and `2^62`, and a prime by the proof of the header. (A
    /// prime whose first bases are all of small order would be left out too.)
    pub fn new(p: u64) -> Option<Self> {
        let in_range = p > LEAST && p < 1 << 62 && p % LONGEST == 1;
        if !in_range || [1, 2].iter().any(|multiple| p.is_multiple_of(multiple * LONGEST + 1)) {
            return None;
        }
        // Newton: p is its own inverse modulo 8, and each step doubles the bits.
        let mut inverse = p;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(p.wrapping_mul(inverse)));
        }
        let one = ((1_u128 << 64) % u128::from(p)) as u64;
        let square = (u128::from(one) * u128::from(one) % u128::from(p)) as u64;
        let mut prime = Prime { p, inverse, square, one, root: 0 };
        for base in 2..200_u64 {
            let root = prime.pow(prime.full(base, square), (p - 1) / LONGEST);
            let (half, third) = (prime.pow(root, LONGEST / 2), prime.pow(root, LONGEST / 3));
            let minus_one = p - one;
            let zero = prime.full(third, third) as u128 + third as u128 + one as u128;
            if half == minus_one && zero.is_multiple_of(p as u128) {
                prime.root = root;
                return Some(prime);
            }
        }
        None
    }

    /// `x y / 2^64 mod p` in `0..2p`, for `x y < 2^64 p`.
    #[inline(always)]
    pub fn mul(&self, x: u64, y: u64) -> u64 {
        let product = u128::from(x) * u128::from(y);
        let factor = (product as u64).wrapping_mul(self.inverse);
        let multiple = ((u128::from(factor) * u128::from(self.p)) >> 64) as u64;
        // The low words are equal, so the difference of the high ones is the quotient, between -p and p.
        ((product >> 64) as u64).wrapping_sub(multiple).wrapping_add(self.p)
    }

    /// The same, in `0..p`.
    #[inline(always)]
    pub fn full(&self, x: u64, y: u64) -> u64 {
        let value = self.mul(x, y);
        value.min(value.wrapping_sub(self.p))
    }

    /// `x^n` in Montgomery's form, in `0..p`.
    pub fn pow(&self, x: u64, mut n: u64) -> u64 {
        let (mut result, mut base) = (self.one, x);
        while n > 0 {
            if n & 1 == 1 {
                result = self.full(result, base);
            }
            base = self.full(base, base);
            n >>= 1;
        }
        result
    }

    /// Montgomery's form of a root of unity of this order, which must divide `3 2^28`.
    pub fn root_of_unity(&self, order: u64) -> u64 {
        self.pow(self.root, LONGEST / order)
    }

    /// Every `classes`-th number of a sequence, beginning with number `class`, modulo p.
    pub fn reduce_into(&self, words: &[u64], width: usize, class: usize, classes: usize, out: &mut [u64]) {
        // 2^(64 k) mod p, as plain numbers.
        let powers: Vec<u64> =
            std::iter::successors(Some(1_u64), |x| Some(self.full(*x, self.square))).take(width).collect();
        for (place, slot) in out.len_cycle().zip(words.chunks_exact(width).skip(class).step_by(classes.max(1))) {
            // sum of digit * power, in two columns of words: high words are below p < 2^62.
            let (mut low, mut high) = (0_u128, 0_u128);
            for (&digit, &power) in slot.iter().zip(&powers) {
                let term = u128::from(digit) * u128::from(power);
                low += u128::from(term as u64);
                high += term >> 64;
            }
            high += low >> 64;
            // high 2^64 + low, by products with 2^128 and 2^64 modulo p: any word may stand beside a number below p.
            let mut above = self.full(high as u64, self.square);
            let over = (high >> 64) as u64;
            if over > 0 {
                let more = self.full(self.full(over, self.square), self.square);
                above = (above + more).min((above + more).wrapping_sub(self.p));
            }
            let below = self.full(low as u64, self.one);
            let sum = above + below;
            let sum = sum.min(sum.wrapping_sub(self.p));
            let all = out[place] + sum;
            out[place] = all.min(all.wrapping_sub(self.p));
        }
    }
}

/// Places `0, 1, ..., n-1, 0, 1, ...`: a sequence longer than the transform wraps around.
trait LenCycle {
    fn len_cycle(&self) -> std::iter::Cycle<std::ops::Range<usize>>;
}

impl LenCycle for [u64] {
    fn len_cycle(&self) -> std::iter::Cycle<std::ops::Range<usize>> {
        (0..self.len()).cycle()
    }
}

/// The first so many primes, from the largest down; found once and kept.
pub(super) fn primes(count: usize) -> Result<Vec<Arc<Prime>>, Error> {
    let too_few = || Error::Undecided("there are not enough primes for masses of this many bits".into());
    if count > MOST {
        return Err(too_few());
    }
    static FOUND: Mutex<Vec<Arc<Prime>>> = Mutex::new(Vec::new());
    let mut found = FOUND.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let top = (1_u64 << 62) / LONGEST;
    let mut factor = found.last().map_or(top, |prime| (prime.p - 1) / LONGEST);
    while found.len() < count {
        factor -= 1;
        let p = factor * LONGEST + 1;
        if p <= LEAST {
            return Err(too_few());
        }
        // Most are sieved out; what is kept is proven to be prime.
        if Integer::from(p).is_probably_prime(30) != IsPrime::No
            && let Some(prime) = Prime::new(p)
        {
            found.push(Arc::new(prime));
        }
    }
    Ok(found[..count].to_vec())
}
