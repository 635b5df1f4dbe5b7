//! The values at the nodes of a line: each node of the integral is two geometric progressions.

use std::f64::consts::{LN_2, PI};

use rug::{Float, Rational};

use super::super::{Moments, VerticalContour};
use super::{Mirrored, Outside, bits_of, search};
use crate::error::Error;
use enclosure::progression::{MAX_STEPS, Progressions};
use enclosure::{Budget, Complex, Enclosure};

/// Progressions go on over gaps of so many nodes, which costs less than to begin them anew.
const GAP: u64 = 1 << 9;

/// The values along a line.
pub(super) struct Values<'a> {
    factor: &'a Mirrored,
    line: VerticalContour,
    bits: u32,
    log_moment: f64,
    sheet: Option<Sheet>,
}

/// Progressions from one node of the line on.
struct Sheet {
    at: u64,
    /// The integral's rule serves nodes up to this one.
    last: u64,
    terms: Progressions,
    error: Float,
}

impl<'a> Values<'a> {
    pub fn new(factor: &'a Mirrored, line: &VerticalContour, bits: u32) -> Result<Self, Error> {
        let log_moment = factor.searched_moment(line.tilt().to_f64());
        if log_moment.is_nan() || log_moment.abs() >= 7e8 {
            return Err(Error::Undecided("a moment exceeds the exponent range of the arithmetic".into()));
        }
        Ok(Values { factor, line: line.clone(), bits, log_moment, sheet: None })
    }

    fn sheet(&self, first: u64, count: u64, budget: &Budget) -> Result<Sheet, Error> {
        let ahead = count.max(first).clamp(256, u64::from(MAX_STEPS / 2));
        let last = first.saturating_add(ahead);
        let reach = 2.0 * PI / self.line.period().to_f64() * last as f64;
        let tilt: &Rational = self.line.tilt();
        let layout = self.factor.layout(tilt.to_f64(), search::nats(self.bits), reach)?;
        let guard = 5 + Mirrored::bits_of_sums(&layout) + bits_of(ahead as f64);
        let unit = (self.log_moment / LN_2 - f64::from(self.bits) - f64::from(guard)) as i32;
        let work = self.bits.saturating_add(guard + 8);
        let nodes = self.factor.nodes(&layout, tilt, (work, reach), &self.line.ordinate(last, 64), budget)?;
        let wide = work.saturating_add(self.factor.surplus(tilt.to_f64(), reach, layout.outer));
        let (start, each) = (self.line.ordinate(first, wide), self.line.ordinate(1, wide));
        let mut sheet = Sheet { at: first, last, terms: Progressions::turning(unit, work), error: nodes.error };
        let threshold = Float::with_val(64, 1u32) << unit;
        for (place, node) in nodes.list.iter().enumerate() {
            if place % 64 == 0 {
                budget.check()?;
            }
            let turns = [&start, &each].map(|ordinate| Complex::cis(&(ordinate * &node.log), work));
            let [above, below] = &node.moduli;
            sheet.push(above, &turns, work, &threshold)?;
            sheet.push(below, &turns.each_ref().map(Complex::conjugate), work, &threshold)?;
        }
        let largest = self.factor.parts(wide, budget)?;
        for (mass, outside) in self.factor.atoms(tilt, work, budget)? {
            let turns = match outside {
                Outside::Middle => [Complex::one(work), Complex::one(work)],
                Outside::Own | Outside::Mirrored => {
                    let log = largest.log_ratio(&self.factor.laplace_loss(&largest));
                    let turns = [&start, &each].map(|ordinate| Complex::cis(&(ordinate * &log), work));
                    if outside == Outside::Own { turns } else { turns.each_ref().map(Complex::conjugate) }
                }
            };
            sheet.push(&mass, &turns, work, &threshold)?;
        }
        Ok(sheet)
    }
}

impl Sheet {
    /// One more term; or what it may be, if it is too small for the units: its modulus is the same at every node.
    fn push(&mut self, modulus: &Enclosure, turns: &[Complex; 2], work: u32, threshold: &Float) -> Result<(), Error> {
        let modulus = modulus.with_bits(work);
        if modulus.upper() < threshold {
            rug::ops::AddAssignRound::add_assign_round(&mut self.error, modulus.upper(), rug::float::Round::Up);
            return Ok(());
        }
        let [start, ratio] = turns;
        if self.terms.push(&(&Complex::real(&modulus, work) * start), ratio) {
            return Ok(());
        }
        Err(Error::undecided("the nodes for a sample of fixed size lost their precision".to_string()))
    }
}

impl Moments for Values<'_> {
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Vec<Complex>, Error> {
        let mut values = Vec::with_capacity(count);
        let end = first.saturating_add(count as u64);
        for k in first..end {
            if k % 64 == 0 {
                budget.check()?;
            }
            let usable = self.sheet.as_ref().is_some_and(|sheet| {
                sheet.at <= k && k <= sheet.last && k - sheet.at <= u64::from(sheet.terms.left()).min(GAP)
            });
            if !usable {
                self.sheet = Some(self.sheet(k, end - k, budget)?);
            }
            let Some(sheet) = &mut self.sheet else { continue };
            while sheet.at < k {
                sheet.terms.advance();
                sheet.at += 1;
            }
            values.push(sheet.terms.value(self.bits, &sheet.error));
        }
        Ok(values)
    }
}
