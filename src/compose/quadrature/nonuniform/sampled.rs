//! Gaussian or Laplace noise on a sample, as a list of losses: the composite rule of Gauss and Legendre.
//!
//! With `z` the loss inside and `w(z) = 1 + p (e^z - 1)`, `M(s) = E_Q[w^(1 + s)]` ([`Inside`] has the law of z under
//! Q). The density is cut into panels, each with the [rule](gauss) of 32 nodes: the nodes are losses `l = ln w`, their
//! weights the rule's, times the density, times `w^(1 + c)/M(c)`. These do not depend on the ordinate u, up to the
//! largest of which all is bounded:
//!
//! * *panels*: a function analytic and at most m in modulus in the ellipse with foci -1 and 1 and half-axes `(r +-
//!   1/r)/2` is integrated over `[-1, 1]` up to `(64/15) m r^(-64)/(1 - r^-2)` (Trefethen 2019, Theorem 19.3, for 32
//!   nodes). Here `r = 6`, half-axes 3.0834 and 2.9167. In the ellipse around a panel with half-length d and middle m,
//!   `x = Re`, `b <= 1` the largest imaginary part of z: `|w| <= w(x)`, `|w| >= w(x) cos(b/2)`, and with `pi = p
//!   e^z/w(z)` at the right end `|arg w| <= b pi/cos(b/2)`, for `d arg w/d Im z = Re (p e^z/w)`. So `|w^(1+s)| <=
//!   |w|^(1+c) e^(u |arg w|)`. A panel is halved until its bound is `e^-44` of `M(c)`;
//! * *the ends* of Gaussian noise: left of `x_1 < 0`, `w` is between `1 - p` and 1; right of `x_2` it is at most `k
//!   e^z` with `k = p + (1 - p) e^(-z(x_2))`, and at least one: elementary tails;
//! * *doubles*: each loss, and each weight, with a bound of its own, see [`Node`]. What a loss is off by turns it by
//!   at most u times that.
//!
//! **Halves.** Of a sample of a fixed size `M(s) = a + E_Q[w^(1 + s) + w^(-s); z > 0]`, a the atom at the loss 0
//! ([`factor`](super::super::factor)), and of the larger one of both orders of a Poisson sample it is the
//! same without an atom for all z left of some place: each node stands for two losses, `ln w` and `-ln w`, with the
//! powers `1 + c` and `-c`, and all bounds are taken for both. The end inside is a double: what it and the parameters
//! are rounded by, at most `2^-50` of their sizes, moves the mass by that times the density there.
//!
//! The sum of the weights is one but for these errors: that is checked against the moment, which is computed otherwise.

use rug::float::Round::Up;
use rug::{Float, Rational};

use super::super::vertical_contour::VerticalContour;
use super::{Listed, Off, Spread, gauss};
use crate::alarm;
use crate::error::Error;
use enclosure::doubles::{exp, ln, ln_1p};
use enclosure::{Budget, Enclosure, Real, work};

/// What the error of a panel, and of an end, is to come to, in nats.
const NATS: f64 = 44.0;
/// Half-axes of the ellipse, rounded up, and `64 ln 6`, rounded down.
const AXES: (f64, f64) = (3.0834, 2.9167);
const FALL: f64 = 114.672;
/// `(64/15)/(1 - 1/36)`, rounded up.
const FRONT: f64 = 4.389;
/// Nodes at most.
const MOST_NODES: usize = 1 << 23;
/// Weights below `e` to this are counted, not listed.
const LEAST: f64 = -60.0;
/// Losses inside beyond this are left to others.
const MOST_LOSS: f64 = 600.0;
/// Larger powers of w are left to others: then exponents are below `1e11`, and what doubles are off by in them below a
/// thousandth.
const MOST_POWER: f64 = 1e8;
/// `2^-50`.
const LOSS_ERROR: f64 = 1.0 / (1u64 << 50) as f64;
/// `2^-49`.
const WEIGHT_ERROR: f64 = 1.0 / (1u64 << 49) as f64;

/// The law of the loss inside under Q.
#[derive(Clone, Copy, Debug)]
pub enum Inside {
    /// `mu x - mu^2/2`, x normal.
    Gaussian(f64),
    /// `l` with mass `e^-l/2`, `-l` with 1/2, the density `e^(-(z + l)/2)/4` between.
    Laplace(f64),
}

/// Which places inside are listed.
#[derive(Clone, Debug)]
pub enum Part {
    /// All of them, as `(ln w, w)`, a loss and what its mass under Q is multiplied by.
    Whole,
    /// Those with `z > 0`, each as `(ln w, w)` and `(-ln w, 1)`, and an atom of this mass at the loss 0.
    Right(Enclosure),
    /// Those left of a place, each as these two.
    Left(f64),
}

/// What is listed: rate, the law inside and which part of it, the moment at the line.
pub struct SampledLaw {
    rate: f64,
    inside: Inside,
    part: Part,
    /// `ln M(c)`, about.
    log_moment: f64,
}

/// A power of w and the sign of the loss: the mass `w^(1 + c)` at `ln w`, or `w^(-c)` at `-ln w`.
#[derive(Clone, Copy)]
struct Power {
    of_w: f64,
    sign: f64,
}

/// One place: the loss, and the largest error it may have.
///
/// `l = ln(1 + y)`, `y = p (e^z - 1)`. With the double of p off by `2^-52` of itself, that of z by `dz`, y is off by
/// `p e^z (2^-50 + dz) + 2^-51 |y|`, and l by that over w and `2^-48 |l|`. Here `dz <= 2^-51 X` with X the sum of
/// `|z|`, of the slope of z times a bound of x and of the panel's half-length, by which the node itself is rounded,
/// and of the parameters. So `2^-50` times `4 |l| + |y|/w + pi (2 + X)` is enough.
struct Node {
    loss: f64,
    error: f64,
}

impl SampledLaw {
    /// A law, if its numbers are known.
    pub fn new(rate: &Real, inside: (&Real, fn(f64) -> Inside), moment: &Enclosure) -> Option<Self> {
        let log = moment.with_bits(80).ln();
        let known = log.lower().is_finite() && log.upper().is_finite() && moment.relative_bits()? > 60;
        let (rate, inside) = (double(rate)?, inside.1(double(inside.0)?));
        let law = SampledLaw { rate, inside, part: Part::Whole, log_moment: log.lower().to_f64() };
        known.then_some(law)
    }

    /// The same of a part, of which the masses are parts of the moment.
    #[must_use]
    pub fn of_part(self, part: Part) -> Self {
        SampledLaw { part, ..self }
    }

    /// The powers of w that a place is weighed with, and the signs of its losses.
    fn powers(&self, c: &Rational) -> Vec<Power> {
        let above = Power { of_w: Rational::from(c + 1u32).to_f64(), sign: 1.0 };
        match self.part {
            Part::Whole => vec![above],
            Part::Right(_) | Part::Left(_) => vec![above, Power { of_w: Rational::from(-c).to_f64(), sign: -1.0 }],
        }
    }

    /// The loss inside at x, which is z itself for Laplace noise.
    fn inner(&self, x: f64) -> f64 {
        match self.inside {
            Inside::Gaussian(mu) => mu * x - 0.5 * mu * mu,
            Inside::Laplace(_) => x,
        }
    }

    /// How z moves with x, and the parameters that its rounding grows with.
    fn slope(&self) -> (f64, f64) {
        match self.inside {
            Inside::Gaussian(mu) => (mu, mu * mu),
            Inside::Laplace(l) => (1.0, l),
        }
    }

    /// The loss at x; `size` is at least `|x|`.
    fn node(&self, x: f64, size: f64) -> Node {
        let (slope, parameters) = self.slope();
        work::spend(40);
        let z = self.inner(x);
        let e = exp(z);
        let y = self.rate * (e - 1.0);
        let (loss, w) = (ln_1p(y), 1.0 + y);
        let posterior = self.rate * e / w;
        let inside = y.abs() / w + posterior * (2.0 + z.abs() + slope * size + parameters);
        Node { loss, error: LOSS_ERROR * (4.0 * loss.abs() + inside) }
    }

    /// `ln` of the density of x under Q, without its constant, on a stretch: at most; `b` is the largest imaginary
    /// part.
    fn log_density(&self, low: f64, high: f64, b: f64) -> f64 {
        match self.inside {
            Inside::Gaussian(_) => {
                let least = if low > 0.0 {
                    low
                } else if high < 0.0 {
                    high
                } else {
                    0.0
                };
                0.5 * (b * b - least * least)
            }
            Inside::Laplace(l) => -0.5 * (low + l),
        }
    }

    /// `ln` of a bound of a panel's error as a part of the moment, for each of these powers. Of some twenty operations
    /// on doubles, each off by `2^-48` of a number that is [not too large](MOST_POWER): a thousandth is enough.
    fn panel(&self, middle: f64, half: f64, powers: &[Power], most: f64) -> f64 {
        let (a, b) = (AXES.0 * half, AXES.1 * half);
        let (slope, _) = self.slope();
        let turn = slope * b;
        let (low, high) = (middle - a, middle + a);
        if !(turn <= 1.0 && self.inner(high) <= MOST_LOSS) {
            return f64::INFINITY;
        }
        let e = exp(self.inner(high));
        let w = 1.0 + self.rate * (e - 1.0);
        // cos(1/2) > 0.8775, and its logarithm is above -0.1307.
        let size = |power: f64| {
            if power >= 0.0 {
                power * self.node(high, high.abs()).loss
            } else {
                power * (self.node(low, low.abs()).loss - 0.131)
            }
        };
        let size = powers.iter().map(|power| size(power.of_w)).fold(f64::NEG_INFINITY, f64::max);
        let angle = most * turn * (self.rate * e / w) / 0.8775;
        size + angle + self.log_density(low, high, b) + ln(FRONT * half) - self.log_moment - FALL + 1e-3
    }

    /// The stretch that matters, and what lies outside, as a part of the moment.
    fn ends(&self, powers: &[Power]) -> Option<(f64, f64, f64)> {
        if powers.iter().any(|power| power.of_w.abs() > MOST_POWER) {
            return None;
        }
        let mu = match (self.inside, &self.part) {
            (Inside::Laplace(l), Part::Whole) => return Some((-l, l, 0.0)),
            (Inside::Laplace(l), Part::Right(_)) => return Some((0.0, l, 0.0)),
            (Inside::Laplace(l), Part::Left(end)) => return (*end > -l && *end < l).then_some((-l, *end, 0.0)),
            (Inside::Gaussian(mu), _) => mu,
        };
        let (mut first, mut last, mut outside) = (0.5 * mu, 0.5 * mu, 0.0);
        if !matches!(self.part, Part::Right(_)) {
            let Node { loss, error } = self.node(-MOST_LOSS / mu - mu, 0.0);
            let left = |power: &Power| (power.of_w * loss + power.of_w.abs() * error).max(0.0);
            let most = powers.iter().map(left).fold(0.0, f64::max);
            first = -reach(NATS + most - self.log_moment + 1.0);
            let beyond = |power| exp(left(power) - 0.5 * first * first - self.log_moment + 1e-3);
            outside = powers.iter().map(beyond).sum();
        }
        if let Part::Left(end) = self.part {
            last = end;
        } else {
            for power in powers {
                last = last.max(self.last(power.of_w, mu)?);
            }
            // Of these exponents, too, a thousandth is more than doubles can be off.
            outside += powers.iter().map(|power| exp(self.beyond(last, power.of_w, mu) + 1e-3)).sum::<f64>();
        }
        (first < last && self.inner(last) <= MOST_LOSS).then_some((first, last, outside))
    }

    /// `ln` of what lies beyond a place, as a part of the moment, of Gaussian noise.
    fn beyond(&self, x: f64, power: f64, mu: f64) -> f64 {
        if power < 0.0 {
            return -0.5 * x * x - self.log_moment;
        }
        let kept = self.rate + (1.0 - self.rate) * exp(-self.inner(x));
        let distance = x - power * mu;
        let tail = 0.5 * power * (power - 1.0) * mu * mu - 0.5 * distance * distance;
        power * ln(kept) + tail - self.log_moment
    }

    /// Where that is little enough; `None` if it is far away.
    fn last(&self, power: f64, mu: f64) -> Option<f64> {
        let mut last = 0.5 * mu + 1.0 + reach(NATS - self.log_moment) * f64::from(u8::from(power < 0.0));
        last = last.max(power * mu);
        let mut steps = 0;
        while !(self.beyond(last, power, mu) <= -NATS) {
            last += 0.25;
            steps += 1;
            if steps > 4000 {
                return None;
            }
        }
        Some(last)
    }

    /// What the double of an end inside, and of what it comes from, moves the mass by: not more than `2^-50` of the
    /// sizes times the density there; as a part of the moment.
    fn moved(&self, powers: &[Power]) -> f64 {
        let end = match (self.inside, &self.part) {
            (_, Part::Whole) | (Inside::Laplace(_), Part::Right(_)) => return 0.0,
            (Inside::Gaussian(mu), Part::Right(_)) => 0.5 * mu,
            (_, Part::Left(end)) => *end,
        };
        let Node { loss, error } = self.node(end, end.abs());
        let density = self.constant() * exp(self.log_density(end, end, 0.0));
        let weight = |power: &Power| exp(power.of_w * loss + power.of_w.abs() * error - self.log_moment + 1e-3);
        let (slope, parameters) = self.slope();
        LOSS_ERROR * (end.abs() + slope + parameters) * density * powers.iter().map(weight).sum::<f64>()
    }

    /// What the density is multiplied with, and what the exponent of a weight is off by, but for the loss.
    fn constant(&self) -> f64 {
        match self.inside {
            // 1/sqrt(2 pi)
            Inside::Gaussian(_) => 0.398_942_280_401_432_7,
            Inside::Laplace(_) => 0.25,
        }
    }
}

/// Beyond so many deviations a normal law has about `e^-nats`.
fn reach(nats: f64) -> f64 {
    (2.0 * nats.max(1.0)).sqrt()
}

/// The double next to a constant, or the one beside it.
fn double(value: &Real) -> Option<f64> {
    let set = value.enclosure(80);
    let double = set.lower().to_f64();
    (set.relative_bits()? > 70 && double > 1e-290 && double < 1e290).then_some(double)
}

/// The list while it grows: what it is off by in all.
struct Sum<'a> {
    law: &'a SampledLaw,
    powers: Vec<Power>,
    error: f64,
    turning: f64,
}

impl Sum<'_> {
    /// A place x with a factor and `ln` of the rest of what Q has there.
    fn add(&mut self, x: f64, size: f64, (factor, log): (f64, f64), to: &mut Spread) {
        let Node { loss, error } = self.law.node(x, size);
        let (_, parameters) = self.law.slope();
        for Power { of_w, sign } in &self.powers {
            let turned = of_w * loss;
            let exponent = log + turned - self.law.log_moment;
            let weight = factor * exp(exponent);
            let sizes = 8.0 + log.abs() + turned.abs() + self.law.log_moment.abs() + size + parameters;
            let of_weight = WEIGHT_ERROR * sizes + of_w.abs() * error;
            // The true weight is at most so much, and `e^x - 1 <= x e^x`.
            let most = weight * exp(of_weight) * 1.01;
            if exponent < LEAST {
                self.error += most + 1e-300;
                continue;
            }
            self.error += most * of_weight;
            self.turning += most * error;
            to.add(sign * loss, weight);
        }
    }

    /// The atom at the loss 0: its double is below the true mass by the enclosure's width and `2^-52` of itself.
    fn add_atom(&mut self, mass: &Enclosure, to: &mut Spread) -> Option<()> {
        let width = Float::with_val_round(53, mass.upper() - mass.lower(), Up).0.to_f64_round(Up);
        let weight = mass.lower().to_f64();
        if !((0.0..=1.0 + 1e-9).contains(&weight) && width.is_finite()) {
            return None;
        }
        self.error += width + weight * LOSS_ERROR + 1e-300;
        to.add(0.0, weight);
        Some(())
    }
}

impl Listed for SampledLaw {
    fn list(&self, line: &VerticalContour, most: f64, to: &mut Spread, budget: &Budget) -> Result<Option<Off>, Error> {
        let powers = self.powers(line.tilt());
        let Some(rule) = gauss::rule() else { return Ok(None) };
        let Some((first, last, outside)) = self.ends(&powers).filter(|_| self.rate < 1.0) else { return Ok(None) };
        let count = powers.len() as f64;
        let mut sum = Sum { law: self, error: outside + self.moved(&powers), powers, turning: 0.0 };
        let (mut left, mut half, mut nodes) = (first, 0.25 * (last - first), 0);
        while left < last {
            budget.check()?;
            half = (1.7 * half).min(0.5 * (last - left));
            let mut bound = self.panel(left + half, half, &sum.powers, most);
            while !(bound <= -NATS) {
                half *= 0.8;
                if !(half > 1e-9 * (last - first)) {
                    return Ok(None);
                }
                bound = self.panel(left + half, half, &sum.powers, most);
            }
            // What is left is never a sliver that doubles cannot tell from nothing.
            let right = if last - (left + 2.0 * half) < 1e-9 * (last - first) { last } else { left + 2.0 * half };
            let (middle, half) = (0.5 * (left + right), 0.5 * (right - left));
            sum.error += count * exp(self.panel(middle, half, &sum.powers, most)) * 1.01;
            nodes += gauss::NODES as usize;
            if nodes > MOST_NODES {
                return Ok(None);
            }
            let size = middle.abs() + half;
            for (node, weight) in rule {
                for x in [middle - half * node, middle + half * node] {
                    let log = match self.inside {
                        Inside::Gaussian(_) => -0.5 * x * x,
                        Inside::Laplace(l) => -0.5 * (x + l),
                    };
                    sum.add(x, size, (weight * half * self.constant(), log), to);
                }
            }
            left = right;
        }
        if let Inside::Laplace(l) = self.inside {
            if !matches!(self.part, Part::Left(_)) {
                sum.add(l, l, (0.5, -l), to);
            }
            if !matches!(self.part, Part::Right(_)) {
                sum.add(-l, l, (0.5, 0.0), to);
            }
            // The double of l moves the ends of the density, and those of what is beside them have more mass than it.
            sum.error += l * to.total() * 4.0 * WEIGHT_ERROR;
        }
        if let Part::Right(atom) = &self.part
            && sum.add_atom(atom, to).is_none()
        {
            return Ok(None);
        }
        let [error, turning] = [sum.error, sum.turning].map(|off| off * (1.0 + 1e-6));
        if !(error + turning).is_finite() {
            return Ok(None);
        }
        // A million additions of doubles are off by less than 1e-9 in all.
        let sum = Enclosure::double(to.total(), 64).widen(&Float::with_val(64, error + 1e-9));
        alarm::meet(&sum, &Enclosure::one(64), "sum of the weights of a sampled mechanism")?;
        Ok(Some(Off { fixed: error, turning }))
    }
}
