//! The error-function family and binomial coefficients.
//!
//! **Contract.** As everywhere in this crate: if the inputs enclose their true values, the output encloses the true
//! result. The functions of one variable are monotone, so they are evaluated at each end point of their argument as an
//! exact number, and the outward ends are kept. `bits` is *relative* accuracy, in the far tails as near zero.
//!
//! Everything rests on two series (`series.rs`):
//!
//! * `f(y) = sum_n y^n / (1*3*5*...*(2n+1))`, Kummer's form, all terms positive, so nothing cancels inside it:
//!   `Phi(x) - 1/2 = x phi(x) f(x^2)`;
//! * `A(w) = sum_n (-1)^n (1*3*...*(2n-1)) w^n`, the asymptotic series of Mills' ratio, cut where its error is known:
//!   `(1 - Phi(x)) / phi(x) = A(1/x^2) / x` for `x > 0`.
//!
//! The first is taken while `e^{-x^2/2}` is above the accuracy asked for, and the second from there on; at the border
//! both reach it. Paper proof: `proofs/paper/error-function.md`.

mod binomial;
mod elementary;
mod normal;
mod quantile;
mod series;

pub use binomial::{binomial, binomial_enclosure, ln_binomial};
pub use elementary::{enclosure_thin, exp_thin, expm1_thin, ln_thin, log1p_thin, rational_thin};
pub use normal::{
    Tail, erf, erfc, erfcx, ln_normal_cdf, ln_normal_tail, mills, normal_cdf, normal_central, normal_density,
    normal_tail, prefers_asymptotic, recip_sqrt_two_pi,
};
pub use quantile::{normal_quantile, tail_quantile};
pub use series::{asymptotic, kummer};
