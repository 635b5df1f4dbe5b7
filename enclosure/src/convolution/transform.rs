//! The number-theoretic transform of `2^n` or `3 2^n` places modulo one prime.
//!
//! Polynomials modulo `x^(2m) - r^2` are pairs of polynomials modulo `x^m - r` and `x^m + r`: one butterfly with one
//! constant for a whole block. Going down the tree of blocks from `x^N - 1` ends at values in the roots of unity, in an
//! order that is of no concern: the way back up undoes it. The blocks are walked depth first, two levels at a time, so
//! that most of the work is on data that is near. The constants, in the order of the tree, are the same for every size.
//!
//! Values stay below `4p` and are reduced as late as possible (Harvey).

use super::prime::Prime;

/// A transform of one size modulo one prime.
pub(super) struct Transform<'a> {
    prime: &'a Prime,
    size: usize,
    /// Places of the power of two in the size.
    block: usize,
    /// Montgomery's form of the constant of each block: `W[2^k + j] = W[j] e(1/2^(k+2))`, `W[0] = 1`.
    roots: Vec<u64>,
    /// What undoes the factor N of the way there and back, and Montgomery's factor of the product in between.
    scale: u64,
}

/// Blocks of at most so many places are worked through level by level: they fit in the nearest memory.
const NEAR: usize = 1 << 11;

impl<'a> Transform<'a> {
    /// For a size of `2^n` or `3 2^n` places.
    pub fn new(prime: &'a Prime, size: usize) -> Self {
        let block = if size.is_multiple_of(3) { size / 3 } else { size };
        let half = (block / 2).max(1);
        let mut roots = Vec::with_capacity(half);
        roots.push(prime.one);
        while roots.len() < half {
            let now = roots.len();
            let turn = prime.root_of_unity(4 * now as u64);
            for j in 0..now {
                let next = prime.full(roots[j], turn);
                roots.push(next);
            }
        }
        // 1/N = -(p-1)/N mod p, as N divides p - 1.
        let inverse = prime.p - (prime.p - 1) / size as u64;
        // The product is x y / 2^64, and one more multiplication divides once more.
        let scale = prime.full(prime.full(inverse, prime.square), prime.square);
        Transform { prime, size, block, roots, scale }
    }

    /// From coefficients below p to values below 4p.
    pub fn forward(&self, values: &mut [u64]) {
        debug_assert_eq!(values.len(), self.size);
        if self.block != self.size {
            self.split_three(values);
        }
        for block in values.chunks_exact_mut(self.block) {
            self.down(block, 0);
        }
    }

    /// Back, and the scale that makes up for [`multiply`](Self::multiply); coefficients below p.
    pub fn inverse(&self, values: &mut [u64]) {
        for block in values.chunks_exact_mut(self.block) {
            self.up(block, 0);
        }
        if self.block != self.size {
            self.join_three(values);
        }
        for value in values {
            *value = self.prime.full(*value, self.scale);
        }
    }

    /// Values place by place, below 2p.
    pub fn multiply(&self, values: &mut [u64], others: &[u64]) {
        let p = self.prime;
        for (x, y) in values.iter_mut().zip(others) {
            // x < 4p fits; y must be below p for the product to be in range.
            *x = p.mul(*x, lower(lower(*y, 2 * p.p), p.p));
        }
    }

    /// The square place by place.
    pub fn square(&self, values: &mut [u64]) {
        let p = self.prime;
        for x in values {
            let y = lower(lower(*x, 2 * p.p), p.p);
            *x = p.mul(y, y);
        }
    }

    /// One block and all below it.
    fn down(&self, values: &mut [u64], node: usize) {
        let length = values.len();
        if length <= NEAR {
            return self.down_near(values, node);
        }
        self.down_four(values, node);
        for (i, part) in values.chunks_exact_mut(length / 4).enumerate() {
            self.down(part, 4 * node + i);
        }
    }

    fn down_near(&self, values: &mut [u64], node: usize) {
        let mut length = values.len();
        let mut nodes = 1;
        while length >= 4 {
            for (i, block) in values.chunks_exact_mut(length).enumerate() {
                self.down_four(block, node * nodes + i);
            }
            length /= 4;
            nodes *= 4;
        }
        if length == 2 {
            let two = 2 * self.prime.p;
            let roots = self.roots.get(node * nodes..).unwrap_or_default();
            for (pair, &root) in values.chunks_exact_mut(2).zip(roots) {
                if let [x, y] = pair {
                    let a = lower(*x, two);
                    let b = self.prime.mul(*y, root);
                    *x = a.wrapping_add(b);
                    *y = a.wrapping_sub(b).wrapping_add(two);
                }
            }
        }
    }

    /// Two levels of one block: values below 4p to values below 4p.
    #[inline(always)]
    fn down_four(&self, values: &mut [u64], node: usize) {
        let p = self.prime;
        let two = 2 * p.p;
        let (r, r0, r1) = (self.roots[node], self.roots[2 * node], self.roots[2 * node + 1]);
        let quarter = values.len() / 4;
        let (front, back) = values.split_at_mut(2 * quarter);
        let (a, b) = front.split_at_mut(quarter);
        let (c, d) = back.split_at_mut(quarter);
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            let (x, y) = (lower(*a, two), lower(*b, two));
            let (u, v) = (p.mul(*c, r), p.mul(*d, r));
            let (x0, x1) = (x.wrapping_add(u), x.wrapping_sub(u).wrapping_add(two));
            let (y0, y1) = (y.wrapping_add(v), y.wrapping_sub(v).wrapping_add(two));
            let (s, t) = (p.mul(y0, r0), p.mul(y1, r1));
            let (x0, x1) = (lower(x0, two), lower(x1, two));
            *a = x0.wrapping_add(s);
            *b = x0.wrapping_sub(s).wrapping_add(two);
            *c = x1.wrapping_add(t);
            *d = x1.wrapping_sub(t).wrapping_add(two);
        }
    }

    /// The inverse of a constant, up to its sign: `1/W[i] = -W[3 2^k - 1 - i]` for `2^k <= i < 2^(k+1)`.
    fn negated_inverse(&self, node: usize) -> u64 {
        if node == 0 {
            // Minus one, as for the others.
            return self.prime.p - self.prime.one;
        }
        let power = 1 << node.ilog2();
        self.roots[3 * power - 1 - node]
    }

    fn up(&self, values: &mut [u64], node: usize) {
        let length = values.len();
        if length <= NEAR {
            return self.up_near(values, node);
        }
        for (i, part) in values.chunks_exact_mut(length / 4).enumerate() {
            self.up(part, 4 * node + i);
        }
        self.up_four(values, node);
    }

    fn up_near(&self, values: &mut [u64], node: usize) {
        let mut length = values.len();
        let mut sizes = Vec::new();
        let mut nodes = 1;
        while length >= 4 {
            sizes.push((length, nodes));
            length /= 4;
            nodes *= 4;
        }
        if length == 2 {
            let two = 2 * self.prime.p;
            for (i, pair) in values.chunks_exact_mut(2).enumerate() {
                let root = self.negated_inverse(node * nodes + i);
                if let [x, y] = pair {
                    let (a, b) = (*x, *y);
                    *x = lower(a.wrapping_add(b), two);
                    // The constant is minus the inverse: the difference is taken the other way.
                    *y = self.prime.mul(b.wrapping_sub(a).wrapping_add(two), root);
                }
            }
        }
        for (length, nodes) in sizes.into_iter().rev() {
            for (i, block) in values.chunks_exact_mut(length).enumerate() {
                self.up_four(block, node * nodes + i);
            }
        }
    }

    /// Two levels back: values below 2p to values below 2p, four times as large.
    #[inline(always)]
    fn up_four(&self, values: &mut [u64], node: usize) {
        let p = self.prime;
        let two = 2 * p.p;
        let (r, r0, r1) =
            (self.negated_inverse(node), self.negated_inverse(2 * node), self.negated_inverse(2 * node + 1));
        let quarter = values.len() / 4;
        let (front, back) = values.split_at_mut(2 * quarter);
        let (a, b) = front.split_at_mut(quarter);
        let (c, d) = back.split_at_mut(quarter);
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            let x0 = lower(a.wrapping_add(*b), two);
            let y0 = p.mul(b.wrapping_sub(*a).wrapping_add(two), r0);
            let x1 = lower(c.wrapping_add(*d), two);
            let y1 = p.mul(d.wrapping_sub(*c).wrapping_add(two), r1);
            *a = lower(x0.wrapping_add(x1), two);
            *b = lower(y0.wrapping_add(y1), two);
            *c = p.mul(x1.wrapping_sub(x0).wrapping_add(two), r);
            *d = p.mul(y1.wrapping_sub(y0).wrapping_add(two), r);
        }
    }

    /// `x^(3m) - 1` into `x^m - 1`, and `x^m - w`, `x^m - w^2` with their places turned so that they are `x^m - 1` as
    /// well.
    fn split_three(&self, values: &mut [u64]) {
        let p = self.prime;
        let (m, two) = (self.block, 2 * p.p);
        let turn = p.root_of_unity(3 * m as u64);
        let third = p.root_of_unity(3);
        let (a, rest) = values.split_at_mut(m);
        let (b, c) = rest.split_at_mut(m);
        let mut power = p.one;
        for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
            let (x, y, z) = (lower(*a, two), lower(*b, two), lower(*c, two));
            // x + w y + w^2 z = (x - z) + w (y - z), and x + w^2 y + w z = (x - y) - w (y - z).
            let v = p.mul(y.wrapping_sub(z).wrapping_add(two), third);
            *a = lower(x.wrapping_add(y), two).wrapping_add(z);
            let first = lower(x.wrapping_sub(z).wrapping_add(two), two).wrapping_add(v);
            let second = lower(x.wrapping_sub(y).wrapping_add(two), two).wrapping_sub(v).wrapping_add(two);
            *b = p.mul(first, power);
            *c = p.mul(p.full(second, power), power);
            power = p.full(power, turn);
        }
    }

    /// Back, three times as large.
    fn join_three(&self, values: &mut [u64]) {
        let p = self.prime;
        let (m, two) = (self.block, 2 * p.p);
        let back = p.pow(p.root_of_unity(3 * m as u64), 3 * m as u64 - 1);
        let third = p.root_of_unity(3);
        let (a, rest) = values.split_at_mut(m);
        let (b, c) = rest.split_at_mut(m);
        let mut power = p.one;
        for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
            let x = *a;
            let y = p.mul(*b, power);
            let z = p.mul(p.full(*c, power), power);
            // 3 first = x + y + z, 3 second = x + w^2 y + w z = (x - y) - w (y - z), 3 third = (x - z) + w (y - z).
            let v = p.mul(y.wrapping_sub(z).wrapping_add(two), third);
            *a = lower(lower(x.wrapping_add(y), two).wrapping_add(z), two);
            *b = lower(lower(x.wrapping_sub(y).wrapping_add(two), two).wrapping_sub(v).wrapping_add(two), two);
            *c = lower(lower(x.wrapping_sub(z).wrapping_add(two), two).wrapping_add(v), two);
            power = p.full(power, back);
        }
    }
}

/// `x` or `x - step`, whichever is not negative: `x < 2 step`.
#[inline(always)]
fn lower(x: u64, step: u64) -> u64 {
    x.min(x.wrapping_sub(step))
}
