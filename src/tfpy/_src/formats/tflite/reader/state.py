"""What a model keeps between calls: the Variables of streaming models and of recurrent networks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.formats.node_graphs.node import NodeGraph
from tfpy._src.formats.node_graphs.plan import plan
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.tflite.reader.tensors import Info
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.lookup.mutable import MutableHashTable
from tfpy._src.tensors.variables.variable import Variable

_MAX_ELEMENTS = 1 << 26
_STORED = dict.fromkeys(("int8", "uint8", "int16", "uint16"), "int32")
"""What stays on devices between calls, in a dtype that they store."""


class ModelState:
    """Variables and tables by their names in the file."""

    def __init__(self) -> None:
        self.variables: dict[object, Variable] = {}
        self.tables: dict[int, MutableHashTable] = {}
        self._elements = 0

    def variable(self, key: object, info: Info) -> Variable:
        """The Variable of that name; zeros of the shape and dtype when it is new.

        What a tensor of the file keeps (unlike a resource) are numbers, also where the file
        quantizes them.

        Raises:
            ModelFileError: when there would be too much.
        """
        if key not in self.variables:
            self._elements += math.prod(info.shape)
            if self._elements > _MAX_ELEMENTS:
                raise ModelFileError(f"the model keeps more than {_MAX_ELEMENTS} elements")
            is_number = info.quantization is not None and not isinstance(key, str)
            dtype = "float32" if is_number else _STORED.get(info.dtype, info.tensor_dtype.name)
            zeros = np.zeros(info.shape, dtype)
            self.variables[key] = Variable(zeros, trainable=False)
        return self.variables[key]

    def table(self, number: int, keys: DType, values: DType) -> MutableHashTable:
        """The table of that number.

        Raises:
            ModelFileError: when there cannot be one of such keys and values.
        """
        if number not in self.tables:
            nothing = "" if values.name == "string" else 0
            try:
                self.tables[number] = MutableHashTable(keys, values, nothing)
            except (TypeError, ValueError) as error:
                raise ModelFileError(f"table {number}: {error}") from None
        return self.tables[number]

    def reset(self, firsts: Sequence[NodeGraph]) -> None:
        """Makes all zeros, then runs the graphs that give first values."""
        for variable in self.variables.values():
            variable.assign(np.zeros(variable.shape, variable.dtype.name))
        for table in self.tables.values():
            table.remove(table.export()[0])
        for graph in firsts:
            Scope(graph, {}).run(plan(graph, graph.outputs))
