"""Audits of packages, of several versions and in several settings, over Dask: parts of ``dpcert audit``."""

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

#: So many tasks for each package: few enough that its start is not most of the time, enough to be spread.
PARTS = 8


@dataclass(frozen=True)
class Package:
    """A package in one version, one way of calling it and one setting.

    ``name`` is one of ``dpcert audit --list``, as ``opacus``, ``opacus:rdp`` or ``opacus@1.5.4:rdp``. Instead of it
    ``adapter`` may be a command line for the shell: any program that speaks the protocol of ``dpcert audit --protocol``.
    ``settings`` are variables of the environment of its process. ``time_limit`` is in seconds for one answer, ``memory`` in
    megabytes.
    """

    name: str | None = None
    adapter: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    time_limit: float = 5.0
    memory: int = 4000

    def __post_init__(self) -> None:
        if (self.name is None) == (self.adapter is None):
            raise InputError("a package has either a name or an adapter")
        for text in (self.name, self.adapter, *self.settings, *self.settings.values()):
            if text is not None and not isinstance(text, str):
                raise TypeError(f"names, adapters and settings are texts, not {text!r:.60}")
        for name, value in self.settings.items():
            if not name or "=" in name or "\0" in name + value:
                raise InputError(f"{name!r:.60} cannot be set to {value!r:.60} in an environment")

    def __str__(self) -> str:
        """What it is known by: each judgement has it in its id."""
        settings = "".join(f" {name}={value}" for name, value in sorted(self.settings.items()))
        return f"{self.name or self.adapter}{settings}"

    def _words(self) -> list[str]:
        who = [self.name] if self.name is not None else ["--adapter", self.adapter or ""]
        return [*who, "--time-limit", str(self.time_limit), "--memory", str(self.memory)]


#: What is taken as a package: its name is enough.
PackageLike = Union[Package, str]


@dataclass(frozen=True)
class Audited:
    """What an audit found."""

    #: Judgements with each verdict, those of an earlier run included: ``sound``, ``loose``, ``unsound``, ``undecided``,
    #: ``failed``, ``unsupported``.
    verdicts: Mapping[str, int]
    #: Parts of packages that were asked; of these, what an earlier run had asked.
    parts: int
    resumed: int
    #: Parts that could not be asked all their questions, each with the reason.
    given_up: Mapping[str, str]
    #: The lines, where they were not written to a file.
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
    """Audit packages by the questions of ``dpcert audit`` on the workers of a Dask client.

    Each package is asked in ``parts`` parts, each by one process on one worker, which installs the package first if it is not
    there (``cache`` is the folder on the worker). The lines are the judgements of ``dpcert audit --json`` without times, with an ``id``
    of package and question, in the order of packages, parts and questions; after each part a line of type ``part``. ``only``
    and ``every`` choose questions as on the command line; ``timeout`` is the time for a truth. A package that is named twice is
    asked once. ``out`` is a file of lines or a folder of Parquet, and a run that was interrupted goes on after the last part that
    is there.
    """
    if not isinstance(parts, int) or not 1 <= parts <= 10_000:
        raise InputError(f"parts is an integer from 1 to 10000, not {parts!r}")
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
    """Every way of calling each package, one by one."""
    apis: dict[str, list[str]] | None = None
    for one in [packages] if isinstance(packages, (str, Package)) else packages:
        package = Package(one) if isinstance(one, str) else one
        if not isinstance(package, Package):
            raise TypeError(f"a package is a name or a Package, not {type(package).__name__}")
        if package.name is None or ":" in package.name:
            yield package
            continue
        if apis is None:
            listed = _program(["--list", "--json"], {}).stdout.splitlines()
            apis = {peer["name"]: [api["name"] for api in peer["api"]] for peer in map(json.loads, listed)}
        name, at, version = package.name.partition("@")
        # Of a name that nobody knows the program says what is near.
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
    """A file of another audit is left alone."""
    known = {task.id for task in tasks}
    for name in output.done():
        if name not in known:
            raise InputError(f"the output is of another audit, with the part {name!r:.80}: name another file")


def _program(words: list[str], settings: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """``dpcert audit`` in a process of its own, which ends when this one does."""
    command = [sys.executable, "-m", "dpcert.cluster._program", "audit", *words]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env={**os.environ, **settings}, text=True, encoding="utf-8", **pipes) as process:  # type: ignore[call-overload]
        # Its standard input is open as long as this process lives, and `communicate` would close it.
        said: list[str] = []
        listener = threading.Thread(target=lambda: said.extend(process.stderr), daemon=True)
        listener.start()
        output = process.stdout.read()
        listener.join()
        return subprocess.CompletedProcess(command, process.wait(), output, "".join(said))


#: In the place of an exit code: this is why nothing can be asked.
_REFUSED = -1

#: Packages that this process knows to be installed.
_INSTALLED: set[str] = set()

#: Of so many parts the last one is empty: there are fewer questions.
_NONE = "1000000000/1000000000"


def _install(task: Mapping[str, Any], folder: str) -> None:
    """Install the package, one task of this machine at a time: an audit of no question does that and no more."""
    words = task["words"][: task["words"].index("--part")]
    name = sha256(json.dumps(words).encode()).hexdigest()[:16]
    if "--adapter" in words or name in _INSTALLED:
        return
    with open(Path(tempfile.gettempdir()) / f"dpcert-install-{os.getuid()}-{name}", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # What goes wrong is told by the audit itself, which tries it again.
        if _program([*words, "--part", _NONE, "--out", os.path.join(folder, "none.jsonl"), "--json"], {}).returncode == 0:
            _INSTALLED.add(name)


def audit_part(lines: list[str], first: int) -> list[tuple[str, int]]:
    """What a worker does: one part of the audit of one package."""
    task = json.loads(lines[0])
    with tempfile.TemporaryDirectory(prefix="dpcert-") as folder:
        _install(task, folder)
        # A journal of its own: one in the cache would be that of the same package in another setting, too.
        done = _program([*task["words"], "--jobs", "1", "--out", os.path.join(folder, "journal.jsonl"), "--json"], task["settings"])
    records = [json.loads(line) for line in done.stdout.splitlines()]
    if not records or done.returncode not in (0, 1, 2):
        why = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1].removeprefix("dpcert: ")
        if done.returncode == 2:
            # No exception, after which Dask would try it again.
            return [(f"{task['package']}: {why}", _REFUSED)]
        raise InternalError(f"{task['package']}: {why}")
    replies, gave_up = [], None
    for record in records:
        if record["type"] == "judgement":
            # Times are not the same twice.
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
