"""Output of a run, and results of an earlier run in the same place.

Lines of JSON are appended and synced one batch at a time; an incomplete last line is dropped. Parquet is a folder of parts. Each
part is written to a temporary file and renamed, so it is complete or absent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..errors import InputError

#: Number of rows in one part of Parquet.
ROWS = 10_000


def opened(out: Any, ends: Callable[[dict[str, Any]], bool] = lambda _: True, seen: Callable[[dict[str, Any]], Any] = id) -> Output:
    """Return the output at this path.

    ``ends`` returns whether a line ends a piece of work. Lines after the last such line are dropped. ``seen`` is called with
    each line that is kept.
    """
    if out is None:
        return Output()
    path = Path(out)
    if path.suffix in (".jsonl", ".ndjson"):
        return Lines(path, ends, seen)
    if path.suffix == ".parquet":
        return Parquet(path, ends, seen)
    raise InputError(f"out must be a .jsonl file or a .parquet folder, not {str(path)!r}")


class Output:
    """Output in memory."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._done: set[str] = set()

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def has(self, name: str) -> bool:
        """Return whether the piece of work with this id is done."""
        return name in self._done

    def done(self) -> Iterable[str]:
        """Return the ids of finished pieces of work."""
        return iter(self._done)

    def write(self, line: str) -> None:
        """Append a line."""
        self._kept.append(line)

    def flush(self) -> None:
        """Write appended lines to disk."""

    def close(self) -> None:
        """Finish the output."""

    def kept(self) -> tuple[str, ...]:
        """Return the lines in memory."""
        return tuple(self._kept)


class Lines(Output):
    """Output to a file of lines of JSON."""

    def __init__(self, path: Path, ends: Callable[[dict[str, Any]], bool], seen: Callable[[dict[str, Any]], Any]) -> None:
        super().__init__()
        whole, size = 0, 0
        pending: list[dict[str, Any]] = []
        if path.exists():
            with path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    if not line.endswith(b"\n"):
                        break
                    try:
                        found = json.loads(line)
                    except ValueError:
                        raise InputError(f"{path}:{number}: this line is not JSON: use another file, or repair it") from None
                    if not isinstance(found, dict) or not isinstance(found.get("id"), str):
                        raise InputError(f"{path}:{number}: this line has no id, so it is not from such a run: use another file")
                    size += len(line)
                    pending.append(found)
                    if ends(found):
                        self._done.add(found["id"])
                        whole = size
                        for one in pending:
                            seen(one)
                        pending.clear()
            if size and not whole and pending and "type" not in pending[0]:
                raise InputError(f"{path}: this file is from another kind of run: use another file")
            os.truncate(path, whole)
        self._file = path.open("ab")

    def write(self, line: str) -> None:
        self._file.write(line.encode() + b"\n")

    def flush(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


class Parquet(Output):
    """Output to a folder of Parquet parts of ``ROWS`` rows. The columns are the common fields of answers, and the whole line."""

    def __init__(self, folder: Path, ends: Callable[[dict[str, Any]], bool], seen: Callable[[dict[str, Any]], Any]) -> None:
        super().__init__()
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise ImportError("Parquet requires pyarrow: pip install 'dpcert[cluster]'") from None
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for stale in folder.glob("*.tmp"):
            stale.unlink()
        parts = sorted(folder.glob("part-*.parquet"))
        # Number of finished rows, and number of rows in all parts.
        whole, size = 0, 0
        pending: list[dict[str, Any]] = []
        for index, part in enumerate(parts):
            if part.name != _part(index):
                raise InputError(f"{part}: a part is missing before this one")
            lines = self._lines(part)
            if len(lines) != ROWS and index < len(parts) - 1:
                raise InputError(f"{part}: this part has {len(lines)} rows instead of {ROWS}, so it is not from such a run: use another folder")
            for found in map(json.loads, lines):
                size += 1
                pending.append(found)
                if ends(found):
                    self._done.add(found["id"])
                    whole = size
                    for one in pending:
                        seen(one)
                    pending.clear()
        if size and not whole and pending and "type" not in pending[0]:
            raise InputError(f"{folder}: this folder is from another kind of run: use another folder")
        # The part that holds the last finished row is written again with the following rows; later parts are deleted.
        self._next = whole // ROWS
        if whole % ROWS:
            self._kept = self._lines(parts[self._next])[: whole % ROWS]
        for part in parts[self._next + 1 :] if whole % ROWS else parts[self._next :]:
            part.unlink()

    @staticmethod
    def _lines(part: Path) -> list[str]:
        from pyarrow import parquet

        return parquet.read_table(part, columns=["line"])["line"].to_pylist()

    def write(self, line: str) -> None:
        self._kept.append(line)
        if len(self._kept) >= ROWS:
            self._write()

    def close(self) -> None:
        if self._kept:
            self._write()

    def kept(self) -> tuple[str, ...]:
        return ()

    def _write(self) -> None:
        import pyarrow
        from pyarrow import parquet

        rows = [json.loads(line) for line in self._kept]
        columns: dict[str, Any] = {
            name: pyarrow.array([_text(row.get(name)) for row in rows], pyarrow.string()) for name in _TEXTS
        }
        columns["digits"] = pyarrow.array([row.get("digits") for row in rows], pyarrow.int64())
        for name in ("f64_lower", "f64_upper"):
            columns[name] = pyarrow.array([_double(row.get(name)) for row in rows], pyarrow.float64())
        columns["line"] = pyarrow.array(self._kept, pyarrow.string())
        target = self._folder / _part(self._next)
        beside = target.with_suffix(".tmp")
        parquet.write_table(pyarrow.table(columns), beside)
        os.replace(beside, target)
        self._next, self._kept = self._next + 1, []


#: String columns. Numbers of any magnitude are strings, with doubles in other columns.
_TEXTS = (
    "id", "quantity", "mechanism", "at", "direction", "kind", "exact", "lower", "upper", "reason", "method", "statement",
    "claim", "verdict", "error", "type", "peer", "version", "api", "question", "ratio", "size", "truth", "bound",
)  # fmt: skip


def _part(index: int) -> str:
    return f"part-{index:06}.parquet"


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _double(value: Any) -> float | None:
    return None if value is None else float.fromhex(value)
