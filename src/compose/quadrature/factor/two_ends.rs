//! How fast the modulus falls where a law has an atom at each end and a density between: Laplace noise, and samples of
//! it.
//!
//! Tilted to the line and divided by `M(c)`, the atoms have the masses `a_1, a_2` and the density h the mass `1 - a_1 -
//! a_2`. With d the distance of the ends,
//!
//! `|M(c + iu)|/M(c) <= |a_1 + a_2 e^(iud)| + |int e^(iul) h(l) dl|`,
//! `|a_1 + a_2 e^(iud)|^2 = (a_1 + a_2)^2 - 2 a_1 a_2 (1 - cos ud)`,
//!
//! and the integral is at most the mass, and at most `B/u`: by parts, B being at least the values of h at both ends and
//! its total variation together. So far out a power of this is small at the resonances, where ud is near whole turns,
//! and far smaller between them. See `proofs/paper/closed-form-factors.md`.
//!
//! **In doubles.** `1 - cos t = 2 sin^2(t/2)` for t in `[0, pi]` is at least each of `t^2/2 - t^4/24`, `2 t^2/pi^2` and
//! `2 - (pi - t)^2/2`, and rises: t in turns is [`Turning`]'s lower bound. Of the numbers before, each is rounded to
//! its safe side; the dozen operations in doubles round by `2^-53` each, of numbers at most two, and the slack of
//! `1e-12` pays for that.

use rug::float::Round::{Down, Up};

use super::VerticalContour;
use super::turning::Turning;
use enclosure::doubles;
use enclosure::{Enclosure, Real};

/// Room for what is rounded, in every one of the terms.
const SLACK: f64 = 1e-12;

/// The bound along one line.
pub(super) struct TwoEnds {
    /// How the ends turn against each other, if that is known.
    turning: Option<Turning>,
    /// `a_1 + a_2`, rounded up.
    atoms: f64,
    /// `2 a_1 a_2`, rounded down.
    twice: f64,
    /// `1 - a_1 - a_2`, rounded up.
    rest: f64,
    /// B over the ordinate of the first node, rounded up.
    fall: f64,
}

impl TwoEnds {
    /// From the masses of the atoms, `M(c)` and `B`, all of the same tilted law, and the distance of the ends.
    pub(super) fn new(
        line: &VerticalContour,
        distance: Option<&Real>,
        atoms: [&Enclosure; 2],
        moment: &Enclosure,
        variation: &Enclosure,
    ) -> Self {
        let [a, b] = atoms.map(|atom| atom / moment);
        let up = |x: &Enclosure| x.upper().to_f64_round(Up);
        let sum = &a + &b;
        let rest = &Enclosure::one(64) - &sum;
        let fall = &(variation / moment) / &line.ordinate(1, 64);
        TwoEnds {
            turning: distance.and_then(|distance| Turning::new(&line.turns(distance))),
            atoms: up(&sum),
            twice: (&a * &b).shift(1).lower().to_f64_round(Down).max(0.0),
            rest: up(&rest),
            fall: up(&fall),
        }
    }

    /// A bound of the logarithm at the nodes `from..=to`, [`Decay`](super::Decay)'s.
    pub(super) fn log_bound(&self, from: u64, to: u64) -> f64 {
        let turns = self.turning.as_ref().map_or(0.0, |turning| turning.distance(from, to));
        let square = self.atoms * self.atoms * (1.0 + SLACK) - self.twice * one_minus_cosine(turns) * (1.0 - SLACK);
        // The larger of 0 and what is no number would be 0.
        self.logarithm(if square.is_nan() { f64::INFINITY } else { square.max(0.0).sqrt() }, from)
    }

    /// The same of all nodes from one on.
    pub(super) fn falling(&self, from: u64) -> f64 {
        self.logarithm(self.atoms, from)
    }

    /// `ln` of the atoms' part and of the density's at a node, rounded up.
    fn logarithm(&self, atoms: f64, node: u64) -> f64 {
        let fall = if node == 0 { f64::INFINITY } else { self.fall / node as f64 };
        let ratio = (atoms + fall.min(self.rest)) * (1.0 + SLACK);
        // Nothing is known of what is no number.
        if ratio < 1.0 { (doubles::ln(ratio.max(f64::MIN_POSITIVE)) * (1.0 - SLACK)).min(0.0) } else { 0.0 }
    }

    /// So many nodes lie where the density is not yet a small part of what the bound says.
    pub(super) fn front(&self) -> u64 {
        const PART: f64 = 64.0;
        (PART * self.fall).clamp(0.0, 1e18) as u64
    }
}

/// `1 - cos t`, rounded down, for `d <= 1/2` turns; `pi^2` is between 9.8696 and 9.8697, `pi^4` below 97.4092.
fn one_minus_cosine(d: f64) -> f64 {
    let (near, far) = (d * d, 0.5 - d);
    let low = 2.0 * 9.8696 * near * (1.0 - SLACK) - (2.0 / 3.0) * 97.4092 * near * near * (1.0 + SLACK);
    let high = 2.0 - 2.0 * 9.8697 * far * far * (1.0 + SLACK);
    low.max(8.0 * near).max(high) - SLACK
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;

    /// Below the cosine's, by little.
    #[test]
    fn the_cosine_is_bounded() {
        for n in 0..=1000u32 {
            let d = f64::from(n) / 2000.0;
            let angle = &Enclosure::double(d, 100) * &Enclosure::pi(100).shift(1);
            let truth = &Enclosure::one(100) - &enclosure::Complex::cis(&angle, 100).re();
            let bound = one_minus_cosine(d);
            assert!(*truth.lower() >= bound, "{d}: {bound}");
            assert!(*truth.lower() <= bound + 0.1, "{d}: {bound}");
        }
    }

    /// A law of two atoms alone: its modulus is the bound, and a density whose variation is told too small is noticed.
    #[test]
    fn two_atoms_have_this_modulus() {
        let line = VerticalContour::new(Rational::from(1), Real::from(10u64));
        let third = Enclosure::rational(&Rational::from((1, 3)), 100);
        let distance = Real::from(Rational::from((7, 4)));
        let atoms = [&third, &third.shift(1)];
        let bound = TwoEnds::new(&line, Some(&distance), atoms, &Enclosure::one(100), &Enclosure::zero(100));
        for k in [1u64, 2, 3, 17, 1000, 1 << 40] {
            let turn = enclosure::Complex::cis(&line.turns(&distance).angle(k, 100), 100);
            let all =
                &enclosure::Complex::real(&third, 100) + &(&enclosure::Complex::real(&third.shift(1), 100) * &turn);
            let truth = Enclosure::new(all.modulus_upper(), all.modulus_upper()).ln().lower().to_f64().min(0.0);
            let found = bound.log_bound(k, k);
            assert!(truth <= found && found < truth.max(-1.0) + 0.2, "{k}: {truth} {found}");
        }
        // Half of the mass is between, uniformly, at unknown distance: B is twice the density at the ends.
        let half = Enclosure::one(100).shift(-1);
        let bound = TwoEnds::new(&line, None, [&half.shift(-1), &half.shift(-1)], &Enclosure::one(100), &half.shift(1));
        assert_eq!(bound.log_bound(0, 0), 0.0);
        assert_eq!(bound.falling(1), 0.0);
        let far = bound.falling(1_000_000);
        assert!(far < -0.69 && far > -0.694, "{far}");
    }
}
