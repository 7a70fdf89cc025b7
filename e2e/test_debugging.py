"""Debug mode in browsers: the error names the op that produces the first NaN, on each backend."""

from __future__ import annotations

from typing import Any

import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS


@run_in_browser(backends=BACKENDS)
async def test_check_numerics(tf: Any, backend: str) -> None:
    """Check eager and compiled calls, first with finite values. Afterwards checks are off."""

    @tf.function
    def loss(x: Any) -> Any:
        y = x * 2.0
        for _ in tf.range(2):
            y = tf.sqrt(y - 0.5)  # within the loop
        return tf.reduce_sum(y)

    tf.debugging.enable_check_numerics()
    try:
        assert (await loss(tf.constant([1.0, 2.0])).data()) > 0
        for call in (loss, loss.python_function):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                call(tf.constant([0.5, 0.0]))
            said = str(caught.value)
            assert "sqrt gave 1 NaN of 2 elements" in said
            assert "input x: float32[2]: min -0.5, max 0.5, mean 0" in said
            assert "test_debugging.py" in said
    finally:
        tf.debugging.disable_check_numerics()
    await loss(tf.constant([0.5, 0.0])).data()


@run_in_browser(backends=["wasm", "webgl"])
def test_lines_of_host_ops(tf: Any) -> None:
    """Check that an op that fails on the host in a compiled function reports its source line."""

    @tf.function
    def function(x: Any) -> Any:
        tf.debugging.assert_positive(x * 2.0)  # the assertion
        return x

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        function(tf.constant([-1.0]))
    assert "test_debugging.py" in "".join(caught.value.__notes__)
