//! Where the line of a plan stands exactly, which of its nodes matter, and with how many bits.

use rug::float::Round::Up;
use rug::{Float, Integer, Rational};

use super::{BOUND_BITS, Effort, Factors};
use crate::compose::quadrature::almost_periodic::AlmostPeriodic;
use crate::compose::quadrature::branch_and_bound::{BranchAndBound, SelectedNodes, Weight};
use crate::compose::quadrature::factor::LatticeSpan;
use crate::compose::quadrature::plan::{End, Plan, PoleSide, Rare};
use crate::compose::quadrature::swept::{Swept, swept};
use crate::compose::quadrature::vertical_contour::VerticalContour;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Portable, Real};

/// Bounds that one search may take.
const MOST_BOUNDS: u64 = 1 << 28;

/// By so much, as a logarithm, what lies beyond the last node that is looked at may exceed the target of a plan: it is
/// the one error that is dear.
const BEYOND: f64 = 3.4;

/// The choices of a plan as exact numbers.
pub(super) struct Layout {
    pub line: VerticalContour,
    /// Tilts below and above, for bounds of the aliases.
    pub sides: [Rational; 2],
    /// What is rare, and the tilt of its bound.
    pub rare: Option<(Rare, Rational)>,
    /// The last node of one half.
    last: u64,
}

impl Layout {
    /// `None` where the numbers are none, or not on the sides of the poles where they have to be.
    pub(super) fn of(plan: &Plan, span: Option<&LatticeSpan>) -> Option<Self> {
        if !plan.period.is_finite() || !plan.log_peak.is_finite() || plan.target < -5e8 {
            return None;
        }
        let [below, above] = plan.alias_tilts.map(short);
        let (tilt, below, above) = (short(plan.tilt)?, below?, above?);
        let ordered = match plan.pole_side {
            PoleSide::Right => tilt > 0,
            PoleSide::Middle => tilt > -1 && tilt < 0,
            PoleSide::Left => tilt < -1,
        };
        if !(ordered && below <= -1 && below < tilt && above >= 0 && above > tilt) {
            return None;
        }
        let rare = match plan.rare {
            None => None,
            Some(rare) => {
                let of_rare = short(rare.tilt)?;
                let beyond = match rare.end {
                    End::Upper => of_rare >= 0 && of_rare > tilt,
                    End::Lower => of_rare <= -1 && of_rare < tilt,
                };
                if !beyond {
                    return None;
                }
                Some((rare, of_rare))
            }
        };
        let (period, last) = period(plan, span)?;
        Some(Layout { line: VerticalContour::new(tilt, period), sides: [below, above], rare, last })
    }

    /// The nodes that matter for the target of the plan, and what the others come to.
    pub(super) fn select(
        &self,
        factors: &Factors,
        (on_lattice, few, effort): (bool, u64, Effort),
        plan: &Plan,
        most_nodes: u64,
        budget: &Budget,
    ) -> Result<SelectedNodes, Error> {
        // The sum is divided by the period.
        let target = plan.target - plan.log_peak + (self.line.period().to_f64() / 2.0).portable_ln();
        let mut decays = Vec::new();
        for (factor, times) in factors {
            let decay = match effort {
                Effort::Full => factor.decay(&self.line, budget),
                Effort::Content | Effort::Swept | Effort::Row(_) => factor.close_decay(&self.line, budget),
            };
            decays.push((decay?, *times));
        }
        let decays_for_good = factors.iter().any(|(factor, _)| factor.decays());
        if effort == Effort::Content && !on_lattice {
            let (scale, most_bounds) = (self.inverse_square(), MOST_BOUNDS);
            let beyond = target + BEYOND;
            return AlmostPeriodic { decays, scale, beyond, most_nodes, most_bounds }.run(budget);
        }
        let weight = if on_lattice { Weight::One } else { Weight::InverseSquare { scale: self.inverse_square() } };
        BranchAndBound {
            decays,
            few,
            decays_for_good,
            last: self.last,
            weight,
            target,
            most_nodes,
            most_bounds: MOST_BOUNDS,
        }
        .run(budget)
    }

    /// All nodes up to some, what lies beyond them within the target of the plan or as near to it as many nodes come,
    /// and the factors' product at these and at node 0.
    pub(super) fn swept(
        &self,
        factors: &Factors,
        plan: &Plan,
        budget: &Budget,
    ) -> Result<(SelectedNodes, Swept), Error> {
        let enough = (plan.target - plan.log_peak + BEYOND).portable_exp() * self.line.period().to_f64() / 2.0;
        let all = swept(factors, &self.line, (self.inverse_square(), enough), budget)?;
        let nodes = (all.points.len() as u64).saturating_sub(1);
        let left_out = Float::with_val(53, all.beyond);
        let runs = vec![(1, nodes)];
        let selected = SelectedNodes { runs, pieces: vec![(1, nodes, 0.0)], nodes, bounds: 0, left_out };
        Ok((selected, all))
    }

    /// Nodes in a row, of which nothing is looked at: so many that a period over them is `2^-fineness` at most.
    pub(super) fn row(&self, fineness: i32, most_nodes: u64) -> Result<SelectedNodes, Error> {
        let nodes = (self.line.period().to_f64() * f64::from(fineness).portable_exp2()).ceil().max(2.0);
        if !(nodes <= most_nodes as f64) {
            return Err(Error::undecided("too many nodes in a row"));
        }
        let nodes = nodes as u64 - 1;
        let left_out = Float::new(53);
        Ok(SelectedNodes { runs: vec![(1, nodes)], pieces: vec![(1, nodes, 0.0)], nodes, bounds: 0, left_out })
    }

    /// The weight of the kernel `1/(s(s+1))`.
    fn inverse_square(&self) -> f64 {
        let tilt = self.line.tilt();
        let turns = &self.line.period().enclosure(BOUND_BITS) / &Enclosure::pi(BOUND_BITS).shift(1);
        let poles = Enclosure::rational(&(Rational::from(tilt + 1u32) * tilt), BOUND_BITS).abs();
        (&turns.square() * &poles).upper().to_f64_round(Up)
    }
}

/// The bits that are lost from the values at the nodes to a sum of them.
pub(super) fn guard_bits(factors: &Factors, span: Option<&LatticeSpan>, tilt: f64) -> u32 {
    let power_bits = factors.iter().map(|(_, times)| 64 - times.leading_zeros()).max().unwrap_or(0);
    let unit_bits = match span {
        // 1 - e^(-s unit) loses what |s unit| is below one; the kernel's two terms cancel to 1/(s+1) of each.
        Some(span) => {
            let lost = (1.0 / (span.unit.to_f64() * tilt.abs().min(1.0))).max(1.0).portable_log2();
            ((lost + (1.0 + tilt.abs()).portable_log2()) as u32).saturating_add(2)
        }
        None => 0,
    };
    let near_pole = (1.0 / tilt.abs().min((1.0 + tilt).abs()).min(1.0)).portable_log2().ceil() as u32;
    // Enough of the sums: all nodes together are some times the one on the axis; a pass loses some twelve bits.
    power_bits.saturating_add(unit_bits).saturating_add(near_pole).saturating_add(30)
}

/// `M(c)` of the composition.
pub(in crate::compose::quadrature) fn moment(
    factors: &Factors,
    c: &Rational,
    bits: u32,
    budget: &Budget,
) -> Result<Enclosure, Error> {
    let mut moment = Enclosure::one(bits);
    for (factor, times) in factors {
        moment = &moment * &factor.moment(c, bits, budget)?.with_bits(bits).pow(*times);
    }
    Ok(moment)
}

/// A double as a rational of few bits, near it.
fn short(x: f64) -> Option<Rational> {
    Float::with_val(24, x).to_rational()
}

/// The period, and the last node of one half of it.
fn period(plan: &Plan, span: Option<&LatticeSpan>) -> Option<(Real, u64)> {
    match span {
        None => Some((Real::from(Float::with_val(20, plan.period).to_rational()?), u64::MAX)),
        Some(span) => {
            // An odd number of nodes, so that they pair up around the real one.
            let nodes = Float::with_val(53, plan.period / span.unit.to_f64()).ceil().to_integer()? | 1u32;
            let nodes = nodes.max(Integer::from(3));
            let half = Integer::from(&nodes - 1u32) / 2u32;
            Some((span.unit.mul_rational(&Rational::from(nodes)), half.to_u64()?))
        }
    }
}
