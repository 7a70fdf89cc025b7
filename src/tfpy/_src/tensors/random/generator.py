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
    """A source of random numbers with its own state.

    Each call of a method draws numbers and advances the state. Create a generator with the class
    method `from_seed`, `from_state`, `from_key_counter` or `from_non_deterministic_state`. For the
    same seed, it draws the same numbers as TensorFlow's generator.

    Args:
        copy_from: Generator whose state and algorithm are copied. Default: `state` and `alg` are
            used instead.
        state: Initial state, as `tf.random.create_rng_state` returns it. A `tf.Variable` becomes
            the state itself, so that several generators can share it; other values are copied.
        alg: Algorithm, a `tf.random.Algorithm`, its number, or its name, such as `"philox"`.

    Raises:
        ValueError: If neither `copy_from` nor both `state` and `alg` are given.
        tf.errors.UnimplementedError: If the algorithm is ThreeFry.

    Example:
        >>> import tfpy as tf
        >>> g = tf.random.Generator.from_seed(1)
        >>> g.uniform([3]).numpy().round(3)
        array([0.787, 0.391, 0.293], dtype=float32)
        >>> g.normal([3]).shape
        TensorShape([3])

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
            minval: Lower bound (inclusive), a scalar or a tensor that broadcasts to `shape`.
                Default: 0.
            maxval: Upper bound (exclusive), in the same form. Default: 1 for float dtypes. For
                integer dtypes, pass both bounds, or None for both to draw from all values of the
                dtype.
            dtype: Dtype of the result. Default: float32.

        Returns:
            Tensor of shape `shape`.

        Raises:
            ValueError: If only one of `minval` and `maxval` is None, for an integer dtype.
            tf.errors.InvalidArgumentError: If `minval` is not less than `maxval`, for an integer
                dtype.

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
        """Draw uniform random integers from all values of a dtype.

        Args:
            shape: Shape of the result.
            dtype: Dtype of the result, uint64 (default), uint32, int64 or int32.

        Returns:
            Integer tensor of shape `shape`.

        Example:
            >>> import tfpy as tf
            >>> tf.random.Generator.from_seed(1).uniform_full_int([2], tf.int32).numpy().tolist()
            [-119223132, 1555169499]
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
            mean: Mean, a scalar or a tensor that broadcasts to `shape`. Default: 0.
            stddev: Standard deviation, a scalar or a tensor that broadcasts to `shape`. Default: 1.
            dtype: Dtype of the result. Default: float32.

        Returns:
            Float tensor of shape `shape`.

        Example:
            >>> import tfpy as tf
            >>> print(tf.random.Generator.from_seed(1).normal([3]).numpy().round(3))
            [ 0.438 -0.534 -0.077]
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
        """Draw random numbers from a normal distribution, truncated at two standard deviations.

        Args:
            shape: Shape of the result.
            mean: Mean, a scalar or a tensor that broadcasts to `shape`. Default: 0.
            stddev: Standard deviation, a scalar or a tensor that broadcasts to `shape`. Default: 1.
            dtype: Dtype of the result. Default: float32.

        Returns:
            Float tensor of shape `shape`.

        Example:
            >>> import tfpy as tf
            >>> x = tf.random.Generator.from_seed(1).truncated_normal([1000])
            >>> tf.math.ceil(tf.reduce_max(x)).numpy().tolist()
            2.0
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
            shape: Shape of the result. It must end with the broadcast shape of `counts` and
                `probs`.
            counts: Numbers of trials, a numeric tensor.
            probs: Probabilities of success, between 0 and 1, a float tensor.
            dtype: Dtype of the result. Default: int32.

        Returns:
            Numbers of successes, a tensor of shape `shape`.

        Raises:
            tf.errors.InvalidArgumentError: If `shape` does not end with the broadcast shape of
                `counts` and `probs`.

        Example:
            >>> import tfpy as tf
            >>> g = tf.random.Generator.from_seed(1)
            >>> g.binomial([5], counts=10.0, probs=0.5).numpy().tolist()
            [5, 5, 7, 3, 2]
        """
        n, p = (convert_to_tensor(v, dtype_hint=dtypes.float32) for v in (counts, probs))
        parameters = sampling.trials("binomial", n, p)
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
        """Create seeds for stateless functions such as `tf.random.stateless_uniform`.

        Args:
            count: Number of seeds. Default: 1.

        Returns:
            Int32 tensor of shape `[2, count]`. Each column is a seed. TensorFlow's seeds are int64,
            and these are their lower 32 bits.

        Example:
            >>> import tfpy as tf
            >>> seeds = tf.random.Generator.from_seed(1).make_seeds(2)
            >>> seeds.numpy().tolist()
            [[-119223132, -1314556693], [0, 0]]
            >>> tf.random.stateless_uniform([3], seed=seeds[:, 0]).shape
            TensorShape([3])
        """
        state = self._reserve_blocks(count * drawing.RESERVED)
        keys = draw(primitives.random_bits, state, shape=(2 * count,))[::2]
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Create generators that draw numbers independently of each other and of this one.

        Args:
            count: Number of generators. Default: 1.

        Returns:
            List of `count` generators.

        Example:
            >>> import tfpy as tf
            >>> left, right = tf.random.Generator.from_seed(1).split(2)
            >>> print(left.uniform([2]).numpy().round(3), right.uniform([2]).numpy().round(3))
            [0.095 0.508] [0.629 0.381]
        """
        return [
            Generator(state=pack([0, 0, key]), alg=self._algorithm) for key in self._keys(count)
        ]


class _Global:
    generator: Generator | None = None


def get_global_generator() -> Generator:
    """Return the generator that all parts of a program can share.

    Unless `tf.random.set_global_generator` was called before, the first call creates a generator
    whose numbers differ between runs.

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
    """Replace the generator that `tf.random.get_global_generator` returns.

    Args:
        generator: The new global generator.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
        >>> tf.random.get_global_generator().uniform([3]).numpy().round(3)
        array([0.787, 0.391, 0.293], dtype=float32)

    See also: `tf.random.get_global_generator`.
    """
    _Global.generator = generator
