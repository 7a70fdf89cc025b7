"""Operations with the inputs and attributes of graph nodes, and their errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfpy
from tfpy import raw_ops
from tfpy._src.formats.raw_ops import RECORDS, record


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


def test_the_public_names_are_the_operations() -> None:
    names = {name for name in dir(raw_ops) if name[0].isupper()}
    assert names == {name for name in RECORDS if name[0] != "_"}


def test_lists_are_grouped_by_their_attributes() -> None:
    concat = record("ConcatV2")
    values = [tfpy.ones([2]), tfpy.zeros([1]), ints(0)]
    for attrs in ({"N": 2}, {}):  # TensorFlow.js may omit N
        found = concat.run(values, {**attrs, "T": tfpy.float32, "_class": [], "device": ""})
        assert list(found) == ["output"]
        assert found["output"].numpy().tolist() == [1, 1, 0]


def test_two_lists_of_one_length_are_grouped_without_their_attribute() -> None:
    data = [tfpy.constant([1.0]), tfpy.constant([2.0])]
    found = record("DynamicStitch").run([ints(1), ints(0), *data], {})
    assert found["merged"].numpy().tolist() == [2, 1]


def test_outputs_by_name() -> None:
    found = record("TopKV2").run([tfpy.constant([1.0, 3.0]), np.array(1, np.int32)], {})
    assert list(found) == ["values", "indices"]
    parts = record("Split").run([np.array(0, np.int32), tfpy.ones([4])], {"num_split": 2})
    assert [t.shape for t in parts["output"]] == [(2,), (2,)]


def test_shapes_stay_known_while_a_function_is_traced() -> None:
    def flat(x: Any) -> Any:
        shape = record("Shape").run([x], {})["output"]
        assert isinstance(shape, np.ndarray)
        masks = {"shrink_axis_mask": 1}
        slices = [shape, ints(0), ints(1), ints(1)]
        first = record("StridedSlice").run(slices, masks)["output"]
        assert isinstance(first, np.ndarray)
        rest = record("Prod").run([shape[1:], ints(0)], {})["output"]
        half = record("RealDiv").run(
            [record("Cast").run([rest], {"DstT": tfpy.float32})["y"], tfpy.constant(2.0)], {}
        )["z"]
        whole = record("Cast").run(
            [record("Mul").run([half, tfpy.constant(2.0)], {})["z"]], {"DstT": tfpy.int32}
        )["y"]
        sizes = record("Pack").run([first, whole], {"axis": 0})["output"]
        assert isinstance(sizes, np.ndarray)
        return record("Reshape").run([x, sizes], {})["output"]

    traced = tfpy.function(flat, autograph=False)
    assert traced(tfpy.ones([2, 3, 4])).shape == (2, 12)


def test_eager_results_are_tensors() -> None:
    assert isinstance(raw_ops.Shape(input=np.ones([2])), tfpy.Tensor)


def test_errors() -> None:
    for name in ("Placeholder", "PlaceholderV2"):
        with pytest.raises(tfpy.errors.InvalidArgumentError, match="feed a value"):
            record(name).run([], {})
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="at least one tensor"):
        raw_ops.AddN(inputs=[])
    with pytest.raises(TypeError, match="only takes keyword args"):
        raw_ops.Relu(1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'x'"):
        raw_ops.Relu(x=1.0)
    with pytest.raises(TypeError, match="missing 2 required arguments: 'strides' and 'padding'"):
        raw_ops.Conv2D(input=tfpy.ones([1, 2, 2, 1]), filter=tfpy.ones([1, 1, 1, 1]))
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="attribute 'num_split' is missing"):
        record("Split").run([np.array(0), tfpy.ones([4])], {})
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="got 3 tensors"):
        record("AddV2").run([tfpy.ones([])] * 3, {})
    with pytest.raises(tfpy.errors.UnimplementedError, match="Nonsense is not supported: the name"):
        record("Nonsense")
    with pytest.raises(tfpy.errors.UnimplementedError, match="Barrier is not supported: stage"):
        record("Barrier")
