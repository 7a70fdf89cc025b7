"""The runtime under test. Tests are skipped only if node or the built assets are missing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from .node_process import ASSETS
from .node_runtime import NodeRuntime

RUNTIMES = [("simd", "never"), ("simd", "always"), ("relaxed", "auto"), ("relaxed", "always")]


@pytest.fixture(scope="session", params=RUNTIMES, ids="-".join)
def runtime(request: pytest.FixtureRequest) -> Iterator[NodeRuntime]:
    variant, codegen = request.param
    require_assets(variant)
    started = NodeRuntime(variant, codegen)
    yield started
    memory = started.call("memory")
    started.close()
    assert memory["slots"] == 0, "tests have left slots"


@pytest.fixture(params=[("simd", "always"), ("relaxed", "auto")], ids="-".join)
def empty_runtime(request: pytest.FixtureRequest) -> Iterator[NodeRuntime]:
    """Start a runtime with a separate heap, for tests that fill the heap.

    There is one per wasm module, because filling gigabytes takes seconds, and generated code does
    not matter.
    """
    variant, codegen = request.param
    require_assets(variant)
    started = NodeRuntime(variant, codegen)
    yield started
    started.close()


def require_assets(variant: str) -> None:
    """Skip the test if a variant cannot be run."""
    if shutil.which("node") is None:
        pytest.skip("needs node")
    for name in ("runtime.js", f"xnnpack-{variant}.wasm"):
        if not (ASSETS / name).is_file():
            pytest.skip(f"needs {name}: python build.py wheel")
