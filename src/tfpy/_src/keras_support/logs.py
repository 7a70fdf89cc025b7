"""Keras's logs as Python numbers: one read from the device for all metrics."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import float32
from tfpy._src.core import nest
from tfpy._src.core.conversion import is_tensor
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import stack


def replace(module: Any) -> None:
    """Make Keras's `pythonify_logs` read all metrics together."""
    plain = module.pythonify_logs

    @functools.wraps(plain)
    def pythonify_logs(logs: Any) -> Any:
        names = scalars(logs or {})
        read = dict(zip(names, joined(logs, names).numpy(), strict=True)) if names else {}
        return plain({**(logs or {}), **read})

    module.pythonify_logs = pythonify_logs


def scalars(logs: Mapping[str, Any]) -> list[str]:
    """Return the names of the scalars on a device, if there are at least two to read together."""
    names = [name for name, value in logs.items() if _is_on_device(value)]
    return names if len(names) > 1 else []


def joined(logs: Mapping[str, Any], names: list[str]) -> Tensor:
    """Return these scalars as one tensor."""
    return stack([logs[name] for name in names])


async def values_of(structure: Any) -> Any:
    """Return a nest with arrays in place of dense tensors."""
    leaves = nest.flatten(structure)
    dense = [is_tensor(x) and not isinstance(x, Composite) for x in leaves]
    values = [await x.data() if d else x for x, d in zip(leaves, dense, strict=True)]
    return nest.pack_sequence_as(structure, values)


async def numbers_of(logs: Any) -> dict[str, Any]:
    """Return metrics with Python numbers in place of scalars."""
    logs = dict(logs)
    if names := scalars(logs):
        logs.update(zip(names, await joined(logs, names).data(), strict=True))
    found = await values_of(logs)
    return {
        name: await numbers_of(value)
        if isinstance(value, dict)
        else float(value)
        if np.ndim(value) == 0
        else value
        for name, value in found.items()
    }


def _is_on_device(value: Any) -> bool:
    if type(value) is not Tensor or value.aval.shape or value.dtype != float32:
        return False
    storage = value.storage
    return storage.host is None and storage.backend is not None and not storage.backend.on_host
