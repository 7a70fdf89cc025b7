"""`tf.GradientTape`: reverse-mode differentiation."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.profiler_spans import clock, note, recorders
from tfpy._src.core import tape as tapes
from tfpy._src.core.conversion import constant, convert_to_tensor, is_operand
from tfpy._src.core.indexed_slices import dense
from tfpy._src.core.tape import Tape
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest, TensorLike
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape
from tfpy._src.tensors.autodiff.graph_gradients import in_graph
from tfpy._src.tensors.autodiff.nests import held, leaves, map_leaves
from tfpy._src.tensors.autodiff.seeds import seeds, stacked
from tfpy._src.tensors.autodiff.unconnected import UnconnectedGradients, as_unconnected
from tfpy._src.tensors.variables.variable import Variable


class GradientTape(Tape):
    """A context manager that records ops, so that gradients can be computed from them.

    Args:
        persistent: If True, gradients can be computed more than once, and the tape keeps the
            recorded tensors until it is deleted. Default: gradients can be computed only once.
        watch_accessed_variables: If True, trainable Variables are watched automatically when an op
            reads them. If False, only the tensors and Variables passed to `watch` are.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> print(tape.gradient(y, x).numpy())
        6.0

    See also: `tf.custom_gradient`, `tf.autodiff.ForwardAccumulator`.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__()
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._variables: dict[int, tuple[Variable, list[Tensor]]] = {}
        self._entered = False
        self._used = False

    def __enter__(self) -> GradientTape:
        self._start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._recording:
            self._stop()

    @property
    def _recording(self) -> bool:
        return any(t is self for t in tapes.local.active)

    def _start(self) -> None:
        if self._recording:
            raise ValueError("Tape is already recording.")
        self._entered = True
        tapes.activate(self)

    def _stop(self) -> None:
        tapes.local.active[:] = [t for t in tapes.local.active if t is not self]

    def watch(self, tensor: Nest) -> None:
        """Record the ops on a tensor from now on, to compute gradients with respect to it.

        Args:
            tensor: Tensor, Variable, or nested structure (list, tuple or dict) of them. Trainable
                Variables are watched automatically. Only float and complex tensors have gradients.

        Raises:
            ValueError: If an object is neither a tensor nor a Variable.

        Example:
            >>> import tfpy as tf
            >>> x = tf.constant(2.0)
            >>> with tf.GradientTape() as tape:
            ...     tape.watch(x)
            ...     y = x**3
            >>> print(tape.gradient(y, x).numpy())
            12.0
        """
        for leaf in map(held, leaves(tensor)):
            if isinstance(leaf, Variable):
                self._read(leaf.origin)
            elif isinstance(leaf, Tensor):
                super().watch(leaf)
            else:
                raise ValueError(
                    f"Passed in object {leaf!r} of type {type(leaf).__name__}, "
                    "not tf.Tensor or tf.Variable"
                )

    def on_read(self, variable: Variable) -> None:
        """Watch the present value of a Variable that an op reads, if the Variable is watched.

        Args:
            variable: Variable that an op reads.
        """
        if (self._watch_accessed and variable.trainable) or id(variable) in self._variables:
            self._read(variable)

    def _read(self, variable: Variable) -> None:
        _, reads = self._variables.setdefault(id(variable), (variable, []))
        if not any(t is variable.tensor for t in reads):
            reads.append(variable.tensor)
            super().watch(variable.tensor)

    def watched_variables(self) -> tuple[Variable, ...]:
        """Return the Variables that the tape has watched so far, in the order of their creation.

        Returns:
            Tuple of Variables.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable(2.0, name="v")
            >>> with tf.GradientTape() as tape:
            ...     y = v * v
            >>> [variable.name for variable in tape.watched_variables()]
            ['v:0']
        """
        read = (variable for variable, _ in self._variables.values())
        return tuple(sorted(read, key=lambda variable: variable.number))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Return a context manager within which ops are not recorded.

        Returns:
            Context manager for a `with` statement inside the `with` statement of the tape.

        Raises:
            ValueError: If the tape is not recording.

        Example:
            >>> import tfpy as tf
            >>> x = tf.Variable(3.0)
            >>> with tf.GradientTape() as tape:
            ...     y = x * x
            ...     with tape.stop_recording():
            ...         z = x * 2.0
            >>> print(tape.gradient([y, z], x).numpy())  # only y is differentiated
            6.0
        """
        if not self._recording:
            raise ValueError("Tape is not recording.")
        position = next(i for i, t in enumerate(tapes.local.active) if t is self)
        del tapes.local.active[position]
        try:
            yield
        finally:
            tapes.local.active.insert(position, self)

    def reset(self) -> None:
        """Discard everything that the tape has recorded and watched.

        Example:
            >>> import tfpy as tf
            >>> x = tf.Variable(3.0)
            >>> with tf.GradientTape() as tape:
            ...     y = x * x
            ...     tape.reset()
            ...     y = 2.0 * x
            >>> print(tape.gradient(y, x).numpy())
            2.0
        """
        Tape.__init__(self)
        self._variables = {}

    def gradient(
        self, target: Nest, sources: Nest, output_gradients: Nest = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Nest:  # fmt: skip
        """Compute the gradients of the sum of the targets with respect to each source.

        Args:
            target: Tensor, or nested structure (list, tuple or dict) of tensors.
            sources: Tensor, Variable, or nested structure of them.
            output_gradients: Weights by which the gradients of the targets are multiplied, in the
                structure and shapes of `target`. Default: ones.
            unconnected_gradients: Gradient of a source that the target does not depend on. `"none"`
                (default) returns None for it, and `"zero"` returns zeros.

        Returns:
            Nest of gradients in the structure of `sources`. Each gradient is a tensor with the
            shape and dtype of its source, or None. If the source was only used by `tf.gather` along
            axis 0 or `tf.nn.embedding_lookup`, its gradient is a `tf.IndexedSlices` instead.

        Raises:
            RuntimeError: If the tape was never entered, or if gradients were already computed from
                it and it is not persistent.
            LookupError: If an op between the sources and the targets does not have a gradient.

        Example:
            >>> import tfpy as tf
            >>> w, b = tf.Variable(2.0), tf.Variable(1.0)
            >>> with tf.GradientTape() as tape:
            ...     loss = (w * 3.0 + b) ** 2
            >>> [g.numpy().tolist() for g in tape.gradient(loss, [w, b])]
            [42.0, 14.0]
        """
        began = clock() if recorders else 0.0
        unconnected = as_unconnected(unconnected_gradients)
        with self._use():
            found = self._backward(target, sources, output_gradients, unconnected)
        if began:
            note("gradient", "GradientTape.gradient", began)
        return found

    @contextmanager
    def _use(self) -> Iterator[None]:
        """Guard one use of the recorded ops, which are then discarded unless persistent."""
        if not self._entered:
            raise RuntimeError(
                "The tape has not recorded anything; use it as a context: "
                "`with tf.GradientTape() as tape:`"
            )
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians); write tf.GradientTape(persistent=True)"
            )
        self._used = True
        if self._recording and not self._persistent:
            self._stop()
        yield
        if not self._persistent:
            self.entries, self.held = [], []

    def _backward(
        self, target: Any, sources: Any, output_gradients: Any, unconnected: UnconnectedGradients
    ) -> Any:
        if tracing.active_graph() is not None:
            return in_graph(target, sources, output_gradients, unconnected, self._watches)
        for leaf in map(held, leaves(target)):
            if isinstance(leaf, Variable):
                self.on_read(leaf.origin)  # the target itself may be a Variable
        grads = tapes.backpropagate(
            list(self.entries), set(self.watched), seeds(target, output_gradients)
        )
        return map_leaves(sources, lambda s: self._collect(s, grads, unconnected))

    def _watches(self, source: Any) -> bool:
        """Return True if gradients flow to a source in a graph of TensorFlow 1."""
        if isinstance(source, Variable):
            accessed = self._watch_accessed and source.trainable
            return accessed or id(source.origin) in self._variables
        return source.identity in self.watched or bool(source.op.inputs)

    def jacobian(
        self, target: TensorLike, sources: Nest,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None, experimental_use_pfor: bool = True,
    ) -> Nest:  # fmt: skip
        """Compute the gradient of each element of the target with respect to each source.

        Args:
            target: Tensor of any shape.
            sources: Tensor, Variable, or nested structure (list, tuple or dict) of them.
            unconnected_gradients: Gradient of a source that the target does not depend on. `"none"`
                (default) returns None for it, and `"zero"` returns zeros.
            parallel_iterations, experimental_use_pfor: Has no effect.

        Returns:
            Nest in the structure of `sources`. Each element is a tensor of shape
            `[*target.shape, *source.shape]`, or the value that `unconnected_gradients` selects.

        Raises:
            RuntimeError: In the same cases as `gradient`.

        Example:
            >>> import tfpy as tf
            >>> x = tf.Variable([1.0, 2.0])
            >>> with tf.GradientTape() as tape:
            ...     y = x * x
            >>> tape.jacobian(y, x).numpy().tolist()
            [[2.0, 0.0], [0.0, 4.0]]
        """
        y, unconnected = convert_to_tensor(target), as_unconnected(unconnected_gradients)
        sources = map_leaves(sources, held)
        with self._use():
            rows = [
                self._backward(
                    y, leaves(sources), reshape(constant(seed), y.aval.shape), unconnected
                )
                for seed in np.eye(y.size, dtype=y.dtype.as_numpy_dtype)
            ]
        columns = iter(zip(*rows, strict=True) if rows else [()] * len(leaves(sources)))
        return map_leaves(sources, lambda s: stacked(next(columns), y, s))

    def batch_jacobian(
        self, target: TensorLike, source: Tensor | Variable,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None, experimental_use_pfor: bool = True,
    ) -> Tensor:  # fmt: skip
        """Compute the Jacobian of each example of a batch.

        `target[i]` must depend on `source[i]` only. This is not checked, and the result is wrong
        otherwise. If the target does not depend on the source, the result is zeros.

        Args:
            target: Tensor of shape `[batch, ...]` with at least two dimensions.
            source: Tensor or Variable of shape `[batch, ...]` with at least two dimensions.
            unconnected_gradients: Has no effect.
            parallel_iterations, experimental_use_pfor: Has no effect.

        Returns:
            Tensor of shape `[batch, *target.shape[1:], *source.shape[1:]]`.

        Raises:
            ValueError: If the first dimensions differ, or a tensor has fewer than two dimensions.
            RuntimeError: In the same cases as `gradient`.

        Example:
            >>> import tfpy as tf
            >>> x = tf.constant([[1.0], [2.0]])
            >>> with tf.GradientTape() as tape:
            ...     tape.watch(x)
            ...     y = x**3
            >>> tape.batch_jacobian(y, x).numpy().tolist()
            [[[3.0]], [[12.0]]]
        """
        y, source = convert_to_tensor(target), held(source)
        if y.ndim < 2 or len(source.aval.shape) < 2 or y.aval.shape[0] != source.aval.shape[0]:
            raise ValueError(
                "Need first dimension of target shape and source shape to be the same, and two "
                f"dimensions or more. Found target shape: {y.shape}, source shape: {source.shape}"
            )
        as_unconnected(unconnected_gradients)
        batch, inner = y.aval.shape[0], tuple(y.aval.shape[1:])
        with self._use():
            columns = [
                self._backward(
                    y,
                    source,
                    broadcast_to(reshape(constant(seed), inner), y.aval.shape),
                    UnconnectedGradients.ZERO,
                )
                for seed in np.eye(y.size // max(batch, 1), dtype=y.dtype.as_numpy_dtype)
            ]
        shape = (batch, *inner, *source.aval.shape[1:])
        rows = [dense(column) for column in columns]
        return reshape(stack(rows, 1), shape) if rows else zeros(shape, y.dtype)

    def _collect(
        self, source: Any, grads: Mapping[int, Any], unconnected: UnconnectedGradients
    ) -> Any:
        source = held(source)
        if type(source) is not Tensor and not is_operand(source):
            raise TypeError(f"gradient: sources must be tensors or Variables, got {source!r}")
        if isinstance(source, Variable):
            _, read = self._variables.get(id(source.origin), (source, []))
        else:
            read = [source]
        found = [
            grads[t.identity] for t in read if t.identity in self.watched and t.identity in grads
        ]
        if found:
            return functools.reduce(tapes.added, reversed(found))
        if unconnected is UnconnectedGradients.ZERO:
            return zeros(source.aval.shape, source.dtype)
        return None
