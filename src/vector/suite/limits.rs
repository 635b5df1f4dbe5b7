//! What limit theorems say of long compositions: central limit theorems, the theorem of Berry and Esseen, Edgeworth
//! expansions.

use dpcert_vectors::{Bound, Limit, LimitForm};

use crate::query::QuantityName;

use super::Flag::{
    AlphaNearOne, Asymmetric, Heterogeneous, HugeEpsilon, Infinite, ManyCompositions, Ordinary, SmallAlpha, SmallRate,
    Subsampled, TinyDelta,
};
use super::{Flag, Suite};

type Composed = (&'static str, &'static [Flag], &'static str);

/// Compositions of mechanisms with symmetric trade-off functions, long enough for the theorem of Berry and Esseen.
const SYMMETRIC: [Composed; 7] = [
    ("randomized-response(epsilon=1/10)^100", &[Ordinary], "a hundred small responses"),
    (
        "randomized-response(epsilon=ln(11/10))^1000",
        &[ManyCompositions],
        "1000 randomised responses, e^epsilon rational",
    ),
    ("approx-dp(epsilon=1/10, delta=1/1000000)^100", &[Ordinary], "failure probabilities are separate"),
    ("laplace(scale=10)^100", &[Ordinary], "Laplace noise of a hundred queries"),
    ("gaussian(sigma=20)^100", &[Ordinary], "a Gaussian mechanism is its own limit"),
    ("geometric(epsilon=ln(6/5), sensitivity=2)^50", &[Ordinary], "geometric noise"),
    ("laplace(scale=20)^200 * randomized-response(epsilon=1/20)^300", &[Heterogeneous], "different mechanisms"),
];

/// Samples: training runs.
const SAMPLES: [Composed; 4] = [
    ("poisson(rate=1/100, gaussian(sigma=1))^1000", &[Subsampled, SmallRate, ManyCompositions], "noisy SGD"),
    (
        "poisson(rate=256/60000, gaussian(sigma=13/10))^3516",
        &[Subsampled, SmallRate, ManyCompositions],
        "15 epochs of noisy SGD",
    ),
    ("poisson(rate=1/10, gaussian(sigma=4))^100", &[Subsampled], "a larger rate and more noise"),
    ("poisson(rate=1/50, randomized-response(epsilon=1))^500", &[Subsampled], "subsampled randomised responses"),
];

/// The same with batches of a fixed size.
const FIXED_SIZE: [Composed; 3] = [
    ("subsample(rate=1/100, gdp(mu=1))^1000", &[Subsampled, SmallRate, ManyCompositions], "noisy SGD"),
    (
        "subsample(rate=256/60000, gaussian(sigma=13/10))^3516",
        &[Subsampled, SmallRate, ManyCompositions],
        "15 epochs of noisy SGD",
    ),
    ("subsample(rate=1/50, randomized-response(epsilon=1))^500", &[Subsampled], "subsampled randomised responses"),
];

/// Further ones for expansions alone, whose two directions differ.
const ASYMMETRIC: [Composed; 3] = [
    ("poisson(rate=1/50, randomized-response(epsilon=ln(3)))^500", &[Subsampled], "subsampled randomised responses"),
    ("finite(p=[1/2,3/10,1/5], q=[1/3,1/3,1/3])^40", &[Asymmetric], "a finite pair"),
    ("poisson(rate=1/20, gaussian(sigma=2))^200 * gaussian(sigma=10)", &[Heterogeneous, Subsampled], "with noise"),
];

const EPSILONS: [(&str, &[Flag]); 3] = [("0", &[]), ("1/2", &[]), ("2", &[])];
const DELTAS: [(&str, &[Flag]); 2] = [("1/100", &[]), ("1e-5", &[])];
const ALPHAS: [(&str, &[Flag]); 3] = [("1/2", &[]), ("1/100", &[SmallAlpha]), ("19/20", &[AlphaNearOne])];

/// The suites.
pub fn suites() -> Vec<Suite> {
    let of = |quantity, titles: [&'static str; 3]| {
        [
            clt(Suite::new("clt", quantity, titles[0], "Each theorem defines its own mu from sums of squares.")),
            berry_esseen(Suite::new(
                "berry-esseen",
                quantity,
                titles[1],
                "Upper and lower bounds; the constant is 0.56, the third moments are centered, and gamma enters with \
                 factor 1 + e^epsilon.",
            )),
            edgeworth(Suite::new(
                "edgeworth",
                quantity,
                titles[2],
                "Each tail has its own cumulants, and all terms of one order are needed.",
            )),
        ]
    };
    [
        of(
            QuantityName::LimitDelta,
            [
                "Central limit theorems: delta at an epsilon",
                "Berry-Esseen theorem: bounds of delta at an epsilon",
                "Edgeworth expansions: delta at an epsilon",
            ],
        ),
        of(
            QuantityName::LimitEpsilon,
            [
                "Central limit theorems: epsilon at a delta",
                "Berry-Esseen theorem: bounds of epsilon at a delta",
                "Edgeworth expansions: epsilon at a delta",
            ],
        ),
        of(
            QuantityName::LimitBeta,
            [
                "Central limit theorems: trade-off function",
                "Berry-Esseen theorem: bounds of trade-off functions",
                "Edgeworth expansions: trade-off function",
            ],
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Where a quantity is asked.
fn places(quantity: QuantityName) -> Vec<(&'static str, &'static [Flag])> {
    match quantity {
        QuantityName::LimitDelta => EPSILONS.into(),
        QuantityName::LimitEpsilon => DELTAS.into(),
        _ => ALPHAS.into(),
    }
}

fn ask(suite: &mut Suite, limit: Limit, (mechanism, flags, comment): Composed) {
    for (at, more) in places(suite.quantity) {
        suite.ask_limit(limit, &[flags, more].concat(), comment, mechanism, at);
    }
}

fn clt(mut suite: Suite) -> Suite {
    for composed in SYMMETRIC {
        ask(&mut suite, Limit::Clt { form: LimitForm::Centred }, composed);
        if !composed.1.contains(&Heterogeneous) {
            ask(&mut suite, Limit::Clt { form: LimitForm::Printed }, composed);
        }
    }
    for composed in SYMMETRIC.into_iter().take(3) {
        ask(&mut suite, Limit::Clt { form: LimitForm::Worst }, composed);
    }
    for composed in SAMPLES {
        ask(&mut suite, Limit::Clt { form: LimitForm::Poisson }, composed);
        ask(&mut suite, Limit::Clt { form: LimitForm::Uniform }, composed);
    }
    let noise = ("poisson(rate=1/100, laplace(scale=1))^500", &[Subsampled][..], "Laplace noise on samples");
    ask(&mut suite, Limit::Clt { form: LimitForm::Poisson }, noise);
    let limit = Limit::Clt { form: LimitForm::Centred };
    match suite.quantity {
        QuantityName::LimitDelta => {
            let mechanism = "randomized-response(epsilon=1/10)^100";
            suite.ask_limit(limit, &[HugeEpsilon, TinyDelta], "a normal tail", mechanism, "12");
        }
        QuantityName::LimitEpsilon => {
            let mechanism = "approx-dp(epsilon=1/10, delta=1/1000000)^100";
            suite.ask_limit(limit, &[Infinite], "more fails outright than is asked for", mechanism, "1e-5");
        }
        _ => {}
    }
    for composed in FIXED_SIZE {
        ask(&mut suite, Limit::Clt { form: LimitForm::Uniform }, composed);
    }
    suite
}

fn berry_esseen(mut suite: Suite) -> Suite {
    for bound in [Bound::Lower, Bound::Upper] {
        for composed in SYMMETRIC {
            for (at, more) in places(suite.quantity) {
                // What the bounds are wide of would be 0, or infinite, everywhere.
                let at = if (suite.quantity, at) == (QuantityName::LimitEpsilon, "1e-5") { "3/10" } else { at };
                let (mechanism, flags, comment) = composed;
                suite.ask_limit(Limit::BerryEsseen { bound }, &[flags, more].concat(), comment, mechanism, at);
            }
        }
    }
    suite
}

fn edgeworth(mut suite: Suite) -> Suite {
    if suite.quantity == QuantityName::LimitBeta {
        // Each of them takes a search on either route.
        for order in 1..=3 {
            for (mechanism, flags, comment) in [SYMMETRIC[2], ASYMMETRIC[1]] {
                for (at, more) in ALPHAS.into_iter().take(2) {
                    let flags = [flags, more].concat();
                    suite.ask_limit(Limit::Edgeworth { order }, &flags, comment, mechanism, at);
                }
            }
        }
        return suite;
    }
    for order in 0..=3 {
        for composed in SYMMETRIC.into_iter().chain(SAMPLES.into_iter().take(3)).chain(ASYMMETRIC) {
            // A normal loss has nothing beyond order 0.
            if order > 0 && composed.0.starts_with("gaussian") {
                continue;
            }
            let limit = Limit::Edgeworth { order };
            for (at, more) in places(suite.quantity) {
                let (mechanism, flags, comment) = composed;
                // More fails outright than is asked for.
                if !(mechanism.starts_with("approx-dp") && at == "1e-5") {
                    suite.ask_limit(limit, &[flags, more].concat(), comment, mechanism, at);
                }
            }
        }
    }
    suite
}
