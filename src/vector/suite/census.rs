//! The 2020 census: levels and releases as they were budgeted, and moves of a record between paths of the geography.
//!
//! A level is some twenty discrete Gaussians of two or three variances, a release a hundred and sixty of a dozen. What
//! the files of `examples/census` say is written out in the mechanism, so that a case stands for itself.

use rug::Rational;

use super::Flag::{
    self, AlphaNearOne, Census, Heterogeneous, Ordinary, Published, SmallAlpha, TinyDelta, Underflow, WholeCurve,
};
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
const PAIRS: [(u32, u32); 4] = [(13, 13), (1, 2), (2, 13), (11, 31)];

/// More pairs, at a few levels each.
const MORE_PAIRS: [(u32, u32); 20] = [
    (1, 1),
    (2, 2),
    (3, 3),
    (5, 5),
    (8, 8),
    (16, 16),
    (26, 26),
    (30, 30),
    (34, 34),
    (35, 35),
    (37, 37),
    (40, 40),
    (43, 43),
    (2, 11),
    (30, 35),
    (20, 34),
    (8, 20),
    (23, 29),
    (15, 16),
    (16, 23),
];

/// Their levels: where accountants are used, and where rounding to a grid begins to show.
const FEW_LEVELS: [&str; 5] = ["1e-5", "1e-10", "5e-13", "1e-16", "1e-21"];

/// Levels whose variances meet on a lattice of millions of points below one standard deviation: every question takes
/// seconds. The releases that they are parts of are far quicker: with more factors fewer nodes count.
const TOO_FINE: [(&str, &[&str]); 3] = [
    ("DHC persons PR", &["State", "Prim", "Tract_Subset_Group"]),
    ("DHC units US", &["County", "Prim", "Tract_Subset_Group", "Tract_Subset"]),
    ("DHC units PR", &["County", "Prim", "Tract_Subset_Group", "Tract_Subset"]),
];

/// The plans as Su, Su and Wang (2024) model them: the number of queries of each level, with these variances.
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

    fn flags(&self, more: Option<Flag>) -> Vec<Flag> {
        let mut flags = vec![Census];
        if self.mechanism.contains('*') {
            flags.push(Heterogeneous);
        }
        flags.extend(more);
        flags
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
            if !TOO_FINE.iter().any(|(release, levels)| *release == name && levels.contains(&level)) {
                all.push(Budgeted::new(format!("{name}, level {level}"), part.as_ref(), false));
            }
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
        "2020 census, levels and releases: delta at an epsilon",
        "Dozens of discrete Gaussians of different variances with privacy losses on a fine lattice: no continuous \
         formula is a bound, and a grid coarser than the lattice loses digits.",
    );
    for part in budgeted() {
        for (k, what) in [
            (-2.0, "two deviations below the mean privacy loss: nearly 1, so the complement matters"),
            (0.0, "at the mean privacy loss"),
            (2.0, "two deviations above the mean: a few percent, as in the first comparisons with zCDP"),
            (5.0, "five deviations above the mean: the deltas by which releases are judged"),
            (11.0, "eleven deviations above the mean: below every absolute tolerance"),
        ] {
            let flags = part.flags((k > 10.0).then_some(TinyDelta));
            suite.ask(&flags, format!("{}; {what}", part.name), part.mechanism.clone(), part.epsilon(k));
        }
        // Of the published one the file of the discrete Gaussian asks that already.
        if part.mechanism != "discrete-gaussian(sigma2=120000/1729)^9" {
            suite.ask(&part.flags(None), format!("{}; total variation", part.name), part.mechanism.clone(), "0");
        }
        if part.whole {
            let comment = format!("{}; far tail, dominated by the largest noise", part.name);
            suite.ask(&part.flags(Some(TinyDelta)), comment, part.mechanism.clone(), part.epsilon(25.0));
            let comment = format!("{}; below the smallest double", part.name);
            suite.ask(&part.flags(Some(Underflow)), comment, part.mechanism.clone(), part.epsilon(42.0));
        }
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "census",
        QuantityName::Epsilon,
        "2020 census, levels and releases: epsilon at a delta",
        "The quantity by which the releases were judged; conversions from zCDP are up to a quarter larger.",
    );
    for part in budgeted() {
        for (delta, what) in [
            ("1e-5", "for a delta common in surveys"),
            ("1e-10", "for the delta stated by the Census Bureau"),
            ("1e-30", "for a delta that requires exact tails"),
        ] {
            let flags = part.flags((delta == "1e-30").then_some(TinyDelta));
            // One variance alone: the file of the discrete Gaussian asks that often, at less expense.
            if delta != "1e-30" || part.mechanism.contains('*') {
                suite.ask(&flags, format!("{}; {what}", part.name), part.mechanism.clone(), delta);
            }
        }
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "census",
        QuantityName::Beta,
        "2020 census, levels and releases: trade-off function",
        "A piecewise-linear function with about a million vertices; accountants that interpolate err on both sides.",
    );
    for part in budgeted() {
        if part.whole {
            for (alpha, flag) in ALPHAS {
                let mut flags = part.flags(flag);
                flags.push(WholeCurve);
                let comment = format!("{}; a point of the whole curve of all its levels", part.name);
                suite.ask(&flags, comment, part.mechanism.clone(), alpha);
            }
            continue;
        }
        for (alpha, flag, what) in [
            ("1/1000", SmallAlpha, "a false positive rate of 1/1000"),
            ("1/10", Ordinary, "a false positive rate of 1/10"),
            ("1/2", Ordinary, "a false positive rate of 1/2"),
            ("1 - 1e-6", AlphaNearOne, "the flat end of the curve, a tail with many segments"),
        ] {
            suite.ask(&part.flags(Some(flag)), format!("{}; {what}", part.name), part.mechanism.clone(), alpha);
        }
    }
    suite
}

/// Rows of the published table of exact accounting: delta at the epsilons that zCDP gives for 42 deltas.
fn moves() -> Suite {
    let mut suite = Suite::new(
        "census-moves",
        QuantityName::Delta,
        "2020 census, records that move between paths of the geography: delta at the zCDP epsilon",
        "Published tables are wrong where deltas near 1e-21 meet absolute rounding errors.",
    );
    let paths = Paths::parse(PATHS).ok();
    let levels = Level::published().unwrap_or_default();
    for (pair, every) in PAIRS.map(|pair| (pair, true)).into_iter().chain(MORE_PAIRS.map(|pair| (pair, false))) {
        let (p, q) = pair;
        let asked = paths.as_ref().and_then(|paths| Some((paths.composition(pair).ok()?, paths.rho(pair).ok()?)));
        for level in levels.iter().filter(|level| every || FEW_LEVELS.contains(&level.text.as_str())) {
            let epsilon =
                asked.as_ref().and_then(|(_, rho)| Zcdp::new(rho.clone()).ok()?.bun_steinke(&level.value).ok());
            let mut flags = vec![Census, Heterogeneous, Published];
            if level.value.to_f64() < 1e-12 {
                flags.push(TinyDelta);
            }
            suite.ask(
                &flags,
                format!("from path {p} to path {q}, where zCDP gives delta = {}", level.text),
                asked
                    .as_ref()
                    .map_or_else(|| format!("no paths {p} and {q}"), |(composition, _)| composition.to_string()),
                epsilon.map_or_else(|| "no epsilon".to_string(), |epsilon| epsilon.to_string()),
            );
        }
    }
    suite
}
