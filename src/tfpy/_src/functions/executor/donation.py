"""Donation: a run writes an output over an input that is no longer referenced.

Four steps decide whether an input is donated:

1. The caller of a Graph specifies which inputs it releases after each run (`Usage.donated`): the
   old values of Variables that a function assigns, and the state of a loop.
2. The lowering determines which of them an output can overwrite (`lower/donation_plan.py`,
   `Program.donations`). These are the executable's donations (:func:`donations_of`).
3. Each run checks that nothing else references the input (:func:`unshared`). A Variable's value
   can be referenced in many ways: it can be read, kept by a tape, shared with another Variable or
   with a tensor of a different shape, or captured. All of these appear in Python's reference
   counts. If there are more references than the known ones, the input is not donated.
4. A donated slot is passed with a minus sign. After a successful run the slot no longer exists. Its
   storage and the tensor over it receive the input's next value (`DeviceProgram.run`), so that a
   training step makes no new tensors. If there is no next value, the storage becomes empty
   (`Storage.release`). A failed run leaves the input unchanged.

Everything else is freed with its last tensor (`backends/storage.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import getrefcount
from typing import Any

from tfpy._src.backends.storage import Storage
from tfpy._src.core.tensor import Tensor

_HELD: list[Any] = [object()]
_ONE_HOLDER = getrefcount(_HELD[0])  # includes the reference of the call itself


def donations_of(
    inputs: Sequence[int], step_inputs: Sequence[int], donatable: Sequence[int]
) -> list[tuple[int, int]]:
    """Return pairs of positions, in the Graph's inputs and in its last step's, that may be donated.

    Only the last step receives donations. A step after a donation could fail, or run Python code
    that reads the Variable.
    """
    return [(inputs.index(step_inputs[at]), at) for at in donatable]


def unshared(
    tensors: Sequence[Tensor], donations: Sequence[tuple[int, int]], holders: int
) -> dict[int, Storage]:
    """Return the donations without unknown references to the tensor and the storage.

    The tensor must be referenced only by `tensors` and one other holder, and its storage only by
    this tensor, with the storage's own shape.

    Args:
        tensors: Inputs of the Graph.
        donations: Pairs of positions, in the Graph's inputs and in the last step's inputs.
        holders: Number of references that the caller itself has to the storage.

    Returns:
        Storages of the donations, by position in the last step's inputs.
    """
    once, held = _ONE_HOLDER + 1, _ONE_HOLDER + holders
    return {  # no local names for the counted objects: only some versions of Python count those
        at: tensors[i].storage
        for i, at in donations
        if getrefcount(tensors[i]) == once
        and getrefcount(tensors[i].storage) == held
        and tensors[i].aval is tensors[i].storage.aval
    }
