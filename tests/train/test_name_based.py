"""`tf.train.Checkpoint` restores checkpoints of `tf.compat.v1.train.Saver` by names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as reference

import tfpy

LIBRARIES = pytest.mark.parametrize("lib", [tfpy, reference], ids=["tfpy", "tensorflow"])
WRITERS = pytest.mark.parametrize("writer", [tfpy, reference], ids=["by tfpy", "by tensorflow"])


def saved(writer: Any, folder: Path) -> str:
    v1 = writer.compat.v1
    with writer.Graph().as_default(), v1.Session() as session:
        v1.get_variable("a", initializer=[1.0, 2.0])
        v1.get_variable("scope/b", initializer=3)
        session.run(v1.global_variables_initializer())
        return str(v1.train.Saver().save(session, str(folder / "model")))


@WRITERS
@LIBRARIES
def test_values(lib: Any, writer: Any, tmp_path: Path) -> None:
    path = saved(writer, tmp_path)
    model = lib.Module()
    model.held = [lib.Variable([0.0, 0.0], name="a"), lib.Variable(0, name="scope/b")]
    checkpoint = lib.train.Checkpoint(model=model)
    status = checkpoint.restore(path)
    assert [v.numpy().tolist() for v in model.held] == [[1.0, 2.0], 3]
    status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
    status.expect_partial().initialize_or_restore()


@LIBRARIES
def test_missing_values(lib: Any, tmp_path: Path) -> None:
    path = saved(lib, tmp_path)
    a, c = lib.Variable([0.0, 0.0], name="a"), lib.Variable(5.0, name="c")
    status = lib.train.Checkpoint(a=a, c=c).read(path)
    assert a.numpy().tolist() == [1.0, 2.0]
    assert float(c) == 5.0
    with pytest.raises(AssertionError, match="not restored"):
        status.assert_consumed()
    with pytest.raises(AssertionError, match="not restored"):
        status.assert_existing_objects_matched()


@LIBRARIES
def test_other_shapes(lib: Any, tmp_path: Path) -> None:
    path = saved(lib, tmp_path)
    with pytest.raises((ValueError, lib.errors.InvalidArgumentError)):
        lib.train.Checkpoint(a=lib.Variable([0.0], name="a")).restore(path)
