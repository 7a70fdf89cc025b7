"""`tf.nn.experimental`: dropout with an explicit seed or a custom source of random numbers."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.tensors.nn.layers import (
    general_dropout as general_dropout,
    stateless_dropout as stateless_dropout,
)
