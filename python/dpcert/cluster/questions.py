"""Queries as lines of JSON, each with an id."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Union

from .._dpcert import number
from .._mechanism import Mechanism
from ..errors import InputError


class Question(NamedTuple):
    """A query as a line of JSON, and its id."""

    id: str
    line: str


#: A query: a line of JSON, the object of such a line, or the ``question`` of an answer.
QuestionLike = Union[str, Mapping[str, Any]]

#: The fields of a query, as ``dpcert answer`` reads them.
_FIELDS = ("id", "quantity", "mechanism", "at", "direction", "digits", "method")


def _text(mechanism: Any) -> str:
    """Return the expression, or the source of a mechanism whose shorthand means more than its expression."""
    return mechanism._text if isinstance(mechanism, Mechanism) else str(mechanism)


def question(
    quantity: str, mechanism: Any, at: Mapping[str, Any] | None = None, *, id: str | None = None, **options: Any  # noqa: A002
) -> dict[str, Any]:
    """Return a query as a dict with exact numbers.

        >>> from dpcert import cluster
        >>> cluster.question("delta", "gdp(mu=1)", {"epsilon": "1/2"}, digits=20)
        {'quantity': 'delta', 'mechanism': 'gdp(mu=1)', 'at': {'epsilon': '1/2'}, 'digits': 20}

    Args:
        quantity: a name such as ``delta``.
        mechanism: a mechanism or an expression.
        at: the point, by the name of its coordinate.
        id: an identifier, which is copied into the answer.
        options: ``digits``, ``direction`` and ``method``.

    Raises:
        TypeError: if an option is unknown.
    """
    asked: dict[str, Any] = {"quantity": quantity, "mechanism": _text(mechanism)}
    asked["at"] = {name: number(value) for name, value in (at or {}).items()}
    if id is not None:
        asked["id"] = id
    for name in options:
        if name not in _FIELDS[4:]:
            raise TypeError(f"unknown option {name!r}; the fields of a query are {', '.join(_FIELDS)}")
    return {**asked, **options}


def sweep(
    template: str, quantity: str, at: Mapping[str, Any] | None = None, *, options: Mapping[str, Any] | None = None, **grid: Iterable[Any]
) -> Iterator[dict[str, Any]]:
    """Yield the queries on a grid of parameters; the last parameter varies fastest.

        >>> from dpcert import cluster
        >>> for query in cluster.sweep("gaussian(sigma={sigma})", "delta", at={"epsilon": [0, 1]}, sigma=[2]):
        ...     print(query)
        {'quantity': 'delta', 'mechanism': 'gaussian(sigma=2)', 'at': {'epsilon': '0'}}
        {'quantity': 'delta', 'mechanism': 'gaussian(sigma=2)', 'at': {'epsilon': '1'}}

    Args:
        template: an expression with the names of parameters in braces.
        quantity: a name such as ``epsilon``.
        at: the point, by the name of its coordinate; a coordinate may be a list.
        options: other fields of each query: ``digits``, ``direction`` and ``method``.
        grid: a list of values for each parameter.

    Raises:
        InputError: if the template has a name that is not a parameter, or a name is both a parameter and a coordinate.
    """
    at = dict(at or {})
    axes = {name: [number(value) for value in values] for name, values in grid.items()}
    points = {name: _axis(value) for name, value in at.items()}
    if both := axes.keys() & points.keys():
        raise InputError(f"{both.pop()} is both a parameter and a coordinate")
    names = [*axes, *points]
    for values in itertools.product(*axes.values(), *points.values()):
        chosen = dict(zip(names, values))
        try:
            mechanism = template.format(**{name: chosen[name] for name in axes})
        except (KeyError, IndexError, ValueError) as error:
            raise InputError(f"{template!r} has a name in braces that is not a parameter: {error}") from None
        yield {
            "quantity": quantity,
            "mechanism": mechanism,
            "at": {name: chosen[name] for name in points},
            **(options or {}),
        }


def _axis(value: Any) -> list[str]:
    return [number(one) for one in value] if isinstance(value, (list, tuple, range)) or getattr(value, "ndim", 0) else [number(value)]


def known(questions: Iterable[QuestionLike]) -> Iterator[Question]:
    """Yield each distinct query with its id; the default id is a hash of the query.

    Raises:
        InputError: if a query is not a JSON object, or two different queries have the same id.
    """
    seen: dict[str, bytes] = {}
    for index, asked in enumerate(questions):
        fields = _fields(asked, index)
        name = fields.pop("id", None)
        text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode()).digest()[:16]
        if name is None:
            name = digest[:12].hex()
        elif not isinstance(name, str):
            raise InputError(f"query {index + 1}: the id must be a string, not {name!r:.60}")
        if (other := seen.setdefault(name, digest)) != digest:
            raise InputError(f"query {index + 1}: another query has the same id {name!r:.60}")
        elif other is digest:
            yield Question(name, json.dumps({"id": name, **fields}, separators=(",", ":")))


def _fields(asked: QuestionLike, index: int) -> dict[str, Any]:
    if isinstance(asked, str):
        try:
            asked = json.loads(asked)
        except ValueError as error:
            raise InputError(f"query {index + 1}: this is not JSON: {error}") from None
    if not isinstance(asked, Mapping):
        raise InputError(f"query {index + 1}: expected an object with {', '.join(_FIELDS)}, not {type(asked).__name__}")
    fields = dict(asked)
    if "mechanism" in fields and not isinstance(fields["mechanism"], (str, list)):
        fields["mechanism"] = _text(fields["mechanism"])
    try:
        json.dumps(fields)
    except (TypeError, ValueError) as error:
        raise InputError(f"query {index + 1}: {error}") from None
    return fields
