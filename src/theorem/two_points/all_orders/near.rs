//! About the power that all orders allow at a q: a hint, of which nothing is proven.
//!
//! The search finds the smallest p at which one of four functions is zero. Each function increases in p: KL - m and
//! `h(t)` at its stationary t, in both directions. In floating-point numbers one step of Newton's method costs a
//! fraction of an enclosure of `excess`, and each step doubles the digits.

use rug::{Float, Rational};

use super::{Line, stationary};

/// Bits that the search begins with.
const FIRST: u32 = 64;
/// Proven bits after the search, with a margin.
const KNOWN: u32 = 36;
/// Its steps at most.
const STEPS: u32 = 200;

/// A probability in numbers without ends, with its complement and the logarithms of both.
struct About {
    value: Float,
    rest: Float,
    log: Float,
    log_rest: Float,
}

impl About {
    fn exp(log: &Float) -> Self {
        let bits = log.prec();
        let rest = -Float::with_val(bits, log.exp_m1_ref());
        About {
            value: Float::with_val(bits, log.exp_ref()),
            log_rest: Float::with_val(bits, rest.ln_ref()),
            rest,
            log: log.clone(),
        }
    }
}

/// A value with its derivative in `ln p`.
type Rising = (Float, Float);

impl Line {
    /// About the power at `q = e^y`; `None` where the search went astray.
    pub fn near(&self, y: &Rational, bits: u32) -> Option<Float> {
        let mut log = self.first(y)?;
        let mut known = KNOWN;
        let goal = bits.saturating_add(8);
        while known < goal {
            known = known.saturating_mul(2);
            let work = known.min(goal).saturating_add(FIRST);
            log.set_prec(work);
            let step = self.step(&log, &About::exp(&Float::with_val(work, y)))?;
            log -= step;
        }
        let power = log.exp();
        (power.is_finite() && power > 0 && power < 1).then_some(power)
    }

    /// The logarithm to some [`KNOWN`] bits, kept between what is too small and what is too large.
    fn first(&self, y: &Rational) -> Option<Float> {
        let q = About::exp(&Float::with_val(FIRST, y));
        let (mut low, mut high) = (q.log.clone(), Float::new(FIRST));
        // Where one order allows the least, by its first term alone.
        let (m, c, own) = (self.start.to_f64(), self.slope.to_f64(), q.log.to_f64());
        let t = (1.0 + (-own - m) / c).max(0.0).sqrt() - 1.0;
        let one = t * (own + m + c * t) / (1.0 + t);
        let mut log = Float::with_val(FIRST, one);
        let half = |low: &Float, high: &Float| Float::with_val(FIRST, low + high) / 2u32;
        for _ in 0..STEPS {
            if !(log > low && log < high) {
                log = half(&low, &high);
            }
            let step = self.step(&log, &q);
            let next = step.as_ref().map(|step| Float::with_val(FIRST, &log - step));
            *(if step.as_ref().is_some_and(Float::is_sign_positive) { &mut high } else { &mut low }) = log.clone();
            let away = Float::with_val(FIRST, &log - &q.log).min(&Float::with_val(FIRST, -&log));
            let next = next.filter(|next| next.is_finite()).unwrap_or_else(|| half(&low, &high));
            let moved = Float::with_val(FIRST, &next - &log).abs();
            log = next;
            if moved <= away >> (KNOWN / 2) {
                return (log > q.log && log < 0).then_some(log);
            }
        }
        None
    }

    /// How far `ln p` is above the root of the function that matters, to first order.
    fn step(&self, log: &Float, q: &About) -> Option<Float> {
        let bits = log.prec();
        let p = About::exp(log);
        let (up, down) = (Float::with_val(bits, &p.log - &q.log), Float::with_val(bits, &p.log_rest - &q.log_rest));
        let odds_of_p = Float::with_val(bits, &p.value / &p.rest);
        // The logarithms of the masses of both outcomes in units of `ln p`: 1 and this.
        let other = -odds_of_p;
        let one = Float::with_val(bits, 1);
        let forward = self.one_way_about((&p.value, &p.rest), (&p.log, &p.log_rest), (&up, &down), |t, share| {
            // Both masses are raised to `1 + t`.
            let sum = Float::with_val(bits, share + Float::with_val(bits, &one - share) * &other);
            sum * Float::with_val(bits, t + 1u32)
        });
        let d = Float::with_val(bits, &up - &down);
        let (turned_up, turned_down) = (Float::with_val(bits, -&down), Float::with_val(bits, -&up));
        let backward =
            self.one_way_about((&q.rest, &q.value), (&q.log_rest, &q.log), (&turned_up, &turned_down), |t, share| {
                let sum = Float::with_val(bits, share * &other) + Float::with_val(bits, &one - share);
                -(sum * t)
            });
        let slopes = [Float::with_val(bits, &p.value * &d), -(Float::with_val(bits, &q.rest * &other) + &q.value)];
        // The farthest above its root, or the least below, is the one that matters.
        let mut most: Option<Float> = None;
        for ((first, second), slope) in [forward, backward].into_iter().zip(slopes) {
            for (value, slope) in [Some((first, slope)), second].into_iter().flatten() {
                let step = value / slope;
                if step.is_finite() && most.as_ref().is_none_or(|most| step > *most) {
                    most = Some(step);
                }
            }
        }
        most
    }

    /// KL - m, and `h(t)` at its stationary t with its derivative in `ln p`, where there is such a t.
    fn one_way_about(
        &self,
        (mass, rest): (&Float, &Float),
        (log, log_rest): (&Float, &Float),
        (up, down): (&Float, &Float),
        slope: impl Fn(&Float, &Float) -> Float,
    ) -> (Float, Option<Rising>) {
        let bits = mass.prec();
        let float = |set: enclosure::Enclosure| Float::with_val(bits, set.lower());
        let (m, c) = (float(self.start.enclosure(bits)), float(self.slope.enclosure(bits)));
        let first = Float::with_val(bits, mass * up) + Float::with_val(bits, rest * down) - &m;
        let d = Float::with_val(bits, up - down);
        let ratio = Float::with_val(bits, &c * 8u32) / Float::with_val(bits, d.square_ref());
        if ratio >= 1 {
            return (first, None);
        }
        let odds = Float::with_val(bits, log - log_rest);
        // Some bits tell where h turns.
        let few = |x: &Float| Float::with_val(FIRST, x);
        let root = (1u32 - few(&ratio)).sqrt();
        let turn = (root.ln_1p() * 2u32 - few(&ratio).ln() - few(&odds)) / few(&d);
        if turn <= 0 {
            return (first, None);
        }
        let last = Float::with_val(bits, up - &m) / Float::with_val(bits, &c * 2u32);
        // The height at a t that is off by half of the bits is not.
        let short = bits / 2 + FIRST;
        let numbers = [&odds, &d, up, &m, &c].map(|x| Float::with_val(short, x));
        let t = Float::with_val(bits, stationary(&numbers, (&turn, &last), short));
        let tail = (-(Float::with_val(bits, &t * &d) + &odds)).exp();
        let share = Float::with_val(bits, 1u32 / Float::with_val(bits, &tail + 1u32));
        let moment = Float::with_val(bits, &t * up) + log + tail.ln_1p();
        let height = moment - Float::with_val(bits, &t * (Float::with_val(bits, &c * &t) + &m));
        let slope = slope(&t, &share);
        (first, Some((height, slope)))
    }
}
