"""The permutation of `tf.random.experimental.index_shuffle`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.core.conversion import convert_to_tensor, host_values, is_operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike

_SIMON_CONSTANT, _SIMON_SEQUENCE = 0xFFFFFFFC, 0x7369F885192C0EF5
_SALT = 498247692


def index_shuffle(index: TensorLike, seed: TensorLike, max_index: int) -> Tensor:
    """Return the position of an index in a random permutation of 0 to `max_index`.

    The permutation is computed and not stored, so the memory does not grow with `max_index`. The
    values of `index` and `seed` are read back to Python, so the call waits for pending
    computations, and a `tf.function` that contains the call runs eagerly, without compilation.

    Args:
        index: Indices from 0 to `max_index`, an integer tensor of any shape.
        seed: Integers that determine the permutation, usually a tensor of shape `[2]`.
        max_index: Largest index (inclusive).

    Returns:
        Positions, a tensor with the shape and dtype of `index`.

    Raises:
        tf.errors.InvalidArgumentError: If an index is negative or greater than `max_index`.

    Example:
        >>> import tfpy as tf
        >>> shuffle = tf.random.experimental.index_shuffle
        >>> [int(shuffle(i, seed=[1, 2], max_index=4)) for i in range(5)]
        [2, 0, 1, 4, 3]

    See also: `tf.random.experimental.stateless_shuffle`.
    """
    key = np.asarray(host_values(seed) if is_operand(seed) else seed).reshape(-1)
    return _shuffled(index, [_SALT, *(int(k) for k in key)], max_index, 4)


def random_index_shuffle(
    index: TensorLike,
    seed: TensorLike,
    max_index: int,
    rounds: int = 4,
    name: str | None = None,
) -> Tensor:
    """Return the position of an index in a random permutation, with a seed of three numbers.

    Args:
        index: Indices from 0 to `max_index`, an integer tensor of any shape.
        seed: Integer tensor of shape `[3]`.
        max_index: Largest index (inclusive).
        rounds: Number of rounds of the cipher that permutes the indices, an even number of at least
            4. More rounds take more time and make the permutation more random.

    Returns:
        Positions, a tensor with the shape and dtype of `index`.

    Raises:
        tf.errors.InvalidArgumentError: If an index, `seed` or `rounds` is not valid.

    Example:
        >>> import tfpy as tf
        >>> tf.random_index_shuffle(tf.range(5), seed=[1, 2, 3], max_index=4).numpy().tolist()
        [2, 0, 3, 4, 1]

    See also: `tf.random.experimental.index_shuffle`.
    """
    key = np.asarray(host_values(seed) if is_operand(seed) else seed)
    if key.size != 3:
        raise invalid_value(
            "random_index_shuffle",
            f"Seed must be a vector of size [3] or a matrix of size [1, 3] but got {key.shape}",
        )
    if rounds < 4 or rounds % 2:
        raise invalid_value("random_index_shuffle", f"Rounds must be >= 4 and even, got {rounds}")
    return _shuffled(index, [int(k) for k in key.reshape(-1)], max_index, rounds)


def _shuffled(index: TensorLike, key: Sequence[int], max_index: int, rounds: int) -> Tensor:
    position = convert_to_tensor(index)
    indices, last = [int(i) for i in position.host_view().flat], int(max_index)
    for i in indices:
        if i < 0:
            raise invalid_value("index_shuffle", f"index must be >= 0, got {i}")
    if last < 0:
        raise invalid_value("index_shuffle", f"max_index must be >= 0, got {last}")
    if max(indices, default=0) > last:
        raise invalid_value(
            "index_shuffle", f"max_index must be >= index, got {last} and {max(indices)}"
        )
    cipher = _cipher(key, last, rounds)
    places = np.array([cipher(i) for i in indices], position.dtype.as_numpy_dtype)
    return convert_to_tensor(places.reshape(position.aval.shape))


def _cipher(key: Sequence[int], last: int, rounds: int) -> Any:
    """Return a permutation of 0 to `last`: the cipher Simon, applied until it is in range."""
    bits = max(16, (last - 1).bit_length() + (last - 1).bit_length() % 2) // 2
    low = (1 << bits) - 1

    def left(x: int, by: int) -> int:
        return ((x << by) | (x >> (bits - by))) & low

    def mix(x: int) -> int:
        return (left(x, 1) & left(x, 8)) ^ left(x, 2)

    keys = [k & low for k in key[:3]]
    sequence = _SIMON_SEQUENCE & low
    for i in range(3, rounds):
        turned = left(keys[-1], bits - 3) ^ left(keys[-1], bits - 4)
        keys.append((_SIMON_CONSTANT & low) ^ (sequence >> (i - 3) & 1) ^ keys[-3] ^ turned)

    def place(number: int) -> int:
        while True:
            upper, lower = number >> bits, number & low
            for first, second in zip(keys[::2], keys[1::2], strict=True):
                upper ^= mix(lower) ^ first
                lower ^= mix(upper) ^ second
            number = upper << bits | lower
            if number <= last:
                return number

    return place
