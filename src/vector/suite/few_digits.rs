//! What only engines of few digits know: many losses that share no lattice, beside which nothing makes an integrand
//! decay. Each engine is asked by name.

use dpcert_vectors::Direction::{self, Backward, Forward};

use super::Flag::{Asymmetric, FewDigits, ManyCompositions, Mixed, SmallRate, Subsampled, TinyDelta};
use super::{Flag, Suite};
use crate::compose::Rough;
use crate::query::QuantityName;
use crate::vector::few::Second::{self, Engine, Outcomes};
use crate::vector::few::Ways;

/// The suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

/// Digits required from the methods: one more than in a golden number.
const DIGITS: u32 = 7;

const ROWS: Rough = Rough::Majorized(DIGITS);
const SWEPT: Rough = Rough::Swept(DIGITS);
const FAR: Rough = Rough::AlmostPeriodic(DIGITS);
const POLYGONS: Rough = Rough::Polygons(DIGITS);
const LARGE: Rough = Rough::LargeLosses(DIGITS);

/// A composition, where it is asked, and why.
struct Asked {
    ways: (Rough, Second),
    direction: Direction,
    mechanism: &'static str,
    at: &'static [&'static str],
    why: &'static str,
}

const fn asked(
    ways: (Rough, Second),
    direction: Direction,
    mechanism: &'static str,
    at: &'static [&'static str],
    why: &'static str,
) -> Asked {
    Asked { ways, direction, mechanism, at, why }
}

fn fill(suite: &mut Suite, list: &[Asked], more: fn(&Asked) -> Vec<Flag>) {
    for one in list {
        for at in one.at {
            let mut flags = vec![FewDigits];
            if one.mechanism.contains("poisson") || one.mechanism.contains("subsample") {
                flags.push(Subsampled);
            }
            if one.direction == Backward {
                flags.push(Asymmetric);
            }
            if one.mechanism.contains('*') {
                flags.push(Mixed);
            }
            flags.extend(more(one));
            let (engine, second) = one.ways;
            suite.ask_one(Ways { engine, second }, one.direction, &flags, one.why, one.mechanism, *at);
        }
    }
}

const THREE: &str = "poisson(rate=1/10, discrete-gaussian(sigma2=1/2))^3";
const TWO: &str = "poisson(rate=1/3, discrete-gaussian(sigma2=1))^2";
const MIXTURE: &str = "poisson(rate=1/5, discrete-gaussian(sigma2=1/3))^3 * randomized-response(epsilon=1/7)^2";
const HUNDREDTH: &str = "poisson(rate=1/100, discrete-gaussian(sigma2=1/2))^3";
const HUNDREDS: &str = "poisson(rate=1/20, discrete-gaussian(sigma2=2))^300";
const THOUSAND: &str = "poisson(rate=1/20, discrete-gaussian(sigma2=1))^1000";
const RARE: &str = "poisson(rate=1/1000, discrete-gaussian(sigma2=1))^3";
const RARER: &str = "poisson(rate=1/10000, discrete-gaussian(sigma2=2))^2";
const GROUP: &str = "group-one-way(k=2, poisson(rate=1/10, discrete-gaussian(sigma2=1/2)))^2";
const FIXED: &str = "subsample(rate=1/10, discrete-gaussian(sigma2=1/2))^3";
const LARGER: &str = "symmetrize(poisson(rate=1/4, discrete-gaussian(sigma2=1/2)))^2";
const HULL: &str = "hull(poisson(rate=1/4, discrete-gaussian(sigma2=1/2)))^2";

const FEW_SAMPLES: &str = "few subsampled discrete noise steps: many privacy losses, no common lattice";
const MANY_SAMPLES: &str = "many subsampled discrete noise steps: a smooth distribution, but no decay of the transform";
const JUMPS: &str = "far tail: sums are large because of one or two privacy losses";
const WITHOUT: &str = "adding a record";
const INSIDE: &str = "an operator on infinitely many outcomes without a closed form";

fn delta() -> Suite {
    let mut suite = Suite::new(
        "few-digits",
        QuantityName::Delta,
        "Compositions known to few digits: delta at an epsilon",
        "Subsampled discrete noise has privacy losses without a lattice and an integrand that never decays. Grids \
         round the losses, and one large loss dominates the tail.",
    );
    let list = [
        asked((ROWS, Outcomes), Forward, THREE, &["1/10", "1/2", "1", "3"], FEW_SAMPLES),
        asked((ROWS, Outcomes), Backward, THREE, &["1/100", "1/10", "1/5"], WITHOUT),
        asked((ROWS, Outcomes), Forward, TWO, &["1/10", "1/2", "2"], FEW_SAMPLES),
        asked((ROWS, Outcomes), Forward, MIXTURE, &["1/10", "1"], "next to randomised responses"),
        asked((ROWS, Engine(FAR)), Forward, HUNDREDS, &["1/10", "1"], MANY_SAMPLES),
        asked((FAR, Engine(ROWS)), Forward, THOUSAND, &["1", "2"], MANY_SAMPLES),
        asked((FAR, Engine(ROWS)), Backward, THOUSAND, &["2"], WITHOUT),
        asked((SWEPT, Engine(FAR)), Forward, THOUSAND, &["3"], MANY_SAMPLES),
        asked((LARGE, Outcomes), Forward, RARE, &["1/2", "1"], JUMPS),
        asked((LARGE, Outcomes), Forward, RARER, &["1/50"], JUMPS),
        asked((LARGE, Outcomes), Forward, HUNDREDTH, &["1/10", "1/2", "1"], FEW_SAMPLES),
        asked((ROWS, Outcomes), Backward, HUNDREDTH, &["1/100"], WITHOUT),
        asked((POLYGONS, Outcomes), Forward, FIXED, &["1/10", "1"], INSIDE),
        asked((POLYGONS, Outcomes), Forward, LARGER, &["1/2"], INSIDE),
        asked((POLYGONS, Outcomes), Forward, HULL, &["1"], INSIDE),
    ];
    fill(&mut suite, &list, |one| {
        let mut flags = Vec::new();
        if [RARE, RARER].contains(&one.mechanism) {
            flags.extend([SmallRate, TinyDelta]);
        }
        if one.mechanism == THOUSAND {
            flags.push(ManyCompositions);
        }
        flags
    });
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "few-digits",
        QuantityName::Epsilon,
        "Compositions known to few digits: epsilon at a delta",
        "Between two privacy losses the profile is linear in e^epsilon; a method that rounds losses misses this.",
    );
    let list = [
        asked((ROWS, Outcomes), Forward, THREE, &["1/100", "1/1000", "1/1000000"], FEW_SAMPLES),
        asked((ROWS, Outcomes), Forward, TWO, &["1/10", "1/10000"], FEW_SAMPLES),
        asked((ROWS, Engine(FAR)), Forward, HUNDREDS, &["1/1000"], MANY_SAMPLES),
        asked((LARGE, Outcomes), Forward, HUNDREDTH, &["1/10000"], FEW_SAMPLES),
    ];
    fill(&mut suite, &list, |_| Vec::new());
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "few-digits",
        QuantityName::Beta,
        "Compositions known to few digits: trade-off function",
        "A piecewise-linear function with very many segments that cannot be listed.",
    );
    let list = [
        asked((ROWS, Engine(FAR)), Forward, HUNDREDS, &["1/10"], MANY_SAMPLES),
        asked((POLYGONS, Outcomes), Forward, GROUP, &["1/20"], INSIDE),
    ];
    fill(&mut suite, &list, |_| Vec::new());
    suite
}
