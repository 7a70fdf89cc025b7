"""Tests of the jax backend, which is active on the CPU as eight devices.

Compilation takes most of the time, so XLA optimizes little. Tests marked ``rest``, and all but one
in n of the tests marked ``share(n)``, run only if all cases are requested: ``pytest tests/on_jax
--backend jax``.
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
    """Return True if all cases run."""
    return bool(request.config.getoption("backend") == "jax")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("backend") != "jax":
        left = [*filter(_is_rest, items)]
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=left)


def _is_rest(item: pytest.Item) -> bool:
    """Return True for a test that runs only if all cases are requested.

    The names decide, so that a share stays the same when tests are added.
    """
    share = item.get_closest_marker("share")
    left_out = share is not None and zlib.crc32(item.name.encode()) % share.args[0]
    return bool(left_out) or item.get_closest_marker("rest") is not None


@pytest.fixture(autouse=True)
def jax() -> Iterator[None]:
    before = tfpy.get_backend()
    tfpy.set_backend("jax")
    yield
    tfpy.set_backend(before)
