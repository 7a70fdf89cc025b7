"""`tf.Tensor`: an immutable array on the active backend."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy._src.backends.storage import Storage, host_storage, statistics
from tfpy._src.base import tracing
from tfpy._src.base.dtypes import OF_NUMPY, DType, as_dtype, variant
from tfpy._src.base.source_locations import Line
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.operand import DenseOperand
from tfpy._src.core.tensor_shape import TensorShape, known_shape
from tfpy._src.core.tensor_values import TensorValues

if TYPE_CHECKING:
    from tfpy._src.backends.backend import Backend
    from tfpy._src.compiler.ir.aval import Array

next_identity = count(1).__next__


class _Local(threading.local):
    def __init__(self) -> None:
        self.scopes: list[list[weakref.ref[Tensor]]] = []
        """Active `tf.tidy` scopes, innermost last. Each lists the tensors that were made in it."""


local = _Local()


class Tensor(TensorValues, DenseOperand):
    """An immutable array of elements with one dtype.

    The values are stored and computed on the active backend, such as a GPU. To create a tensor from
    Python values or a NumPy array, use `tf.constant` instead of the constructor. `numpy()` returns
    the values as a NumPy array; in a page, `await x.data()` does the same without blocking the
    page.

    Python's operators compute elementwise with broadcasting, and `@` multiplies matrices. Both
    operands must have the same dtype, except that a Python number takes the dtype of the tensor.
    `x[...]` selects a part of the tensor by integers, slices, `...`, `None` or a boolean mask.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> (x * 2.0 + x[0]).numpy().tolist()
        [[3.0, 6.0], [7.0, 10.0]]
        >>> (x @ x).shape, x.dtype
        (TensorShape([2, 2]), tf.float32)

    See also: `tf.constant`, `tf.convert_to_tensor`, `tf.Variable`.
    """

    __slots__ = ("__dict__", "__weakref__", "_counted", "_storage", "aval", "identity", "kept")

    assign: Callable[..., Any]
    """Assign a value to a part of a Variable. Only the result of `v[key]` has this method."""

    def __init__(self, aval: Aval, storage: Storage) -> None:
        self.aval = aval
        self.identity = next_identity()
        self.kept = False
        self._storage = storage
        self._counted = statistics.mark
        scopes = local.scopes
        if scopes:
            scopes[-1].append(weakref.ref(self))

    @property
    def shape(self) -> TensorShape:
        """Shape, a `tf.TensorShape`, which compares equal to a tuple or list of ints.

        In a `tf.function`, dimensions that are unknown during tracing are None.
        """
        return known_shape(self.aval.shape)

    @property
    def dtype(self) -> DType:
        """Dtype of the elements, a `tf.DType`."""
        return self.aval.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.aval.rank

    @property
    def rank(self) -> int:
        """Number of dimensions. Same as `ndim`, under the name that TensorFlow.js uses."""
        return self.aval.rank

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.aval.size

    @property
    def storage(self) -> Storage:
        """Storage that holds the bytes.

        Raises:
            RuntimeError: If the tensor was disposed.
        """
        return self._storage

    @property
    def device(self) -> str:
        """Name of the device that holds the values, in TensorFlow's notation.

        The name ends in the kind and number of the device:
        `"/job:localhost/replica:0/task:0/device:GPU:0"`.
        """
        return f"/job:localhost/replica:0/task:0/device:{self.storage.device}"

    @property
    def line(self) -> Line | None:
        """Line of the program that made the tensor, if the tensor belongs to a trace."""
        return None

    @property
    def has_values(self) -> bool:
        """True if the values can be read. False for a tensor of a trace."""
        return True

    def slot_on(self, backend: Backend) -> int:
        """Return the slot of the bytes on `backend`. The bytes move there if necessary.

        Args:
            backend: Backend on which the tensor will be used.

        Returns:
            Integer id of the slot.

        Raises:
            RuntimeError: If the tensor was disposed.
        """
        storage = self.storage
        return storage.slot if storage.backend is backend else storage.slot_on(backend)

    def get_shape(self) -> TensorShape:
        """Return the shape, like the property `shape`.

        Returns:
            A `tf.TensorShape`.

        Example:
            >>> import tfpy as tf
            >>> tf.zeros([2, 3]).get_shape()
            TensorShape([2, 3])
        """
        return self.shape

    def set_shape(self, shape: Sequence[int | None] | None) -> None:
        """Check the shape of the tensor, and declare dimensions that are unknown in a trace.

        In a `tf.function`, dimensions of this tensor that are None take the declared values.
        Elsewhere the call only checks the shape.

        Args:
            shape: Expected shape. A dimension of None matches any size, and None matches any shape.

        Raises:
            ValueError: If the shapes are not compatible.

        Example:
            >>> import tfpy as tf
            >>> x = tf.zeros([2, 3])
            >>> x.set_shape([None, 3])
            >>> try:
            ...     x.set_shape([None, 4])
            ... except ValueError:
            ...     print("not compatible")
            not compatible
        """
        if not self.shape.is_compatible_with(shape):
            given = TensorShape(shape)
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape {given}."
            )
        tracing.declare_shape(self, shape)

    def alias(self) -> Tensor:
        """Return a new tensor that shares the bytes. Tapes treat it as a separate value.

        Returns:
            Tensor of the same shape and dtype.

        Example:
            >>> import tfpy as tf
            >>> tf.constant([1, 2]).alias().numpy().tolist()
            [1, 2]
        """
        return Tensor(self.aval, self.storage)

    def __len__(self) -> int:
        if not self.aval.shape:
            raise TypeError("Scalar tensor has no `len()`")
        return self.aval.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self.aval.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(self.aval.shape[0]))

    def __str__(self) -> str:
        return f"tf.Tensor({printed(self, str)}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        kind = "value" if self.dtype is variant else "numpy"
        values = f"{kind}={printed(self, repr)}"
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, {values}>"

    def _repr_html_(self) -> str:
        return self.shown("tf.Tensor", [f"shape {self.shape}", self.dtype.name])

    def shown(self, title: str, facts: Sequence[str]) -> str:
        """Return HTML for notebooks: facts, and the values if they can be read without waiting.

        Args:
            title: Heading of the panel.
            facts: Short facts after the heading.

        Returns:
            An HTML string.

        Example:
            >>> import tfpy as tf
            >>> tf.constant([1, 2]).shown("Ranks", ["int32"]).count("Ranks")
            1
        """
        from tfpy._src.display import arrays  # few programs need it

        why = self.unseen(arrays.MOST)
        body = arrays.note(why) if why else arrays.html(self.host_view())
        return arrays.panel(title, [*facts, self._place], body)

    @property
    def _place(self) -> str:
        return "disposed" if self.is_disposed else f"on {self.storage.place}"

    def unseen(self, most: int) -> str:
        """Return the reason why the values are not displayed, or an empty string if they are.

        Args:
            most: Largest number of elements that is displayed.

        Returns:
            The reason, or an empty string.
        """
        if self.is_disposed or self.storage.is_lost:
            return "the values are no longer available"
        if self.aval.size > most:
            return f"{self.aval.nbytes:,} bytes: too large to display, select a part of the tensor"
        if self.dtype is variant:
            return "a list of tensors; pass it to tf.TensorArray as its flow"
        if not self.storage.is_readable:
            return "Python cannot wait for the device here: await x.data() returns the values"
        return ""

    # Lifetime

    @property
    def is_disposed(self) -> bool:
        """True if the tensor was freed by `dispose()`, `tf.dispose` or `tf.tidy`."""
        return False

    def dispose(self) -> None:
        """Free the memory of the tensor now, although references to it remain.

        A disposed tensor can no longer be used.

        Example:
            >>> import tfpy as tf
            >>> x = tf.zeros([2, 3])
            >>> x.dispose()
            >>> x.is_disposed
            True
        """
        self.__class__ = _Disposed
        del self._storage
        del self._counted

    # Python's object protocol

    def ref(self) -> Reference:
        """Return a hashable reference, for use as a dictionary key or an element of a set.

        Tensors are not hashable, because `==` compares them elementwise. Two references are equal
        if they refer to the same tensor object.

        Returns:
            A reference. Its method `deref()` returns the tensor.

        Example:
            >>> import tfpy as tf
            >>> x = tf.constant(1.0)
            >>> x.ref() in {x.ref()}, x.ref().deref() is x
            (True, True)
        """
        return Reference(self)

    def __hash__(self) -> int:  # type: ignore[override]
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __copy__(self) -> Tensor:
        """Return the tensor itself, because it is immutable."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self

    def __reduce__(self) -> Any:
        """Pickle the values."""
        return from_array, (self.host_view(),)


# Every op reads `storage`. The slot's descriptor is faster than a property, which calls Python.
type.__setattr__(Tensor, "storage", vars(Tensor)["_storage"])


class _Disposed(Tensor):
    """The class of a disposed tensor. Other tensors thus need no check before each use."""

    __slots__ = ()

    @property
    def storage(self) -> Storage:
        """Raise an error, because the storage was released.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(
            f"Tensor of shape {self.shape} was disposed. Keep it with tf.keep, or return it from "
            "the function that tf.tidy calls."
        )

    @property
    def is_disposed(self) -> bool:
        return True

    def dispose(self) -> None:
        """Do nothing: the tensor is already disposed."""


def from_array(array: Array) -> Tensor:
    """Return a tensor over an array that has a supported dtype and that no other code writes to."""
    aval = Aval(array.shape, OF_NUMPY.get(array.dtype) or as_dtype(array.dtype))
    array = array.view(array.dtype[0]) if array.dtype.names else array  # a quantized dtype
    return Tensor(aval, host_storage(array, aval))


def printed(tensor: Tensor, form: Callable[[Any], str]) -> str:
    """Return the values formatted with `str` or `repr`. More than one line starts on a new line.

    For `repr`, which notebooks and debuggers call, the result is the reason if the values cannot be
    read.
    """
    if tensor.dtype is variant:
        return "<TensorList>"
    if form is repr and (why := tensor.unseen(tensor.aval.size)):
        return f"<{why}>"
    value = tensor.numpy()
    text = form(value.item() if form is repr and isinstance(value, np.generic) else value)
    return f"\n{text}" if "\n" in text else text


class Reference:
    """A hashable reference to a tensor or Variable, compared by identity. `ref()` returns it."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def deref(self) -> Any:
        """Return the tensor or Variable that the reference refers to.

        Returns:
            The object whose method `ref()` returned this reference.
        """
        return self._tensor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and other._tensor is self._tensor

    def __lt__(self, other: Reference) -> bool:
        """Compare by identity, so that references can be keys of nests."""
        return id(self._tensor) < id(other._tensor)

    def __hash__(self) -> int:
        return id(self._tensor)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._tensor!r}>"
