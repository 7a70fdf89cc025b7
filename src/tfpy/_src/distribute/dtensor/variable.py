"""Implementation of `tf.experimental.dtensor.DVariable`, a Variable with a fixed layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.distribute.dtensor import relayouts
from tfpy._src.distribute.dtensor.described import LAYOUT
from tfpy._src.distribute.dtensor.layout import Layout
from tfpy._src.distribute.dtensor.placing import own_layout
from tfpy._src.tensors.variables.variable import Variable


class DVariable(Variable):
    """A Variable that is sharded over the devices of a mesh.

    Its layout does not change: assigned values are sharded in the same way as the initial value.

    Args:
        initial_value: Tensor on a mesh or, if `layout` is given, any value that can be converted to
            a tensor. It may also be a function without arguments that returns such a value.
        dtype: Dtype of the Variable. Default: the dtype of `initial_value`.
        layout: A `tf.experimental.dtensor.Layout`. Default: the layout of `initial_value`.
        **kwargs: Further arguments of `tf.Variable`.

    Raises:
        tf.errors.InvalidArgumentError: If `layout` is not given and `initial_value` is not on a
            mesh, if the layout of `initial_value` is not `layout`, or if the layout does not match
            the shape.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("model", 1)], devices=["CPU:0"])
        >>> v = dtensor.DVariable([1.0, 2.0], layout=dtensor.Layout(["model"], mesh))
        >>> print(v.assign_add([1.0, 1.0]).numpy(), v.layout.sharding_specs)
        [2. 3.] ['model']

    See also: `tf.Variable`, `tf.experimental.dtensor.Layout`.
    """

    def __init__(
        self,
        initial_value: TensorLike | Callable[[], TensorLike],
        *,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        wanted: Layout | None = kwargs.pop("layout", None)
        with tracing.init_scope():
            given = initial_value() if callable(initial_value) else initial_value
            value = convert_to_tensor(given, dtype)
            self.layout = _agreed(wanted, own_layout(value))
        super().__init__(value, **kwargs)

    def hold(self, tensor: Tensor) -> None:
        super().hold(relayouts.to(tensor, self.layout))

    def _check_fits(self, tensor: Tensor) -> None:
        super()._check_fits(tensor)
        given: Layout | None = vars(tensor).get(LAYOUT)
        if given is not None and given.mesh != self.layout.mesh:
            raise InvalidArgumentError(
                None,
                "DVariable",
                f"The value is on the mesh {given.mesh.to_string()}, but the Variable is on the "
                f"mesh {self.layout.mesh.to_string()}. Use dtensor.relayout first.",
            )


def _agreed(wanted: Layout | None, present: Layout | None) -> Layout:
    agreed = wanted or present
    if agreed is None:
        raise InvalidArgumentError(
            None, "DVariable", "Neither layout nor DTensor initial value are provided."
        )
    if wanted is not None and present is not None and wanted != present:
        raise InvalidArgumentError(
            None,
            "DVariable",
            f"Conflicting layout are provided for initial value layout ({present}) and variable "
            f"({wanted}).",
        )
    return agreed
