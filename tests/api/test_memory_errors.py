"""Tensors that are too large for memory."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow

import tfpy


@pytest.mark.parametrize("lib", [tfpy, tensorflow], ids=["tfpy", "tensorflow"])
def test_a_result_that_is_too_large(lib: Any) -> None:
    x = lib.constant([1.0])
    with pytest.raises(lib.errors.ResourceExhaustedError):
        lib.fill([2**23, 2**23], 1.0)
    with pytest.raises(lib.errors.ResourceExhaustedError):
        lib.function(lambda n: lib.fill([2**23, 2**23], n))(x[0])
    assert float(x[0] + 1.0) == 2


def test_the_error_names_the_op_and_the_size() -> None:
    with pytest.raises(tfpy.errors.ResourceExhaustedError, match=r"broadcast_to: .*256. TiB"):
        tfpy.fill([2**23, 2**23], 1.0)
