//! The vertices against sums over the lattice in interval arithmetic, term by term.

use super::*;

/// Two paths of equal rows with an odd and an even number of queries between them.
const PATHS: &str = "path,level,row,rho\n1,US,1,1/2\n1,US,2,1/2\n2,US,1,1/2\n";

/// The probabilities of N_Z(0, 2) from -40 to 40, convolved `times` times: `(offset, values)`.
fn convolved(times: usize) -> (i64, Vec<Enclosure>) {
    const BITS: u32 = 300;
    const REACH: i64 = 40;
    let weight = |x: i64| Enclosure::rational(&Rational::from((-x * x, 4)), BITS).exp();
    let weights: Vec<Enclosure> = (-REACH..=REACH).map(weight).collect();
    let total = weights.iter().fold(Enclosure::zero(BITS), |sum, weight| sum + weight);
    let single: Vec<Enclosure> = weights.iter().map(|weight| weight / &total).collect();
    let mut law = vec![Enclosure::one(BITS)];
    for _ in 0..times {
        let mut next = vec![Enclosure::zero(BITS); law.len() + single.len() - 1];
        for (i, a) in law.iter().enumerate() {
            for (j, b) in single.iter().enumerate() {
                next[i + j] = &next[i + j] + &(a * b);
            }
        }
        law = next;
    }
    (-REACH * times as i64, law)
}

#[test]
fn vertices_are_tails_of_the_lattice() {
    let paths = Paths::parse(PATHS).expect("paths");
    for (pair, times) in [((1, 1), 4_usize), ((1, 2), 3), ((2, 2), 2)] {
        let (offset, law) = convolved(times);
        // P0(J >= from), up to what lies beyond forty on each query: less than 1e-170.
        let tail = |from: i64| {
            let skip = usize::try_from((from - offset).max(0)).expect("an index");
            law.iter().skip(skip).fold(Enclosure::zero(300), |sum, p| sum + p)
        };
        let lost = Float::with_val(64, Float::parse("1e-160").expect("a float"));
        let budget = Budget::default();
        let reach = Some(Rational::from(3));
        // eta = 1/2 and rho = times/4, so L = times/2.
        for Vertex { zeta, alpha, beta } in vertices(&paths, pair, 49, reach, 20, &budget, || ()).expect("vertices") {
            let length = Rational::from((times as u64, 2));
            let from = Rational::from(&length * &Rational::from(&zeta + 1)).ceil().numer().to_i64().expect("small");
            let missed = Enclosure::one(300) - tail(from - times as i64);
            assert!(alpha.enclosure(300).overlaps(&tail(from).widen(&lost)), "{pair:?} {zeta}: {alpha:?}");
            assert!(beta.enclosure(300).overlaps(&missed.widen(&lost)), "{pair:?} {zeta}: {beta:?}");
            assert!(alpha.enclosure(300).relative_bits() > Some(66), "{pair:?} {zeta}: {alpha:?}");
            assert!(beta.enclosure(300).relative_bits() > Some(66), "{pair:?} {zeta}: {beta:?}");
        }
    }
}

/// Each vertex lies on the trade-off function that the engine computes by itself.
#[test]
fn vertices_lie_on_the_curve() {
    let paths = Paths::parse(PATHS).expect("paths");
    let budget = Budget::default();
    let curve =
        compose::curve(&paths.composition((1, 1)).expect("a composition"), Method::Auto, &budget).expect("a curve");
    for vertex in vertices(&paths, (1, 1), 9, Some(Rational::from(2)), 20, &budget, || ()).expect("vertices") {
        // Just inside the vertex on either side.
        let set = vertex.alpha.enclosure(100);
        for end in [set.lower(), set.upper()] {
            let alpha = Real::from(end.to_rational().expect("a number"));
            let beta = curve.beta(&alpha, Direction::Forward, 120, &budget).expect("a number").enclosure(120);
            // beta changes by less than e^4 per unit of alpha here.
            let slack = Float::with_val(64, Float::with_val(64, set.upper() - set.lower()) * 60);
            assert!(beta.overlaps(&vertex.beta.enclosure(120).widen(&slack)), "{}", vertex.zeta);
        }
    }
}

#[test]
fn common_divisors() {
    let divisor = |a: (u32, u32), b: (u32, u32)| common_divisor(&Rational::from(a), &Rational::from(b));
    assert_eq!(divisor((1, 2), (1, 3)), Rational::from((1, 6)));
    assert_eq!(divisor((73, 10000), (73, 2500)), Rational::from((73, 10000)));
    assert_eq!(divisor((0, 1), (3, 4)), Rational::from((3, 4)));
}

/// The reach of the published curves of a short and of a long lattice.
#[test]
fn published_reaches() {
    assert_eq!(published_reach(&Rational::from(49622)), 7);
    assert_eq!(published_reach(&Rational::from(2_580_344)), 6);
}
