"""The state of a model between calls: Variables of streaming models and recurrent networks."""

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
"""Storage dtypes of values between calls, for dtypes that devices do not store."""


class ModelState:
    """Variables and tables by their names in the file."""

    def __init__(self) -> None:
        self.variables: dict[object, Variable] = {}
        self.tables: dict[int, MutableHashTable] = {}
        self._elements = 0

    def variable(self, key: object, info: Info) -> Variable:
        """Return the Variable of a name; a new one contains zeros.

        The state of a variable tensor (unlike a resource) is stored as real numbers, even if it is
        quantized in the file.

        Raises:
            ModelFileError: If the state would have too many elements.
        """
        if key not in self.variables:
            self._elements += math.prod(info.shape)
            if self._elements > _MAX_ELEMENTS:
                raise ModelFileError(
                    f"The state of the model has more than {_MAX_ELEMENTS} elements."
                )
            is_number = info.quantization is not None and not isinstance(key, str)
            dtype = "float32" if is_number else _STORED.get(info.dtype, info.tensor_dtype.name)
            zeros = np.zeros(info.shape, dtype)
            self.variables[key] = Variable(zeros, trainable=False)
        return self.variables[key]

    def table(self, number: int, keys: DType, values: DType) -> MutableHashTable:
        """Return the table of a number.

        Raises:
            ModelFileError: If the dtypes of keys and values are not supported.
        """
        if number not in self.tables:
            nothing = "" if values.name == "string" else 0
            try:
                self.tables[number] = MutableHashTable(keys, values, nothing)
            except (TypeError, ValueError) as error:
                raise ModelFileError(f"Table {number}: {error}") from None
        return self.tables[number]

    def reset(self, firsts: Sequence[NodeGraph]) -> None:
        """Set all Variables to zero, then run the graphs that initialize the state."""
        for variable in self.variables.values():
            variable.assign(np.zeros(variable.shape, variable.dtype.name))
        for table in self.tables.values():
            table.remove(table.export()[0])
        for graph in firsts:
            Scope(graph, {}).run(plan(graph, graph.outputs))
