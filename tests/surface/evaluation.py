"""Evaluates the calls of ``surface.calls`` with a library: TensorFlow or tfpy. Needs only NumPy.

The browser gets the text of this file, so it imports nothing of the tests.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

DTYPES = ("float32", "int32", "bool", "complex64")


class Words:
    """What the text of a call may say; the same numbers in the same order for every library."""

    def __init__(self, lib: Any, dtype: str) -> None:
        self.lib = lib
        self.dtype = dtype
        self.inputs: list[Any] = []
        self.made: list[Any] = []
        self._rng = np.random.default_rng(3)

    def x(self, *shape: int) -> Any:
        """A tensor of the dtype that is tried."""
        return self._tensor(shape, self.dtype)

    def f(self, *shape: int) -> Any:
        """Floats from 0.1 to 0.9."""
        return self._tensor(shape, "float32")

    def b(self, *shape: int) -> Any:
        return self._tensor(shape, "bool")

    def c(self, *shape: int) -> Any:
        return self._tensor(shape, "complex64")

    def i(self, below: int, *shape: int) -> Any:
        """Integers from 0 up to, not including, ``below``."""
        return self._kept(self._rng.integers(0, below, shape).astype(np.int32))

    def t(self, values: Any) -> Any:
        """A tensor of these values."""
        self.made.append(self.lib.constant(values))
        return self.made[-1]

    def d(self, function: Any, *inputs: Any) -> Any:
        """The gradients of a function's results, each weighed alike."""
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
    """The words for a library, whose seeded streams begin anew."""
    lib.random.set_seed(1)
    return Words(lib, dtype)


def evaluate(text: str, said: Any, **names: Any) -> Any:
    """The result of the text of a call; ``names`` are more words."""
    spoken = {name: getattr(said, name) for name in "xfbcitd"}
    result = eval(text, {"tf": said.lib, "np": np, **spoken, **names})
    return finished(result) if inspect.isawaitable(result) else result


def finished(work: Any) -> Any:
    """The result of a coroutine that has nothing to wait for."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("the call waits for something")


def tensors(lib: Any, nest: Any) -> list[Any]:
    """The tensors in a result: of ragged and sparse ones those that hold the values."""
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
    """The gradient of weighed float and complex results for each such input, or None.

    Indexed slices, which a read of rows gives, are compared as the tensors that they stand for.
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
    """Words whose tensors a tape watches."""

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
