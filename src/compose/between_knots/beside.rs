//! phi of one kind of noise beside another: the profile of the first against the law of the second.
//!
//! `phi(t) = sum_k m_k phi_A(t - k) + int phi_A(t - x) f_B(x) dx`, k the knots of B and m_k the atoms there. In a cell
//! of B the loss is `x = K - l_B + l_B(v)`, K its lower knot; a knot S of A is met where `l_B(v) = t - K + l_B - S`. So
//! [pieces](super::pieces) of cells remain in which both are polynomials in places, v and
//!
//! `v_A = ln((e^(l_A) - q_A)/r_A)`, `e^(l_A) = e^(t - K + l_B - S' + l_A)/w_B(v)`, S' the lower knot of the cell of A.
//!
//! **What is certified.** Rules on panels err by what [pieces](super::pieces) tell. With `E_A`, and `E_B` of r times
//! the density, for how far polynomials are from their functions, the sum moves by at most
//!
//! `E_A R_B(all) + n_B (w_B/r_B) E_B (e^(-(t - n_B h_B)/2) + E_A)`,
//!
//! for `R_B(all) <= 1`, and `phi_A(s) = int 2 sinh((x - s)/2)_+ dR_A <= e^(-s/2) int e^(x/2) dR_A = e^(-s/2)` falls.

use std::sync::Arc;

use super::domain::{Domain, FEW};
use super::law::Law;
use super::operator::Plan;
use super::pieces::{Panels, Place};
use super::rules::Rules;
use super::runs::{Runs, precision};
use super::table::{Table, neighbours};
use crate::error::Error;
use enclosure::{Budget, Cache, Enclosure, Real};

/// Noise of this shift, or a sample of it, run so many times.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub shift: Real,
    pub rate: Option<Real>,
    pub times: u32,
}

impl Kind {
    /// One run, to this precision.
    pub fn domain(&self, bits: u32) -> Domain {
        Domain::new(&self.shift, self.rate.as_ref(), bits)
    }

    /// The polynomials of its profile.
    ///
    /// # Errors
    /// As of a table.
    pub fn table(&self, bits: u32, budget: &Budget) -> Result<Table, Error> {
        Table::new(&self.shift, self.rate.as_ref(), self.times, bits, budget)
    }
}

/// The profile of the one, and the law of the other.
pub(super) struct Both {
    profile: Table,
    law: Law,
    panels: Panels,
    rules: Cache<u32, Vec<(Enclosure, Enclosure)>>,
    bits: u32,
}

impl Both {
    /// With so many bits after the point.
    ///
    /// # Errors
    /// Those of the matrices, and of the budget.
    pub fn new(kinds: &[Kind; 2], bits: u32, budget: &Budget) -> Result<Self, Error> {
        let plans = kinds.each_ref().map(|kind| Plan::new(&kind.domain(FEW), bits));
        Self::planned(kinds, &plans, bits, budget)
    }

    /// The same, as planned.
    ///
    /// # Errors
    /// As above.
    pub fn planned(kinds: &[Kind; 2], plans: &[Plan; 2], bits: u32, budget: &Budget) -> Result<Self, Error> {
        let [first, second] = kinds;
        let runs = |kind: &Kind, plan: &Plan| Runs::new(&kind.shift, kind.rate.as_ref(), kind.times, plan, budget);
        let profile = Table::of(runs(first, &plans[0])?, first.times, budget)?;
        let law = Law::of(runs(second, &plans[1])?, second.times, budget)?;
        // A place of either needs what the narrower one does.
        let wide = |i: usize| precision(&kinds[i].domain(FEW), kinds[i].times, &plans[i]);
        let wide = wide(0).max(wide(1));
        let panels = Panels::new([first.domain(wide), second.domain(wide)], &profile.cells, &law.cells, bits);
        Ok(Both { profile, law, panels, rules: Cache::new(16), bits: wide })
    }

    /// The rule of so many nodes.
    fn rule(&self, nodes: u32) -> Result<Arc<Vec<(Enclosure, Enclosure)>>, Error> {
        self.rules.get(nodes, || {
            let mut rules = Rules::default();
            Ok(rules.of(nodes, self.bits)?.to_vec())
        })
    }

    /// phi at t.
    ///
    /// # Errors
    /// Those of the budget, and [`Error::Undecided`] where a piece has no panels.
    pub fn value(&self, t: &Enclosure, budget: &Budget) -> Result<Enclosure, Error> {
        let [_, b] = &self.panels.domains;
        let [_, high] = b.ends(self.law.times);
        let width = &b.high - &b.low;
        let mut sum = Enclosure::zero(self.bits);
        let mut knot = high.clone();
        for atom in &self.law.atoms {
            sum = &sum + &(atom * &self.profile.value(&(t - &knot)));
            knot = &knot - &width;
        }
        let most = (&high - t).with_bits(FEW).shift(-1).exp();
        let mut lower = high.clone();
        for cell in 0..self.law.cells.len() {
            budget.check()?;
            lower = &lower - &width;
            // t - x + l_B(v)
            let base = &(t - &lower) + &b.low;
            sum = &sum + &self.cell(cell, &base, &most)?;
        }
        // What polynomials are off.
        let exact = |x: &rug::Float| Enclosure::new(x.clone(), x.clone());
        let (profile, law) = (exact(&self.profile.error), exact(&self.law.error));
        let all = (&width / &b.rate).with_bits(FEW).mul_u32(self.law.times);
        let wrong = &profile + &(&(&all * &law) * &(&most + &profile));
        Ok(sum.widen(wrong.upper()).positive_part())
    }

    /// The integral over a cell of the law, given `t - x + l_B(v)`, and the most that phi of A is.
    fn cell(&self, cell: usize, base: &Enclosure, most: &Enclosure) -> Result<Enclosure, Error> {
        let [a, b] = &self.panels.domains;
        let [_, top] = a.ends(self.profile.times);
        let width = &a.high - &a.low;
        let depth = |loss: &Enclosure| &(&top - &(base - loss)) / &width;
        let (Some((first, _)), Some((_, last))) = (neighbours(&depth(&b.low)), neighbours(&depth(&b.high))) else {
            return Ok(Enclosure::whole(self.bits));
        };
        let below = i64::from(self.profile.times);
        let mut sum = Enclosure::zero(self.bits);
        // The place where the knot i of A is met. Before the first is nothing, after the last what is below all.
        let knot = |i: i64| &top - &(&width * &Enclosure::integer(&i.into(), self.bits));
        let met = |i: i64| b.place_of(&(base - &knot(i)));
        for region in first.clamp(0, below)..=last.min(below) {
            let from = met(region);
            let to = if region < below { met(region + 1) } else { b.shift.clone() };
            let profile = usize::try_from(region).ok().filter(|_| region < below);
            // e^(l_A) w_B(v), or e^s w_B(v) below all knots.
            let offset = match profile {
                Some(_) => &(base - &knot(region + 1)) + &a.low,
                None => base.clone(),
            };
            let place = Place { profile, law: cell, scale: offset.exp(), most: most.clone() };
            sum = &sum + &self.piece(&place, [from, to])?;
        }
        Ok(sum)
    }

    /// The integral over a piece.
    fn piece(&self, place: &Place, range: [Enclosure; 2]) -> Result<Enclosure, Error> {
        if let Some(nothing) = self.panels.sliver(place, &range, &self.law.error) {
            return Ok(nothing);
        }
        let [a, b] = &self.panels.domains;
        let one = Enclosure::one(self.bits);
        let mut sum = Enclosure::zero(self.bits);
        let density = &self.law.cells[place.law];
        let profile = place.profile.map(|cell| &self.profile.cells[cell]);
        for panel in self.panels.cover(place, range)? {
            let mut all = Enclosure::zero(self.bits);
            for (x, weight) in self.rule(panel.nodes)?.iter() {
                let v = &panel.middle + &(&panel.half * x);
                let exp = v.exp();
                let ratio = b.ratio(&exp);
                let there = &place.scale / &ratio;
                let value = match profile {
                    Some(cell) => {
                        let at = (&(&there - &a.rest) / &a.rate).ln();
                        cell.at(&(&at / &a.shift).max(&-&one).min(&one))
                    }
                    None => {
                        let root = there.sqrt();
                        &root.recip() - &root
                    }
                };
                let law = density.at(&(&v / &b.shift).max(&-&one).min(&one));
                all = &all + &(&(weight * &(&exp / &ratio)) * &(&value * &law));
            }
            sum = &sum + &(&panel.half * &all).widen(panel.error.upper());
        }
        Ok(sum)
    }
}
