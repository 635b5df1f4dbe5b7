//! Names that the field uses for mechanisms and parameters but the language does not, each with its replacement.
//!
//! An error about one of them names this replacement, not the known name with the most similar spelling.

/// Names of mechanisms in the field, and the expression to use instead.
const MECHANISMS: &[(&[&str], &str)] = &[
    (
        &["exponential", "exponential-mechanism", "exp", "permute-and-flip", "report-noisy-max", "noisy-max"],
        "`pure-dp(epsilon=...)`, which bounds every epsilon-DP mechanism",
    ),
    (
        &[
            "sparse-vector",
            "sparse-vector-technique",
            "svt",
            "above-threshold",
            "selection",
            "eps-dp",
            "epsilon-dp",
            "pure",
            "snapping",
            "ldp",
            "local-dp",
        ],
        "`pure-dp(epsilon=...)`, which bounds every epsilon-DP mechanism",
    ),
    (&["rr", "warner"], "`randomized-response(epsilon=...)`"),
    (
        &["krr", "k-rr", "grr", "direct-encoding", "generalized-randomized-response"],
        "`k-randomized-response(epsilon=..., categories=...)`",
    ),
    (&["normal", "gauss", "gaussian-mechanism", "gm", "noise"], "`gaussian(sigma=...)`"),
    (&["lap", "laplacian", "laplace-mechanism"], "`laplace(scale=...)`"),
    (
        &["discrete-laplace", "two-sided-geometric", "double-geometric"],
        "`geometric(epsilon=...)`, where epsilon = 1/scale",
    ),
    (&["dp", "adp", "approximate-dp", "eps-delta", "epsilon-delta"], "`approx-dp(epsilon=..., delta=...)`"),
    (&["rho", "concentrated-dp", "zero-concentrated-dp"], "`zcdp(rho=...)`"),
    (&["renyi", "renyi-dp"], "`rdp(order=..., epsilon=...)`"),
    (&["fdp"], "`f-dp(alpha=[...], beta=[...])`, or `gdp(mu=...)`"),
    (&["tradeoff"], "`trade-off(alpha=[...], beta=[...])`"),
    (&["mu-gdp", "mu", "gaussian-dp"], "`gdp(mu=...)`"),
    (
        &["sgd", "adam", "dp-adam", "dp-adamw", "training", "dp-sgd-mechanism"],
        "`dp-sgd(examples=..., batch=..., noise-multiplier=..., epochs=...)`",
    ),
    (
        &["sgm", "subsampled-gaussian", "sampled-gaussian", "poisson-subsampled-gaussian"],
        "`poisson(rate=..., gaussian(sigma=...))`",
    ),
    (
        &[
            "sample",
            "sampled",
            "subsampled",
            "sampling",
            "poisson-sampling",
            "poisson-sample",
            "poisson-subsample",
            "poisson-subsampled",
            "subsampling",
            "amplification",
        ],
        "`poisson(rate=..., MECHANISM)`, or `subsample(rate=..., MECHANISM)` for sampling without replacement",
    ),
    (
        &["compose", "composed", "composition", "self-compose", "repeat", "product"],
        "`M * N` for composition and `M^1000` for repetition",
    ),
    (
        &["ftrl", "dp-ftrl", "tree-aggregation", "matrix-factorization", "matrix-mechanism"],
        "`gaussian(sigma=..., sensitivity=...)`, with the sensitivity of the whole matrix",
    ),
    (&["none", "nothing", "identity"], "`gdp(mu=0)`, which reveals nothing"),
];

/// Names of parameters in the field, and the parameter name to use instead.
const PARAMETERS: &[(&[&str], &str)] = &[
    (&["sample-rate", "sampling-probability", "sampling-prob", "sample-prob", "q", "p", "probability"], "rate"),
    (&["std", "stddev", "sd", "standard-deviation", "noise", "noise-scale"], "sigma"),
    (&["variance", "var", "sigma-squared"], "sigma2"),
    (&["b", "lambda", "diversity"], "scale"),
    (&["eps", "e"], "epsilon"),
    (&["del", "d"], "delta"),
    (&["l2-sensitivity", "l1-sensitivity", "max-grad-norm", "clip", "clipping-norm", "delta-f"], "sensitivity"),
    (&["alpha"], "order"),
    (&["k", "n-categories", "domain-size"], "categories"),
    (&["z", "noise-mult", "sigma"], "noise-multiplier"),
    (
        &[
            "n",
            "num-examples",
            "dataset-size",
            "data-size",
            "records",
            "size",
            "dataset",
            "samples",
            "num-samples",
            "n-samples",
        ],
        "examples",
    ),
    (&["batch-size", "lot-size", "b"], "batch"),
    (&["epoch", "num-epochs"], "epochs"),
    (&["iterations", "num-steps", "rounds", "t"], "steps"),
];

/// In lower case, with hyphens.
fn plain(word: &str) -> String {
    word.to_lowercase().replace('_', "-")
}

/// The expression to use instead of this mechanism name.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    let name = plain(name);
    MECHANISMS.iter().find(|(names, _)| names.contains(&name.as_str())).map(|(_, instead)| *instead)
}

/// The known parameter that is meant by this name.
pub(super) fn parameter<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = plain(name);
    let meant: Vec<&str> =
        PARAMETERS.iter().filter(|(names, _)| names.contains(&name.as_str())).map(|(_, meant)| *meant).collect();
    let mut known = known;
    known.find(|known| meant.contains(known))
}

/// Is it a name of the square of sigma?
pub(super) fn is_square(name: &str) -> bool {
    ["sigma2", "sigma-2", "variance", "var", "sigma-squared"].contains(&plain(name).as_str())
}

#[cfg(test)]
mod tests {
    use super::super::{Composition, Entry, Mechanism};
    use super::*;

    /// No word of the language is answered by another one, each is said once, and what to write can be read.
    #[test]
    fn words_lead_to_the_language() {
        let mut seen = std::collections::HashSet::new();
        for (names, instead) in MECHANISMS {
            for name in *names {
                assert!(Entry::find(name).is_none(), "{name} is a mechanism");
                assert!(seen.insert(name), "{name} is there twice");
                let error = Composition::parse_closed(&format!("{name}(x=1)")).expect_err(name);
                assert_eq!(error.message(), format!("unknown mechanism `{name}`; use {instead}"));
            }
            let word = instead.split(['`', '(', ' ']).find(|word| !word.is_empty()).expect("a word");
            let known = Entry::find(word).is_some() || Entry::abbreviation(word).is_some() || word == "M";
            assert!(known, "{instead}");
        }
    }

    /// What a parameter is told to be, some mechanism has.
    #[test]
    fn parameters_are_those_of_mechanisms() {
        for (names, meant) in PARAMETERS {
            let has = |entry: &&Entry| entry.parameter(meant).is_some();
            assert!(
                Mechanism::catalogue().iter().chain(super::super::abbreviations()).any(|entry| has(&entry)),
                "{meant}"
            );
            assert!(!names.contains(meant));
        }
        for (text, told) in [
            ("poisson(sample_rate=1/100, gdp(mu=1))", "poisson has no parameter `sample_rate`; use `rate`"),
            ("poisson(q=1/100, gdp(mu=1))", "poisson has no parameter `q`; use `rate`"),
            ("laplace(b=2)", "laplace has no parameter `b`; use `scale`"),
            (
                "gaussian(sigma2=4)",
                "gaussian has no parameter `sigma2`; use `sigma=sqrt(...)`: sigma is the standard deviation",
            ),
            ("finite()", "`p`, `q` are missing: finite(p=[...], q=[...])"),
            ("dp-sgd(n=10, b=1, sigma=1, epochs=1)", "dp-sgd has no parameter `n`; use `examples`"),
            ("dp-sgd(examples=10, b=1, sigma=1, epochs=1)", "dp-sgd has no parameter `b`; use `batch`"),
        ] {
            assert_eq!(Composition::parse_closed(text).expect_err(text).message(), told);
        }
    }
}
