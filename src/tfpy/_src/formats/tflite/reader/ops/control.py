"""Calls between graphs, control flow, Variables and tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.tflite.reader.record import Known, op, operation
from tfpy._src.formats.tflite.reader.tensors import Info
from tfpy._src.functions.control.control_flow import cond, while_loop
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.random.stateful import categorical, normal, uniform


def _tensors(values: Any) -> list[Any]:
    return [convert_to_tensor(value) for value in values]


@operation("CALL", moves=True)
def _call(*values: Any, subgraph: int, scope: Scope) -> Any:
    return scope.call(scope.function(str(subgraph)), values)


@operation("IF", moves=True)
def _if(
    condition: Known, *values: Any, then_subgraph_index: int, else_subgraph_index: int, scope: Scope
) -> Any:
    graphs = [scope.function(str(i)) for i in (else_subgraph_index, then_subgraph_index)]
    if isinstance(condition, np.ndarray):
        return scope.call(graphs[int(condition.reshape(()))], values)
    return cond(
        reshape(condition, []),
        lambda: _tensors(scope.call(graphs[1], values)),
        lambda: _tensors(scope.call(graphs[0], values)),
    )


@operation("WHILE", moves=True)
def _while(*values: Any, cond_subgraph_index: int, body_subgraph_index: int, scope: Scope) -> Any:
    goes_on, body = (scope.function(str(i)) for i in (cond_subgraph_index, body_subgraph_index))
    return while_loop(
        lambda *state: reshape(scope.call(goes_on, state)[0], []),
        lambda *state: _tensors(scope.call(body, state)),
        _tensors(values),
    )


@operation("READ_VARIABLE", moves=True)
def _read(variable: Any, *, gives: list[Info]) -> Any:
    return cast(variable.read_value(), gives[0].tensor_dtype)


@operation("ASSIGN_VARIABLE", moves=True)
def _assign(variable: Any, value: Any) -> Any:
    variable.assign(cast(reshape(value, variable.shape), variable.dtype))
    return ()


@operation("RANDOM_UNIFORM")
def _uniform(shape: Array) -> Any:
    return uniform(shape.tolist())


@operation("RANDOM_STANDARD_NORMAL")
def _normal(shape: Array) -> Any:
    return normal(shape.tolist())


@operation("MULTINOMIAL")
def _multinomial(logits: Any, count: Array, *, gives: list[Info]) -> Any:
    return cast(categorical(logits, int(count.reshape(()))), gives[0].tensor_dtype or dtypes.int32)


@operation("HASHTABLE_FIND")
def _find(table: Any, keys: Any, default: Any) -> Any:
    return table.lookup(keys, reshape(default, []))


@operation("HASHTABLE_IMPORT")
def _import(table: Any, keys: Any, values: Any) -> Any:
    table.insert(keys, values)
    return ()


op("HASHTABLE_SIZE", lambda table: reshape(table.size(), [1]))
