"""Written ONNX files pass onnx's checker, and ONNX Runtime computes the same results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tfpy as tf
from buildsys import pyenv
from buildsys.paths import ROOT
from tfpy._src.formats.encodings import protobuf, protobuf_writer


def test_onnx_runtime(tmp_path: Path) -> None:
    subprocess.run([sys.executable, Path(__file__).parent / "keras_model.py", tmp_path], check=True)
    argv = [str(pyenv.ensure("onnx")), "-m", "writers.onnx_cases", str(tmp_path)]
    env = pyenv.importing("src", "tests", ".")
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    models, programs, primitives = map(int, done.stdout.split())
    assert models == 1
    assert programs >= 8
    assert primitives > 300


def test_refusals(tmp_path: Path) -> None:
    file = tmp_path / "x.onnx"
    with pytest.raises(tf.errors.UnimplementedError, match="ONNX cannot express det"):
        tf.save_onnx(tf.linalg.det, file, [tf.TensorSpec([2, 2])])
    with pytest.raises(tf.errors.UnimplementedError, match="no complex"):
        tf.save_onnx(tf.math.conj, file, [tf.TensorSpec([2], tf.complex64)])
    assert not file.exists()


def test_fields_are_read_as_they_were_written() -> None:
    kinds = {1: ("a", protobuf.INT), 2: ("b", protobuf.FLOAT), 3: ("c", protobuf.STRING)}
    kinds |= {4: ("d", protobuf.many(protobuf.INT)), 5: ("e", protobuf.many(protobuf.FLOAT))}
    data = (
        protobuf_writer.integer(1, -3)
        + protobuf_writer.real(2, 0.5)
        + protobuf_writer.chunk(3, "name")
    )
    data += protobuf_writer.integers(4, [1, 300, -1]) + protobuf_writer.reals(5, [1.5, -2.0])
    found = protobuf.read(data, protobuf.Message("test", kinds))
    assert (found["a"], found["b"], found["c"]) == (-3, 0.5, "name")
    np.testing.assert_array_equal(found["d"], [1, 300, -1])
    np.testing.assert_array_equal(found["e"], [1.5, -2.0])
