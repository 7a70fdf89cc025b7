from __future__ import annotations

from collections.abc import Iterator

import pytest
from function.quantizing import QuantizingDevice

import tfpy as tf
from tfpy._src.core import scalars


@pytest.fixture
def quantizing() -> Iterator[None]:
    """A device that computes products in int8 is active."""
    scalars.clear_scalars()
    tf.register_backend("quantizing", QuantizingDevice)
    tf.set_backend("quantizing")
    yield
    tf.remove_backend("quantizing")
    tf.set_backend("cpu")
