//! Guarantees: what follows at best from zCDP, from CDP, from RDP of one order, from pure differential privacy, and
//! from a trade-off function.

use crate::query::QuantityName;

use super::Flag::{
    self, AlphaNearOne, Asymmetric, HugeEpsilon, Infinite, ManyCompositions, Ordinary, SmallAlpha, TinyDelta,
    TinyEpsilon,
};
use super::Suite;

/// The five suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta(), renyi(), kl()]
}

const ZCDP: [(&str, Flag, &str); 9] = [
    ("zcdp(rho=1/1000000)", TinyEpsilon, "so small that only the Kullback-Leibler divergence matters at 0"),
    ("zcdp(rho=1/1000)", Ordinary, "little"),
    ("zcdp(rho=1/10)", Ordinary, "as for one release"),
    ("zcdp(rho=1/2)", Ordinary, "Gaussian noise of standard deviation 1"),
    ("zcdp(rho=2.56)", Ordinary, "a census"),
    ("zcdp(rho=13.8)", Ordinary, "a larger one"),
    ("zcdp(rho=400)", HugeEpsilon, "much"),
    ("zcdp(rho=1/200)^100", Ordinary, "a hundred times: rho adds up"),
    ("zcdp(rho=1e-6)^50000", ManyCompositions, "fifty thousand times"),
];

const PURE: [(&str, Flag, &str); 7] = [
    ("pure-dp(epsilon=1/2)", Ordinary, "alone: the worst pair is randomised response"),
    ("pure-dp(epsilon=1)^10", Ordinary, "ten times"),
    ("pure-dp(epsilon=1/10)^100", Ordinary, "a hundred times"),
    ("pure-dp(epsilon=1/100)^2000", ManyCompositions, "two thousand times"),
    ("pure-dp(epsilon=ln(2))^6", Ordinary, "a rational e^epsilon"),
    ("pure-dp(epsilon=1/4)^8 * pure-dp(epsilon=1/2)^4", Ordinary, "of two epsilons"),
    ("pure-dp(epsilon=1/3)^5 * approx-dp(epsilon=2/3, delta=1/1000)^2", Ordinary, "with failure probabilities"),
];

const RDP: [(&str, Flag, &str); 8] = [
    ("rdp(order=2, epsilon=1/100)", Ordinary, "the order of chi-squared"),
    ("rdp(order=2, epsilon=1)", Ordinary, "the same with much"),
    ("rdp(order=3, epsilon=1/4)", Ordinary, "an odd order"),
    ("rdp(order=8, epsilon=1/4)^10", Ordinary, "ten times: the bounds of one order add up"),
    ("rdp(order=16, epsilon=2)", Ordinary, "a usual order"),
    ("rdp(order=32, epsilon=1/10)^20", Ordinary, "a usual order, twenty times"),
    ("rdp(order=64, epsilon=1/1000)", TinyEpsilon, "a high order, and little"),
    ("rdp(order=100, epsilon=5)", HugeEpsilon, "a high order, and much"),
];

const CDP: [(&str, Flag, &str); 3] = [
    ("cdp(mu=1/8, tau=1/2)", Ordinary, "the mean on the line of Gaussian noise"),
    ("cdp(mu=1/100, tau=1/4)", Ordinary, "a mean below it: a line that does not go through 0 at order 0"),
    ("cdp(mu=1/1000, tau=1/10)^50", Ordinary, "fifty times: means and squares add up"),
];

const CURVES: [(&str, Flag, &str); 4] = [
    ("f-dp(alpha=[0,1/4,1], beta=[1,1/4,0])", Ordinary, "the curve of randomised response"),
    ("f-dp(alpha=[0,1/10,1/2,1], beta=[1,1/2,1/10,0])", Ordinary, "three pieces"),
    ("f-dp(alpha=[0,1/5,1], beta=[1,1/2,0])^3", Asymmetric, "a curve that is not its own inverse, three times"),
    ("f-dp(alpha=[0,1/4,1], beta=[9/10,1/4,0])", Ordinary, "below 1 at 0: some outcomes identify the data set"),
];

fn delta() -> Suite {
    let mut suite = Suite::new(
        "guarantee",
        QuantityName::Delta,
        "Tight bounds from a guarantee: delta at an epsilon",
        "The worst case has two outcomes that satisfy the bounds at all orders; no conversion at a single order \
         attains it.",
    );
    for (mechanism, flag, why) in ZCDP {
        // Far out a delta of so little has a hundred million bits.
        let far = if flag == TinyEpsilon { 3 } else { 5 };
        // Below rho the best order is nearer to 1 than e^-60.
        let points =
            if flag == HugeEpsilon { ["401", "420", "450", "500", "1000"] } else { ["0", "1/10", "1", "3", "20"] };
        for at in points.into_iter().take(far) {
            suite.ask(&[flag], why, mechanism, at);
        }
    }
    for (mechanism, flag, why) in PURE {
        for at in ["0", "1/4", "1", "5/2"] {
            suite.ask(&[flag], why, mechanism, at);
        }
    }
    // Joint bounds of all orders need a search; two cases suffice.
    for (mechanism, flag, why) in CDP.into_iter().take(2) {
        for at in ["0", "1/2"] {
            suite.ask(&[flag], why, mechanism, at);
        }
    }
    for (mechanism, flag, why) in CURVES {
        for at in ["0", "ln(3/2)", "1"] {
            suite.ask(&[flag], why, mechanism, at);
        }
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "guarantee",
        QuantityName::Epsilon,
        "Tight bounds from a guarantee: epsilon at a delta",
        "The joint bound from all orders of zCDP, and the worst case of pure differential privacy.",
    );
    for (mechanism, flag, why) in ZCDP {
        for (level, tiny) in [("1/10", false), ("1e-3", false), ("1e-6", false), ("1e-10", false), ("1e-100", true)] {
            suite.ask(&[if tiny { TinyDelta } else { flag }], why, mechanism, level);
        }
    }
    for (mechanism, flag, why) in PURE {
        for level in ["1/10", "1e-2", "1e-5"] {
            let infinite = mechanism.contains("approx") && level == "1e-5";
            suite.ask(&[if infinite { Infinite } else { flag }], why, mechanism, level);
        }
    }
    for (mechanism, flag, why) in CDP.into_iter().take(2) {
        suite.ask(&[flag], why, mechanism, "1e-5");
    }
    for (mechanism, flag, why) in CURVES {
        for level in ["1/5", "1/100"] {
            let infinite = mechanism.contains("9/10") && level == "1/100";
            suite.ask(&[if infinite { Infinite } else { flag }], why, mechanism, level);
        }
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "guarantee",
        QuantityName::Beta,
        "Tight bounds from a guarantee: type II error",
        "For a bound at one Renyi order, the worst case has two outcomes, in either direction.",
    );
    for (mechanism, flag, why) in RDP {
        for (alpha, at) in [("1e-4", SmallAlpha), ("1/20", flag), ("1/3", flag), ("99/100", AlphaNearOne)] {
            suite.ask(&[at], why, mechanism, alpha);
        }
    }
    for (mechanism, flag, why) in PURE {
        for (alpha, at) in [("1e-4", SmallAlpha), ("1/20", flag), ("1/2", flag)] {
            suite.ask(&[at], why, mechanism, alpha);
        }
    }
    for (mechanism, flag, why) in CDP.into_iter().chain([ZCDP[2], ZCDP[3]]).chain(CURVES) {
        for (alpha, at) in [("1e-4", SmallAlpha), ("1/3", flag)] {
            suite.ask(&[at], why, mechanism, alpha);
        }
    }
    suite
}

fn renyi() -> Suite {
    let mut suite = Suite::new(
        "guarantee",
        QuantityName::Renyi,
        "Tight bounds from a guarantee: Renyi divergence",
        "Linear in the order for zCDP, constant up to the order of RDP and infinite beyond, and the worst pair for \
         pure DP.",
    );
    for (mechanism, flag, why) in ZCDP {
        for order in ["3/2", "10"] {
            suite.ask(&[flag], why, mechanism, order);
        }
    }
    for (mechanism, flag, why) in RDP {
        for order in ["3/2", "200"] {
            suite.ask(&[if order == "200" { Infinite } else { flag }], why, mechanism, order);
        }
    }
    for (mechanism, flag, why) in PURE.into_iter().filter(|(mechanism, ..)| !mechanism.contains("approx")) {
        for order in ["3/2", "10"] {
            suite.ask(&[flag], why, mechanism, order);
        }
    }
    for (mechanism, flag, why) in CDP {
        for order in ["3/2", "10"] {
            suite.ask(&[flag], why, mechanism, order);
        }
    }
    suite
}

fn kl() -> Suite {
    let mut suite = Suite::new(
        "guarantee",
        QuantityName::Kl,
        "Tight bounds from a guarantee: Kullback-Leibler divergence",
        "Renyi divergences are nondecreasing in the order, so a bound at an order above 1 bounds the limit at 1.",
    );
    for (mechanism, flag, why) in ZCDP.into_iter().chain(RDP) {
        suite.ask(&[flag], why, mechanism, "");
    }
    for (mechanism, flag, why) in PURE.into_iter().filter(|(mechanism, ..)| !mechanism.contains("approx")) {
        suite.ask(&[flag], why, mechanism, "");
    }
    for (mechanism, flag, why) in CDP {
        suite.ask(&[flag], why, mechanism, "");
    }
    suite
}
