//! Which nodes must be evaluated: branch and bound.
//!
//! The modulus of the integrand is bounded on whole ranges of nodes, factor by factor. A range whose bound, times the
//! number of its nodes, is below the target is left out, and what it may have held is *added to the error*; any other
//! is halved, down to single nodes. So a period of a hundred million nodes, of which some dozens near the resonances
//! matter, costs a few thousand bounds.
//!
//! Why it ends: the ranges are finite but for the last, which is left out whole or ends the attempt; the number of
//! bounds and of nodes kept is limited.

use rug::Float;
use rug::float::Round::Up;

use super::factor::Decay;
use crate::compose::Method;
use crate::error::Error;
use enclosure::{Budget, Hint, Portable, Reason, Work, work};

/// The nodes that matter, and what the others come to.
#[derive(Clone, Debug)]
pub(super) struct SelectedNodes {
    /// Runs `(first, count)` of nodes `k >= 1`, rising.
    pub runs: Vec<(u64, u64)>,
    /// The same nodes in pieces `(first, count, x)`, with about `|F(s_k)| <= e^x F(tilt)` on each piece.
    pub pieces: Vec<(u64, u64, f64)>,
    /// How many there are.
    pub nodes: u64,
    /// How many bounds were computed.
    pub bounds: u64,
    /// `sum |F(s_k)|/F(tilt)` over the nodes `k >= 1` that were left out is at most this.
    pub left_out: Float,
}

/// How much a kernel weighs at most, compared with where the line crosses the real axis.
#[derive(Clone, Copy, Debug)]
pub(super) enum Weight {
    /// Not more than there.
    One,
    /// Not more than there, and `|s(s+1)| >= u^2`: at node k at most `scale/k^2`, rounded up.
    InverseSquare {
        /// `|c(c+1)| (period/2 pi)^2`.
        scale: f64,
    },
    /// Not more than there, and at node k at most `scale/k^power`, rounded up.
    InversePower {
        /// Its value at the first node.
        scale: f64,
        /// From 2 to 8.
        power: u32,
    },
}

impl Weight {
    /// An upper bound of the sum of the weights over the nodes `from..=to`, `from >= 1`.
    pub(super) fn sum(self, from: u64, to: u64) -> f64 {
        let count = if to == u64::MAX { f64::INFINITY } else { (to - from) as f64 + 1.0 };
        match self {
            Weight::One => count.next_up(),
            // sum_{k >= from} 1/k^2 <= 1/from^2 + 1/from; and each of them is at most 1/from^2.
            Weight::InverseSquare { scale } => {
                let first = from as f64;
                let each = (scale / first / first).min(1.0);
                let all = (scale / first / first + scale / first) * (1.0 + 1e-9);
                all.min(count * each * (1.0 + 1e-9))
            }
            // sum_{k >= from} 1/k^p <= 1/from^p + 1/((p-1) from^(p-1)).
            Weight::InversePower { scale, power } => {
                let first = from as f64;
                let here = (0..power).fold(scale, |here, _| here / first) * (1.0 + 1e-9);
                let all = (here + here * first / f64::from(power - 1)) * (1.0 + 1e-9);
                all.min(count * here.min(1.0) * (1.0 + 1e-9))
            }
        }
    }
}

/// So many nodes are not worth a search.
pub(super) const FEW: u64 = 1024;
/// The same where bounds cost nearly what nodes do,
const DEAR: u64 = 1 << 13;
/// and where nodes are cheaper than bounds.
pub(super) const CHEAP: u64 = 1 << 18;

/// The part of the work that the search may take, for the nodes that it finds must be evaluated, too.
const SEARCH: (u32, u32) = (1, 2);

/// The same of little work, in which only what is cheap is done.
const SHORT_SEARCH: (u32, u32) = (1, 4);

/// So much work is little.
const LITTLE: Work = Work::seconds(1);

/// This many times the work that is left is not hopeless: ranges are bounded at once where no node of them matters.
const HOPE: f64 = 3.0;

/// Units of work of a bound of one factor, at least.
const BOUND: u64 = 25;

/// Nodes of each octave that are looked at to see whether there is any hope.
const SAMPLES: u64 = 8;

/// How many nodes are tried from which on all may come to nothing, after one that does by what is about the bounds.
const PROOFS: usize = 8;

/// A piece has at least so many nodes: a factor's preparations for a piece cost what some hundred nodes do.
const PIECE: u64 = 128;

/// What the search is about.
pub(super) struct BranchAndBound<'a> {
    /// Each factor's bounds, and how often it is run.
    pub decays: Vec<(Box<dyn Decay + 'a>, u64)>,
    /// So many nodes are not worth a search.
    pub few: u64,
    /// Is there a factor whose modulus falls to nothing? Then there is hope, and its bounds far out may be dear.
    pub decays_for_good: bool,
    /// The last node; `u64::MAX` for no last.
    pub last: u64,
    pub weight: Weight,
    /// Ranges are left out if they come to less than `e^target` (not a bound: what they come to is counted).
    pub target: f64,
    pub most_nodes: u64,
    pub most_bounds: u64,
}

/// Weights of what was left out, by whole exponents: `sum of weights e^-i`.
#[derive(Default)]
pub(super) struct ErrorBudget {
    weights: Vec<f64>,
}

/// Exponents beyond this are as good as this.
const DEEPEST: usize = 1 << 16;

impl ErrorBudget {
    /// `log <= 0`.
    pub(super) fn add(&mut self, log: f64, weight: f64) {
        let place = ((-log).floor().max(0.0) as usize).min(DEEPEST);
        if self.weights.len() <= place {
            self.weights.resize(place + 1, 0.0);
        }
        if let Some(sum) = self.weights.get_mut(place) {
            *sum = (*sum + weight).next_up();
        }
    }

    pub(super) fn total(&self) -> Float {
        let mut sum = Float::new(53);
        for (place, weight) in self.weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let mut term = Float::with_val(53, -(place as i64));
            term.exp_round(Up);
            let term = Float::with_val_round(53, term * *weight, Up).0;
            sum = Float::with_val_round(53, sum + term, Up).0;
        }
        // Some of the operations above round to nearest: fewer than 2^20 of them, of 2^-53 each.
        Float::with_val_round(53, &sum * 1.000_001_f64, Up).0
    }
}

impl BranchAndBound<'_> {
    /// A bound `x` of `ln |prod M_i^T_i|` relative to the real axis, on a range of nodes.
    ///
    /// Sums and products of nonpositive doubles, rounded to nearest: the relative error of each operation is at most
    /// `2^-53`, of all of them below `1e-9` for fewer than a million factors, and that much is given back.
    fn log_bound(&self, from: u64, to: u64, budget: &Budget) -> Result<f64, Error> {
        self.composed(|decay| decay.log_bound(from, to, budget))
    }

    fn composed(&self, bound: impl Fn(&dyn Decay) -> Result<f64, Error>) -> Result<f64, Error> {
        let mut sum = 0.0;
        work::spend(BOUND * self.decays.len() as u64);
        for (decay, times) in &self.decays {
            sum += bound(decay.as_ref())?.min(0.0) * *times as f64;
        }
        Ok(sum * (1.0 - 1e-9))
    }

    /// A node from which on all come to nothing by the bounds that fall alone, if the nodes before it are so few that
    /// to look for those among them that matter would cost more than to evaluate them all. What is about these bounds
    /// leads to it, where that is cheaper.
    fn few(&self, selected: &mut SelectedNodes, budget: &Budget) -> Result<Option<(u64, f64)>, Error> {
        let fits = |log: f64, from: u64| self.small(log, self.weight.sum(from, self.last));
        let mut about = |from: u64| -> Result<bool, Error> {
            selected.bounds += 1;
            Ok(fits(self.composed(|decay| decay.about(from, budget))?, from))
        };
        let (mut low, mut high) = (0, 64);
        let mut found = about(high)?;
        let few = if self.decays.iter().any(|(decay, _)| decay.is_dear()) { self.few.max(DEAR) } else { self.few };
        while !found && high < few {
            (low, high) = (high, 2 * high);
            found = about(high)?;
        }
        if !found {
            return Ok(None);
        }
        while high - low > (high / 16).max(1) {
            let middle = low + (high - low) / 2;
            if about(middle)? { high = middle } else { low = middle }
        }
        if high > self.few {
            // Are they worth it: do those matter that are some way to the last of them?
            let node = high - high / 3;
            if self.small(self.composed(|decay| decay.alone(node, budget))?, self.weight.sum(node, node)) {
                return Ok(None);
            }
        }
        for _ in 0..PROOFS {
            let log = self.composed(|decay| decay.falling(high, budget))?;
            if fits(log, high) {
                return Ok(Some((high, log)));
            }
            high += (high / 16).max(1);
        }
        Ok(None)
    }

    /// How many of some nodes from `start` to its double matter.
    fn samples(&self, start: u64, budget: &Budget) -> Result<u64, Error> {
        let mut matter = 0;
        for sample in 1..=SAMPLES {
            // Multiples of what has nothing to do with any period.
            let node = start + sample.wrapping_mul(0x9E37_79B9_7F4A_7C15) % start;
            matter += u64::from(!self.small(self.log_bound(node, node, budget)?, self.weight.sum(node, node)));
        }
        Ok(matter)
    }

    /// Is there any hope? Not where most nodes matter beyond those that may be kept. Otherwise some of each octave tell
    /// about how many do; two octaves of which none matters end the count. There is no need to look at all nodes where
    /// too many matter, or more than there is time to bound, each at least once. (To give up proves nothing.)
    fn outlook(&self, selected: &mut SelectedNodes, budget: &Budget) -> Result<(), Error> {
        let too_many = |selected: &SelectedNodes| {
            Err(self.too_much(&SelectedNodes { nodes: self.most_nodes, ..selected.clone() }))
        };
        selected.bounds += SAMPLES;
        if self.samples(self.most_nodes, budget)? * 4 > SAMPLES * 3 {
            return too_many(selected);
        }
        let (mut spent, mut bounds, mut expected, mut quiet) = (Work::NONE, 0.0, 0.0, 0);
        for start in (1..62).map(|octave| 1_u64 << octave) {
            // What is computed once, up to a node, is no part of the pace.
            let last = 2 * start - 1;
            self.log_bound(last, last, budget)?;
            let begun = budget.spent();
            let matter = self.samples(start, budget)?;
            spent += budget.spent() - begun;
            selected.bounds += SAMPLES + 1;
            bounds += SAMPLES as f64;
            quiet = if matter == 0 { quiet + 1 } else { 0 };
            expected += start as f64 * matter as f64 / SAMPLES as f64;
            if quiet > 1 {
                break;
            }
            if expected > 1.5 * self.most_nodes as f64 {
                return too_many(selected);
            }
        }
        let needed = expected * spent.in_seconds() / bounds;
        if budget.remaining().is_some_and(|left| needed > HOPE * left.in_seconds()) {
            let reason = "this many digits need more quadrature nodes than there is work left for";
            return Err(Error::Undecided(reason.into()));
        }
        Ok(())
    }

    /// The nodes `k >= 1` that matter.
    ///
    /// # Errors
    /// [`Error::Undecided`] if too many matter, or it takes too many bounds to tell.
    pub(super) fn run(&self, budget: &Budget) -> Result<SelectedNodes, Error> {
        let in_a_hurry = budget.remaining().is_some_and(|left| left < LITTLE);
        let budget = &budget.share(if in_a_hurry { SHORT_SEARCH } else { SEARCH }, None);
        let mut selected =
            SelectedNodes { runs: Vec::new(), pieces: Vec::new(), nodes: 0, bounds: 0, left_out: Float::new(53) };
        let mut error_budget = ErrorBudget::default();
        let mut start = 1u64;
        if self.last == u64::MAX
            && let Some((from, log)) = self.few(&mut selected, budget)?
        {
            error_budget.add(log, self.weight.sum(from, self.last));
            if from > 1 {
                selected.runs.push((1, from - 1));
                selected.nodes = from - 1;
            }
            selected.left_out = error_budget.total();
            selected.pieces =
                self.pieces(&selected.runs, |first, _| self.composed(|decay| decay.about(first, budget)))?;
            return Ok(selected);
        }
        if self.last == u64::MAX && !self.decays_for_good {
            self.outlook(&mut selected, budget)?;
        }
        while start <= self.last {
            // All that is left at once, if it comes to nothing.
            let log = self.log_bound(start, self.last, budget)?;
            let weight = self.weight.sum(start, self.last);
            selected.bounds += 1;
            if self.small(log, weight) {
                error_budget.add(log, weight);
                break;
            }
            let end = start.saturating_mul(2).saturating_sub(1).min(self.last);
            if end >= 1 << 62 {
                return Err(self.too_much(&selected));
            }
            self.branch(start, end, &mut selected, &mut error_budget, budget)?;
            start = end.saturating_add(1);
        }
        selected.left_out = error_budget.total();
        selected.pieces = self.pieces(&selected.runs, |first, last| self.log_bound(first, last, budget))?;
        Ok(selected)
    }

    /// Runs cut into pieces, where the integrand falls and later nodes need fewer digits.
    fn pieces(
        &self,
        runs: &[(u64, u64)],
        bound: impl Fn(u64, u64) -> Result<f64, Error>,
    ) -> Result<Vec<(u64, u64, f64)>, Error> {
        let mut pieces = Vec::new();
        for &(run, length) in runs {
            let cuts = if self.last == u64::MAX { (length / PIECE).max(1) } else { 1 };
            for cut in 0..cuts {
                let first = run + cut * PIECE;
                let end = if cut + 1 == cuts { run + length } else { first + PIECE };
                let below = if cuts > 1 { bound(first, end - 1)? } else { 0.0 };
                pieces.push((first, end - first, below));
            }
        }
        Ok(pieces)
    }

    /// Worth no more than a ten-thousandth of the target? (Any rule is sound; with this one ten thousand ranges are
    /// free.)
    fn small(&self, log: f64, weight: f64) -> bool {
        log + weight.portable_ln() < self.target - 9.0
    }

    fn too_much(&self, selected: &SelectedNodes) -> Error {
        let reason = Reason::from(format!(
            "this many digits need more than {} quadrature nodes and {} bounds (try fewer digits or ",
            selected.nodes, selected.bounds
        ));
        Error::Undecided(reason.hint(Hint::Method(Method::Grid.name())).then(")"))
    }

    fn branch(
        &self,
        from: u64,
        to: u64,
        selected: &mut SelectedNodes,
        error_budget: &mut ErrorBudget,
        budget: &Budget,
    ) -> Result<(), Error> {
        let mut stack = vec![(from, to)];
        while let Some((from, to)) = stack.pop() {
            selected.bounds += 1;
            if selected.bounds.is_multiple_of(4096) {
                budget.check()?;
            }
            if selected.bounds > self.most_bounds || selected.nodes > self.most_nodes {
                return Err(self.too_much(selected));
            }
            let log = self.log_bound(from, to, budget)?;
            let weight = self.weight.sum(from, to);
            if self.small(log, weight) {
                error_budget.add(log, weight);
            } else if from == to {
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
}

#[cfg(test)]
mod tests {
    use rug::float::Round::Down;

    use super::*;

    /// A modulus that is known at every node, and a coarser bound of all that follow.
    struct Known {
        /// `ln` of the modulus at a node; nothing beyond the last of them.
        logs: Vec<f64>,
        falling: fn(u64) -> f64,
    }

    impl Decay for &Known {
        fn log_bound(&self, from: u64, to: u64, _budget: &Budget) -> Result<f64, Error> {
            let last = (to.min(self.logs.len() as u64 - 1) + 1).max(from) as usize;
            Ok(self.logs.get(from as usize..last).map_or(-1e9, |logs| logs.iter().copied().fold(-1e9, f64::max)))
        }

        fn falling(&self, from: u64, _budget: &Budget) -> Result<f64, Error> {
            Ok((self.falling)(from))
        }
    }

    const SMOOTH: Weight = Weight::InverseSquare { scale: 40.0 };
    const NODES: u64 = 20_000;

    /// What the nodes that were left out come to, rounded down.
    fn left_out(known: &Known, weight: Weight, selected: &SelectedNodes) -> Float {
        let is_kept = |k: u64| selected.runs.iter().any(|&(first, count)| (first..first + count).contains(&k));
        (1..NODES).filter(|k| !is_kept(*k)).fold(Float::new(53), |sum, k| {
            let weight = match weight {
                Weight::One => 1.0,
                Weight::InverseSquare { scale } => (scale / k as f64 / k as f64).min(1.0),
                Weight::InversePower { scale, power } => (0..power).fold(scale, |x, _| x / k as f64).min(1.0),
            };
            let mut value = Float::with_val(53, known.logs[k as usize]);
            value.exp_round(Down);
            Float::with_val_round(53, sum + Float::with_val_round(53, value * weight.next_down(), Down).0, Down).0
        })
    }

    fn run(known: &Known, weight: Weight, last: u64, times: u64) -> SelectedNodes {
        let decays: Vec<(Box<dyn Decay + '_>, u64)> = vec![(Box::new(known), times)];
        let search = BranchAndBound {
            decays,
            few: FEW,
            decays_for_good: false,
            last,
            weight,
            target: -20.0,
            most_nodes: 1 << 20,
            most_bounds: 1 << 20,
        };
        search.run(&Budget::default()).expect("few nodes")
    }

    fn runs_are_cut_into_pieces(known: &Known, selected: &SelectedNodes) {
        let of = |list: Vec<(u64, u64)>| {
            list.into_iter().flat_map(|(first, count)| first..first + count).collect::<Vec<_>>()
        };
        let pieces = of(selected.pieces.iter().map(|&(first, count, _)| (first, count)).collect());
        assert_eq!(pieces, of(selected.runs.clone()));
        assert_eq!(pieces.len() as u64, selected.nodes);
        for &(first, count, below) in &selected.pieces {
            assert!((first..first + count).all(|k| known.logs[k as usize] <= below), "{first} {count} {below}");
        }
    }

    fn logs(log: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..NODES).map(|k| log(k as f64)).collect()
    }

    /// A slow fall, known only from above: the nodes before some node are kept without a search.
    #[test]
    fn few_nodes_are_all_kept() {
        let known = Known { logs: logs(|k| -k / 8.0), falling: |from| -(from as f64) / 10.0 };
        let selected = run(&known, SMOOTH, u64::MAX, 1);
        assert!(selected.runs.len() == 1 && selected.nodes < FEW, "{selected:?}");
        let rest = left_out(&known, SMOOTH, &selected);
        assert!(rest > 0 && selected.left_out >= rest, "{} {rest}", selected.left_out);
        runs_are_cut_into_pieces(&known, &selected);
    }

    /// Far nodes that matter are found, and what lies between is counted.
    #[test]
    fn far_nodes_are_found() {
        let hills = |k: f64| (-k * k / 8.0).max(-5.0 - (k - 3000.0).abs() / 7.0).max(-36.0 - k / 1000.0);
        let known = Known { logs: logs(hills), falling: |_| 0.0 };
        let steep = Weight::InversePower { scale: 1e9, power: 4 };
        for (weight, last) in [(Weight::One, NODES - 1), (SMOOTH, NODES - 1), (SMOOTH, u64::MAX), (steep, u64::MAX)] {
            let selected = run(&known, weight, last, 1);
            assert!(selected.runs.iter().any(|&(first, count)| (first..first + count).contains(&3000)), "{selected:?}");
            assert!(selected.runs.len() > 1, "{selected:?}");
            let rest = left_out(&known, weight, &selected);
            assert!(rest > 0 && selected.left_out >= rest, "{weight:?} {last}: {} {rest}", selected.left_out);
            runs_are_cut_into_pieces(&known, &selected);
        }
    }

    /// The weights of a range, summed, are at least those of its nodes.
    #[test]
    fn steep_weights_are_summed() {
        let add = |sum: f64, x: f64| (sum + x).next_down().max(0.0);
        for (scale, power) in [(40.0, 2), (40.0, 3), (40.0, 4), (1e9, 4), (0.5, 3)] {
            let weight = Weight::InversePower { scale, power };
            for (from, to) in [(1, 1), (1, 3), (2, 40), (7, 7), (100, 5000), (300, u64::MAX)] {
                let nodes = from..=to.min(200_000);
                let each = |k: u64| (0..power).fold(scale, |x, _| x / k as f64).min(1.0);
                let sum = nodes.map(each).fold(0.0, add);
                assert!(weight.sum(from, to) >= sum, "{weight:?} {from} {to}");
                // A tail, by its integral.
                if from >= 100 && scale < 1e3 {
                    assert!(weight.sum(from, to) < 1.3 * sum, "{weight:?} {from} {to}");
                }
            }
        }
    }

    /// A modulus that never falls, and how often it was asked for.
    struct Level(std::cell::Cell<u64>);

    impl Decay for &Level {
        fn log_bound(&self, _: u64, _: u64, _: &Budget) -> Result<f64, Error> {
            self.0.set(self.0.get() + 1);
            Ok(-1.0)
        }

        fn falling(&self, _: u64, _: &Budget) -> Result<f64, Error> {
            Ok(0.0)
        }
    }

    fn refused<'a>(decay: impl Decay + 'a, most_nodes: u64, budget: &Budget) -> String {
        let decays: Vec<(Box<dyn Decay + 'a>, u64)> = vec![(Box::new(decay), 1)];
        let search = BranchAndBound {
            decays,
            few: FEW,
            decays_for_good: false,
            last: u64::MAX,
            weight: SMOOTH,
            target: -20.0,
            most_nodes,
            most_bounds: 1 << 24,
        };
        search.run(budget).expect_err("too many nodes").to_string()
    }

    /// Nodes matter up to some 2^23, by the kernel alone. That there are more than may be kept is seen from few bounds,
    /// whether those beyond the last of them matter or only most before it.
    #[test]
    fn too_many_nodes_are_not_looked_at() {
        for most_nodes in [1 << 20, 1 << 22] {
            let level = Level(std::cell::Cell::new(0));
            let why = refused(&level, most_nodes, &Budget::default());
            assert!(why.contains(&format!("more than {most_nodes} quadrature nodes")), "{why}");
            assert!(level.0.get() < 1000, "{} bounds", level.0.get());
        }
    }

    /// Without time there is no search that takes some.
    #[test]
    fn a_search_that_there_is_no_time_for_is_not_begun() {
        let known = Known { logs: logs(|k| (-k * k / 8.0).max(-9.0)), falling: |_| 0.0 };
        let why = refused(&known, 1 << 20, &Budget::new(64, Some(std::time::Duration::ZERO)));
        assert!(why.contains("than there is work left for"), "{why}");
    }

    /// A composition falls as often as it is run.
    #[test]
    fn powers_fall_faster() {
        let known = Known { logs: logs(|k| -k / 8.0), falling: |from| -(from as f64) / 10.0 };
        let [once, often] = [1, 10].map(|times| run(&known, SMOOTH, u64::MAX, times));
        assert!(often.nodes < once.nodes, "{once:?} {often:?}");
        let power = Known { logs: logs(|k| -10.0 * k / 8.0), falling: |_| 0.0 };
        assert!(often.left_out >= left_out(&power, SMOOTH, &often));
    }
}
