"""Progress bars with tqdm."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("progress=True requires tqdm: pip install 'dpcert[progress]'") from None
    return tqdm


def together(items: list[Any], what: str, progress: bool) -> Iterable[Any]:
    """Return the items, wrapped in a progress bar if requested."""
    return _tqdm()(items, desc=what) if progress else items


@contextmanager
def ticking(what: str, seconds: float | None, progress: bool = True) -> Iterator[Callable[..., None] | None]:
    """Show a bar of the elapsed seconds up to the timeout, and yield the function that updates it, with an optional text."""
    if not progress:
        yield None
        return
    started = time.monotonic()
    with _tqdm()(total=seconds, desc=what, unit="s", bar_format=None if seconds else "{desc} {elapsed} {postfix}") as bar:

        def tick(text: str | None = None) -> None:
            if text is not None:
                bar.set_postfix_str(text)
            now = time.monotonic() - started
            bar.update((now if seconds is None else min(now, seconds)) - bar.n)

        yield tick
