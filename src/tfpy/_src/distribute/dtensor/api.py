"""The functions of `tf.experimental.dtensor` on tensors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from tfpy._src.backends.devices import sharder_of
from tfpy._src.backends.registry import active_backend
from tfpy._src.base import tracing
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor, is_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.distribute.dtensor import relayouts
from tfpy._src.distribute.dtensor.layout import Layout
from tfpy._src.distribute.dtensor.mesh import Mesh
from tfpy._src.distribute.dtensor.placing import layout_of, use
from tfpy._src.distribute.dtensor.variable import DVariable

_DEVICE = "/job:localhost/replica:0/task:0/device:CUSTOM:0"


class _Local(threading.local):
    def __init__(self) -> None:
        self.meshes: list[Mesh] = []
        """Meshes of the enclosing `default_mesh` contexts, innermost last."""


_local = _Local()


# Contexts


def call_with_layout(
    fn: Callable[..., Any], layout: Layout | None, *args: object, **kwargs: object
) -> Any:
    """Call a function and shard its results according to a layout.

    Args:
        fn: Function such as `tf.zeros`.
        layout: Layout of each tensor in the result. If it is None, the result is not changed.
        *args: Positional arguments of `fn`.
        **kwargs: Keyword arguments of `fn`.

    Returns:
        The result of `fn`.

    Raises:
        tf.errors.InvalidArgumentError: If the layout does not match the shape of a result.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> layout = dtensor.Layout.batch_sharded(mesh, "batch", rank=2)
        >>> x = dtensor.call_with_layout(tf.zeros, layout, [4, 2])
        >>> print(dtensor.fetch_layout(x).sharding_specs)
        ['batch', 'unsharded']

    See also: `tf.experimental.dtensor.relayout`.
    """
    found = fn(*args, **kwargs)
    if layout is None:
        return found
    return nest.map_structure(lambda x: relayout(x, layout) if is_tensor(x) else x, found)


@contextmanager
def default_mesh(mesh: Mesh) -> Iterator[None]:
    """Return a context manager within which new tensors are replicated over a mesh.

    New tensors are the results of computations whose inputs are not on a mesh.

    Args:
        mesh: A `tf.experimental.dtensor.Mesh`.

    Returns:
        A context manager.

    Raises:
        ValueError: If `mesh` is not a Mesh.
        tf.errors.UnimplementedError: If the mesh has more devices than the active backend.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> with dtensor.default_mesh(mesh):
        ...     x = tf.zeros([2])
        >>> dtensor.is_dtensor(x)
        True

    See also: `tf.experimental.dtensor.get_default_mesh`.
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


def run_on(mesh: Mesh) -> AbstractContextManager[None]:
    """Return a context manager within which new tensors are replicated over a mesh.

    It is the former name of `tf.experimental.dtensor.default_mesh`.

    Args:
        mesh: A `tf.experimental.dtensor.Mesh`.

    Returns:
        A context manager.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> with dtensor.run_on(mesh):
        ...     x = tf.zeros([2])
        >>> dtensor.is_dtensor(x)
        True

    See also: `tf.experimental.dtensor.default_mesh`.
    """
    return default_mesh(mesh)


def get_default_mesh() -> Mesh | None:
    """Return the mesh of the enclosing `default_mesh` context.

    Returns:
        A `tf.experimental.dtensor.Mesh`, or None outside of all such contexts.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> with dtensor.default_mesh(mesh):
        ...     print(dtensor.get_default_mesh().dim_names)
        ['batch']

    See also: `tf.experimental.dtensor.default_mesh`.
    """
    return _local.meshes[-1] if _local.meshes else None


def device_name() -> str:
    """Return TensorFlow's name for the virtual device that represents all meshes.

    Returns:
        A string.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.dtensor.device_name()
        '/job:localhost/replica:0/task:0/device:CUSTOM:0'
    """
    return _DEVICE


# Layouts


def is_dtensor(tensor: object) -> bool:
    """Return True if a tensor or Variable is on a mesh, that is, on a grid of devices.

    Args:
        tensor: A tensor, a Variable, or any other value.

    Returns:
        A bool.

    Raises:
        RuntimeError: If the function is called in a `tf.function`.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> x = dtensor.copy_to_mesh(tf.ones([2]), dtensor.Layout.replicated(mesh, rank=1))
        >>> dtensor.is_dtensor(x), dtensor.is_dtensor([1.0, 1.0])
        (True, False)

    See also: `tf.experimental.dtensor.fetch_layout`.
    """
    check_eager("is_dtensor")
    return is_tensor(tensor) and _layout(tensor) is not None


def fetch_layout(tensor: Any) -> Layout | None:
    """Return the layout of a tensor or Variable, which describes its sharding over a mesh.

    Args:
        tensor: A tensor, a Variable, or any other value.

    Returns:
        A `tf.experimental.dtensor.Layout`, or None if the value is not a tensor.

    Raises:
        tf.errors.InvalidArgumentError: If the tensor is not on a mesh.
        RuntimeError: If the function is called in a `tf.function`, where the compiler chooses the
            layouts.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> rows = dtensor.Layout(["batch", dtensor.UNSHARDED], mesh)
        >>> x = dtensor.copy_to_mesh(tf.ones([2, 3]), rows)
        >>> dtensor.fetch_layout(x).sharding_specs
        ['batch', 'unsharded']

    See also: `tf.experimental.dtensor.check_layout`, `tf.experimental.dtensor.is_dtensor`.
    """
    check_eager("fetch_layout")
    if not is_tensor(tensor):
        return None
    layout = _layout(tensor)
    if layout is None:
        raise InvalidArgumentError(
            None,
            "fetch_layout",
            f"FetchLayout expects a tensor placed on the layout device, got one of shape "
            f"{list(tensor.shape)} that is not on a mesh. Use dtensor.copy_to_mesh first.",
        )
    return layout


def check_layout(tensor: TensorLike, layout: Layout) -> None:
    """Check that a tensor has a given layout.

    Args:
        tensor: A tensor or Variable.
        layout: Expected layout.

    Raises:
        ValueError: If the tensor has a different layout.
        tf.errors.InvalidArgumentError: If the tensor is not on a mesh.

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
        ...     print("a different layout")
        a different layout

    See also: `tf.experimental.dtensor.fetch_layout`.
    """
    found = fetch_layout(tensor)
    if found != layout:
        raise ValueError(f"Layout of tensor: {found}, did not match expected layout: {layout}")


def relayout(tensor: TensorLike, layout: Layout, name: str | None = None) -> Tensor:
    """Return a tensor with a different layout, on the same or a different mesh.

    In a `tf.function`, the mesh must be the same, and the compiler ensures that the intermediate
    result has the layout. The gradient has the layout of `tensor`.

    Args:
        tensor: Tensor of any shape and dtype.
        layout: Layout of the result. A dimension that is `tf.experimental.dtensor.MATCH` keeps its
            sharding.

    Returns:
        A tensor with the shape, dtype and elements of `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: If the rank of the layout differs from the rank of `tensor`,
            or a dimension is not divisible by the number of parts.
        tf.errors.UnimplementedError: If the mesh has more devices than the active backend.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> x = dtensor.relayout(tf.ones([4, 2]), dtensor.Layout.replicated(mesh, rank=2))
        >>> print(dtensor.fetch_layout(x).is_fully_replicated())
        True

    See also: `tf.experimental.dtensor.relayout_like`, `tf.experimental.dtensor.copy_to_mesh`.
    """
    return relayouts.to(convert_to_tensor(tensor), layout)


def relayout_like(tensor: TensorLike, layout_tensor: TensorLike, name: str | None = None) -> Tensor:
    """Return a tensor with the layout of a second tensor.

    Args:
        tensor: Tensor of any shape and dtype.
        layout_tensor: Tensor from which the layout is taken. Its values are ignored.

    Returns:
        A tensor with the shape, dtype and elements of `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: If the layout does not match the shape of `tensor` or, in a
            `tf.function`, if the shapes of the tensors differ.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> rows = dtensor.Layout.batch_sharded(mesh, "batch", rank=2)
        >>> a = dtensor.copy_to_mesh(tf.ones([2, 3]), rows)
        >>> b = dtensor.copy_to_mesh(tf.zeros([2, 3]), dtensor.Layout.replicated(mesh, rank=2))
        >>> dtensor.fetch_layout(dtensor.relayout_like(b, a)).sharding_specs
        ['batch', 'unsharded']

    See also: `tf.experimental.dtensor.relayout`.
    """
    return relayouts.like(convert_to_tensor(tensor), convert_to_tensor(layout_tensor))


def copy_to_mesh(tensor: TensorLike, layout: Layout, source_layout: Layout | None = None) -> Tensor:
    """Copy a tensor to the devices of a mesh.

    Args:
        tensor: Tensor of any shape and dtype.
        layout: Layout of the result.
        source_layout: Has no effect.

    Returns:
        A tensor with the shape, dtype and elements of `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: If the rank of the layout differs from the rank of `tensor`,
            or a dimension is not divisible by the number of parts.
        tf.errors.UnimplementedError: If the mesh has more devices than the active backend.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> layout = dtensor.Layout.replicated(mesh, rank=1)
        >>> x = dtensor.copy_to_mesh(tf.constant([1.0, 2.0]), layout)
        >>> dtensor.fetch_layout(x).sharding_specs, x.numpy().tolist()
        (['unsharded'], [1.0, 2.0])

    See also: `tf.experimental.dtensor.relayout`, `tf.experimental.dtensor.pack`.
    """
    return relayout(tensor, layout)


def _layout(tensor: Any) -> Layout | None:
    if isinstance(tensor, DVariable):
        return tensor.layout
    return layout_of(convert_to_tensor(tensor))


def check_eager(name: str) -> None:
    """Raise a RuntimeError inside a `tf.function`."""
    if tracing.local.active:
        raise RuntimeError(f"`{name}` must be called eagerly.")
