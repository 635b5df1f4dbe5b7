//! What the ends leave of the profile, by the trapezoid rule on a line.
//!
//! With `N` the product of all transforms, `S` that of all series, h and l the largest and the least loss of all, and
//! g and f the inverse transforms of `N/(z^2 - 1/4)` and `S/(z^2 - 1/4)`, on `Re z = a > 1/2`: the nodes `a + iku`,
//! `u = 2 pi/period`, give
//!
//! `(u/2 pi) sum_k e^(-z_k t) (N - S)(z_k)/(z_k^2 - 1/4) = sum_m e^(a m period) (g - f)(t + m period)`
//!
//! by Poisson's formula, for g and f are continuous and what is summed falls at least like `1/|z|^2`. Errors, for t
//! from `h - reach` on, `period > reach`:
//!
//! * *aliases to the right* are none: g and f are 0 from h on;
//! * *to the left*, for any b between 1/2 and a: `|g(x)|, |f(x)| <= e^(-bx) B/(2(b - 1/2))`, B a bound of `N(b)` and of
//!   all terms of S there, for `|z^2 - 1/4| >= (b - 1/2)^2 + v^2` on the line through b. So all together at most
//!   `e^(-bt) (B + B')/(2(b - 1/2)) q/(1-q)`, `q = e^(-(a-b) period)`;
//! * *nodes left out*, from the ordinate U on: `|z^2 - 1/4| >= v^2`; and if `|N_i| <= n_i`, `|N_i - S_i| <= r_i v^-d`
//!   with the same number d of derivatives for all that are not exact, `|N - S| <= prod (n_i + r_i v^-d) - prod n_i`,
//!   every term of which falls at least like `v^-d`. So they add at most `e^(-at) [prod (n_i + r_i U^-d) - prod n_i]/
//!   (pi U (d + 1))`.

use std::sync::Arc;

use rug::float::Round::Up;
use rug::{Float, Rational};

use super::plan::Plan;
use super::series::{End, Ends, Noise};
use crate::compose::quadrature::VerticalContour;
use crate::compose::quadrature::factor::{Factor, PoissonLaplace, Reversed};
use crate::error::Error;
use enclosure::progression::Progressions;
use enclosure::{Budget, Complex, Enclosure, Real};

/// Nodes that are computed together.
const RUN: u64 = 512;

/// `u (N - S)/(2 pi (z^2 - 1/4))` at all nodes, twice but at the first, for both signs of the ordinate.
pub(super) struct Contour {
    tilt: Rational,
    line: VerticalContour,
    values: Vec<Complex>,
    /// No more is wrong, for an outcome of mass 1 and the t that are served.
    pub error: Float,
    bits: u32,
}

/// Bounds of one kind at a real point, over `e^(b high)`: of the transform, and of the terms of the series.
struct Bounds {
    moment: Enclosure,
    series: Enclosure,
}

impl Bounds {
    /// The density between the ends is at most its value at either of them, the coefficient of `1/z`.
    fn new(ends: &Ends, b: &Enclosure) -> Self {
        let (high, low) = (&ends.high, &ends.low);
        let gap = (-&(b * &(&high.loss - &low.loss))).exp();
        let term = |end: &End, n: usize| end.series.get(n).map_or_else(|| Enclosure::whole(64), Enclosure::abs);
        let density = term(high, 1).max(&term(low, 1));
        let atoms = &term(high, 0) + &(&term(low, 0) * &gap);
        let moment = &atoms + &(&(&density * &(&Enclosure::one(64) - &gap)) / b);
        let inverse = b.recip();
        let all = |end: &End| {
            let terms = end.series.iter().rev();
            terms.fold(Enclosure::zero(64), |sum, term| &(&sum * &inverse) + &term.abs().with_bits(64))
        };
        let series = &all(high) + &(&all(low) * &gap);
        Bounds { moment, series }
    }
}

/// A double as an enclosure of 64 bits.
fn double(x: f64) -> Enclosure {
    Enclosure::double(x, 64)
}

/// The errors of the header, for an outcome of mass 1.
fn error(kinds: &[(Ends, u64)], plan: &Plan, reach: &Enclosure, last: &Enclosure) -> Float {
    let (one, half) = (double(1.0), double(0.5));
    let (a, b) = (double(plan.tilt), double(plan.aside));
    let mut both = [one.clone(), one.clone()];
    for (ends, times) in kinds {
        let bounds = Bounds::new(ends, &b);
        both = [&both[0] * &bounds.moment.pow(*times), &both[1] * &bounds.series.pow(*times)];
    }
    let [moment, series] = both;
    let fall = (-&(&(&a - &b) * &double(plan.period))).exp();
    let size = &(&(&moment + &series) * &(&b * reach).exp()) / &(&b - &half).shift(1);
    let aliases = &(&size * &fall) / &(&one - &fall);
    // prod (n + r) - prod n, one factor after the other.
    let (mut product, mut rest) = (one.clone(), Enclosure::zero(64));
    let power = last.pow(plan.terms as u64);
    for (ends, times) in kinds {
        let moment = Bounds::new(ends, &a).moment;
        let missed = &ends.fall.with_bits(64) / &power;
        for _ in 0..*times {
            rest = &(&rest * &(&moment + &missed)) + &(&product * &missed);
            product = &product * &moment;
        }
    }
    let tail = &(&rest * &(&a * reach).exp())
        / &(&(&Enclosure::pi(64) * last) * &Enclosure::integer(&(plan.terms as u64 + 1).into(), 64));
    let all = (&aliases + &tail).into_bounds().1;
    // What is no number bounds nothing.
    if all.is_nan() { Float::with_val(64, rug::float::Special::Infinity) } else { all }
}

/// A series at a node: `sum c_n z^-n e^(z loss)`, from `1/z`.
fn at_end(end: &End, inverse: &Complex, (tilt, ordinate): (&Enclosure, &Enclosure), bits: u32) -> Complex {
    let mut terms = end.series.iter().rev();
    let first = terms.next().map_or_else(|| Complex::zero(bits), |term| Complex::real(term, bits));
    let sum = terms.fold(first, |sum, term| &(&sum * inverse) + &Complex::real(term, bits));
    &sum * &Complex::exp(&(tilt * &end.loss), &(ordinate * &end.loss), bits)
}

impl Contour {
    /// For t from `h - reach` on, as planned.
    pub fn new(
        noises: &[Noise],
        kinds: &[(Ends, u64)],
        backward: bool,
        plan: &Plan,
        reach: &Enclosure,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let refused = || Error::undecided("found no contour for the part apart from the ends of the privacy losses");
        let tilt = Rational::from_f64(plan.tilt).ok_or_else(refused)?;
        let period = Rational::from_f64(plan.period).ok_or_else(refused)?;
        // Nothing comes from the right.
        if !(plan.tilt > plan.aside && plan.aside > 0.5 && *reach.upper() < plan.period) {
            return Err(refused());
        }
        let bits = plan.bits;
        let line = VerticalContour::new(&tilt - Rational::from((1, 2)), Real::from(period.clone()));
        let mut factors: Vec<Arc<dyn Factor>> = Vec::new();
        for noise in noises {
            if let Some(rate) = &noise.rate {
                let factor: Arc<dyn Factor> = Arc::new(PoissonLaplace::new(rate.clone(), noise.shift.clone())?);
                factors.push(if backward { Arc::new(Reversed(factor)) } else { factor });
            }
        }
        let mut moments = Vec::with_capacity(factors.len());
        for factor in &factors {
            moments.push(factor.on(&line, bits, budget)?);
        }
        let a = Enclosure::rational(&tilt, bits);
        let quarter = Complex::real(&Enclosure::one(bits).shift(-2), bits);
        let once = Enclosure::rational(&period, bits).recip();
        let mut values = Vec::with_capacity(plan.nodes as usize + 1);
        let mut first = 0;
        while first <= plan.nodes {
            let count = RUN.min(plan.nodes + 1 - first) as usize;
            let mut runs = Vec::with_capacity(moments.len());
            for moment in &mut moments {
                runs.push(moment.run(first, count, budget)?.into_iter());
            }
            for k in (first..).take(count) {
                let u = line.ordinate(k, bits);
                let z = Complex::from_parts(&a, &u, bits);
                let inverse = z.recip();
                let mut runs = runs.iter_mut();
                let mut exact = Complex::one(bits);
                let (mut all, mut ended) = (Complex::one(bits), Complex::one(bits));
                for (noise, (ends, times)) in noises.iter().zip(kinds) {
                    let node = (&a, &u);
                    let series = &at_end(&ends.high, &inverse, node, bits) + &at_end(&ends.low, &inverse, node, bits);
                    if noise.rate.is_none() {
                        exact = &exact * &series.pow(*times);
                        continue;
                    }
                    let value = runs.next().and_then(Iterator::next).ok_or_else(refused)?;
                    all = &all * &value.pow(*times);
                    ended = &ended * &series.pow(*times);
                }
                let weight = if k == 0 { once.clone() } else { once.shift(1) };
                let kernel = &(&(&z * &z) - &quarter).recip() * &Complex::real(&weight, bits);
                values.push(&(&(&all - &ended) * &exact) * &kernel);
            }
            first += count as u64;
        }
        let error = error(kinds, plan, reach, &line.ordinate(plan.nodes, 64));
        Ok(Contour { tilt, line, values, error, bits })
    }

    /// How many nodes there are.
    pub fn count(&self) -> u64 {
        self.values.len() as u64
    }

    /// The precision.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The sum over all nodes, for outcomes of so much mass at t; what the nodes leave out apart.
    pub fn value(
        &self,
        outcomes: &[(Enclosure, Enclosure)],
        fraction: u32,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let bits = self.bits;
        let (a, u) = (Enclosure::rational(&self.tilt, bits), self.line.ordinate(1, bits));
        // Sums of outcomes need as many bits after the point as what is multiplied with them is large.
        let mut size = Float::new(64);
        for value in &self.values {
            size = Float::with_val_round(64, &size + value.modulus_upper(), Up).0;
        }
        let exponent = size.get_exp().unwrap_or(0);
        let count = u64::BITS - (outcomes.len() as u64).leading_zeros();
        let unit = -i32::try_from(fraction + count).unwrap_or(i32::MAX) - 24 - exponent;
        let mut terms = Progressions::turning(unit, bits);
        for (t, mass) in outcomes {
            let start = Complex::real(&(mass * &(-&(&a * t)).exp()), bits);
            if !terms.push(&start, &Complex::cis(&-&(&u * t), bits)) {
                return Err(Error::undecided(
                    "the contour apart from the ends of the privacy losses lost its precision",
                ));
            }
        }
        let none = Float::new(64);
        let mut sum = Enclosure::zero(bits);
        for (k, value) in self.values.iter().enumerate() {
            if k % 64 == 0 {
                budget.check()?;
            }
            sum = &sum + &terms.value(bits, &none).re_of_product(value);
            terms.advance();
        }
        Ok(sum)
    }
}
