"""Vectors as queries for a program that takes doubles.

``exact``
    Use only vectors whose numbers are all doubles. The program gets exactly the query that has the stored answer, and every
    kind of claim can be judged. This is the default.

``upper``
    Round a number that is not a double to the side on which the quantity is **not smaller**: a scale down, an epsilon of a
    mechanism up, the epsilon at which a delta is computed down. The truth of the rounded query is at least the stored one. A
    program with correct upper bounds still passes, and a claim below the stored truth is wrong for the rounded query too.
    Only upper bounds can be judged, and *sound* means only "not refuted".

``lower``
    The same for lower bounds. For example, a trade-off function is a lower bound on an error.

Rounding requires that the privacy loss is monotone in the parameter. For the whole trade-off function, this holds if one
mechanism can be simulated from the mechanism with the changed parameter. The simulation adds independent noise (Gaussian,
Laplace and two-sided geometric noise of a larger scale), post-processes (randomized response, (epsilon, delta)-DP), or omits
records (the rate of a Poisson sample). Composition preserves this order. For other parameters (the variance of a discrete
Gaussian, a staircase, the probabilities of a finite pair) monotonicity is not assumed. A vector in which such a parameter is
not a double is never used.
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
    """The query cannot be expressed in doubles with this treatment of inputs; the message is the reason."""


class Step:
    """A mechanism that runs ``times`` times, with doubles as parameters: ``step["sigma"]``.

    The sensitivity is 1 if the vector omits it. ``of`` has the inner steps of a mechanism such as ``poisson``. Steps are
    hashable, so a function of ``query.steps`` can have a cache. Consecutive vectors often use the same mechanism.
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
        """All parameters by name, for ``**step.parameters``."""
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
        # A cache distinguishes steps by all of their parameters, so hashing counts as reading them.
        self._read.update(self._parameters, ["times"])
        return hash(self._key())

    def unread(self) -> Iterator[str]:
        """Yield the parameters of the vector that have not been read from this step, as ``name=value``."""
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
    """Return a double in the syntax of ``dpcert``: integers as decimals, others as hex floats; ``?`` if it is to be found."""
    if value is None:
        return "?"
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "[" + ", ".join(map(_hex, value)) + "]"
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else f"f64:{value.hex()}"


class Query:
    """A query: its ``quantity``, the ``steps`` to compose, the ``point`` and the ``direction``.

    ``point`` is a double. The name of its coordinate is an attribute too: ``epsilon`` for a delta, ``delta`` for an epsilon,
    ``alpha`` for beta, ``order`` for a Renyi divergence or a cumulant, ``fpr`` for a true positive rate, ``prior`` for a
    Bayes risk, ``slope`` for a conjugate, ``x`` and ``p`` for canonical noise, ``loss`` and ``u`` for the distribution of
    the privacy loss. A calibration has two coordinates, ``epsilon`` and ``delta`` or ``alpha`` and ``beta``, and no ``point``;
    the parameter to be found is ``None``. An order has no point; ``other`` has the steps of the other mechanism.
    """

    def __init__(self, case: Case, inputs: str = "exact") -> None:
        """Create the query of a vector.

        Raises:
            NotAskable: if doubles cannot express the query with this treatment of inputs.
        """
        if inputs not in INPUTS:
            raise ValueError(f"inputs must be {', '.join(INPUTS[:-1])} or {INPUTS[-1]}, not {inputs!r}")
        self.case = case
        self.inputs = inputs
        self.id = case.id
        self.quantity = case.quantity
        self.direction = case.direction
        # The side to which the quantity may move by rounding.
        side = {"exact": 0, "upper": +1, "lower": -1}[inputs]
        loss = side * WITH_LOSS[case.quantity]
        self.steps: Tuple[Step, ...] = tuple(_step(factor, loss) for factor in case.parameters)
        #: For an order: the steps of the other mechanism.
        self.other: Tuple[Step, ...] = tuple(_step(factor, loss) for factor in case.other_parameters)
        self.points: Dict[str, float] = {
            name: _double(name, number, side * WITH_POINT.get(case.quantity, 0)) for name, number in case.at.items()
        }
        #: For a theorem: its inputs, which are never rounded.
        self.given: Dict[str, float] = {
            name: _double(name, number, 0) for name, number in (case.theorem["given"] if case.theorem else {}).items()
        }
        self.point: Optional[float] = next(iter(self.points.values())) if len(self.points) == 1 else None

    def _at(self, name: str) -> float:
        if name not in self.points:
            raise AttributeError(f"{self.id}: the quantity {self.quantity} has no coordinate {name}")
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
        """The only step.

        Raises:
            ValueError: if several mechanisms are composed.
        """
        if len(self.steps) != 1:
            raise ValueError(f"{self.id} composes {len(self.steps)} mechanisms: use steps")
        return self.steps[0]

    @property
    def rounded(self) -> bool:
        """Whether a number was rounded."""
        return not self.case.exact_in_doubles

    @property
    def asked(self) -> str:
        """The mechanism with the doubles of the query, as an expression of ``dpcert``."""
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
    """Return a weight: ``None`` if it is to be found, ``"rest"`` for 1 minus the other weights."""
    if isinstance(entry, Unknown):
        return None
    return str(entry) if isinstance(entry, Rest) else _double(name, entry, side)


def _double(name: str, number: Exact, side: int) -> float:
    if number.is_double:
        return number.below()
    if side == 0:
        raise NotAskable("exact inputs only, and a number is not a double")
    value = number.above() if side > 0 else number.below()
    # A rounded number must stay in the domain: neither 0 nor infinite.
    if value == 0 or math.isinf(value):
        raise NotAskable(f"{name} is beyond the doubles")
    return value
