"""``tf.print`` prints the same as TensorFlow, also at each run of a compiled function."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy

CALLS = [
    lambda tf, to: tf.print("a", tf.constant([1, 2, 3]), 3, None, 1.5, True, "x{}y", **to),
    lambda tf, to: tf.print([tf.constant([1.5, 2]), 1, "s"], (1, tf.constant(2.0)), (3,), **to),
    lambda tf, to: tf.print({"k": tf.constant([1]), "b": "x", "a": [tf.constant("q")]}, **to),
    lambda tf, to: tf.print(tf.constant("a"), tf.constant(["a", "b"]), tf.constant(True), **to),
    lambda tf, to: tf.print(tf.range(10), summarize=-1, **to),
    lambda tf, to: tf.print(tf.range(10), tf.reshape(tf.range(48), [2, 3, 8]), **to),
    lambda tf, to: tf.print("x", tf.constant([[1.0, 2.0], [3.0, 4.0]]), sep="|", end="!", **to),
    lambda tf, to: tf.print(tf.constant([1e10, 1e-7, np.nan, np.inf]), **to),
    lambda tf, to: tf.print(tf.Variable([1.0, 2.0]), np.array([1, 2]), b"by", **to),
    lambda tf, to: tf.print(tf.ragged.constant([[1], [2, 3]]), **to),
    lambda tf, to: tf.print(tf.sparse.from_dense([[0, 1], [2, 0]]), **to),
    lambda tf, to: tf.print(tf.constant([1j, 2, 3, 4]), tf.constant(1 + 2j), **to),
    lambda tf, to: tf.print(tf.constant("alone"), **to),
    lambda tf, to: tf.print(tf.zeros([0, 3]), tf.zeros([0]), **to),
    lambda tf, to: tf.print(**to),
]


@pytest.mark.parametrize("call", CALLS)
def test_text(call: Any, tmp_path: Path) -> None:
    for lib in (tensorflow, tfpy):
        call(lib, {"output_stream": f"file://{tmp_path}/{lib.__name__}"})
    mine, wanted = ((tmp_path / name).read_text() for name in ("tfpy", "tensorflow"))
    assert mine == wanted


def test_streams(capsys: pytest.CaptureFixture[str]) -> None:
    tfpy.print("to stderr", tfpy.constant(1))
    tfpy.print("to stdout", output_stream=sys.stdout)
    assert capsys.readouterr() == ("to stdout\n", "to stderr 1\n")
    with pytest.raises(ValueError, match="nowhere"):
        tfpy.print(1, output_stream="nowhere")


def test_in_compiled_functions(capsys: pytest.CaptureFixture[str]) -> None:
    @tfpy.function
    def twice(x: Any) -> Any:
        tfpy.print("first", x)
        y = x * 2
        tfpy.print("second", [y, "text"])
        return y

    for value in (1.0, 3.0):
        assert float(twice(tfpy.constant(value))) == 2 * value
    written = capsys.readouterr().err
    assert written == "first 1\nsecond [2, 'text']\nfirst 3\nsecond [6, 'text']\n"
