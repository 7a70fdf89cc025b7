"""Weights of integers in the layouts of GPTQ and AWQ, converted to float32 or to blocks.

A layer has integers `qweight`, and a scale and a zero point for each group of inputs and each
output. Several integers of a few bits are packed into one of 32 bits. GPTQ packs integers of
consecutive inputs, and subtracts 1 from the zero points. AWQ packs integers of eight outputs, in
another order.

Sources: https://github.com/AutoGPTQ/AutoGPTQ/blob/main/auto_gptq/nn_modules/qlinear
https://github.com/casper-hansen/AutoAWQ/blob/main/awq/utils/packing_utils.py
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tfpy._src.formats.pretrained.block_weights import BlockFile, Matrix, Move
from tfpy._src.formats.pretrained.half_weights import HalfFile
from tfpy._src.formats.pretrained.integer_blocks import IntegerMatrix, format_of
from tfpy._src.formats.weight_file import WeightFile
from tfpy._src.library.io.checked_json import ModelFileError, an_object

WORD = 32
"""Number of bits of an integer with several packed ones."""
AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)
"""Outputs of the packed integers of AWQ, from the lowest bits to the highest."""
BITS = {"gptq": (2, 3, 4, 8), "awq": (4,)}
"""Supported numbers of bits by the names of the methods."""
FORMATS = {"gptq": ("gptq", "gptq_v2"), "awq": ("gemm",)}
"""Supported layouts. The first one is the default."""
FORMAT_KEYS = {"gptq": "checkpoint_format", "awq": "version"}

Words = NDArray[np.uint32]


@dataclass(frozen=True)
class PackedLayout:
    """The layout of packed weights.

    Attributes:
        method: Name of the method, `gptq` or `awq`.
        bits: Number of bits of an integer.
        group: Number of inputs that share a scale, if the file does not list groups.
        offset: Number that is added to zero points.
    """

    method: str
    bits: int
    group: int
    offset: int

    @property
    def per_word(self) -> float:
        """Number of integers in 32 bits."""
        return WORD / self.bits


def unpacked(weights: WeightFile, config: Mapping[str, Any]) -> BlockFile:
    """Return the weights of a model as floats. Matrices can also be read in block formats.

    Args:
        weights: Weights in a file.
        config: Configuration in the form of Hugging Face.

    Raises:
        ModelFileError: If the weights are quantized by a method that is not supported.
    """
    facts = config.get("quantization_config")
    if facts is None:
        return HalfFile(weights)
    return _Unpacked(HalfFile(weights), _layout(an_object(facts, "quantization_config")))


def _layout(facts: Mapping[str, Any]) -> PackedLayout:
    method = facts.get("quant_method")
    if not isinstance(method, str) or method not in BITS:
        raise ModelFileError(
            f"the weights are quantized with {method!r:.80}; {' and '.join(BITS)} are supported"
        )
    bits, group = facts.get("bits"), facts.get("group_size", -1)
    if type(bits) is not int or bits not in BITS[method]:
        expected = ", ".join(map(str, BITS[method]))
        raise ModelFileError(f"bits of {method} must be one of {expected}, got {bits!r:.80}")
    if type(group) is not int or not (group == -1 or group > 0):
        raise ModelFileError(f"group_size must be a positive integer or -1, got {group!r:.80}")
    found = facts.get(FORMAT_KEYS[method]) or FORMATS[method][0]
    if str(found).lower() not in FORMATS[method]:
        expected = ", ".join(FORMATS[method])
        raise ModelFileError(f"{FORMAT_KEYS[method]} must be one of {expected}, got {found!r:.80}")
    return PackedLayout(method, bits, group, int(str(found).lower() == "gptq"))


class _Unpacked(BlockFile):
    """Weights of which some are packed.

    Args:
        weights: Weights in the file.
        layout: Layout of the packed ones.

    Raises:
        ModelFileError: If a part of a packed weight is missing or has another shape.
    """

    def __init__(self, weights: BlockFile, layout: PackedLayout) -> None:
        self._weights = weights
        names = set(weights.names)
        stems = [name.removesuffix(".qweight") for name in names if name.endswith(".qweight")]
        self._packed = {
            f"{stem}.weight": _PackedWeight(weights, stem, layout) for stem in sorted(stems)
        }
        parts = {f"{stem}.{part}" for stem in stems for part in _PARTS}
        self._plain = [name for name in weights.names if name not in parts]
        twice = [name for name in self._plain if name in self._packed]
        if twice:
            raise ModelFileError(f"the file contains {twice[0]!r:.200} and its packed form")

    @property
    def names(self) -> Collection[str]:
        return [*self._plain, *self._packed]

    @property
    def size(self) -> int:
        return sum(prod(self.shape(name)) for name in self.names)

    def shape(self, name: str) -> tuple[int, ...]:
        packed = self._packed.get(name)
        return self._weights.shape(name) if packed is None else packed.shape

    def read(self, name: str) -> NDArray[Any]:
        packed = self._packed.get(name)
        return self._weights.read(name) if packed is None else packed.integers().floats()

    def matrix(self, name: str) -> Matrix | None:
        packed = self._packed.get(name)
        return self._weights.matrix(name) if packed is None else packed.integers().blocks()

    def bytes_of_blocks(self, name: str) -> int:
        packed = self._packed.get(name)
        return self._weights.bytes_of_blocks(name) if packed is None else packed.bytes_of_blocks()

    def moves(self, name: str) -> Sequence[Move]:
        return ()


_PARTS = ("qweight", "qzeros", "scales", "g_idx")


class _PackedWeight:
    """A packed weight.

    Args:
        weights: Weights in the file.
        stem: Beginning of the names of the weight's parts.
        layout: Layout of the parts.

    Raises:
        ModelFileError: If a part is missing or has another shape.
    """

    def __init__(self, weights: WeightFile, stem: str, layout: PackedLayout) -> None:
        self._weights, self._stem, self._layout = weights, stem, layout
        names = set(weights.names)
        shapes = {
            part: weights.shape(f"{stem}.{part}") for part in _PARTS if f"{stem}.{part}" in names
        }
        missing = [part for part in _PARTS[:3] if len(shapes.get(part, ())) != 2]
        if missing:
            raise ModelFileError(f"{stem}.{missing[0]} is missing or is not a matrix")
        rows = shapes["qweight"][0]
        groups, outputs = shapes["scales"]
        self._count = groups
        inputs = rows if layout.method == "awq" else int(rows * layout.per_word)
        self.shape = (outputs, inputs)
        width = outputs * layout.bits / WORD
        expected = {
            "qweight": (inputs * layout.bits / WORD, outputs)
            if layout.method == "gptq"
            else (inputs, width),
            "qzeros": (groups, width),
            "scales": (groups, outputs),
            "g_idx": (inputs,),
        }
        wrong = [part for part, shape in shapes.items() if shape != expected[part]]
        if wrong or not groups or not prod(self.shape):
            part = (wrong or ["scales"])[0]
            raise ModelFileError(
                f"{stem}.{part} has the shape {shapes[part]}, which does not fit qweight "
                f"{shapes['qweight']} and scales {shapes['scales']} with {layout.bits} bits"
            )
        self._has_groups = "g_idx" in shapes

    def integers(self) -> IntegerMatrix:
        """Return the weight, with the shape [outputs, inputs].

        Raises:
            ModelFileError: If a part has another dtype, or if an input has no group.
        """
        words, zeros = self._words("qweight"), self._words("qzeros")
        scales = self._weights.read(f"{self._stem}.scales")
        unpack = _by_outputs if self._layout.method == "awq" else _in_order
        points = unpack(zeros, self._layout.bits).astype(np.int32) + self._layout.offset
        return IntegerMatrix(
            lambda begin, end: self._codes(words, begin, end),
            np.asarray(scales, np.float32),
            points,
            self._groups(self.shape[1], len(scales)),
            self._layout.bits,
        )

    def bytes_of_blocks(self) -> int:
        """Return the number of bytes in blocks if each group has equally many inputs, otherwise 0.

        The groups and scales in the file are not read.
        """
        outputs, inputs = self.shape
        how = format_of(self._layout.bits, gcd(inputs, inputs // self._count or inputs))
        return 0 if how is None else outputs * inputs // how.size * how.layout.itemsize

    def _codes(self, words: Words, begin: int, end: int) -> NDArray[np.uint8]:
        """Return the integers of some outputs, with the shape [outputs, inputs]."""
        bits = self._layout.bits
        if self._layout.method == "gptq":
            return _in_order(np.ascontiguousarray(words[:, begin:end].T), bits)
        return _by_outputs(words[:, begin * bits // WORD : end * bits // WORD], bits).T

    def _words(self, part: str) -> Words:
        name = f"{self._stem}.{part}"
        found = self._weights.read(name)
        if found.dtype not in (np.int32, np.uint32):
            raise ModelFileError(f"{name} has the dtype {found.dtype}, not int32")
        return found.view(np.uint32)

    def _groups(self, inputs: int, count: int) -> NDArray[np.int64]:
        """Return the group of each input.

        Raises:
            ModelFileError: If there is no such group.
        """
        if self._has_groups:
            name = f"{self._stem}.g_idx"
            found = self._weights.read(name)
            if found.dtype.kind not in "iu":
                raise ModelFileError(f"{name} has the dtype {found.dtype}, not int32")
            groups = found.astype(np.int64)
        else:
            size = inputs if self._layout.group == -1 else self._layout.group
            groups = np.arange(inputs, dtype=np.int64) // size
        if groups.min() < 0 or groups.max() >= count:
            raise ModelFileError(
                f"{self._stem} has inputs of the groups {groups.min()} to {groups.max()}, but "
                f"{count} rows of scales"
            )
        return groups


def _in_order(words: Words, bits: int) -> NDArray[np.uint8]:
    """Unpack the bits of each row, from the lowest bits of the first word on."""
    rows, columns = words.shape
    data = np.ascontiguousarray(words, "<u4").view(np.uint8)
    if 8 % bits == 0:
        shifts = np.arange(0, 8, bits, dtype=np.uint8)
        return ((data[..., None] >> shifts) & np.uint8((1 << bits) - 1)).reshape(rows, -1)
    stream = np.unpackbits(data, axis=1, bitorder="little")
    numbers = stream.reshape(rows, columns * WORD // bits, bits)
    found: NDArray[np.uint8] = np.packbits(numbers, axis=2, bitorder="little")[..., 0]
    return found


def _by_outputs(words: Words, bits: int) -> NDArray[np.uint8]:
    """Unpack the integers of outputs in the order of AWQ."""
    numbers = _in_order(words, bits).reshape(len(words), -1, len(AWQ_ORDER))
    found = np.empty_like(numbers)
    found[..., list(AWQ_ORDER)] = numbers
    return found.reshape(len(words), -1)
