"""Descriptions that people already have: trees of events of dp_accounting, histories of Opacus.

Neither package is needed for it, or imported.
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

_ADDED = "neighbours differ by one record that is added or removed (a sample has it in the first distribution)"
_REPLACED = "neighbours differ by one record that is replaced"
_SAMPLER = "each record is in a sample independently of all others (Poisson sampling), drawn anew at each run"
_UNITS = "one record changes what the noise is added to by at most 1, in units of the noise multiplier"


class Description(Mechanism):
    """A mechanism that another program described; ``assumed`` says what that description leaves open."""

    __slots__ = ()

    def __init__(self, of: Mechanism, assumed: Iterable[str]) -> None:
        super().__init__(of._composition, assumed)


def from_dp_event(event: Any) -> Description:
    """The mechanism that a tree of dp_accounting's ``DpEvent`` describes.

    Events of one kind of neighbours belong together: randomised response is about a record that is replaced, all others
    are read as about one that is added or removed. Of zCDP nothing but the guarantee is known: it is about the neighbours that
    the others are about, and answers with it are bounds.

    Raises:
        UnsupportedEventError: for an event that is not read, with its path in the tree.
    """
    reader = _Reader()
    try:
        of = reader.read(event, "event", 0)
    except _Told as fault:
        raise InputError(str(fault)) from None
    if reader.replaced and reader.added:
        raise UnsupportedEventError(
            f"{reader.replaced} is about a record that is replaced, and {reader.added} about one that is added or removed: "
            "no adjacency fits both"
        )
    if reader.replaced or reader.added or not reader.promised:
        assumed = [_REPLACED if reader.replaced else _ADDED]
    else:
        assumed = ["neighbours are those that the guarantee of zCDP is about"]
    assumed += [_SAMPLER] if reader.sampled else []
    assumed += [_UNITS] if reader.units else []
    assumed += reader.promised
    return Description(of, assumed)


#: Deeper trees are refused before Python refuses.
_DEEPEST = 200


#: Events that dp_accounting has and that are not read, each with the reason.
_WITHOUT = {
    "UnsupportedDpEvent": "it says of itself that nothing is known of it",
    "SampledWithReplacementDpEvent": "there is no pair for samples with replacement",
    "SampledWithoutReplacementDpEvent": "it is about a record that is replaced, and what is inside is not told for such neighbours; "
    "ask about subsample(rate=..., ...) with the noise that fits them",
    "SingleEpochTreeAggregationDpEvent": "it is about a record that is replaced by a special one",
    "RepeatAndSelectDpEvent": "there is no pair for the best of a random number of runs",
    "TruncatedSubsampledGaussianDpEvent": "there is no pair for samples that are truncated",
}


class _Told(InputError):
    """A fault with its path: events around it add nothing."""


class _Reader:
    """What was met in the tree: the path of an event for each kind of neighbours, samples, and guarantees."""

    def __init__(self) -> None:
        self.added = ""
        self.replaced = ""
        self.sampled = False
        self.units = False
        self.promised: list[str] = []
        # What was read, so that a tree whose branches are the same object is not read once for each way to it. The event is
        # kept with it, for the number of one that is gone may be given to another.
        self._read: dict[int, tuple[Any, Mechanism]] = {}

    def read(self, event: Any, path: str, depth: int) -> Mechanism:
        name = type(event).__name__
        if depth > _DEEPEST:
            raise UnsupportedEventError(f"{path[:200]}...: events are nested more than {_DEEPEST} deep")
        method: Callable[..., Mechanism] | None = getattr(self, f"_{name}", None) if name.endswith("DpEvent") else None
        if method is None:
            why = _WITHOUT.get(name, "")
            raise UnsupportedEventError(f"{path}: {name} is no event that is read{why and ': '}{why}")
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
        """The truth with probability 1 - p, else any of k answers, the truth among them: its odds to each other one are
        ``(1 - p + p/k) / (p/k) = 1 + k (1 - p) / p``."""
        self.replaced = self.replaced or path
        p, k = Fraction(number(event.noise_parameter)), int(Fraction(number(event.num_buckets)))
        if not 0 <= p <= 1 or k != event.num_buckets or k < 1:
            raise InputError(f"a noise parameter from 0 to 1 and a number of buckets, not {event.noise_parameter!r} and {event.num_buckets!r}")
        if k == 1:
            return Mechanism(Composition(_NOTHING))
        if p == 0:
            return self._NonPrivateDpEvent(event, path, depth)
        return built("k-randomized-response", [("epsilon", f"ln({1 + k * (1 - p) / p})"), ("categories", k)])

    def _MixtureOfGaussiansDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        """Noise on a sensitivity that is drawn: without privacy of its own, but where it is 0 or one other number, for then it
        is a Poisson sample of a Gaussian mechanism, whose neighbours differ by one record that is added or removed."""
        law: dict[Fraction, Fraction] = {}
        sensitivities, probabilities = list(event.sensitivities), list(event.sampling_probs)
        if len(sensitivities) != len(probabilities):
            raise InputError(f"a probability is wanted for each of {len(sensitivities)} sensitivities, not {len(probabilities)}")
        for sensitivity, probability in zip(sensitivities, probabilities):
            mass = Fraction(number(probability))
            if mass < 0:
                raise InputError(f"probabilities are at least 0, not {probability!r}")
            at = Fraction(number(sensitivity))
            law[at] = law.get(at, Fraction(0)) + mass
        # Doubles that are meant to be 1 together seldom are.
        if abs(sum(law.values()) - 1) > Fraction(1, 10**12):
            raise InputError(f"the probabilities sum to {float(sum(law.values()))!r}, and not to 1")
        away = {at: mass for at, mass in law.items() if at and mass}
        if len(away) > 1:
            raise UnsupportedEventError(f"{path}: MixtureOfGaussiansDpEvent is read with one sensitivity besides 0 only")
        self.added = self.added or path
        if not away:
            return Mechanism(Composition(_NOTHING))
        (sensitivity, rate), = away.items()
        if sensitivity < 0:
            raise InputError(f"sensitivities are at least 0, not {float(sensitivity)!r}")
        if event.standard_deviation == 0:
            inner = self._NonPrivateDpEvent(None, path, 0)
        else:
            inner = built("gaussian", [("sigma", event.standard_deviation), ("sensitivity", sensitivity)])
        # What is left of the probability is where the sensitivity is 0.
        return built("poisson", [("rate", rate), ("mechanism", inner)]) if 0 in law else inner

    def _ZCDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        """(xi, rho)-zCDP: every Renyi divergence of an order a > 1 is at most xi + rho a, which is at most (xi + rho) a."""
        rho, xi = (Fraction(number(value)) for value in (event.rho, event.xi))
        if min(rho, xi) < 0:
            raise InputError(f"rho and xi of at least 0, not {event.rho!r} and {event.xi!r}")
        more = f", of which {xi + rho}-zCDP was made (xi + rho a <= (xi + rho) a)" if xi else ""
        self.promised.append(f"{path} keeps its guarantee of zCDP{more}; no more is known, so that answers are bounds")
        return built("zcdp", [("rho", rho + xi)])

    def _SelfComposedDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        return self.read(event.event, f"{path}.event", depth + 1) ** event.count

    def _ComposedDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        # Texts are put together once: one product after the other would take the square of their number.
        of = [self.read(inner, f"{path}.events[{index}]", depth + 1) for index, inner in enumerate(event.events)]
        return product(of)

    def _PoissonSampledDpEvent(self, event: Any, path: str, depth: int) -> Mechanism:
        inner = self.read(event.event, f"{path}.event", depth + 1)
        self.added, self.sampled = self.added or path, True
        if not inner._composition.pairs():
            return inner
        return built("poisson", [("rate", event.sampling_probability), ("mechanism", inner)])


def product(of: Iterable[Mechanism]) -> Mechanism:
    """One after the other, halves first."""
    of = list(of)
    if not of:
        return Mechanism(Composition(_NOTHING))
    while len(of) > 1:
        pairs = [of[i] * of[i + 1] for i in range(0, len(of) - 1, 2)]
        of = pairs + of[len(pairs) * 2 :]
    return of[0]


def from_opacus(history: Iterable[tuple[Any, Any, Any]]) -> Description:
    """The training run that a history of Opacus describes: ``accountant.history``, steps of (noise multiplier, sample rate,
    number of steps), of one rate or of many."""
    if isinstance(history, (str, bytes)) or not isinstance(history, Iterable):
        raise TypeError(f"a history is a list of (noise_multiplier, sample_rate, steps), not {type(history).__name__}")
    steps = []
    for index, entry in enumerate(history):
        place = f"history[{index}]"
        try:
            noise, rate, count = entry
        except (TypeError, ValueError):
            raise InputError(f"{place}: (noise_multiplier, sample_rate, steps) is wanted, not {' '.join(repr(entry).split()):.100}") from None
        try:
            steps.append(_step(noise, rate, count))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{place}: {error}") from None
    return Description(product(steps), [_ADDED, _SAMPLER, _UNITS])


def _step(noise: Any, rate: Any, count: Any) -> Mechanism:
    if isinstance(noise, float) and math.isinf(noise) and noise > 0:
        # Nothing is revealed; what is wrong with the other two numbers is told all the same.
        built("poisson", [("rate", rate), ("mechanism", built("gdp", [("mu", 0)]))]) ** count
        return Mechanism(Composition(_NOTHING))
    if noise == 0:
        inner = built("approx-dp", [("epsilon", 0), ("delta", 1)])
    else:
        inner = built("gaussian", [("sigma", noise)])
    return built("poisson", [("rate", rate), ("mechanism", inner)]) ** count
