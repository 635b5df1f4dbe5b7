//! A minorant and a majorant of the kernel, of which nothing is left beyond so many nodes.
//!
//! On a line of real part c, with `h = period/n`, the sum over all nodes that is wanted is the mean of
//! `f((L - eps)/h)` under the tilted law, summed over periods, with `lambda = c h`, `mu = (c + 1) h` and
//!
//! `f(x) = e^(-lambda x) - e^(-mu x)` for `x > 0`, 0 below, right of both poles; and what differs from it by
//! `e^(-lambda x)`, or by that less `e^(-mu x)`, elsewhere (between the poles of the other sign).
//!
//! Among functions whose Fourier transforms end at `|t| = 1`, these are on one side of f, and as near as such can be
//! for small lambda and mu: the one through f and f' at the integers, but for the slope at the kink, which is a less,
//! is below; the one through both at `Z + xi` is above. With `B(w) = w/(1 - e^-w)`, convex, and
//! `C_y(w) = e^(-yw) B(w)`, log-concave,
//!
//! `a = B(mu) - B(lambda)`, `C_xi(lambda) = C_xi(mu)`.
//!
//! Poisson summation makes each a sum over the nodes `|k| < n` alone, at `t = k/n`: so it is exact, whatever the law
//! is. With `w, v = (lambda, mu)/2 + i pi t`, `G = 1/(sinh w sinh v)`, `s = sin(pi t)`, `q = cos(pi t)` and the
//! hyperbolic sines and cosines `S, T` of `lambda/2` and `mu/2`, the transforms are
//!
//! * `G [(1-t)/2 sinh(h/2) - s/(2 pi) (p q + i p' s)]`, `p = (mu/2) S_l/S_m - (lambda/2) S_m/S_l`,
//!   `p' = (mu/2) T_l/S_m - (lambda/2) T_m/S_l`;
//! * `C_xi(lambda)/2 e^(i (1 - 2 xi) pi t) G [(1-t) (r q + i r' s) + s/pi sinh(h/2)]`, `r = 2h S_l S_m/(lambda mu)`,
//!   `r' = 2 (T_m S_l/lambda - T_l S_m/mu)`.
//!
//! Both are off from f by `h^2/8` together for each unit of density at the kink. All of it is proven in
//! `proofs/paper/extremal.md`.
//!
//! **Rounding**, in integers of 128 bits, of which a cut is `2^-120`. Constants are fractions of a power of two, cut
//! off; the rotation `z = q + is` is off by 6 cuts, and *ovals* `a q + i b s = (a+b)/2 z + (a-b)/2 z'`, with z' the
//! conjugate and `|a|, |b| <= 1`, by 9. So are `sinh w` and `sinh v`; each is doubled j times until a part of it is at
//! least 1/2, and their product D by i and j is off by less than `18 (2^i + 2^j) + 4` cuts of itself. As in
//! [`Kernel`](super::wide::Kernel) a quotient g of doubles near `1/D` and `e = 1 - g D` give `g (1 + e)`, off by
//! `|e|^2 <= 2^-90` of itself and 16 cuts. A bracket is off by 24 cuts, its product with that by one, and the shift in
//! the end cuts once more.

use rug::float::Round::Down;
use rug::{Float, Rational};

use super::vertical_contour::{Turns, VerticalContour};
use super::wide::Rotations;
use enclosure::wide::{BITS, CUT, Point};
use enclosure::{Enclosure, Real, work};

/// Precision of the constants: it pays for all that cancels.
const WORK: u32 = 400;
/// Bits of xi.
const XI_BITS: u32 = 160;
/// More nodes than these are not looked at.
const MOST_NODES: u64 = 1 << 24;
/// What a bracket and its product are off by.
const BRACKET: f64 = 26.0 * CUT;
/// What a quotient is off by besides the error of the divisor, as a part of itself: `2^-90`, 16 cuts and room.
const QUOTIENT: f64 = 1.0 / (1u128 << 89) as f64;
/// For what doubles round.
const ROOM: f64 = 1.0 + 1.0 / (1u64 << 40) as f64;

/// Both kernels of one line.
pub struct Extremal {
    nodes: u64,
    /// By half a turn over n.
    rotations: Rotations,
    /// `sinh w` and `sinh v`, over a power of two.
    sines: [Oval; 2],
    minorant: Bracket,
    majorant: Bracket,
    scales: [Enclosure; 2],
    shift: Real,
}

/// The kernel's value at a node, in parts of its scale: at most one in modulus, and what it is off by.
pub type Weight = (Point, f64);

/// `a q + i b s`, by half the sum and half the difference of a and b.
#[derive(Clone, Copy)]
struct Oval([i128; 2]);

/// What is between the brackets: of the minorant `(1-t) flat + s oval`, of the majorant `s flat + (1-t) oval`.
struct Bracket {
    flat: i128,
    oval: Oval,
    /// So often the product with `1/D` is doubled, besides what D was.
    doubled: i32,
}

impl Extremal {
    /// For the nodes before n; `None` where the numbers are out of range.
    pub fn new(line: &VerticalContour, nodes: u64) -> Option<Self> {
        if !(2..MOST_NODES).contains(&nodes) {
            return None;
        }
        let step = line.period().mul_rational(&Rational::from((1, nodes)));
        let h = step.enclosure(WORK);
        let of = |c: &Rational| &h * &Enclosure::rational(c, WORK);
        let (l, m) = (of(line.tilt()), of(&Rational::from(line.tilt() + 1u32)));
        let inside = |x: &Enclosure| (1e-12..30.0).contains(&x.lower().to_f64().abs());
        if !(inside(&l) && inside(&m) && h.upper().to_f64() < 30.0) {
            return None;
        }
        let [(sl, tl), (sm, tm), (sh, _)] = [&l, &m, &h].map(hyperbolic);
        let half = |x: &Enclosure| x.shift(-1);
        let pi = Enclosure::pi(WORK);
        let p = &(&(&half(&m) * &sl) / &sm) - &(&(&half(&l) * &sm) / &sl);
        let p_turned = &(&(&half(&m) * &tl) / &sm) - &(&(&half(&l) * &tm) / &sl);
        let r = (&(&h * &(&sl * &sm)) / &(&l * &m)).shift(1);
        let r_turned = (&(&(&tm * &sl) / &l) - &(&(&tl * &sm) / &m)).shift(1);
        let two_pi = pi.shift(1);
        let [below, above] = [[half(&sh), -(&p / &two_pi), -(&p_turned / &two_pi)], [&sh / &pi, r.clone(), r_turned]];
        // ln B(w) = ln(w/2) + w/2 - ln sinh(w/2), and w and the sine have one sign.
        let log = |x: &Enclosure, s: &Enclosure| &half(x) + &(&half(x) / s).ln();
        let xi = &(&log(&m, &sm) - &log(&l, &sl)) / &h;
        let near = Float::with_val(XI_BITS, xi.lower()).to_rational()?;
        let off_centre = Rational::from((1, 2)) - near;
        let top = &(&Enclosure::rational(&off_centre, WORK) * &l).exp() * &(&half(&l) / &sl);
        // On the axis, where both are largest.
        let size = |top: &Enclosure| exponent(&(top / &(&sl * &sm))) + 1;
        let sizes = [size(&below[0]), size(&r)];
        let ends = [(&sl, &tl), (&sm, &tm)].map(|(s, t)| exponent(s).max(exponent(t)));
        let [minorant, majorant] = [(below, sizes[0]), (above, sizes[1])].map(|([flat, across, along], size)| {
            let largest = [&flat, &across, &along].map(exponent).into_iter().max().unwrap_or(0);
            let doubled = largest - ends[0] - ends[1] - size;
            Some(Bracket { flat: units(&flat, largest)?, oval: Oval::new(&across, &along, largest)?, doubled })
        });
        let scale = |size: i32| h.shift(size);
        let scales = [scale(sizes[0]), &scale(sizes[1]) * &half(&top)];
        let known = Float::with_val(64, xi.upper() - xi.lower()) < Float::with_val(64, Float::i_exp(1, -128));
        known.then_some(Extremal {
            nodes,
            rotations: Rotations::new(&Turns::Exact(Rational::from((1, 2 * nodes))))?,
            sines: [Oval::new(&sl, &tl, ends[0])?, Oval::new(&sm, &tm, ends[1])?],
            minorant: minorant?,
            majorant: majorant?,
            scales,
            shift: step.mul_rational(&off_centre),
        })
    }

    /// What the weights are parts of: of the minorant, and of the majorant.
    pub fn scales(&self) -> &[Enclosure; 2] {
        &self.scales
    }

    /// By so much less than the loss that is asked for is the one that the majorant's sum is turned by:
    /// `(1/2 - xi) h`.
    pub fn shift(&self) -> &Real {
        &self.shift
    }

    /// The weights of the nodes `first, ..., first + count - 1`, of the minorant and of the majorant; `None` where a
    /// rotation is not known, or a weight is larger than it should be.
    pub fn weights(&self, first: u64, count: usize) -> Option<Vec<[Weight; 2]>> {
        let mut all = Vec::with_capacity(count);
        work::spend(150 * count as u64);
        let mut known = true;
        self.rotations.stretches(first, count, &mut |place, start, low| {
            let start = start.split();
            for (k, low) in (first + place as u64..).zip(low) {
                let weights = self.at(k, start.times(low));
                known &= weights.is_some();
                all.extend(weights);
            }
        })?;
        known.then_some(all)
    }

    /// At a node, with `cos(pi k/n) + i sin(pi k/n)`.
    fn at(&self, k: u64, turned: Point) -> Option<[Weight; 2]> {
        let [(first, i), (second, j)] = self.sines.map(|sine| sine.at(turned)).map(leading);
        let divisor = first.times(second);
        let off = 18.0 * CUT * (power_of_two(i)? + power_of_two(j)?) + QUOTIENT;
        let quarter = quarter(divisor)?;
        let rest = fraction(self.nodes.checked_sub(k)?, self.nodes);
        let weight = |bracket: &Bracket, (of_flat, of_oval): (i128, i128)| -> Option<Weight> {
            let flat = Point { re: bracket.flat, im: 0 }.times(Point { re: of_flat, im: 0 });
            let oval = bracket.oval.at(turned).times(Point { re: of_oval, im: 0 });
            let whole = Point { re: flat.re + oval.re, im: oval.im }.times(quarter);
            let doubled = bracket.doubled + i + j + 2;
            let point = shifted(whole, doubled)?;
            let unit = CUT / 4.0;
            let size = (point.re.unsigned_abs() as f64 + point.im.unsigned_abs() as f64) * unit;
            Some((point, (size * off + power_of_two(doubled)? * BRACKET + CUT) * ROOM))
        };
        Some([weight(&self.minorant, (rest, turned.im))?, weight(&self.majorant, (turned.im, rest))?])
    }
}

impl Oval {
    /// Of parts of `2^largest`.
    fn new(across: &Enclosure, along: &Enclosure, largest: i32) -> Option<Self> {
        let [sum, difference] = [across + along, across - along].map(|x| x.shift(-1));
        Some(Oval([units(&sum, largest)?, units(&difference, largest)?]))
    }

    fn at(self, turned: Point) -> Point {
        let [a, b] = self.0.map(|re| turned.times(Point { re, im: 0 }));
        Point { re: a.re + b.re, im: a.im - b.im }
    }
}

/// The least power of two that is more than the modulus, as its exponent.
fn exponent(x: &Enclosure) -> i32 {
    x.abs().upper().get_exp().unwrap_or(-2000)
}

/// `x/2^largest`, cut off; `None` if it is not known to a unit.
fn units(x: &Enclosure, largest: i32) -> Option<i128> {
    let scaled = x.shift(BITS as i32 - largest);
    let narrow = Float::with_val(64, scaled.upper() - scaled.lower()) < 0.01;
    narrow.then(|| scaled.lower().to_integer_round(Down)?.0.to_i128()).flatten()
}

/// `a/b`, cut off, for `a <= b < 2^24`.
fn fraction(a: u64, b: u64) -> i128 {
    let (a, b) = (u128::from(a) << 100, u128::from(b));
    (((a / b) << 22) + (((a % b) << 22) / b)) as i128
}

/// Doubled until the larger part is at least a half, and how often.
fn leading(point: Point) -> (Point, i32) {
    let largest = point.re.unsigned_abs().max(point.im.unsigned_abs());
    let doubled = largest.leading_zeros().saturating_sub(128 - BITS).min(BITS);
    (Point { re: point.re << doubled, im: point.im << doubled }, doubled as i32)
}

/// A quarter of `1/D`; `None` where doubles are no guess.
fn quarter(divisor: Point) -> Option<Point> {
    let unit = 1.0 / (1u128 << BITS) as f64;
    let (re, im) = (divisor.re as f64 * unit, divisor.im as f64 * unit);
    let square = 4.0 * (re * re + im * im);
    let fixed = |x: f64| (x * (1u128 << BITS) as f64) as i128;
    let guess = Point { re: fixed(re / square), im: fixed(-im / square) };
    let near = divisor.times(guess);
    let e = Point { re: Point::ONE.re - 4 * near.re, im: -4 * near.im };
    const LEAST: u128 = 1 << (BITS - 46);
    if !(square >= 0.2) || e.re.unsigned_abs() > LEAST || e.im.unsigned_abs() > LEAST {
        return None;
    }
    let more = guess.times(e);
    Some(Point { re: guess.re + more.re, im: guess.im + more.im })
}

/// Times this power of two; `None` if that is not in the unit disc.
fn shifted(point: Point, doubled: i32) -> Option<Point> {
    let least = |x: i128| x.unsigned_abs() <= (1 << BITS) >> doubled.max(0);
    if doubled > 8 || !(least(point.re) && least(point.im)) {
        return None;
    }
    let shift = |x: i128| if doubled < 0 { x >> (-doubled).min(127) } else { x << doubled };
    Some(Point { re: shift(point.re), im: shift(point.im) })
}

/// Exactly.
fn power_of_two(x: i32) -> Option<f64> {
    Some(f64::from_bits(u64::try_from(1023 + x).ok().filter(|x| (1..2047).contains(x))? << 52))
}

/// `sinh(x/2)` and `cosh(x/2)`.
fn hyperbolic(x: &Enclosure) -> (Enclosure, Enclosure) {
    let up = x.shift(-1).exp();
    let down = up.recip();
    ((&up - &down).shift(-1), (&up + &down).shift(-1))
}

#[cfg(test)]
mod tests;
