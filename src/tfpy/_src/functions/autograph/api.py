"""``tf.autograph``: Python's ``if``, ``while`` and ``for`` on tensors, inside ``tf.function``.

``convert.py`` rewrites a function's syntax tree so that control flow becomes calls; ``operators``
is what is called. It decides when it runs: a symbolic tensor makes an equation, anything else is
plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.functions.autograph.calls import call
from tfpy._src.functions.tf_function.traceable import CONVERTERS

CONVERTERS.append(call)


def to_graph(
    entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None
) -> Callable[..., Any]:
    """The converted function (``tf.autograph.to_graph``), for use in other compiled functions.

    Args:
        recursive, experimental_optional_features: of no effect: what is called is converted too.

    Example:
        >>> import tfpy as tf
        >>> def signed(x):
        ...     if x > 0:
        ...         return x
        ...     return -x
        >>> converted = tf.function(tf.autograph.to_graph(signed), autograph=False)
        >>> converted(tf.constant(-3)).numpy().tolist()
        3
    """
    function: Callable[..., Any] = call(entity)
    return function


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Of no effect: the conversion logs nothing (``tf.autograph.set_verbosity``)."""


def trace(*args: Any) -> None:
    """Prints when a function is traced, not when it runs (``tf.autograph.trace``).

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def doubled(x):
        ...     tf.autograph.trace("traced for", x.dtype)
        ...     return x * 2
        >>> doubled(tf.constant(1)).numpy().tolist(), doubled(tf.constant(2)).numpy().tolist()
        traced for <dtype: 'int32'>
        (2, 4)
    """
    print(*args)
