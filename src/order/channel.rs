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

use rug::Rational;

use crate::alarm;
use crate::error::Error;
use crate::number::Fraction;
use crate::pair::FinitePair;
use enclosure::{Enclosure, Reason};

/// More entries than this are not written.
const MOST_ENTRIES: usize = 1 << 20;

/// A randomised map of the outcomes of one finite pair that makes another pair of it, in fractions: the stochastic
/// matrix of Blackwell's theorem, which [`channel`](crate::channel()) makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    from: FinitePair,
    to: FinitePair,
    /// They sum to 1: where each outcome goes.
    rows: Vec<Vec<Rational>>,
}

/// A piece of the graph, and which part of each outcome is in it.
#[derive(Clone)]
struct Piece {
    p: Rational,
    q: Rational,
    parts: Vec<Rational>,
}

impl Piece {
    /// This part of it.
    fn part(&self, share: &Rational) -> Self {
        Piece {
            p: Rational::from(&self.p * share),
            q: Rational::from(&self.q * share),
            parts: self.parts.iter().map(|part| Rational::from(part * share)).collect(),
        }
    }

    /// Both, no longer told apart.
    fn with(mut self, other: &Self) -> Self {
        self.p += &other.p;
        self.q += &other.q;
        for (part, more) in self.parts.iter_mut().zip(&other.parts) {
            *part += more;
        }
        self
    }
}

/// A line `s p + c q <= level`, written so that vertical ones are lines too.
struct Line {
    /// A point on it.
    at: (Rational, Rational),
    /// Its direction: right and down.
    along: (Rational, Rational),
}

impl Line {
    /// Positive where a point is above the line.
    fn height(&self, (alpha, beta): &(Rational, Rational)) -> Rational {
        let (right, up) = (Rational::from(alpha - &self.at.0), Rational::from(beta - &self.at.1));
        up * &self.along.0 + right * &self.along.1
    }
}

impl Channel {
    /// A map from the outcomes of `from` to those of `to`; it has to be known that the second is at least as private.
    ///
    /// # Errors
    /// [`Error::Undecided`] for too many entries; an alarm if what was made is not such a map.
    pub(crate) fn between(from: &FinitePair, to: &FinitePair) -> Result<Self, Error> {
        let (rows, columns) = (from.p().len(), to.p().len());
        if rows.saturating_mul(columns) > MOST_ENTRIES {
            let reason = format!("the matrix has {rows} rows of {columns}, more than {MOST_ENTRIES} entries");
            return Err(Error::Undecided(Reason::from(reason)));
        }
        let mut pieces = graph(from);
        for line in lines(to) {
            pieces = cut(pieces, &line);
        }
        let channel = Channel { from: from.clone(), to: to.clone(), rows: spread(&pieces, rows, to) };
        if !channel.carries(from, to) {
            // Says so in the way of all proven mistakes.
            let one = Enclosure::one(2);
            alarm::meet(&one, &(&one + &one), "a stochastic matrix that does not carry one pair to the other")?;
        }
        Ok(channel)
    }

    /// Where each outcome goes, with which probability: a row for each outcome before the map, which sums to 1, with an
    /// entry for each outcome behind it.
    pub fn matrix(&self) -> Vec<Vec<Fraction>> {
        self.rows.iter().map(|row| fractions(row)).collect()
    }

    /// The same in fractions of our own.
    #[cfg(feature = "cli")]
    pub(crate) fn rows(&self) -> &[Vec<Rational>] {
        &self.rows
    }

    /// The masses before the map, `[P, Q]`.
    pub fn from(&self) -> [Vec<Fraction>; 2] {
        [fractions(self.from.p()), fractions(self.from.q())]
    }

    /// The masses behind it, `[P', Q']`: those of `P` and of `Q` times the matrix.
    pub fn to(&self) -> [Vec<Fraction>; 2] {
        [fractions(self.to.p()), fractions(self.to.q())]
    }

    /// Is it a stochastic matrix that sends both distributions to the others? Exactly.
    pub(crate) fn carries(&self, from: &FinitePair, to: &FinitePair) -> bool {
        let stochastic = self.rows.iter().all(|row| {
            row.len() == to.p().len() && row.iter().all(|x| !x.cmp0().is_lt()) && row.iter().sum::<Rational>() == 1
        });
        let sent = |masses: &[Rational], wanted: &[Rational]| {
            wanted.iter().enumerate().all(|(column, wanted)| {
                let sum: Rational = masses
                    .iter()
                    .zip(&self.rows)
                    .filter_map(|(m, row)| Some(Rational::from(m * row.get(column)?)))
                    .sum();
                sum == *wanted
            })
        };
        self.rows.len() == from.p().len() && stochastic && sent(from.p(), to.p()) && sent(from.q(), to.q())
    }
}

fn fractions(values: &[Rational]) -> Vec<Fraction> {
    values.iter().cloned().map(Fraction::new).collect()
}

/// The order of likelihood ratios q/p, largest first.
fn by_ratio(a: (&Rational, &Rational), b: (&Rational, &Rational)) -> std::cmp::Ordering {
    Rational::from(b.1 * a.0).cmp(&Rational::from(a.1 * b.0))
}

/// The outcomes that either distribution has, as pieces in their order.
fn graph(pair: &FinitePair) -> Vec<Piece> {
    let count = pair.p().len();
    let mut pieces: Vec<Piece> = Vec::new();
    for (index, (p, q)) in pair.outcomes().enumerate() {
        if p.is_zero() && q.is_zero() {
            continue;
        }
        let mut parts = vec![Rational::new(); count];
        parts[index] = Rational::from(1);
        pieces.push(Piece { p: p.clone(), q: q.clone(), parts });
    }
    pieces.sort_by(|a, b| by_ratio((&a.p, &a.q), (&b.p, &b.q)));
    pieces
}

/// The lines through the pieces of a graph that are not vertical.
fn lines(pair: &FinitePair) -> Vec<Line> {
    let mut at = (Rational::new(), Rational::from(1));
    let mut all = Vec::new();
    for Piece { p, q, .. } in graph(pair) {
        if !p.is_zero() {
            all.push(Line { at: at.clone(), along: (p.clone(), q.clone()) });
        }
        at = (at.0 + p, at.1 - q);
    }
    all
}

/// The graph, with what lies below the line replaced by the line.
fn cut(pieces: Vec<Piece>, line: &Line) -> Vec<Piece> {
    let mut at = (Rational::new(), Rational::from(1));
    let mut height = line.height(&at);
    let (mut all, mut below): (Vec<Piece>, Option<Piece>) = (Vec::new(), None);
    for piece in pieces {
        at = (at.0 + &piece.p, at.1 - &piece.q);
        let next = line.height(&at);
        let share = || &height / Rational::from(&height - &next);
        match (height.cmp0().is_lt(), next.cmp0().is_lt()) {
            (false, false) => all.push(piece),
            (false, true) => {
                let share = share();
                if !share.is_zero() {
                    all.push(piece.part(&share));
                }
                below = Some(piece.part(&Rational::from(1 - &share)));
            }
            (true, true) => below = Some(below.map_or(piece.clone(), |whole| whole.with(&piece))),
            (true, false) => {
                let share = share();
                let part = piece.part(&share);
                all.push(below.take().map_or(part.clone(), |whole| whole.with(&part)));
                if share != 1 {
                    all.push(piece.part(&Rational::from(1 - &share)));
                }
            }
        }
        height = next;
    }
    all.extend(below);
    all
}

/// Where each outcome goes: its pieces, each to the outcomes of its likelihood ratio in proportion.
fn spread(pieces: &[Piece], rows: usize, to: &FinitePair) -> Vec<Vec<Rational>> {
    let columns = to.p().len();
    let mut all = vec![vec![Rational::new(); columns]; rows];
    for piece in pieces {
        let alike = |(p, q): &(&Rational, &Rational)| {
            !(p.is_zero() && q.is_zero()) && by_ratio((p, q), (&piece.p, &piece.q)).is_eq()
        };
        let mass = |(p, q): (&Rational, &Rational)| Rational::from(p + q);
        let whole: Rational = to.outcomes().filter(alike).map(mass).sum();
        for (column, outcome) in to.outcomes().enumerate().filter(|(_, outcome)| alike(outcome)) {
            let share = mass(outcome) / &whole;
            for (row, part) in all.iter_mut().zip(&piece.parts) {
                if let Some(entry) = row.get_mut(column) {
                    *entry += Rational::from(part * &share);
                }
            }
        }
    }
    // Outcomes that never happen may go anywhere.
    for row in &mut all {
        if let (true, Some(first)) = (row.iter().all(|x| x.is_zero()), row.first_mut()) {
            *first = Rational::from(1);
        }
    }
    all
}
