"""`tf.compat.v1.Session`, which runs operations of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Self

from tfpy._src.base.errors import NotFoundError
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.graph_mode.composites import components_of
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.fetching import Fetches, fed
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.plan import RunPlan
from tfpy._src.functions.graph_mode.tensors import GraphTensor, local
from tfpy._src.functions.graph_mode.variables import GraphVariable


def get_default_session() -> Session | None:
    """Return the session that `eval()` and `run()` of tensors and operations use.

    Returns:
        The innermost session in a `with` statement, or None.

    Example:
        >>> import tfpy as tf
        >>> with tf.compat.v1.Session(graph=tf.Graph()) as sess:
        ...     tf.compat.v1.get_default_session() is sess
        True

    See also: `tf.compat.v1.Session`.
    """
    return local.sessions[-1] if local.sessions else None


class Session:
    """A session, which runs operations of a graph and stores the values of its Variables.

    Args:
        target: `""` or `"local"`, which have the same effect.
        graph: Graph to run. Default: the default graph.
        config: Has no effect.

    Raises:
        tf.errors.NotFoundError: If `target` is the name of another machine.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, [None])
        ...     y = tf.reduce_mean(x)
        ...     with tf.compat.v1.Session() as sess:
        ...         print(sess.run(y, {x: [1.0, 2.0, 6.0]}))
        3.0

    See also: `tf.Graph`, `tf.compat.v1.placeholder`.
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        if target not in ("", "local"):
            raise NotFoundError(
                None,
                None,
                "No session factory registered for the given session options: {target: "
                f'"{target}" config: }} Registered factories are {{DIRECT_SESSION}}.',
            )
        self.graph: Graph = graph or get_default_graph()
        self.sess_str = target
        self._values: dict[GraphVariable, Tensor] = {}
        self._plans: dict[Any, RunPlan] = {}
        self._closed = False
        self._entered: list[ExitStack] = []

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        options: object = None,
        run_metadata: object = None,
    ) -> Any:
        """Run operations, and return the values of tensors.

        Args:
            fetches: Tensor, operation, Variable or the name of one, or a nested structure of them
                (list, tuple, mapping, named tuple or attrs object).
            feed_dict: Values for tensors, such as placeholders. The keys are tensors. The values
                are numbers, lists or arrays.
            options, run_metadata: Has no effect.

        Returns:
            The values in the structure of `fetches`: a NumPy array or number for a tensor or a
            Variable, and None for an operation.

        Raises:
            RuntimeError: If the session is closed.
            TypeError: If a fetch or a key of `feed_dict` is not a part of a graph, or a fed integer
                is too large for the dtype of its tensor.
            ValueError: If a fetch belongs to another graph, or a value does not have the shape of
                its tensor.
            tf.errors.InvalidArgumentError: If a placeholder is needed and has no value.
            tf.errors.FailedPreconditionError: If a Variable is not initialized.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not self.graph.operations:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )
        wanted = Fetches(fetches, self._element)
        feeds = self._feeds(feed_dict or {})
        self.enter_values()
        key = (*map(id, wanted.parts), None, *(t.identity for t in feeds))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = RunPlan(wanted.parts, list(feeds))
        return wanted.result(plan.run(list(feeds.values())))

    @property
    def graph_def(self) -> Any:
        """Graph as a `tf.compat.v1.GraphDef`."""
        return self.graph.as_graph_def()

    def _element(self, fetch: Any) -> Any:
        try:
            found = self.graph.as_graph_element(fetch)
        except TypeError as error:
            raise TypeError(
                f"Fetch argument {fetch!r} has invalid type {type(fetch).__name__!r}, must be a "
                f"string or Tensor. ({error})"
            ) from None
        except (ValueError, KeyError) as error:
            raise ValueError(
                f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({error.args[0]})"
            ) from None
        if not self.graph.is_fetchable(found):
            raise ValueError(f"{found.name} has been marked as not fetchable.")
        return found

    def _feeds(self, feed_dict: Mapping[Any, Any]) -> dict[GraphTensor, Tensor]:
        found: dict[GraphTensor, Tensor] = {}
        for key, value in feed_dict.items():
            if isinstance(key, Composite):
                keys, values = key.components, components_of(value)
                if len(values) < len(keys):  # a constant shape need not be fed
                    keys = tuple(t for t in keys if not t.has_values)
                pairs = zip(keys, values, strict=True)
                found.update(self._feeds({t: x for t, x in pairs if not t.has_values}))
                continue
            if isinstance(key, tuple):
                for one, item in zip(key, value, strict=True):
                    found.update(self._feeds({one: item}))
                continue
            try:
                tensor = self.graph.as_graph_element(key, allow_operation=False)
            except (TypeError, ValueError, KeyError) as error:
                raise TypeError(
                    f"Cannot interpret feed_dict key as Tensor: {error.args[0]}"
                ) from None
            if not self.graph.is_feedable(tensor):
                raise ValueError(f"Tensor {tensor.name} may not be fed.")
            found[tensor] = fed(tensor, value)
        return found

    def enter_values(self) -> None:
        """Give the Variables of the graph their values in this session."""
        graph = self.graph
        if graph.session is self:
            return
        if graph.session is not None:
            graph.session.leave_values()
        graph.session = self
        for variable in _variables(graph):
            known = self._values.get(variable)
            if known is None:
                variable.clear()
            else:
                variable.held, variable.has_value = known, True

    def leave_values(self) -> None:
        """Store the values of the Variables, because another session needs the Variables."""
        self._values = {v: v.held for v in _variables(self.graph) if v.has_value}

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """Raise an error, because partial runs are not supported.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("Session.partial_run is not supported; call run for each part")

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """Return a function that runs the same fetches.

        Args:
            fetches: Fetches, as for `run`.
            feed_list: Tensors whose values are the arguments of the function.
            accept_options: Has no effect.

        Returns:
            Function of one value for each of `feed_list`.
        """
        feeds = list(feed_list or ())

        def call(*values: Any, **_: Any) -> Any:
            return self.run(fetches, dict(zip(feeds, values, strict=True)))

        return call

    def list_devices(self) -> list[Any]:
        """Return an empty list.

        Returns:
            An empty list.
        """
        return []

    def as_default(self) -> AbstractContextManager[Session]:
        """Return a context manager in which `eval()` and `run()` use this session.

        Returns:
            A context manager that returns the session.
        """
        return _as_default(self)

    def __enter__(self) -> Self:
        if self._entered:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` if you "
                "want to enter a session multiple times."
            )
        stack = ExitStack()
        stack.enter_context(self.graph.as_default())
        stack.enter_context(_as_default(self))
        self._entered.append(stack)
        return self

    def __exit__(self, *exception: Any) -> None:
        self._entered.pop().close()
        self.close()

    def close(self) -> None:
        """Free the values of the Variables. The session cannot run any more."""
        self._closed = True
        self._values.clear()
        self._plans.clear()
        if self.graph.session is self:
            for variable in _variables(self.graph):
                variable.clear()
            self.graph.session = None


def _variables(graph: Graph) -> list[GraphVariable]:
    return [v for v in graph.variables if isinstance(v, GraphVariable)]


@contextmanager
def _as_default(session: Session) -> Any:
    local.sessions.append(session)
    try:
        yield session
    finally:
        local.sessions.remove(session)


class InteractiveSession(Session):
    """A session that is the default session until it is closed.

    Args:
        target: Has no effect.
        graph: Graph to run. Default: the default graph.
        config: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     sess = tf.compat.v1.InteractiveSession()
        ...     print(tf.constant(2.0).eval())
        ...     sess.close()
        2.0

    See also: `tf.compat.v1.Session`.
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        super().__init__(target, graph, config)
        local.sessions.append(self)
        self._stack = ExitStack()
        if graph is not None:
            self._stack.enter_context(graph.as_default())

    def close(self) -> None:
        super().close()
        self._stack.close()
        if self in local.sessions:
            local.sessions.remove(self)
