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


CASES: dict[str, Program] = {}
