"""Variables of `tf.compat.v1` that are divided into parts along one axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.base.dtypes import DType, as_dtype, float32
from tfpy._src.core import name_scope as scopes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.compat.graphs import scoped_variables
from tfpy._src.library.compat.graphs.scopes import scope_store, variable_scope
from tfpy._src.tensors.array.joining import concat, split
from tfpy._src.tensors.array.reshaping import identity
from tfpy._src.tensors.array.slicing import slice as slice_
from tfpy._src.tensors.variables.variable import Variable

_concat = recorded(concat)
_identity = recorded(identity)
_slice = recorded(slice_)
_split = recorded(split)


@dataclass(frozen=True)
class PartitionInfo:
    """The place of a part in the whole Variable, by which initializers compute its value."""

    full_shape: list[int]
    var_offset: list[int]


@dataclass(frozen=True)
class SaveSliceInfo:
    """The place of a part in the whole Variable, by which checkpoints store it.

    Attributes:
        full_name: Name of the whole Variable.
        full_shape: Shape of the whole Variable.
        var_offset: Index of the first element of the part.
        var_shape: Shape of the part.
    """

    full_name: str
    full_shape: list[int]
    var_offset: list[int]
    var_shape: list[int]

    @property
    def spec(self) -> str:
        """Text for checkpoints, such as `"8 2 0,4:0,2"`."""
        sizes = "".join(f"{size} " for size in self.full_shape)
        pairs = zip(self.var_offset, self.var_shape, strict=True)
        return sizes + ":".join(f"{offset},{size}" for offset, size in pairs)


class PartitionedVariable:
    """A sequence of Variables, which are the parts of a larger one.

    `tf.compat.v1.get_variable` creates it if a partitioner is passed. It can be used as a tensor.

    Args:
        name: Name of the whole Variable.
        shape: Shape of the whole Variable.
        dtype: Dtype.
        variable_list: Parts in their order.
        partitions: Number of parts along each axis.

    Example:
        >>> import tfpy as tf
        >>> halves = tf.compat.v1.fixed_size_partitioner(2)
        >>> v = tf.compat.v1.get_variable("w", [4, 3], partitioner=halves)
        >>> [part.shape for part in v], tf.convert_to_tensor(v).shape
        ([TensorShape([2, 3]), TensorShape([2, 3])], TensorShape([4, 3]))

    See also: `tf.compat.v1.get_variable`, `tf.compat.v1.create_partitioned_variables`.
    """

    def __init__(
        self,
        name: str,
        shape: TensorShape,
        dtype: DType,
        variable_list: Sequence[Variable],
        partitions: Sequence[int],
    ) -> None:
        self._name, self._shape, self._dtype = name, shape, dtype
        self._parts, self._partitions = list(variable_list), partitions

    @property
    def name(self) -> str:
        """Name of the whole Variable."""
        return self._name

    @property
    def dtype(self) -> DType:
        """Dtype of the parts."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """Shape of the whole Variable."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Return the shape of the whole Variable.

        Returns:
            A `TensorShape`.
        """
        return self._shape

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def _get_variable_list(self) -> list[Variable]:
        return self._parts

    def _get_partitions(self) -> Sequence[int]:
        return self._partitions

    @property
    def _axis(self) -> int:
        return _divided_axis(self._partitions)[0]

    def as_tensor(self) -> Tensor:
        """Return the parts as one tensor.

        Returns:
            Tensor with the shape of the whole Variable.
        """
        found = _concat(self._parts, self._axis) if len(self) > 1 else self._parts[0]
        return _identity(found)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        if dtype is not None and not as_dtype(dtype).is_compatible_with(self._dtype):
            raise ValueError(
                f"Incompatible type conversion requested to type '{as_dtype(dtype).name}' for "
                f"variable of type '{self._dtype.name}'"
            )
        return self.as_tensor()

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:  # fmt: skip
        """Replace the values of all parts.

        Args:
            value: Tensor with the shape of the whole Variable, or a list of one tensor per part.
            use_locking: Has no effect.
            name: Has no effect.
            read_value: If False, return operations in place of tensors.

        Returns:
            List with the result for each part.
        """
        return self._changed("assign", value, read_value)

    def assign_add(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:  # fmt: skip
        """Add to the values of all parts.

        Args:
            value: Tensor with the shape of the whole Variable, or a list of one tensor per part.
            use_locking: Has no effect.
            name: Has no effect.
            read_value: If False, return operations in place of tensors.

        Returns:
            List with the result for each part.
        """
        return self._changed("assign_add", value, read_value)

    def assign_sub(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:  # fmt: skip
        """Subtract from the values of all parts.

        Args:
            value: Tensor with the shape of the whole Variable, or a list of one tensor per part.
            use_locking: Has no effect.
            name: Has no effect.
            read_value: If False, return operations in place of tensors.

        Returns:
            List with the result for each part.
        """
        return self._changed("assign_sub", value, read_value)

    def _changed(self, method: str, value: Any, read_value: bool) -> list[Any]:
        if not isinstance(value, list | PartitionedVariable):
            value = _split(value, [part.shape[self._axis] for part in self], self._axis)
        pairs = zip(self, value, strict=True)
        found = [getattr(part, method)(new) for part, new in pairs]
        return found if read_value else [result.op for result in found]


def _divided_axis(partitions: Sequence[int]) -> tuple[int, int]:
    """Return the axis with several parts, and the number of parts."""
    return next(((axis, n) for axis, n in enumerate(partitions) if n > 1), (0, 1))


def _slices(shape: list[int], partitions: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the offset and the shape of each part. The first parts are longer."""
    axis, count = _divided_axis(partitions)
    start = 0
    for number in range(count):
        offset, size = [0] * len(shape), list(shape)
        offset[axis], size[axis] = start, shape[axis] // count + (number < shape[axis] % count)
        start += size[axis]
        yield offset, size


def _partitions(partitioner: Any, shape: TensorShape, dtype: DType) -> Sequence[int]:
    """Return the number of parts along each axis.

    Raises:
        ValueError: If the shape is not known, or the result of the partitioner does not fit.
    """
    if not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable must be fully defined, but instead was {shape}."
        )
    if not shape.rank:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    found = partitioner(shape=shape, dtype=dtype)
    if not isinstance(found, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {found}")
    if len(found) != shape.rank:
        raise ValueError(
            "Partitioner returned a partition list that does not match the Variable's rank: "
            f"{found} vs. {shape}"
        )
    if any(n < 1 for n in found):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {found}")
    if sum(n > 1 for n in found) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {found}"
        )
    return found


def partitioned_variable(
    store: Any, name: str, partitioner: Any, shape: Any, dtype: Any, initializer: Any,
    reuse: Any = None, **more: Any,
) -> PartitionedVariable:  # fmt: skip
    """Return the Variable with a name and its parts, or make it.

    Raises:
        ValueError: If the Variable exists and does not match, or exists without parts.
    """
    if name in store.variables:
        raise ValueError(
            "A partitioner was provided, but an unpartitioned version of the variable was found: "
            f"{name}.  Perhaps a variable of the same name was already created without "
            "partitioning?"
        )
    whole, kind = TensorShape(shape), as_dtype(dtype)
    is_value = initializer is not None and not callable(initializer)
    if is_value:
        initializer = convert_to_tensor(initializer)
        whole, kind = whole.merge_with(initializer.shape), initializer.dtype
    partitions = None if partitioner is None else _partitions(partitioner, whole, kind)
    known = store.partitioned.get(name) if store.shares else None
    if known is not None:
        return _checked(known, whole, kind, partitions, reuse)
    if reuse is True:
        raise ValueError(
            f"PartitionedVariable {name} does not exist, or was not created with "
            "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
        )
    assert partitions is not None
    parts = []
    sizes = [n or 0 for n in whole.as_list()]
    for number, (offset, size) in enumerate(_slices(sizes, partitions)):
        if 0 in size:
            raise ValueError(
                "Expected 0 <= offset < shape but found an empty part for "
                f"var_offset={offset}, full_shape={sizes}"
            )
        with scopes.name_scope(f"{name}/part_{number}/PartitionedInitializer"):
            value = _slice(initializer, offset, size) if is_value else initializer
        part = scoped_variables.found_or_made(
            store, f"{name}/part_{number}", shape=None if is_value else size, dtype=kind,
            initializer=value, reuse=reuse, partition_info=PartitionInfo(sizes, offset), **more,
        )  # fmt: skip
        vars(part)["_save_slice_info"] = SaveSliceInfo(name, sizes, offset, size)
        parts.append(part)
    made = PartitionedVariable(name, whole, kind, parts, partitions)
    if store.shares:
        store.partitioned[name] = made
    return made


def _checked(
    known: PartitionedVariable, shape: TensorShape, dtype: DType, partitions: Any, reuse: Any
) -> PartitionedVariable:
    """Return a Variable that exists, after a comparison with the arguments.

    Raises:
        ValueError: If it must not be reused, or does not match.
    """
    if reuse is False:
        raise ValueError(
            f"Partitioned variable with name {known.name} already exists. Did you mean to set "
            "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )
    found = known._get_partitions()
    for what, given, own, fits in (
        ("shape", shape, known.shape, shape.is_compatible_with(known.shape)),
        ("dtype", dtype.name, known.dtype.name, dtype == known.dtype),
        ("partitions", partitions, found, partitions is None or partitions == found),
    ):
        if not fits:
            raise ValueError(
                f"Trying to reuse partitioned variable {known.name}, but specified {what} {given} "
                f"and found {what} {own}."
            )
    return known


def create_partitioned_variables(
    shape: ShapeLike,
    slicing: Sequence[int],
    initializer: TensorLike | Callable[..., TensorLike],
    dtype: DTypeLike = float32,
    trainable: bool = True,
    collections: list[str] | None = None,
    name: str | None = None,
    reuse: bool | None = None,
) -> list[Variable]:
    """Create the parts of a Variable that is divided along one axis.

    Args:
        shape: Shape of the whole Variable.
        slicing: Number of parts along each axis. At most one can be larger than 1. If the size is
            not a multiple of the number, the first parts are longer by 1.
        initializer: Value of the whole Variable, or a function of the shape and dtype of a part.
        dtype: Dtype. A tensor as the initializer determines its own.
        trainable: If True, the parts are trainable.
        collections: Names of collections for the parts. Default: the global Variables.
        name: Name of the whole Variable. Default: `"PartitionedVariable"` with a number.
        reuse: If True, return the parts of an existing Variable. Default: as the variable scope.

    Returns:
        List of Variables.

    Raises:
        ValueError: If `shape` and `slicing` have different lengths, or there are several numbers
            larger than 1.

    Example:
        >>> import tfpy as tf
        >>> zeros = tf.compat.v1.zeros_initializer()
        >>> parts = tf.compat.v1.create_partitioned_variables([5, 2], [2, 1], zeros)
        >>> [part.shape for part in parts]
        [TensorShape([3, 2]), TensorShape([2, 2])]

    See also: `tf.compat.v1.fixed_size_partitioner`.
    """
    sizes = TensorShape(shape).as_list()
    if len(sizes) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: "
            f"{shape}, slicing: {slicing}"
        )
    if not sizes:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        store = scope_store()
        found = partitioned_variable(
            store, scope.name, lambda **_: slicing, sizes, dtype, initializer,
            reuse=scoped_variables.reuse_of(store), trainable=trainable, collections=collections,
        )  # fmt: skip
    return list(found)
