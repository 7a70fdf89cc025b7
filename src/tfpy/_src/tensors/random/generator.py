"""``tf.random.Generator``: a stream of random numbers with a state of its own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ir import drawing
from tfpy._src.compiler.ops import distributions, random as primitives
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.core.conversion import constant, convert_to_tensor, is_operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import stack, unstack
from tfpy._src.tensors.array.making import zeros_like
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.random import sampling
from tfpy._src.tensors.random.algorithm import algorithm_number, philox_only
from tfpy._src.tensors.random.sampling import draw
from tfpy._src.tensors.variables.variable import Variable

_NUMBERS = 3  # counter (two) and key, 64 bits each
_WORDS = 2 * _NUMBERS
_MASK = 2**64 - 1


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state of a generator made from a seed: an integer or up to three.

    The state is int32 [6]: TensorFlow's three 64-bit numbers (counter, counter, key) as two words
    each, low word first.

    Example:
        >>> import tfpy as tf
        >>> state = tf.random.create_rng_state(1, "philox")
        >>> g = tf.random.Generator(state=state, alg="philox")
        >>> g.uniform([], maxval=10, dtype=tf.int32).numpy().tolist()
        4
    """
    philox_only(alg)
    if isinstance(seed, int):
        numbers = [seed >> (64 * i) for i in range(_NUMBERS)]
    else:
        array = np.asarray(seed.numpy() if is_operand(seed) else seed, dtype=object)
        given = [int(n) for n in array.reshape(-1)[:_NUMBERS]]
        numbers = [0] * (_NUMBERS - len(given)) + given
    return _tensor(numbers)


def _tensor(numbers: Sequence[int]) -> Tensor:
    words = [w for n in numbers for w in philox.split(n, 2)]
    return constant(np.array(words, np.uint32).view(np.int32))


def _state_tensor(state: Any) -> Tensor:
    """A state given as such, or as TensorFlow's three numbers.

    Raises:
        ValueError: when the number of elements is neither six nor three.
    """
    found = state.numpy() if is_operand(state) else np.asarray(state)
    if found.shape == (_WORDS,):
        return constant(found.astype(np.int64).astype(np.uint32).view(np.int32))
    if found.shape == (_NUMBERS,):
        return _tensor([int(n) for n in found])
    raise ValueError(f"Shapes {found.shape} and [{_NUMBERS}] are incompatible")


class _SavedState:
    """A state as checkpoints have it: TensorFlow's three numbers, int64 [3]."""

    def __init__(self, state: Variable) -> None:
        self._state = state

    def _serialize_to_tensors(self) -> dict[str, Any]:
        words = self._state.numpy().view(np.uint32).reshape(_NUMBERS, 2).astype(np.uint64)
        return {"VARIABLE_VALUE": (words[:, 0] | words[:, 1] << np.uint64(32)).view(np.int64)}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        with tracing.init_scope():
            self._state.assign(_state_tensor(restored_tensors["VARIABLE_VALUE"]))


class Generator:
    """A stream of random numbers.

    The numbers equal those of TensorFlow's generator with the same seed. Make one with
    :meth:`from_seed`, :meth:`from_state`, :meth:`from_key_counter` or
    :meth:`from_non_deterministic_state`.

    Args:
        copy_from: a generator whose state is copied.
        state: see :func:`create_rng_state`; a Variable is shared.
        alg: "philox" or "auto_select", which is the same here.

    Example:
        >>> import tfpy as tf
        >>> g = tf.random.Generator.from_seed(1)
        >>> g.uniform([3]).numpy().round(3)
        array([0.787, 0.391, 0.293], dtype=float32)
        >>> left, right = g.split(2)
        >>> left.normal([2, 3]).shape
        TensorShape([2, 3])
    """

    def __init__(
        self, copy_from: Generator | None = None, state: Any = None, alg: Any = None
    ) -> None:
        if copy_from is not None:
            state, alg = copy_from.state.numpy(), copy_from.algorithm
        if state is None or alg is None:
            raise ValueError("Generator needs `copy_from`, or both `state` and `alg`")
        self._algorithm = philox_only(alg)
        self._state = (
            state
            if isinstance(state, Variable)
            else Variable(_state_tensor(state), trainable=False, name="StateVar")
        )
        self._saved = _SavedState(self._state)

    def _trackable_children(self) -> dict[str, Any]:
        """What checkpoints have of it."""
        return {"_state_var": self._saved}

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator with that state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator that gives the same numbers for the same seed."""
        number = algorithm_number("philox" if alg is None else alg)
        return cls(state=create_rng_state(seed, number), alg=number)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that is different each time."""
        numbers = [int.from_bytes(os.urandom(8)) for _ in range(_NUMBERS)]
        return cls(state=_tensor(numbers), alg="philox" if alg is None else alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator with a key (one integer) and a counter (two)."""
        return cls(state=_key_counter(key, counter), alg=alg)

    def reset(self, state: Any) -> None:
        """Replaces the state."""
        self._state.assign(_state_tensor(state))

    def reset_from_seed(self, seed: Any) -> None:
        """Replaces the state by that of a seed."""
        self._state.assign(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Replaces key and counter."""
        self._state.assign(_key_counter(key, counter))

    @property
    def state(self) -> Variable:
        """The state, int32 [6], as :func:`create_rng_state` makes it."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._algorithm

    @property
    def key(self) -> Tensor:
        """The two words of the key, int32."""
        return constant(self._state.numpy()[-2:])

    def _numbers(self) -> tuple[int, int]:
        """Counter (128 bits) and key (64)."""
        words = self._state.numpy()
        return philox.join(words[:4]), philox.join(words[4:])

    def _advance(self, blocks: int) -> tuple[int, ...]:
        """The state before the counter moves on."""
        counter, key = self._numbers()
        after = counter + blocks
        self._state.assign(_tensor([after & _MASK, after >> 64, key]))
        return (*philox.split(key, 2), *philox.split(counter, 4))

    def _reserve_blocks(self, blocks: int) -> sampling.State:
        """The state before the counter moves on; within ``tf.function`` by ops on the Variable."""
        if not tracing.local.active:
            return self._advance(blocks)
        words = unstack(self._state)
        self._state.assign(primitives.random_state_advanced(*words, blocks=blocks))
        return (*words[4:], *words[:4])

    def _reserve(self, shape: Any) -> sampling.State:
        sizes = sampling.sizes("Generator", shape)
        return self._reserve_blocks(int(np.prod(sizes, dtype=np.int64)) * drawing.RESERVED)

    def skip(self, delta: Any) -> Tensor:
        """Moves on as if ``delta`` numbers had been drawn; gives the state before."""
        before = self._state.read_value()
        self._reserve_blocks(int(delta) * drawing.RESERVED)
        return before

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Uniform numbers in ``[minval, maxval)``; for integers both may be None: all values.

        Raises:
            ValueError: when only one of them is None, for integers.
            InvalidArgumentError: when the range is empty.
        """
        kind = sampling.number_dtype(dtype)
        sampling.check_bounds(kind, minval, maxval)
        return sampling.uniform(self._reserve(shape), shape, minval, maxval, kind)

    def uniform_full_int(
        self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Integers of all values that uint64, uint32 or int32 has."""
        return sampling.full_int(self._reserve(shape), shape, sampling.number_dtype(dtype))

    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Normal numbers."""
        return sampling.normal(self._reserve(shape), shape, mean, stddev, dtype)

    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Normal numbers within two deviations of the mean."""
        state = self._reserve(shape)
        return sampling.normal(state, shape, mean, stddev, dtype, truncated=True)

    def binomial(
        self,
        shape: Any,
        counts: Any,
        probs: Any,
        dtype: Any = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers of successes; ``shape`` ends with the common shape of counts and probs."""
        n, p = (convert_to_tensor(v, dtype_hint=dtypes.float32) for v in (counts, probs))
        parameters = sampling.broadcast("binomial", n, p)
        lead = sampling.leading("binomial", shape, parameters)
        # TensorFlow reserves a hundred pairs of words for each draw.
        draws = parameters[0].size * 200 * (int(np.prod(lead, dtype=np.int64)) + 3) // 4
        state = self._reserve_blocks(draws * drawing.RESERVED)
        return sampling.sampled(
            distributions.random_binomial, state, lead, parameters, dtype=as_dtype(dtype)
        )

    def _keys(self, count: int) -> list[int]:
        """Integers of 64 bits."""
        words = philox.stream(self._advance(count * drawing.RESERVED), 2 * count).tolist()
        return [low | high << 32 for low, high in zip(words[::2], words[1::2], strict=True)]

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for stateless functions, int32 [2, count]: the low words of TensorFlow's."""
        state = self._reserve_blocks(count * drawing.RESERVED)
        keys = draw(primitives.random_bits, state, shape=(2 * count,))[::2]
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """``count`` independent generators."""
        return [
            Generator(state=_tensor([0, 0, key]), alg=self._algorithm) for key in self._keys(count)
        ]


def _key_counter(key: Any, counter: Any) -> Tensor:
    numbers = static_ints(counter)
    if len(numbers) != _NUMBERS - 1:
        raise ValueError(f"Shapes ({len(numbers)},) and [{_NUMBERS - 1}] are incompatible")
    return _tensor([*numbers, int(key)])


class _Global:
    generator: Generator | None = None


def get_global_generator() -> Generator:
    """The program's generator; made from the machine's randomness at the first call.

    Example:
        >>> import tfpy as tf
        >>> g = tf.random.get_global_generator()
        >>> g.normal([2, 3]).shape
        TensorShape([2, 3])
    """
    if _Global.generator is None:
        _Global.generator = Generator.from_non_deterministic_state()
    return _Global.generator


def set_global_generator(generator: Generator) -> None:
    """Replaces what :func:`get_global_generator` gives.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
        >>> tf.random.get_global_generator().uniform([3]).numpy().round(3)
        array([0.787, 0.391, 0.293], dtype=float32)
    """
    _Global.generator = generator
