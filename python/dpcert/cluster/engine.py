"""Batches of questions over Dask, in order, a window of them at a time."""

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

#: Questions in one task: few enough to be spread, enough to share sessions and the way to a worker.
BATCH = 64

#: Batches that are on their way for each thread of the workers.
AHEAD = 4

#: How often a batch is tried again when a worker raised what is no fault of the question, such as a connection that broke; and
#: how often it is begun anew when Dask gives it up because its workers died, each time after four of them.
RETRIES = 5


@dataclass(frozen=True)
class Summary:
    """What a run did."""

    #: Questions, each counted once.
    questions: int
    #: Of these, what an earlier run had answered.
    resumed: int
    #: Lines with an error in the place of an answer.
    errors: int
    #: Lines with fewer digits than were asked for, or no number.
    undecided: int
    #: The answers, where they were not written to a file.
    lines: tuple[str, ...] = ()


#: A batch of questions and the number of the first: replies, each with its exit code.
Work = Callable[[list[str], int], list[tuple[str, int]]]


def answer_batch(lines: list[str], first: int, limits: tuple[Any, Any, Any]) -> list[tuple[str, int]]:
    """What a worker does: the lines of ``dpcert answer``."""
    from .._dpcert import lines as answered

    return answered(lines, limits, first)


def map(  # noqa: A001
    client: Any,
    questions: Iterable[QuestionLike],
    *,
    out: Any = None,
    timeout: float | None = TIMEOUT,
    max_bits: int | None = None,
    max_memory: int | None = None,
    batch: int = BATCH,
    progress: bool = False,
    on_line: Callable[[str], Any] | None = None,
) -> Summary:
    """Ask many questions over a Dask client; what comes back are the lines that ``dpcert answer`` prints, in order.

    Questions are dicts (:func:`question`, :func:`sweep`) or lines of JSON. One that comes again, or has the id of one
    that was asked, is dropped; different questions with one id are an error. ``out`` is a file of lines (``.jsonl``), or
    a folder of Parquet (``.parquet``): what it holds from an earlier run over the same questions is not asked again.
    Without it the lines are in the summary. ``on_line`` hears each line as it comes.
    """
    return run(
        client, questions, (answer_batch, ((timeout, max_bits, max_memory),)), out=out, batch=batch, progress=progress, on_line=on_line
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
    """Any work on batches of lines, in order."""
    if not isinstance(batch, int) or batch < 1:
        raise ValueError(f"a batch has at least one question, not {batch!r}")
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
    """The questions that are not answered yet, with their numbers."""
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
    """What is done with each batch, in order. So many batches are on their way that all workers have some, and no more:
    a million questions are not a million futures."""
    function, arguments = work
    waiting: deque[Any] = deque()
    try:
        for first, batch in batches:
            lines = [asked.line for asked in batch]
            # The same batch has the same key: it is done once, however often it is asked for.
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
            # A batch that kills whoever takes it is told in the end; one whose workers were taken away is done.
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
    """A bar of tqdm, where it is asked for."""

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
