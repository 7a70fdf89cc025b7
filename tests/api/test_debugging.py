"""tf.debugging: true assertions pass, and false ones raise TensorFlow's error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from api.same import error, same

import tfpy

HOLD_AND_FAIL: dict[str, tuple[Any, Any]] = {
    "Assert": (lambda lib: (True, [1]), lambda lib: (False, [1])),
    "assert_all_finite": (lambda lib: (1.0, "m"), lambda lib: (np.float32(np.inf), "m")),
    "assert_equal": (lambda lib: ([1, 1], 1), lambda lib: ([1], [2])),
    "assert_greater": (lambda lib: (3, 2), lambda lib: (2, 2)),
    "assert_greater_equal": (lambda lib: (2, 2), lambda lib: (1, 2)),
    "assert_integer": (lambda lib: (lib.constant(1),), lambda lib: (lib.constant(1.0),)),
    "assert_less": (lambda lib: ([], []), lambda lib: (2, 2)),
    "assert_less_equal": (lambda lib: (2, 2), lambda lib: (3, 2)),
    "assert_near": (lambda lib: (1.0, 1.0000001), lambda lib: (1.0, 1.1)),
    "assert_negative": (lambda lib: ([-1],), lambda lib: ([0],)),
    "assert_non_negative": (lambda lib: ([0],), lambda lib: ([-1],)),
    "assert_non_positive": (lambda lib: ([0],), lambda lib: ([1],)),
    "assert_none_equal": (lambda lib: ([1], [2]), lambda lib: ([1, 2], [3, 2])),
    "assert_positive": (lambda lib: ([1],), lambda lib: ([0],)),
    "assert_proper_iterable": (lambda lib: ([1],), lambda lib: (lib.constant(1),)),
    "assert_rank": (lambda lib: ([1], 1), lambda lib: ([1], 2)),
    "assert_rank_at_least": (lambda lib: ([[1]], 1), lambda lib: ([1], 2)),
    "assert_rank_in": (lambda lib: ([1], [1, 2]), lambda lib: ([1], [2, 3])),
    "assert_same_float_dtype": (
        lambda lib: ([lib.constant(1.0)],),
        lambda lib: ([lib.constant(1)],),
    ),
    "assert_scalar": (lambda lib: (1,), lambda lib: ([1],)),
    "assert_shapes": (
        lambda lib: (
            [(lib.ones([2]), ("N",)), (lib.ones([1, 2]), (1, "N")), (lib.ones([]), ("M",))],
        ),
        lambda lib: ([(lib.ones([2]), ("N",)), (lib.ones([1, 2]), ("N", "N"))],),
    ),
    "assert_type": (
        lambda lib: (lib.constant(1), lib.int32),
        lambda lib: (lib.constant(1), lib.float32),
    ),
    "check_numerics": (lambda lib: (1.0, "m"), lambda lib: (np.float32(np.nan), "m")),
}


def _error(lib: Any, name: str, arguments: Any) -> str:
    return error(lambda: getattr(lib.debugging, name)(*arguments(lib)))


@pytest.mark.parametrize("name", HOLD_AND_FAIL)
def test_holds_or_raises_as_tensorflow(name: str) -> None:
    holds, fails = HOLD_AND_FAIL[name]
    for arguments in (holds, fails):
        found = [_error(lib, name, arguments) for lib in (tfpy, tf)]
        assert found[0] == found[1]
        assert (found[1] == "none") is (arguments is holds)


@pytest.mark.parametrize("name", [n for n in HOLD_AND_FAIL if "message" in n or "equal" in n])
def test_messages_are_shown(name: str) -> None:
    arguments = HOLD_AND_FAIL[name][1](tfpy)
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="my message"):
        getattr(tfpy.debugging, name)(*arguments, message="my message")


def _shape_errors(lib: Any) -> list[str]:
    x = lib.ones([2, 3, 4])
    patterns = [
        ("A", "B", "C"),
        (2, 3, 4),
        (2, None, 4),
        (..., 4),
        (2, ...),
        ("A", "A", 4),
        (2, 3),
        (..., 3),
        (3, ...),
        "BHC",
    ]
    return [error(lambda p=p: lib.debugging.assert_shapes([(x, p)])) for p in patterns]


def test_patterns_of_shapes() -> None:
    assert _shape_errors(tfpy) == _shape_errors(tf)


@same
def test_what_is_numeric(lib: Any) -> Any:
    values = [lib.constant(1), lib.constant("a"), 3, lib.constant(True)]
    return [bool(lib.debugging.is_numeric_tensor(v)) for v in values]


@same
def test_static_assertions(tf: Any) -> Any:
    """Check that constant conditions are checked while a graph is built."""
    with tf.Graph().as_default():
        calls = [
            lambda: tf.debugging.assert_less(1, 1),
            lambda: tf.debugging.assert_negative(1),
            lambda: tf.debugging.assert_equal([1, 2], [1, 2]),
            lambda: tf.debugging.Assert(False, ["it is checked later"]),
        ]
        return [error(call) for call in calls]
