"""A trial of one damaged file of a random kind: rejected clearly, or read, within a time limit."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tfpy as tf

from .damage import Files, damaged
from .values import Rng, choose

Door = tuple[Callable[[], Files], Callable[[Files], Any]]
"""A function that makes a valid file of a kind, and one that reads such files."""
SECONDS = 10
"""Processor time after which reading a file counts as hanging."""


class Hangs(Exception):
    """A file that takes too long to read."""


def tried_once(doors: Mapping[str, Door], rng: Rng) -> list[str]:
    """Return the errors of one corrupt file of any kind, with the place last, or an empty list."""
    name = choose(rng, list(doors))
    make, read = doors[name]
    broken = damaged(rng, make())
    try:
        with _limited():
            read(broken)
    except (ValueError, tf.errors.OpError) as error:
        text = str(error)
        return [] if len(text) >= 10 else [f"{name}: unclear: {error!r}"]
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.name}"
        shown = {path: data[:80] for path, data in broken.items()}
        return [str(shown), str(error), f"{name}: {type(error).__name__} in {where}"]
    return []


@contextmanager
def _limited() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise Hangs(f"after {SECONDS} s")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
