"""Targets: the fusions that a backend's kernels support."""

from __future__ import annotations

from collections.abc import Set
from typing import Protocol

from tfpy._src.base.dtypes import DEVICE_DTYPES, DType
from tfpy._src.compiler.ir.kernel import KernelCall


class Target(Protocol):
    """The interface between fusion passes and a backend's lowering."""

    @property
    def fuses_loops(self) -> bool:
        """True if elementwise chains become one kernel."""

    @property
    def fuses_prologues(self) -> bool:
        """True if kernels can compute their operands when they read them."""

    @property
    def dtypes(self) -> Set[DType]:
        """Dtypes that kernels read and write."""

    @property
    def max_inputs(self) -> int:
        """Largest number of arrays that one kernel can read."""

    @property
    def kernels(self) -> frozenset[str]:
        """Names of the fused kernels of the device (`lower/fused.py`)."""

    def takes(self, call: KernelCall) -> bool:
        """Return True if the device supports the kernel, or its replacement, and gains by it.

        The kernel must be faster for these sizes than the equations that it replaces.

        Args:
            call: The kernel call. "quantized_matmul" and "quantized_conv2d" contain the maker of
                their operand.
        """

    def takes_epilogue(self, call: KernelCall, arrays: int) -> bool:
        """Return True if the kernel can apply the call's epilogue to its result before writing it.

        Args:
            call: The kernel call.
            arrays: Number of arrays that the whole call reads.
        """

    def takes_prologue(self, call: KernelCall, arrays: int) -> bool:
        """Return True if the kernel can apply the call's prologue when it reads its operand.

        A call with a maker instead of a prologue asks whether the kernel can compute the maker's
        result.
        """


class NumpyTarget:
    """The target of the cpu backend, which runs every equation as a separate NumPy call."""

    fuses_loops = False
    fuses_prologues = False
    dtypes = DEVICE_DTYPES
    max_inputs = 0
    kernels: frozenset[str] = frozenset()

    def takes(self, call: KernelCall) -> bool:
        return False

    def takes_epilogue(self, call: KernelCall, arrays: int) -> bool:
        return False

    def takes_prologue(self, call: KernelCall, arrays: int) -> bool:
        return False
