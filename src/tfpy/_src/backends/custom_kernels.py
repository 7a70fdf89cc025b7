"""``tf.register_kernel`` and its like: what a program adds to the op table."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from tfpy._src.backends.registry import find_backend
from tfpy._src.compiler.ir.kernels import GRADIENTS, KERNELS, Gradient, Kernel
from tfpy._src.compiler.ir.op import OPS

_OWN_KERNELS = ("webgpu", "webgl", "wasm")


def register_kernel(name: str, backend: str, kernel: Kernel) -> None:
    """Has a function compute an op on a backend, from now on.

    Functions that are compiled already keep the kernels that they have.

    Args:
        name: of a primitive; ``docs/extending.md`` says how to find it.
        backend: the name of a :class:`tf.KernelBackend`, whose values the kernel takes and gives;
            or "cpu", whose values are NumPy's arrays.
        kernel: takes the op's operands, and its attributes by name; gives its result.

    Raises:
        ValueError: for an op that there is not, and for webgpu, webgl and wasm, whose kernels are
            part of tfpy.
        TypeError: when the kernel cannot be called.

    Example:
        >>> import numpy as np
        >>> import tfpy as tf
        >>> tf.register_kernel("tanh", "cpu", lambda x: np.clip(x, -1, 1))
        >>> tf.tanh([0.5, 7.0]).numpy().tolist()
        [0.5, 1.0]
        >>> tf.unregister_kernel("tanh", "cpu")
    """
    _check_op("register_kernel", name)
    if backend in _OWN_KERNELS:
        raise ValueError(f"register_kernel: the kernels of {backend} are part of tfpy")
    if not callable(kernel):
        raise TypeError(f"register_kernel: {kernel!r} cannot be called")
    KERNELS.setdefault(backend, {})[name] = kernel
    forget_programs(backend)


def unregister_kernel(name: str, backend: str) -> None:
    """Takes a kernel back.

    Raises:
        ValueError: when there is none.

    Example:
        >>> import tfpy as tf
        >>> tf.register_kernel("add", "mine", lambda x, y: x + y)
        >>> tf.unregister_kernel("add", "mine")
        >>> tf.get_kernels_for_backend("mine")
        {}
    """
    if KERNELS.get(backend, {}).pop(name, None) is None:
        raise ValueError(f"unregister_kernel: no kernel of {name} was registered for {backend}")
    forget_programs(backend)


def get_kernel(name: str, backend: str) -> Kernel | None:
    """The kernel that was registered; None where there is none.

    Example:
        >>> import tfpy as tf
        >>> def plus(x, y):
        ...     return x + y
        >>> tf.register_kernel("add", "mine", plus)
        >>> tf.get_kernel("add", "mine") is plus
        True
        >>> tf.unregister_kernel("add", "mine")
    """
    return KERNELS.get(backend, {}).get(name)


def get_kernels_for_backend(backend: str) -> dict[str, Kernel]:
    """All kernels that were registered for a backend, by op.

    Example:
        >>> import tfpy as tf
        >>> tf.register_kernel("add", "mine", lambda x, y: x + y)
        >>> sorted(tf.get_kernels_for_backend("mine"))
        ['add']
        >>> tf.unregister_kernel("add", "mine")
    """
    return dict(KERNELS.get(backend, {}))


def copy_registered_kernels(backend: str, new_backend: str) -> None:
    """Registers the kernels of one backend for another one, too.

    Example:
        >>> import tfpy as tf
        >>> tf.register_kernel("add", "mine", lambda x, y: x + y)
        >>> tf.copy_registered_kernels("mine", "another")
        >>> sorted(tf.get_kernels_for_backend("another"))
        ['add']
        >>> tf.unregister_kernel("add", "mine")
        >>> tf.unregister_kernel("add", "another")
    """
    for name, kernel in get_kernels_for_backend(backend).items():
        register_kernel(name, new_backend, kernel)


def register_gradient(name: str) -> Callable[[Gradient], Gradient]:
    """A decorator: the function is the gradient of an op from now on, in place of tfpy's own.

    Args:
        name: of a primitive; ``docs/extending.md`` says how to find it.

    Raises:
        ValueError: for an op that there is not.

    Example:
        >>> import tfpy as tf
        >>> @tf.register_gradient("round")
        ... def straight_through(g, y, x):
        ...     return g
        >>> tf.grad(tf.round)(tf.constant(0.3)).numpy()
        np.float32(1.0)
        >>> tf.unregister_gradient("round")
    """
    _check_op("register_gradient", name)

    def register(gradient: Gradient) -> Gradient:
        if not callable(gradient):
            raise TypeError(f"register_gradient: {gradient!r} cannot be called")
        GRADIENTS[name] = gradient
        return gradient

    return register


def unregister_gradient(name: str) -> None:
    """Takes a gradient back: tfpy's own is used again.

    Raises:
        ValueError: when there is none.

    Example:
        >>> import tfpy as tf
        >>> @tf.register_gradient("round")
        ... def straight_through(g, y, x):
        ...     return g
        >>> tf.unregister_gradient("round")
        >>> tf.get_gradient("round") is None
        True
    """
    if GRADIENTS.pop(name, None) is None:
        raise ValueError(f"unregister_gradient: no gradient of {name} was registered")


def get_gradient(name: str) -> Gradient | None:
    """The gradient that was registered for an op; None where there is none.

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
    """
    return GRADIENTS.get(name)


def _check_op(function: str, name: str) -> None:
    if name in OPS and OPS[name].is_primitive:
        return
    close = difflib.get_close_matches(str(name), [n for n in OPS if OPS[n].is_primitive], n=1)
    mend = f"; did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"{function}: there is no op {name!r}{mend}")


def forget_programs(name: str) -> None:
    """Ops that run one by one are compiled anew."""
    backend = find_backend(name)
    if backend is None:
        return
    for compiled in backend.programs.values():
        if compiled.program > 0:
            backend.dead_programs.append(compiled.program)
    backend.programs.clear()
