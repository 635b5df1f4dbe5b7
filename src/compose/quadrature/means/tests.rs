use super::one_sided::{Layout, Parts};
use super::overlap::tests::spoiled;
use super::*;
use crate::pair::{Outcome, Pair};

/// The pairs of a composition, and its losses with both masses, one by one.
type Listed = Vec<(Enclosure, Enclosure, Enclosure)>;

const BITS: u32 = 300;

fn response(epsilon: &Real) -> Pair {
    let response = crate::pair::Discrete::response(epsilon.clone(), Real::zero()).expect("a response");
    Pair::Discrete(response)
}

/// Compositions with few losses: on a lattice, on none, not symmetric, and with mass at infinity.
fn compositions() -> Vec<(&'static str, Vec<(Pair, u64)>)> {
    let root = Real::from(2u64).sqrt().expect("a root");
    let finite = |p: &[(i64, i64)], q: &[(i64, i64)]| {
        let all = |list: &[(i64, i64)]| list.iter().map(|x| Rational::from(*x)).collect::<Vec<_>>();
        Pair::finite(crate::pair::FinitePair::new(all(p), all(q)).expect("a pair"))
    };
    let one = finite(&[(1, 2), (1, 4), (1, 4)], &[(1, 3), (1, 3), (1, 3)]);
    let fails = finite(&[(1, 2), (1, 2), (0, 1)], &[(0, 1), (1, 8), (7, 8)]);
    vec![
        ("a lattice", vec![(response(&Real::one()), 3), (response(&Real::from(Rational::from((1, 2)))), 2)]),
        ("no lattice", vec![(response(&Real::one()), 2), (response(&root), 1)]),
        ("no symmetry", vec![(one.clone(), 3), (response(&root), 1)]),
        ("mass at infinity", vec![(fails, 1), (one, 2)]),
    ]
}

fn listed(pairs: &[(Pair, u64)]) -> Listed {
    let mut all: Listed = vec![(Enclosure::zero(BITS), Enclosure::one(BITS), Enclosure::one(BITS))];
    for (pair, times) in pairs {
        let Pair::Discrete(pair) = pair else { panic!("not listed") };
        let outcomes = pair.outcomes(BITS).expect("outcomes").finite;
        for _ in 0..*times {
            let mut next = Listed::new();
            for (loss, p, q) in &all {
                for Outcome { loss: more, p: own, q: other } in &outcomes {
                    next.push((loss + more, p * &own.enclosure(BITS), q * &other.enclosure(BITS)));
                }
            }
            all = next;
        }
    }
    all
}

fn sum(list: &Listed, of: impl Fn(&Enclosure, &Enclosure, &Enclosure) -> Enclosure) -> Enclosure {
    list.iter().fold(Enclosure::zero(BITS), |sum, (loss, p, q)| sum + of(loss, p, q))
}

fn means(pairs: &[(Pair, u64)]) -> Means {
    let product = Product::new(pairs.to_vec());
    let means = Means::of(&product, Direction::Forward, &Budget::default()).expect("factors");
    Means { list: None, ..means.expect("a moment generating function") }
}

fn overlap_of(list: &Listed, of: Overlap) -> Enclosure {
    sum(list, |_, p, q| {
        let both = p + q;
        match of {
            Overlap::Harmonic => (p * q).shift(1) / both,
            Overlap::Entropy => p * &(&both / p).ln() + q * &(&both / q).ln(),
        }
    })
}

fn cube(list: &Listed, centre: &Rational) -> ([Enclosure; 3], Enclosure) {
    let centre = Enclosure::rational(centre, BITS);
    let moments = [1, 2, 3].map(|j| sum(list, |loss, p, _| p * &(&centre - loss).pow(j)));
    (moments, sum(list, |loss, p, _| p * &(&centre - loss).positive_part().pow(3)))
}

fn square(list: &Listed) -> Enclosure {
    sum(list, |loss, p, _| p * &(-loss).positive_part().expm1().square())
}

/// Means under `sqrt(PQ)` are the sums over the outcomes.
#[test]
fn overlaps_are_sums_over_the_outcomes() {
    let budget = Budget::default();
    for (name, pairs) in compositions() {
        let (means, list) = (means(&pairs), listed(&pairs));
        for of in [Overlap::Harmonic, Overlap::Entropy] {
            for bits in [10, 60, 200] {
                let found = means.overlap(of, bits, &budget).expect(name);
                assert!(found.overlaps(&overlap_of(&list, of)), "{name} {of:?} {bits}: {found:?}");
                assert!(found.relative_bits() >= Some(i64::from(bits) - 3), "{name} {of:?} {bits}: {found:?}");
            }
        }
    }
}

/// What fails outright leaves so much less to both distributions.
#[test]
fn failures_shrink_the_overlap() {
    let (_, pairs) = compositions().remove(1);
    let half = Real::from(Rational::from((1, 2)));
    let failing = crate::pair::Discrete::response(Real::zero(), half).expect("a failure");
    let mut more = vec![(Pair::Gaussian { mu: Real::one() }, 1), (Pair::Discrete(failing), 2)];
    more.extend(pairs.clone());
    let budget = Budget::default();
    let with = means(&more).overlap(Overlap::Harmonic, 80, &budget).expect("a mean");
    more.remove(1);
    let without = means(&more).overlap(Overlap::Harmonic, 80, &budget).expect("a mean");
    assert!(with.shift(2).overlaps(&without), "{with:?} {without:?}");
}

/// Without the bound of its aliases, or of its nodes left out, a mean misses the truth.
#[test]
fn each_error_of_an_overlap_counts() {
    for (name, pairs) in compositions() {
        let (means, list) = (means(&pairs), listed(&pairs));
        for of in [Overlap::Harmonic, Overlap::Entropy] {
            let truth = overlap_of(&list, of);
            let ask = |size, with| spoiled(&means.factors, of, size, with);
            for size in [(12, 40), (12, 3), (60, 12)] {
                assert!(ask(size, (true, true)).overlaps(&truth), "{name} {of:?} {size:?}");
            }
            assert!(!ask((12, 40), (false, true)).overlaps(&truth), "{name} {of:?}: aliases");
            assert!(!ask((60, 12), (true, false)).overlaps(&truth), "{name} {of:?}: nodes");
        }
    }
}

/// Means over the losses below a point are the sums over them: on lattices, and by the kernel's fall alone.
#[test]
fn means_below_are_sums_over_the_losses() {
    let budget = Budget::default();
    for (name, pairs) in compositions().into_iter().take(3) {
        let (means, list) = (means(&pairs), listed(&pairs));
        let most = if means.is_lasting() { 40 } else { 100 };
        for centre in [(0, 1), (1, 3), (3, 2), (-2, 1)].map(Rational::from) {
            let (moments, truth) = cube(&list, &centre);
            for bits in [24, 32, most] {
                let found = means.below(&Below::Cube(moments.clone()), &centre, (0.0, bits), &budget).expect(name);
                assert!(found.overlaps(&truth), "{name} {centre} {bits}: {found:?} {truth:?}");
                assert!((found.upper() - found.lower().clone()) << bits < 4, "{name} {centre} {bits}: {found:?}");
            }
        }
        let found = means.below(&Below::Square, &Rational::new(), (0.0, 24), &budget).expect(name);
        assert!(found.overlaps(&square(&list)), "{name}: {found:?}");
        assert!((found.upper() - found.lower().clone()) << 24 < 4, "{name}: {found:?}");
    }
}

/// Few losses on no lattice are summed, in both directions.
#[test]
fn few_losses_are_summed() {
    let budget = Budget::default();
    for (name, pairs) in [compositions().remove(1), compositions().remove(2)] {
        for direction in [Direction::Forward, Direction::Backward] {
            let product = Product::new(pairs.clone());
            let means = Means::of(&product, direction, &budget).expect(name).expect(name);
            assert!(means.list.is_some() && !means.is_lasting(), "{name}");
            let mut list = listed(&pairs);
            if direction == Direction::Backward {
                list = list.into_iter().map(|(loss, p, q)| (-loss, q, p)).collect();
            }
            let third = Rational::from((1, 3));
            let (moments, truth) = cube(&list, &third);
            let found = means.below(&Below::Cube(moments), &third, (0.0, 150), &budget).expect(name);
            assert!(found.overlaps(&truth) && found.relative_bits() >= Some(150), "{name}: {found:?} {truth:?}");
            let found = means.below(&Below::Square, &Rational::new(), (0.0, 150), &budget).expect(name);
            assert!(found.overlaps(&square(&list)) && found.relative_bits() >= Some(150), "{name}: {found:?}");
        }
    }
}

/// A lattice is treated like losses on none, and both agree.
#[test]
fn lattices_are_no_different() {
    let (_, pairs) = compositions().remove(0);
    let (mut means, list) = (means(&pairs), listed(&pairs));
    means.span = None;
    for centre in [(0, 1), (1, 3)].map(Rational::from) {
        let (moments, truth) = cube(&list, &centre);
        let found = means.below(&Below::Cube(moments), &centre, (0.0, 32), &Budget::default()).expect("a mean");
        assert!(found.overlaps(&truth), "{centre}: {found:?} {truth:?}");
    }
}

/// The terms of the aliasing identity that Chernoff's bounds are of, from the list: those below, and those above.
fn aliases(list: &Listed, of: &Below, centre: &Rational, layout: &Layout) -> [Enclosure; 2] {
    let tilt = Enclosure::rational(layout.line.tilt(), BITS);
    let period = layout.line.period().enclosure(BITS);
    let centre = Enclosure::rational(centre, BITS);
    let mut both = [Enclosure::zero(BITS), Enclosure::zero(BITS)];
    for m in 1..60 {
        let away = period.mul_u32(m);
        let weight = (&tilt * &away).exp();
        let below = sum(list, |loss, p, _| {
            let t = (&centre - &away - loss).positive_part();
            p * &match of {
                Below::Cube(_) => t.pow(3),
                Below::Square => t.expm1().square(),
            }
        });
        let above = sum(list, |loss, p, _| {
            let t = (loss - &(&centre + &away)).positive_part();
            p * &match of {
                Below::Cube(_) => t.pow(3),
                Below::Square => (-t).expm1().square(),
            }
        });
        both[0] = &both[0] + &(below / weight.clone());
        both[1] = &both[1] + &(above * weight);
    }
    both
}

/// With a period that is far too short, the identity holds to the last digit: what is known of the aliases is what it
/// is, what is not is within its bounds, and without either the truth is missed.
#[test]
fn each_alias_of_a_mean_counts() {
    let budget = Budget::default();
    for (name, pairs) in compositions().into_iter().take(3) {
        let (means, list) = (means(&pairs), listed(&pairs));
        let third = Rational::from((1, 3));
        let (moments, cube) = cube(&list, &third);
        for (of, centre, truth) in
            [(Below::Cube(moments), third, cube), (Below::Square, Rational::new(), square(&list))]
        {
            let line = Line { factors: &means.factors, span: means.span.as_ref(), of: &of, centre: &centre };
            let mut plan = super::plan::plan(&means.factors, &of, centre.to_f64(), -9.0).expect(name);
            plan.period /= 3.0;
            let layout = line.layout(&plan).expect(name);
            let Parts { sum, left_out, known, unknown } = line.parts(&plan, &layout, &budget).expect(name);
            let found = sum.widen(&left_out) - &known;
            let [below, above] = aliases(&list, &of, &centre, &layout);
            for (alias, bound) in [&below, &above].into_iter().zip(&unknown) {
                assert!(alias.upper() <= bound.upper() && *bound.lower() == 0, "{name} {of:?}: {alias:?} {bound:?}");
            }
            assert!(*below.lower() > 0 && *above.lower() > 0, "{name} {of:?}: {below:?} {above:?}");
            let without = &found - &below;
            let all = match of {
                Below::Cube(_) => &without - &above,
                Below::Square => &without + &above,
            };
            assert!(all.overlaps(&truth), "{name} {of:?}: {all:?} {truth:?}");
            for missing in [&found, &without, &(&all + &below), &(&all + &known)] {
                assert!(!missing.overlaps(&truth), "{name} {of:?}: {missing:?} {truth:?}");
            }
        }
    }
}

/// What nodes left out come to is needed, and enough.
#[test]
fn nodes_left_out_of_a_mean_count() {
    let budget = Budget::default();
    let (_, pairs) = compositions().remove(1);
    let (means, list) = (means(&pairs), listed(&pairs));
    let third = Rational::from((1, 3));
    let (moments, cube) = cube(&list, &third);
    for (of, centre, truth) in [(Below::Cube(moments), third, cube), (Below::Square, Rational::new(), square(&list))] {
        let line = Line { factors: &means.factors, span: None, of: &of, centre: &centre };
        for target in [-2.0, -5.0, -8.0] {
            // A period for far more digits than the nodes are for.
            let fine = super::plan::plan(&means.factors, &of, centre.to_f64(), -12.0).expect("a plan");
            let layout = line.layout(&fine).expect("a layout");
            let plan = super::plan::Plan { target, ..fine };
            let Parts { sum, left_out, known, .. } = line.parts(&plan, &layout, &budget).expect("parts");
            let [below, above] = aliases(&list, &of, &centre, &layout);
            let exact = match of {
                Below::Cube(_) => &sum - &known - below - above,
                Below::Square => &sum - &known - below + above,
            };
            assert!(left_out > 0, "{of:?} {target}");
            assert!(exact.widen(&left_out).overlaps(&truth), "{of:?} {target}: {exact:?} {truth:?} {left_out}");
            assert!(!exact.overlaps(&truth), "{of:?} {target}: {exact:?} {truth:?}");
        }
    }
}

/// A line of one's own is on the right side of the poles, or refused.
#[test]
fn lines_are_left_of_the_poles() {
    let (_, pairs) = compositions().remove(1);
    let means = means(&pairs);
    let centre = Rational::new();
    let line = Line { factors: &means.factors, span: None, of: &Below::Square, centre: &centre };
    let plan = super::plan::plan(&means.factors, &Below::Square, 0.0, -6.0).expect("a plan");
    assert!(line.layout(&plan).is_some_and(|layout: Layout| *layout.line.tilt() < -2));
    for tilt in [-2.0, -1.5, 1.0] {
        assert!(line.layout(&super::plan::Plan { tilt, ..plan.clone() }).is_none(), "{tilt}");
    }
}
