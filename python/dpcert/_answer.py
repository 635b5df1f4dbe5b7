"""Answers: numbers with their exact ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from html import escape
from typing import Any, Union

from . import _dpcert

#: The end of an enclosure: exact, or an infinity.
End = Union[Fraction, float]


def _end(end: Any) -> End:
    return end if isinstance(end, float) else Fraction(*end)


class _Numbers:
    """What answers and calibrations have in common."""

    __slots__ = ("_native", "__weakref__")

    def __init__(self, native: Any) -> None:
        self._native = native

    @property
    def kind(self) -> str:
        """``exact``, ``enclosure``, ``infinite``, ``undefined`` or ``undecided``."""
        return self._native.kind

    @property
    def exact(self) -> Fraction | None:
        """The number, where it is known exactly."""
        return self.lower if self.kind == "exact" else None  # type: ignore[return-value]

    @property
    def lower(self) -> End:
        """The exact lower end: no truth is below it.

        Raises:
            UndefinedError, UndecidedError: where there is no number.
        """
        return _end(self._native.lower())

    @property
    def upper(self) -> End:
        """The exact upper end: no truth is above it."""
        return _end(self._native.upper())

    @property
    def f64_lower(self) -> float:
        """The greatest double that is not above the truth."""
        return self._native.f64_lower()

    @property
    def f64_upper(self) -> float:
        """The least double that is not below the truth: what may be promised of an epsilon or a delta."""
        return self._native.f64_upper()

    def __float__(self) -> float:
        """The nearest double, if it is proven which that is; ValueError otherwise."""
        return self._native.nearest()

    def decimals(self, digits: int = 17) -> tuple[str, str]:
        """Both ends to so many significant digits, rounded outward. They may be of any size."""
        return self._native.decimals(digits)

    @property
    def reason(self) -> str | None:
        """Why there is no number, or fewer digits than were asked for."""
        return self._native.reason

    @property
    def digits(self) -> int | None:
        """How many of the significant digits that were asked for are proven; None where the number is exact."""
        return self._native.digits

    @property
    def method(self) -> str:
        """The engine that answered."""
        return self._native.method

    @property
    def statement(self) -> str:
        """The citation of what the number rests on."""
        statement = self._native.statement
        return statement[0] if statement else ""

    @property
    def question(self) -> str:
        """The line of JSON that asks for it, as ``dpcert answer`` reads it."""
        return self._native.question()

    def json(self) -> str:
        """The line of JSON that ``dpcert answer`` prints, byte for byte."""
        return self._native.json()

    def __str__(self) -> str:
        return self._native.text()

    def _interval(self, digits: int) -> str:
        """``= 0.5``, ``in [0.81, 0.82]``, or what stands instead."""
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
    """One number, with what is proven of it."""

    __slots__ = ("_again", "_notes", "assumed")

    def __init__(self, native: Any, again: Callable[[], Any] | None = None, assumed: tuple[str, ...] = ()) -> None:
        super().__init__(native)
        self._again = again
        self._notes: Any = None
        #: What was assumed where the mechanism was described by another program.
        self.assumed = assumed

    @property
    def meaning(self) -> str | None:
        """What the number says about the mechanism.

        ``exact``: the mechanism's own number; for ``gdp``, ``approx_dp``, ``trade_off`` and ``profile`` that of the worst
        mechanism of the class. ``upper_bound`` and ``lower_bound``: the mechanism's own number is at most, or at least,
        this one, as for ``noisy_cgd`` and for guarantees. ``of_the_pair``: the number of a dominating pair, which bounds
        nothing, because the quantity is not monotone. None where there is no number.
        """
        return self._native.meaning

    @property
    def because(self) -> str | None:
        """Why the number is not the mechanism's own, with the source of the bound. None where it is exact."""
        return self._native.because

    @property
    def bound(self) -> str | None:
        """``upper`` or ``lower`` where ``meaning`` is a bound, else None."""
        return self._native.bound

    @property
    def model(self) -> str | None:
        """``same_order`` where steps are not symmetric: all of them see the two data sets in one order. Else None."""
        return self._native.model

    def explain(self) -> str:
        """How it was come by. The question is asked once more, by an engine that takes notes."""
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
    """Answers to questions that were asked together, in the shape in which they were asked.

    As an array of numpy they are the nearest doubles; ``f64_lower`` and ``f64_upper`` are proven bounds. An index counts
    the answers one by one, row by row.
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
        """The exact lower ends: an array of Fractions, a list without numpy."""
        return self._array([answer.lower for answer in self._items], object)

    @property
    def upper(self) -> Any:
        """The exact upper ends."""
        return self._array([answer.upper for answer in self._items], object)

    @property
    def f64_lower(self) -> Any:
        """The greatest doubles that are not above the truths; nan where there is no number."""
        return self._array([_or_nan(answer, "f64_lower") for answer in self._items], float)

    @property
    def f64_upper(self) -> Any:
        """The least doubles that are not below the truths; nan where there is no number."""
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
    """A value of the number that is looked for, and the delta or beta there."""

    __slots__ = ("lower", "upper", "value")

    def __init__(self, told: Any) -> None:
        ratio, is_double, lower, upper = told
        value = Fraction(*ratio)
        #: A double of a parameter that takes all numbers, an int of one that takes integers.
        self.value: float | int | Fraction = int(value) if value.denominator == 1 and not is_double else value
        if is_double:
            self.value = value.numerator / value.denominator
        #: The exact ends of the delta or beta there.
        self.lower, self.upper = _end(lower), _end(upper)

    def __repr__(self) -> str:
        return f"<dpcert.Trial {self.value!r}>"


class Calibrated(_Numbers):
    """The number in the place of a ``?``: an enclosure of it, and two values that prove it."""

    __slots__ = ()

    @property
    def parameter(self) -> str:
        """What the number is called: a parameter, ``repeats`` or ``weight``."""
        return self._native.parameter

    @property
    def safe(self) -> Trial | None:
        """The value next to the number that is proven to keep the promise."""
        told = self._native.safe()
        return Trial(told) if told else None

    @property
    def fails(self) -> Trial | None:
        """Its neighbour that is proven to break it."""
        told = self._native.fails()
        return Trial(told) if told else None

    def __repr__(self) -> str:
        return f"<dpcert.Calibrated {self.parameter} {self._interval(17)}>"


# Where they are found, for those who only want the type.
_native_answer = _dpcert.Answer
