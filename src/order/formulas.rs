//! The stochastic matrix between pairs whose masses are quotients of polynomials in `x = e^u`.
//!
//! Randomised response, k-ary randomised response and the worst (epsilon, delta) pair have masses of that kind if each
//! epsilon is a multiple of one number u, and so have their compositions, with fractions beside them. The construction
//! of [`channel`](super::channel) needs no more than exact arithmetic and signs, which [`Quotient`] has.

use std::sync::Arc;

use rug::{Integer, Rational};

use super::channel::{Masses, rows};
use super::quotient::Quotient;
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use enclosure::{Polynomial, Real};

/// The most outcomes of a composition, and the highest power of x.
const MOST: usize = 64;

/// A matrix of formulas.
pub struct Formulas {
    /// `x = e^unit`.
    pub unit: Real,
    /// The masses before the map.
    pub from: Masses<Quotient>,
    /// The masses behind it.
    pub to: Masses<Quotient>,
    /// A row for each outcome before the map.
    pub rows: Vec<Vec<Quotient>>,
}

/// The map from the outcomes of the one composition to those of the other, which is known to be at least as private;
/// `None` where some masses are no such quotients, or there are too many.
///
/// # Errors
/// Those of [`rows`].
pub fn between(from: &Composition, to: &Composition) -> Result<Option<Formulas>, Error> {
    let Some(unit) = unit([from, to]) else { return Ok(None) };
    let at = Arc::new(unit.clone());
    let masses = |of: &Composition| -> Option<Masses<Quotient>> {
        let Outcomes { weights, whole } = Outcomes::of(of, &unit)?;
        let side = |which: fn(&[Polynomial; 2]) -> &Polynomial| {
            weights.iter().map(|pair| Quotient::new(which(pair), &whole, &at)).collect()
        };
        Some([side(|[p, _]| p), side(|[_, q]| q)])
    };
    let (Some(from), Some(to)) = (masses(from), masses(to)) else { return Ok(None) };
    let rows = rows(&from, &to)?;
    Ok(Some(Formulas { unit, from, to, rows }))
}

/// The epsilon of a mechanism whose masses are powers of `e^epsilon`.
fn epsilon(mechanism: &Mechanism) -> Option<&Real> {
    match mechanism {
        Mechanism::RandomizedResponse(response) => Some(response.epsilon()),
        Mechanism::KRandomizedResponse(response) => Some(response.epsilon()),
        Mechanism::ApproxDp(pair) => Some(pair.epsilon()),
        _ => None,
    }
}

/// The largest number of which each epsilon is a multiple; `None` where there is none, or no epsilon.
fn unit(both: [&Composition; 2]) -> Option<Real> {
    let mut unit: Option<Real> = None;
    for (mechanism, _) in both.into_iter().flat_map(Composition::factors) {
        let Some(epsilon) = epsilon(mechanism).filter(|epsilon| !epsilon.is_zero()) else { continue };
        unit = Some(match unit {
            None => epsilon.clone(),
            Some(unit) => {
                // `gcd(1, a/b) = 1/b` for a fraction in lowest terms.
                let ratio = epsilon.ratio(&unit)?;
                unit.mul_rational(&Rational::from((Integer::from(1), ratio.denom().clone())))
            }
        });
    }
    unit
}

/// Outcomes with weights under both distributions, in units of one whole.
struct Outcomes {
    weights: Vec<[Polynomial; 2]>,
    whole: Polynomial,
}

impl Outcomes {
    /// Those of a composition: of one mechanism its own, of several those with different likelihood ratios.
    fn of(composition: &Composition, unit: &Real) -> Option<Self> {
        let one = || Outcomes { weights: vec![[Polynomial::one(), Polynomial::one()]], whole: Polynomial::one() };
        match composition.factors() {
            [(mechanism, 1)] => Self::of_one(mechanism, unit),
            factors => factors.iter().try_fold(one(), |mut all, (mechanism, times)| {
                let next = Self::of_one(mechanism, unit)?;
                for _ in 0..*times {
                    all = all.beside(&next)?;
                }
                Some(all)
            }),
        }
    }

    fn of_one(mechanism: &Mechanism, unit: &Real) -> Option<Self> {
        let (one, zero) = (Polynomial::one(), Polynomial::zero());
        // x^n = e^epsilon
        let power = |epsilon: &Real| -> Option<Polynomial> {
            let n = epsilon.ratio(unit).filter(|n| n.is_integer())?.numer().to_usize()?;
            (n <= MOST).then(|| Polynomial::monomial(Integer::from(1), n))
        };
        let response = |x: &Polynomial| vec![[x.clone(), one.clone()], [one.clone(), x.clone()]];
        Some(match mechanism {
            Mechanism::RandomizedResponse(response_) => {
                let x = power(response_.epsilon())?;
                Outcomes { whole: &x + &one, weights: response(&x) }
            }
            Mechanism::KRandomizedResponse(of_many) => {
                let x = power(of_many.epsilon())?;
                let others = usize::try_from(of_many.categories()).ok()?.checked_sub(2)?;
                if others > MOST {
                    return None;
                }
                let mut weights = response(&x);
                weights.extend(vec![[one.clone(), one.clone()]; others]);
                Outcomes { whole: &x + &Polynomial::constant(Integer::from(others + 1)), weights }
            }
            Mechanism::ApproxDp(pair) => {
                let delta = pair.delta().as_rational()?;
                let x = power(pair.epsilon())?;
                let whole = &x + &one;
                let told = whole.scale(delta.numer());
                let kept = Integer::from(delta.denom() - delta.numer());
                let mut weights = vec![[told.clone(), zero.clone()]];
                weights.extend(response(&x).into_iter().map(|pair| pair.map(|weight| weight.scale(&kept))));
                weights.push([zero, told]);
                weights.retain(|[p, q]| !(p.is_zero() && q.is_zero()));
                Outcomes { whole: whole.scale(delta.denom()), weights }
            }
            Mechanism::Finite(pair) => {
                let all = pair.p().iter().chain(pair.q());
                let whole = all.fold(Integer::from(1), |whole, mass| whole.lcm(mass.denom()));
                let weight = |mass: &Rational| Polynomial::constant(Rational::from(mass * &whole).numer().clone());
                let weights = pair.p().iter().zip(pair.q()).map(|(p, q)| [weight(p), weight(q)]).collect();
                Outcomes { weights, whole: Polynomial::constant(whole) }
            }
            _ => return None,
        })
    }

    /// Both outcomes together, with those of the same likelihood ratio as one.
    fn beside(&self, other: &Self) -> Option<Self> {
        let mut weights: Vec<[Polynomial; 2]> = Vec::new();
        for [p, q] in &self.weights {
            for [other_p, other_q] in &other.weights {
                let (p, q) = (p * other_p, q * other_q);
                if p.is_zero() && q.is_zero() {
                    continue;
                }
                match weights.iter_mut().find(|[known_p, known_q]| known_p * &q == known_q * &p) {
                    Some([known_p, known_q]) => (*known_p, *known_q) = (&*known_p + &p, &*known_q + &q),
                    None => weights.push([p, q]),
                }
            }
        }
        let whole = &self.whole * &other.whole;
        (weights.len() <= MOST && whole.degree().is_none_or(|degree| degree <= MOST))
            .then_some(Outcomes { weights, whole })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::{Enclosure, Number};
    use rug::Rational;

    fn made(from: &str, to: &str) -> Option<Formulas> {
        between(&from.parse().expect(from), &to.parse().expect(to)).expect("signs")
    }

    /// The value of a formula, which has quotients alone.
    fn shown(rows: &[Vec<Quotient>]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect()
    }

    /// By hand: the map between two randomised responses flips with the probability that solves two equations.
    #[test]
    fn responses_are_flipped() {
        let found = made("randomized-response(epsilon=2)", "randomized-response(epsilon=1)").expect("formulas");
        assert_eq!(found.unit, Real::one());
        // (x^2, 1)/(x^2+1) becomes (x, 1)/(x+1): (a x^2 + b)/(x^2+1) = x/(x+1) with a + b = 1.
        let kept = "(x^2 + x + 1)/(x^2 + 2*x + 1)";
        let flipped = "x/(x^2 + 2*x + 1)";
        assert_eq!(shown(&found.rows), [[kept, flipped], [flipped, kept]]);
    }

    /// At a rational x a matrix of formulas is a map between the same pairs in fractions.
    #[test]
    fn formulas_are_right_at_another_x() {
        for (from, to) in [
            ("randomized-response(epsilon=1)^3", "randomized-response(epsilon=1)"),
            ("k-randomized-response(epsilon=1/2, categories=4)", "randomized-response(epsilon=1/4)"),
            ("randomized-response(epsilon=3)", "k-randomized-response(epsilon=2, categories=5)"),
            ("approx-dp(epsilon=sqrt(2), delta=1/10)", "randomized-response(epsilon=sqrt(2)/2)"),
            ("randomized-response(epsilon=1) * finite(p=[1/2,1/2], q=[1/3,2/3])", "randomized-response(epsilon=1)"),
        ] {
            let found = made(from, to).expect(from);
            let unit = found.unit.enclosure(64);
            let x = Rational::from_f64(unit.exp().lower().to_f64()).expect("a double");
            let at = |list: &[Quotient]| -> Vec<Rational> { list.iter().map(|one| one.at(&x)).collect() };
            let [from_p, from_q] = [&found.from[0], &found.from[1]].map(|list| at(list));
            let [to_p, to_q] = [&found.to[0], &found.to[1]].map(|list| at(list));
            let matrix: Vec<Vec<Rational>> = found.rows.iter().map(|row| at(row)).collect();
            for (masses, wanted) in [(from_p, to_p), (from_q, to_q)] {
                assert_eq!(masses.iter().sum::<Rational>(), 1, "{from}");
                for (column, wanted) in wanted.iter().enumerate() {
                    let sent: Rational =
                        masses.iter().zip(&matrix).map(|(mass, row)| Rational::from(mass * &row[column])).sum();
                    assert_eq!(sent, *wanted, "{from} to {to}");
                }
            }
            assert!(matrix.iter().flatten().all(|entry| *entry >= 0), "{from} to {to}");
        }
    }

    /// The masses are those of the pair.
    #[test]
    fn masses_are_those_of_the_mechanism() {
        let found = made("k-randomized-response(epsilon=1, categories=4)", "randomized-response(epsilon=1/2)");
        let found = found.expect("formulas");
        let x = Number::Enclosed(Enclosure::rational(&Rational::from((1, 2)), 128).exp());
        let first = found.from[0][0].value(&x);
        // e/(e+3)
        let e = Enclosure::one(128).exp();
        assert!(first.enclosure(128).overlaps(&(&e / &(&e + &Enclosure::integer(&3.into(), 128)))));
    }

    #[test]
    fn other_masses_have_no_formulas() {
        for (from, to) in [
            ("randomized-response(epsilon=1)", "randomized-response(epsilon=ln(2))"),
            ("randomized-response(epsilon=1)^100", "randomized-response(epsilon=1)"),
            ("k-randomized-response(epsilon=1, categories=1000)", "randomized-response(epsilon=1)"),
            ("randomized-response(epsilon=1)", "randomized-response(epsilon=1/1000)"),
            ("laplace(scale=1)", "randomized-response(epsilon=1/10)"),
            ("finite(p=[1/2,1/2], q=[1/3,2/3])", "finite(p=[1/2,1/2], q=[1/2,1/2])"),
        ] {
            assert!(made(from, to).is_none(), "{from} to {to}");
        }
    }
}
