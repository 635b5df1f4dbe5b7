//! The ends of a pair: how far its finite losses go, and the masses beyond.
//!
//! **What is certified.** An end that is [`LossBound::At`] is the supremum of the finite losses that have mass, or
//! their infimum, as an exact constant; what is not certain is [`LossBound::Unknown`]. The masses at infinity are
//! exact.
//!
//! **The sample** of a pair has the losses `ln(1 + r (e^l - 1))`, which rises in l, so that ends come from ends. The
//! Q-mass where P had none has the loss `ln(1-r)` and no other is as small; a pair whose losses fall without bound
//! comes as near to it as one likes. The P-mass where Q had none stays there with probability r.

use std::cmp::Ordering;

use rug::Rational;

use super::{Discrete, Law, Listed, LossBound, Noise, Pair, Part, Product};
use crate::error::Error;
use enclosure::Real;

/// Beyond this loss `e^l` is not formed.
const FAR: f64 = 1e6;

/// How far a pair goes.
#[derive(Clone, Debug)]
pub struct Ends {
    /// The infimum and the supremum of the finite losses; `None` if there is no finite loss.
    pub losses: Option<(LossBound, LossBound)>,
    /// The P-mass where Q has none.
    pub infinite_p: Real,
    /// The Q-mass where P has none.
    pub infinite_q: Real,
}

impl Ends {
    /// Without mass at infinity.
    fn finite(least: LossBound, largest: LossBound) -> Self {
        Ends { losses: Some((least, largest)), infinite_p: Real::zero(), infinite_q: Real::zero() }
    }

    /// Of a loss that is zero or infinite, either way with this probability.
    fn failure(delta: &Real) -> Self {
        Ends { infinite_p: delta.clone(), infinite_q: delta.clone(), ..Ends::within(&Real::zero()) }
    }

    /// Of losses that go from `-largest` to `largest`.
    pub(super) fn within(largest: &Real) -> Self {
        Ends::finite(LossBound::At(largest.neg()), LossBound::At(largest.clone()))
    }

    /// Of the sample with this rate, which is strictly between 0 and 1.
    pub(super) fn sampled(self, rate: &Real) -> Result<Self, Error> {
        let one = Real::one();
        let at = |ratio: &Real| -> Result<Real, Error> { one.add(&rate.mul(&ratio.sub(&one))?).ln() };
        let known = |loss: Result<Real, Error>| LossBound::from(loss.ok());
        let floor = known(at(&Real::zero()));
        let rest = one.sub(rate);
        let moved = |end: LossBound| match end {
            // The same with `e^-l`, whose exponent does not run out.
            LossBound::At(loss) if loss.to_f64() > FAR => {
                let part = loss.neg().exp().and_then(|ratio| rate.add(&rest.mul(&ratio)?).ln());
                known(part.map(|part| loss.add(&part)))
            }
            LossBound::At(loss) => known(loss.exp().and_then(|ratio| at(&ratio))),
            other => other,
        };
        let losses = match (self.losses, self.infinite_q.sign()) {
            (losses, None) => losses.map(|(_, largest)| (LossBound::Unknown, moved(largest))),
            (Some((least, largest)), Some(Ordering::Equal)) => {
                let least = if matches!(least, LossBound::Unbounded) { floor } else { moved(least) };
                Some((least, moved(largest)))
            }
            (None, Some(Ordering::Equal)) => None,
            (losses, Some(_)) => Some((floor.clone(), losses.map_or(floor, |(_, largest)| moved(largest)))),
        };
        Ok(Ends { losses, infinite_p: rate.mul(&self.infinite_p)?, infinite_q: Real::zero() })
    }
}

impl Pair {
    /// How far it goes.
    ///
    /// # Errors
    /// For masses at infinity that grow too large to be written.
    pub fn ends(&self) -> Result<Ends, Error> {
        Ok(match self {
            Pair::Equal => Ends::within(&Real::zero()),
            Pair::Discrete(pair) => pair.ends()?,
            Pair::Gaussian { .. } | Pair::DiscreteGaussian { .. } => {
                Ends::finite(LossBound::Unbounded, LossBound::Unbounded)
            }
            Pair::Laplace { shift } => Ends::within(shift),
            Pair::Shuffled(pair) => Ends::within(pair.epsilon()),
            Pair::Sample { rate, inner } => inner.ends()?.sampled(rate)?,
            Pair::Derived(derived) => derived.ends()?,
            Pair::Several(factors) => Ends::of_all(factors)?,
        })
    }
}

impl Discrete {
    /// How far it goes.
    ///
    /// # Errors
    /// For masses at infinity that grow too large to be written.
    pub fn ends(&self) -> Result<Ends, Error> {
        Ok(match self.law() {
            Law::Response { epsilon, delta } => {
                let whole = Ends { infinite_p: delta.clone(), infinite_q: delta.clone(), ..Ends::within(epsilon) };
                match Real::one().sub(delta).sign() {
                    Some(Ordering::Equal) => Ends { losses: None, ..whole },
                    Some(_) => whole,
                    None => Ends { losses: Some((LossBound::Unknown, LossBound::Unknown)), ..whole },
                }
            }
            // Noise has mass at both ends, beyond the two places; of others it is seen from the list.
            Law::SymmetricLattice { unit, largest, noise: Noise::Geometric | Noise::Staircase { .. }, .. } => {
                Ends::within(&unit.mul_rational(&Rational::from(*largest)))
            }
            Law::SymmetricLattice { unit, .. } => match self.steps(64).unwrap_or_default().last() {
                Some((step, mass)) if mass.sign() == Some(Ordering::Greater) => {
                    Ends::within(&unit.mul_rational(&Rational::from(*step)))
                }
                _ => Ends::finite(LossBound::Unknown, LossBound::Unknown),
            },
            Law::Rational(pair) => {
                let both = pair.outcomes().filter(|(p, q)| !p.is_zero() && !q.is_zero());
                let ratios: Vec<Rational> = both.map(|(p, q)| Rational::from(p / q)).collect();
                let known = |ratio: &Rational| LossBound::from(Real::from(ratio.clone()).ln().ok());
                let ends = ratios.iter().min().zip(ratios.iter().max());
                let sole = |own: &[Rational], other: &[Rational]| {
                    let only = own.iter().zip(other).filter(|(_, other)| other.is_zero());
                    Real::from(only.map(|(own, _)| own).sum::<Rational>())
                };
                Ends {
                    losses: ends.map(|(least, largest)| (known(least), known(largest))),
                    infinite_p: sole(pair.p(), pair.q()),
                    infinite_q: sole(pair.q(), pair.p()),
                }
            }
            Law::Sample { rate, inner } => inner.ends()?.sampled(rate)?,
            Law::Listed(list) => {
                let known = |outcome: &Listed| LossBound::At(outcome.loss.clone());
                Ends {
                    losses: list.outcomes.last().map(known).zip(list.outcomes.first().map(known)),
                    infinite_p: list.infinite_p.clone(),
                    infinite_q: list.infinite_q.clone(),
                }
            }
        })
    }
}

impl Product {
    /// How far each of its pairs goes, each so many times; what is never run is left out.
    ///
    /// # Errors
    /// For masses at infinity that grow too large to be written.
    pub fn ends(&self) -> Result<Vec<(Ends, u64)>, Error> {
        let mut all = Vec::new();
        for Part { epsilon, delta, times } in &self.responses {
            all.push((Discrete::response(epsilon.clone(), delta.clone())?.ends()?, *times));
        }
        all.extend(self.failures.iter().map(|(delta, times)| (Ends::failure(delta), *times)));
        let unbounded = || Ends::finite(LossBound::Unbounded, LossBound::Unbounded);
        if !self.mu_squared.is_zero() {
            all.push((unbounded(), 1));
        }
        all.extend(self.laplace.iter().map(|(shift, times)| (Ends::within(shift), *times)));
        all.extend(self.discrete_gaussian.iter().map(|(_, _, times)| (unbounded(), *times)));
        for (pair, times) in &self.lattice {
            all.push((pair.ends()?, *times));
        }
        for (pair, times) in &self.finite {
            all.push((Discrete::rational(pair.clone()).ends()?, *times));
        }
        for (pair, times) in &self.sampled {
            all.push((pair.ends()?, *times));
        }
        for (pair, times) in &self.derived {
            all.push((pair.ends()?, *times));
        }
        all.retain(|(_, times)| *times > 0);
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Composition;

    fn ends(text: &str) -> Ends {
        let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let pair = composition.single().expect("one mechanism").0.pair().expect("a pair");
        pair.ends().expect("ends")
    }

    fn shown(end: &LossBound) -> String {
        match end {
            LossBound::At(loss) => loss.to_string(),
            LossBound::Unbounded => "unbounded".to_string(),
            LossBound::Unknown => "unknown".to_string(),
        }
    }

    /// By hand, on either side.
    #[test]
    fn ends_are_those_of_the_losses() {
        for (text, least, largest, p, q) in [
            ("gdp(mu=0)", "0", "0", "0", "0"),
            ("gaussian(sigma=1)", "unbounded", "unbounded", "0", "0"),
            ("discrete-gaussian(sigma2=1)", "unbounded", "unbounded", "0", "0"),
            ("laplace(scale=2)", "-1/2", "1/2", "0", "0"),
            ("approx-dp(epsilon=1/2, delta=1/10)", "-1/2", "1/2", "1/10", "1/10"),
            ("approx-dp(epsilon=0, delta=1/10)", "0", "0", "1/10", "1/10"),
            ("geometric(epsilon=1/3, sensitivity=5)", "-5/3", "5/3", "0", "0"),
            ("staircase(epsilon=1/3, gamma=1/2)", "-1/3", "1/3", "0", "0"),
            ("finite(p=[1/2,1/2,0], q=[1/4,1/2,1/4])", "0", "ln(2)", "0", "1/4"),
            ("finite(p=[1/4,1/2,1/4], q=[1/2,1/2,0])", "-ln(2)", "0", "1/4", "0"),
            ("finite(p=[1,0], q=[1/4,3/4])", "ln(4)", "ln(4)", "0", "3/4"),
            ("poisson(rate=1/2, gaussian(sigma=1))", "-ln(2)", "unbounded", "0", "0"),
            ("poisson(rate=1/4, approx-dp(epsilon=ln(3), delta=1/5))", "ln(3/4)", "ln(3/2)", "1/20", "0"),
            ("poisson(rate=1/4, approx-dp(epsilon=ln(3), delta=0))", "ln(5/6)", "ln(3/2)", "0", "0"),
            ("poisson(rate=sqrt(2)/2, approx-dp(epsilon=ln(3), delta=1))", "", "", "sqrt(2)/2", "0"),
            ("poisson(rate=1/4, finite(p=[1/2,1/2,0], q=[1/4,1/2,1/4]))", "ln(3/4)", "ln(5/4)", "0", "0"),
        ] {
            let found = ends(text);
            let constant = |text: &str| match text {
                "unbounded" => text.to_string(),
                _ => text.parse::<Real>().expect("a constant").to_string(),
            };
            if !least.is_empty() {
                let (low, high) = found.losses.as_ref().expect("losses");
                assert_eq!((shown(low), shown(high)), (constant(least), constant(largest)), "{text}");
            }
            assert_eq!(
                (found.infinite_p.to_string(), found.infinite_q.to_string()),
                (constant(p), constant(q)),
                "{text}"
            );
        }
        // Only one loss is left: that of the record's absence.
        let (low, high) = ends("poisson(rate=sqrt(2)/2, approx-dp(epsilon=ln(3), delta=1))").losses.expect("a loss");
        assert_eq!(shown(&low), shown(&high));
        assert!(ends("approx-dp(epsilon=1, delta=1)").losses.is_none());
        assert!(ends("finite(p=[1,0], q=[0,1])").losses.is_none());
    }

    /// Where `e^l` is beyond all exponents.
    #[test]
    fn far_ends_are_known() {
        let ends = ends("poisson(rate=1/4, laplace(scale=1e-10))");
        let Some((LossBound::At(least), LossBound::At(largest))) = ends.losses else { panic!("no ends") };
        let near = |end: &Real, text: &str| {
            let (end, truth) = (end.enclosure(200), text.parse::<Real>().expect("a constant").enclosure(200));
            end.overlaps(&truth) && end.relative_bits().is_some_and(|bits| bits > 150)
        };
        assert!(near(&least, "ln(3/4)") && near(&largest, "10^10 - ln(4)"));
    }

    /// The ends are the extremes of all losses that are listed.
    #[test]
    fn lists_end_at_their_ends() {
        for text in [
            "approx-dp(epsilon=1/3, delta=1/7)",
            "geometric(epsilon=1/2, sensitivity=4)",
            "staircase(epsilon=ln(2), gamma=3/4, sensitivity=3)",
            "k-randomized-response(epsilon=1, categories=2)",
            "k-randomized-response(epsilon=1, categories=5)",
            "finite(p=[1/2,1/4,1/4,0], q=[1/3,1/3,0,1/3])",
            "poisson(rate=1/10, geometric(epsilon=1/2, sensitivity=3))",
            "poisson(rate=sqrt(2)/2, approx-dp(epsilon=1/3, delta=1/7))",
            "poisson(rate=1/3, finite(p=[1/2,1/4,1/4,0], q=[1/3,1/3,0,1/3]))",
        ] {
            let composition: Composition = text.parse().expect("a composition");
            let pair = composition.single().expect("one mechanism").0.pair().expect("a pair");
            let Pair::Discrete(pair) = pair else { panic!("{text}") };
            let Some((LossBound::At(least), LossBound::At(largest))) = pair.ends().expect("ends").losses else {
                panic!("{text}")
            };
            let losses = pair.losses().expect("losses");
            for (end, outwards) in [(&least, Ordering::Less), (&largest, Ordering::Greater)] {
                assert!(losses.iter().any(|loss| loss.compare(end) == Some(Ordering::Equal)), "{text}");
                assert!(losses.iter().all(|loss| loss.compare(end) != Some(outwards)), "{text}");
            }
            let masses = pair.masses(100).expect("masses");
            let found = pair.ends().expect("ends");
            assert!(masses.infinite_p.enclosure(100).overlaps(&found.infinite_p.enclosure(100)), "{text}");
            assert!(masses.infinite_q.enclosure(100).overlaps(&found.infinite_q.enclosure(100)), "{text}");
        }
    }
}
