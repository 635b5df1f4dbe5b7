//! Points that were tried, one after the other, and the verdict on all of them.

use std::cmp::Ordering;

use rug::Rational;

use super::algebra::Fraction;
use super::verdict::{Verdict, least};
use crate::error::Error;
use enclosure::Number;

/// Results so far.
#[derive(Default)]
pub struct Tally {
    points: usize,
    margin: Option<Number>,
    /// The first counterexample.
    fails: Option<(String, Option<Number>)>,
    /// The first point that was not decided.
    open: Option<String>,
}

impl Tally {
    /// `gap >= 0` at a point.
    pub fn not_negative(&mut self, at: impl Fn() -> String, gap: &Number) {
        self.points += 1;
        match gap.sign() {
            Some(Ordering::Less) => {
                self.fails.get_or_insert_with(|| (at(), Some(-gap)));
            }
            Some(_) => self.margin = least(self.margin.take(), Some(gap.clone())),
            None => {
                self.open.get_or_insert_with(at);
            }
        }
    }

    /// `less <= more`.
    pub fn at_most(&mut self, at: impl Fn() -> String, less: &Number, more: &Number) {
        self.not_negative(at, &(more - less));
    }

    /// `left = right`, exactly; no margin comes of it.
    pub fn equal(&mut self, at: impl Fn() -> String, left: &Rational, right: &Rational) {
        self.points += 1;
        if left != right {
            let off = Rational::from(left - right).abs();
            self.fails.get_or_insert_with(|| (at(), Some(Number::Exact(off))));
        }
    }

    /// Two enclosures of what is claimed to be one number: they meet, or they prove that it is not.
    pub fn meet(&mut self, at: impl Fn() -> String, left: &Number, right: &Number) {
        self.points += 1;
        if let Some(Ordering::Less | Ordering::Greater) = left.compare(right) {
            let off = left - right;
            let off = if off.sign() == Some(Ordering::Less) { -off } else { off };
            self.fails.get_or_insert_with(|| (at(), Some(off)));
        }
    }

    /// A statement that is true or not, without a size.
    pub fn is(&mut self, at: impl Fn() -> String, holds: bool) {
        self.points += 1;
        if !holds {
            self.fails.get_or_insert_with(|| (at(), None));
        }
    }

    /// The verdict on what was tried.
    pub fn verdict(self) -> Result<Verdict, Error> {
        if let Some((at, margin)) = self.fails {
            return Ok(Verdict::Fails { at, margin });
        }
        if let Some(why) = self.open {
            return Ok(Verdict::Undecided { why: format!("not decided at {why}") });
        }
        if self.points == 0 {
            return Err(Error::internal("a check without points"));
        }
        Ok(Verdict::Holds { points: self.points, margin: self.margin })
    }
}

/// Rational functions that are to be equal, each with a name.
#[derive(Default)]
pub struct Identities {
    verdict: Option<Verdict>,
    count: usize,
}

impl Identities {
    /// `left = right`, in these variables.
    pub fn same(
        &mut self,
        what: impl Fn() -> String,
        names: &[&str],
        left: &Fraction,
        right: &Fraction,
    ) -> Result<(), Error> {
        self.same_within(what, names, &[], left, right)
    }

    /// The same, of a statement about points where none of `within` is negative: it is refuted there or not at all.
    pub fn same_within(
        &mut self,
        what: impl Fn() -> String,
        names: &[&str],
        within: &[Fraction],
        left: &Fraction,
        right: &Fraction,
    ) -> Result<(), Error> {
        self.count += 1;
        let names: Vec<String> = names.iter().map(|name| (*name).to_string()).collect();
        let verdict = match super::check::same(&names, within, &left.sub(right))? {
            Verdict::Fails { at, margin } => Verdict::Fails { at: format!("{}: {at}", what()), margin },
            Verdict::Proven { .. } => Verdict::exact(""),
            verdict => verdict,
        };
        self.take(verdict);
        Ok(())
    }

    /// `f >= 0` wherever all variables are positive.
    pub fn not_negative(&mut self, what: impl Fn() -> String, f: &Fraction) {
        self.count += 1;
        let verdict = if f.never_negative() {
            Verdict::exact("")
        } else {
            Verdict::Undecided { why: format!("{}: coefficients of both signs", what()) }
        };
        self.take(verdict);
    }

    /// Two numbers of things that are to be equal.
    pub fn as_many(&mut self, what: impl Fn() -> String, found: u32, claimed: u32) {
        self.count += 1;
        let off = Number::Exact(Rational::from(found.abs_diff(claimed)));
        let fails = || Verdict::Fails { at: what(), margin: Some(off) };
        self.take(if found == claimed { Verdict::exact("") } else { fails() });
    }

    /// A statement that needs no arithmetic.
    pub fn is(&mut self, what: impl Fn() -> String, holds: bool) {
        self.count += 1;
        self.take(if holds { Verdict::exact("") } else { Verdict::Fails { at: what(), margin: None } });
    }

    fn take(&mut self, verdict: Verdict) {
        self.verdict = Some(match self.verdict.take() {
            Some(before) => before.and(verdict),
            None => verdict,
        });
    }

    /// The verdict on all of them.
    pub fn verdict(self) -> Result<Verdict, Error> {
        match self.verdict {
            None => Err(Error::internal("a check of no identities")),
            Some(Verdict::Proven { .. }) => {
                let statements = if self.count == 1 { "statement" } else { "statements" };
                Ok(Verdict::exact(format!("{} {statements} on rational functions", self.count)))
            }
            Some(verdict) => Ok(verdict),
        }
    }
}
