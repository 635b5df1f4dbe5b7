//! A vertical line in the complex plane, and equidistant nodes on it.

use rug::{Float, Integer, Rational};

use enclosure::{Enclosure, Portable, Real};

/// The nodes `s_k = tilt + i u_k`, `u_k = 2 pi k/period`, `k = 0, 1, 2, ...`
///
/// The period is a length on the axis of losses: the trapezoid rule with these nodes sees the law of the loss modulo
/// the period. It is exact, so that the phase `u_k l` of a loss that is a rational multiple of it is known modulo
/// `2 pi` without any rounding, however large `k` is.
#[derive(Clone, Debug)]
pub struct VerticalContour {
    tilt: Rational,
    period: Real,
}

impl VerticalContour {
    /// The line of this real part; `period > 0`.
    pub fn new(tilt: Rational, period: Real) -> Self {
        VerticalContour { tilt, period }
    }

    /// The same nodes on the line of another real part.
    pub fn at(&self, tilt: Rational) -> Self {
        VerticalContour { tilt, period: self.period.clone() }
    }

    /// The real part of all nodes.
    pub fn tilt(&self) -> &Rational {
        &self.tilt
    }

    /// The period on the axis of losses.
    pub fn period(&self) -> &Real {
        &self.period
    }

    /// `u_k`.
    pub fn ordinate(&self, k: u64, bits: u32) -> Enclosure {
        let turns = &Enclosure::pi(bits).shift(1) * &Enclosure::integer(&Integer::from(k), bits);
        &turns / &self.period.enclosure(bits)
    }

    /// The ordinates as doubles.
    pub(super) fn ordinates(&self) -> Ordinates {
        let each = self.ordinate(1, 64);
        Ordinates(Float::with_val(53, each.lower()).to_f64())
    }

    /// How a loss turns from node to node.
    pub fn turns(&self, loss: &Real) -> Turns {
        match loss.ratio(&self.period) {
            Some(exact) => Turns::Exact(exact),
            None => Turns::Inexact(loss.clone(), self.period.clone()),
        }
    }
}

/// Ordinates as doubles, each within a factor `1 +- 2^-50`: the first is within `1 +- 2^-51`; the integer, rounded
/// where it is above `2^53`, and the product add `2^-53` each.
#[derive(Clone, Copy)]
pub(super) struct Ordinates(f64);

impl Ordinates {
    pub fn at(self, k: u64) -> f64 {
        self.0 * k as f64
    }
}

/// The number of turns `loss/period` that `e^(i u l)` makes from one node to the next.
#[derive(Clone, Debug)]
pub enum Turns {
    /// A rational.
    Exact(Rational),
    /// The quotient of two reals that is not known to be rational.
    Inexact(Real, Real),
}

impl Turns {
    /// The turns of one node less the whole ones below, between two floats; `None` where that is not known.
    pub(super) fn part(&self, bits: u32) -> Option<(Float, Float)> {
        let turns = match self {
            Turns::Exact(turns) => {
                let part = turns - Rational::from(turns.floor_ref());
                Enclosure::rational(&part, bits)
            }
            Turns::Inexact(loss, period) => {
                let scale = (loss.to_f64() / period.to_f64()).abs().portable_log2().clamp(0.0, 1e4) as u32;
                let wide = bits + scale + 8;
                let all = &loss.enclosure(wide) / &period.enclosure(wide);
                let whole = all.lower().clone().floor().to_integer()?;
                &all - &Enclosure::integer(&whole, wide)
            }
        };
        (turns.lower().is_finite() && turns.upper().is_finite()).then(|| turns.into_bounds())
    }

    /// The angle `2 pi k loss/period`, reduced by whole turns.
    pub fn angle(&self, k: u64, bits: u32) -> Enclosure {
        self.angle_of(&Integer::from(k), bits)
    }

    /// The same for any integer multiple.
    pub fn angle_of(&self, k: &Integer, bits: u32) -> Enclosure {
        let two_pi = |bits| Enclosure::pi(bits).shift(1);
        match self {
            Turns::Exact(turns) => {
                let all = Rational::from(turns * k);
                let rest = &all - Rational::from(all.round_ref());
                &two_pi(bits) * &Enclosure::rational(&rest, bits)
            }
            Turns::Inexact(loss, period) => {
                // Guard bits for the whole turns that are taken off.
                let scale = (loss.to_f64() / period.to_f64()).abs().portable_log2().clamp(0.0, 1e6) as u32;
                let wide = bits.saturating_add(k.significant_bits()).saturating_add(scale + 8);
                let all = &(&loss.enclosure(wide) / &period.enclosure(wide)) * &Enclosure::integer(k, wide);
                let whole = all.lower().clone().round().to_integer().unwrap_or_default();
                &two_pi(bits) * &(&all - &Enclosure::integer(&whole, wide)).with_bits(bits)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::Complex;

    /// Both ways to reduce an angle give the same point of the circle.
    #[test]
    fn whole_turns_are_taken_off() {
        let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
        let exact = line.turns(&Real::from(Rational::from((22, 9))));
        let inexact = Turns::Inexact(Real::from(Rational::from((22, 9))), Real::from(7u64));
        for k in [0u64, 1, 2, 63, 1000, 123_456_789_012] {
            let (a, b) = (Complex::cis(&exact.angle(k, 100), 100), Complex::cis(&inexact.angle(k, 100), 100));
            assert!(a.re().overlaps(&b.re()) && a.im().overlaps(&b.im()), "{k}");
            assert!(a.re().relative_bits().is_none_or(|bits| bits > 80), "{k}");
        }
        assert!(exact.angle(63, 64).is_point(), "63 * 22/63 turns are whole");
    }
}
