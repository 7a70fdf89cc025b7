"""``tf.notebook``: what notebooks and pages show while a program runs."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.display.live_plot import LivePlot as LivePlot
from tfpy._src.display.progress import progress as progress
