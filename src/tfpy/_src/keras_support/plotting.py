"""`keras.utils.plot_model` with SVG output, which needs neither pydot nor Graphviz."""

from __future__ import annotations

import functools
import os
import types
from typing import Any

from tfpy._src.keras_support import dot


def replace(module: types.ModuleType) -> None:
    """Make Keras's `model_visualization` draw with tfpy."""
    own = vars(module)
    own["pydot"] = dot

    @functools.wraps(own["plot_model"])
    def plot_model(model: Any, to_file: Any = "model.svg", **options: Any) -> dot.Dot:
        """Draw a model as an SVG file, and return the drawing, which notebooks display."""
        drawn: dot.Dot = module.model_to_dot(model, **{"show_layer_names": False, **options})
        extension = os.path.splitext(os.fspath(to_file))[1]
        drawn.write(os.fspath(to_file), extension.removeprefix(".").lower() or "svg")
        return drawn

    own["plot_model"] = plot_model
