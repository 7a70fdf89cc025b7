"""Weights that stay in the blocks of a GGUF file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from blocks import random_blocks
from models import gguf_files

import tfpy as tf
from tfpy._src.compiler.ops.block_formats import ON_DEVICES
from tfpy._src.formats.pretrained import description
from tfpy._src.formats.pretrained.block_weights import (
    BlockWeights,
    Matrix,
    Move,
    placed,
    placement_of,
)

Array = np.ndarray[Any, Any]
N, K = 12, 64
HOW = ON_DEVICES["Q5_1"]
BLOCKS = random_blocks("Q5_1", N * K // HOW.size)


def values() -> Array:
    assert HOW.decode is not None
    found: Array = HOW.decode(BLOCKS).reshape(N, K)
    return found


def of_heads(weight: Array) -> Array:
    return weight.reshape(2, -1, 2, K).swapaxes(1, 2).reshape(weight.shape)


MOVES: dict[str, Sequence[Move]] = {
    "none": [],
    "kernel": [np.transpose],
    "heads": [np.transpose, lambda w: w.reshape(K, 3, 4)],
    "heads in front": [lambda w: w.reshape(3, 4, K).transpose(0, 2, 1)],
    "outputs of heads": [np.transpose, lambda w: w.reshape(4, 16, N)],
    "pairs": [of_heads, np.transpose],
    "part": [lambda w: w.T[:, 4:8], lambda w: w.reshape(K, 2, 2)],
    "one row": [lambda w: w[3:4]],
}


@pytest.mark.parametrize("name", MOVES)
def test_positions_of_rows_and_columns(name: str) -> None:
    """Check that values are where the functions of KerasHub's converters move them."""
    placement = placement_of((N, K), MOVES[name])
    assert placement is not None
    weights = BlockWeights(Matrix(HOW, BLOCKS, (N, K)), placement, "kernel")
    wanted = values()
    for move in MOVES[name]:
        wanted = move(wanted)
    assert weights.shape == wanted.shape
    np.testing.assert_array_equal(weights.numpy(), wanted)
    np.testing.assert_array_equal(np.asarray(weights), wanted)
    np.testing.assert_array_equal(tf.convert_to_tensor(weights).numpy(), wanted)
    with pytest.raises(TypeError, match=r"'kernel' are in a block format.*trainable=True"):
        weights.assign(wanted)


OTHERS: dict[str, Sequence[Move]] = {
    "mixed": [lambda w: w.reshape(K, N)],
    "fewer columns": [lambda w: w[:, :32]],
    "an odd number of columns": [lambda w: w[:, :33]],
    "columns in another order": [lambda w: w[:, ::-1]],
    "halves of columns": [lambda w: w.reshape(N, 2, 32).swapaxes(0, 1).reshape(2 * N, 32)],
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_moves_need_floats(name: str) -> None:
    assert placement_of((N, K), OTHERS[name]) is None


TURNED: dict[str, tuple[tuple[int, int], Sequence[Move], bool]] = {
    "kernel": ((64, 96), [np.transpose], False),
    "rows are inputs": ((64, 96), [], True),
    "part of rows": ((64, 96), [lambda w: w[:, 32:64]], True),
    "heads": ((64, 96), [lambda w: w.reshape(64, 2, 48)], True),
    "outputs of heads": ((64, 96), [lambda w: w.reshape(2, 32, 96)], True),
    "too few inputs": ((16, 96), [], False),
}


@pytest.mark.parametrize("name", TURNED)
@pytest.mark.parametrize("form", ["F16", "BF16"])
def test_kernels_have_rows_of_inputs(form: str, name: str) -> None:
    """Check kernels from matrices with rows that are outputs or inputs of a layer."""
    (n, k), moves, is_turned = TURNED[name]
    blocks = random_blocks(form, n * k // 32)
    decode = ON_DEVICES[form].decode
    assert decode is not None
    wanted = decode(blocks).reshape(n, k)
    for move in moves:
        wanted = move(wanted)
    for is_kernel in (True, False):
        found = placed(Matrix(ON_DEVICES[form], blocks, (n, k)), moves, is_kernel)
        if found is None:
            assert name == "part of rows"
            assert not is_kernel
            continue
        assert found[0].shape == ((k, n) if is_turned and is_kernel else (n, k))
        np.testing.assert_array_equal(BlockWeights(*found, "kernel").numpy(), wanted)


def test_blocks_with_scales_are_not_transposed() -> None:
    assert Matrix(HOW, BLOCKS, (N, K)).transposed() is None
    assert placed(Matrix(HOW, BLOCKS, (N, K)), OTHERS["mixed"], True) is None


def test_estimated_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    metadata, tensors = gguf_files.llama()
    form = ON_DEVICES["Q8_0"]
    data = random_blocks("Q8_0", 2 * 32).tobytes()
    tensors["blk.0.ffn_up.weight"] = (64, 32), 8, data
    source = gguf_files.gguf(metadata, tensors)
    floats = tf.models.estimate_memory(source).weights
    monkeypatch.setattr(description, "supports_blocks", lambda: True)
    saved = 64 * 32 * 4 - 64 * form.layout.itemsize
    assert tf.models.estimate_memory(source).weights == floats - saved
    assert tf.models.estimate_memory(source, quantize="int8").weights < floats
