//! Elementary functions of doubles with the same result on every machine.
//!
//! The functions of [`f64`] call the C library, so their last bit depends on the platform. Estimates that decide which
//! method is tried must not. These are the functions of the crate `libm`, which uses only operations of IEEE 754. They
//! have no proven error bound and serve estimates only; [`doubles`](crate::doubles) has functions with bounds.

/// Elementary functions that do not depend on the platform.
pub trait Portable {
    /// `e^self`.
    fn portable_exp(self) -> f64;
    /// `2^self`.
    fn portable_exp2(self) -> f64;
    /// `e^self - 1`.
    fn portable_exp_m1(self) -> f64;
    /// `ln self`.
    fn portable_ln(self) -> f64;
    /// `ln(1 + self)`.
    fn portable_ln_1p(self) -> f64;
    /// The logarithm to base 2.
    fn portable_log2(self) -> f64;
    /// The logarithm to base 10.
    fn portable_log10(self) -> f64;
    /// `self^exponent`.
    fn portable_powf(self, exponent: f64) -> f64;
    /// `sqrt(self^2 + other^2)`.
    fn portable_hypot(self, other: f64) -> f64;
    /// `sin self`.
    fn portable_sin(self) -> f64;
    /// `cos self`.
    fn portable_cos(self) -> f64;
    /// `sin self` and `cos self`.
    fn portable_sin_cos(self) -> (f64, f64);
    /// `sinh self`.
    fn portable_sinh(self) -> f64;
    /// `cosh self`.
    fn portable_cosh(self) -> f64;
    /// `tanh self`.
    fn portable_tanh(self) -> f64;
    /// `arsinh self`.
    fn portable_asinh(self) -> f64;
    /// `artanh self`.
    fn portable_atanh(self) -> f64;
    /// The angle of the point `(other, self)`.
    fn portable_atan2(self, other: f64) -> f64;
}

impl Portable for f64 {
    fn portable_exp(self) -> f64 {
        libm::exp(self)
    }

    fn portable_exp2(self) -> f64 {
        libm::exp2(self)
    }

    fn portable_exp_m1(self) -> f64 {
        libm::expm1(self)
    }

    fn portable_ln(self) -> f64 {
        libm::log(self)
    }

    fn portable_ln_1p(self) -> f64 {
        libm::log1p(self)
    }

    fn portable_log2(self) -> f64 {
        libm::log2(self)
    }

    fn portable_log10(self) -> f64 {
        libm::log10(self)
    }

    fn portable_powf(self, exponent: f64) -> f64 {
        libm::pow(self, exponent)
    }

    fn portable_hypot(self, other: f64) -> f64 {
        libm::hypot(self, other)
    }

    fn portable_sin(self) -> f64 {
        libm::sin(self)
    }

    fn portable_cos(self) -> f64 {
        libm::cos(self)
    }

    fn portable_sin_cos(self) -> (f64, f64) {
        libm::sincos(self)
    }

    fn portable_sinh(self) -> f64 {
        libm::sinh(self)
    }

    fn portable_cosh(self) -> f64 {
        libm::cosh(self)
    }

    fn portable_tanh(self) -> f64 {
        libm::tanh(self)
    }

    fn portable_asinh(self) -> f64 {
        libm::asinh(self)
    }

    fn portable_atanh(self) -> f64 {
        libm::atanh(self)
    }

    fn portable_atan2(self, other: f64) -> f64 {
        libm::atan2(self, other)
    }
}
