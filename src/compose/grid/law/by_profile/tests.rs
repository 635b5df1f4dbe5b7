use super::*;
use crate::compose::atoms::{self, Atoms as Listed, Factor};
use crate::compose::grid::{Finite, Grid, Step};
use crate::compose::reference::{edged, q};
use crate::compose::{Gaussian, Method, curve};
use crate::mechanism::Composition;
use crate::pair::{Discrete, FinitePair, Pair};

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

/// The pair, and its curve by listing its outcomes.
fn listed(pair: &FinitePair, times: u64, budget: &Budget) -> Box<dyn Curve> {
    let factors = [Factor { pair: pair.clone(), times }];
    let curve = Listed::new(&factors, atoms::Limits::of(budget), budget).expect("a list");
    Box::new(edged(curve, [(Pair::finite(pair.clone()), times)]))
}

fn by_profile(pair: &FinitePair, budget: &Budget) -> ByProfile {
    let ends = Pair::finite(pair.clone()).ends().expect("ends");
    ByProfile::new("a list".into(), listed(pair, 1, budget), ends, 1 << 16)
}

fn pairs() -> Vec<FinitePair> {
    let list = |masses: [&str; 4]| masses.map(q).to_vec();
    [
        (list(["1/2", "1/3", "1/6", "0"]), list(["1/5", "2/5", "3/10", "1/10"])),
        (list(["7/10", "1/10", "1/10", "1/10"]), list(["3/10", "3/10", "2/5", "0"])),
        (list(["1/4", "1/4", "1/4", "1/4"]), list(["1/10", "1/10", "3/10", "1/2"])),
    ]
    .map(|(p, q)| FinitePair::new(p, q).expect("a pair"))
    .to_vec()
}

/// The same masses at the same places, from the profile and from the losses themselves, and none outside.
#[test]
fn masses_are_those_of_the_losses() {
    let budget = Budget::default();
    for pair in pairs() {
        for (fineness, backward) in [(0, false), (3, false), (3, true), (7, true), (-1, false)] {
            let step = Step { fineness, backward, depth: 100 };
            let from_losses = Grid::new(vec![(Box::new(Finite(Discrete::rational(pair.clone()))), 1)]).expect("a grid");
            let from_profile = Grid::new(vec![(Box::new(by_profile(&pair, &budget)), 1)]).expect("a grid");
            let grids = [from_losses, from_profile].map(|grid| grid.rounded(step, &budget).expect("masses"));
            for at in ["0", "1/3", "-1/4", "7/5", "-2", "1/100"] {
                let [a, b] = [0, 1].map(|i: usize| grid_profile(&grids[i], &real(at), &budget));
                assert!(a.overlaps(&b), "{fineness} {backward} {at}: {a:?} {b:?}");
                let width = Float::with_val(64, b.upper() - b.lower());
                assert!(width < 1e-25, "{fineness} {backward} {at}: {b:?}");
            }
        }
    }
}

fn grid_profile(grid: &crate::compose::grid::Rounded, at: &Real, budget: &Budget) -> Enclosure {
    grid.law.profile(at, budget).expect("a profile")
}

/// What is composed of parts known by their profiles holds what is composed exactly, on coarse and on fine grids.
#[test]
fn compositions_hold_exact_ones() {
    let budget = Budget::default();
    for pair in pairs() {
        for times in [1, 3] {
            let truth = listed(&pair, times, &budget);
            let grid = Grid::new(vec![(Box::new(by_profile(&pair, &budget)), times)]).expect("a grid");
            for (direction, backward) in [(Direction::Forward, false), (Direction::Backward, true)] {
                for fineness in [-1, 0, 2, 5, 8] {
                    let rounded = grid.rounded(Step { fineness, backward, depth: 80 }, &budget).expect("masses");
                    let infinite = rounded.law.infinite(200).expect("masses").0;
                    for x in ["1", "4/3", "1/2", "5/2"] {
                        let at = Real::from(q(x)).ln().expect("a logarithm");
                        let exact = truth.delta(&at, direction, 100, &budget).expect("a value");
                        let wanted = (&exact - &infinite).exact().cloned().expect("a fraction");
                        let set = rounded.profile(&at, &budget).expect("a profile");
                        assert!(set.contains(&wanted), "{times} {fineness} {x} {direction:?}: {set:?} {wanted}");
                    }
                }
            }
        }
    }
}

/// Gaussian noise by its profile composes to more Gaussian noise; the tails that are cut off count.
#[test]
fn gaussian_noise() {
    let budget = Budget::default();
    let mu = Pair::gaussian(real("1/2"));
    let alone = edged(Gaussian::new(real("1/4")).expect("a curve"), [(mu.clone(), 1)]);
    let law = ByProfile::new("noise".into(), Box::new(alone), mu.ends().expect("ends"), 1 << 14);
    let spacing = Spacing { step: q("1/16"), backward: false, bits: 120, depth: 60 };
    let dots = law.dots(&spacing, &budget).expect("masses");
    let all = dots.masses.iter().fold(dots.missing.clone(), |sum, mass| &sum.with_bits(120) + mass);
    assert!(*all.upper() >= 1 && *dots.missing.upper() < 1e-17 && *dots.missing.upper() > 0, "{all:?}");
    let grid = Grid::new(vec![(Box::new(law), 9)]).expect("a grid");
    let truth = Gaussian::new(real("9/4")).expect("a curve");
    for at in ["0", "1", "3", "-1"] {
        let [found, exact] = [&grid as &dyn Curve, &truth].map(|curve| {
            curve.delta(&real(at), Direction::Forward, 38, &budget).unwrap_or_else(|error| panic!("{at}: {error}"))
        });
        let (found, exact) = (found.enclosure(100), exact.enclosure(100));
        assert!(found.overlaps(&exact) && found.relative_bits() > Some(7), "{at}: {found:?} {exact:?}");
    }
}

/// Three ways to one curve: samples of fixed size, hulls of Poisson samples, and the bounds of what is inside.
#[test]
fn operators_compose() {
    let budget = Budget::default();
    let towards = |text: &str, at: &str, direction: Direction| {
        let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let curve = curve(&composition, Method::Auto, &budget).unwrap_or_else(|error| panic!("{text}: {error}"));
        let value = curve.delta(&real(at), direction, 40, &budget);
        value.unwrap_or_else(|error| panic!("{text}: {error}")).enclosure(100)
    };
    let delta = |text: &str, at: &str| towards(text, at, Direction::Forward);
    for at in ["1/5", "1"] {
        let pieces = delta("subsample(rate=1/2, gdp(mu=1))^2", at);
        let hull = delta("hull(poisson(rate=1/2, gdp(mu=1)))^2", at);
        assert!(pieces.overlaps(&hull) && pieces.relative_bits() > Some(9), "{at}: {pieces:?} {hull:?}");
        // No more is seen of samples than of all, and more than of a single one.
        assert!(pieces.upper() < delta("gdp(mu=1)^2", at).lower(), "{at}");
        assert!(pieces.lower() > delta("subsample(rate=1/2, gdp(mu=1))", at).upper(), "{at}");
    }
    let inverse = towards("inverse(poisson(rate=1/2, gdp(mu=1)))^2 * gdp(mu=1)", "1/5", Direction::Forward);
    let backward = towards("poisson(rate=1/2, gdp(mu=1))^2 * gdp(mu=1)", "1/5", Direction::Backward);
    assert!(inverse.overlaps(&backward) && inverse.relative_bits() > Some(9), "{inverse:?} {backward:?}");
}

/// Rational masses by an engine that does not know that they are: one step beside another, against the polylines.
#[test]
fn operators_on_fractions() {
    let budget = Budget::default();
    let pair = &pairs()[2];
    let hull = Pair::finite(pair.clone()).hull().expect("a hull");
    let Pair::Discrete(exact) = &hull else { panic!("no fractions") };
    let exact = exact.fractions().expect("fractions").expect("a pair");
    let truth = listed(&exact, 2, &budget);
    let inside = listed(pair, 1, &budget);
    let engine = edged(crate::compose::derived::Hull::new(inside), [(hull.clone(), 1)]);
    let law = ByProfile::new("hull".into(), Box::new(engine), hull.ends().expect("ends"), 1 << 12);
    let grid = Grid::new(vec![(Box::new(law), 2)]).expect("a grid");
    for fineness in [0, 4, 8] {
        let rounded = grid.rounded(Step { fineness, backward: false, depth: 60 }, &budget).expect("masses");
        for x in ["1", "3/2", "1/2", "3"] {
            let at = Real::from(q(x)).ln().expect("a logarithm");
            let wanted = truth.delta(&at, Direction::Forward, 100, &budget).expect("a value");
            let set = rounded.profile(&at, &budget).expect("a profile");
            assert!(set.contains(wanted.exact().expect("a fraction")), "{fineness} {x}: {set:?} {wanted:?}");
        }
    }
}

/// A curve that counts how often it is asked.
struct Counting(Box<dyn Curve>, std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl Curve for Counting {
    fn symmetric(&self) -> bool {
        self.0.symmetric()
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.0.delta(epsilon, direction, bits, budget)
    }

    fn epsilon(&self, _: &Real, _: Direction, _: u32, _: &Budget) -> Result<crate::curve::Value, Error> {
        Err(Error::internal("asked for more than a profile"))
    }

    fn beta(&self, _: &Real, _: Direction, _: u32, _: &Budget) -> Result<Number, Error> {
        Err(Error::internal("asked for more than a profile"))
    }

    fn method(&self) -> &'static str {
        self.0.method()
    }

    fn statement(&self) -> &'static crate::statement::Statement {
        self.0.statement()
    }
}

/// From coarse to fine each point is asked for once, whoever asks; what comes out holds what is true.
#[test]
fn points_are_asked_for_once() {
    let budget = Budget::default();
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let mu = Pair::gaussian(real("1/2"));
    let alone = edged(Gaussian::new(real("1/4")).expect("a curve"), [(mu.clone(), 1)]);
    let counting = Counting(Box::new(alone), std::sync::Arc::clone(&asked));
    let law = ByProfile::new("noise".into(), Box::new(counting), mu.ends().expect("ends"), 1 << 10);
    let grid = Grid::new(vec![(Box::new(law), 4)]).expect("a grid");
    let truth =
        Gaussian::new(real("1")).expect("a curve").delta(&real("1"), Direction::Forward, 60, &budget).expect("it");
    let count = || asked.load(std::sync::atomic::Ordering::Relaxed);
    let at = |points: u32, epsilon: &str| {
        let value = grid.content_with(Some(points)).delta(&real(epsilon), Direction::Forward, 60, &budget);
        value.expect("a value").enclosure(100)
    };
    let coarse = at(1, "1");
    let few = count();
    // Nothing new is asked for by whoever asks the same grid.
    let _ = at(1, "1/2");
    assert_eq!(count(), few);
    let fine = at(1 << 14, "1");
    let all = count();
    for value in [&coarse, &fine] {
        assert!(value.overlaps(&truth.enclosure(100)), "{value:?} {truth:?}");
    }
    assert!(fine.relative_bits() > coarse.relative_bits() && all > few, "{few} {all}: {coarse:?} {fine:?}");
    // Of all grids the points of the finest, which are as many as on either side of 0, and where the cuts are sought:
    // fewer than if each grid had asked anew.
    assert!(all <= 1 << 10, "{all}");
}

/// What grids prove before they refuse is kept: the more digits are asked for, the more is known, and never less.
#[test]
fn a_refusal_forgets_nothing() {
    let budget = Budget::default();
    let mu = Pair::gaussian(real("1/2"));
    let alone = edged(Gaussian::new(real("1/4")).expect("a curve"), [(mu.clone(), 1)]);
    let law = ByProfile::new("noise".into(), Box::new(alone), mu.ends().expect("ends"), 1 << 10);
    let grid = Grid::new(vec![(Box::new(law), 4)]).expect("a grid");
    let whole = Gaussian::new(real("1")).expect("a curve");
    let (at, one) = (real("1/2"), Direction::Forward);
    let told = grid.content_with(Some(0));
    type Ask<'a> = &'a dyn Fn(&dyn Curve, u32) -> Result<Number, Error>;
    let asks: [Ask; 3] = [
        &|curve, bits| curve.delta(&at, one, bits, &budget),
        &|curve, bits| curve.beta(&at, one, bits, &budget),
        &|curve, bits| match curve.epsilon(&real("1/20"), one, bits, &budget)? {
            crate::curve::Value::Finite(number) => Ok(number),
            crate::curve::Value::Infinite => Err(Error::undecided("no number")),
        },
    ];
    for ask in asks {
        assert!(ask(&told, 64).is_err(), "nothing was asked");
        let truth = ask(&whole, 100).expect("a number").enclosure(100);
        let mut before: Option<Enclosure> = None;
        let mut refusals = 0;
        for bits in [40, 50, 60, 80, 120] {
            let answer = ask(&grid, bits);
            refusals += usize::from(answer.is_err());
            let known = ask(&told, 64).expect("what was proven").enclosure(100);
            assert!(known.overlaps(&truth), "{bits}: {known:?} {truth:?}");
            if let Ok(answer) = answer {
                assert!(
                    known.lower() >= answer.enclosure(100).lower() && known.upper() <= answer.enclosure(100).upper()
                );
            }
            if let Some(before) = before {
                assert!(known.lower() >= before.lower() && known.upper() <= before.upper(), "{bits}");
            }
            before = Some(known);
        }
        assert!(refusals >= 2, "{refusals}");
    }
    assert!(told.delta(&real("1/3"), one, 64, &budget).is_err(), "another question");
}
