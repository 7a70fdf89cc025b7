"""The default graph, and the switch between eager execution and graphs."""

from __future__ import annotations

from tfpy._src.base import tracing
from tfpy._src.core import tape as tapes
from tfpy._src.functions.graph_mode.graph import Graph, stack
from tfpy._src.functions.graph_mode.recording import install, uninstall


class _State:
    root: Graph | None = None
    """The default graph outside of all contexts."""
    is_graph_mode = False


def get_default_graph() -> Graph:
    """Return the graph to which functions add operations.

    Returns:
        The innermost graph with an active `as_default()`, or a global graph.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default() as graph:
        ...     tf.compat.v1.get_default_graph() is graph
        True

    See also: `tf.Graph`.
    """
    if stack.graphs:
        return stack.graphs[-1]
    if _State.root is None:
        _State.root = Graph()
    return _State.root


def reset_default_graph() -> None:
    """Replace the global graph by an empty one.

    Raises:
        AssertionError: If the call is inside `with graph.as_default():`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.reset_default_graph()
        >>> tf.compat.v1.get_default_graph().get_operations()
        []

    See also: `tf.compat.v1.get_default_graph`.
    """
    if stack.graphs:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you "
            "need a cleared graph, exit the nesting and create a new graph."
        )
    _State.root = None
    if _State.is_graph_mode:
        tracing.local.active[:] = [get_default_graph()]


def disable_eager_execution() -> None:
    """Make functions create operations of the default graph from now on.

    Example::

        import tfpy.compat.v1 as tf

        tf.disable_eager_execution()
        x = tf.placeholder(tf.float32, [None])
        with tf.Session() as sess:
            print(sess.run(x * 2.0, {x: [1.0, 2.0]}))

    See also: `tf.compat.v1.Session`, `tf.Graph`.
    """
    if not _State.is_graph_mode:
        install()
    _State.is_graph_mode = True
    if not tracing.local.active:
        tracing.local.active = [get_default_graph()]
        tapes.local.active[:] = []


def enable_eager_execution(
    config: object = None, device_policy: object = None, execution_mode: object = None
) -> None:
    """Make functions compute immediately, which is the default.

    Args:
        config, device_policy, execution_mode: Has no effect.

    Raises:
        ValueError: If the default graph already contains operations.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.enable_eager_execution()
        >>> tf.executing_eagerly()
        True

    See also: `tf.compat.v1.disable_eager_execution`.
    """
    if not _State.is_graph_mode:
        return
    if _State.root is not None and _State.root.operations:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    _State.is_graph_mode = False
    uninstall()
    tracing.local.active[:] = []


def disable_v2_behavior() -> None:
    """Use TensorFlow 1's behavior: create graphs instead of executing eagerly.

    Only the effect of `tf.compat.v1.disable_eager_execution` is supported.

    Example::

        import tfpy.compat.v1 as tf

        tf.disable_v2_behavior()

    See also: `tf.compat.v1.disable_eager_execution`.
    """
    disable_eager_execution()


def enable_v2_behavior() -> None:
    """Use TensorFlow 2's behavior, which is the default.

    Raises:
        ValueError: If the default graph already contains operations.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.enable_v2_behavior()
        >>> tf.executing_eagerly()
        True

    See also: `tf.compat.v1.enable_eager_execution`.
    """
    enable_eager_execution()


def executing_eagerly_outside_functions() -> bool:
    """Return True if code outside of a `tf.function` executes eagerly.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.executing_eagerly_outside_functions()
        True

    See also: `tf.executing_eagerly`.
    """
    return not tracing.in_graph()
