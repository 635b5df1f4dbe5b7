//! How fast the modulus falls: the values in front, bounds that fall behind.
//!
//! In the loss `x = ln w` one half of the density, tilted to the line, is `G(y) = w^(1+r) g(y) e^-y/p`, for
//! `dx = p e^y dy/w`, with r one of `1 + c` and `-c`.
//!
//! The lemmas are those of `proofs/paper/fixed-size-samples.md`, section *Lemmas*.
//!
//! **Cut** ([`Cut`], Lemmas 1 to 3). Of a sample of a fixed size, the density between some y and the outer end is
//! integrated; of the larger one of both orders, that between some y and the inner end. Its integral with `e^(iux)` is
//! at most V/u: V is the variation of G and its values at the ends. All else has at most its mass. The slope of `ln G`
//! is
//!
//! `(1 + r) p e^y/w - (y + mu^2/2)/mu^2 - 1` of Gaussian noise, `(1 + r) p e^y/w - 3/2` of Laplace noise.
//!
//! `p e^y/w` rises, first convex, then concave, at most 1/4 as fast as y. So for Gaussian noise V is at most `2 sup G`
//! if `(1 + r) mu^2 <= 4`, and at most `4 sup G` otherwise. For Laplace noise V is at most `2 G` at both ends together.
//! If all of the density is integrated, that of a sample of a fixed size is continuous at the loss 0, and V is `2 G(0)`
//! less. As w rises and `g e^-y` has one peak, at `-3 mu^2/2`, or falls, G is at most
//! `max(w(y_0)^(1+r), w(y_1)^(1+r)) max(g e^-y)/p` on `[y_0, y_1]`. Beyond the end of the last panel G falls, by the
//! condition of the tail there, and left of the first one w is at least q.
//!
//! **Plain** ([`Plain`], Lemma 4). One interval of each half is taken on which the density is at least h. G is at least
//! the smaller power of w times the smaller of both ends' `g e^-y/p` on each piece.
//!
//! **Spread** ([`Spread`], Lemma 5). Where `(1 + r) p e^y/w` is at most 3/2, up to some y, G falls. With the tails
//! `H(t)` of that part of the density, and a the mass of the atom at 0, for **every** `v >= u`
//!
//! `|M(c + iv)| <= e^(-a D) M(c)`, `D = sum_(k = 1)^9 (m(k/4) - m((k-1)/4)) H(k/(4u))`, `m(x) = x^2/6 - x^4/120`.
//!
//! A tail is at least the sum of the pieces beyond, of which each has at least
//! `min(w(y_0)^r, w(y_1)^r) min(g(y_0), g(y_1)) (y_1 - y_0)`. In doubles, each is rounded to its safe side; [`SLACK`]
//! covers some dozens of operations.

use super::super::super::vertical_contour::Ordinates;
use super::super::sampled::{self, Sampled};
use super::super::{Decay, VerticalContour};
use super::values::Values;
use super::{Half, Mirrored, Noise, Outside, Parts, search};
use crate::error::Error;
use enclosure::special::exp_thin;
use enclosure::{Budget, Enclosure, doubles};
use rug::Rational;
use rug::float::Round::{Down, Up};

/// The precision of bounds.
const COARSE: u32 = 64;
/// Pieces of the half line.
const PIECES: u32 = 128;
/// Nodes in front at which the values themselves are the bounds: at least, and at most.
const FEWEST: u64 = 1 << 6;
const MOST_VALUES: u64 = 1 << 13;

/// Room for what is rounded.
const SLACK: f64 = 1e-12;

/// The bound along one line.
pub(super) struct Fall<'a> {
    cut: Cut,
    spread: Spread,
    plain: Plain,
    near: Sampled<Values<'a>>,
}

/// What is at most near to 0 and in the atoms, and the variation of all else, as parts of `M(c)`: rising, and falling.
pub(super) struct Cut {
    rows: Vec<(f64, f64)>,
    /// The ordinates of the nodes.
    ordinates: Ordinates,
}

/// Tails of the density.
pub(super) struct Spread {
    /// A loss, and the part of the law that is known to be beyond it: falling losses, rising parts, of both signs.
    tails: [Vec<(f64, f64)>; 2],
    /// The part of the atom at 0.
    atom: f64,
    /// The ordinates of the nodes.
    ordinates: Ordinates,
}

/// Uniform laws that are parts of the density.
pub(super) struct Plain {
    /// Of each half: lengths in the loss, and the parts of the law.
    windows: [Vec<(f64, f64)>; 2],
    /// The ordinates of the nodes.
    ordinates: Ordinates,
}

/// The ends of pieces of the half line, and `ln w` there.
struct Pieces {
    parts: Parts,
    ends: Vec<(Enclosure, Enclosure)>,
}

impl<'a> Fall<'a> {
    pub fn new(factor: &'a Mirrored, line: &VerticalContour, budget: &Budget) -> Result<Self, Error> {
        let moment = super::Factor::moment(factor, line.tilt(), COARSE, budget)?;
        let pieces = factor.pieces(line.tilt(), budget)?;
        let cut = factor.cut(line, (&pieces, &moment), budget)?;
        let spread = factor.spread(line, (&pieces, &moment), budget)?;
        let plain = match factor.half {
            Half::Left => factor.plain(line, (&pieces, &moment)),
            // The atom tells more.
            Half::Right => Plain { windows: Default::default(), ordinates: line.ordinates() },
        };
        let values = Values::new(factor, line, sampled::BITS)?;
        Ok(Fall { near: Sampled::up_to(cut.front().clamp(FEWEST, MOST_VALUES), values, moment), cut, spread, plain })
    }
}

impl Mirrored {
    fn pieces(&self, c: &Rational, budget: &Budget) -> Result<Pieces, Error> {
        let layout = self.layout(c.to_f64(), search::nats(COARSE), 0.0)?;
        let parts = self.parts(COARSE.saturating_add(self.surplus(c.to_f64(), 0.0, layout.outer)), budget)?;
        let lost = || Error::undecided("the end of the losses of a sample is no number".to_string());
        let (start, end) = self.ends(&parts, &layout).ok_or_else(lost)?;
        let length = &end - &start;
        let place = |piece: u32| &start + &(&length * &parts.rational(&Rational::from((piece, PIECES))));
        let ends = (0..=PIECES).map(place).map(|place| (place.clone(), parts.log_ratio(&place))).collect();
        Ok(Pieces { parts, ends })
    }

    /// Of all atoms together and of the density, cut at the ends of pieces.
    fn cut(
        &self,
        line: &VerticalContour,
        (Pieces { parts, ends }, moment): (&Pieces, &Enclosure),
        budget: &Budget,
    ) -> Result<Cut, Error> {
        let up = |x: &Enclosure| (x / moment).upper().to_f64_round(Up);
        let one = Enclosure::one(parts.bits);
        let powers = parts.powers(line.tilt()).map(|power| &power + &one);
        let (Some((top, log)), zero) = (ends.last(), Enclosure::zero(parts.bits)) else {
            return Err(Error::undecided("no pieces of a sample of a fixed size".to_string()));
        };
        if matches!(self.noise, Noise::Gaussian(_)) && self.half == Half::Right {
            self.falls_beyond(parts, top, &powers)?;
        }
        let at_zero = &self.density(parts, &zero, &self.scale(parts)) / &parts.p;
        // Of Gaussian noise it is so many times the largest value, of Laplace noise that at the lower end matters.
        let varied = |power: &Enclosure, most: &Enclosure, low: &Enclosure, last: &Enclosure| match self.noise {
            Noise::Laplace(_) => (low + last).shift(1),
            Noise::Gaussian(_) if *(power * &parts.size.square()).upper() <= 4 => most.shift(1),
            Noise::Gaussian(_) => most.shift(2),
        };
        // From the upper end on: the largest values of G, and the mass.
        let last = powers.each_ref().map(|power| self.tilted(parts, (top, log), power));
        let (mut largest, mut tail) = (last.clone(), zero.clone());
        let mut rows = Vec::new();
        for (from, to) in ends.iter().zip(ends.iter().skip(1)).rev() {
            let mut variation = Enclosure::zero(parts.bits);
            for ((power, most), last) in powers.iter().zip(&mut largest).zip(&last) {
                let place = self.highest(parts, &from.0, &to.0);
                let values = [&from.1, &to.1].map(|log| self.tilted(parts, (&place, log), power));
                *most = most.max(&values[0].max(&values[1]));
                variation = &variation + &varied(power, most, &values[0], last);
                tail = &tail + &self.mass(parts, (from, to), &(power - &one));
            }
            rows.push((up(&(moment - &tail)).max(0.0), up(&variation)));
        }
        // All of it.
        let mut atoms = Enclosure::zero(COARSE);
        for (mass, _) in self.atoms(line.tilt(), COARSE, budget)? {
            atoms = &atoms + &mass.with_bits(COARSE);
        }
        if let (Some((_, variation)), Some((outer, log))) = (rows.last(), ends.first()) {
            let mut all = Enclosure::double(*variation, COARSE);
            match (self.half, &self.noise) {
                (Half::Right, _) => all = all - (&at_zero / moment).shift(1),
                (Half::Left, Noise::Laplace(_)) => {}
                (Half::Left, Noise::Gaussian(_)) => {
                    let least = parts.q.ln();
                    let place = outer.min(&self.centre(parts));
                    let all_of = |(power, most): (&Enclosure, &Enclosure)| {
                        let [here, beyond] = [log, &least].map(|log| self.tilted(parts, (&place, log), power));
                        varied(power, &most.max(&here.max(&beyond)), most, most)
                    };
                    let sum = powers.iter().zip(&largest).map(all_of).fold(zero.clone(), |sum, part| &sum + &part);
                    all = &sum / moment;
                }
            }
            rows.push((up(&atoms), all.upper().to_f64_round(Up)));
        }
        Ok(Cut { rows, ordinates: line.ordinates() })
    }

    /// No more than the mass of a piece.
    fn mass(
        &self,
        parts: &Parts,
        ((from, low), (to, high)): (&(Enclosure, Enclosure), &(Enclosure, Enclosure)),
        r: &Enclosure,
    ) -> Enclosure {
        let [least, other] = [low, high].map(|log| exp_thin(&(r * log), COARSE));
        let scale = self.scale(parts);
        let [at_from, at_to] = [from, to].map(|end| self.density(parts, end, &scale));
        let mass = &(&least.min(&other) * &at_from.min(&at_to)) * &(to - from);
        Enclosure::new(mass.lower().clone(), mass.lower().clone()).positive_part()
    }

    /// Where on a piece `g e^-y` is largest.
    fn highest(&self, parts: &Parts, from: &Enclosure, to: &Enclosure) -> Enclosure {
        match self.noise {
            Noise::Laplace(_) => from.clone(),
            Noise::Gaussian(_) => from.max(&to.min(&self.centre(parts))),
        }
    }

    /// Where `g e^-y` is largest, of Gaussian noise: `-3 mu^2/2`.
    fn centre(&self, parts: &Parts) -> Enclosure {
        -(&parts.size.square() + &parts.size.square().shift(-1))
    }

    /// Windows around the highest piece of each half in which the density is at least a power of one half of it.
    fn plain(&self, line: &VerticalContour, (Pieces { parts, ends }, moment): (&Pieces, &Enclosure)) -> Plain {
        const WINDOWS: i32 = 6;
        let down = |x: &Enclosure| x.lower().to_f64_round(Down);
        let one = Enclosure::one(parts.bits);
        let windows = parts.powers(line.tilt()).map(|power| {
            let power = &power + &one;
            // g e^-y has one peak, and is the least at an end.
            let least = |(from, to): (&(Enclosure, Enclosure), &(Enclosure, Enclosure))| {
                let at = |place: &Enclosure, log: &Enclosure| self.tilted(parts, (place, log), &power);
                let corners = [at(&from.0, &from.1), at(&from.0, &to.1), at(&to.0, &from.1), at(&to.0, &to.1)];
                down(&(&corners.iter().skip(1).fold(corners[0].clone(), |least, x| least.min(x)) / moment)).max(0.0)
            };
            let heights: Vec<f64> = ends.iter().zip(ends.iter().skip(1)).map(least).collect();
            let top = heights.iter().copied().fold(0.0, f64::max);
            let Some(peak) = heights.iter().position(|height| *height == top && top > 0.0) else { return Vec::new() };
            let window = |halvings: i32| {
                let level = top * f64::powi(2.0, -halvings);
                let first = heights.iter().take(peak).rposition(|height| *height < level).map_or(0, |place| place + 1);
                let after = heights.iter().skip(peak).position(|height| *height < level);
                let last = after.map_or(heights.len(), |more| peak + more);
                let length = down(&(&ends.get(last)?.1 - &ends.get(first)?.1));
                (length > 0.0).then(|| (length, (level * length * (1.0 - SLACK)).max(0.0)))
            };
            (1..=WINDOWS).filter_map(window).collect()
        });
        Plain { windows, ordinates: line.ordinates() }
    }

    /// Tails of the density, as far as it falls.
    fn spread(
        &self,
        line: &VerticalContour,
        (Pieces { parts, ends }, moment): (&Pieces, &Enclosure),
        budget: &Budget,
    ) -> Result<Spread, Error> {
        let down = |x: &Enclosure| x.lower().to_f64_round(Down);
        let one = Enclosure::one(parts.bits);
        let most = parts.rational(&Rational::from((3, 2)));
        let tails = parts.powers(line.tilt()).map(|power| {
            let mut pieces = Vec::new();
            for (from, to) in ends.iter().zip(ends.iter().skip(1)) {
                let share = &parts.p * &exp_thin(&(&to.0 - &to.1), parts.bits);
                if *(&(&power + &one) * &share).upper() > *most.lower() {
                    break;
                }
                pieces.push((down(&from.1), down(&(&self.mass(parts, (from, to), &power) / moment))));
            }
            let mut tail = 0.0;
            pieces
                .iter()
                .rev()
                .map(|(loss, mass)| {
                    tail = (tail + mass.max(0.0)).next_down().max(0.0);
                    (*loss, tail)
                })
                .collect()
        });
        let atoms = self.atoms(line.tilt(), COARSE, budget)?;
        let middle = atoms.first().filter(|(_, outside)| *outside == Outside::Middle);
        let atom = middle.map_or(0.0, |(mass, _)| down(&(mass / moment)).max(0.0));
        Ok(Spread { tails, atom, ordinates: line.ordinates() })
    }

    /// `e^(power log) g(y) e^-y/p`.
    fn tilted(&self, parts: &Parts, (y, log): (&Enclosure, &Enclosure), power: &Enclosure) -> Enclosure {
        let tilt = exp_thin(&(&(power * log) - y), parts.bits);
        &(&tilt * &self.density(parts, y, &self.scale(parts))) / &parts.p
    }

    /// Is it sure that G falls beyond this place, for these `1 + r`? There `(y + mu^2/2)/mu >= r mu`, so that its
    /// logarithm does not rise.
    fn falls_beyond(&self, parts: &Parts, top: &Enclosure, powers: &[Enclosure; 2]) -> Result<(), Error> {
        let place = &(top / &parts.size) + &parts.size.shift(-1);
        for power in powers {
            let r = power - &Enclosure::one(parts.bits);
            if *(&place - &(&r * &parts.size)).lower() < 0 {
                return Err(Error::undecided("the end of the losses of a sample was misjudged".to_string()));
            }
        }
        Ok(())
    }
}

impl Cut {
    /// A bound of the logarithm at a node and at all beyond it.
    pub fn falling(&self, node: u64) -> f64 {
        let u = self.ordinates.at(node) * (1.0 - SLACK);
        let ratios = self.rows.iter().map(|(rest, variation)| (rest + variation / u) * (1.0 + SLACK));
        let ratio = ratios.fold(f64::INFINITY, f64::min);
        // Nothing is known of what is no number.
        if ratio < 1.0 { (doubles::ln(ratio.max(f64::MIN_POSITIVE)) * (1.0 - SLACK)).min(0.0) } else { 0.0 }
    }

    /// So many nodes lie where the density is not yet a small part of what the bound says.
    fn front(&self) -> u64 {
        const PART: f64 = 64.0;
        let fall = self.rows.last().map_or(0.0, |(_, variation)| variation / self.ordinates.at(1));
        (PART * fall).clamp(0.0, 1e18) as u64
    }
}

impl Spread {
    /// A bound of the logarithm at a node and at all beyond it.
    pub fn falling(&self, node: u64) -> f64 {
        let u = self.ordinates.at(node) * (1.0 - SLACK);
        let least = |x: f64| x * x / 6.0 - (x * x) * (x * x) / 120.0;
        let mut sum = 0.0;
        for k in 1..=9 {
            let x = f64::from(k) / 4.0;
            let step = least(x) - least(x - 0.25) - SLACK;
            for tails in &self.tails {
                let known = tails.partition_point(|(loss, _)| loss * u * (1.0 - SLACK) >= x);
                let tail = known.checked_sub(1).and_then(|last| tails.get(last)).map_or(0.0, |(_, tail)| *tail);
                sum += step * tail;
            }
        }
        let bound = -self.atom * sum * (1.0 - SLACK);
        // Nothing is known of what is no number.
        if bound < 0.0 { bound } else { 0.0 }
    }
}

impl Plain {
    /// A bound of the logarithm at a node and at all beyond it.
    pub fn falling(&self, node: u64) -> f64 {
        let u = self.ordinates.at(node) * (1.0 - SLACK);
        let lost = |(length, part): &(f64, f64)| {
            let z = (0.5 * u * length * (1.0 - SLACK)).min(2.0);
            part * (z * z / 6.0 - (z * z) * (z * z) / 120.0) * (1.0 - SLACK)
        };
        let most = |windows: &Vec<(f64, f64)>| windows.iter().map(lost).fold(0.0, f64::max);
        let bound = -self.windows.iter().map(most).sum::<f64>() * (1.0 - SLACK);
        // Nothing is known of what is no number.
        if bound < 0.0 { bound } else { 0.0 }
    }
}

impl Fall<'_> {
    /// All bounds at a node.
    #[cfg(test)]
    pub fn each(&self, node: u64) -> [f64; 3] {
        [self.cut.falling(node), self.spread.falling(node), self.plain.falling(node)]
    }

    /// A bound at a node and at all beyond it, without looking at any.
    fn beyond(&self, node: u64) -> f64 {
        self.cut.falling(node).min(self.spread.falling(node)).min(self.plain.falling(node))
    }
}

impl Decay for Fall<'_> {
    fn log_bound(&self, from: u64, to: u64, budget: &Budget) -> Result<f64, Error> {
        self.near.log_bound(from, to, budget, |k| Ok(self.beyond(k)))
    }

    fn falling(&self, from: u64, _budget: &Budget) -> Result<f64, Error> {
        Ok(self.beyond(from))
    }
}
