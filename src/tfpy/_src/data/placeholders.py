"""Steps of datasets whose arguments are placeholders of a graph."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tfpy._src.base.errors import FailedPreconditionError
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.data import structure
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.run import DatasetRun
from tfpy._src.functions.graph_mode.inference import SIZE, immediately, leaves, mapped
from tfpy._src.functions.graph_mode.tensors import GraphTensor


class PlaceholderNode(DatasetNode):
    """A step whose arguments are tensors of a graph. The initializer of an iterator sets them.

    Args:
        make: Function of the arguments that returns a dataset.
        args: Nest of arguments with tensors of a graph.
        inputs: Nodes on which the step depends.
    """

    def __init__(
        self, make: Callable[..., DatasetBase], args: tuple[Any, ...], *inputs: DatasetNode
    ) -> None:
        super().__init__(*inputs)
        self._make, self._args = make, args
        self.tensors = [x for x in leaves(args) if isinstance(x, GraphTensor)]
        self._node: DatasetNode | None = None
        few, many = (self._made(functools.partial(_sample, n)).spec for n in (1, 2))
        pairs = zip(structure.flatten(few), structure.flatten(many), strict=True)
        self._spec = structure.pack(few, [a.most_specific_compatible_type(b) for a, b in pairs])

    @property
    def spec(self) -> Any:
        return self._spec

    def _made(self, change: Callable[[GraphTensor], Any]) -> DatasetNode:
        def value(x: Any) -> Any:
            return change(x) if isinstance(x, GraphTensor) else x

        with immediately():
            return self._make(*mapped(self._args, value))._node

    def bind(self, values: Mapping[int, Tensor]) -> None:
        """Set the values of the tensors, by identity."""
        self._node = self._made(lambda x: values[x.identity])

    def elements(self, run: DatasetRun) -> Iterator[tuple[Any, ...]]:
        if self._node is None:
            raise FailedPreconditionError(
                None, None, "The dataset depends on placeholders. Run the iterator's initializer."
            )
        return self._node.elements(run)


def _sample(size: int, tensor: GraphTensor) -> Any:
    if tensor.constant is not None:
        return tensor.constant
    shape = [size if n == SIZE else int(n) for n in tensor.aval.shape]
    if tensor.dtype.is_numeric or tensor.dtype.is_bool:
        return constant(np.full(shape, 1, tensor.dtype.as_numpy_dtype), tensor.dtype)
    return constant("", shape=shape)


def bind(node: DatasetNode, values: Mapping[int, Tensor]) -> list[GraphTensor]:
    """Return the tensors of a graph on which a dataset depends.

    Args:
        node: Node of the dataset.
        values: Values of the tensors, which the steps receive. Empty: no values yet.
    """
    found = [tensor for inner in node.inputs for tensor in bind(inner, values)]
    if isinstance(node, PlaceholderNode):
        if values:
            node.bind(values)
        found += node.tensors
    return found
