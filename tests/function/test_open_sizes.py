"""Signatures with open sizes: static shapes, results and number of traces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import same

import tfpy
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import OpenSize


def shapes(nest: Any) -> list[str]:
    """Return the static shapes of tensors as text."""
    return [str(t.shape) for t in nest]


@same
def test_one_concrete_function_for_all_sizes(lib: Any) -> Any:
    v = lib.Variable([1.0, 2.0, 3.0])

    @lib.function
    def program(x: Any) -> Any:
        return {"y": x * v, "n": lib.shape(x)[0], "sum": lib.reduce_sum(x, 0)}

    c = program.get_concrete_function(lib.TensorSpec([None, 3]))
    described = [
        str(c.structured_outputs["y"].shape),
        shapes(c.outputs),
        shapes(c.inputs)[:1],
        str(c.output_shapes),
        repr(c.output_dtypes["n"]),
        repr(c.structured_input_signature),
        c.pretty_printed_signature().split("Captures")[0],
        len(c.variables),
    ]
    calls = [c(lib.ones([n, 3])) for n in (2, 5, 2)] + [program(lib.ones([4, 3]))]
    return described, calls, program.experimental_get_tracing_count()


@same
def test_the_function_sees_none(lib: Any) -> Any:
    seen: list[Any] = []

    @lib.function(input_signature=[lib.TensorSpec([None, 2])])
    def program(x: Any) -> Any:
        seen[:] = [x.shape.as_list(), x.shape.rank, x.shape.num_elements(), str(x.shape)]
        return lib.constant(1) if x.shape[0] is None else lib.constant(2)

    return program(lib.ones([3, 2])), program(lib.ones([5, 2])), seen


@same
def test_what_is_computed_of_an_open_size_is_open(lib: Any) -> Any:
    found: list[str] = []

    @lib.function(input_signature=[lib.TensorSpec([None, 3]), lib.TensorSpec([None, 3])])
    def program(x: Any, y: Any) -> Any:
        n = lib.shape(x)[0]
        results = [
            x * 2.0,
            x + y,
            x + lib.ones([4, 3]),
            x + lib.ones([1, 3]),
            lib.reduce_sum(x, 0),
            lib.reduce_sum(x, 1),
            lib.reduce_mean(x, 0, keepdims=True),
            lib.concat([x, y], 0),
            lib.concat([x, y], 1),
            lib.stack([x, y]),
            lib.transpose(x),
            x @ lib.ones([3, 5]),
            lib.matmul(x, y, transpose_b=True),
            lib.reshape(x, [-1]),
            lib.reshape(x, [n, -1]),
            lib.reshape(x, lib.shape(y)),
            lib.reshape(x, lib.stack([lib.shape(x)[0], lib.shape(x)[1], 1])),
            lib.reshape(x, lib.concat([lib.shape(x)[:1], [3, 1]], 0)),
            lib.reshape(lib.ones([4, 3]), [n, 3]),
            lib.zeros(lib.shape(x)),
            lib.zeros([n, 7]),
            lib.ones_like(x),
            lib.fill([2, n], 1.0),
            lib.range(n),
            lib.range(2 * n, delta=2),
            lib.one_hot(lib.range(n), 4),
            lib.one_hot([1, 2], n),
            lib.eye(n),
            x[0],
            x[1:],
            x[:2],
            x[:, 1:],
            x[lib.newaxis],
            lib.expand_dims(x, -1),
            lib.tile(x, [2, 1]),
            lib.tile(lib.ones([2, 3]), [n, 2]),
            lib.pad(x, [[1, 1], [0, 2]]),
            lib.split(x, 2)[0],
            lib.gather(x, [0, 2]),
            lib.gather(lib.ones([9, 2]), lib.range(n)),
            lib.nn.softmax(x),
            lib.broadcast_to(x[:1], [n, 3]),
            lib.cast(n, lib.float32) * lib.reduce_sum(x),
            lib.where(x > 0, x, 0.0),
            lib.random.stateless_uniform([n, 2], (1, 2)),
            lib.map_fn(lambda row: row * 2.0, x),
            lib.size(x),
        ]
        found[:] = shapes(results)
        return results

    results = program(lib.ones([4, 3]), lib.ones([4, 3]))
    return found, results


@same
def test_set_shape_makes_sizes_known(lib: Any) -> Any:
    found: list[str] = []

    @lib.function(input_signature=[lib.TensorSpec([None, None])])
    def program(x: Any) -> Any:
        y = lib.ensure_shape(x, [None, 3])
        found[:] = [str(y.shape), str((y * 2.0).shape)]
        x.set_shape([2, None])
        found.append(str((x * 2.0).shape))
        return x + y

    return program(lib.ones([2, 3])), found


@same
def test_images_of_any_size(lib: Any) -> Any:
    kernel = lib.constant(np.linspace(-1, 1, 3 * 3 * 3 * 4).reshape(3, 3, 3, 4).astype("float32"))
    found: list[str] = []

    @lib.function(input_signature=[lib.TensorSpec([None, None, None, 3])])
    def program(x: Any) -> Any:
        same_size = lib.nn.conv2d(x, kernel, 2, "SAME")
        valid = lib.nn.conv2d(x, kernel, 1, "VALID")
        pooled = lib.nn.max_pool2d(lib.nn.relu(valid), 2, 2, "SAME")
        mean = lib.reduce_mean(pooled, [1, 2])
        small = lib.image.resize(x, [4, 5])
        found[:] = shapes([same_size, valid, pooled, mean, small])
        return lib.reduce_sum(same_size), mean, small

    return program(lib.ones([2, 9, 8, 3])), program(lib.ones([1, 5, 6, 3])), found


@same
def test_gradients(lib: Any) -> Any:
    w = lib.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found: list[str] = []

    @lib.function(input_signature=[lib.TensorSpec([None, 3])])
    def step(x: Any) -> Any:
        with lib.GradientTape() as tape:
            tape.watch(x)
            y = lib.nn.softmax(lib.tanh(x @ w))
            loss = lib.reduce_mean(lib.reduce_sum(y * y, 1))
        grads = tape.gradient(loss, [x, w])
        found[:] = shapes([loss, *grads])
        w.assign_sub(0.1 * grads[1])
        return loss, grads

    inside = [step(lib.ones([n, 3])) for n in (2, 4)]
    x = lib.ones([3, 3])
    with lib.GradientTape() as tape:
        tape.watch(x)
        y = step(x)[0]
    return inside, found, tape.gradient(y, x)


@same
def test_control_flow(lib: Any) -> Any:
    found: list[str] = []

    @lib.function(input_signature=[lib.TensorSpec([None, 3])])
    def program(x: Any) -> Any:
        y = x * 2.0 if lib.reduce_sum(x) > 0 else x - 1.0
        total = lib.zeros([3])
        for row in x:
            total += row
        n = lib.shape(x)[0]
        array = lib.TensorArray(lib.float32, n)
        for i in lib.range(n):
            array = array.write(i, x[i] * 2.0)
        z = x
        for _ in lib.range(3):
            z = z + 1.0
        stacked = array.stack()
        found[:] = shapes([y, total, stacked, z])
        return y, total, stacked, z

    return program(lib.ones([2, 3])), program(-lib.ones([4, 3])), found


@same
def test_unknown_rank(lib: Any) -> Any:
    found: list[Any] = []

    @lib.function(input_signature=[lib.TensorSpec(None)])
    def program(x: Any) -> Any:
        found[:] = [x.shape.rank, *shapes([x, x * 2.0, x + 1.0, lib.reduce_sum(x)])]
        found.append(str(lib.reshape(x, [-1, 1]).shape))
        return x * 2.0

    c = program.get_concrete_function()
    results = [program(lib.ones([2])), c(lib.ones([2, 1]))]
    return results, str(c.output_shapes), repr(c.structured_input_signature), found


@same
def test_functions_that_call_each_other(lib: Any) -> Any:
    inner_shapes: list[str] = []

    @lib.function
    def inner(x: Any) -> Any:
        inner_shapes.append(str(x.shape))
        return lib.reduce_sum(x, 1)

    @lib.function(input_signature=[lib.TensorSpec([None, 2])])
    def outer(x: Any) -> Any:
        return inner(x) + 1.0

    return (
        str(outer.get_concrete_function().output_shapes),
        outer(lib.ones([3, 2])),
        {*inner_shapes},
    )


@same
def test_reduce_retracing(lib: Any) -> Any:
    @lib.function(reduce_retracing=True)
    def program(x: Any, k: int = 1) -> Any:
        return x * float(k)

    counts = []
    for shape in ([2, 3], [3, 3], [4, 3], [2, 3], [9, 3], [2, 5], [7, 8], [2], [4, 4, 4]):
        program(lib.ones(shape))
        counts.append(program.experimental_get_tracing_count())
    program(lib.ones([2, 3]), 2)
    return counts, program.experimental_get_tracing_count()


@same
def test_several_open_arguments_and_what_the_sizes_must_be(lib: Any) -> Any:
    """Check that concrete sizes replace open ones.

    The function determines which of them are valid.
    """
    spec = lib.TensorSpec

    def open_shape(function: Any, *specs: Any) -> str:
        return str(lib.function(function).get_concrete_function(*specs).output_shapes)

    return [
        open_shape(lambda x, y: x + y, spec([None, 3]), spec([None, 3])),
        open_shape(lambda x: x @ lib.ones([5, 2]), spec([None, None])),
        open_shape(lambda x, w: x @ w, spec([None, 5]), spec([None, None])),
        open_shape(lambda x: lib.reshape(x, [-1, 28, 28]), spec([None])),
        open_shape(lambda x: lib.reshape(x, [3, 2]), spec([None, 3])),
        open_shape(lambda c, x, y: lib.where(c, x, y), spec([None, 3], lib.bool), spec([None, 3]),
                   spec([None])),
        open_shape(lambda x: lib.squeeze(x, [0]), spec([None, 3])),
        open_shape(lambda x: lib.nn.bias_add(x, lib.ones([7])), spec([None, None])),
    ]  # fmt: skip


@same
def test_a_size_that_is_a_product_of_others(lib: Any) -> Any:
    spec = lib.TensorSpec

    @lib.function
    def divided(x: Any, i: Any) -> Any:
        return lib.reshape(x, lib.concat([lib.shape(i)[:2], lib.shape(x)[1:]], 0))

    @lib.function
    def scaled(i: Any, x: Any, w: Any) -> Any:
        rows = lib.reshape(x, [lib.shape(i)[1], lib.shape(i)[0]])
        return lib.matmul(rows, w) + lib.cast(lib.shape(i)[1], lib.float32)

    first = divided.get_concrete_function(spec([None, 2]), spec([None, None]))
    second = scaled.get_concrete_function(spec([None, None]), spec([None]), spec([None, None]))
    return [
        first(lib.reshape(lib.range(12.0), [6, 2]), lib.ones([2, 3])),
        first(lib.reshape(lib.range(8.0), [4, 2]), lib.ones([1, 4])),
        second(lib.ones([3, 2]), lib.range(6.0), lib.ones([3, 4])),
    ]


def test_other_shapes_are_refused() -> None:
    concrete = tfpy.function(lambda x: x * 2.0).get_concrete_function(tfpy.TensorSpec([None, 3]))
    for shape in ([2, 4], [3], [1, 2, 3]):
        with pytest.raises(
            tfpy.errors.InvalidArgumentError, match=r"TensorSpec\(shape=\(None, 3\)"
        ):
            concrete(tfpy.ones(shape))
    with pytest.raises(tfpy.errors.InvalidArgumentError):
        concrete(tfpy.ones([2, 3], tfpy.int32))


@same
def test_errors_of_the_function_are_raised(lib: Any) -> Any:
    def needs_channels(x: Any) -> Any:
        if x.shape[-1] is None:
            raise ValueError("The number of channels must be known")
        return x

    try:
        lib.function(needs_channels).get_concrete_function(lib.TensorSpec([1, None]))
    except ValueError as error:
        return "channels must be known" in str(error)
    return None


@same
def test_errors_after_a_comparison_keep_their_class(lib: Any) -> Any:
    def refuses(x: Any) -> Any:
        lib.tile(x, [1, 1])  # tfpy compares the open size
        if x.shape[0] is None:
            raise ValueError("The number of rows must be known")
        return x

    try:
        lib.function(refuses).get_concrete_function(lib.TensorSpec([None, 3]))
    except lib.errors.OpError:
        return "not an error of an op"
    except ValueError as error:
        return "rows must be known" in str(error)
    return None


def test_open_sizes_are_no_reason_to_warn(caplog: pytest.LogCaptureFixture) -> None:
    """Check that a function is not reported as traced again for each size of its caller."""
    inner = tfpy.function(lambda x: x * 2.0)
    outer = tfpy.function(lambda x: inner(x) + 1.0, [tfpy.TensorSpec([None])])
    for n in range(8):
        outer(tfpy.ones([n]))
    assert not caplog.messages
    for n in range(8):
        inner(tfpy.ones([n, 2]))
    assert "traced it again" in caplog.messages[0]


def test_what_is_compiled_knows_no_open_size() -> None:
    @tfpy.function(input_signature=[tfpy.TensorSpec([None, 3])])
    def program(x: Any) -> Any:
        return tfpy.reshape(x, [-1]) + 1.0

    program(tfpy.ones([4, 3]))
    assert "float32[12]" in program.lower().as_text()
    with pytest.raises(ValueError, match="pass arguments"):
        tfpy.function(lambda x: x).get_concrete_function(tfpy.TensorSpec([None])).lower()


def test_bytes_of_values_are_plain_numbers() -> None:
    """Sums of bytes would be open from then on."""
    aval = Aval((OpenSize(3), 2), tfpy.float32)
    assert type(aval.size) is OpenSize
    assert (aval.nbytes, type(aval.nbytes)) == (24, int)
