"""`tf.experimental.ExtensionType`: the base class of values with typed fields."""

from __future__ import annotations

import abc
import inspect
import sys
from collections.abc import Hashable, Sequence
from typing import Any, get_origin

from tfpy._src.core import nest
from tfpy._src.core.conversion import constant
from tfpy._src.core.operand import FieldRecord
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.library.extension_types.batching import BatchableExtensionTypeSpec
from tfpy._src.library.extension_types.construction import (
    CONSTRUCTING,
    binding,
    built,
    completed,
    created,
    fields_of,
    is_part,
    map_parts,
    set_constructor,
    static,
    values_of,
)
from tfpy._src.library.extension_types.fields import Conversion, TypedField, is_reserved
from tfpy._src.library.extension_types.specs import ExtensionTypeSpec
from tfpy._src.tensors.array.reshaping import shape
from tfpy._src.tensors.math.reductions import reduce_all

_ABSTRACT = "_tf_extension_type_do_not_transform_this_class"
_MUTABLE = frozenset(("_keras_mask", "_keras_history"))


class ExtensionTypeMeta(abc.ABCMeta):
    """The class of extension types, which adds a constructor and the class `Spec`."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        if not namespace.get(_ABSTRACT, False):
            _check_class(cls)
            caller = sys._getframe(1)
            fields = fields_of(cls, {**caller.f_globals, **caller.f_locals})
            if "__init__" in cls.__dict__:
                set_constructor(cls, completed(cls.__dict__["__init__"]))
            else:
                set_constructor(cls, built(fields, cls))
            type.__setattr__(cls, "Spec", _spec_class(cls, cls.__dict__.get("Spec")))
        super().__init__(name, bases, namespace)


def _check_class(cls: type) -> None:
    """Raise an error if the names of fields are reserved or a field has no annotation."""
    annotations = inspect.get_annotations(cls)
    reserved = [n for n in (*cls.__dict__, *annotations) if n != "Spec" and is_reserved(n)]
    reserved += ["Spec"] if "Spec" in annotations else []
    if reserved:
        raise ValueError(
            f"The field annotations for {cls.__name__} are invalid. Field '{reserved[0]}' is "
            "reserved."
        )
    spec = cls.__dict__.get("Spec")
    if spec is not None and not isinstance(spec, type):
        raise ValueError(f"{cls.__qualname__}.Spec must be a nested class; got {spec}.")
    if spec is not None and spec.__bases__ not in ((object,), (TypeSpec,)):
        raise ValueError(f"{cls.__qualname__}.Spec must be directly subclassed from tf.TypeSpec.")
    for name, value in cls.__dict__.items():
        special = name.startswith("__") and name.endswith("__")
        kinds = (property, classmethod, staticmethod)
        is_type = callable(value) or get_origin(value) is not None  # also Union[...]
        if name in annotations or is_type or isinstance(value, kinds) or special:
            continue
        if not name.startswith("_abc_"):
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name} is missing a "
                "type annotation."
            )


class ExtensionType(FieldRecord, metaclass=ExtensionTypeMeta):
    """Base class of values that consist of typed fields, some of which are tensors.

    A subclass declares its fields with annotations. It can be passed to and returned from
    `tf.function`, `tf.cond`, `tf.while_loop` and functions of `tf.data`, and is one leaf of nested
    structures. `tf.experimental.dispatch_for_api` makes functions of tensors accept it.

    Annotations can be `int`, `float`, `str`, `bytes`, `bool`, `None`, `tf.Tensor`, `tf.DType`,
    `tf.TensorShape`, `tf.RaggedTensor`, `tf.SparseTensor`, other extension types, and `Union`,
    `Optional`, `tuple` and `Mapping` of these. Values are converted to the annotations. The fields
    of an object cannot be changed.

    The constructor takes the fields as arguments. It calls the method `__validate__`, in which a
    subclass can check the values. The nested class `Spec` describes values of the subclass; its
    constructor takes a spec for each tensor. A subclass can define its own constructor, and a class
    `Spec` with additional methods.

    Raises:
        TypeError: If a value does not have the type of its field, or an annotation is not
            supported.
        ValueError: If the name of a field is reserved, or a field has no annotation.

    Example:
        >>> import tfpy as tf
        >>> class Masked(tf.experimental.ExtensionType):
        ...     values: tf.Tensor
        ...     mask: tf.Tensor
        ...     name: str = "masked"
        ...
        ...     def total(self):
        ...         return tf.reduce_sum(tf.where(self.mask, self.values, 0))
        >>> x = Masked([1, 2, 3], [True, False, True])
        >>> print(x.total().numpy(), x.name)
        4 masked

    See also: `tf.experimental.BatchableExtensionType`, `tf.experimental.dispatch_for_api`.
    """

    _tf_extension_type_do_not_transform_this_class = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if type(self) is ExtensionType:
            raise AssertionError(
                "Cannot create an instance of ExtensionType because ExtensionType is an abstract "
                "base class."
            )

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[TypedField, ...]:
        return fields_of(cls)

    @property
    def _type_spec(self) -> Any:
        return self.__spec__()

    def __convert_fields__(self) -> None:
        """Convert the fields to their annotations."""
        Conversion().fields(fields_of(type(self)), vars(self))

    def __validate__(self) -> None:
        """Check the fields. Subclasses raise an error if the values do not fit together."""

    def __parts__(self) -> list[Any]:
        values = tuple(values_of(self).values())
        return [leaf for leaf in nest.flatten(values) if is_part(leaf)]

    def __with_parts__(self, parts: Sequence[Any]) -> Any:
        given = iter(parts)
        values = values_of(self)
        replaced = map_parts(lambda leaf: next(given), tuple(values.values()))
        return created(type(self), dict(zip(values, replaced, strict=True)))

    def __facts__(self) -> Hashable:
        values = values_of(self)
        return tuple(values), static(tuple(values.values()))

    def __spec__(self) -> Any:
        kind: Any = type(self)
        return kind.Spec.from_value(self)

    def __repr__(self) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields_of(type(self)))
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __setattr__(self, name: str, value: Any) -> None:
        self._check_mutable(name)
        vars(self)[name] = value

    def __delattr__(self, name: str) -> None:
        self._check_mutable(name)
        del vars(self)[name]

    def _check_mutable(self, name: str) -> None:
        is_field = any(field.name == name for field in fields_of(type(self)))
        if name not in _MUTABLE and not (is_field and CONSTRUCTING in vars(self)):
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
            )

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        tensors, others = (nest.flatten(x, expand_composites=True) for x in (self, other))
        pairs = list(zip(tensors, others, strict=True))
        if any(x.shape.rank != y.shape.rank for x, y in pairs):
            return False
        equal = [reduce_all(shape(x) == shape(y)) for x, y in pairs]
        equal += [reduce_all(x == y) for x, y in pairs]
        return reduce_all(equal) if equal else constant(True)

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return not equal if isinstance(equal, bool) else ~equal

    __hash__ = None  # type: ignore[assignment]


class BatchableExtensionType(ExtensionType):
    """Base class of extension types that can be batched and divided into rows.

    `tf.data`, `tf.map_fn` and `tf.vectorized_map` accept such values. A batch of values is one
    value whose tensors have an additional first axis. The class attribute `__batch_encoder__`, a
    `tf.experimental.ExtensionTypeBatchEncoder`, defines how values are batched. In all other
    respects the class is a `tf.experimental.ExtensionType`.

    Example:
        >>> import tfpy as tf
        >>> class Vehicle(tf.experimental.BatchableExtensionType):
        ...     top_speed: tf.Tensor
        ...     mpg: tf.Tensor
        >>> batch = Vehicle([120, 150, 80], [30, 40, 12])
        >>> products = tf.map_fn(lambda v: v.top_speed * v.mpg, batch, fn_output_signature=tf.int32)
        >>> products.numpy().tolist()
        [3600, 6000, 960]

    See also: `tf.experimental.ExtensionType`, `tf.experimental.ExtensionTypeBatchEncoder`.
    """

    _tf_extension_type_do_not_transform_this_class = True


def _spec_class(cls: Any, own: Any) -> type:
    """Return the class `Spec` of an extension type.

    Args:
        cls: The extension type.
        own: Class with additional methods of the spec, or None.

    Raises:
        ValueError: If `own` has a reserved name, or the name of a field, or the class has an
            encoder although it cannot be batched.
    """
    name = f"{cls.__qualname__}.Spec"
    members: dict[str, Any] = {"value_type": cls, "__module__": cls.__module__}
    names = {field.name for field in fields_of(cls)}
    for key, value in vars(own).items() if own is not None else ():
        if is_reserved(key):
            raise ValueError(f"TypeSpec {name} uses reserved name '{key}'.")
        if key in names:
            raise ValueError(
                f"TypeSpec {name} defines a variable '{key}' which shadows a field in "
                f"{cls.__qualname__}"
            )
        if key not in ("__module__", "__dict__", "__weakref__"):
            members[key] = value
    base: type = BatchableExtensionTypeSpec
    if not issubclass(cls, BatchableExtensionType):
        base = ExtensionTypeSpec
        if hasattr(cls, "__batch_encoder__") or "__batch_encoder__" in members:
            raise ValueError(
                "__batch_encoder__ should only be defined for BatchableExtensionType classes."
            )
    elif hasattr(cls, "__batch_encoder__"):
        members.setdefault("__batch_encoder__", cls.__batch_encoder__)
    spec = type(f"{cls.__name__}.Spec", (base,), members)
    spec.__qualname__ = name
    if "__init__" in members:
        set_constructor(spec, completed(members["__init__"]))
    else:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(field.name, kind) for field in fields_of(cls)]
        set_constructor(spec, binding(parameters, spec))
    return spec


def as_dict(value: ExtensionType) -> dict[str, Any]:
    """Return the fields of an extension type as a dict.

    Extension types in the fields are not converted.

    Args:
        value: A `tf.experimental.ExtensionType`.

    Returns:
        A dict from the names of the fields to their values.

    Example:
        >>> import tfpy as tf
        >>> class Point(tf.experimental.ExtensionType):
        ...     x: int
        ...     label: str
        >>> tf.experimental.extension_type.as_dict(Point(3, "a"))
        {'x': 3, 'label': 'a'}

    See also: `tf.experimental.ExtensionType`.
    """
    return {field.name: getattr(value, field.name) for field in fields_of(type(value))}
