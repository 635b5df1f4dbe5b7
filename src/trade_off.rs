//! Trade-off functions as values: the algebra of Dong, Roth and Su, *Gaussian differential privacy* (J. R. Stat. Soc.
//! B, 2022), over whatever a [`Composition`] can say.
//!
//! A function is kept as the composition that has it, and every operation is another composition: there is one
//! arithmetic, that of [`answer`](crate::answer()), and what comes out is exact or enclosed as there.

use crate::answer::{Answer, answer};
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{
    Composition, Group, GroupOneWay, Hull, Inverse, Mixture, ProfilePoints, Subsample, Symmetrize, TradeOffPoints,
};
use crate::order::{self, Order};
use crate::pair::{Corners, Pair, TradeOff as Fractions, Vertex};
use crate::query::{Quantity, Query};
use crate::supervise;
use enclosure::{Budget, Real};

/// A trade-off function `f = T(P,Q)`: the smallest type II error of a test of P against Q, at each type I error (Dong,
/// Roth, Su, "DRS", Definition 2.1).
///
/// ```
/// use dpcert::{Budget, Outcome, Real, TradeOff};
///
/// let real = |text: &str| text.parse::<Real>();
/// let f = TradeOff::of("randomized-response(epsilon=ln(3))".parse()?);
/// let budget = Budget::default();
/// // (0, 1), (1/4, 1/4), (1, 0): exactly.
/// assert_eq!(f.vertices(&budget)?[1], (real("1/4")?, real("1/4")?));
/// let Outcome::Exact(value) = f.at(&real("1/8")?, &budget)?.outcome else { return Err("not exact".into()) };
/// assert_eq!(value.to_string(), "5/8");
/// // Two runs are less private than one, and a group of two records is less private than two runs.
/// assert_eq!(f.order(&f.power(2)?, &budget)?.verdict(), "more private");
/// assert_eq!(f.power(2)?.order(&f.group(2), &budget)?.verdict(), "more private");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TradeOff {
    composition: Composition,
}

impl TradeOff {
    /// The trade-off function of a composition, for tests of its first distribution against its second, as documented
    /// for each mechanism.
    pub fn of(composition: Composition) -> Self {
        TradeOff { composition }
    }

    /// The piecewise-linear function through points `(alpha, f(alpha))` from alpha = 0 to (1, 0).
    ///
    /// A function is a trade-off function if and only if it is convex, continuous and non-increasing with `f(alpha) <=
    /// 1 - alpha` (DRS, Proposition 2.2).
    ///
    /// # Errors
    /// [`Error::Input`] with the first of the [`faults`](Self::faults), or if a coordinate is not rational.
    pub fn from_points(points: &[(Real, Real)]) -> Result<Self, Error> {
        let (alpha, beta) = points.iter().cloned().unzip();
        Ok(Self::of(Composition::new([(TradeOffPoints::new(alpha, beta)?.into(), 1)])?))
    }

    /// The reasons why these points are not those of a trade-off function. Empty if they are.
    ///
    /// ```
    /// use dpcert::TradeOff;
    ///
    /// let points = |list: &[(&str, &str)]| -> Result<Vec<_>, Box<dyn std::error::Error>> {
    ///     list.iter().map(|(alpha, beta)| Ok((alpha.parse()?, beta.parse()?))).collect()
    /// };
    /// let wrong = points(&[("0", "9/10"), ("1/4", "3/5"), ("1/2", "1/10"), ("1", "0")])?;
    /// assert_eq!(TradeOff::faults(&wrong)?, ["not convex: the point at alpha = 1/4 lies above a chord"]);
    /// // The biconjugate leaves that point out.
    /// let right = points(&[("0", "9/10"), ("1/2", "1/10"), ("1", "0")])?;
    /// assert_eq!(TradeOff::biconjugate(&wrong)?, TradeOff::from_points(&right)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Input`] if a coordinate is not rational.
    pub fn faults(points: &[(Real, Real)]) -> Result<Vec<String>, Error> {
        Ok(Fractions::faults(&fractions(points)?))
    }

    /// The largest trade-off function that is nowhere above these points. It is the biconjugate `f** = (f*)*` of the
    /// piecewise-linear function through them if that starts at most at 1 and ends in (1, 0), and otherwise of its
    /// minimum with `1 - alpha`.
    ///
    /// By the Fenchel-Moreau theorem `f**` is the largest convex function below f. For the points of two functions
    /// together it is `min(f, g)**`.
    ///
    /// # Errors
    /// [`Error::Input`] if an alpha is outside `[0, 1]`, a value is negative, or a coordinate is not rational.
    pub fn biconjugate(points: &[(Real, Real)]) -> Result<Self, Error> {
        let hull = Fractions::below(&fractions(points)?)?;
        let vertices =
            hull.vertices().iter().map(|(alpha, beta)| (Real::from(alpha.clone()), Real::from(beta.clone())));
        Self::from_points(&vertices.collect::<Vec<_>>())
    }

    /// The largest trade-off function implied by (epsilon, delta)-privacy for all of these pairs: `max_i f_{epsilon_i,
    /// delta_i}`, with `f_{epsilon, delta}(a) = max(0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a))` (DRS,
    /// Proposition 2.11).
    ///
    /// # Errors
    /// [`Error::Input`] unless each epsilon is at least 0 and each delta is a rational number in `[0, 1]`.
    pub fn from_profile(points: &[(Real, Real)]) -> Result<Self, Error> {
        let (epsilon, delta) = points.iter().cloned().unzip();
        Ok(Self::of(Composition::new([(ProfilePoints::new(epsilon, delta)?.into(), 1)])?))
    }

    /// The composition that has this trade-off function.
    pub fn composition(&self) -> &Composition {
        &self.composition
    }

    /// `f(alpha)`.
    ///
    /// # Errors
    /// Those of [`answer`](crate::answer()): malformed queries, and bugs in dpcert.
    pub fn at(&self, alpha: &Real, budget: &Budget) -> Result<Answer, Error> {
        self.ask(Quantity::Beta { alpha: alpha.clone() }, Direction::Forward, budget)
    }

    /// The convex conjugate `f*(y) = sup over 0 <= a <= 1 of (y a - f(a))`: `delta(ln(-y)) - 1` for `y < 0`, and y for
    /// `y >= 0` (DRS, Proposition 2.12, stated there for symmetric f and `y <= -1`).
    ///
    /// ```
    /// use dpcert::{Budget, Outcome, TradeOff};
    ///
    /// let f = TradeOff::of("finite(p=[1/2,1/2], q=[1/5,4/5])".parse()?);
    /// let at = |slope: &str| f.conjugate(&slope.parse()?, &Budget::default()).map(|answer| answer.outcome);
    /// let Outcome::Exact(value) = at("-3/2")? else { return Err("not exact".into()) };
    /// // At the vertex (1/2, 1/5).
    /// assert_eq!(value.to_string(), "-19/20");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`at`](Self::at).
    pub fn conjugate(&self, slope: &Real, budget: &Budget) -> Result<Answer, Error> {
        self.ask(Quantity::Conjugate { slope: slope.clone() }, Direction::Forward, budget)
    }

    /// The privacy profile `delta(epsilon) = 1 + f*(-e^epsilon)`, for any real epsilon (DRS, Proposition 2.12). It is
    /// the hockey-stick divergence `H_{e^epsilon}(Q||P)`, which equals that of P against Q if f is symmetric.
    ///
    /// # Errors
    /// As [`at`](Self::at).
    pub fn delta(&self, epsilon: &Real, budget: &Budget) -> Result<Answer, Error> {
        self.ask(Quantity::Delta { epsilon: epsilon.clone() }, Direction::Backward, budget)
    }

    /// The vertices `(alpha, f(alpha))`, from alpha = 0 to (1, 0), as exact constants: rational numbers, or rational
    /// functions of exponentials.
    ///
    /// ```
    /// use dpcert::{Budget, TradeOff};
    ///
    /// let f = TradeOff::of("randomized-response(epsilon=1)".parse()?);
    /// let [_, (alpha, beta), _] = &f.vertices(&Budget::default())?[..] else { return Err("not two pieces".into()) };
    /// assert_eq!(alpha.to_string(), "(1 + exp(1))^-1");
    /// assert_eq!(alpha, beta);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Undefined`] if f is not piecewise linear, or has too many vertices to list.
    pub fn vertices(&self, budget: &Budget) -> Result<Vec<(Real, Real)>, Error> {
        Ok(self.corners(budget)?.vertices)
    }

    /// The breakpoints `(epsilon, delta)` of the profile `1 + f*(-e^epsilon)`, in increasing order of epsilon: one for
    /// each decreasing segment of f, at the logarithm of its slope. Between breakpoints the profile is linear in
    /// `e^epsilon`. Before the first one it descends from delta = 1 at `e^epsilon = 0`, and after the last one it is
    /// constant.
    ///
    /// The breakpoints with `epsilon >= 0` determine a symmetric f: [`from_profile`](Self::from_profile), given these
    /// and the delta at epsilon = 0, returns f:
    ///
    /// ```
    /// use std::cmp::Ordering;
    ///
    /// use dpcert::{Budget, Real, TradeOff};
    ///
    /// let budget = Budget::default();
    /// let f = TradeOff::of("randomized-response(epsilon=ln(3))^2".parse()?);
    /// let corners = f.breakpoints(&budget)?;
    /// let promised = |epsilon: &Real| epsilon.sign() != Some(Ordering::Less);
    /// let promises: Vec<_> = corners.into_iter().filter(|(epsilon, _)| promised(epsilon)).collect();
    /// assert_eq!(TradeOff::from_profile(&promises)?.vertices(&budget)?, f.vertices(&budget)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`vertices`](Self::vertices).
    pub fn breakpoints(&self, budget: &Budget) -> Result<Vec<(Real, Real)>, Error> {
        Ok(self.corners(budget)?.tangents)
    }

    /// `f^-1(a) = inf { t : f(t) <= a }`, which is `T(Q,P)` (DRS, Proposition 2.4).
    #[must_use]
    pub fn inverse(&self) -> Self {
        self.made(Inverse::new(self.composition.clone()).into())
    }

    /// `max(f, f^-1)`: the guarantee that f-privacy of all neighbours in both directions implies (DRS, Proposition
    /// 2.4).
    #[must_use]
    pub fn symmetrized(&self) -> Self {
        self.made(Symmetrize::new(self.composition.clone()).into())
    }

    /// `min(f, f^-1)**`, the largest trade-off function below both (DRS, Section 4).
    #[must_use]
    pub fn hull(&self) -> Self {
        self.made(Hull::new(self.composition.clone()).into())
    }

    /// The tensor product `f (x) g = T(P x P', Q x Q')`, tight for compositions (DRS, Definition 3.1 and Theorem 3.2).
    ///
    /// # Errors
    /// [`Error::Input`] for more than `2^64` runs.
    pub fn tensor(&self, other: &Self) -> Result<Self, Error> {
        Ok(Self::of(self.composition.and(&other.composition)?))
    }

    /// `f (x) ... (x) f`, n times.
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor).
    pub fn power(&self, n: u64) -> Result<Self, Error> {
        Ok(Self::of(self.composition.repeat(n)?))
    }

    /// A bound for groups of k records, each added or removed: `1 - (1-h)^(o k)` with `h = min(f, f^-1)**`, iterated k
    /// times, for `k >= 2`, and f for `k = 1`. It holds for every chain of k neighbours in which each two neighbours
    /// are bounded by f or by `f^-1` (DRS, Theorem 2.14, which assumes `f = f^-1`; then h is f).
    #[must_use]
    pub fn group(&self, k: u64) -> Self {
        self.made(Group::new(k, self.composition.clone()).into())
    }

    /// A bound for groups of k records, all added or all removed: `1 - (1-f)^(o k)`. It holds only for chains of
    /// neighbours in which every link is bounded by f in the direction of the chain. For other chains see
    /// [`group`](Self::group).
    #[must_use]
    pub fn group_one_way(&self, k: u64) -> Self {
        self.made(GroupOneWay::new(k, self.composition.clone()).into())
    }

    /// Subsampling of a fixed share p of the records, for a symmetric f: `C_p(f) = min(f_p, f_p^-1)**` with
    /// `f_p = p f + (1-p) Id` (DRS, Theorem 4.2). For a non-symmetric f every query is undefined.
    ///
    /// # Errors
    /// [`Error::Input`] if the rate is outside `[0, 1]`.
    pub fn subsampled(&self, rate: &Real) -> Result<Self, Error> {
        Ok(self.made(Subsample::new(rate.clone(), self.composition.clone())?.into()))
    }

    /// The mixture of several functions: one is drawn with these probabilities, and the choice is revealed. It is the
    /// infimum of `sum w_i f_i(alpha_i)` over `sum w_i alpha_i = alpha`. If the choice is not revealed, the trade-off
    /// function is at least that; at alphas of one likelihood ratio this is inequality (4.1) of Su 2024.
    ///
    /// # Errors
    /// [`Error::Input`] if a weight is not rational, or the weights do not sum to 1.
    pub fn mixture(parts: &[(Real, Self)]) -> Result<Self, Error> {
        let (weights, parts) = parts.iter().map(|(weight, f)| (weight.clone(), f.composition.clone())).unzip();
        Ok(Self::of(Composition::new([(Mixture::new(weights, parts)?.into(), 1)])?))
    }

    /// Compare f with g: for each of `f >= g` and `g >= f`, a proof for all alphas or a witness against it. By
    /// Blackwell's theorem `f >= g` means that the mechanism of f is a post-processing of the mechanism of g (DRS,
    /// Theorem 2.10).
    ///
    /// # Errors
    /// Those of [`order`](crate::order()).
    pub fn order(&self, other: &Self, budget: &Budget) -> Result<Order, Error> {
        order::order(&self.composition, &other.composition, budget)
    }

    fn made(&self, mechanism: crate::mechanism::Mechanism) -> Self {
        Self::of(Composition::from(mechanism))
    }

    fn ask(&self, quantity: Quantity, direction: Direction, budget: &Budget) -> Result<Answer, Error> {
        answer(&Query::new(quantity, self.composition.clone()).with_direction(direction), budget)
    }

    fn corners(&self, budget: &Budget) -> Result<Corners, Error> {
        let (composition, own) = (self.composition.clone(), budget.clone());
        let found = supervise::within(budget, move || Corners::of(&Pair::several(composition.pairs()?), &own))?;
        found.ok_or_else(|| {
            Error::Undefined(format!(
                "the trade-off function of {} is not piecewise linear, or has too many vertices, or its vertices are \
                 not known exactly",
                self.composition
            ))
        })
    }
}

/// Points in fractions.
fn fractions(points: &[(Real, Real)]) -> Result<Vec<Vertex>, Error> {
    let fraction = |value: &Real| {
        value.as_rational().cloned().ok_or_else(|| {
            Error::input(format!(
                "the points must be rational numbers, not \
                                                                         {value}"
            ))
        })
    };
    points.iter().map(|(alpha, beta)| Ok((fraction(alpha)?, fraction(beta)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Outcome;
    use enclosure::Enclosure;

    const POLYLINES: [&str; 7] = [
        "randomized-response(epsilon=1)^3",
        "group(k=2, geometric(epsilon=1, sensitivity=2))",
        "poisson(rate=1/4, geometric(epsilon=1/2))",
        "inverse(poisson(rate=1/3, approx-dp(epsilon=1, delta=1/10)))",
        "profile(epsilon=[0,1,2], delta=[1/3,1/20,1/100])",
        "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2",
        "trade-off(alpha=[0,1/10,1/2,1], beta=[9/10,3/5,1/8,0])",
    ];

    fn of(text: &str) -> TradeOff {
        TradeOff::of(text.parse().expect("a mechanism"))
    }

    fn set(answer: Result<Answer, Error>) -> Enclosure {
        let outcome: Outcome = answer.expect("an answer").outcome;
        outcome.number().unwrap_or_else(|| panic!("{outcome:?}")).enclosure(160)
    }

    /// Both lists against answers of engines: at corners, and halfway between them, where both are straight.
    #[test]
    fn corners_are_on_their_curves_and_all_there_are() {
        let (budget, half) = (Budget::default(), rug::Rational::from((1, 2)));
        let middle = |a: &Real, b: &Real| a.add(b).mul_rational(&half);
        for text in POLYLINES {
            let f = of(text);
            let vertices = f.vertices(&budget).expect("vertices");
            for (alpha, beta) in &vertices {
                assert!(set(f.at(alpha, &budget)).overlaps(&beta.enclosure(160)), "{text} at {alpha}");
            }
            for pair in vertices.windows(2) {
                let [(a, b), (c, d)] = pair else { continue };
                let (alpha, beta) = (middle(a, c), middle(b, d));
                assert!(set(f.at(&alpha, &budget)).overlaps(&beta.enclosure(160)), "{text} at {alpha}");
            }
            let corners = f.breakpoints(&budget).expect("corners");
            for (epsilon, delta) in &corners {
                assert!(set(f.delta(epsilon, &budget)).overlaps(&delta.enclosure(160)), "{text} at {epsilon}");
            }
            for pair in corners.windows(2) {
                let [(a, b), (c, d)] = pair else { continue };
                let x = middle(&a.exp().expect("a power"), &c.exp().expect("a power"));
                let (epsilon, delta) = (x.ln().expect("a logarithm"), middle(b, d));
                assert!(set(f.delta(&epsilon, &budget)).overlaps(&delta.enclosure(160)), "{text} at {epsilon}");
            }
        }
    }

    /// What each operation is, in the language.
    #[test]
    fn operations_are_those_of_the_language() {
        let (f, g) = (of("gdp(mu=1)"), of("laplace(scale=2)"));
        let quarter: Real = "1/4".parse().expect("a constant");
        let rest: Real = "3/4".parse().expect("a constant");
        for (made, text) in [
            (f.inverse(), "inverse(gdp(mu=1))"),
            (f.symmetrized(), "symmetrize(gdp(mu=1))"),
            (f.hull(), "hull(gdp(mu=1))"),
            (f.group(3), "group(k=3, gdp(mu=1))"),
            (f.group_one_way(3), "group-one-way(k=3, gdp(mu=1))"),
            (f.tensor(&g).expect("a product"), "gdp(mu=1) * laplace(scale=2)"),
            (f.power(4).expect("a power"), "gdp(mu=1)^4"),
            (f.subsampled(&quarter).expect("a sample"), "subsample(rate=1/4, gdp(mu=1))"),
            (
                TradeOff::mixture(&[(quarter, f.clone()), (rest, g.clone())]).expect("a mixture"),
                "mixture(1/4: gdp(mu=1), 3/4: laplace(scale=2))",
            ),
        ] {
            assert_eq!(made, of(text));
        }
    }

    /// The two directions are not mixed up: f, its conjugate and its profile are those of T(P,Q).
    #[test]
    fn all_three_are_of_one_order() {
        let (f, budget) = (of("finite(p=[1/2,1/2], q=[1/5,4/5])"), Budget::default());
        let real = |text: &str| text.parse::<Real>().expect("a constant");
        let exact = |answer: Result<Answer, Error>| match answer.expect("an answer").outcome {
            Outcome::Exact(value) => value.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(exact(f.at(&real("1/2"), &budget)), "1/5");
        assert_eq!(exact(f.conjugate(&real("-3/2"), &budget)), "-19/20");
        assert_eq!(exact(f.delta(&real("ln(3/2)"), &budget)), "1/20");
        assert_eq!(exact(f.inverse().at(&real("1/2"), &budget)), "5/16");
    }

    #[test]
    fn smooth_functions_have_no_vertices() {
        for text in ["gdp(mu=1)", "laplace(scale=1)", "gdp(mu=1) * randomized-response(epsilon=1)"] {
            assert!(matches!(of(text).vertices(&Budget::default()), Err(Error::Undefined(_))), "{text}");
        }
    }
}
