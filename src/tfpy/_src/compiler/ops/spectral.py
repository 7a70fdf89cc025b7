"""The discrete Fourier transform, the only spectral primitive; `tf.signal` is composed from it.

It works on real and imaginary parts as separate float32 tensors, so that it runs on devices without
complex numbers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, Tensor, register
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import FLOAT
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.movement import reshape, strided_slice


def _infer(real: Aval, *imag: Aval, axis: int, inverse: bool) -> Aval:
    infer.check_dtype("dft", real, FLOAT, "real")
    for other in imag:
        infer.check_same_dtype("dft", (real, other))
    return Aval((2, *real.shape), real.dtype)


def _ref(real: Any, *imag: Any, axis: int, inverse: bool) -> Any:
    z = real + 1j * imag[0] if imag else real
    transform = np.fft.ifft if inverse else np.fft.fft
    if not real.size:
        return np.zeros((2, *real.shape), real.dtype)
    y = transform(z, axis=axis, norm="forward" if inverse else "backward")
    return np.stack([y.real, y.imag])


def _vjp(g: Any, y: Any, *inputs: Any, axis: int, inverse: bool) -> tuple[Any, ...]:
    """Apply the adjoint, which is the transform with the opposite sign."""
    real, imag = plane(g, 0), plane(g, 1)
    back = dft(real, imag, axis=axis, inverse=not inverse)
    return tuple(plane(back, i) for i in range(len(inputs)))


LONGEST = 1 << 20
"""Largest number of points that devices compute; larger tables would fill the memory."""


def _kernel(real: Aval, *imag: Aval, axis: int, inverse: bool) -> KernelCall:
    if real.shape[axis] > LONGEST:
        raise NotLowerable(f"dft: {real.shape[axis]} points")
    return KernelCall(
        "dft",
        ("real", "imag")[: 1 + len(imag)],
        {
            "outer": math.prod(real.shape[:axis]),
            "n": real.shape[axis],
            "inner": math.prod(real.shape[axis + 1 :]),
            "sign": "plus" if inverse else "minus",
        },
    )


def plane(x: Tensor, number: int) -> Tensor:
    """Return `x[number]`, computed by primitives."""
    shape = tuple(x.aval.shape)
    begin = (number, *[0] * (len(shape) - 1))
    part = strided_slice(x, begin=begin, size=(1, *shape[1:]), strides=(1,) * len(shape))
    return reshape(part, shape=shape[1:])


def _samples(rng: np.random.Generator) -> list[Sample]:
    """Draw powers of two, other small factors, primes, and lengths with large prime factors."""
    cases: list[tuple[Shape, int]] = [
        *[((3, n), 1) for n in (1, 2, 3, 4, 5, 8, 12, 15, 16, 31, 64, 60, 74, 97, 256)],
        ((1, 1024), 1),
        ((2, 1000), 1),
        ((1009,), 0),
        ((8, 5), 0),
        ((2, 6, 4), 1),
        ((2, 17, 3), 1),
        ((0, 4), 1),
    ]
    samples: list[Sample] = []
    for shape, axis in cases:
        for inverse in (False, True):
            pair = tuple(array(rng, shape, low=-1, high=1) for _ in range(2))
            samples.append((pair, {"axis": axis, "inverse": inverse}))
    samples.append(((array(rng, (3, 20)),), {"axis": 1, "inverse": False}))
    samples.append(((array(rng, (7, 6)),), {"axis": 0, "inverse": True}))
    return samples


dft: Op = register(
    Op(
        "dft",
        "spectral",
        _infer,
        _ref,
        _vjp,
        kernel=_kernel,
        params=("real", "imag"),
        doc="""Stacked real and imaginary parts of the transform along an axis, without a scale.
        If there is no `imag`, the input is real. `inverse` flips the sign of the exponent.""",
        samples=_samples,
        tolerance=5e-4,
        reason="sums of products are rounded in a different order",
    )
)
