//! Square roots of rationals: `sqrt(p/q) = sqrt(pq)/q`, square factors taken out, like classes merged.

use rug::{Integer, Rational};

/// Squares of primes below this are taken out by trial division.
const TRIAL: u32 = 1000;

/// `sqrt(value)` for `value >= 0` as `c sqrt(n)`.
pub(super) fn of_rational(value: &Rational) -> (Integer, Rational) {
    let (outer, n) = reduce(Integer::from(value.numer() * value.denom()));
    (n, Rational::from((outer, value.denom().clone())))
}

/// `sqrt(n) = outer sqrt(inner)`. `inner` is 1 for a square, and free of the squares of small primes; a square of a
/// large prime may stay, which costs beauty but not truth: classes are compared by `n m` being a square.
fn reduce(mut n: Integer) -> (Integer, Integer) {
    let mut outer = Integer::from(1);
    if n.is_zero() {
        return (Integer::new(), Integer::from(1));
    }
    for prime in small_primes() {
        let square = Integer::from(prime * prime);
        if square > n {
            break;
        }
        if n.is_divisible_u(prime) {
            let count = n.remove_factor_mut(&Integer::from(prime));
            outer *= Integer::from(Integer::u_pow_u(prime, count / 2));
            if count % 2 == 1 {
                n *= prime;
            }
        }
    }
    if n.is_perfect_square() {
        outer *= n.sqrt();
        n = Integer::from(1);
    }
    (outer, n)
}

pub(super) fn small_primes() -> impl Iterator<Item = u32> {
    (2..TRIAL).filter(|&n| (2..).take_while(|d| d * d <= n).all(|d| n % d != 0))
}

/// Merge like classes: the rational part that falls out, and the terms in ascending order.
pub(super) fn normalise(terms: Vec<(Integer, Rational)>) -> (Rational, Vec<(Integer, Rational)>) {
    let mut rational = Rational::new();
    let mut classes: Vec<(Integer, Rational)> = Vec::new();
    for (mut n, mut c) in terms {
        if c.is_zero() || n.is_zero() {
            continue;
        }
        if n == 1 {
            rational += c;
            continue;
        }
        let like = classes.iter().position(|(m, _)| *m == n || Integer::from(m * &n).is_perfect_square());
        if let Some(at) = like {
            let (m, d) = classes.swap_remove(at);
            // n m is a square, so n/g and m/g, which are coprime, are squares.
            let g = Integer::from(n.gcd_ref(&m));
            c *= Integer::from(&n / &g).sqrt();
            c += d * Integer::from(&m / &g).sqrt();
            n = g;
        }
        if !c.is_zero() {
            classes.push((n, c));
        }
    }
    classes.sort();
    (rational, classes)
}
