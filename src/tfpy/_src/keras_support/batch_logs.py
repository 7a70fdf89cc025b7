"""Keras's callbacks after each batch, with metrics that are read only when a callback needs them.

Keras reads every metric after every batch and waits for the device each time. A progress bar is
drawn only a few times a second, and the other callbacks that Keras adds use whole epochs. Steps
whose metrics no callback needs can run together (`steps.StepRunner`).
"""

from __future__ import annotations

import time
import types
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base.source_locations import warn

STARTS = {"train": "on_epoch_begin", "test": "on_test_begin"}
"""Callback methods before the first batch, by phase."""

BEGINS = {
    "train": ("on_train_batch_begin", "on_batch_begin"),
    "test": ("on_test_batch_begin",),
}
"""Callback methods before a batch, with their aliases."""

ENDS = {"train": ("on_train_batch_end", "on_batch_end"), "test": ("on_test_batch_end",)}
"""Callback methods after a batch, with their aliases."""


_NAN = (
    "The loss is NaN after epoch {epoch}. Check the inputs and labels for NaN and values out of "
    "range, use a smaller learning rate, or call tf.debugging.enable_check_numerics() to find the "
    "first op with a NaN. The callback keras.callbacks.TerminateOnNaN ends the training."
)


def replace(module: types.ModuleType) -> None:
    """Make Keras's CallbackList skip calls that have no effect, and warn about a loss of NaN."""
    kind, bar = module.CallbackList, module.ProgbarLogger

    def heeding(callbacks: Any, kinds: dict[str, tuple[str, ...]], phase: str) -> list[Any]:
        """Return the callbacks, except progress bars, that implement a method; cached per epoch."""
        known = vars(callbacks).setdefault("_heeding", {})
        names = kinds[phase]
        if names not in known:
            others = [c for c in callbacks.callbacks if not isinstance(c, bar)]
            known[names] = [c for c in others if _heeds_one(c, names)]
        found: list[Any] = known[names]
        return found

    def looks(callbacks: Any, phase: str) -> bool:
        """Return True if a callback needs the metrics of the batch that was just computed."""
        return any(map(_is_due, bars(callbacks))) or any(
            map(_may_look, heeding(callbacks, ENDS, phase))
        )

    def bars(callbacks: Any) -> list[Any]:
        return [callback for callback in callbacks.callbacks if isinstance(callback, bar)]

    def beginning(phase: str) -> Callable[..., None]:
        plain = getattr(kind, BEGINS[phase][0])

        def begin(self: Any, batch: int, logs: Any = None) -> None:
            """Call the callbacks before a batch."""
            if heeding(self, BEGINS, phase):
                plain(self, batch, logs)

        return begin

    def ending(phase: str) -> Callable[..., None]:
        plain = getattr(kind, ENDS[phase][0])

        def end(self: Any, batch: int, logs: Any = None) -> None:
            """Call the callbacks after a batch, if one of them needs its metrics."""
            if self.looks(phase):
                plain(self, batch, logs)
            else:
                for callback in bars(self):
                    callback.seen = batch + 1

        return end

    def starting(phase: str) -> Callable[..., None]:
        plain = getattr(kind, STARTS[phase])

        def start(self: Any, *args: Any, **kwargs: Any) -> None:
            """Call the callbacks before the first batch. Check if they use single batches."""
            plain(self, *args, **kwargs)
            vars(self).pop("_heeding", None)
            steps = getattr(vars(self).get("_model"), f"{phase}_function", None)
            if steps is not None and hasattr(steps, "is_unseen"):
                ends = [hasattr(c, "is_due") for c in heeding(self, ENDS, phase)]
                steps.is_unseen = all(ends) and not heeding(self, BEGINS, phase)

        return start

    plain_epoch_end = kind.on_epoch_end

    def on_epoch_end(self: Any, epoch: int, logs: Any = None) -> None:
        """Call the callbacks after an epoch. Warn about the first loss that is NaN."""
        logs = module.python_utils.pythonify_logs(logs)
        plain_epoch_end(self, epoch, logs)
        loss = logs.get("loss", 0.0)
        if loss != loss and not vars(self).get("_nan_reported"):
            self._nan_reported = True
            warn(_NAN.format(epoch=epoch + 1))

    kind.looks = looks
    kind.on_epoch_end = on_epoch_end
    for phase in ENDS:
        setattr(kind, STARTS[phase], starting(phase))
        setattr(kind, BEGINS[phase][0], beginning(phase))
        setattr(kind, ENDS[phase][0], ending(phase))


def _is_due(callback: Any) -> bool:
    """Return True if a progress bar would be drawn now."""
    bar = callback.progbar if callback.verbose == 1 else None
    return bar is not None and time.time() - bar._last_update >= bar.interval


def _may_look(callback: Any) -> bool:
    """Return True unless a callback reports that it does not need this batch."""
    return not hasattr(callback, "is_due") or callback.is_due()


def _heeds_one(callback: Any, names: Sequence[str]) -> bool:
    """Return True if a callback implements one of the methods. Keras marks the default methods."""
    return not all(hasattr(getattr(callback, name), "_is_default") for name in names)
