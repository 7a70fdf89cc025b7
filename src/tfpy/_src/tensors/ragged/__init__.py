"""Functions of ragged tensors. The import registers their implementations of functions of `tf`."""

from tfpy._src.tensors.ragged import (
    dispatch as dispatch,
    partitions as partitions,
    shaped as shaped,
)
