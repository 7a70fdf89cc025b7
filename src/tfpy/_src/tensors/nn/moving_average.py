"""`tf.train.ExponentialMovingAverage`: averages of Variables over the steps of a training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import float32
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import minimum
from tfpy._src.core.typing import FloatLike, IntLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.variables.variable import Variable


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

    def apply(self, var_list: Sequence[Variable]) -> None:
        """Update the averages of Variables. The first call creates them.

        Args:
            var_list: List of Variables with a float dtype.

        Raises:
            TypeError: If an element is not a Variable with a float dtype.
        """
        for variable in var_list:
            if not isinstance(variable, Variable):
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
                self._averages[variable.ref()] = self._created(variable)
        decay = convert_to_tensor(self._decay, float32)
        if self._num_updates is not None:
            steps = cast(self._num_updates, float32)
            decay = minimum(decay, (1.0 + steps) / (10.0 + steps))
        for variable in var_list:
            average = self._averages[variable.ref()]
            rest = cast(1.0 - decay, average.dtype)
            average.assign_sub((average.value() - variable.value()) * rest)

    def _created(self, variable: Variable) -> Variable:
        with tracing.init_scope():
            name = f"{variable.name.removesuffix(':0')}/{self._name}"
            return Variable(variable.value(), trainable=False, name=name)

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
        name = f"{var.name.removesuffix(':0')}/{self._name}"
        return name if average is None else average.name.removesuffix(":0")
