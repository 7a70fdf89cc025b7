"""Generated code computes the same bits as the interpreter, and the same as NumPy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from tests.ops.scalar_numpy import evaluate
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval

from .conftest import require_assets
from .expressions import expression_program, inputs_of, run_expression
from .node_runtime import Array, NodeRuntime
from .test_tables import OPERANDS

Pair = tuple[NodeRuntime, NodeRuntime]
NAN, INF = np.nan, np.inf
INT_MIN, INT_MAX = -(2**31), 2**31 - 1

FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.5,
    -3.5,
    1e-40,
    -1e-45,
    3e38,
    -3e38,
    INF,
    -INF,
    NAN,
    2e9,
    -3e9,
]
INTS = [0, 1, -1, 2, -7, 31, 255, 65536, INT_MIN, INT_MIN + 1, INT_MAX, 0x3F800000]


@pytest.fixture(scope="module", params=["simd", "relaxed"])
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    """Start the same variant without and with generated code."""
    require_assets(request.param)
    started = NodeRuntime(request.param, "never"), NodeRuntime(request.param, "always")
    yield started
    for one in started:
        memory = one.call("memory")
        assert (memory["slots"], memory["generated"], memory["refused"]) == (0, 0, 0)
        one.close()


def check_same(pair: Pair, root: ex.Expr, *arrays: Array) -> Array:
    """Return the result of generated code, which must equal the interpreter's (with equal NaNs)."""
    wanted, got = (run_expression(runtime, root, *arrays) for runtime in pair)
    if got.dtype == np.float32:
        assert np.array_equal(np.isnan(got), np.isnan(wanted)), root
        got, wanted = (np.where(np.isnan(a), np.float32(0), a) for a in (got, wanted))
        np.testing.assert_array_equal(got.view(np.int32), wanted.view(np.int32), str(root))
    else:
        np.testing.assert_array_equal(got, wanted, str(root))
    return got


def edge_values(dtype: DType) -> Array:
    if dtype == ex.F:
        return np.array(FLOATS, np.float32)
    if dtype == ex.B:
        return np.array([False, True])
    return np.array(INTS, np.int32).view(dtype.as_numpy_dtype)


def stored(array: Array) -> Array:
    """Return an array as devices store it: unsigned numbers as signed ones."""
    return array.view(np.int32) if array.dtype == np.uint32 else array


def operands(dtypes: Sequence[DType]) -> list[ex.Expr]:
    """Return inputs of types that expressions have but devices do not."""
    return [
        ex.bitcast(ex.input_(i, ex.I), ex.U) if dtype == ex.U else ex.input_(i, dtype)
        for i, dtype in enumerate(dtypes)
    ]


def signatures(op: str) -> list[tuple[DType, ...]]:
    """Return the operand types that an operation accepts."""
    if op == "select":
        return [(ex.B, dtype, dtype) for dtype in OPERANDS[op]]
    unary = op in (*ex.UNARY_FLOAT, *ex.UNARY_NUMERIC, "not", "isnan")
    return [(dtype,) * (1 if unary else 2) for dtype in OPERANDS[op]]


def applied(op: str, args: Sequence[ex.Expr]) -> ex.Expr:
    result = ex.B if op in (*ex.COMPARE, "isnan") else args[-1].dtype
    root = ex.Expr(op, result, tuple(args))
    return ex.bitcast(root, ex.I) if result == ex.U else root


COMPUTING = sorted(ex.SCALAR_OPS - {"index", "input", "const", "cast", "bitcast"})


@pytest.mark.parametrize("op", COMPUTING)
def test_operations_at_the_edges(op: str, pair: Pair) -> None:
    """Test every op at NaN, infinities, both zeros, denormals, overflow and division by zero."""
    for signature in signatures(op):
        values = np.meshgrid(*(edge_values(dtype) for dtype in signature))
        arrays = [stored(np.ascontiguousarray(v.ravel())) for v in values]
        if op in ex.SHIFTS:
            arrays[1] &= 31
        root = applied(op, operands(signature))
        got = check_same(pair, root, *arrays)
        if op in ("sin", "cos", "tan"):
            continue  # numbers that are too large to be reduced
        with np.errstate(all="ignore"):
            wanted = evaluate(root, arrays, got.shape)
        if got.dtype == np.float32:
            np.testing.assert_allclose(
                got, np.nan_to_num(wanted, posinf=INF, neginf=-INF), 1e-5, 1e-38
            )
        else:
            np.testing.assert_array_equal(got, wanted, f"{op} {signature}")


@pytest.mark.parametrize("source", [ex.F, ex.I, ex.U, ex.B], ids=str)
@pytest.mark.parametrize("target", [ex.F, ex.I, ex.U], ids=str)
@pytest.mark.parametrize("op", ["cast", "bitcast"])
def test_conversions(op: str, source: DType, target: DType, pair: Pair) -> None:
    if source == target or (op == "bitcast" and source == ex.B):
        pytest.skip("no such conversion")
    values = stored(edge_values(source))
    (x,) = operands([source])
    root = ex.Expr(op, target, (x,))
    got = check_same(pair, ex.bitcast(root, ex.I) if target == ex.U else root, values)
    representable = source != ex.F or target == ex.F or op == "bitcast"
    if representable:
        wanted = stored(evaluate(root, [values], values.shape))
        np.testing.assert_array_equal(got, np.where(wanted == wanted, wanted, 0))


def chain(x: ex.Expr, y: ex.Expr) -> ex.Expr:
    """Mix parts with generated code and operations without it."""
    z = ex.maximum(x * 2.0 + y, -1.0)
    z = ex.unary("tanh", z) * y - ex.unary("exp", ex.minimum(x, 3.0)) / 7.0
    index = ex.cast(ex.index() << 3, ex.F)
    return ex.select(z < y, ex.unary("sqrt", abs(z)) + index, z - x)


@pytest.mark.parametrize("n", range(1, 41))
def test_tails(n: int, pair: Pair, rng: np.random.Generator) -> None:
    x, y = rng.standard_normal((2, n)).astype(np.float32)
    a, b = inputs_of([x, y])
    check_same(pair, chain(a, b), x, y)
    check_same(pair, (a < b) ^ (a < 0.0), x, y)


SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2000,), (2000,)),
    ((2000,), (1,)),
    ((40, 33), (33,)),
    ((40, 33), (40, 1)),
    ((9, 700), (700,)),
    ((9, 700), (9, 1)),
    ((5, 1, 130), (1, 6, 130)),
    ((3, 4, 1, 6), (4, 5, 1)),
    ((1,), (3, 5, 7)),
    ((40, 257), (257,)),
    ((4, 1031), (1031,)),
    ((4, 1031), (4, 1)),
    ((7, 1280), (7, 1)),
    ((7, 1280), (1280,)),
    ((3, 2, 256), (3, 1, 256)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_broadcasting(
    shapes: tuple[tuple[int, ...], ...], pair: Pair, rng: np.random.Generator
) -> None:
    x, y = (rng.standard_normal(s).astype(np.float32) for s in shapes)
    a, b = inputs_of([x, y])
    got = check_same(pair, chain(a, b), x, y)
    np.testing.assert_allclose(got, evaluate(chain(a, b), [x, y], got.shape), 2e-5, 2e-5)
    check_same(pair, ex.select(a < b, a, b), x, y)
    masks = [x > 0, y > 0]
    p, q = inputs_of(masks)
    check_same(pair, ~(p & q) | (p ^ q), *masks)


@pytest.mark.parametrize("n", [1, 7, 100, 127, 1000, 1024, 3000])
def test_strides_that_broadcasting_does_not_make(n: int, pair: Pair) -> None:
    """Read every other element and every third element, as foreign Programs may do."""
    x, y = np.arange(2 * n, dtype=np.float32), np.arange(3 * n, dtype=np.float32)
    a, b = inputs_of([x, y])
    program = expression_program(a * b - 1.0, [x[:n], y[:n]])
    document = json.loads(program.to_json())
    document["buffers"][0]["shape"], document["buffers"][1]["shape"] = [2 * n], [3 * n]
    document["steps"][0]["params"].update(dims=[n], strides=[[2], [3]])
    for runtime in pair:
        number = runtime.register_text(json.dumps(document))
        slots = [runtime.write(x), runtime.write(y)]
        out = runtime.call("run", program=number, slots=slots)
        got = runtime.read(out, Aval((n,), ex.F))
        np.testing.assert_array_equal(got, x[::2] * y[::3] - 1)
        runtime.call("free", slots=[*slots, out])
        runtime.call("release", program=number)


def random_expression(rng: np.random.Generator, inputs: list[ex.Expr], size: int) -> ex.Expr:
    """Return a float32 expression of about `size` operations, of all types and any shape."""
    pool = list(inputs)
    binary = (
        *ex.BINARY_NUMERIC,
        "div",
        "lt",
        "eq",
        "le",
        "ne",
        "select",
        "and",
        "or",
        "xor",
        "cast",
    )
    unary = ("neg", "abs", "sign", "floor", "sqrt", "rsqrt", "exp", "tanh", "isnan", "not", "shl")

    def pick(*dtypes: DType) -> ex.Expr:
        found = [e for e in pool[-12:] + inputs if e.dtype in dtypes]
        return found[rng.integers(len(found))]

    while len(pool) < size:
        op = str(rng.choice((*binary, *unary)))
        x = pick(ex.F) if op in (*ex.UNARY_FLOAT, "div", "isnan") else pick(ex.F, ex.I)
        if op in ("and", "or", "xor", "not"):
            x = pick(ex.I, ex.B)
        if op == "select":
            pool.append(ex.select(pick(ex.B), x, pick(x.dtype)))
        elif op == "cast":
            pool.append(ex.cast(pick(ex.I, ex.B), ex.F))
        elif op == "shl":
            pool.append(pick(ex.I) << int(rng.integers(1, 31)))
        elif op in unary:
            pool.append(ex.Expr(op, ex.B if op == "isnan" else x.dtype, (x,)))
        else:
            constant = x.dtype != ex.B and rng.random() < 0.3
            y: Any = ex.const(int(rng.integers(-3, 4)), x.dtype) if constant else pick(x.dtype)
            pool.append(ex.Expr(op, ex.B if op in ex.COMPARE else x.dtype, (x, y)))
    root = ex.const(0.0, ex.F)
    for e in pool[-8:]:
        root = root + ex.cast(e, ex.F)
    return root


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions(seed: int, pair: Pair) -> None:
    rng = np.random.default_rng(seed)
    shape = (13, int(rng.integers(1, 300)))
    arrays = [
        rng.standard_normal(shape).astype(np.float32),
        rng.standard_normal(shape[1:]).astype(np.float32),
        rng.integers(-9, 9, shape).astype(np.int32),
        rng.random(shape) < 0.5,
    ]
    root = random_expression(rng, inputs_of(arrays), int(rng.integers(8, 120)))
    check_same(pair, root, *arrays)


def test_equal_kernels_share_their_code(pair: Pair) -> None:
    x = np.arange(10, dtype=np.float32)
    runtime = pair[1]

    def count() -> int:
        return int(runtime.call("memory")["generated"])

    def add(factor: float) -> int:
        number = runtime.register(expression_program(ex.input_(0, ex.F) * factor - 1.0, [x]))
        out = runtime.call("run", program=number, slots=[slot])
        np.testing.assert_array_equal(
            runtime.read(out, Aval(x.shape, ex.F)), x * np.float32(factor) - 1
        )
        runtime.call("free", slots=[out])
        return number

    slot = runtime.write(x)
    programs = [add(2.0), add(2.0)]
    assert count() == 1
    programs.append(add(3.0))
    assert count() == 2
    for number in programs[:2]:
        assert count() == 2
        runtime.call("release", program=number)
    assert count() == 1
    for factor in range(50):  # reuses released places
        runtime.call("release", program=add(float(factor)))
    assert count() == 1
    runtime.call("release", program=programs[2])
    runtime.call("free", slots=[slot])


def test_compiles_what_repays_it() -> None:
    require_assets("simd")
    runtime = NodeRuntime("simd")
    for n, runs, wanted in ((100, 3, 0), (100, 9000, 1), (2**20, 1, 1)):
        x = np.ones(n, np.float32)
        number = runtime.register(expression_program(ex.input_(0, ex.F) * 2.0 + 1.0, [x]))
        slot = runtime.write(x)
        runtime.call("time", program=number, slots=[slot], times=runs)
        assert runtime.call("memory")["generated"] == wanted, (n, runs)
        runtime.call("free", slots=[slot])
        runtime.call("release", program=number)
    runtime.close()


def test_interprets_where_modules_are_refused(pair: Pair) -> None:
    runtime = NodeRuntime("simd", "always")
    runtime.call("refuseModules")
    x = np.linspace(-2, 2, 1001, dtype=np.float32)
    (a,) = inputs_of([x])
    root = chain(a, a * 0.5)
    np.testing.assert_array_equal(
        run_expression(runtime, root, x), run_expression(pair[0], root, x)
    )
    assert runtime.call("memory")["refused"] > 0
    runtime.close()


def test_long_tapes(pair: Pair, rng: np.random.Generator) -> None:
    """Use more instructions than fit in one module, and more values than registers."""
    x = rng.standard_normal(777).astype(np.float32)
    (a,) = inputs_of([x])
    terms = [a * (1.0 + i / 100) for i in range(600)]
    while len(terms) > 1:
        terms = [p + q for p, q in zip(terms[::2], terms[1::2], strict=False)] + (
            terms[-1:] if len(terms) % 2 else []
        )
    check_same(pair, terms[0], x)
    text = json.loads(expression_program(terms[0], [x]).to_json())
    assert len(text["steps"][0]["params"]["code"]) > 1000
