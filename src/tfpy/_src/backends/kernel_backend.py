"""A backend made of registered kernels, with which programs extend tfpy."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.interface import Compiled
from tfpy._src.base.dtypes import DEVICE_DTYPES
from tfpy._src.compiler.ir.aval import Array, Aval, Shape
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.kernels import KERNELS
from tfpy._src.compiler.ir.op import Op


class KernelBackend(Backend):
    """Base class for backends that a program defines.

    A subclass stores values in its own format, and computes the ops for which `tf.register_kernel`
    has registered a kernel. NumPy computes all other ops. Values are float32, int32 or bool, unless
    the class attribute `dtypes` is a set of different dtypes.

    Args:
        name: Name with which the backend and its kernels are registered.

    Example:
        >>> import tfpy as tf
        >>> class Plain(tf.KernelBackend):
        ...     def store(self, array):
        ...         return array
        ...     def load(self, value):
        ...         return value
        ...     def view(self, value, shape):
        ...         return value.reshape(shape)
        ...     def drop(self, value):
        ...         pass
        >>> tf.register_kernel("add", "plain", lambda x, y: x + y)
        >>> tf.register_backend("plain", lambda: Plain("plain"), priority=0)
        True
        >>> before = tf.get_backend()
        >>> tf.set_backend("plain")
        True
        >>> (tf.constant([1.0]) + 2.0).numpy().tolist()
        [3.0]
        >>> tf.set_backend(before)
        True
        >>> tf.remove_backend("plain")
        >>> tf.unregister_kernel("add", "plain")

    See also: `tf.register_kernel`, `tf.register_backend`.
    """

    variant = "kernels"
    dtypes = DEVICE_DTYPES

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._values: dict[int, tuple[Any, int]] = {}  # with the number of bytes
        self._graphs: dict[int, Graph] = {}
        self._last = 0

    # Methods that a subclass defines

    @abstractmethod
    def store(self, array: Array) -> Any:
        """Convert an array to a value in the backend's format. A subclass defines this method.

        Args:
            array: NumPy array.

        Returns:
            A value with the elements of the array.
        """

    @abstractmethod
    def load(self, value: Any) -> Array:
        """Convert a value to an array. A subclass defines this method.

        Args:
            value: A value in the backend's format.

        Returns:
            NumPy array of the elements, in any shape.
        """

    @abstractmethod
    def view(self, value: Any, shape: tuple[int, ...]) -> Any:
        """Return a value with the same elements and a new shape. A subclass defines this method.

        Args:
            value: A value in the backend's format.
            shape: New shape with the same number of elements.

        Returns:
            A value in the backend's format.
        """

    def drop(self, value: Any) -> None:
        """Free a value that is no longer used. A subclass may define this method.

        Values that `view` returned for the same elements may still be in use.

        Args:
            value: A value in the backend's format.
        """
        return None

    # Methods that tfpy calls

    def takes(self, op: Op, avals: Iterable[Aval]) -> bool:
        known = op.is_alias or op.name in KERNELS.get(self.name, {})
        return known and super().takes(op, avals)

    def upload(self, array: Array) -> int:
        return self._add(self.store(array), array.nbytes)

    def read(self, slot: int, aval: Aval) -> Array:
        found = np.asarray(self.load(self._values[slot][0]), aval.dtype.as_numpy_dtype)
        return np.array(found.reshape(aval.shape), order="C")

    def free(self, slots: Sequence[int]) -> None:
        for slot in slots:
            self.drop(self._values.pop(slot)[0])

    def lower(self, graph: Graph, donated: Collection[int] = (), spent: bool = False) -> Compiled:
        return Compiled(graph, None)

    def register(self, compiled: Compiled) -> int:
        self._last += 1
        self._graphs[self._last] = compiled.graph
        return self._last

    def release(self, program: int) -> None:
        del self._graphs[program]

    def run(self, program: int, *slots: int) -> int:
        graph = self._graphs[program]
        values = {v: self.store(array) for v, array in graph.constants.items()}
        for v, slot in zip(graph.inputs, slots, strict=True):
            values[v] = self.view(self._values[slot][0], _shape(graph, v))
        kernels = KERNELS.get(self.name, {})
        for eqn in graph.eqns:
            given = [values[v] for v in eqn.inputs]
            if eqn.op.is_alias:
                found = (self.view(given[0], _shape(graph, eqn.outputs[0])),)
            else:
                result = kernels[eqn.op.name](*given, **dict(eqn.attrs))
                found = result if eqn.op.multiple else (result,)
            values.update(zip(eqn.outputs, found, strict=True))
        added = [self._add(values[v], graph.avals[v].nbytes) for v in graph.outputs]
        return added[0]

    def _add(self, value: Any, nbytes: int) -> int:
        self._last += 1
        self._values[self._last] = value, nbytes
        return self._last

    def memory(self) -> dict[str, Any]:
        nbytes = sum(nbytes for _, nbytes in self._values.values())
        return {"slots": len(self._values), "bytes": nbytes}

    async def finish(self) -> None:
        return None

    def close(self) -> None:
        self.free(list(self._values))
        self._graphs.clear()


def _shape(graph: Graph, value: int) -> Shape:
    return graph.avals[value].shape
