"""`tf.notebook`: progress bars and live plots for notebooks and pages."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.display.live_plot import LivePlot as LivePlot
from tfpy._src.display.progress import progress as progress
