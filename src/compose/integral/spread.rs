//! The loss of Laplace noise, or of one sample of it: two atoms, and a density between them.

use rug::Float;
use rug::float::Round::Up;

use super::kernel::{Kernel, Knot, Knots};
use crate::error::Error;
use crate::pair::Pair;
use enclosure::taylor::{Taylor, integrate};
use enclosure::{Budget, Enclosure, Real};

/// Pieces that a part is begun with.
const PIECES: u32 = 1;

/// Bits that few pieces may cost.
const SPARE: u32 = 4;

/// Laplace noise, or a sample of it.
pub(super) struct Spread {
    shift: Real,
    /// The rate; none for the noise itself.
    rate: Option<Real>,
}

/// An atom: its loss, and its masses under P and Q.
pub(super) struct Atom {
    pub loss: Real,
    pub p: Real,
    pub q: Real,
}

impl Spread {
    /// Of a pair, run once; `None` if it is not of these.
    pub fn of(pair: &Pair) -> Option<Self> {
        match pair {
            Pair::Laplace { shift } => Some(Spread { shift: shift.clone(), rate: None }),
            Pair::Sample { rate, inner } => match &**inner {
                Pair::Laplace { shift } => Some(Spread { shift: shift.clone(), rate: Some(rate.clone()) }),
                _ => None,
            },
            _ => None,
        }
    }

    /// Both atoms: the noise has 1/2 and `e^-c/2` at c, the reverse at `-c`, and a sample the loss
    /// `ln(1 + r (e^l - 1))` with the mass `(1-r) q + r p`.
    pub fn atoms(&self) -> Result<[Atom; 2], Error> {
        let half = Real::from(rug::Rational::from((1, 2)));
        let less = half.mul(&self.shift.neg().exp()?)?;
        let atom = |loss: Real, p: &Real, q: &Real| -> Result<Atom, Error> {
            let Some(rate) = &self.rate else { return Ok(Atom { loss, p: p.clone(), q: q.clone() }) };
            let one = Real::one();
            let loss = one.add(&rate.mul(&loss.exp()?.sub(&one))?).ln()?;
            let p = rate.mul(p)?.add(&one.sub(rate).mul(q)?);
            Ok(Atom { loss, p, q: q.clone() })
        };
        Ok([atom(self.shift.clone(), &half, &less)?, atom(self.shift.neg(), &less, &half)?])
    }

    /// The inner loss at which the sample has this loss, within `[-c, c]`.
    fn inside(&self, loss: &Enclosure, bits: u32) -> Enclosure {
        let shift = self.shift.enclosure(bits);
        let inner = match &self.rate {
            None => loss.clone(),
            Some(rate) => {
                // Below ln(1-r) there is none.
                let ratio = &loss.expm1() / &rate.enclosure(bits);
                let least = (-&shift).expm1();
                ratio.max(&least).log1p()
            }
        };
        inner.max(&-&shift).min(&shift)
    }

    /// The part without atoms: `int p(l) g(eps - L(l)) dl` over the inner losses from `-c` to c, or backwards
    /// `int q(l) g(eps + L(l)) dl`, off by about `2^-bits`.
    ///
    /// The densities are `e^(-c/2)/4 e^(l/2)` and `e^(-c/2)/4 e^(-l/2)`, at most 1/4. Between knots of the kernel the
    /// integrand is analytic. A knot is known to about `2^-bits`: what lies within is between 0 and a quarter of its
    /// width, for g is at most 1.
    pub fn integral(
        &self,
        kernel: &Kernel,
        epsilon: &Enclosure,
        backward: bool,
        bits: u32,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let wide = bits.saturating_add(32);
        let part = Part { spread: self, kernel, epsilon, backward, bits: bits.saturating_add(SPARE), budget };
        let knots = kernel.knots(backward, wide, budget)?;
        let shift = self.shift.enclosure(wide);
        let ends = [-&shift, shift.clone()];
        // The inner loss at which E is at the knot. Forwards E falls with it, so the high knot comes first.
        let place = |knot: &Option<Knot>, end: &Enclosure| {
            let loss = |knot: &Knot| if backward { &knot.at - epsilon } else { epsilon - &knot.at };
            knot.as_ref().map_or_else(|| end.clone(), |knot| self.inside(&loss(knot), wide))
        };
        let (first, second) = if backward { (&knots.low, &knots.high) } else { (&knots.high, &knots.low) };
        let (from, to) = (place(first, &ends[0]), place(second, &ends[1]));
        let zero = Enclosure::zero(wide);
        let mut sum = zero.clone();
        for sliver in [&ends[0], &from, &to, &ends[1]] {
            sum = &sum + &width(sliver).shift(-2).with_bits(wide);
        }
        // Beyond the knots: what may be there besides is at most `extra` times the mass, which is at most 1.
        for knot in [&knots.low, &knots.high].into_iter().flatten() {
            sum = &sum + &knot.extra.positive_part().hull(&zero);
        }
        // Above the high knot there is nothing.
        let whole = if backward { (&ends[0], &from) } else { (&to, &ends[1]) };
        sum = &sum + &part.below(whole)?;
        sum = &sum
            + &match kernel.rate(wide) {
                None => part.between((&from, &to))?,
                Some(rate) => part.between_inside(&knots, &rate)?,
            };
        Ok(sum.positive_part())
    }

    /// `dl/dL = 1 + (1-r) e^-l/r` is at most that.
    fn steepest(&self, bits: u32) -> Enclosure {
        let one = Enclosure::one(bits);
        match &self.rate {
            None => one,
            Some(rate) => &one + &(&self.shift.enclosure(bits).exp() / &rate.enclosure(bits)),
        }
    }

    /// The loss at inner losses.
    fn loss(&self, l: &Taylor) -> Taylor {
        let Some(rate) = &self.rate else { return l.clone() };
        l.expm1().times(&rate.enclosure(l.bits())).log1p()
    }

    /// The inner loss at losses L, and `dl/dL = e^(L-l)/r`; none where that is 1.
    fn inner(&self, loss: &Taylor) -> (Taylor, Option<Taylor>) {
        let Some(rate) = &self.rate else { return (loss.clone(), None) };
        let (bits, inverse) = (loss.bits(), rate.enclosure(loss.bits()).recip());
        let inner = loss.expm1().times(&inverse).log1p();
        let minus = Enclosure::integer(&(-1).into(), bits);
        let slope = loss.add(&inner.times(&minus)).exp().times(&inverse);
        (inner, Some(slope))
    }

    /// The density that is integrated against: q backwards, and forwards `(1-r) q + r p = q e^L`.
    fn density(&self, l: &Taylor, loss: &Taylor, backward: bool) -> Taylor {
        let bits = l.bits();
        let half = Enclosure::one(bits).shift(-1);
        let scale = (-&self.shift.enclosure(bits).shift(-1)).exp().shift(-2);
        let exponent = l.times(&-&half);
        let exponent = if backward { exponent } else { exponent.add(loss) };
        exponent.exp().times(&scale)
    }
}

/// From 0 to the width of a set.
fn width(set: &Enclosure) -> Enclosure {
    Enclosure::new(Float::new(64), Float::with_val_round(64, set.upper() - set.lower(), Up).0)
}

/// One integral.
struct Part<'a> {
    spread: &'a Spread,
    kernel: &'a Kernel,
    epsilon: &'a Enclosure,
    backward: bool,
    bits: u32,
    budget: &'a Budget,
}

impl Part<'_> {
    /// Over what is certainly between two places.
    fn over(
        &self,
        (from, to): (&Enclosure, &Enclosure),
        value: impl Fn(&Taylor) -> Result<Taylor, Error>,
    ) -> Result<Enclosure, Error> {
        let zero = Enclosure::zero(self.bits);
        let (from, to) = (from.upper(), to.lower());
        if from >= to {
            return Ok(zero);
        }
        let parts = integrate((from, to), PIECES, self.bits, self.budget, |x| Ok::<_, Error>(vec![value(x)?]))?;
        Ok(parts.iter().fold(zero, |sum, part| &sum + part))
    }

    /// E at losses of the spread.
    fn at(&self, loss: &Taylor) -> Taylor {
        let sign = Enclosure::integer(&(if self.backward { 1 } else { -1 }).into(), loss.bits());
        loss.times(&sign).plus(self.epsilon)
    }

    /// Below the low knot, where the profile is `1 - e^E`.
    fn below(&self, places: (&Enclosure, &Enclosure)) -> Result<Enclosure, Error> {
        self.over(places, |l| {
            let loss = self.spread.loss(l);
            let minus = Enclosure::integer(&(-1).into(), l.bits());
            let value = self.at(&loss).expm1().times(&minus);
            Ok(self.spread.density(l, &loss, self.backward).mul(&value))
        })
    }

    /// Between the knots of noise that is no sample, over the inner loss.
    fn between(&self, places: (&Enclosure, &Enclosure)) -> Result<Enclosure, Error> {
        self.over(places, |l| {
            let loss = self.spread.loss(l);
            let value = self.kernel.inner(&self.at(&loss), self.budget)?;
            Ok(self.spread.density(l, &loss, self.backward).mul(&value))
        })
    }

    /// Between the knots of a sample, over its inner u, in which it is smooth: with `dl = (dl/dL) (dE/du) du`, where
    /// `dE/du <= 1`.
    fn between_inside(&self, knots: &Knots, rate: &Enclosure) -> Result<Enclosure, Error> {
        let bits = rate.bits();
        // E at both ends of the loss.
        let shift = self.spread.shift.enclosure(bits);
        let end = |l: &Enclosure| {
            let loss = match &self.spread.rate {
                None => l.clone(),
                Some(rate) => (&rate.enclosure(bits) * &l.expm1()).log1p(),
            };
            if self.backward { self.epsilon + &loss } else { self.epsilon - &loss }
        };
        let (a, b) = (end(&-&shift), end(&shift));
        let (least, most) = if self.backward { (a, b) } else { (b, a) };
        let inside = |at: &Enclosure| self.kernel.inside(at, knots, self.backward, bits);
        let places = (inside(&least), inside(&most));
        let slivers = &width(&places.0) + &width(&places.1);
        let slivers = &slivers.shift(-2) * &self.spread.steepest(64);
        let sign = |bits: u32| Enclosure::integer(&(if self.backward { 1 } else { -1 }).into(), bits);
        let smooth = self.over((&places.0, &places.1), |u| {
            let rate = self.kernel.rate(u.bits()).unwrap_or_else(|| rate.clone());
            let (at, value, slope) = self.kernel.by_inner_loss(u, &rate, self.backward, self.budget)?;
            let loss = at.plus(&-self.epsilon).times(&sign(u.bits()));
            let (l, steep) = self.spread.inner(&loss);
            let density = self.spread.density(&l, &loss, self.backward).mul(&value).mul(&slope);
            Ok(steep.map_or_else(|| density.clone(), |steep| density.mul(&steep)))
        })?;
        Ok(&smooth + &slivers.positive_part().hull(&Enclosure::zero(64)).with_bits(bits))
    }
}
