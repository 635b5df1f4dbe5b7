//! Names that papers and other libraries use for mechanisms and parameters but the language does not.
//!
//! An error about one of them describes it and names the expression to use, not the known name with the most similar
//! spelling. A name is found in upper or lower case, with underscores or in camel case, and also with the affixes of
//! constructors and classes: `PoissonSampledDpEvent` finds `poisson-sampled`, and `make_laplace` finds `laplace`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Entry;

/// The table of names of mechanisms, which describes its fields.
const FILE: &str = include_str!("words.toml");

/// End of the sentence about a mechanism that no expression bounds.
const WITHOUT: &str = "dpcert has no expression for it; if it has a stated guarantee, use \
                       `approx-dp(epsilon=..., delta=...)` or `zcdp(rho=...)`";

/// Affixes of names in other libraries.
const STARTS: [&str; 2] = ["make-", "then-"];
const ENDS: [&str; 4] = ["-dp-event", "-event", "-mechanism", "-mech"];

/// Names of parameters in the field, and the parameter name to use instead.
const PARAMETERS: &[(&[&str], &str)] = &[
    (&["sample-rate", "sampling-probability", "sampling-prob", "sample-prob", "q", "p", "probability", "prob"], "rate"),
    (&["std", "stddev", "sd", "standard-deviation", "noise", "noise-scale"], "sigma"),
    (&["variance", "var", "sigma-squared", "sigma-2"], "sigma2"),
    (&["b", "lambda", "diversity"], "scale"),
    (&["probability", "prob"], "p"),
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

/// Names with one meaning.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    names: Vec<String>,
    is: String,
    #[serde(rename = "use")]
    instead: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Table {
    #[serde(rename = "word")]
    rows: Vec<Row>,
}

/// Meaning of a name that is not in the language.
pub(super) enum Word {
    /// The name of something else, in the table.
    Foreign(&'static Row),
    /// Another spelling of the name of a mechanism or shorthand.
    Spelling(&'static Entry),
}

impl Row {
    /// The text of errors and help: a description, and the expression to use.
    pub(super) fn sentence(&self) -> String {
        match &self.instead {
            Some(instead) => format!("{}; use {instead}", self.is),
            None => format!("{}; {WITHOUT}", self.is),
        }
    }
}

/// The rows of the table.
fn rows() -> &'static [Row] {
    // A test parses the file, so the default is never used.
    static TABLE: LazyLock<Table> = LazyLock::new(|| toml::from_str(FILE).unwrap_or_default());
    &TABLE.rows
}

/// In lower case, with hyphens.
fn plain(word: &str) -> String {
    word.to_lowercase().replace(['_', ' '], "-")
}

/// [`plain`], with hyphens between the words of camel case: `dp-keras-sgd` of `DPKerasSGD`.
fn hyphenated(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let mut text = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let ends_acronym = letters.get(at + 1).is_some_and(|after| after.is_lowercase());
        let begins =
            before.is_some_and(|before| if before.is_uppercase() { ends_acronym } else { before.is_alphanumeric() });
        if letter.is_uppercase() && begins {
            text.push('-');
        }
        text.push(*letter);
    }
    plain(&text)
}

/// The name without the affixes of constructors and classes.
fn stem(name: &str) -> &str {
    let name = STARTS.iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
    ENDS.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// The meaning of this name, if it is known.
pub(super) fn meaning(name: &str) -> Option<Word> {
    let (plain, hyphenated) = (plain(name), hyphenated(name));
    [plain.as_str(), hyphenated.as_str(), stem(&plain), stem(&hyphenated)].into_iter().find_map(|name| {
        let entry = || Entry::find(name).or_else(|| Entry::abbreviation(name)).map(Word::Spelling);
        rows().iter().find(|row| row.names.iter().any(|known| known == name)).map(Word::Foreign).or_else(entry)
    })
}

/// The sentence about a name in the table.
#[cfg(feature = "cli")]
pub fn elsewhere(name: &str) -> Option<String> {
    match meaning(name)? {
        Word::Foreign(row) => Some(row.sentence()),
        Word::Spelling(_) => None,
    }
}

/// The known parameter that is meant by this name.
pub(super) fn parameter<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = plain(name);
    let meant: Vec<&str> =
        PARAMETERS.iter().filter(|(names, _)| names.contains(&name.as_str())).map(|(_, meant)| *meant).collect();
    let mut known = known;
    known.find(|known| meant.contains(known))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::catalogue::shortened;
    use super::super::{Composition, Mechanism, abbreviations};
    use super::*;

    /// Length of the longest sentence, in characters, so that an error fits in two lines of a terminal.
    const LONGEST: usize = 220;

    /// Text in backticks that is neither an expression nor a name.
    const OTHER: [&str; 4] = ["M * N", "M^1000", "dpcert beta", "dpcert filter"];

    fn is_known(name: &str) -> bool {
        Entry::find(name).is_some() || Entry::abbreviation(name).is_some()
    }

    /// The error about a mechanism of this name.
    fn error(name: &str) -> String {
        Composition::parse_closed(&format!("{name}(x=1)")).expect_err(name).message().to_string()
    }

    /// The code of a sentence: the text in backticks.
    fn codes(sentence: &str) -> impl Iterator<Item = &str> {
        sentence.split('`').skip(1).step_by(2)
    }

    #[test]
    fn fields_of_the_table_are_known() {
        let table: toml::Table = toml::from_str(FILE).expect("a table");
        assert_eq!(table.keys().collect::<Vec<_>>(), ["word"]);
        for row in table["word"].as_array().expect("rows") {
            for field in row.as_table().expect("a row").keys() {
                assert!(["names", "is", "use", "source"].contains(&field.as_str()), "{field}");
            }
        }
        assert!(rows().len() > 100, "{} rows", rows().len());
    }

    #[test]
    fn names_are_unique_and_not_in_the_language() {
        let mut seen = HashSet::new();
        for row in rows() {
            assert!(!row.names.is_empty(), "{}", row.is);
            for name in &row.names {
                assert_eq!(*name, hyphenated(name), "not in lower case with hyphens");
                assert!(!is_known(name), "{name} is a mechanism");
                assert!(seen.insert(name), "{name} is there twice");
                assert_eq!(error(name), format!("unknown mechanism `{}`: {}", shortened(name), row.sentence()));
            }
        }
    }

    #[test]
    fn sentences_are_short_and_name_valid_expressions() {
        for sentence in rows().iter().map(Row::sentence) {
            assert!(sentence.chars().count() <= LONGEST, "{} characters: {sentence}", sentence.chars().count());
            assert!(!sentence.ends_with('.') && !sentence.contains(['|', '\n']), "{sentence}");
            assert_eq!(sentence.matches('`').count() % 2, 0, "{sentence}");
            for code in codes(&sentence) {
                if !code.contains('(') {
                    assert!(OTHER.contains(&code) || is_known(code), "{code} in {sentence}");
                } else if code.contains("...") || code.contains("MECHANISM") {
                    check_names(code);
                } else {
                    Composition::parse_closed(code).expect(code);
                }
            }
        }
    }

    /// Checks that mechanisms and parameters of an incomplete expression exist.
    fn check_names(code: &str) {
        let is_apart = |letter: char| !letter.is_ascii_alphanumeric() && letter != '-';
        for (at, letter) in code.char_indices() {
            let name = code[..at].rsplit(is_apart).next().unwrap_or_default();
            match letter {
                '(' if !["", "sqrt"].contains(&name) => assert!(is_known(name), "{name} in {code}"),
                '=' => {
                    let mut all = Mechanism::catalogue().iter().chain(abbreviations());
                    assert!(all.any(|entry| entry.parameter(name).is_some()), "{name} in {code}");
                }
                _ => {}
            }
        }
    }

    #[test]
    fn splits_camel_case_and_acronyms() {
        for (word, expected) in [
            ("PoissonSampledDpEvent", "poisson-sampled-dp-event"),
            ("DPKerasSGDOptimizer", "dp-keras-sgd-optimizer"),
            ("GaussianSVT_Mechanism", "gaussian-svt-mechanism"),
            ("ZCDpEvent", "zc-dp-event"),
            ("make_laplace", "make-laplace"),
            ("sparse vector", "sparse-vector"),
            ("svt", "svt"),
            ("SVT", "svt"),
            ("", ""),
        ] {
            assert_eq!(hyphenated(word), expected);
        }
    }

    #[test]
    fn finds_names_in_the_spelling_of_other_libraries() {
        for (name, part) in [
            ("PoissonSampledDpEvent", "use `poisson(rate=..., MECHANISM)`"),
            ("DiscreteLaplaceDpEvent", "use `geometric(epsilon=...)`, where epsilon = 1/scale"),
            ("ZCDpEvent", "use `zcdp(rho=...)` with xi + rho"),
            ("RandomizedResponseDpEvent", "use `k-randomized-response(epsilon=..., categories=...)`"),
            ("ExponentialMechanism", "the exponential mechanism"),
            ("make_report_noisy_max_gumbel", "noisy max with Gumbel noise"),
            ("then_noisy_max", "report noisy max"),
            ("LaplaceTruncated", "use `laplace(scale=...)`"),
            ("DPFTRLTreeAggregationOptimizer", "sensitivity of the whole matrix"),
            ("GaussianSVT_Mechanism", "sparse vector"),
            ("sampled_with_replacement", "dpcert has no expression for it"),
            ("make_laplace", "did you mean `laplace`?"),
            ("GaussianDpEvent", "did you mean `gaussian`?"),
            ("zCDP_Mechanism", "did you mean `zcdp`?"),
            ("PureDP", "did you mean `pure-dp`?"),
            ("DPSGD", "did you mean `dp-sgd`?"),
        ] {
            let error = error(name);
            assert!(error.starts_with(&format!("unknown mechanism `{}`", shortened(name))), "{error}");
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn events_of_dp_accounting_are_known() {
        for event in [
            "DpEvent",
            "NoOpDpEvent",
            "NonPrivateDpEvent",
            "UnsupportedDpEvent",
            "RandomizedResponseDpEvent",
            "EpsilonDeltaDpEvent",
            "GaussianDpEvent",
            "LaplaceDpEvent",
            "DiscreteLaplaceDpEvent",
            "DiscreteGaussianDpEvent",
            "SelfComposedDpEvent",
            "ComposedDpEvent",
            "PoissonSampledDpEvent",
            "SampledWithReplacementDpEvent",
            "SampledWithoutReplacementDpEvent",
            "SingleEpochTreeAggregationDpEvent",
            "RepeatAndSelectDpEvent",
            "MixtureOfGaussiansDpEvent",
            "ZCDpEvent",
            "ExponentialMechanismDpEvent",
            "PermuteAndFlipDpEvent",
            "TruncatedSubsampledGaussianDpEvent",
            "RandomAllocationDpEvent",
        ] {
            assert!(meaning(event).is_some(), "{event}");
        }
    }

    #[test]
    fn mechanisms_of_diffprivlib_are_known() {
        for class in [
            "Binary",
            "Bingham",
            "Exponential",
            "ExponentialCategorical",
            "ExponentialHierarchical",
            "PermuteAndFlip",
            "Gaussian",
            "GaussianAnalytic",
            "GaussianDiscrete",
            "Geometric",
            "GeometricTruncated",
            "GeometricFolded",
            "Laplace",
            "LaplaceTruncated",
            "LaplaceFolded",
            "LaplaceBoundedDomain",
            "LaplaceBoundedNoise",
            "Snapping",
            "Staircase",
            "Uniform",
            "Vector",
            "Wishart",
        ] {
            assert!(meaning(class).is_some(), "{class}");
        }
    }

    #[test]
    fn mechanisms_of_autodp_opendp_and_prv_accountant_are_known() {
        for name in [
            "ExactGaussianMechanism",
            "RandresponseMechanism",
            "zCDP_Mechanism",
            "ExponentialMechanism",
            "PureDP_Mechanism",
            "SubsampleGaussianMechanism",
            "ComposedGaussianMechanism",
            "NoisyScreenMechanism",
            "GaussianSVT_Mechanism",
            "LaplaceSVT_Mechanism",
            "StageWiseMechanism",
            "NoisySGD_Mechanism",
            "NoisyGD_Mechanism",
            "make_alp_queryable",
            "make_canonical_noise",
            "make_gaussian_threshold",
            "make_geometric",
            "make_laplace_threshold",
            "make_noise",
            "make_noise_threshold",
            "make_noisy_max",
            "make_noisy_top_k",
            "make_private_quantile",
            "make_randomized_response",
            "make_randomized_response_bitvec",
            "make_randomized_response_bool",
            "make_select_private_candidate",
            "make_user_measurement",
            "ApproximateDPMechanism",
            "PoissonSubsampledGaussianMechanism",
        ] {
            assert!(meaning(name).is_some(), "{name}");
        }
    }

    #[test]
    fn replacements_are_parameters_of_mechanisms() {
        for (names, meant) in PARAMETERS {
            let has = |entry: &&Entry| entry.parameter(meant).is_some();
            assert!(Mechanism::catalogue().iter().chain(abbreviations()).any(|entry| has(&entry)), "{meant}");
            assert!(!names.contains(meant));
        }
        for (text, told) in [
            ("poisson(sample_rate=1/100, gdp(mu=1))", "poisson has no parameter `sample_rate`; use `rate`"),
            ("poisson(q=1/100, gdp(mu=1))", "poisson has no parameter `q`; use `rate`"),
            ("laplace(b=2)", "laplace has no parameter `b`; use `scale`"),
            ("gaussian(variance=4)", "gaussian has no parameter `variance`; use `sigma2`"),
            ("discrete-gaussian(sigma-squared=4)", "discrete-gaussian has no parameter `sigma-squared`; use `sigma2`"),
            ("randomized-response(prob=3/4)", "randomized-response has no parameter `prob`; use `p`"),
            ("poisson(prob=1/2, gdp(mu=1))", "poisson has no parameter `prob`; use `rate`"),
            ("finite()", "`p`, `q` are missing: finite(p=[...], q=[...])"),
            ("dp-sgd(n=10, b=1, sigma=1, epochs=1)", "dp-sgd has no parameter `n`; use `examples`"),
            ("dp-sgd(examples=10, b=1, sigma=1, epochs=1)", "dp-sgd has no parameter `b`; use `batch`"),
        ] {
            assert_eq!(Composition::parse_closed(text).expect_err(text).message(), told);
        }
    }
}
