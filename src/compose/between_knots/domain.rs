//! Where the functions between knots are analytic, and how large the kernels are there.
//!
//! A place v in `[-c, c]` is a loss `l(v) = ln w(v)`, `w(v) = q + r e^v`, `q = 1 - r`; c itself is the largest loss h,
//! and -c the least. With either end e, of value `E = e^e`, the kernel of the operator is
//!
//! `K(v, y) = (e^(-c/2)/4) [w(e) w(v)]^(3/2) e^y/w(y) B^(-3/2)`, `B = q (E + e^v - e^y) + r E e^v`:
//!
//! the density of one run at the loss `l(e) + l(v) - l(y)`, times `l'(y)`.
//!
//! **The ellipse** has the foci `-c, c` and half-axes `alpha`, `beta < pi/2`, so `rho = (alpha + beta)/c`. Let v be in
//! it, and y on the straight line from e to v. Real parts are at most alpha, and `|arg|` of both exponentials at most
//! beta; write `k = cos beta`. Then
//!
//! * `|w(v)| <= q + r e^alpha` and `|e^y/w(y)| = 1/|r + q e^-y| <= 1/(r + q k e^-alpha)`, for `Re e^-y >= k e^-alpha`;
//! * `B = X - q e^y` with `X = q E + w(e) e^v`. For a, b not negative and an angle of at most beta between them
//!   `|a + b e^(it)|^2 >= a^2 + b^2 + 2 k a b`, which is at least `(a + k b)^2`, and `(k a + b)^2`. If `|e^y| <= E`
//!   then `|B| >= q E + k w(e) |e^v| - q E >= k w(e) e^-alpha`. Otherwise `E < |e^y| <= |e^v|`, and with
//!   `w(e) - q = r E` `|B| >= k q E + w(e) |e^v| - q |e^v| >= k q E + r E^2`.
//!
//! So B has no root where v is in the ellipse, which is convex, and the power has one branch.

use enclosure::Enclosure;
use enclosure::Real;

/// Bits of bounds.
pub(super) const FEW: u32 = 64;
/// The shorter half-axis, at most: less than `pi/2`, so that its cosine is no small number.
const BETA: (u32, i32) = (3, -1);

/// About this, to plan with.
pub(super) fn about(x: &Enclosure) -> f64 {
    x.upper().to_f64()
}

/// An end of the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    High,
    Low,
}

/// One run of Laplace noise of this shift, or of a sample of it with this rate; places and losses to some precision.
pub(super) struct Domain {
    pub shift: Enclosure,
    pub rate: Enclosure,
    pub rest: Enclosure,
    /// The largest loss and the least.
    pub high: Enclosure,
    pub low: Enclosure,
    /// The sum of the half-axes over c, and what the half-axes are at most.
    pub rho: Enclosure,
    pub alpha: Enclosure,
    pub beta: Enclosure,
    /// `e^c` and `e^-c`.
    exps: [Enclosure; 2],
}

impl Domain {
    /// To this precision.
    pub fn new(shift: &Real, rate: Option<&Real>, bits: u32) -> Self {
        let one = Enclosure::one(bits);
        let rate = rate.map_or_else(|| one.clone(), |rate| rate.enclosure(bits));
        let shift = shift.enclosure(bits);
        let loss = |y: &Enclosure| (&rate * &y.expm1()).log1p();
        let (high, low) = (loss(&shift), loss(&-&shift));
        // Any rho above 1 will do; its half-axes follow.
        let c = shift.with_bits(FEW);
        let slope = &Enclosure::integer(&BETA.0.into(), FEW).shift(BETA.1) / &c;
        let rho = &slope + &(&slope.square() + &Enclosure::one(FEW)).sqrt();
        let rho = Enclosure::new(rho.lower().clone(), rho.lower().clone());
        let inverse = rho.recip();
        let alpha = (&c * &(&rho + &inverse)).shift(-1);
        let beta = (&c * &(&rho - &inverse)).shift(-1);
        let exps = [shift.exp(), (-&shift).exp()];
        Domain { rest: &one - &rate, rate, high, low, shift, rho, alpha, beta, exps }
    }

    /// `w(v)` of `e^v`.
    pub fn ratio(&self, exp: &Enclosure) -> Enclosure {
        &self.rest + &(&self.rate * exp)
    }

    /// The least loss of so many runs, and the largest.
    pub fn ends(&self, times: u32) -> [Enclosure; 2] {
        [self.low.mul_u32(times), self.high.mul_u32(times)]
    }

    /// The masses of R at both ends of the loss of one run, at the largest first.
    pub fn atoms(&self) -> [Enclosure; 2] {
        [(&self.high.shift(-1) - &self.shift).exp().shift(-1), self.low.shift(-1).exp().shift(-1)]
    }

    /// The place of a loss between the ends, or of the nearest one there: `e^v = (e^l - q)/r`.
    pub fn place_of(&self, loss: &Enclosure) -> Enclosure {
        let loss = loss.max(&self.low).min(&self.high);
        let place = (&loss.expm1() / &self.rate).log1p();
        place.max(&-&self.shift).min(&self.shift)
    }

    /// The same over c.
    pub fn unit_place(&self, loss: &Enclosure) -> Enclosure {
        let one = Enclosure::one(self.shift.bits());
        (&self.place_of(loss) / &self.shift).max(&-&one).min(&one)
    }

    /// The place of an end.
    pub fn place(&self, end: End) -> Enclosure {
        match end {
            End::High => self.shift.clone(),
            End::Low => -&self.shift,
        }
    }

    /// The exponential of the place of an end.
    pub fn exp(&self, end: End) -> &Enclosure {
        match end {
            End::High => &self.exps[0],
            End::Low => &self.exps[1],
        }
    }

    /// B, given `e^v` and `e^y`.
    pub fn bracket(&self, end: End, v: &Enclosure, y: &Enclosure) -> Enclosure {
        let e = self.exp(end);
        // In two parts that are small together.
        &(&self.rest * &(e - y)) + &(&self.ratio(e) * v)
    }

    /// What of the kernel depends on v alone: `(e^(-c/2)/4) [w(e) w(v)]^(3/2)`, given `w(v)`.
    pub fn front(&self, end: End, ratio: &Enclosure) -> Enclosure {
        let scale = (-&self.shift.shift(-1)).exp().shift(-2);
        let both = &self.ratio(self.exp(end)) * ratio;
        &scale * &(&both * &both.sqrt())
    }

    /// `cos beta`, more than 0.
    fn cosine(&self) -> Enclosure {
        // cos b >= 1 - b^2/2 + b^4/24 - b^6/720, as the series alternates and falls for b^2 < 56.
        let square = self.beta.square();
        let one = Enclosure::one(FEW);
        let inner = &one - &square.div_u32(30);
        let inner = &one - &(&square * &inner).div_u32(12);
        (&one - &(&square * &inner).shift(-1)).positive_part()
    }

    /// The most that `e^y/w(y)` is in the ellipse.
    pub fn slope(&self) -> Enclosure {
        let (r, q) = (self.rate.with_bits(FEW), self.rest.with_bits(FEW));
        (&r + &(&q * &(&self.cosine() * &(-&self.alpha).exp()))).recip()
    }

    /// The least and the most that `|w(v)|` is in the ellipse.
    pub fn ratios(&self) -> [Enclosure; 2] {
        let (r, q) = (self.rate.with_bits(FEW), self.rest.with_bits(FEW));
        let most = &q + &(&r * &self.alpha.exp());
        [&q + &(&r * &(&self.cosine() * &(-&self.alpha).exp())), most]
    }

    /// The most that the kernel is, for v in the ellipse and y between it and the end.
    pub fn largest(&self, end: End) -> Enclosure {
        let (r, q) = (self.rate.with_bits(FEW), self.rest.with_bits(FEW));
        let e = self.place(end).with_bits(FEW).exp();
        let (k, fall) = (self.cosine(), (-&self.alpha).exp());
        let inner = &k * &(&self.ratio(&e).with_bits(FEW) * &fall);
        let outer = &(&k * &(&q * &e)) + &(&r * &e.square());
        let least = inner.min(&outer);
        let front = self.front(end, &self.ratios()[1]).with_bits(FEW);
        &(&front * &self.slope()) / &(&least * &least.sqrt())
    }
}
