"""``tf.GradientTape``, ``tf.custom_gradient`` and TensorFlow.js's ``tf.grad``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any

from tfpy import tape as tapes
from tfpy.array import identity, ones_like, zeros
from tfpy.convert import convert_to_tensor, is_tensor
from tfpy.tape import Entry, Tape
from tfpy.tensor import Tensor
from tfpy.variable import Variable


class UnconnectedGradients(Enum):
    """What a source that does not influence the target gets (``tf.UnconnectedGradients``)."""

    NONE = "none"
    ZERO = "zero"


class GradientTape(Tape):
    """Records ops for reverse-mode differentiation (``tf.GradientTape``).

    Args:
        persistent: allows more than one call of :meth:`gradient`.
        watch_accessed_variables: watches trainable Variables when they are read.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> print(tape.gradient(y, x).numpy())
        6.0
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__()
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._variables: dict[int, tuple[Variable, list[Tensor]]] = {}
        self._used = False

    def __enter__(self) -> GradientTape:
        self._start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._recording:
            self._stop()

    @property
    def _recording(self) -> bool:
        return any(t is self for t in tapes.active_tapes)

    def _start(self) -> None:
        if self._recording:
            raise ValueError("Tape is already recording.")
        tapes.active_tapes.append(self)

    def _stop(self) -> None:
        tapes.active_tapes[:] = [t for t in tapes.active_tapes if t is not self]

    def watch(self, tensor: Any) -> None:
        """Watches a tensor, a Variable or a nest of them.

        Raises:
            ValueError: for things that are neither.
        """
        for leaf in _leaves(tensor):
            if isinstance(leaf, Variable):
                self._read(leaf)
            elif isinstance(leaf, Tensor):
                super().watch(leaf)
            else:
                raise ValueError(
                    f"Passed in object {leaf!r} of type {type(leaf).__name__}, "
                    "not tf.Tensor or tf.Variable"
                )

    def on_read(self, variable: Variable) -> None:
        """Called by Variables when an op reads them."""
        if self._watch_accessed:
            self._read(variable)

    def _read(self, variable: Variable) -> None:
        _, reads = self._variables.setdefault(id(variable), (variable, []))
        if not any(t is variable.tensor for t in reads):
            reads.append(variable.tensor)
            super().watch(variable.tensor)

    def watched_variables(self) -> tuple[Variable, ...]:
        """The Variables watched so far, in the order in which they were made."""
        read = (variable for variable, _ in self._variables.values())
        return tuple(sorted(read, key=lambda variable: variable.number))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Ops in this context are not recorded."""
        if not self._recording:
            raise ValueError("Tape is not recording.")
        position = next(i for i, t in enumerate(tapes.active_tapes) if t is self)
        del tapes.active_tapes[position]
        try:
            yield
        finally:
            tapes.active_tapes.insert(position, self)

    def reset(self) -> None:
        """Forgets everything recorded."""
        Tape.__init__(self)
        self._variables = {}

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the (summed) target with respect to each source.

        Args:
            target: a tensor or a nest of them.
            sources: a tensor, a Variable or a nest of them; the result has the same structure.
            output_gradients: what flows into each target instead of ones.
            unconnected_gradients: None or zeros for sources without influence.

        Raises:
            RuntimeError: at the second call on a tape that is not persistent.
            LookupError: when an op on the way has no gradient.
        """
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians); write tf.GradientTape(persistent=True)"
            )
        self._used = True
        unconnected = UnconnectedGradients(
            getattr(unconnected_gradients, "value", unconnected_gradients)
        )
        if self._recording and not self._persistent:
            self._stop()
        grads = tapes.backpropagate(
            list(self.entries), set(self.watched), _seeds(target, output_gradients)
        )
        result = _map(sources, lambda s: self._collect(s, grads, unconnected))
        if not self._persistent:
            self.entries, self.held = [], []
        return result

    def _collect(
        self, source: Any, grads: Mapping[int, Tensor], unconnected: UnconnectedGradients
    ) -> Tensor | None:
        if not is_tensor(source):
            raise TypeError(f"gradient: sources must be tensors or Variables, got {source!r}")
        if isinstance(source, Variable):
            _, read = self._variables.get(id(source), (source, []))
        else:
            read = [source]
        found = [
            grads[t.identity] for t in read if t.identity in self.watched and t.identity in grads
        ]
        if found:
            return functools.reduce(lambda a, b: a + b, found)
        if unconnected is UnconnectedGradients.ZERO:
            return zeros(source.shape, source.dtype)
        return None


def _seeds(target: Any, output_gradients: Any) -> list[tuple[Tensor, Tensor]]:
    if target is None:
        raise TypeError("gradient: target must be a tensor or a nest of them, got None")
    targets = [convert_to_tensor(t) for t in _leaves(target)]
    given = (
        [None] * len(targets)
        if output_gradients is None
        else [g if g is None else convert_to_tensor(g) for g in _leaves(output_gradients)]
    )
    if len(given) != len(targets):
        raise ValueError(f"{len(targets)} targets but {len(given)} output_gradients")
    return [
        (t, ones_like(t) if g is None else g)
        for t, g in zip(targets, given, strict=True)
        if t.dtype.is_floating or t.dtype.is_complex
    ]


def _leaves(nest: Any) -> list[Any]:
    if isinstance(nest, list | tuple):
        return [leaf for item in nest for leaf in _leaves(item)]
    if isinstance(nest, Mapping):
        return [leaf for item in nest.values() for leaf in _leaves(item)]
    return [nest]


def _map(nest: Any, function: Callable[[Any], Any]) -> Any:
    """The nest with ``function`` of each leaf; named tuples keep their type."""
    if isinstance(nest, Mapping):
        return type(nest)((k, _map(v, function)) for k, v in nest.items())  # type: ignore[call-arg]
    if isinstance(nest, tuple) and hasattr(nest, "_fields"):
        return type(nest)(*(_map(v, function) for v in nest))
    if isinstance(nest, list | tuple):
        return type(nest)(_map(v, function) for v in nest)
    return function(nest)


@contextmanager
def _paused() -> Iterator[None]:
    """No tape records."""
    saved = tapes.active_tapes[:]
    tapes.active_tapes.clear()
    try:
        yield
    finally:
        tapes.active_tapes[:] = saved


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The same values, constant for every tape."""
    tensor = convert_to_tensor(input)
    return Tensor(tensor.aval, tensor.storage)


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: ``f(*tensors)`` returns ``(outputs, grad_fn)``, as ``tf.custom_gradient``.

    ``grad_fn`` takes the gradient of each output and returns one for each input.
    """

    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        inputs = tuple(convert_to_tensor(a) for a in args)
        with _paused():
            result, grad_fn = f(*inputs, **kwargs)
        single = not isinstance(result, list | tuple)
        outputs = tuple(stop_gradient(t) for t in ([result] if single else result))

        def backward(*grads: Any) -> Sequence[Any]:
            filled = [
                zeros(t.shape, t.dtype) if g is None else g
                for g, t in zip(grads, outputs, strict=True)
            ]
            got = grad_fn(*filled)
            got = got if isinstance(got, list | tuple) else (got,)
            if len(got) != len(inputs):
                raise ValueError(
                    f"custom_gradient: {len(inputs)} inputs but the gradient function returned "
                    f"{len(got)} gradients"
                )
            return [g if g is None else convert_to_tensor(g) for g in got]

        for tape in tapes.active_tapes:
            tape.record(Entry(getattr(f, "__name__", "custom"), inputs, outputs, backward))
        return outputs[0] if single else type(result)(outputs)

    return wrapped


def value_and_grads(f: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """TensorFlow.js's ``valueAndGrads``: ``g(args, dy=None)`` gives ``{"value", "grads"}``."""

    def g(args: Sequence[Any], dy: Any = None) -> dict[str, Any]:
        inputs = [identity(a) for a in args]  # the caller may use one tensor twice
        with GradientTape() as tape:
            tape.watch(inputs)
            value = f(*inputs)
        grads = tape.gradient(value, inputs, None if dy is None else convert_to_tensor(dy))
        if any(d is None for d in grads):
            raise ValueError(
                "Cannot compute gradient of y=f(xs): f's result does not depend on every x"
            )
        return {"value": value, "grads": grads}

    return g


def value_and_grad(f: Callable[[Any], Any]) -> Callable[..., dict[str, Any]]:
    """TensorFlow.js's ``valueAndGrad``: ``g(x, dy=None)`` gives ``{"value", "grad"}``."""
    both = value_and_grads(f)

    def g(x: Any, dy: Any = None) -> dict[str, Any]:
        result = both([x], dy)
        return {"value": result["value"], "grad": result["grads"][0]}

    return g


def grads(f: Callable[..., Any]) -> Callable[..., list[Tensor]]:
    """TensorFlow.js's ``grads``: ``g(args, dy=None)`` gives a gradient per argument."""
    both = value_and_grads(f)
    return lambda args, dy=None: list(both(args, dy)["grads"])


def grad(f: Callable[[Any], Any]) -> Callable[..., Tensor]:
    """TensorFlow.js's ``grad``: ``g(x, dy=None)`` gives the gradient of ``f`` at x.

    Example:
        >>> import tfpy as tf
        >>> print(tf.grad(lambda x: x * x)(tf.constant(3.0)).numpy())
        6.0
    """
    both = value_and_grads(f)
    return lambda x, dy=None: both([x], dy)["grads"][0]


def variable_grads(
    f: Callable[[], Any], var_list: Sequence[Variable] | None = None
) -> dict[str, Any]:
    """TensorFlow.js's ``variableGrads``: value of scalar ``f()`` and gradients by variable name."""
    with GradientTape() as tape:
        value = f()
    variables = tape.watched_variables() if var_list is None else tuple(var_list)
    if value.shape != ():
        raise ValueError(f"variable_grads: f must return a scalar, got shape {value.shape}")
    found = tape.gradient(value, variables)
    return {"value": value, "grads": {v.name: g for v, g in zip(variables, found, strict=True)}}
