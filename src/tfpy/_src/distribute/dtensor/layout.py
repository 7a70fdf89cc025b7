"""Implementation of `tf.experimental.dtensor.Layout`, the sharding of a tensor over a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.sharding import ANY, Sharding
from tfpy._src.distribute.dtensor.mesh import BY_DEVICE_MESH, Mesh

UNSHARDED = "unsharded"
"""Entry of `sharding_specs` for a dimension that is not sharded."""

MATCH = ANY
"""Entry of `sharding_specs` for a dimension whose sharding `relayout` keeps."""

_SPECS, _MESH = "sharding_specs:", " mesh:"


class Layout:
    """A description of how a tensor is sharded over the devices of a mesh.

    Args:
        sharding_specs: List with an entry for each dimension of the tensor. It is the name of the
            mesh dimension along which the dimension is divided into equal parts, or `UNSHARDED`.
        mesh: A `tf.experimental.dtensor.Mesh`.

    Raises:
        ValueError: If the mesh has no dimension with a given name, or if a name appears twice.
        TypeError: If `sharding_specs` is not a list of strings.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> layout = dtensor.Layout(["batch", dtensor.UNSHARDED], mesh)
        >>> print(layout.rank, layout.num_shards(0))
        2 1

    See also: `tf.experimental.dtensor.Mesh`, `tf.experimental.dtensor.relayout`.
    """

    def __init__(self, sharding_specs: Sequence[str], mesh: Mesh) -> None:
        if not isinstance(mesh, Mesh):
            raise ValueError("mesh is not a valid Mesh object.")
        if isinstance(sharding_specs, str):
            raise TypeError(f"Layout: sharding_specs must be a list, got {sharding_specs!r}")
        specs = list(sharding_specs)
        for spec in specs:
            if spec in (UNSHARDED, MATCH):
                continue
            if not isinstance(spec, str):
                raise TypeError(f"A dimension sharding must be a string, got {spec!r}")
            if specs.count(spec) > 1:
                raise ValueError(
                    f"Mesh dimension {spec} was repeated in sharding specification {specs}. Mesh "
                    "dimensions must be unique in a layout."
                )
            if spec not in mesh:
                raise ValueError(
                    f"{spec}: A dimension sharding must either be a valid mesh dimension or "
                    "UNSHARDED."
                )
        self._specs, self._mesh = specs, mesh

    @classmethod
    def replicated(cls, mesh: Mesh, rank: int) -> Layout:
        """Create a layout in which every device holds the whole tensor.

        Args:
            mesh: A `tf.experimental.dtensor.Mesh`.
            rank: Rank of the tensor.

        Returns:
            A Layout.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout.replicated(mesh, rank=2).sharding_specs
            ['unsharded', 'unsharded']
        """
        return cls([UNSHARDED] * rank, mesh)

    @classmethod
    def batch_sharded(cls, mesh: Mesh, batch_dim: str, rank: int, axis: int = 0) -> Layout:
        """Create a layout that shards one axis of a tensor, by default the first.

        Args:
            mesh: A `tf.experimental.dtensor.Mesh`.
            batch_dim: Name of the mesh dimension along which the axis is sharded.
            rank: Rank of the tensor.
            axis: Axis to shard, from 0 to `rank - 1`. Default: 0.

        Returns:
            A Layout.

        Raises:
            ValueError: If the mesh dimension or the axis does not exist.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout.batch_sharded(mesh, "x", rank=2).sharding_specs
            ['x', 'unsharded']
        """
        if not 0 <= axis < rank:
            raise ValueError(f"Layout: A tensor of rank {rank} has no dimension {axis}.")
        return cls([batch_dim if i == axis else UNSHARDED for i in range(rank)], mesh)

    @classmethod
    def inner_sharded(cls, mesh: Mesh, inner_dim: str, rank: int) -> Layout:
        """Create a layout that shards the last axis of a tensor.

        Args:
            mesh: A `tf.experimental.dtensor.Mesh`.
            inner_dim: Name of the mesh dimension along which the axis is sharded.
            rank: Rank of the tensor.

        Returns:
            A Layout.

        Raises:
            ValueError: If the mesh dimension does not exist.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout.inner_sharded(mesh, "x", rank=2).sharding_specs
            ['unsharded', 'x']
        """
        return cls.batch_sharded(mesh, inner_dim, rank, rank - 1)

    @classmethod
    def of(cls, sharding: Sharding) -> Layout:
        """Convert a backend's sharding to a layout."""
        return cls([axis or UNSHARDED for axis in sharding.axes], BY_DEVICE_MESH[sharding.mesh])

    @property
    def sharding_specs(self) -> list[str]:
        """Name of the mesh dimension, or `UNSHARDED`, for each dimension of the tensor."""
        return list(self._specs)

    @property
    def mesh(self) -> Mesh:
        """The mesh."""
        return self._mesh

    @property
    def rank(self) -> int:
        """Rank of the tensor."""
        return len(self._specs)

    @property
    def shape(self) -> list[int]:
        """Shape of the mesh."""
        return self._mesh.shape()

    def num_shards(self, idx: int) -> int:
        """Return the number of parts into which a dimension is divided.

        Args:
            idx: Index of the dimension of the tensor.

        Returns:
            An integer.

        Raises:
            IndexError: If the tensor has no dimension with this index.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout(["x"], mesh).num_shards(0)
            1
        """
        spec = self._specs[idx]
        return 1 if spec in (UNSHARDED, MATCH) else self._mesh.dim_size(spec)

    def is_fully_replicated(self) -> bool:
        """Return True if every device holds the whole tensor.

        Returns:
            A bool.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout(["x"], mesh).is_fully_replicated()
            False
        """
        return all(spec == UNSHARDED for spec in self._specs)

    def is_batch_parallel(self) -> bool:
        """Return True if only the first dimension is sharded.

        Returns:
            A bool.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout(["x", "unsharded"], mesh).is_batch_parallel()
            True
        """
        return bool(self._specs) and [s != UNSHARDED for s in self._specs] == [
            i == 0 for i in range(self.rank)
        ]

    def delete(self, dims: int | list[int]) -> Layout:
        """Return a copy of the layout without some dimensions of the tensor.

        Args:
            dims: Index of the dimension to remove, or a list of indices.

        Returns:
            A new Layout.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout(["x", "unsharded"], mesh).delete(1).sharding_specs
            ['x']
        """
        gone = dims if isinstance(dims, list) else [dims]
        return Layout([s for i, s in enumerate(self._specs) if i not in gone], self._mesh)

    # Shapes

    def local_shape_from_global_shape(self, global_shape: Sequence[int]) -> Shape:
        """Return the shape of each device's part of a tensor.

        Args:
            global_shape: Shape of the tensor.

        Returns:
            A tuple of integers.

        Raises:
            ValueError: If the rank of the shape is not the rank of the layout.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout(["x"], mesh).local_shape_from_global_shape([8])
            (8,)
        """
        return tuple(int(n) // parts for n, parts in self._with_shards(global_shape))

    def global_shape_from_local_shape(self, local_shape: Sequence[int]) -> Shape:
        """Return the shape of a tensor from the shape of each device's part.

        Args:
            local_shape: Shape of a part.

        Returns:
            A tuple of integers.

        Raises:
            ValueError: If the rank of the shape is not the rank of the layout.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout(["x"], mesh).global_shape_from_local_shape([8])
            (8,)
        """
        return tuple(int(n) * parts for n, parts in self._with_shards(local_shape))

    def _with_shards(self, shape: Sequence[int]) -> list[tuple[int, int]]:
        if len(shape) != self.rank:
            raise ValueError(
                f"A layout of rank {self.rank} does not match the shape {list(shape)}."
            )
        return [(n, self.num_shards(i)) for i, n in enumerate(shape)]

    def offset_to_shard(self) -> list[tuple[int, ...]]:
        """Return the index of each device's part along each dimension of the tensor.

        Returns:
            A list with one tuple of integers per device.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout(["x"], mesh).offset_to_shard()
            [(0,)]
        """
        cut = [spec if spec in self._mesh else None for spec in self._specs]
        places = self._mesh.unravel_index().values()
        return [tuple(0 if dim is None else at[dim] for dim in cut) for at in places]

    def offset_tuple_to_global_index(self, offset_tuple: Sequence[int]) -> int:
        """Return the number of a part among all parts, in row-major order.

        Args:
            offset_tuple: Index of the part along each dimension of the tensor.

        Returns:
            An integer.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout(["x"], mesh).offset_tuple_to_global_index([0])
            0
        """
        index = 0
        for i, offset in enumerate(offset_tuple):
            index = index * self.num_shards(i) + offset
        return index

    def check(self, name: str, aval: Aval) -> None:
        """Check that a tensor can have this layout.

        Raises:
            tf.errors.InvalidArgumentError: If the rank differs, or a dimension is not divisible by
                the number of parts.
        """
        if aval.rank != self.rank:
            raise InvalidArgumentError(
                None,
                name,
                f"{name} requires matching rank for layout and input, but got {self.rank} as "
                f"suggested rank from layout but {aval.rank} from shape {list(aval.shape)}",
            )
        for i, (n, parts) in enumerate(self._with_shards(aval.closed.shape)):
            if n % parts:
                raise InvalidArgumentError(
                    None,
                    name,
                    f"{name} requires dimension {i} to be divisible by sharding specified in the "
                    f"layout, but got dimension size={n} of shape {list(aval.shape)} is not "
                    f"divisible by number of shards in layout for this dimension={parts}",
                )

    @property
    def sharding(self) -> Sharding:
        """Sharding for backends."""
        axes = tuple(None if spec == UNSHARDED else spec for spec in self._specs)
        return Sharding(self._mesh.device_mesh, axes)

    # Serialization

    def to_string(self) -> str:
        """Return the layout as a string, which `from_string` parses.

        Returns:
            A string.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> tf.experimental.dtensor.Layout(["x"], mesh).to_string().partition(" mesh:")[0]
            'sharding_specs:x,'
        """
        specs = "".join(f"{spec}," for spec in self._specs)
        return f"{_SPECS}{specs}{_MESH}{self._mesh.to_string()}"

    @classmethod
    def from_string(cls, layout_str: str) -> Layout:
        """Parse a string that `to_string` returned.

        Args:
            layout_str: The string.

        Returns:
            A Layout.

        Raises:
            ValueError: If the string has a different form.

        Example:
            >>> import tfpy as tf
            >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
            >>> layout = tf.experimental.dtensor.Layout(["x"], mesh)
            >>> tf.experimental.dtensor.Layout.from_string(layout.to_string()).sharding_specs
            ['x']
        """
        specs, middle, mesh = layout_str.partition(_MESH)
        if not (middle and specs.startswith(_SPECS)):
            raise ValueError(f"Expected '{_SPECS}...,{_MESH}...', got {layout_str!r}")
        return cls([*filter(None, specs.removeprefix(_SPECS).split(","))], Mesh.from_string(mesh))

    def __reduce__(self) -> Any:
        return Layout.from_string, (self.to_string(),)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Layout) and other._specs == self._specs and other._mesh == self._mesh
        )

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"Layout.from_string({self.to_string()})"
