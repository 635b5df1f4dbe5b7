"""The mechanisms, one function each. Written from the catalogue of the program by its tests: do not edit."""

from __future__ import annotations

from collections.abc import Iterable

from ._mechanism import Mechanism, MechanismLike, built
from ._types import Number, Numbers

__all__ = [
    "approx_dp",
    "randomized_response",
    "k_randomized_response",
    "gaussian",
    "gdp",
    "laplace",
    "geometric",
    "staircase",
    "discrete_gaussian",
    "finite",
    "shuffle",
    "shuffle_clones",
    "noisy_cgd",
    "poisson",
    "pure_dp",
    "f_dp",
    "zcdp",
    "rdp",
    "cdp",
    "subsample",
    "group",
    "group_one_way",
    "inverse",
    "symmetrize",
    "hull",
    "mixture",
    "trade_off",
    "profile",
]


def approx_dp(*, epsilon: Number, delta: Number) -> Mechanism:
    r"""the worst (epsilon, delta)-DP mechanism, whose composition is the optimal one.

    P = delta, (1-delta)x/(1+x), (1-delta)/(1+x), 0 on four outcomes, x = e^epsilon
    Q the reverse

    Example: ``approx-dp(epsilon=0.1, delta=0.001)^30``

    Args:
        epsilon: the loss of the inner outcomes, at least 0.
        delta: the probability of a certain leak, between 0 and 1.
    """
    return built("approx-dp", [("epsilon", epsilon), ("delta", delta)])


def randomized_response(*, epsilon: Number) -> Mechanism:
    r"""the truth about one bit with probability x/(1+x), x = e^epsilon, a lie otherwise.

    P = (x/(1+x), 1/(1+x))
    Q the reverse

    Example: ``randomized-response(epsilon=ln(3/2))``

    Args:
        epsilon: the loss, at least 0.
    """
    return built("randomized-response", [("epsilon", epsilon)])


def k_randomized_response(*, epsilon: Number, categories: Number) -> Mechanism:
    r"""one's own of k answers with odds of x = e^epsilon to each other one.

    P = (x, 1, 1, ..., 1)/(x+k-1) on k = categories answers
    Q = (1, x, 1, ..., 1)/(x+k-1)

    Example: ``k-randomized-response(epsilon=ln(3), categories=5)^10``

    Args:
        epsilon: the largest loss, at least 0.
        categories: how many answers there are, an integer of at least 2.
    """
    return built("k-randomized-response", [("epsilon", epsilon), ("categories", categories)])


def gaussian(*, sigma: Number | None = None, noise_multiplier: Number | None = None, sensitivity: Number | None = None) -> Mechanism:
    r"""Gaussian noise of standard deviation sigma.

    P = N(0, sigma^2)
    Q = N(sensitivity, sigma^2)

    Example: ``gaussian(sigma=2)^10``

    Args:
        sigma: the standard deviation of the noise, greater than 0.
        noise_multiplier: the same in units of the sensitivity, instead of sigma.
        sensitivity: how far neighbours are apart, at least 0; 1 unless given.
    """
    return built("gaussian", [("sigma", sigma), ("noise-multiplier", noise_multiplier), ("sensitivity", sensitivity)])


def gdp(*, mu: Number) -> Mechanism:
    r"""Gaussian differential privacy: the test of N(0,1) against N(mu,1).

    P = N(0, 1)
    Q = N(mu, 1)

    Example: ``gdp(mu=1/2)``

    Args:
        mu: the distance of the means, at least 0.
    """
    return built("gdp", [("mu", mu)])


def laplace(*, scale: Number, sensitivity: Number | None = None) -> Mechanism:
    r"""Laplace noise of this scale.

    P = Lap(0, scale)
    Q = Lap(sensitivity, scale)

    Example: ``laplace(scale=3)``

    Args:
        scale: the scale of the noise, greater than 0.
        sensitivity: how far neighbours are apart, at least 0; 1 unless given.
    """
    return built("laplace", [("scale", scale), ("sensitivity", sensitivity)])


def geometric(*, epsilon: Number, sensitivity: Number | None = None) -> Mechanism:
    r"""two-sided geometric noise, P(j) proportional to e^{-epsilon |j|}.

    P(j) = (x-1)/(x+1) x^{-|j|}, x = e^epsilon
    Q(j) = P(j - sensitivity)

    Example: ``geometric(epsilon=1)``

    Args:
        epsilon: the rate of decay, at least 0.
        sensitivity: how far neighbours are apart, an integer; 1 unless given.
    """
    return built("geometric", [("epsilon", epsilon), ("sensitivity", sensitivity)])


def staircase(*, epsilon: Number, gamma: Number, sensitivity: Number | None = None) -> Mechanism:
    r"""staircase noise with steps of length 1 that fall by e^-epsilon.

    P = staircase density
    Q(y) = P(y - sensitivity)

    Example: ``staircase(epsilon=1, gamma=1/2)``

    Args:
        epsilon: the logarithm of the height ratio of steps, greater than 0.
        gamma: where in a step the density falls, between 0 and 1.
        sensitivity: how many steps neighbours are apart, an integer; 1 unless given.
    """
    return built("staircase", [("epsilon", epsilon), ("gamma", gamma), ("sensitivity", sensitivity)])


def discrete_gaussian(*, sigma2: Number | None = None, sigma: Number | None = None, sensitivity: Number | None = None) -> Mechanism:
    r"""discrete Gaussian noise, P(j) proportional to e^{-j^2/(2 sigma2)}.

    P = N_Z(0, sigma2)
    Q = N_Z(sensitivity, sigma2)

    Example: ``discrete-gaussian(sigma2=120000/1729)^9``

    Args:
        sigma2: the square of the scale, rational and greater than 0.
        sigma: the scale, greater than 0 and with a rational square.
        sensitivity: how far neighbours are apart, an integer; 1 unless given.
    """
    return built("discrete-gaussian", [("sigma2", sigma2), ("sigma", sigma), ("sensitivity", sensitivity)])


def finite(*, p: Numbers, q: Numbers) -> Mechanism:
    r"""any pair of rational distributions on finitely many outcomes.

    P = p
    Q = q

    Example: ``finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])``

    Args:
        p: the probabilities of P, which sum to 1.
        q: the probabilities of Q on the same outcomes.
    """
    return built("finite", [("p", p), ("q", q)])


def shuffle(*, n: Number, epsilon0: Number, categories: Number | None = None) -> Mechanism:
    r"""n shuffled reports: the stronger clones' pair, a bound for a class of epsilon0-private local mechanisms.

    P = (A+1, C-A) with probability x/(x+k-1), (A, C-A+1) with 1/(x+k-1), else (A, C-A), C ~ Bin(n-1, 2/(x+k-1)), A ~ Bin(C, 1/2), x = e^epsilon0, k = categories
    Q the same with the first two exchanged

    Example: ``shuffle(n=10000, epsilon0=40/9)``

    Args:
        n: how many reports are shuffled, an integer of at least 1.
        epsilon0: the epsilon of one report, at least 0.
        categories: the answers of a randomised response, whose exact pair it is; with 2 the stronger clones; 2 unless given.
    """
    return built("shuffle", [("n", n), ("epsilon0", epsilon0), ("categories", categories)])


def shuffle_clones(*, n: Number, epsilon0: Number) -> Mechanism:
    r"""n shuffled reports: the pair of the clones of 2022, a larger bound of every local mechanism.

    P = (A+1, C-A) with probability x/(x+1), else (A, C-A+1), C ~ Bin(n-1, 1/x), A ~ Bin(C, 1/2), x = e^epsilon0
    Q the same with both exchanged

    Example: ``shuffle-clones(n=10000, epsilon0=2)``

    Args:
        n: how many reports are shuffled, an integer of at least 1.
        epsilon0: the epsilon of one report, at least 0.
    """
    return built("shuffle-clones", [("n", n), ("epsilon0", epsilon0)])


def noisy_cgd(*, epochs: Number, batches: Number, ratio: Number, contraction: Number) -> Mechanism:
    r"""the last iterate of noisy cyclic gradient descent: a Gaussian mechanism that bounds it.

    P = N(0, 1)
    Q = N(mu, 1), mu^2 = ratio^2 (1 + c^(2l-2) (1-c^2)/(1-c^l)^2 (1-c^(l(E-1)))/(1+c^(l(E-1)))), l = batches, E = epochs, c = contraction

    Example: ``noisy-cgd(epochs=50, batches=40, ratio=2/3, contraction=0.9999)``

    Args:
        epochs: how often the data is gone through, an integer of at least 1.
        batches: how many batches there are, an integer of at least 1.
        ratio: what one record moves a step, over the standard deviation of its noise, at least 0.
        contraction: by how much a step shrinks distances, from 0 to 1.
    """
    return built("noisy-cgd", [("epochs", epochs), ("batches", batches), ("ratio", ratio), ("contraction", contraction)])


def poisson(*, rate: Number | None = None, sampling_rate: Number | None = None, inner: MechanismLike) -> Mechanism:
    r"""another mechanism on a sample that has each record with probability rate.

    P = (1-rate) Q0 + rate P0
    Q = Q0, with P0 and Q0 of the mechanism inside

    Example: ``poisson(rate=0.01, gaussian(sigma=1))^1000``

    Args:
        rate: the probability of a record to be in the sample, between 0 and 1.
        sampling_rate: the same, by the other name.
        inner: the mechanism inside, or a composition; needs no name.
    """
    return built("poisson", [("rate", rate), ("sampling-rate", sampling_rate), ("mechanism", inner)])


def pure_dp(*, epsilon: Number) -> Mechanism:
    r"""a guarantee: whatever is epsilon-DP; answered by bounds.

    P = (x/(1+x), 1/(1+x)), x = e^epsilon
    Q the reverse: the worst of all

    Example: ``pure-dp(epsilon=1/2)^10``

    Args:
        epsilon: no loss is larger, at least 0.
    """
    return built("pure-dp", [("epsilon", epsilon)])


def f_dp(*, alpha: Numbers, beta: Numbers) -> Mechanism:
    r"""a guarantee: whatever is f-DP, f the polyline through given points; answered by bounds.

    that of the trade-off function f: the worst of all

    Example: ``f-dp(alpha=[0,1/4,1], beta=[1,1/4,0])``

    Args:
        alpha: type I errors from 0 to 1, fractions that increase.
        beta: the least type II errors there, fractions, the last one 0.
    """
    return built("f-dp", [("alpha", alpha), ("beta", beta)])


def zcdp(*, rho: Number) -> Mechanism:
    r"""a guarantee: whatever is rho-zCDP; answered by bounds.

    none: D_a(P||Q) and D_a(Q||P) are at most a rho at every order a > 1

    Example: ``zcdp(rho=1/10)``

    Args:
        rho: the Renyi divergence of order a is at most a rho, at least 0.
    """
    return built("zcdp", [("rho", rho)])


def rdp(*, order: Number, epsilon: Number) -> Mechanism:
    r"""a guarantee: whatever has a Renyi divergence of this order of at most epsilon; answered by bounds.

    none: D_order(P||Q) and D_order(Q||P) are at most epsilon

    Example: ``rdp(order=8, epsilon=1/4)^10``

    Args:
        order: the order of the divergence, greater than 1.
        epsilon: the divergence is at most that, at least 0.
    """
    return built("rdp", [("order", order), ("epsilon", epsilon)])


def cdp(*, mu: Number, tau: Number) -> Mechanism:
    r"""a guarantee: whatever is (mu, tau)-concentrated; answered by bounds.

    none: the loss, of mean mu at most, is tau-subgaussian about it both ways, so D_(1+t) <= mu + t tau^2/2

    Example: ``cdp(mu=1/8, tau=1/2)``

    Args:
        mu: the mean of the loss is at most that, at least 0.
        tau: the loss less its mean is tau-subgaussian, at least 0.
    """
    return built("cdp", [("mu", mu), ("tau", tau)])


def subsample(*, rate: Number, inner: MechanismLike) -> Mechanism:
    r"""a symmetric composition on a uniform sample of a fixed share of the records: C_rate(f).

    that of min(f_rate, f_rate^-1)**, with f_rate = rate f + (1-rate) Id

    Example: ``subsample(rate=1/10, gaussian(sigma=1))``

    Args:
        rate: the share of the records in the sample, between 0 and 1.
        inner: the composition inside; needs no name.
    """
    return built("subsample", [("rate", rate), ("mechanism", inner)])


def group(*, k: Number, inner: MechanismLike) -> Mechanism:
    r"""a composition, for groups of k records, each added or removed: 1 - (1-h)^(o k), h = min(f, f^-1)**.

    the ends of a chain of k neighbours, each two bounded by f or by f^-1
    for k = 1 the pair inside

    Example: ``group(k=3, randomized-response(epsilon=ln(3/2))^2)``

    Args:
        k: the size of the group, an integer from 0 to 2^63.
        inner: the composition inside; needs no name.
    """
    return built("group", [("k", k), ("mechanism", inner)])


def group_one_way(*, k: Number, inner: MechanismLike) -> Mechanism:
    r"""a composition, for groups of k records, all added or all removed: 1 - (1-f)^(o k).

    the ends of a chain of k neighbours, each two bounded by f in the order of the chain

    Example: ``group-one-way(k=2, poisson(rate=1/10, laplace(scale=1)))``

    Args:
        k: the size of the group, an integer from 0 to 2^63.
        inner: the composition inside; needs no name.
    """
    return built("group-one-way", [("k", k), ("mechanism", inner)])


def inverse(*, inner: MechanismLike) -> Mechanism:
    r"""a composition with P and Q exchanged: f^-1.

    P = Q0
    Q = P0, of the composition inside

    Example: ``inverse(poisson(rate=1/10, gaussian(sigma=1)))``

    Args:
        inner: the composition inside; needs no name.
    """
    return built("inverse", [("mechanism", inner)])


def symmetrize(*, inner: MechanismLike) -> Mechanism:
    r"""what f-privacy in both orders comes to: max(f, f^-1).

    that of the larger one of f and f^-1

    Example: ``symmetrize(finite(p=[1/2,1/2], q=[1/5,4/5]))``

    Args:
        inner: the composition inside; needs no name.
    """
    return built("symmetrize", [("mechanism", inner)])


def hull(*, inner: MechanismLike) -> Mechanism:
    r"""the worse of both orders of a composition: min(f, f^-1)**.

    that of the greatest convex function below f and f^-1

    Example: ``hull(poisson(rate=1/10, gaussian(sigma=1)))``

    Args:
        inner: the composition inside; needs no name.
    """
    return built("hull", [("mechanism", inner)])


def mixture(*, weights: Numbers, mechanisms: Iterable[MechanismLike]) -> Mechanism:
    r"""one of several compositions, drawn with these probabilities, and told which.

    P = sum w_i P_i
    Q = sum w_i Q_i, with the index i seen

    Example: ``mixture(1/3: gaussian(sigma=1), 2/3: laplace(scale=2)^2)``

    Args:
        weights: the probabilities, which sum to 1; written before each composition, as in 1/3: gdp(mu=1); one may be `rest`, what the others leave.
        mechanisms: the compositions, as many.
    """
    return built("mixture", [("weights", weights), ("mechanisms", mechanisms)])


def trade_off(*, alpha: Numbers, beta: Numbers) -> Mechanism:
    r"""the trade-off function that is the polyline through given points.

    an outcome for each segment, with its width under P and its height under Q

    Example: ``trade-off(alpha=[0,1/4,1], beta=[1,1/4,0])``

    Args:
        alpha: type I errors from 0 to 1, fractions that increase.
        beta: the type II errors there, fractions, the last one 0.
    """
    return built("trade-off", [("alpha", alpha), ("beta", beta)])


def profile(*, epsilon: Numbers, delta: Numbers) -> Mechanism:
    r"""the least private mechanism that keeps several promises (epsilon_i, delta_i) at once.

    that of the largest of the f_{epsilon_i, delta_i}, a mixture of randomised responses

    Example: ``profile(epsilon=[0,ln(2)], delta=[1/3,1/20])``

    Args:
        epsilon: each at least 0; what has e^epsilon in fractions, as ln(3/2), is exact in fractions.
        delta: a fraction between 0 and 1 for each of them.
    """
    return built("profile", [("epsilon", epsilon), ("delta", delta)])
