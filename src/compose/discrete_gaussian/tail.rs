//! The tail `P(S >= k)` of a sum of discrete Gaussians, on a tilted contour.
//!
//! `S = X_1 + ... + X_n` with `X_i ~ N_Z(0, sigma^2)`, `M(z) = E e^(zX)`. For a tilt `c > 0`, an odd `N` and
//! `z_m = c + 2 pi i m/N`, summing the geometric series of the kernel and then over the `N`-th roots of unity gives the
//! *identity*
//!
//! `(1/N) sum_(|m| < N/2) M(z_m)^n e^(-k z_m) / (1 - e^(-z_m)) = sum_(l in Z) e^(c l N) P(S >= k + l N)`.
//!
//! The term `l = 0` is wanted; the others, all positive, are the aliases. What is certified is an enclosure of the left
//! side and bounds for the aliases and for the nodes that are left out, each with its argument where it is computed
//! (and all in `proofs/paper/discrete-gaussian.md`). The contour runs near the saddle point, so that the integrand is
//! of the size of the tail, and the accuracy is relative however small the tail is.
//!
//! `M` comes from the theta sum `sum_j e^(-j^2/(2 sigma^2) + zj)` itself for small `sigma^2`, and from its Poisson dual
//! `sigma sqrt(2 pi) e^(z^2 sigma^2/2) sum_m e^(-2 pi^2 sigma^2 m^2 + 2 pi i m sigma^2 z)` for large. Both are sums of
//! geometric progressions in the number of the node, so a node costs a few products and one reciprocal.

use rug::{Float, Integer, Rational};

use super::plan::{DUAL_FROM, Plan, Shape};
use crate::alarm;
use crate::error::Error;
use enclosure::{AtMost, Budget, Complex, Enclosure, Need, Portable};

/// The most nodes that one tail may take.
const MOST_NODES: u64 = 1 << 24;

/// Natural logarithms below this leave MPFR's range of exponents (about `2^30` bits), with room for what is around
/// them.
const LEAST_LOG: f64 = -5e8;

/// Precision of bounds: they are rounded up, and need few digits.
const BOUND_BITS: u32 = 64;

/// The law of `S`: `times` draws of `N_Z(0, sigma2)`, `times >= 1`, `sigma2 > 0`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Law {
    pub sigma2: Rational,
    pub times: u64,
}

impl Law {
    /// The sum of the variance parameters, `n sigma^2`.
    pub fn spread2(&self) -> Rational {
        Rational::from(&self.sigma2 * Integer::from(self.times))
    }

    /// Is the dual theta sum used?
    pub fn dual(&self) -> bool {
        self.sigma2 >= Rational::from(DUAL_FROM)
    }

    pub fn shape(&self) -> Shape {
        Shape { sigma2: self.sigma2.to_f64(), n: self.times as f64 }
    }

    /// `P(S >= k)`, with about `bits` relative bits for *both* the value and, when `k <= 0`, one minus the value.
    ///
    /// By symmetry `P(S >= k) = 1 - P(S >= 1 - k)`, so one of the two is a tail at a positive threshold.
    pub fn survival(&self, k: &Integer, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        if *k >= 1 {
            return self.tail(k, bits, budget);
        }
        let other = Integer::from(1 - k);
        // A complement that is below 2^-bits need not be computed: Chernoff's bound encloses it.
        let bound = self.chernoff(&other);
        let limit = Float::with_val(BOUND_BITS, Float::i_exp(1, -i32::try_from(bits).unwrap_or(i32::MAX)));
        let complement = if *bound.upper() < limit {
            Enclosure::new(Float::new(BOUND_BITS), bound.upper().clone())
        } else {
            self.tail(&other, bits, budget)?
        };
        Ok(&Enclosure::one(bits.saturating_add(8)) - &complement)
    }

    /// `e^(-k^2/(2 n sigma^2)) >= P(S >= k)` for `k >= 0`.
    ///
    /// The dual sum has positive coefficients and, for real z, cosines: `M(z) <= e^(z^2 sigma^2/2)`. Chernoff's bound
    /// at `z = k/(n sigma^2)` is this.
    fn chernoff(&self, k: &Integer) -> Enclosure {
        let exponent = Rational::from(Integer::from(k.square_ref())) / (self.spread2() * 2u32);
        (-Enclosure::rational(&exponent, BOUND_BITS)).exp()
    }

    /// `P(S >= k)` for `k >= 1`, with about `bits` relative bits.
    pub fn tail(&self, k: &Integer, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let shape = self.shape();
        by_contours(bits, |slack| {
            let plan = shape.plan(k.to_f64(), f64::from(bits), slack);
            self.on_contour(k, bits, &plan, budget)
        })
    }

    /// One evaluation of the identity, with all of its errors.
    pub(super) fn on_contour(&self, k: &Integer, bits: u32, plan: &Plan, budget: &Budget) -> Result<Enclosure, Error> {
        let lost = |why: &str| {
            Error::undecided(format!(
                "a tail of a {}-fold discrete Gaussian of variance parameter {:e} {why}",
                self.times,
                self.sigma2.to_f64()
            ))
        };
        if plan.log_tail.is_nan() || plan.log_tail < LEAST_LOG || plan.lost_bits > 1e9 {
            return Err(lost(
                "is below 10^-200000000, the smallest number supported; try a point closer to the centre",
            ));
        }
        let (Some(tilt), Some(alias_tilt), Some(period)) = (
            Rational::from_f64(plan.tilt),
            Rational::from_f64(plan.alias_tilt),
            Float::with_val(53, plan.period).to_integer(),
        ) else {
            return Err(lost("has no contour within the search interval; try fewer digits"));
        };
        if tilt <= 0 || alias_tilt <= tilt || period < 1 {
            return Err(lost("has no contour within the search interval; try fewer digits"));
        }
        let period = period | 1u32;
        let half = Integer::from(&period - 1u32) / 2u32;
        let all = half.to_u64().unwrap_or(u64::MAX);
        let nodes = if plan.nodes < all as f64 && self.dual() { plan.nodes as u64 } else { all };
        budget.afford(&Need {
            what: "nodes on the contour",
            count: nodes,
            most: MOST_NODES,
            bytes: 0,
            relax: "try fewer digits or compositions",
        })?;
        let node_bits = (64 - nodes.leading_zeros()) * 2;
        let pole_bits = (1.0 + 1.0 / plan.tilt).portable_log2().ceil() as u32;
        let power_bits = 64 - self.times.leading_zeros();
        let work =
            bits.saturating_add(plan.lost_bits.ceil() as u32).saturating_add(node_bits + pole_bits + power_bits + 28);
        if work > budget.max_bits().saturating_mul(4) {
            return Err(budget.out_of_bits());
        }
        let contour = Contour { law: self, k, tilt, period, nodes, truncated: nodes < half, work };
        let (scale, sum) = if self.dual() { contour.dual(budget)? } else { contour.direct(budget)? };
        let mut mean = &sum * &Enclosure::rational(&Rational::from((1, contour.period.clone())), work);
        budget.note("threshold", k);
        budget.note("real part of the contour", plan.tilt);
        budget.note("period", &contour.period);
        budget.note("nodes on each side of the axis", nodes);
        budget.note("theta sum", if self.dual() { "by its Poisson dual" } else { "itself" });
        if contour.truncated {
            let left_out = contour.left_out();
            mean = mean.widen(left_out.upper());
            budget.note("omitted nodes", AtMost((&scale.with_bits(BOUND_BITS) * &left_out).upper()));
        }
        let aliases = contour.aliases(&alias_tilt);
        let aliases = Enclosure::new(Float::new(BOUND_BITS), aliases.upper().clone());
        budget.note("aliases", AtMost(aliases.upper()));
        budget.note("working precision", format_args!("{work} bits"));
        let value = &(&scale * &mean) - &aliases;
        alarm::probability(&value, "probability of a tail of discrete Gaussians")
    }

    /// An upper bound of `E e^(c(S - k))`, `c > 0`.
    ///
    /// Dual: `M(c) <= e^(c^2 sigma^2/2)`, see [`chernoff`](Self::chernoff). Direct: the sum itself.
    fn moment_bound(&self, c: &Rational, k: &Integer) -> Enclosure {
        if self.dual() {
            let exponent = Rational::from(c.square_ref()) * self.spread2() / 2u32 - Rational::from(c * k);
            return Enclosure::rational(&exponent, BOUND_BITS).exp();
        }
        let around = Around::new(self, c, k);
        let theta = &around.sum(self, BOUND_BITS) / &theta_zero_direct(&self.sigma2, BOUND_BITS);
        &Enclosure::rational(&around.exponent, BOUND_BITS).exp() * &theta.pow(self.times)
    }
}

/// What contours planned with more and more bits to spare enclose, until there are `bits` relative ones.
pub(super) fn by_contours(
    bits: u32,
    mut on_contour: impl FnMut(f64) -> Result<Enclosure, Error>,
) -> Result<Enclosure, Error> {
    let mut slack = 3.0;
    let mut best: Option<Enclosure> = None;
    for _ in 0..4 {
        let value = on_contour(slack)?;
        let proven = value.relative_bits();
        best = Some(match best {
            Some(before) => alarm::meet(&before, &value, "tail of discrete Gaussians")?,
            None => value,
        });
        match proven {
            Some(proven) if proven >= i64::from(bits) => break,
            Some(proven) => slack += (i64::from(bits) - proven) as f64 + 2.0,
            None => slack = slack * 4.0 + f64::from(bits) / 4.0,
        }
    }
    best.ok_or_else(|| Error::Undecided("no contour was tried".into()))
}

/// The moment at a real tilt, written around the integer `centre` nearest to `c sigma^2`, where the terms are largest:
/// `M(c)^n e^(-ck) = e^exponent (D(rest)/D(0))^n`, `D(y) = sum_i e^(-i^2/(2 sigma^2) + yi)`, `|rest| sigma^2 <= 1/2`.
struct Around {
    centre: Integer,
    rest: Rational,
    exponent: Rational,
}

impl Around {
    fn new(law: &Law, c: &Rational, k: &Integer) -> Self {
        let centre = Rational::from(c * &law.sigma2).round().into_numer_denom().0;
        let slope = Rational::from(&centre) / &law.sigma2;
        let rest = Rational::from(c - &slope);
        let moved = Integer::from(&centre * law.times);
        // n centre^2/(2 sigma^2) - k centre/sigma^2 + rest (n centre - k)
        let exponent = (&slope * (Rational::from(&moved) / 2u32 - k)) + (&rest * Rational::from(&moved - k));
        Around { centre, rest, exponent }
    }

    /// `e^(-i^2/(2 sigma^2) +- rest i)`.
    fn term(&self, law: &Law, i: u32, minus: bool, bits: u32) -> Enclosure {
        let mut exponent = -(Rational::from(i) * i / (Rational::from(&law.sigma2) * 2u32));
        let linear = Rational::from(&self.rest * i);
        if minus {
            exponent -= linear
        } else {
            exponent += linear
        }
        Enclosure::rational(&exponent, bits.saturating_add(64)).exp().with_bits(bits)
    }

    /// `D(rest)`.
    fn sum(&self, law: &Law, bits: u32) -> Enclosure {
        let last = direct_terms(&law.sigma2, bits);
        let mut sum = Enclosure::one(bits);
        for i in 1..=last {
            sum = sum + self.term(law, i, false, bits) + self.term(law, i, true, bits);
        }
        sum.widen(direct_remainder(&law.sigma2, last).upper())
    }
}

/// `D(0) = sum_j e^(-j^2/(2 sigma^2))`.
fn theta_zero_direct(sigma2: &Rational, bits: u32) -> Enclosure {
    let law = Law { sigma2: sigma2.clone(), times: 1 };
    Around { centre: Integer::new(), rest: Rational::new(), exponent: Rational::new() }.sum(&law, bits)
}

/// How many terms on each side make the rest of `D` smaller than `2^-bits` (a guess: the rest is bounded anyway).
fn direct_terms(sigma2: &Rational, bits: u32) -> u32 {
    (2.0 * sigma2.to_f64() * (f64::from(bits) + 8.0) * std::f64::consts::LN_2).sqrt().ceil() as u32 + 1
}

/// A bound on `sum_(|i| > last) |e^(-i^2/(2 sigma^2) + yi)|` for `|Re y| sigma^2 <= 1/2`.
///
/// A pair of terms is at most `2 e^(-(i^2 - i)/(2 sigma^2))`; from `i` to `i + 1` that falls by `e^(-i/sigma^2)`, so
/// with `v = last + 1` the sum is at most `2 e^(-v(v-1)/(2 sigma^2)) / (1 - e^(-v/sigma^2))`.
fn direct_remainder(sigma2: &Rational, last: u32) -> Enclosure {
    let v = Rational::from(last) + 1u32;
    let first = -(Rational::from(&v * last) / 2u32 / sigma2);
    let ratio = -(v / sigma2);
    let first = Enclosure::rational(&first, BOUND_BITS).exp().mul_u32(2);
    &first / &(&Enclosure::one(BOUND_BITS) - &Enclosure::rational(&ratio, BOUND_BITS).exp())
}

/// `e^(-pi^2 x)` for a rational `x >= 0`.
fn exp_pi2(x: &Rational, bits: u32) -> Enclosure {
    let wide = bits.saturating_add(64);
    (-(&Enclosure::pi(wide).square() * &Enclosure::rational(x, wide))).exp().with_bits(bits)
}

/// A bound on `sum_(|m| >= v) e^(-2 pi^2 sigma^2 (m^2 - |m| r))`, `0 <= r <= 1`, `v >= 1`: what the dual terms from `v`
/// on can come to at `Im z = +-pi r`.
///
/// Two terms each, of ratio at most `e^(-2 pi^2 sigma^2 (2v + 1 - r))`.
fn dual_remainder(sigma2: &Rational, v: u32, r: &Rational) -> Enclosure {
    let v = Rational::from(v);
    let two = Rational::from(sigma2 * 2u32);
    let first = exp_pi2(&(Rational::from(&two * &v) * Rational::from(&v - r)), BOUND_BITS).mul_u32(2);
    let ratio = exp_pi2(&(two * (v * 2u32 + 1u32 - r)), BOUND_BITS);
    &first / &(&Enclosure::one(BOUND_BITS) - &ratio)
}

/// The number of dual terms on each side worth computing up to `Im z = pi r`: the first left out is below `2^-bits`.
fn dual_terms(sigma2: f64, r: f64, bits: f64) -> u32 {
    let pi2 = std::f64::consts::PI * std::f64::consts::PI;
    let mut v = 1u32;
    while v < 1 << 20 && 2.0 * pi2 * sigma2 * f64::from(v) * (f64::from(v) - r) < (bits + 2.0) * std::f64::consts::LN_2
    {
        v += 1;
    }
    v - 1
}

/// `theta(y)/(sigma sqrt(2 pi)) = 1 + 2 sum_(m >= 1) e^(-2 pi^2 sigma^2 m^2) cos(2 pi m y)`, real `y` given modulo one.
pub(in crate::compose) fn dual_theta(sigma2: &Rational, y: &Enclosure, bits: u32) -> Enclosure {
    let last = dual_terms(sigma2.to_f64(), 0.0, f64::from(bits));
    let turn = &Enclosure::pi(bits).mul_u32(2) * y;
    let mut sum = Enclosure::one(bits);
    for m in 1..=last {
        let weight = exp_pi2(&(Rational::from(sigma2 * 2u32) * m * m), bits).mul_u32(2);
        sum = &sum + &(&weight * &Complex::cis(&turn.mul_u32(m), bits).re());
    }
    sum.widen(dual_remainder(sigma2, last.saturating_add(1), &Rational::new()).upper())
}

/// `theta(y) = sum_j e^(-(j-y)^2/(2 sigma^2))` for small variances, real `y`, the whole line unless `|y| <= 1`.
///
/// The terms left out have `(j - y)^2 >= (|j| - 1)^2`: the bound of [`direct_remainder`] one index earlier.
pub(in crate::compose) fn direct_theta(sigma2: &Rational, y: &Enclosure, bits: u32) -> Enclosure {
    if *y.lower() < -1 || *y.upper() > 1 {
        return Enclosure::whole(bits);
    }
    let wide = bits.saturating_add(64);
    let per_square = Enclosure::rational(&(Rational::from(sigma2 * 2u32)).recip(), wide);
    // Relative accuracy for y = 1/2 too, where all terms are small: the first ones weigh e^(-1/(8 sigma^2)).
    let depth = (0.2 / sigma2.to_f64()).min(1e9) as u32;
    let last = direct_terms(sigma2, bits.saturating_add(depth)).saturating_add(1);
    let mut sum = Enclosure::zero(bits);
    for j in -i64::from(last)..=i64::from(last) {
        let distance = &Enclosure::integer(&Integer::from(j), wide) - y;
        sum = sum + (-(&distance.square() * &per_square)).exp().with_bits(bits);
    }
    sum.widen(direct_remainder(sigma2, last - 1).upper())
}

/// One contour: the nodes, and the bounds that go with them.
struct Contour<'a> {
    law: &'a Law,
    k: &'a Integer,
    tilt: Rational,
    period: Integer,
    nodes: u64,
    truncated: bool,
    work: u32,
}

impl Contour<'_> {
    /// `2 pi x/N`, for `x` reduced modulo `N` exactly.
    fn turn(&self, x: &Rational) -> Enclosure {
        let turns = Rational::from(x / &self.period);
        let turns = &turns - Rational::from(turns.round_ref());
        &Enclosure::pi(self.work).mul_u32(2) * &Enclosure::rational(&turns, self.work)
    }

    /// `sum_(|m| <= nodes) Re(factor_m / (1 - e^(-z_m)))`, where `factor` is asked for `m = 0, 1, 2, ...` in turn
    /// together with `e^(-i u_m)`.
    fn sum(&self, budget: &Budget, mut factor: impl FnMut(u64, &Complex) -> Complex) -> Result<Enclosure, Error> {
        let work = self.work;
        let one = Complex::one(work);
        let damp = Complex::real(&(-Enclosure::rational(&self.tilt, work.saturating_add(64))).exp(), work);
        let step = Complex::cis(&-self.turn(&Rational::from(1)), work);
        let mut rotation = one.clone();
        let mut sum = Complex::zero(work);
        for m in 0..=self.nodes {
            budget.check()?;
            let kernel = (&one - &(&rotation * &damp)).recip();
            let node = &factor(m, &rotation) * &kernel;
            sum = &sum + &node;
            if m > 0 {
                // The node -m is the conjugate.
                sum = &sum + &node.conjugate();
            }
            rotation = &rotation * &step;
        }
        Ok(sum.re())
    }

    /// The sum with the dual theta sums, and the factor taken out of it.
    ///
    /// `M(z)^n e^(-kz) = e^(n sigma^2 c^2/2 - ck) * e^(-n sigma^2 u^2/2) * e^(iu(n sigma^2 c - k)) *
    /// (Theta(z)/Theta(0))^n`.
    fn dual(&self, budget: &Budget) -> Result<(Enclosure, Enclosure), Error> {
        let (law, work) = (self.law, self.work);
        let spread2 = law.spread2();
        let exponent = Rational::from(self.tilt.square_ref()) * &spread2 / 2u32 - Rational::from(&self.tilt * self.k);
        let scale = Enclosure::rational(&exponent, work.saturating_add(64)).exp().with_bits(work);

        // e^(-n sigma^2 u^2/2) for u = 2 pi m/N: successive ratios are themselves a geometric progression.
        let square = Integer::from(self.period.square_ref());
        let first = exp_pi2(&(Rational::from(&spread2 * 2u32) / &square), work);
        let mut ratio = Complex::real(&first, work);
        let ratio_step = &ratio * &ratio;
        let mut gauss = Complex::one(work);
        let step = Complex::cis(&self.turn(&(Rational::from(&spread2 * &self.tilt) - self.k)), work);
        let mut rotation = Complex::one(work);

        // The last node, as a multiple of pi; the dual terms grow with it.
        let reach = Rational::from((Integer::from(self.nodes) * 2u32, self.period.clone()));
        let wanted = f64::from(work) + (law.times as f64).portable_log2();
        let last = dual_terms(law.sigma2.to_f64(), reach.to_f64(), wanted);
        let rest = dual_remainder(&law.sigma2, last.saturating_add(1), &reach);
        let theta_zero = dual_theta(&law.sigma2, &Enclosure::zero(work), work);
        let per_zero = Complex::real(&theta_zero.recip(), work);
        let mut terms = Vec::new();
        for m in 1..=last {
            // At a hundred thousand digits each exponential takes a good part of a second.
            budget.check()?;
            // Turns of e^(2 pi i m sigma^2 c): only their fraction counts.
            let turns = Rational::from(&law.sigma2 * &self.tilt) * m;
            let turns = &turns - Rational::from(turns.round_ref());
            let angle = &Enclosure::pi(work).mul_u32(2) * &Enclosure::rational(&turns, work);
            let weight = Complex::real(&exp_pi2(&(Rational::from(&law.sigma2 * 2u32) * m * m), work), work);
            let base = &(&weight * &Complex::cis(&angle, work)) * &per_zero;
            // e^(-2 pi m sigma^2 u) for u = 2 pi/N.
            let fall = exp_pi2(&(Rational::from(&law.sigma2 * 4u32) * m / &self.period), work);
            let rise = Complex::real(&fall.recip(), work);
            terms.push((base.clone(), Complex::real(&fall, work)));
            terms.push((base.conjugate(), rise));
        }
        let constant = per_zero.clone().widen(rest.upper());
        let plain = terms.is_empty();
        let constant_power = if plain { constant.pow(law.times) } else { Complex::one(work) };

        let sum = self.sum(budget, |m, _| {
            if m > 0 {
                gauss = &gauss * &ratio;
                ratio = &ratio * &ratio_step;
                rotation = &rotation * &step;
            }
            let smooth = &rotation * &gauss;
            if plain {
                return &smooth * &constant_power;
            }
            let mut theta = constant.clone();
            for (term, step) in &mut terms {
                if m > 0 {
                    *term = &*term * step;
                }
                theta = &theta + term;
            }
            &smooth * &theta.pow(law.times)
        })?;
        Ok((scale, sum))
    }

    /// `1/(1 - e^(-c)) >= |1/(1 - e^(-z))|` on the contour, for `|1 - e^(-z)| >= 1 - |e^(-z)|`.
    fn kernel_bound(&self) -> Enclosure {
        (-(-Enclosure::rational(&self.tilt, BOUND_BITS)).expm1()).recip()
    }

    /// The sum with the theta sums themselves, and the factor taken out of it.
    ///
    /// With [`Around`]: `M(z)^n e^(-kz) = e^exponent (D(rest)/D(0))^n * e^(-iu(k - n centre)) * (D(rest +
    /// iu)/D(rest))^n`.
    fn direct(&self, budget: &Budget) -> Result<(Enclosure, Enclosure), Error> {
        let (law, work) = (self.law, self.work);
        let around = Around::new(law, &self.tilt, self.k);
        let last = direct_terms(&law.sigma2, work.saturating_add(64 - law.times.leading_zeros()));
        let peak = around.sum(law, work);
        let zero = theta_zero_direct(&law.sigma2, work);
        let scale = &Enclosure::rational(&around.exponent, work.saturating_add(64)).exp().with_bits(work)
            * &(&peak / &zero).pow(law.times);
        let per_peak = peak.recip();
        let weight = |i: u32, minus: bool| Complex::real(&(&around.term(law, i, minus, work) * &per_peak), work);
        let plus: Vec<Complex> = (1..=last).map(|i| weight(i, false)).collect();
        let minus: Vec<Complex> = (1..=last).map(|i| weight(i, true)).collect();
        // D(rest) >= 1, so dividing by it does not enlarge the remainder.
        let constant = Complex::real(&per_peak, work).widen(direct_remainder(&law.sigma2, last).upper());
        let moved = Integer::from(&around.centre * law.times) - self.k;
        let step = Complex::cis(&self.turn(&Rational::from(moved)), work);
        let mut rotation = Complex::one(work);
        let sum = self.sum(budget, |m, down| {
            if m > 0 {
                rotation = &rotation * &step;
            }
            let up = down.conjugate();
            let horner = |weights: &[Complex], point: &Complex| {
                weights.iter().rev().fold(Complex::zero(work), |sum, weight| &(&sum + weight) * point)
            };
            let theta = &(&constant + &horner(&plus, &up)) + &horner(&minus, down);
            &rotation * &theta.pow(law.times)
        })?;
        Ok((scale, sum))
    }

    /// A bound on `(1/N) sum_(|m| > nodes)` of the moduli, in units of the factor that [`dual`](Self::dual) takes out.
    ///
    /// `|M(c + iu)| Theta(0) <= e^(c^2 sigma^2/2) H(u)`, `H(u) = sum_m e^(-sigma^2 (u + 2 pi m)^2/2)`, by the triangle
    /// inequality in the dual sum; `H` is a theta function, even and decreasing on `[0, pi]` (Jacobi's triple product:
    /// each factor is), so each node left out has `H(u_m) <= H(u)` at the first of them; `Theta(0) >= 1`. There are
    /// fewer than N such nodes.
    fn left_out(&self) -> Enclosure {
        let law = self.law;
        let r = Rational::from((Integer::from(self.nodes) * 2u32 + 2u32, self.period.clone()));
        let two = Rational::from(&law.sigma2 * 2u32);
        let near = exp_pi2(&(&two * (Rational::from(1) - &r)), BOUND_BITS);
        let far = exp_pi2(&(&two * (Rational::from(1) + &r)), BOUND_BITS);
        let others = near + far + dual_remainder(&law.sigma2, 2, &r);
        let periodised = (&Enclosure::one(BOUND_BITS) + &others).pow(law.times);
        let gauss = exp_pi2(&(law.spread2() * Rational::from(r.square_ref()) / 2u32), BOUND_BITS);
        &(&gauss * &periodised) * &self.kernel_bound()
    }

    /// A bound on all aliases.
    ///
    /// Left, `l < 0`: probabilities are at most one, `sum_(l >= 1) e^(-clN) = q/(1 - q)`. Right, `l > 0`: Chernoff at a
    /// larger tilt `c'`, `P(S >= k + lN) <= E e^(c'(S - k)) e^(-c'lN)`, again geometric, with `q' = e^(-(c' - c)N)`.
    fn aliases(&self, alias_tilt: &Rational) -> Enclosure {
        let series = |exponent: Rational| {
            let x = -Enclosure::rational(&exponent, BOUND_BITS);
            &x.exp() / &-x.expm1()
        };
        let left = series(Rational::from(&self.tilt * &self.period));
        let right = series(Rational::from(alias_tilt - &self.tilt) * &self.period);
        left + self.law.moment_bound(alias_tilt, self.k) * right
    }
}
