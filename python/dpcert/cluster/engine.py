"""Ordered batches of queries on Dask, a window of them at a time."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from .._ask import TIMEOUT
from .output import Output, opened
from .questions import Question, QuestionLike, known

#: Number of queries in one task: small enough to spread the load, large enough to share sessions and the cost of a task.
BATCH = 64

#: Number of submitted batches for each thread of the workers.
AHEAD = 4

#: Number of retries of a batch after an error that the query did not cause, such as a broken connection. Also the number of times a
#: batch is submitted again after Dask gave it up, because four workers died with it.
RETRIES = 5


@dataclass(frozen=True)
class Summary:
    """Counts of a run, and its output lines if they were not written to a file."""

    #: Number of distinct queries.
    questions: int
    #: Number of these that an earlier run had answered.
    resumed: int
    #: Number of lines with an error instead of an answer.
    errors: int
    #: Number of lines with no number or fewer digits than requested.
    undecided: int
    #: The output lines; empty if they were written to a file.
    lines: tuple[str, ...] = ()


#: A function from a batch of queries and the number of the first to output lines, each with its exit code.
Work = Callable[[list[str], int], list[tuple[str, int]]]


def answer_batch(lines: list[str], first: int, limits: tuple[Any, Any, Any, Any]) -> list[tuple[str, int]]:
    """Return the lines of ``dpcert answer`` for one batch; runs on a worker."""
    from .._dpcert import lines as answered

    return answered(lines, limits, first)


def map(  # noqa: A001
    client: Any,
    questions: Iterable[QuestionLike],
    *,
    out: Any = None,
    work: float | None = None,
    timeout: float | None = TIMEOUT,
    max_bits: int | None = None,
    max_memory: int | None = None,
    batch: int = BATCH,
    progress: bool = False,
    on_line: Callable[[str], Any] | None = None,
) -> Summary:
    """Answer many queries on a Dask cluster, in order, and return a :class:`Summary`.

    The output lines are those that ``dpcert answer`` prints. A repeated query is answered once.

    Args:
        client: a Dask client.
        questions: queries as dicts (from :func:`question` or :func:`sweep`) or lines of JSON.
        out: a file of lines (``.jsonl``) or a folder of Parquet (``.parquet``); by default the lines are in the summary. Answers
            that it holds from an earlier run of the same queries are not computed again.
        work: limit on the work of each answer in units of about two nanoseconds; by default 3e10, or 4e9 without ``digits``.
        timeout: hard stop of each answer in seconds; None turns it off.
        max_bits: limit of the working precision in bits.
        max_memory: memory limit of each answer in megabytes.
        batch: number of queries in one task.
        progress: if true, show a progress bar; requires tqdm.
        on_line: a function that is called with each line.

    Raises:
        InputError: if a query is invalid, two different queries have the same id, or the output belongs to another run.
    """
    return run(
        client, questions, (answer_batch, ((timeout, max_bits, max_memory, work),)), out=out, batch=batch, progress=progress, on_line=on_line
    )


def run(
    client: Any,
    questions: Iterable[QuestionLike],
    work: tuple[Callable[..., list[tuple[str, int]]], tuple[Any, ...]],
    *,
    out: Any,
    batch: int,
    progress: bool,
    on_line: Callable[[str], Any] | None,
) -> Summary:
    """Run a function on batches of lines, in order."""
    if not isinstance(batch, int) or batch < 1:
        raise ValueError(f"batch must be an integer of at least 1, not {batch!r}")
    counts = {"resumed": 0, 0: 0, 1: 0, 2: 0, 3: 0, "errors": 0}
    total = len(questions) if hasattr(questions, "__len__") else None
    with opened(out) as output, _bar(progress, total) as bar:
        todo = _left(known(questions), output, counts, bar)
        for replies in _in_order(client, _batches(todo, batch), work):
            for line, status in replies:
                output.write(line)
                counts[status] += 1
                counts["errors"] += '"error":' in line[:400] and _is_refusal(line)
                if on_line is not None:
                    on_line(line)
            output.flush()
            bar(len(replies))
        kept = output.kept()
    asked = counts["resumed"] + sum(counts[status] for status in range(4))
    return Summary(asked, counts["resumed"], counts["errors"], counts[3], kept)


def _is_refusal(line: str) -> bool:
    import json

    return "error" in json.loads(line)


def _left(questions: Iterator[Question], output: Output, counts: dict[Any, int], bar: Callable[[int], None]) -> Iterator[tuple[int, Question]]:
    """Yield the queries that are not answered yet, with their numbers."""
    for index, asked in enumerate(questions, 1):
        if output.has(asked.id):
            counts["resumed"] += 1
            bar(1)
        else:
            yield index, asked


def _batches(todo: Iterator[tuple[int, Question]], size: int) -> Iterator[tuple[int, list[Question]]]:
    while some := list(itertools.islice(todo, size)):
        yield some[0][0], [asked for _, asked in some]


def _in_order(client: Any, batches: Iterator[tuple[int, list[Question]]], work: Any) -> Iterator[list[tuple[str, int]]]:
    """Yield the result of each batch, in order. The number of submitted batches is limited, so that a million queries do not
    become a million futures."""
    function, arguments = work
    waiting: deque[Any] = deque()
    try:
        for first, batch in batches:
            lines = [asked.line for asked in batch]
            # The same batch has the same key, so Dask computes it once.
            key = f"dpcert-{sha256(repr((function.__qualname__, first, lines, arguments)).encode()).hexdigest()[:32]}"

            def submit(turn: int, lines: list[str] = lines, first: int = first, key: str = key) -> Any:
                return client.submit(function, lines, first, *arguments, key=f"{key}-{turn}", retries=RETRIES, pure=True)

            waiting.append((submit(0), submit))
            while len(waiting) >= _window(client):
                yield _taken(waiting)
        while waiting:
            yield _taken(waiting)
    finally:
        for future, _ in waiting:
            future.cancel()


def _taken(waiting: deque[Any]) -> list[tuple[str, int]]:
    from distributed import KilledWorker

    future, submit = waiting[0]
    for turn in range(1, RETRIES + 2):
        try:
            replies = future.result()
            break
        except KilledWorker:
            # Submit again: its workers may have been taken away. A batch that kills its workers fails in the end.
            if turn > RETRIES:
                raise
            future = submit(turn)
            waiting[0] = (future, submit)
    waiting.popleft()
    future.release()
    return replies


def _window(client: Any) -> int:
    threads = sum(client.nthreads().values())
    return max(AHEAD * threads, 8)


class _bar:
    """A progress bar of tqdm, if requested."""

    def __init__(self, wanted: bool, total: int | None, what: str = "questions") -> None:
        self._tqdm = None
        if wanted:
            from .._progress import _tqdm

            self._tqdm = _tqdm()(total=total, desc="dpcert", unit=f" {what}")

    def __enter__(self) -> Callable[[int], None]:
        return self._tqdm.update if self._tqdm is not None else lambda _: None

    def __exit__(self, *_: Any) -> None:
        if self._tqdm is not None:
            self._tqdm.close()
