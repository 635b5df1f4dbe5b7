use super::*;
use enclosure::Complex;

const BITS_OF_TRUTH: u32 = 300;

/// Lines on all sides of the poles, near to them and far, with small and large steps: tilt, period, nodes.
const LINES: [((i64, i64), &str, u64); 9] = [
    ((7, 10), "3", 40),
    ((7, 10), "3", 200),
    ((1, 1000), "7", 64),
    ((300, 1), "1/5", 50),
    ((300, 1), "1/5", 150),
    ((-1, 2), "4", 37),
    ((-1, 10), "ln(1000)", 128),
    ((-3, 2), "2", 96),
    ((-41, 1), "1", 80),
];

fn line((tilt, period, _): ((i64, i64), &str, u64)) -> VerticalContour {
    VerticalContour::new(Rational::from(tilt), Real::parse(period).expect("a constant"))
}

fn exact(x: &Rational) -> Enclosure {
    Enclosure::rational(x, BITS_OF_TRUTH)
}

fn disc(point: Point) -> Complex {
    let part = |x: i128| Float::with_val(BITS_OF_TRUTH, x) >> BITS;
    Complex::disc(part(point.re), part(point.im), &Float::new(64))
}

/// `sum_m f((y + m period)/h)`: geometric series, of the losses on one side of the kink or of both.
fn periods(line: &VerticalContour, y: &Rational) -> Enclosure {
    let period = line.period().enclosure(BITS_OF_TRUTH);
    let next = Rational::from(line.tilt() + 1u32);
    // The first place above the kink; on the kink itself f is continuous.
    let turns = &exact(y) / &period;
    let first = &exact(y) - &(&period * &Enclosure::integer(&turns.lower().clone().floor().to_integer().unwrap(), 300));
    let one = Enclosure::one(BITS_OF_TRUTH);
    // Of e^(-c x) over all x = first, first + period, ..., or over all below.
    let above = |c: &Rational| {
        let c = exact(c);
        &(-(&c * &first)).exp() / &(&one - &(-(&c * &period)).exp())
    };
    let below = |c: &Rational| {
        let c = exact(c);
        &(-(&c * &(&first - &period))).exp() / &(&one - &(&c * &period).exp())
    };
    if *line.tilt() > 0 {
        &above(line.tilt()) - &above(&next)
    } else if next > 0 {
        &below(line.tilt()) + &above(&next)
    } else {
        &below(&next) - &below(line.tilt())
    }
}

/// Both sums for a certain loss y, with what they are off by: of any law they are means of these.
fn sums(of: ((i64, i64), &str, u64), y: &Rational) -> [Enclosure; 2] {
    let line = line(of);
    let kernel = Extremal::new(&line, of.2).expect("in range");
    let weights = kernel.weights(0, of.2 as usize).expect("known");
    let places = [Real::from(y.clone()), Real::from(y.clone()).add(kernel.shift())];
    let sums = [0, 1].map(|which| {
        let turns = line.turns(&places[which]);
        let mut sum = Enclosure::zero(BITS_OF_TRUTH);
        for (k, both) in (0..).zip(&weights) {
            let (weight, error) = both[which];
            let value = disc(weight).widen(&Float::with_val(64, error));
            let term = (&value * &Complex::cis(&turns.angle(k, BITS_OF_TRUTH), BITS_OF_TRUTH)).re();
            sum = &sum + &(if k == 0 { term } else { term.shift(1) });
        }
        &(&sum * &kernel.scales()[which]) / &line.period().enclosure(BITS_OF_TRUTH)
    });
    // Between the poles the kernel has the other sign.
    let [below, above] = sums;
    if *line.tilt() < 0 && *line.tilt() > -1 { [-above, -below] } else { [below, above] }
}

/// The minorant is below, and the majorant above, wherever the loss is: at the kink, between the nodes that they go
/// through, next to it and far away.
#[test]
fn kernels_are_on_their_sides() {
    for of in LINES {
        let line = line(of);
        let step = Rational::from_f64(line.period().to_f64() / of.2 as f64).expect("finite");
        for place in -30i64..30 {
            // A period is some 40 steps or more.
            let y = &step * Rational::from((place * place * place.signum(), 45));
            let truth = periods(&line, &y);
            let [below, above] = sums(of, &y);
            assert!(below.lower() <= truth.upper(), "{of:?} {place}: {below:?} above {truth:?}");
            assert!(above.upper() >= truth.lower(), "{of:?} {place}: {above:?} below {truth:?}");
        }
    }
}

/// Over all places they are apart by `h^2/8` in the mean, as near as functions of this type can be, where the step is
/// small; at the kink itself the minorant is nothing.
#[test]
fn kernels_are_near_each_other() {
    for of in LINES.into_iter().filter(|((p, q), period, n)| (p / q).abs() < 3 && period.len() < 3 && *n > 60) {
        let period = line(of).period().to_f64();
        let step = period / of.2 as f64;
        // An even sum over places is exact for the harmonics that there are.
        let places = 2 * of.2 - 1;
        let mut all = 0.0;
        for place in 0..places {
            let y = Rational::from_f64(period * place as f64 / places as f64).expect("finite");
            let [below, above] = sums(of, &y);
            all += Float::with_val(64, above.upper() - below.lower()).to_f64();
        }
        let apart = all * period / places as f64 / (step * step / 8.0);
        assert!((0.9..1.1).contains(&apart), "{of:?}: {apart}");
    }
}

/// The weights against the transforms as they are derived, with sums over the nodes in closed form.
#[test]
fn weights_are_within_their_error() {
    for of in LINES {
        let line = line(of);
        let kernel = Extremal::new(&line, of.2).expect("in range");
        let weights = kernel.weights(0, of.2 as usize).expect("known");
        let h = &line.period().enclosure(BITS_OF_TRUTH) / &Enclosure::integer(&of.2.into(), BITS_OF_TRUTH);
        let exponents = [line.tilt().clone(), Rational::from(line.tilt() + 1u32)].map(|c| &h * &exact(&c));
        let one = Enclosure::one(BITS_OF_TRUTH);
        let b = |x: &Enclosure| x / &(&one - &(-x).exp());
        let [l, m] = &exponents;
        let slope = &b(m) - &b(l);
        let xi = &(&b(m).ln() - &b(l).ln()) / &h;
        let real = |x: &Enclosure| Complex::real(x, BITS_OF_TRUTH);
        let two_pi = Enclosure::pi(BITS_OF_TRUTH).shift(1);
        for k in [0, 1, 2, of.2 / 4, of.2 / 2, of.2 / 2 + 1, of.2 - 1] {
            let t = exact(&Rational::from((k, of.2)));
            let turn = |part: &Enclosure| Complex::cis(&-(&(&two_pi * &t) * part), BITS_OF_TRUTH);
            let z = turn(&one);
            // sum_n e^(-x n) z^n, n from 0.
            let geometric = |x: &Enclosure| (&real(&one) - &(&real(&(-x).exp()) * &z)).recip();
            let half_turn = Complex::from_parts(&Enclosure::zero(BITS_OF_TRUTH), &-two_pi.recip(), BITS_OF_TRUTH);
            let sign = if k == 0 { real(&Enclosure::zero(BITS_OF_TRUTH)) } else { half_turn };
            let whole = |[p, q]: [Complex; 2], less: &Enclosure| {
                let slopes = &(&(&real(m) * &q) - &(&real(l) * &p)) - &real(less);
                &(&real(&(&one - &t)) * &(&p - &q)) + &(&sign * &slopes)
            };
            let below = whole(exponents.each_ref().map(geometric), &slope);
            let shifted = |x: &Enclosure| &(&real(&(-(&xi * x)).exp()) * &turn(&xi)) * &geometric(x);
            let above = whole(exponents.each_ref().map(shifted), &Enclosure::zero(BITS_OF_TRUTH));
            // The turn of the majorant is left to the loss.
            let back = turn(&(&exact(&Rational::from((1, 2))) - &xi));
            for ((truth, scale), (weight, error)) in
                [below, &above * &back].iter().zip(kernel.scales()).zip(weights[k as usize])
            {
                let truth = &(&real(&h) * truth) * &real(&scale.recip());
                let off = &disc(weight) - &truth;
                let distance = off.centre().0.clone().hypot(off.centre().1);
                assert!(distance <= error, "{of:?} {k}: {distance} above {error}");
                assert!(error < 1e-24, "{of:?} {k}: {error}");
            }
        }
    }
}
