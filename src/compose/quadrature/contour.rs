//! One line, its nodes evaluated: from here every point of the profile nearby costs one pass over the nodes.
//!
//! With `M` the moment generating function of the composed loss, `F(s) = e^(-s eps) M(s) kappa(s)` and
//! `s_k = c + 2 pi i k/period`, Poisson summation gives the *identity*
//!
//! `(1/period) sum_(k in Z) F(s_k) = sum_(m in Z) e^(c m period) v(eps + m period)`,
//!
//! over finite L: `v(y) = E[(1 - e^(y-L))_+]` for `c > 0`, `E[min(1, e^(y-L))]` for `-1 < c < 0` and
//! `E[(e^(y-L) - 1)_+]` for `c < -1`. The term `m = 0` is wanted, the others are the aliases, most of which is known.
//! `kappa(s) = 1/(s(s+1))`, of the other sign for `-1 < c < 0`; for losses on a lattice `offset + unit Z` of which the
//! period is a multiple, the sum over the lattice is a geometric series,
//!
//! `kappa(s) = unit [e^(-sd)/(1-e^(-s unit)) - e^(-(s+1)d)/(1-e^(-(s+1) unit))]`
//!
//! with d from eps to the next loss, and F has the period `2 pi i/unit`, so that k runs over finitely many nodes.
//!
//! The errors, each bounded where it is computed and all in `proofs/paper/quadrature.md`: aliases, nodes left out
//! ([`branch_and_bound`](super::branch_and_bound)) or what a minorant and a majorant of `kappa` differ by
//! ([`extremal`](super::extremal)), values of the factors and rounding (discs).

mod aliases;
mod extremals;
mod fixed;
mod layout;
mod values;
mod wide;

use std::cmp::Ordering;
use std::f64::consts::LN_2;
use std::sync::Arc;

use rug::float::Round::Up;
use rug::{Float, Integer, Rational};

use self::aliases::finite;
use self::extremals::Extremals;
pub(super) use self::layout::moment;
use self::layout::{Layout, guard_bits};
pub(super) use self::values::{nodes, products};
use self::values::{on_lattice, smooth};
use super::branch_and_bound::{CHEAP, FEW, SelectedNodes};
use super::factor::{Factor, LatticeSpan};
use super::node_values::{NodeValues, turned_sums};
use super::plan::{Plan, PoleSide};
use super::swept;
use super::vertical_contour::VerticalContour;
use crate::alarm;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Need, Real};

/// Precision of bounds: they are rounded outward and need few digits.
const BOUND_BITS: u32 = 64;
/// Bits that a pass for a search on a lattice loses, about.
const SKETCH_GUARD: u32 = 64;
/// Nodes that one line may keep.
const MOST_NODES: u64 = 1 << 23;
/// The same for losses on no lattice, whose nodes are dearer.
const MOST_SMOOTH_NODES: u64 = 1 << 21;
/// The same for nodes in a row: more do not fit the arrays of a transform.
const MOST_NODES_IN_A_ROW: u64 = (1 << 23) / 6;
/// The same for nodes that are few among many.
const MOST_SCATTERED_NODES: u64 = 1 << 19;
/// Up to so many bits integers are tried first.
const FIXED_BITS: u32 = 96;
/// Lines of more bits are in no integers of 128 bits.
pub(super) const MOST_LONG_BITS: u32 = wide::MOST_BITS;
/// Bits that a line is planned to have over those that are enough.
const OVER: f64 = 4.0;
/// What a line computes, to be told in an alarm.
const EXPECTATION: &str = "expectation on a contour";

/// What a line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// All digits that are asked for.
    Full,
    /// The digits of a plan, whatever is asked, of an integrand that does not decay.
    Content,
    /// The same, or what so many nodes in a row prove as are soon evaluated.
    Swept,
    /// What doubles prove from nodes in a row, as many as make `2^-fineness` of a period.
    Row(i32),
}

impl Effort {
    /// Is it for the digits of a plan, whatever is asked?
    pub(super) fn is_content(self) -> bool {
        matches!(self, Effort::Content | Effort::Swept | Effort::Row(_))
    }
}

/// The composition's parts.
pub(super) type Factors = [(Arc<dyn Factor>, u64)];

/// The values at the nodes.
enum Values {
    /// `M kappa`, and that times `s + 1` for tails if they are asked for.
    Smooth(NodeValues, Option<NodeValues>),
    /// Those of a minorant and of a majorant of `M kappa`, which end with the nodes.
    Between(Extremals),
    /// `M/(1 - e^(-s unit))` and `M/(1 - e^(-(s+1) unit))`, both times the unit.
    Lattice(LatticeSpan, NodeValues, NodeValues),
}

/// A line with its nodes evaluated.
pub(super) struct Contour {
    pole_side: PoleSide,
    line: VerticalContour,
    selected: SelectedNodes,
    values: Values,
    /// `M(tilt)` of the composition, or bounds of it.
    moment: Enclosure,
    /// Tilts below and above, and `M` there; or two measures that add up to the law, at a tilt each.
    sides: [Vec<(Rational, Enclosure)>; 2],
    /// `M(0)` and `M(-1)`: the masses of the finite losses under both distributions.
    finite: [Enclosure; 2],
    /// Working precision.
    work: u32,
    /// More nodes do not lessen its errors unless it is for all digits.
    effort: Effort,
    /// What bounds the sum over all nodes whatever lies beyond.
    between: Option<Extremals>,
    /// Is it in integers of 128 bits, whose errors more nodes do not lessen?
    long: bool,
    /// About `ln` of the integrand on the axis, and of the error that was aimed at.
    planned: [f64; 2],
    /// How many runs there are in all.
    times: f64,
}

/// About the memory of the values at so many nodes and one more: of four floats each, with room for the radii and for
/// what is in the making.
fn bytes(nodes: u64, work: u32) -> u64 {
    nodes.saturating_add(1).saturating_mul(5 * (u64::from(work) / 8 + 64))
}

impl Contour {
    /// Evaluate the line of a plan, with `tails` or for profiles alone, after `make_room` was told what its values
    /// leave of the memory.
    pub(super) fn new(
        factors: &Factors,
        span: Option<&LatticeSpan>,
        (plan, effort, tails): (&Plan, Effort, bool),
        budget: &Budget,
        make_room: impl FnOnce(u64),
    ) -> Result<Self, Error> {
        let layout = Layout::of(plan, span).ok_or_else(|| {
            Error::Undecided(
                "found no contour for the quadrature in the search interval: too many digits, or a point too far from \
                 the centre"
                    .into(),
            )
        })?;
        let most_nodes = match (span, effort) {
            (Some(_), _) => MOST_NODES,
            (None, Effort::Swept) => swept::MOST_NODES as u64,
            (None, Effort::Content) => MOST_SCATTERED_NODES,
            (None, Effort::Row(_)) => MOST_NODES_IN_A_ROW,
            (None, _) => MOST_SMOOTH_NODES,
        };
        let goal = ((plan.log_peak - plan.target) / LN_2).max(16.0).ceil().min(1e9) as u32;
        let work = goal.saturating_add(guard_bits(factors, span, plan.tilt));
        let mut fixed = None;
        let row = matches!(effort, Effort::Row(_)) && span.is_none();
        if row || span.is_none() && work <= FIXED_BITS && !effort.is_content() {
            fixed = Some(fixed::moments(factors, &layout.line, row, budget)?);
        }
        let cheap = fixed.as_ref().is_some_and(|all| all.iter().all(Option::is_some));
        let few = if cheap { CHEAP } else { FEW };
        // Many nodes are evaluated in integers of 128 bits, all that are not beyond the bound that falls.
        let long = fixed.is_none() && span.is_none() && effort == Effort::Full && wide::is_enough(factors, goal);
        let select = |plan: &Plan, few: u64| {
            layout.select(factors, (span.is_some(), few, effort), plan, most_nodes.max(few), budget)
        };
        let loose = match long {
            true => Some(select(&wide::spared(plan), wide::MOST_NODES)?),
            false => None,
        };
        let mut all = match effort == Effort::Swept && span.is_none() {
            true => Some(layout.swept(factors, plan, budget)?),
            false => None,
        };
        let (selected, long) = match loose.filter(|selected| selected.nodes > FEW) {
            Some(selected) => (selected, true),
            None if let Some((selected, _)) = &all => (selected.clone(), false),
            None if let (Effort::Row(fineness), true) = (effort, row) => (layout.row(fineness, most_nodes)?, false),
            None => (select(plan, few)?, false),
        };
        if work > budget.max_bits().saturating_mul(4) {
            return Err(budget.out_of_bits());
        }
        let most_nodes = if long { most_nodes.max(wide::MOST_NODES) } else { most_nodes };
        let bytes = if long || row { selected.nodes.saturating_mul(wide::BYTES) } else { bytes(selected.nodes, work) };
        budget.afford(&Need {
            what: "nodes of the quadrature",
            count: selected.nodes.saturating_add(1),
            most: most_nodes.saturating_add(1),
            bytes,
            relax: "try fewer digits or fewer compositions",
        })?;
        make_room(budget.max_bytes().saturating_sub(bytes));
        let sides = aliases::sides(factors, &layout, budget)?;
        let line = layout.line;
        // Discs have it at node 0, and a bound of it is all that is needed beside them.
        let moment_bits = if fixed.is_some() || long || all.is_some() { work } else { BOUND_BITS };
        let moment = moment(factors, line.tilt(), moment_bits, budget)?;
        let finite = [
            finite(factors, |factor, bits| factor.infinite_p(bits), work),
            finite(factors, |factor, bits| factor.infinite_q(bits), work),
        ];
        let mut is_long = false;
        let mut between = None;
        let values = match span {
            None if row => {
                let moments = fixed.unwrap_or_default();
                let why = || Error::undecided("this contour is outside the range of doubles");
                let (points, errors) =
                    fixed::products((factors, moments), &line, &selected, budget)?.ok_or_else(why)?;
                let of = (points.as_slice(), errors.as_slice());
                Values::Between(Extremals::fixed(&line, &selected, of, &moment, budget)?.ok_or_else(why)?)
            }
            None => {
                let fixed = match fixed {
                    Some(all) => fixed::smooth((factors, all), &line, &selected, (plan.pole_side, &moment), budget)?,
                    None => None,
                };
                let all = match all.take() {
                    Some((_, swept)) => {
                        let errors = vec![swept.error; wide::pieces(&selected).count()];
                        let points = swept.points.as_slice();
                        let of = (plan.pole_side, &moment);
                        let weighed = wide::weighed((points, &errors), &line, &selected, of, budget)?;
                        let why = || Error::undecided("this contour is outside the range of integers");
                        let (profile, tail) = weighed.ok_or_else(why)?;
                        between = Extremals::wide(&line, &selected, (points, swept.error), &moment, budget)?;
                        Some((profile, tail))
                    }
                    None => None,
                };
                let long = match long {
                    true => wide::smooth(factors, &line, &selected, (plan.pole_side, &moment), budget)?,
                    false => all,
                };
                is_long = long.is_some();
                let (profile, tail) = match fixed {
                    Some((profile, tail)) => (NodeValues::Fixed(profile), Some(NodeValues::Fixed(tail))),
                    None if let Some((profile, tail)) = long => {
                        (NodeValues::Wide(profile), Some(NodeValues::Wide(tail)))
                    }
                    None => {
                        let products = products(factors, &line, &selected, work, budget)?;
                        let (profile, tail) = smooth(products, &line, &selected, (plan.pole_side, tails), work);
                        (NodeValues::new(profile, work), tail.map(|tail| NodeValues::new(tail, work)))
                    }
                };
                Values::Smooth(profile, tail)
            }
            Some(span) => {
                let products = products(factors, &line, &selected, work, budget)?;
                let (p, q) = on_lattice(products, &line, &selected, span, work);
                Values::Lattice(span.clone(), NodeValues::new(p, work), NodeValues::new(q, work))
            }
        };
        Ok(Contour {
            pole_side: plan.pole_side,
            line,
            selected,
            values,
            moment,
            sides,
            finite,
            work,
            effort,
            long: is_long,
            between,
            planned: [plan.log_peak, plan.target],
            times: factors.iter().map(|(_, times)| *times as f64).sum(),
        })
    }

    /// About the memory that it takes.
    pub(super) fn bytes(&self) -> u64 {
        if self.long { self.selected.nodes.saturating_mul(wide::BYTES) } else { bytes(self.selected.nodes, self.work) }
    }

    /// What it is for.
    pub(super) fn effort(&self) -> Effort {
        self.effort
    }

    /// Are its values integers of 128 bits?
    pub(super) fn is_long(&self) -> bool {
        self.long
    }

    /// Bits that a line should have more than this one for so many relative bits of a value of this logarithm, and some
    /// over. If this one is in integers of 128 bits, they are no more than those, if these have `nearly` as many, or so
    /// many that it is in others.
    pub(super) fn short_of(&self, log_value: f64, (bits, nearly): (f64, f64)) -> f64 {
        let [log_peak, target] = self.planned;
        let short = bits + OVER - (log_value - target) / LN_2;
        if !self.long {
            return short;
        }
        let (goal, most) = ((log_peak - target) / LN_2, f64::from(wide::MOST_BITS));
        let within = nearly + (log_peak - log_value) / LN_2 < wide::reach(self.times);
        // One that had as many did not do.
        if within && goal + OVER < most && short + wide::SPARED > OVER {
            (short + wide::SPARED).min(most - 1.0 - goal)
        } else {
            short.max(most + 1.0 - goal)
        }
    }

    /// What it computes.
    pub(super) fn pole_side(&self) -> PoleSide {
        self.pole_side
    }

    /// Tell those who want to check the answer about the line and its errors at an epsilon.
    pub(super) fn note(&self, epsilon: &Real, budget: &Budget) {
        if !budget.takes_notes() {
            return;
        }
        let tilt = Enclosure::rational(self.line.tilt(), BOUND_BITS);
        let peak = &self.moment.with_bits(BOUND_BITS) * &(-(&tilt * &epsilon.enclosure(BOUND_BITS))).exp();
        let up = |x: &Enclosure| format!("{:.3e}", x.upper().to_f64_round(Up));
        budget.note("real part of the contour", self.line.tilt().to_f64());
        budget.note("period on the axis of privacy losses", self.line.period().to_f64());
        budget.note("privacy losses", if matches!(self.values, Values::Lattice(..)) { "on a lattice" } else { "any" });
        budget.note("nodes evaluated", self.selected.nodes + 1);
        budget.note("runs of neighbouring nodes", self.selected.runs.len());
        budget.note("ranges of nodes bounded", self.selected.bounds);
        budget.note("known aliases", up(&self.known(epsilon)));
        let [below, above] = self.unknown(epsilon);
        budget.note("other aliases, at most", up(&(below + above)));
        budget.note("omitted nodes, at most", up(&self.left_out(&peak)));
        budget.note("working precision in bits", if self.long { enclosure::wide::BITS } else { self.work });
    }

    /// `(1/period) 2 sum |F(s_k)|` over what the search left out, given `|F(tilt)|` up to the kernel's factor.
    fn left_out(&self, peak: &Enclosure) -> Enclosure {
        let kernel = match &self.values {
            Values::Smooth(..) | Values::Between(..) => {
                let tilt = self.line.tilt();
                Enclosure::rational(&(tilt * Rational::from(tilt + 1u32)), BOUND_BITS).abs().recip()
            }
            Values::Lattice(span, ..) => {
                // The kernel at the real axis is largest for d = 0, where it is the whole geometric series:
                // |kappa| <= unit sum_j e^(-c l_j) over the losses on the side where it converges.
                let unit = span.unit.enclosure(BOUND_BITS);
                let tilt = Enclosure::rational(self.line.tilt(), BOUND_BITS);
                match self.pole_side {
                    PoleSide::Right => &unit / &-(-(&unit * &tilt)).expm1(),
                    // Losses below weighed by e^(eps-L) (ratio e^((c+1) unit)), which also covers the tail's e^(c
                    // unit).
                    PoleSide::Left => {
                        let rest = &Enclosure::one(BOUND_BITS) + &tilt;
                        &unit / &-(&unit * &rest).expm1()
                    }
                    // Losses below (ratio e^(c unit)), and those above weighed by e^(eps-L) (ratio e^(-(c+1) unit)).
                    PoleSide::Middle => {
                        let below = &unit / &-(&unit * &tilt).expm1();
                        let rest = &Enclosure::one(BOUND_BITS) + &tilt;
                        let above = &unit / &-(-(&unit * &rest)).expm1();
                        below + above
                    }
                }
            }
        };
        let left_out = Enclosure::new(Float::new(BOUND_BITS), self.selected.left_out.clone());
        let period = self.line.period().enclosure(BOUND_BITS);
        &(&(peak * &kernel) * &left_out.shift(1)) / &period
    }

    /// One pass over the nodes: the sums of these banks, turned by a loss.
    fn turned_sums<const N: usize>(&self, banks: [&NodeValues; N], loss: &Real) -> [Enclosure; N] {
        turned_sums(banks, &self.selected.runs, &self.line.turns(loss), self.work)
    }

    /// `v(epsilon)`.
    pub(super) fn value(&self, epsilon: &Real) -> Result<Enclosure, Error> {
        let work = self.work;
        let wide = work.saturating_add(64);
        let tilt = Enclosure::rational(self.line.tilt(), wide);
        let fall = |loss: &Real| (-(&tilt * &loss.enclosure(wide))).exp().with_bits(work);
        let period = self.line.period().enclosure(work);
        let between = |of: &Extremals| of.sum((&self.line, self.pole_side), &self.selected, epsilon, work);
        let sum = match &self.values {
            Values::Smooth(profile, _) => {
                let [sum] = self.turned_sums([profile], epsilon);
                &sum * &fall(epsilon)
            }
            Values::Between(extremals) => &between(extremals) * &fall(epsilon),
            Values::Lattice(span, ..) => {
                // At a loss itself either neighbour will do; where it cannot be told, the function is continuous there,
                // and the true value is the larger of both formulas: each drops or adds a term of the other sign.
                let (first, second) = next_losses(span, epsilon)?;
                let mut best = self.beyond(&first, epsilon)?;
                if let Some(second) = second {
                    let other = self.beyond(&second, epsilon)?;
                    best = match self.pole_side {
                        PoleSide::Right | PoleSide::Left => best.max(&other),
                        PoleSide::Middle => best.min(&other),
                    };
                }
                best
            }
        };
        let peak = &self.moment.with_bits(BOUND_BITS) * &fall(epsilon).with_bits(BOUND_BITS);
        let mut value = (&sum / &period).widen(self.left_out(&peak).upper());
        if let Some(extremals) = &self.between {
            let other = &(&between(extremals) * &fall(epsilon)) / &period;
            value = alarm::meet(&value, &other, EXPECTATION)?;
        }
        let value = &value - &self.known(epsilon);
        let [below, above] = self.unknown(epsilon);
        // E[(1 - e^(y-L))_+] and E[min(1, e^(y-L))] are at most 1, E[(e^(y-L) - 1)_+] is not.
        match self.pole_side {
            PoleSide::Right => alarm::probability(&(&(&value - &below) - &above), EXPECTATION),
            PoleSide::Middle => alarm::probability(&(&(&value + &below) + &above), EXPECTATION),
            PoleSide::Left => alarm::not_negative(&(&(&value - &below) - &above), EXPECTATION),
        }
    }

    /// The lattice sum with `loss` as the first loss counted.
    fn beyond(&self, loss: &Real, epsilon: &Real) -> Result<Enclosure, Error> {
        let Some((p, q)) = self.raw_tails(loss) else { return Err(Error::Undecided("no lattice".into())) };
        let wide = self.work.saturating_add(64);
        let distance = epsilon.sub(loss).enclosure(wide).exp().with_bits(self.work);
        let tilt = Enclosure::rational(self.line.tilt(), wide);
        let fall = (-(&tilt * &loss.enclosure(wide))).exp().with_bits(self.work);
        let sum = &p - &(&distance * &q);
        let sum = match self.pole_side {
            PoleSide::Right | PoleSide::Left => sum,
            PoleSide::Middle => -sum,
        };
        Ok(&sum * &fall)
    }

    /// The sums of both lattice values, turned by a loss.
    fn raw_tails(&self, loss: &Real) -> Option<(Enclosure, Enclosure)> {
        let Values::Lattice(_, p, q) = &self.values else { return None };
        let [p, q] = self.turned_sums([p, q], loss);
        Some((p, q))
    }

    /// For a loss of the lattice: right of both poles `P(L >= loss)`, elsewhere `P(L < loss)`; finite losses only.
    pub(super) fn tail(&self, loss: &Real) -> Result<Enclosure, Error> {
        let Values::Lattice(_, p, _) = &self.values else {
            return Err(Error::Undecided("tails are computed for losses on a lattice".into()));
        };
        let [p] = self.turned_sums([p], loss);
        alarm::probability(&self.tail_of(p, loss), "tail on a contour")
    }

    /// What this sum makes of a tail: it is one if `loss` is of the lattice, otherwise it is nothing in particular.
    fn tail_of(&self, p: Enclosure, loss: &Real) -> Enclosure {
        let wide = self.work.saturating_add(64);
        let tilt = Enclosure::rational(self.line.tilt(), wide);
        let fall = (-(&tilt * &loss.enclosure(wide))).exp().with_bits(self.work);
        let p = match self.pole_side {
            PoleSide::Right => p,
            PoleSide::Middle | PoleSide::Left => -p,
        };
        let period = self.line.period().enclosure(self.work);
        let peak = &self.moment.with_bits(BOUND_BITS) * &fall.with_bits(BOUND_BITS);
        let value = (&(&p * &fall) / &period).widen(self.left_out(&peak).upper());
        let value = &value - &self.known_of_tail();
        let [below, above] = self.unknown(loss);
        match self.pole_side {
            PoleSide::Right => &(&value + &below) - &above,
            PoleSide::Middle | PoleSide::Left => &(&value - &below) + &above,
        }
    }

    /// About `P(L >= loss)` right of both poles and `P(L < loss)` elsewhere, to about so many bits: for searches, it
    /// proves nothing. Not a number on lines for profiles alone.
    pub(super) fn sketch_tail(&self, loss: &Real, bits: u32) -> Float {
        let middle = |x: &Enclosure| Float::with_val(self.work, x.lower() + x.upper()) / 2u32;
        let tail = match &self.values {
            Values::Smooth(_, Some(tail)) => tail,
            Values::Smooth(_, None) | Values::Between(..) => return Float::with_val(self.work, f64::NAN),
            Values::Lattice(_, p, _) => {
                // The loss need not be of the lattice, so that a sum outside of [0, 1] proves nothing here.
                let unit = Enclosure::new(Float::new(2), Float::with_val(2, 1));
                // Its errors are those of the precision of the values, not of the pass.
                let work = self.work.min(bits.saturating_add(SKETCH_GUARD));
                let [sum] = turned_sums([p], &self.selected.runs, &self.line.turns(loss), work);
                let sum = self.tail_of(sum, loss);
                return middle(&sum.within(&unit, "sketch").unwrap_or(sum));
            }
        };
        let [sum] = self.turned_sums([tail], loss);
        let wide = self.work.saturating_add(64);
        let fall = (-(&Enclosure::rational(self.line.tilt(), wide) * &loss.enclosure(wide))).exp().with_bits(self.work);
        let value = &(&sum * &fall) / &self.line.period().enclosure(self.work);
        // Between the poles the values have their sign already.
        let value = if self.pole_side == PoleSide::Left { -value } else { value };
        middle(&(&value - &self.known_of_tail()))
    }
}

/// The first loss above an epsilon; or the two around it, if it cannot be told from a loss.
fn next_losses(span: &LatticeSpan, epsilon: &Real) -> Result<(Real, Option<Real>), Error> {
    let from = epsilon.sub(&span.offset);
    let loss = |n: Integer| span.offset.add(&span.unit.mul_rational(&Rational::from(n)));
    if let Some(place) = from.ratio(&span.unit) {
        return Ok((loss(place.floor().into_numer_denom().0 + 1u32), None));
    }
    let mut bits = 128u32;
    while bits < 1 << 16 {
        let set = &from.enclosure(bits) / &span.unit.enclosure(bits);
        let ends = [set.lower(), set.upper()].map(|end| end.to_integer_round(rug::float::Round::Down).map(|(n, _)| n));
        if let [Some(low), Some(high)] = ends {
            match Integer::from(&high - &low).cmp0() {
                Ordering::Equal => return Ok((loss(low + 1u32), None)),
                _ if Integer::from(&high - &low) == 1 && bits > 1 << 10 => {
                    return Ok((loss(low + 1u32), Some(loss(high + 1u32))));
                }
                _ => {}
            }
        }
        bits *= 2;
    }
    Err(Error::Undecided("cannot compare epsilon with the privacy losses".into()))
}
