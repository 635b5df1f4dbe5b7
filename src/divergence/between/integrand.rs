//! The function that is averaged over the privacy loss, with its bounds.
//!
//! `E_P g(L) = sum q F(p/q)` with `F(t) = t g(ln t)`, and `t F''(t) = g'(l) + g''(l)` at `l = ln t`. Where the losses
//! have no bound, F is monotone or falls against a power of t, from some t on:
//!
//! | g | t small: F between | t large: g at least, `F/t^c` falls |
//! |---|---|---|
//! | `l^j` | 0 and F(b), for `b <= e^-j` | `l^j`, where `l (c-1) >= j` |
//! | `\|l-m\|^3` | 0 and F(b), for `ln b <= m - 3` | `(l-m)^3`, where `(l-m) (c-1) >= 3` |
//! | `e^(a l)`, `a > 0` | 0 and F(b) | `e^(a l)`, for `c >= 1 + a` |
//! | `e^(-l/2)` | 0 and F(b) | 0, and at most `e^(-l/2)` |
//! | `ln(2/(1+e^-l))` | F(b) and 0, for `b <= 1/10` | its value, and at most `ln 2` |
//! | `(1-e^-l)^2/(1+e^-l)` | F(b) and 1, for `b <= 1` | its value, and at most 1 |

use rug::Float;

use super::super::moments::Average;
use enclosure::Enclosure;

/// A function of the loss.
#[derive(Clone, Debug)]
pub(super) enum Integrand {
    /// One of the averages.
    Average(Average),
    /// `e^(a l)`.
    Exponential(Enclosure),
}

impl Integrand {
    /// g.
    pub fn value(&self, loss: &Enclosure) -> Enclosure {
        match self {
            Integrand::Average(average) => average.at(loss),
            Integrand::Exponential(a) => (a * loss).exp(),
        }
    }

    /// `g' + g''`, at all losses of an enclosure.
    pub fn bend(&self, loss: &Enclosure) -> Enclosure {
        let one = Enclosure::one(loss.bits());
        match self {
            Integrand::Exponential(a) => &(a * &(a + &one)) * &(a * loss).exp(),
            Integrand::Average(Average::Power(j)) => {
                let power = |n: u32| loss.pow(u64::from(n)).mul_u32(*j);
                match j {
                    0 => Enclosure::zero(loss.bits()),
                    1 => one,
                    _ => power(j - 1) + power(j - 2).mul_u32(j - 1),
                }
            }
            Integrand::Average(Average::Cube(centre)) => {
                let gap = loss - &centre.with_bits(loss.bits());
                // 3u^2 + 6u above the centre, 6v - 3v^2 with v = -u below.
                let (above, below) = (gap.positive_part(), (-&gap).positive_part());
                let rising = above.square().mul_u32(3) + above.mul_u32(6);
                let falling = below.mul_u32(6) - below.square().mul_u32(3);
                match gap.sign() {
                    Some(std::cmp::Ordering::Less) => falling,
                    Some(_) => rising,
                    None => rising.hull(&falling),
                }
            }
            Integrand::Average(Average::Affinity) => -(-loss.shift(-1)).exp().shift(-2),
            Integrand::Average(Average::Midpoint) => (&one + &loss.exp()).square().recip(),
            // 8t/(1+t)^3
            Integrand::Average(Average::Triangle) => {
                let t = loss.exp();
                t.shift(3) / (&one + &t).pow(3)
            }
        }
    }

    /// All values of F on `(0, e^l]`, or `None` where that is not known.
    pub fn least(&self, loss: &Enclosure) -> Option<Enclosure> {
        let at = self.value(loss) * loss.exp();
        let (zero, one) = (Enclosure::zero(loss.bits()), Enclosure::one(loss.bits()));
        let below = |bound: &Enclosure| loss.upper() <= bound.lower();
        let monotone = match self {
            Integrand::Exponential(_) | Integrand::Average(Average::Affinity) => true,
            Integrand::Average(Average::Power(j)) => below(&-one.mul_u32(*j)),
            Integrand::Average(Average::Cube(centre)) => below(&(centre.with_bits(loss.bits()) - one.mul_u32(3))),
            Integrand::Average(Average::Midpoint) => below(&-one.mul_u32(3)),
            Integrand::Average(Average::Triangle) => return below(&zero).then(|| at.hull(&one)),
        };
        monotone.then(|| at.hull(&zero))
    }

    /// The sum of g over outcomes of P-mass `mass` in all and losses from l on, where `E_P e^((c-1) L)` is at most
    /// `e^(c (c-1) rho/2)` for every `c > 1`; `None` where that is not known, or no rho is.
    pub fn most(&self, loss: &Enclosure, mass: &Enclosure, rho: Option<&Enclosure>) -> Option<Enclosure> {
        let bits = loss.bits();
        let (zero, one) = (Enclosure::zero(bits), Enclosure::one(bits));
        if !(*loss.lower() > 0) {
            return None;
        }
        let here = self.value(loss);
        let (least, slow) = match self {
            Integrand::Average(Average::Affinity) => return Some((mass * &here).hull(&zero)),
            Integrand::Average(Average::Midpoint) => return Some(mass * &here.hull(&Enclosure::ln_2(bits))),
            Integrand::Average(Average::Triangle) => return Some(mass * &here.hull(&one)),
            Integrand::Average(Average::Power(j)) => (one.mul_u32(*j) / loss.clone(), true),
            Integrand::Average(Average::Cube(centre)) => {
                let gap = loss - &centre.with_bits(bits);
                if !(*gap.lower() > 0) {
                    return None;
                }
                (one.mul_u32(3) / gap, true)
            }
            Integrand::Exponential(a) => (a.clone(), false),
        };
        let rho = rho?;
        // c - 1: about where the bound is least, and as large as it has to be.
        let best = Enclosure::double(loss.lower().to_f64() / rho.upper().to_f64() - 0.5, bits);
        let above = if slow || best.lower() > least.upper() { best.max(&least) } else { return None };
        let exponent = &(&above * &(&(&(&above + &one) * rho).shift(-1) - loss));
        let upper = (&here * &exponent.exp()).upper().clone();
        let lower = (mass * &here).lower().clone();
        (lower <= upper && lower >= Float::new(bits)).then(|| Enclosure::new(lower, upper))
    }
}
