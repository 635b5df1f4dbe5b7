//! Against integrals by other panels at 60 digits, and each bound against values.

use rug::{Float, Rational};

use super::fall::Fall;
use super::*;
use enclosure::{Complex, Portable};

/// `(noise, half, rate, mu or l, tilt, period, k, re, im)`.
type Row = (char, Half, &'static str, &'static str, &'static str, &'static str, u64, &'static str, &'static str);
const VALUES: &[Row] = &[
    ('g', Half::Right, "0.01", "1", "6.5", "25", 0, "1.007426881789695840539179169258774449951", "0.0"),
    (
        'g',
        Half::Right,
        "0.01",
        "1",
        "6.5",
        "25",
        157,
        "0.8811557229947043792486224807689125949321",
        "0.02787247812171648670297979786062965195332",
    ),
    (
        'g',
        Half::Right,
        "0.3",
        "2",
        "-4.25",
        "12",
        5,
        "-68.43007949278016278603364417193119229389",
        "6635.859786301923709965724714208944085727",
    ),
    ('g', Half::Right, "0.5", "0.25", "-0.5", "3", 20, "0.05635555783973105897326821529909739238620", "0.0"),
    (
        'g',
        Half::Right,
        "0.001",
        "2",
        "40",
        "10",
        3,
        "-2.472609956018935294798286699389251778162e+1298",
        "-4.343162855389666690232083913398825930422e+1297",
    ),
    (
        'g',
        Half::Right,
        "0.9",
        "0.5",
        "0.75",
        "8",
        40,
        "0.02003688833262623637510522335478563962440",
        "0.00002412859270231643879158371921485125432244",
    ),
    (
        'g',
        Half::Right,
        "1e-6",
        "1",
        "3",
        "1",
        2,
        "0.9999999997866323975280991187909541178923",
        "0.0000000001286294455007202701695370745137345786878",
    ),
    (
        'l',
        Half::Right,
        "0.01",
        "1",
        "6.5",
        "25",
        157,
        "0.9098560665227300655043635838022271891703",
        "0.03172940473894721744470209828352434867137",
    ),
    (
        'l',
        Half::Right,
        "0.3",
        "2",
        "-4.25",
        "12",
        9,
        "2.114480634980356155557329389589884274496",
        "6.600156117463528154041698876758893740517",
    ),
    (
        'l',
        Half::Right,
        "0.5",
        "5",
        "0.25",
        "20",
        40,
        "-0.07968883482519325163162787867912740276192",
        "-0.5099702861975011607281356462876092252859",
    ),
    ('g', Half::Left, "0.1", "1", "6.5", "5", 0, "1.128345457620333385367321648544293434239", "0.0"),
    (
        'g',
        Half::Left,
        "0.1",
        "1",
        "6.5",
        "5",
        50,
        "-0.1380907706357495411778460223154896616968",
        "-0.2912632844034393553356028209198645713913",
    ),
    (
        'g',
        Half::Left,
        "0.3",
        "2",
        "-4.25",
        "12",
        5,
        "1.193501667504822833428023485444722821046",
        "-1.193759539188322184361532667380713646920",
    ),
    (
        'g',
        Half::Left,
        "0.9",
        "0.5",
        "40",
        "3",
        7,
        "-62162407439852810389406232.96497829517670",
        "-30034865247246200904837592.82833644467970",
    ),
    ('g', Half::Left, "0.5", "3", "-0.5", "2", 4, "-0.6470595550970963925421442368601328421870", "0.0"),
    (
        'l',
        Half::Left,
        "0.1",
        "1",
        "6.5",
        "5",
        60,
        "0.2281086544230792901105005949110434093384",
        "-0.4623250112231274758603674448589072081302",
    ),
    (
        'l',
        Half::Left,
        "0.3",
        "2",
        "-4.25",
        "12",
        9,
        "0.2696047830425012794209245787012452125885",
        "-1.338934597111536389321673701413187874198",
    ),
    (
        'l',
        Half::Left,
        "0.9",
        "0.25",
        "25",
        "4",
        12,
        "-66.90490130963328193092249406459985115369",
        "-112.0088212777493374433185110300477434606",
    ),
];

fn real(text: &str) -> Real {
    Real::parse(text).unwrap()
}

/// The decimal and its neighbours one unit in the 37th place.
fn printed(text: &str) -> Enclosure {
    let value = real(text).enclosure(200);
    let unit = value.abs().upper().clone() * Float::with_val(200, 1e-37);
    value.widen(&unit)
}

fn factor(noise: char, half: Half, rate: &str, size: &str) -> Mirrored {
    let pair = match noise {
        'g' => Pair::Gaussian { mu: real(size) },
        _ => Pair::Laplace { shift: real(size) },
    };
    Mirrored::new(&real(rate), &pair, half, 1).unwrap().unwrap()
}

fn line_at(tilt: &str, period: &str) -> VerticalContour {
    VerticalContour::new(real(tilt).as_rational().unwrap().clone(), real(period))
}

/// A double next to the logarithm of a moment.
fn assert_near(searched: f64, moment: &Enclosure, what: &str) {
    let searched = Float::with_val(64, searched);
    let near = Enclosure::new(searched.clone(), searched.clone()).widen(&(searched.abs() * 1e-6 + 1e-7));
    assert!(near.overlaps(&moment.ln()), "{what}: {near:?} {:?}", moment.ln());
}

#[test]
fn values_and_bounds_on_lines() {
    let budget = Budget::default();
    for &(noise, half, rate, size, tilt, period, k, re, im) in VALUES {
        let what = format!("{noise} {half:?} {rate} {size} {tilt} {k}");
        let factor = factor(noise, half, rate, size);
        let line = line_at(tilt, period);
        let moment = factor.moment(line.tilt(), 200, &budget).unwrap();
        assert!(moment.relative_bits().unwrap() > 190, "{what}: {moment:?}");
        assert_near(factor.log_moment(line.tilt().to_f64()), &moment, &what);
        let mirrored = factor.moment(&(-Rational::from(line.tilt() + 1u32)), 150, &budget).unwrap();
        assert!(mirrored.overlaps(&moment), "{what}");
        let fall = Fall::new(&factor, &line, &budget).unwrap();
        for bits in [60, 150, 350] {
            let direct = factor.on(&line, bits, &budget).unwrap().run(k, 1, &budget).unwrap();
            let list = factor.on(&line, bits, &budget).unwrap().run(0, k as usize + 1, &budget).unwrap();
            for value in [&direct[0], &list[k as usize]] {
                assert!(value.re().overlaps(&printed(re)), "{what} {bits}: {value:?}");
                assert!(value.im().overlaps(&printed(im)), "{what} {bits}: {value:?}");
                let narrow = Float::with_val(64, moment.lower() * 4u32) >> bits;
                assert!(value.radius() <= narrow, "{what} {bits}: {value:?}");
            }
            assert!(list[0].re().overlaps(&moment));
            bounds_hold(&fall, &list, &moment, &what);
        }
    }
}

/// The bounds of a line at its first nodes, of values on it.
fn bounds_hold(fall: &Fall, list: &[Complex], moment: &Enclosure, what: &str) {
    let budget = Budget::default();
    for (j, value) in (0u64..).zip(list) {
        let least = Float::with_val(400, value.centre().0.hypot_ref(value.centre().1)) - value.radius();
        let size = (Enclosure::new(least.clone(), least) / moment).positive_part().ln();
        let ranges = [(j, j), (j / 2, j), (j, u64::MAX), (j / 3, u64::MAX)];
        let ranges = ranges.map(|(from, to)| fall.log_bound(from, to, &budget).unwrap());
        let each = fall.each(j);
        for bound in ranges.into_iter().chain(each).chain([fall.falling(j, &budget).unwrap()]) {
            assert!(*size.lower() <= bound, "{what} {j}: {size:?} {bound}");
        }
    }
}

/// Bounds without a look at values hold at all nodes, and are not far above them: of the spread where the modulus has
/// fallen a little, of the cut far out.
#[test]
fn bounds_that_fall_are_near() {
    let budget = Budget::default();
    for (noise, half, rate, size, tilt) in [
        ('g', Half::Right, "0.01", "1", "0.5"),
        ('g', Half::Right, "0.001", "2", "-0.5"),
        ('g', Half::Right, "0.2", "3", "1.5"),
        ('g', Half::Right, "0.9", "0.5", "8"),
        ('l', Half::Right, "0.01", "1", "0.5"),
        ('l', Half::Right, "0.4", "3", "-2"),
    ] {
        let what = format!("{noise} {half:?} {rate} {size} {tilt}");
        let factor = factor(noise, half, rate, size);
        for period in ["5", "50"] {
            let line = line_at(tilt, period);
            let moment = factor.moment(line.tilt(), 64, &budget).unwrap();
            let fall = Fall::new(&factor, &line, &budget).unwrap();
            let list = factor.on(&line, 50, &budget).unwrap().run(0, 200, &budget).unwrap();
            bounds_hold(&fall, &list, &moment, &what);
            let [cut, spread, _] = fall.each(1 << 40);
            let atoms = factor.atoms(line.tilt(), 64, &budget).unwrap();
            let all: f64 = atoms.iter().map(|(mass, _)| (mass / &moment).upper().to_f64()).sum();
            assert!(
                (cut - all.portable_ln()).abs() < 1e-3 && spread < 0.0,
                "{what}: {cut} {} {spread}",
                all.portable_ln()
            );
            if noise == 'g' && rate.starts_with("0.0") && period == "50" {
                let told = (1..200u64).filter(|k| fall.each(*k)[1] < -1e-4).min();
                let truth = list.iter().skip(1).position(|value| {
                    (Enclosure::new(value.modulus_upper(), value.modulus_upper()) / &moment).ln().upper().to_f64()
                        < -1e-4
                });
                let (Some(told), Some(truth)) = (told, truth) else { panic!("{what}: {told:?} {truth:?}") };
                assert!(told <= 12 * (truth as u64 + 1), "{what}: {told} {truth}");
            }
        }
    }
}

/// The same without an atom at 0: a cut at the first nodes from where it says something, and a uniform part before
/// that, are not far above what happens.
#[test]
fn bounds_of_the_larger_one_fall() {
    let budget = Budget::default();
    for (noise, rate, size, tilt) in [
        ('g', "0.1", "1", "0.5"),
        ('g', "0.001", "2", "-0.5"),
        ('g', "0.9", "0.5", "8"),
        ('g', "0.3", "4", "60"),
        ('l', "0.1", "1", "0.5"),
        ('l', "0.4", "3", "-20"),
    ] {
        let what = format!("{noise} {rate} {size} {tilt}");
        let factor = factor(noise, Half::Left, rate, size);
        for period in ["1/2", "5"] {
            let line = line_at(tilt, period);
            let moment = factor.moment(line.tilt(), 64, &budget).unwrap();
            let fall = Fall::new(&factor, &line, &budget).unwrap();
            let list = factor.on(&line, 50, &budget).unwrap().run(0, 200, &budget).unwrap();
            bounds_hold(&fall, &list, &moment, &what);
            let [cut, spread, plain] = fall.each(1 << 40);
            assert!(spread == 0.0 && plain < -1e-3, "{what}: {plain}");
            if noise == 'g' {
                // Without atoms it falls like 1/u.
                let [near, _, _] = fall.each(1 << 39);
                assert!(cut < -12.0 && (near - cut - std::f64::consts::LN_2).abs() < 1e-3, "{what}: {near} {cut}");
            } else {
                let atoms = factor.atoms(line.tilt(), 64, &budget).unwrap();
                let all: f64 = atoms.iter().map(|(mass, _)| (mass / &moment).upper().to_f64()).sum();
                assert!((cut - all.portable_ln()).abs() < 1e-3, "{what}: {cut} {}", all.portable_ln());
            }
        }
    }
}

/// Moments by other panels, between which nothing is shared but the integrand; and the search in doubles.
#[test]
fn moments_are_the_same_on_other_panels() {
    let budget = Budget::default();
    for (noise, half, rate, size) in [
        ('g', Half::Right, "0.01", "2"),
        ('g', Half::Right, "0.5", "0.3"),
        ('g', Half::Right, "1e-4", "1"),
        ('l', Half::Right, "0.1", "1"),
        ('l', Half::Right, "0.7", "4"),
        ('g', Half::Left, "0.01", "2"),
        ('g', Half::Left, "0.6", "0.3"),
        ('g', Half::Left, "0.9", "3"),
        ('l', Half::Left, "0.1", "1"),
        ('l', Half::Left, "0.7", "4"),
    ] {
        let factor = factor(noise, half, rate, size);
        for tilt in ["-30", "-7", "-1.01", "-0.75", "-1/4", "1/3", "2", "9", "25", "60"] {
            let c = real(tilt).as_rational().unwrap().clone();
            let what = format!("{noise} {half:?} {rate} {size} {tilt}");
            let [few, many] = [40, 300].map(|bits| factor.moment(&c, bits, &budget).unwrap());
            assert!(few.overlaps(&many), "{what}: {few:?} {many:?}");
            assert!(few.relative_bits() > Some(36) && many.relative_bits() > Some(290), "{what}: {few:?} {many:?}");
            assert_near(factor.log_moment(c.to_f64()), &many, &what);
        }
    }
}

/// All of it is a probability law: atoms and integral come to one where the power is none.
#[test]
fn the_masses_are_one() {
    let budget = Budget::default();
    let zero = Rational::new();
    for (noise, half, rate, size) in [
        ('g', Half::Right, "0.01", "1"),
        ('g', Half::Right, "0.5", "7"),
        ('l', Half::Right, "0.3", "2"),
        ('g', Half::Left, "0.01", "1"),
        ('g', Half::Left, "0.5", "7"),
        ('l', Half::Left, "0.3", "2"),
    ] {
        let factor = factor(noise, half, rate, size);
        let layout = factor.layout(0.0, search::nats(120), 0.0).unwrap();
        let nodes = factor.nodes(&layout, &zero, (120, 0.0), &Enclosure::zero(64), &budget).unwrap();
        let mut sum = Enclosure::zero(140);
        for modulus in nodes.list.iter().flat_map(|node| &node.moduli) {
            sum = &sum + modulus;
        }
        for (mass, _) in factor.atoms(&zero, 140, &budget).unwrap() {
            sum = &sum + &mass;
        }
        let sum = sum.widen(&nodes.error);
        assert!(sum.contains(&Rational::from(1)) && sum.relative_bits() > Some(110), "{noise} {rate}: {sum:?}");
    }
}

/// What is said of a rule's error is not smaller than it is, with so few nodes that it matters; the same of a tail
/// that is cut off early.
#[test]
fn the_errors_of_the_rule_are_no_smaller_than_told() {
    let budget = Budget::default();
    for (noise, half, rate, size, tilt) in [
        ('g', Half::Right, "0.1", "1", "3"),
        ('g', Half::Right, "0.3", "2", "-2.5"),
        ('l', Half::Right, "0.2", "3", "4"),
        ('g', Half::Left, "0.1", "1", "30"),
        ('l', Half::Left, "0.4", "3", "40"),
    ] {
        let factor = factor(noise, half, rate, size);
        let c = real(tilt).as_rational().unwrap().clone();
        let truth = factor.moment(&c, 200, &budget).unwrap();
        let layout = factor.layout(c.to_f64(), 40.0, 0.0).unwrap();
        let sum = |layout: &search::Layout| {
            let nodes = factor.nodes(layout, &c, (150, 0.0), &Enclosure::zero(64), &budget).unwrap();
            let mut sum = Enclosure::zero(180);
            for modulus in nodes.list.iter().flat_map(|node| &node.moduli) {
                sum = &sum + modulus;
            }
            for (mass, _) in factor.atoms(&c, 180, &budget).unwrap() {
                sum = &sum + &mass;
            }
            (sum, nodes.error)
        };
        for nodes in [2, 4, 8, 12] {
            let (value, error) = sum(&search::Layout { nodes, ..layout });
            assert!(value.widen(&error).overlaps(&truth), "{noise} {rate} {nodes}: {value:?} {error} {truth:?}");
        }
        if noise == 'g' && half == Half::Left {
            for more in [0.0, 0.5, 1.0, 2.0] {
                let outer = -factor.size * (0.5 * factor.size + more);
                let (value, error) = sum(&search::Layout { outer, nodes: 40, panels: 40, ..layout });
                let missing = Enclosure::new(error.clone(), error.clone());
                assert!(value.widen(&error).overlaps(&truth), "{rate} {more}: {value:?} {error} {truth:?}");
                let gap = &truth - &value;
                assert!((&gap.mul_u32(40) - &missing).sign() == Some(std::cmp::Ordering::Greater), "{rate} {more}");
            }
            let early = search::Layout { outer: -0.4 * factor.size.powi(2), nodes: 40, panels: 40, ..layout };
            assert!(factor.nodes(&early, &c, (150, 0.0), &Enclosure::zero(64), &budget).is_err());
        }
        if noise == 'g' && half == Half::Right {
            let least = factor.size * factor.size * ((1.0 + c.to_f64()).max(-c.to_f64()) - 0.5);
            for more in [1e-6, 0.5, 1.0, 2.0] {
                let (value, error) = sum(&search::Layout { outer: least + more, nodes: 40, panels: 40, ..layout });
                let missing = Enclosure::new(error.clone(), error.clone());
                assert!(value.widen(&error).overlaps(&truth), "{rate} {more}: {value:?} {error} {truth:?}");
                // The bound of a tail of this weight is near to it.
                let gap = &truth - &value;
                assert!((&gap.mul_u32(40) - &missing).sign() == Some(std::cmp::Ordering::Greater), "{rate} {more}");
            }
            let early = search::Layout { outer: least - 1.0, nodes: 40, panels: 40, ..layout };
            assert!(factor.nodes(&early, &c, (150, 0.0), &Enclosure::zero(64), &budget).is_err());
        }
        // Panels are left out where that is told.
        let (value, error) = sum(&search::Layout { small: truth.ln().upper().to_f64() - 8.0, ..layout });
        assert!(value.widen(&error).overlaps(&truth) && !value.overlaps(&truth), "{noise} {rate}: {value:?} {truth:?}");
    }
}
