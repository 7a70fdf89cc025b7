"""Ragged tensors: importing the folder enters what functions under ``tf`` are for them."""

from tfpy._src.tensors.ragged import (
    dispatch as dispatch,
    partitions as partitions,
    shaped as shaped,
)
