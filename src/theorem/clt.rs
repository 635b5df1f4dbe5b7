//! Central limit theorems of composition: the `G_mu` that a long composition is near. **No bounds**: each is a limit,
//! and says nothing of how near it is.
//!
//! | name | for | mu |
//! |---|---|---|
//! | [`Form::Centred`] | symmetric trade-off functions | `2 sum kl/sqrt(sum (kappa_2 - kl^2))` |
//! | [`Form::Printed`] | the same | `2 sum kl/sqrt(sum kappa_2)` |
//! | [`Form::Worst`] | worst (epsilon, delta) mechanisms | `sqrt(sum epsilon_i^2)`, failure `1 - e^(-sum delta_i)` |
//! | [`Form::Poisson`] | Poisson samples of rate r | `sqrt(sum r^2 chi^2)` |
//! | [`Form::Uniform`] | r of all records, one replaced | `sqrt(2 sum r^2 chi^2_+)` |
//!
//! Their sources, in this order: the mu of Dong, Roth and Su's Theorem 3.4; the `2K/s` of their Theorem 3.5, which Su
//! 2024, Section 3, prints; their Theorem 3.6; Bu, Dong, Long and Su 2020, whose formula is
//! `r sqrt(T (e^(1/sigma^2) - 1))` for Gaussian noise; Theorem 5.2. All have the same limit, but differ for a finite
//! composition.
//!
//! Su prints the constant of Poisson samples for a fixed size of the batch, where it is that of the row below, the
//! larger of the two. Squares of mu add up, so that a composition of symmetric mechanisms and samples has the root of
//! both sums. `chi^2_+(f) = int (|f'| - 1)_+^2` is `e^(mu^2) Phi(3mu/2) + 3 Phi(-mu/2) - 2` of `G_mu`.
//! Paper proof: `proofs/paper/limit-theorems.md`.

use std::cmp::Ordering;

use super::factors::{Factors, GaussianLimit, moments};
use super::functional::positive_chi_squared;
use crate::curve::{Direction, Value};
use crate::divergence::{Kind, of_pair};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::pair::Pair;
use enclosure::{Budget, Enclosure, Real};

/// Which limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Samples by [`Form::Poisson`], all else by [`Form::Centred`].
    Auto,
    /// `2 sum kl/sqrt V`.
    Centred,
    /// `2 sum kl/sqrt(sum kappa_2)`.
    Printed,
    /// `sqrt(sum epsilon_i^2)` and `1 - e^(-sum delta_i)`.
    Worst,
    /// Of Poisson samples.
    Poisson,
    /// Of samples without replacement.
    Uniform,
}

impl Form {
    /// The form that is used for a composition: for [`Form::Auto`] the one of all its factors, or `Auto` where some are
    /// Poisson samples and others are not.
    ///
    /// # Errors
    /// Those of the pairs.
    pub fn used(self, composition: &Composition) -> Result<Form, Error> {
        if self != Form::Auto {
            return Ok(self);
        }
        let (samples, others) = samples(composition, self)?;
        Ok(match (samples.is_empty(), others.pairs.is_empty()) {
            (true, _) => Form::Centred,
            (false, true) => Form::Poisson,
            (false, false) => Form::Auto,
        })
    }

    /// Its name, as it is typed; of [`Form::Auto`] both that it has.
    #[cfg(feature = "cli")]
    pub fn name(self) -> &'static str {
        match self {
            Form::Auto => "centred and poisson",
            Form::Centred => "centred",
            Form::Printed => "printed",
            Form::Worst => "worst",
            Form::Poisson => "poisson",
            Form::Uniform => "uniform",
        }
    }
}

/// A limit.
pub struct Clt {
    mu: Enclosure,
    limit: GaussianLimit,
}

impl Clt {
    /// The limit for a composition: `G_mu`, with mu from the theorem of the form. By default this is Dong, Roth and Su,
    /// Theorem 3.4; their Theorem 3.6 for worst (epsilon, delta) mechanisms; Bu, Dong, Long and Su 2020 for Poisson
    /// samples; and Theorem 5.2 for samples of fixed size. [`Form::Printed`] is the mu of Theorem 3.5, which Su 2024,
    /// Section 3, prints, with `kappa_2` in place of `kappa_2 - kl^2`.
    ///
    /// The papers state a limit for a sequence of compositions. Here mu is computed from the given composition.
    ///
    /// # Errors
    /// [`Error::Undefined`] where the theorem is about other mechanisms; [`Error::Undecided`] for moments out of reach.
    pub fn of(composition: &Composition, form: Form, bits: u32, budget: &Budget) -> Result<Self, Error> {
        let wide = bits.saturating_add(32);
        let factors = Factors::of(composition)?;
        let (square, survival) = match form {
            Form::Worst => worst(composition, wide)?,
            _ => (mu_squared(composition, form, wide, budget)?, factors.survival.clone()),
        };
        let mu = square.sqrt();
        Ok(Clt { limit: GaussianLimit::new(&mu, &survival)?, mu })
    }

    /// The mu of the limit `G_mu`, of the theorem that [`of`](Self::of) names for the form.
    pub fn mu(&self) -> &Enclosure {
        &self.mu
    }

    /// Its privacy profile: that of `G_mu` (Dong, Roth and Su, Corollary 2.13), and of the failures of Theorem 3.6
    /// beside it. It is no bound of the composition's.
    ///
    /// # Errors
    /// Those of the curve.
    pub fn delta(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.limit.delta(epsilon, bits, budget)
    }

    /// Its least epsilon at a delta: where the profile of [`delta`](Self::delta) comes down to it; the papers print the
    /// profile alone. It is no bound.
    ///
    /// # Errors
    /// Those of the curve.
    pub fn epsilon(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.limit.epsilon(delta, bits, budget)
    }

    /// Its trade-off function: `G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu)` (Dong, Roth and Su, Section 2.2), of Theorem
    /// 3.6 composed with `f_(0, delta)` by the rule after their equation 11. It is no bound.
    ///
    /// # Errors
    /// Those of the curve.
    pub fn beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.limit.beta(alpha, bits, budget)
    }
}

/// A sample's rate and the pair inside, and how often it is run.
type Sample = (Real, Pair, u64);

/// The samples of a composition, as written, and the other mechanisms. The pair of a sample with rational masses is a
/// list of rational numbers, which does not show that it is a sample of another pair.
///
/// [`Form::Uniform`] is about samples of a fixed size; its constant is computed for Poisson samples as well, which are
/// another mechanism with the same rate and noise.
fn samples(composition: &Composition, form: Form) -> Result<(Vec<Sample>, Factors), Error> {
    let (mut samples, mut others) = (Vec::new(), Vec::new());
    for (mechanism, times) in composition.factors() {
        match mechanism {
            Mechanism::Poisson(sample) if Real::one().sub(sample.rate()).sign() == Some(Ordering::Greater) => {
                samples.push((sample.rate().clone(), sample.inner().pair()?, *times));
            }
            Mechanism::Subsample(sample) if form == Form::Uniform => {
                samples.push((sample.rate().clone(), Pair::several(sample.inner().pairs()?), *times));
            }
            other => others.push((other.clone(), *times)),
        }
    }
    let mut others = Factors::of(&Composition::new(others)?)?;
    // What is a sample by another name.
    others.pairs.retain(|(pair, times)| match pair.as_sample() {
        Some((rate, inner)) => {
            samples.push((rate.clone(), inner, *times));
            false
        }
        None => true,
    });
    Ok((samples, others))
}

/// The square of mu: of all symmetric mechanisms together, and of each sample.
fn mu_squared(composition: &Composition, form: Form, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let zero = || Enclosure::zero(bits);
    let (mut kl, mut below, mut sampled, mut any) = (zero(), zero(), zero(), false);
    let (samples, factors) = match form {
        Form::Auto | Form::Poisson | Form::Uniform => samples(composition, form)?,
        _ => (Vec::new(), Factors::of(composition)?),
    };
    for (rate, inner, times) in &samples {
        budget.check()?;
        let divergence = if form == Form::Uniform {
            positive_chi_squared(inner, bits, budget)?.shift(1)
        } else {
            chi_squared(inner, bits, budget)?
        };
        sampled = sampled + Enclosure::integer(&(*times).into(), bits) * rate.enclosure(bits).square() * divergence;
    }
    for (pair, times) in &factors.pairs {
        budget.check()?;
        let count = Enclosure::integer(&(*times).into(), bits);
        let refused = |what: &str| Error::Undefined(format!("this central limit theorem requires {what}"));
        match form {
            Form::Poisson => {
                return Err(refused("Poisson samples only, such as poisson(rate=1/100, gaussian(sigma=1))"));
            }
            Form::Uniform => {
                return Err(refused("samples of fixed size only, such as subsample(rate=1/100, gaussian(sigma=1))"));
            }
            Form::Auto | Form::Centred | Form::Printed | Form::Worst => {}
        }
        if !pair.symmetric() {
            return Err(refused("symmetric trade-off functions"));
        }
        let both = moments(pair, 2, Direction::Forward, bits, budget)?;
        let Some([mean, square]) = both.as_deref() else { return Err(refused("finite kl")) };
        any = true;
        kl = kl + &count * mean;
        below = below + count * if form == Form::Printed { square.clone() } else { square - &mean.square() };
    }
    if any { Ok(kl.shift(1).square() / below + sampled) } else { Ok(sampled) }
}

/// `sum epsilon_i^2` and `e^(-sum delta_i)`.
fn worst(composition: &Composition, bits: u32) -> Result<(Enclosure, Real), Error> {
    let (mut square, mut failure) = (Enclosure::zero(bits), Real::zero());
    for (pair, times) in composition.pairs()? {
        let (epsilon, delta) = pair.as_response().ok_or_else(|| {
            Error::Undefined(format!(
                "this central limit theorem requires (epsilon, delta) mechanisms only, but {composition} contains \
                 another mechanism"
            ))
        })?;
        square = square + Enclosure::integer(&times.into(), bits) * epsilon.enclosure(bits).square();
        failure = failure.add(&delta.mul_rational(&times.into()));
    }
    Ok((square, failure.neg().exp()?))
}

/// `chi^2(P||Q)`.
fn chi_squared(pair: &Pair, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    match of_pair(Kind::ChiSquared, pair)?.value(Direction::Forward, bits, budget)? {
        Value::Finite(number) => Ok(number.enclosure(bits)),
        Value::Infinite => {
            Err(Error::Undefined("this central limit theorem requires a finite chi-squared divergence".into()))
        }
    }
}

#[cfg(test)]
mod tests;
