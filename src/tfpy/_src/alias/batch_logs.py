"""Keras's callbacks after each batch: metrics are read when somebody looks at them.

Keras reads every metric after every batch, which waits for the device each time. A progress bar
shows a few a second; the other callbacks that Keras adds by itself look at whole epochs.
"""

from __future__ import annotations

import time
import types
from collections.abc import Callable, Iterable
from typing import Any

ENDS = {"train": "on_train_batch_end", "test": "on_test_batch_end"}
"""What is called when a batch is done, by the phase."""


def replace(module: types.ModuleType) -> None:
    """Lets Keras's CallbackList skip what nobody would see."""
    kind, bar = module.CallbackList, module.ProgbarLogger

    def looks(callbacks: Any, phase: str) -> bool:
        """Whether somebody looks at the metrics of the batch that has just been computed."""
        shown = [c for c in callbacks.callbacks if isinstance(c, bar)]
        others = (c for c in callbacks.callbacks if not isinstance(c, bar) and _may_look(c))
        names = (ENDS[phase], "on_batch_end") if phase == "train" else (ENDS[phase],)
        return _are_due(shown) or any(_heeds(c, name) for c in others for name in names)

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
    for phase, name in ENDS.items():
        setattr(kind, name, ending(phase))


def _are_due(bars: Iterable[Any]) -> bool:
    """Whether one of some progress bars would be drawn now."""
    shown = [c.progbar for c in bars if c.verbose == 1 and c.progbar is not None]
    return any(time.time() - bar._last_update >= bar.interval for bar in shown)


def _may_look(callback: Any) -> bool:
    """Whether a callback that looks now and then does so now."""
    return not hasattr(callback, "is_due") or callback.is_due()


def _heeds(callback: Any, name: str) -> bool:
    """Whether a callback does something after batches: the base class marks what does nothing."""
    return not getattr(getattr(callback, name), "_is_default", False)
