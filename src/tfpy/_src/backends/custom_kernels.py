"""`tf.register_kernel` and related functions: kernels and gradients that a program adds."""

from __future__ import annotations

from collections.abc import Callable

from tfpy._src.backends.registry import find_backend
from tfpy._src.base.suggestions import did_you_mean
from tfpy._src.compiler.ir.kernels import GRADIENTS, KERNELS, Gradient, Kernel
from tfpy._src.compiler.ir.op import OPS

_OWN_KERNELS = ("webgpu", "webgl", "wasm")


def register_kernel(name: str, backend: str, kernel: Kernel) -> None:
    """Register a function that computes an op on a backend.

    Functions that are already compiled keep the kernels with which they were compiled.

    Args:
        name: Name of a primitive op. The page "Extending tfpy" of the documentation explains how to
            find it.
        backend: Name of a `tf.KernelBackend`, or "cpu". A kernel for "cpu" computes with NumPy
            arrays, any other kernel with the values of its backend.
        kernel: Function that takes the operands, and the attributes of the op as keyword arguments,
            and returns the result.

    Raises:
        ValueError: If the op does not exist, or the backend is webgpu, webgl or wasm. The kernels
            of these backends are part of tfpy.
        TypeError: If the kernel is not callable.

    Example:
        >>> import numpy as np
        >>> import tfpy as tf
        >>> tf.register_kernel("tanh", "cpu", lambda x: np.clip(x, -1, 1))
        >>> tf.tanh([0.5, 7.0]).numpy().tolist()
        [0.5, 1.0]
        >>> tf.unregister_kernel("tanh", "cpu")

    See also: `tf.unregister_kernel`, `tf.register_gradient`.
    """
    _check_op("register_kernel", name)
    if backend in _OWN_KERNELS:
        raise ValueError(
            f"register_kernel: the kernels of {backend} are part of tfpy and cannot be replaced."
        )
    if not callable(kernel):
        raise TypeError(f"register_kernel: kernel must be callable, got {kernel!r}.")
    KERNELS.setdefault(backend, {})[name] = kernel
    forget_programs(backend)


def unregister_kernel(name: str, backend: str) -> None:
    """Remove a kernel that was added with `tf.register_kernel`.

    Args:
        name: Name of the op.
        backend: Name of the backend.

    Raises:
        ValueError: If no such kernel is registered.

    Example:
        >>> import tfpy as tf
        >>> tf.register_kernel("add", "mine", lambda x, y: x + y)
        >>> tf.unregister_kernel("add", "mine")
        >>> tf.get_kernels_for_backend("mine")
        {}

    See also: `tf.register_kernel`.
    """
    if KERNELS.get(backend, {}).pop(name, None) is None:
        raise ValueError(f"unregister_kernel: no kernel of {name} was registered for {backend}.")
    forget_programs(backend)


def get_kernel(name: str, backend: str) -> Kernel | None:
    """Return a kernel that was added with `tf.register_kernel`.

    Args:
        name: Name of the op.
        backend: Name of the backend.

    Returns:
        The function, or None if no kernel is registered.

    Example:
        >>> import tfpy as tf
        >>> def plus(x, y):
        ...     return x + y
        >>> tf.register_kernel("add", "mine", plus)
        >>> tf.get_kernel("add", "mine") is plus
        True
        >>> tf.unregister_kernel("add", "mine")

    See also: `tf.get_kernels_for_backend`.
    """
    return KERNELS.get(backend, {}).get(name)


def get_kernels_for_backend(backend: str) -> dict[str, Kernel]:
    """Return all kernels that were added to a backend with `tf.register_kernel`.

    Args:
        backend: Name of the backend.

    Returns:
        A dict from names of ops to functions.

    Example:
        >>> import tfpy as tf
        >>> tf.register_kernel("add", "mine", lambda x, y: x + y)
        >>> sorted(tf.get_kernels_for_backend("mine"))
        ['add']
        >>> tf.unregister_kernel("add", "mine")

    See also: `tf.get_kernel`.
    """
    return dict(KERNELS.get(backend, {}))


def copy_registered_kernels(backend: str, new_backend: str) -> None:
    """Register the kernels of one backend for a second backend as well.

    Args:
        backend: Name of the backend to copy from.
        new_backend: Name of the backend to copy to.

    Example:
        >>> import tfpy as tf
        >>> tf.register_kernel("add", "mine", lambda x, y: x + y)
        >>> tf.copy_registered_kernels("mine", "another")
        >>> sorted(tf.get_kernels_for_backend("another"))
        ['add']
        >>> tf.unregister_kernel("add", "mine")
        >>> tf.unregister_kernel("add", "another")

    See also: `tf.register_kernel`.
    """
    for name, kernel in get_kernels_for_backend(backend).items():
        register_kernel(name, new_backend, kernel)


def register_gradient(name: str) -> Callable[[Gradient], Gradient]:
    """Return a decorator that registers a function as the gradient of an op.

    The function replaces tfpy's gradient of the op until `tf.unregister_gradient` is called.

    Args:
        name: Name of a primitive op. The page "Extending tfpy" of the documentation explains how to
            find it.

    Returns:
        A decorator for a function `gradient(g, output, *inputs, **attributes)`, in which `g` is the
        gradient with respect to the output. The function returns the gradient with respect to each
        input, or None for inputs without a gradient.

    Raises:
        ValueError: If the op does not exist.

    Example:
        >>> import tfpy as tf
        >>> @tf.register_gradient("round")
        ... def straight_through(g, y, x):
        ...     return g
        >>> tf.grad(tf.round)(tf.constant(0.3)).numpy().tolist()
        1.0
        >>> tf.unregister_gradient("round")

    See also: `tf.unregister_gradient`, `tf.custom_gradient`.
    """
    _check_op("register_gradient", name)

    def register(gradient: Gradient) -> Gradient:
        if not callable(gradient):
            raise TypeError(f"register_gradient: gradient must be callable, got {gradient!r}.")
        GRADIENTS[name] = gradient
        return gradient

    return register


def unregister_gradient(name: str) -> None:
    """Remove a gradient that was added with `tf.register_gradient`.

    The gradient that is part of tfpy is used again.

    Args:
        name: Name of the op.

    Raises:
        ValueError: If no gradient is registered.

    Example:
        >>> import tfpy as tf
        >>> @tf.register_gradient("round")
        ... def straight_through(g, y, x):
        ...     return g
        >>> tf.unregister_gradient("round")
        >>> tf.get_gradient("round") is None
        True

    See also: `tf.register_gradient`.
    """
    if GRADIENTS.pop(name, None) is None:
        raise ValueError(f"unregister_gradient: no gradient of {name} was registered.")


def get_gradient(name: str) -> Gradient | None:
    """Return the gradient of an op that was added with `tf.register_gradient`.

    Args:
        name: Name of the op.

    Returns:
        The function, or None if no gradient is registered.

    Example:
        >>> import tfpy as tf
        >>> @tf.register_gradient("round")
        ... def straight_through(g, y, x):
        ...     return g
        >>> tf.get_gradient("round") is straight_through
        True
        >>> tf.unregister_gradient("round")
        >>> print(tf.get_gradient("round"))
        None

    See also: `tf.register_gradient`.
    """
    return GRADIENTS.get(name)


def _check_op(function: str, name: str) -> None:
    if name in OPS and OPS[name].is_primitive:
        return
    close = did_you_mean(name, (n for n in OPS if OPS[n].is_primitive))
    raise ValueError(f"{function}: there is no op {name!r}.{close}")


def forget_programs(name: str) -> None:
    """Clear the compiled eager ops of a backend, so that they are compiled again."""
    backend = find_backend(name)
    if backend is None:
        return
    for compiled in backend.programs.values():
        if compiled.program > 0:
            backend.dead_programs.append(compiled.program)
    backend.programs.clear()
