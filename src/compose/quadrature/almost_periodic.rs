//! Nodes that matter of an integrand that never decays, and what all others come to: a sum over infinitely many of
//! which nothing is known but that they cannot be worse than those that are.
//!
//! Where losses are finitely many without a lattice, the moment generating function on a line is almost periodic: it
//! comes back, ever more rarely, near to where it began. Up to some node n all nodes are looked at. Beyond, a bound for
//! all: let `phi_i` be the factors' values on the line as parts of those on the axis, characteristic functions of
//! tilted laws. With even exponents, `Psi(k) = prod |phi_i(k)|^(2 floor(T_i/2)) = E cos(k h D)`, D a sum of
//! independent differences of losses, and `|F(s_k)| <= F(tilt) w(k) Psi(k)`, `w(k) = scale/k^2`. A hat of half-width n
//! around any node `A` has the weights of Fejer's kernel, which is nowhere negative:
//!
//! `sum_k (1 - |k-A|/n)_+ Psi(k) = E cos(A h D) F_n(h D) <= E F_n(h D) = sum_k (1 - |k|/n)_+ Psi(k) <= S`,
//! `S = 1 + 2 sum_(1 <= k < n) Psi(k)`.
//!
//! Hats around `n, 2n, 3n, ...` add up to one from n on, and w is convex, so that it lies below its chords:
//! `sum_(k >= n) w(k) Psi(k) <= S sum_(j >= 1) w(jn) = S scale pi^2/(6 n^2)`.
//!
//! So the reach of the nodes grows like the root of the precision, not like the precision; and no bound that looks no
//! farther can do better than by a small factor (`proofs/paper/almost-periodic.md`).
//!
//! **How all nodes are looked at.** One list of losses ([`ListedDecay`]) is swept: its modulus at every so many nodes,
//! with a bound between, in doubles. Cells of which it says enough are booked; of the others all factors are asked, in
//! halves down to single nodes, which are kept if they matter.
//!
//! Why it ends: nodes kept and bounds are limited, and before an octave is swept its work is estimated.

use rug::Float;
use rug::float::Round::Up;

use super::branch_and_bound::{ErrorBudget, SelectedNodes, Weight};
use super::factor::Decay;
use super::factor::listed_decay::{BLOCK, ListedDecay};
use crate::error::Error;
use enclosure::{Budget, Portable, Work};

/// The first nodes are looked at one by one.
const FIRST: u64 = 1 << 6;
/// Widths of cells that are tried, as angles of a standard deviation of the losses swept.
const WIDTHS: [f64; 6] = [0.2, 0.35, 0.5, 0.7, 1.0, 1.4];
/// Blocks of cells that are looked at to choose among these.
const SAMPLES: u64 = 4;
/// About what a loss at a cell, a cell that is booked by itself, and a bound of all factors cost, in nanoseconds.
const COSTS: [f64; 3] = [1.6, 40.0, 200.0];
/// Parts of what may lie beyond, as logarithms: all low cells of a piece (there are some hundred pieces), any other
/// cell where all together were as high, and a range of which all factors were asked (some ten thousand).
const SMALL: [f64; 3] = [-8.0, 0.0, -13.0];
/// The same of S, which is one and more.
const RARE: [f64; 3] = [-7.0, 0.0, -18.0];
/// After this part of the work, the rest of a search is estimated from its progress.
const TOLD: f64 = 0.2;
/// Before this node no estimate is worth its while.
const CHEAP: u64 = 1 << 17;
/// So many nodes kept are many if they are this part of all nodes.
const MANY: u64 = 1 << 15;
const MOST: f64 = 0.2;
/// Of a piece one such part is looked at in either way.
const PARTS: u64 = 512;
/// Pieces that an octave is cut into.
const PIECES: u64 = 8;
/// Angles are known at nodes up to the double of this.
const LAST: u64 = 1 << 55;
/// The part of the work that the search may take.
const SEARCH: (u32, u32) = (2, 3);

/// A search may be estimated at this many times the work that is left, because nodes farther out are usually cheaper,
/// above all if many digits need nodes that are very far out.
const HOPE: f64 = 2.0;
const MORE_HOPE: f64 = 8.0;
/// The logarithm of what may lie beyond where that is more than few digits.
const FEW_DIGITS: f64 = -30.0;

/// What the search is about.
pub(super) struct AlmostPeriodic<'a> {
    /// Each factor's bounds, and how often it is run.
    pub decays: Vec<(Box<dyn Decay + 'a>, u64)>,
    /// The weight of nodes is `scale/k^2` at most, and one.
    pub scale: f64,
    /// What lies beyond the nodes that are looked at must not come to more than `e^beyond`.
    pub beyond: f64,
    pub most_nodes: u64,
    pub most_bounds: u64,
}

/// A bound of a product on a range, and of the product with even exponents.
#[derive(Clone, Copy)]
struct Bound {
    log: f64,
    even: f64,
}

/// What is found so far.
struct Found {
    selected: SelectedNodes,
    /// Of the nodes left out, with their weights.
    left_out: ErrorBudget,
    /// `Psi` at all nodes.
    even: ErrorBudget,
    /// The work before the search, and how far the search was after how many seconds of work, a while ago.
    began: Work,
    before: (u64, f64),
    /// About the seconds of work of a node far out.
    pace: f64,
}

/// The factor that is swept: which, and how often it is run.
#[derive(Clone, Copy)]
struct Swept<'a> {
    list: &'a ListedDecay,
    times: u64,
    /// What the others come to at most from some node on.
    others: Bound,
}

impl AlmostPeriodic<'_> {
    /// The nodes `k >= 1` that matter, and what the others come to.
    ///
    /// # Errors
    /// [`Error::Undecided`] where too many matter, or there is no work left.
    pub(super) fn run(&self, budget: &Budget) -> Result<SelectedNodes, Error> {
        let budget = &budget.share(SEARCH, None);
        let selected =
            SelectedNodes { runs: Vec::new(), pieces: Vec::new(), nodes: 0, bounds: 0, left_out: Float::new(53) };
        let began = budget.spent();
        let mut found = Found {
            selected,
            left_out: ErrorBudget::default(),
            even: ErrorBudget::default(),
            began,
            before: (0, 0.0),
            pace: COSTS[2] * 1e-9,
        };
        self.branch(1, FIRST - 1, &mut found, budget)?;
        let mut start = FIRST;
        loop {
            let beyond = self.beyond(start, &found);
            if beyond <= self.beyond.portable_exp() {
                found.selected.left_out = Float::with_val_round(53, found.left_out.total() + beyond, Up).0;
                found.selected.pieces = found.selected.runs.iter().map(|&(first, count)| (first, count, 0.0)).collect();
                return Ok(found.selected);
            }
            if start > LAST {
                return Err(Error::undecided("this many digits need quadrature nodes too far from the centre"));
            }
            self.outlook(start, beyond, &mut found, budget)?;
            let end = start + (start / PIECES).max(1) - 1;
            self.piece(start, end, &mut found, budget)?;
            start = end + 1;
        }
    }

    /// `S scale pi^2/(6 n^2)`, rounded up.
    fn beyond(&self, n: u64, found: &Found) -> f64 {
        let all = (Float::with_val(53, found.even.total() * 2u32) + 1u32).to_f64_round(Up);
        // pi^2/6 < 1.645; fewer than ten roundings, and definite bounds may be a little above one at node 0.
        let n = n as f64;
        all * self.scale / n / n * 1.645 * (1.0 + 1e-9)
    }

    /// Is there any hope? From what is known so far, the node at which it ends is estimated, and what it takes to get
    /// there. (To give up proves nothing.)
    fn outlook(&self, start: u64, beyond: f64, found: &mut Found, budget: &Budget) -> Result<(), Error> {
        let Some(left) = budget.remaining() else { return Ok(()) };
        let last = start as f64 * (beyond.portable_ln() / 2.0 - self.beyond / 2.0).portable_exp();
        if found.selected.nodes > MANY && found.selected.nodes as f64 > MOST * start as f64 {
            return Err(Error::undecided(
                "too many nodes of the quadrature contribute, at any distance from the centre",
            ));
        }
        let passed = (budget.spent() - found.began).in_seconds();
        let (node, seconds) = found.before;
        if start >= 4 * node.max(FIRST) {
            found.before = (start, passed);
        }
        // What wide cells would cost; after some work also the pace of the last octave or two.
        let mut pace = found.pace;
        if passed > TOLD * (passed + left.in_seconds()) {
            pace = (0.5 * (passed - seconds) / (start - node) as f64).max(pace);
        }
        let hope = if self.beyond < FEW_DIGITS { MORE_HOPE } else { HOPE };
        if start > CHEAP && (last - start as f64) * pace > hope * left.in_seconds() {
            return Err(Error::undecided("this many digits need more quadrature nodes than there is work left for"));
        }
        Ok(())
    }

    /// A bound of all factors on a range of nodes; as in [`BranchAndBound`](super::branch_and_bound::BranchAndBound)
    /// rounding is given back by a billionth.
    fn bound(&self, of: impl Fn(&dyn Decay) -> Result<f64, Error>) -> Result<Bound, Error> {
        let (mut log, mut even) = (0.0, 0.0);
        for (decay, times) in &self.decays {
            let each = of(decay.as_ref())?.min(0.0);
            log += each * *times as f64;
            even += each * even_times(decay.as_ref(), *times);
        }
        Ok(Bound { log: log * (1.0 - 1e-9), even: even * (1.0 - 1e-9) })
    }

    fn weight(&self, from: u64, to: u64) -> f64 {
        Weight::InverseSquare { scale: self.scale }.sum(from, to)
    }

    /// The nodes of a range, by bounds of all factors.
    fn branch(&self, from: u64, to: u64, found: &mut Found, budget: &Budget) -> Result<(), Error> {
        let mut stack = vec![(from, to)];
        while let Some((from, to)) = stack.pop() {
            let selected = &mut found.selected;
            selected.bounds += 1;
            if selected.bounds.is_multiple_of(1024) {
                budget.check()?;
            }
            if selected.bounds > self.most_bounds || selected.nodes > self.most_nodes {
                return Err(Error::undecided(format!(
                    "this many digits need more than {} quadrature nodes and {} bounds",
                    selected.nodes, selected.bounds
                )));
            }
            let bound = self.bound(|decay| decay.log_bound(from, to, budget))?;
            let (count, weight) = ((to - from) as f64 + 1.0, self.weight(from, to));
            let small = bound.log + weight.portable_ln() < self.beyond + SMALL[2];
            if small && (from == to || bound.even + count.portable_ln() < RARE[2]) {
                found.left_out.add(bound.log, weight);
                found.even.add(bound.even, count);
            } else if from == to {
                found.even.add(bound.even, 1.0);
                selected.nodes += 1;
                match selected.runs.last_mut() {
                    Some((first, count)) if *first + *count == from => *count += 1,
                    _ => selected.runs.push((from, 1)),
                }
            } else {
                let middle = from + (to - from) / 2;
                stack.push((middle + 1, to));
                stack.push((from, middle));
            }
        }
        Ok(())
    }

    /// The nodes of a piece of an octave.
    fn piece(&self, start: u64, end: u64, found: &mut Found, budget: &Budget) -> Result<(), Error> {
        // All at once, where some factor's bounds know of all that follow.
        let bound = self.bound(|decay| decay.falling(start, budget))?;
        let (count, weight) = ((end - start) as f64 + 1.0, self.weight(start, end));
        if bound.log + weight.portable_ln() < self.beyond + SMALL[0] && bound.even + count.portable_ln() < RARE[0] {
            found.left_out.add(bound.log, weight);
            found.even.add(bound.even, count);
            return Ok(());
        }
        let Some((swept, width)) = self.best(start, end, budget)? else {
            return self.branch(start, end, found, budget);
        };
        // Cells are narrow, and many are asked about, only where there are few nodes.
        found.pace = 3e-9 * swept.list.swept() as f64 * COSTS[0] * swept.list.spread() / WIDTHS[3];
        // Other factors may exclude whole ranges of cells: a little of the piece in both ways, and the rest in the one
        // that took less work.
        let part = ((end - start) / PARTS).max(1);
        let timed = |first: u64, last: u64, sweep: bool, found: &mut Found| -> Result<Work, Error> {
            let began = budget.spent();
            if sweep {
                self.sweep(&swept, width, (first, last), found, budget)?;
            } else {
                self.branch(first, last, found, budget)?;
            }
            Ok(budget.spent() - began)
        };
        let halved = timed(start, start + part - 1, false, found)?;
        let in_cells = timed(start + part, start + 2 * part - 1, true, found)?;
        timed(start + 2 * part, end, in_cells <= halved, found).map(|_| ())
    }

    /// Which list to sweep, and in cells of how many nodes, by samples: the choice that promises to cost least. `None`
    /// where bounds of all factors do.
    fn best(&self, start: u64, end: u64, budget: &Budget) -> Result<Option<(Swept<'_>, u64)>, Error> {
        let mut best: Option<(f64, Swept, u64)> = None;
        for (place, (decay, times)) in self.decays.iter().enumerate() {
            let Some(list) = decay.sweeps() else { continue };
            let mut others = Bound { log: 0.0, even: 0.0 };
            for (other, (decay, times)) in self.decays.iter().enumerate() {
                if other != place {
                    let each = decay.falling(start, budget)?.min(0.0);
                    others.log += each * *times as f64;
                    others.even += each * even_times(decay.as_ref(), *times);
                }
            }
            let swept = Swept { list, times: *times, others };
            for angle in WIDTHS {
                let width =
                    (angle / list.spread()).floor().min((end - start) as f64 / (BLOCK as u64 * SAMPLES) as f64) as u64;
                if width < 4 {
                    continue;
                }
                let cost = self.cost(&swept, width, (start, end));
                if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    best = Some((cost, swept, width));
                }
            }
        }
        Ok(best.map(|(_, swept, width)| (swept, width)))
    }

    /// About the cost of a node, in nanoseconds: it decides on the order of work, and proves nothing.
    fn cost(&self, swept: &Swept, width: u64, (start, end): (u64, u64)) -> f64 {
        let rule = Rule::new(self, swept, width, (start, end));
        let stride = ((end - start) / (BLOCK as u64 * SAMPLES)).max(1);
        let mut squares = [0.0; BLOCK];
        let mut cost = (BLOCK as u64 * SAMPLES * swept.list.swept() as u64) as f64 * COSTS[0];
        for sample in 0..SAMPLES {
            swept.list.sweep(start + sample * BLOCK as u64 * stride, stride, &mut squares);
            // A cell has two ends, of which the larger counts.
            for square in squares.into_iter().filter(|square| *square > rule.low) {
                // Some halvings, and many for those that stay.
                cost += 1.5 * if rule.judge(square).is_some() { COSTS[1] } else { 8.0 * COSTS[2] };
            }
        }
        cost / (BLOCK as u64 * SAMPLES * width) as f64
    }

    /// The piece in cells.
    fn sweep(
        &self,
        swept: &Swept,
        width: u64,
        (start, end): (u64, u64),
        found: &mut Found,
        budget: &Budget,
    ) -> Result<(), Error> {
        let rule = Rule::new(self, swept, width, (start, end));
        // What is low is booked for all of the piece.
        found.left_out.add(rule.booked.log, self.weight(start, end));
        found.even.add(rule.booked.even, (end - start) as f64 + 1.0);
        let mut squares = [0.0; BLOCK];
        let mut cell = start;
        while cell <= end {
            budget.check()?;
            // The last point of one block is the first of the next.
            swept.list.sweep(cell, width, &mut squares);
            for pair in squares.windows(2) {
                let &[here, next] = pair else { continue };
                let square = here.max(next);
                if square > rule.low && cell <= end {
                    let last = (cell + width - 1).min(end);
                    match rule.judge(square) {
                        Some(bound) => {
                            found.left_out.add(bound.log, self.weight(cell, last));
                            found.even.add(bound.even, width as f64);
                        }
                        None => self.branch(cell, last, found, budget)?,
                    }
                }
                cell += width;
            }
        }
        Ok(())
    }
}

/// How often a factor counts for what is positive definite: always if its bounds are.
fn even_times(decay: &dyn Decay, times: u64) -> f64 {
    (if decay.is_definite() { times } else { times - times % 2 }) as f64
}

/// What becomes of a cell, by the squares of the moduli at its ends.
struct Rule<'a> {
    swept: Swept<'a>,
    width: f64,
    /// Up to this square a cell is booked with all others that are as low.
    low: f64,
    /// With this bound.
    booked: Bound,
    /// Bounds up to these are booked one by one.
    most: Bound,
}

impl<'a> Rule<'a> {
    fn new(search: &AlmostPeriodic, swept: &Swept<'a>, width: u64, (start, end): (u64, u64)) -> Self {
        let (weight, nodes) = (search.weight(start, end).portable_ln(), ((end - start) as f64 + 1.0).portable_ln());
        let [all, most] = [0, 1].map(|i| Bound { log: search.beyond + SMALL[i] - weight, even: RARE[i] - nodes });
        let mut rule = Rule { swept: *swept, width: width as f64, low: 0.0, booked: all, most };
        // The largest square that is low, by halves.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            let bound = rule.bound(middle);
            if bound.log <= all.log && bound.even <= all.even { low = middle } else { high = middle }
        }
        rule.low = low;
        rule.booked = rule.bound(low);
        if rule.booked.log > all.log || rule.booked.even > all.even {
            rule.low = -1.0;
            // No square is low, and nothing is booked.
            rule.booked = Bound { log: f64::NEG_INFINITY, even: f64::NEG_INFINITY };
        }
        rule
    }

    /// Of the composition around a node with this square.
    fn bound(&self, square: f64) -> Bound {
        let each = self.swept.list.log_between(square, self.width);
        let Swept { times, others, .. } = self.swept;
        Bound {
            log: (each * times as f64 + others.log) * (1.0 - 1e-9),
            even: (each * (times - times % 2) as f64 + others.even) * (1.0 - 1e-9),
        }
    }

    /// The bound, if that is small enough to be booked.
    fn judge(&self, square: f64) -> Option<Bound> {
        let bound = self.bound(square);
        (bound.log <= self.most.log && bound.even <= self.most.even).then_some(bound)
    }
}

#[cfg(test)]
mod tests;
