//! Chinese remainders: from residues modulo several primes to the number itself.
//!
//! With `P` the product of the primes and `c_k = P/p_k`, a number `0 <= X < P` is `sum y_k c_k - m P` where
//! `y_k = x_k c_k^-1 mod p_k` and `m = floor(sum y_k/p_k)`, for `sum y_k/p_k = m + X/P`. Numbers here are below
//! `2^-40 P`, so that the sum of fractions, computed from below to some 48 bits, gives m after a little is added.

use std::sync::Arc;

use rug::Integer;
use rug::integer::Order;

use super::add_product;
use super::prime::Prime;

/// What a set of primes needs for putting numbers together.
pub(super) struct Remainders {
    primes: Vec<Arc<Prime>>,
    /// Montgomery's form of `c_k^-1 mod p_k`.
    inverses: Vec<u64>,
    /// The words of `c_k`, one row for each prime; and of `-P`, modulo `2^(64 rows)`.
    cofactors: Vec<u64>,
    minus_all: Vec<u64>,
    /// `floor(2^110/p_k)`.
    reciprocals: Vec<u64>,
    row: usize,
}

impl Remainders {
    /// For numbers of so many words.
    pub fn new(primes: &[Arc<Prime>], width: usize) -> Self {
        let all = primes.iter().fold(Integer::from(1), |all, prime| all * prime.p);
        // Results fit in `width` words; all sums are taken modulo one word more.
        let row = width + 1;
        let words = |n: &Integer| {
            let mut digits = n.to_digits::<u64>(Order::Lsf);
            digits.resize(row, 0);
            digits
        };
        let mut cofactors = Vec::new();
        let mut inverses = Vec::new();
        for prime in primes {
            let cofactor = Integer::from(&all / prime.p);
            let residue = Integer::from(&cofactor % prime.p).to_u64().unwrap_or(0);
            // Fermat: the inverse is the power p - 2, in Montgomery's form.
            inverses.push(prime.pow(prime.full(residue, prime.square), prime.p - 2));
            cofactors.extend(words(&cofactor.keep_bits(64 * row as u32)));
        }
        let minus_all = words(&(-all).keep_bits(64 * row as u32));
        let reciprocals = primes.iter().map(|prime| ((1_u128 << 110) / u128::from(prime.p)) as u64).collect();
        Remainders { primes: primes.to_vec(), inverses, cofactors, minus_all, reciprocals, row }
    }

    /// The numbers at the places `from, from + 1, ...`, without their `drop` lowest words, `keep` words each, into
    /// `out`.
    pub fn combine(&self, residues: &[Vec<u64>], from: usize, drop: usize, keep: usize, out: &mut [u64]) {
        let mut sum = vec![0_u64; self.row];
        for (place, out) in out.chunks_exact_mut(keep).enumerate() {
            sum.fill(0);
            let mut fraction = 0_u128;
            for (k, prime) in self.primes.iter().enumerate() {
                let residue = residues[k][from + place];
                let y = prime.full(residue, self.inverses[k]);
                fraction += u128::from(y) * u128::from(self.reciprocals[k]);
                add_product(&mut sum, &[y], &self.cofactors[k * self.row..(k + 1) * self.row]);
            }
            // Each term is too small by less than y < 2^62, in units of 2^-110; there are at most 2^16, so that all of
            // them together are too small by less than 2^78; the fraction of the true sum is below 2^-40.
            let multiple = ((fraction + (1_u128 << 79)) >> 110) as u64;
            add_product(&mut sum, &[multiple], &self.minus_all);
            for (word, kept) in out.iter_mut().zip(&sum[drop..drop + keep]) {
                *word = *kept;
            }
        }
    }
}
