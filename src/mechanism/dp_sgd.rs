//! DP-SGD, described by the parameters of a training script. It is a shorthand that the parser expands to a composition
//! of Poisson samples.
//!
//! With `n` examples, an expected batch size `b` and `e` epochs it expands to
//!
//! `poisson(rate=b/n, gaussian(sigma=noise-multiplier))^T`, `T = ceil(e n/b)`,
//!
//! as in Abadi et al. 2016, Algorithm 1: each example is in a batch with probability `b/n`, gradients are clipped to a
//! norm C, and the noise has the standard deviation `noise-multiplier C`. Neighbours add or remove one example.
//!
//! **Rounding.** If `e n/b` is not an integer, programs differ: some round it up, some down, some round the steps of
//! one epoch. Rounding up is safe, because the outputs of fewer steps are among those of more: a delta or epsilon of T
//! steps holds for any part of them. A note states the rounding; use `steps` instead of `epochs` to give the number of
//! steps that a program has run.

use rug::{Integer, Rational};

use super::abbreviation::Meaning;
use super::catalogue::Arguments;
use super::{Domain, Entry, Gaussian, Misfit, Parameter, Poisson, Presence, Real, Trend, check};

/// The shorthand and its parameters.
pub(super) const ENTRY: Entry = Entry {
    name: "dp-sgd",
    aliases: &["dpsgd"],
    summary: "DP-SGD with Poisson sampling; shorthand for \
              poisson(rate=batch/examples, gaussian(sigma=noise-multiplier))^steps",
    pair: "the pair of the composition it expands to; neighbours add or remove one example",
    example: "dp-sgd(examples=60000, batch=256, noise-multiplier=1.1, epochs=60)",
    answers: "Answers are exact for the release of the noisy gradients of all steps.",
    parameters: &[
        Parameter {
            name: "examples",
            domain: Domain::Integer { least: 1 },
            presence: Presence::Required,
            loss: Trend::Unknown,
            meaning: "number of training examples",
        },
        Parameter {
            name: "batch",
            domain: Domain::Positive,
            presence: Presence::Required,
            loss: Trend::Unknown,
            meaning: "expected batch size, a rational number; the sampling rate is batch/examples",
        },
        Parameter {
            name: "noise-multiplier",
            domain: Domain::Positive,
            presence: Presence::Required,
            // A Gaussian with more noise is one with less and noise added (D in proofs/paper/calibration.md).
            loss: Trend::Falls,
            meaning: "standard deviation of the noise divided by the clipping norm, greater than 0",
        },
        Parameter {
            name: "epochs",
            domain: Domain::Positive,
            presence: Presence::Required,
            // More steps show more (1. there).
            loss: Trend::Grows,
            meaning: "number of epochs, a rational number; epochs*examples/batch steps, rounded up",
        },
        Parameter {
            name: "steps",
            domain: Domain::Integer { least: 0 },
            presence: Presence::InsteadOf("epochs"),
            loss: Trend::Grows,
            meaning: "number of steps (batches); replaces epochs",
        },
    ],
    build: |_| Err(Misfit::new(None, "dp-sgd is a shorthand for a composition and cannot be used here")),
};

/// Expansion of arguments that fit the entry.
pub(super) fn training(given: &Arguments) -> Result<Meaning, Misfit> {
    let examples = given.checked("examples", check::count("examples", &given.real("examples", 0)?))?;
    let batch = given.real("batch", 0)?;
    given.checked("batch", check::positive("batch", &batch))?;
    let Some(size) = batch.as_rational() else {
        return Err(given.misfit("batch", "batch must be rational, because it determines the number of steps"));
    };
    if *size > examples {
        return Err(given.misfit("batch", format!("batch must be at most the {examples} examples, not {size}")));
    }
    let multiplier = given.real("noise-multiplier", 0)?;
    let noise = given.checked("noise-multiplier", Gaussian::new(multiplier, Real::one()))?;
    let rate = Rational::from(size / Integer::from(examples));
    let sampled = format!("rate {size}/{examples} = {rate}");
    let (steps, counted) = if given.has("steps") {
        let steps = given.checked("steps", check::count("steps", &given.real("steps", 0)?))?;
        (steps, format!("{steps} steps, as given"))
    } else {
        let epochs = given.real("epochs", 0)?;
        given.checked("epochs", check::positive("epochs", &epochs))?;
        let Some(epochs) = epochs.as_rational() else {
            return Err(given.misfit("epochs", "epochs must be rational, because it determines the number of steps"));
        };
        let all = Rational::from(epochs / &rate);
        let whole = Real::from(Rational::from(all.ceil_ref()));
        let steps = given.checked("epochs", check::count("the number of steps", &whole))?;
        let of = format!("{epochs} epochs are {epochs}*{examples}/{size}");
        let counted = if all.is_integer() {
            format!("{of} = {steps} steps")
        } else {
            format!("{of} = {} steps, rounded up to {steps}", about(&all))
        };
        (steps, counted)
    };
    let step = given.checked("batch", Poisson::new(Real::from(rate), noise))?.into();
    Ok(Meaning { factors: vec![(step, steps)], only: None, note: format!("dp-sgd: {sampled}; {counted}") })
}

/// A number of steps with two decimal places, truncated and marked with `...` if it has more.
fn about(value: &Rational) -> String {
    let hundredths = Rational::from(value * 100u32);
    let cut = Integer::from(hundredths.floor_ref());
    let (whole, rest) = cut.div_rem_euc(Integer::from(100));
    let rest = format!("{:02}", rest.to_u32_wrapping());
    let dots = if hundredths.is_integer() { "" } else { "..." };
    let digits = if dots.is_empty() { rest.trim_end_matches('0') } else { &rest };
    format!("{whole}.{digits}{dots}")
}

#[cfg(test)]
mod tests {
    use super::super::Composition;

    fn read(text: &str) -> Composition {
        Composition::parse_closed(text).expect(text)
    }

    /// It is the composition it stands for, and says what was made of the numbers.
    #[test]
    fn training_is_a_composition_of_samples() {
        for (short, long, told) in [
            (
                "dp-sgd(examples=60000, batch=256, noise-multiplier=1.1, epochs=60)",
                "poisson(rate=256/60000, gaussian(sigma=1.1))^14063",
                "dp-sgd: rate 256/60000 = 8/1875; 60 epochs are 60*60000/256 = 14062.5 steps, rounded up to 14063",
            ),
            (
                "dp-sgd(epochs=10, examples=1000, batch=10, noise-multiplier=2)",
                "poisson(rate=1/100, gaussian(sigma=2))^1000",
                "dp-sgd: rate 10/1000 = 1/100; 10 epochs are 10*1000/10 = 1000 steps",
            ),
            (
                "dp-sgd(examples=60000, batch=256, noise-multiplier=1.1, steps=14062)",
                "poisson(rate=256/60000, gaussian(sigma=1.1))^14062",
                "dp-sgd: rate 256/60000 = 8/1875; 14062 steps, as given",
            ),
            (
                "dpsgd(examples=10, batch=3, noise-multiplier=1, epochs=1/2)",
                "poisson(rate=3/10, gaussian(sigma=1))^2",
                "dp-sgd: rate 3/10 = 3/10; 1/2 epochs are 1/2*10/3 = 1.66... steps, rounded up to 2",
            ),
            (
                "dp-sgd(examples=7, batch=7, noise-multiplier=3, epochs=2)",
                "poisson(rate=1, gaussian(sigma=3))^2",
                "dp-sgd: rate 7/7 = 1; 2 epochs are 2*7/7 = 2 steps",
            ),
        ] {
            let composition = read(short);
            assert_eq!(composition, read(long), "{short}");
            assert_eq!(composition.notes(), [told], "{short}");
        }
        let both = read("(dp-sgd(examples=10, batch=5, noise-multiplier=1, epochs=1) * gdp(mu=1))^3");
        assert_eq!(both, read("poisson(rate=1/2, gaussian(sigma=1))^6 * gdp(mu=1)^3"));
        assert_eq!(both.notes().len(), 1);
        let text = r#"[{"mechanism": "dp-sgd", "times": 2,
            "parameters": {"examples": 10, "batch": 5, "noise-multiplier": "1", "epochs": 1}}]"#;
        let steps: Composition = serde_json::from_str(text).expect("steps");
        assert_eq!(steps, read("poisson(rate=1/2, gaussian(sigma=1))^4"));
        let told = "dp-sgd: rate 5/10 = 1/2; 1 epochs are 1*10/5 = 2 steps";
        assert_eq!(steps.notes(), [told]);
    }

    /// In files and JSON the rate, the steps and the rounding are told too, wherever the word stands.
    #[test]
    fn data_tell_what_they_stand_for() {
        let told = "dp-sgd: rate 5/10 = 1/2; 1 epochs are 1*10/5 = 2 steps";
        let short = "dp-sgd(examples=10, batch=5, noise-multiplier=1, epochs=1)";
        let long = "poisson(rate=1/2, gaussian(sigma=1))^2";
        let parameters = r#""parameters": {"examples": 10, "batch": 5, "noise-multiplier": 1, "epochs": 1}"#;
        for text in [
            format!(r#"[{{"mechanism": "dp-sgd", {parameters}}}]"#),
            format!(
                r#"[{{"mechanism": "group", "parameters": {{"k": 2}}, "of": [{{"mechanism": "dp-sgd", {parameters}}}]}}]"#
            ),
            format!(r#"[{{"mechanism": "group", "parameters": {{"k": 2, "mechanism": "{short}"}}}}]"#),
        ] {
            let steps: Composition = serde_json::from_str(&text).expect(&text);
            assert_eq!(steps.notes(), [told], "{text}");
        }
        let table = "name = \"dp-sgd\"\nexamples = 10\nbatch = 5\nnoise-multiplier = 1\nepochs = 1\n";
        let plain = super::super::file::read(&format!("[[mechanism]]\n{table}")).expect("a file");
        assert_eq!((plain.to_string().as_str(), plain.notes()), (long, &[told.to_string()][..]));
        let inner =
            super::super::file::read(&format!("[[mechanism]]\nname = \"group\"\nk = 2\nmechanism = \"{short}\"\n"));
        assert_eq!(inner.expect("a file").notes(), [told]);
    }

    #[test]
    fn numbers_that_make_no_training_are_refused() {
        for (arguments, told) in [
            ("examples=10, batch=11, noise-multiplier=1, epochs=1", "batch must be at most the 10 examples, not 11"),
            ("examples=1/2, batch=1, noise-multiplier=1, epochs=1", "examples must be an integer, not 1/2"),
            ("examples=10, batch=0, noise-multiplier=1, epochs=1", "batch must be greater than 0, not 0"),
            ("examples=10, batch=1, noise-multiplier=0, epochs=1", "must be greater than 0, not 0"),
            ("examples=10, batch=1, noise-multiplier=1, epochs=sqrt(2)", "epochs must be rational"),
            ("examples=10, batch=1, noise-multiplier=1, epochs=1, steps=2", "give steps or epochs, not both"),
            ("examples=10, batch=1, noise-multiplier=1", "`epochs` is missing"),
            ("examples=10, batch=1e-20, noise-multiplier=1, epochs=1", "must be at most 2^63"),
        ] {
            let error = Composition::parse_closed(&format!("dp-sgd({arguments})")).expect_err(arguments);
            assert!(error.message().contains(told), "{arguments}: {error}");
        }
    }
}
