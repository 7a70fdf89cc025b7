"""The methods of `tf.Tensor` that read its values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tfpy._src.backends.abilities import sharing_of
from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.registry import active_backend
from tfpy._src.base import tracing
from tfpy._src.base.dtypes import DEVICE_DTYPES, unquantized, variant
from tfpy._src.base.errors import InvalidArgumentError

if TYPE_CHECKING:
    from tfpy._src.backends.backend import Backend
    from tfpy._src.backends.storage import Storage
    from tfpy._src.base.dtypes import DType
    from tfpy._src.compiler.ir.aval import Array, Aval


_ONE_SIDED = ("abs", "eq", "ge", "getitem", "gt", "invert", "le", "lt", "ne", "neg")
_REFLECTED = (
    *("add", "and", "floordiv", "matmul", "mod", "mul", "or", "pow", "sub", "truediv"),
    "xor",
)


class TensorValues:
    """Base of `tf.Tensor`: transfers of values to the host, and conversions to Python values."""

    __slots__ = ()

    OVERLOADABLE_OPERATORS: ClassVar[frozenset[str]] = frozenset(
        f"__{name}__" for name in (*_ONE_SIDED, *_REFLECTED, *(f"r{n}" for n in _REFLECTED))
    )
    """Names of the methods that define Python's operators."""

    if TYPE_CHECKING:
        aval: Aval

        @property
        def storage(self) -> Storage: ...

        @property
        def dtype(self) -> DType: ...

        def slot_on(self, backend: Backend) -> int: ...

    @property
    def graph(self) -> Any:
        """The trace or graph that records ops.

        Raises:
            AttributeError: If functions execute eagerly.
        """
        if not tracing.local.active:
            raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")
        return tracing.local.active[-1]

    def host_view(self) -> Array:
        """Return the values as an array that the caller must not write to.

        Returns:
            NumPy array of the tensor's shape and dtype. It may share memory with the tensor.

        Example:
            >>> import tfpy as tf
            >>> tf.constant([1, 2]).host_view().sum().item()
            3
        """
        return self.storage.to_host().reshape(self.aval.shape)

    def numpy(self) -> Any:
        """Return a copy of the values as a NumPy array.

        The call waits until the values have been computed, and blocks a page meanwhile. In a page,
        `await x.data()` reads them without blocking.

        Returns:
            NumPy array with the tensor's shape and dtype. If the rank is 0, a NumPy scalar, or
            bytes for a string.

        Raises:
            RuntimeError: If the tensor was disposed. Also on webgpu, if the browser cannot suspend
                Python while the device computes, because it does not support JSPI.
            tf.errors.UnavailableError: If the device that held the values was lost.

        Example:
            >>> import tfpy as tf
            >>> tf.constant([1, 2]).numpy().tolist()
            [1, 2]
        """
        array = self._values()
        return array[()] if not self.aval.shape else array.copy()

    def _values(self) -> Array:
        """Return `host_view()` for a caller outside of the library.

        Raises:
            InvalidArgumentError: If the tensor is a list of tensors.
        """
        if self.aval.dtype is variant:
            raise InvalidArgumentError(
                None, "numpy", "Cannot convert a Tensor of dtype variant to a NumPy array."
            )
        found = self.host_view()
        dtype = self.aval.dtype
        return found.view(unquantized(dtype).as_numpy_dtype) if dtype.is_quantized else found

    def data_sync(self) -> np.ndarray[Any, Any]:
        """Return a copy of the values as a NumPy array, like `numpy()`.

        The name is the one that TensorFlow.js uses.

        Returns:
            NumPy array with the tensor's shape and dtype. If the rank is 0, a NumPy scalar, or
            bytes for a string.

        Example:
            >>> import tfpy as tf
            >>> tf.constant([1, 2]).data_sync().tolist()
            [1, 2]
        """
        return self.numpy()

    @awaitable("x.data()")
    async def data(self) -> np.ndarray[Any, Any]:
        """Read the values asynchronously, without blocking the page while the device computes.

        Returns:
            An awaitable that resolves to a NumPy array with the tensor's shape and dtype. If the
            rank is 0, it resolves to a NumPy scalar, or to bytes for a string.

        Example:
            >>> import asyncio
            >>> import tfpy as tf
            >>> x = tf.constant([1.0, 2.0]) * 3.0
            >>> asyncio.run(x.data()).tolist()  # in a page: (await x.data()).tolist()
            [3.0, 6.0]
        """
        storage = self.storage  # the tensor may be disposed while the values are transferred
        if self.dtype is variant:
            return self._values()
        host = await storage.to_host_async()
        array = host.reshape(self.aval.shape)
        if not self.aval.shape:
            return array[()]
        return array.copy() if host is storage.host else array

    @awaitable("x.gpu_buffer()")
    async def gpu_buffer(self) -> Any:
        """Return the WebGPU buffer that holds the values, for the page's own GPU code.

        Nothing is copied. The buffer belongs to tfpy: it is valid while this tensor exists, and
        must not be written to or destroyed. The values begin at byte 0 and take 4 bytes each; a
        bool is stored as the int32 number 0 or 1. The content after the values is undefined. The
        usage of the buffer is STORAGE, COPY_SRC and COPY_DST. The commands that compute the values
        have already been submitted, so commands that the page submits to the queue of
        `tf.browser.gpu_device()` run after them.

        Returns:
            An awaitable that resolves to a JavaScript `GPUBuffer`.

        Raises:
            tf.errors.UnimplementedError: If the active backend is not webgpu.
            TypeError: If the dtype is not float32, int32 or bool.

        Example::

            import tfpy as tf

            x = tf.constant([1.0, 2.0]) * 3.0
            buffer = await x.gpu_buffer()
        """
        backend = active_backend()
        sharing = sharing_of(backend)
        if self.aval.dtype not in DEVICE_DTYPES:
            raise TypeError(
                f"gpu_buffer() supports float32, int32 and bool tensors, not {self.dtype.name}. "
                "Cast the tensor first."
            )
        return await sharing.lend(self.slot_on(backend))

    @awaitable("x.array()")
    async def array(self) -> Any:
        """Read the values asynchronously as nested Python lists, without blocking the page.

        Returns:
            An awaitable that resolves to nested lists, or to a number if the rank is 0.

        Example:
            >>> import asyncio
            >>> import tfpy as tf
            >>> x = tf.constant([[1, 2], [3, 4]])
            >>> asyncio.run(x.array())  # in a page: await x.array()
            [[1, 2], [3, 4]]
        """
        return (await self.data()).tolist()

    def array_sync(self) -> Any:
        """Return the values as nested Python lists.

        Like `numpy()`, the call waits until the values have been computed.

        Returns:
            Nested lists, or a number if the rank is 0.

        Example:
            >>> import tfpy as tf
            >>> tf.constant([[1], [2]]).array_sync()
            [[1], [2]]
        """
        return self.numpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = self._values()
        return np.array(array, dtype=dtype) if copy is not False else np.asarray(array, dtype=dtype)

    def __buffer__(self, flags: int) -> memoryview:
        return self.host_view().data.toreadonly()

    def __bool__(self) -> bool:
        if self.aval.size > 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use "
                f"tf.reduce_any(x) or tf.reduce_all(x); the shape is {list(self.aval.shape)}"
            )
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
