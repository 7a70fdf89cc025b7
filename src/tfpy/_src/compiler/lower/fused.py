"""The table of fused kernels: kernels that a pass puts in the place of several equations.

A record states everything about one kernel: its name, the pass that recognizes what it computes,
and for each device the planner of its steps and the sizes for which it pays. The records are in
``passes/fuse/kernels.py``, because they name passes. They register here, where targets and
lowerings look them up.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.kernel import KernelCall


@dataclass(frozen=True)
class OnDevice:
    """A fused kernel on one device.

    Functions are named as "webgpu.groups.softmax", relative to this folder. They are imported when
    they are first needed, because ``import tfpy`` loads no lowering of a device.
    """

    plan: str = ""
    """Planner: (steps, KernelCall, inputs, output) adds the steps that run the kernel. If it is
    empty, the device has no kernel of this name, and the pass replaces the kernel by other
    kernels."""
    takes: str = ""
    """Size rule: (KernelCall) -> True if the device supports these sizes and the kernel is faster
    than the equations that it replaces. If it is empty, all sizes are supported."""


@dataclass(frozen=True, eq=False)
class FusedKernel:
    """A kernel that computes several equations at once."""

    name: str
    """Name of the kernel, and the kind of the ``fusion`` equation if the pass makes one."""
    pattern: Callable[..., Graph]
    """The pass that recognizes the equations."""
    devices: Mapping[str, OnDevice]


FUSED: dict[str, FusedKernel] = {}
"""All records by name."""


def register(kernel: FusedKernel) -> FusedKernel:
    """Add a record to the table.

    Raises:
        ValueError: If the name is taken.
    """
    if kernel.name in FUSED:
        raise ValueError(f"fused kernel {kernel.name} is already in the table")
    FUSED[kernel.name] = kernel
    return kernel


def kernels_of(device: str) -> frozenset[str]:
    """Return the names of the fused kernels that a device has."""
    found = (kernel for kernel in FUSED.values() if device in kernel.devices)
    return frozenset(kernel.name for kernel in found if kernel.devices[device].plan)


def takes(device: str, call: KernelCall) -> bool:
    """Return True if a fused kernel of these sizes, or its replacement, pays on a device."""
    kernel = FUSED.get(call.name)
    if kernel is None or device not in kernel.devices:
        return False
    rule = kernel.devices[device].takes
    return not rule or function_of(rule)(call)


def planner_of(device: str, name: str) -> Callable[..., None]:
    """Return the planner of a fused kernel.

    Raises:
        KeyError: If the device has no such kernel.
    """
    found: Callable[..., None] = function_of(FUSED[name].devices[device].plan)
    return found


@functools.cache
def function_of(path: str) -> Any:
    """Return the function that a record names."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(f"{__package__}.{module}"), name)
