"""Tensors of sizes, possibly open ones: the results of `tf.shape` and of ops on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.backends.storage import host_storage
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ir.sizes import OpenSize, closed, is_open, is_unranked, unranked
from tfpy._src.core.tensor import Tensor


class Sizes(Tensor):
    """A tensor with values that hold in one trace. Shapes made from open elements are open."""

    __slots__ = ()

    open: Array
    """Boolean for each element, True if the element comes from an open size."""

    def __init__(self, tensor: Tensor, are_open: Array) -> None:
        super().__init__(tensor.aval, tensor.storage)
        self.open = are_open

    @property
    def sizes(self) -> tuple[int, ...]:
        """Elements in order; an open one is an `OpenSize`.

        If the number of elements is open, they are the shape of a tensor with an open rank.
        """
        if self.aval.is_open:
            return unranked(self.storage.to_host().reshape(-1))
        pairs = zip(self.storage.to_host().reshape(-1), self.open.reshape(-1), strict=True)
        return tuple(OpenSize(n) if opens else int(n) for n, opens in pairs)


class LikelySizes(Sizes):
    """Values that differ between runs. Functions may use them as sizes, but not read them."""

    __slots__ = ()

    def host_view(self) -> Array:
        raise NotTraceableError("The values are known only in a run of a session.")


SIZES = frozenset((Sizes, LikelySizes))


def as_tensor(sizes: int | tuple[int, ...], dtype: Any) -> Tensor:
    """Return a size, or a shape, as a tensor."""
    array = np.array(sizes, dtype.as_numpy_dtype)
    is_vector_of_open_size = isinstance(sizes, tuple) and is_unranked(sizes)
    aval = Aval((OpenSize(len(array)),) if is_vector_of_open_size else array.shape, dtype)
    tensor = Tensor(aval, host_storage(array, aval))
    if not is_open(sizes):
        return tensor
    each = sizes if isinstance(sizes, tuple) else (sizes,)
    return Sizes(tensor, np.array([is_open(n) for n in each]).reshape(array.shape))


def have_known_results(inputs: Sequence[Tensor], attrs: dict[str, Any]) -> bool:
    """Return True if an op can be computed from the actual values of its inputs and attributes.

    An op with open attributes makes tensors of open sizes, which would be large constants. Shapes
    of an open rank are always small.
    """
    return not is_open(tuple(attrs.values())) or any(t.aval.is_open for t in inputs)


def computed(op: Op, inputs: Sequence[Tensor], attrs: dict[str, Any]) -> Tensor:
    """Compute an op on tensors that have values, including tensors of sizes."""
    plain = [Tensor(t.aval.closed, t.storage) if isinstance(t, Sizes) else t for t in inputs]
    actual = {name: closed(value) for name, value in attrs.items()}
    result: Tensor = op(*plain, **actual)
    if type(result) is not Tensor:  # the op failed and is traced: it raises when the function runs
        return result
    given = [t.open if isinstance(t, Sizes) else np.zeros(t.aval.shape, bool) for t in inputs]
    are_open = _open_elements(op, given, actual, result.aval)
    aval = op.infer(*(t.aval for t in inputs), **attrs)
    if not aval.is_open and not are_open.any():
        return result
    return Sizes(Tensor(aval, result.storage), are_open)


def _open_elements(op: Op, given: Sequence[Array], attrs: dict[str, Any], result: Aval) -> Array:
    if op.family == "movement" and op.name != "pad":
        return np.asarray(op.ref(*given, **attrs))
    if op.family == "elementwise":
        anywhere = np.zeros(result.shape, bool)
        for are_open in given:
            anywhere = anywhere | are_open
        return anywhere
    return np.full(result.shape, any(are_open.any() for are_open in given))
