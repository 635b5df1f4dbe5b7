"""Mechanisms from other libraries: event trees of dp_accounting and histories of Opacus.

This module does not import either library.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Callable

from ._dpcert import Composition, number
from ._mechanism import Mechanism, built
from .errors import InputError, UnsupportedEventError

#: The empty composition, which reveals nothing.
_NOTHING = "gdp(mu=0)^0"

_ADDED = "neighbours differ by one added or removed record: P has the record, Q does not"
_REPLACED = "neighbours differ by one replaced record"
_SAMPLER = "each run draws a new sample, which contains each record independently (Poisson sampling)"
_UNITS = "noise multipliers are in units of the sensitivity: one record changes the value before noise by at most 1"


class Description(Mechanism):
    """A mechanism read from another library's description; ``assumed`` lists the assumptions that the description leaves open."""

    __slots__ = ()

    def __init__(self, of: Mechanism, assumed: Iterable[str]) -> None:
        super().__init__(of._composition, assumed)


def from_dp_event(event: Any) -> Description:
    """Return the mechanism of an event tree of dp_accounting (``DpEvent``).

    All events of a tree must use the same neighbours. Randomized response uses a replaced record; all other events use an
    added or removed record. A ``ZCDpEvent`` states only a guarantee: it is taken for the neighbours of the other events, and
    answers that involve it are bounds.

    Args:
        event: the root of the tree.

    Raises:
        UnsupportedEventError: if the tree contains an unsupported event; the message has its path in the tree.
        InputError: if an event has an invalid parameter; the message has its path in the tree.
    """
    reader = _Reader()
    try:
        of = reader.read(event, "event", 0)
    except _Told as fault:
        raise InputError(str(fault)) from None
    if reader.replaced and reader.added:
        raise UnsupportedEventError(
            f"{reader.replaced} uses a replaced record, and {reader.added} an added or removed record: "
            "no kind of neighbours fits both"
        )
    if reader.replaced or reader.added or not reader.promised:
        assumed = [_REPLACED if reader.replaced else _ADDED]
    else:
        assumed = ["neighbours are those of the zCDP guarantee"]
    assumed += [_SAMPLER] if reader.sampled else []
    assumed += [_UNITS] if reader.units else []
    assumed += reader.promised
    return Description(of, assumed)


#: Largest depth of a tree, below the recursion limit of Python.
_DEEPEST = 200


#: Events of dp_accounting that are not supported, each with the reason.
_WITHOUT = {
    "UnsupportedDpEvent": "it describes no mechanism",
    "SampledWithReplacementDpEvent": "dpcert has no dominating pair for samples with replacement",
    "SampledWithoutReplacementDpEvent": "it uses a replaced record, and the event does not describe the inner mechanism for such neighbours; "
    "use subsample(rate=..., ...) with the noise for replaced records",
    "SingleEpochTreeAggregationDpEvent": "it uses a record that is replaced by a special record",
    "RepeatAndSelectDpEvent": "dpcert has no dominating pair for the best of a random number of runs",
    "TruncatedSubsampledGaussianDpEvent": "dpcert has no dominating pair for truncated samples",
}


class _Told(InputError):
    """An error whose message already has the path."""


class _Reader:
    """Reads a tree, and records which assumptions its events need: neighbours, sampling, units, guarantees."""

    def __init__(self) -> None:
        self.added = ""
        self.replaced = ""
        self.sampled = False
        self.units = False
        self.promised: list[str] = []
        # Cache by the id of the event, for trees that share branches. The event is kept alive so that its id stays unique.
        self._read: dict[int, tuple[Any, Mechanism]] = {}

    def read(self, event: Any, path: str, depth: int) -> Mechanism:
        name = type(event).__name__
        if depth > _DEEPEST:
            raise UnsupportedEventError(f"{path[:200]}...: events are nested more than {_DEEPEST} deep")
        method: Callable[..., Mechanism] | None = getattr(self, f"_{name}", None) if name.endswith("DpEvent") else None
        if method is None:
            why = _WITHOUT.get(name, "")
            raise UnsupportedEventError(f"{path}: {name} is not supported{why and ': '}{why}")
        if id(event) in self._read:
            return self._read[id(event)][1]
        try:
            of = method(event, path, depth)
            self._read[id(event)] = event, of
            return of
        except (UnsupportedEventError, _Told):
            raise
        except (AttributeError, TypeError, ValueError) as error:
            raise _Told(f"{path}: {name}: {error}") from None

    def _NoOpDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        return Mechanism(Composition(_NOTHING))

    def _NonPrivateDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        return built("approx-dp", [("epsilon", 0), ("delta", 1)])

    def _GaussianDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        return self._noise("gaussian", "sigma", event.noise_multiplier, path)

    def _LaplaceDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        return self._noise("laplace", "scale", event.noise_multiplier, path)

    def _DiscreteLaplaceDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        self.added = self.added or path
        if event.noise_parameter == 0:
            return built("gdp", [("mu", 0)]) if event.sensitivity == 0 else self._NonPrivateDpEvent(event, path, depth)
        return built("geometric", [("epsilon", event.noise_parameter), ("sensitivity", event.sensitivity)])

    def _noise(self, name: str, parameter: str, multiplier: Any, path: str) -> Mechanism:
        self.added, self.units = self.added or path, True
        if multiplier == 0:
            return self._NonPrivateDpEvent(None, path, 0)
        return built(name, [(parameter, multiplier)])

    def _RandomizedResponseDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        """The true answer with probability 1 - p, otherwise a uniform one of k answers. The odds of the true answer against
        each other answer are ``(1 - p + p/k) / (p/k) = 1 + k (1 - p) / p``."""
        self.replaced = self.replaced or path
        p, k = Fraction(number(event.noise_parameter)), int(Fraction(number(event.num_buckets)))
        if not 0 <= p <= 1 or k != event.num_buckets or k < 1:
            raise InputError(
                "noise_parameter must be from 0 to 1 and num_buckets a positive integer, "
                f"not {event.noise_parameter!r} and {event.num_buckets!r}"
            )
        if k == 1:
            return Mechanism(Composition(_NOTHING))
        if p == 0:
            return self._NonPrivateDpEvent(event, path, depth)
        return built("k-randomized-response", [("epsilon", f"ln({1 + k * (1 - p) / p})"), ("categories", k)])

    def _MixtureOfGaussiansDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        """Gaussian noise on a random sensitivity. Supported if the sensitivity is 0 or one other number: this is a Poisson
        sample of a Gaussian mechanism, whose neighbours differ by one added or removed record."""
        law: dict[Fraction, Fraction] = {}
        sensitivities, probabilities = list(event.sensitivities), list(event.sampling_probs)
        if len(sensitivities) != len(probabilities):
            raise InputError(f"{len(sensitivities)} sensitivities need as many probabilities, not {len(probabilities)}")
        for sensitivity, probability in zip(sensitivities, probabilities):
            mass = Fraction(number(probability))
            if mass < 0:
                raise InputError(f"probabilities must be at least 0, not {probability!r}")
            at = Fraction(number(sensitivity))
            law[at] = law.get(at, Fraction(0)) + mass
        # Doubles that should sum to 1 rarely do so exactly.
        if abs(sum(law.values()) - 1) > Fraction(1, 10**12):
            raise InputError(f"the probabilities must sum to 1, not {float(sum(law.values()))!r}")
        away = {at: mass for at, mass in law.items() if at and mass}
        if len(away) > 1:
            raise UnsupportedEventError(f"{path}: MixtureOfGaussiansDpEvent is supported only with one sensitivity besides 0")
        self.added = self.added or path
        if not away:
            return Mechanism(Composition(_NOTHING))
        (sensitivity, rate), = away.items()
        if sensitivity < 0:
            raise InputError(f"sensitivities must be at least 0, not {float(sensitivity)!r}")
        if event.standard_deviation == 0:
            inner = self._NonPrivateDpEvent(None, path, 0)
        else:
            inner = built("gaussian", [("sigma", event.standard_deviation), ("sensitivity", sensitivity)])
        # The remaining probability belongs to the sensitivity 0.
        return built("poisson", [("rate", rate), ("mechanism", inner)]) if 0 in law else inner

    def _ZCDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        """(xi, rho)-zCDP: every Renyi divergence of an order a > 1 is at most xi + rho a, which is at most (xi + rho) a."""
        rho, xi = (Fraction(number(value)) for value in (event.rho, event.xi))
        if min(rho, xi) < 0:
            raise InputError(f"rho and xi must be at least 0, not {event.rho!r} and {event.xi!r}")
        more = f", replaced by {xi + rho}-zCDP (xi + rho a <= (xi + rho) a)" if xi else ""
        self.promised.append(f"{path} satisfies its zCDP guarantee{more}; only the guarantee is known, so answers are bounds")
        return built("zcdp", [("rho", rho + xi)])

    def _SelfComposedDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        return self.read(event.event, f"{path}.event", depth + 1) ** event.count

    def _ComposedDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        # A balanced product, because appending one factor at a time takes quadratic time.
        of = [self.read(inner, f"{path}.events[{index}]", depth + 1) for index, inner in enumerate(event.events)]
        return product(of)

    def _PoissonSampledDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        inner = self.read(event.event, f"{path}.event", depth + 1)
        self.added, self.sampled = self.added or path, True
        if not inner._composition.pairs():
            return inner
        return built("poisson", [("rate", event.sampling_probability), ("mechanism", inner)])


def product(of: Iterable[Mechanism]) -> Mechanism:
    """Return the composition of these mechanisms, in order, as a balanced product."""
    of = list(of)
    if not of:
        return Mechanism(Composition(_NOTHING))
    while len(of) > 1:
        pairs = [of[i] * of[i + 1] for i in range(0, len(of) - 1, 2)]
        of = pairs + of[len(pairs) * 2 :]
    return of[0]


def from_opacus(history: Iterable[tuple[Any, Any, Any]]) -> Description:
    """Return the training run of an Opacus history.

        >>> import dpcert
        >>> dpcert.from_opacus([(1.5, 0.25, 10), (1, 0.25, 5)])
        poisson(rate=1/4, gaussian(sigma=3/2))^10 * poisson(rate=1/4, gaussian(sigma=1))^5

    Args:
        history: ``accountant.history``, a list of (noise multiplier, sample rate, number of steps). The noise multiplier is the
            standard deviation of the noise divided by the sensitivity.

    Raises:
        InputError: if an entry is invalid; the message has its index.
        TypeError: if the history is not a list, or a number of steps is not an integer.
    """
    if isinstance(history, (str, bytes)) or not isinstance(history, Iterable):
        raise TypeError(f"history must be a list of (noise_multiplier, sample_rate, steps), not {type(history).__name__}")
    steps = []
    for index, entry in enumerate(history):
        place = f"history[{index}]"
        try:
            noise, rate, count = entry
        except (TypeError, ValueError):
            shown = " ".join(repr(entry).split())
            raise InputError(f"{place}: expected (noise_multiplier, sample_rate, steps), not {shown:.100}") from None
        try:
            steps.append(_step(noise, rate, count))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{place}: {error}") from None
    return Description(product(steps), [_ADDED, _SAMPLER, _UNITS])


def _step(noise: Any, rate: Any, count: Any) -> Mechanism:
    if isinstance(noise, float) and math.isinf(noise) and noise > 0:
        # This reveals nothing, but the other two numbers are still checked.
        built("poisson", [("rate", rate), ("mechanism", built("gdp", [("mu", 0)]))]) ** count
        return Mechanism(Composition(_NOTHING))
    if noise == 0:
        inner = built("approx-dp", [("epsilon", 0), ("delta", 1)])
    else:
        inner = built("gaussian", [("sigma", noise)])
    return built("poisson", [("rate", rate), ("mechanism", inner)]) ** count
