//! The law of the online simulator, by simulation.
//!
//! Given all answers before it, `W_i` is to be `N(b m_i, 1)`, also where m_i is chosen by those answers: so the
//! `Z_i = W_i - b m_i` are independent standard normals. Each of their combinations with coefficients of norm 1 is held
//! against Phi by the Dvoretzky-Kiefer-Wolfowitz inequality (Massart 1990), `P(sup |F_n - Phi| > t) <= 2 e^(-2 n t^2)`,
//! which holds for every n: with `t = sqrt(ln(2/p)/(2n))` a right simulator is rejected with probability at most p.
//! There are 2 values of b and 9 combinations of each, with `p = 1e-9`: the false alarm of all together is below 2e-8,
//! and as the seed is fixed, it rings always or never. (Doubles move each draw by less than 1e-12, hence `F_n - Phi` by
//! less than 1e-12, which is added to t.)

use std::collections::HashMap;

use dpcert::internals::simulator::as_printed;
use dpcert::{Real, Simulator, SimulatorRow};
use rug::Rational;

/// Draws of one combination.
const DRAWS: usize = 100_000;

/// The probability of a false alarm of one comparison.
const ALARM: f64 = 1e-9;

/// SplitMix64, and normals by Box and Muller.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let (radius, turn) = (1.0 - self.unit(), self.unit());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
    }
}

/// Three mechanisms: each asks for more after an answer above 1/4 than after one below.
fn share(previous: Option<f64>) -> Rational {
    match previous {
        Some(answer) if answer > 0.25 => Rational::from((7, 16)),
        Some(_) => Rational::from((1, 9)),
        None => Rational::from((1, 8)),
    }
}

/// The rows of a path, by the exact recursion or as the footnote prints it; each path is computed once.
#[derive(Default)]
struct Paths(HashMap<Vec<Rational>, SimulatorRow>);

impl Paths {
    fn row(&mut self, path: &[Rational], printed: bool) -> &SimulatorRow {
        self.0.entry(path.to_vec()).or_insert_with(|| {
            let mut simulator = Simulator::new(&Real::one()).expect("a budget");
            let mut next = |share: &Rational| {
                let mu = Real::from(share.clone()).sqrt().expect("a root");
                simulator.next(&mu).expect("within the budget")
            };
            let rows: Vec<SimulatorRow> = path.iter().map(&mut next).collect();
            let mut rows = if printed { as_printed(&rows).expect("no zero") } else { rows };
            rows.pop().expect("a row")
        })
    }
}

/// `Z_1, Z_2, Z_3` of many runs.
fn residues(b: f64, printed: bool, seed: u64) -> Vec<[f64; 3]> {
    let (mut random, mut paths) = (Random(seed), Paths::default());
    (0..DRAWS)
        .map(|_| {
            let first = b + random.normal();
            let (mut path, mut normals, mut previous) = (Vec::new(), Vec::new(), None);
            [0, 1, 2].map(|_| {
                path.push(share(previous));
                normals.push(random.normal());
                let row = paths.row(&path, printed);
                let answer = row.answer(first, &normals);
                previous = Some(answer);
                answer - b * row.share().lower_f64().sqrt()
            })
        })
        .collect()
}

/// `sup |F_n - Phi|`.
fn distance(mut draws: Vec<f64>) -> f64 {
    draws.sort_by(f64::total_cmp);
    let n = draws.len() as f64;
    let gap = |(i, z): (usize, &f64)| {
        let phi = 0.5 * libm::erfc(-z / std::f64::consts::SQRT_2);
        (phi - i as f64 / n).abs().max((phi - (i + 1) as f64 / n).abs())
    };
    draws.iter().enumerate().map(gap).fold(0.0, f64::max)
}

/// The distances of all combinations.
fn distances(b: f64, printed: bool) -> Vec<f64> {
    let (half, third) = (0.5_f64.sqrt(), (1.0_f64 / 3.0).sqrt());
    let combinations = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [half, half, 0.0],
        [half, -half, 0.0],
        [half, 0.0, half],
        [0.0, half, half],
        [0.0, half, -half],
        [third, third, third],
    ];
    let draws = residues(b, printed, 20_221_122);
    combinations
        .iter()
        .map(|c| distance(draws.iter().map(|z| z.iter().zip(c).map(|(z, c)| z * c).sum()).collect()))
        .collect()
}

fn threshold() -> f64 {
    ((2.0 / ALARM).ln() / (2.0 * DRAWS as f64)).sqrt() + 1e-12
}

#[test]
fn the_simulator_answers_like_independent_mechanisms() {
    for b in [0.0, 1.0] {
        for (i, distance) in distances(b, false).into_iter().enumerate() {
            assert!(distance <= threshold(), "b = {b}, combination {i}: {distance} > {}", threshold());
        }
    }
}

/// The test is able to see what the footnote's misprint does.
#[test]
fn the_printed_recursion_is_found_out() {
    let found = distances(0.0, true).into_iter().filter(|distance| *distance > threshold()).count();
    assert!(found >= 3, "{found}");
}
