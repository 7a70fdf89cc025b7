"""Gradients at edge operands on wasm, compared with the reference."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ops.edge_gradients import UPSTREAM, Case, cases

import tfpy

from .conftest import require_assets
from .node_backend import active


@pytest.fixture(scope="module")
def backend() -> Iterator[None]:
    require_assets("simd")
    with active("simd", "never"):
        yield


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("case", cases(), ids=str)
def test_as_on_the_host(case: Case) -> None:
    here = tfpy.get_backend()
    for upstream in UPSTREAM:
        got = case.gradients(tfpy, upstream)
        tfpy.set_backend("cpu")
        wanted = case.gradients(tfpy, upstream)
        tfpy.set_backend(here)
        text = case.differences(got, wanted)
        assert not text, f"upstream {upstream}: {text}"
