"""Files with weights in float16 and bfloat16, which devices read as they are stored."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tfpy._src.compiler.ops.block_formats import ON_DEVICES, BlockFormat
from tfpy._src.formats.pretrained.block_weights import BlockFile, Matrix, Move
from tfpy._src.formats.weight_file import WeightFile


class HalfFile(BlockFile):
    """Weights in a file. Matrices in float16 and bfloat16 can be read in blocks.

    Args:
        weights: The weights.
    """

    def __init__(self, weights: WeightFile) -> None:
        self._weights = weights

    @property
    def names(self) -> Collection[str]:
        return self._weights.names

    @property
    def size(self) -> int:
        return self._weights.size

    def shape(self, name: str) -> tuple[int, ...]:
        return self._weights.shape(name)

    def read(self, name: str) -> NDArray[Any]:
        return self._weights.read(name)

    def matrix(self, name: str) -> Matrix | None:
        how = self._format(name)
        if how is None:
            return None
        n, k = self.shape(name)
        words = np.ascontiguousarray(self._weights.read(name)).view(np.uint16)
        return Matrix(how, words.reshape(-1).view(how.layout), (n, k))

    def bytes_of_blocks(self, name: str) -> int:
        how = self._format(name)
        return 0 if how is None else prod(self.shape(name)) // how.size * how.layout.itemsize

    def moves(self, name: str) -> Sequence[Move]:
        return ()

    def _format(self, name: str) -> BlockFormat | None:
        half, shape = self._weights.half(name), self._weights.shape(name)
        how = None if half is None else ON_DEVICES[half]
        is_matrix = how is not None and len(shape) == 2 and prod(shape) > 0
        return how if how is not None and is_matrix and not shape[1] % how.size else None
