//! The k-fold composition of the worst (epsilon0, delta0)-DP mechanism: its profile (MV-hom, KOV-3.3) and the inverse.
//!
//! With x = e^epsilon0 and p_l = C(k, l) x^(k-l)/(1 + x)^k, the loss is (k - 2l) epsilon0 with probability (1 -
//! delta0)^k p_l and infinite otherwise.
//!
//! Domain: epsilon0 >= 0 finite, delta0 and delta in [0, 1], any real epsilon, k <= 2^32; outside it, and for NaN, the
//! answer is NaN. The work grows as sqrt(k), in the far tail as the number of lattice steps to the mode. The textbook
//! forms take k steps.
//! Edges: `delta` at epsilon = inf is the mass at infinity; `epsilon` is infinite below that mass, 0 from the total
//! variation on.

use super::bound::ErrorBound;

/// Of `careful::delta`, for all parameters.
pub const DELTA_ERROR: ErrorBound = ErrorBound::ROUNDED;
/// Of `careful::epsilon`, for epsilon0 = 0 or from 1e-300 on: below, the low halves of the gaps fade away and with
/// them the 2^-60.
pub const EPSILON_ERROR: ErrorBound = ErrorBound::BISECTED;

/// The formulas as accountants write them.
pub mod textbook {
    use crate::float::profile::textbook_crossing;
    use crate::float::special::ln_binomial;

    /// 1 - (1 - delta0)^k (1 - sum_l C(k, l) (x^(k-l) - e^epsilon x^l)_+/(1 + x)^k).
    pub fn delta(epsilon0: f64, delta0: f64, k: u64, epsilon: f64) -> f64 {
        let count = k as f64;
        let mut sum = 0.0;
        for l in 0..=k {
            let misses = l as f64;
            let term = ((count - misses) * epsilon0).exp() - (epsilon + misses * epsilon0).exp();
            if term > 0.0 {
                sum += ln_binomial(k, l).exp() * term / (1.0 + epsilon0.exp()).powf(count);
            }
        }
        1.0 - (1.0 - delta0).powf(count) * (1.0 - sum)
    }

    /// The epsilon at which the profile falls to delta, by bisection.
    pub fn epsilon(epsilon0: f64, delta0: f64, k: u64, delta: f64) -> f64 {
        textbook_crossing(|epsilon| self::delta(epsilon0, delta0, k, epsilon), delta)
    }
}

/// The formulas as sums of positive terms in double-double.
pub mod careful {
    use crate::float::double_double::{DoubleDouble, Scaled};
    use crate::float::profile::{Probability, crossing};

    const MOST_FOLDS: u64 = 1 << 32;
    /// Weights this far below that of the mode cannot be seen in a complement, which is at least 2^-53.
    const FAR_ABOVE: f64 = 1e-55;
    /// What may be dropped from a sum, relative to it.
    const NEGLIGIBLE: f64 = 1e-32;

    /// The profile, with the error [`super::DELTA_ERROR`]: A + (1 - A) S with A = 1 - (1 - delta0)^k from `ln_1p` and
    /// `exp_m1`, and S the profile at delta0 = 0, both positive.
    pub fn delta(epsilon0: f64, delta0: f64, k: u64, epsilon: f64) -> f64 {
        if epsilon.is_nan() || !valid(epsilon0, delta0, k) {
            f64::NAN
        } else if epsilon < 0.0 {
            if epsilon.is_infinite() {
                1.0
            } else {
                Composition::new(epsilon0, delta0, k).value(-epsilon).at_negative(-epsilon)
            }
        } else {
            Composition::new(epsilon0, delta0, k).value(epsilon).to_f64()
        }
    }

    /// The least epsilon >= 0 with delta(epsilon0, delta0, k, epsilon) <= delta, with the error
    /// [`super::EPSILON_ERROR`]. Above 1/2 the complements are compared, where 1 - delta is exact.
    pub fn epsilon(epsilon0: f64, delta0: f64, k: u64, delta: f64) -> f64 {
        if !valid(epsilon0, delta0, k) || !(0.0..=1.0).contains(&delta) {
            return f64::NAN;
        }
        if delta == 1.0 {
            return 0.0;
        }
        let composition = Composition::new(epsilon0, delta0, k);
        if delta == 0.0 {
            let unbounded = composition.at_infinity.mantissa.is_positive();
            return if unbounded { f64::INFINITY } else { k as f64 * epsilon0 };
        }
        crossing(|epsilon| {
            let profile = if delta < 0.5 { composition.value(epsilon) } else { composition.complement(epsilon) };
            profile.exceeds(delta)
        })
    }

    fn valid(epsilon0: f64, delta0: f64, k: u64) -> bool {
        (0.0..f64::INFINITY).contains(&epsilon0) && (0.0..=1.0).contains(&delta0) && k <= MOST_FOLDS
    }

    /// 1 - (1 - delta0)^k and (1 - delta0)^k.
    fn mass_at_infinity(delta0: f64, count: f64) -> (Scaled, DoubleDouble) {
        const LIFT: i32 = 600;
        if count == 0.0 {
            (Scaled::new(DoubleDouble::ZERO, 0), DoubleDouble::ONE)
        } else if delta0 == 1.0 {
            (Scaled::new(DoubleDouble::ONE, 0), DoubleDouble::ZERO)
        } else if delta0 < 1e-100 {
            // k delta0 but for a relative 1e-90; lifted away from the subnormals.
            (Scaled::new(DoubleDouble::product(libm::ldexp(delta0, LIFT), count), -LIFT), DoubleDouble::ONE)
        } else {
            let log = DoubleDouble::from(-delta0).ln_1p() * count;
            (Scaled::new(-log.exp_m1(), 0), log.exp_in_range())
        }
    }

    /// What does not depend on epsilon.
    struct Composition {
        k: u64,
        epsilon0: f64,
        /// A, the mass at infinite loss, and 1 - A.
        at_infinity: Scaled,
        finite: DoubleDouble,
        /// e^epsilon0, if doubles hold it.
        x: DoubleDouble,
        /// e^(-2 epsilon0) and 1 less it: the step of `exp(-gap)` from one l to the next lower.
        step: DoubleDouble,
        step_fall: DoubleDouble,
        /// p_l/p_mode from the mode up, as far as it is not negligible.
        mode: u64,
        upper: Vec<DoubleDouble>,
    }

    impl Composition {
        fn new(epsilon0: f64, delta0: f64, k: u64) -> Self {
            let count = k as f64;
            let (at_infinity, finite) = mass_at_infinity(delta0, count);
            // From epsilon0 = 200 on, only l = 0 has weight and x is not used.
            let x = DoubleDouble::from(epsilon0.min(300.0)).exp_in_range();
            let step = DoubleDouble::from(-epsilon0 * 2.0);
            let mode = ((count + 1.0) / (1.0 + x.hi)).floor().min(count) as u64;
            let mut upper = vec![DoubleDouble::ONE];
            let mut weight = DoubleDouble::ONE;
            for l in mode..k {
                weight = weight * (k - l) as f64 / (l + 1) as f64 / x;
                if weight.hi < FAR_ABOVE {
                    break;
                }
                upper.push(weight);
            }
            Self {
                k,
                epsilon0,
                at_infinity,
                finite,
                x,
                step: step.exp_in_range(),
                step_fall: -step.exp_m1(),
                mode,
                upper,
            }
        }

        /// The loss of `l` misses less epsilon, exact but for 2^-104 of itself; infinite if it would overflow.
        fn gap(&self, l: u64, epsilon: f64) -> DoubleDouble {
            let steps = self.k as f64 - 2.0 * l as f64;
            let loss = DoubleDouble::product(steps, self.epsilon0);
            if loss.hi.is_infinite() {
                return loss.hi.into();
            }
            DoubleDouble::sum(loss.hi, -epsilon) + loss.lo
        }

        /// The number of l with a positive gap, which are 0, 1, ...
        fn positive_gaps(&self, epsilon: f64) -> u64 {
            let (mut low, mut high) = (0, self.k + 1);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.gap(middle, epsilon).is_positive() {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        }

        /// Calls `visit(l, weight, fall, decay)` for l from the top down, until it answers that the rest is
        /// negligible: the weight is p_l/p_mode times 2^`scale`, decay = e^-gap and fall = 1 - e^-gap where the gap is
        /// positive, 1 and 0 elsewhere. Returns the scale and the sum of the weights of all l, unscaled.
        ///
        /// Each lower l multiplies the decay by `step` and adds `decay * step_fall` to the fall: sums of positive
        /// terms. The weight is scaled up only before the first positive gap, that is before a sum over them begins.
        fn sweep(
            &self,
            epsilon: f64,
            mut visit: impl FnMut(u64, DoubleDouble, DoubleDouble, DoubleDouble) -> bool,
        ) -> (i32, DoubleDouble) {
            const LIFT: i32 = 500;
            const LOWEST: i32 = 2000;
            let positive = self.positive_gaps(epsilon);
            let (mut fall, mut decay) = (DoubleDouble::ZERO, DoubleDouble::ONE);
            let (mut total, mut scale) = (DoubleDouble::ZERO, 0);
            let (mut going, mut totalling) = (true, true);
            let mut weight = DoubleDouble::ONE;
            let mut l = self.mode + self.upper.len() as u64 - 1;
            loop {
                if l >= self.mode {
                    weight = self.upper.get((l - self.mode) as usize).copied().unwrap_or(DoubleDouble::ZERO);
                }
                if totalling {
                    total = total + weight;
                    totalling = l >= self.mode || weight.hi * (l as f64) > NEGLIGIBLE;
                }
                if l < positive {
                    let next = l + 1 < positive && decay.hi < 1.0;
                    if next {
                        fall = fall + decay * self.step_fall;
                        decay = decay * self.step;
                    } else {
                        let gap = self.gap(l, epsilon);
                        let open = gap.hi > 800.0;
                        fall = if open { DoubleDouble::ONE } else { -(-gap).exp_m1() };
                        decay = if open { DoubleDouble::ZERO } else { (-gap).exp_in_range() };
                    }
                }
                going = going && visit(l, weight, fall, decay);
                if l == 0 || !(going || totalling) || scale > LOWEST {
                    return (scale, total);
                }
                if l <= self.mode {
                    weight = weight * l as f64 / (self.k - l + 1) as f64 * self.x;
                    if l > positive && !totalling && weight.hi < 1e-200 {
                        weight = weight.ldexp(LIFT);
                        scale += LIFT;
                    }
                }
                l -= 1;
            }
        }

        /// The profile as a value, A + (1 - A) S.
        fn value(&self, epsilon: f64) -> Probability {
            let widest = self.gap(0, epsilon);
            if !widest.is_positive() {
                return Probability::Value(self.at_infinity);
            }
            let largest_fall = -libm::expm1(-widest.hi);
            let mut sum = DoubleDouble::ZERO;
            let (scale, total) = self.sweep(epsilon, |l, weight, fall, _| {
                sum = sum + weight * fall;
                l >= self.mode || weight.hi * largest_fall * (l as f64) > NEGLIGIBLE * sum.hi
            });
            let finite = sum / total * self.finite;
            let Scaled { mantissa, exponent } = self.at_infinity;
            if mantissa.is_positive() {
                Probability::Value(Scaled::new(finite.ldexp(-scale - exponent) + mantissa, exponent))
            } else {
                Probability::Value(Scaled::new(finite, -scale))
            }
        }

        /// The profile as a complement, (1 - A) sum_l p_l min(1, e^-gap), to 2^-85 of itself or 2^-150.
        fn complement(&self, epsilon: f64) -> Probability {
            let mut sum = DoubleDouble::ZERO;
            let (_, total) = self.sweep(epsilon, |l, weight, _, decay| {
                sum = sum + weight * decay;
                l >= self.mode || weight.hi * decay.hi * (l as f64) > NEGLIGIBLE * sum.hi
            });
            Probability::Complement(Scaled::new(sum / total * self.finite, 0))
        }
    }
}
