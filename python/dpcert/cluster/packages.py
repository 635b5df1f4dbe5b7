"""Audits of packages in several versions and settings on Dask, as parts of ``dpcert audit``."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Union

from ..errors import InputError, InternalError
from .engine import _bar, _in_order
from .output import Output, opened
from .questions import Question

#: Default number of tasks for each package: small enough that start-up does not dominate, large enough to spread the load.
PARTS = 8


@dataclass(frozen=True)
class Package:
    """A package to audit: its version, API and settings.

    Args:
        name: a name of ``dpcert audit --list``, such as ``opacus``, ``opacus:rdp`` or ``opacus@1.5.4:rdp``.
        adapter: instead of a name, a shell command that runs a program with the protocol of ``dpcert audit --protocol``.
        settings: environment variables of the process.
        time_limit: time limit of one answer in seconds.
        memory: memory limit in megabytes.

    Raises:
        InputError: if there is not exactly one of name and adapter, or a setting is not a valid environment variable.
        TypeError: if a name, adapter or setting is not a string.
    """

    name: str | None = None
    adapter: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    time_limit: float = 5.0
    memory: int = 4000

    def __post_init__(self) -> None:
        if (self.name is None) == (self.adapter is None):
            raise InputError("a package needs either a name or an adapter")
        for text in (self.name, self.adapter, *self.settings, *self.settings.values()):
            if text is not None and not isinstance(text, str):
                raise TypeError(f"names, adapters and settings must be strings, not {text!r:.60}")
        for name, value in self.settings.items():
            if not name or "=" in name or "\0" in name + value:
                raise InputError(f"environment variable {name!r:.60} cannot be set to {value!r:.60}")

    def __str__(self) -> str:
        """Return the label of the package, which is part of the id of each judgement."""
        settings = "".join(f" {name}={value}" for name, value in sorted(self.settings.items()))
        return f"{self.name or self.adapter}{settings}"

    def _words(self) -> list[str]:
        who = [self.name] if self.name is not None else ["--adapter", self.adapter or ""]
        return [*who, "--time-limit", str(self.time_limit), "--memory", str(self.memory)]


#: A package, or its name.
PackageLike = Union[Package, str]


@dataclass(frozen=True)
class Audited:
    """The result of an audit of packages."""

    #: Number of judgements with each verdict, including those of an earlier run: ``sound``, ``loose``, ``unsound``,
    #: ``undecided``, ``failed``, ``unsupported``.
    verdicts: Mapping[str, int]
    #: Number of parts of packages.
    parts: int
    #: Number of these parts that an earlier run had finished.
    resumed: int
    #: Parts that did not answer all their queries, each with the reason.
    given_up: Mapping[str, str]
    #: The output lines; empty if they were written to a file.
    lines: tuple[str, ...] = ()


def audit_packages(
    client: Any,
    packages: Iterable[PackageLike],
    *,
    only: Iterable[str] = (),
    every: int = 1,
    parts: int = PARTS,
    out: Any = None,
    timeout: float = 20.0,
    cache: Any = None,
    progress: bool = False,
    on_line: Callable[[str], Any] | None = None,
) -> Audited:
    """Audit packages with the queries of ``dpcert audit`` on a Dask cluster, and return an :class:`Audited`.

    The output lines are the judgements of ``dpcert audit --json`` without times, in the order of packages, parts and queries. The
    ``id`` of a line names the package and the query. A line of type ``part`` ends each part. An interrupted run continues after
    the last complete part. A package that is named twice is audited once.

    Args:
        client: a Dask client.
        packages: packages, or their names.
        only: parts of ids; audit only queries whose id contains one of them, as ``--only`` on the command line.
        every: audit every n-th query only, as ``--every`` on the command line.
        parts: number of parts of each package, from 1 to 10000. One process on one worker audits each part. It installs the
            package first if necessary.
        out: a file of lines (``.jsonl``) or a folder of Parquet (``.parquet``); by default the lines are in the result.
        timeout: time limit of each true value in seconds.
        cache: folder on the workers for installed packages.
        progress: if true, show a progress bar; requires tqdm.
        on_line: a function that is called with each line.

    Raises:
        InputError: if an argument is invalid, a package is unknown, or the output belongs to another run.
    """
    if not isinstance(parts, int) or not 1 <= parts <= 10_000:
        raise InputError(f"parts must be an integer from 1 to 10000, not {parts!r}")
    only = [only] if isinstance(only, str) else list(only)
    asked = ["--every", str(every), "--timeout", str(timeout), *(word for text in only for word in ("--only", text))]
    asked += ["--cache", str(cache)] if cache is not None else []
    chosen = {str(one): one for one in _each(packages)}
    tasks = [_task(one, number, parts, asked) for one in chosen.values() for number in range(1, parts + 1)]
    counts: Counter[str] = Counter()
    given_up: dict[str, str] = {}

    def seen(line: dict[str, Any]) -> None:
        if line["type"] == "judgement":
            counts[line["verdict"]] += 1
        elif line.get("gave_up") is not None:
            given_up[line["id"]] = line["gave_up"]

    with opened(out, ends=_ends_a_part, seen=seen) as output, _bar(progress, len(tasks), "parts") as bar:
        _same(output, tasks)
        todo = [task for task in tasks if not output.has(task.id)]
        bar(len(tasks) - len(todo))
        batches = ((index, [task]) for index, task in enumerate(todo))
        for replies in _in_order(client, batches, (audit_part, ())):
            if replies[0][1] == _REFUSED:
                raise InputError(replies[0][0])
            for line, _ in replies:
                output.write(line)
                seen(json.loads(line))
                if on_line is not None:
                    on_line(line)
            output.flush()
            bar(1)
        kept = output.kept()
    return Audited(dict(counts), len(tasks), len(tasks) - len(todo), given_up, kept)


def _each(packages: Iterable[PackageLike]) -> Iterator[Package]:
    """Yield a package for each API of each package."""
    apis: dict[str, list[str]] | None = None
    for one in [packages] if isinstance(packages, (str, Package)) else packages:
        package = Package(one) if isinstance(one, str) else one
        if not isinstance(package, Package):
            raise TypeError(f"a package must be a name or a Package, not {type(package).__name__}")
        if package.name is None or ":" in package.name:
            yield package
            continue
        if apis is None:
            listed = _program(["--list", "--json"], {}).stdout.splitlines()
            apis = {peer["name"]: [api["name"] for api in peer["api"]] for peer in map(json.loads, listed)}
        name, at, version = package.name.partition("@")
        # For an unknown name, the program reports similar names.
        for api in apis.get(name) or [""]:
            yield replace(package, name=f"{name}{at}{version}:{api}" if api else package.name)


def _task(package: Package, number: int, parts: int, asked: list[str]) -> Question:
    words = [*package._words(), *asked, "--part", f"{number}/{parts}"]
    fingerprint = sha256(json.dumps([words, sorted(package.settings.items())]).encode()).hexdigest()[:12]
    name = f"{package} {number}/{parts} {fingerprint}"
    task = {"id": name, "package": str(package), "words": words, "settings": dict(package.settings)}
    return Question(name, json.dumps(task, separators=(",", ":")))


def _ends_a_part(line: Mapping[str, Any]) -> bool:
    return line.get("type") == "part"


def _same(output: Output, tasks: list[Question]) -> None:
    """Refuse an output of another audit."""
    known = {task.id for task in tasks}
    for name in output.done():
        if name not in known:
            raise InputError(f"the output belongs to another audit, with the part {name!r:.80}: use another file")


def _program(words: list[str], settings: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run ``dpcert audit`` in a child process, which ends when this process ends."""
    command = [sys.executable, "-m", "dpcert.cluster._program", "audit", *words]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env={**os.environ, **settings}, text=True, encoding="utf-8", **pipes) as process:  # type: ignore[call-overload]
        # Its standard input stays open while this process lives; `communicate` would close it.
        said: list[str] = []
        listener = threading.Thread(target=lambda: said.extend(process.stderr), daemon=True)
        listener.start()
        output = process.stdout.read()
        listener.join()
        return subprocess.CompletedProcess(command, process.wait(), output, "".join(said))


#: Instead of an exit code: the part was refused, and the line is the reason.
_REFUSED = -1

#: Packages known to be installed.
_INSTALLED: set[str] = set()

#: A part without queries: there are more parts than queries.
_NONE = "1000000000/1000000000"


def _install(task: Mapping[str, Any], folder: str) -> None:
    """Install the package by an audit without queries, one task of this machine at a time."""
    words = task["words"][: task["words"].index("--part")]
    name = sha256(json.dumps(words).encode()).hexdigest()[:16]
    if "--adapter" in words or name in _INSTALLED:
        return
    with open(Path(tempfile.gettempdir()) / f"dpcert-install-{os.getuid()}-{name}", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # If this fails, the audit itself tries again and reports the error.
        if _program([*words, "--part", _NONE, "--out", os.path.join(folder, "none.jsonl"), "--json"], {}).returncode == 0:
            _INSTALLED.add(name)


def audit_part(lines: list[str], first: int) -> list[tuple[str, int]]:
    """Audit one part of one package; runs on a worker."""
    task = json.loads(lines[0])
    with tempfile.TemporaryDirectory(prefix="dpcert-") as folder:
        _install(task, folder)
        # A separate journal, because the default one is shared by all settings of a package.
        done = _program([*task["words"], "--jobs", "1", "--out", os.path.join(folder, "journal.jsonl"), "--json"], task["settings"])
    records = [json.loads(line) for line in done.stdout.splitlines()]
    if not records or done.returncode not in (0, 1, 2):
        why = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1].removeprefix("dpcert: ")
        if done.returncode == 2:
            # Not an exception, because Dask would try again.
            return [(f"{task['package']}: {why}", _REFUSED)]
        raise InternalError(f"{task['package']}: {why}")
    replies, gave_up = [], None
    for record in records:
        if record["type"] == "judgement":
            # Times differ between runs.
            del record["seconds"]
            name = record.pop("id")
            told = {"type": record.pop("type"), "id": f"{task['package']}/{name}", "question": name, **record}
            replies.append((json.dumps(told, separators=(",", ":"), ensure_ascii=False), _STATUS[record["verdict"]]))
        elif record["type"] == "course":
            gave_up = record.get("gave_up")
    end = {"type": "part", "id": task["id"], "package": task["package"], "questions": len(replies)}
    end |= {"gave_up": gave_up} if gave_up is not None else {}
    return [*replies, (json.dumps(end, separators=(",", ":"), ensure_ascii=False), 0)]


#: Verdicts as exit codes.
_STATUS = {"sound": 0, "loose": 0, "unsupported": 0, "unsound": 1, "failed": 1, "undecided": 3}
