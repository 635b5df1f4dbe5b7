//! Arithmetic at the ends of MPFR's exponents, against exact rationals.
//!
//! Numbers as small as `2^-1000000000` have no exact rationals that a test could compute with. So the ends are brought
//! to the numbers: MPFR's range of exponents is a setting of each thread, and here it has a few dozen exponents. What
//! is tested is what the library computes with, unchanged.

use std::cmp::Ordering;

use enclosure::{Complex, Enclosure, products};
use rug::float::Special;
use rug::{Float, Rational};

/// Exponents run from minus this to this.
const RANGE: i32 = 100;

/// Cases of each test; there are about as many operands at the very ends as elsewhere.
const CASES: u64 = 400_000;

/// Narrow the range of this thread's exponents.
fn narrow() {
    // Two integers of this thread are set; both are within MPFR's limits.
    let set = unsafe {
        gmp_mpfr_sys::mpfr::set_emin(-i64::from(RANGE)) == 0 && gmp_mpfr_sys::mpfr::set_emax(i64::from(RANGE)) == 0
    };
    assert!(set && rug::float::exp_min() == -RANGE && rug::float::exp_max() == RANGE);
}

/// Reproducible numbers (SplitMix64).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn bits(&mut self) -> u32 {
        // One limb, two and three have code of their own in MPFR, and so have precisions that are whole limbs.
        [2, 5, 24, 53, 63, 64, 65, 100, 127, 128, 129, 192, 200][self.below(13) as usize]
    }

    /// A finite number, often zero, at an end of the range, or a power of two.
    fn float(&mut self, bits: u32) -> Float {
        let mut mantissa = match self.below(4) {
            0 => Float::with_val(bits, 1),
            // All ones.
            1 => Float::with_val(bits, 1) - (Float::with_val(bits, 1) >> (bits - 1)),
            _ => Float::with_val(bits, self.next() | 1) >> 63u32,
        };
        if self.below(2) == 0 {
            // Filled to the last place.
            mantissa *= Float::with_val(bits, self.next() | 1) >> 63u32;
        }
        let range = RANGE as u64;
        let exponent = match self.below(10) {
            0 => return Float::new(bits),
            1 => -RANGE,
            2 => -RANGE / 2 - 2 + self.below(5) as i32,
            3 => RANGE / 2 - 2 + self.below(5) as i32,
            4 => RANGE,
            _ => self.below(2 * range + 1) as i32 - RANGE,
        };
        let now = mantissa.get_exp().expect("a positive number");
        mantissa <<= exponent - now;
        if self.below(2) == 0 { -mantissa } else { mantissa }
    }

    fn enclosure(&mut self, bits: u32) -> Enclosure {
        let (a, b) = (self.float(bits), self.float(bits));
        match self.below(12) {
            0 => Enclosure::new(Float::with_val(bits, Special::NegInfinity), a),
            1 => Enclosure::new(a, Float::with_val(bits, Special::Infinity)),
            2..=6 => Enclosure::new(a.clone(), a),
            _ => {
                if a <= b {
                    Enclosure::new(a, b)
                } else {
                    Enclosure::new(b, a)
                }
            }
        }
    }
}

fn exact(x: &Float) -> Rational {
    x.to_rational().expect("finite")
}

/// Is this a number that MPFR made, not one whose exponent lies elsewhere?
fn regular(x: &Float) -> bool {
    x.is_zero() || x.is_infinite() || x.get_exp().is_some_and(|exponent| exponent.abs() <= RANGE)
}

/// What the contract of two products means when there is no number below `2^-(RANGE+1)` nor beyond `2^RANGE`.
fn assert_nearest(value: &Float, truth: &Rational, what: &dyn std::fmt::Debug) {
    assert!(regular(value), "{what:?}: {:?}", value.is_normal());
    let largest = Rational::from(1) << RANGE;
    if value.is_infinite() {
        assert!(Rational::from(truth.abs_ref()) > largest - (Rational::from(1) << (RANGE - 2)), "{what:?}");
        return;
    }
    let error = (truth - exact(value)).abs();
    let least = Rational::from(1) >> (RANGE + 1);
    // Half a unit in the last place; all of the least number where there are no places.
    let unit = match value.get_exp() {
        Some(exponent) if exponent > -RANGE => {
            let shift = exponent - i32::try_from(value.prec()).expect("few bits");
            if shift >= 0 { Rational::from(1) << shift } else { Rational::from(1) >> -shift }
        }
        _ => least * 2u32,
    };
    assert!(Rational::from(&error * 2) <= unit, "{what:?}: {value:?} for {truth}");
}

/// The corner: one product is zero, the other too small or too large for the range.
#[test]
fn two_products_are_rounded_once() {
    narrow();
    let mut draws = Draws(1);
    for _ in 0..4 * CASES {
        let same = draws.bits();
        let any = draws.below(2) == 0;
        let [a, b, c, d] = [(); 4].map(|()| {
            let bits = if any { draws.bits() } else { same };
            draws.float(bits)
        });
        let bits = if any { draws.bits() } else { same };
        let (ab, cd) = (exact(&a) * exact(&b), exact(&c) * exact(&d));
        let what = (&a, &b, &c, &d, bits);
        assert_nearest(&products::sum(bits, (&a, &b), (&c, &d)), &Rational::from(&ab + &cd), &what);
        assert_nearest(&products::difference(bits, (&a, &b), (&c, &d)), &Rational::from(&ab - &cd), &what);
    }
}

/// Where the exact value is negative and just beyond minus half of the smallest positive number, MPFR rounds to zero:
/// twice, first to five bits. Nothing may rest on that being the nearer neighbour.
#[test]
fn below_the_smallest_number_the_error_is_all_of_it() {
    narrow();
    let half = Float::with_val(5, 1) >> ((RANGE + 2) / 2);
    let little = Float::with_val(5, 1) >> (RANGE / 2 + 4);
    let truth = exact(&half).square() + exact(&little).square();
    assert!(truth > Rational::from(1) >> (RANGE + 2));
    let positive = products::sum(5, (&half, &half), (&little, &little));
    let (minus_half, minus_little) = (Float::with_val(5, -&half), Float::with_val(5, -&little));
    let negative = products::sum(5, (&minus_half, &half), (&minus_little, &little));
    assert!(negative.is_zero() && !positive.is_zero(), "mpfr_fmma now rounds this to nearest: {negative}");
    assert_nearest(&positive, &truth, &"half of the smallest number");
    assert_nearest(&negative, &-truth, &"minus half of the smallest number");
}

/// Squares where both factors are one number, as in a modulus.
#[test]
fn moduli_are_rounded_once() {
    narrow();
    let mut draws = Draws(2);
    for _ in 0..CASES {
        let bits = draws.bits();
        let (re, im) = (draws.float(bits), draws.float(bits));
        let wide = bits + 8;
        let truth = exact(&re).square() + exact(&im).square();
        assert_nearest(&products::sum(wide, (&re, &re), (&im, &im)), &truth, &(&re, &im));
    }
}

/// Points of an enclosure whose images are looked for in the result.
fn points(set: &Enclosure) -> Vec<Rational> {
    let end = |x: &Float| x.to_rational();
    match (end(set.lower()), end(set.upper())) {
        (Some(a), Some(b)) => {
            let middle = Rational::from(&a + &b) / 2;
            vec![a, middle, b]
        }
        (Some(a), None) => vec![a.clone(), a + (Rational::from(1) << (RANGE + 3))],
        (None, Some(b)) => vec![b.clone(), b - (Rational::from(1) << (RANGE + 3))],
        (None, None) => vec![Rational::new()],
    }
}

#[test]
fn enclosures_hold_exact_results() {
    narrow();
    let mut draws = Draws(3);
    for _ in 0..CASES {
        let (p, q) = (draws.bits(), draws.bits());
        let (x, y) = (draws.enclosure(p), draws.enclosure(q));
        let results = [&x + &y, &x - &y, &x * &y, &x / &y, x.square(), x.recip(), x.pow(3), x.pow(4), x.abs()];
        let shift = draws.below(100) as i32 - 50;
        let n = draws.next() as u32;
        let scaled = [x.shift(shift), x.mul_u32(n), x.div_u32(n), x.with_bits(q), x.widen(&y.abs().lower().clone())];
        for end in results.iter().chain(&scaled).flat_map(|set| [set.lower(), set.upper()]) {
            assert!(regular(end), "{x:?} {y:?}");
        }
        for a in points(&x) {
            let mut truths = vec![None; 9];
            for b in points(&y) {
                truths[0] = Some(Rational::from(&a + &b));
                truths[1] = Some(Rational::from(&a - &b));
                truths[2] = Some(Rational::from(&a * &b));
                truths[3] = (b != 0).then(|| Rational::from(&a / &b));
                for (set, truth) in results.iter().zip(&truths) {
                    assert!(truth.as_ref().is_none_or(|truth| set.contains(truth)), "{x:?} {y:?}: {set:?}, {truth:?}");
                }
            }
            let square = Rational::from(a.square_ref());
            let unary = [
                Some(square.clone()),
                (a != 0).then(|| Rational::from(a.recip_ref())),
                Some(Rational::from(&square * &a)),
                Some(Rational::from(square.square_ref())),
                Some(Rational::from(a.abs_ref())),
            ];
            for (set, truth) in results[4..].iter().zip(&unary) {
                assert!(truth.as_ref().is_none_or(|truth| set.contains(truth)), "{x:?}: {set:?}, {truth:?}");
            }
            let moved = if shift >= 0 { a.clone() << shift } else { a.clone() >> -shift };
            assert!(scaled[0].contains(&moved) && scaled[1].contains(&Rational::from(&a * n)), "{x:?}");
            assert!(n == 0 || scaled[2].contains(&Rational::from(&a / n)), "{x:?}");
            assert!(scaled[3].contains(&a) && scaled[4].contains(&a), "{x:?}");
        }
    }
}

/// A disc around exact parts, and the parts.
fn disc(draws: &mut Draws) -> (Complex, Rational, Rational) {
    let bits = draws.bits();
    let (re, im) = (draws.float(bits), draws.float(bits));
    let parts = (exact(&re), exact(&im));
    let radius = if draws.below(2) == 0 { Float::new(64) } else { draws.float(64).abs() };
    (Complex::disc(re, im, &radius), parts.0, parts.1)
}

/// Products of discs hold the products of their centres, also where these are not numbers of the range.
#[test]
fn discs_hold_exact_results() {
    narrow();
    let mut draws = Draws(4);
    for _ in 0..CASES {
        let ((z, a, b), (w, c, d)) = (disc(&mut draws), disc(&mut draws));
        let re = Rational::from(&a * &c) - Rational::from(&b * &d);
        let im = Rational::from(&a * &d) + Rational::from(&b * &c);
        let product = &z * &w;
        assert!(product.re().contains(&re) && product.im().contains(&im), "{z:?} {w:?}: {product:?}");
        assert!(z.re_of_product(&w).contains(&re), "{z:?} {w:?}");
        let square = z.pow(2);
        let (x, y) = (Rational::from(a.square_ref()) - Rational::from(b.square_ref()), Rational::from(&a * &b) * 2);
        assert!(square.re().contains(&x) && square.im().contains(&y), "{z:?}: {square:?}");
        let sum = &z + &w;
        assert!(sum.re().contains(&Rational::from(&a + &c)) && sum.im().contains(&Rational::from(&b + &d)));
        let norm = Rational::from(c.square_ref()) + Rational::from(d.square_ref());
        if norm != 0 {
            let inverse = w.recip();
            let (x, y) = (Rational::from(&c / &norm), -Rational::from(&d / &norm));
            assert!(inverse.re().contains(&x) && inverse.im().contains(&y), "{w:?}: {inverse:?}");
        }
        let bound = z.modulus_upper();
        let modulus = Rational::from(a.square_ref()) + Rational::from(b.square_ref());
        assert!(!bound.is_finite() || exact(&bound).square() >= modulus, "{z:?}: {bound:?}");
    }
}

/// What is computed in the narrow range, computed again in the whole one: the exponents are those of a wide
/// computation.
fn widely<T>(compute: impl FnOnce() -> T) -> T {
    // As in `narrow`; these are MPFR's own limits.
    unsafe {
        gmp_mpfr_sys::mpfr::set_emin(gmp_mpfr_sys::mpfr::get_emin_min() / 2);
        gmp_mpfr_sys::mpfr::set_emax(gmp_mpfr_sys::mpfr::get_emax_max() / 2);
    }
    let value = compute();
    narrow();
    value
}

/// Functions that are computed with MPFR's own: each enclosure meets one of many more bits and all exponents.
#[test]
fn elementary_functions_meet_wide_ones() {
    type Function = fn(&Enclosure) -> Enclosure;
    let functions: [(&str, Function); 8] = [
        ("exp", Enclosure::exp),
        ("expm1", Enclosure::expm1),
        ("ln", Enclosure::ln),
        ("log1p", Enclosure::log1p),
        ("tanh", Enclosure::tanh),
        ("atan", Enclosure::atan),
        ("sqrt", Enclosure::sqrt),
        ("recip", Enclosure::recip),
    ];
    narrow();
    let mut draws = Draws(5);
    for _ in 0..CASES / 20 {
        let bits = draws.bits();
        let x = draws.float(bits);
        let point = Enclosure::new(x.clone(), x.clone());
        for (name, function) in functions {
            let value = function(&point);
            assert!(regular(value.lower()) && regular(value.upper()), "{name} of {x:?}");
            let truth = widely(|| function(&point.with_bits(bits + 300)));
            let meets = widely(|| value.overlaps(&truth));
            assert!(meets, "{name} of {x:?}: {value:?}, {truth:?}");
            // Not only meets it: the truth is inside, up to the many bits.
            let inside = widely(|| {
                let margin = Float::with_val(64, truth.upper() - truth.lower());
                let slack = value.widen(&margin);
                slack.lower() <= truth.lower() && truth.upper() <= slack.upper()
            });
            assert!(inside, "{name} of {x:?}: {value:?}, {truth:?}");
        }
        let angle = widely(|| Complex::cis(&point.with_bits(bits + 300), bits + 300));
        let value = Complex::cis(&point, bits);
        assert!(widely(|| value.re().overlaps(&angle.re()) && value.im().overlaps(&angle.im())), "cis of {x:?}");
    }
}

/// The functions that are called outside of [`Enclosure`]: what MPFR rounds down and up has the value of many more bits
/// and all exponents between.
#[test]
fn other_functions_round_outward() {
    use rug::float::Round::{Down, Up};
    type Rounded = fn(&Float, &Float, u32, rug::float::Round) -> Float;
    fn at(bits: u32, x: &Float) -> Float {
        // Exactly: the result has at least the bits of the argument.
        Float::with_val(bits.max(x.prec()), x)
    }
    let functions: [(&str, Rounded); 7] = [
        ("erf", |x, _, bits, round| {
            let mut value = at(bits, x);
            value.erf_round(round);
            value
        }),
        ("erfc", |x, _, bits, round| {
            let mut value = at(bits, x);
            value.erfc_round(round);
            value
        }),
        ("lngamma", |x, _, bits, round| {
            let mut value = at(bits, &Float::with_val(x.prec(), x.abs_ref()));
            value.ln_gamma_round(round);
            value
        }),
        ("sin", |x, _, bits, round| Float::with_val_round(bits, x.sin_ref(), round).0),
        ("cos", |x, _, bits, round| Float::with_val_round(bits, x.cos_ref(), round).0),
        ("atan2", |x, y, bits, round| Float::with_val_round(bits, x.atan2_ref(y), round).0),
        ("hypot", |x, y, bits, round| Float::with_val_round(bits, x.hypot_ref(y), round).0),
    ];
    narrow();
    let mut draws = Draws(6);
    for _ in 0..CASES / 40 {
        let bits = draws.bits();
        let (x, y) = (draws.float(bits), draws.float(bits));
        for (name, function) in functions {
            // The logarithm of the gamma function of what is huge or next to nothing takes long, and is not asked for
            // here.
            if name == "lngamma" && x.get_exp().is_none_or(|exponent| exponent.abs() > 70) {
                continue;
            }
            let (low, high) = (function(&x, &y, bits, Down), function(&x, &y, bits, Up));
            assert!(regular(&low) && regular(&high), "{name} of {x:?}, {y:?}");
            let (least, most) = widely(|| (function(&x, &y, bits + 200, Down), function(&x, &y, bits + 200, Up)));
            let inside = widely(|| low <= most && least <= high);
            assert!(inside, "{name} of {x:?}, {y:?}: [{low:?}, {high:?}] for [{least:?}, {most:?}]");
        }
    }
}

/// MPFR itself, asked in the corner. The day this fails the guard in `products` may go.
#[test]
fn the_corner_is_still_there() {
    narrow();
    let tiny = Float::with_val(53, 1) >> (RANGE - 1);
    let zero = Float::new(53);
    let copied = Float::with_val(53, &tiny * &tiny + &zero * &tiny);
    let exponent = unsafe { gmp_mpfr_sys::mpfr::get_exp(copied.as_raw()) };
    assert!(exponent < -i64::from(i32::MAX), "mpfr_fmma now rounds this corner: {exponent}");
    // Not left behind for anybody to compute with.
    let guarded = products::sum(53, (&tiny, &tiny), (&zero, &tiny));
    assert_eq!(guarded.cmp0(), Some(Ordering::Equal));
}
