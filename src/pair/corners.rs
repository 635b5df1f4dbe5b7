//! Where a trade-off function that is a polyline has its corners, and where its profile has them.
//!
//! With `f = T(P,Q)` the profile is `delta(epsilon) = H_x(Q||P) = 1 + f*(-x)`, `x = e^epsilon`: for each x it is 1
//! minus the height at alpha = 0 of the tangent of slope `-x` to f. So as a function of x it is a polyline as well: its
//! corners are at the slopes of the pieces of f, and its pieces belong to the vertices of f. From `(0, 1)` it goes
//! through its corners, and from the last one on it is `1 - f(0)`; and f is the largest of 0 and of the lines
//! `1 - delta - x alpha` through its pieces. (`proofs/paper/duality.md`)

use super::{Pair, Polyline};
use crate::error::Error;
use enclosure::{Budget, Real};

/// The corners of a polyline f, and of its profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corners {
    /// `(alpha, f(alpha))`, from alpha = 0 to (1, 0).
    pub vertices: Vec<(Real, Real)>,
    /// `(epsilon, delta)`, epsilon increasing: for each piece of f that falls, `e^epsilon` is how fast.
    pub tangents: Vec<(Real, Real)>,
}

impl Corners {
    /// Those of a pair; `None` where its trade-off function is no polyline, or not known as a short one.
    ///
    /// # Errors
    /// Alarms.
    pub fn of(pair: &Pair, budget: &Budget) -> Result<Option<Self>, Error> {
        if let Some(f) = pair.trade_off()? {
            return Ok(f.corners());
        }
        let Some([f]) = Polyline::of_pairs([pair], budget) else { return Ok(None) };
        Ok(f.corners())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Composition;

    /// Floating-point and exact arithmetic find the same vertices of a rational pair.
    #[test]
    fn fractions_and_quotients_have_the_same_corners() {
        for text in [
            "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])",
            "trade-off(alpha=[0,1/10,1/2,1], beta=[9/10,3/5,1/8,0])",
            "inverse(finite(p=[1/2,1/4,1/4], q=[1/3,2/3,0]))",
            "approx-dp(epsilon=ln(2), delta=1/10)",
        ] {
            let composition: Composition = text.parse().expect("a mechanism");
            let pair = Pair::several(composition.pairs().expect("pairs"));
            let exact = pair.trade_off().expect("a curve").expect("a polyline").corners();
            let [other] = Polyline::of_pairs([&pair], &Budget::default()).expect("a polyline");
            assert!(exact.is_some() && exact == other.corners(), "{text}: {exact:?} {:?}", other.corners());
        }
    }
}
