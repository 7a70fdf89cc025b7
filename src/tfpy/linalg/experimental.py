"""`tf.linalg.experimental`: the method of conjugate gradients."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

if _typing.TYPE_CHECKING:
    from tfpy._src.library.linear_operators.conjugate_gradient import (
        conjugate_gradient as conjugate_gradient,
    )

_LATER = {
    "conjugate_gradient": "tfpy._src.library.linear_operators.conjugate_gradient",
}
