//! Where promises are looked for, in doubles: any are promises, and nothing rests on which.

use super::Detail;
use super::tangent::Sketch;
use enclosure::Portable;

/// No promise is looked for where the logarithm of delta is above this: it would say next to nothing.
const SHALLOWEST: f64 = -0.01;

/// How much a step next to 0 counts, in the scale of the losses, beside one in the logarithm of delta.
const MIDDLE: f64 = 6.0;

/// Halvings of an interval of doubles.
const HALVINGS: u32 = 40;

/// Epsilons farther out are not looked at.
const FARTHEST: f64 = 1e6;

/// Orders above 1 that are looked at, as powers of two to a quarter of the usual one.
const ORDERS: std::ops::Range<i32> = -160..160;

/// Steps from order to order, in the same units.
const FIRST_STEP: f64 = 2.0;
const LAST_STEP: f64 = 0.25;
const MOST_STEPS: u32 = 64;

/// Bounds of Renyi divergences in doubles: `D_(1+t) <= start + slope t`, at one order or at all.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub start: f64,
    pub slope: f64,
    /// The order less one, if only one is known.
    pub only: Option<f64>,
}

impl Bounds {
    fn at(&self, t: f64) -> f64 {
        self.start + self.slope * t
    }

    /// The logarithm of the delta at an epsilon by the standard conversion, about, and the place of its order.
    fn standard(&self, epsilon: f64) -> (f64, i32) {
        let log = |t: f64| t * (self.at(t) - epsilon) + t * t.portable_ln() - (1.0 + t) * t.portable_ln_1p();
        match self.only {
            Some(t) => (log(t).min(0.0), 0),
            None => ORDERS
                .map(|place| (log(self.excess(f64::from(place))), place))
                .fold((0.0, 0), |best, one| if one.0 < best.0 { one } else { best }),
        }
    }

    /// The two outcomes of the least delta at an epsilon, about.
    pub fn sketch(&self, epsilon: f64) -> Option<Sketch> {
        let of = |t: f64| Sketch::of(t, self.at(t), epsilon);
        if let Some(t) = self.only {
            return of(t);
        }
        // From the best order of the standard conversion down to where delta is least.
        let mut place = f64::from(self.standard(epsilon).1);
        let mut best = of(self.excess(place));
        let mut step = FIRST_STEP;
        for _ in 0..MOST_STEPS {
            if step < LAST_STEP {
                break;
            }
            let nearby = [place - step, place + step].map(|place| (place, of(self.excess(place))));
            let better = nearby.into_iter().find_map(|(place, found)| {
                let found = found?;
                best.is_none_or(|best| found.log_delta < best.log_delta).then_some((place, found))
            });
            match better {
                Some((found, sketch)) => (place, best) = (found, Some(sketch)),
                None => step /= 2.0,
            }
        }
        best
    }

    /// The order less one of a place. Where losses spread by so much it is about one over that.
    fn excess(&self, place: f64) -> f64 {
        let usual = if self.slope > 0.0 { self.scale().recip() } else { 1.0 };
        (place / 4.0).portable_exp2() * usual
    }

    /// About how far losses spread.
    fn scale(&self) -> f64 {
        let variance = match self.only {
            Some(t) => self.at(t) / (1.0 + t),
            None => self.slope,
        };
        (2.0 * variance).sqrt().max(f64::MIN_POSITIVE)
    }

    /// The epsilons of the promises: equal steps of the logarithm of delta and of a logarithm of epsilon, together.
    pub fn epsilons(&self, Detail { count, depth }: Detail) -> Vec<f64> {
        let lowest = -f64::from(depth) * std::f64::consts::LN_2;
        let log_delta = |epsilon: f64| self.standard(epsilon).0;
        // The first epsilon at which the logarithm of delta is below something: it falls.
        let below = |level: f64| {
            let mut high = self.scale();
            while log_delta(high) > level && high < FARTHEST {
                high *= 2.0;
            }
            bisected((0.0, high), |epsilon| log_delta(epsilon) <= level)
        };
        let (first, last) = (below(SHALLOWEST), below(lowest));
        let place = |epsilon: f64| MIDDLE * (epsilon / self.scale()).portable_asinh() - log_delta(epsilon);
        let (from, to) = (place(first), place(last));
        let steps = count.max(2) - 1;
        let level = |step: u32| from + (to - from) * f64::from(step) / f64::from(steps);
        (0..=steps).map(|step| bisected((first, last), |epsilon| place(epsilon) >= level(step))).collect()
    }
}

/// Where something begins to hold, about.
fn bisected((mut low, mut high): (f64, f64), holds: impl Fn(f64) -> bool) -> f64 {
    if holds(low) {
        return low;
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}
