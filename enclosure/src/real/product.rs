//! Products, reciprocals and powers.
//!
//! Rationals and square roots are multiplied out: they stay in the decidable part. Everything else becomes a
//! product of powers of distinct bases, with all exponentials gathered in one.

use std::cmp::Ordering;

use rug::ops::Pow;
use rug::{Integer, Rational};

use super::atom::{self, Atom, as_integer, bounded, decided_sign};
use super::{Real, Rest, roots, size};
use crate::Error;

/// Sums of square roots are multiplied out up to this many products of terms.
const EXPAND: usize = 64;
/// Powers of two terms are multiplied out up to this one.
const MULTIPLIED: i64 = 64;

fn too_large() -> Error {
    Error::input(format!("a number has more than {} bits", Real::MAX_BITS))
}

pub(super) fn mul(x: &Real, y: &Real) -> Result<Real, Error> {
    let largest = |x: &Real| {
        let rest = x.rest.iter().flat_map(|rest| {
            let roots = rest.roots.iter().map(|(n, c)| size(c) + u64::from(n.significant_bits()));
            let logs = rest.logs.iter().map(|(_, c)| size(c));
            roots.chain(logs).chain(rest.atoms.iter().map(|(_, c)| size(c)))
        });
        rest.chain([size(&x.rational)]).max().unwrap_or(0)
    };
    if largest(x) + largest(y) > Real::MAX_BITS {
        return Err(too_large());
    }
    match (x.as_rational(), y.as_rational()) {
        (Some(x), _) => Ok(y.mul_rational(x)),
        (_, Some(y)) => Ok(x.mul_rational(y)),
        _ if algebraic(x) && algebraic(y) && x.terms() * y.terms() <= EXPAND => Ok(expand(x, y)),
        _ => {
            let (c, mut factors) = factor(x);
            let (d, more) = factor(y);
            factors.extend(more);
            bounded(collect(c * d, factors)?)
        }
    }
}

/// A rational plus square roots?
fn algebraic(x: &Real) -> bool {
    x.rest.as_ref().is_none_or(|rest| rest.logs.is_empty() && rest.atoms.is_empty())
}

/// At most two terms, each a rational or a square root?
fn short(x: &Real) -> bool {
    algebraic(x) && root_terms(x).len() <= 2
}

/// The terms `r sqrt(n)`, with `n = 1` for the rational.
fn root_terms(x: &Real) -> Vec<(Integer, Rational)> {
    let rational = (!x.rational.is_zero()).then(|| (Integer::from(1), x.rational.clone()));
    rational.into_iter().chain(x.rest.iter().flat_map(|rest| rest.roots.iter().cloned())).collect()
}

fn expand(x: &Real, y: &Real) -> Real {
    let mut products = Vec::new();
    for (n, c) in root_terms(x) {
        for (m, d) in root_terms(y) {
            // sqrt(n) sqrt(m) = g sqrt((n/g) (m/g))
            let g = Integer::from(n.gcd_ref(&m));
            let (inner, outer) = roots::of_rational(&Rational::from(Integer::from(&n / &g) * Integer::from(&m / &g)));
            products.push((inner, Rational::from(&c * &d) * g * outer));
        }
    }
    Real::from_terms(Rational::new(), Rest { roots: products, ..Rest::default() })
}

/// `x != 0` as a rational times powers of irrationals; a sum is one base, scaled so that its first coefficient is 1.
fn factor(x: &Real) -> (Rational, Vec<(Real, i64)>) {
    let Some(rest) = &x.rest else { return (x.rational.clone(), Vec::new()) };
    let coefficients = rest.roots.iter().map(|term| &term.1);
    let mut coefficients = coefficients.chain(rest.logs.iter().map(|term| &term.1));
    let first = if x.rational.is_zero() { coefficients.next() } else { Some(&x.rational) };
    let first = first.or(rest.atoms.first().map(|term| &term.1)).cloned().unwrap_or_else(|| Rational::from(1));
    let base = x.mul_rational(&Rational::from(first.recip_ref()));
    match rest.atoms.as_slice() {
        [(Atom::Product(factors), _)] if x.rational.is_zero() && rest.len() == 1 => (first, factors.clone()),
        _ => (first, vec![(base, 1)]),
    }
}

/// The only term of a base, where there are rules for it.
enum Kind<'a> {
    Root(&'a Integer),
    Exp(&'a Real),
    Sqrt(&'a Real),
    Other,
}

fn kind(base: &Real) -> Kind<'_> {
    let Some(rest) = &base.rest else { return Kind::Other };
    if !base.rational.is_zero() || rest.len() != 1 {
        return Kind::Other;
    }
    match (rest.roots.as_slice(), rest.atoms.as_slice()) {
        ([(n, c)], []) if *c == 1 => Kind::Root(n),
        ([], [(Atom::Exp(y), c)]) if *c == 1 => Kind::Exp(y),
        ([], [(Atom::Sqrt(y), c)]) if *c == 1 => Kind::Sqrt(y),
        _ => Kind::Other,
    }
}

/// The product `c prod base^n` in normal form.
fn collect(mut c: Rational, factors: Vec<(Real, i64)>) -> Result<Real, Error> {
    let absurd = || Error::input("an exponent is too large");
    let mut others: Vec<(Real, i64)> = Vec::new();
    let mut root = Integer::from(1);
    let mut exponent = Real::zero();
    for (base, n) in factors {
        match kind(&base) {
            Kind::Exp(y) => exponent = exponent.add(&y.mul_rational(&Rational::from(n))),
            _ => match others.iter_mut().find(|(other, _)| *other == base) {
                Some((_, m)) => *m = m.checked_add(n).ok_or_else(absurd)?,
                None => others.push((base, n)),
            },
        }
    }
    // Square roots leave at most one power of themselves; what comes out is multiplied back in.
    let mut out: Vec<Real> = Vec::new();
    let mut kept: Vec<(Real, i64)> = Vec::new();
    for (base, n) in others {
        let (whole, odd) = (n.div_euclid(2), n.rem_euclid(2));
        match kind(&base) {
            Kind::Root(inner) => {
                c *= power(&Rational::from(inner), whole)?;
                if odd == 1 {
                    root *= inner;
                }
            }
            Kind::Sqrt(inner) if whole != 0 => {
                out.push(integer_power(inner, whole)?);
                if odd == 1 {
                    kept.push((base, 1));
                }
            }
            // Denominators are made rational, and powers multiplied out, as where they stand alone.
            Kind::Other if n < 0 && short(&base) => out.push(integer_power(&base, n)?),
            Kind::Other if (2..=MULTIPLIED).contains(&n) && short(&base) => out.push(integer_power(&base, n)?),
            _ if n != 0 => kept.push((base, n)),
            _ => {}
        }
    }
    let (inner, outer) = roots::of_rational(&Rational::from(root));
    c *= outer;
    let mut scale = Real::from(c);
    if inner != 1 {
        out.push(Real::from_terms(
            Rational::new(),
            Rest { roots: vec![(inner, Rational::from(1))], ..Rest::default() },
        ));
    }
    if !exponent.is_zero() {
        out.push(atom::exp(&exponent)?);
    }
    // A single factor stays a sum; several are kept as a product.
    let mut rest = Vec::new();
    for value in out {
        let (c, factors) = factor(&value);
        scale = scale.mul(&Real::from(c))?;
        rest.extend(factors);
    }
    // All sums of square roots together are one.
    let (sums, others) = kept.into_iter().partition(|(base, n)| *n == 1 && algebraic(base));
    let (c, mut rest) = gather(rest.into_iter().chain::<Vec<_>>(sums).collect());
    scale = scale.mul(&Real::from(c))?;
    let fell_out = rest.len();
    rest.extend::<Vec<_>>(others);
    let scale = scale.as_rational().cloned().unwrap_or_default();
    if !settled(&rest, fell_out) {
        // What fell out of a root or an exponential may meet its like; each pass removes one level of roots.
        return collect(scale, rest);
    }
    match rest.as_slice() {
        [] => Ok(Real::from(scale)),
        [(only, 1)] => Ok(only.mul_rational(&scale)),
        _ => {
            rest.sort_by_cached_key(|(base, _)| base.to_string());
            Ok(Real::from_atom(Atom::Product(rest)).mul_rational(&scale))
        }
    }
}

/// The same product with its sums of square roots multiplied out, as long as there are not too many terms.
fn gather(factors: Vec<(Real, i64)>) -> (Rational, Vec<(Real, i64)>) {
    let (mut c, mut rest) = (Rational::from(1), Vec::<(Real, i64)>::new());
    for (mut base, n) in factors {
        if n == 1 && algebraic(&base) {
            let fits = |(other, m): &(Real, i64)| *m == 1 && algebraic(other) && other.terms() * base.terms() <= EXPAND;
            if let Some(at) = rest.iter().position(fits) {
                base = expand(&rest.remove(at).0, &base);
            }
            let (first, factors) = factor(&base);
            c *= first;
            rest.extend(factors);
        } else {
            rest.push((base, n));
        }
    }
    (c, rest)
}

/// Are these factors in normal form: distinct bases, at most one square root of an integer and one exponential, and no
/// other root among the first `fell_out`, which have not been looked at?
fn settled(factors: &[(Real, i64)], fell_out: usize) -> bool {
    let count = |wanted: fn(&Kind<'_>) -> bool| factors.iter().filter(|(base, _)| wanted(&kind(base))).count();
    let (fresh, _) = factors.split_at(fell_out);
    count(|kind| matches!(kind, Kind::Root(_))) <= 1
        && count(|kind| matches!(kind, Kind::Exp(_))) <= 1
        && !fresh.iter().any(|(base, _)| matches!(kind(base), Kind::Sqrt(_)))
        && fresh.iter().enumerate().all(|(at, (base, _))| factors.iter().skip(at + 1).all(|(other, _)| other != base))
}

/// `base^n` of a rational, with its size checked first.
fn power(base: &Rational, n: i64) -> Result<Rational, Error> {
    if base.is_zero() && n < 0 {
        return Err(Error::input("division by zero"));
    }
    if base.is_zero() || base.numer().significant_bits() + base.denom().significant_bits() == 2 {
        // 0, 1 and -1
        let odd = n.rem_euclid(2) == 1;
        return Ok(if n == 0 || (!base.is_zero() && !odd) { Rational::from(1) } else { base.clone() });
    }
    let bits = size(base).saturating_mul(n.unsigned_abs());
    let n = i32::try_from(n).map_err(|_| too_large())?;
    if bits > Real::MAX_BITS {
        return Err(too_large());
    }
    Ok(Rational::from(base.pow(n)))
}

pub(super) fn recip(x: &Real) -> Result<Real, Error> {
    match x.as_rational() {
        Some(value) if value.is_zero() => Err(Error::input("division by zero")),
        Some(value) => Ok(Real::from(Rational::from(value.recip_ref()))),
        None => integer_power(x, -1),
    }
}

/// `x^n`.
fn integer_power(x: &Real, n: i64) -> Result<Real, Error> {
    if n == 0 {
        return Ok(Real::one());
    }
    if let Some(value) = x.as_rational() {
        return Ok(Real::from(power(value, n)?));
    }
    if n.unsigned_abs() > Real::MAX_POWER {
        return Err(Error::input(format!("the exponent of an irrational base must be at most {}", Real::MAX_POWER)));
    }
    let terms = root_terms(x);
    if algebraic(x) && n < 0 && terms.len() <= 2 {
        // 1/(a + b) = (a - b)/(a^2 - b^2), and 1/a = a/a^2; for terms of different classes nothing here is zero.
        let conjugate = match terms.as_slice() {
            [a, (m, d)] => vec![a.clone(), (m.clone(), Rational::from(-d))],
            _ => terms.clone(),
        };
        let conjugate = Real::from_terms(Rational::new(), Rest { roots: conjugate, ..Rest::default() });
        if let Some(norm) = expand(x, &conjugate).as_rational() {
            let inverse = conjugate.mul(&Real::from(Rational::from(norm.recip_ref())))?;
            return integer_power(&inverse, n.checked_neg().unwrap_or(i64::MAX));
        }
    }
    if algebraic(x) && n > 0 && n <= MULTIPLIED && terms.len() <= 2 {
        let mut product = x.clone();
        for _ in 1..n {
            product = mul(&product, x)?;
        }
        return Ok(product);
    }
    if n < 0 && decided_sign(x)? == Ordering::Equal {
        return Err(Error::input("division by zero"));
    }
    let (c, factors) = factor(x);
    let raised = factors.into_iter().map(|(base, m)| m.checked_mul(n).map(|m| (base, m))).collect::<Option<Vec<_>>>();
    let raised = raised.ok_or_else(|| Error::input("an exponent is too large"))?;
    bounded(collect(power(&c, n)?, raised)?)
}

pub(super) fn pow(x: &Real, y: &Real) -> Result<Real, Error> {
    if let Some(n) = as_integer(y) {
        if x.is_zero() && n.cmp0() == Ordering::Less {
            return Err(Error::input("zero to a negative power"));
        }
        // Beyond 64 bits only the parity matters, or the size is absurd.
        return match n.to_i64() {
            Some(n) => integer_power(x, n),
            None => integer_power(x, if n.is_even() { i64::MAX - 1 } else { i64::MAX }),
        };
    }
    if x.is_zero() {
        return match decided_sign(y)? {
            Ordering::Greater => Ok(Real::zero()),
            _ => Err(Error::input("zero to a negative power")),
        };
    }
    if decided_sign(x)? == Ordering::Less {
        return Err(Error::input("a negative base needs an integer exponent"));
    }
    if let Some(half) = y.as_rational().filter(|y| *y.denom() == 2) {
        let n = half.numer().to_i64().ok_or_else(too_large)?;
        return integer_power(&atom::sqrt(x)?, n);
    }
    let log = atom::ln(x)?;
    atom::exp(&log.mul(y)?)
}
