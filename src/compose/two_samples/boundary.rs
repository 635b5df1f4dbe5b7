//! Two samples of Gaussian noise as a plane, and the boundary of the best test in it.

use rug::Float;

use crate::error::Error;
use crate::pair::Pair;
use enclosure::special::{exp_thin, ln_thin, normal_density, normal_tail};
use enclosure::{Budget, Enclosure, Real};

/// Precision of bounds.
pub(super) const COARSE: u32 = 64;

/// Gaussian noise on a Poisson sample: `(1-r) N(0,1) + r N(mu,1)` against `N(0,1)`.
pub(super) struct Sample {
    rate: Real,
    mu: Real,
}

impl Sample {
    /// Of a pair, run once; `None` if it is not of these.
    pub fn of(pair: &Pair) -> Option<Self> {
        let Pair::Sample { rate, inner } = pair else { return None };
        let Pair::Gaussian { mu } = &**inner else { return None };
        Some(Sample { rate: rate.clone(), mu: mu.clone() })
    }

    /// To a precision.
    pub fn known(&self, bits: u32) -> Known {
        let mu = self.mu.enclosure(bits);
        Known {
            rate: self.rate.enclosure(bits),
            rest: Real::one().sub(&self.rate).enclosure(bits),
            half: self.mu.square().enclosure(bits).shift(-1),
            mu,
        }
    }
}

/// The constants of a sample.
pub(super) struct Known {
    /// r.
    pub rate: Enclosure,
    /// `1 - r`.
    pub rest: Enclosure,
    pub mu: Enclosure,
    /// `mu^2/2`.
    pub half: Enclosure,
}

impl Known {
    /// `r e^(mu x - mu^2/2)`: what the likelihood ratio `R(x)` is above `1 - r`.
    pub fn grown(&self, x: &Enclosure) -> Enclosure {
        let exponent = &(&self.mu * x) - &self.half;
        &self.rate * &exp_thin(&exponent, exponent.bits())
    }

    /// R(x).
    pub fn ratio(&self, x: &Enclosure) -> Enclosure {
        &self.rest + &self.grown(x)
    }

    /// Where `e^(mu y - mu^2/2)` is w; unbounded where w may not be positive.
    pub fn place(&self, w: &Enclosure) -> Enclosure {
        &(&ln_thin(w, w.bits()) / &self.mu) + &self.mu.shift(-1)
    }

    /// The mass of the sample above x.
    fn above(&self, x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let moved = tail(&(x - &self.mu), bits, budget)?;
        Ok(&(&self.rest * &tail(x, bits, budget)?) + &(&self.rate * &moved))
    }

    /// Below x.
    fn below(&self, x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let moved = tail(&(&self.mu - x), bits, budget)?;
        Ok(&(&self.rest * &tail(&-x, bits, budget)?) + &(&self.rate * &moved))
    }
}

/// `Q(x)` by one value: within `[m, m + d]` it falls by at most `d (1 + max(m, 0)) Q(m)`, for its derivative is `-phi`,
/// and `phi(m) <= (m + 1) Q(m)` for `m >= 0` (Birnbaum 1942), `phi <= 1/2 <= Q(m)` below.
fn tail(x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let low = x.lower();
    let width = Float::with_val_round(COARSE, x.upper() - low, rug::float::Round::Up).0;
    if !low.is_finite() || !(width < 0.25) {
        return normal_tail(&x.with_bits(bits), bits, budget);
    }
    let top = normal_tail(&Enclosure::new(low.clone(), low.clone()), bits, budget)?;
    let slope = &Enclosure::one(COARSE) + &Enclosure::new(low.clone(), low.clone()).with_bits(COARSE).positive_part();
    let fall = (&slope * &Enclosure::new(Float::new(COARSE), width)).positive_part();
    let share = &Enclosure::one(bits) - &fall;
    Ok((&top * &share.positive_part()).with_bits(bits))
}

/// The set of outcomes (x, y) with `R_1(x) R_2(y)` above E, or below it, and what the two distributions have there.
pub(super) struct Boundary<'a> {
    pub samples: [Known; 2],
    /// `e^eps`, or backwards `e^-eps`.
    pub level: Enclosure,
    pub backward: bool,
    pub budget: &'a Budget,
}

impl Boundary<'_> {
    /// No likelihood ratio is so small.
    pub fn least(&self) -> Enclosure {
        let [one, other] = &self.samples;
        &one.rest * &other.rest
    }

    /// How far eps is above the logarithm of that.
    pub fn above_least(&self) -> Enclosure {
        (&self.level / &self.least()).ln()
    }

    /// The other coordinate of the boundary.
    pub fn beside(&self, side: usize, x: &Enclosure) -> Enclosure {
        let (one, other) = (&self.samples[side], &self.samples[1 - side]);
        let ratio = one.ratio(x);
        let d = &self.level - &(&other.rest * &ratio);
        other.place(&(&d / &(&ratio * &other.rate)))
    }

    /// What the strip at x adds: `phi(x) (R_1(x) P_2(S_x) - E Q_2(S_x))` with `S_x` all y above the boundary, or
    /// backwards `phi(x) (Q_2(S_x) - R_1(x) P_2(S_x)/E)` with all y below it; and what is subtracted there.
    ///
    /// With `s = r_2 R_1(x)` and `d = E - (1-r_2) R_1(x)`, they are `s Q(y - mu) - d Q(y)` and
    /// `(d Q(-y) - s Q(mu - y))/E`, where `e^(mu y - mu^2/2) = d/s`.
    pub fn strip(&self, side: usize, x: &Enclosure, bits: u32) -> Result<[Enclosure; 2], Error> {
        let (one, other) = (&self.samples[side], &self.samples[1 - side]);
        let ratio = one.ratio(x);
        let rest = &other.rest * &ratio;
        let d = &self.level - &rest;
        let s = &ratio * &other.rate;
        let y = other.place(&(&d / &s));
        let moved = &y - &other.mu;
        let density = normal_density(x, bits);
        let [inside, less] = if self.backward {
            let [far, near] = [tail(&-&y, bits, self.budget)?, tail(&-&moved, bits, self.budget)?];
            let (whole, near) = (&d * &far, &s * &near);
            [&(&whole - &near) / &self.level, &(&(&rest * &far) + &near) / &self.level]
        } else {
            let [far, near] = [tail(&y, bits, self.budget)?, tail(&moved, bits, self.budget)?];
            [&(&s * &near) - &(&d * &far), &self.level * &far]
        };
        Ok([&density * &inside.positive_part(), &density * &less])
    }

    /// No less than the integral of all strips up to x, nor than what is subtracted in them.
    ///
    /// The boundary falls. Forwards what is above it is above its height at x; backwards what is below it is below its
    /// height at minus infinity.
    pub fn rest(&self, side: usize, x: &Enclosure) -> Result<Enclosure, Error> {
        let (one, other) = (&self.samples[side], &self.samples[1 - side]);
        let few = 32;
        let bound = if self.backward {
            let d = &self.level - &(&other.rest * &one.rest);
            let most = other.place(&(&d / &(&one.rest * &other.rate)));
            &tail(&-x, few, self.budget)? * &tail(&-&most, few, self.budget)?
        } else {
            let height = self.beside(side, x);
            &one.below(x, few, self.budget)? * &other.above(&height, few, self.budget)?
        };
        Ok(bound.positive_part())
    }

    /// What the quadrant of a corner adds, all above it, or backwards all below it; and what is subtracted there.
    pub fn quadrant(&self, corner: &[Enclosure; 2], bits: u32) -> Result<[Enclosure; 2], Error> {
        let [one, other] = &self.samples;
        let [x, y] = corner;
        let (all, less) = if self.backward {
            let q = &tail(&-x, bits, self.budget)? * &tail(&-y, bits, self.budget)?;
            let p = &one.below(x, bits, self.budget)? * &other.below(y, bits, self.budget)?;
            (q, &p / &self.level)
        } else {
            let q = &tail(x, bits, self.budget)? * &tail(y, bits, self.budget)?;
            let p = &one.above(x, bits, self.budget)? * &other.above(y, bits, self.budget)?;
            (p, &self.level * &q)
        };
        Ok([&all - &less, less])
    }

    /// No less than what is amiss because the corner is only next to the boundary, with y below it: the rectangle up to
    /// the boundary in both directions has at most the mass `E Q`, or backwards Q.
    pub fn gap(&self, corner: &[Enclosure; 2]) -> Enclosure {
        let [x, y] = corner;
        let (across, up) = (self.beside(1, y), self.beside(0, x));
        let width = (&across - x).with_bits(COARSE).positive_part();
        let height = (&up - y).with_bits(COARSE).positive_part();
        let (xs, ys) = (x.hull(&across).with_bits(COARSE), y.hull(&up).with_bits(COARSE));
        // phi(x) phi(y) = e^(-(x^2+y^2)/2)/(2 pi), and 1/(2 pi) < 1/4.
        let density = (-&(&xs.square() + &ys.square()).shift(-1)).exp().shift(-2);
        let mass = &(&width * &height) * &density;
        if self.backward { mass } else { &mass * &self.level.with_bits(COARSE) }
    }
}
