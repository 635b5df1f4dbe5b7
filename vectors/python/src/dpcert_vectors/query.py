"""A vector as a question for a program that takes doubles.

``exact``
    Only vectors whose numbers all are doubles are asked. The program gets exactly the question that has the answer, and
    every kind of claim can be judged. This is the default.

``upper``
    A number that is not a double is rounded to the side on which the quantity is **not smaller**: a scale down, an epsilon
    of a mechanism up, the epsilon at which a delta is asked down. The rounded question has a truth that is at least the
    stored one, so a program whose upper bounds are right still passes, and a claim below the stored truth is wrong for the
    rounded question too. Only upper bounds can be judged, and *sound* then says no more than "not refuted".

``lower``
    The mirror image, for lower bounds (a trade-off function, for example, is a lower bound on an error).

Rounding needs to know to which side the privacy loss grows. That is so, for the whole trade-off function, where a mechanism
can be simulated from the one with the changed parameter: by adding independent noise (Gaussian, Laplace and two-sided
geometric noise of a larger scale), by post-processing (randomised response, (epsilon, delta)-DP) or by leaving out
records (the rate of a Poisson sample); composition keeps the order. Of other parameters (the variance of a discrete
Gaussian, a staircase, the probabilities of a finite pair) nothing is assumed, and a vector where such a one is not a
double is never asked.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple, Union

from .catalogue import WITH_LOSS, WITH_POINT, defaults, grows
from .expression import Exact
from .load import Case, Factor, Parameter, Rest, Unknown

INPUTS = ("exact", "upper", "lower")

#: An entry of a list.
Entry = Union[float, str, None]


class NotAskable(Exception):
    """The question cannot be put in doubles, in this way of treating inputs; the message is the reason."""


class Step:
    """A mechanism that is run ``times`` times, its parameters doubles: ``step["sigma"]``.

    A sensitivity that the vector leaves out is 1. ``of`` has the steps inside a mechanism such as ``poisson``. Steps are
    hashable, so that a function of ``query.steps`` can have a cache: neighbouring vectors ask about the same mechanism.
    """

    def __init__(self, factor: Factor, parameters: Dict[str, Union[float, List[Entry], None]], of: Tuple["Step", ...]) -> None:
        self.mechanism = factor.mechanism
        self.of = of
        self._times = None if factor.sought else factor.times
        self._given = frozenset(name for name in factor.parameters if parameters[name] is not None)
        self._parameters = parameters
        self._read: Set[str] = set()

    @property
    def times(self) -> Optional[int]:
        self._read.add("times")
        return self._times

    @property
    def parameters(self) -> Dict[str, Union[float, List[Entry], None]]:
        """All of them by name, as one reads ``**step.parameters``."""
        self._read.update(self._parameters)
        return dict(self._parameters)

    def __getitem__(self, name: str) -> Any:
        value = self._parameters[name]
        self._read.add(name)
        return value

    def __contains__(self, name: str) -> bool:
        return name in self._parameters

    def _key(self) -> Tuple[Any, ...]:
        values = (tuple(value) if isinstance(value, list) else value for value in self._parameters.values())
        return self.mechanism, tuple(zip(self._parameters, values)), self._times, self.of

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Step) and self._key() == other._key()

    def __hash__(self) -> int:
        # Whoever hashes a step, for a cache, tells it from others by everything it has.
        self._read.update(self._parameters, ["times"])
        return hash(self._key())

    def unread(self) -> Iterator[str]:
        """What the vector gives and nobody has asked this step for, as ``name=value``."""
        for name in sorted(self._given - self._read):
            yield f"{self.mechanism} {name}={self._parameters[name]}"
        if self._times not in (1, None) and "times" not in self._read:
            yield f"{self.mechanism} times={self._times}"
        for inner in self.of:
            yield from inner.unread()

    def __str__(self) -> str:
        arguments = [f"{name}={_hex(value)}" for name, value in self._parameters.items()]
        arguments += [" * ".join(map(str, self.of))] if self.of else []
        power = "" if self._times == 1 else "^?" if self._times is None else f"^{self._times}"
        return f"{self.mechanism}({', '.join(arguments)})" + power

    __repr__ = __str__


def _hex(value: Union[Entry, List[Entry]]) -> str:
    """As ``dpcert`` reads doubles: integers as they are, others as hex floats; ``?`` for what is looked for."""
    if value is None:
        return "?"
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "[" + ", ".join(map(_hex, value)) + "]"
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else f"f64:{value.hex()}"


class Query:
    """The question: ``quantity``, ``steps`` to compose, the ``point`` at which, and the ``direction``.

    ``point`` is a double and has a second name that says what it is: ``epsilon`` for a delta, ``delta`` for an epsilon,
    ``alpha`` for beta, ``order`` for a Renyi divergence or a cumulant, ``fpr`` for a true positive rate, ``prior`` for a
    Bayes risk, ``slope`` for a conjugate, ``x`` and ``p`` for canonical noise, ``loss`` and ``u`` for the distribution of
    the privacy loss. A calibration has two, ``epsilon`` and ``delta`` or ``alpha`` and
    ``beta``, and no ``point``; the parameter that it looks for is ``None``. An order has none, and the steps of the other
    mechanism in ``other``.
    """

    def __init__(self, case: Case, inputs: str = "exact") -> None:
        """Raises :class:`NotAskable` when doubles cannot express the question in this way."""
        if inputs not in INPUTS:
            raise ValueError(f"inputs are {' or '.join(INPUTS)}, not {inputs!r}")
        self.case = case
        self.inputs = inputs
        self.id = case.id
        self.quantity = case.quantity
        self.direction = case.direction
        # Towards which side the quantity is to move, if it must move.
        side = {"exact": 0, "upper": +1, "lower": -1}[inputs]
        loss = side * WITH_LOSS[case.quantity]
        self.steps: Tuple[Step, ...] = tuple(_step(factor, loss) for factor in case.parameters)
        #: Of an order: what the mechanism is compared with.
        self.other: Tuple[Step, ...] = tuple(_step(factor, loss) for factor in case.other_parameters)
        self.points: Dict[str, float] = {
            name: _double(name, number, side * WITH_POINT.get(case.quantity, 0)) for name, number in case.at.items()
        }
        #: Of a theorem: the numbers that it is given, which are not moved.
        self.given: Dict[str, float] = {
            name: _double(name, number, 0) for name, number in (case.theorem["given"] if case.theorem else {}).items()
        }
        self.point: Optional[float] = next(iter(self.points.values())) if len(self.points) == 1 else None

    def _at(self, name: str) -> float:
        if name not in self.points:
            raise AttributeError(f"{self.id} asks for {self.quantity}, which is not asked at a value of {name}")
        return self.points[name]

    @property
    def epsilon(self) -> float:
        return self._at("epsilon")

    @property
    def delta(self) -> float:
        return self._at("delta")

    @property
    def alpha(self) -> float:
        return self._at("alpha")

    @property
    def beta(self) -> float:
        return self._at("beta")

    @property
    def order(self) -> float:
        return self._at("order")

    @property
    def fpr(self) -> float:
        return self._at("fpr")

    @property
    def prior(self) -> float:
        return self._at("prior")

    @property
    def x(self) -> float:
        return self._at("x")

    @property
    def p(self) -> float:
        return self._at("p")

    @property
    def loss(self) -> float:
        return self._at("loss")

    @property
    def u(self) -> float:
        return self._at("u")

    @property
    def step(self) -> Step:
        """The only step; ``ValueError`` when several mechanisms are composed."""
        if len(self.steps) != 1:
            raise ValueError(f"{self.id} composes {len(self.steps)} mechanisms")
        return self.steps[0]

    @property
    def rounded(self) -> bool:
        """Whether a number had to be rounded."""
        return not self.case.exact_in_doubles

    @property
    def asked(self) -> str:
        """The mechanism as it was asked, every double exactly, as ``dpcert`` reads it."""
        return " * ".join(map(str, self.steps))

    def __str__(self) -> str:
        return str(self.case)

    __repr__ = __str__


def _step(factor: Factor, loss: int) -> Step:
    parameters: Dict[str, Union[float, List[Entry], None]] = {}
    for name, value in factor.parameters.items():
        parameters[name] = _parameter(name, value, loss * grows(factor.mechanism, name))
    for name, value in defaults(factor.mechanism).items():
        parameters.setdefault(name, value)
    return Step(factor, parameters, tuple(_step(inner, loss) for inner in factor.of))


def _parameter(name: str, value: Parameter, side: int) -> Union[float, List[Entry], None]:
    if isinstance(value, Unknown):
        return None
    if isinstance(value, tuple):
        return [_entry(name, entry, side) for entry in value]
    return _double(name, value, side)


def _entry(name: str, entry: Union[Exact, Unknown, Rest], side: int) -> Entry:
    """``None`` for a weight that is looked for, ``"rest"`` for the one that the others leave."""
    if isinstance(entry, Unknown):
        return None
    return str(entry) if isinstance(entry, Rest) else _double(name, entry, side)


def _double(name: str, number: Exact, side: int) -> float:
    if number.is_double:
        return number.below()
    if side == 0:
        raise NotAskable("a number that is not a double, and exact inputs only")
    value = number.above() if side > 0 else number.below()
    # Never out of the domain: a positive number must not become 0, and none infinite.
    if value == 0 or math.isinf(value):
        raise NotAskable(f"{name} is beyond the doubles")
    return value
