"""Invalid calls raise TensorFlow's error classes, name the op and the shapes, and leak nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tfpy

Case = tuple[Callable[[Any], Any], tuple[str, ...]]


def f32(*shape: int) -> Any:
    return np.ones(shape, np.float32)


def i32(*shape: int) -> Any:
    return np.ones(shape, np.int32)


CASES: dict[str, Case] = {
    "add shapes": (lambda lib: lib.add(f32(2, 3), f32(4)), ("add", "[2, 3]", "[4]")),
    "multiply shapes": (
        lambda lib: lib.constant(f32(2, 3)) * f32(2),
        ("multiply", "[2, 3]", "[2]"),
    ),
    "add dtypes": (
        lambda lib: lib.constant(f32(2)) + lib.constant(i32(2)),
        ("add", "float32", "int32", "[2]"),
    ),
    "sqrt of ints": (lambda lib: lib.sqrt(lib.constant(i32(2))), ("sqrt", "int32", "[2]")),
    "logical_and of floats": (
        lambda lib: lib.logical_and(lib.constant(f32(2)), lib.constant(f32(2))),
        ("logical_and", "float32", "[2]"),
    ),
    "bitwise of floats": (
        lambda lib: lib.bitwise.bitwise_and(lib.constant(f32(2)), lib.constant(f32(2))),
        ("bitwise_and", "float32", "[2]"),
    ),
    "where condition dtype": (
        lambda lib: lib.where(lib.constant(f32(2)), lib.constant(f32(2)), lib.constant(f32(2))),
        ("select", "bool", "float32"),
    ),
    "where shapes": (
        lambda lib: lib.where(lib.constant([True, False]), f32(3), f32(3)),
        ("select", "[2]", "[3]"),
    ),
    "where one branch": (lambda lib: lib.where(lib.constant([True]), f32(1)), ("where",)),
    "matmul inner": (lambda lib: lib.matmul(f32(2, 3), f32(2, 3)), ("matmul", "[2, 3]", "3", "2")),
    "matmul transposed": (
        lambda lib: lib.matmul(f32(2, 3), f32(3, 4), transpose_a=True),
        ("matmul", "[2, 3]", "[3, 4]"),
    ),
    "matmul rank": (lambda lib: lib.matmul(f32(3), f32(3, 2)), ("matmul", "[3]")),
    "matmul batch": (
        lambda lib: lib.matmul(f32(2, 3, 4), f32(3, 4, 5)),
        ("matmul", "[2]", "[3]"),
    ),
    "matmul dtypes": (
        lambda lib: lib.matmul(lib.constant(f32(2, 2)), lib.constant(i32(2, 2))),
        ("matmul", "float32", "int32", "[2, 2]"),
    ),
    "matmul transpose and adjoint": (
        lambda lib: lib.matmul(f32(2, 2), f32(2, 2), transpose_a=True, adjoint_a=True),
        ("matmul",),
    ),
    "reduce axis": (lambda lib: lib.reduce_sum(f32(2, 3), axis=2), ("reduce_sum", "2", "[-2, 2)")),
    "reduce axis twice": (
        lambda lib: lib.reduce_max(f32(2, 3), axis=[0, -2]),
        ("reduce_max", "duplicate"),
    ),
    "reduce_any of floats": (
        lambda lib: lib.reduce_any(lib.constant(f32(2))),
        ("reduce_any", "float32"),
    ),
    "argmax axis": (lambda lib: lib.argmax(f32(2, 3), axis=2), ("argmax", "[-2, 2)")),
    "argmax of empty": (lambda lib: lib.argmax(f32(0, 3), axis=0), ("argmax", "[0, 3]")),
    "reshape count": (lambda lib: lib.reshape(f32(2, 3), [4]), ("reshape", "6", "[2, 3]", "[4]")),
    "reshape unknown": (
        lambda lib: lib.reshape(f32(2, 3), [4, -1]),
        ("reshape", "6", "[2, 3]", "[4, -1]"),
    ),
    "reshape two unknown": (lambda lib: lib.reshape(f32(2, 3), [-1, -1]), ("reshape", "-1")),
    "reshape negative": (lambda lib: lib.reshape(f32(2, 3), [-2, -3]), ("reshape", "-2")),
    "squeeze": (lambda lib: lib.squeeze(f32(2, 1), axis=0), ("squeeze", "[2, 1]")),
    "squeeze axis": (lambda lib: lib.squeeze(f32(2, 1), axis=2), ("squeeze", "2")),
    "expand_dims axis": (lambda lib: lib.expand_dims(f32(2), 3), ("expand_dims", "3")),
    "transpose perm": (lambda lib: lib.transpose(f32(2, 3), [0, 0]), ("transpose", "[0, 0]")),
    "transpose length": (lambda lib: lib.transpose(f32(2, 3), [0]), ("transpose", "[2, 3]")),
    "broadcast_to": (
        lambda lib: lib.broadcast_to(f32(2, 3), [2, 4]),
        ("broadcast_to", "[2, 3]", "[2, 4]"),
    ),
    "broadcast_to smaller": (
        lambda lib: lib.broadcast_to(f32(2, 3), [3]),
        ("broadcast_to", "[2, 3]", "[3]"),
    ),
    "ensure_shape": (
        lambda lib: lib.ensure_shape(f32(2, 3), [2, 4]),
        ("ensure_shape", "[2, 3]", "[2, 4]"),
    ),
    "ensure_shape rank": (
        lambda lib: lib.ensure_shape(f32(2, 3), [2, 3, 1]),
        ("ensure_shape", "[2, 3]", "[2, 3, 1]"),
    ),
    "concat shapes": (
        lambda lib: lib.concat([f32(2, 3), f32(3, 3)], 1),
        ("concat", "[2, 3]", "[3, 3]"),
    ),
    "concat ranks": (
        lambda lib: lib.concat([f32(2, 3), f32(2)], 0),
        ("concat", "[2, 3]", "[2]"),
    ),
    "concat axis": (lambda lib: lib.concat([f32(2), f32(2)], 1), ("concat", "1")),
    "concat scalars": (lambda lib: lib.concat([1.0, 2.0], 0), ("concat",)),
    "concat dtypes": (
        lambda lib: lib.concat([lib.constant(f32(2)), lib.constant(i32(2))], 0),
        ("concat", "float32", "int32"),
    ),
    "stack shapes": (lambda lib: lib.stack([f32(2), f32(3)]), ("stack", "[2]", "[3]")),
    "unstack num": (lambda lib: lib.unstack(f32(3), num=2), ("unstack", "2", "3")),
    "split uneven": (lambda lib: lib.split(f32(5), 2), ("split", "[5]", "2")),
    "split sizes": (lambda lib: lib.split(f32(5), [2, 2]), ("split", "[5]", "[2, 2]")),
    "tile multiples": (lambda lib: lib.tile(f32(2, 3), [2]), ("tile", "2", "1")),
    "pad pairs": (lambda lib: lib.pad(f32(2, 3), [[1, 1]]), ("pad", "[2, 3]")),
    "pad negative": (lambda lib: lib.pad(f32(2), [[-1, 0]]), ("pad", "[2]")),
    "pad mode": (lambda lib: lib.pad(f32(2), [[1, 0]], mode="WRAP"), ("WRAP",)),
    "pad reflect too far": (
        lambda lib: lib.pad(f32(2), [[2, 0]], mode="REFLECT"),
        ("pad", "2", "REFLECT"),
    ),
    "slice outside": (lambda lib: lib.slice(f32(3), [1], [3]), ("slice", "[3]", "1", "3")),
    "slice rank": (lambda lib: lib.slice(f32(3), [1, 0], [1, 1]), ("slice", "[3]")),
    "index outside": (lambda lib: lib.constant(f32(3))[3], ("strided_slice", "3", "[3]")),
    "too many indices": (lambda lib: lib.constant(f32(3))[0, 0], ("strided_slice", "[3]")),
    "step of 0": (lambda lib: lib.constant(f32(3))[::0], ("strided_slice", "step")),
    "index by True": (lambda lib: lib.constant(f32(3))[True], ("mask",)),
    "index by float": (lambda lib: lib.constant(f32(3))[1.5], ("1.5",)),
    "gather outside": (lambda lib: lib.gather(f32(3), [3]), ("gather", "3", "[3]")),
    "gather float indices": (
        lambda lib: lib.gather(f32(3), lib.constant([0.0])),
        ("gather", "float32"),
    ),
    "gather axis": (lambda lib: lib.gather(f32(3), [0], axis=1), ("gather", "1")),
    "boolean_mask shape": (
        lambda lib: lib.boolean_mask(f32(2, 3), [True, False, True]),
        ("(2, 3)", "(3,)"),
    ),
    "range step 0": (lambda lib: lib.range(0, 3, 0), ("range", "0")),
    "range direction": (lambda lib: lib.range(3, 0, 1), ("range", "3", "0")),
    "fill with a vector": (lambda lib: lib.fill([2], f32(2)), ("fill", "2")),
    "conv2d depth": (
        lambda lib: lib.nn.conv2d(f32(1, 5, 5, 3), f32(3, 3, 2, 4), 1, "SAME"),
        ("conv2d", "[1, 5, 5, 3]", "[3, 3, 2, 4]"),
    ),
    "conv2d rank": (
        lambda lib: lib.nn.conv2d(f32(5, 5, 3), f32(3, 3, 3, 4), 1, "SAME"),
        ("conv2d", "[5, 5, 3]"),
    ),
    "conv2d too small": (
        lambda lib: lib.nn.conv2d(f32(1, 1, 1, 3), f32(3, 3, 3, 4), 1, "VALID"),
        ("conv2d", "3", "1"),
    ),
    "conv2d strides": (
        lambda lib: lib.nn.conv2d(f32(1, 5, 5, 3), f32(3, 3, 3, 4), [1, 1, 1], "SAME"),
        ("strides", "3"),
    ),
    "conv2d padding": (
        lambda lib: lib.nn.conv2d(f32(1, 5, 5, 3), f32(3, 3, 3, 4), 1, "FULL"),
        ("FULL",),
    ),
    "conv2d format": (
        lambda lib: lib.nn.conv2d(f32(1, 5, 5, 3), f32(3, 3, 3, 4), 1, "SAME", data_format="HWNC"),
        ("HWNC",),
    ),
    "depthwise depth": (
        lambda lib: lib.nn.depthwise_conv2d(f32(1, 5, 5, 3), f32(3, 3, 2, 1), [1, 1, 1, 1], "SAME"),
        ("depthwise_conv2d", "[1, 5, 5, 3]", "[3, 3, 2, 1]"),
    ),
    "max_pool too small": (
        lambda lib: lib.nn.max_pool2d(f32(1, 1, 1, 3), 3, 1, "VALID"),
        ("max_pool", "3", "1"),
    ),
    "bias_add size": (
        lambda lib: lib.nn.bias_add(f32(2, 3), f32(2)),
        ("bias_add", "[2, 3]", "[2]"),
    ),
    "dropout rate": (lambda lib: lib.nn.dropout(f32(2), 1.5), ("dropout", "1.5")),
    "sparse cross entropy": (
        lambda lib: lib.nn.sparse_softmax_cross_entropy_with_logits(
            labels=lib.constant([0, 1]), logits=f32(3, 2)
        ),
        ("(2,)", "(3, 2)"),
    ),
    "sigmoid cross entropy": (
        lambda lib: lib.nn.sigmoid_cross_entropy_with_logits(labels=f32(2), logits=f32(3)),
        ("(2,)", "(3,)"),
    ),
    "tensordot sizes": (
        lambda lib: lib.tensordot(f32(2, 3), f32(2, 3), 1),
        ("[2, 3]",),
    ),
    "norm order": (lambda lib: lib.norm(f32(3), ord="nuclear"), ("nuclear",)),
    "ragged": (lambda lib: lib.constant([[1, 2], [3]]), ("non-rectangular",)),
    "constant None": (lambda lib: lib.constant(None), ("None",)),
    "constant kind": (lambda lib: lib.constant(1.5, lib.int32), ("1.5", "int32")),
    "constant count": (lambda lib: lib.constant([1, 2, 3], shape=[2]), ("3", "[2]")),
    "mixed kinds": (lambda lib: lib.constant([True, 1]), ("mixed",)),
    "mixed nested kinds": (lambda lib: lib.constant([[1.0], ["a"]]), ("mixed",)),
    "pad value kind": (
        lambda lib: lib.pad([1, 2], [[1, 1]], constant_values=3.5),
        ("3.5", "int32"),
    ),
    "convert other dtype": (
        lambda lib: lib.convert_to_tensor(lib.constant([1.0]), lib.int32),
        ("float32", "int32"),
    ),
    "float and int tensor": (lambda lib: lib.maximum(lib.constant([1, 2]), 1.5), ("1.5", "int32")),
    "text and tensor": (lambda lib: lib.maximum(lib.constant([1.0]), "a"), ("a", "float32")),
    "int tensor by float": (lambda lib: lib.constant([1, 2]) / 1.5, ("1.5", "int32")),
    "assign shape": (lambda lib: lib.Variable([1.0, 2.0]).assign([1.0]), ("(2,)", "(1,)")),
    "iterate a scalar": (lambda lib: list(lib.constant(1.0)), ("scalar",)),
    "len of a scalar": (lambda lib: len(lib.constant(1.0)), ("calar",)),
    "truth of a vector": (lambda lib: bool(lib.constant([1.0, 2.0])), ("ambiguous",)),
    "hash": (lambda lib: hash(lib.constant(1.0)), ("hash",)),
    "pow negative": (lambda lib: lib.pow(lib.constant(2), lib.constant(-1)), ("pow",)),
    "floordiv by 0": (lambda lib: lib.constant(2) // lib.constant(0), ("floordiv",)),
    "mod by 0": (lambda lib: lib.constant(2) % lib.constant(0), ("floormod",)),
    "one_hot of floats": (lambda lib: lib.one_hot([1.0], 2), ("one_hot", "float32")),
    "meshgrid argument": (lambda lib: lib.meshgrid([1], [2], sparse=True), ("sparse",)),
    "one_hot axis": (lambda lib: lib.one_hot([1], 2, axis=3), ("one_hot", "3")),
    "Python float added to integers": (
        lambda lib: lib.constant([1, 2]) + 1.5,
        ("add", "float32", "int32"),
    ),
    "stateless integers": (
        lambda lib: lib.random.stateless_uniform([2], [1, 2], dtype=lib.int32),
        ("maxval",),
    ),
    "stateless seed": (lambda lib: lib.random.stateless_uniform([2], [1, 2, 3]), ("seed",)),
}


def raised(call: Callable[[Any], Any], lib: Any) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - compared with TensorFlow's below
        call(lib)
    return caught.value


@pytest.mark.parametrize("case", CASES)
def test_raises_as_tensorflow(case: str) -> None:
    call, fragments = CASES[case]
    ours, theirs = raised(call, tfpy), raised(call, tf)
    assert type(ours).__name__ == type(theirs).__name__.lstrip("_"), f"{ours} | {theirs}"
    for fragment in fragments:
        assert fragment in str(ours)


TFPY_ONLY: dict[str, tuple[Callable[[Any], Any], type[Exception], tuple[str, ...]]] = {
    "integer that does not fit int32": (  # TensorFlow makes it int64
        lambda lib: lib.constant(2**31),
        ValueError,
        (str(2**31), "int32"),
    ),
}


@pytest.mark.parametrize("case", TFPY_ONLY)
def test_raises_where_tensorflow_does_not(case: str) -> None:
    call, error, fragments = TFPY_ONLY[case]
    with pytest.raises(error) as caught:
        call(tfpy)
    for fragment in fragments:
        assert fragment in str(caught.value)


@pytest.mark.usefixtures("no_leaks")
def test_wrong_calls_leak_nothing() -> None:
    for call, _ in CASES.values():
        raised(call, tfpy)
    assert tfpy.add(1, 2).numpy() == 3
