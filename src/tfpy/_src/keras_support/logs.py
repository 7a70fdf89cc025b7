"""Keras's logs as Python numbers: one read from the device for all metrics."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from tfpy._src.base.dtypes import float32
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


def _is_on_device(value: Any) -> bool:
    if type(value) is not Tensor or value.aval.shape or value.dtype != float32:
        return False
    storage = value.storage
    return storage.host is None and storage.backend is not None and not storage.backend.on_host
