"""Donation: a run writes an output over the bytes of an input that nobody can see any more.

Four parts decide it, in this order:

1. Who runs a Graph says which inputs it lets go of after each run (``Usage.donated``): the old
   values of Variables that a function assigns, the state of a loop.
2. The lowering says over which of them an output can be written (``lower/donation_plan.py``,
   ``Program.donations``). Those are an executable's donations (:func:`donations_of`).
3. Each run asks whether anybody else could see the input (:func:`unshared`). A Variable's value
   can be handed out in many ways: read, kept by a tape, shared with another Variable or a tensor of
   another shape, captured. Python's reference counts know of all of them, and whatever they count
   besides the holders that are known keeps the bytes as they are.
4. A donated slot crosses with a minus sign. When the run has succeeded there is no such slot. Its
   storage, and the tensor over it, take on the input's next value (``DeviceProgram.run``), so that
   a training step makes no tensors anew; where there is none, the storage is empty
   (``Storage.release``). A run that fails leaves it as it was.

Whatever is not donated is freed when its last tensor goes (``backends/storage.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import getrefcount
from typing import Any

from tfpy._src.backends.storage import Storage
from tfpy._src.core.tensor import Tensor

_HELD: list[Any] = [object()]
_ONE_HOLDER = getrefcount(_HELD[0])  # with the reference of the call itself


def donations_of(
    inputs: Sequence[int], step_inputs: Sequence[int], donatable: Sequence[int]
) -> list[tuple[int, int]]:
    """Pairs of positions, among the inputs of the Graph and of its last step, that may be donated.

    Only the last step takes donations: what follows another one may fail, or run Python code that
    reads a Variable.
    """
    return [(inputs.index(step_inputs[at]), at) for at in donatable]


def unshared(
    tensors: Sequence[Tensor], donations: Sequence[tuple[int, int]], holders: int
) -> dict[int, Storage]:
    """Those of the donations whose tensor has two holders, ``tensors`` and one more, and its
    storage no other tensor, nor another shape.

    Args:
        holders: how often the caller itself holds the storage.

    Returns:
        Their positions among the inputs of the last step, with the storages.
    """
    once, held = _ONE_HOLDER + 1, _ONE_HOLDER + holders
    return {  # no names for what is counted: some versions of Python count them, others do not
        at: tensors[i].storage
        for i, at in donations
        if getrefcount(tensors[i]) == once
        and getrefcount(tensors[i].storage) == held
        and tensors[i].aval is tensors[i].storage.aval
    }
