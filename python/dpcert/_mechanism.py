"""Mechanisms as objects. The repr of an object is its expression."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Iterable, Union

from ._dpcert import Composition, number

from .errors import InputError

if TYPE_CHECKING:
    from ._curve import Curve

#: Largest number of entries of a list.
_MOST_ENTRIES = 100_000

#: A mechanism or an expression.
MechanismLike = Union["Mechanism", str]


class Mechanism:
    """A composition of mechanisms: ``a * b`` runs a and then b, ``a ** n`` runs a n times.

        >>> import dpcert
        >>> dpcert.gaussian(sigma=2)**3 * dpcert.laplace(scale=20)
        gaussian(sigma=2)^3 * laplace(scale=20)
    """

    __slots__ = ("_composition", "_source", "assumed", "__weakref__")

    def __init__(
        self, expression: str | Composition, assumed: Iterable[str] = (), *, source: str | None = None
    ) -> None:
        #: The source text. A shorthand in it may mean more than the expression that replaces it.
        self._source = expression if isinstance(expression, str) and source is None else source
        if isinstance(expression, str):
            expression = Composition(expression, files=True)
        elif not isinstance(expression, Composition):
            raise TypeError(f"a mechanism must be an expression or a Mechanism, not {type(expression).__name__}")
        self._composition = expression
        #: Assumptions made when the mechanism was read from another library's description: adjacency, sampling.
        self.assumed: tuple[str, ...] = tuple(assumed)

    def __mul__(self, other: Any) -> Mechanism:
        if not isinstance(other, Mechanism):
            return NotImplemented
        source = f"({self._text}) * ({other._text})"
        both = self._composition * other._composition
        return Mechanism(both, dict.fromkeys(self.assumed + other.assumed), source=source)

    def __pow__(self, times: Any) -> Mechanism:
        return Mechanism(self._composition**times, self.assumed, source=f"({self._text})^{times}")

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Mechanism) and self._composition == other._composition

    def __hash__(self) -> int:
        return hash(self._composition)

    def __repr__(self) -> str:
        return str(self._composition)

    @property
    def _text(self) -> str:
        """Return a text that parses to this mechanism: the expression, or the source if a shorthand makes it a bound."""
        if self._composition.only_bounds and self._source is not None:
            return self._source
        return str(self)

    def __reduce__(self) -> Any:
        return _read, (self._text, self.assumed)

    def curve(self, kind: str = "profile", **options: Any) -> Curve:
        """Return the whole privacy profile (``profile``) or trade-off function (``tradeoff``); see :class:`dpcert.Curve`."""
        from ._curve import Curve

        return Curve(self, kind, **options)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{escape(step)}</code></td><td>{times}</td><td>{'<br>'.join(map(escape, pairs))}</td></tr>"
            for step, times, pairs in self._composition.pairs()
        )
        assumed = "".join(f"<div>assumed: {escape(line)}</div>" for line in self.assumed)
        head = "<tr><th>mechanism</th><th>times</th><th>pair</th></tr>"
        return f"<div><code>{escape(str(self))}</code><table>{head}{rows}</table>{assumed}</div>"


def _read(expression: str, assumed: tuple[str, ...]) -> Mechanism:
    return Mechanism(Composition(expression), assumed, source=expression)


def mechanism(of: MechanismLike) -> Mechanism:
    """Return the mechanism of an expression; ``dpcert help mechanisms`` describes the syntax.

    The expression may name files, such as ``@steps.toml``.

        >>> import dpcert
        >>> dpcert.mechanism("gaussian(sigma=2)^3")
        gaussian(sigma=2)^3

    Raises:
        ParseError: if the expression cannot be parsed.
        TypeError: if the argument is neither a string nor a mechanism.
    """
    return of if isinstance(of, Mechanism) else Mechanism(of)


def built(name: str, arguments: Iterable[tuple[str, Any]]) -> Mechanism:
    """Return the mechanism of this name. Arguments that are None are omitted."""
    given = {parameter: value for parameter, value in arguments if value is not None}
    if "mechanisms" in given:
        texts = _weighed(given)
    else:
        texts = [f"{parameter}={_argument(parameter, value)}" for parameter, value in given.items()]
    text = f"{name}({', '.join(texts)})"
    return Mechanism(Composition(text), source=text)


def _weighed(given: dict[str, Any]) -> list[str]:
    """Return the compositions of a mixture, each with its weight before it."""
    of = [mechanism(one) for one in given.pop("mechanisms")]
    (name, values), = given.items() or (("weights", ()),)
    weights = list(_entries(name, values, words=("rest",)))
    if len(weights) != len(of):
        raise InputError(f"there are {len(weights)} {name} for {len(of)} mechanisms; pass one for each mechanism")
    return [f"{weight}: {one._text}" for weight, one in zip(weights, of)]


def _argument(name: str, value: Any) -> str:
    if isinstance(value, Mechanism):
        return value._text
    if name == "mechanism":
        return mechanism(value)._text
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0):
        return f"[{', '.join(_entries(name, value))}]"
    try:
        return number(value)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def _entries(name: str, values: Any, words: tuple[str, ...] = ()) -> Iterable[str]:
    """Yield each entry as a number, except words of the language."""
    if len(values) > _MOST_ENTRIES:
        raise InputError(f"{name} has {len(values)} entries, more than the {_MOST_ENTRIES} allowed")
    for index, value in enumerate(values):
        if isinstance(value, str) and value in words:
            yield value
            continue
        try:
            yield number(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"entry {index + 1} of {name}: {error}") from None
