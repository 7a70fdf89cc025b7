"""The random number algorithms, `tf.random.Algorithm`; tfpy supports Philox."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeAlias

from tfpy._src.base.errors import UnimplementedError


class Algorithm(Enum):
    """The random number algorithms of TensorFlow.

    tfpy supports Philox. The names of the members, such as `"philox"`, and their numbers can be
    passed instead.

    Attributes:
        PHILOX: The Philox algorithm.
        THREEFRY: The ThreeFry algorithm. Functions raise `tf.errors.UnimplementedError` for it.
        AUTO_SELECT: The same as `PHILOX`.

    Example:
        >>> import tfpy as tf
        >>> g = tf.random.Generator.from_seed(1, alg=tf.random.Algorithm.PHILOX)
        >>> tf.random.Algorithm(g.algorithm).name
        'PHILOX'
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


AlgorithmLike: TypeAlias = Algorithm | str | int
"""An algorithm, its name or its number."""


def algorithm_number(alg: Any) -> int:
    """Return the number of an algorithm, from its number, enum member or name.

    Raises:
        ValueError: If there is no algorithm with that name or number.
        TypeError: If `alg` has another type.
    """
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, int) and any(alg == a.value for a in Algorithm):
        return alg
    if isinstance(alg, str):
        name = alg.strip().lower().replace("-", "").replace("_", "")
        for member in Algorithm:
            if member.name.lower().replace("_", "") == name:
                return member.value
    elif not isinstance(alg, int):
        raise TypeError(
            f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int."
        )
    raise ValueError(
        f"Argument `alg` got unsupported value {alg}. Supported values are philox (1), "
        "threefry (2) and auto_select (3)."
    )


def philox_only(alg: Any) -> int:
    """Return the number of an algorithm, and refuse ThreeFry.

    Raises:
        UnimplementedError: If the algorithm is ThreeFry.
    """
    number = algorithm_number(alg)
    if number == Algorithm.THREEFRY.value:
        raise UnimplementedError(None, "random", "random: ThreeFry is not supported; use philox")
    return number
