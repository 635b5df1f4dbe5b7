//! Far vertices of the trade-off function of a composed discrete Gaussian, against those of a Gaussian.
//!
//! The vertices are `(1 - A_k, B_k) = (P(S < k), P(S >= k + m))`, `m = nD`, and the `G_mu` through one of them has
//! `mu_k = z(B_k) - z(A_k)`, z the upper quantile of the normal distribution. With `tau^2 = n sigma^2` and
//! `M_0 = m/tau` (the mu of Gaussian noise of the same parameter), `v = (K - 1/2)/tau`, `rho = P(S > K)/P(S >= K)`,
//! `C = max(1, P(S = 0) tau sqrt(2 pi))`, for `K^2 >= 2 tau^2` and `v^2 >= 4 ln C`: no `mu_k` with `k >= K` is above
//!
//! `max(M_0, sqrt(w^2 + 2 b) - w)`, `w = v - 2 ln(C)/v`, `b = M_0 (v + (1/2 + rho/(1-rho))/tau) + M_0^2/2`.
//!
//! That is because `B_k >= A_k e^(-E[loss | S >= k])`, while the tail of a normal distribution falls by more than
//! `e^(-y M - M^2/2)` from y to `y + M`; and `z(A_k)` is large enough, as `A_k <= C Q((k - 1/2)/tau)` for the upper
//! tail Q. As k grows both sides rise, the second one faster. Paper proof: `proofs/paper/attack.md`.

use rug::{Integer, Rational};

use super::DiscreteGaussian;
use crate::error::Error;
use enclosure::{Budget, Enclosure};

impl DiscreteGaussian {
    /// `P(S >= k)`.
    ///
    /// # Errors
    /// Those of the contours.
    pub(crate) fn survival(&self, k: &Integer, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.law().survival(k, bits, budget)
    }

    /// A number that no `mu_k` from the first k on exceeds; `None` where the hypotheses fail.
    ///
    /// # Errors
    /// Those of the tails.
    pub(crate) fn far_mu(&self, first: &Integer, bits: u32, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        let spread2 = self.law().spread2();
        if *first < 1 || Rational::from(first.square_ref()) < Rational::from(&spread2 * 2u32) {
            return Ok(None);
        }
        let above = |k: &Integer| self.survival(k, bits, budget);
        let one = Enclosure::one(bits);
        let ratio = &above(&Integer::from(first + 1u32))? / &above(first)?;
        // E[S - k | S >= k], which falls with k.
        let excess = &ratio / &(&one - &ratio);
        let spread = Enclosure::rational(&spread2, bits).sqrt();
        let half = one.shift(-1);
        let least = &(&Enclosure::integer(first, bits) - &half) / &spread;
        let centre = &one - &above(&Integer::from(1))?.shift(1);
        let lost = (&(&centre * &spread) * &Enclosure::pi(bits).shift(1).sqrt()).max(&one).ln();
        if least.square().lower() < lost.shift(2).upper() {
            return Ok(None);
        }
        let mean = &Enclosure::integer(&self.shift(), bits) / &spread;
        let quantile = &least - &(&lost.shift(1) / &least);
        let lag = &(&half + &excess) / &spread;
        let needed = &(&mean * &(&least + &lag)) + &mean.square().shift(-1);
        let root = (&quantile.square() + &needed.shift(1)).sqrt();
        // sqrt(w^2 + 2b) - w without its cancellation.
        Ok(Some((&needed.shift(1) / &(&root + &quantile)).max(&mean)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::Number;
    use enclosure::special::tail_quantile;

    fn quantile(p: &Enclosure, bits: u32) -> Enclosure {
        let end = |p: &rug::Float| {
            let p = Number::Exact(p.to_rational().expect("a number"));
            tail_quantile(&p, bits, &Budget::default()).expect("a quantile").enclosure(bits)
        };
        end(p.upper()).hull(&end(p.lower()))
    }

    /// No vertex from the first one on is above the bound of that one, and bounds come down to the vertices.
    #[test]
    fn vertices_are_below_their_bounds() {
        let budget = Budget::default();
        for (sigma2, sensitivity, times) in
            [((4, 1), 1, 1), ((1, 3), 1, 1), ((1, 20), 1, 3), ((1, 3), 2, 5), ((25, 1), 3, 2), ((1, 50), 1, 1)]
        {
            let noise = DiscreteGaussian::new(Rational::from(sigma2), sensitivity.into(), times).expect("noise");
            let mut nearest = 1.0_f64;
            for first in 1..60 {
                let Some(bound) = noise.far_mu(&first.into(), 128, &budget).expect("a bound") else { continue };
                for k in [first, first + 1, first + 2, first + 7, first + 30] {
                    let (upper, lower) = noise.pair(&Integer::from(k), 128, &budget).expect("tails");
                    let mu = quantile(&lower, 128) - quantile(&upper, 128);
                    assert!(
                        mu.lower() <= bound.upper(),
                        "{sigma2:?} {sensitivity} {times} {first} {k}: {mu:?} {bound:?}"
                    );
                    nearest = nearest.min((&bound / &mu).upper().to_f64() - 1.0);
                }
            }
            assert!(nearest < 0.3, "{sigma2:?} {sensitivity} {times}: {nearest}");
        }
    }
}
