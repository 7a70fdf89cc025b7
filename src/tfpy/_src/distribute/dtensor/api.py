"""The functions of ``tf.experimental.dtensor`` on tensors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from tfpy._src.backends.devices import sharder_of
from tfpy._src.backends.registry import active_backend
from tfpy._src.base import tracing
from tfpy._src.base.errors import InternalError, InvalidArgumentError, UnimplementedError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor, is_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.distribute.dtensor import relayouts
from tfpy._src.distribute.dtensor.layout import Layout
from tfpy._src.distribute.dtensor.mesh import Mesh
from tfpy._src.distribute.dtensor.placing import joined, layout_of, parts_of, use
from tfpy._src.distribute.dtensor.variable import DVariable

_DEVICE = "/job:localhost/replica:0/task:0/device:CUSTOM:0"


class _Local(threading.local):
    def __init__(self) -> None:
        self.meshes: list[Mesh] = []
        """Those of the ``default_mesh`` around the code, innermost last."""


_local = _Local()


# Contexts


def call_with_layout(
    fn: Callable[..., Any], layout: Layout | None, *args: Any, **kwargs: Any
) -> Any:
    """``fn(*args, **kwargs)``, whose tensors get a layout; as they are if that is None.

    Raises:
        InvalidArgumentError: when the layout does not fit a result.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> layout = dtensor.Layout.batch_sharded(mesh, "batch", rank=2)
        >>> x = dtensor.call_with_layout(tf.zeros, layout, [4, 2])
        >>> print(dtensor.fetch_layout(x).sharding_specs)
        ['batch', 'unsharded']
    """
    found = fn(*args, **kwargs)
    if layout is None:
        return found
    return nest.map_structure(lambda x: relayout(x, layout) if is_tensor(x) else x, found)


@contextmanager
def default_mesh(mesh: Mesh) -> Iterator[None]:
    """A context in which what is computed of nothing that is on a mesh is replicated over one.

    Raises:
        ValueError: for what is no Mesh.
        UnimplementedError: when the active backend has one device, and the mesh more.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> with dtensor.default_mesh(mesh):
        ...     x = tf.zeros([2])
        >>> dtensor.is_dtensor(x)
        True
    """
    if not isinstance(mesh, Mesh):
        raise ValueError(f"Expect `mesh` to be `Mesh`, got {type(mesh)}")
    use(mesh)
    sharder = sharder_of(active_backend())
    _local.meshes.append(mesh)
    try:
        with nullcontext() if sharder is None else sharder.on(mesh.device_mesh):
            yield
    finally:
        _local.meshes.pop()


def run_on(mesh: Mesh) -> Any:
    """:func:`default_mesh`, by its older name.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> with dtensor.run_on(mesh):
        ...     x = tf.zeros([2])
        >>> dtensor.is_dtensor(x)
        True
    """
    return default_mesh(mesh)


def get_default_mesh() -> Mesh | None:
    """The mesh of the ``default_mesh`` around the code; None outside of one.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> with dtensor.default_mesh(mesh):
        ...     inside = dtensor.get_default_mesh()
        >>> inside == mesh, dtensor.get_default_mesh()
        (True, None)
    """
    return _local.meshes[-1] if _local.meshes else None


def device_name() -> str:
    """TensorFlow's name for all devices of meshes together.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.device_name()
        '/job:localhost/replica:0/task:0/device:CUSTOM:0'
    """
    return _DEVICE


# Layouts


def is_dtensor(tensor: Any) -> bool:
    """Whether a tensor or Variable lies on a mesh.

    Raises:
        RuntimeError: within a ``tf.function``.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> x = dtensor.copy_to_mesh(tf.ones([2]), dtensor.Layout.replicated(mesh, rank=1))
        >>> dtensor.is_dtensor(x), dtensor.is_dtensor([1.0, 1.0])
        (True, False)
    """
    _check_eager("is_dtensor")
    return is_tensor(tensor) and _layout(tensor) is not None


def fetch_layout(tensor: Any) -> Layout | None:
    """The layout of a tensor or Variable; None for what is no tensor.

    Raises:
        InvalidArgumentError: for a tensor that lies on no mesh.
        RuntimeError: within a ``tf.function``, whose layouts the compiler finds.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> rows = dtensor.Layout(["batch", dtensor.UNSHARDED], mesh)
        >>> x = dtensor.copy_to_mesh(tf.ones([2, 3]), rows)
        >>> dtensor.fetch_layout(x).sharding_specs
        ['batch', 'unsharded']
    """
    _check_eager("fetch_layout")
    if not is_tensor(tensor):
        return None
    layout = _layout(tensor)
    if layout is None:
        raise InvalidArgumentError(
            None,
            "fetch_layout",
            f"FetchLayout expects a tensor placed on the layout device, got one of shape "
            f"{list(tensor.shape)} that is on no mesh; dtensor.copy_to_mesh puts it there",
        )
    return layout


def check_layout(tensor: Any, layout: Layout) -> None:
    """Checks that a tensor has that layout.

    Raises:
        ValueError: when it has another one.
        InvalidArgumentError: when it lies on no mesh.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> rows = dtensor.Layout.batch_sharded(mesh, "batch", rank=2)
        >>> x = dtensor.copy_to_mesh(tf.ones([2, 3]), rows)
        >>> dtensor.check_layout(x, rows)
        >>> try:
        ...     dtensor.check_layout(x, dtensor.Layout.replicated(mesh, rank=2))
        ... except ValueError:
        ...     print("another layout")
        another layout
    """
    found = fetch_layout(tensor)
    if found != layout:
        raise ValueError(f"Layout of tensor: {found}, did not match expected layout: {layout}")


def relayout(tensor: Any, layout: Layout, name: str | None = None) -> Tensor:
    """The tensor in another layout, on the same mesh or (outside of functions) on another one.

    Within a ``tf.function`` the compiler is told how the value lies there. The gradient has the
    layout of ``tensor``.

    Raises:
        InvalidArgumentError: when the layout does not fit the tensor's shape.
        UnimplementedError: when the active backend has one device, and the mesh more.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> x = dtensor.relayout(tf.ones([4, 2]), dtensor.Layout.replicated(mesh, rank=2))
        >>> print(dtensor.fetch_layout(x).is_fully_replicated())
        True
    """
    return relayouts.to(convert_to_tensor(tensor), layout)


def relayout_like(tensor: Any, layout_tensor: Any, name: str | None = None) -> Tensor:
    """The tensor in the layout of another one, of any values.

    Raises:
        InvalidArgumentError: when that layout does not fit; within a ``tf.function``, when the
            shapes differ.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> rows = dtensor.Layout.batch_sharded(mesh, "batch", rank=2)
        >>> a = dtensor.copy_to_mesh(tf.ones([2, 3]), rows)
        >>> b = dtensor.copy_to_mesh(tf.zeros([2, 3]), dtensor.Layout.replicated(mesh, rank=2))
        >>> dtensor.fetch_layout(dtensor.relayout_like(b, a)) == rows
        True
    """
    return relayouts.like(convert_to_tensor(tensor), convert_to_tensor(layout_tensor))


def copy_to_mesh(tensor: Any, layout: Layout, source_layout: Layout | None = None) -> Tensor:
    """A tensor, or what converts to one, on a mesh: :func:`relayout`.

    Args:
        source_layout: of no effect.

    Raises:
        InvalidArgumentError: when the layout does not fit the tensor's shape.
        UnimplementedError: when the active backend has one device, and the mesh more.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> layout = dtensor.Layout.replicated(mesh, rank=1)
        >>> x = dtensor.copy_to_mesh(tf.constant([1.0, 2.0]), layout)
        >>> dtensor.fetch_layout(x) == layout, x.numpy().tolist()
        (True, [1.0, 2.0])
    """
    return relayout(tensor, layout)


# Parts


def pack(tensors: Sequence[Any], layout: Layout) -> Tensor:
    """The tensor of which the devices of this process have these parts, one each.

    Args:
        tensors: the parts in the order of ``layout.mesh.local_devices()``; devices that share a
            part are given equal ones.

    Raises:
        InvalidArgumentError: for another number of parts, a part of another rank than the
            layout's, and one that is on a mesh.
        UnimplementedError, InternalError: for parts of different shapes or dtypes.
        RuntimeError: within a ``tf.function``.

    Example:
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> x = dtensor.pack([[1.0, 2.0]], dtensor.Layout(["batch"], mesh))
        >>> print(dtensor.unpack(x)[0].numpy())
        [1. 2.]
    """
    _check_eager("pack")
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


def unpack(tensor: Any) -> list[Tensor]:
    """What each device of this process has of a tensor, in the order of the mesh's devices.

    Raises:
        InvalidArgumentError: for a tensor that is on no mesh.
        RuntimeError: within a ``tf.function``.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> layout = dtensor.Layout.replicated(mesh, rank=1)
        >>> x = dtensor.copy_to_mesh(tf.constant([1.0, 2.0]), layout)
        >>> [part.numpy().tolist() for part in dtensor.unpack(x)]
        [[1.0, 2.0]]
    """
    _check_eager("unpack")
    value = convert_to_tensor(tensor)
    layout = fetch_layout(value)
    assert layout is not None
    return parts_of(value, layout)


def _layout(tensor: Any) -> Layout | None:
    if isinstance(tensor, DVariable):
        return tensor.layout
    return layout_of(convert_to_tensor(tensor))


def _check_eager(name: str) -> None:
    if tracing.local.active:
        raise RuntimeError(f"`{name}` must be called eagerly.")
