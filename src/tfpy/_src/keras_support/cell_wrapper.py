"""The base of the wrappers of recurrent cells."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tfpy._src.base.dtypes import as_dtype, float32
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.variables.module import Module

_names: Counter[str] = Counter()


class CellWrapper(Module):
    """A cell that calls another cell."""

    _default_name = ""

    def __init__(
        self,
        cell: Any,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
    ) -> None:
        if name is None:
            number = _names[self._default_name]
            _names[self._default_name] += 1
            name = f"{self._default_name}_{number}" if number else self._default_name
        super().__init__(name=name)
        if not callable(getattr(cell, "call", None)):
            raise AttributeError(
                f"{cell!r} is not a cell: it has no method `call(inputs, states)`. Use a cell such "
                "as tf.keras.layers.GRUCell, or a Keras layer with such a method."
            )
        self.cell = cell
        self.dtype = float32.name if dtype is None else as_dtype(dtype).name
        self.trainable = trainable
        self.built = False

    @property
    def wrapped_cell(self) -> Any:
        """The cell that is called."""
        return self.cell

    @property
    def state_size(self) -> Any:
        """Sizes of the states of the cell."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """Size of the output of the cell."""
        return self.cell.output_size

    @property
    def compute_dtype(self) -> str:
        """Dtype of the states, for `tf.keras.layers.RNN`."""
        return self.dtype

    @property
    def variables(self) -> tuple[Any, ...]:
        """Variables of the cell."""
        return tuple(self.cell.variables)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Trainable Variables of the cell, or none if `trainable` is False."""
        return tuple(self.cell.trainable_variables) if self.trainable else ()

    def build(self, inputs_shape: ShapeLike) -> None:
        """Create the Variables of the cell.

        Args:
            inputs_shape: Shape of the inputs.
        """
        if hasattr(self.cell, "build") and not getattr(self.cell, "built", False):
            self.cell.build(inputs_shape)
        self.built = True

    def get_initial_state(
        self,
        inputs: TensorLike | None = None,
        batch_size: int | Tensor | None = None,
        dtype: DTypeLike | None = None,
    ) -> Any:
        """Return states that contain zeros.

        Args:
            inputs: Inputs of the cell, which have the batch size and the dtype.
            batch_size: Batch size, if there are no inputs.
            dtype: Dtype of the states. Default: the dtype of the wrapper.

        Returns:
            Tensors of shape `[batch_size, state_size]`, in the structure of `state_size`.

        Raises:
            ValueError: If neither `inputs` nor `batch_size` is given.
        """
        if inputs is not None:
            given = convert_to_tensor(inputs)
            batch_size, dtype = given.shape[0], given.dtype
        if batch_size is None:
            raise ValueError("get_initial_state: pass batch_size or inputs.")
        kind = dtype or self.dtype
        return nest.map_structure(
            lambda size: zeros([batch_size, *sizes_of(size)], kind), self.state_size
        )

    def __call__(self, inputs: TensorLike, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Compute one step.

        Args:
            inputs: Inputs of the cell, of shape `[batch, features]`.
            state: States of the cell.
            **kwargs: Arguments of the cell's `call`, such as `training`.

        Returns:
            A pair `(output, new_state)`.
        """
        found = nest.map_structure(convert_to_tensor, inputs)
        if not self.built:
            self.build(nest.map_structure(lambda x: x.shape, found))
        return self.call(found, state, **kwargs)

    def call(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Compute one step, as a call of the wrapper does after the first one."""
        found: tuple[Any, Any] = self.cell.call(inputs, state, **kwargs)
        return found

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the wrapper and of the cell."""
        cell = {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}
        common = {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}
        return {**common, "cell": cell}

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Any = None) -> Any:
        """Return a wrapper with the arguments that `get_config` returned.

        Args:
            config: Dictionary of `get_config`.
            custom_objects: Dictionary of classes of cells that Keras does not have.

        Returns:
            A wrapper with a new cell.
        """
        arguments = dict(config)
        cell = arguments.pop("cell")
        name = cell["class_name"]
        kind = (custom_objects or {}).get(name)
        if kind is None:
            kind = getattr(importlib.import_module("keras.layers"), name)
        return cls(kind.from_config(cell["config"]), **arguments)


def sizes_of(size: Any) -> list[Any]:
    """Return the dimensions of a state after the batch."""
    return [size] if isinstance(size, int) else list(size)
