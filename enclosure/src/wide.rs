//! Points of the unit disc in integers of 128 bits: fractions of `2^122`, in two parts of 61 bits for products.
//!
//! **Contract.** `x = 2^61 h + l`, `0 <= l < 2^61`. With [`CUT`] `= 2^-120`:
//! * [`Point::times`] of points with parts below `2^123 (1 + 2^-20)` is off by less than [`CUT`];
//! * [`dot`] by less than [`CUT`] for each term, if parts of the terms are below `2^123 (1 + 2^-20)`, those of the
//!   rotations below `2^122 (1 + 2^-20)`, and the moduli of the terms add up to less than 8;
//! * [`dot_small`] by less than [`CUT`] for each term, if parts of the terms are below `2^61`.
//!
//! *Proof.* A product of two real numbers is `h h' + (h l' + l h') 2^-61 + l l' 2^-122` in units, of which the last
//! part is left out. Of a complex product that is the product of two complex numbers with parts below `2^61`, over
//! `2^122`: of modulus below `sqrt 2 sqrt 2 = 2`. The middle parts are added up and shifted by 61 bits, which rounds
//! each part down, by less than 1 unit. Together less than `2 + sqrt 2 < 4` units. In a sum of products the middle
//! parts of two terms are shifted together. Of small terms, `g` one part in units, the products `g h' 2^-61` are kept,
//! and `g l' 2^-122` left out, which is below 2 in modulus in the same way; those of four terms are shifted together.
//! *Size*: middle parts of a term are below `(2 + 1) 2 2^61 2^61 (1 + 2^-19)` in modulus, of two terms below `2^126`;
//! four small terms are below `8 2^61 2^61 (1 + 2^-20) < 2^126`; the sums of the leading parts below
//! `8 sqrt 2 2^122 (1 + 2^-20) < 2^126`, and what is carried below `2^66` each. Nothing overflows, so operations wrap
//! for speed alone. See `proofs/paper/points-in-long-integers.md`.

use crate::work;

/// Fractional bits.
pub const BITS: u32 = 122;
/// A product is off by less than this: four units.
pub const CUT: f64 = 4.0 / (1u128 << BITS) as f64;
/// Half of them.
const HALF: u32 = BITS / 2;

/// A point near the unit disc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its real part.
    pub re: i128,
    /// Its imaginary part.
    pub im: i128,
}

/// The same, each part in two: `[h, l]`.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    re: [i64; 2],
    im: [i64; 2],
}

/// A point so small that one part holds it, in units.
#[derive(Clone, Copy, Debug)]
pub struct Small {
    re: i64,
    im: i64,
}

#[inline(always)]
fn split(x: i128) -> [i64; 2] {
    [(x >> HALF) as i64, (x & ((1 << HALF) - 1)) as i64]
}

#[inline(always)]
fn product(a: i64, b: i64) -> i128 {
    i128::from(a).wrapping_mul(i128::from(b))
}

impl Point {
    /// Zero.
    pub const ZERO: Point = Point { re: 0, im: 0 };
    /// One.
    pub const ONE: Point = Point { re: 1 << BITS, im: 0 };

    /// In parts, for products.
    #[inline(always)]
    pub fn split(self) -> Split {
        Split { re: split(self.re), im: split(self.im) }
    }

    /// As a small one; `None` if it is not.
    pub fn small(self) -> Option<Small> {
        let part = |x: i128| i64::try_from(x).ok().filter(|x| x.unsigned_abs() < 1 << HALF);
        Some(Small { re: part(self.re)?, im: part(self.im)? })
    }

    /// The product, cut off.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        self.split().times(&other.split())
    }

    /// The conjugate.
    #[must_use]
    pub fn conjugate(self) -> Self {
        Point { im: -self.im, ..self }
    }
}

/// Leading and middle parts of a sum of products.
#[derive(Clone, Copy, Default)]
struct Sum {
    leading: [i128; 2],
    middle: [i128; 2],
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, a: &Split, b: &Split) {
        let add = |sum: &mut i128, x: i128| *sum = sum.wrapping_add(x);
        add(&mut self.leading[0], product(a.re[0], b.re[0]).wrapping_sub(product(a.im[0], b.im[0])));
        add(&mut self.leading[1], product(a.re[0], b.im[0]).wrapping_add(product(a.im[0], b.re[0])));
        let first = product(a.re[0], b.re[1]).wrapping_add(product(a.re[1], b.re[0]));
        let second = product(a.im[0], b.im[1]).wrapping_add(product(a.im[1], b.im[0]));
        add(&mut self.middle[0], first.wrapping_sub(second));
        let first = product(a.re[0], b.im[1]).wrapping_add(product(a.re[1], b.im[0]));
        let second = product(a.im[0], b.re[1]).wrapping_add(product(a.im[1], b.re[0]));
        add(&mut self.middle[1], first.wrapping_add(second));
    }

    #[inline(always)]
    fn add_small(&mut self, a: Small, b: &Split) {
        let add = |sum: &mut i128, x: i128| *sum = sum.wrapping_add(x);
        add(&mut self.middle[0], product(a.re, b.re[0]).wrapping_sub(product(a.im, b.im[0])));
        add(&mut self.middle[1], product(a.re, b.im[0]).wrapping_add(product(a.im, b.re[0])));
    }

    #[inline(always)]
    fn carry(&mut self) {
        for (leading, middle) in self.leading.iter_mut().zip(&mut self.middle) {
            *leading = leading.wrapping_add(*middle >> HALF);
            *middle = 0;
        }
    }

    #[inline(always)]
    fn point(self) -> Point {
        Point { re: self.leading[0], im: self.leading[1] }
    }
}

impl Split {
    /// Zero.
    pub const ZERO: Split = Split { re: [0; 2], im: [0; 2] };

    /// The point.
    #[inline(always)]
    pub fn point(&self) -> Point {
        let whole = |[high, low]: [i64; 2]| (i128::from(high) << HALF) + i128::from(low);
        Point { re: whole(self.re), im: whole(self.im) }
    }

    /// The product, cut off.
    #[inline(always)]
    pub fn times(&self, other: &Self) -> Point {
        let mut sum = Sum::default();
        sum.add(self, other);
        sum.carry();
        sum.point()
    }
}

/// Count the work of this number of products.
fn count(products: usize) {
    work::spend(10 * products as u64);
}

/// The sum of products, pair by pair.
pub fn dot(terms: &[Split], rotations: &[Split]) -> Point {
    count(terms.len());
    let mut sum = Sum::default();
    let (twos, with) = (terms.chunks_exact(2), rotations.chunks_exact(2));
    for (term, rotation) in twos.remainder().iter().zip(with.remainder()) {
        sum.add(term, rotation);
        sum.carry();
    }
    for (two, with) in twos.zip(with) {
        sum.add(&two[0], &with[0]);
        sum.add(&two[1], &with[1]);
        sum.carry();
    }
    sum.point()
}

/// The same for small terms.
pub fn dot_small(terms: &[Small], rotations: &[Split]) -> Point {
    count(terms.len() / 2);
    let mut sum = Sum::default();
    let (fours, with) = (terms.chunks_exact(4), rotations.chunks_exact(4));
    for (term, rotation) in fours.remainder().iter().zip(with.remainder()) {
        sum.add_small(*term, rotation);
        sum.carry();
    }
    for (four, with) in fours.zip(with) {
        for (term, rotation) in four.iter().zip(with) {
            sum.add_small(*term, rotation);
        }
        sum.carry();
    }
    sum.point()
}

/// Every term times its rotation.
pub fn products(terms: &[Split], rotations: &[Split], to: &mut [Split]) {
    count(terms.len());
    for ((term, rotation), to) in terms.iter().zip(rotations).zip(to) {
        *to = term.times(rotation).split();
    }
}

/// To every sum the product of a point with each of these.
pub fn add_products(point: &Split, rotations: &[Split], sums: &mut [Point]) {
    count(sums.len());
    for (sum, rotation) in sums.iter_mut().zip(rotations) {
        let Point { re, im } = point.times(rotation);
        *sum = Point { re: sum.re.wrapping_add(re), im: sum.im.wrapping_add(im) };
    }
}

/// Every point times another one.
pub fn times_all(points: &mut [Point], others: &[Point]) {
    count(points.len());
    for (point, other) in points.iter_mut().zip(others) {
        *point = point.times(*other);
    }
}

/// Every point squared.
pub fn square_all(points: &mut [Point]) {
    count(points.len());
    for point in points {
        let split = point.split();
        *point = split.times(&split);
    }
}

/// The sum of the real parts of `z conj(start r)`, for each point z and its rotation r. It is exact for the products
/// that are cut off. The second part counts units, and the first `2^61` of them.
pub fn turned_sum(points: &[Point], start: &Split, rotations: &[Split]) -> [i128; 2] {
    count(2 * points.len());
    let mut sums = [0i128; 2];
    for (point, rotation) in points.iter().zip(rotations) {
        let turned = start.times(rotation).conjugate();
        let real = point.times(turned).re;
        sums[0] = sums[0].wrapping_add(real >> HALF);
        sums[1] = sums[1].wrapping_add(real & ((1 << HALF) - 1));
    }
    sums
}

#[cfg(test)]
mod tests {
    use crate::Portable;
    use proptest::prelude::*;
    use rug::Integer;

    use super::*;

    /// Units by which a point is off from a sum of whole products.
    fn apart(found: Point, terms: &[Point], rotations: &[Point]) -> f64 {
        let wide = |a: i128, b: i128| Integer::from(a) * Integer::from(b);
        let (mut re, mut im) = (Integer::new(), Integer::new());
        for (a, b) in terms.iter().zip(rotations) {
            re += wide(a.re, b.re) - wide(a.im, b.im);
            im += wide(a.re, b.im) + wide(a.im, b.re);
        }
        let unit = (1u128 << BITS) as f64;
        let part = |exact: Integer, found: i128| (exact - (Integer::from(found) << BITS)).to_f64() / unit;
        part(re, found.re).portable_hypot(part(im, found.im))
    }

    fn part() -> impl Strategy<Value = i128> {
        let one = 1i128 << BITS;
        let edge = prop::sample::select(vec![0, 1, -1, one, -one, (1 << HALF) - 1, -(1 << HALF), one - 1, 1 - one]);
        prop_oneof![edge, -one..one, -(1i128 << HALF)..(1i128 << HALF)]
    }

    fn point() -> impl Strategy<Value = Point> {
        (part(), part()).prop_map(|(re, im)| Point { re: re / 2, im: im / 2 })
    }

    fn rotation() -> impl Strategy<Value = Point> {
        (part(), part()).prop_map(|(re, im)| Point { re, im })
    }

    proptest! {
        /// Products and their sums against whole products: within four units for each.
        #[test]
        fn products_are_within_four_units(
            pairs in prop::collection::vec((point(), rotation()), 1..9), small in prop::collection::vec(
                (-(1i64 << HALF) + 1..1 << HALF, -(1i64 << HALF) + 1..1 << HALF, rotation()), 1..20),
        ) {
            let (terms, rotations): (Vec<Point>, Vec<Point>) = pairs.into_iter().unzip();
            for (a, b) in terms.iter().zip(&rotations) {
                prop_assert!(apart(a.times(*b), &[*a], &[*b]) < 4.0);
            }
            let splits = |points: &[Point]| points.iter().map(|point| point.split()).collect::<Vec<_>>();
            let found = dot(&splits(&terms), &splits(&rotations));
            prop_assert!(apart(found, &terms, &rotations) < 4.0 * terms.len() as f64);
            let terms: Vec<Point> =
                small.iter().map(|(re, im, _)| Point { re: (*re).into(), im: (*im).into() }).collect();
            let rotations: Vec<Point> = small.iter().map(|(_, _, rotation)| *rotation).collect();
            let listed: Vec<Small> = terms.iter().map(|term| term.small().expect("small")).collect();
            let found = dot_small(&listed, &splits(&rotations));
            prop_assert!(apart(found, &terms, &rotations) < 4.0 * terms.len() as f64);
        }
    }

    /// What is left out of a product may come to nearly two units: the bound is no fiction.
    #[test]
    fn the_bound_is_about_what_happens() {
        let most = (1i128 << HALF) - 1;
        let point = Point { re: most, im: most };
        let worst = apart(point.times(point), &[point], &[point]);
        assert!(worst > 1.9 && worst < 4.0, "{worst}");
        assert!(Point { re: 1 << HALF, im: 0 }.small().is_none());
    }
}
