"""Kullback-Leibler divergences, with a table of functions for pairs of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.assertion import Assert
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.distributions import functions as f

Divergence = TypeVar("Divergence", bound=Callable[..., Any])
_assert = recorded(Assert)


class RegisterKL:
    """Decorator that registers a function for the divergence of two classes of distributions.

    Args:
        dist_cls_a: Class of the first distribution.
        dist_cls_b: Class of the second distribution.

    Example:
        >>> import tfpy as tf
        >>> tfd = tf.compat.v1.distributions
        >>> class Doubled(tfd.Normal):
        ...     pass
        >>> @tfd.RegisterKL(Doubled, Doubled)
        ... def divergence(a, b, name=None):
        ...     return 2 * (a.loc - b.loc)
        >>> float(tfd.kl_divergence(Doubled(3.0, 1.0), Doubled(1.0, 1.0)))
        4.0

    See also: `tf.compat.v1.distributions.kl_divergence`.
    """

    table: ClassVar[dict[tuple[type, type], Callable[..., Any]]] = {}
    """Registered functions by pairs of classes."""

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Divergence) -> Divergence:
        """Register a function of two distributions and the keyword argument `name`.

        Raises:
            TypeError: If `kl_fn` is not callable.
            ValueError: If the pair of classes has a function already.
        """
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in self.table:
            first, second = (one.__name__ for one in self._key)
            raise ValueError(
                f"KL({first} || {second}) has already been registered to: {self.table[self._key]}"
            )
        self.table[self._key] = kl_fn
        return kl_fn


def registered(first: type, second: type) -> Callable[..., Any] | None:
    """Return the function that is registered for the nearest base classes of two classes."""
    nearest: tuple[int, Callable[..., Any] | None] = (0, None)
    for above, a in enumerate(first.__mro__):
        for beyond, b in enumerate(second.__mro__):
            found = RegisterKL.table.get((a, b))
            if found is not None and (nearest[1] is None or above + beyond < nearest[0]):
                nearest = (above + beyond, found)
    return nearest[1]


def kl_divergence(
    distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Tensor:
    """Compute the Kullback-Leibler divergence from one distribution to another.

    Classes of distributions inherit the functions of their base classes.

    Args:
        distribution_a: First distribution, a `tf.compat.v1.distributions.Distribution`.
        distribution_b: Second distribution. Its batch shape broadcasts with the first one's.
        allow_nan_stats: If False, a divergence of NaN raises an error. Default: True.
        name: Name of the operations.

    Returns:
        Float tensor of the batch shape.

    Raises:
        NotImplementedError: If no function is registered for the two classes.
        tf.errors.InvalidArgumentError: If the result is NaN and `allow_nan_stats` is False.

    Example:
        >>> import tfpy as tf
        >>> tfd = tf.compat.v1.distributions
        >>> float(tfd.kl_divergence(tfd.Normal(1.0, 1.0), tfd.Normal(0.0, 1.0)))
        0.5

    See also: `tf.compat.v1.distributions.RegisterKL`.
    """
    compute = registered(type(distribution_a), type(distribution_b))
    if compute is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type "
            f"{type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        found: Any = compute(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return found
        message = (
            f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN "
            "values (and was called with allow_nan_stats=False). Values:"
        )
        found = f.identity(found)
        defined = f.reduce_all(f.equal(found, found))
        return f.checked([_assert(defined, [message, found])], found)


def cross_entropy(ref: Any, other: Any, allow_nan_stats: bool = True) -> Any:
    """Return the cross entropy of two distributions."""
    return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)
