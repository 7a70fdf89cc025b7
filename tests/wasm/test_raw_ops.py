"""The operations of TensorFlow.js's converter on the wasm runtime return the same as NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from raw.calls import SAMPLES, ours, run
from raw.converter import CONVERTER
from surface.evaluation import tensors

import tfpy

from .conftest import require_assets
from .node_backend import NAME, active

CALLS = [name for name in CONVERTER if name in SAMPLES]


def values(name: str) -> list[Any]:
    return [t.numpy() for t in tensors(tfpy, run(tfpy, ours(name)))]


@pytest.fixture(scope="module", autouse=True)
def _wasm() -> Iterator[None]:
    require_assets("simd")
    with active("simd", "always"):
        yield


@pytest.mark.parametrize("name", CALLS)
def test_operation(name: str) -> None:
    found = values(name)
    tfpy.set_backend("cpu")
    try:
        wanted = values(name)
    finally:
        tfpy.set_backend(NAME)
    for mine, theirs in zip(found, wanted, strict=True):
        if theirs.dtype.kind in "fc":
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)
        else:
            np.testing.assert_array_equal(mine, theirs)
