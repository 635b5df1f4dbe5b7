//! Operators on pairs whose losses stay on one lattice, whatever `x = e^eps` is: masses are rational functions of x,
//! and the result composes like any other mechanism on a lattice, to any number of digits.
//!
//! **Groups.** Of k neighbours with randomized response `1 - (1-f)^(o k)` has the slopes `-x^(k-2j)`: `1 - f` is
//! multiplication by x up to `1/(1+x)`, and beyond it `1 - f` divides the rest by x. The mass of the loss `(k-2j) eps`
//! is that of two-sided geometric noise of sensitivity k, which in its turn is k steps of sensitivity 1.
//!
//! **Groups with mass at infinity**, of (eps, delta): `1 - f` is `A(a) = delta + x a` up to `t = (1-delta)/(1+x)`, then
//! `B(a) = 1 - (1-delta-a)/x` until that is 1. From 0 it is `r_j = A^j(0) = delta (x^j - 1)/(x-1)` after j steps by A;
//! with J the last j that has `r_(j-1) < t`, and `m = k - J` steps by B, there is left of 1
//!
//! `1 - delta_k = (1 - delta (x^J + x^m - 2)/(x-1))/x^m`, or nothing,
//!
//! and the a that take j steps by A are an interval of length `(t (x-1) + delta)/x^j`, for `j = J` of
//! `(t - r_(J-1))/x^(J-1)`: the P-masses of the losses `(k-2j) eps <= 0`, and the pair is symmetric.
//!
//! **Samples of fixed size** of a pair with the losses -eps, 0 and eps, and delta at infinity: the profile is that of
//! the Poisson sample for epsilons that are at least 0, `p delta + q (1 - p + p x - y)_+` at `y >= 1`, q the Q-mass of
//! the loss eps. So there are `p delta` at infinity and the losses `-L`, 0 and `L = ln(1 - p + p x)`, with Q-masses
//! `q e^L`, the rest, and q; it is a failure beside a lattice.

use std::cmp::Ordering;

use rug::Rational;

use crate::error::Error;
use crate::pair::{Discrete, Law, Noise, Pair, one_minus_exp_neg, step_down};
use enclosure::{Number, Real};

impl Pair {
    /// Two-sided geometric noise of this rate, moved by an integer; moved by 1 it is randomized response (Kairouz, Oh
    /// and Viswanath, section 4.4).
    ///
    /// # Errors
    /// [`Error::Input`] for a rate that is not positive.
    pub fn geometric(kind: &'static str, rate: Real, reach: u64) -> Result<Self, Error> {
        if rate.is_zero() || reach == 0 {
            return Ok(Pair::Equal);
        }
        if reach == 1 {
            return Pair::response(rate, Real::zero());
        }
        let unit = rate.clone();
        let inside = rate.clone();
        let masses = move |bits| geometric(&rate, reach, bits);
        let lattice = Discrete::symmetric_lattice(kind, unit, reach, masses)?.known_as(Noise::Geometric);
        Ok(Pair::Discrete(lattice.with_constants(move || geometric_constants(&inside, reach))))
    }
}

/// The same masses as those of [`geometric`], with `y = e^-eps`: `1/(1+y)`, `y^j (1-y)/(1+y)` and `y^D/(1+y)`.
fn geometric_constants(epsilon: &Real, sensitivity: u64) -> Result<Vec<Real>, Error> {
    let y = epsilon.neg().exp()?;
    let end = Real::one().div(&Real::one().add(&y))?;
    let spread = Real::one().sub(&y).mul(&end)?;
    let mut p = vec![Real::zero(); sensitivity.saturating_mul(2).saturating_add(1) as usize];
    for j in 0..=sensitivity {
        let level = epsilon.mul_rational(&-Rational::from(j)).exp()?;
        let mass = if j == 0 || j == sensitivity { end.mul(&level)? } else { spread.mul(&level)? };
        if let Some(slot) = p.get_mut(2 * (sensitivity - j) as usize) {
            *slot = mass;
        }
    }
    Ok(p)
}

/// P-masses of the losses `eps (D - 2j)`, `0 <= j <= D`: both tails of the noise collapse into the extreme losses.
/// Between them stand the odd multiples of eps, which have no mass.
fn geometric(epsilon: &Real, sensitivity: u64, bits: u32) -> Vec<Number> {
    let places = sensitivity.saturating_mul(2).saturating_add(1);
    let y = step_down(epsilon, places, bits);
    let sum = &Number::one() + &y;
    let spread = &one_minus_exp_neg(epsilon, bits) / &sum;
    let mut p = vec![Number::zero(); places as usize];
    // One product each: no less narrow than a power, which multiplies what y is off by as often.
    let mut power = Number::one();
    for j in 0..=sensitivity {
        let mass = match j {
            0 => &Number::one() / &sum,
            j if j == sensitivity => &power / &sum,
            _ => &spread * &power,
        };
        power = &power * &y;
        if let Some(slot) = p.get_mut(2 * (sensitivity - j) as usize) {
            *slot = mass;
        }
    }
    p
}

/// The group of this size of randomized response, or of geometric noise.
///
/// # Errors
/// [`Error::Input`] for groups that are too large.
pub(super) fn group(pair: &Discrete, size: u64) -> Result<Option<Pair>, Error> {
    let (rate, reach) = match (pair.law(), pair.as_geometric()) {
        (_, Some((rate, reach))) => (rate, reach),
        (Law::Response { epsilon, delta }, _) if delta.is_zero() => (epsilon, 1),
        (Law::Response { epsilon, delta }, _) => return leaky_group(epsilon, delta, size),
        _ => return Ok(None),
    };
    let reach = reach.checked_mul(size).ok_or_else(|| Error::input("a group must have at most 2^64 records"))?;
    Pair::geometric("group of randomized response", rate.clone(), reach).map(Some)
}

/// Records in a group of what fails outright, at most.
const LARGEST_LEAKY: u64 = 1 << 10;
/// Bits of constants that are compared.
const BITS: u32 = 512;

/// `r_j`.
fn reached(x: &Number, delta: &Number, steps: u64) -> Number {
    (0..steps).fold(Number::zero(), |r, _| &(x * &r) + delta)
}

/// The group of this size, at least 2, of the worst (epsilon, delta) pair; `None` if an order is undecided.
fn leaky_group(epsilon: &Real, delta: &Real, size: u64) -> Result<Option<Pair>, Error> {
    let one = Real::one();
    if epsilon.is_zero() {
        // What is left after each step is what is left of 1 - a, less delta.
        let rest = one.sub(&delta.mul_rational(&Rational::from(size)));
        return Ok(match rest.sign() {
            Some(Ordering::Greater) => Some(Pair::response(Real::zero(), one.sub(&rest))?),
            Some(_) => Some(Pair::response(Real::zero(), one)?),
            None => None,
        });
    }
    if size > LARGEST_LEAKY || one.sub(delta).sign() != Some(Ordering::Greater) {
        return Ok(None);
    }
    let (ratio, share) = (epsilon.exp_number(BITS), delta.number(BITS));
    let turn = &(&Number::one() - &share) / &(&Number::one() + &ratio);
    let (mut steps, mut level) = (0, Number::zero());
    while steps < size {
        match level.compare(&turn) {
            Some(Ordering::Less) => steps += 1,
            Some(_) => break,
            None => return Ok(None),
        }
        level = &(&ratio * &level) + &share;
    }
    let x = epsilon.exp()?;
    let power = |n: u64| x.pow(&Real::from(n));
    let gone = power(steps)?.add(&power(size - steps)?).sub(&Real::from(2u64)).mul(delta)?;
    let rest = one.sub(&gone.div(&x.sub(&one))?).div(&power(size - steps)?)?;
    let failure = match rest.sign() {
        Some(Ordering::Greater) => Pair::response(Real::zero(), one.sub(&rest))?,
        Some(_) => return Pair::response(Real::zero(), one).map(Some),
        None => return Ok(None),
    };
    if 2 * steps <= size {
        return Ok(Some(failure));
    }
    let (unit, delta) = (epsilon.clone(), delta.clone());
    let inside = epsilon.clone();
    let (again, share, left) = (inside.clone(), delta.clone(), rest.clone());
    let masses = move |bits: u32| leaky_masses(&inside, &delta, &rest, (size, steps), bits);
    let lattice = Discrete::symmetric_lattice("group of (epsilon, delta) mechanism", unit, 2 * steps - size, masses)?;
    let lattice = lattice.with_constants(move || leaky_constants(&again, &share, &left, (size, steps)));
    Ok(Some(Pair::several(vec![(failure, 1), (Pair::Discrete(lattice), 1)])))
}

/// P-masses where nothing fails, of the losses `(k - 2j) eps`.
fn leaky_masses(epsilon: &Real, delta: &Real, rest: &Real, (size, steps): (u64, u64), bits: u32) -> Vec<Number> {
    // Powers up to the number of steps are taken.
    let wide = bits.saturating_add(64);
    let (x, delta, rest) = (epsilon.exp_number(wide), delta.number(wide), rest.number(wide));
    let turn = &(&Number::one() - &delta) / &(&Number::one() + &x);
    let inner = &(&turn * &(&x - &Number::one())) + &delta;
    let largest = (2 * steps - size) as usize;
    let mut p = vec![Number::zero(); 2 * largest + 1];
    for j in size.div_ceil(2)..=steps {
        let mass = match j {
            j if j == steps => &(&turn - &reached(&x, &delta, j - 1)) / &x.pow(j - 1),
            j => &inner / &x.pow(j),
        };
        let mass = &mass / &rest;
        let step = (2 * j - size) as usize;
        p[largest + step] = &mass * &x.pow(2 * j - size);
        p[largest - step] = mass;
    }
    p
}

/// The same masses as constants, with `r_j = delta (x^j - 1)/(x - 1)`.
fn leaky_constants(epsilon: &Real, delta: &Real, rest: &Real, (size, steps): (u64, u64)) -> Result<Vec<Real>, Error> {
    let one = Real::one();
    let power = |n: u64| epsilon.mul_rational(&Rational::from(n)).exp();
    let x = epsilon.exp()?;
    let turn = one.sub(delta).div(&one.add(&x))?;
    let inner = turn.mul(&x.sub(&one))?.add(delta);
    let reached = delta.mul(&power(steps - 1)?.sub(&one))?.div(&x.sub(&one))?;
    let largest = (2 * steps - size) as usize;
    let mut p = vec![Real::zero(); 2 * largest + 1];
    for j in size.div_ceil(2)..=steps {
        let mass = if j == steps { turn.sub(&reached).div(&power(j - 1)?)? } else { inner.div(&power(j)?)? };
        let mass = mass.div(rest)?;
        let step = (2 * j - size) as usize;
        p[largest + step] = mass.mul(&power(2 * j - size)?)?;
        p[largest - step] = mass;
    }
    Ok(p)
}

/// The losses -eps, 0 and eps of a pair, or the first and the last of them.
#[derive(Clone)]
struct Few {
    epsilon: Real,
    delta: Real,
    /// Of a lattice that is more than its ends.
    lattice: Option<Discrete>,
}

impl Few {
    fn of(pair: &Discrete) -> Option<Self> {
        match pair.law() {
            Law::Response { epsilon, delta } => {
                Some(Few { epsilon: epsilon.clone(), delta: delta.clone(), lattice: None })
            }
            Law::SymmetricLattice { unit, largest: 1, .. } => {
                Some(Few { epsilon: unit.clone(), delta: Real::zero(), lattice: Some(pair.clone()) })
            }
            _ => None,
        }
    }

    /// The P-masses of eps and 0.
    fn masses(&self, bits: u32) -> (Number, Number) {
        if let Some(lattice) = &self.lattice {
            let steps = lattice.steps(bits).unwrap_or_default();
            let mass = |step: i64| steps.iter().find(|(at, _)| *at == step).map(|(_, mass)| mass.clone());
            return (mass(1).unwrap_or_else(Number::zero), mass(0).unwrap_or_else(Number::zero));
        }
        let down = &Number::one() / &self.epsilon.exp_number(bits);
        (&Real::one().sub(&self.delta).number(bits) / &(&Number::one() + &down), Number::zero())
    }

    /// What [`sampled`](Self::sampled) has, as constants; nothing of a lattice whose masses are not known as such.
    fn sampled_constants(&self, rate: &Real) -> Result<Vec<Real>, Error> {
        let one = Real::one();
        let down = self.epsilon.neg().exp()?;
        let (likely, nothing) = match &self.lattice {
            None => (one.sub(&self.delta).div(&one.add(&down))?, Real::zero()),
            Some(lattice) => {
                let masses = lattice.constants()?.unwrap_or_default();
                let [_, nothing, likely] = masses.as_slice() else { return Ok(Vec::new()) };
                (likely.clone(), nothing.clone())
            }
        };
        let rest = one.sub(rate);
        let low = likely.mul(&down)?;
        let high = likely.mul(&rate.add(&rest.mul(&down)?))?;
        let gained = self.delta.add(&likely.mul(&one.sub(&down))?);
        let middle = nothing.add(&rest.mul(&gained)?);
        let kept = one.sub(&rate.mul(&self.delta)?);
        [low, middle, high].iter().map(|mass| mass.div(&kept)).collect()
    }

    /// P-masses of the losses -L, 0 and L of the sample, where nothing fails.
    ///
    /// The mass of 0 is what is left: `1 - p delta - q (1 + e^L)` with `1 = q (1 + x) + m + delta`, which is
    /// `m + (1-p) (delta + q (x - 1))`, m the mass of 0 inside.
    fn sampled(&self, rate: &Real, bits: u32) -> Vec<Number> {
        let wide = bits.saturating_add(16);
        let (likely, nothing) = self.masses(wide);
        let (delta, share) = (self.delta.number(wide), rate.number(wide));
        let rest = Real::one().sub(rate).number(wide);
        let down = &Number::one() / &self.epsilon.exp_number(wide);
        let low = &likely * &down;
        let high = &likely * &(&share + &(&rest * &down));
        let gained = &delta + &(&likely * &one_minus_exp_neg(&self.epsilon, wide));
        let middle = &nothing + &(&rest * &gained);
        let kept = &Number::one() - &(&share * &delta);
        [low, middle, high].iter().map(|mass| mass / &kept).collect()
    }
}

/// A sample of a fixed share, strictly between 0 and 1, of a pair with these losses.
///
/// # Errors
/// Those of constants.
pub(super) fn subsampled(pair: &Discrete, rate: &Real) -> Result<Option<Pair>, Error> {
    let Some(few) = Few::of(pair) else { return Ok(None) };
    let failure = Pair::response(Real::zero(), rate.mul(&few.delta)?)?;
    let certain = Real::one().sub(&few.delta).sign() == Some(Ordering::Equal);
    if few.epsilon.is_zero() || certain {
        return Ok(Some(failure));
    }
    // ln(1 + p (x - 1)), if that is a constant that can be written.
    let grown = few.epsilon.exp().and_then(|x| Real::one().add(&rate.mul(&x.sub(&Real::one()))?).ln());
    let Ok(unit) = grown else { return Ok(None) };
    let gamma = few.lattice.as_ref().and_then(Discrete::as_staircase).map(|(_, gamma, _, _)| gamma.clone());
    let told = few.lattice.is_none() || gamma.is_some();
    let known = Noise::Share { rate: rate.clone(), epsilon: few.epsilon.clone(), delta: few.delta.clone(), gamma };
    let (rate, again, same) = (rate.clone(), rate.clone(), few.clone());
    let masses = move |bits| few.sampled(&rate, bits);
    let lattice = Discrete::symmetric_lattice("fixed-size subsample", unit, 1, masses)?;
    let mut lattice = lattice.with_constants(move || same.sampled_constants(&again));
    if told {
        lattice = lattice.known_as(known);
    }
    Ok(Some(Pair::several(vec![(failure, 1), (Pair::Discrete(lattice), 1)])))
}

#[cfg(test)]
mod tests {
    use super::super::fractions;
    use super::*;
    use crate::pair::TradeOff;
    use enclosure::Enclosure;

    fn ln(x: i32) -> Real {
        Real::from(ratio(x, 1)).ln().expect("positive")
    }

    fn ratio(numer: i32, denom: i32) -> Rational {
        Rational::from((numer, denom))
    }

    fn discrete(pair: Pair) -> Discrete {
        let Pair::Discrete(pair) = pair else { panic!("{pair:?}") };
        pair
    }

    fn curve(pair: &Pair) -> TradeOff {
        fractions(std::slice::from_ref(pair)).expect("a curve").expect("fractions")
    }

    /// With `e^eps` a fraction both routes are exact: the lattice, and the iterated polyline.
    #[test]
    fn groups_are_iterated_polylines() {
        for (x, size) in [(2, 2), (2, 3), (3, 4), (7, 5)] {
            let one = Pair::response(ln(x), Real::zero()).expect("a pair");
            let lattice = group(&discrete(one.clone()), size).expect("a group").expect("a lattice");
            assert_eq!(curve(&lattice), curve(&one).group(size, 100).expect("a group"), "{x} {size}");
            // Groups of groups.
            let twice = group(&discrete(lattice), 2).expect("a group").expect("a lattice");
            assert_eq!(curve(&twice), curve(&one).group(2 * size, 100).expect("a group"), "{x} {size}");
        }
    }

    /// The same with mass at infinity, until that is all there is.
    #[test]
    fn groups_of_what_fails_are_iterated_polylines() {
        for (x, delta) in [(2, ratio(1, 9)), (2, ratio(1, 1000)), (5, ratio(1, 50)), (3, ratio(2, 5)), (1, ratio(1, 5))]
        {
            let one = Pair::response(ln(x), Real::from(delta.clone())).expect("a pair");
            for size in 2..9 {
                let lattice = group(&discrete(one.clone()), size).expect("a group").expect("a lattice");
                let exact = curve(&one).group(size, 100).expect("a group");
                assert_eq!(curve(&lattice), exact, "{x} {delta} {size}");
            }
        }
    }

    /// The same of samples of fixed size, with and without mass at infinity, and with a loss of 0.
    #[test]
    fn samples_are_hulls_of_polylines() {
        let response = |x, delta| Pair::response(ln(x), Real::from(delta)).expect("a pair");
        let three = Discrete::symmetric_lattice("three losses", ln(3), 1, |_| {
            [ratio(1, 6), ratio(1, 3), ratio(1, 2)].map(Number::Exact).to_vec()
        });
        let three = Pair::Discrete(three.expect("a lattice"));
        for pair in [response(2, ratio(0, 1)), response(3, ratio(1, 10)), response(1, ratio(1, 4)), three] {
            for rate in [ratio(1, 2), ratio(1, 7), ratio(9, 10)] {
                let lattice = subsampled(&discrete(pair.clone()), &Real::from(rate.clone())).expect("a sample");
                let exact = curve(&pair).subsampled(&rate).expect("a sample");
                assert_eq!(curve(&lattice.expect("a lattice")), exact, "{pair:?} {rate}");
            }
        }
        let all = Pair::response(ln(2), Real::one()).expect("a pair");
        let lattice = subsampled(&discrete(all), &Real::from(ratio(1, 3))).expect("a sample").expect("a lattice");
        assert_eq!(curve(&lattice), TradeOff::approximate_dp(&ratio(1, 1), &ratio(1, 3)).expect("a curve"));
    }

    /// Where nothing is rational masses still total one.
    #[test]
    fn irrational_masses_total_one() {
        let pair = discrete(Pair::response(Real::one(), Real::from(ratio(1, 10))).expect("a pair"));
        let Some(Pair::Several(parts)) = subsampled(&pair, &Real::from(ratio(1, 5))).expect("a sample") else {
            panic!("no sample")
        };
        let lattice = discrete(parts[1].0.clone());
        let masses = lattice.masses(100).expect("masses");
        assert!(masses.is_pair(&lattice.losses().expect("losses"), 100));
        let total = masses.p.iter().fold(Enclosure::zero(100), |sum, mass| &sum + &mass.enclosure(100));
        assert!(total.relative_bits() > Some(90), "{total:?}");
    }
}
