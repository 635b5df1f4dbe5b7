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
    r"""worst-case (epsilon, delta)-DP mechanism: every other one is a post-processing of it, so its powers give the optimal composition.

    P = (delta, (1-delta)x/(1+x), (1-delta)/(1+x), 0) on four outcomes, x = e^epsilon
    Q = P in reverse order

    Example: ``approx-dp(epsilon=0.1, delta=0.001)^30``

    Args:
        epsilon: epsilon of the guarantee, at least 0.
        delta: delta of the guarantee, the probability of infinite privacy loss, between 0 and 1.
    """
    return built("approx-dp", [("epsilon", epsilon), ("delta", delta)])


def randomized_response(*, epsilon: Number | None = None, p: Number | None = None) -> Mechanism:
    r"""randomized response (Warner): reports the true bit with probability x/(1+x), x = e^epsilon, and the other bit otherwise.

    P = (x/(1+x), 1/(1+x)), x = e^epsilon
    Q = P in reverse order

    Example: ``randomized-response(epsilon=ln(3/2))``

    Args:
        epsilon: epsilon of pure (local) DP, the absolute privacy loss of every report, at least 0.
        p: probability of the true bit, at least 1/2 and less than 1; replaces epsilon, which is ln(p/(1-p)).
    """
    return built("randomized-response", [("epsilon", epsilon), ("p", p)])


def k_randomized_response(*, epsilon: Number | None = None, p: Number | None = None, categories: Number) -> Mechanism:
    r"""k-ary randomized response: reports the true one of k answers with probability x/(x+k-1), x = e^epsilon, and each other answer with probability 1/(x+k-1).

    P = (x, 1, 1, ..., 1)/(x+k-1) on k = categories answers
    Q = (1, x, 1, ..., 1)/(x+k-1)

    Example: ``k-randomized-response(epsilon=ln(3), categories=5)^10``

    Args:
        epsilon: epsilon of pure (local) DP, the largest privacy loss, at least 0.
        p: probability of the true answer, at least 1/k and less than 1; replaces epsilon, which is ln(p (k-1)/(1-p)).
        categories: number k of answers, an integer of at least 2.
    """
    return built("k-randomized-response", [("epsilon", epsilon), ("p", p), ("categories", categories)])


def gaussian(*, sigma: Number | None = None, sigma2: Number | None = None, noise_multiplier: Number | None = None, mu: Number | None = None, sensitivity: Number | None = None) -> Mechanism:
    r"""Gaussian mechanism: adds noise N(0, sigma^2) to each coordinate of a real-valued query.

    P = N(0, sigma^2)
    Q = N(sensitivity, sigma^2)

    Example: ``gaussian(sigma=2)^10``

    Args:
        sigma: standard deviation of the noise, greater than 0.
        sigma2: variance sigma^2 of the noise, greater than 0; replaces sigma.
        noise_multiplier: sigma divided by the sensitivity, greater than 0; replaces sigma.
        mu: GDP parameter, the sensitivity divided by sigma, greater than 0; replaces sigma.
        sensitivity: L2 sensitivity: largest distance between the query's values on neighbouring data sets, at least 0; default 1.
    """
    return built("gaussian", [("sigma", sigma), ("sigma2", sigma2), ("noise-multiplier", noise_multiplier), ("mu", mu), ("sensitivity", sensitivity)])


def gdp(*, mu: Number) -> Mechanism:
    r"""Gaussian differential privacy (mu-GDP): the least private mu-GDP mechanism, N(0, 1) against N(mu, 1).

    P = N(0, 1)
    Q = N(mu, 1)

    Example: ``gdp(mu=1/2)``

    Args:
        mu: GDP parameter, sensitivity/sigma of a Gaussian mechanism, at least 0.
    """
    return built("gdp", [("mu", mu)])


def laplace(*, scale: Number | None = None, epsilon: Number | None = None, sensitivity: Number | None = None) -> Mechanism:
    r"""Laplace mechanism: adds noise of density e^{-|y|/scale}/(2 scale) to a real-valued query.

    P = Lap(0, scale)
    Q = Lap(sensitivity, scale)

    Example: ``laplace(scale=3)``

    Args:
        scale: scale of the noise, greater than 0.
        epsilon: epsilon of pure DP, sensitivity/scale, greater than 0; replaces scale.
        sensitivity: largest change of the query between neighbouring data sets, at least 0; default 1.
    """
    return built("laplace", [("scale", scale), ("epsilon", epsilon), ("sensitivity", sensitivity)])


def geometric(*, epsilon: Number | None = None, scale: Number | None = None, sensitivity: Number | None = None) -> Mechanism:
    r"""geometric mechanism (discrete Laplace): adds integer noise, P(j) proportional to e^{-epsilon |j|}.

    P(j) = (x-1)/(x+1) x^{-|j|}, x = e^epsilon
    Q(j) = P(j - sensitivity)

    Example: ``geometric(epsilon=1)``

    Args:
        epsilon: decay rate of the noise (1/scale), the epsilon of pure DP at sensitivity 1, at least 0.
        scale: scale of the noise, P(j) proportional to e^{-|j|/scale}, greater than 0; replaces epsilon.
        sensitivity: largest change of the query between neighbouring data sets, an integer of at least 0; default 1.
    """
    return built("geometric", [("epsilon", epsilon), ("scale", scale), ("sensitivity", sensitivity)])


def staircase(*, epsilon: Number, gamma: Number, sensitivity: Number | None = None) -> Mechanism:
    r"""staircase mechanism: adds noise whose piecewise constant density falls by the factor e^-epsilon once in each unit interval.

    P = staircase density, symmetric about 0
    Q(y) = P(y - sensitivity)

    Example: ``staircase(epsilon=1, gamma=1/2)``

    Args:
        epsilon: logarithm of the ratio of adjacent step heights, greater than 0.
        gamma: position in the unit interval at which the density falls, between 0 and 1.
        sensitivity: largest change of the query between neighbouring data sets in steps, an integer of at least 0; default 1.
    """
    return built("staircase", [("epsilon", epsilon), ("gamma", gamma), ("sensitivity", sensitivity)])


def discrete_gaussian(*, sigma2: Number | None = None, sigma: Number | None = None, sensitivity: Number | None = None) -> Mechanism:
    r"""discrete Gaussian mechanism: adds integer noise, P(j) proportional to e^{-j^2/(2 sigma2)}.

    P = N_Z(0, sigma2)
    Q = N_Z(sensitivity, sigma2)

    Example: ``discrete-gaussian(sigma2=120000/1729)^9``

    Args:
        sigma2: parameter sigma^2 of the noise (not quite its variance), rational and greater than 0.
        sigma: square root of sigma2, greater than 0 and with a rational square; replaces sigma2.
        sensitivity: largest change of the query between neighbouring data sets, an integer of at least 0; default 1.
    """
    return built("discrete-gaussian", [("sigma2", sigma2), ("sigma", sigma), ("sensitivity", sensitivity)])


def finite(*, p: Numbers, q: Numbers) -> Mechanism:
    r"""custom pair of distributions on finitely many outcomes, with rational probabilities.

    P = p
    Q = q

    Example: ``finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])``

    Args:
        p: probabilities of P, fractions that sum to 1.
        q: probabilities of Q on the same outcomes, fractions that sum to 1.
    """
    return built("finite", [("p", p), ("q", q)])


def shuffle(*, n: Number, epsilon0: Number, categories: Number | None = None) -> Mechanism:
    r"""shuffle model: n shuffled reports of an epsilon0-DP local mechanism, by the stronger clones or by k-ary randomized response.

    P = (A+1, C-A) with probability x/(x+k-1), (A, C-A+1) with 1/(x+k-1), else (A, C-A), C ~ Bin(n-1, 2/(x+k-1)), A ~ Bin(C, 1/2), x = e^epsilon0, k = categories
    Q = the same with the first two cases exchanged

    Example: ``shuffle(n=10000, epsilon0=40/9)``

    Args:
        n: number of shuffled reports, an integer of at least 1.
        epsilon0: local epsilon of each report, at least 0.
        categories: number k of answers of k-ary randomized response; 2 gives the stronger-clones bound; default 2.
    """
    return built("shuffle", [("n", n), ("epsilon0", epsilon0), ("categories", categories)])


def shuffle_clones(*, n: Number, epsilon0: Number) -> Mechanism:
    r"""shuffle model: n shuffled reports of any epsilon0-DP local mechanism, by the clones of 2022 (a looser bound than `shuffle`).

    P = (A+1, C-A) with probability x/(x+1), else (A, C-A+1), C ~ Bin(n-1, 1/x), A ~ Bin(C, 1/2), x = e^epsilon0
    Q = the same with both cases exchanged

    Example: ``shuffle-clones(n=10000, epsilon0=2)``

    Args:
        n: number of shuffled reports, an integer of at least 1.
        epsilon0: local epsilon of each report, at least 0.
    """
    return built("shuffle-clones", [("n", n), ("epsilon0", epsilon0)])


def noisy_cgd(*, epochs: Number, batches: Number, ratio: Number, contraction: Number) -> Mechanism:
    r"""last iterate of noisy cyclic gradient descent (batches in a fixed order) with contractive steps, bounded by a Gaussian pair.

    P = N(0, 1)
    Q = N(mu, 1), mu^2 = ratio^2 (1 + c^(2l-2) (1-c^2)/(1-c^l)^2 (1-c^(l(E-1)))/(1+c^(l(E-1)))), l = batches, E = epochs, c = contraction

    Example: ``noisy-cgd(epochs=50, batches=40, ratio=2/3, contraction=0.9999)``

    Args:
        epochs: number of passes over the data, an integer of at least 1.
        batches: number of batches in an epoch, an integer of at least 1.
        ratio: sensitivity of a step to one record divided by the standard deviation of its noise, at least 0.
        contraction: contraction factor c (Lipschitz constant) of a step, from 0 to 1.
    """
    return built("noisy-cgd", [("epochs", epochs), ("batches", batches), ("ratio", ratio), ("contraction", contraction)])


def poisson(*, rate: Number | None = None, sampling_rate: Number | None = None, inner: MechanismLike) -> Mechanism:
    r"""Poisson subsampling: runs a mechanism on a sample that includes each record independently with probability rate; neighbours add or remove one record.

    P = (1-rate) Q0 + rate P0 (record present)
    Q = Q0 (record absent), with P0 and Q0 of the mechanism inside

    Example: ``poisson(rate=0.01, gaussian(sigma=1))^1000``

    Args:
        rate: sampling probability of each record, between 0 and 1.
        sampling_rate: another name for rate.
        inner: mechanism or composition to run on the sample, written without `mechanism=`; gaussian(...) gives the subsampled Gaussian mechanism.
    """
    return built("poisson", [("rate", rate), ("sampling-rate", sampling_rate), ("mechanism", inner)])


def pure_dp(*, epsilon: Number) -> Mechanism:
    r"""pure DP guarantee: any epsilon-DP mechanism.

    P = (x/(1+x), 1/(1+x)), x = e^epsilon
    Q = P in reverse order, the worst case

    Example: ``pure-dp(epsilon=1/2)^10``

    Args:
        epsilon: epsilon of the guarantee, at least 0.
    """
    return built("pure-dp", [("epsilon", epsilon)])


def f_dp(*, alpha: Numbers, beta: Numbers) -> Mechanism:
    r"""f-DP guarantee: any mechanism whose trade-off function is at least f, the piecewise-linear function through given points.

    P and Q with trade-off function f, the worst case

    Example: ``f-dp(alpha=[0,1/4,1], beta=[1,1/4,0])``

    Args:
        alpha: type I errors, fractions that increase from 0 to 1.
        beta: values of f there (smallest type II errors), fractions, the last one 0.
    """
    return built("f-dp", [("alpha", alpha), ("beta", beta)])


def zcdp(*, rho: Number) -> Mechanism:
    r"""zCDP guarantee (zero-concentrated DP): any rho-zCDP mechanism.

    no single pair: D_a(P||Q) and D_a(Q||P) are at most a rho at every order a > 1

    Example: ``zcdp(rho=1/10)``

    Args:
        rho: rho of the guarantee, at least 0.
    """
    return built("zcdp", [("rho", rho)])


def rdp(*, order: Number, epsilon: Number) -> Mechanism:
    r"""RDP guarantee (Renyi DP) at one order: any (order, epsilon)-RDP mechanism.

    no single pair: D_order(P||Q) and D_order(Q||P) are at most epsilon

    Example: ``rdp(order=8, epsilon=1/4)^10``

    Args:
        order: order of the Renyi divergence, greater than 1.
        epsilon: upper bound on the divergence of this order, at least 0.
    """
    return built("rdp", [("order", order), ("epsilon", epsilon)])


def cdp(*, mu: Number, tau: Number) -> Mechanism:
    r"""CDP guarantee (concentrated DP, Dwork and Rothblum 2016): any (mu, tau)-CDP mechanism.

    no single pair: in both directions the privacy loss has mean at most mu and is tau-subgaussian about its mean, so D_(1+t) <= mu + t tau^2/2

    Example: ``cdp(mu=1/8, tau=1/2)``

    Args:
        mu: upper bound on the mean privacy loss, at least 0.
        tau: subgaussian parameter of the privacy loss about its mean, at least 0.
    """
    return built("cdp", [("mu", mu), ("tau", tau)])


def subsample(*, rate: Number, inner: MechanismLike) -> Mechanism:
    r"""subsampling without replacement: runs a symmetric composition on a uniform sample of fixed size; neighbours replace one record.

    P and Q with trade-off function C_rate(f) = min(f_rate, f_rate^-1)**, f_rate = rate f + (1-rate) Id, with f of the composition inside

    Example: ``subsample(rate=1/10, gaussian(sigma=1))``

    Args:
        rate: sample size divided by the number of records, between 0 and 1.
        inner: mechanism or composition to act on, such as gaussian(sigma=1)^10; written without `mechanism=`.
    """
    return built("subsample", [("rate", rate), ("mechanism", inner)])


def group(*, k: Number, inner: MechanismLike) -> Mechanism:
    r"""group privacy for k records, each added or removed: trade-off function 1 - (1-h)^(o k), h = min(f, f^-1)**.

    P and Q at the ends of a chain of k neighbours, each step bounded by f or by f^-1
    for k = 1 the pair inside

    Example: ``group(k=3, randomized-response(epsilon=ln(3/2))^2)``

    Args:
        k: group size, an integer from 0 to 2^63.
        inner: mechanism or composition to act on, such as gaussian(sigma=1)^10; written without `mechanism=`.
    """
    return built("group", [("k", k), ("mechanism", inner)])


def group_one_way(*, k: Number, inner: MechanismLike) -> Mechanism:
    r"""group privacy for k records, all added or all removed: trade-off function 1 - (1-f)^(o k).

    P and Q at the ends of a chain of k neighbours, each step bounded by f in the direction of the chain

    Example: ``group-one-way(k=2, poisson(rate=1/10, laplace(scale=1)))``

    Args:
        k: group size, an integer from 0 to 2^63.
        inner: mechanism or composition to act on, such as gaussian(sigma=1)^10; written without `mechanism=`.
    """
    return built("group-one-way", [("k", k), ("mechanism", inner)])


def inverse(*, inner: MechanismLike) -> Mechanism:
    r"""opposite direction: P and Q exchanged, trade-off function f^-1.

    P = Q0
    Q = P0, of the composition inside

    Example: ``inverse(poisson(rate=1/10, gaussian(sigma=1)))``

    Args:
        inner: mechanism or composition to act on, such as gaussian(sigma=1)^10; written without `mechanism=`.
    """
    return built("inverse", [("mechanism", inner)])


def symmetrize(*, inner: MechanismLike) -> Mechanism:
    r"""guarantee of a mechanism that is f-DP in both directions: trade-off function max(f, f^-1).

    P and Q with trade-off function max(f, f^-1)

    Example: ``symmetrize(finite(p=[1/2,1/2], q=[1/5,4/5]))``

    Args:
        inner: mechanism or composition to act on, such as gaussian(sigma=1)^10; written without `mechanism=`.
    """
    return built("symmetrize", [("mechanism", inner)])


def hull(*, inner: MechanismLike) -> Mechanism:
    r"""worst case of both directions: trade-off function min(f, f^-1)**.

    P and Q with the largest convex trade-off function below f and f^-1

    Example: ``hull(poisson(rate=1/10, gaussian(sigma=1)))``

    Args:
        inner: mechanism or composition to act on, such as gaussian(sigma=1)^10; written without `mechanism=`.
    """
    return built("hull", [("mechanism", inner)])


def mixture(*, weights: Numbers, mechanisms: Iterable[MechanismLike]) -> Mechanism:
    r"""mixture: runs one of several compositions, drawn with given probabilities; the output shows which.

    P = sum w_i P_i
    Q = sum w_i Q_i, with the index i visible in the output

    Example: ``mixture(1/3: gaussian(sigma=1), 2/3: laplace(scale=2)^2)``

    Args:
        weights: probabilities that sum to 1, each written before its composition, as in 1/3: gdp(mu=1); one may be `rest`, which takes the remainder.
        mechanisms: compositions, one for each weight.
    """
    return built("mixture", [("weights", weights), ("mechanisms", mechanisms)])


def trade_off(*, alpha: Numbers, beta: Numbers) -> Mechanism:
    r"""custom trade-off function: the piecewise-linear function through given points.

    P and Q with one outcome for each segment: its width is the mass under P, its height that under Q

    Example: ``trade-off(alpha=[0,1/4,1], beta=[1,1/4,0])``

    Args:
        alpha: type I errors, fractions that increase from 0 to 1.
        beta: type II errors there, fractions, the last one 0.
    """
    return built("trade-off", [("alpha", alpha), ("beta", beta)])


def profile(*, epsilon: Numbers, delta: Numbers) -> Mechanism:
    r"""several (epsilon_i, delta_i)-DP guarantees: the least private mechanism that satisfies all of them.

    P and Q with trade-off function max_i f_{epsilon_i, delta_i}, a mixture of randomized responses

    Example: ``profile(epsilon=[0,ln(2)], delta=[1/3,1/20])``

    Args:
        epsilon: epsilons, each at least 0; if every e^epsilon is rational, results are exact fractions.
        delta: deltas, one fraction between 0 and 1 for each epsilon.
    """
    return built("profile", [("epsilon", epsilon), ("delta", delta)])
