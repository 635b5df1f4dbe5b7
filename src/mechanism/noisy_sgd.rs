//! The last iterate of noisy stochastic gradient descent whose steps contract, by shifted interpolation (Bok, Su and
//! Altschuler 2024). It is a shorthand for a composition that bounds it.
//!
//! **Mechanism.** T steps `X_(t+1) = phi_B(X_t) + Z_t`: a batch B that has each record with probability p; a map that
//! shrinks distances by the factor c at least, whatever the batch is (of strongly convex and smooth losses, projections
//! included), and that one record of the batch moves by at most `ratio` standard deviations of the noise; and the
//! noise, which is Gaussian. Only `X_T` is released. Neighbours add or remove one record.
//!
//! **Expansion.** With k of the last steps counted as subsampled steps (`sampled`), `1 <= k < T`,
//!
//! `poisson(rate=p, gdp(mu=ratio))^(k-1) * poisson(rate=p, gdp(mu=sqrt(2) ratio))
//!  * gdp(mu=sqrt(2) ratio (c^k - c^T)/(1-c))`:
//!
//! the earlier steps have moved the iterates apart by a known distance, which the later steps shrink and half of the
//! last step's noise hides. For `k = T` there are no earlier steps, and it is `poisson(rate=p, gdp(mu=ratio))^T`. Each
//! k gives a bound; without `sampled`, k is chosen ([`chosen`]). A last mu of many digits is rounded up to 60 digits,
//! which is safe, and the note states it. (`proofs/paper/noisy-cgd.md`, which also has batches of a fixed size)

use rug::ops::Pow;
use rug::{Float, Integer, Rational};

use super::abbreviation::Meaning;
use super::catalogue::Arguments;
use super::noisy_cgd::power;
use super::{Cause, Domain, Entry, Gdp, Mechanism, Misfit, Parameter, Poisson, Presence, Real, Trend, check};
use crate::error::Error;
use enclosure::decimal::{Side, decimal};

/// The shorthand and its parameters.
pub(super) const ENTRY: Entry = Entry {
    name: "noisy-sgd",
    aliases: &[],
    summary: "last iterate of noisy stochastic gradient descent (Poisson sampling) with contractive steps; shorthand \
              for a composition that bounds it",
    pair: "the pair of poisson(rate, gdp(ratio))^(k-1) * poisson(rate, gdp(sqrt(2) ratio)) * \
           gdp(sqrt(2) ratio (c^k - c^T)/(1-c)), T = steps, k = sampled, c = contraction; a long last mu is \
           rounded up to 60 digits",
    example: "noisy-sgd(steps=1000, rate=1/100, ratio=1, contraction=0.9)",
    answers: "Answers are upper bounds, by shifted interpolation (Bok, Su, Altschuler 2024).",
    parameters: &[
        Parameter {
            name: "steps",
            domain: Domain::Integer { least: 1 },
            presence: Presence::Required,
            // So are those sums, one for each step (O there).
            loss: Trend::Grows,
            meaning: "number of steps, an integer of at least 1",
        },
        Parameter {
            name: "rate",
            domain: Domain::Probability,
            presence: Presence::Required,
            // I in proofs/paper/calibration.md.
            loss: Trend::Grows,
            meaning: "sampling probability of each record in each step, between 0 and 1",
        },
        Parameter {
            name: "ratio",
            domain: Domain::NonNegative,
            presence: Presence::Required,
            // All that is inside is Gaussian (D there).
            loss: Trend::Grows,
            meaning: "sensitivity of a step to one record of its batch divided by the standard deviation of its noise, \
                      at least 0",
        },
        Parameter {
            name: "contraction",
            domain: Domain::Probability,
            presence: Presence::Required,
            // (c^k - c^T)/(1-c) is a sum of powers (D there).
            loss: Trend::Grows,
            meaning: "contraction factor c (Lipschitz constant) of a step, from 0 to 1",
        },
        Parameter {
            name: "sampled",
            domain: Domain::Integer { least: 1 },
            presence: Presence::Optional,
            loss: Trend::Unknown,
            meaning: "number k of last steps that count as subsampled steps, from 1 to `steps`; every k gives a valid \
                      bound. By default k is chosen for long runs; another k may give a smaller bound",
        },
    ],
    build: |_| Err(Misfit::new(None, "noisy-sgd is a shorthand for a composition and cannot be used here")),
};

/// Expansion of arguments that fit the entry.
pub(super) fn training(given: &Arguments) -> Result<Meaning, Misfit> {
    let count = |name: &str| given.checked(name, check::count(name, &given.real(name, 0)?));
    let steps = count("steps")?;
    let [rate, ratio, contraction] = ["rate", "ratio", "contraction"].map(|name| given.real(name, 0));
    let (rate, ratio, contraction) = (rate?, ratio?, contraction?);
    given.checked("rate", check::unit("rate", &rate))?;
    given.checked("ratio", check::nonnegative("ratio", &ratio))?;
    given.checked("contraction", check::unit("contraction", &contraction))?;
    let is_given = given.has("sampled");
    let sampled = if is_given || steps == 0 { count("sampled")? } else { chosen(steps, [&rate, &ratio, &contraction]) };
    for (name, value) in [("steps", steps), ("sampled", sampled)] {
        if value == 0 {
            return Err(given.misfit(name, format!("{name} must be at least 1, not 0")));
        }
    }
    if sampled > steps {
        return Err(given.misfit("sampled", format!("sampled must be at most the {steps} steps, not {sampled}")));
    }
    let by_choice = if is_given { "" } else { " (`sampled` chosen by default)" };
    let sample =
        |mu: &Real| -> Result<Mechanism, Error> { Ok(Poisson::new(rate.clone(), Gdp::new(mu.clone())?)?.into()) };
    // It has what all iterates show, and only the last one is released.
    let only = Some(Cause::ShiftedInterpolation);
    if sampled == steps {
        let factors = vec![(given.checked("ratio", sample(&ratio))?, steps)];
        return Ok(Meaning { factors, only, note: format!("noisy-sgd: all {steps} steps are subsampled{by_choice}") });
    }
    let apart = given.checked("contraction", distance(&contraction, sampled, steps))?;
    let last = given.checked("ratio", Real::from(2u64).sqrt().and_then(|root| root.mul(&ratio)))?;
    let (moved, rounded) = rounded_up(given.checked("ratio", apart.mul(&last))?);
    let factors = vec![
        (given.checked("ratio", sample(&ratio))?, sampled - 1),
        (given.checked("ratio", sample(&last))?, 1),
        (given.checked("ratio", Gdp::new(moved))?.into(), 1),
    ];
    let before = steps - sampled;
    let mut note = format!(
        "noisy-sgd: the last {sampled} steps are subsampled{by_choice}, the {before} before them are one shift"
    );
    if rounded {
        note += &format!(" (its mu rounded up to {DIGITS} digits)");
    }
    Ok(Meaning { factors, only, note })
}

/// Precision of the choice, which is the same on every machine.
const BITS: u32 = 64;

/// The k that is best in the limit of many steps. Any k has a bound, so this needs no certificate.
///
/// Each k is judged by `mu^2` of its Gaussian limit: `p^2 (e^(m^2) - 1)` for a step on samples (Dong, Roth, Su, Section
/// 5), and `2 m^2 ((c^k - c^T)/(1-c))^2` for the shift. Their sum is convex in k, so bisection finds the least one.
fn chosen(steps: u64, [rate, ratio, contraction]: [&Real; 3]) -> u64 {
    let number = |value: &Real| value.enclosure(BITS).upper().clone();
    let (square, c) = (number(ratio).square(), number(contraction));
    let sample = |times: u32| Float::with_val(BITS, &square * times).exp_m1() * number(rate).square();
    let (one, last) = (sample(1), sample(2));
    if !one.is_finite() || !last.is_finite() {
        return 1;
    }
    let power = |n: u64| Float::with_val(BITS, Pow::pow(&c, &Integer::from(n)));
    let whole = power(steps);
    let judged = |k: u64| {
        let apart = if c == 1 {
            Float::with_val(BITS, steps - k)
        } else {
            (power(k) - &whole) / Float::with_val(BITS, 1u32 - &c)
        };
        apart.square() * &square * 2u32 + Float::with_val(BITS, &one * (k - 1)) + &last
    };
    // Up to `low` the numbers fall.
    let (mut low, mut high) = (1, steps.max(2) - 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if judged(middle + 1) < judged(middle) { low = middle + 1 } else { high = middle }
    }
    if Float::with_val(BITS, &one * steps) <= judged(low) { steps } else { low.min(steps) }
}

/// `(c^k - c^T)/(1-c)`, how far apart all steps but the last k may bring two iterates after these, in units of what one
/// step moves; at `c = 1` their number.
fn distance(contraction: &Real, sampled: u64, steps: u64) -> Result<Real, Error> {
    let one = Real::one();
    if *contraction == one {
        return Ok(Real::from(Rational::from(steps - sampled)));
    }
    let apart = power(contraction, &Integer::from(sampled))?.sub(&power(contraction, &Integer::from(steps))?);
    apart.div(&one.sub(contraction))
}

/// Digits of a mu that is rounded, and how long a text may be that is not.
pub(super) const DIGITS: u32 = 60;
const LONGEST: usize = 80;

/// A number that is at least this one, and can be read; is it another one?
pub(super) fn rounded_up(mu: Real) -> (Real, bool) {
    if mu.to_string().len() <= LONGEST {
        return (mu, false);
    }
    let above = decimal(&mu.number(8 * DIGITS), DIGITS, Side::Upper);
    match above.parse() {
        Ok(above) => (above, true),
        Err(_) => (mu, false),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Composition;
    use super::*;
    use crate::compose::{Method, curve};
    use crate::curve::{Direction, Value};
    use enclosure::Budget;

    fn read(text: &str) -> Composition {
        Composition::parse_closed(text).expect(text)
    }

    /// It is the composition it stands for, by hand, and says what was made of the numbers.
    #[test]
    fn training_is_a_composition() {
        for (short, long) in [
            (
                "noisy-sgd(steps=4, rate=1/10, ratio=1, contraction=1/2, sampled=2)",
                // 1/4 + 1/8
                "poisson(rate=1/10, gdp(mu=1)) * poisson(rate=1/10, gdp(mu=sqrt(2))) * gdp(mu=3/8*sqrt(2))",
            ),
            (
                "noisy-sgd(steps=5, rate=1/10, ratio=1/2, contraction=1, sampled=1)",
                "poisson(rate=1/10, gdp(mu=sqrt(2)/2)) * gdp(mu=2*sqrt(2))",
            ),
            (
                "noisy-sgd(steps=5, rate=1/10, ratio=1, contraction=0, sampled=3)",
                "poisson(rate=1/10, gdp(mu=1))^2 * poisson(rate=1/10, gdp(mu=sqrt(2))) * gdp(mu=0)",
            ),
            ("noisy-sgd(steps=5, rate=1/4, ratio=1, contraction=1/2, sampled=5)", "poisson(rate=1/4, gdp(mu=1))^5"),
        ] {
            assert_eq!(read(short), read(long), "{short}");
            assert_eq!(read(short).notes().len(), 1, "{short}");
        }
        assert_eq!(
            read("noisy-sgd(steps=4, rate=1/10, ratio=1, contraction=1/2, sampled=2)").notes(),
            ["noisy-sgd: the last 2 steps are subsampled, the 2 before them are one shift"]
        );
        let steps: Composition = serde_json::from_str(
            r#"[{"mechanism": "noisy-sgd", "times": 2, "parameters":
                {"steps": 4, "rate": "1/10", "ratio": 1, "contraction": "1/2", "sampled": 2}}]"#,
        )
        .expect("steps");
        assert_eq!(steps, read("noisy-sgd(steps=4, rate=1/10, ratio=1, contraction=1/2, sampled=2)^2"));
    }

    /// Of these no bound at another number is much better than that at the chosen one.
    #[test]
    fn the_chosen_number_is_about_the_best() {
        let budget = Budget::default();
        let epsilon = |text: &str| {
            let curve = curve(&read(text), Method::Auto, &budget).expect(text);
            let delta: Real = "1e-5".parse().expect("a delta");
            let Ok(Value::Finite(found)) = curve.epsilon(&delta, Direction::Forward, 40, &budget) else {
                panic!("{text}")
            };
            found.enclosure(40)
        };
        for arguments in [
            "steps=40, rate=1/20, ratio=1, contraction=1/2",
            "steps=40, rate=1/20, ratio=1/2, contraction=9/10",
            "steps=30, rate=1/2, ratio=1/2, contraction=1",
            "steps=1, rate=1/2, ratio=1/2, contraction=1/2",
        ] {
            let own = epsilon(&format!("noisy-sgd({arguments})"));
            let steps: u32 = arguments[6..arguments.find(',').expect("more")].parse().expect("a number");
            for sampled in 1..=steps {
                let other = epsilon(&format!("noisy-sgd({arguments}, sampled={sampled})"));
                assert!(other.mul_u32(5).lower() > own.mul_u32(4).upper(), "{arguments}: {sampled}: {own:?} {other:?}");
            }
        }
        // All that can be asked has an answer at once.
        for arguments in [
            "steps=4611686018427387904, rate=1/100, ratio=1, contraction=0.999999999999",
            "steps=4611686018427387904, rate=1, ratio=1e300, contraction=1",
            "steps=10, rate=0, ratio=0, contraction=1",
            "steps=2, rate=1e-300, ratio=1e-300, contraction=1e-300",
        ] {
            let composition = read(&format!("noisy-sgd({arguments})"));
            assert!(composition.notes()[0].contains("`sampled` chosen by default"), "{arguments}");
        }
    }

    /// A mu of many digits is rounded up, by less than one of the digits that are kept.
    #[test]
    fn long_numbers_are_rounded_up() {
        let composition = read("noisy-sgd(steps=1000, rate=1/100, ratio=1, contraction=0.99, sampled=300)");
        assert!(composition.to_string().len() < 300, "{composition}");
        let c: Real = "0.99".parse().expect("a number");
        let power = |n: u64| c.pow(&Real::from(n)).expect("a power");
        let exact = power(300).sub(&power(1000)).mul_rational(&100.into()).mul(&"sqrt(2)".parse().expect("a root"));
        let exact = exact.expect("a product");
        let (shown, rounded) = rounded_up(exact.clone());
        let up = shown.sub(&exact).enclosure(400);
        assert!(rounded && up.sign() == Some(std::cmp::Ordering::Greater) && up.upper().to_f64() < 1e-57, "{up:?}");
        assert!(
            composition.factors().iter().any(|(mechanism, _)| *mechanism == Gdp::new(shown.clone()).unwrap().into())
        );
    }

    /// The last iterate of linear maps is known: with batches of all records, one of which moves each step by 1, it is
    /// Gaussian noise moved by `sum c^j` over the root of `sum c^(2j)`. No bound is below it.
    #[test]
    fn no_bound_is_below_a_known_last_iterate() {
        let budget = Budget::default();
        let (c, steps) = (Rational::from((1, 2)), 6u32);
        let (mut moved, mut noise, mut power) = (Rational::new(), Rational::new(), Rational::from(1));
        for _ in 0..steps {
            moved += &power;
            noise += power.clone().square();
            power *= &c;
        }
        let truth = read(&format!("gdp(mu=({moved})/sqrt({noise}))"));
        let delta = |composition: &Composition| {
            let curve = curve(composition, Method::Auto, &budget).expect("a curve");
            curve.delta(&Real::one(), Direction::Forward, 60, &budget).expect("a value").enclosure(60)
        };
        let truth = delta(&truth);
        for sampled in 1..=steps {
            let bound = read(&format!("noisy-sgd(steps=6, rate=1, ratio=1, contraction=1/2, sampled={sampled})"));
            assert!(delta(&bound).upper() >= truth.lower(), "{sampled}: {truth:?}");
        }
    }

    #[test]
    fn numbers_that_make_no_training_are_refused() {
        for (arguments, told) in [
            (
                "steps=10, rate=1/2, ratio=1, contraction=1/2, sampled=11",
                "sampled must be at most the 10 steps, not 11",
            ),
            ("steps=10, rate=1/2, ratio=1, contraction=1/2, sampled=0", "sampled must be at least 1, not 0"),
            ("steps=0, rate=1/2, ratio=1, contraction=1/2, sampled=1", "steps must be at least 1, not 0"),
            ("steps=10, rate=2, ratio=1, contraction=1/2, sampled=1", "rate must be between 0 and 1, not 2"),
            ("steps=10, rate=1/2, ratio=1, contraction=2, sampled=1", "contraction must be between 0 and 1, not 2"),
            ("steps=10, rate=1/2, ratio=-1, contraction=1, sampled=1", "ratio must be at least 0, not -1"),
            ("steps=0, rate=1/2, ratio=1, contraction=1/2", "steps must be at least 1, not 0"),
            ("steps=10, ratio=1, contraction=1", "`rate` is missing"),
        ] {
            let error = Composition::parse_closed(&format!("noisy-sgd({arguments})")).expect_err(arguments);
            assert!(error.message().contains(told), "{arguments}: {error}");
        }
    }
}
