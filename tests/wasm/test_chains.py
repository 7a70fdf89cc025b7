"""Random chains of calls, compiled for wasm, have TensorFlow's values and gradients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from function.chains import chain
from function.test_chains import check

import tfpy

from .conftest import require_assets
from .node_backend import active

SEEDS = range(100, 130)


@pytest.fixture(scope="module", params=[("simd", "always"), ("relaxed", "auto")], ids="-".join)
def _wasm(request: pytest.FixtureRequest) -> Iterator[None]:
    variant, codegen = request.param
    require_assets(variant)
    with active(variant, codegen):
        yield


@pytest.mark.usefixtures("_wasm")
@pytest.mark.parametrize("seed", SEEDS)
def test_chain(seed: int) -> None:
    check(chain(seed), tfpy, compiled=True)
