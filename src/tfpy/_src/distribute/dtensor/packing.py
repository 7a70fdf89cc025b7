"""Tensors on a mesh from their parts on the devices, and vice versa."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.backends.devices import sharder_of
from tfpy._src.backends.registry import active_backend
from tfpy._src.base.errors import InternalError, InvalidArgumentError, UnimplementedError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.distribute.dtensor.api import check_eager, fetch_layout
from tfpy._src.distribute.dtensor.layout import Layout
from tfpy._src.distribute.dtensor.placing import joined, layout_of, parts_of


def pack(tensors: Sequence[TensorLike], layout: Layout) -> Tensor:
    """Create a tensor on a mesh from the parts on the devices of this process.

    Args:
        tensors: List of the part for each device, in the order of `layout.mesh.local_devices()`. If
            devices hold the same part of the tensor, their parts must be equal.
        layout: Layout of the result.

    Returns:
        The whole tensor, of which each device holds a part.

    Raises:
        tf.errors.InvalidArgumentError: If the number of parts does not match the mesh, a part has
            the wrong rank, or a part is already on a mesh.
        tf.errors.UnimplementedError: If the parts have different shapes.
        tf.errors.InternalError: If the parts have different dtypes.
        RuntimeError: If the function is called in a `tf.function`.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> x = dtensor.pack([[1.0, 2.0]], dtensor.Layout(["batch"], mesh))
        >>> print(dtensor.unpack(x)[0].numpy())
        [1. 2.]

    See also: `tf.experimental.dtensor.unpack`.
    """
    check_eager("pack")
    parts = [convert_to_tensor(tensor) for tensor in tensors]
    _check_parts(parts, layout)
    shape = layout.global_shape_from_local_shape(parts[0].aval.shape)
    return joined(parts, Aval(shape, parts[0].dtype), layout)


def _check_parts(parts: Sequence[Tensor], layout: Layout) -> None:
    wanted = layout.mesh.num_local_devices()
    if len(parts) != wanted:
        raise InvalidArgumentError(
            None, "pack", f"The mesh expected {wanted} inputs to pack, but got {len(parts)}"
        )
    if sharder_of(active_backend()) is not None and any(layout_of(part) for part in parts):
        raise InvalidArgumentError(
            None, "pack", "Does not support packing a Tensor that is already on a mesh"
        )
    shapes = {part.aval.shape for part in parts}
    if len(shapes) > 1:
        raise UnimplementedError(
            None, "pack", f"Components must all have the same shape, got {sorted(shapes)}"
        )
    dtypes = {part.dtype.name for part in parts}
    if len(dtypes) > 1:
        raise InternalError(
            None, "pack", f"Components must all have the same dtype, got {sorted(dtypes)}"
        )
    if parts[0].aval.rank != layout.rank:
        raise InvalidArgumentError(
            None,
            "pack",
            "Packed layout should have the same rank as the rank for each component. The rank of "
            f"each component is: {parts[0].aval.rank}, while layout has rank: {layout.rank}",
        )


def unpack(tensor: TensorLike) -> list[Tensor]:
    """Return the parts of a tensor that the devices of this process hold.

    Args:
        tensor: A tensor or Variable on a mesh.

    Returns:
        A list with a tensor for each device, in the order of `Mesh.local_devices()`.

    Raises:
        tf.errors.InvalidArgumentError: If the tensor is not on a mesh.
        RuntimeError: If the function is called in a `tf.function`.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> layout = dtensor.Layout.replicated(mesh, rank=1)
        >>> x = dtensor.copy_to_mesh(tf.constant([1.0, 2.0]), layout)
        >>> [part.numpy().tolist() for part in dtensor.unpack(x)]
        [[1.0, 2.0]]

    See also: `tf.experimental.dtensor.pack`.
    """
    check_eager("unpack")
    value = convert_to_tensor(tensor)
    layout = fetch_layout(value)
    assert layout is not None
    return parts_of(value, layout)
