"""Strict reader of vector files: an unknown, missing or repeated field is an error with a one-line message and its position."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from .catalogue import COORDINATE, POINTS, QUANTITIES
from .expression import Exact
from .numbers import parse
from .verdict import INFINITE, Truth

FORMAT = "dpcert-vectors/1"
DIRECTIONS = ("worst", "forward", "backward")

class Unknown:
    """The parameter to be found by a calibration: ``?``."""

    def __repr__(self) -> str:
        return "?"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unknown)

    def __hash__(self) -> int:
        return hash("?")


UNKNOWN = Unknown()

class Rest:
    """The weight of a part of a mixture that is 1 minus the other weights: ``rest``."""

    def __repr__(self) -> str:
        return "rest"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rest)

    def __hash__(self) -> int:
        return hash("rest")


REST = Rest()
#: A parameter. A list contains ``?`` and ``rest``, one of each, only if a weight of a mixture is to be found.
Parameter = Union[Exact, Tuple[Union[Exact, Unknown, Rest], ...], Unknown]


class LoadError(ValueError):
    """A file or a folder is invalid. The message begins with its path."""


@dataclass(frozen=True)
class Factor:
    """A mechanism that runs ``times`` times; ``of`` has the inner mechanisms, for example of ``poisson``.

    If ``sought`` is true, a calibration is to find the number of times, and ``times`` is 1.
    """

    mechanism: str
    parameters: Mapping[str, Parameter]
    times: int
    of: Tuple["Factor", ...] = ()
    sought: bool = False

    def numbers(self) -> Iterator[Tuple[str, Exact]]:
        """Yield every number of this factor and the inner ones with its name, except the one to be found."""
        for name, value in self.parameters.items():
            for number in value if isinstance(value, tuple) else (value,):
                if isinstance(number, Exact):
                    yield name, number
        for inner in self.of:
            yield from inner.numbers()

    def mechanisms(self) -> Iterator[str]:
        """Yield the name of this mechanism and the names of the inner ones."""
        yield self.mechanism
        for inner in self.of:
            yield from inner.mechanisms()


@dataclass(frozen=True)
class Answer:
    """The proven answer: ``lower <= truth <= upper`` exactly. Both are equal if it is exact, and ``None`` if it is infinite.

    For an order, ``truth`` is ``None``, and ``order`` states how private the mechanism is relative to the other one.
    """

    kind: str
    truth: Optional[Truth]
    lower_decimal: Optional[str] = None
    upper_decimal: Optional[str] = None
    f64_lower: Optional[float] = None
    f64_upper: Optional[float] = None
    #: ``more-private``, ``less-private``, ``equal`` or ``incomparable``.
    order: Optional[str] = None

    @property
    def lower(self):
        return self.truth.lower if self.truth else None

    @property
    def upper(self):
        return self.truth.upper if self.truth else None


@dataclass(frozen=True)
class Witness:
    """A point at which a relation of two mechanisms provably fails: the enclosures of both values do not intersect.

    At an ``alpha`` the values are type II errors, at an ``epsilon`` they are deltas.
    """

    #: ``at-least`` or ``at-most``: the relation that fails.
    against: str
    at: Mapping[str, Exact]
    direction: str
    first: Answer
    second: Answer


@dataclass(frozen=True)
class Case:
    """One vector: a query and its proven answer."""

    id: str
    file: str
    family: str
    quantity: str
    comment: str
    flags: Tuple[str, ...]
    mechanism: str
    parameters: Tuple[Factor, ...]
    at: Mapping[str, Exact]
    direction: str
    statement: str
    routes: Tuple[str, ...]
    answer: Answer = field(repr=False)
    #: ``upper`` or ``lower`` if the answer is only a bound from a guarantee, which cannot judge a claim.
    bound: Optional[str] = None
    #: For an order: the other mechanism, as an expression and as factors.
    other: Optional[str] = None
    other_parameters: Tuple[Factor, ...] = ()
    #: For an order: a point for each relation that fails.
    witnesses: Tuple[Witness, ...] = field(default=(), repr=False)
    #: For ``limit-delta``, ``limit-epsilon`` and ``limit-beta``: the limit theorem. Its result is not a truth about the mechanism.
    limit: Optional[Mapping[str, Any]] = None
    #: For ``theorem``: its ``name``, its inputs ``given``, and the name of the result, ``says``.
    theorem: Optional[Mapping[str, Any]] = None
    #: For ``accuracy``: the ``function`` of bits, the ``parties``, ``epsilon`` and ``delta`` of each, ``observer``, ``bits``.
    game: Optional[Mapping[str, Any]] = None

    def numbers(self) -> Iterator[Tuple[str, Exact]]:
        """Yield every number of the query with its name, the point last."""
        for factor in (*self.parameters, *self.other_parameters):
            yield from factor.numbers()
        yield from self.at.items()
        if self.theorem:
            yield from self.theorem["given"].items()

    @property
    def exact_in_doubles(self) -> bool:
        """Whether every number of the query is a double, so that a floating-point program can receive the exact query."""
        return all(number.is_double for _, number in self.numbers())

    @property
    def mechanisms(self) -> frozenset:
        """The names of all mechanisms in the query."""
        return frozenset(name for factor in (*self.parameters, *self.other_parameters) for name in factor.mechanisms())

    def __str__(self) -> str:
        point = "".join(f" at {name} = {value}" for name, value in self.at.items())
        side = "" if self.direction == "worst" else f" ({self.direction})"
        beside = f" and {self.other}" if self.other else ""
        return f"{self.quantity} of {self.mechanism}{beside}{point}{side}"


@dataclass(frozen=True)
class VectorFile:
    """One file: one quantity of one family of mechanisms."""

    name: str
    quantity: str
    family: str
    title: str
    about: str
    statements: Mapping[str, str]
    flags: Mapping[str, str]
    cases: Tuple[Case, ...] = field(repr=False)


@dataclass(frozen=True)
class VectorSet:
    """The files of a folder, by name."""

    files: Mapping[str, VectorFile]

    @property
    def cases(self) -> List[Case]:
        return [case for file in self.files.values() for case in file.cases]

    def case(self, id: str) -> Case:
        """Return the case with this id.

        Raises:
            KeyError: if there is none.
        """
        for case in self.cases:
            if case.id == id:
                return case
        raise KeyError(id)

    @property
    def flags(self) -> Dict[str, str]:
        """The meaning of each flag."""
        return {flag: text for file in self.files.values() for flag, text in file.flags.items()}


def data_dir() -> Path:
    """Return the folder with the vectors, in the installed package or in the checkout.

    Raises:
        LoadError: if there is none.
    """
    here = Path(__file__).resolve().parent
    for folder in (here / "data", here.parents[2] / "data"):
        if any(folder.glob("*.json")):
            return folder
    raise LoadError(f"{here}: the vectors are missing: install the package, or use a checkout")


def load(folder: Union[str, Path, None] = None) -> VectorSet:
    """Return all vectors of the package, or of every ``.json`` file in a folder. The result is cached.

    Raises:
        LoadError: if a file is invalid, or the folder has no vectors.
    """
    return _load(Path(folder) if folder is not None else data_dir())


@lru_cache(maxsize=None)
def _load(folder: Path) -> VectorSet:
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise LoadError(f"{folder}: no .json files here")
    files = {path.name: load_file(path) for path in paths}
    seen: Dict[str, str] = {}
    for name, file in files.items():
        for case in file.cases:
            if case.id in seen:
                raise LoadError(f"{folder / name}: {case.id} is also in {seen[case.id]}")
            seen[case.id] = name
    return VectorSet(files)


def load_file(path: Union[str, Path]) -> VectorFile:
    """Return the vectors of one file.

    Raises:
        LoadError: if the file is invalid.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LoadError(f"{path}: {error}") from None
    return load_str(str(path), text)


def load_str(name: str, text: str) -> VectorFile:
    """Return the vectors in the text of a file; the last part of the path ``name`` becomes the name of the file.

    Raises:
        LoadError: if the text is invalid.
    """
    try:
        document = json.loads(text, object_pairs_hook=_without_repeats)
        return _file(Path(name).name, document)
    except json.JSONDecodeError as error:
        raise LoadError(f"{name}:{error.lineno}:{error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise LoadError(f"{name}: {error}") from None


def _without_repeats(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the field {next(name for name in names if names.count(name) > 1)!r} is given twice")
    return document


def _fields(what: str, value: Any, required: str, optional: str = "") -> Dict[str, Any]:
    """Return the object if it has exactly these fields."""
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be an object")
    wanted = required.split()
    for name in wanted:
        if name not in value:
            raise ValueError(f"{what} lacks the field {name!r}")
    for name in value:
        if name not in wanted and name not in optional.split():
            raise ValueError(f"{what} has the unknown field {name!r}")
    return value


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{what} must be a string")
    return value


def _list(what: str, value: Any) -> List[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{what} must be a list")
    return value


def _one_of(what: str, value: Any, choice: Tuple[str, ...]) -> str:
    if value not in choice:
        raise ValueError(f"{what} is {value!r}, not one of {', '.join(map(str, choice))}")
    return value


def _dictionary(what: str, value: Any) -> Dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be an object")
    return {name: _text(f"{what}: {name}", text) for name, text in value.items()}


def _file(name: str, value: Any) -> VectorFile:
    value = _fields("the file", value, "format quantity family title about license statements flags cases")
    _one_of("the format", value["format"], (FORMAT,))
    quantity = _one_of("the quantity", value["quantity"], QUANTITIES)
    family = _text("the family", value["family"])
    flags = _dictionary("flags", value["flags"])
    cases = tuple(_case(name, family, quantity, flags, case) for case in _list("cases", value["cases"]))
    return VectorFile(
        name=name,
        quantity=quantity,
        family=family,
        title=_text("the title", value["title"]),
        about=_text("about", value["about"]),
        statements=_dictionary("statements", value["statements"]),
        flags=flags,
        cases=cases,
    )


_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*-([0-9]{4}|[1-9][0-9]{4,})")


def _case(file: str, family: str, quantity: str, flags: Mapping[str, str], value: Any) -> Case:
    value = _fields("a case", value, "id comment flags mechanism parameters at direction statement routes answer", "bound limit theorem game other witnesses")
    id = _text("an id", value["id"])
    try:
        if ("limit" in value) != quantity.startswith("limit-"):
            raise ValueError(f"{quantity} " + ("must not have the field 'limit'" if "limit" in value else "needs the field 'limit'"))
        for name in ("theorem", "game"):
            if (name in value) != (quantity == _BESIDE[name]):
                raise ValueError(f"{quantity} {'must not have' if name in value else 'needs'} the field {name!r}")
        if ("other" in value) != (quantity == "order"):
            raise ValueError(f"{quantity} " + ("must not have the field 'other'" if "other" in value else "needs the field 'other'"))
        other = _fields("the other", value["other"], "mechanism parameters") if "other" in value else None
        answer = _answer(value["answer"])
        if (answer.kind == "order") != (quantity == "order"):
            raise ValueError(f"{quantity} cannot have an answer of kind {answer.kind}")
        if not _ID.fullmatch(id):
            raise ValueError("an id must end in a number such as 0017")
        for flag in _list("flags", value["flags"]):
            if flag not in flags:
                raise ValueError(f"the flag {flag!r} is not in the dictionary of the file")
        at = _fields("at", value["at"], _coordinates(quantity, value["at"]))
        return Case(
            id=id,
            file=file,
            family=family,
            quantity=quantity,
            comment=_text("the comment", value["comment"]),
            flags=tuple(value["flags"]),
            mechanism=_text("the mechanism", value["mechanism"]),
            parameters=_factors(value["parameters"]),
            at={name: Exact.from_json(number) for name, number in at.items()},
            direction=_one_of("the direction", value["direction"], DIRECTIONS),
            statement=_text("the statement", value["statement"]),
            routes=tuple(_text("a route", route) for route in _list("routes", value["routes"])),
            answer=answer,
            other=_text("the other mechanism", other["mechanism"]) if other else None,
            other_parameters=_factors(other["parameters"]) if other else (),
            witnesses=_witnesses(answer, value["direction"], value.get("witnesses", [])),
            bound=_one_of("the bound", value["bound"], ("upper", "lower")) if "bound" in value else None,
            limit=_limit(value["limit"]) if "limit" in value else None,
            theorem=_theorem(value["theorem"]) if "theorem" in value else None,
            game=_game(value["game"]) if "game" in value else None,
        )
    except ValueError as error:
        raise ValueError(f"{id}: {error}") from None


#: The quantity that has each of these fields.
_BESIDE = {"theorem": "theorem", "game": "accuracy"}


def _theorem(value: Any) -> Dict[str, Any]:
    """Return a theorem, its inputs, and the name of its result."""
    value = _fields("the theorem", value, "name given says")
    if not isinstance(value["given"], dict):
        raise ValueError("the inputs of a theorem must be an object")
    given = {name: Exact.from_json(number) for name, number in value["given"].items()}
    return {"name": _text("the theorem", value["name"]), "given": given, "says": _text("what it says", value["says"])}


def _game(value: Any) -> Dict[str, Any]:
    """Return a function of private bits, and its parties."""
    value = dict(_fields("the game", value, "function parties epsilon delta observer bits"))
    for name in ("function", "observer"):
        _text(f"the {name}", value[name])
    _one_of("the bits", value["bits"], ("average", "worst"))
    if not isinstance(value["parties"], int) or isinstance(value["parties"], bool):
        raise ValueError(f"parties must be an integer, not {value['parties']!r}")
    for name in ("epsilon", "delta"):
        value[name] = tuple(Exact.from_json(number) for number in _list(name, value[name]))
        if len(value[name]) != value["parties"]:
            raise ValueError(f"{name} needs one entry for each of {value['parties']} parties, not {len(value[name])}")
    return value


def _limit(value: Any) -> Dict[str, Any]:
    """Return a limit theorem and its options."""
    theorem = value.get("theorem") if isinstance(value, dict) else None
    _one_of("the theorem", theorem, tuple(_OF_A_THEOREM))
    of = _OF_A_THEOREM[theorem]
    value = _fields("the limit", value, " ".join(["theorem", *of]))
    for name, known in of.items():
        _one_of(f"the {name}", value[name], known)
    return dict(value)


_OF_A_THEOREM: Dict[str, Dict[str, Tuple[Any, ...]]] = {
    "clt": {"form": ("centred", "printed", "worst", "poisson", "uniform")},
    "berry-esseen": {"bound": ("upper", "lower")},
    "clt-rate": {"bound": ("upper", "lower")},
    "edgeworth": {"order": (0, 1, 2, 3)},
    "clones": {},
    "stronger-clones": {},
}


def _coordinates(quantity: str, at: Any) -> str:
    """Return the coordinates of a point of this quantity, separated by blanks."""
    sets = POINTS.get(quantity, ())
    given = at if isinstance(at, dict) else {}
    for names in sets:
        if any(name in given for name in names):
            return " ".join(names)
    return " ".join(sets[0]) if sets else COORDINATE.get(quantity, "")


def _factors(value: Any) -> Tuple[Factor, ...]:
    if not _list("parameters", value):
        raise ValueError("a mechanism needs at least one factor")
    return tuple(_factor(factor) for factor in value)


def _factor(value: Any) -> Factor:
    value = _fields("a factor", value, "mechanism parameters times", "of sought")
    mechanism = _text("a mechanism", value["mechanism"])
    times = value["times"]
    if not isinstance(times, int) or isinstance(times, bool) or times < 1:
        raise ValueError(f"times of {mechanism} must be a positive integer, not {times!r}")
    sought = value.get("sought", False)
    if not isinstance(sought, bool) or (sought and times != 1):
        raise ValueError(f"sought of {mechanism} must be true or false, and true only if times is 1; times is {times!r}, sought {sought!r}")
    if not isinstance(value["parameters"], dict):
        raise ValueError("the parameters of a factor must be an object")
    parameters: Dict[str, Parameter] = {}
    for name, number in value["parameters"].items():
        if isinstance(number, list):
            parameters[name] = _entries(name, number)
        elif number == "?":
            parameters[name] = UNKNOWN
        else:
            parameters[name] = Exact.from_json(number)
    return Factor(mechanism, parameters, times, _factors(value["of"]) if "of" in value else (), sought)


def _entries(name: str, values: List[Any]) -> Tuple[Union[Exact, Unknown, Rest], ...]:
    """Return the entries of a list. If one weight is to be found (``?``), another must be ``rest``."""
    words = {"?": UNKNOWN, "rest": REST}
    found = [value for value in values if isinstance(value, str) and value in words]
    if found and (name != "weights" or sorted(found) != ["?", "rest"]):
        raise ValueError(f"{name} has {' and '.join(map(repr, found))}: only weights may have '?' and 'rest', one of each")
    return tuple(words[value] if isinstance(value, str) and value in words else Exact.from_json(value) for value in values)


#: Whether the first is at least and at most as private as the second.
ORDERS: Dict[str, Tuple[bool, bool]] = {
    "more-private": (True, False),
    "less-private": (False, True),
    "equal": (True, True),
    "incomparable": (False, False),
}


def _witnesses(answer: Answer, direction: str, value: Any) -> Tuple[Witness, ...]:
    """Return the witnesses, one for each relation that fails; their values must be separated in the right order."""
    witnesses = tuple(_witness(witness) for witness in _list("witnesses", value))
    holds = ORDERS[answer.order] if answer.order else (True, True)
    wanted = [name for name, held in zip(("at-least", "at-most"), holds) if not held]
    if [witness.against for witness in witnesses] != wanted:
        raise ValueError(f"an answer {answer.order or 'that is a number'} needs witnesses against {' and '.join(wanted) or 'nothing'}")
    for witness in witnesses:
        if (witness.direction == "worst") != (direction == "worst") or (direction == "worst" and "alpha" in witness.at):
            raise ValueError("a witness has another direction than its case")
    return witnesses


def _witness(value: Any) -> Witness:
    value = _fields("a witness", value, "against at direction first second")
    against = _one_of("what a witness is against", value["against"], ("at-least", "at-most"))
    at = _fields("at", value["at"], "epsilon" if "epsilon" in value["at"] else "alpha")
    first, second = _answer(value["first"]), _answer(value["second"])
    if None in (first.lower, second.lower):
        raise ValueError("the values of a witness must be finite numbers")
    # Where the first is not at least as private, its delta is larger, or its type II error smaller.
    first_is_larger = ("epsilon" in at) == (against == "at-least")
    smaller, larger = (second, first) if first_is_larger else (first, second)
    if not smaller.upper < larger.lower:
        raise ValueError(f"the witness against {against} does not prove it")
    return Witness(
        against,
        {name: Exact.from_json(number) for name, number in at.items()},
        _one_of("the direction", value["direction"], DIRECTIONS),
        first,
        second,
    )


_BOUNDS = "lower upper lower_decimal upper_decimal f64_lower f64_upper"


def _answer(value: Any) -> Answer:
    kind = _one_of(
        "the kind of an answer", value.get("kind") if isinstance(value, dict) else value, ("exact", "enclosure", "infinite", "order")
    )
    if kind == "infinite":
        _fields("an infinite answer", value, "kind")
        return Answer(kind, INFINITE)
    if kind == "order":
        _fields("an order", value, "kind order")
        return Answer(kind, None, order=_one_of("an order", value["order"], tuple(ORDERS)))
    _fields(f"an {kind} answer", value, "kind " + _BOUNDS + (" exact" if kind == "exact" else ""))
    # Every bound is parsed, so that a damaged one is found even if the exact value is enough.
    value = {name: _text(name, entry) for name, entry in value.items()}
    lower, upper = parse(value["lower"]), parse(value["upper"])
    truth = Truth(lower, upper)
    if kind == "exact":
        exact = parse(value["exact"])
        truth = Truth(exact, exact)
    if not lower <= truth.lower <= truth.upper <= upper:
        raise ValueError("the bounds of the answer are in the wrong order")
    return Answer(
        kind,
        truth,
        value["lower_decimal"],
        value["upper_decimal"],
        float.fromhex(value["f64_lower"]),
        float.fromhex(value["f64_upper"]),
    )
