"""Weights in the layouts of GPTQ and AWQ, compared with a reference that packs and unpacks them."""

from __future__ import annotations

import io
import json
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from models.packing import packed_awq, packed_rows

from tfpy._src.formats.pretrained.block_weights import BlockFile, BlockWeights, placement_of
from tfpy._src.formats.pretrained.integer_blocks import IntegerMatrix
from tfpy._src.formats.pretrained.packed_weights import unpacked
from tfpy._src.formats.safetensors.reader import SafetensorsFile
from tfpy._src.formats.safetensors.writer import write_safetensors
from tfpy._src.formats.weight_file import WeightFile
from tfpy._src.library.io.checked_json import ModelFileError

INPUTS, OUTPUTS, GROUP = 96, 64, 32


class Arrays(WeightFile):
    """Arrays in memory."""

    def __init__(self, **arrays: np.ndarray) -> None:
        self.arrays = {name.replace("__", "."): value for name, value in arrays.items()}

    @property
    def names(self) -> list[str]:
        return list(self.arrays)

    @property
    def size(self) -> int:
        return sum(value.size for value in self.arrays.values())

    def shape(self, name: str) -> tuple[int, ...]:
        return self.arrays[name].shape

    def read(self, name: str) -> np.ndarray:
        return self.arrays[name]


def made(method: str, bits: int, offset: int, in_order: bool) -> tuple[Arrays, np.ndarray]:
    """Return the parts of a weight, and its values."""
    rng = np.random.default_rng(bits)
    codes = rng.integers(0, 2**bits, (INPUTS, OUTPUTS))
    zeros = rng.integers(1, 2**bits, (INPUTS // GROUP, OUTPUTS))
    scales = rng.normal(size=zeros.shape).astype(np.float16)
    groups = np.arange(INPUTS, dtype=np.int32) // GROUP
    if not in_order:
        groups = rng.permutation(groups)
    expected = np.empty((OUTPUTS, INPUTS), np.float32)
    for row in range(INPUTS):
        number = np.float32(codes[row] - zeros[groups[row]])
        expected[:, row] = scales[groups[row]].astype(np.float32) * number
    parts = {"a__scales": scales, "a__bias": np.ones(OUTPUTS, np.float16)}
    if method == "awq":
        return Arrays(a__qweight=packed_awq(codes), a__qzeros=packed_awq(zeros), **parts), expected
    parts["a__qzeros"] = packed_rows((zeros - offset).T, bits).T
    if not in_order:
        parts["a__g_idx"] = groups
    return Arrays(a__qweight=packed_rows(codes, bits), **parts), expected


def config(method: Any, bits: Any, **facts: Any) -> dict[str, Any]:
    known = {"quant_method": method, "bits": bits, "group_size": GROUP}
    return {"quantization_config": {**known, **facts}}


CASES = [("gptq", bits, 1, in_order, {}) for bits in (2, 3, 4, 8) for in_order in (True, False)]
CASES.append(("gptq", 4, 0, True, {"checkpoint_format": "gptq_v2"}))
CASES.append(("awq", 4, 0, True, {"version": "GEMM"}))


@pytest.mark.parametrize(("method", "bits", "offset", "in_order", "facts"), CASES)
def test_values(method: str, bits: int, offset: int, in_order: bool, facts: dict[str, str]) -> None:
    weights, expected = made(method, bits, offset, in_order)
    found = unpacked(weights, config(method, bits, **facts))
    assert sorted(found.names) == ["a.bias", "a.weight"]
    assert found.shape("a.weight") == (OUTPUTS, INPUTS)
    assert found.size == OUTPUTS * INPUTS + OUTPUTS
    np.testing.assert_array_equal(found.read("a.weight"), expected)
    np.testing.assert_array_equal(found.read("a.bias"), np.ones(OUTPUTS))


def test_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check a weight without groups, which is unpacked in several steps."""
    monkeypatch.setattr("tfpy._src.formats.pretrained.integer_blocks.AT_ONCE", INPUTS)
    codes = np.random.default_rng(0).integers(0, 16, (INPUTS, OUTPUTS))
    zeros = np.full((1, OUTPUTS), 0x77777777, np.uint32).view(np.int32)[:, : OUTPUTS // 8]
    scales = np.full((1, OUTPUTS), 0.5, np.float32)
    weights = Arrays(a__qweight=packed_rows(codes, 4), a__qzeros=zeros, a__scales=scales)
    found = unpacked(weights, config("gptq", 4, group_size=-1))
    np.testing.assert_array_equal(found.read("a.weight"), (codes.T - 8) / 2)
    np.testing.assert_array_equal(in_blocks(found, "a.weight").numpy(), (codes.T - 8) / 2)


def in_blocks(file: BlockFile, name: str) -> BlockWeights:
    matrix = file.matrix(name)
    assert matrix is not None
    placement = placement_of(matrix.shape, file.moves(name))
    assert placement is not None
    return BlockWeights(matrix, placement, name)


@pytest.mark.parametrize(("method", "bits", "offset", "in_order", "facts"), CASES)
def test_values_in_blocks(
    method: str, bits: int, offset: int, in_order: bool, facts: dict[str, str]
) -> None:
    """Check that the values in blocks are exactly the values in the file."""
    weights, expected = made(method, bits, offset, in_order)
    file = unpacked(weights, config(method, bits, **facts))
    found = in_blocks(file, "a.weight")
    np.testing.assert_array_equal(found.numpy(), expected)
    matrix = file.matrix("a.weight")
    assert matrix is not None
    assert matrix.how.name == f"INT{8 if bits == 8 else 4}_{GROUP}"
    assert matrix.blocks.nbytes == file.bytes_of_blocks("a.weight")
    assert file.matrix("a.bias") is None
    assert file.bytes_of_blocks("a.bias") == 0


@pytest.mark.parametrize("group", [32, 64, 128, 256, 512])
@pytest.mark.parametrize("bits", [4, 8])
def test_bytes_in_blocks(bits: int, group: int) -> None:
    """Check that blocks have at most a tenth more bytes than the file."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2**bits, (512, OUTPUTS))
    scales = rng.normal(size=(512 // group, OUTPUTS)).astype(np.float16)
    zeros = np.zeros((len(scales), OUTPUTS * bits // 32), np.int32)
    weights = Arrays(a__qweight=packed_rows(codes, bits), a__qzeros=zeros, a__scales=scales)
    file = unpacked(weights, config("gptq", bits, group_size=group))
    size = sum(array.nbytes for array in weights.arrays.values())
    assert 0 < file.bytes_of_blocks("a.weight") <= 1.1 * size
    np.testing.assert_array_equal(in_blocks(file, "a.weight").numpy(), file.read("a.weight"))


def integers(groups: np.ndarray, scale: float = 0.5) -> IntegerMatrix:
    count = int(groups.max()) + 1
    codes = np.arange(4 * len(groups), dtype=np.uint8).reshape(4, -1) % 16
    scales, points = np.full((count, 4), scale, np.float32), np.full((count, 4), 3, np.int32)
    return IntegerMatrix(lambda begin, end: codes[begin:end], scales, points, groups, 4)


def test_matrices_without_blocks() -> None:
    """Check scales that float16 does not have, and groups that are not a multiple of 32."""
    groups = np.arange(128) // 64
    assert integers(groups).blocks() is not None
    for scale in (0.1, 1e9, float("inf"), float("nan")):
        assert integers(groups, scale).blocks() is None
    assert integers(np.arange(96) // 48).blocks() is None
    assert integers(np.arange(80) // 80).blocks() is None


def test_weights_that_are_not_packed() -> None:
    out = io.BytesIO()
    write_safetensors(out, {"a.weight": (2, 3)}, lambda name: np.ones((2, 3)))
    file = SafetensorsFile(out)
    for settings in ({}, config("awq", 4)):
        assert list(unpacked(file, settings).names) == ["a.weight"]
        np.testing.assert_array_equal(unpacked(file, settings).read("a.weight"), np.ones((2, 3)))
        assert unpacked(file, settings).matrix("a.weight") is None


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_floats_of_two_bytes(dtype: str) -> None:
    """Check that all numbers of two bytes stay the same in blocks."""
    shape = {"all": (16, 4096), "narrow": (2, 3), "vector": (64,), "cube": (1, 1, 32)}
    bits = np.arange(1 << 16, dtype=np.uint16).reshape(shape["all"])
    values = bits.view(np.float16 if dtype == "float16" else ml_dtypes.bfloat16)
    names = {"float16": "F16", "bfloat16": "BF16"}
    out = io.BytesIO()
    sizes = {name: (2 * int(np.prod(size)), size) for name, size in shape.items()}
    header, end = {}, 0
    for name, (count, size) in sizes.items():
        header[name] = {
            "dtype": names[dtype],
            "shape": list(size),
            "data_offsets": [end, end + count],
        }
        end += count
    text = json.dumps(header).encode()
    out.write(len(text).to_bytes(8, "little") + text + bits.tobytes() + bytes(end - bits.nbytes))
    file = unpacked(SafetensorsFile(out), {})
    assert [name for name in file.names if file.bytes_of_blocks(name)] == ["all"]
    assert [name for name in file.names if file.matrix(name) is not None] == ["all"]
    assert file.bytes_of_blocks("all") == bits.nbytes
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(in_blocks(file, "all").numpy(), values.astype(np.float32))


DAMAGED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "quantized with 'fp8'": ({"method": "fp8"}, {}),
    "quantized with {}": ({"method": {}}, {}),
    "bits of gptq must be one of 2, 3, 4, 8, got 5": ({"bits": 5}, {}),
    "bits of gptq must be one of 2, 3, 4, 8, got True": ({"bits": True}, {}),
    "group_size must be": ({"group_size": 0}, {}),
    "checkpoint_format must be": ({"checkpoint_format": "marlin"}, {}),
    r"a\.scales is missing": ({}, {"a.scales": None}),
    r"a\.qzeros is missing or is not a matrix": ({}, {"a.qzeros": np.zeros(3, np.int32)}),
    r"a\.qzeros has the shape \(3, 9\)": ({}, {"a.qzeros": np.zeros((3, 9), np.int32)}),
    r"\(3, 8\), which does not fit qweight \(12, 64\)": ({"bits": 3}, {}),
    r"a\.g_idx has the shape": ({}, {"a.g_idx": np.zeros(9, np.int32)}),
    "its packed form": ({}, {"a.weight": np.zeros(3, np.float32)}),
    "not int32": ({}, {"a.qweight": np.zeros((12, 64), np.float32)}),
    r"g_idx has the dtype float32": ({}, {"a.g_idx": np.zeros(INPUTS, np.float32)}),
    "groups 0 to 3, but 3 rows": ({}, {"a.g_idx": np.arange(INPUTS, dtype=np.int32) % 4}),
    "groups -1 to -1": ({}, {"a.g_idx": np.full(INPUTS, -1, np.int32)}),
    "groups 0 to 5": ({"group_size": 16}, {}),
}


@pytest.mark.parametrize("error", DAMAGED)
def test_damaged_weights(error: str) -> None:
    facts, arrays = DAMAGED[error]
    weights, _ = made("gptq", 4, 1, True)
    weights.arrays |= arrays
    weights.arrays = {name: value for name, value in weights.arrays.items() if value is not None}
    with pytest.raises(ModelFileError, match=error):
        unpacked(weights, config(**{"method": "gptq", "bits": 4} | facts)).read("a.weight")
