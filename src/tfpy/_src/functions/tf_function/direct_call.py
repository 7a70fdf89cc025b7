"""A compiled call in a form that the dispatch extension runs without Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Self

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.javascript import bridge
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.program import GraphProgram
from tfpy._src.functions.trace.extra import Extra


class DirectCall:
    """The program of a trace on one backend, with its inputs and outputs.

    The extension reads the slots. It compares `backend` with the active backend.

    Args:
        backend: The backend. Without further values, all calls on it need Python.
    """

    __slots__ = (
        "backend",
        "main",
        "outputs",
        "places",
        "positions",
        "program",
        "results",
        "select",
    )

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.main: Any = None
        """The program, a DeviceProgram."""
        self.program = 0
        """Number of the program."""
        self.places: tuple[Any, ...] = ()
        """Inputs after the arguments: captured tensors, and Variables with the tensor `held`."""
        self.positions: tuple[int, ...] = ()
        """Positions of inputs, among the arguments and `places`. A call reads their slots."""
        self.select: Callable[[list[int], Collection[int]], list[int]] | None = None
        """Function from these slots to the slots for the program, or None if they are the same.

        Its second argument is empty, because no input is donated.
        """
        self.outputs: tuple[tuple[Aval, int], ...] | None = None
        """Aval of each output and its offset from the first slot. None if calls need Python."""
        self.results: tuple[tuple[tuple[Aval, int], ...], Any] = ((), None)
        """Aval and output of each tensor, and the structure of the result.

        The structure is None for a tensor, True for a list, or a function that takes a list.
        """

    @classmethod
    def of(cls, program: GraphProgram, places: Sequence[Any], structure: Any) -> Self:
        """Return the call of a program, for the extension if all places are known.

        Args:
            program: The program, which has run.
            places: For each input after the arguments the source of its value, or None.
            structure: See `results`.
        """
        main = program.main
        made = cls(main.backend)
        if main.outputs and not program.donations and None not in places:
            made.main, made.program = main, main.number
            made.places, made.positions = tuple(places), tuple(program.positions)
            made.select = None if program.takes_all else program.select
            made.outputs = tuple(main.outputs)
            results = tuple((result.aval, result.computed) for result in program.results)
            made.results = (results, structure)
        return made

    def failed(self, failure: Exception) -> None:
        """Raise the error of a run that failed."""
        if isinstance(failure, bridge.FAILURES):
            raise self.main.error(failure) from None
        raise failure


def source_of(extra: Extra) -> Any:
    """Return the source of an input of a trace: a tensor, a Variable, or None for a feed."""
    if extra.variable is not None:
        return extra.variable
    return extra.tensor if extra.anew is None and type(extra.tensor) is Tensor else None
