"""Keras's logs as numbers: all metrics are read of the device together, where each read waits."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from tfpy._src.base.dtypes import float32
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import stack


def replace(module: Any) -> None:
    """Lets Keras's ``pythonify_logs`` read once."""
    plain = module.pythonify_logs

    @functools.wraps(plain)
    def pythonify_logs(logs: Any) -> Any:
        names = scalars(logs or {})
        read = dict(zip(names, joined(logs, names).numpy(), strict=True)) if names else {}
        return plain({**(logs or {}), **read})

    module.pythonify_logs = pythonify_logs


def scalars(logs: Mapping[str, Any]) -> list[str]:
    """The names of several numbers that one read gives; none if there are not several."""
    names = [name for name, value in logs.items() if _is_on_device(value)]
    return names if len(names) > 1 else []


def joined(logs: Mapping[str, Any], names: list[str]) -> Tensor:
    """These numbers in one tensor."""
    return stack([logs[name] for name in names])


def _is_on_device(value: Any) -> bool:
    if type(value) is not Tensor or value.aval.shape or value.dtype != float32:
        return False
    storage = value.storage
    return storage.host is None and storage.backend is not None and not storage.backend.on_host
