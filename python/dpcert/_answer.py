"""Answers: numbers with exact bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from html import escape
from typing import Any, Union

from . import _dpcert

#: A bound of an enclosure: a Fraction, or a float that is infinite.
End = Union[Fraction, float]


def _end(end: Any) -> End:
    return end if isinstance(end, float) else Fraction(*end)


class _Numbers:
    """Base class of answers and calibrations."""

    __slots__ = ("_native", "__weakref__")

    def __init__(self, native: Any) -> None:
        self._native = native

    @property
    def kind(self) -> str:
        """Kind of result: ``exact``, ``enclosure``, ``infinite``, ``undefined`` or ``undecided`` (not decided within the budget)."""
        return self._native.kind

    @property
    def exact(self) -> Fraction | None:
        """The number as a Fraction, or None if it is not known exactly."""
        return self.lower if self.kind == "exact" else None  # type: ignore[return-value]

    @property
    def lower(self) -> End:
        """Proven lower bound: a Fraction, or ``math.inf``.

        Raises:
            UndefinedError: if the number is not defined.
            UndecidedError: if no number was proven within the budget.
        """
        return _end(self._native.lower())

    @property
    def upper(self) -> End:
        """Proven upper bound: a Fraction, or ``math.inf``. Raises like ``lower``."""
        return _end(self._native.upper())

    @property
    def f64_lower(self) -> float:
        """Largest double that is proven to be at most the truth."""
        return self._native.f64_lower()

    @property
    def f64_upper(self) -> float:
        """Smallest double that is proven to be at least the truth: the value to report for an epsilon or a delta."""
        return self._native.f64_upper()

    def __float__(self) -> float:
        """Return the double nearest to the truth.

        Raises:
            ValueError: if it is not proven which double is nearest.
        """
        return self._native.nearest()

    def decimals(self, digits: int = 17) -> tuple[str, str]:
        """Return the lower and the upper bound as decimals, rounded outward to this number of significant digits.

        The magnitude is not limited by the range of doubles.
        """
        return self._native.decimals(digits)

    @property
    def reason(self) -> str | None:
        """Why there is no number, or why fewer digits are proven than requested; otherwise None."""
        return self._native.reason

    @property
    def digits(self) -> int | None:
        """Number of proven significant digits, at most the number requested; None if the number is exact."""
        return self._native.digits

    @property
    def method(self) -> str:
        """Name of the method that computed the number."""
        return self._native.method

    @property
    def statement(self) -> str:
        """Citation of the theorem that the number relies on."""
        statement = self._native.statement
        return statement[0] if statement else ""

    @property
    def question(self) -> str:
        """The query as a line of JSON, in the format that ``dpcert answer`` reads."""
        return self._native.question()

    def json(self) -> str:
        """Return the line of JSON that ``dpcert answer`` prints, byte for byte."""
        return self._native.json()

    def __str__(self) -> str:
        return self._native.text()

    def _interval(self, digits: int) -> str:
        """Return ``= 0.5``, ``in [0.81, 0.82]``, or the kind if there is no number."""
        kind = self.kind
        if kind == "infinite":
            return "= infinity"
        if kind in ("undefined", "undecided"):
            return kind
        lower, upper = self.decimals(digits)
        return f"= {lower}" if lower == upper else f"in [{lower}, {upper}]"

    def _repr_html_(self) -> str:
        head, *rest = str(self).split("\n")
        lines = "".join(f"<div>{escape(line)}</div>" for line in rest)
        return f'<div><b>{escape(head)}</b><div style="font-family: monospace; margin-left: 1em">{lines}</div></div>'


class Answer(_Numbers):
    """One number with its proven bounds."""

    __slots__ = ("_again", "_notes", "assumed")

    def __init__(self, native: Any, again: Callable[[], Any] | None = None, assumed: tuple[str, ...] = ()) -> None:
        super().__init__(native)
        self._again = again
        self._notes: Any = None
        #: Assumptions made when the mechanism was read from another library's description.
        self.assumed = assumed

    @property
    def meaning(self) -> str | None:
        """How the number relates to the mechanism; None if there is no number.

        - ``exact``: it is the number of the mechanism. For ``gdp``, ``approx_dp``, ``trade_off`` and ``profile``, it is the
          number of the worst mechanism of the class.
        - ``upper_bound``, ``lower_bound``: the number of the mechanism is at most, or at least, this number. Examples are
          ``noisy_cgd`` and guarantees.
        - ``of_the_pair``: it is the number of the dominating pair, not a bound for the mechanism, because the quantity is
          not monotone.
        """
        return self._native.meaning

    @property
    def because(self) -> str | None:
        """Why ``meaning`` is not ``exact``, with the source of the bound; otherwise None."""
        return self._native.because

    @property
    def bound(self) -> str | None:
        """``upper`` or ``lower`` if ``meaning`` is such a bound; otherwise None."""
        return self._native.bound

    @property
    def model(self) -> str | None:
        """``same_order`` if at least two steps are not symmetric: all see the two data sets in the same order; otherwise None."""
        return self._native.model

    def explain(self) -> str:
        """Return a text that shows how the answer was computed. This computes the answer a second time."""
        if self._notes is None:
            self._notes = self._again() if self._again else self._native
        text = self._notes.text()
        return text + "".join(f"\n  assumed: {line}" for line in self.assumed)

    def __str__(self) -> str:
        return self._native.text() + "".join(f"\n  assumed: {line}" for line in self.assumed)

    def __repr__(self) -> str:
        kind = f"{self.bound} bound " if self.bound else ""
        return f"<dpcert.Answer {kind}{self._interval((self.digits or 15) + 1)}>"


class Answers(Sequence[Answer]):
    """A sequence of answers to one query at many points.

    ``shape`` is the shape of the array of points; an index counts the answers in row-major order. Conversion to a numpy
    array gives the nearest doubles; ``f64_lower`` and ``f64_upper`` are proven bounds.
    """

    __slots__ = ("_items", "shape")

    def __init__(self, items: list[Answer], shape: tuple[int, ...]) -> None:
        self._items = items
        self.shape = shape

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            items = self._items[index]
            return Answers(items, (len(items),))
        return self._items[index]

    def __iter__(self) -> Iterator[Answer]:
        return iter(self._items)

    def _array(self, values: list[Any], kind: Any) -> Any:
        try:
            import numpy
        except ImportError:
            return values
        array = numpy.empty(len(values), dtype=kind)
        array[:] = values
        return array.reshape(self.shape)

    @property
    def lower(self) -> Any:
        """Proven lower bounds: a numpy array of Fractions, or a list if numpy is not installed."""
        return self._array([answer.lower for answer in self._items], object)

    @property
    def upper(self) -> Any:
        """Proven upper bounds: a numpy array of Fractions, or a list if numpy is not installed."""
        return self._array([answer.upper for answer in self._items], object)

    @property
    def f64_lower(self) -> Any:
        """Proven lower bounds as doubles; nan where there is no number."""
        return self._array([_or_nan(answer, "f64_lower") for answer in self._items], float)

    @property
    def f64_upper(self) -> Any:
        """Proven upper bounds as doubles; nan where there is no number."""
        return self._array([_or_nan(answer, "f64_upper") for answer in self._items], float)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = self._array([float(answer) for answer in self._items], float)
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        some = [answer._interval(6) for answer in self._items[:3]]
        return f"<dpcert.Answers {self.shape}: {'; '.join(some)}{'; ...' if len(self) > 3 else ''}>"

    def __str__(self) -> str:
        return "\n".join(map(str, self._items))

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{index}</td><td>{escape(repr(answer)[len('<dpcert.Answer ') : -1])}</td></tr>"
            for index, answer in enumerate(self._items[:100])
        )
        more = f"<tr><td colspan=2>{len(self) - 100} more</td></tr>" if len(self) > 100 else ""
        return f"<table>{rows}{more}</table>"


def _or_nan(answer: Answer, name: str) -> float:
    return math.nan if answer.kind in ("undefined", "undecided") else getattr(answer, name)


class Trial:
    """A value of the parameter marked ``?``, and the quantity of the target (such as delta) at this value."""

    __slots__ = ("lower", "upper", "value")

    def __init__(self, told: Any) -> None:
        ratio, is_double, lower, upper = told
        value = Fraction(*ratio)
        #: The value: an int, a double or a Fraction, depending on the parameter.
        self.value: float | int | Fraction = int(value) if value.denominator == 1 and not is_double else value
        if is_double:
            self.value = value.numerator / value.denominator
        #: Proven bounds of the quantity at this value.
        self.lower, self.upper = _end(lower), _end(upper)

    def __repr__(self) -> str:
        return f"<dpcert.Trial {self.value!r}>"


class Calibrated(_Numbers):
    """The parameter marked ``?`` that just meets a target: an enclosure, and the two values that prove it."""

    __slots__ = ()

    @property
    def parameter(self) -> str:
        """Name of the parameter marked ``?``, or ``repeats`` or ``weight``."""
        return self._native.parameter

    @property
    def safe(self) -> Trial | None:
        """Nearest value that is proven to meet the target; None if there is none."""
        told = self._native.safe()
        return Trial(told) if told else None

    @property
    def fails(self) -> Trial | None:
        """Nearest value that is proven to miss the target; None if there is none."""
        told = self._native.fails()
        return Trial(told) if told else None

    def __repr__(self) -> str:
        return f"<dpcert.Calibrated {self.parameter} {self._interval(17)}>"


# The type of the native answers.
_native_answer = _dpcert.Answer
