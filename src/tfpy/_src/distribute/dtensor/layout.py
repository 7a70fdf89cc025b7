"""``tf.experimental.dtensor.Layout``: which dimension of a tensor is cut along which of a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.sharding import ANY, Sharding
from tfpy._src.distribute.dtensor.mesh import BY_DEVICE_MESH, Mesh

UNSHARDED = "unsharded"
"""Of a dimension that is not cut (``tf.experimental.dtensor.UNSHARDED``)."""

MATCH = ANY
"""Of a dimension that ``relayout`` leaves as it is (``tf.experimental.dtensor.MATCH``)."""

_SPECS, _MESH = "sharding_specs:", " mesh:"


class Layout:
    """How a tensor lies on a mesh (``tf.experimental.dtensor.Layout``).

    Args:
        sharding_specs: for each dimension of the tensor that of the mesh along which it is cut into
            equal parts, or UNSHARDED.
        mesh: the mesh.

    Raises:
        ValueError: when the mesh lacks a dimension, or one is named twice.
        TypeError: when ``sharding_specs`` is no list of texts.

    Example:
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> layout = dtensor.Layout(["batch", dtensor.UNSHARDED], mesh)
        >>> print(layout.rank, layout.num_shards(0))
        2 1
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
        """Every device has the whole of a tensor of that rank."""
        return cls([UNSHARDED] * rank, mesh)

    @classmethod
    def batch_sharded(cls, mesh: Mesh, batch_dim: str, rank: int, axis: int = 0) -> Layout:
        """One dimension, the first unless ``axis`` says otherwise, is cut along ``batch_dim``.

        Raises:
            ValueError: when there is no such dimension.
        """
        if not 0 <= axis < rank:
            raise ValueError(f"Layout: a tensor of rank {rank} has no dimension {axis}")
        return cls([batch_dim if i == axis else UNSHARDED for i in range(rank)], mesh)

    @classmethod
    def inner_sharded(cls, mesh: Mesh, inner_dim: str, rank: int) -> Layout:
        """The last dimension is cut along ``inner_dim``.

        Raises:
            ValueError: when there is no such dimension.
        """
        return cls.batch_sharded(mesh, inner_dim, rank, rank - 1)

    @classmethod
    def of(cls, sharding: Sharding) -> Layout:
        """What a backend says of a tensor."""
        return cls([axis or UNSHARDED for axis in sharding.axes], BY_DEVICE_MESH[sharding.mesh])

    # What it is

    @property
    def sharding_specs(self) -> list[str]:
        """For each dimension of the tensor that of the mesh, or UNSHARDED."""
        return list(self._specs)

    @property
    def mesh(self) -> Mesh:
        """The mesh."""
        return self._mesh

    @property
    def rank(self) -> int:
        """The tensor's rank."""
        return len(self._specs)

    @property
    def shape(self) -> list[int]:
        """The mesh's shape."""
        return self._mesh.shape()

    def num_shards(self, idx: int) -> int:
        """Into how many parts a dimension is cut.

        Raises:
            IndexError: when the tensor has no such dimension.
        """
        spec = self._specs[idx]
        return 1 if spec in (UNSHARDED, MATCH) else self._mesh.dim_size(spec)

    def is_fully_replicated(self) -> bool:
        """Whether every device has the whole."""
        return all(spec == UNSHARDED for spec in self._specs)

    def is_batch_parallel(self) -> bool:
        """Whether the first dimension alone is cut."""
        return bool(self._specs) and [s != UNSHARDED for s in self._specs] == [
            i == 0 for i in range(self.rank)
        ]

    def delete(self, dims: int | list[int]) -> Layout:
        """The layout without some of the tensor's dimensions."""
        gone = dims if isinstance(dims, list) else [dims]
        return Layout([s for i, s in enumerate(self._specs) if i not in gone], self._mesh)

    # Shapes

    def local_shape_from_global_shape(self, global_shape: Sequence[int]) -> Shape:
        """The shape of what each device has of a tensor.

        Raises:
            ValueError: for a shape of another rank.
        """
        return tuple(int(n) // parts for n, parts in self._with_shards(global_shape))

    def global_shape_from_local_shape(self, local_shape: Sequence[int]) -> Shape:
        """The shape of a tensor of which each device has so much.

        Raises:
            ValueError: for a shape of another rank.
        """
        return tuple(int(n) * parts for n, parts in self._with_shards(local_shape))

    def _with_shards(self, shape: Sequence[int]) -> list[tuple[int, int]]:
        if len(shape) != self.rank:
            raise ValueError(f"Layout of rank {self.rank}: got the shape {list(shape)}")
        return [(n, self.num_shards(i)) for i, n in enumerate(shape)]

    def offset_to_shard(self) -> list[tuple[int, ...]]:
        """For each device of the mesh which part it has along each dimension of the tensor."""
        cut = [spec if spec in self._mesh else None for spec in self._specs]
        places = self._mesh.unravel_index().values()
        return [tuple(0 if dim is None else at[dim] for dim in cut) for at in places]

    def offset_tuple_to_global_index(self, offset_tuple: Sequence[int]) -> int:
        """The number of a part among all, the last dimension first."""
        index = 0
        for i, offset in enumerate(offset_tuple):
            index = index * self.num_shards(i) + offset
        return index

    def check(self, name: str, aval: Aval) -> None:
        """Raises the error of a tensor that cannot lie so.

        Raises:
            InvalidArgumentError: for another rank, or a size that has no such number of parts.
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
        """It, for backends."""
        axes = tuple(None if spec == UNSHARDED else spec for spec in self._specs)
        return Sharding(self._mesh.device_mesh, axes)

    # As a text

    def to_string(self) -> str:
        """A text, of which :meth:`from_string` makes the layout again."""
        specs = "".join(f"{spec}," for spec in self._specs)
        return f"{_SPECS}{specs}{_MESH}{self._mesh.to_string()}"

    @classmethod
    def from_string(cls, layout_str: str) -> Layout:
        """The layout that :meth:`to_string` has written.

        Raises:
            ValueError: for another text.
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
