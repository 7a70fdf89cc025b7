"""A program for test_alias.py: diagrams of models."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import keras
import pytest
from keras import layers

import tfpy as tf

FOLDER = Path(tempfile.mkdtemp())
SVG = "{http://www.w3.org/2000/svg}"


def network() -> Any:
    """Return a model with two inputs, a residual connection and two nested models."""
    image = keras.Input((8, 8, 3), name="image")
    x = layers.Conv2D(4, 3, activation="relu", padding="same", name="first")(image)
    y = layers.ReLU(name="rectified")(layers.Conv2D(4, 3, padding="same", name="second")(x))
    x = layers.GlobalAveragePooling2D(name="mean")(layers.Add(name="sum")([x, y]))
    facts = keras.Input((4,), name="facts<&>", dtype="int32")
    head = keras.Sequential([keras.Input((8,)), layers.Dense(3, name="last")], name="head")
    given = keras.Input((8,))
    gate = keras.Model(given, layers.Dense(2, name="gate")(given), name="gated")
    joined = layers.Concatenate(name="joined")([x, layers.Rescaling(1.0, name="scaled")(facts)])
    return keras.Model([image, facts], [head(joined), gate(joined)])


def drawn(model: Any, **options: Any) -> tuple[Any, list[str], list[list[float]]]:
    """Return a diagram, its labels, and the first and last point of each arrow."""
    path = FOLDER / "picture.svg"
    shown = keras.utils.plot_model(model, path, **options)
    assert shown._repr_svg_() == path.read_text("utf-8")
    root = ElementTree.fromstring(path.read_text("utf-8"))
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    arrows = []
    for arrow in root.findall(f"{SVG}path"):
        numbers = arrow.attrib["d"].replace("M", " ").replace("C", " ").replace("L", " ").split()
        arrows.append([float(n) for n in (*numbers[:2], *numbers[-2:])])
    return root, texts, arrows


def boxes(root: Any) -> list[tuple[float, float, float, float]]:
    """Return the rectangles of the diagram's boxes."""
    found = [rect.attrib for rect in root.findall(f"{SVG}rect") if rect.get("stroke") == "black"]
    return [tuple(float(a[name]) for name in ("x", "y", "width", "height")) for a in found]


model = network()
root, texts, arrows = drawn(model)
assert sorted(texts) == sorted(type(layer).__name__ for layer in model.layers)
assert len(arrows) == 11
assert all(y0 < y1 for _, y0, _, y1 in arrows)
assert all(x0 < x1 for x0, _, x1, _ in drawn(model, rankdir="LR")[2])
assert all(y0 > y1 for _, y0, _, y1 in drawn(model, rankdir="BT")[2])
assert all(x0 > x1 for x0, _, x1, _ in drawn(model, rankdir="RL")[2])

options = {"show_shapes": True, "show_layer_names": True, "show_dtype": True}
options |= {"show_layer_activations": True, "show_trainable": True, "expand_nested": True}
root, texts, arrows = drawn(model, **options)
for text in (
    "first (Conv2D)",
    "Activation: relu",
    "Input shape: (None, 8, 8, 3)",
    "facts<&> (InputLayer)",
    "Output dtype: int32",
    "last (Dense)",
    "gate (Dense)",
    "gated",
    "head",
    "Trainable",
):
    assert text in texts, text
assert len(arrows) == 12
width, height = float(root.get("width")), float(root.get("height"))
for x, y, w, h in boxes(root):
    assert 0 <= x <= x + w <= width
    assert 0 <= y <= y + h <= height
for (x, y, w, h), (p, q, s, t) in itertools.combinations(boxes(root), 2):
    assert x + w <= p + 0.2 or p + s <= x + 0.2 or y + h <= q + 0.2 or q + t <= y + 0.2

for name in ("model.png", "model.pdf"):
    with pytest.raises(tf.errors.UnimplementedError, match="as SVG"):
        keras.utils.plot_model(model, FOLDER / name)
with pytest.raises(ValueError, match="not yet been built"):
    keras.utils.plot_model(keras.Sequential([layers.Dense(2)]))
assert "<svg" in keras.utils.model_to_dot(model)._repr_svg_()
print("all as it should be")
