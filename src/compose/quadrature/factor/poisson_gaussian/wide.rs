//! The values at the nodes of a line in integers of 128 bits, as parts of `K(r)`.
//!
//! A sheet has terms `A_j` and ratios `R_j`, see [`nodes`](super::nodes), at outer nodes `first + 1024 b + 32 h + l`:
//! `sum_j ((A_j R_j^(1024 b)) R_j^(32 h)) R_j^l`. The first two products are computed once for each block and stretch,
//! the last is a sum of products. A sheet serves as many nodes as lie before it: there are few of them, and each has
//! the contour that is best for its octave of ordinates.
//!
//! **Errors.** Let `a_j` be at least `|A_j|/K(r)`, `d_j` what its point is off by, and let the points of `R_j`,
//! `R_j^32` and `R_j^1024` be off by `p`, `p'` and `p''` at most. As `|R_j| <= 1`, the b-th power of the last, by b
//! products, is off by less than `b (p'' + CUT)`, those of the others likewise, by at most `31 (p + CUT)`; products of
//! errors are below `2^-20` of them, and are taken in by [`ROOM`]. So a term of the sum is off by
//! `a_j (b (p'' + CUT) + 31 (p' + CUT) + 31 (p + CUT)) + d_j` and three cuts. The inner rule's own error, and what the
//! sum leaves out, come over `K(r)`. See `proofs/paper/points-in-long-integers.md`.

use std::f64::consts::LN_2;

use rug::Float;
use rug::float::Round::Up;

use super::PoissonGaussian;
use super::nodes::{Rounding, Values, lost};
use crate::compose::quadrature::VerticalContour;
use crate::compose::quadrature::wide::{DISC_BITS, Run, WideMoments, of_disc};
use crate::error::Error;
use enclosure::wide::{BITS, CUT, Point, Small, Split, dot, dot_small, products};
use enclosure::{Budget, Complex, Enclosure, Portable};

/// What the inner rule errs by near the axis, in bits.
const RULE_BITS: f64 = 118.0;
/// It may be so much more where the kernel is small, in nats.
const MOST_RELIEF: f64 = 40.0;
/// Bits of terms and ratios below the units of points: the ratio's error is multiplied by 1024.
const SPARE: u32 = 40;
/// Nodes of a stretch, and stretches of a block.
const STRETCH: usize = 32;
const BLOCK: u64 = 1024;
/// Nodes of the first sheet.
const FEWEST: u64 = 1024;
/// Nodes of a sheet, at most.
const MOST: u64 = 1 << 20;
/// Terms of a sheet, at most: some megabytes.
const MOST_TERMS: usize = 1 << 14;
/// What moduli of terms may add up to.
const LARGEST: f64 = 7.0;
/// The highest contour: moduli of terms rise by `e^(a^2/2) < 4`.
const HIGHEST: f64 = 1.66;
/// A term that is smaller stays below `2^61` units with its errors.
const SMALL: f64 = 0.99 / (1u64 << 61) as f64;
/// For products of errors, and for what doubles round.
const ROOM: f64 = 1.0 + 1.0 / (1u64 << 18) as f64;

/// The values of one factor along one line.
pub(super) struct WideValues<'a> {
    values: Values<'a>,
    /// `1/K(r)`.
    recip: Enclosure,
    /// No node beyond is asked for.
    last: u64,
    sheet: Option<Sheet>,
}

/// Terms that turn together: first those that are not small.
struct Sheet {
    first: u64,
    last: u64,
    large: usize,
    /// `A_j`.
    starts: Vec<Split>,
    /// `R_j^1024` and its power of the present block.
    blocks: Vec<Split>,
    power: Vec<Split>,
    block: u64,
    /// `A_j` times that power.
    of_block: Vec<Split>,
    /// `R_j^(32 h)` and `R_j^l`, for all j with `h = 0`, `l = 0` first.
    high: Vec<Split>,
    low: Vec<Split>,
    /// The present stretch, and the terms there.
    stretch: Option<u64>,
    of_stretch: Vec<Split>,
    small: Vec<Small>,
    error: f64,
}

/// One term: its start and ratios, and its share of the error.
struct Term {
    start: Point,
    size: f64,
    ratios: [Point; 3],
    error: f64,
}

impl Term {
    /// `None` where its numbers are not known, or are too large.
    fn new(start: &Complex, ratio: &Complex, recip: &Complex, blocks: f64) -> Option<Self> {
        let start = start * recip;
        let size = start.modulus_upper().to_f64_round(Up);
        let (point, off) = of_disc(&start)?;
        let high = ratio.pow(STRETCH as u64);
        let block = high.pow(BLOCK / STRETCH as u64);
        let (low, of_low) = of_disc(ratio)?;
        let (high, of_high) = of_disc(&high)?;
        let (block, of_block) = of_disc(&block)?;
        let last = (STRETCH - 1) as f64;
        let turned = blocks * (of_block + CUT) + last * (of_high + CUT) + last * (of_low + CUT);
        let error = size * turned + off + 3.0 * CUT;
        (turned < 1e-9 && size < 2.0).then_some(Term { start: point, size, ratios: [low, high, block], error })
    }
}

impl Sheet {
    /// From terms, in the order of their size.
    fn new((first, last): (u64, u64), mut terms: Vec<Term>, error: f64) -> Option<Self> {
        let size: f64 = terms.iter().map(|term| term.size).sum();
        if !(size < LARGEST) || terms.len() > MOST_TERMS {
            return None;
        }
        terms.sort_by(|a, b| b.size.total_cmp(&a.size));
        let large = terms.iter().take_while(|term| term.size >= SMALL).count();
        let of = |pick: fn(&Term) -> Point| terms.iter().map(|term| pick(term).split()).collect::<Vec<_>>();
        let powers = |ratios: Vec<Split>| {
            let mut all = vec![Point::ONE.split(); ratios.len()];
            for _ in 1..STRETCH {
                let mut next = vec![Split::ZERO; ratios.len()];
                let before = all.len() - ratios.len();
                products(all.get(before..).unwrap_or_default(), &ratios, &mut next);
                all.append(&mut next);
            }
            all
        };
        let error = (error + terms.iter().map(|term| term.error).sum::<f64>()) * ROOM;
        let starts = of(|term| term.start);
        let zeros = vec![Split::ZERO; terms.len()];
        Some(Sheet {
            first,
            last,
            large,
            blocks: of(|term| term.ratios[2]),
            power: vec![Point::ONE.split(); terms.len()],
            block: 0,
            of_block: starts.clone(),
            starts,
            high: powers(of(|term| term.ratios[1])),
            low: powers(of(|term| term.ratios[0])),
            stretch: None,
            of_stretch: zeros,
            small: Vec::with_capacity(terms.len() - large),
            error,
        })
    }

    /// To the stretch of 32 nodes with this number; `None` where a small term is none.
    fn go(&mut self, stretch: u64) -> Option<()> {
        if self.stretch == Some(stretch) {
            return Some(());
        }
        let block = stretch / (BLOCK / STRETCH as u64);
        let terms = self.starts.len();
        let mut next = vec![Split::ZERO; terms];
        let moved = self.block != block;
        while self.block < block {
            products(&self.power, &self.blocks, &mut next);
            std::mem::swap(&mut self.power, &mut next);
            self.block += 1;
        }
        if moved {
            products(&self.starts, &self.power, &mut self.of_block);
        }
        let high = (stretch % (BLOCK / STRETCH as u64)) as usize;
        products(&self.of_block, self.high.get(high * terms..(high + 1) * terms)?, &mut self.of_stretch);
        self.small.clear();
        for term in self.of_stretch.get(self.large..)? {
            self.small.push(term.point().small()?);
        }
        self.stretch = Some(stretch);
        Some(())
    }

    /// The value at a place of the present stretch.
    fn value(&self, place: usize) -> Option<Point> {
        let terms = self.starts.len();
        let low = self.low.get(place * terms..(place + 1) * terms)?;
        let (large, small) = low.split_at_checked(self.large)?;
        let (a, b) = (dot(self.of_stretch.get(..self.large)?, large), dot_small(&self.small, small));
        Some(Point { re: a.re + b.re, im: a.im + b.im })
    }
}

impl<'a> WideValues<'a> {
    /// `None` where the moment is not known well enough.
    pub fn new(factor: &'a PoissonGaussian, line: &VerticalContour, budget: &Budget) -> Result<Option<Self>, Error> {
        let values = Values::new(factor, line, BITS, budget)?;
        let moment = factor.kept_moment(values.order(), DISC_BITS, budget)?;
        let known = *moment.lower() > 0 && moment.relative_bits().is_some_and(|bits| bits > i64::from(BITS) + 8);
        let recip = moment.recip();
        Ok(known.then_some(WideValues { values, recip, last: u64::MAX, sheet: None }))
    }

    /// How much more the values may be off by from this node on, in nats: the profile's kernel falls from `1/|c(c+1)|`
    /// on the axis to less than `1/u^2`, and an octave has as many more nodes as its ordinates are larger. With
    /// `r = 1 + c` that is the same for the pair and its mirror image. (A choice: what it costs is counted.)
    fn relief(&self, first: u64) -> f64 {
        let (r, u) = (self.values.order().to_f64(), self.values.ordinate(first));
        (0.5 * (u * u / (r * (r - 1.0)).abs()).portable_ln()).clamp(0.0, MOST_RELIEF)
    }

    /// A sheet from this outer node on; `None` if its terms are not known well enough.
    fn sheet(&self, first: u64, budget: &Budget) -> Result<Option<Sheet>, Error> {
        let count = first.clamp(FEWEST, MOST);
        let last = first.saturating_add(count - 1).min(self.last).max(first);
        let relief = self.relief(first);
        let nats = RULE_BITS * LN_2 - relief + 4.0;
        let ordinates = (self.values.ordinate(first), self.values.ordinate(last) * 1.000_001);
        // A product here costs a hundredth of what the contour's search takes for one.
        let contour = self.values.contour(nats, ordinates, (last - first + 1) as f64 / 100.0, HIGHEST);
        let rule = self.values.rule(nats, (contour, last))?;
        let unit = self.values.moment().upper().get_exp().unwrap_or(i32::MAX);
        if unit.unsigned_abs() > 1 << 29 {
            return Ok(None);
        }
        let unit = unit - BITS as i32 + (relief / LN_2) as i32;
        let widest = BITS + SPARE + rule.rise_bits();
        let recip = Complex::real(&self.recip, DISC_BITS);
        let blocks = ((last - first) / BLOCK) as f64;
        let mut terms = Vec::new();
        let mut push = |start: &Complex, ratio: &Complex| {
            terms.push(Term::new(start, ratio, &recip, blocks).ok_or_else(lost)?);
            Ok(())
        };
        let left_out = self.values.terms(&rule, first, Rounding { unit, spare: SPARE, widest }, budget, &mut push)?;
        let left_out = Float::with_val_round(64, &left_out * self.recip.upper(), Up).0.to_f64_round(Up);
        Ok(Sheet::new((first, last), terms, left_out))
    }

    /// As the run; time that ran out is an error like others here.
    fn points(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Run>, Error> {
        let (mut points, mut error) = (Vec::with_capacity(count), 0.0f64);
        let end = first.saturating_add(count as u64);
        let mut k = first;
        while k < end {
            if !self.sheet.as_ref().is_some_and(|sheet| sheet.first <= k && k <= sheet.last) {
                self.sheet = self.sheet(k, budget)?;
            }
            budget.check()?;
            let Some(sheet) = &mut self.sheet else { return Ok(None) };
            error = error.max(sheet.error);
            let offset = k - sheet.first;
            if sheet.go(offset / STRETCH as u64).is_none() {
                return Ok(None);
            }
            let place = (offset % STRETCH as u64) as usize;
            let length = (STRETCH - place).min((end.min(sheet.last + 1) - k) as usize);
            for place in place..place + length {
                let Some(value) = sheet.value(place) else { return Ok(None) };
                points.push(value);
            }
            k += length as u64;
        }
        Ok(Some((points, error)))
    }
}

impl WideMoments for WideValues<'_> {
    fn reach(&mut self, last: u64) {
        self.last = last;
    }

    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Run>, Error> {
        match self.points(first, count, budget) {
            // The contours of discs may do; but time that ran out does not come back.
            Err(Error::Undecided(_)) => budget.check().map(|()| None),
            found => found,
        }
    }
}
