"""Helpers that make a program of one call, and operands for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..programs import Call, Given, Program, Ref


def case(text: str, *arrays: Any) -> Program:
    """Return a program of one call on arrays."""
    given = [Given(np.asarray(a)) for a in arrays]
    operands = tuple(map(Ref, range(len(given))))
    return Program((*given, Call("case", text, operands)))


def complexes(*values: complex) -> Any:
    """Return complex numbers."""
    return np.array(values, np.complex64)


def numbers(*shape: int) -> Any:
    """Return floats from -2 to 2."""
    return np.random.default_rng(1).uniform(-2, 2, shape).astype(np.float32)
