//! Chernoff's bound: what moments on the axis say of the profile, with no line at all.
//!
//! With a the mass at infinity and M the moment generating function of the finite losses, for every `t >= 0`
//!
//! `a <= delta(eps) <= a + c M(t) e^(-t eps)`, `c = t^t/(1+t)^(1+t) <= 1`,
//!
//! for `(1 - e^-x)_+ <= c e^(tx)`: for `x <= 0` the left side is 0, and beyond it `(1 - e^-x) e^(-tx)` is greatest
//! where `e^-x = t/(1+t)`, and is c there. It is at most a delta above a from `eps = ln(c M(t)/(delta - a))/t` on,
//! `t > 0`. Which t is taken doubles tell; any is right. Paper proof: `proofs/paper/answers.md`.

use rug::{Float, Rational};

use super::{Quadrature, Side};
use crate::compose::choose::Refusal;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::Product;
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Number, Portable, Real, peak};

/// Tilts that are tried: powers of the root of two, up to where rare events are told that losses next to the largest
/// one want.
const TILTS: std::ops::Range<i32> = -12..84;
/// Those of them whose moments are in reach wherever there are any, for the least bound; how near to it is near.
const CHEAP: std::ops::Range<i32> = -12..27;
const NEAR: f64 = 0.01;
/// A tilt of which doubles say that its logarithm is so far below what is wanted is as good as any.
const CLEARLY: f64 = 2.0;
/// So many tilts are tried, each so many times as small as the last, until a moment is in reach.
const TRIES: u32 = 5;
const SMALLER: f64 = 6.0;
/// Bits of the bound.
const FEW_BITS: u32 = 64;
/// The logarithm below which a profile is tiny.
const TINY: f64 = -46.0;

impl Side {
    /// About `ln M(t)`; infinite where it is.
    fn log_moment(&self, t: f64) -> f64 {
        let inside = self.factors.iter().all(|(factor, _)| t < factor.strip().1);
        let sum: f64 = self.factors.iter().map(|(factor, times)| *times as f64 * factor.log_moment(t)).sum();
        if inside && !sum.is_nan() { sum } else { f64::INFINITY }
    }

    /// `c M(t)`.
    fn scaled_moment(&self, t: &Rational, budget: &Budget) -> Result<Enclosure, Error> {
        let wide = FEW_BITS + 64;
        let mut moment = greatest(&Enclosure::rational(t, wide));
        for (factor, times) in &self.factors {
            moment = &moment * &factor.moment(t, FEW_BITS, budget)?.pow(*times);
        }
        Ok(moment)
    }

    /// `c M(t) e^(-t epsilon)`.
    fn rest_at_most(&self, epsilon: &Real, t: &Rational, budget: &Budget) -> Result<Enclosure, Error> {
        let wide = FEW_BITS + 64;
        let fall = (-(&Enclosure::rational(t, wide) * &epsilon.enclosure(wide))).exp();
        Ok(&self.scaled_moment(t, budget)? * &fall)
    }

    /// Does the bound prove that the profile is at most this?
    pub(super) fn is_at_most(&self, epsilon: &Real, level: &Enclosure, budget: &Budget) -> Result<bool, Error> {
        let at = epsilon.to_f64();
        if !(*level.lower() > 0) {
            return Ok(false);
        }
        // The least that clearly does: moments at large tilts are dear. Where none does, the best one may.
        let target = level.ln().lower().to_f64();
        let tilts = || tilts(TILTS).map(|t| (self.log_moment(t) - t * at, t));
        let clear = tilts().find(|(log, _)| *log < target - CLEARLY);
        let Some((least, t)) = clear.or_else(|| tilts().min_by(|x, y| x.0.total_cmp(&y.0))) else { return Ok(false) };
        if least > target {
            return Ok(false);
        }
        let Some(tilt) = short(t) else { return Ok(false) };
        let bound = &self.infinite_p(FEW_BITS).enclosure(FEW_BITS + 64) + &self.rest_at_most(epsilon, &tilt, budget)?;
        Ok(bound.upper() <= level.lower())
    }

    /// The tilt at which this, about, is least, and what it is there.
    fn least(&self, value: impl Fn(f64) -> f64) -> Option<(f64, f64)> {
        let best = tilts(CHEAP).map(|t| (value(t), t)).min_by(|x, y| x.0.total_cmp(&y.0));
        let (least, t) = best.filter(|(least, _)| least.is_finite())?;
        // No farther than the tilts that are cheap.
        let most = f64::from(CHEAP.end) / 2.0;
        let height = |x: f64| {
            Ok::<f64, std::convert::Infallible>(if x <= most { -value(x.portable_exp2()) } else { f64::NEG_INFINITY })
        };
        let Ok(x) = peak::climbed(t.portable_log2(), 0.25, NEAR, height);
        let near = (value(x.portable_exp2()), x.portable_exp2());
        Some(if near.0 < least && x <= most { near } else { (least, t) })
    }

    /// About the least bound of the profile without the mass at infinity, as a logarithm, and its tilt.
    fn least_rest(&self, epsilon: f64) -> Option<(f64, f64)> {
        self.least(|t| self.log_moment(t) - t * epsilon + log_greatest(t))
    }

    /// From the mass at infinity to the least bound.
    fn around(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let wide = bits.saturating_add(64);
        let infinite = self.infinite_p(bits).enclosure(wide);
        let least = self.least_rest(epsilon.to_f64()).map(|(_, t)| t);
        let rest = within_reach(least, |t| self.rest_at_most(epsilon, t, budget))?.with_bits(wide);
        Ok(&infinite + &Enclosure::zero(wide).hull(&rest))
    }

    /// Of the epsilon of a delta above the mass at infinity: from 0 to the least bound.
    fn epsilon_up_to(&self, delta: &Real, budget: &Budget) -> Result<Enclosure, Error> {
        let wide = FEW_BITS + 64;
        let left = (&delta.enclosure(wide) - &self.infinite_p(FEW_BITS).enclosure(wide)).ln();
        let log_left = left.lower().to_f64();
        let least = self.least(|t| (self.log_moment(t) + log_greatest(t) - log_left) / t).map(|(_, t)| t);
        let bound = within_reach(least.filter(|_| log_left.is_finite()), |t| {
            let log = &self.scaled_moment(t, budget)?.ln() - &left;
            Ok(&log / &Enclosure::rational(t, wide))
        })?;
        Ok(Enclosure::zero(wide).hull(&bound.positive_part()))
    }
}

/// What a moment at this tilt says, or one at a smaller tilt where the other is out of reach.
fn within_reach(tilt: Option<f64>, bound: impl Fn(&Rational) -> Result<Enclosure, Error>) -> Result<Enclosure, Error> {
    let mut why = Error::undecided("no moment bounds it");
    let mut tilt = tilt;
    for _ in 0..TRIES {
        let Some(at) = tilt.and_then(short).filter(|at| *at > 0) else { break };
        match bound(&at) {
            Err(undecided @ Error::Undecided(_)) => why = undecided,
            known => return known,
        }
        tilt = tilt.map(|t| t / SMALLER);
    }
    Err(why)
}

/// These powers of the root of two.
fn tilts(powers: std::ops::Range<i32>) -> impl Iterator<Item = f64> {
    powers.map(|i| (f64::from(i) / 2.0).portable_exp2())
}

/// A tilt near to this one that is a short fraction.
fn short(t: f64) -> Option<Rational> {
    Float::with_val(20, t).to_rational()
}

/// About `ln c`.
fn log_greatest(t: f64) -> f64 {
    -t * (1.0 / t).portable_ln_1p() - t.portable_ln_1p()
}

/// `c = t^t/(1+t)^(1+t) = e^(-t ln(1 + 1/t))/(1 + t)`, for `t > 0`.
fn greatest(t: &Enclosure) -> Enclosure {
    let power = (-(t * &t.recip().log1p())).exp();
    &power / &(t + &Enclosure::one(t.bits()))
}

/// Nothing but the bound: what fails outright where that is far more than all else, and how small a profile is at
/// least where no contour has any digit of it.
pub struct Chernoff {
    of: Quadrature,
}

impl Chernoff {
    /// Of these factors.
    pub(in crate::compose) fn of(product: &Product) -> Result<Self, Refusal> {
        Ok(Chernoff { of: Quadrature::of(product)? })
    }
}

impl Curve for Chernoff {
    fn symmetric(&self) -> bool {
        self.of.symmetric
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.of.side(direction).around(epsilon, bits, budget).map(Number::Enclosed)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, _bits: u32, budget: &Budget) -> Result<Value, Error> {
        Ok(Value::Finite(Number::Enclosed(self.of.side(direction).epsilon_up_to(delta, budget)?)))
    }

    fn beta(&self, _alpha: &Real, _direction: Direction, _bits: u32, _budget: &Budget) -> Result<Number, Error> {
        Err(Error::undecided("Chernoff's bound is one of profiles"))
    }

    fn is_at_most(
        &self,
        epsilon: &Real,
        direction: Direction,
        level: &Enclosure,
        budget: &Budget,
    ) -> Result<bool, Error> {
        self.of.is_at_most(epsilon, direction, level, budget)
    }

    /// Where the profile is tiny, but for the mass at infinity.
    fn is_apt(&self, epsilon: &Real, _budget: &Budget) -> bool {
        self.of.side(Direction::Forward).least_rest(epsilon.to_f64()).is_some_and(|(log, _)| log < TINY)
    }

    fn method(&self) -> &'static str {
        "Chernoff's bound"
    }

    fn statement(&self) -> &'static Statement {
        &statement::CHERNOFF
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Composition;

    const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

    fn real(text: &str) -> Real {
        text.parse().expect("a constant")
    }

    fn bound(text: &str) -> Chernoff {
        let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let product = Product::new(composition.pairs().expect("pairs"));
        Chernoff::of(&product).unwrap_or_else(|_| panic!("{text} has moments"))
    }

    /// A loss that is certain, `ln 2`: at `t = 1` the bound touches the profile at epsilon 0, which is 1/2. It is
    /// narrow, so that another constant would miss it.
    #[test]
    fn the_bound_is_sharp() {
        let certain = bound("finite(p=[1, 0], q=[1/2, 1/2])");
        let side = certain.of.side(Direction::Forward);
        let touching = side.rest_at_most(&real("0"), &Rational::from(1), &Budget::default()).expect("a bound");
        assert!(touching.contains(&Rational::from((1, 2))) && touching.relative_bits() > Some(50), "{touching:?}");
    }

    /// Between its ends is what a contour says of the profile, and of the epsilon; its end above is near to it.
    #[test]
    fn profiles_and_epsilons_are_inside() {
        let budget = Budget::default();
        for text in [
            "poisson(rate=0.01, gaussian(sigma=1))^1000",
            "gdp(mu=1) * laplace(scale=2)^3",
            "poisson(rate=1/2, laplace(scale=1))^9 * gdp(mu=1/2) * approx-dp(epsilon=1/10, delta=1e-30)^3",
        ] {
            let bound = bound(text);
            for direction in BOTH {
                for epsilon in ["-1", "0", "1/2", "1", "3"] {
                    let at = real(epsilon);
                    let truth = bound.of.delta(&at, direction, 100, &budget).expect("a profile").enclosure(100);
                    let found = bound.delta(&at, direction, 100, &budget).expect("a bound").enclosure(100);
                    let inside = found.lower() <= truth.upper() && truth.lower() <= found.upper();
                    assert!(inside, "{text} {epsilon}: {found:?} {truth:?}");
                    assert!(*found.upper() <= 1 || epsilon == "-1", "{text} {epsilon}: {found:?}");
                }
                for delta in ["1/10", "1e-5", "1e-25"] {
                    let delta = real(delta);
                    let ask = |curve: &dyn Curve| match curve.epsilon(&delta, direction, 60, &budget) {
                        Ok(Value::Finite(epsilon)) => epsilon.enclosure(100),
                        other => panic!("{text}: {other:?}"),
                    };
                    let (truth, found) = (ask(&bound.of), ask(&bound));
                    let twice = &truth.shift(1) + &Enclosure::one(100);
                    assert!(found.lower().is_zero() && found.upper() >= truth.lower(), "{text}: {found:?} {truth:?}");
                    assert!(found.upper() <= twice.upper(), "{text}: {found:?} {truth:?}");
                }
            }
        }
    }

    /// What fails outright and is far more than all else has all its digits, also where 1 less it has none of them.
    #[test]
    fn what_fails_outright_has_all_digits() {
        let failing = "poisson(rate=1e-7, gaussian(sigma=1))^2 * approx-dp(epsilon=1/10, delta=1e-90)^2";
        for direction in BOTH {
            let found = bound(failing).delta(&real("30"), direction, 100, &Budget::default()).expect("a bound");
            let found = found.enclosure(200);
            let mass = Rational::from((1, rug::Integer::u_pow_u(10, 90)));
            let kept: Rational = 1 - mass;
            let all: Rational = 1 - kept.square();
            assert!(found.contains(&all) && found.relative_bits() > Some(90), "{direction:?}: {found:?}");
        }
    }

    /// It is asked first where profiles are tiny, and nowhere else.
    #[test]
    fn it_is_apt_where_profiles_are_tiny() {
        let apt = |text: &str, epsilon: &str| bound(text).is_apt(&real(epsilon), &Budget::default());
        assert!(apt("poisson(rate=1e-7, gaussian(sigma=3))^2", "2"));
        assert!(apt("gdp(mu=1) * laplace(scale=2)^3", "20"));
        for (text, epsilon) in
            [("poisson(rate=0.01, gaussian(sigma=1))^1000", "1"), ("gdp(mu=1)", "6"), ("gdp(mu=1)", "-9")]
        {
            assert!(!apt(text, epsilon), "{text} at {epsilon}");
        }
    }
}
