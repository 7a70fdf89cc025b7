"""`keras.callbacks.LivePlot`, which plots loss and metrics during training."""

from __future__ import annotations

import functools
import time
import types
from typing import Any

from tfpy._src.display import live_plot
from tfpy._src.display.screen import Screen

_EVERY = 0.2
"""Seconds between drawings. One takes up to 40 ms in a page, which can be longer than an epoch."""


def replace(callbacks: types.ModuleType) -> None:
    """Add LivePlot to Keras's `callbacks`."""
    vars(callbacks)["LivePlot"] = _made(callbacks.Callback)


@functools.cache
def _made(base: Any) -> Any:
    class LivePlot(base):  # type: ignore[misc]
        """A callback that plots the loss and the metrics while a model trains.

        The plot has a point for each epoch. It is drawn a few times per second at most, and at the
        end of the training.

        Values of validation are drawn in the same panels. A page shows the plot below the running
        script. A notebook shows it in the output of the cell.

        Args:
            every: Number of seconds between points within an epoch. The metrics are read for each
                point. Default: add a point only after each epoch.
            element: Element of the page in which the plot is shown, or its CSS selector. Default: a
                new element below the running script.

        Example::

            model.fit(x, y, epochs=5, callbacks=[keras.callbacks.LivePlot()])
        """

        def __init__(self, every: float | None = None, element: Any = None) -> None:
            super().__init__()
            self._every = every
            self._screen = Screen(element)
            self._series = live_plot.Series("epoch")
            self._epoch = 0
            self._added = self._drawn = 0.0
            self._is_drawn = True

        @property
        def points(self) -> dict[str, list[tuple[float, float]]]:
            """Pairs of an epoch and a value, by the name of the metric in the history."""
            return self._series.points

        def is_due(self) -> bool:
            """Return True if the plot needs a point after the current batch."""
            return self._every is not None and time.time() - self._added >= self._every

        def on_train_begin(self, logs: Any = None) -> None:
            """Clear the plot before training."""
            self.points.clear()

        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            """Record the number of the epoch."""
            self._epoch = epoch

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            """Add a point after a batch, if it is due."""
            steps = self.params.get("steps")
            if self.is_due() and steps and batch + 1 < steps:
                self._add(self._epoch + (batch + 1) / steps, logs)

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            """Add a point after an epoch."""
            self._add(epoch + 1, logs)

        def on_train_end(self, logs: Any = None) -> None:
            """Draw the points that are not drawn yet."""
            if not self._is_drawn:
                self._draw()

        def _add(self, at: float, logs: Any) -> None:
            shown = {k: v for k, v in (logs or {}).items() if isinstance(v, int | float)}
            self._series.extend(at, shown)
            self._added = time.time()
            self._is_drawn = False
            if self._added - self._drawn >= _EVERY:
                self._draw()

        def _draw(self) -> None:
            self._screen.show(self.to_svg())
            self._drawn, self._is_drawn = time.time(), True

        def to_svg(self) -> str:
            """Return the plot as SVG. Each metric has a separate panel.

            Returns:
                A str that contains the SVG image.
            """
            return self._series.to_svg()

        _repr_svg_ = _repr_html_ = to_svg

    LivePlot.__qualname__ = "LivePlot"
    return LivePlot
