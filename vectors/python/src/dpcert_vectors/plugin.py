"""The pytest plugin: one test for each vector, from a function that maps a query to the API of your accountant.

    @pytest.mark.dpcert(quantity="delta", mechanism="gaussian", xfail=["TINY_DELTA"])
    def test_gaussian(dpcert_query):
        step = dpcert_query.step
        claim = my_accountant.delta(step["sigma"], step["sensitivity"], step.times, dpcert_query.epsilon)
        dpcert_query.upper(claim)

A function that takes the fixture ``dpcert_query`` becomes one test for each vector that its marker and the command line
select. It makes a claim with ``upper``, ``lower`` or ``estimate``, of an order with ``order``, or calls ``unsupported``. The
test

- passes when the claim is sound,
- fails when the claim is unsound or no number at all, when the accountant raises, and when nothing is claimed,
- is skipped when the accountant does not support the query, when the vector's numbers are not doubles (see ``inputs``), and
  when the stored enclosure is too wide to tell. With the package ``dpcert`` installed such a question is asked anew, with
  more digits, and decided.
"""

from __future__ import annotations

import json
import math
import signal
import threading
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NoReturn, Optional, Tuple, Union

import pytest

from .load import DIRECTIONS, QUANTITIES, Case, LoadError, VectorSet, load
from .numbers import exactly, short
from .query import INPUTS, NotAskable, Query
from .refine import decided
from .report import describe
from .verdict import Side, Verdict, judge, judge_estimate, judge_order, nonsense, ratio

Names = Union[str, Iterable[str]]
_PROPERTY = "dpcert"
_RESULTS = pytest.StashKey[List[Dict[str, Any]]]()
# What selects vectors: by the marker with these names, on the command line as --dpcert-<name>.
_SELECTORS = {
    "quantity": "the quantity, such as delta",
    "family": "the family, such as kov",
    "file": "the file, such as kov-delta",
    "flag": "vectors with one of these flags",
    "mechanism": "vectors whose mechanisms are all among these",
    "direction": "worst (the default), forward or backward",
    "id": "the id; * and ? match anything",
    "without": "no vector with one of these flags",
}
_OTHERS = ("xfail", "skip", "inputs", "data", "seconds", "rounding")


class Claims(Query):
    """What the fixture ``dpcert_query`` is: the query, and the ways to answer it."""

    def __init__(self, case: Case, inputs: str, flags: Mapping[str, str], record: Any) -> None:
        super().__init__(case, inputs)
        self._flags = flags
        self._record = record
        self.answered = False
        self.seconds: Optional[float] = None
        self.rounding: Optional[float] = None

    def upper(self, claim: Any, *, at_most: Optional[float] = None) -> None:
        """Claims that the truth is not above ``claim``. With ``at_most``, a claim of more times the truth fails too."""
        self._bound(Side.UPPER, claim, at_most)

    def lower(self, claim: Any) -> None:
        """Claims that the truth is not below ``claim``."""
        self._bound(Side.LOWER, claim, None)

    def estimate(self, claim: Any, *, error: float) -> None:
        """Claims that the truth is ``claim`` up to this relative error."""
        __tracebackhide__ = True
        self._is_a_number()
        if self.rounded:
            self._stop("inputs", "an estimate of a rounded question cannot be judged: use inputs='exact'")
        truth = self.case.answer.truth
        reason = nonsense(self.quantity, claim)
        verdict = Verdict.FAILED if reason else judge_estimate(claim, truth, error)
        if verdict is Verdict.UNDECIDED:
            verdict = decided(self.case, lambda truth: judge_estimate(claim, truth, error))
        self._conclude("estimate", claim, verdict, reason, f"a relative error above {error}")

    def order(self, *, at_least: Optional[bool] = None, at_most: Optional[bool] = None) -> None:
        """Claims that the first mechanism is, or is not, at least as private as the other, and at most."""
        __tracebackhide__ = True
        if self.case.answer.order is None:
            self._stop("order", f"{self.quantity} is a number: use upper, lower or estimate")
        verdict = judge_order(at_least, at_most, self.case.answer.order)
        said = {"at-least": at_least, "at-most": at_most}
        claim = ", ".join(f"{'' if holds else 'not '}{name}" for name, holds in said.items() if holds is not None)
        self.answered = True
        self._record(self.case.id, verdict=verdict.value, kind="order", claim=claim, truth=self.case.answer.order)
        if verdict is not Verdict.SOUND:
            pytest.fail(f"{self.id}: {self.case}: claimed {claim or 'nothing'}, and it is {self.case.answer.order}", pytrace=False)

    def unsupported(self, reason: str = "not supported") -> NoReturn:
        """The accountant does not offer this: the test is skipped."""
        __tracebackhide__ = True
        self.answered = True
        self._record(self.case.id, verdict="unsupported", reason=reason)
        pytest.skip(reason)

    def _is_a_number(self) -> None:
        __tracebackhide__ = True
        if self.case.answer.truth is None:
            self._stop("order", "an order is no number: claim it with order(at_least=..., at_most=...)")

    def _bound(self, side: Side, claim: Any, at_most: Optional[float]) -> None:
        __tracebackhide__ = True
        self._is_a_number()
        if self.rounded and self.inputs != side.value:
            self._stop("inputs", f"{side.value} bounds of a question rounded for {self.inputs} bounds cannot be judged")
        truth = self.case.answer.truth
        reason = nonsense(self.quantity, claim)
        verdict = Verdict.FAILED if reason else judge(side, claim, truth)
        if verdict is Verdict.UNDECIDED:
            verdict = decided(self.case, lambda truth: judge(side, claim, truth))
        says = "below the truth" if side is Side.UPPER else "above the truth"
        if verdict is Verdict.SOUND and at_most is not None and not truth.infinite:
            u, limit = exactly(claim), exactly(at_most)
            if u == math.inf or u > limit * truth.upper:
                self._conclude(side.value, claim, "loose", None, f"more than {at_most} times the truth")
        self._conclude(side.value, claim, verdict, reason, says)

    def _conclude(self, kind: str, claim: Any, verdict: Any, reason: Optional[str], says: str) -> None:
        __tracebackhide__ = True
        self.answered = True
        verdict = verdict.value if isinstance(verdict, Verdict) else verdict
        u, share = exactly(claim), ratio(claim, self.case.answer.truth)
        rounding = verdict in ("unsound", "failed") and self._is_rounding(kind, u)
        self._record(
            self.case.id,
            verdict=verdict,
            kind=kind,
            claim=float(u).hex() if isinstance(claim, float) else str(claim),
            claim_decimal=short(u),
            truth=self._truth(),
            ratio=list(map(repr, share)) if share else None,
            **({"reason": reason} if reason else {}),
            **({"within_rounding": True} if rounding else {}),
        )
        if verdict == "undecided":
            pytest.skip("undecided: the stored enclosure is too wide to judge this claim")
        if rounding:
            pytest.xfail(f"{verdict}, but within {self.rounding:g} of the truth")
        if verdict != "sound":
            pytest.fail(describe(self, kind, u, verdict, reason or says, self._flags), pytrace=False)

    def _is_rounding(self, kind: str, claim: Any) -> bool:
        """Whether a bound would be right if it were moved by this share of the truth. The verdict does not change."""
        truth = self.case.answer.truth
        if not self.rounding or kind == "estimate" or isinstance(claim, float) or truth.infinite:
            return False
        share = exactly(self.rounding)
        return truth.lower * (1 - share) <= claim <= truth.upper * (1 + share)

    def _truth(self) -> Dict[str, Any]:
        answer = self.case.answer
        if answer.truth.infinite:
            return {"kind": answer.kind}
        return {"kind": answer.kind, "lower": answer.lower_decimal, "upper": answer.upper_decimal}

    def _stop(self, reason: str, message: str) -> NoReturn:
        __tracebackhide__ = True
        self.answered = True
        self._record(self.case.id, verdict="failed", reason=reason)
        pytest.fail(f"{self.id}: {message}", pytrace=False)


# --- Options -----------------------------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dpcert", "dpcert vectors (each option may be repeated)")
    for name, text in _SELECTORS.items():
        group.addoption(f"--dpcert-{name}", action="append", default=[], metavar="NAME", help=f"select by {text}")
    group.addoption(
        "--dpcert-xfail", action="append", default=[], metavar="NAME", help="a flag, an id, or @FILE of them: known to fail"
    )
    group.addoption("--dpcert-skip", action="append", default=[], metavar="NAME", help="a flag, an id, or @FILE of them to skip")
    group.addoption("--dpcert-inputs", choices=INPUTS, help="what to do with numbers that are not doubles")
    group.addoption("--dpcert-seconds", type=float, metavar="N", help="let a test fail that takes longer (not on Windows)")
    group.addoption(
        "--dpcert-rounding", type=float, metavar="R", help="xfail instead of fail within this share of the truth"
    )
    group.addoption("--dpcert-data", metavar="DIR", help="a folder of vectors instead of those that came with the package")
    group.addoption("--dpcert-report", metavar="FILE", help="write one JSON line for each verdict")
    parser.addini("dpcert_xfail", "flags and ids of vectors that are known to fail", type="linelist", default=[])
    parser.addini("dpcert_skip", "flags and ids of vectors to skip", type="linelist", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"dpcert({', '.join(f'{name}=' for name in (*_SELECTORS, *_OTHERS))}): "
        "which vectors the fixture dpcert_query runs through, and which of them are known to fail",
    )
    config.stash[_RESULTS] = []


# --- One test for each vector --------------------------------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "dpcert_query" not in metafunc.fixturenames:
        return
    marker = _marker(metafunc.definition)
    config = metafunc.config
    try:
        vectors = load(config.getoption("dpcert_data") or marker.get("data"))
    except LoadError as error:
        raise pytest.UsageError(str(error)) from None
    inputs = config.getoption("dpcert_inputs") or marker.get("inputs", "exact")
    if inputs not in INPUTS:
        raise pytest.UsageError(f"inputs are {', '.join(INPUTS)}, not {inputs!r}")
    xfail, skip = (
        {
            **_reasons(marker.get(name, ()), metafunc.definition.path.parent),
            **_reasons(config.getini(f"dpcert_{name}"), config.inipath.parent if config.inipath else config.rootpath),
            **_reasons(config.getoption(f"dpcert_{name}"), config.invocation_params.dir),
        }
        for name in ("xfail", "skip")
    )
    _check_names(vectors, [*xfail, *skip])
    parameters = []
    for case in _selected(vectors, marker, config):
        marks = []
        for name, reason in skip.items():
            if _matches(case, name):
                marks.append(pytest.mark.skip(reason=reason or name))
        try:
            Query(case, inputs)
        except NotAskable as reason:
            marks.append(pytest.mark.skip(reason=str(reason)))
        # An id is known to fail and has to; of the vectors with a flag some may pass.
        for name in sorted((name for name in xfail if _matches(case, name)), key=lambda name: name != case.id):
            marks.append(pytest.mark.xfail(reason=xfail[name] or name, strict=name == case.id))
            break
        parameters.append(pytest.param((case, inputs, vectors.flags), id=case.id, marks=marks))
    metafunc.parametrize("dpcert_query", parameters, indirect=True)


def _marker(node: Any) -> Dict[str, Any]:
    """The arguments of all dpcert markers; the one nearest to the function wins."""
    arguments: Dict[str, Any] = {}
    for mark in reversed(list(node.iter_markers("dpcert"))):
        if mark.args:
            raise pytest.UsageError("pytest.mark.dpcert takes named arguments only, such as quantity='delta'")
        for name in mark.kwargs:
            if name not in _SELECTORS and name not in _OTHERS:
                known = ", ".join((*_SELECTORS, *_OTHERS))
                raise pytest.UsageError(f"pytest.mark.dpcert has no argument {name!r}; it has {known}")
        arguments.update(mark.kwargs)
    return arguments


def _names(value: Names) -> List[str]:
    return [value] if isinstance(value, str) else list(value)


def _reasons(source: Union[Names, Mapping[str, str]], folder: Path) -> Dict[str, str]:
    """Flags and ids, each with the reason that is given for it or an empty one.

    A mapping gives reasons, and so does a file: ``@FILE``, from this folder, has one name a line and the reason after a #.
    """
    if isinstance(source, Mapping):
        return dict(source)
    reasons: Dict[str, str] = {}
    for name in _names(source):
        if not name.startswith("@"):
            reasons[name] = ""
            continue
        try:
            lines = (folder / name[1:]).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise pytest.UsageError(f"{folder / name[1:]}: {error.strerror}") from None
        for line in lines:
            listed, _, reason = line.partition("#")
            if listed.strip():
                reasons[listed.strip()] = reason.strip()
    return reasons


def _matches(case: Case, name: str) -> bool:
    return name in case.flags or fnmatchcase(case.id, name)


def _check_names(vectors: VectorSet, names: Iterable[str]) -> None:
    for name in names:
        if not any(_matches(case, name) for case in vectors.cases):
            raise pytest.UsageError(f"no vector has the flag or the id {name!r}; flags are {', '.join(sorted(vectors.flags))}")


def _selected(vectors: VectorSet, marker: Mapping[str, Any], config: pytest.Config) -> List[Case]:
    """What both the marker and the command line select. Both directions have to be asked for."""
    sources = [{name: _names(marker[name]) for name in _SELECTORS if name in marker}]
    sources.append({name: names for name in _SELECTORS for names in [config.getoption(f"dpcert_{name}")] if names})
    either = any("direction" in source for source in sources)
    known = {
        "quantity": QUANTITIES,
        "direction": DIRECTIONS,
        "family": {file.family for file in vectors.files.values()},
        "file": {name[: -len(".json")] for name in vectors.files},
        "flag": vectors.flags,
        "without": vectors.flags,
        "mechanism": {name for case in vectors.cases for name in case.mechanisms},
    }
    for source in sources:
        for selector, names in source.items():
            for name in names:
                if selector in known and name not in known[selector]:
                    choice = ", ".join(sorted(known[selector]))
                    raise pytest.UsageError(f"no vector has the {selector} {name!r}; there are {choice}")
                if selector == "id" and not any(fnmatchcase(case.id, name) for case in vectors.cases):
                    raise pytest.UsageError(f"no vector has the id {name!r}")
    # What follows from a guarantee may be known more tightly by others: a bound judges nobody. What theorems say is
    # for those who compute that, and orders are no numbers: they have to be named. Of orders no direction is the other's.
    named = any(name in source for source in sources for name in ("quantity", "family", "file", "id"))
    asked = [case for case in vectors.cases if case.bound is None and (named or not _apart(case))]
    asked = [case for case in asked if either or case.quantity == "order" or case.direction == "worst"]
    return [case for case in asked if all(_fits(case, source) for source in sources)]


def _apart(case: Case) -> bool:
    return case.limit is not None or case.quantity in ("order", "theorem", "accuracy")


def _fits(case: Case, source: Mapping[str, List[str]]) -> bool:
    for selector, names in source.items():
        if selector == "flag":
            fits = any(name in case.flags for name in names)
        elif selector == "without":
            fits = not any(name in case.flags for name in names)
        elif selector == "mechanism":
            fits = case.mechanisms <= set(names)
        elif selector == "file":
            fits = any(case.file == f"{name}.json" for name in names)
        elif selector == "id":
            fits = any(fnmatchcase(case.id, name) for name in names)
        else:
            fits = getattr(case, selector) in names
        if not fits:
            return False
    return True


@pytest.fixture
def dpcert_query(request: pytest.FixtureRequest, record_property: Any) -> Claims:
    """The vector as a question, and ``upper``, ``lower``, ``estimate`` and ``unsupported`` to answer it."""
    case, inputs, flags = request.param

    def record(id: str, **fields: Any) -> None:
        record_property(_PROPERTY, json.dumps({"id": id, "quantity": case.quantity, "mechanism": case.mechanism, **fields}))

    claims = Claims(case, inputs, flags, record)
    marker = _marker(request.node)
    claims.seconds = request.config.getoption("dpcert_seconds") or marker.get("seconds")
    claims.rounding = request.config.getoption("dpcert_rounding") or marker.get("rounding")
    request.node.stash[_CLAIMS] = claims
    return claims


_CLAIMS = pytest.StashKey[Claims]()


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function):
    """A test that claims nothing has tested nothing; an accountant that raises has failed."""
    claims = pyfuncitem.stash.get(_CLAIMS, None)
    with _limit(claims.seconds if claims else None):
        outcome = yield
    if claims is None or claims.answered:
        return
    if outcome.excinfo is None:
        claims._record(claims.id, verdict="failed", reason="no claim")
        message = f"{claims.id}: no claim was made: call upper, lower, estimate, order or unsupported of dpcert_query"
        outcome.force_exception(pytest.fail.Exception(message, pytrace=False))
    elif not issubclass(outcome.excinfo[0], pytest.skip.Exception):
        error = outcome.excinfo[1]
        claims._record(claims.id, verdict="failed", reason="raised", message=f"{type(error).__name__}: {error}"[:400])


class TookTooLong(BaseException):
    """The accountant is still at it. Not an ``Exception``, so that no ``except Exception`` of the accountant swallows it."""


@contextmanager
def _limit(seconds: Optional[float]) -> Iterator[None]:
    """Interrupts what takes longer, between two steps of Python: a single long call into C is waited for."""
    if not seconds or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise TookTooLong(f"no answer after {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- What came of it -------------------------------------------------------------------------------------------------------


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # The report carries what was recorded, also from the worker processes of pytest-xdist.
    if report.when != "call" or _CONFIG is None:
        return
    for name, value in report.user_properties:
        if name == _PROPERTY:
            line = {"test": report.nodeid, **json.loads(str(value)), "expected": hasattr(report, "wasxfail")}
            _CONFIG.stash[_RESULTS].append(line)


_CONFIG: Optional[pytest.Config] = None


def pytest_sessionstart(session: pytest.Session) -> None:
    global _CONFIG
    _CONFIG = session.config


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("dpcert_report")
    if path and not hasattr(session.config, "workerinput"):
        with open(path, "w", encoding="utf-8") as file:
            for line in session.config.stash[_RESULTS]:
                file.write(json.dumps(line) + "\n")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    counts: Dict[Tuple[str, bool], int] = {}
    for line in config.stash[_RESULTS]:
        key = line["verdict"], line["expected"] and line["verdict"] not in ("sound", "undecided", "unsupported")
        counts[key] = counts.get(key, 0) + 1
    if not counts:
        return
    order = ["sound", "unsound", "failed", "loose", "undecided", "unsupported"]
    parts = [
        f"{counts[key]} {key[0]}" + (" as expected" if key[1] else "")
        for key in sorted(counts, key=lambda key: (order.index(key[0]), key[1]))
    ]
    terminalreporter.write_sep("-", f"claims about dpcert vectors: {', '.join(parts)}")
