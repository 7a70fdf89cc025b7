"""Cells of recurrent networks that wrap another cell: `tf.nn.RNNCellDropoutWrapper` and others."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.conversion import constant, convert_to_tensor, get_static_value
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, FloatLike
from tfpy._src.distribute.placing import device as on_device
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.keras_support.cell_wrapper import CellWrapper, sizes_of
from tfpy._src.tensors.nn.layers import dropout
from tfpy._src.tensors.random.stateful import uniform


class RNNCellDropoutWrapper(CellWrapper):
    """A cell with dropout of the inputs, outputs and states of another cell.

    Args:
        cell: Cell, such as `tf.keras.layers.GRUCell`.
        input_keep_prob: Probability with which an element of the inputs is kept.
        output_keep_prob: Probability with which an element of the outputs is kept.
        state_keep_prob: Probability with which an element of the new states is kept.
        variational_recurrent: If True, all steps use the same random numbers.
        input_size: Size of the inputs. Required if `variational_recurrent` is True and
            `input_keep_prob` is less than 1.
        dtype: Dtype of the wrapper. Required if `variational_recurrent` is True.
        seed: Integer seed of the random numbers.
        dropout_state_filter_visitor: Function that takes states and returns False for those that
            are always kept, in the structure of the states. Default: True except for
            `tf.TensorArray`.
        name, trainable: Name of the wrapper, and whether its Variables are trained.

    Raises:
        TypeError: If `dropout_state_filter_visitor` is not callable.
        ValueError: If a probability is not between 0 and 1, or a required argument is missing.

    Example:
        >>> import tfpy as tf
        >>> class Sum:
        ...     state_size = output_size = 2
        ...     built = True
        ...
        ...     def call(self, inputs, state):
        ...         return inputs + state, state + 1.0
        >>> cell = tf.nn.RNNCellDropoutWrapper(Sum(), output_keep_prob=0.5)
        >>> output, state = cell(tf.ones([1, 2]), tf.zeros([1, 2]))
        >>> output.shape
        TensorShape([1, 2])

    See also: `tf.nn.RNNCellResidualWrapper`, `tf.nn.dropout`.
    """

    _default_name = "dropout_wrapper"

    def __init__(
        self,
        cell: Any,
        input_keep_prob: FloatLike = 1.0,
        output_keep_prob: FloatLike = 1.0,
        state_keep_prob: FloatLike = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: DTypeLike | None = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        name: str | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__(cell, name, dtype, trainable)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._filter = dropout_state_filter_visitor
        self._keep = {
            "input": _probability("input_keep_prob", input_keep_prob),
            "output": _probability("output_keep_prob", output_keep_prob),
            "state": _probability("state_keep_prob", state_keep_prob),
        }
        self._variational_recurrent = variational_recurrent
        self._input_size = input_size
        self._seed = seed
        self._noise: dict[str, list[Tensor]] = {}
        if variational_recurrent:
            if dtype is None:
                raise ValueError("When variational_recurrent=True, dtype must be provided")
            if _drops(self._keep["input"]):
                if input_size is None:
                    raise ValueError(
                        "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                        "input_size must be provided"
                    )
                self._noise["input"] = self._noise_of("input", input_size)
            self._noise["state"] = self._noise_of("state", cell.state_size)
            self._noise["output"] = self._noise_of("output", cell.output_size)

    def call(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Compute one step, as a call of the wrapper does after the first one."""
        output, new_state = super().call(self._dropped("input", inputs), state, **kwargs)
        if _drops(self._keep["state"]):
            is_dropped = list(_visited(self._filter or _is_not_array, new_state))
            new_state = self._dropped("state", new_state, is_dropped)
        return self._dropped("output", output), new_state

    def _noise_of(self, salt: str, sizes: Any) -> list[Tensor]:
        leaves = [sizes] if not nest.is_nested(sizes) else nest.flatten(sizes)
        return [
            uniform([1, *sizes_of(size)], seed=self._seed_of(salt, i), dtype=self.dtype)
            for i, size in enumerate(leaves)
        ]

    def _seed_of(self, salt: str, index: int) -> int | None:
        """Return a seed for one tensor, computed as in TensorFlow."""
        if self._seed is None:
            return None
        text = f"{self._seed}{salt}_{index}".encode()
        digest = hashlib.md5(text, usedforsecurity=False).hexdigest()
        return int(digest[:8], 16) & 0x7FFFFFFF

    def _dropped(self, salt: str, values: Any, is_dropped: list[bool] | None = None) -> Any:
        keep = self._keep[salt]
        if not _drops(keep):
            return values
        leaves = nest.flatten(values)
        chosen = [True] * len(leaves) if is_dropped is None else is_dropped
        found = []
        for i, (value, drop) in enumerate(zip(leaves, chosen, strict=True)):
            if not drop:
                found.append(value)
            elif self._variational_recurrent:
                kept = (keep + self._noise[salt][i]) // 1.0
                found.append(value / constant(keep, value.dtype) * kept)
            else:
                found.append(dropout(value, 1.0 - keep, seed=self._seed_of(salt, i)))
        return nest.pack_sequence_as(values, found)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the wrapper and of the cell."""
        own = {
            "input_keep_prob": self._keep["input"],
            "output_keep_prob": self._keep["output"],
            "state_keep_prob": self._keep["state"],
            "variational_recurrent": self._variational_recurrent,
            "input_size": self._input_size,
            "seed": self._seed,
        }
        filters = {} if self._filter is None else {"dropout_state_filter_visitor": self._filter}
        return {**super().get_config(), **own, **filters}


def _probability(name: str, value: FloatLike) -> Any:
    """Return a probability as a number if its value is known.

    Raises:
        ValueError: If the number is not between 0 and 1.
    """
    known = get_static_value(convert_to_tensor(value))
    if known is None:
        return value
    if not 0 <= known <= 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {known}")
    return float(known)


def _drops(keep: Any) -> bool:
    return not isinstance(keep, float) or keep < 1


def _is_not_array(state: Any) -> bool:
    return not isinstance(state, TensorArray)


def _visited(visit: Callable[[Any], Any], state: Any) -> Iterator[bool]:
    """Yield for each leaf of the states whether dropout applies to it."""
    found = visit(state)
    if isinstance(found, bool):
        parts = nest.contents(state) if nest.is_nested(state) else []
        if found and parts:
            for part in parts:
                yield from _visited(visit, part)
        else:
            yield from [found] * (len(nest.flatten(state)) if parts else 1)
        return
    for wanted, part in zip(nest.contents(found), nest.contents(state), strict=True):
        yield from _visited(visit, part) if wanted else [False] * len(nest.flatten(part))


class RNNCellResidualWrapper(CellWrapper):
    """A cell that adds its inputs to the outputs of another cell.

    Args:
        cell: Cell, such as `tf.keras.layers.GRUCell`.
        residual_fn: Function that takes the inputs and the outputs of the cell and returns the
            outputs of the wrapper. Default: their sum.
        name, dtype, trainable: Name of the wrapper, dtype of its states, and whether its Variables
            are trained.

    Example:
        >>> import tfpy as tf
        >>> class Sum:
        ...     state_size = output_size = 2
        ...     built = True
        ...
        ...     def call(self, inputs, state):
        ...         return inputs + state, state + 1.0
        >>> cell = tf.nn.RNNCellResidualWrapper(Sum())
        >>> output, state = cell(tf.ones([1, 2]), tf.zeros([1, 2]))
        >>> output.numpy().tolist()
        [[2.0, 2.0]]

    See also: `tf.nn.RNNCellDropoutWrapper`.
    """

    _default_name = "residual_wrapper"

    def __init__(
        self,
        cell: Any,
        residual_fn: Callable[[Any, Any], Any] | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__(cell, name, dtype, trainable)
        self._residual_fn = residual_fn

    def call(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Compute one step, as a call of the wrapper does after the first one."""
        output, new_state = super().call(inputs, state, **kwargs)
        return (self._residual_fn or _sum)(inputs, output), new_state

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the wrapper and of the cell."""
        own = {} if self._residual_fn is None else {"residual_fn": self._residual_fn}
        return {**super().get_config(), **own}


def _sum(inputs: Any, outputs: Any) -> Any:
    nest.assert_same_structure(inputs, outputs)
    for x, y in zip(nest.flatten(inputs), nest.flatten(outputs), strict=True):
        x.shape.assert_is_compatible_with(y.shape)
    return nest.map_structure(lambda x, y: x + y, inputs, outputs)


class RNNCellDeviceWrapper(CellWrapper):
    """A cell that runs another cell on a device.

    Args:
        cell: Cell, such as `tf.keras.layers.GRUCell`.
        device: Name of the device, as for `tf.device`.
        name, dtype, trainable: Name of the wrapper, dtype of its states, and whether its Variables
            are trained.

    Example:
        >>> import tfpy as tf
        >>> class Sum:
        ...     state_size = output_size = 2
        ...     built = True
        ...
        ...     def call(self, inputs, state):
        ...         return inputs + state, state + 1.0
        >>> cell = tf.nn.RNNCellDeviceWrapper(Sum(), "/cpu:0")
        >>> output, state = cell(tf.ones([1, 2]), tf.zeros([1, 2]))
        >>> output.numpy().tolist()
        [[1.0, 1.0]]

    See also: `tf.device`.
    """

    _default_name = "device_wrapper"

    def __init__(
        self,
        cell: Any,
        device: Any,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__(cell, name, dtype, trainable)
        self._device = device

    def call(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Compute one step, as a call of the wrapper does after the first one."""
        with on_device(self._device):
            return super().call(inputs, state, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the wrapper and of the cell."""
        return {**super().get_config(), "device": self._device}
