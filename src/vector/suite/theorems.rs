//! What theorems say of numbers: bounds of compositions in closed form, conversions of zCDP and of Renyi divergences.

use dpcert_vectors::Stated;

use crate::query::QuantityName;

use super::Flag::{Edge, Heterogeneous, HugeEpsilon, ManyCompositions, Ordinary, TinyDelta, TinyEpsilon};
use super::multiparty::exact;
use super::{Flag, Suite};

/// The name of a theorem, which number it says, and its formula.
const MEANINGS: [(&str, &str); 26] = [
    ("KOV-3.1", "k mechanisms that are (epsilon, delta)-private are (k epsilon, k delta)-private."),
    (
        "KOV-3.2",
        "k mechanisms that are (epsilon, delta)-private are (k epsilon (e^epsilon - 1) + epsilon sqrt(2 k \
         ln(1/slack)), k delta + slack)-private.",
    ),
    (
        "DR-1.1",
        "k mechanisms that are (epsilon, delta)-private are (k epsilon (e^epsilon - 1)/2 + epsilon sqrt(2 k \
         ln(1/slack)), k delta + slack)-private.",
    ),
    (
        "KOV-3.4",
        "k mechanisms that are (epsilon, delta)-private are (least, 1 - (1-delta)^k (1-slack))-private: the least of k \
         epsilon, M + epsilon sqrt(2 k ln(e + sqrt(k epsilon^2)/slack)) and M + epsilon sqrt(2 k ln(1/slack)), with M \
         = k epsilon (e^epsilon - 1)/(e^epsilon + 1).",
    ),
    ("KOV-8", "The same as Theorem 3.4, with M = k epsilon^2."),
    (
        "KOV-3.5",
        "The same as Theorem 3.4 of mechanisms that differ: sums of epsilon, epsilon (e^epsilon - 1)/(e^epsilon + 1) \
         and epsilon^2 in the place of products by k.",
    ),
    ("BS-1.4", "epsilon-DP is rho-zCDP with rho = epsilon^2/2, and with rho = epsilon tanh(epsilon/2)."),
    ("BS-1.3", "rho-zCDP is (rho + 2 sqrt(rho ln(1/delta)), delta)-private."),
    (
        "BS-3.6",
        "rho-zCDP is (epsilon, delta)-private, delta = e^(-(epsilon-rho)^2/(4 rho)) min{1, sqrt(pi rho), 1/w, 2/(w + \
         sqrt(w^2 + 4/(pi rho)))} with w = 1 + (epsilon-rho)/(2 rho).",
    ),
    (
        "CKS-13",
        "rho-zCDP is (epsilon, delta)-private, delta the least over the orders a > 1 of e^((a-1)(a rho - epsilon)) (1 \
         - 1/a)^a/(a-1).",
    ),
    (
        "CKS-13-delta",
        "rho-zCDP is (epsilon, delta)-private, delta the least over the orders a > 1 of e^((a-1)(a rho - epsilon)) (1 \
         - 1/a)^a/(a-1).",
    ),
    ("MIR-3", "A Renyi divergence of at most r of order a gives epsilon = r + ln(1/delta)/(a-1)."),
    ("CKS-12", "A Renyi divergence of at most r of order a gives epsilon = r + ln(1-1/a) - ln(a delta)/(a-1)."),
    ("ALCKS-1", "A Renyi divergence of at most r of order a gives epsilon = ln(1 + (e^((a-1)r) - 1)/(a delta))/(a-1)."),
    (
        "KOV-A",
        "What is (epsilon, delta)-private is (s, 1 - (1-delta)(1+e^s)/(1+e^epsilon))-private for 0 <= s <= epsilon, \
         and (s, delta)-private beyond.",
    ),
    (
        "KOV-4.1",
        "k mechanisms that are (epsilon/(2 sqrt(k ln(e + epsilon/delta))), delta/(2k))-private are (epsilon, \
         delta)-private, for epsilon <= 9/10.",
    ),
    (
        "KOV-4.2",
        "Laplace noise of variance 8 k D^2 ln(e + epsilon/delta)/epsilon^2 on k queries of sensitivity D is (epsilon, \
         delta)-private, for epsilon <= 9/10.",
    ),
    (
        "KOV-4.3",
        "Gaussian noise of variance 8 k D^2 ln(e + epsilon/delta)/epsilon^2 on k queries of sensitivity D is (epsilon, \
         delta)-private; false for large epsilon.",
    ),
    (
        "KOV-B",
        "Gaussian noise of variance 4 k D^2 ln(e + epsilon/delta)/epsilon^2, and of at least k D^2/(4 epsilon), on k \
         queries of sensitivity D is (epsilon, delta)-private; false for large epsilon.",
    ),
    (
        "classical-gaussian",
        "Gaussian noise of variance 2 D^2 ln(2/delta)/epsilon^2 on a query of sensitivity D is (epsilon, \
         delta)-private; false for large epsilon.",
    ),
    (
        "DR-3.2",
        "Gaussian noise is (tau^2/2, tau)-CDP for groups of s, tau = s D/sigma with D the sensitivity; the copies \
         about have s D.",
    ),
    (
        "DR-3.5",
        "epsilon-DP is (epsilon tanh(epsilon/2), epsilon)-CDP, where epsilon (e^epsilon - 1)/2 is printed for the \
         first.",
    ),
    ("DR-RR", "Randomised response is (tau^2/2, tau)-CDP with tau^2 = 2 epsilon tanh(epsilon/2)."),
    ("DR-C3.1", "k mechanisms that are (mu, tau)-CDP are (k mu + sqrt(k) tau sqrt(2 ln(1/delta)), delta)-private."),
    (
        "DR-4.1",
        "(mu, tau)-CDP with mu <= tau^2/2 becomes (2 mu + tau^2 + 7 tau^3/2 + 3 tau^4/2, 2 tau + 34 tau^(3/2))-CDP for \
         twice as many records, while tau <= 1/4; from there on once more.",
    ),
    (
        "two-outcomes",
        "Renyi divergences of at most r of order a in both directions give the epsilon of the worst two outcomes that \
         keep them, which no mechanism with these divergences exceeds.",
    ),
];

/// What a theorem of this name says.
pub fn meaning(name: &str) -> Option<&'static str> {
    MEANINGS.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning)
}

/// Steps: epsilon, delta, how many, the slack.
type Steps = ([&'static str; 4], &'static [Flag], &'static str);

const STEPS: [Steps; 8] = [
    (["1/10", "0", "30", "1/1000"], &[Ordinary], "thirty small steps"),
    (["1/100", "1/1000000", "1000", "1/1000000"], &[ManyCompositions], "a thousand steps that may fail"),
    (["1", "1/100", "10", "1/100"], &[Ordinary], "where the sum of all epsilons is the least"),
    (["ln(3/2)", "0", "5", "1/10"], &[Ordinary], "e^epsilon a fraction"),
    (["3", "0", "4", "1e-8"], &[TinyDelta, HugeEpsilon], "large epsilons"),
    (["1/1000", "1e-9", "100000", "1e-6"], &[ManyCompositions], "tiny steps, very often"),
    (["1/1000000", "0", "1000000", "1e-12"], &[TinyEpsilon, ManyCompositions], "e^epsilon - 1 cancels"),
    (["1/2", "0", "1", "1/2"], &[Edge], "a single step"),
];

/// Of two kinds: epsilon, delta and times of both, the slack.
const TWO_KINDS: [([&str; 7], &str); 4] = [
    (["1/10", "0", "20", "1/5", "0", "10", "1/1000"], "two kinds of steps"),
    (["1/10", "1e-6", "100", "1", "1e-7", "1", "1e-6"], "one step weighs as much as many"),
    (["ln(3)", "1/100", "2", "1/100", "0", "1000", "1/10"], "few large steps, many small ones"),
    (["1/2", "1/3", "3", "2", "1/4", "2", "1/1000"], "steps that mostly fail"),
];

/// The rho of zCDP, and epsilons that are not below it.
const ZCDP: [(&str, [&str; 2], &[Flag], &str); 5] = [
    ("1/200", ["1/10", "1/2"], &[Ordinary], "small privacy loss"),
    ("1/10", ["1/2", "3"], &[Ordinary], "a tenth"),
    ("1/2", ["1", "6"], &[Ordinary], "that of a Gaussian mechanism with sigma 1"),
    ("263/100", ["5", "19"], &[Ordinary], "the budget of a census"),
    ("20", ["25", "80"], &[HugeEpsilon], "large privacy loss"),
];

const DELTAS: [(&str, &[Flag]); 2] = [("1e-5", &[]), ("1e-10", &[TinyDelta])];

/// One order, and the bound there.
const ORDERS: [(&str, &str, &[Flag], &str); 6] = [
    ("2", "1/2", &[Ordinary], "the second order"),
    ("8", "1", &[Ordinary], "a common order"),
    ("32", "1/10", &[Ordinary], "a large order, small privacy loss"),
    ("3/2", "3", &[Ordinary], "a non-integer order"),
    ("101/100", "1/100", &[Ordinary], "near 1, where conversion loses most"),
    ("256", "40", &[HugeEpsilon], "the largest order of many accountants"),
];

/// The suites.
pub fn suites() -> Vec<Suite> {
    let mut suite = Suite::new(
        "stated",
        QuantityName::Theorem,
        "Theorems of composition and conversion: results for given parameters",
        "Each theorem has its own drift and total delta. The result is the smallest of several branches, and 1 - \
         (1-delta)^k differs from k delta.",
    );
    bounds(&mut suite);
    conversions(&mut suite);
    noise(&mut suite);
    concentrated(&mut suite);
    vec![suite]
}

fn ask(suite: &mut Suite, flags: &[Flag], comment: &str, name: &str, given: &[(&str, &str)], says: &str) {
    let given = given.iter().map(|(name, value)| (name.to_string(), exact(value))).collect();
    suite.ask_theorem(flags, comment, Stated { name: name.to_string(), given, says: says.to_string() });
}

fn bounds(suite: &mut Suite) {
    for name in ["KOV-3.1", "KOV-3.2", "DR-1.1", "KOV-3.4", "KOV-8"] {
        for ([epsilon, delta, times, slack], flags, comment) in STEPS {
            let mut given = vec![("epsilon", epsilon), ("delta", delta), ("times", times), ("slack", slack)];
            if name == "KOV-3.1" {
                given.pop();
            }
            ask(suite, flags, comment, name, &given, "epsilon");
            if delta != "0" {
                ask(suite, flags, comment, name, &given, "delta");
            }
        }
    }
    let names = ["epsilon", "delta", "times", "epsilon2", "delta2", "times2", "slack"];
    for (values, comment) in TWO_KINDS {
        let given: Vec<_> = names.into_iter().zip(values).collect();
        for says in ["epsilon", "delta"] {
            ask(suite, &[Heterogeneous], comment, "KOV-3.5", &given, says);
        }
    }
    let given = [("epsilon", "1/10"), ("delta", "1/1000"), ("times", "30"), ("slack", "0")];
    for name in ["KOV-3.4", "KOV-8"] {
        ask(suite, &[Edge], "without slack the sum of all epsilons is left", name, &given, "epsilon");
    }
}

fn conversions(suite: &mut Suite) {
    for epsilon in ["1/10", "1", "ln(3)", "5"] {
        for says in ["rho", "printed rho"] {
            ask(suite, &[Ordinary], "the zCDP of pure privacy", "BS-1.4", &[("epsilon", epsilon)], says);
        }
    }
    for (rho, epsilons, flags, comment) in ZCDP {
        for (delta, more) in DELTAS {
            for name in ["BS-1.3", "CKS-13"] {
                ask(suite, &[flags, more].concat(), comment, name, &[("rho", rho), ("delta", delta)], "epsilon");
            }
        }
        for epsilon in epsilons {
            let given = [("rho", rho), ("epsilon", epsilon)];
            ask(suite, flags, comment, "BS-3.6", &given, "delta");
            for says in ["delta", "order"] {
                ask(suite, flags, comment, "CKS-13-delta", &given, says);
            }
        }
    }
    for (order, epsilon, flags, comment) in ORDERS {
        for (delta, more) in DELTAS {
            for name in ["MIR-3", "CKS-12", "ALCKS-1"] {
                let given = [("order", order), ("epsilon", epsilon), ("delta", delta)];
                ask(suite, &[flags, more].concat(), comment, name, &given, "epsilon");
            }
        }
    }
}

/// Epsilon, delta, the smaller epsilon.
const SMALLER: [([&str; 3], &[Flag], &str); 6] = [
    (["1", "0", "0"], &[Ordinary], "the total variation of pure privacy"),
    (["1", "1/10", "1/2"], &[Ordinary], "with a failure probability"),
    (["ln(3)", "1/10", "ln(3/2)"], &[Ordinary], "e^epsilon a fraction"),
    (["1/2", "1/100", "1"], &[Edge], "delta is constant beyond epsilon"),
    (["20", "1e-6", "1/10"], &[HugeEpsilon], "next to 1"),
    (["1/1000000", "0", "0"], &[TinyEpsilon], "e^epsilon - 1 cancels"),
];

/// Epsilon, delta, how many queries, their sensitivity; is epsilon at most 9/10?
const NOISE: [([&str; 4], &[Flag], &str, bool); 5] = [
    (["1/2", "1e-5", "100", "1"], &[Ordinary], "a hundred queries", true),
    (["9/10", "1/100", "10", "3"], &[Edge], "the largest epsilon of two of the theorems", true),
    (["1/100", "1e-10", "1000000", "1/2"], &[TinyDelta, ManyCompositions], "a million queries", true),
    (["3", "1e-6", "1", "2"], &[Ordinary], "one query", false),
    (["30", "1/1000", "10", "1"], &[HugeEpsilon], "below the range where the printed theorem is false", false),
];

fn noise(suite: &mut Suite) {
    for (values, flags, comment) in SMALLER {
        let given: Vec<_> = ["epsilon", "delta", "smaller"].into_iter().zip(values).collect();
        ask(suite, flags, comment, "KOV-A", &given, "delta");
    }
    for (values, flags, comment, small) in NOISE {
        let given: Vec<_> = ["epsilon", "delta", "times", "sensitivity"].into_iter().zip(values).collect();
        if small {
            for says in ["epsilon", "delta"] {
                ask(suite, flags, comment, "KOV-4.1", &given[..3], says);
            }
            ask(suite, flags, comment, "KOV-4.2", &given, "variance");
        }
        for name in ["KOV-4.3", "KOV-B"] {
            ask(suite, flags, comment, name, &given, "variance");
        }
    }
    let given = [("epsilon", "300"), ("delta", "1"), ("times", "2"), ("sensitivity", "1")];
    ask(suite, &[Edge, HugeEpsilon], "the other one of both variances", "KOV-B", &given, "variance");
    for (epsilon, delta, sensitivity) in [("1/2", "1e-5", "1"), ("5", "1e-6", "3")] {
        let given = [("epsilon", epsilon), ("delta", delta), ("sensitivity", sensitivity)];
        ask(suite, &[Ordinary], "one query by the classical rule", "classical-gaussian", &given, "variance");
    }
}

fn concentrated(suite: &mut Suite) {
    for (sigma, sensitivity, group, comment) in
        [("2", "1", "1", "one record"), ("3", "2", "4", "a group of four"), ("sqrt(2)", "1", "3", "a root")]
    {
        let given = [("sigma", sigma), ("sensitivity", sensitivity), ("group", group)];
        for says in ["mu", "tau"] {
            ask(suite, &[Ordinary], comment, "DR-3.2", &given, says);
        }
    }
    for epsilon in ["1/10", "1", "ln(3)", "5"] {
        for says in ["mu", "tau", "printed mu"] {
            ask(suite, &[Ordinary], "the CDP of pure privacy", "DR-3.5", &[("epsilon", epsilon)], says);
        }
        for says in ["mu", "tau"] {
            ask(suite, &[Ordinary], "the CDP of randomised response", "DR-RR", &[("epsilon", epsilon)], says);
        }
    }
    for (mu, tau, times, delta, flags, comment) in [
        ("1/200", "1/10", "1", "1e-5", &[Ordinary][..], "once"),
        ("1/200", "1/10", "100", "1e-5", &[Ordinary][..], "a hundred times: means and squares add up"),
        ("1/10", "1/2", "3", "1e-100", &[TinyDelta][..], "a tiny delta"),
    ] {
        let given = [("mu", mu), ("tau", tau), ("times", times), ("delta", delta)];
        ask(suite, flags, comment, "DR-C3.1", &given, "epsilon");
    }
    for (mu, tau, doublings, comment) in [
        ("5e-9", "1e-4", "3", "groups of eight"),
        ("5e-13", "1e-6", "6", "groups of 64"),
        ("0", "1/1000", "1", "a mean below the line"),
    ] {
        let given = [("mu", mu), ("tau", tau), ("doublings", doublings)];
        for says in ["mu", "tau"] {
            ask(suite, &[Ordinary], comment, "DR-4.1", &given, says);
        }
    }
    // It takes a search as long as most others together.
    let given = [("order", "3"), ("epsilon", "1/4"), ("delta", "1/20")];
    ask(suite, &[Ordinary], "the third order", "two-outcomes", &given, "epsilon");
}
