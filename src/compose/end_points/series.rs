//! What both ends of the loss of Laplace noise, or of one sample of it, make of its transform.
//!
//! Of a pair (P, Q) with loss L let R have `dR = e^(-L/2) dP = e^(L/2) dQ`, and `N(z) = int e^(zL) dR`, so that
//! `N(s + 1/2) = E_P e^(sL)`. With c the shift, r the rate, and `w(y) = 1 - r + r e^y`, R has
//!
//! * for noise: atoms `e^(-c/2)/2` at `c` and `-c`, and the density `D = e^(-c/2)/4` between;
//! * for a sample: atoms `e^(-(c+y)/2) w(y)^(1/2)/2` at `l = ln w(y)`, `y = c, -c`, and between the density `D G(l)`,
//!   `D = e^(-c/2) sqrt(r)/4`, `G(l) = (1 - (1-r) e^-l)^(-3/2)`: the density of y under Q is `e^(-(c+y)/2)/4`, and
//!   `e^y = (e^l - (1-r))/r`.
//!
//! G is a sum of exponentials `e^(-kl)` with weights that are not negative, so the signs of its derivatives alternate.
//! By parts, n times, at the ends h (high) and l (low):
//!
//! `int e^(zl) G = sum_(m<n) (-1)^m [G^(m)(h) e^(zh) - G^(m)(l) e^(zl)]/z^(m+1) + (-1)^n z^-n int e^(zl) G^(n)`,
//!
//! and for `Re z = a > 0` the last term is at most `e^(ah) |G^(n-1)(l)|/|z|^n`. Backwards L is the negative of the
//! loss: `N(-z)`, ends exchanged.

use enclosure::Enclosure;
use enclosure::Real;
use enclosure::taylor::Taylor;

use crate::pair::Pair;

/// Laplace noise, or one sample of it, so many times.
#[derive(Clone)]
pub(super) struct Noise {
    pub shift: Real,
    /// The rate of the sample; none for the noise itself.
    pub rate: Option<Real>,
    pub times: u64,
}

/// One end of a loss: where it is, and the coefficients of `z^-n` in what it makes of `N(z) e^(-z loss)`.
#[derive(Clone)]
pub(super) struct End {
    pub loss: Enclosure,
    pub series: Vec<Enclosure>,
}

/// Both ends.
#[derive(Clone)]
pub(super) struct Ends {
    pub high: End,
    pub low: End,
    /// What both series miss is at most this times `e^(ah)/|z|^n`, n being the number of terms with derivatives.
    pub fall: Enclosure,
}

impl Noise {
    /// A pair of either kind.
    pub fn of(pair: &Pair, times: u64) -> Option<Self> {
        match pair {
            Pair::Laplace { shift } => Some(Noise { shift: shift.clone(), rate: None, times }),
            Pair::Sample { rate, inner } => match &**inner {
                Pair::Laplace { shift } => Some(Noise { shift: shift.clone(), rate: Some(rate.clone()), times }),
                _ => None,
            },
            _ => None,
        }
    }

    /// Both ends, with so many derivatives, at least one; noise itself has one, and nothing is missed.
    pub fn ends(&self, backward: bool, terms: usize, bits: u32) -> Ends {
        let ends = match &self.rate {
            None => self.whole(bits),
            Some(rate) => self.sample(&rate.enclosure(bits), terms, bits),
        };
        if backward { ends.turned() } else { ends }
    }

    fn whole(&self, bits: u32) -> Ends {
        let shift = self.shift.enclosure(bits);
        let atom = (-&shift.shift(-1)).exp().shift(-1);
        let density = atom.shift(-1);
        Ends {
            low: End { loss: -&shift, series: vec![atom.clone(), -&density] },
            high: End { loss: shift, series: vec![atom, density] },
            fall: Enclosure::zero(bits),
        }
    }

    fn sample(&self, rate: &Enclosure, terms: usize, bits: u32) -> Ends {
        let shift = self.shift.enclosure(bits);
        let one = Enclosure::one(bits);
        let scale = &(-&shift.shift(-1)).exp().shift(-2) * &rate.sqrt();
        // Atom and derivatives at the inner loss y.
        let end = |y: &Enclosure, high: bool| {
            let loss = (rate * &y.expm1()).log1p();
            let atom = (&loss - &(&shift + y)).shift(-1).exp().shift(-1);
            // 1 - (1-r) e^-l = r e^y/w(y), and what it is around l.
            let here = rate * &(y - &loss).exp();
            let falling = -&(&(&one - rate) * &(-&loss).exp());
            let step = Taylor::variable(&Enclosure::zero(bits), terms.saturating_sub(1));
            let base = step.times(&-&one).expm1().times(&falling).plus(&here);
            let power = base.ln().times(&-&(&one + &one.shift(-1))).exp();
            let mut series = vec![atom];
            let mut factor = if high { scale.clone() } else { -&scale };
            for (m, coefficient) in (1_u32..).zip(power.coefficients()) {
                series.push(&factor * coefficient);
                // (-1)^m m!
                factor = -&factor.mul_u32(m);
            }
            End { loss, series }
        };
        let (high, low) = (end(&shift, true), end(&-&shift, false));
        let fall = low.series.last().map_or_else(|| Enclosure::whole(bits), Enclosure::abs);
        Ends { high, low, fall }
    }
}

impl Ends {
    /// Of the negative of the loss.
    fn turned(self) -> Self {
        let turn = |end: End| {
            let series = end.series.into_iter().enumerate();
            let series = series.map(|(n, term)| if n % 2 == 1 { -&term } else { term }).collect();
            End { loss: -&end.loss, series }
        };
        Ends { high: turn(self.low), low: turn(self.high), fall: self.fall }
    }
}
