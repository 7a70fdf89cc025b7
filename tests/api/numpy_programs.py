"""Expressions with NumPy behavior that TensorFlow and tfpy compute in one process.

Usage: ``python -m api.numpy_programs`` prints, as JSON, the expressions whose results differ, by
mode. ``test_experimental_numpy.py`` runs it in a process of its own, because the behavior cannot be
disabled again, with 64-bit dtypes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow
from api.same import compare

import tfpy

_CALLS = Path(__file__).with_name("numpy_calls")

FUNCTIONS = (_CALLS / "functions.txt").read_text().splitlines()
"""Calls of functions of ``tf.experimental.numpy``."""

BEHAVIOR = (_CALLS / "behavior.txt").read_text().splitlines()
"""Operators, methods and indexing that NumPy behavior changes."""

WEAK = (_CALLS / "weak.txt").read_text().splitlines()
"""Expressions of the modes with weak types."""

FLOAT32 = [
    *("tnp.array([1.5, 2])", "tnp.array([1, 2])", "tnp.zeros(2)", "tnp.zeros(2, dtype=None)"),
    *("i * 1.5", "f * 1.5", "i / 2", "1j * f", "i + f", "tnp.sin(1)", "tnp.mean(i)"),
    *("tnp.result_type(1, 2.5)", "tnp.geomspace(1.0, 4.0, 3)", "tnp.average([1.0, 2.0])"),
    *("tnp.where([True, False], 1.5, 2.5)", "tnp.linspace(0.0, 1.0, 3)", "tnp.tri(2)"),
]
"""Expressions with `prefer_float32`."""

PROGRAMS = {
    "off": ["i + f", "f + 1", "m.T", "m[[0, 1]]", "tnp.add(i, f)", "i + [1.5, 2]"],
    "legacy": FUNCTIONS + BEHAVIOR,
    "float32": FLOAT32,
    "safe": WEAK,
    "all": WEAK,
}
"""Expressions by mode, in the order in which the modes are tried. "float32" is a legacy mode."""


def scope(tf: Any) -> dict[str, Any]:
    """Return the names of the expressions, with `tf` as the library."""

    @tf.function
    def fun(x: Any, y: Any) -> Any:
        return x * y + 1.5

    @tf.function
    def graph_index(x: Any, at: Any) -> Any:
        return x[at], x[:, at], x[at, at], x[::-1, [0, 1]]

    @tf.function
    def graph_methods(x: Any) -> Any:
        return x.T, x.reshape(-1), x.astype(tf.float32).mean(), x.max(axis=0), x.clip(1, 2.5)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.experimental.numpy.sum(x * 2 + x**2)
        return tape.gradient(y, x)

    def gradient_of_index(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x[[0, 0, 1]] ** 2)
        return tape.gradient(y, x)

    def variable_gradient() -> Any:
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(w * w * 3)
        return tape.gradient(y, w)

    constant = tf.convert_to_tensor
    return {
        "tf": tf,
        "np": np,
        "tnp": tf.experimental.numpy,
        "i": constant([1, 2]),
        "f": constant([1.5, 2.5]),
        "u": constant([200, 201], tf.uint8),
        "b": constant([True, False]),
        "h": constant([1.5, 2.5], tf.float16),
        "s": constant("a"),
        "n": constant([1.0, np.nan, np.inf, -np.inf]),
        "m": constant([[1, 2, 3], [4, 5, 6]]),
        "t": tf.reshape(tf.range(8), [2, 2, 2]),
        "v": tf.Variable([1.0, 2.0]),
        "fun": fun,
        "graph_index": graph_index,
        "graph_methods": graph_methods,
        "gradient": gradient,
        "gradient_of_index": gradient_of_index,
        "variable_gradient": variable_gradient,
    }


def outcome(names: dict[str, Any], expression: str) -> tuple[str, Any]:
    """Return the class of the error, or "" and the result."""
    try:
        return "", eval(expression, names)
    except Exception as error:
        return type(error).__name__, str(error)


def differences(program: Sequence[str], scopes: Any) -> list[str]:
    """Return a line for each expression whose results differ."""
    found = []
    for expression in program:
        (error, mine), (wanted_error, wanted) = (outcome(names, expression) for names in scopes)
        if error != wanted_error:
            found.append(f"{expression}: {error} {mine!r} instead of {wanted_error} {wanted!r}")
        elif not error:
            try:
                compare(mine, wanted, 1e-5, expression)
                assert ("weak=True" in repr(mine)) == ("weak=True" in repr(wanted)), "weakness"
            except AssertionError as difference:
                found.append(f"{expression}: {mine!r} instead of {wanted!r} ({difference})")
    return found


def main() -> None:
    libraries = (tfpy, tensorflow)
    scopes = [scope(library) for library in libraries]
    found = {}
    for mode, program in PROGRAMS.items():
        for library in libraries:
            enable = library.experimental.numpy.experimental_enable_numpy_behavior
            is_float32 = mode == "float32"
            enable(is_float32, dtype_conversion_mode="legacy" if is_float32 else mode)
        found[mode] = differences(program, scopes)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
