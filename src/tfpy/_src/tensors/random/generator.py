"""`tf.random.Generator`: streams of random numbers with their own state."""

from __future__ import annotations

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ir import drawing
from tfpy._src.compiler.ops import distributions, random as primitives
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import zeros_like
from tfpy._src.tensors.random import sampling
from tfpy._src.tensors.random.generator_state import GeneratorState, pack
from tfpy._src.tensors.random.sampling import draw


class Generator(GeneratorState):
    """A stream of random numbers with its own state.

    TensorFlow's generator produces the same numbers for the same seed. Create a generator with
    `from_seed`, `from_state`, `from_key_counter` or `from_non_deterministic_state`.

    Args:
        copy_from: Generator to copy the state and the algorithm from.
        state: State, see `tf.random.create_rng_state`. A Variable is shared, other values are
            copied.
        alg: Algorithm: a `tf.random.Algorithm`, its number, or its name, e.g. `"philox"`.

    Raises:
        ValueError: If neither `copy_from` nor both `state` and `alg` are given.

    Example:
        >>> import tfpy as tf
        >>> g = tf.random.Generator.from_seed(1)
        >>> g.uniform([3]).numpy().round(3)
        array([0.787, 0.391, 0.293], dtype=float32)
        >>> left, right = g.split(2)
        >>> left.normal([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.random.get_global_generator`, `tf.random.stateless_uniform`.
    """

    def uniform(
        self,
        shape: ShapeLike,
        minval: TensorLike | None = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draw uniform random numbers in `[minval, maxval)`.

        Args:
            shape: Shape of the result.
            minval: Lower bound, a scalar or a tensor that broadcasts to `shape`. For integers, None
                together with `maxval=None` draws from all values.
            maxval: Upper bound, exclusive. Default: 1 for floats.
            dtype: Dtype of the result. Default: float32.

        Returns:
            Tensor of shape `shape`.

        Raises:
            ValueError: If only one of `minval` and `maxval` is None, for integers.
            tf.errors.InvalidArgumentError: If the range of integers is empty.

        Example:
            >>> import tfpy as tf
            >>> tf.random.Generator.from_seed(1).uniform([3]).numpy().round(3)
            array([0.787, 0.391, 0.293], dtype=float32)
        """
        kind = sampling.number_dtype(dtype)
        sampling.check_bounds(kind, minval, maxval)
        return sampling.uniform(self._reserve(shape), shape, minval, maxval, kind)

    def uniform_full_int(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Draw integers from all values of a dtype.

        Args:
            shape: Shape of the result.
            dtype: Dtype of the result: uint64 (default), uint32, int64 or int32.

        Returns:
            Integer tensor of shape `shape`.

        Example:
            >>> import tfpy as tf
            >>> tf.random.Generator.from_seed(1).uniform_full_int([3], tf.int32).shape
            TensorShape([3])
        """
        return sampling.full_int(self._reserve(shape), shape, sampling.number_dtype(dtype))

    def normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draw random numbers from a normal distribution.

        Args:
            shape: Shape of the result.
            mean: Mean, a scalar or a tensor that broadcasts to `shape`.
            stddev: Standard deviation, a scalar or a tensor that broadcasts to `shape`.
            dtype: Dtype of the result. Default: float32.

        Returns:
            Float tensor of shape `shape`.

        Example:
            >>> import tfpy as tf
            >>> tf.random.Generator.from_seed(1).normal([2, 3]).shape
            TensorShape([2, 3])
        """
        return sampling.normal(self._reserve(shape), shape, mean, stddev, dtype)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draw normal random numbers within two standard deviations of the mean.

        Args:
            shape: Shape of the result.
            mean: Mean, a scalar or a tensor that broadcasts to `shape`.
            stddev: Standard deviation, a scalar or a tensor that broadcasts to `shape`.
            dtype: Dtype of the result. Default: float32.

        Returns:
            Float tensor of shape `shape`.

        Example:
            >>> import tfpy as tf
            >>> x = tf.random.Generator.from_seed(1).truncated_normal([1000])
            >>> bool(tf.reduce_max(tf.abs(x)) <= 2.0)
            True
        """
        state = self._reserve(shape)
        return sampling.normal(state, shape, mean, stddev, dtype, truncated=True)

    def binomial(
        self,
        shape: ShapeLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """Draw random numbers from a binomial distribution.

        Args:
            shape: Shape of the result, which ends with the broadcast shape of `counts` and `probs`.
            counts: Numbers of trials.
            probs: Probabilities of success, between 0 and 1.
            dtype: Dtype of the result. Default: int32.

        Returns:
            Tensor of shape `shape`: numbers of successes.

        Raises:
            tf.errors.InvalidArgumentError: If `shape` does not end with the broadcast shape of
                `counts` and `probs`.

        Example:
            >>> import tfpy as tf
            >>> x = tf.random.Generator.from_seed(1).binomial([1000], counts=10.0, probs=0.5)
            >>> bool(4.5 < tf.reduce_mean(tf.cast(x, tf.float32)) < 5.5)
            True
        """
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
        """Return random 64-bit integers."""
        words = philox.stream(self._advance(count * drawing.RESERVED), 2 * count).tolist()
        return [low | high << 32 for low, high in zip(words[::2], words[1::2], strict=True)]

    def make_seeds(self, count: int = 1) -> Tensor:
        """Create seeds for stateless functions.

        Args:
            count: Number of seeds.

        Returns:
            Int32 tensor of shape `[2, count]`, one seed per column: the low words of TensorFlow's
            seeds.

        Example:
            >>> import tfpy as tf
            >>> seeds = tf.random.Generator.from_seed(1).make_seeds(2)
            >>> tf.random.stateless_uniform([3], seed=seeds[:, 0]).shape
            TensorShape([3])
        """
        state = self._reserve_blocks(count * drawing.RESERVED)
        keys = draw(primitives.random_bits, state, shape=(2 * count,))[::2]
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Create independent generators.

        Args:
            count: Number of generators.

        Returns:
            List of `count` generators.

        Example:
            >>> import tfpy as tf
            >>> left, right = tf.random.Generator.from_seed(1).split(2)
            >>> left.normal([2, 3]).shape
            TensorShape([2, 3])
        """
        return [
            Generator(state=pack([0, 0, key]), alg=self._algorithm) for key in self._keys(count)
        ]


class _Global:
    generator: Generator | None = None


def get_global_generator() -> Generator:
    """Return the global generator.

    The first call creates it with a state from the operating system's random numbers.

    Returns:
        A `tf.random.Generator`.

    Example:
        >>> import tfpy as tf
        >>> g = tf.random.get_global_generator()
        >>> g.normal([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.random.set_global_generator`.
    """
    if _Global.generator is None:
        _Global.generator = Generator.from_non_deterministic_state()
    return _Global.generator


def set_global_generator(generator: Generator) -> None:
    """Replace the global generator.

    Args:
        generator: The `tf.random.Generator` that `tf.random.get_global_generator` returns from now
            on.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
        >>> tf.random.get_global_generator().uniform([3]).numpy().round(3)
        array([0.787, 0.391, 0.293], dtype=float32)

    See also: `tf.random.get_global_generator`.
    """
    _Global.generator = generator
