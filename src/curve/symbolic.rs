//! The composition of equal (epsilon, delta)-DP mechanisms as exact formulas in `x = e^epsilon`
//! (`proofs/paper/symbolic.md`).
//!
//! The k-fold composition is (epsilon', delta')-DP exactly for the (epsilon', delta') implied by the points
//! `((k-2i) epsilon, 1 - (1-delta)^k (1 - delta_i))`, `i = 0, ..., floor(k/2)`, where
//!
//! `delta_i(x) = sum_{l=0}^{i-1} C(k,l) (x^{k-l} - x^{k-2i+l}) / (1+x)^k`
//!
//! (Kairouz, Oh, Viswanath, Theorem 3.3). Its trade-off function is the polyline through the points `(A_j, B_j)`, with
//! delta = 0 and j = -1, 0, ..., k:
//!
//! `A_j = sum_{l<=j} C(k,l) x^l/(1+x)^k`, `B_j = 1 - sum_{l<=j} C(k,l) x^{k-l}/(1+x)^k`;
//!
//! delta > 0 multiplies both coordinates by `(1-delta)^k` and appends (1, 0). All of it is here as rational functions
//! in lowest terms, so a point `x` gives the exact answer by one evaluation.

use std::fmt;

use rug::{Integer, Rational};
use serde::{Serialize, Serializer};

use crate::error::Error;
use enclosure::{Polynomial, RationalFunction};

/// The largest number of mechanisms: the formulas grow with the square of it.
pub const MAX_MECHANISMS: u32 = 64;

/// The k-fold composition of (epsilon, delta)-DP mechanisms, for every epsilon at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SymbolicComposition {
    /// Number of mechanisms.
    pub k: u32,
    /// The delta of each mechanism.
    #[serde(serialize_with = "as_text")]
    pub delta: Rational,
    /// The vertices of the privacy region, `i = 0, ..., floor(k/2)`.
    pub points: Vec<SymbolicPoint>,
    /// The vertices of the trade-off function, from alpha = 0 to alpha = 1.
    pub vertices: Vec<SymbolicVertex>,
}

/// The composition is `(times * epsilon, total)`-DP.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SymbolicPoint {
    /// The index in the theorem.
    pub i: u32,
    /// `k - 2i`: epsilon' in units of epsilon.
    pub times: u32,
    /// `delta_i`, the delta due to the epsilons alone.
    pub delta_i: RationalFunction,
    /// `1 - (1-delta)^k (1 - delta_i)`.
    pub total: RationalFunction,
}

/// A vertex of the composed trade-off function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SymbolicVertex {
    /// Type I error.
    pub alpha: RationalFunction,
    /// Type II error.
    pub beta: RationalFunction,
}

impl SymbolicComposition {
    /// The composition of `k <= 64` mechanisms with `0 <= delta <= 1`.
    pub fn new(k: u32, delta: &Rational) -> Result<Self, Error> {
        if k > MAX_MECHANISMS {
            return Err(Error::input(format!(
                "formulas are available for at most {MAX_MECHANISMS} mechanisms, not {k}; `region` computes numbers \
                 for more"
            )));
        }
        if delta.cmp0().is_lt() || *delta > 1 {
            return Err(Error::Undefined(format!("delta must be between 0 and 1, not {delta}")));
        }
        let kept = Rational::from(rug::ops::Pow::pow(&Rational::from(1 - delta), k));
        let one = RationalFunction::one();
        let points = (0..=k / 2)
            .map(|i| {
                let delta_i = delta_i(k, i);
                let total = &one - &(&one - &delta_i).mul_rational(&kept);
                SymbolicPoint { i, times: k - 2 * i, delta_i, total }
            })
            .collect();
        Ok(SymbolicComposition { k, delta: delta.clone(), points, vertices: vertices(k, &kept) })
    }
}

/// `delta_i` of the theorem.
fn delta_i(k: u32, i: u32) -> RationalFunction {
    let mut coefficients = vec![Integer::new(); k as usize + 1];
    for l in 0..i {
        let ways = Integer::from(k).binomial(l);
        coefficients[(k - l) as usize] += &ways;
        coefficients[(k - 2 * i + l) as usize] -= &ways;
    }
    RationalFunction::new(Polynomial::new(coefficients), 0, k)
}

/// The points `((1-delta)^k A_j, (1-delta)^k B_j)`, and (1, 0) if that is not the last of them.
fn vertices(k: u32, kept: &Rational) -> Vec<SymbolicVertex> {
    let mut vertices = Vec::with_capacity(k as usize + 3);
    let mut alpha = Polynomial::zero();
    let mut beta = Polynomial::one_plus_x_pow(k);
    let mut push = |alpha: &Polynomial, beta: &Polynomial| {
        let scaled = |numerator: &Polynomial| RationalFunction::new(numerator.clone(), 0, k).mul_rational(kept);
        vertices.push(SymbolicVertex { alpha: scaled(alpha), beta: scaled(beta) });
    };
    push(&alpha, &beta);
    // With delta = 1 all other points coincide with the first.
    for l in (0..=k).filter(|_| !kept.is_zero()) {
        let ways = Integer::from(k).binomial(l);
        alpha = &alpha + &Polynomial::monomial(ways.clone(), l as usize);
        beta = &beta - &Polynomial::monomial(ways, (k - l) as usize);
        push(&alpha, &beta);
    }
    if *kept != 1 {
        vertices.push(SymbolicVertex { alpha: RationalFunction::one(), beta: RationalFunction::zero() });
    }
    vertices
}

impl fmt::Display for SymbolicComposition {
    /// One line for each point and vertex.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}-fold composition of (epsilon, {})-DP, x = e^epsilon", self.k, self.delta)?;
        for point in &self.points {
            let epsilon = match point.times {
                0 => "0".to_owned(),
                1 => "epsilon".to_owned(),
                n => format!("{n}*epsilon"),
            };
            write!(f, "i = {}: epsilon' = {epsilon}, delta_{} = {}", point.i, point.i, point.delta_i)?;
            if !self.delta.is_zero() {
                write!(f, ", delta' = {}", point.total)?;
            }
            writeln!(f)?;
        }
        for vertex in &self.vertices {
            writeln!(f, "vertex: alpha = {}, beta = {}", vertex.alpha, vertex.beta)?;
        }
        Ok(())
    }
}

fn as_text<S: Serializer>(value: &Rational, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

#[cfg(test)]
mod tests {
    use rug::ops::Pow;

    use super::*;
    use crate::curve::Direction;
    use crate::pair::FinitePair;
    use crate::pair::TradeOff;
    use enclosure::{Budget, Enclosure, Number};

    fn q(numer: i64, denom: i64) -> Rational {
        Rational::from((numer, denom))
    }

    fn at(function: &RationalFunction, x: &Rational) -> Rational {
        function.evaluate(&Number::Exact(x.clone())).exact().unwrap().clone()
    }

    /// The k-fold product of the four-outcome pair, outcome by outcome.
    fn convolution(x: &Rational, delta: &Rational, k: u32) -> FinitePair {
        let one = FinitePair::approximate_dp(x, delta).unwrap();
        let times = |a: &[Rational], b: &[Rational]| -> Vec<Rational> {
            a.iter().flat_map(|x| b.iter().map(move |y| Rational::from(x * y))).collect()
        };
        let start = FinitePair::new(vec![q(1, 1)], vec![q(1, 1)]).unwrap();
        (0..k).fold(start, |all, _| FinitePair::new(times(all.p(), one.p()), times(all.q(), one.q())).unwrap())
    }

    #[test]
    fn equals_the_direct_convolution() {
        for k in 0..=6 {
            for delta in [q(0, 1), q(1, 1000), q(1, 10), q(1, 1)] {
                let composition = SymbolicComposition::new(k, &delta).unwrap();
                for x in [q(1, 1), q(11, 10), q(3, 2), q(5, 1)] {
                    let pair = convolution(&x, &delta, k);
                    for point in &composition.points {
                        let threshold = Rational::from(rug::ops::Pow::pow(&x, point.times));
                        for pair in [pair.clone(), pair.swapped()] {
                            let direct: Rational = pair
                                .outcomes()
                                .map(|(p, q)| (p - Rational::from(&threshold * q)).max(Rational::new()))
                                .sum();
                            assert_eq!(at(&point.total, &x), direct, "k {k}, i {}, x {x}, delta {delta}", point.i);
                        }
                    }
                    let vertices: Vec<_> =
                        composition.vertices.iter().map(|v| (at(&v.alpha, &x), at(&v.beta, &x))).collect();
                    assert_eq!(TradeOff::new(vertices), Ok(TradeOff::from_pair(&pair)));
                }
            }
        }
    }

    #[test]
    fn sixty_four() {
        let (x, delta) = (q(11, 10), q(1, 1000));
        let composition = SymbolicComposition::new(64, &delta).unwrap();
        assert_eq!((composition.points.len(), composition.vertices.len()), (33, 67));
        let f = TradeOff::approximate_dp(&x, &delta).unwrap().power(64, 1 << 20, &Budget::default()).unwrap();
        for point in &composition.points {
            let threshold = Rational::from(rug::ops::Pow::pow(&x, point.times));
            assert_eq!(Ok(at(&point.total, &x)), f.delta(&threshold, Direction::Forward));
        }
        let vertices: Vec<_> = composition.vertices.iter().map(|v| (at(&v.alpha, &x), at(&v.beta, &x))).collect();
        assert_eq!(TradeOff::new(vertices), Ok(f));
        assert!(SymbolicComposition::new(65, &delta).is_err());
        assert!(SymbolicComposition::new(3, &q(-1, 2)).is_err());
    }

    #[test]
    fn for_people_and_programs() {
        let composition = SymbolicComposition::new(2, &q(0, 1)).unwrap();
        let text = composition.to_string();
        let expected = "2-fold composition of (epsilon, 0)-DP, x = e^epsilon\n\
                        i = 0: epsilon' = 2*epsilon, delta_0 = 0\n\
                        i = 1: epsilon' = 0, delta_1 = (x - 1)/(1+x)\n\
                        vertex: alpha = 0, beta = 1\n\
                        vertex: alpha = 1/(1+x)^2, beta = (2*x + 1)/(1+x)^2\n\
                        vertex: alpha = (2*x + 1)/(1+x)^2, beta = 1/(1+x)^2\n\
                        vertex: alpha = 1, beta = 0\n";
        assert_eq!(text, expected);
        let json = serde_json::to_value(SymbolicComposition::new(1, &q(1, 10)).unwrap()).unwrap();
        assert_eq!(json["delta"], "1/10");
        assert_eq!(json["vertices"][1]["alpha"]["text"], "9/(10*(1+x))");
        assert_eq!(json["vertices"][1]["alpha"]["numerator"][0], "9");
    }

    /// Printed with 41 decimals.
    fn near(decimals: &str) -> Enclosure {
        let scale = Integer::from(10).pow(41);
        let value: Integer = decimals.parse().unwrap();
        let end = |by: i32| Enclosure::rational(&Rational::from((Integer::from(&value + by), scale.clone())), 300);
        end(-1).hull(&end(1))
    }

    #[test]
    fn figure_three_of_the_paper() {
        // epsilon = 0.1, delta = 0.001, k = 30.
        let x = Number::Enclosed(Enclosure::rational(&q(1, 10), 400).exp());
        let composition = SymbolicComposition::new(30, &q(1, 1000)).unwrap();
        for (i, decimals) in [
            (0, "2956903273691425496135215952592638958230"),
            (5, "2958658070173770673305720187567374472866"),
            (10, "3981841052213057502284335694906066126436"),
            (15, "23725952866781462129442727126434088048957"),
        ] {
            let total = composition.points[i].total.evaluate(&x).enclosure(400);
            assert!(total.overlaps(&near(decimals)), "{i}: {total:?}");
        }
    }
}
