//! Elementary functions of doubles with the same result on every machine.
//!
//! The functions of [`f64`] call the C library, so their last bit depends on the platform. Estimates that decide which
//! method is tried must not. These are the functions of the crate `libm`, which uses only operations of IEEE 754. They
//! have no proven error bound and serve estimates only; [`doubles`](crate::doubles) has functions with bounds.

/// The trait, and its implementation by functions of the crate `libm`.
macro_rules! portable {
    ($($text:literal $name:ident($($other:ident)?) -> $result:ty = $function:ident;)*) => {
        /// Elementary functions that do not depend on the platform.
        pub trait Portable {
            $(#[doc = $text] fn $name(self $(, $other: f64)?) -> $result;)*
        }

        impl Portable for f64 {
            $(#[inline] fn $name(self $(, $other: f64)?) -> $result {
                libm::$function(self $(, $other)?)
            })*
        }
    };
}

portable! {
    "`e^self`." portable_exp() -> f64 = exp;
    "`2^self`." portable_exp2() -> f64 = exp2;
    "`e^self - 1`." portable_exp_m1() -> f64 = expm1;
    "`ln self`." portable_ln() -> f64 = log;
    "`ln(1 + self)`." portable_ln_1p() -> f64 = log1p;
    "The logarithm to base 2." portable_log2() -> f64 = log2;
    "The logarithm to base 10." portable_log10() -> f64 = log10;
    "`self^exponent`." portable_powf(exponent) -> f64 = pow;
    "`sqrt(self^2 + other^2)`." portable_hypot(other) -> f64 = hypot;
    "`sin self`." portable_sin() -> f64 = sin;
    "`cos self`." portable_cos() -> f64 = cos;
    "`sin self` and `cos self`." portable_sin_cos() -> (f64, f64) = sincos;
    "`sinh self`." portable_sinh() -> f64 = sinh;
    "`cosh self`." portable_cosh() -> f64 = cosh;
    "`tanh self`." portable_tanh() -> f64 = tanh;
    "`arsinh self`." portable_asinh() -> f64 = asinh;
    "`artanh self`." portable_atanh() -> f64 = atanh;
    "The angle of the point `(other, self)`." portable_atan2(other) -> f64 = atan2;
}

#[cfg(test)]
mod tests {
    use rug::Float;
    use rug::ops::Pow;

    use super::*;

    /// A function of doubles, and the same of MPFR.
    type Both = (fn(f64) -> f64, fn(Float) -> Float);

    /// Each function is the one of its name: the nearest double or a neighbour of it.
    #[test]
    fn functions_are_those_of_mpfr() {
        let near = |found: f64, truth: Float, what: &str| {
            let nearest = truth.to_f64();
            assert!([nearest.next_down(), nearest, nearest.next_up()].contains(&found), "{what}: {found} {nearest}");
        };
        let functions: [Both; 14] = [
            (f64::portable_exp, Float::exp),
            (f64::portable_exp2, Float::exp2),
            (f64::portable_exp_m1, Float::exp_m1),
            (f64::portable_ln, Float::ln),
            (f64::portable_ln_1p, Float::ln_1p),
            (f64::portable_log2, Float::log2),
            (f64::portable_log10, Float::log10),
            (f64::portable_sin, Float::sin),
            (f64::portable_cos, Float::cos),
            (f64::portable_sinh, Float::sinh),
            (f64::portable_cosh, Float::cosh),
            (f64::portable_tanh, Float::tanh),
            (f64::portable_asinh, Float::asinh),
            (f64::portable_atanh, Float::atanh),
        ];
        for (place, (double, exact)) in functions.into_iter().enumerate() {
            for x in [0.125, 0.4, 0.75] {
                near(double(x), exact(Float::with_val(200, x)), &format!("function {place} at {x}"));
            }
        }
        for (x, y) in [(0.4_f64, 3.5), (2.5, -1.25)] {
            let (a, b) = (Float::with_val(200, x), Float::with_val(200, y));
            near(x.portable_powf(y), a.clone().pow(&b), "power");
            near(x.portable_hypot(y), a.clone().hypot(&b), "hypotenuse");
            near(x.portable_atan2(y), a.clone().atan2(&b), "angle");
            let (sin, cos) = x.portable_sin_cos();
            near(sin, a.clone().sin(), "sine");
            near(cos, a.cos(), "cosine");
        }
    }
}
