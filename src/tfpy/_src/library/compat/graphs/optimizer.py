"""`tf.compat.v1.train.Optimizer`, for eager execution and for graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType
from tfpy._src.core import primitives
from tfpy._src.core.indexed_slices import IndexedSlices, dense
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.ordering import control_dependencies, group
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.compat.graphs.scopes import scope_store
from tfpy._src.library.compat.graphs.variables import trainable_variables
from tfpy._src.tensors.array import making
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape
from tfpy._src.tensors.autodiff.graph_gradients import gradients
from tfpy._src.tensors.variables.variable import Variable

sqrt = recorded(primitives.sqrt)
square = recorded(primitives.square)
zeros_like = recorded(making.zeros_like)


@recorded
def fill_like(x: Any, value: Any) -> Any:
    """Return a tensor of a value in the shape of another tensor."""
    return making.ones_like(x) * value


cast = recorded(making.cast)


@recorded
def _touched_rows(indices: Any, like: Any) -> Any:
    """Return a bool tensor that is True in the rows with the indices, for broadcasting."""
    sizes = like.shape
    ones = IndexedSlices(making.ones_like(indices, dtypes.float32), indices, [sizes[0]])
    return primitives.greater(reshape(ones.as_tensor(), [-1] + [1] * (sizes.rank - 1)), 0.0)


@recorded
def _in_rows(rows: Any, value: Any, other: Any) -> Any:
    return where(rows, value, other)


class Optimizer:
    """The base of optimizers of TensorFlow 1.

    A subclass defines the method `_update(gradient, variable)`, which assigns new values with
    `_assign` and `_subtract`.

    Args:
        use_locking: Has no effect.
        name: Name of the operations and of the optimizer's Variables.

    Example:
        >>> import tfpy as tf
        >>> optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)
        >>> isinstance(optimizer, tf.compat.v1.train.Optimizer)
        True

    See also: `tf.compat.v1.train.GradientDescentOptimizer`.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    _keeps_other_rows = False
    """True if an update with `tf.IndexedSlices` must not change the rows without a gradient."""

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict[int, tuple[Variable, Variable]]] = {}
        self._rows: Any = None
        """Mask of the rows that the current update changes. None for all rows."""

    def get_name(self) -> str:
        """Return the name of the optimizer.

        Returns:
            A string.
        """
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: Variable | None = None,
        var_list: Sequence[Any] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: object = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
    ) -> Any:
        """Update Variables so that a loss becomes smaller.

        Args:
            loss: Scalar tensor of a graph. In eager execution, a function without arguments that
                returns the loss.
            global_step: Variable to which 1 is added.
            var_list: Variables to update. Default: the trainable Variables of the graph, or those
                that the function reads.
            gate_gradients, aggregation_method, colocate_gradients_with_ops: Has no effect.
            name: Name of the operation.
            grad_loss: Factor of the gradients, in the shape of the loss. Default: ones.

        Returns:
            A `tf.Operation` that updates the Variables. In eager execution, the update has
            happened.

        Raises:
            ValueError: If no Variable has a gradient.
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(g is None for g, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {[str(v) for _, v in pairs]} and loss "
                f"{loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Sequence[Any] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: object = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[tuple[Any, Any]]:
        """Return the gradients of a loss with respect to Variables.

        Args:
            loss: Scalar tensor of a graph. In eager execution, a function without arguments that
                returns the loss.
            var_list: Variables. Default: the trainable Variables of the graph, or those that the
                function reads.
            gate_gradients, aggregation_method, colocate_gradients_with_ops: Has no effect.
            grad_loss: Factor of the gradients, in the shape of the loss. Default: ones.

        Returns:
            List of pairs of a gradient, or None, and a Variable.

        Raises:
            RuntimeError: If `loss` is not a function in eager execution.
            ValueError: If there are no Variables.
        """
        if callable(loss):
            with GradientTape() as tape:
                if var_list is not None:
                    tape.watch(list(var_list))
                value = loss()
            found = list(tape.watched_variables()) if var_list is None else [*var_list]
            return [*zip(tape.gradient(value, found, grad_loss), found, strict=True)]
        if tracing.executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager "
                "execution is enabled."
            )
        found = [*trainable_variables()] if var_list is None else [*var_list]
        if not found:
            raise ValueError("No variables to optimize.")
        given = None if grad_loss is None else [grad_loss]
        return [*zip(gradients([loss], found, given), found, strict=True)]

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Variable | None = None,
        name: str | None = None,
    ) -> Any:
        """Update Variables with gradients.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a Variable.
            global_step: Variable to which 1 is added.
            name: Name of the operation.

        Returns:
            A `tf.Operation` that updates the Variables. In eager execution, the update has
            happened.

        Raises:
            ValueError: If there are no pairs, or no Variable has a gradient.
            NotImplementedError: If a tensor is passed in place of a Variable.
        """
        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        used = [(g, v) for g, v in pairs if g is not None]
        if not used:
            raise ValueError(
                f"No gradients provided for any variable: {[str(v) for _, v in pairs]}."
            )
        for _, variable in used:
            if isinstance(variable, Tensor):
                raise NotImplementedError("Trying to update a Tensor ", variable)
        self._create_slots([v for _, v in used])
        with name_scope(name or self._name) as scope:
            self._prepare()
            updates = [self._updated(g, v) for g, v in used]
            updates += [self._constrained(v, updates) for _, v in used if v.constraint]
            done = self._finish(updates)
            if global_step is None:
                return self._trained(group(*done, name=scope))
            with control_dependencies(done if tracing.local.active else None):
                return self._trained(group(global_step.assign_add(1), name=scope))

    @staticmethod
    def _trained(op: Any) -> Any:
        """Add the operation that updates the Variables to the collection of the graph."""
        graph = tracing.active_graph()
        if graph is not None:
            graph.add_to_collection(GraphKeys.TRAIN_OP, op)
        return op

    def _constrained(self, variable: Any, updates: Sequence[Any]) -> Any:
        with control_dependencies(updates if tracing.local.active else None):
            return variable.assign(variable.constraint(variable.value()))

    def _create_slots(self, variables: Sequence[Any]) -> None:
        """Make the Variables of the optimizer."""

    def _prepare(self) -> None:
        """Convert the settings to tensors."""

    def _updated(self, gradient: Any, variable: Any) -> Any:
        """Update a Variable, or only the rows that have a gradient."""
        is_sparse = isinstance(gradient, IndexedSlices) and self._keeps_other_rows
        self._rows = _touched_rows(gradient.indices, variable) if is_sparse else None
        return self._update(dense(gradient), variable)

    def _update(self, gradient: Any, variable: Any) -> Any:
        raise NotImplementedError

    def _assign(self, variable: Any, value: Any) -> Any:
        """Assign a value to a Variable, in the rows that the current update changes."""
        if self._rows is not None:
            value = _in_rows(self._rows, value, variable)
        return variable.assign(value)

    def _subtract(self, variable: Any, step: Any) -> Any:
        """Subtract a step from a Variable, in the rows that the current update changes."""
        if self._rows is not None:
            step = _in_rows(self._rows, step, zeros_like(step))
        return variable.assign_sub(step)

    def _finish(self, updates: Sequence[Any]) -> Sequence[Any]:
        return updates

    def _slot(self, variable: Any, name: str, make: Callable[[Any], Any] | None = None) -> Any:
        slots = self._slots.setdefault(name, {})
        if id(variable) not in slots:
            full = f"{variable.name.partition(':')[0]}/{self._name}"
            if tracing.active_graph() is None:  # a graph gives its Variables different names
                full = scope_store().active.counts.next_name(full)
            with name_scope(""), control_dependencies(None):
                value = (make or zeros_like)(_initial(variable))
                slots[id(variable)] = (variable, Variable(value, trainable=False, name=full))
        return slots[id(variable)][1]

    def get_slot(self, var: Any, name: str) -> Any:
        """Return a Variable that the optimizer made for a Variable.

        Args:
            var: Variable that the optimizer updates.
            name: Name of the slot, one of `get_slot_names()`.

        Returns:
            A Variable, or None if there is none.
        """
        return self._slots.get(name, {}).get(id(var), (None, None))[1]

    def get_slot_names(self) -> list[str]:
        """Return the names of the slots.

        Returns:
            Sorted list of names.
        """
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """Return the Variables that the optimizer made in the current graph, or eagerly.

        Returns:
            List of Variables, sorted by name.
        """
        slots = [made for slots in self._slots.values() for _, made in slots.values()]
        graph = tracing.active_graph()
        found = [v for v in (*slots, *self._other_variables()) if _graph_of(v) is graph]
        return sorted(found, key=lambda v: str(v.name))

    def _other_variables(self) -> list[Any]:
        """Return the Variables of the optimizer that are not slots of other Variables."""
        return []


def _graph_of(variable: Any) -> Any:
    return getattr(variable, "graph", None)


def _initial(variable: Any) -> Any:
    """Return a tensor of the shape and dtype of a Variable."""
    found = getattr(variable, "initial_value", None)
    return variable.value() if found is None else found


def number(value: Any, dtype: DType | None = None) -> Any:
    """Return the value of a setting: a number, or a tensor with the dtype.

    Args:
        value: Number, tensor or Variable, or a function that returns one.
        dtype: Dtype of the Variable that is updated. Default: the dtype of `value`.
    """
    found = value() if callable(value) and not isinstance(value, Variable) else value
    if dtype is None or getattr(found, "dtype", dtype) == dtype:
        return found
    return cast(found, dtype)


def rest(factor: Any) -> Any:
    """Return `1 - factor`, rounded to float32 as in TensorFlow's kernels."""
    if isinstance(factor, float):
        return float(np.float32(1.0) - np.float32(factor))
    return 1.0 - factor
