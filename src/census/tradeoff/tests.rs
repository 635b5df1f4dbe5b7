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
        let thresholds = Thresholds { pair, points: 49, reach: Some(Rational::from(3)), digits: 20 };
        // eta = 1/2 and rho = times/4, so L = times/2.
        for Vertex { zeta, alpha, beta } in vertices(&paths, &thresholds, &budget, |_| ()).expect("vertices") {
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
    let thresholds = Thresholds { pair: (1, 1), points: 9, reach: Some(Rational::from(2)), digits: 20 };
    for vertex in vertices(&paths, &thresholds, &budget, |_| ()).expect("vertices") {
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
    let divisor = |a: (u32, u32), b: (u32, u32)| common_divisor([&Rational::from(a), &Rational::from(b)]);
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

/// What the quadrature knows of tails is what the profile says: the same vertices by both ways.
#[test]
fn both_ways_to_a_tail_agree() {
    struct ByProfile<'a>(&'a dyn Curve);
    impl Curve for ByProfile<'_> {
        fn symmetric(&self) -> bool {
            self.0.symmetric()
        }
        fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
            self.0.delta(epsilon, direction, bits, budget)
        }
        fn epsilon(&self, _: &Real, _: Direction, _: u32, _: &Budget) -> Result<crate::curve::Value, Error> {
            unreachable!("nobody asks")
        }
        fn beta(&self, _: &Real, _: Direction, _: u32, _: &Budget) -> Result<Number, Error> {
            unreachable!("nobody asks")
        }
        fn method(&self) -> &'static str {
            ""
        }
        fn statement(&self) -> &'static crate::statement::Statement {
            self.0.statement()
        }
    }
    let text = "path,level,row,rho\n1,US,1,1/2\n1,US,2,1/3\n1,State,1,3/10\n2,US,1,1/2\n";
    let paths = Paths::parse(text).expect("paths");
    let budget = Budget::default();
    for pair in [(1, 1), (1, 2)] {
        let composition = paths.composition(pair).expect("a composition");
        let curve = compose::curve(&composition, Method::Quadrature, &budget).expect("a curve");
        let lattice = Lattice::new(&paths, pair).expect("a lattice");
        let tails = |curve| Tails { curve, lattice: &lattice, digits: 25, budget: &budget };
        let by_profile = ByProfile(curve.as_ref());
        for j in [1, 2, 3, 10, 17, 64, 200] {
            let j = Integer::from(j);
            let loss = lattice.loss(&Integer::from(&j - 1u32)).neg();
            let direct = curve.below(&loss, Direction::Forward, 100, &budget).expect("a number");
            assert!(direct.is_some(), "{pair:?} {j}");
            let tail = |curve| tails(curve).at(&j).expect("a number").enclosure(150);
            let (direct, slow) = (tail(curve.as_ref()), tail(&by_profile));
            assert!(direct.overlaps(&slow), "{pair:?} {j}: {direct:?} {slow:?}");
            assert!(direct.relative_bits() > Some(80) && slow.relative_bits() > Some(80), "{pair:?} {j}");
        }
        // A point between two losses is none.
        let between = Real::from(Rational::from(&lattice.eta / 2u32)).add(&lattice.loss(&Integer::from(3)));
        assert!(curve.below(&between, Direction::Forward, 100, &budget).is_ok_and(|tail| tail.is_none()));
    }
}
