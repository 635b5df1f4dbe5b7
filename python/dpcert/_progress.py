"""Bars of tqdm, where they are asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("progress=True wants tqdm: pip install 'dpcert[progress]'") from None
    return tqdm


def together(items: list[Any], what: str, progress: bool) -> Iterable[Any]:
    """The items, under a bar."""
    return _tqdm()(items, desc=what) if progress else items


@contextmanager
def ticking(what: str, seconds: float | None, progress: bool = True) -> Iterator[Callable[..., None] | None]:
    """A bar of the seconds that an answer may take; what is called with a text shows that."""
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
