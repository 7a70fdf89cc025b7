"""A summary writer that draws scalars while a program runs."""

from __future__ import annotations

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.display.live_plot import LivePlot
from tfpy._src.formats.summary.event_messages import SCALARS, plugin_of
from tfpy._src.formats.summary.writers import SummaryWriter
from tfpy._src.functions.control.effects import effect


class _PlotWriter(SummaryWriter):
    """A writer that adds scalars to a plot, and ignores other summaries."""

    def __init__(self, plot: LivePlot) -> None:
        self._plot = plot

    def init(self) -> None:
        pass

    def flush(self) -> None:
        if not effect(self._plot.show):
            self._plot.show()

    def close(self) -> None:
        self.flush()

    def _add(self, step: int, content: bytes) -> None:
        pass

    def _add_tensor(self, step: int, tag: str | bytes, array: Array, metadata: bytes) -> None:
        if metadata and plugin_of(metadata) == SCALARS:
            name = tag.decode(errors="replace") if isinstance(tag, bytes) else tag
            self._plot.add(step, **{name: array})


def create_plot_writer(element: object = None) -> SummaryWriter:
    """Create a writer that draws scalars as lines while the program runs.

    It shows the same numbers as TensorBoard in a page or a notebook, without files. Each name has a
    panel of its own. Summaries of other kinds are ignored. TensorFlow does not have this function.

    Args:
        element: Element of the page in which the plot is shown, or its CSS selector. Default: a new
            element below the running script, or the output of the notebook's cell.

    Returns:
        A `tf.summary.SummaryWriter`.

    Example:
        >>> import tfpy as tf
        >>> with tf.summary.create_plot_writer().as_default():
        ...     for step in range(3):
        ...         drawn = tf.summary.scalar("loss", 1.0 / (step + 1), step=step)

    See also: `tf.notebook.LivePlot`, `tf.summary.create_file_writer`.
    """
    return _PlotWriter(LivePlot(element=element))
