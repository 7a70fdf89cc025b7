"""Matrix product, the only contraction of the backends; other contractions are composed from it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.reference.gemm import gemm
from tfpy._src.compiler.ops.rules import rule_of, sum_to_shape


def _sides(x: Aval, transpose: bool) -> tuple[int, int]:
    rows, columns = x.shape[-2:]
    return (columns, rows) if transpose else (rows, columns)


def _infer(a: Aval, b: Aval, transpose_a: bool, transpose_b: bool) -> Aval:
    infer.check_same_dtype("matmul", (a, b))
    infer.check_dtype("matmul", a, infer.NUMERIC - {dtypes.int8}, "a")
    if a.rank < 2 or b.rank < 2:
        raise invalid(
            "matmul", f"a and b need 2 or more dimensions: {list(a.shape)}, {list(b.shape)}"
        )
    (m, k), (k2, n) = _sides(a, transpose_a), _sides(b, transpose_b)
    if k != k2:
        raise invalid(
            "matmul",
            f"Matrix size-incompatible: In[0]: {list(a.shape)}, In[1]: {list(b.shape)} with "
            f"transpose_a={transpose_a}, transpose_b={transpose_b}: inner sizes {k} and {k2} "
            "must be equal",
        )
    return Aval((*_batch_shape(a, b), m, n), a.dtype)


def _batch_shape(a: Aval, b: Aval) -> Shape:
    """Return the batch dimensions of the product.

    Those of the operands are equal, or all 1 on one side.
    """
    x, y = a.shape[:-2], b.shape[:-2]
    shape = infer.broadcast_shapes("matmul", x, y)
    for side in (x, y):
        if math.prod(side) not in (1, math.prod(shape)):
            raise invalid(
                "matmul", f"batch dimensions {list(side)} must be broadcast to {list(shape)} first"
            )
    return shape


def _ref(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Any:
    a = np.swapaxes(a, -1, -2) if transpose_a else a
    b = np.swapaxes(b, -1, -2) if transpose_b else b
    return gemm(a, b)


def _vjp(g: Any, y: Any, a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> tuple[Any, Any]:
    def product(x: Any, z: Any, tx: bool, tz: bool) -> Any:
        return matmul(x, z, transpose_a=tx, transpose_b=tz)

    def to_a() -> Any:
        x, z = (b, g) if transpose_a else (g, b)
        flags = (transpose_b, True) if transpose_a else (False, not transpose_b)
        return sum_to_shape(product(x, z, *flags), a.aval.shape)

    def to_b() -> Any:
        x, z = (g, a) if transpose_b else (a, g)
        flags = (True, transpose_a) if transpose_b else (not transpose_a, False)
        return sum_to_shape(product(x, z, *flags), b.aval.shape)

    return to_a, to_b


def _kernel(a: Aval, b: Aval, transpose_a: bool, transpose_b: bool) -> KernelCall:
    (m, k), (_, n) = _sides(a, transpose_a), _sides(b, transpose_b)
    batch = math.prod(_batch_shape(a, b))
    return KernelCall(
        "matmul",
        ("a", "b"),
        {
            "batch": batch,
            "m": m,
            "n": n,
            "k": k,
            "a_batch_stride": 0 if a.size == m * k else m * k,
            "b_batch_stride": 0 if b.size == k * n else k * n,
            "transpose_a": "true" if transpose_a else "false",
            "transpose_b": "true" if transpose_b else "false",
        },
    )


def _samples(rng: np.random.Generator) -> list[Sample]:
    sizes: list[tuple[Shape, Shape, Shape]] = [
        ((), (), (5, 7, 3)),
        ((), (), (64, 48, 80)),
        ((), (), (33, 129, 65)),
        ((3,), (3,), (4, 9, 5)),
        ((2, 3), (), (5, 8, 4)),
        ((), (4,), (5, 3, 8)),
        ((), (), (4, 0, 3)),
        ((), (), (1, 300, 1)),
        ((), (), (6, 10, 8)),
    ]
    samples: list[Sample] = []
    for dtype in (dtypes.float32, dtypes.int32):
        for batch_a, batch_b, (m, k, n) in sizes:
            for ta, tb in ((False, False), (True, False), (False, True), (True, True)):
                a = array(rng, (*batch_a, *((k, m) if ta else (m, k))), dtype, -2, 2)
                b = array(rng, (*batch_b, *((n, k) if tb else (k, n))), dtype, -2, 2)
                samples.append(((a, b), {"transpose_a": ta, "transpose_b": tb}))
    return samples


matmul = register(
    Op(
        "matmul",
        "contraction",
        _infer,
        _ref,
        rule_of(_vjp),
        kernel=_kernel,
        params=("a", "b"),
        samples=_samples,
        tolerance=5e-4,
        reason="sums of products are rounded in a different order",
    )
)
