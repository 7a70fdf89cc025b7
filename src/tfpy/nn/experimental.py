"""``tf.nn.experimental``: dropout by seed."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.tensors.nn.layers import (
    general_dropout as general_dropout,
    stateless_dropout as stateless_dropout,
)
