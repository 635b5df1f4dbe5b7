//! The 2020 census: levels and releases as they were budgeted, and moves of a record between paths of the geography.
//!
//! A level is some twenty discrete Gaussians of two or three variances, a release a hundred and sixty of a dozen. What the
//! files of `examples/census` say is written out in the mechanism, so that a case stands for itself.

use rug::Rational;

use super::Flag::{AlphaNearOne, Heterogeneous, Ordinary, Published, SmallAlpha, TinyDelta, Underflow};
use super::Suite;
use super::curve::ALPHAS;
use crate::census::Level;
use crate::mechanism::{Allocation, Paths};
use crate::query::QuantityName;
use crate::theorem::zcdp::Zcdp;

/// Allocations by name.
const ALLOCATIONS: [(&str, &str); 10] = [
    ("DHC persons US", include_str!("../../../examples/census/dhc-persons-us.csv")),
    ("DHC persons PR", include_str!("../../../examples/census/dhc-persons-pr.csv")),
    ("DHC units US", include_str!("../../../examples/census/dhc-units-us.csv")),
    ("DHC units PR", include_str!("../../../examples/census/dhc-units-pr.csv")),
    ("redistricting persons US", include_str!("../../../examples/census/pl94-persons-us.csv")),
    ("redistricting persons PR", include_str!("../../../examples/census/pl94-persons-pr.csv")),
    ("redistricting units US", include_str!("../../../examples/census/pl94-units-us.csv")),
    ("redistricting units PR", include_str!("../../../examples/census/pl94-units-pr.csv")),
    ("DHC persons as planned in March 2022", include_str!("../../../examples/census/ssw24-2022-03-16.csv")),
    ("DHC persons as planned in August 2022", include_str!("../../../examples/census/ssw24-2022-08-25.csv")),
];

/// The paths of the optimised geography.
const PATHS: &str = include_str!("../../../examples/census/sieve-paths.csv");

/// The pairs of paths whose whole row of the published table is asked.
const PAIRS: [(u32, u32); 4] = [(13, 13), (1, 2), (6, 10), (27, 43)];

/// The plans as Su, Su and Wang (2024) model them: so many queries of each level, with these variances.
const MODELS: [(&str, u32, &[&str]); 2] = [
    (
        "March 2022",
        9,
        &[
            "120000/1729",
            "1800000/360031",
            "900000/55993",
            "600000/57323",
            "600000/57323",
            "300000/52003",
            "600000/57323",
            "60000/133",
        ],
    ),
    (
        "August 2022",
        10,
        &[
            "5000/73",
            "50000/10001",
            "20000/1241",
            "100000/9563",
            "100000/9563",
            "50000/8687",
            "50000/4307",
            "100000/219",
        ],
    ),
];

/// The suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta(), moves()]
}

/// A composition that is asked about.
struct Budgeted {
    name: String,
    mechanism: String,
    /// Its zCDP, for points at which something happens.
    rho: f64,
    whole: bool,
}

impl Budgeted {
    fn new(name: String, part: Option<&Allocation>, whole: bool) -> Self {
        let mechanism = match part.map(Allocation::composition) {
            Some(Ok(composition)) => composition.to_string(),
            // It is refused by name when it is answered.
            Some(Err(error)) => error.to_string(),
            None => "no allocation".to_string(),
        };
        Budgeted { name, mechanism, rho: part.map_or(1.0, |part| part.rho().to_f64()), whole }
    }

    /// An epsilon that the loss exceeds by about the tail of a standard normal beyond `k`, in three digits.
    fn epsilon(&self, k: f64) -> String {
        format!("{:.2e}", self.rho + k * (2.0 * self.rho).sqrt())
    }
}

/// Every level of every allocation, and those releases whose variances have a common lattice of a sensible size.
fn budgeted() -> Vec<Budgeted> {
    let mut all = Vec::new();
    for (name, text) in ALLOCATIONS {
        let allocation = Allocation::parse(text).ok();
        for level in allocation.iter().flat_map(Allocation::levels) {
            let part = allocation.as_ref().and_then(|allocation| allocation.level(level));
            all.push(Budgeted::new(format!("{name}, level {level}"), part.as_ref(), false));
        }
        if !name.starts_with("redistricting") {
            all.push(Budgeted::new(format!("{name}, the whole release"), allocation.as_ref(), true));
        }
    }
    for (name, times, variances) in MODELS {
        let levels: Vec<String> =
            variances.iter().map(|variance| format!("discrete-gaussian(sigma2={variance})^{times}")).collect();
        let rho = |variance: &str| {
            let variance: Option<Rational> = variance.parse().ok();
            variance.map_or(1.0, |variance| f64::from(times) / (2.0 * variance.to_f64()))
        };
        let model = |what: &str| format!("the plan of {name} as Su, Su and Wang model it, {what}");
        for (level, variance) in levels.iter().zip(variances) {
            let name = model(&format!("sigma2 = {variance}"));
            all.push(Budgeted { name, mechanism: level.clone(), rho: rho(variance), whole: false });
        }
        let whole = variances.iter().map(|variance| rho(variance)).sum();
        all.push(Budgeted { name: model("all levels"), mechanism: levels.join(" * "), rho: whole, whole: true });
    }
    all
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "census",
        QuantityName::Delta,
        "The 2020 census, its levels and releases: delta at an epsilon",
        "Dozens of discrete Gaussians of different variances, whose losses meet on a fine lattice: no continuous formula is a \
         bound, and a grid that is coarser than the lattice moves digits.",
    );
    for part in budgeted() {
        for (k, flags) in [
            (-2.0, &[Heterogeneous][..]),
            (0.0, &[Heterogeneous]),
            (2.0, &[Heterogeneous]),
            (5.0, &[Heterogeneous]),
            (11.0, &[Heterogeneous, TinyDelta]),
        ] {
            suite.ask(flags, part.name.clone(), part.mechanism.clone(), part.epsilon(k));
        }
        suite.ask(&[Heterogeneous], format!("{}: total variation", part.name), part.mechanism.clone(), "0");
        if part.whole {
            suite.ask(
                &[Heterogeneous, TinyDelta],
                format!("{}: far out", part.name),
                part.mechanism.clone(),
                part.epsilon(25.0),
            );
            suite.ask(
                &[Heterogeneous, Underflow],
                format!("{}: below the smallest double", part.name),
                part.mechanism.clone(),
                part.epsilon(42.0),
            );
        }
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "census",
        QuantityName::Epsilon,
        "The 2020 census, its levels and releases: epsilon for a delta",
        "The question that the releases were judged by; conversions from zCDP give up to a quarter more.",
    );
    for part in budgeted() {
        for (delta, flags) in
            [("1e-5", &[Heterogeneous][..]), ("1e-10", &[Heterogeneous]), ("1e-30", &[Heterogeneous, TinyDelta])]
        {
            suite.ask(flags, part.name.clone(), part.mechanism.clone(), delta);
        }
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "census",
        QuantityName::Beta,
        "The 2020 census, its levels and releases: the trade-off function",
        "A polyline with vertices at a million losses; on both sides of it lie accountants that interpolate.",
    );
    for part in budgeted() {
        if part.whole {
            for (alpha, flag) in ALPHAS {
                let flags = [Heterogeneous, flag.unwrap_or(Heterogeneous)];
                suite.ask(&flags, format!("{}: a whole curve", part.name), part.mechanism.clone(), alpha);
            }
            continue;
        }
        for (alpha, flag) in [("1/1000", SmallAlpha), ("1/10", Ordinary), ("1/2", Ordinary), ("1 - 1e-6", AlphaNearOne)]
        {
            suite.ask(&[Heterogeneous, flag], part.name.clone(), part.mechanism.clone(), alpha);
        }
    }
    suite
}

/// Rows of the published table of exact accounting: delta at the epsilons that zCDP gives for 42 deltas.
fn moves() -> Suite {
    let mut suite = Suite::new(
        "census-moves",
        QuantityName::Delta,
        "The 2020 census, records that move between paths of its geography: delta at the epsilon of zCDP",
        "Published tables of these deltas err where absolute rounding meets deltas of 1e-21.",
    );
    let paths = Paths::parse(PATHS).ok();
    let levels = Level::published().unwrap_or_default();
    for pair in PAIRS {
        let (p, q) = pair;
        let asked = paths.as_ref().and_then(|paths| Some((paths.composition(pair).ok()?, paths.rho(pair).ok()?)));
        for level in &levels {
            let epsilon =
                asked.as_ref().and_then(|(_, rho)| Zcdp::new(rho.clone()).ok()?.bun_steinke(&level.value).ok());
            suite.ask(
                if level.value.to_f64() < 1e-12 {
                    &[Heterogeneous, Published, TinyDelta]
                } else {
                    &[Heterogeneous, Published]
                },
                format!("from path {p} to path {q}, where zCDP says delta = {}", level.text),
                asked
                    .as_ref()
                    .map_or_else(|| format!("no paths {p} and {q}"), |(composition, _)| composition.to_string()),
                epsilon.map_or_else(|| "no epsilon".to_string(), |epsilon| epsilon.to_string()),
            );
        }
    }
    suite
}
