"""`tf.train.ExponentialMovingAverage`: averages of Variables over the steps of a training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import float32
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.primitives import minimum
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, IntLike
from tfpy._src.tensors.array.making import cast, zeros
from tfpy._src.tensors.variables.variable import Variable

_COLLECTION = "moving_average_variables"
"""Key of the collection of a graph for Variables with averages."""


class ExponentialMovingAverage:
    """Moving averages of Variables, which are often better weights than the latest ones.

    Each call of `apply` changes an average to `average * decay + variable * (1 - decay)`.

    Args:
        decay: Number between 0 and 1, usually near 1.
        num_updates: Number of steps so far, an integer or a Variable. If it is passed, the decay is
            `min(decay, (1 + num_updates) / (10 + num_updates))`, so that the averages change faster
            at the beginning. Default: None.
        zero_debias: Has no effect, because averages begin with the values of the Variables.
        name: Suffix of the names of the averages.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable(0.0)
        >>> averages = tf.train.ExponentialMovingAverage(0.75)
        >>> averages.apply([x])
        >>> _ = x.assign(4.0)
        >>> averages.apply([x])
        >>> averages.average(x).numpy().tolist()
        1.0

    See also: `tf.Variable`.
    """

    def __init__(
        self,
        decay: FloatLike,
        num_updates: IntLike | None = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._name = name
        self._averages: dict[Any, Variable] = {}

    @property
    def name(self) -> str:
        """Suffix of the names of the averages."""
        return self._name

    def apply(self, var_list: Sequence[Variable | Tensor]) -> Any:
        """Update the averages of Variables. The first call creates them.

        Args:
            var_list: List of Variables with a float dtype. In a `tf.Graph`, it may contain tensors
                of the graph, such as losses. Their averages begin with 0.

        Returns:
            None, or in a `tf.Graph` the operation that updates the averages.

        Raises:
            TypeError: If an element is not a Variable with a float dtype.
        """
        graph = tracing.active_graph()
        averages = [self._found(variable, graph) for variable in var_list]
        if graph is None:
            return self._update(averages, [*var_list], self._decay, self._num_updates)
        given = (averages, [*var_list], self._decay, self._num_updates)
        return graph.record(self._update, given, {}, self._name)

    def _found(self, variable: Any, graph: Any) -> Variable:
        """Return the average of a Variable or tensor, which is created if necessary."""
        is_variable = isinstance(variable, Variable)
        if graph is None and not is_variable:
            raise TypeError(
                "tf.train.ExponentialMovingAverage does not support non-Variable tensors when "
                f"eager execution is enabled, but received {type(variable).__name__}."
            )
        if not variable.dtype.is_floating:
            raise TypeError(
                f"The variables must be half, float, or double: {variable.name} is "
                f"{variable.dtype.name}"
            )
        if variable.ref() not in self._averages:
            if graph is None:
                self._averages[variable.ref()] = self._created(variable)
            else:
                self._averages[variable.ref()] = self._created_in(graph, variable)
        return self._averages[variable.ref()]

    def _update(self, averages: Any, values: Any, decay: Any, num_updates: Any) -> None:
        decay = convert_to_tensor(decay, float32)
        if num_updates is not None:
            steps = cast(num_updates, float32)
            decay = minimum(decay, (1.0 + steps) / (10.0 + steps))
        for average, value in zip(averages, values, strict=True):
            rest = cast(1.0 - decay, average.dtype)
            average.assign_sub((average.value() - convert_to_tensor(value)) * rest)

    def _created(self, variable: Variable) -> Variable:
        with tracing.init_scope():
            return Variable(variable.value(), trainable=False, name=self._full_name(variable))

    def _created_in(self, graph: Any, variable: Any) -> Variable:
        """Return a Variable of a graph for the average of a Variable or tensor."""
        initial: Any
        if isinstance(variable, Variable):
            initial = getattr(variable, "initial_value", None)  # only in a graph
            if all(known is not variable for known in graph.get_collection(_COLLECTION)):
                graph.add_to_collection(_COLLECTION, variable)
        else:
            initial = zeros(variable.shape, variable.dtype)
        with name_scope(""), graph.control_dependencies(None):
            return Variable(initial, trainable=False, name=self._full_name(variable))

    def _full_name(self, variable: Any) -> str:
        return f"{variable.name.partition(':')[0]}/{self._name}"

    def variables_to_restore(
        self, moving_avg_variables: Sequence[Variable] | None = None
    ) -> dict[str, Variable]:
        """Return the Variables that receive their averages if a checkpoint is restored.

        Args:
            moving_avg_variables: Variables with averages. Default: all trainable Variables of the
                current graph, and those for which `apply` has been called there.

        Returns:
            Dictionary for `tf.compat.v1.train.Saver` from names in a checkpoint to Variables. It
            also contains the other Variables of the graph.
        """
        graph = tracing.active_graph()
        find = (lambda key: []) if graph is None else graph.get_collection
        if moving_avg_variables is None:
            moving_avg_variables = [*find("trainable_variables"), *find(_COLLECTION)]
        found = {self.average_name(v): v for v in moving_avg_variables}
        known = {v.name for v in moving_avg_variables}
        for variable in find("variables"):
            if variable.name not in known:
                found.setdefault(variable.name.partition(":")[0], variable)
        return found

    def average(self, var: Variable) -> Variable | None:
        """Return the Variable with the average of a Variable.

        Args:
            var: A Variable.

        Returns:
            A Variable that is not trainable, or None if `apply` has not been called for `var`.
        """
        return self._averages.get(var.ref())

    def average_name(self, var: Variable) -> str:
        """Return the name of the Variable with the average of a Variable.

        Args:
            var: A Variable.

        Returns:
            The name, which the average has or would receive.
        """
        average = self.average(var)
        return self._full_name(var) if average is None else average.name.removesuffix(":0")
