"""``tf.Tensor``: an immutable array on the active backend."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy._src.backends.abilities import sharing_of
from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.registry import active_backend
from tfpy._src.backends.storage import Storage, host_storage, statistics
from tfpy._src.base import tracing
from tfpy._src.base.dtypes import DEVICE_DTYPES, OF_NUMPY, DType, as_dtype, variant
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.base.source_locations import Line
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.operand import AnyTensor, Operand
from tfpy._src.core.tensor_shape import TensorShape, known_shape

if TYPE_CHECKING:
    from tfpy._src.backends.backend import Backend
    from tfpy._src.compiler.ir.aval import Array

next_identity = count(1).__next__


class _Local(threading.local):
    def __init__(self) -> None:
        self.scopes: list[list[weakref.ref[Tensor]]] = []
        """The ``tf.tidy`` scopes around the code, innermost last: the tensors made in each."""


local = _Local()


class Tensor(Operand, AnyTensor):
    """An immutable array: shape, dtype and storage.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> print(tf.reduce_sum(x * 2.0).numpy())
        20.0
    """

    __slots__ = ("__dict__", "__weakref__", "_counted", "_storage", "aval", "identity", "kept")

    assign: Callable[..., Any]
    """Of a part of a Variable, ``v[key]``: gives that part another value. Other tensors lack it."""

    def __init__(self, aval: Aval, storage: Storage) -> None:
        self.aval = aval
        self.identity = next_identity()
        self.kept = False
        self._storage = storage
        self._counted = statistics.mark
        scopes = local.scopes
        if scopes:
            scopes[-1].append(weakref.ref(self))

    # What it is

    @property
    def shape(self) -> TensorShape:
        """The sizes of its dimensions; a tuple of ints."""
        return known_shape(self.aval.shape)

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return self.aval.dtype

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return self.aval.rank

    @property
    def rank(self) -> int:
        """TensorFlow.js's name for :attr:`ndim`."""
        return self.aval.rank

    @property
    def size(self) -> int:
        """How many elements it has."""
        return self.aval.size

    @property
    def storage(self) -> Storage:
        """The bytes.

        Raises:
            RuntimeError: after :meth:`dispose`.
        """
        return self._storage

    @property
    def device(self) -> str:
        """The device that holds the bytes, as TensorFlow names it: a GPU's, or the CPU's."""
        return f"/job:localhost/replica:0/task:0/device:{self.storage.device}"

    @property
    def line(self) -> Line | None:
        """Where the op stands in the program that made it, if it belongs to a trace."""
        return None

    @property
    def has_values(self) -> bool:
        """Whether it can be read: True unless it belongs to a trace."""
        return True

    def slot_on(self, backend: Backend) -> int:
        """The slot of the bytes on that backend, moved there when they are elsewhere.

        Raises:
            RuntimeError: after :meth:`dispose`.
        """
        storage = self.storage
        return storage.slot if storage.backend is backend else storage.slot_on(backend)

    def get_shape(self) -> TensorShape:
        """:attr:`shape`."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Checks the shape, of which nothing is open here.

        Raises:
            ValueError: when ``shape`` (sizes, or None for open ones) does not fit.
        """
        if not self.shape.is_compatible_with(shape):
            given = TensorShape(shape)
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape {given}."
            )
        tracing.declare_shape(self, shape)

    def alias(self) -> Tensor:
        """Another tensor over the same bytes: tapes take it for a value of its own."""
        return Tensor(self.aval, self.storage)

    # Its values

    def host_view(self) -> Array:
        """The values as an array that must not be written to."""
        return self.storage.to_host().reshape(self.aval.shape)

    def numpy(self) -> Any:
        """The values as a NumPy array (a NumPy scalar for rank 0); waits for the device."""
        array = self._values()
        return array[()] if not self.aval.shape else array.copy()

    def _values(self) -> Array:
        """Return :meth:`host_view`, for the program.

        Raises:
            InvalidArgumentError: If the tensor is a list of tensors.
        """
        if self.aval.dtype is variant:
            raise InvalidArgumentError(
                None, "numpy", "Cannot convert a Tensor of dtype variant to a NumPy array."
            )
        return self.host_view()

    def data_sync(self) -> Any:
        """TensorFlow.js's name for :meth:`numpy`."""
        return self.numpy()

    @awaitable("x.data()")
    async def data(self) -> Any:
        """The values as a NumPy array, without blocking the page while the device works."""
        storage = self.storage  # the tensor may be disposed meanwhile
        if self.dtype is variant:
            return self._values()
        host = await storage.to_host_async()
        array = host.reshape(self.aval.shape)
        if not self.aval.shape:
            return array[()]
        return array.copy() if host is storage.host else array

    @awaitable("x.gpu_buffer()")
    async def gpu_buffer(self) -> Any:
        """The GPUBuffer that holds the values, for kernels of the page's own; nothing is copied.

        It belongs to tfpy: it is good as long as this tensor lives, and must be neither written to
        nor destroyed. The values begin at its first byte, 4 bytes each (a bool is an int32 of 0 or
        1); what follows them is not defined. Its usage is STORAGE, COPY_SRC and COPY_DST. What
        computes it has been submitted, so what the page submits to the queue of
        ``tf.browser.gpu_device()`` comes after it.

        Raises:
            UnimplementedError: when the active backend is not webgpu.
            TypeError: for dtypes that are stored otherwise.
        """
        backend = active_backend()
        sharing = sharing_of(backend)
        if self.aval.dtype not in DEVICE_DTYPES:
            raise TypeError(f"gpu_buffer: of float32, int32, bool, not {self.dtype.name}: cast it")
        return await sharing.lend(self.slot_on(backend))

    @awaitable("x.array()")
    async def array(self) -> Any:
        """The values as nested Python lists, without blocking the page."""
        return (await self.data()).tolist()

    def array_sync(self) -> Any:
        """The values as nested Python lists."""
        return self.numpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = self._values()
        return np.array(array, dtype=dtype) if copy is not False else np.asarray(array, dtype=dtype)

    def __buffer__(self, flags: int) -> memoryview:
        return self.host_view().data.toreadonly()

    def __bool__(self) -> bool:
        return bool(self.numpy()) if self.aval.size else False

    def __int__(self) -> int:
        return int(self.numpy())

    def __complex__(self) -> complex:
        return complex(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __index__(self) -> int:
        return int(self.numpy().__index__())

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec)

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
        """HTML for notebooks: facts and, where they can be had at once, the values."""
        from tfpy._src.display import arrays  # which few programs need

        why = self.unseen(arrays.MOST)
        body = arrays.note(why) if why else arrays.html(self.host_view())
        return arrays.panel(title, [*facts, self._place], body)

    @property
    def _place(self) -> str:
        return "disposed" if self.is_disposed else f"on {self.storage.place}"

    def unseen(self, most: int) -> str:
        """Why the values are not shown; empty where they are.

        Args:
            most: how many elements are looked at.
        """
        if self.is_disposed or self.storage.is_lost:
            return "the values are gone"
        if self.aval.size > most:
            return f"{self.aval.nbytes:,} bytes, which are not read: look at a part of it"
        if self.dtype is variant:
            return "a list of tensors, which tf.TensorArray takes as its flow"
        if not self.storage.is_readable:
            return "Python cannot wait for the device here: await x.data() gives the values"
        return ""

    # Lifetime

    @property
    def is_disposed(self) -> bool:
        """Whether :meth:`dispose` was called, by the program or by ``tf.tidy``."""
        return False

    def dispose(self) -> None:
        """Gives the memory back now; the tensor cannot be used afterwards."""
        self.__class__ = _Disposed
        del self._storage
        del self._counted

    # As an object of Python

    def ref(self) -> Any:
        """A hashable reference, equal for the same tensor object."""
        return Reference(self)

    def __hash__(self) -> int:  # type: ignore[override]
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __copy__(self) -> Tensor:
        """The tensor itself: nothing changes it."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self

    def __reduce__(self) -> Any:
        """What ``pickle`` keeps: the values."""
        return from_array, (self.host_view(),)


# What each op and call reads is read as the slot that it is, with no call of Python.
type.__setattr__(Tensor, "storage", vars(Tensor)["_storage"])


class _Disposed(Tensor):
    """What a tensor becomes that is disposed: those that are not need no looking at."""

    __slots__ = ()

    @property
    def storage(self) -> Storage:
        """There is none any more.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            f"Tensor of shape {self.shape} was disposed; keep it with tf.keep or return it from "
            "tf.tidy"
        )

    @property
    def is_disposed(self) -> bool:
        return True

    def dispose(self) -> None:
        """Does nothing: it is done."""


def from_array(array: Array) -> Tensor:
    """A tensor over an array, in a dtype that there is, which nobody else writes to."""
    aval = Aval(array.shape, OF_NUMPY.get(array.dtype) or as_dtype(array.dtype))
    return Tensor(aval, host_storage(array, aval))


def printed(tensor: Tensor, form: Callable[[Any], str]) -> str:
    """The values by ``str`` or ``repr``; more than one line begins on a line of its own.

    ``repr``, which notebooks and debuggers ask for, says why where there are none.
    """
    if tensor.dtype is variant:
        return "<TensorList>"
    if form is repr and (why := tensor.unseen(tensor.aval.size)):
        return f"<{why}>"
    value = tensor.numpy()
    text = form(value.item() if form is repr and isinstance(value, np.generic) else value)
    return f"\n{text}" if "\n" in text else text


class Reference:
    """What ``ref()`` of a tensor or Variable gives: hashable, compares by its identity."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def deref(self) -> Any:
        """The tensor or Variable."""
        return self._tensor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and other._tensor is self._tensor

    def __lt__(self, other: Reference) -> bool:
        """An order, so that references may be keys of nests."""
        return id(self._tensor) < id(other._tensor)

    def __hash__(self) -> int:
        return id(self._tensor)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._tensor!r}>"
