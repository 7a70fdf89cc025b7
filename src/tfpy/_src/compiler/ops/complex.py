"""Complex numbers and their float components, with gradients as TensorFlow defines them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.complex_expr import ComplexExpr
from tfpy._src.compiler.ir.op import Laws, Op
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.elementwise import negative, reciprocal
from tfpy._src.compiler.ops.families.elementwise import elementwise


def _component(name: str, ref: Any, expr: Any, vjp: Any, **more: Any) -> Op:
    facts: dict[str, Any] = {"gives": dtypes.real_part} | more
    facts |= {"params": ("input",), "takes": dtypes.COMPLEX, "public": "", "holomorphic": False}
    return elementwise(name, ref, expr, vjp, **facts)


def _complex_ref(real: Any, imag: Any) -> Any:
    """Store the components: arithmetic would turn infinities into NaN."""
    z = np.empty(np.broadcast(real, imag).shape, np.result_type(real.dtype, np.complex64))
    z.real, z.imag = real, imag
    return z


def _angle_vjp(g: Any, y: Any, z: Any) -> Any:
    return negative(cast(g, dtype=z.dtype) * reciprocal(complex_(imag(z), real(z))))


complex_: Op = elementwise(
    "complex",
    _complex_ref,
    ComplexExpr,
    lambda g, z, x, y: (lambda: real(g), lambda: imag(g)),
    params=("real", "imag"),
    takes=dtypes.PARTS,
    gives=dtypes.with_parts,
    holomorphic=False,
    public="",
    doc="The complex number of a real and an imaginary part.",
)
real: Op = _component(
    "real", np.real, lambda z: z.re, lambda g, y, z: cast(g, dtype=z.dtype), doc="Real part."
)
imag: Op = _component(
    "imag", np.imag, lambda z: z.im, lambda g, y, z: complex_(0.0, g), doc="Imaginary part."
)
conj: Op = _component(
    "conj",
    np.conj,
    lambda z: z.conjugate(),
    lambda g, y, z: conj(g),
    gives=None,
    laws=Laws(involution=True),
    doc="The complex conjugate.",
)
angle = _component("angle", np.angle, lambda z: z.angle(), _angle_vjp, doc="Angle in radians.")
