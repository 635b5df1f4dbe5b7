"""Questions as lines of JSON, each with an id."""

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
    """A question, and what it is known by."""

    id: str
    line: str


#: What is taken as a question: a line of JSON, what such a line says, or an answer's ``question``.
QuestionLike = Union[str, Mapping[str, Any]]

#: The fields of a question, as ``dpcert answer`` reads them.
_FIELDS = ("id", "quantity", "mechanism", "at", "direction", "digits", "method")


def _text(mechanism: Any) -> str:
    """The expression; a mechanism whose words say more than their expression has its own text."""
    return mechanism._text if isinstance(mechanism, Mechanism) else str(mechanism)


def question(
    quantity: str, mechanism: Any, at: Mapping[str, Any] | None = None, *, id: str | None = None, **options: Any  # noqa: A002
) -> dict[str, Any]:
    """A question as a dict, its numbers as the exact numbers they are. Options: ``digits``, ``direction``, ``method``."""
    asked: dict[str, Any] = {"quantity": quantity, "mechanism": _text(mechanism)}
    asked["at"] = {name: number(value) for name, value in (at or {}).items()}
    if id is not None:
        asked["id"] = id
    for name in options:
        if name not in _FIELDS[4:]:
            raise TypeError(f"a question has no {name!r}; it has {', '.join(_FIELDS)}")
    return {**asked, **options}


def sweep(
    template: str, quantity: str, at: Mapping[str, Any] | None = None, *, options: Mapping[str, Any] | None = None, **grid: Iterable[Any]
) -> Iterator[dict[str, Any]]:
    """The questions on a grid: every value of every parameter with every other one, the last one fastest.

    ``template`` is an expression with the names of parameters in braces. A coordinate of ``at`` may be a list too.
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
            raise InputError(f"{template!r} has names that no parameter has: {error}") from None
        yield {
            "quantity": quantity,
            "mechanism": mechanism,
            "at": {name: chosen[name] for name in points},
            **(options or {}),
        }


def _axis(value: Any) -> list[str]:
    return [number(one) for one in value] if isinstance(value, (list, tuple, range)) or getattr(value, "ndim", 0) else [number(value)]


def known(questions: Iterable[QuestionLike]) -> Iterator[Question]:
    """Each question once, with an id: its own, or one made of what it asks.

    Raises:
        InputError: for what is no object of JSON, and for two different questions with one id.
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
            raise InputError(f"question {index + 1}: an id is a text, not {name!r:.60}")
        if (other := seen.setdefault(name, digest)) != digest:
            raise InputError(f"question {index + 1}: the id {name!r:.60} is that of another question")
        elif other is digest:
            yield Question(name, json.dumps({"id": name, **fields}, separators=(",", ":")))


def _fields(asked: QuestionLike, index: int) -> dict[str, Any]:
    if isinstance(asked, str):
        try:
            asked = json.loads(asked)
        except ValueError as error:
            raise InputError(f"question {index + 1}: this is not JSON: {error}") from None
    if not isinstance(asked, Mapping):
        raise InputError(f"question {index + 1}: an object is wanted, with {', '.join(_FIELDS)}, not {type(asked).__name__}")
    fields = dict(asked)
    if "mechanism" in fields and not isinstance(fields["mechanism"], (str, list)):
        fields["mechanism"] = _text(fields["mechanism"])
    try:
        json.dumps(fields)
    except (TypeError, ValueError) as error:
        raise InputError(f"question {index + 1}: {error}") from None
    return fields
