use rug::Rational;
use rug::float::Round::Down;

use super::*;
use crate::compose::quadrature::VerticalContour;
use crate::compose::quadrature::factor::{Atoms, Factor};
use enclosure::{Complex, Number, Portable, Real};

/// Three losses without a lattice, and the same masses under P and Q but for their places.
fn three(losses: [&str; 3]) -> Atoms {
    let losses: Vec<Real> = losses.iter().map(|loss| loss.parse().expect("a constant")).collect();
    let weights = [2u32, 3, 5].map(|weight| Rational::from((weight, 10)));
    let p: Vec<Number> = weights.iter().cloned().map(Number::Exact).collect();
    let kept = losses.clone();
    Atoms::new("three losses", losses, move |bits| {
        let zero = Number::zero();
        let q =
            p.iter().zip(&kept).map(|(p, loss)| Number::Enclosed(&p.enclosure(bits) * &(-loss.enclosure(bits)).exp()));
        let sum = q.fold(Number::zero(), |sum, mass| &sum + &mass);
        Ok(crate::pair::Masses { p: p.clone(), infinite_p: zero, infinite_q: &Number::one() - &sum })
    })
    .expect("a pair")
}

/// The moduli at the first nodes, as parts of that on the axis, from discs.
fn moduli(factor: &Atoms, line: &VerticalContour, count: usize) -> Vec<Float> {
    let budget = Budget::default();
    let moment = factor.moment(line.tilt(), 120, &budget).expect("a moment");
    let values = factor.on(line, 120, &budget).expect("values").run(0, count, &budget).expect("values");
    let least = |value: &Complex| {
        let (re, im) = value.centre();
        let modulus = Float::with_val_round(64, re.hypot_ref(im), Down).0 - value.radius();
        Float::with_val_round(64, modulus / moment.upper(), Down).0
    };
    values.iter().map(least).collect()
}

fn lists<'a>(factor: &'a Atoms, line: &VerticalContour) -> Box<dyn Decay + 'a> {
    let decay = factor.close_decay(line, &Budget::default()).expect("bounds");
    assert!(decay.sweeps().is_some());
    decay
}

const NODES: usize = 4000;

/// Losses of a size at which neighbouring nodes are far apart, and of one at which they are near.
fn examples() -> Vec<(Atoms, VerticalContour)> {
    let mut all = Vec::new();
    for losses in [["1", "1/3", "-sqrt(2)/20"], ["1/50", "1/60", "-sqrt(2)/170"], ["1/9", "1/9 + 1/1000000", "-1/20"]] {
        for tilt in [(1, 2), (-7, 3)] {
            let line = VerticalContour::new(Rational::from(tilt), Real::from(40u64));
            all.push((three(losses), line));
        }
    }
    all
}

/// No node of a range has a modulus above its bound, and at single nodes the bound is the modulus but for a little.
#[test]
fn bounds_hold_on_ranges() {
    let budget = Budget::default();
    for (factor, line) in examples() {
        let truth = moduli(&factor, &line, NODES);
        let decay = lists(&factor, &line);
        for from in (1..NODES as u64 - 300).step_by(7) {
            for length in [1u64, 2, 5, 24, 131, 290] {
                let bound = decay.log_bound(from, from + length - 1, &budget).expect("a bound");
                let range = &truth[from as usize..(from + length) as usize];
                let largest = range.iter().fold(Float::new(64), |most, modulus| most.max(modulus)).ln();
                assert!(largest <= bound, "{from} {length}: {largest} above {bound}");
                assert!(length > 1 || bound < largest + 1e-6, "{from}: {bound} far above the modulus");
            }
        }
    }
}

/// The same of sweeps: at the points, and between two of them.
#[test]
fn sweeps_hold_between_their_points() {
    for (factor, line) in examples() {
        let truth = moduli(&factor, &line, NODES);
        let decay = lists(&factor, &line);
        let Some(list) = decay.sweeps() else { panic!("a list") };
        for stride in [1u64, 2, 3, 11] {
            let mut squares = [0.0; BLOCK];
            for start in [1u64, 500, 777] {
                list.sweep(start, stride, &mut squares);
                for (i, pair) in squares.windows(2).enumerate() {
                    let from = start + i as u64 * stride;
                    let bound = list.log_between(pair[0].max(pair[1]), stride as f64);
                    for modulus in &truth[from as usize..=(from + stride) as usize] {
                        let log = modulus.clone().ln();
                        assert!(log <= bound, "{from} {stride}: {log} above {bound}");
                    }
                }
            }
        }
    }
}

/// What is left out among the nodes looked at, and beyond them, is no less than it is: by the values at many nodes.
#[test]
fn what_is_left_out_is_counted() {
    for (factor, line) in examples() {
        for (times, beyond) in [(9u64, -3.0), (40, -6.0), (41, -7.0)] {
            let scale = 30.0;
            let search = AlmostPeriodic {
                decays: vec![(lists(&factor, &line), times)],
                scale,
                beyond,
                most_nodes: 1 << 20,
                most_bounds: 1 << 24,
            };
            let selected = search.run(&Budget::default()).expect("few nodes");
            let truth = moduli(&factor, &line, NODES);
            let kept = |k: u64| selected.runs.iter().any(|&(first, count)| (first..first + count).contains(&k));
            let mut sum = Float::new(64);
            for k in (1..NODES as u64).filter(|k| !kept(*k)) {
                let power = Float::with_val_round(64, rug::ops::Pow::pow(&truth[k as usize], times), Down).0;
                let weight = (scale / (k as f64 * k as f64)).min(1.0).next_down();
                sum += Float::with_val_round(64, power * weight, Down).0;
            }
            assert!(selected.left_out >= sum, "{times}: {} below {sum}", selected.left_out);
            assert!(selected.left_out <= 3.0 * beyond.portable_exp(), "{times}: {} far above", selected.left_out);
        }
    }
}

/// A hat anywhere holds no more of an even power than the hat around node 0: on this the tail rests.
#[test]
fn hats_hold_no_more_than_the_first() {
    for (factor, line) in examples() {
        let truth = moduli(&factor, &line, NODES);
        let psi = |k: usize, times: u32| Float::with_val(64, rug::ops::Pow::pow(&truth[k], times));
        for times in [2u32, 8] {
            for half in [50usize, 400] {
                let hat = |centre: usize| {
                    let mut sum = psi(centre, times);
                    for k in 1..half {
                        let part = 1.0 - k as f64 / half as f64;
                        let below = if centre >= k { psi(centre - k, times) } else { psi(k - centre, times) };
                        sum += (below + psi(centre + k, times)) * part;
                    }
                    sum
                };
                let first = hat(0);
                for centre in (half..NODES - half).step_by(61) {
                    assert!(hat(centre) <= first, "{times} {half} {centre}");
                }
            }
        }
    }
}
