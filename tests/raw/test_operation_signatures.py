"""Every operation has TensorFlow's inputs and outputs: names, order, lists and defaults."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

from tfpy._src.base import dtypes
from tfpy._src.formats.raw_ops import RECORDS
from tfpy._src.formats.raw_ops.records import REQUIRED, OperationPort

OTHERS = """
    Conv1D DepthwiseConv2d FusedDepthwiseConv2dNative Ones Prelu Zeros
    _FusedConv2D
"""
"""Operations of TensorFlow.js's converter that TensorFlow lacks or has changed."""

RENAMED = {
    **dict.fromkeys(("reduction_indices", "dim", "split_dim"), "axis"),
    ("Select", "t"): "x",
    ("Select", "e"): "y",
    ("Where", "input"): "condition",
}
"""Inputs with another name in ``tf.raw_ops`` than in the graph."""

MORE = {"Squeeze": {"axis"}}
"""Attributes with another name in ``tf.raw_ops``. Both names are accepted."""

SHARED = [name for name in RECORDS if name not in OTHERS.split()]


def ports(name: str, arguments: Any) -> tuple[OperationPort, ...]:
    """Return the inputs or outputs of a TensorFlow operation."""
    return tuple(
        OperationPort(
            RENAMED.get((name, a.name), RENAMED.get(a.name, a.name) if _is_axis(name) else a.name),
            a.number_attr or a.type_list_attr,
        )
        for a in arguments
    )


def _is_axis(name: str) -> bool:
    return hasattr(tf.raw_ops, name) and "Sparse" not in name and name != "ReduceJoin"


def default(value: Any) -> Any:
    """Return a TensorFlow default as a Python value."""
    kind = value.WhichOneof("value")
    if kind is None:
        return REQUIRED
    if kind == "list":
        found = [list(getattr(value.list, field)) for field in ("s", "i", "f", "type")]
        return [_plain(item) for items in found for item in items]
    if kind == "type":
        return dtypes.as_dtype(tf.as_dtype(value.type).name)
    if kind == "shape":
        shape = tf.TensorShape(value.shape)
        return None if shape.rank is None else shape.as_list()
    return _plain(getattr(value, kind))


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    return float(str(np.float32(value))) if isinstance(value, float) else value


@pytest.mark.parametrize("name", SHARED)
def test_signature(name: str) -> None:
    wanted, mine = op_def_registry.get(name), RECORDS[name].signature
    assert wanted is not None
    assert mine.inputs == ports(name, wanted.input_arg)
    assert mine.outputs == tuple(
        OperationPort(a.name, a.number_attr or a.type_list_attr) for a in wanted.output_arg
    )
    inferred = {n for a in wanted.input_arg for n in (a.type_attr, a.number_attr, a.type_list_attr)}
    attrs = {a.name: default(a.default_value) for a in wanted.attr if a.name not in inferred}
    own = {k: v for k, v in mine.attrs.items() if k not in MORE.get(name, ())}
    assert own == attrs


@pytest.mark.parametrize("name", [n for n in SHARED if not n.startswith("_")])
def test_parameters(name: str) -> None:
    """Check that the public function has TensorFlow's parameters."""
    theirs = inspect.signature(inspect.unwrap(getattr(tf.raw_ops, name))).parameters
    own = {key for key in RECORDS[name].parameters if name != "Squeeze" or key != "squeeze_dims"}
    assert own == set(theirs) - {"name"}


IGNORED = {
    "follow from the inputs": """
        T Tcomplex Tkeys Tout Treal Tvalues dtype element_dtype element_shape element_shape_except0
        component_types elem_type internal_type key_dtype ksize num_sparse num_split output_shapes
        out_row_splits_type out_values_type padding shape strides value_dtype
    """,
    "int64 is int32": "Tsplits out_idx out_type shape_type",
    "how it is computed": """
        a_is_sparse allowed_devices b_is_sparse config config_proto executor_type
        initial_num_buckets max_load_factor max_rows_in_memory parallel_iterations rounds
        sparse_gradient swap_memory use_cudnn_on_gpu use_locking
    """,
    "gradients, debuggers, names": """
        debug_name debug_ops_spec first_n grad_a grad_b grad_x grad_y message stack_name
        tensor_array_name tensor_name use_node_name_sharing
    """,
    "checks": """
        bad_indices_policy ignore_lookup_error incompatible_shape_error validate_indices
        validate_shape
    """,
    "digits that TensorFlow leaves open": "Truncate init",
    "no random numbers": "seed seed2",
    "waiting for other threads": "timeout_ms",
}
"""Attributes that do not affect values in tfpy, by purpose."""


def test_what_attributes_do_is_done() -> None:
    """Check that attributes that functions do not accept do not affect values."""
    left = {
        attr
        for record in RECORDS.values()
        for attr in record.signature.attrs
        if attr not in record.taken
    }
    assert left == {name for names in IGNORED.values() for name in names.split()}


MEMORY = {"DeepCopy", "Empty", "GuaranteeConst"}
"""Operations that are stateful in TensorFlow only because of memory placement."""


def test_what_is_stateful_says_so() -> None:
    stateful = {name for name in SHARED if op_def_registry.get(name).is_stateful} - MEMORY
    assert stateful <= {name for name, record in RECORDS.items() if record.stateful}
