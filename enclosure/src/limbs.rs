//! Products of numbers of a few 64-bit limbs, least limb first.

/// Limbs of a factor, at most.
pub const MOST: usize = 12;

/// Columns of a product that are kept, at most: `N + 2` of `2 N`.
pub const KEPT: usize = MOST + 2;

/// The lowest column of a product that is computed.
pub const fn lowest(n: usize) -> usize {
    n.saturating_sub(2)
}

/// `a b` from the column `lowest(N)` on: too small by less than `N 2^(64 (N - 1))`, as `c + 1` products of two limbs
/// are left out of each column `c <= N - 3`.
#[inline(always)]
pub fn product<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; KEPT] {
    let mut product = [0u64; KEPT];
    for (i, &x) in a.iter().enumerate() {
        let skipped = lowest(N).saturating_sub(i);
        let first = i.wrapping_add(skipped).wrapping_sub(lowest(N));
        let (row, rest) = product[first..].split_at_mut(N - skipped);
        let mut carry = 0u64;
        for (sum, &y) in row.iter_mut().zip(&b[skipped..]) {
            // (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1.
            let part = u128::from(x).wrapping_mul(u128::from(y));
            let part = part.wrapping_add(u128::from(*sum)).wrapping_add(u128::from(carry));
            *sum = part as u64;
            carry = (part >> 64) as u64;
        }
        rest[0] = carry;
    }
    product
}
