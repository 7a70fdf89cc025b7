"""Evaluation of the calls of ``surface.calls`` with TensorFlow or tfpy. It needs only NumPy.

The browser receives the text of this file, so it does not import any test module.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

DTYPES = ("float32", "int32", "bool", "complex64")


class Words:
    """Words that the source of a call may use, with the same numbers in order for every library."""

    def __init__(self, lib: Any, dtype: str) -> None:
        self.lib = lib
        self.dtype = dtype
        self.inputs: list[Any] = []
        self.made: list[Any] = []
        self._rng = np.random.default_rng(3)

    def x(self, *shape: int) -> Any:
        """Return a tensor of the tested dtype."""
        return self._tensor(shape, self.dtype)

    def f(self, *shape: int) -> Any:
        """Return floats from 0.1 to 0.9."""
        return self._tensor(shape, "float32")

    def b(self, *shape: int) -> Any:
        return self._tensor(shape, "bool")

    def c(self, *shape: int) -> Any:
        return self._tensor(shape, "complex64")

    def i(self, below: int, *shape: int) -> Any:
        """Return integers from 0 up to, not including, ``below``."""
        return self._kept(self._rng.integers(0, below, shape).astype(np.int32))

    def t(self, values: Any) -> Any:
        """Return a tensor of these values."""
        self.made.append(self.lib.constant(values))
        return self.made[-1]

    def d(self, function: Any, *inputs: Any) -> Any:
        """Return the gradients of a function's results with equal weights."""
        with self.lib.GradientTape() as tape:
            tape.watch(inputs)
            result = function(*inputs)
        return tape.gradient(result, list(inputs))

    def _tensor(self, shape: tuple[int, ...], dtype: str) -> Any:
        numbers = self._rng.uniform(0.1, 0.9, shape)
        if dtype in ("int32", "int64"):
            return self._kept(np.asarray(1 + 8 * numbers, dtype))
        if dtype == "bool":
            return self._kept(np.asarray(numbers > 0.4))
        if dtype in ("complex64", "complex128"):
            numbers = numbers + 1j * self._rng.uniform(0.1, 0.9, shape)
        return self._kept(np.asarray(numbers, dtype))

    def _kept(self, array: Any) -> Any:
        self.inputs.append(self.t(array))
        return self.inputs[-1]


def words(lib: Any, dtype: str = "float32") -> Words:
    """Return the words for a library, with reset seeds."""
    lib.random.set_seed(1)
    return Words(lib, dtype)


def evaluate(text: str, said: Any, **names: Any) -> Any:
    """Return the result of a call's source. ``names`` are additional words."""
    spoken = {name: getattr(said, name) for name in "xfbcitd"}
    result = eval(text, {"tf": said.lib, "np": np, **spoken, **names})
    return finished(result) if inspect.isawaitable(result) else result


def finished(work: Any) -> Any:
    """Return the result of a coroutine that does not wait for anything."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("the call waits for something")


def tensors(lib: Any, nest: Any) -> list[Any]:
    """Return the tensors in a result. Ragged and sparse tensors contribute their values."""
    if isinstance(nest, lib.RaggedTensor):
        return [nest.flat_values]
    if isinstance(nest, lib.SparseTensor | lib.IndexedSlices):
        return [nest.values]
    if isinstance(nest, dict):
        return tensors(lib, list(nest.values()))
    if isinstance(nest, list | tuple) and not isinstance(nest, lib.TensorShape):
        return [t for item in nest for t in tensors(lib, item)]
    return [nest] if lib.is_tensor(nest) else []


def gradients(lib: Any, call: str, dtype: str = "float32") -> list[Any]:
    """Return the gradient of weighted results for each float and complex input, or None.

    Indexed slices, which are gradients of gathered rows, are compared as dense tensors.
    """
    said = words(lib, dtype)
    with lib.GradientTape() as tape:
        made = Watched(said, tape)
        results = [t for t in tensors(lib, evaluate(call, made)) if differentiable(t)]
    inputs = [t for t in said.inputs if differentiable(t)]
    if not results or not inputs:
        return []
    rng = np.random.default_rng(5)
    weights = [_weights(lib, t, rng) for t in results]
    found = tape.gradient(results, inputs, weights)
    return [None if g is None else lib.convert_to_tensor(g) for g in found]


def _weights(lib: Any, result: Any, rng: Any) -> Any:
    shape = tuple(result.shape)
    numbers = rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape)
    real = result.dtype.name in ("float32", "float64")
    return lib.constant((numbers.real if real else numbers).astype(result.dtype.name))


class Watched:
    """Words with tensors that a tape watches."""

    def __init__(self, said: Words, tape: Any) -> None:
        self.lib = said.lib
        self.d = said.d
        for name in "xfbcit":
            setattr(self, name, self._watching(getattr(said, name), tape))

    @staticmethod
    def _watching(word: Any, tape: Any) -> Any:
        def say(*args: int) -> Any:
            made = word(*args)
            if differentiable(made):
                tape.watch(made)
            return made

        return say


def differentiable(tensor: Any) -> bool:
    return tensor.dtype.name in ("float32", "float64", "complex64", "complex128")
