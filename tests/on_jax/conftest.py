"""The jax backend, on the CPU as eight devices, is the active one in the tests of this folder.

Compiling takes most of their time. So XLA optimizes little, and what is marked ``rest``, and of
what is marked ``share(n)`` all but one in n, runs only where all cases are asked for:
``pytest tests/on_jax --backend jax``.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator

import pytest

import tfpy

os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
    "--xla_force_host_platform_device_count=8",
)


@pytest.fixture(scope="session")
def everything(request: pytest.FixtureRequest) -> bool:
    """Whether all cases are to run."""
    return bool(request.config.getoption("backend") == "jax")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("backend") != "jax":
        left = [*filter(_is_rest, items)]
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=left)


def _is_rest(item: pytest.Item) -> bool:
    """Of a share the names decide, so that it stays the same when others come."""
    share = item.get_closest_marker("share")
    left_out = share is not None and zlib.crc32(item.name.encode()) % share.args[0]
    return bool(left_out) or item.get_closest_marker("rest") is not None


@pytest.fixture(autouse=True)
def jax() -> Iterator[None]:
    before = tfpy.get_backend()
    tfpy.set_backend("jax")
    yield
    tfpy.set_backend(before)
