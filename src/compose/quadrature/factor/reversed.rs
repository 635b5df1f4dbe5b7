//! The same pair in the other direction.

use std::sync::Arc;

use rug::Rational;

use super::super::fixed::Point;
use super::super::wide::{self, WideMoments};
use super::poisson_gaussian::split::Split;
use super::{Decay, Factor, FixedMoments, LatticeSpan, LossBound, Moments, VerticalContour};
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure, Number};

/// The factor of (Q, P), from that of (P, Q).
///
/// `E_Q[e^(-sL)] = E_P[e^(-(s+1)L)] = M(-1-s)`, both over the outcomes that P and Q share. On a line, `-1 - (c + iu)`
/// is the conjugate of `(-1-c) + iu`, and `M` of a conjugate is the conjugate of `M`.
pub struct Reversed(pub Arc<dyn Factor>);

fn turned(c: &Rational) -> Rational {
    -Rational::from(c + 1u32)
}

impl Factor for Reversed {
    fn name(&self) -> String {
        self.0.name()
    }

    fn strip(&self) -> (f64, f64) {
        let (low, high) = self.0.strip();
        // One step inward, for the subtraction rounds.
        ((-1.0 - high).next_up(), (-1.0 - low).next_down())
    }

    fn span(&self) -> Option<LatticeSpan> {
        self.0.span().map(|LatticeSpan { unit, offset }| LatticeSpan { unit, offset: offset.neg() })
    }

    fn decays(&self) -> bool {
        self.0.decays()
    }

    fn range(&self) -> (LossBound, LossBound) {
        let (least, largest) = self.0.range();
        (largest.reversed(), least.reversed())
    }

    fn infinite_p(&self, bits: u32) -> Number {
        self.0.infinite_q(bits)
    }

    fn infinite_q(&self, bits: u32) -> Number {
        self.0.infinite_p(bits)
    }

    fn log_moment(&self, c: f64) -> f64 {
        self.0.log_moment(-1.0 - c)
    }

    fn moment(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.0.moment(&turned(c), bits, budget)
    }

    fn apart(&self, cut: f64, reversed: bool) -> Option<Split> {
        self.0.apart(cut, !reversed)
    }

    fn on(&self, line: &VerticalContour, bits: u32, budget: &Budget) -> Result<Box<dyn Moments + '_>, Error> {
        Ok(Box::new(Conjugate(self.0.on(&line.at(turned(line.tilt())), bits, budget)?)))
    }

    fn fixed(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let inner = self.0.fixed(&line.at(turned(line.tilt())), budget)?;
        Ok(inner.map(|inner| Box::new(FixedConjugate(inner)) as Box<dyn FixedMoments>))
    }

    fn coarse(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let inner = self.0.coarse(&line.at(turned(line.tilt())), budget)?;
        Ok(inner.map(|inner| Box::new(FixedConjugate(inner)) as Box<dyn FixedMoments>))
    }

    fn wide(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn WideMoments + '_>>, Error> {
        let inner = self.0.wide(&line.at(turned(line.tilt())), budget)?;
        Ok(inner.map(|inner| Box::new(WideConjugate(inner)) as Box<dyn WideMoments>))
    }

    fn decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        self.0.decay(&line.at(turned(line.tilt())), budget)
    }

    fn close_decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        self.0.close_decay(&line.at(turned(line.tilt())), budget)
    }
}

struct Conjugate<'a>(Box<dyn Moments + 'a>);

impl Moments for Conjugate<'_> {
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Vec<Complex>, Error> {
        let mut values = self.0.run(first, count, budget)?;
        values.iter_mut().for_each(|value| *value = value.conjugate());
        Ok(values)
    }
}

struct FixedConjugate<'a>(Box<dyn FixedMoments + 'a>);

impl FixedMoments for FixedConjugate<'_> {
    fn error(&self) -> f64 {
        self.0.error()
    }

    fn error_before(&self, end: u64) -> f64 {
        self.0.error_before(end)
    }

    fn reach(&mut self, last: u64) {
        self.0.reach(last);
    }

    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Vec<Point>>, Error> {
        let points = self.0.run(first, count, budget)?;
        Ok(points.map(|points| points.into_iter().map(Point::conjugate).collect()))
    }
}

struct WideConjugate<'a>(Box<dyn WideMoments + 'a>);

impl WideMoments for WideConjugate<'_> {
    fn reach(&mut self, last: u64) {
        self.0.reach(last);
    }

    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<wide::Run>, Error> {
        let run = self.0.run(first, count, budget)?;
        Ok(run.map(|(points, error)| (points.into_iter().map(|point| point.conjugate()).collect(), error)))
    }
}
