"""Keras's callbacks after each batch: metrics are read when somebody looks at them.

Keras reads every metric after every batch, which waits for the device each time. A progress bar
shows a few a second; the other callbacks that Keras adds by itself look at whole epochs.
"""

from __future__ import annotations

import time
import types
from collections.abc import Callable, Sequence
from typing import Any

BEGINS = {"train": "on_train_batch_begin", "test": "on_test_batch_begin"}
"""What is called before a batch, by the phase."""

ENDS = {"train": "on_train_batch_end", "test": "on_test_batch_end"}
"""What is called when a batch is done, by the phase."""


def replace(module: types.ModuleType) -> None:
    """Lets Keras's CallbackList skip what nobody would see."""
    kind, bar = module.CallbackList, module.ProgbarLogger

    def looks(callbacks: Any, phase: str) -> bool:
        """Whether somebody looks at the metrics of the batch that has just been computed."""
        names = (ENDS[phase], "on_batch_end") if phase == "train" else (ENDS[phase],)
        for callback in callbacks.callbacks:
            if isinstance(callback, bar):
                if _is_due(callback):
                    return True
            elif _heeds_one(callback, names) and _may_look(callback):
                return True
        return False

    def beginning(phase: str) -> Callable[..., None]:
        plain = getattr(kind, BEGINS[phase])
        names = (BEGINS[phase], "on_batch_begin") if phase == "train" else (BEGINS[phase],)

        def begin(self: Any, batch: int, logs: Any = None) -> None:
            """Before a batch."""
            if any(_heeds_one(callback, names) for callback in self.callbacks):
                plain(self, batch, logs)

        return begin

    def ending(phase: str) -> Callable[..., None]:
        plain = getattr(kind, ENDS[phase])

        def end(self: Any, batch: int, logs: Any = None) -> None:
            """After a batch."""
            if self.looks(phase):
                plain(self, batch, logs)
            else:
                for callback in self.callbacks:
                    if isinstance(callback, bar):
                        callback.seen = batch + 1

        return end

    kind.looks = looks
    for phase in ENDS:
        setattr(kind, BEGINS[phase], beginning(phase))
        setattr(kind, ENDS[phase], ending(phase))


def _is_due(callback: Any) -> bool:
    """Whether a progress bar would be drawn now."""
    bar = callback.progbar if callback.verbose == 1 else None
    return bar is not None and time.time() - bar._last_update >= bar.interval


def _may_look(callback: Any) -> bool:
    """Whether a callback that looks now and then does so now."""
    return not hasattr(callback, "is_due") or callback.is_due()


def _heeds_one(callback: Any, names: Sequence[str]) -> bool:
    """Whether a callback does something when one of its methods is called: the base class marks
    what does nothing."""
    return not all(hasattr(getattr(callback, name), "_is_default") for name in names)
