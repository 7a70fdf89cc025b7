"""Tensors without rows in compiled functions: errors of operations that run, and only of those."""

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
