"""The primitives that the formats write, and the reasons for the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tfpy as tf
from tfpy._src.compiler.ops import OPS, blocks
from tfpy._src.distribute.dtensor import relayouts
from tfpy._src.formats.graph_writing.emitter import FormatTable
from tfpy._src.formats.onnx import writer as onnx
from tfpy._src.formats.tensorflow import writer as tensorflow

FORMATS: dict[str, tuple[FormatTable, Callable[..., Any]]] = {
    "onnx": (onnx.TABLE, tf.save_onnx),
    "tensorflow": (tensorflow.TABLE, tf.save_graph_model),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_primitive_is_written_or_refused_with_a_reason(name: str) -> None:
    """Check that elementwise ops that are in no table are rejected as not supported yet."""
    table, _ = FORMATS[name]
    written, refused = set(table.records), set(table.refused)
    assert relayouts  # these modules add ops to the table on import
    assert blocks
    ops = {op.name: op.family for op in OPS.values()}
    assert not written & refused
    assert not (written | refused) - ops.keys()
    left = sorted(op for op in ops.keys() - written - refused if ops[op] != "elementwise")
    assert not left, (
        f"{left}: write each with @record, or give the reason with refuse(), in a file of"
        f" src/tfpy/_src/formats/{name}/writer/"
    )


@pytest.mark.parametrize("name", FORMATS)
def test_an_elementwise_op_without_a_rule(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, save = FORMATS[name]
    monkeypatch.delitem(table.records, "softplus")
    message = f"{table.format} cannot express softplus: its writer does not support it yet"
    with pytest.raises(tf.errors.UnimplementedError, match=message):
        save(tf.nn.softplus, tmp_path / "x.onnx", [tf.TensorSpec([2])])
    assert not [*tmp_path.rglob("*")]
