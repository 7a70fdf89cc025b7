"""Programs that once differed from TensorFlow, on some backend; they run on all of them.

``build.py fuzz`` prints a finding as a program: its last statement with ``$0``, ``$1``... for the
operands, and their arrays, make a case.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .programs import Call, Given, Program, Ref


def case(text: str, *arrays: Any) -> Program:
    """One call on arrays."""
    given = [Given(np.asarray(a)) for a in arrays]
    operands = tuple(map(Ref, range(len(given))))
    return Program((*given, Call("case", text, operands)))


def numbers(*shape: int) -> Any:
    """Floats from -2 to 2."""
    return np.random.default_rng(1).uniform(-2, 2, shape).astype(np.float32)


CASES: dict[str, Program] = {
    "a function with a long expression in a sum compiles at once on webgl": case(
        "tf.image.total_variation($0)", numbers(5, 4, 2, 2)
    ),
    "extremes of bools": case("tf.argmax($0, 1)", [[False, True, True], [False, False, False]]),
    "least of bools": case("tf.argmin($0, 0)", [[False, True, True], [False, False, True]]),
    "an identity matrix of a negative size": case("$0 + tf.eye(-2)", numbers(1)),
    "an identity matrix of negative columns": case("$0 + tf.eye(2, -1)", numbers(1)),
    "roots of matrices without elements": case("tf.linalg.sqrtm($0)", numbers(2, 0, 0)),
    "products over a negative number of axes": case("tf.tensordot($0, $0, -1)", numbers(2, 2)),
}
