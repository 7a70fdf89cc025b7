"""The fusions that shader kernels support."""

from __future__ import annotations

from collections.abc import Set

from tfpy._src.base.dtypes import DEVICE_DTYPES, DType
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower import fused

_MADE_OPERANDS = frozenset({"reduce", "arg_reduce", "concat"})
"""Kernels that read each element of their operand about once."""

FURTHER_ARRAYS = 1
"""Number of arrays, like statistics and candidates, that some kernels read in addition to the
call's."""


class ShaderTarget:
    """The target of a shader backend; see :class:`tfpy._src.compiler.lower.target.Target`.

    Args:
        device: Name of the device in the records of fused kernels.
        max_inputs: Number of arrays that a kernel can read on the device.
        dtypes: Dtypes that the device stores.
    """

    fuses_loops = True
    fuses_prologues = True

    def __init__(self, device: str, max_inputs: int, dtypes: Set[DType] = DEVICE_DTYPES) -> None:
        self._device = device
        self.max_inputs = max_inputs
        self.kernels = fused.kernels_of(device)
        self.dtypes = dtypes

    def takes(self, call: KernelCall) -> bool:
        """Return the answer of the kernel's record."""
        return fused.takes(self._device, call)

    def takes_epilogue(self, call: KernelCall, arrays: int) -> bool:
        """Return True for any expression, unless a step would read too many arrays."""
        return arrays + FURTHER_ARRAYS <= self.max_inputs

    def takes_prologue(self, call: KernelCall, arrays: int) -> bool:
        """Return True for expressions, if the kernel reads each element of its operand once.

        No step may read too many arrays.
        """
        known = call.maker is None and call.name in _MADE_OPERANDS
        return known and arrays + FURTHER_ARRAYS <= self.max_inputs
