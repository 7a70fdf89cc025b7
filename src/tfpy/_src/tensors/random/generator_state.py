"""The states of `tf.random.Generator`: Philox counters and keys."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.compiler.ir import drawing
from tfpy._src.compiler.ops import random as primitives
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.core.conversion import constant, is_operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.tensors.array.joining import unstack
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.random import sampling
from tfpy._src.tensors.random.algorithm import AlgorithmLike, algorithm_number, philox_only
from tfpy._src.tensors.variables.variable import Variable

_NUMBERS = 3  # counter (two) and key, 64 bits each
_WORDS = 2 * _NUMBERS
_MASK = 2**64 - 1


def create_rng_state(seed: TensorLike, alg: AlgorithmLike) -> Tensor:
    """Create the state of a `tf.random.Generator` from a seed.

    TensorFlow's state consists of three 64-bit integers, of which two are the counter and one is
    the key of the Philox algorithm. In tfpy, each of them is stored as two 32-bit integers, with
    the lower 32 bits first.

    Args:
        seed: Integer, or a sequence of at most three integers.
        alg: Algorithm, a `tf.random.Algorithm`, its number, or its name, such as `"philox"`.

    Returns:
        Int32 tensor of shape `[6]`.

    Raises:
        tf.errors.UnimplementedError: If `alg` is ThreeFry.

    Example:
        >>> import tfpy as tf
        >>> state = tf.random.create_rng_state(1, "philox")
        >>> g = tf.random.Generator(state=state, alg="philox")
        >>> g.uniform([], maxval=10, dtype=tf.int32).numpy().tolist()
        4

    See also: `tf.random.Generator.from_state`.
    """
    philox_only(alg)
    if isinstance(seed, int):
        numbers = [seed >> (64 * i) for i in range(_NUMBERS)]
    else:
        source: Any = seed
        array = np.asarray(source.numpy() if is_operand(source) else source, dtype=object)
        given = [int(n) for n in array.reshape(-1)[:_NUMBERS]]
        numbers = [0] * (_NUMBERS - len(given)) + given
    return pack(numbers)


def pack(numbers: Sequence[int]) -> Tensor:
    """Return 64-bit numbers as a tensor of words, low word first."""
    words = [w for n in numbers for w in philox.split(n, 2)]
    return constant(np.array(words, np.uint32).view(np.int32))


def _state_tensor(state: Any) -> Tensor:
    """Convert a state of six words, or of TensorFlow's three 64-bit numbers, to a tensor.

    Raises:
        ValueError: If the number of elements is neither six nor three.
    """
    found = state.numpy() if is_operand(state) else np.asarray(state)
    if found.shape == (_WORDS,):
        return constant(found.astype(np.int64).astype(np.uint32).view(np.int32))
    if found.shape == (_NUMBERS,):
        return pack([int(n) for n in found])
    raise ValueError(f"Shapes {found.shape} and [{_NUMBERS}] are incompatible")


class _SavedState:
    """A state as checkpoints store it: TensorFlow's three numbers, int64 of shape `[3]`."""

    def __init__(self, state: Variable) -> None:
        self._state = state

    def _serialize_to_tensors(self) -> dict[str, Any]:
        words = self._state.numpy().view(np.uint32).reshape(_NUMBERS, 2).astype(np.uint64)
        return {"VARIABLE_VALUE": (words[:, 0] | words[:, 1] << np.uint64(32)).view(np.int64)}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        with tracing.init_scope():
            self._state.assign(_state_tensor(restored_tensors["VARIABLE_VALUE"]))


def _key_counter(key: Any, counter: Any) -> Tensor:
    """Return the state with the given Philox key and counter."""
    numbers = static_ints(counter)
    if len(numbers) != _NUMBERS - 1:
        raise ValueError(f"Shapes ({len(numbers)},) and [{_NUMBERS - 1}] are incompatible")
    return pack([*numbers, int(key)])


class GeneratorState:
    """The state of a generator: a Philox counter and key in a Variable, and the ways to set it."""

    def __init__(
        self,
        copy_from: Self | None = None,
        state: TensorLike | None = None,
        alg: AlgorithmLike | None = None,
    ) -> None:
        if copy_from is not None:
            state, alg = copy_from.state.numpy(), copy_from.algorithm
        if state is None or alg is None:
            raise ValueError("Generator: pass `copy_from`, or both `state` and `alg`.")
        self._algorithm = philox_only(alg)
        self._state = (
            state
            if isinstance(state, Variable)
            else Variable(_state_tensor(state), trainable=False, name="StateVar")
        )
        self._saved = _SavedState(self._state)

    def _trackable_children(self) -> dict[str, Any]:
        """Return the state, for checkpoints."""
        return {"_state_var": self._saved}

    @classmethod
    def from_state(cls, state: TensorLike, alg: AlgorithmLike) -> Self:
        """Create a generator from a state.

        Args:
            state: Initial state, as `tf.random.create_rng_state` returns it. A `tf.Variable`
                becomes the state itself, so that several generators can share it; other values are
                copied.
            alg: Algorithm, a `tf.random.Algorithm`, its number, or its name, such as `"philox"`.

        Returns:
            A `tf.random.Generator`.

        Example:
            >>> import tfpy as tf
            >>> state = tf.random.create_rng_state(1, "philox")
            >>> g = tf.random.Generator.from_state(state, "philox")
            >>> g.uniform([3]).numpy().round(3)
            array([0.787, 0.391, 0.293], dtype=float32)
        """
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: TensorLike, alg: AlgorithmLike | None = None) -> Self:
        """Create a generator that draws the same numbers whenever the seed is the same.

        Args:
            seed: Integer, or a sequence of at most three integers.
            alg: Algorithm, a `tf.random.Algorithm`, its number, or its name. Default: `"philox"`.

        Returns:
            A `tf.random.Generator`.

        Example:
            >>> import tfpy as tf
            >>> tf.random.Generator.from_seed(1).uniform([3]).numpy().round(3)
            array([0.787, 0.391, 0.293], dtype=float32)
        """
        number = algorithm_number("philox" if alg is None else alg)
        return cls(state=create_rng_state(seed, number), alg=number)

    @classmethod
    def from_non_deterministic_state(cls, alg: AlgorithmLike | None = None) -> Self:
        """Create a generator with a random state, so that its numbers differ between runs.

        Args:
            alg: Algorithm, a `tf.random.Algorithm`, its number, or its name. Default: `"philox"`.

        Returns:
            A `tf.random.Generator`.

        Example:
            >>> import tfpy as tf
            >>> g = tf.random.Generator.from_non_deterministic_state()
            >>> g.uniform([2, 3]).shape
            TensorShape([2, 3])
        """
        numbers = [int.from_bytes(os.urandom(8)) for _ in range(_NUMBERS)]
        return cls(state=pack(numbers), alg="philox" if alg is None else alg)

    @classmethod
    def from_key_counter(cls, key: IntLike, counter: TensorLike, alg: AlgorithmLike) -> Self:
        """Create a generator with the given key and counter of the Philox algorithm.

        Args:
            key: Key, an integer of at most 64 bits.
            counter: Counter, a pair of integers with its lower and upper 64 bits.
            alg: Algorithm, a `tf.random.Algorithm`, its number, or its name, such as `"philox"`.

        Returns:
            A `tf.random.Generator`.

        Raises:
            ValueError: If `counter` is not two integers.

        Example:
            >>> import tfpy as tf
            >>> g = tf.random.Generator.from_key_counter(1, [0, 0], "philox")
            >>> g.state.numpy().tolist()
            [0, 0, 0, 0, 1, 0]
        """
        return cls(state=_key_counter(key, counter), alg=alg)

    def reset(self, state: TensorLike) -> None:
        """Replace the state, so that the generator draws the numbers of that state.

        Args:
            state: New state, as `tf.random.create_rng_state` returns it.

        Raises:
            ValueError: If the shape of `state` is neither `[6]` nor TensorFlow's `[3]`.

        Example:
            >>> import tfpy as tf
            >>> g = tf.random.Generator.from_seed(1)
            >>> start = g.state.numpy()
            >>> print(g.uniform([2]).numpy().round(3))
            [0.787 0.391]
            >>> g.reset(start)
            >>> print(g.uniform([2]).numpy().round(3))
            [0.787 0.391]
        """
        self._state.assign(_state_tensor(state))

    def reset_from_seed(self, seed: TensorLike) -> None:
        """Replace the state by the one that `from_seed` creates.

        Args:
            seed: Integer, or a sequence of at most three integers.

        Example:
            >>> import tfpy as tf
            >>> g = tf.random.Generator.from_non_deterministic_state()
            >>> g.reset_from_seed(1)
            >>> g.uniform([3]).numpy().round(3)
            array([0.787, 0.391, 0.293], dtype=float32)
        """
        self._state.assign(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key: IntLike, counter: TensorLike) -> None:
        """Replace the key and the counter of the state.

        Args:
            key: Key, an integer of at most 64 bits.
            counter: Counter, a pair of integers with its lower and upper 64 bits.

        Raises:
            ValueError: If `counter` is not two integers.

        Example:
            >>> import tfpy as tf
            >>> g = tf.random.Generator.from_seed(1)
            >>> g.reset_from_key_counter(2, [0, 0])
            >>> g.key.numpy().tolist()
            [2, 0]
        """
        self._state.assign(_key_counter(key, counter))

    @property
    def state(self) -> Variable:
        """State, an int32 `tf.Variable` in the format of `tf.random.create_rng_state`."""
        return self._state

    @property
    def algorithm(self) -> int:
        """Number of the algorithm, which is the value of a `tf.random.Algorithm`."""
        return self._algorithm

    @property
    def key(self) -> Tensor:
        """Key of the Philox algorithm, an int32 tensor with its lower and upper 32 bits."""
        return constant(self._state.numpy()[-2:])

    def _numbers(self) -> tuple[int, int]:
        """Return the counter (128 bits) and the key (64 bits)."""
        words: Any = self._state.numpy()
        return philox.join(words[:4]), philox.join(words[4:])

    def _advance(self, blocks: int) -> tuple[int, ...]:
        """Advance the counter, and return the state before."""
        counter, key = self._numbers()
        after = counter + blocks
        self._state.assign(pack([after & _MASK, after >> 64, key]))
        return (*philox.split(key, 2), *philox.split(counter, 4))

    def _reserve_blocks(self, blocks: int) -> sampling.State:
        """Advance the counter, in a `tf.function` with ops, and return the state before."""
        if not tracing.local.active:
            return self._advance(blocks)
        words = unstack(self._state)
        self._state.assign(primitives.random_state_advanced(*words, blocks=blocks))
        return (*self._own_key(words[4:]), *words[:4])

    def _own_key(self, key: list[Tensor]) -> list[Tensor]:
        """Return the key of a replica, if the generator was created in a strategy's scope."""
        replica, strategy = tracing.local.replica, self._state.strategy
        if replica is None or strategy is None:
            return key
        zero = constant(0)
        state = (*key, replica.number(), zero, zero, zero)
        return unstack(sampling.draw(primitives.random_bits, state, shape=(2,)))

    def _reserve(self, shape: Any) -> sampling.State:
        """Advance the counter by the numbers of a tensor, and return the state before."""
        sizes = sampling.sizes("Generator", shape)
        return self._reserve_blocks(int(np.prod(sizes, dtype=np.int64)) * drawing.RESERVED)

    def skip(self, delta: int | Tensor) -> Tensor:
        """Advance the state as if `delta` numbers had been drawn.

        Args:
            delta: Number of values to skip, a scalar integer.

        Returns:
            State before the call, an int32 tensor of shape `[6]`.

        Example:
            >>> import tfpy as tf
            >>> g, skipped = (tf.random.Generator.from_seed(1) for _ in range(2))
            >>> before = skipped.skip(3)
            >>> draw = g.uniform([3])
            >>> print(g.uniform([2]).numpy().round(3), skipped.uniform([2]).numpy().round(3))
            [0.694 0.78 ] [0.694 0.78 ]
        """
        before = self._state.read_value()
        self._reserve_blocks(int(delta) * drawing.RESERVED)
        return before
