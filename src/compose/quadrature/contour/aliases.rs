//! What the trapezoid rule adds to what is wanted: the terms `m != 0` of the identity.

use rug::{Float, Rational};

use super::layout::{Layout, moment};
use super::{BOUND_BITS, Contour, Factors};
use crate::compose::quadrature::factor::Factor;
use crate::compose::quadrature::factor::poisson_gaussian::split::some_of;
use crate::compose::quadrature::plan::{End, PoleSide};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real};

/// Bits of a moment, beyond those that its power loses, that bounds aliases: `1 + 2^-30` of a bound is as good as it.
const ALIAS_BITS: u32 = 32;

impl Contour {
    /// What is known of the aliases.
    ///
    /// With `R(y) = E[(1-e^(y-L))_+]`, `S(y) = E[(e^(y-L)-1)_+]` and `R(y) - S(y) = M(0) - M(-1) e^y`, all over finite
    /// losses, what is computed is `v = R` right of both poles, `M(0) - R = M(-1) e^y - S` between them, and S left of
    /// both. So towards a pole an alias is a known number and something small; the known ones are two geometric
    /// series.
    pub(super) fn known(&self, epsilon: &Real) -> Enclosure {
        let tilt = self.line.tilt();
        let [p, q] = &self.finite;
        let near_zero = || p * &self.series(tilt, self.work);
        let near_minus_one = || {
            let rise = epsilon.enclosure(self.work.saturating_add(64)).exp().with_bits(self.work);
            &(q * &rise) * &self.series(&Rational::from(tilt + 1u32), self.work)
        };
        match self.pole_side {
            PoleSide::Right => near_zero() - near_minus_one(),
            PoleSide::Middle => near_zero() + near_minus_one(),
            PoleSide::Left => near_minus_one() - near_zero(),
        }
    }

    /// `sum_(m >= 1) e^(-m |distance| period)`.
    fn series(&self, distance: &Rational, bits: u32) -> Enclosure {
        let period = self.line.period().enclosure(bits);
        (&Enclosure::rational(&distance.clone().abs(), bits) * &period).expm1().recip()
    }

    /// Bounds of what is not known of the aliases: of `sum e^(-cm period) S(eps - m period)` and of
    /// `sum e^(cm period) R(eps + m period)`, `m >= 1`.
    ///
    /// Chernoff at two other tilts: `S(y) <= M(a) e^(-ay)` for `a <= -1`, as `(e^(-x)-1)_+ <= e^(ax)`, and
    /// `R(y) <= M(a) e^(-ay)` for `a >= 0`, as `(1-e^(-x))_+ <= e^(ax)`. The same holds of the tails `P(L < y)` and
    /// `P(L >= y)` in the place of S and R; and of any positive measure in the place of the law: where that is the sum
    /// of two, so is the bound, each at a tilt of its own ([`sides`]).
    pub(super) fn unknown(&self, epsilon: &Real) -> [Enclosure; 2] {
        self.sides.each_ref().map(|measures| {
            let bounds = measures.iter().map(|(tilt, moment)| {
                let fall = -(&Enclosure::rational(tilt, BOUND_BITS) * &epsilon.enclosure(BOUND_BITS + 64));
                let distance = Rational::from(tilt - self.line.tilt());
                &(moment * &fall.exp().with_bits(BOUND_BITS)) * &self.series(&distance, BOUND_BITS)
            });
            let bound = bounds.fold(Enclosure::zero(BOUND_BITS), |sum, bound| &sum + &bound);
            Enclosure::new(Float::new(BOUND_BITS), bound.into_bounds().1)
        })
    }

    /// What is known of a tail's aliases: towards the pole, all of the mass.
    pub(super) fn known_of_tail(&self) -> Enclosure {
        &self.finite[0] * &self.series(self.line.tilt(), self.work)
    }
}

/// Tilts below and above with the moments there of what is bounded by them.
///
/// Where one draw in k has a rare large loss, its law is the sum of two positive measures with the transforms A and B,
/// and with R the transform of all else the law of the sum is that of the measures with the transforms `A^k R` and
/// `((A + B)^k - A^k) R`, at most `k B (A + B)^(k-1) R` at a real point. The first may have moments where the second
/// has none, or large ones.
pub(super) fn sides(
    factors: &Factors,
    layout: &Layout,
    budget: &Budget,
) -> Result<[Vec<(Rational, Enclosure)>; 2], Error> {
    let most_times = factors.iter().map(|(_, times)| *times).max().unwrap_or(1);
    let bits = BOUND_BITS.min(ALIAS_BITS + u64::BITS - most_times.leading_zeros());
    let rare_end = layout.rare.as_ref().map(|(rare, _)| rare.end);
    let side = |end: End, tilt: &Rational| -> Result<Vec<(Rational, Enclosure)>, Error> {
        let all = |c: &Rational| moment(factors, c, bits, budget);
        let Some((rare, of_rare)) = layout.rare.as_ref().filter(|_| rare_end == Some(end)) else {
            return Ok(vec![(tilt.clone(), all(tilt)?)]);
        };
        let lost = || Error::undecided("rare privacy losses are not separated from the others");
        let (factor, times) = factors.get(rare.factor).ok_or_else(lost)?;
        let split = factor.apart(rare.cut, false).ok_or_else(lost)?;
        let others = |c: &Rational| -> Result<Enclosure, Error> {
            let mut others = factors.to_vec();
            others.remove(rare.factor);
            moment(&others, c, BOUND_BITS, budget)
        };
        let usual = split.small(tilt, BOUND_BITS, budget)?;
        let [small, large, _] = split.moments(of_rare, BOUND_BITS, budget)?;
        Ok(vec![
            (tilt.clone(), &usual.pow(*times) * &others(tilt)?),
            (of_rare.clone(), &some_of(*times, &small, &large) * &others(of_rare)?),
        ])
    };
    let [below, above] = &layout.sides;
    Ok([side(End::Lower, below)?, side(End::Upper, above)?])
}

/// `prod (1 - m_i)^(T_i)`, `m_i` the mass of infinite losses.
pub(super) fn finite(factors: &Factors, infinite: fn(&dyn Factor, u32) -> Number, bits: u32) -> Enclosure {
    factors.iter().fold(Enclosure::one(bits), |product, (factor, times)| {
        let kept = &Number::one() - &infinite(factor.as_ref(), bits.saturating_add(72));
        &product * &kept.enclosure(bits.saturating_add(72)).pow(*times).with_bits(bits)
    })
}
