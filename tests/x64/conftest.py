"""Collection of these tests, which need ``TFPY_ENABLE_X64=1``.

``tests/runtime/test_x64.py`` runs this folder in a subprocess.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import tfpy

collect_ignore_glob = ["test_*.py"] if tfpy.float64 is tfpy.float32 else []

os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true",
)


@pytest.fixture(params=["cpu", "jax"])
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    before = tfpy.get_backend()
    tfpy.set_backend(request.param)
    yield request.param
    tfpy.set_backend(before)
