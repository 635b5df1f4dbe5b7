//! How near the moments of a list of losses come to the one on the axis, at single nodes and on short ranges of them.
//!
//! On a line of tilt c the losses `l_j` have weights `w_j = m_j e^(c l_j)/M(c)`, which sum to at most one. With K the
//! heaviest of them, A their weight, r the weight of all others and f the characteristic function of K alone,
//! `A f(u) = sum_K w_j e^(i u l_j)`: `|M(c + iu)| <= (A |f(u)| + r) M(c)`.
//!
//! **Between nodes.** Let `|f(u)| = cos t(u)`, `0 <= t <= pi/2`, and s the standard deviation of K. Then
//! `t(u) >= t(v) - s |u - v|`: with `X = u L - arg f(u)`, `E cos X = cos t` and `E sin X = 0`, so that
//! `|d|f|/du| = |E (L - E L) sin X| <= s sqrt(E sin^2 X)`, and `E sin^2 X = 1 - E cos^2 X <= 1 - cos^2 t = sin^2 t`.
//! (Where f is zero, t is pi/2, its largest value.) Hence for `|u - v| <= d` and `x = s d`:
//! `|f(u)| <= a cos x + sqrt(1 - a^2) sin x` for any `a >= |f(v)|` up to `cos x`, for this rises with a there.
//!
//! Between two points v, w at both of which `|f| <= a`, also `|f| <= a + s^2 (w-v)^2/8`: `g(u) = f(u) e^(-i u E L)` has
//! `|g''| <= s^2`, linear interpolation of g is off by at most `s^2 (w-v)^2/8`, and chords of a disc lie in it.
//!
//! **Rounding.** Angles are integers ([`Phase`](crate::compose::quadrature::fixed::Phase)): a rotation is off by at
//! most `2^-59`, its parts as doubles by `2^-53` each. All else are the operations of IEEE on some hundred doubles of
//! modulus at most one, whose errors the slacks below exceed by far; series of sine and cosine end with a term of the
//! sign that makes them bounds. See `proofs/paper/almost-periodic.md`.

use rug::float::Round::Up;

use super::{Decay, VerticalContour};
use crate::compose::quadrature::fixed::{BITS, Phase};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real, doubles, work};

/// For what rounding does to a modulus at a node: of a thousand products and sums, each off by `2^-52` at most.
const SLACK: f64 = 1e-12;
/// For moduli that rotations by products have led to.
const SWEPT_SLACK: f64 = 1e-10;
/// For relative errors of weights and deviations.
const ROOM: f64 = 1.0 + 1e-11;
/// Weight that is left to the rest in the long list, and in the short one.
const LEFT: [f64; 2] = [1e-9, 0.03];
/// Losses in a list at most.
const MOST: usize = 96;
/// The half of a range is at most so long, in standard deviations: beyond there is no bound to speak of.
const LONGEST: f64 = 1.4;
/// A longer half is asked of the short list.
const COARSE: f64 = 0.1;
/// Nodes that are swept together, in lanes.
pub(in crate::compose::quadrature) const BLOCK: usize = 256;
const LANES: usize = 8;

/// The heaviest losses.
struct Heaviest {
    phases: Vec<Phase>,
    /// Not below the true ones, and above them by less than `1e-15` of each.
    weights: Vec<f64>,
    /// Not above `A`.
    least: f64,
    /// Not below `A`.
    most: f64,
    /// Not below the weight of all others.
    rest: f64,
    /// Not below the standard deviation, as an angle from node to node.
    spread: f64,
}

/// Bounds of one list along one line.
pub struct ListedDecay {
    /// Nearly all losses, and those that have most of the weight.
    lists: [Heaviest; 2],
}

/// A loss on the line, its weight as a part of the moment, and its angle from node to node less that of another loss.
struct Loss {
    phase: Phase,
    weight: Enclosure,
    angle: f64,
}

impl ListedDecay {
    /// Of these losses, which bring `weights` to at most `total` at the tilt of the line; `None` where a loss is not
    /// known well enough, or none is there.
    pub(super) fn new(
        line: &VerticalContour,
        weights: &[Enclosure],
        total: &Enclosure,
        loss: impl Fn(usize) -> Result<Real, Error>,
    ) -> Result<Option<Self>, Error> {
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by(|a, b| weights[*b].lower().total_cmp(weights[*a].lower()));
        let Some(&first) = order.first() else { return Ok(None) };
        let each = line.ordinate(1, 64);
        let base = loss(first)?;
        let mut losses = Vec::new();
        for &place in order.iter().take(MOST) {
            let here = loss(place)?;
            let angle = (&here.sub(&base).enclosure(64) * &each).upper().to_f64();
            let Some(phase) = Phase::new(&line.turns(&here)) else { return Ok(None) };
            losses.push(Loss { phase, weight: &weights[place] / total, angle });
        }
        let lists = LEFT.map(|left| Heaviest::of(&losses, left));
        Ok(match lists {
            [Some(long), Some(short)] => Some(ListedDecay { lists: [long, short] }),
            _ => None,
        })
    }

    /// The list of few losses, for sweeps.
    fn short(&self) -> &Heaviest {
        &self.lists[1]
    }

    /// How many losses a sweep turns at each node.
    pub(in crate::compose::quadrature) fn swept(&self) -> usize {
        self.short().phases.len()
    }

    /// The standard deviation of these losses, as an angle from node to node: the scale on which their moments change.
    pub(in crate::compose::quadrature) fn spread(&self) -> f64 {
        self.short().spread
    }

    /// Upper bounds of `|f|^2` of the losses of a sweep at the nodes `first, first + stride, ...`: bounds of what is
    /// between two of them follow by [`log_between`](Self::log_between).
    pub(in crate::compose::quadrature) fn sweep(&self, first: u64, stride: u64, squares: &mut [f64; BLOCK]) {
        let short = self.short();
        work::spend((short.phases.len() * BLOCK) as u64);
        let (mut re, mut im) = ([[0.0; LANES]; BLOCK / LANES], [[0.0; LANES]; BLOCK / LANES]);
        for (phase, weight) in short.phases.iter().zip(&short.weights) {
            let (mut x, mut y) = ([0.0; LANES], [0.0; LANES]);
            for lane in 0..LANES {
                let (cos, sin) = direction(*phase, first + lane as u64 * stride);
                (x[lane], y[lane]) = (weight * cos, weight * sin);
            }
            let (cos, sin) = direction(*phase, LANES as u64 * stride);
            for (re, im) in re.iter_mut().zip(&mut im) {
                for lane in 0..LANES {
                    re[lane] += x[lane];
                    im[lane] += y[lane];
                    (x[lane], y[lane]) = (x[lane] * cos - y[lane] * sin, x[lane] * sin + y[lane] * cos);
                }
            }
        }
        // Of `(z + e)^2`, z at most one, e the slack.
        let scale = 1.0 / (short.least * short.least);
        for ((out, re), im) in squares.chunks_exact_mut(LANES).zip(&re).zip(&im) {
            for ((out, re), im) in out.iter_mut().zip(re).zip(im) {
                *out = (re * re + im * im + 4.0 * SWEPT_SLACK) * scale * ROOM;
            }
        }
    }

    /// A bound of `ln |M|` on all nodes between two at this distance at which `|f|^2` is at most `square`.
    pub(in crate::compose::quadrature) fn log_between(&self, square: f64, distance: f64) -> f64 {
        let short = self.short();
        let x = distance * short.spread;
        let f = square.sqrt() + 0.125 * x * x * ROOM;
        ln_up((short.most * f.min(1.0) + short.rest) * ROOM)
    }
}

/// `e^(i k phase)` as doubles.
fn direction(phase: Phase, k: u64) -> (f64, f64) {
    let point = phase.rotation(k);
    let scale = 1.0 / (1u64 << BITS) as f64;
    (point.re as f64 * scale, point.im as f64 * scale)
}

impl Heaviest {
    /// The first of these losses until no more than `left` of the weight is missing.
    fn of(losses: &[Loss], left: f64) -> Option<Self> {
        let (mut phases, mut weights, mut angles) = (Vec::new(), Vec::new(), Vec::new());
        let mut sum = Enclosure::zero(64);
        for Loss { phase, weight, angle } in losses {
            phases.push(*phase);
            weights.push(weight.upper().to_f64_round(Up));
            angles.push(*angle);
            sum = &sum + weight;
            if *sum.lower() >= 1.0 - left {
                break;
            }
        }
        let rest = (&Enclosure::one(64) - &sum).upper().to_f64_round(Up).max(0.0);
        let most: f64 = weights.iter().sum::<f64>() * ROOM;
        let least = most / (ROOM * ROOM);
        let mean = weights.iter().zip(&angles).map(|(weight, angle)| weight * angle).sum::<f64>() / least;
        // The mean square distance from any point is at least the variance.
        let square = |(weight, angle): (&f64, &f64)| weight * (angle - mean) * (angle - mean);
        let largest = angles.iter().fold(0.0f64, |most, angle| most.max(angle.abs()));
        let spread = (weights.iter().zip(&angles).map(square).sum::<f64>() / least).sqrt() * ROOM + 1e-13 * largest;
        (least > 0.0 && spread.is_finite()).then_some(Heaviest { phases, weights, least, most, rest, spread })
    }

    /// At least `|f|` at a node.
    fn modulus(&self, k: u64) -> f64 {
        let (mut re, mut im) = (0.0, 0.0);
        work::spend(10 * self.phases.len() as u64);
        for (phase, weight) in self.phases.iter().zip(&self.weights) {
            let (cos, sin) = direction(*phase, k);
            re += weight * cos;
            im += weight * sin;
        }
        ((re * re + im * im).sqrt() + SLACK) / self.least * ROOM
    }

    /// A bound of `ln |M|` where `|f| <= a` is at most x standard deviations away.
    fn log(&self, a: f64, x: f64) -> f64 {
        let x = x * ROOM;
        let square = x * x;
        // 1 - x^2/2 <= cos x: above it there is no bound but one.
        let f = if x > 0.0 && !(a < 1.0 - 0.5 * square) {
            1.0
        } else {
            let cos = 1.0 - square * (0.5 - square * (1.0 / 24.0));
            let sin = x * (1.0 - square * (1.0 / 6.0 - square * (1.0 / 120.0)));
            a * cos + (1.0 - a * a).max(0.0).sqrt() * sin + SLACK
        };
        ln_up((self.most * f.min(1.0) + self.rest) * ROOM)
    }
}

/// At least `ln b`, and at most 0.
fn ln_up(b: f64) -> f64 {
    if b < 1.0 { (doubles::ln(b.max(f64::MIN_POSITIVE)) * (1.0 - SLACK)).min(0.0) } else { 0.0 }
}

impl Decay for ListedDecay {
    fn log_bound(&self, from: u64, to: u64, _budget: &Budget) -> Result<f64, Error> {
        let middle = from + (to - from) / 2;
        let half = (to - middle) as f64;
        let bound = |list: &Heaviest| {
            let x = half * list.spread;
            if to == u64::MAX || !(x < LONGEST) { 0.0 } else { list.log(list.modulus(middle), x) }
        };
        // On a range the short list says as much as the long one: what it lacks is less than what happens between.
        let [long, short] = &self.lists;
        Ok(bound(if half * short.spread > COARSE { short } else { long }))
    }

    fn sweeps(&self) -> Option<&ListedDecay> {
        Some(self)
    }
}
