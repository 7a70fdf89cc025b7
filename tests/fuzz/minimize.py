"""Minimization of findings: a single statement or the fewest statements, then single elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .programs import Call, Given, Program

Differs = Callable[[Program], bool]


def minimized(program: Program, differs: Differs) -> Program:
    """Return a smaller program that still differs."""
    return smaller_operands(fewer_statements(program, differs), differs)


def fewer_statements(program: Program, differs: Differs) -> Program:
    """Drop statements, beginning with the last one, while the difference remains."""
    number = len(program.statements) - 1
    while number >= 0:
        shorter = program.without(number)
        if shorter.statements and differs(shorter):
            program = shorter
        number = min(number, len(program.statements)) - 1
    return program


def smaller_operands(program: Program, differs: Differs) -> Program:
    """Return the program with one element per operand, if all have one shape or one element."""
    arrays = [s.array for s in program.statements if isinstance(s, Given)]
    shapes = {a.shape for a in arrays if a.size > 1}
    if len(shapes) != 1:
        return program
    for index in np.ndindex(*shapes.pop()):
        statements = [
            s
            if isinstance(s, Call) or s.array.size <= 1
            else Given(np.array([s.array[index]], s.array.dtype))
            for s in program.statements
        ]
        single = Program(tuple(statements))
        if differs(single):
            return single
    return program


def _element(array: np.ndarray[Any, Any], index: tuple[int, ...]) -> Given:
    return Given(np.array([array[index]], array.dtype))
