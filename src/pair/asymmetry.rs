//! Why a trade-off function is not its own inverse, with numbers that show it.
//!
//! Of a symmetric pair the loss `ln(dP/dQ)` under P has the law of `ln(dQ/dP)` under Q: its losses end as far on the
//! one side as on the other, and the masses at infinity are the same. Where these differ, or a polyline in fractions is
//! not its own inverse at some alpha, it is not symmetric; what does not differ in these is not known to be symmetric.

use std::cmp::Ordering;

use super::{Ends, LossBound, Pair, TradeOff};
use crate::error::Error;
use enclosure::{Brief, Real};

impl Pair {
    /// The end of an error message about an asymmetric pair, after the name of the pair.
    ///
    /// # Errors
    /// Those of the ends.
    pub(crate) fn asymmetry(&self) -> Result<String, Error> {
        if let Some(text) = self.trade_off()?.as_ref().and_then(of_polyline) {
            return Ok(text);
        }
        Ok(of_ends(&self.ends()?).unwrap_or_else(|| "is not known to be symmetric".into()))
    }
}

/// An alpha at which the function and its inverse differ, with both values.
pub(super) fn of_polyline(f: &TradeOff) -> Option<String> {
    let inverse = f.inverse();
    // Two polylines differ at a vertex of one of them, if at all.
    let mut alphas = f.vertices().iter().chain(inverse.vertices()).map(|(alpha, _)| alpha);
    alphas.find_map(|alpha| {
        let (here, there) = (f.evaluate(alpha).ok()?, inverse.evaluate(alpha).ok()?);
        let [alpha, here, there] = [alpha.clone(), here, there].map(Real::from);
        if here.compare(&there)? == Ordering::Equal {
            return None;
        }
        let [alpha, here, there] = [&alpha, &here, &there].map(Brief);
        Some(format!("is not symmetric: f({alpha}) = {here} and f^-1({alpha}) = {there}"))
    })
}

/// By the masses at infinity, and by how far the losses go.
fn of_ends(ends: &Ends) -> Option<String> {
    let differ = |a: &Real, b: &Real| matches!(a.compare(b), Some(order) if order != Ordering::Equal);
    let Ends { losses, infinite_p, infinite_q } = ends;
    if differ(infinite_p, infinite_q) {
        let (p, q) = (Brief(infinite_p), Brief(infinite_q));
        return Some(format!("is not symmetric: the mass at infinity is {p} under P and {q} under Q"));
    }
    let (least, largest) = losses.as_ref()?;
    let known = match (least, largest) {
        (LossBound::At(least), LossBound::At(largest)) => differ(&least.neg(), largest),
        (LossBound::At(_), LossBound::Unbounded) | (LossBound::Unbounded, LossBound::At(_)) => true,
        _ => false,
    };
    let told = |end: &LossBound, unbounded: &str| match end {
        LossBound::At(loss) => Brief(loss).to_string(),
        _ => unbounded.into(),
    };
    known.then(|| {
        format!(
            "is not symmetric: its privacy loss ranges from {} to {}",
            told(least, "-infinity"),
            told(largest, "infinity")
        )
    })
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::mechanism::Composition;

    fn told(mechanism: &str) -> String {
        let composition: Composition = mechanism.parse().expect(mechanism);
        Pair::several(composition.pairs().expect("pairs")).asymmetry().expect("ends")
    }

    /// By an alpha, by masses at infinity and by ends; and of what is symmetric nothing is said.
    #[test]
    fn numbers_show_it() {
        assert_eq!(told("finite(p=[1/2, 1/2], q=[1/3, 2/3])"), "is not symmetric: f(1/2) = 1/3 and f^-1(1/2) = 3/8");
        assert_eq!(
            told("poisson(rate=1/2, gdp(mu=1))"),
            "is not symmetric: its privacy loss ranges from -ln(2) to infinity"
        );
        for symmetric in ["gdp(mu=1)", "laplace(scale=2)", "randomized-response(epsilon=1)"] {
            assert_eq!(told(symmetric), "is not known to be symmetric", "{symmetric}");
        }
    }

    #[test]
    fn masses_at_infinity() {
        let masses = |p: i64, q: i64| Ends {
            losses: None,
            infinite_p: Real::from(Rational::from((p, 10))),
            infinite_q: Real::from(Rational::from((q, 10))),
        };
        let text = of_ends(&masses(1, 2)).expect("they differ");
        assert_eq!(text, "is not symmetric: the mass at infinity is 1/10 under P and 1/5 under Q");
        assert_eq!(of_ends(&masses(1, 1)), None);
    }
}
