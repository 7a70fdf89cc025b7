"""Empty tensors in compiled functions: only operations that run raise errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare

import tfpy
from e2e import test_control_flow as shared
from e2e.test_control_flow import REFUSED, WITHOUT_ROWS

EMPTY, FEW = np.zeros([0, 2], np.float32), np.array([[1, 2], [3, 4]], np.float32)


def _with_gradient(lib: Any, function: Callable[..., Any], x: Any) -> Any:
    given = lib.constant(x)
    with lib.GradientTape() as tape:
        tape.watch(given)
        found = function(lib, given)
        floats = [t for t in lib.nest.flatten(found) if t.dtype == lib.float32]
        gradient = tape.gradient(floats, given, unconnected_gradients="zero")
    return found, lib.convert_to_tensor(gradient)


@pytest.mark.parametrize("program", WITHOUT_ROWS, ids=lambda p: p.__name__)
def test_loops_without_rows(program: Callable[..., Any]) -> None:
    for x in (EMPTY, FEW):
        compiled = [lib.function(program) for lib in (tfpy, tensorflow)]
        mine, wanted = (
            _with_gradient(lib, function, x)
            for lib, function in zip((tfpy, tensorflow), compiled, strict=True)
        )
        compare(mine, wanted, 1e-6, program.__name__)


def _class_of_error(run: Callable[[], Any]) -> str:
    try:
        run()
    except Exception as error:
        return type(error).__name__
    return ""


def _errors(lib: Any, function: Callable[..., Any]) -> list[str]:
    """Return the classes of the errors of an eager call, a trace, a compiled call and parts."""
    x = lib.constant(EMPTY)
    whole = lib.function(lambda x: function(lib, x))
    parts = lib.function(shared.guarded(lib, function))
    return [
        _class_of_error(lambda: function(lib, x)),
        _class_of_error(lambda: whole.get_concrete_function(x)),
        _class_of_error(lambda: whole(x)),
        _class_of_error(lambda: parts(x, lib.constant(0.0))),
        _class_of_error(lambda: parts(x, lib.constant(1.0))),
    ]


@pytest.mark.parametrize("name", REFUSED)
def test_errors_are_those_of_running(name: str) -> None:
    wanted = ["InvalidArgumentError", "", "InvalidArgumentError", "", "InvalidArgumentError"]
    assert _errors(tensorflow, REFUSED[name]) == wanted
    assert _errors(tfpy, REFUSED[name]) == wanted


@pytest.mark.parametrize("name", ["gather", "argmax", "symmetric", "resize", "convolution"])
def test_results_have_shapes(name: str) -> None:
    def shape(lib: Any) -> tuple[int, ...]:
        function = lib.function(lambda x: REFUSED[name](lib, x))
        return tuple(function.get_concrete_function(lib.TensorSpec([0, 2])).output_shapes)

    assert shape(tfpy) == shape(tensorflow)


def test_gradients_of_a_part_that_never_runs_are_zeros() -> None:
    for function in REFUSED.values():
        x = tfpy.constant(EMPTY)
        compiled = tfpy.function(shared.guarded(tfpy, function))
        with tfpy.GradientTape() as tape:
            tape.watch(x)
            y = compiled(x, tfpy.constant(0.0))
        gradient = tape.gradient(y, x, unconnected_gradients="zero")
        assert tfpy.convert_to_tensor(gradient).shape == (0, 2)


@pytest.mark.parametrize("lib", [tfpy, tensorflow], ids=["tfpy", "tensorflow"])
@pytest.mark.parametrize("name", ["index", "squeeze", "add"])
def test_errors_of_known_shapes_are_those_of_tracing(lib: Any, name: str) -> None:
    functions = {
        "index": lambda x: x[0],
        "squeeze": lambda x: lib.squeeze(x, 0),
        "add": lambda x: x + lib.ones([3]),
    }

    def branch(x: Any, taken: Any) -> Any:
        return lib.cond(taken, lambda: lib.size(functions[name](x)), lambda: 0)

    x, taken = lib.constant(EMPTY), lib.constant(False)
    assert _class_of_error(lambda: lib.function(branch)(x, taken)) == "ValueError"


@pytest.mark.parametrize("lib", [tfpy, tensorflow], ids=["tfpy", "tensorflow"])
def test_an_error_of_another_class(lib: Any) -> None:
    def crops(x: Any) -> Any:
        return lib.image.crop_and_resize(x, np.zeros([1, 4], np.float32), [0], [2, 2])

    def branch(x: Any, taken: Any) -> Any:
        return lib.cond(taken, lambda: crops(x), lambda: lib.zeros([1, 2, 2, 1]))

    x, compiled = lib.zeros([0, 3, 3, 1]), lib.function(branch)
    assert compiled(x, lib.constant(False)).shape == (1, 2, 2, 1)
    assert _class_of_error(lambda: compiled(x, lib.constant(True))) == "OutOfRangeError"


def test_datasets_and_ragged_loops() -> None:
    def program(lib: Any) -> Any:
        def total(row: Any) -> Any:
            s = lib.constant(0.0)
            for v in row:
                s += v
            return s

        ragged = lib.ragged.constant([[1.0, 2.0], [], [3.0]])
        spec = lib.TensorSpec([None], lib.float32)
        elements = lib.data.Dataset.from_generator(
            lambda: iter([[1.0, 2.0], [], [3.0]]), output_signature=spec
        )

        @lib.function
        def nested(r: Any) -> Any:
            s = lib.constant(0.0)
            for row in r:
                s += total(row)
            return s

        return [float(v) for v in elements.map(total)], nested(ragged)

    compare(program(tfpy), program(tensorflow), 1e-6, "empty elements")


OPEN: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda lib, x: x + lib.constant([1.0, 2.0, 3.0]),
    "matmul": lambda lib, x: lib.reshape(x, [1, -1]) @ lib.ones([3, 2]),
    "reshape": lambda lib, x: lib.reshape(x, [-1, 3]),
    "concat": lambda lib, x: lib.concat([x[None], lib.ones([1, 3])], 0),
    "index": lambda lib, x: x[5],
    "split": lambda lib, x: lib.split(x, 3)[0],
    "unstack": lambda lib, x: lib.unstack(x, 3)[0],
    "ensure_shape": lambda lib, x: lib.ensure_shape(x, [3]),
    "top_k": lambda lib, x: lib.math.top_k(x, 3)[0],
    "conv1d": lambda lib, x: lib.nn.conv1d(x[None, :, None], lib.ones([5, 1, 1]), 1, "VALID"),
    "squeeze": lambda lib, x: lib.squeeze(x, 0),
    "loop": lambda lib, x: lib.while_loop(
        lambda i, s: i < 2, lambda i, s: (i + 1, s + x), [0, lib.zeros([3])]
    )[1],
}
"""Functions that fail for two elements, but not for other sizes that a signature leaves open."""


@pytest.mark.parametrize("name", OPEN)
def test_open_sizes_are_errors_of_running(name: str) -> None:
    def errors(lib: Any) -> list[str]:
        function, x = OPEN[name], lib.constant([1.0, 2.0])
        signature = [lib.TensorSpec([None]), lib.TensorSpec([], lib.bool)]

        @lib.function(input_signature=signature[:1])
        def whole(x: Any) -> Any:
            return function(lib, x)

        @lib.function(input_signature=signature)
        def branch(x: Any, taken: Any) -> Any:
            return lib.cond(taken, lambda: lib.reduce_sum(function(lib, x)), lambda: 0.0)

        @lib.function(input_signature=signature)
        def statement(x: Any, taken: Any) -> Any:
            y = lib.constant(0.0)
            if taken:
                y = lib.reduce_sum(function(lib, x))
            while taken:
                y += lib.reduce_sum(function(lib, x))
            return y

        def error(f: Any, *given: Any) -> str:
            return _class_of_error(lambda: f(*given))

        parts = [error(f, x, lib.constant(b)) for b in (False, True) for f in (branch, statement)]
        return [error(whole, x), *parts]

    wanted = ["InvalidArgumentError", "", "", "InvalidArgumentError", "InvalidArgumentError"]
    assert errors(tensorflow) == wanted
    assert errors(tfpy) == wanted


def test_a_variable_keeps_its_value_where_the_other_branch_is_refused() -> None:
    def program(lib: Any) -> Any:
        v = lib.Variable(1.0)

        @lib.function(input_signature=[lib.TensorSpec([None]), lib.TensorSpec([], lib.bool)])
        def step(x: Any, taken: Any) -> Any:
            if taken:
                v.assign(lib.reduce_sum(x + lib.ones([3])))
            else:
                v.assign_add(1.0)
            return v

        error = _class_of_error(lambda: step(lib.ones([2]), lib.constant(True)))
        return error, step(lib.ones([2]), lib.constant(False)), v

    compare(program(tfpy), program(tensorflow), 1e-6, "variable")
