"""The signature of a call of a `tf.function`: structure, avals and Python values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.interop import is_js_array
from tfpy._src.base.dtypes import DType, as_dtype, float32
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import OpenSize, UnrankedSize
from tfpy._src.core import nest, records
from tfpy._src.core.conversion import convert_to_tensor, offers_tensor
from tfpy._src.core.host_arrays import is_array_like
from tfpy._src.core.operand import Composite, FieldRecord, Wrapper
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import RecordSpec, TypeSpec
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec
from tfpy._src.tensors.variables.placeholder import is_replaceable
from tfpy._src.tensors.variables.variable import Variable


class TensorSpec(TypeSpec):
    """A description of tensors by their shape and dtype, for signatures of functions.

    Args:
        shape: Shape of the tensors. A dimension of None matches any size, and None in place of the
            shape matches any shape.
        dtype: Dtype of the tensors. Default: `tf.float32`.
        name: Name of the input in printed signatures and in files. Default: the parameter name.

    Example:
        >>> import tfpy as tf
        >>> @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        ... def total(x):
        ...     return tf.reduce_sum(x)
        >>> print(total([1.0, 2.0]).numpy())
        3.0

    See also: `tf.function`, `tf.type_spec_from_value`, `tf.RaggedTensorSpec`.
    """

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: Tensor | TensorSpec, name: str | None = None) -> TensorSpec:
        """Return the spec of a tensor.

        Args:
            tensor: Tensor or spec that provides the shape and dtype.
            name: Name of the spec. Default: no name.

        Returns:
            A `tf.TensorSpec`.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorSpec.from_tensor(tf.zeros([2, 3]))
            TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)
        """
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """Return a copy of a spec with a different name.

        Args:
            spec: Spec to copy.
            name: Name of the copy. Default: the name of `spec`.

        Returns:
            A `tf.TensorSpec`.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorSpec.from_spec(tf.TensorSpec([None], tf.int32), name="ids")
            TensorSpec(shape=(None,), dtype=tf.int32, name='ids')
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @property
    def value_type(self) -> type:
        """Class of the described values: `tf.Tensor`."""
        return Tensor

    @property
    def shape(self) -> TensorShape:
        """Shape of the tensors. None matches any size; an unknown shape matches any shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """Dtype of the tensors."""
        return self._dtype

    @property
    def is_static(self) -> bool:
        """True if the shape is known and contains no None."""
        return self._shape.is_fully_defined()

    def is_compatible_with(self, value: Tensor | TensorSpec | TensorLike) -> bool:
        """Return True if a value has this dtype and a matching shape.

        Args:
            value: Tensor, spec, or a value that can be converted to a tensor.

        Returns:
            True if the dtypes are equal and a tensor can have both shapes.

        Example:
            >>> import tfpy as tf
            >>> spec = tf.TensorSpec([None, 2], tf.float32)
            >>> spec.is_compatible_with(tf.zeros([5, 2])), spec.is_compatible_with(tf.zeros([5]))
            (True, False)
        """
        tensor: Any = value if hasattr(value, "dtype") else convert_to_tensor(value)
        fits = self._shape.is_compatible_with(tensor.shape)
        return as_dtype(tensor.dtype) == self._dtype and fits

    def is_subtype_of(self, other: object) -> bool:
        """Return True if every tensor that matches this spec also matches `other`.

        Args:
            other: Spec to compare with.

        Returns:
            True if `other` has the same dtype, and the same shape or a more general one.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorSpec([3]).is_subtype_of(tf.TensorSpec([None]))
            True
        """
        return (
            isinstance(other, TensorSpec)
            and (self.dtype, self.name) == (other.dtype, other.name or self.name)
            and self.shape.is_subtype_of(other.shape)
        )

    def most_specific_compatible_type(self, other: TensorSpec) -> TensorSpec:
        """Return the most specific spec that matches all tensors that match either spec.

        Args:
            other: Spec with the same dtype and name.

        Returns:
            A `tf.TensorSpec`, with None for each dimension in which the two specs differ.

        Raises:
            ValueError: If the dtypes or the names differ.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorSpec([3, 2]).most_specific_compatible_type(tf.TensorSpec([4, 2]))
            TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
        """
        if (self.dtype, self.name) != (other.dtype, other.name):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        shape = self.shape.most_specific_compatible_shape(other.shape)
        return TensorSpec(shape, self.dtype, self.name)

    def _serialize(self) -> Any:
        return (self.shape, self.dtype, self.name)

    def _batch(self, batch_size: int | None) -> TensorSpec:
        return TensorSpec(TensorShape([batch_size]).concatenate(self.shape), self.dtype)

    def _unbatch(self) -> TensorSpec:
        return TensorSpec(self.shape[1:], self.dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and _facts(self) == _facts(other)

    def __hash__(self) -> int:
        return hash(_facts(self))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self.name!r})"


def _facts(spec: TensorSpec) -> tuple[Any, ...]:
    return (spec.shape, spec.dtype.name, spec.name)


class WrapperSpec(TypeSpec):
    """The spec of a value that wraps one tensor.

    Args:
        kind: Class of the value. Its constructor takes the tensor.
        wrapped: Spec of the tensor.
    """

    def __init__(self, kind: Callable[[Any], Wrapper], wrapped: TensorSpec) -> None:
        self.kind = kind
        self.wrapped = wrapped

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.wrapped == self.wrapped

    def __hash__(self) -> int:
        return hash((type(self), self.wrapped))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.wrapped!r})"


CompositeSpec = RaggedTensorSpec | SparseTensorSpec
"""The specs of composite tensors. Each value has its own trace, because a trace must know the
partitions or indices."""


class SizedSpec(TensorSpec):
    """A spec together with the actual sizes of one trace."""

    def __init__(self, spec: TensorSpec, shape: Sequence[int]) -> None:
        super().__init__(spec.shape, spec.dtype, spec.name)
        if spec.shape.rank is None:
            sizes: tuple[int, ...] = tuple(map(UnrankedSize, shape))
        else:
            pairs = zip(shape, spec.shape, strict=True)
            sizes = tuple(OpenSize(n) if known is None else n for n, known in pairs)
        self.aval = Aval(sizes, spec.dtype)


class Call:
    """The arguments of one call, sorted into tensors, Variables and Python values."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.tensors: list[tuple[str, Tensor | TensorSpec]] = []
        """Tensors among the arguments, in order, each with a name."""
        self.variables: list[Variable] = []
        """Variables among the arguments, each listed once. Other calls may pass others."""
        self.arguments = {
            name: nest.map_structure(functools.partial(self._take, name), value)
            for name, value in arguments.items()
        }
        self._places = {id(v): place for place, v in enumerate(self.variables)}
        self.key = self._key(_key_of_tensor)
        """Key that is equal for calls with the same trace, if that trace serves all Variables."""

    @property
    def kind(self) -> Any:
        """Key that is equal for calls that differ only in shapes of tensors and in Variables."""
        return self._key(lambda tensor: tensor.dtype)

    @property
    def identities(self) -> tuple[int, ...]:
        """Key that is equal for calls with the same Variables."""
        return tuple(self._places)

    def _key(self, of_tensor: Callable[[Any], Any]) -> Any:
        return tuple(_key(v, self._places, of_tensor) for v in self.arguments.values())

    @property
    def is_static(self) -> bool:
        """True if every size is specified."""
        return all(t.is_static for _, t in self.tensors if isinstance(t, TensorSpec))

    @property
    def has_composite_specs(self) -> bool:
        """True if the arguments contain specs of ragged or sparse tensors."""
        return any(isinstance(leaf, CompositeSpec) for leaf in records.flatten(self.arguments))

    @property
    def is_sized(self) -> bool:
        """True if the call belongs to one trace of a signature with open sizes."""
        return any(isinstance(t, SizedSpec) for _, t in self.tensors)

    @property
    def avals(self) -> list[Aval]:
        """Avals of the tensors."""
        return [aval_of(t) for _, t in self.tensors]

    def relaxed(self, others: Sequence[Call]) -> Call:
        """Return this call with those sizes open in which other calls of the same kind differ."""
        shapes = [t.shape for _, t in self.tensors]
        for other in others:
            if other.kind == self.kind:
                given = (t.shape for _, t in other.tensors)
                shapes = list(map(TensorShape.most_specific_compatible_shape, shapes, given))
        pairs = zip(shapes, self.tensors, strict=True)
        specs = [TensorSpec(shape, t.dtype, name) for shape, (name, t) in pairs]
        return Call(self.replaced(specs))

    def _take(self, name: str, value: Any) -> Any:
        if isinstance(value, Tensor | TensorSpec):
            self.tensors.append((getattr(value, "name", None) or name, value))
            return value
        if isinstance(value, Wrapper):
            self.tensors.append((name, value.wrapped))
            return value
        if isinstance(value, RecordSpec):
            return self._take(name, value.__record__())
        if isinstance(value, FieldRecord):
            return value.__with_parts__([self._take(name, part) for part in value.__parts__()])
        if IN_BROWSER and is_js_array(value):
            return self._take(name, convert_to_tensor(value))
        if is_array_like(value) and not offers_tensor(value):
            return self._take(name, convert_to_tensor(value))
        return self._take_variable(value.origin) if isinstance(value, Variable) else value

    def _take_variable(self, variable: Variable) -> Variable:
        if is_replaceable(variable) and all(variable is not known for known in self.variables):
            self.variables.append(variable)
        return variable

    def replaced(
        self, tensors: Sequence[Any], variables: Sequence[Variable] = ()
    ) -> dict[str, Any]:
        """Return the arguments with the tensors and Variables replaced.

        Args:
            tensors: Replacements for :attr:`tensors`.
            variables: Replacements for :attr:`variables`. Default: keep the Variables.
        """
        given = iter(tensors)

        def replaced(leaf: Any) -> Any:
            if isinstance(leaf, Variable):
                place = self._places.get(id(leaf)) if variables else None
                return leaf if place is None else variables[place]
            if isinstance(leaf, Wrapper):
                return leaf.with_components([next(given)])
            if isinstance(leaf, FieldRecord):
                return leaf.__with_parts__([replaced(part) for part in leaf.__parts__()])
            return next(given) if isinstance(leaf, Tensor | TensorSpec) else leaf

        return {k: nest.map_structure(replaced, v) for k, v in self.arguments.items()}

    def without_tensors(self) -> dict[str, Any]:
        """Return the arguments that contain no tensor."""
        return {
            k: v
            for k, v in self.arguments.items()
            if not any(
                isinstance(leaf, Tensor | TensorSpec | Wrapper) for leaf in records.flatten(v)
            )
        }


def _key(value: Any, places: Mapping[int, int], of_tensor: Callable[[Any], Any]) -> Any:
    """Return the key of an argument.

    Args:
        places: Numbers of the replaceable Variables, by id.
        of_tensor: Returns the key of a tensor.
    """
    if isinstance(value, Tensor | TensorSpec):
        return of_tensor(value)
    if isinstance(value, Wrapper):
        return (type(value), of_tensor(value.wrapped))
    if isinstance(value, FieldRecord):
        parts = (_key(part, places, of_tensor) for part in value.__parts__())
        return (type(value), value.__facts__(), *parts)
    if nest.is_nested(value):
        names = sorted(value) if isinstance(value, Mapping) else ()
        inner = (_key(v, places, of_tensor) for v in nest.contents(value))
        return (type(value), *names, *inner)
    if isinstance(value, Variable) and id(value) in places:
        return (Variable, places[id(value)], value.aval.closed, value.trainable)
    if isinstance(value, Variable | Composite):
        return id(value)
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value  # 1, 1.0 and True share a key, as in TensorFlow


def _key_of_tensor(value: Tensor | TensorSpec) -> Any:
    if isinstance(value, TensorSpec) and value.shape.rank is None:
        return (None, value.dtype)
    if isinstance(value, TensorSpec) and not value.is_static:
        return (tuple(value.shape), value.dtype)
    return aval_of(value)


def aval_of(value: Tensor | TensorSpec) -> Aval:
    """Return the aval of a tensor or spec."""
    if isinstance(value, Tensor | SizedSpec):
        return value.aval
    return Aval(tuple(value.shape), value.dtype)
