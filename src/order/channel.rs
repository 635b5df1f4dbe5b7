//! What carries one finite pair to another: the stochastic matrix of Blackwell's theorem, in fractions.
//!
//! If `T(P,Q) <= T(P',Q')` everywhere then some randomised map of outcomes sends P to P' and Q to Q'. Here it is made.
//!
//! **Construction.** The graph of a trade-off function, with what is vertical at alpha = 0 and flat at its end, is a
//! polyline from (0, 1) to (1, 0) whose pieces `(p, -q)` are the outcomes, sorted by likelihood ratio. Take the line l
//! through one piece of the graph of `T(P',Q')`. Where it is above the graph of `T(P,Q)`, between two points of that
//! graph, cut the pieces with these points in two there (an outcome becomes one of two, at random), and merge all that
//! lies between (these outcomes are no longer told apart): the graph becomes the maximum of itself and l. As
//! `T(P',Q')` is the maximum of its lines and nowhere below `T(P,Q)`, after all cuts the graph is that of `T(P',Q')`.
//! Each step is a randomised map, and so is their product; pieces of equal ratio are told apart at random as P' does.
//! The lines end above no end of the graph: at alpha = 0 they are at most 1, at alpha = 1 at most 0.

use std::cmp::Ordering;

use rug::Rational;

use crate::alarm;
use crate::error::Error;
use crate::number::Fraction;
use crate::pair::FinitePair;
use enclosure::{Enclosure, Reason};

/// More entries than this are not written.
const MOST_ENTRIES: usize = 1 << 20;

/// A randomised map from the outcomes of one finite pair to those of another: the stochastic matrix of Blackwell's
/// theorem, with rational entries. [`channel`](crate::channel()) computes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    from: FinitePair,
    to: FinitePair,
    /// They sum to 1: where each outcome goes.
    rows: Vec<Vec<Rational>>,
}

/// Numbers that are computed with and compared exactly.
pub trait Exact: Clone {
    /// 0.
    fn zero(&self) -> Self;
    /// 1.
    fn one(&self) -> Self;
    /// The sum.
    fn plus(&self, other: &Self) -> Self;
    /// The difference.
    fn minus(&self, other: &Self) -> Self;
    /// The product.
    fn times(&self, other: &Self) -> Self;
    /// The quotient by a number other than 0.
    fn over(&self, other: &Self) -> Self;
    /// The sign.
    ///
    /// # Errors
    /// [`Error::Undecided`] where it was not found.
    fn sign(&self) -> Result<Ordering, Error>;
}

impl Exact for Rational {
    fn zero(&self) -> Self {
        Rational::new()
    }

    fn one(&self) -> Self {
        Rational::from(1)
    }

    fn plus(&self, other: &Self) -> Self {
        Rational::from(self + other)
    }

    fn minus(&self, other: &Self) -> Self {
        Rational::from(self - other)
    }

    fn times(&self, other: &Self) -> Self {
        Rational::from(self * other)
    }

    fn over(&self, other: &Self) -> Self {
        Rational::from(self / other)
    }

    fn sign(&self) -> Result<Ordering, Error> {
        Ok(self.cmp0())
    }
}

/// The masses of finitely many outcomes under both distributions.
pub type Masses<N> = [Vec<N>; 2];

/// A piece of the graph, and which part of each outcome is in it.
#[derive(Clone)]
struct Piece<N> {
    p: N,
    q: N,
    parts: Vec<N>,
}

impl<N: Exact> Piece<N> {
    /// This part of it.
    fn part(&self, share: &N) -> Self {
        Piece {
            p: self.p.times(share),
            q: self.q.times(share),
            parts: self.parts.iter().map(|part| part.times(share)).collect(),
        }
    }

    /// Both, no longer told apart.
    fn with(mut self, other: &Self) -> Self {
        self.p = self.p.plus(&other.p);
        self.q = self.q.plus(&other.q);
        for (part, more) in self.parts.iter_mut().zip(&other.parts) {
            *part = part.plus(more);
        }
        self
    }
}

/// A line `s p + c q <= level`, written so that vertical ones are lines too.
struct Line<N> {
    /// A point on it.
    at: (N, N),
    /// Its direction: right and down.
    along: (N, N),
}

impl<N: Exact> Line<N> {
    /// Positive where a point is above the line.
    fn height(&self, (alpha, beta): &(N, N)) -> N {
        let (right, up) = (alpha.minus(&self.at.0), beta.minus(&self.at.1));
        up.times(&self.along.0).plus(&right.times(&self.along.1))
    }
}

/// The rows of a stochastic matrix that carries the first masses to the second ones, of which it has to be known that
/// their trade-off function is nowhere below.
///
/// # Errors
/// [`Error::Undecided`] for too many entries, and where a sign was not found; an alarm if what was made is not such a
/// map.
pub fn rows<N: Exact>(from: &Masses<N>, to: &Masses<N>) -> Result<Vec<Vec<N>>, Error> {
    let (rows, columns) = (from[0].len(), to[0].len());
    if rows.saturating_mul(columns) > MOST_ENTRIES {
        let reason = format!(
            "the matrix of the map has {rows} rows of {columns} entries, more than the limit of \
                              {MOST_ENTRIES} in all"
        );
        return Err(Error::Undecided(Reason::from(reason)));
    }
    let mut pieces = graph(from)?;
    for line in lines(to)? {
        pieces = cut(pieces, &line)?;
    }
    let made = spread(&pieces, rows, to)?;
    if !carries(&made, from, to)? {
        // Says so in the way of all proven mistakes.
        let one = Enclosure::one(2);
        alarm::meet(&one, &(&one + &one), "a stochastic matrix that does not carry one pair to the other")?;
    }
    Ok(made)
}

/// Check exactly whether this is a stochastic matrix that sends P to P' and Q to Q'.
fn carries<N: Exact>(rows: &[Vec<N>], from: &Masses<N>, to: &Masses<N>) -> Result<bool, Error> {
    let Some(some) = to[0].first() else { return Ok(false) };
    let is = |a: &N, b: &N| Ok::<_, Error>(a.minus(b).sign()?.is_eq());
    for row in rows {
        let sum = row.iter().fold(some.zero(), |sum, x| sum.plus(x));
        for entry in row {
            if entry.sign()?.is_lt() {
                return Ok(false);
            }
        }
        if row.len() != to[0].len() || !is(&sum, &some.one())? {
            return Ok(false);
        }
    }
    for (masses, wanted) in from.iter().zip(to) {
        for (column, wanted) in wanted.iter().enumerate() {
            let sent = masses.iter().zip(rows).filter_map(|(m, row)| Some(m.times(row.get(column)?)));
            if !is(&sent.fold(some.zero(), |sum, x| sum.plus(&x)), wanted)? {
                return Ok(false);
            }
        }
    }
    Ok(rows.len() == from[0].len())
}

impl Channel {
    /// A map from the outcomes of `from` to those of `to`; it has to be known that the second is at least as private.
    ///
    /// # Errors
    /// Those of [`rows`].
    pub(crate) fn between(from: &FinitePair, to: &FinitePair) -> Result<Self, Error> {
        let rows = rows(&masses(from), &masses(to))?;
        Ok(Channel { from: from.clone(), to: to.clone(), rows })
    }

    /// The transition probabilities: a row for each outcome before the map, which sums to 1, with an entry for each
    /// outcome after it.
    pub fn matrix(&self) -> Vec<Vec<Fraction>> {
        self.rows.iter().map(|row| fractions(row)).collect()
    }

    /// The same in fractions of our own.
    #[cfg(feature = "cli")]
    pub(crate) fn rows(&self) -> &[Vec<Rational>] {
        &self.rows
    }

    /// The probabilities before the map, `[P, Q]`.
    pub fn from(&self) -> [Vec<Fraction>; 2] {
        [fractions(self.from.p()), fractions(self.from.q())]
    }

    /// The probabilities after the map, `[P', Q']`: P and Q times the matrix.
    pub fn to(&self) -> [Vec<Fraction>; 2] {
        [fractions(self.to.p()), fractions(self.to.q())]
    }

    /// Check exactly whether this is a stochastic matrix that sends P to P' and Q to Q'.
    #[cfg(test)]
    pub(crate) fn carries(&self, from: &FinitePair, to: &FinitePair) -> bool {
        carries(&self.rows, &masses(from), &masses(to)).unwrap_or(false)
    }
}

fn masses(pair: &FinitePair) -> Masses<Rational> {
    [pair.p().to_vec(), pair.q().to_vec()]
}

fn fractions(values: &[Rational]) -> Vec<Fraction> {
    values.iter().cloned().map(Fraction::new).collect()
}

/// The order of likelihood ratios q/p, largest first.
fn by_ratio<N: Exact>(a: (&N, &N), b: (&N, &N)) -> Result<Ordering, Error> {
    b.1.times(a.0).minus(&a.1.times(b.0)).sign()
}

/// Does either distribution have it?
fn happens<N: Exact>(p: &N, q: &N) -> Result<bool, Error> {
    Ok(!(p.sign()?.is_eq() && q.sign()?.is_eq()))
}

/// The outcomes that either distribution has, as pieces in their order.
fn graph<N: Exact>([p, q]: &Masses<N>) -> Result<Vec<Piece<N>>, Error> {
    let mut pieces: Vec<Piece<N>> = Vec::new();
    for (index, (p, q)) in p.iter().zip(q).enumerate() {
        if !happens(p, q)? {
            continue;
        }
        let mut parts = vec![p.zero(); index];
        parts.push(p.one());
        pieces.push(Piece { p: p.clone(), q: q.clone(), parts });
    }
    for piece in &mut pieces {
        let zero = piece.p.zero();
        piece.parts.resize(p.len(), zero);
    }
    let mut failed = None;
    pieces.sort_by(|a, b| {
        by_ratio((&a.p, &a.q), (&b.p, &b.q)).unwrap_or_else(|error| {
            failed = Some(error);
            Ordering::Equal
        })
    });
    failed.map_or(Ok(pieces), Err)
}

/// The start of every graph.
fn start<N: Exact>(some: &N) -> (N, N) {
    (some.zero(), some.one())
}

/// The lines through the pieces of a graph that are not vertical.
fn lines<N: Exact>(masses: &Masses<N>) -> Result<Vec<Line<N>>, Error> {
    let mut at = None;
    let mut all = Vec::new();
    for Piece { p, q, .. } in graph(masses)? {
        let here = at.take().unwrap_or_else(|| start(&p));
        let next = (here.0.plus(&p), here.1.minus(&q));
        if !p.sign()?.is_eq() {
            all.push(Line { at: here, along: (p, q) });
        }
        at = Some(next);
    }
    Ok(all)
}

/// The graph, with what lies below the line replaced by the line.
fn cut<N: Exact>(pieces: Vec<Piece<N>>, line: &Line<N>) -> Result<Vec<Piece<N>>, Error> {
    let mut at = start(&line.at.0);
    let one = line.at.0.one();
    let mut height = line.height(&at);
    let mut is_below = height.sign()?.is_lt();
    let (mut all, mut below): (Vec<Piece<N>>, Option<Piece<N>>) = (Vec::new(), None);
    for piece in pieces {
        at = (at.0.plus(&piece.p), at.1.minus(&piece.q));
        let next = line.height(&at);
        let next_below = next.sign()?.is_lt();
        let share = || height.over(&height.minus(&next));
        match (is_below, next_below) {
            (false, false) => all.push(piece),
            (false, true) => {
                let share = share();
                if !share.sign()?.is_eq() {
                    all.push(piece.part(&share));
                }
                below = Some(piece.part(&one.minus(&share)));
            }
            (true, true) => below = Some(below.map_or(piece.clone(), |whole| whole.with(&piece))),
            (true, false) => {
                let share = share();
                let part = piece.part(&share);
                all.push(below.take().map_or(part.clone(), |whole| whole.with(&part)));
                let rest = one.minus(&share);
                if !rest.sign()?.is_eq() {
                    all.push(piece.part(&rest));
                }
            }
        }
        (height, is_below) = (next, next_below);
    }
    all.extend(below);
    Ok(all)
}

/// Where each outcome goes: its pieces, each to the outcomes of its likelihood ratio in proportion.
fn spread<N: Exact>(pieces: &[Piece<N>], rows: usize, [p, q]: &Masses<N>) -> Result<Vec<Vec<N>>, Error> {
    let Some(some) = p.first() else { return Ok(Vec::new()) };
    let mut all = vec![vec![some.zero(); p.len()]; rows];
    for piece in pieces {
        let mut alike = Vec::new();
        for (column, (p, q)) in p.iter().zip(q).enumerate() {
            if happens(p, q)? && by_ratio((p, q), (&piece.p, &piece.q))?.is_eq() {
                alike.push((column, p.plus(q)));
            }
        }
        let whole = alike.iter().fold(some.zero(), |sum, (_, mass)| sum.plus(mass));
        for (column, mass) in alike {
            let share = mass.over(&whole);
            for (row, part) in all.iter_mut().zip(&piece.parts) {
                if let Some(entry) = row.get_mut(column) {
                    *entry = entry.plus(&part.times(&share));
                }
            }
        }
    }
    // Outcomes that never happen may go anywhere.
    for row in &mut all {
        let mut empty = true;
        for entry in row.iter() {
            empty &= entry.sign()?.is_eq();
        }
        if let (true, Some(first)) = (empty, row.first_mut()) {
            *first = some.one();
        }
    }
    Ok(all)
}
