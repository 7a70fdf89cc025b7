"""What a backend's kernels can take over from neighbouring equations."""

from __future__ import annotations

from collections.abc import Set
from typing import Protocol

from tfpy._src.base.dtypes import DEVICE_DTYPES, DType
from tfpy._src.compiler.ir.kernel import KernelCall


class Target(Protocol):
    """Asked by fusion passes; a backend's lowering gives one."""

    @property
    def fuses_loops(self) -> bool:
        """Whether elementwise chains become one kernel."""

    @property
    def fuses_prologues(self) -> bool:
        """Whether kernels may compute their operands as they read them."""

    @property
    def dtypes(self) -> Set[DType]:
        """Element types of what its kernels read and write."""

    @property
    def max_inputs(self) -> int:
        """Arrays that one kernel can read."""

    @property
    def kernels(self) -> frozenset[str]:
        """Names of the fused kernels that it has (``lower/fused.py``)."""

    def takes(self, call: KernelCall) -> bool:
        """Whether it has that kernel, or what it has instead, and is faster with it for these sizes
        than with what it replaces.

        Args:
            call: "quantized_matmul" and "quantized_conv2d" have the maker of their operand.
        """

    def takes_epilogue(self, call: KernelCall, arrays: int) -> bool:
        """Whether the kernel applies the call's epilogue to its result before it writes it.

        Args:
            arrays: that the whole call reads.
        """

    def takes_prologue(self, call: KernelCall, arrays: int) -> bool:
        """Whether the kernel applies the call's prologue to its operand when it reads it, or
        computes what the call's maker does."""


class NumpyTarget:
    """The cpu backend: every equation is a NumPy call of its own."""

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
