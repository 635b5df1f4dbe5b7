use rug::{Float, Integer};

use super::*;
use enclosure::special::binomial;
use enclosure::{Complex, Number};

fn real(text: &str) -> Real {
    Real::parse(text).unwrap()
}

fn factor(rate: &str, sigma: &str) -> PoissonGaussian {
    PoissonGaussian::new(real(rate), real(sigma).pow(&real("-1")).unwrap()).unwrap()
}

/// `K(k) = sum_j C(k, j) q^(k-j) p^j e^(j(j-1) mu^2/2)`.
fn closed(factor: &PoissonGaussian, k: u64, bits: u32) -> Enclosure {
    let (p, q) = (factor.rate.enclosure(bits), factor.rest.enclosure(bits));
    let square = factor.mu.square().enclosure(bits).shift(-1);
    let mut sum = Enclosure::zero(bits);
    for j in 0..=k {
        let Number::Exact(c) = binomial(k, j).unwrap() else { unreachable!() };
        let height = &square * &Enclosure::integer(&Integer::from(j * (j.max(1) - 1)), bits);
        let term = &(&q.pow(k - j) * &p.pow(j)) * &height.exp();
        sum = &sum + &(&term * &Enclosure::rational(&c, bits));
    }
    sum
}

#[test]
fn moments_at_integers_are_sums() {
    for (rate, sigma) in [
        ("0.01", "1"),
        ("0.5", "1"),
        ("1e-9", "2"),
        ("0.999999999", "0.7"),
        ("0.1", "0.2"),
        ("0.3", "1e6"),
        ("1e-9", "1e6"),
    ] {
        let factor = factor(rate, sigma);
        for k in [1u64, 2, 3, 7, 20, 64] {
            for bits in [64, 130, 400] {
                let value = factor.moment(&(Rational::from(k) - 1u32), bits, &Budget::default()).unwrap();
                let sum = closed(&factor, k, bits + 40);
                assert!(value.overlaps(&sum), "{rate} {sigma} {k}: {value:?} {sum:?}");
                let proven = value.relative_bits().unwrap();
                assert!(proven > i64::from(bits) - 8, "{rate} {sigma} {k}: {proven} of {bits} bits");
            }
        }
    }
}

/// The search's moments, from one end of the parameters to the other: they agree with the certified ones, which are
/// narrow wherever they are within MPFR's exponents.
#[test]
fn searched_moments() {
    let budget = Budget::default();
    for rate in ["1e-9", "0.01", "0.5", "0.999999999"] {
        for sigma in ["0.2", "1", "10", "1e6"] {
            let factor = factor(rate, sigma);
            for tilt in ["-1e8", "-1e4", "-20", "-1/2", "0.7", "5", "700", "1e4", "1e8"] {
                let tilt = real(tilt).as_rational().unwrap().clone();
                let searched = factor.log_moment(tilt.to_f64());
                assert!(searched.is_finite(), "{rate} {sigma} {tilt}");
                let Ok(value) = factor.moment(&tilt, 100, &budget) else {
                    assert!(searched > 7e8, "{rate} {sigma} {tilt}");
                    continue;
                };
                assert!(value.relative_bits().unwrap() > 90, "{rate} {sigma} {tilt}: {value:?}");
                let log = Float::with_val(64, searched);
                let near = Enclosure::new(log.clone(), log.clone()).widen(&(log.abs() * 1e-9 + 1e-7));
                assert!(near.overlaps(&value.ln()), "{rate} {sigma} {tilt}: {searched} {value:?}");
            }
        }
    }
}

/// `(rate, sigma, tilt, period, k, re, im)`, from panels of Gauss and Legendre's rule on the real axis at 60 digits.
const VALUES: &[(&str, &str, &str, &str, u64, &str, &str)] = &[
    ("0.01", "1", "6.5", "25", 0, "1.005155835479422281648710274521219008763", "0.0"),
    (
        "0.01",
        "1",
        "6.5",
        "25",
        3,
        "1.004939555444745774028376748805061388796",
        "0.001360747177887774121039860350298980308423",
    ),
    (
        "0.01",
        "1",
        "6.5",
        "25",
        40,
        "0.9919546916124830912901604041030959508943",
        "0.01063671723144222306137305430433959073954",
    ),
    (
        "0.01",
        "1",
        "6.5",
        "25",
        157,
        "0.905327258779666558127829161720020394009",
        "-0.02222382951941903146939525098934732886603",
    ),
    (
        "0.01",
        "1",
        "-5.5",
        "25",
        1,
        "1.001847969098963208216001177653462862032",
        "-0.0001796929475480058419859349645431999197503",
    ),
    (
        "0.01",
        "1",
        "-5.5",
        "25",
        30,
        "0.9983884466746767795494535484393069407184",
        "-0.005787711106367588310527602672858895528715",
    ),
    (
        "0.01",
        "1",
        "-5.5",
        "25",
        120,
        "0.95709954687344369430494866257294333456",
        "-0.03807210072998588785658589808055975758178",
    ),
    ("0.5", "0.5", "0.75", "12", 0, "4.69579019013522446444308644875670728174", "0.0"),
    (
        "0.5",
        "0.5",
        "0.75",
        "12",
        7,
        "-0.05866486681586693875129963161578336329357",
        "-0.1933990792050363573872184248126573856268",
    ),
    ("1e-9", "1", "3.25", "30", 0, "1.000000000000000011866883949951910008", "0.0"),
    (
        "1e-9",
        "1",
        "3.25",
        "30",
        11,
        "1.000000000000000007306861186527178401784",
        "1.484488945073721359538760650573378710915e-17",
    ),
    (
        "1e-9",
        "1",
        "3.25",
        "30",
        200,
        "0.9999999999999985044213423219844825017568",
        "2.699069107961593558523837668410479317985e-16",
    ),
    (
        "0.999",
        "2",
        "2.5",
        "9",
        1,
        "2.429714086036015965142068091225871324756",
        "1.400672911372773139777595669676705105244",
    ),
    (
        "0.999",
        "2",
        "2.5",
        "9",
        5,
        "-0.5620289710605763839689517051163927138274",
        "0.3272859150358327253613730419066217886693",
    ),
    (
        "0.1",
        "100",
        "1500.5",
        "20",
        2,
        "3.133126892507432873408367500265848280977",
        "0.003016294169144292179038559586723999865579",
    ),
    (
        "0.1",
        "100",
        "1500.5",
        "20",
        9,
        "3.133086537753608893958976690465833439615",
        "0.01357322933169933781485031139667047229267",
    ),
    ("0.1", "100", "-1500.5", "20", 0, "3.034698645148123661301075340669260081659", "0.0"),
    (
        "0.1",
        "100",
        "-1500.5",
        "20",
        9,
        "3.034660763874614548601908680439979744246",
        "-0.01261627149014098611053344155975163395389",
    ),
    (
        "0.3",
        "0.2",
        "-0.5",
        "40",
        6,
        "0.789629445451063245270428817273157832091",
        "-0.2689606235303956581938555566243770452711",
    ),
    (
        "0.3",
        "0.2",
        "-0.5",
        "40",
        50,
        "-0.77324132731772726925715407399339910922",
        "-0.2864125223500360396160641080347234449784",
    ),
];

/// The decimal and its neighbours one unit in the 38th place.
fn printed(text: &str) -> Enclosure {
    let value = real(text).enclosure(200);
    let unit = value.abs().upper().clone() * Float::with_val(200, 1e-38);
    value.widen(&unit)
}

#[test]
fn values_and_bounds_on_lines() {
    let budget = Budget::default();
    for &(rate, sigma, tilt, period, k, re, im) in VALUES {
        let factor = factor(rate, sigma);
        let line = VerticalContour::new(real(tilt).as_rational().unwrap().clone(), real(period));
        let moment = factor.moment(line.tilt(), 200, &budget).unwrap();
        let decay = factor.decay(&line, &budget).unwrap();
        for bits in [60, 150, 350] {
            let mut values = factor.on(&line, bits, &budget).unwrap();
            let direct = factor.on(&line, bits, &budget).unwrap().run(k, 1, &budget).unwrap();
            let list = values.run(0, k as usize + 1, &budget).unwrap();
            for value in [&direct[0], &list[k as usize]] {
                assert!(value.re().overlaps(&printed(re)), "{rate} {sigma} {tilt} {k} {bits}: {value:?}");
                assert!(value.im().overlaps(&printed(im)), "{rate} {sigma} {tilt} {k} {bits}: {value:?}");
                let narrow = Float::with_val(64, moment.lower() * 4u32) >> bits;
                assert!(value.radius() <= narrow, "{rate} {sigma} {tilt} {k} {bits}: {value:?}");
            }
            assert!(list[0].re().overlaps(&moment));
            for (j, value) in list.iter().enumerate() {
                let least = Float::with_val(400, value.centre().0.hypot_ref(value.centre().1)) - value.radius();
                let size = (Enclosure::new(least.clone(), least) / &moment).ln();
                let j = j as u64;
                for (from, to) in [(j, j), (j, 2 * j), (j, u64::MAX), (j / 2, j), (j / 3, u64::MAX)] {
                    let bound = decay.log_bound(from, to, &budget).unwrap();
                    assert!(*size.lower() <= bound, "{rate} {sigma} {tilt} {j}: {size:?} above {bound}");
                }
            }
        }
    }
}

/// Values in integers of 128 bits against discs, at the seams of stretches, blocks and sheets, on both sides of the
/// axis: within what is told, which is little near the axis and may be more where the kernel is small.
#[test]
fn values_in_long_integers() {
    let budget = Budget::default();
    let seams = [0u64, 1, 31, 32, 33, 1023, 1024, 1025, 2047, 2048, 3071, 3072, 3099];
    for (rate, sigma, tilt, period) in [
        ("0.01", "1", "6.5", "25"),
        ("0.01", "1", "-5.5", "25"),
        ("0.5", "0.5", "0.75", "12"),
        ("1e-9", "1", "3.25", "300"),
        ("0.999", "2", "2.5", "9"),
        ("0.1", "0.3", "-0.5", "2"),
    ] {
        let factor = factor(rate, sigma);
        let line = VerticalContour::new(real(tilt).as_rational().unwrap().clone(), real(period));
        let recip = Complex::real(&factor.moment(line.tilt(), 250, &budget).unwrap().recip(), 250);
        let mut values = factor.wide(&line, &budget).unwrap().expect("a known moment");
        let (first, of_first) = values.run(0, 1, &budget).unwrap().expect("a value");
        let (rest, of_rest) = values.run(1, 3099, &budget).unwrap().expect("values");
        let points: Vec<_> = first.into_iter().chain(rest).collect();
        assert_eq!(points.len(), 3100);
        assert!(of_first < 1e-31, "{rate} {sigma} {tilt}: {of_first}");
        for k in seams {
            let error = if k == 0 { of_first } else { of_rest };
            let truth = &factor.on(&line, 200, &budget).unwrap().run(k, 1, &budget).unwrap()[0] * &recip;
            let part = |x: i128, centre: &Float| (Float::with_val(300, x) >> 122u32) - centre;
            let (re, im) = (points[k as usize].re, points[k as usize].im);
            let off = part(re, truth.centre().0).hypot(&part(im, truth.centre().1));
            assert!(off <= error + truth.radius().to_f64(), "{rate} {sigma} {tilt} {k}: {off} {error}");
        }
        // A gap, and beyond it.
        let (points, error) = values.run(50_000, 2, &budget).unwrap().expect("values");
        let truth = &factor.on(&line, 200, &budget).unwrap().run(50_001, 1, &budget).unwrap()[0] * &recip;
        let part = |x: i128, centre: &Float| (Float::with_val(300, x) >> 122u32) - centre;
        let off = part(points[1].re, truth.centre().0).hypot(&part(points[1].im, truth.centre().1));
        assert!(off <= error, "{rate} {sigma} {tilt}: {off} {error}");
    }
}

/// However far out a tilt is and however steep a cut, a search looks at some thousand cells.
#[test]
fn searches_look_at_few_cells() {
    for (rate, sigma, steepness) in [("1e-9", "1", 1.0), ("1e-12", "1/1000", 8.0), ("1/2", "1e6", 300.0)] {
        for (c, backward) in [(8e8, false), (8e8, true), (-1e12, false), (0.5, true)] {
            let split = Split::new(&factor(rate, sigma), backward, 3.0, steepness).expect("a split");
            for split in [split.with_huge(20.0).expect("a second cut"), split] {
                let mut count = 0;
                split.cells(if backward { -c } else { 1.0 + c }, |_, _, _| count += 1);
                assert!(count < 20_000, "{rate} {sigma} {steepness} {c} {backward}: {count}");
            }
        }
    }
}
