from __future__ import annotations

from collections.abc import Iterator

import pytest
from function.in_place import InPlaceDevice, activated
from function.quantizing import QuantizingDevice

import tfpy as tf
from tfpy._src.core import scalars
from tfpy._src.runtime import registry
from tfpy._src.runtime.backend import Backend


@pytest.fixture
def quantizing() -> Iterator[Backend]:
    """A device that computes products in int8 is active."""
    scalars.clear_scalars()
    tf.register_backend("quantizing", QuantizingDevice)
    tf.set_backend("quantizing")
    yield registry.active_backend()
    tf.remove_backend("quantizing")
    tf.set_backend("cpu")


@pytest.fixture
def device() -> Iterator[InPlaceDevice]:
    """A device that writes over what is donated to it is active."""
    made = activated("in place")
    yield made
    tf.remove_backend("in place")
    tf.set_backend("cpu")
    scalars.clear_scalars()
