"""`tf.math.special`: special functions, such as Bessel functions."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.core.primitives import (
    bessel_i0 as bessel_i0,
    bessel_i0e as bessel_i0e,
    bessel_i1 as bessel_i1,
    bessel_i1e as bessel_i1e,
)

if _typing.TYPE_CHECKING:
    from tfpy._src.tensors.special.bessel import (
        bessel_j0 as bessel_j0,
        bessel_j1 as bessel_j1,
        bessel_k0 as bessel_k0,
        bessel_k0e as bessel_k0e,
        bessel_k1 as bessel_k1,
        bessel_k1e as bessel_k1e,
        bessel_y0 as bessel_y0,
        bessel_y1 as bessel_y1,
    )
    from tfpy._src.tensors.special.integrals import (
        dawsn as dawsn,
        expint as expint,
        fresnel_cos as fresnel_cos,
        fresnel_sin as fresnel_sin,
        spence as spence,
    )

_LATER = {
    "bessel_j0": "tfpy._src.tensors.special.bessel",
    "bessel_j1": "tfpy._src.tensors.special.bessel",
    "bessel_k0": "tfpy._src.tensors.special.bessel",
    "bessel_k0e": "tfpy._src.tensors.special.bessel",
    "bessel_k1": "tfpy._src.tensors.special.bessel",
    "bessel_k1e": "tfpy._src.tensors.special.bessel",
    "bessel_y0": "tfpy._src.tensors.special.bessel",
    "bessel_y1": "tfpy._src.tensors.special.bessel",
    "dawsn": "tfpy._src.tensors.special.integrals",
    "expint": "tfpy._src.tensors.special.integrals",
    "fresnel_cos": "tfpy._src.tensors.special.integrals",
    "fresnel_sin": "tfpy._src.tensors.special.integrals",
    "spence": "tfpy._src.tensors.special.integrals",
}
