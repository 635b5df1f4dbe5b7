//! Theorem 3.4 for some compositions, at every alpha: by parts of the interval.
//!
//! f and `G_mu` do not increase. For all alpha between l and r, therefore, `G_mu(l + gamma) - gamma <= f(r)` gives the
//! lower bound, for its left side is no less than that at alpha and its right side no more; and
//! `f(l) <= G_mu(r - gamma) + gamma` the upper one. A part where either is not so is halved.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rug::Rational;

use super::super::ask::{beta, real};
use super::super::verdict::{Verdict, least};
use crate::error::Error;
use enclosure::{Number, Real};

/// epsilon, n and the root of n.
const CASES: [(&str, u32, u32); 4] = [("1/10", 100, 10), ("1/2", 64, 8), ("1", 100, 10), ("2", 400, 20)];

/// A part is no shorter than 1 over two to this.
const FINEST: u32 = 20;

/// f at an alpha, and both bounds of it.
#[derive(Clone)]
struct Values {
    low: Number,
    exact: Number,
    high: Number,
}

/// The composition and its limit.
struct Case {
    mechanism: String,
    gauss: String,
    gamma: Real,
}

impl Case {
    fn of((epsilon, n, root): (&str, u32, u32)) -> Result<Self, Error> {
        let (whole, half) = (format!("exp({epsilon})"), format!("exp({epsilon}/2)"));
        Ok(Case {
            mechanism: format!("randomized-response(epsilon={epsilon})^{n}"),
            gauss: format!("gaussian(sigma=1, sensitivity={root}*({half}-1/{half}))"),
            gamma: real(&format!("0.56*({whole}+1/{whole})/({root}*({half}+1/{half}))"))?,
        })
    }

    /// `G_mu`, continued by 1 below 0 and by 0 above 1.
    fn continued(&self, at: &Real) -> Result<Number, Error> {
        let side = |bound: &Real| {
            at.compare(bound).ok_or_else(|| Error::undecided("a comparison with an interval end could not be decided"))
        };
        if side(&Real::zero())?.is_le() {
            return Ok(Number::one());
        }
        if side(&Real::one())?.is_ge() {
            return Ok(Number::zero());
        }
        beta(&self.gauss, &at.to_string())
    }

    fn values(&self, alpha: &Rational) -> Result<Values, Error> {
        let (at, width) = (Real::from(alpha.clone()), self.gamma.number(200));
        Ok(Values {
            low: &self.continued(&at.add(&self.gamma))? - &width,
            exact: beta(&self.mechanism, &at.to_string())?,
            high: &self.continued(&at.sub(&self.gamma))? + &width,
        })
    }
}

/// All cases, all alphas.
pub fn everywhere() -> Result<Verdict, Error> {
    let (mut margin, mut parts) = (None, 0);
    for written in CASES {
        let case = Case::of(written)?;
        let mut known: BTreeMap<Rational, Values> = BTreeMap::new();
        let mut open = vec![(Rational::new(), Rational::from(1))];
        while let Some((low, high)) = open.pop() {
            for at in [&low, &high] {
                if !known.contains_key(at) {
                    known.insert(at.clone(), case.values(at)?);
                }
            }
            let (Some(left), Some(right)) = (known.get(&low), known.get(&high)) else { continue };
            let here = || format!("epsilon = {}, n = {}, alpha = {low}", written.0, written.1);
            for gap in [&left.exact - &left.low, &left.high - &left.exact] {
                if gap.sign() == Some(Ordering::Less) {
                    return Ok(Verdict::Fails { at: here(), margin: Some(-gap) });
                }
            }
            let gaps = [&right.exact - &left.low, &right.high - &left.exact];
            if gaps.iter().all(|gap| gap.sign().is_some_and(Ordering::is_ge)) {
                parts += 1;
                let [below, above] = gaps;
                margin = least(margin, least(Some(below), Some(above)));
                continue;
            }
            let width = Rational::from(&high - &low);
            if width < Rational::from((1, 1_u32 << FINEST)) {
                return Ok(Verdict::Undecided { why: format!("not decided from {} on", here()) });
            }
            let middle = Rational::from(&low + &high) / 2u32;
            open.push((low, middle.clone()));
            open.push((middle, high));
        }
    }
    Ok(Verdict::Proven { margin, by: "monotone bounds on parts of [0, 1]".into(), parts })
}
