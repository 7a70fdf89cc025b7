"""Named series of numbers, plotted as lines while a program runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from tfpy._src.display import line_charts
from tfpy._src.display.screen import Screen

_EVERY = 0.2
"""Seconds between updates of the plot."""


def number(name: str, value: Any) -> float:
    """Return the number in a value with one element.

    Raises:
        ValueError: If the value has more elements.
    """
    array = np.asarray(value)
    if array.size != 1:
        raise ValueError(f"{name} has {array.size} elements, not one. Plot its mean, for example.")
    return float(array.reshape(()))


class Series:
    """Series of numbers by name.

    Args:
        label: Label of the horizontal axes.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self.points: dict[str, list[tuple[float, float]]] = {}
        """Pairs of a position on the horizontal axis and a number, by name."""

    def extend(self, at: float, values: Mapping[str, Any]) -> None:
        """Append a number to each named series, at the same position on the horizontal axis."""
        for name, value in values.items():
            self.points.setdefault(name, []).append((at, number(name, value)))

    def to_svg(self) -> str:
        """Return the plot as SVG. Each series has a separate panel.

        The series `val_loss` is drawn in the panel of `loss`, and other series that begin with
        `val_` likewise.

        Returns:
            A str that contains the SVG image.
        """
        panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
        compared = {name for name in self.points if f"val_{name}" in self.points}
        for name, points in self.points.items():
            plain = name.removeprefix("val_")
            line = name if plain not in compared else "validation" if plain != name else "training"
            panels.setdefault(plain if plain in compared else name, {})[line] = points
        return line_charts.charts(panels, self._label)

    _repr_html_ = to_svg


class LivePlot(Series):
    """A line plot of named series of numbers, which is updated while a program adds numbers.

    A notebook shows the plot in the output of the cell, and a page shows it below the running
    script. Elsewhere nothing is shown, but `to_svg()` returns the plot. The plot is updated a few
    times per second, and a last time when the event loop continues.

    Args:
        label: Label of the horizontal axes.
        element: Element of the page in which the plot is shown, or its CSS selector. Default: a new
            element below the running script.

    Example:
        >>> import tfpy as tf
        >>> plot = tf.notebook.LivePlot()
        >>> for step in range(3):
        ...     plot.add(loss=1.0 / (step + 1))
        >>> plot.points["loss"][:2]
        [(0.0, 1.0), (1.0, 0.5)]

    See also: `tf.notebook.progress`.
    """

    def __init__(self, label: str = "step", element: object = None) -> None:
        super().__init__(label)
        self._screen = Screen(element)
        self._count = 0
        self._drawn = -_EVERY
        self._is_pending = False

    def add(self, at: float | None = None, /, **values: Any) -> None:
        """Append a number to each named series.

        Args:
            at: Position on the horizontal axis. Default: the number of previous calls.
            values: Numbers by name, or tensors with one element. The call waits for the values of
                tensors. If the browser cannot suspend Python (JSPI), pass `loss=await loss.data()`
                instead.

        Raises:
            ValueError: If a tensor has more than one element.

        Example:
            >>> import tfpy as tf
            >>> plot = tf.notebook.LivePlot()
            >>> plot.add(10, loss=0.5)
            >>> plot.points
            {'loss': [(10, 0.5)]}
        """
        self.extend(float(self._count) if at is None else at, values)
        self._count += 1
        if time.monotonic() - self._drawn >= _EVERY:
            self.show()
        elif not self._is_pending:
            self._show_later()

    def show(self) -> None:
        """Update the plot now, without waiting for the next regular update.

        Example:
            >>> import tfpy as tf
            >>> plot = tf.notebook.LivePlot()
            >>> plot.add(loss=0.5)
            >>> plot.show()
        """
        self._drawn = time.monotonic()
        self._screen.show(self.to_svg())

    def _show_later(self) -> None:
        """Draw the plot after a pause without new numbers, if an event loop runs."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._is_pending = True
        loop.call_later(_EVERY, self._show_last)

    def _show_last(self) -> None:
        self._is_pending = False
        if time.monotonic() - self._drawn >= _EVERY:
            self.show()
        else:
            self._show_later()
