"""tf.debugging.enable_check_numerics: the same errors as TensorFlow, and their messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import tensorflow as tf
from api.same import error

import tfpy
from tfpy._src.library.debugging import modes

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "finite": lambda lib: lib.nn.softmax(lib.constant([1.0, 2.0])),
    "log of zero": lambda lib: lib.math.log(lib.constant([0.0, 1.0])),
    "root of a negative number": lambda lib: lib.sqrt(lib.constant([-1.0])),
    "overflow": lambda lib: lib.exp(lib.constant([1000.0])),
    "division": lambda lib: lib.constant(1.0) / lib.constant([0.0]),
    "integers": lambda lib: lib.constant([1]) + 2,
    "compiled": lambda lib: lib.function(lambda x: lib.math.log(x) + 1.0)(lib.zeros([2])),
    "compiled, finite": lambda lib: lib.function(lambda x: lib.exp(x))(lib.zeros([2])),
    "in a loop": lambda lib: lib.function(
        lambda x: lib.while_loop(lambda y: y[0] < 1e30, lambda y: [y * 1e30 * 1e30], [x])
    )(lib.ones([1])),
    "gradient": lambda lib: _gradient(lib, lib.constant([0.0])),
}


def _gradient(lib: Any, x: Any) -> Any:
    with lib.GradientTape() as tape:
        tape.watch(x)
        y = lib.sqrt(x)
    return tape.gradient(y, x)


@pytest.fixture(autouse=True)
def checks() -> Iterator[None]:
    for lib in (tf, tfpy):
        lib.debugging.enable_check_numerics()
    yield
    for lib in (tf, tfpy):
        lib.debugging.disable_check_numerics()


@pytest.mark.parametrize("name", PROGRAMS)
def test_refuses_as_tensorflow(name: str) -> None:
    mine, wanted = (error(lambda lib=lib: PROGRAMS[name](lib)) for lib in (tfpy, tf))
    assert mine == wanted


@tfpy.function
def _loss(x: Any) -> Any:
    y = x * 2.0
    return tfpy.reduce_sum(tfpy.math.log(y))  # here


@pytest.mark.parametrize("function", [_loss, _loss.python_function])
def test_message_tells_line_and_statistics(function: Callable[[Any], Any]) -> None:
    assert float(function(tfpy.constant([0.5, 0.5]))) == 0.0
    with pytest.raises(tfpy.errors.InvalidArgumentError) as caught:
        function(tfpy.constant([[1.0, 2.0], [-1.0, 0.0]]))
    head, place, text, *rest = str(caught.value).splitlines()
    assert head == "log gave 1 NaN, 1 -inf of 4 elements"
    assert __file__ in place
    assert "_loss" in place
    assert text.endswith("# here")
    assert rest == [
        "output: float32[2, 2]: 1 NaN; 1 -inf; min 0.693147, max 1.38629, mean 1.03972",
        "input x: float32[2, 2]: min -2, max 4, mean 1",
    ]
    assert not getattr(caught.value, "__notes__", ())


def test_gradients_name_the_line_of_the_op() -> None:
    @tfpy.function
    def step(x: Any) -> Any:
        with tfpy.GradientTape() as tape:
            tape.watch(x)
            y = tfpy.sqrt(x) * 2.0  # whose gradient
        return tape.gradient(y, x)

    assert step(tfpy.ones([])).numpy() == 1.0
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="# whose gradient"):
        step(tfpy.zeros([]))


def test_what_is_computed_stays_the_same() -> None:
    v, w = tfpy.Variable([1.0, 2.0]), tfpy.Variable([0.5, 4.0])

    @tfpy.custom_gradient
    def doubled(x: Any) -> Any:
        return x + 0.0, lambda g: 2.0 * g

    @tfpy.function
    def step(x: Any) -> Any:
        v.assign_add(x)
        return x, doubled(w) * tfpy.random.uniform([2]) + tfpy.while_loop(
            lambda y: tfpy.reduce_sum(y) < 9.0, lambda y: [y * x], [x]
        )[0]

    def run() -> list[Any]:
        v.assign([1.0, 2.0])
        tfpy.random.set_seed(3)
        x = tfpy.constant([1.5, 2.5])
        with tfpy.GradientTape() as tape:
            tape.watch(x)
            same, y = step(x)
            y = y * same
        return [y.numpy(), v.numpy(), *(g.numpy() for g in tape.gradient(y, [x, w]))]

    checked = run()
    tfpy.debugging.disable_check_numerics()
    for mine, wanted in zip(checked, run(), strict=True):
        assert mine == pytest.approx(wanted)


def test_what_was_there_before_is_no_news() -> None:
    x = tfpy.constant([1.0, float("-inf"), float("nan")])
    assert tfpy.reduce_sum(x[:2] + 1.0).numpy() == float("-inf")
    assert (x[2] * 2.0).numpy() != 0.0
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="subtract gave 1 NaN of 1 elements"):
        x[1] - x[1]


def test_complex_numbers_are_checked() -> None:
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="log gave 1 -inf of 1 elements"):
        tfpy.math.log(tfpy.constant([0j]))


def test_disabled_it_checks_nothing() -> None:
    tfpy.debugging.disable_check_numerics()
    tfpy.debugging.disable_check_numerics()  # may be called repeatedly
    assert tfpy.math.log(0.0).numpy() == float("-inf")


def test_modes_are_flags(caplog: pytest.LogCaptureFixture) -> None:
    modes._warn.cache_clear()
    tfpy.debugging.disable_check_numerics()
    try:
        for turn_on in (tfpy.enable_debug_mode, lambda: tfpy.env().set("DEBUG", True)):
            turn_on()
            assert tfpy.env().get_bool("DEBUG")
            with pytest.raises(tfpy.errors.InvalidArgumentError, match="log gave"):
                tfpy.math.log(0.0)
            tfpy.env().set("DEBUG", False)
            assert tfpy.math.log(0.0).numpy() == float("-inf")
        assert caplog.text.count("Debug mode") == 1
        tfpy.env().set("CHECK_COMPUTATION_FOR_ERRORS", True)
        with pytest.raises(tfpy.errors.InvalidArgumentError, match="log gave"):
            tfpy.math.log(0.0)
        tfpy.env().set_flags({"CHECK_COMPUTATION_FOR_ERRORS": False, "DEBUG": True})
        assert tfpy.math.log(0.0).numpy() == float("-inf")
        tfpy.env().reset()
        tfpy.enable_debug_mode()
        tfpy.enable_prod_mode()
        assert tfpy.env().get_bool("PROD")
        assert not tfpy.env().get_bool("DEBUG")
        assert tfpy.math.log(0.0).numpy() == float("-inf")
        with pytest.raises(ValueError, match="DEBUGG"):
            tfpy.env().set_flags({"DEBUG": True, "DEBUGG": True})
        assert tfpy.math.log(0.0).numpy() == float("-inf")
    finally:
        tfpy.env().reset()


def test_log_of_devices(capsys: pytest.CaptureFixture[str]) -> None:
    function = tfpy.function(lambda x: tfpy.sinh(x) * 2.0)
    assert not tfpy.debugging.get_log_device_placement()
    tfpy.debugging.set_log_device_placement(True)
    try:
        assert tfpy.debugging.get_log_device_placement()
        function(tfpy.ones([2]))
    finally:
        tfpy.debugging.set_log_device_placement(False)
    said = [line for line in capsys.readouterr().err.splitlines() if "sinh" in line]
    assert said == [
        "Executing op sinh in device /job:localhost/replica:0/task:0/device:CPU:0 (cpu)"
    ]
