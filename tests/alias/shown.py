"""A program for test_alias.py: the display of training and models in notebooks."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import types
from typing import Any
from xml.etree import ElementTree

import keras
import numpy as np
from keras import layers

import tfpy as tf
from tfpy._src.keras_support import live_plot

X = np.random.default_rng(0).normal(size=(64, 3)).astype(np.float32)
Y = X.sum(1) > 0


def model() -> Any:
    """Return a network with a metric."""
    made = keras.Sequential([keras.Input((3,)), layers.Dense(4), layers.Dense(2, name="[b]<1>")])
    made.compile("sgd", keras.losses.SparseCategoricalCrossentropy(True), metrics=["accuracy"])
    return made


class Notebook(types.ModuleType):
    """A substitute for IPython's display functions."""

    def __init__(self) -> None:
        super().__init__("IPython")
        self.shown: list[Any] = []
        self.display = types.SimpleNamespace(display=self._show, HTML=lambda text: text)

    def get_ipython(self) -> Any:
        """Return an object for the shell of a notebook."""
        return object()

    def _show(self, value: Any, display_id: bool = False) -> Any:
        self.shown.append(value)
        return types.SimpleNamespace(update=self.shown.append)


def printed(call: Any) -> str:
    """Return the output of a call."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        call()
    return out.getvalue()


# Summaries

network = model()
text = printed(network.summary)
notebook = Notebook()
sys.modules["IPython"] = notebook
assert printed(network.summary) == ""
(html,) = notebook.shown
root = ElementTree.fromstring(html)
rows = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
assert rows[0] == ["Layer (type)", "Output Shape", "Param #"]
assert rows[1:] == [["dense (Dense)", "(None, 4)", "16"], ["[b]<1> (Dense)", "(None, 2)", "10"]]
lines = ["".join(line.itertext()) for line in root.findall("div")]
assert [line for line in text.splitlines() if not re.search("[│┃┏┡├└]", line)] == lines
assert network.summary(print_fn=lambda line: notebook.shown.append(("text", line))) is None
assert notebook.shown[-1] == ("text", text)
shared = layers.Dense(2)
given = keras.Input((3,))
keras.Model(given, layers.Add()([shared(given), shared(given)])).summary(show_trainable=True)
(*_, added) = ElementTree.fromstring(notebook.shown[-1]).iter("tr")
assert "".join(added[3].itertext()).endswith("[0][0], dense_1[1][0]")

# Plots

notebook.shown.clear()
vars(live_plot)["_EVERY"] = 1000.0
plot = tf.keras.callbacks.LivePlot()
assert type(plot) is keras.callbacks.LivePlot
assert isinstance(plot, keras.callbacks.Callback)
found = network.fit(X, Y, 8, epochs=3, validation_split=0.25, callbacks=[plot], verbose=0)
assert {n: [v for _, v in p] for n, p in plot.points.items()} == found.history
assert [at for at, _ in plot.points["val_accuracy"]] == [1, 2, 3]
assert len(notebook.shown) == 2, "after the first epoch, and at the end"
assert notebook.shown[-1] == plot.to_svg()
root = ElementTree.fromstring(plot._repr_svg_())
texts = ["".join(t.itertext()) for t in root.iter("{http://www.w3.org/2000/svg}text")]
assert [t for t in texts if t in ("loss", "accuracy")] == ["accuracy", "loss"]
assert texts.count("validation") == texts.count("training") == 2
lines = list(root.iter("{http://www.w3.org/2000/svg}polyline"))
assert [len(line.attrib["points"].split()) for line in lines] == [3, 3, 3, 3]
for line in lines:
    for point in line.attrib["points"].split():
        x, y = map(float, point.split(","))
        assert 0 < x < 340
        assert 0 < y < 240
often = keras.callbacks.LivePlot(every=0)
network.fit(X, Y, 8, epochs=2, callbacks=[often], verbose=0)
assert [at for at, _ in often.points["loss"]] == [i / 8 for i in range(1, 17)]
seldom = keras.callbacks.LivePlot(every=1000)
seldom._added = 1e12
network.fit(X, Y, 8, epochs=2, callbacks=[seldom], verbose=0)
assert [at for at, _ in seldom.points["loss"]] == [1, 2]
network.fit(X * np.nan, Y, 32, epochs=2, callbacks=[seldom], verbose=0)
ElementTree.fromstring(seldom.to_svg())
ElementTree.fromstring(keras.callbacks.LivePlot().to_svg())
print("all as it should be")
