"""The pytest plugin: one test for each vector, from a function that maps a query to the API of an accountant.

    @pytest.mark.dpcert(quantity="delta", mechanism="gaussian", xfail=["TINY_DELTA"])
    def test_gaussian(dpcert_query):
        step = dpcert_query.step
        claim = my_accountant.delta(step["sigma"], step["sensitivity"], step.times, dpcert_query.epsilon)
        dpcert_query.upper(claim)

A function that takes the fixture ``dpcert_query`` becomes one test for each vector that its marker and the command line
select. It makes a claim with ``upper``, ``lower``, ``estimate`` or ``order``, or calls ``unsupported``. The test

- passes if the claim is sound,
- fails if the claim is unsound or not a number, if the accountant raises an exception, or if there is no claim,
- is skipped if the accountant does not support the query, if the numbers of the vector are not doubles (see ``inputs``), or
  if the stored enclosure is too wide to decide. If the package ``dpcert`` is installed, it computes more digits and decides.
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
# Options that select vectors: arguments of the marker, and --dpcert-<name> on the command line.
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
    """The value of the fixture ``dpcert_query``: a query, and methods that make a claim."""

    def __init__(self, case: Case, inputs: str, flags: Mapping[str, str], record: Any) -> None:
        super().__init__(case, inputs)
        self._flags = flags
        self._record = record
        self.answered = False
        self.seconds: Optional[float] = None
        self.rounding: Optional[float] = None

    def upper(self, claim: Any, *, at_most: Optional[float] = None) -> None:
        """Claim that the truth is at most ``claim``. A claim of more than ``at_most`` times the truth fails as loose."""
        self._bound(Side.UPPER, claim, at_most)

    def lower(self, claim: Any) -> None:
        """Claim that the truth is at least ``claim``."""
        self._bound(Side.LOWER, claim, None)

    def estimate(self, claim: Any, *, error: float) -> None:
        """Claim that the truth is ``claim`` up to this relative error."""
        __tracebackhide__ = True
        self._is_a_number()
        if self.rounded:
            self._stop("inputs", "an estimate of a rounded query cannot be judged: use inputs='exact'")
        truth = self.case.answer.truth
        reason = nonsense(self.quantity, claim)
        verdict = Verdict.FAILED if reason else judge_estimate(claim, truth, error)
        if verdict is Verdict.UNDECIDED:
            verdict = decided(self.case, lambda truth: judge_estimate(claim, truth, error))
        self._conclude("estimate", claim, verdict, reason, f"a relative error above {error}")

    def order(self, *, at_least: Optional[bool] = None, at_most: Optional[bool] = None) -> None:
        """Claim whether the first mechanism is at least, and at most, as private as the other; None claims nothing."""
        __tracebackhide__ = True
        if self.case.answer.order is None:
            self._stop("order", f"{self.quantity} is a number: use upper, lower or estimate")
        verdict = judge_order(at_least, at_most, self.case.answer.order)
        said = {"at-least": at_least, "at-most": at_most}
        claim = ", ".join(f"{'' if holds else 'not '}{name}" for name, holds in said.items() if holds is not None)
        self.answered = True
        self._record(self.case.id, verdict=verdict.value, kind="order", claim=claim, truth=self.case.answer.order)
        if verdict is not Verdict.SOUND:
            message = f"{self.id}: {self.case}: the claim is {claim or 'empty'}, but the mechanism is {self.case.answer.order}"
            pytest.fail(message, pytrace=False)

    def unsupported(self, reason: str = "not supported") -> NoReturn:
        """Skip the test, because the accountant does not support the query."""
        __tracebackhide__ = True
        self.answered = True
        self._record(self.case.id, verdict="unsupported", reason=reason)
        pytest.skip(reason)

    def _is_a_number(self) -> None:
        __tracebackhide__ = True
        if self.case.answer.truth is None:
            self._stop("order", "an order is not a number: use order(at_least=..., at_most=...)")

    def _bound(self, side: Side, claim: Any, at_most: Optional[float]) -> None:
        __tracebackhide__ = True
        self._is_a_number()
        if self.rounded and self.inputs != side.value:
            self._stop("inputs", f"{side.value} bounds of a query that is rounded for {self.inputs} bounds cannot be judged")
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
        """Return whether a bound would be sound after a change by this share of the truth. The verdict does not change."""
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
        "--dpcert-xfail", action="append", default=[], metavar="NAME", help="expect a flag, an id, or an @FILE of them to fail"
    )
    group.addoption("--dpcert-skip", action="append", default=[], metavar="NAME", help="skip a flag, an id, or an @FILE of them")
    group.addoption("--dpcert-inputs", choices=INPUTS, help="treatment of numbers that are not doubles")
    group.addoption("--dpcert-seconds", type=float, metavar="N", help="fail a test that takes more than N seconds (not on Windows)")
    group.addoption(
        "--dpcert-rounding", type=float, metavar="R", help="expect bounds to fail that are wrong by at most this share of the truth"
    )
    group.addoption("--dpcert-data", metavar="DIR", help="use the vectors in this folder instead of those of the package")
    group.addoption("--dpcert-report", metavar="FILE", help="write one JSON line for each verdict")
    parser.addini("dpcert_xfail", "flags and ids of vectors that are expected to fail", type="linelist", default=[])
    parser.addini("dpcert_skip", "flags and ids of vectors to skip", type="linelist", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"dpcert({', '.join(f'{name}=' for name in (*_SELECTORS, *_OTHERS))}): "
        "select the vectors of the fixture dpcert_query, and those that are expected to fail",
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
        raise pytest.UsageError(f"inputs must be {', '.join(INPUTS[:-1])} or {INPUTS[-1]}, not {inputs!r}")
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
        # A vector named by its id must fail; vectors named by a flag may pass.
        for name in sorted((name for name in xfail if _matches(case, name)), key=lambda name: name != case.id):
            marks.append(pytest.mark.xfail(reason=xfail[name] or name, strict=name == case.id))
            break
        parameters.append(pytest.param((case, inputs, vectors.flags), id=case.id, marks=marks))
    metafunc.parametrize("dpcert_query", parameters, indirect=True)


def _marker(node: Any) -> Dict[str, Any]:
    """Return the arguments of all dpcert markers; those closest to the function take precedence."""
    arguments: Dict[str, Any] = {}
    for mark in reversed(list(node.iter_markers("dpcert"))):
        if mark.args:
            raise pytest.UsageError("pytest.mark.dpcert takes only named arguments, such as quantity='delta'")
        for name in mark.kwargs:
            if name not in _SELECTORS and name not in _OTHERS:
                known = ", ".join((*_SELECTORS, *_OTHERS))
                raise pytest.UsageError(f"pytest.mark.dpcert has no argument {name!r}; its arguments are {known}")
        arguments.update(mark.kwargs)
    return arguments


def _names(value: Names) -> List[str]:
    return [value] if isinstance(value, str) else list(value)


def _reasons(source: Union[Names, Mapping[str, str]], folder: Path) -> Dict[str, str]:
    """Return flags and ids, each with its reason, which may be empty.

    Reasons come from a mapping, or from a file ``@FILE`` in this folder with one name per line and the reason after a #.
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
            raise pytest.UsageError(f"no vector has the flag or the id {name!r}; the flags are {', '.join(sorted(vectors.flags))}")


def _selected(vectors: VectorSet, marker: Mapping[str, Any], config: pytest.Config) -> List[Case]:
    """Return the vectors that both the marker and the command line select; by default those of the worst direction."""
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
                    raise pytest.UsageError(f"no vector has the {selector} {name!r}; possible values are {choice}")
                if selector == "id" and not any(fnmatchcase(case.id, name) for case in vectors.cases):
                    raise pytest.UsageError(f"no vector has the id {name!r}")
    # A bound from a guarantee judges no claim, because an accountant may know a tighter one. Theorems and orders are used only
    # if they are selected by name. For orders the direction does not matter.
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
    """The query of a vector, with the methods ``upper``, ``lower``, ``estimate``, ``order`` and ``unsupported`` to answer it."""
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
    """Fail a test without a claim, and record an accountant that raises as failed."""
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
    """The accountant exceeded the time limit. Not an ``Exception``, so that ``except Exception`` does not catch it."""


@contextmanager
def _limit(seconds: Optional[float]) -> Iterator[None]:
    """Interrupt the block after this time, between two steps of Python; a single long call into C is not interrupted."""
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


# --- Results ---------------------------------------------------------------------------------------------------------------


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # The report carries the records, also from the worker processes of pytest-xdist.
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
