"""Weights in the layouts of GPTQ and AWQ, compared with a reference that packs and unpacks them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from tfpy._src.formats.pretrained.packed_weights import unpacked
from tfpy._src.formats.safetensors.reader import SafetensorsFile
from tfpy._src.formats.safetensors.writer import write_safetensors
from tfpy._src.formats.weight_file import WeightFile
from tfpy._src.library.io.checked_json import ModelFileError

INPUTS, OUTPUTS, GROUP = 96, 64, 32
AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


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


def packed_rows(codes: np.ndarray, bits: int) -> np.ndarray:
    """Pack consecutive rows number by number, as a stream of bits from the lowest bits on."""
    words = np.zeros((len(codes) * bits // 32, codes.shape[1]), np.uint64)
    for row, numbers in enumerate(codes.astype(np.uint64)):
        word, shift = divmod(row * bits, 32)
        wide = numbers << np.uint64(shift)
        words[word] |= wide & np.uint64(0xFFFFFFFF)
        if shift + bits > 32:
            words[word + 1] |= wide >> np.uint64(32)
    return words.astype(np.uint32).view(np.int32)


def packed_awq(codes: np.ndarray) -> np.ndarray:
    words = np.zeros((len(codes), codes.shape[1] // 8), np.uint32)
    for column in range(words.shape[1]):
        for place, output in enumerate(AWQ_ORDER):
            words[:, column] |= codes[:, 8 * column + output].astype(np.uint32) << (4 * place)
    return words.view(np.int32)


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
    monkeypatch.setattr("tfpy._src.formats.pretrained.packed_weights.AT_ONCE", INPUTS)
    codes = np.random.default_rng(0).integers(0, 16, (INPUTS, OUTPUTS))
    zeros = np.full((1, OUTPUTS), 0x77777777, np.uint32).view(np.int32)[:, : OUTPUTS // 8]
    scales = np.full((1, OUTPUTS), 0.5, np.float32)
    weights = Arrays(a__qweight=packed_rows(codes, 4), a__qzeros=zeros, a__scales=scales)
    found = unpacked(weights, config("gptq", 4, group_size=-1)).read("a.weight")
    np.testing.assert_array_equal(found, (codes.T - 8) / 2)


def test_weights_that_are_not_packed() -> None:
    out = io.BytesIO()
    write_safetensors(out, {"a.weight": (2, 3)}, lambda name: np.ones((2, 3)))
    file = SafetensorsFile(out)
    assert unpacked(file, {}) is file
    assert list(unpacked(file, config("awq", 4)).names) == ["a.weight"]


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
