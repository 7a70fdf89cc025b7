"""``keras.callbacks.LivePlot``: loss and metrics as lines that grow while a model learns."""

from __future__ import annotations

import functools
import time
import types
from typing import Any

from tfpy._src.display import live_plot
from tfpy._src.display.screen import Screen


def replace(callbacks: types.ModuleType) -> None:
    """Gives Keras's ``callbacks`` a LivePlot."""
    vars(callbacks)["LivePlot"] = _made(callbacks.Callback)


@functools.cache
def _made(base: Any) -> Any:
    class LivePlot(base):  # type: ignore[misc]
        """Draws the loss and the metrics while a model learns, those of validation beside them.

        A page shows the picture after the script that runs; a notebook in the cell's output,
        where it is replaced as it grows. What it has drawn last is ``to_svg()``.

        Args:
            every: seconds after which it is drawn anew within an epoch; None for once an epoch.
                The metrics are read as often.
            element: of the page, or a selector of one, that shows the picture.

        Example:
            ``model.fit(x, y, epochs=5, callbacks=[keras.callbacks.LivePlot()])``
        """

        def __init__(self, every: float | None = None, element: Any = None) -> None:
            super().__init__()
            self._every = every
            self._screen = Screen(element)
            self._series = live_plot.Series("epoch")
            self._epoch = 0
            self._drawn = 0.0

        @property
        def points(self) -> dict[str, list[tuple[float, float]]]:
            """For each metric, as the history names it, its values by the epochs that are done."""
            return self._series.points

        def is_due(self) -> bool:
            """Whether it would be drawn after the batch that has just been computed."""
            return self._every is not None and time.time() - self._drawn >= self._every

        def on_train_begin(self, logs: Any = None) -> None:
            """Before training."""
            self.points.clear()

        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            """Before an epoch."""
            self._epoch = epoch

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            """After a batch."""
            steps = self.params.get("steps")
            if self.is_due() and steps and batch + 1 < steps:
                self._add(self._epoch + (batch + 1) / steps, logs)

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            """After an epoch."""
            self._add(epoch + 1, logs)

        def _add(self, at: float, logs: Any) -> None:
            shown = {k: v for k, v in (logs or {}).items() if isinstance(v, int | float)}
            self._series.extend(at, shown)
            self._drawn = time.time()
            self._screen.show(self.to_svg())

        def to_svg(self) -> str:
            """The picture: a panel for each metric."""
            return self._series.to_svg()

        _repr_svg_ = _repr_html_ = to_svg

    LivePlot.__qualname__ = "LivePlot"
    return LivePlot
