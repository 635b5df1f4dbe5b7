//! Every implementation in this folder, as data: a runner goes through the list and judges each against the vectors.

use super::bound::ErrorBound;
use super::{discrete_gaussian, gaussian, kov, laplace, randomized_response};

/// What an implementation computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The profile, H_(e^epsilon).
    Delta,
    /// The inverse of the profile.
    Epsilon,
    /// The trade-off function.
    Beta,
    /// Kullback-Leibler divergence.
    KullbackLeibler,
    /// Total variation distance.
    TotalVariation,
    /// Chi-squared divergence.
    ChiSquared,
    /// Renyi divergence.
    Renyi,
}

/// The pair of distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// N(0, 1) and N(mu, 1).
    Gaussian,
    /// The k-fold composition of (epsilon0, delta0).
    ApproximateDp,
    /// Randomized response.
    RandomizedResponse,
    /// Lap(0, 1) and Lap(c, 1).
    Laplace,
    /// The n-fold composition of N_Z(0, sigma2) and N_Z(1, sigma2).
    DiscreteGaussian,
}

/// As accountants write it, or with a documented error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it is printed.
    Textbook,
    /// With a documented error bound.
    Careful,
}

/// The function and the order of its arguments: those of the mechanism, then the point.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// `f(parameter)`.
    Constant(fn(f64) -> f64),
    /// `f(parameter, point)`.
    Curve(fn(f64, f64) -> f64),
    /// `f(epsilon0, delta0, k, point)`.
    Composition(fn(f64, f64, u64, f64) -> f64),
    /// `f(sigma2, n, point)`.
    Power(fn(f64, u64, f64) -> f64),
}

/// One form of one formula.
#[derive(Clone, Copy, Debug)]
pub struct Implementation {
    /// Its name, such as `gaussian-delta/careful`.
    pub name: &'static str,
    /// The computed quantity.
    pub quantity: Quantity,
    /// The pair of distributions.
    pub family: Family,
    /// Textbook or careful form.
    pub form: Form,
    /// The error bound; `None` for a textbook form.
    pub bound: Option<ErrorBound>,
    /// The function.
    pub function: Function,
}

const fn textbook(name: &'static str, family: Family, quantity: Quantity, function: Function) -> Implementation {
    Implementation { name, quantity, family, form: Form::Textbook, bound: None, function }
}

const fn careful(
    name: &'static str,
    family: Family,
    quantity: Quantity,
    bound: ErrorBound,
    function: Function,
) -> Implementation {
    Implementation { name, quantity, family, form: Form::Careful, bound: Some(bound), function }
}

use Family::{ApproximateDp, DiscreteGaussian, Gaussian, Laplace, RandomizedResponse};
use Function::{Composition, Constant, Curve, Power};
use Quantity::{Beta, ChiSquared, Delta, Epsilon, KullbackLeibler, Renyi, TotalVariation};
use randomized_response as rr;

/// All of them.
pub static IMPLEMENTATIONS: &[Implementation] = &[
    textbook("gaussian-delta/textbook", Gaussian, Delta, Curve(gaussian::textbook::delta)),
    careful("gaussian-delta/careful", Gaussian, Delta, gaussian::DELTA_ERROR, Curve(gaussian::careful::delta)),
    textbook("gaussian-epsilon/textbook", Gaussian, Epsilon, Curve(gaussian::textbook::epsilon)),
    careful("gaussian-epsilon/careful", Gaussian, Epsilon, gaussian::EPSILON_ERROR, Curve(gaussian::careful::epsilon)),
    textbook("gaussian-beta/textbook", Gaussian, Beta, Curve(gaussian::textbook::tradeoff)),
    careful("gaussian-beta/careful", Gaussian, Beta, gaussian::TRADEOFF_ERROR, Curve(gaussian::careful::tradeoff)),
    textbook("kov-delta/textbook", ApproximateDp, Delta, Composition(kov::textbook::delta)),
    careful("kov-delta/careful", ApproximateDp, Delta, kov::DELTA_ERROR, Composition(kov::careful::delta)),
    textbook("kov-epsilon/textbook", ApproximateDp, Epsilon, Composition(kov::textbook::epsilon)),
    careful("kov-epsilon/careful", ApproximateDp, Epsilon, kov::EPSILON_ERROR, Composition(kov::careful::epsilon)),
    textbook("randomized-response-kl/textbook", RandomizedResponse, KullbackLeibler, Constant(rr::textbook::kl)),
    careful(
        "randomized-response-kl/careful",
        RandomizedResponse,
        KullbackLeibler,
        rr::KL_ERROR,
        Constant(rr::careful::kl),
    ),
    textbook(
        "randomized-response-tv/textbook",
        RandomizedResponse,
        TotalVariation,
        Curve(rr::textbook::total_variation),
    ),
    careful(
        "randomized-response-tv/careful",
        RandomizedResponse,
        TotalVariation,
        rr::TOTAL_VARIATION_ERROR,
        Curve(rr::careful::total_variation),
    ),
    textbook("randomized-response-chi2/textbook", RandomizedResponse, ChiSquared, Constant(rr::textbook::chi_squared)),
    careful(
        "randomized-response-chi2/careful",
        RandomizedResponse,
        ChiSquared,
        rr::CHI_SQUARED_ERROR,
        Constant(rr::careful::chi_squared),
    ),
    textbook("randomized-response-renyi/textbook", RandomizedResponse, Renyi, Curve(rr::textbook::renyi)),
    careful("randomized-response-renyi/careful", RandomizedResponse, Renyi, rr::RENYI_ERROR, Curve(rr::careful::renyi)),
    textbook("laplace-delta/textbook", Laplace, Delta, Curve(laplace::textbook::delta)),
    careful("laplace-delta/careful", Laplace, Delta, laplace::DELTA_ERROR, Curve(laplace::careful::delta)),
    textbook("laplace-beta/textbook", Laplace, Beta, Curve(laplace::textbook::tradeoff)),
    careful("laplace-beta/careful", Laplace, Beta, laplace::TRADEOFF_ERROR, Curve(laplace::careful::tradeoff)),
    textbook("laplace-kl/textbook", Laplace, KullbackLeibler, Constant(laplace::textbook::kl)),
    careful("laplace-kl/careful", Laplace, KullbackLeibler, laplace::KL_ERROR, Constant(laplace::careful::kl)),
    textbook("laplace-renyi/textbook", Laplace, Renyi, Curve(laplace::textbook::renyi)),
    careful("laplace-renyi/careful", Laplace, Renyi, laplace::RENYI_ERROR, Curve(laplace::careful::renyi)),
    textbook("discrete-gaussian-delta/textbook", DiscreteGaussian, Delta, Power(discrete_gaussian::textbook::delta)),
    careful(
        "discrete-gaussian-delta/careful",
        DiscreteGaussian,
        Delta,
        discrete_gaussian::DELTA_ERROR,
        Power(discrete_gaussian::careful::delta),
    ),
];
