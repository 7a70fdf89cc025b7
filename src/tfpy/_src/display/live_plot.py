"""Named series of numbers as lines that grow while a program runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from tfpy._src.display import line_charts
from tfpy._src.display.screen import Screen

_EVERY = 0.2
"""Seconds after which a picture is drawn anew."""


def number(name: str, value: Any) -> float:
    """The number that a value of one element is.

    Raises:
        ValueError: when it has more.
    """
    array = np.asarray(value)
    if array.size != 1:
        raise ValueError(f"{name} has {array.size} elements, not one: show its mean")
    return float(array.reshape(()))


class Series:
    """Numbers by name, in their order.

    Args:
        label: what is under the horizontal axes.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self.points: dict[str, list[tuple[float, float]]] = {}
        """For each name, pairs of where a number belongs on the horizontal axis, and the number."""

    def extend(self, at: float, values: Mapping[str, Any]) -> None:
        """Adds numbers, all at one place."""
        for name, value in values.items():
            self.points.setdefault(name, []).append((at, number(name, value)))

    def to_svg(self) -> str:
        """The picture: a panel for each name, that of ``val_loss`` being ``loss``'s."""
        panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
        compared = {name for name in self.points if f"val_{name}" in self.points}
        for name, points in self.points.items():
            plain = name.removeprefix("val_")
            line = name if plain not in compared else "validation" if plain != name else "training"
            panels.setdefault(plain if plain in compared else name, {})[line] = points
        return line_charts.charts(panels, self._label)

    _repr_html_ = to_svg


class LivePlot(Series):
    """Draws named series while they grow (``tf.notebook.LivePlot``).

    A notebook shows the picture in the cell's output, a page after the script that runs; elsewhere
    nothing is shown, and ``to_svg()`` is the picture. It is drawn a few times a second, and once
    more when the event loop goes on.

    Args:
        label: what is under the horizontal axes.
        element: of the page, or a selector of one, that shows the picture.

    Example:
        >>> import tfpy as tf
        >>> plot = tf.notebook.LivePlot()
        >>> for step in range(3):
        ...     plot.add(loss=1.0 / (step + 1))
        >>> plot.points["loss"][:2]
        [(0.0, 1.0), (1.0, 0.5)]
    """

    def __init__(self, label: str = "step", element: Any = None) -> None:
        super().__init__(label)
        self._screen = Screen(element)
        self._count = 0
        self._drawn = -_EVERY
        self._is_pending = False

    def add(self, at: float | None = None, /, **values: Any) -> None:
        """Adds a number to each series that is named.

        Args:
            at: where they belong on the horizontal axis; by default how often this was called.
            values: numbers, or tensors of one, which are read: ``loss=await loss.data()`` where
                Python cannot wait for the device.
        """
        self.extend(float(self._count) if at is None else at, values)
        self._count += 1
        if time.monotonic() - self._drawn >= _EVERY:
            self.show()
        elif not self._is_pending:
            self._show_later()

    def show(self) -> None:
        """Draws it now."""
        self._drawn = time.monotonic()
        self._screen.show(self.to_svg())

    def _show_later(self) -> None:
        """Draws it when nothing has come for a while, where there is an event loop."""
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
