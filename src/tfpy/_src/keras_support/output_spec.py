"""Keras's `compute_output_spec`, which infers the shapes of results from partial shapes.

With TensorFlow, Keras traces the function with symbolic placeholders. tfpy traces it with
substitutes for the open sizes. Sizes that depend on them are None in the results.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.core.conversion import is_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.tf_function.signature import SizedSpec, TensorSpec
from tfpy._src.functions.tf_function.symbolic_sizes import traced_with_stand_ins
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.functions.trace.trace import Trace
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.variables.variable import Variable


def replace(core: types.ModuleType) -> None:
    """Replace `compute_output_spec` in Keras's module."""
    keras_tensor, tree = core.KerasTensor, core.tree

    def compute_output_spec(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return KerasTensors for the results of `fn`, given KerasTensors."""
        given = [x for x in tree.flatten((args, kwargs)) if isinstance(x, keras_tensor)]

        def traced(shapes: Sequence[Sequence[int]]) -> Any:
            trace = _ScratchGraph(core.auto_name("scratch_graph"))
            with core.StatelessScope(), core.SymbolicScope(), trace.taken():
                made = (_placeholder(trace, x, s) for x, s in zip(given, shapes, strict=True))
                tensors = dict(zip(map(id, given), made, strict=True))
                ins, named = tree.map_structure(lambda x: tensors.get(id(x), x), (args, kwargs))
                return tree.map_structure(as_keras_tensor, fn(*ins, **named))

        return traced_with_stand_ins([TensorShape(x.shape) for x in given], traced)

    def as_keras_tensor(x: Any) -> Any:
        if not is_tensor(x):
            return x
        is_sparse = isinstance(x, SparseTensor)
        return keras_tensor(x.shape, core.standardize_dtype(x.dtype), sparse=is_sparse)

    vars(core)["compute_output_spec"] = compute_output_spec


class _ScratchGraph(Trace):
    """A trace that never runs, so that its tensors never have values."""

    def on_variable_made(self, variable: Variable) -> None:
        """Reject a Variable with an initial value that belongs to the trace.

        Keras then builds the layer at its first call, as it does with TensorFlow's graphs.

        Raises:
            TypeError: If the initial value is a tensor of the trace.
        """
        if isinstance(variable.held, SymbolicTensor):
            raise TypeError(
                f"{variable.held!r} is out of scope: '{variable.name}' needs an initial value, "
                f"which a tensor of the graph '{self.name}' does not have. Pass tf.Variable a "
                "function that makes its initial value"
            )


def _placeholder(trace: Trace, like: Any, shape: Sequence[int]) -> Tensor:
    spec = SizedSpec(TensorSpec(like.shape, like.dtype), shape)
    return trace.argument(spec.aval, "Placeholder")
