use rug::Rational;

use super::*;
use crate::divergence::{Divergence, Gaussian, Kind, composed};
use crate::mechanism::Composition;
use enclosure::Real;

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

pub(super) fn pair(text: &str) -> Pair {
    let composition: Composition = text.parse().expect("a composition");
    composition.single().expect("one mechanism").0.pair().expect("a pair")
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

fn get(pair: &Pair, of: &[Average], direction: Direction, bits: u32) -> Vec<Enclosure> {
    averages(pair, of, direction, bits, &Budget::default()).expect("averages").values
}

fn powers() -> Vec<Average> {
    (1..=5).map(Average::Power).collect()
}

fn overlap(a: &[Enclosure], b: &[Enclosure], about: &str) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!(a.overlaps(b), "{about}: {a:?} {b:?}");
        let wide = rug::Float::with_val(64, a.upper() - a.lower());
        assert!(wide < 1e-15, "{about}: {wide}");
    }
}

fn cubes(pair: &Pair, direction: Direction) -> Vec<Average> {
    let mean = get(pair, &[Average::Power(1)], direction, 160).remove(0);
    vec![Average::Cube(Enclosure::zero(160)), Average::Cube(mean)]
}

/// Closed forms against the integrals at rate 1.
#[test]
fn closed_forms_are_the_integrals() {
    for (numer, denom) in [(1, 1), (1, 50)] {
        let value = Real::from(Rational::from((numer, denom)));
        let normal = line::Normal { rate: Real::one(), mu: value.clone() };
        let laplace = line::Laplace { rate: Real::one(), shift: value.clone() };
        for (closed, law) in [
            (Pair::gaussian(value.clone()), &normal as &dyn line::Law),
            (Pair::laplace(value.clone()), &laplace as &dyn line::Law),
        ] {
            for direction in BOTH {
                let mut of = powers();
                of.extend(cubes(&closed, direction));
                let integral = line::averages(law, &of, direction, 60, &Budget::default()).expect("integrals");
                overlap(&integral, &get(&closed, &of, direction, 80), &format!("{closed:?} {direction:?}"));
            }
        }
    }
}

/// Moments of samples on panels are those by polynomials, whatever the rate and the noise.
#[test]
fn panels_have_the_moments_of_polynomials() {
    for (rate, mu) in [("1/100", "1"), ("9/10", "2"), ("1/3", "1/20"), ("99999/100000", "3/2"), ("1/10^9", "1/2")] {
        let law = line::Normal { rate: real(rate), mu: real(mu) };
        for direction in BOTH {
            for of in [powers(), vec![Average::Power(4), Average::Power(2)]] {
                let polynomials = line::averages(&law, &of, direction, 70, &Budget::default()).expect("integrals");
                let panels = line::normal(&law, &of, direction, 90, &Budget::default()).expect("integrals");
                overlap(&polynomials, &panels, &format!("{rate} {mu} {direction:?}"));
            }
        }
    }
}

/// The first moment of each family is the Kullback-Leibler divergence, which is computed elsewhere.
#[test]
fn means_are_divergences() {
    for text in [
        "gaussian(sigma=2)",
        "laplace(scale=1/3)",
        "discrete-gaussian(sigma2=3)",
        "discrete-gaussian(sigma2=1/2, sensitivity=3)",
        "geometric(epsilon=1/2, sensitivity=3)",
        "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])",
        "poisson(rate=1/100, gaussian(sigma=1))",
        "poisson(rate=9/10, gaussian(sigma=1/2))",
        "poisson(rate=1/10, laplace(scale=1/2))",
        "poisson(rate=1/10, discrete-gaussian(sigma2=2))",
        "poisson(rate=1/10, geometric(epsilon=1/2, sensitivity=3))",
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let kl = composed(Kind::KullbackLeibler, &composition).expect("a divergence");
        for direction in BOTH {
            let Ok(crate::curve::Value::Finite(known)) = kl.value(direction, 100, &Budget::default()) else {
                panic!("{text}")
            };
            let mean = get(&pair(text), &[Average::Power(1)], direction, 80);
            overlap(&mean, &[known.enclosure(100)], text);
        }
    }
}

/// A sample of discrete Gaussian noise is, of wide noise, near that of the continuous one, and a sample of a finite
/// pair is what is listed: here geometric noise, cut into a table of its own.
#[test]
fn averages_of_samples_by_hand() {
    // Masses by hand: x = e^epsilon = 3, rate 1/4: w = 3/2 and 5/6.
    let sample = pair("poisson(rate=1/4, randomized-response(epsilon=ln(3)))");
    let q = |n: i64, d: i64| Enclosure::rational(&Rational::from((n, d)), 120);
    let (up, down) = (q(3, 2).ln(), q(5, 6).ln());
    let of = [Average::Power(2), Average::Cube(q(1, 10)), Average::Affinity, Average::Midpoint, Average::Triangle];
    let expected = [
        q(3, 8) * up.square() + q(5, 8) * down.square(),
        q(3, 8) * (&up - &q(1, 10)).abs().pow(3) + q(5, 8) * (&down - &q(1, 10)).abs().pow(3),
        (q(3, 8) * q(1, 4)).sqrt() + (q(5, 8) * q(3, 4)).sqrt(),
        // 2p/(p+q)
        q(3, 8) * (q(6, 5)).ln() + q(5, 8) * (q(10, 11)).ln(),
        q(1, 64) / q(5, 8) + q(1, 64) / q(11, 8),
    ];
    overlap(&get(&sample, &of, Direction::Forward, 80), &expected, "a sample");
}

/// Other averages than moments, in both directions: they are the same number where they are symmetric.
#[test]
fn symmetric_averages_do_not_know_directions() {
    for text in [
        "gaussian(sigma=1)",
        "laplace(scale=1)",
        "poisson(rate=1/10, gaussian(sigma=1))",
        "poisson(rate=1/10, laplace(scale=1))",
        "poisson(rate=1/3, discrete-gaussian(sigma2=2))",
        "discrete-gaussian(sigma2=2)",
    ] {
        let of = [Average::Affinity, Average::Triangle];
        let [forward, backward] = BOTH.map(|direction| get(&pair(text), &of, direction, 80));
        overlap(&forward, &backward, text);
    }
}

/// Cumulants of samples by another program: in both directions, rate 0.0005, sigma 1.
#[test]
fn cumulants_of_a_sampled_gaussian() {
    let sample = pair("poisson(rate=0.0005, gaussian(sigma=1))");
    let near = |set: &Enclosure, printed: f64| {
        let value = set.upper().to_f64();
        assert!((value / printed - 1.0).abs() < 1e-7, "{value} {printed}");
        assert!(set.relative_bits().is_some_and(|bits| bits > 40), "{set:?}");
    };
    let budget = Budget::default();
    let backward = cumulants(&sample, 5, Direction::Backward, 60, &budget).expect("cumulants").expect("finite");
    for (set, printed) in
        backward.iter().zip([2.1420992e-7, 4.2784785e-7, -1.7111000e-9, 1.9330264e-11, -5.2788528e-13])
    {
        near(set, printed);
    }
    let forward = cumulants(&sample, 5, Direction::Forward, 60, &budget).expect("cumulants").expect("finite");
    for (set, printed) in forward.iter().zip([2.1449673e-7, 4.2956871e-7, 1.7306997e-9, 1.9874704e-11, 5.6169598e-13]) {
        near(set, printed);
    }
}

/// Of known laws: a normal loss, two points, none.
#[test]
fn cumulants_of_known_laws() {
    let budget = Budget::default();
    let of = |text: &str| cumulants(&pair(text), 5, Direction::Forward, 80, &budget).expect("cumulants");
    let normal = of("gaussian(sigma=1/2)").expect("finite");
    assert!(normal[0].contains(&Rational::from(2)) && normal[1].contains(&Rational::from(4)));
    assert!(normal[2..].iter().all(|c| c.contains(&Rational::new())));
    // Symmetric noise on the integers: odd cumulants vanish, the mean is D^2/(2s).
    let integers = of("discrete-gaussian(sigma2=2, sensitivity=3)").expect("finite");
    assert!(integers[0].contains(&Rational::from((9, 4))));
    assert!(integers[2].contains(&Rational::new()) && integers[4].contains(&Rational::new()));
    assert!(integers[3].compare(&Enclosure::zero(64)).is_some());
    // Two losses of one probability, ln 2 apart.
    let halves = of("finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])").expect("finite");
    let ln2 = Enclosure::integer(&rug::Integer::from(2), 120).ln();
    assert!(halves[1].overlaps(&ln2.square().shift(-2)) && halves[3].overlaps(&-ln2.pow(4).shift(-3)));
    assert!([2, 4].iter().all(|&j: &usize| *halves[j].lower() == 0 && *halves[j].upper() == 0));
    // epsilon (2B - 1) with B of probability 3/4.
    let response = of("randomized-response(epsilon=ln(3))").expect("finite");
    let p = Rational::from((3, 4));
    let v: Rational = &p * (1 - p.clone());
    let skew: Rational = &v * (1 - p.clone() * 2);
    let fourth: Rational = &v * (1 - v.clone() * 6);
    let fifth: Rational = &skew * (1 - v.clone() * 12);
    let step = Enclosure::integer(&rug::Integer::from(3), 120).ln().shift(1);
    for (j, c) in [(2, v), (3, skew), (4, fourth), (5, fifth)] {
        let expected = step.pow(j) * Enclosure::rational(&c, 120);
        assert!(response[j as usize - 1].overlaps(&expected), "{j}");
    }
    assert!(of("approx-dp(epsilon=1, delta=1/10)").is_none());
    assert!(of("gdp(mu=0)").expect("finite").iter().all(|c| c.contains(&Rational::new())));
    // Against the divergence: the derivative of the cumulant generating function at 0 is the mean.
    let kl = Gaussian(real("2")).kullback_leibler(Direction::Forward, 64, &budget).expect("kl");
    assert!(matches!(kl, crate::curve::Value::Finite(value) if value.enclosure(64).overlaps(&normal[0])));
}
