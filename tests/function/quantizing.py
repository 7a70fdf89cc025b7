"""A NumPy device with the kernel of int8 products."""

from __future__ import annotations

from typing import Any

import numpy as np
from runtime.fake import FakeDevice

from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.target import NumpyTarget


class QuantizingTarget(NumpyTarget):
    kernels = frozenset({"quantized_matmul", "quantized_conv2d"})

    def takes(self, call: KernelCall) -> bool:
        return call.name in self.kernels


class QuantizingDevice(FakeDevice):
    name = "quantizing"
    target = QuantizingTarget()


def off(got: Any, wanted: Any) -> float:
    """Return the largest error relative to the largest value."""
    return float(np.abs(got.numpy() - wanted).max() / np.abs(wanted).max())
