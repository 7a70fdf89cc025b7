"""The sessions of `tf.test.TestCase`: for eager tensors, and for graphs of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from tfpy._src.core import nest
from tfpy._src.core.typing import Nest
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.session import Session, get_default_session
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.testing.arrays import values_of


class EagerSession:
    """The session of `TestCase.cached_session`, which returns the values of eager tensors."""

    def __init__(self, evaluate: Callable[[Nest], Nest]) -> None:
        self._evaluate = evaluate

    def run(self, fetches: Nest, feed_dict: Mapping[Any, Any] | None = None) -> Nest:
        """Return the values of tensors as NumPy arrays."""
        if feed_dict:
            raise RuntimeError(
                "feed_dict is not supported when eager execution is enabled "
                "(in this case, sess.run(t) is shorthand for t.numpy()"
            )
        return self._evaluate(fetches)


class NoSession:
    """The result of `TestCase.session`, which programs for eager execution must not use."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"self.session() has no attribute {name!r}, because tensors are computed at once. Use "
            "self.evaluate(tensor) instead of session.run(tensor)."
        )


class GraphSessions:
    """The sessions of one test that builds a graph."""

    def __init__(self) -> None:
        self._cached: Session | None = None

    @contextmanager
    def new(self, graph: Graph | None, config: object) -> Iterator[Session]:
        """Yield a new session."""
        with Session(graph=graph, config=config) as session:
            yield session

    @contextmanager
    def cached(self, graph: Graph | None, config: object) -> Iterator[Session]:
        """Yield the session of the test, which is reused while the graph is the same."""
        made = Session(graph=graph, config=config)
        if self._cached is None or self._cached.graph is not made.graph:
            self._cached = made
        with self._cached.graph.as_default(), self._cached.as_default():
            yield self._cached

    def evaluate(self, tensors: Nest) -> Nest:
        """Return the values of tensors of a graph in a nest, from the default session."""
        leaves = [x() if callable(x) else x for x in nest.flatten(tensors)]
        session = get_default_session()
        if session is not None:
            return nest.pack_sequence_as(tensors, _run(session, leaves))
        with self.cached(None, None) as session:
            return nest.pack_sequence_as(tensors, _run(session, leaves))

    def close(self) -> None:
        """Close the session of the test."""
        if self._cached is not None:
            self._cached.close()


def _run(session: Session, leaves: list[Any]) -> list[Any]:
    """Return the values of leaves, some of which may be values already."""
    wanted = [i for i, leaf in enumerate(leaves) if _is_fetched(leaf)]
    found = list(leaves)
    if wanted:
        for i, value in zip(wanted, session.run([leaves[i] for i in wanted]), strict=True):
            found[i] = value
    given = [i for i, x in enumerate(found) if i not in wanted and not isinstance(x, np.generic)]
    return [values_of(x) if i in given else x for i, x in enumerate(found)]


def _is_fetched(leaf: Any) -> bool:
    if isinstance(leaf, GraphTensor | GraphVariable):
        return True
    return not (leaf is None or isinstance(leaf, np.generic) or hasattr(leaf, "numpy"))
