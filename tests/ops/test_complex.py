"""complex64 compared with TensorFlow: elementwise primitives, products, reductions, movement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from ops import oracle

import tfpy
from tfpy import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ops import OPS, Op

Array = np.ndarray[Any, Any]


def takes_complex(op: Op) -> bool:
    if op.family != "elementwise" or op.name in ("bitcast", "cast", "complex") or op.typed_from:
        return False
    try:
        op.infer(*[Aval((2,), dtypes.complex64)] * len(op.params), **op.defaults)
    except InvalidArgumentError:
        return False
    return True


COMPLEX = [op for op in OPS.values() if takes_complex(op)]


def values(rng: np.random.Generator, *shape: int) -> Array:
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)


def gradients(lib: Any, f: Callable[..., Any], arrays: Sequence[Array], seed: int) -> list[Array]:
    """Return the gradients of all inputs for a random output gradient."""
    inputs = [lib.constant(a) for a in arrays]
    with lib.GradientTape() as tape:
        tape.watch(inputs)
        y = f(*inputs)
    dy = values(np.random.default_rng(seed), *y.shape)
    dy = dy if y.dtype == lib.complex64 else dy.real.astype(np.float32)
    found = tape.gradient(y, inputs, lib.constant(dy), unconnected_gradients="zero")
    return [np.asarray(lib.convert_to_tensor(g)) for g in found]


def second(lib: Any, f: Callable[..., Any], arrays: Sequence[Array], seed: int) -> list[Array]:
    """Return the gradients of sum |dx|**2, where dx are the gradients of sum |y|**2."""

    def square(x: Any) -> Any:
        return lib.reduce_sum(lib.math.real(x * lib.math.conj(x)))

    inputs = [lib.constant(a) for a in arrays]
    with lib.GradientTape() as outer:
        outer.watch(inputs)
        with lib.GradientTape() as inner:
            inner.watch(inputs)
            total = square(f(*inputs))
        first = inner.gradient(total, inputs, unconnected_gradients="zero")
        again = lib.add_n([square(g) for g in first])
    found = outer.gradient(again, inputs, unconnected_gradients="zero")
    return [np.asarray(lib.convert_to_tensor(g)) for g in found]


def assert_same(f: Callable[[Any], Callable[..., Any]], arrays: Sequence[Array]) -> None:
    """Check that ``f(lib)`` has TensorFlow's values, gradients and second gradients."""
    ours, theirs = f(tfpy), f(tf)
    result = ours(*map(tfpy.constant, arrays))
    wanted = theirs(*map(tf.constant, arrays))
    assert result.dtype.name == wanted.dtype.name
    np.testing.assert_allclose(result.numpy(), wanted.numpy(), rtol=1e-5, atol=1e-5)
    if not (wanted.dtype.is_floating or wanted.dtype.is_complex):
        return
    for compare in (gradients, second):
        pairs = zip(compare(tfpy, ours, arrays, 3), compare(tf, theirs, arrays, 3), strict=True)
        for mine, expected in pairs:
            np.testing.assert_allclose(mine, expected, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("op", COMPLEX, ids=lambda op: op.name)
def test_elementwise(op: Op, rng: np.random.Generator) -> None:
    arrays = [values(rng, 3, 2) for _ in op.params]
    assert_same(lambda lib: op if lib is tfpy else oracle.function(op), arrays)


def test_what_takes_complex_numbers() -> None:
    """Check that the same ops accept complex numbers in TensorFlow and tfpy."""
    x = tf.constant([1 + 2j, 3 - 1j], tf.complex64)
    for op in OPS.values():
        if op.family != "elementwise" or not op.public or op.typed_from:
            continue
        if op.name.startswith("logical"):  # TensorFlow casts to bool
            continue
        try:
            oracle.expected(op, [x] * len(op.params), dict(op.defaults))
        except (tf.errors.OpError, TypeError, ValueError):
            assert op not in COMPLEX, op.name
        else:
            assert op in COMPLEX, op.name


Case = tuple[Callable[[Any], Callable[..., Any]], tuple[tuple[int, ...], ...]]
COMPOSED: dict[str, Case] = {
    "sign": (lambda lib: lib.sign, ((4,),)),
    "abs": (lambda lib: lib.abs, ((3,),)),
    "complex": (
        lambda lib: lambda x: lib.complex(lib.math.imag(x), lib.math.real(x)),
        ((3, 2),),
    ),
    "cast to float32": (lambda lib: lambda x: lib.cast(lib.math.real(x), lib.float32), ((3,),)),
    "cast of floats": (lambda lib: lambda x: lib.cast(lib.abs(x), lib.complex64) * x, ((3,),)),
    "matmul": (lambda lib: lib.matmul, ((2, 3), (3, 4))),
    "adjoint": (
        lambda lib: lambda a, b: lib.matmul(a, b, adjoint_a=True, adjoint_b=True),
        ((3, 2), (4, 3)),
    ),
    "batches": (lambda lib: lambda a, b: lib.matmul(a, b, transpose_b=True), ((5, 2, 3), (4, 3))),
    "conjugate transpose": (lambda lib: lambda x: lib.transpose(x, conjugate=True), ((2, 3),)),
    "matrix adjoint": (
        lambda lib: lambda x: lib.linalg.matrix_transpose(x, conjugate=True),
        ((4, 2, 3),),
    ),
    "sum": (lambda lib: lambda x: lib.reduce_sum(x, 0), ((3, 4),)),
    "mean": (lambda lib: lib.reduce_mean, ((3, 4),)),
    "variance": (lambda lib: lambda x: lib.math.reduce_variance(x, 0), ((3, 4),)),
    "deviation": (lambda lib: lambda x: lib.math.reduce_std(x, 0), ((3, 4),)),
    "slice": (lambda lib: lambda x: x[::-2, 1:], ((5, 3),)),
    "gather": (lambda lib: lambda x: lib.gather(x, [2, 0, 2]), ((3, 4),)),
    "concat": (lambda lib: lambda x, y: lib.concat([x, y], 1), ((2, 3), (2, 1))),
    "stack": (lambda lib: lambda x, y: lib.stack([x, y]), ((2, 3), (2, 3))),
    "pad": (lambda lib: lambda x: lib.pad(x, [[1, 2], [0, 1]]), ((2, 3),)),
    "tile": (lambda lib: lambda x: lib.tile(x, [2, 2]), ((2, 3),)),
    "broadcast": (lambda lib: lambda x, y: x * y + y, ((2, 3), (3,))),
    "where": (lambda lib: lambda x, y: lib.where([True, False, True], x, y), ((3,), (3,))),
    "python numbers": (lambda lib: lambda x: (2 - x) * 1j + 3.5 / x, ((3,),)),
    "segment sum": (
        lambda lib: lambda x: lib.math.unsorted_segment_sum(x, [0, 1, 0], 2),
        ((3, 2),),
    ),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_composed(name: str, rng: np.random.Generator) -> None:
    f, shapes = COMPOSED[name]
    assert_same(f, [values(rng, *s) for s in shapes])


@pytest.mark.parametrize("dtype", ["bool", "float32", "float16", "int32", "uint8"])
@pytest.mark.parametrize("compiled", [False, True])
def test_casts_to_real_dtypes(dtype: str, compiled: bool) -> None:
    """Check that imaginary parts are discarded, also in casts to bool."""
    x = np.array([0, 1j, 0.5 + 0j, 2 - 3j, -0.0 + 0j], np.complex64)
    found = []
    for lib in (tfpy, tf):

        def function(z: Any, lib: Any = lib) -> Any:
            return lib.cast(z, dtype)

        found.append((lib.function(function) if compiled else function)(lib.constant(x)).numpy())
    np.testing.assert_array_equal(*found)


def test_product(rng: np.random.Generator) -> None:
    """Compare only the first order, because TensorFlow's gradient of cumprod lacks conj."""
    arrays = [values(rng, 3, 4)]
    ours, theirs = gradients(tfpy, product, arrays, 3), gradients(tf, product_tf, arrays, 3)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-4)


def product(x: Any) -> Any:
    return tfpy.reduce_prod(x, 1)


def product_tf(x: Any) -> Any:
    return tf.reduce_prod(x, 1)


def test_norm(rng: np.random.Generator) -> None:
    """Compare only values, because TensorFlow's sum of complex squares is not the norm."""
    x = values(rng, 3, 4)
    for args in ({"axis": 0}, {"ord": 1}, {"ord": np.inf, "axis": 1}):
        mine, wanted = tfpy.norm(x, **args), tf.norm(x, **args)
        np.testing.assert_allclose(np.abs(mine), np.abs(wanted), rtol=1e-5)


@pytest.mark.parametrize("name", ["real", "imag", "conj", "angle"])
def test_parts_of_real_numbers(name: str) -> None:
    for x in ([1.5, -2.0, 0.0], [1, -2]):
        if name == "angle" and isinstance(x[0], int):
            continue
        mine, wanted = getattr(tfpy.math, name)(x), getattr(tf.math, name)(x)
        assert mine.dtype.name == wanted.dtype.name
        np.testing.assert_allclose(mine, wanted)


def test_variables() -> None:
    results = []
    for lib in (tfpy, tf):
        v = lib.Variable(np.array([1 + 2j, 3], np.complex64))
        v.assign_add([1j, 2.0])
        with lib.GradientTape() as tape:
            y = lib.reduce_sum(lib.abs(v) ** 2)
        parts = [v, tape.gradient(y, v), lib.eye(2, dtype=lib.complex64), lib.fill([2], 1j)]
        results.append([np.asarray(lib.convert_to_tensor(p)) for p in parts])
    for mine, wanted in zip(*results, strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-6)


def test_edges() -> None:
    x = np.array([0, 1e-30, 1e30, np.inf, 1j * np.inf, np.nan, -1, -1 - 0j], np.complex64)
    for name in ("abs", "math.angle", "math.real", "math.imag", "math.conj", "sqrt"):
        mine = oracle.functools.reduce(getattr, name.split("."), tfpy)(x)
        np.testing.assert_allclose(mine, oracle.public(name)(x), rtol=1e-5)


WRONG: dict[str, Callable[[Any], Any]] = {
    "complex dtypes": lambda lib: lib.complex(lib.constant([1.0]), lib.constant([1])),
    "complex shapes": lambda lib: lib.complex(lib.ones([2]), lib.ones([3])),
    "conj of text": lambda lib: lib.math.conj(lib.constant("a")),
    "real of bool": lambda lib: lib.math.real(lib.constant([True])),
    "less": lambda lib: lib.less(lib.constant(1j), lib.constant(2j)),
    "floor": lambda lib: lib.floor(lib.constant(1j)),
    "max": lambda lib: lib.reduce_max(lib.constant([1j])),
    "mixed": lambda lib: lib.constant([1j]) + lib.constant([1.0]),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors(case: str) -> None:
    found = []
    for lib in (tfpy, tf):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - compared below
            WRONG[case](lib)
        found.append(type(caught.value).__name__.lstrip("_"))
    assert found[0] == found[1]


def test_reciprocal_roots_of_infinite_numbers() -> None:
    """Check that the result is 0, also if both parts of the root are infinite or one is NaN."""
    parts = (np.inf, -np.inf, np.nan, 2.5, -1.0)
    pairs = [complex(a, b) for a in parts for b in parts if np.inf in (abs(a), abs(b))]
    for lib in (tf, tfpy):
        assert not np.any(lib.math.rsqrt(lib.constant(np.array(pairs, np.complex64))).numpy())
