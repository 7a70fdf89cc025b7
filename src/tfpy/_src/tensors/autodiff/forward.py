"""``tf.autodiff.ForwardAccumulator``: forward-mode differentiation.

The tangent of an op's output is ``J v``. The op's gradient rule gives ``u -> J' u``, which is
linear in ``u``; differentiating ``<J' u, v>`` by ``u`` gives ``J v``, whatever ``u`` is (ones here:
some rules treat 0 apart). So every op with a gradient has a tangent, in ops, which other tapes and
accumulators record.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tfpy._src.base.dtypes import variant
from tfpy._src.core import tape as tapes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.tape import Entry, Tape
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import ones_like, zeros
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape, UnconnectedGradients
from tfpy._src.tensors.autodiff.nests import leaves, map_leaves
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.variables.variable import Variable


class ForwardAccumulator(Tape):
    """Computes Jacobian-vector products of the ops that run in its context.

    Args:
        primals: a tensor, a Variable or a nest of them.
        tangents: the direction, in the same structure, shapes and dtypes.

    Raises:
        ValueError: when the structures or shapes differ or a primal is given twice.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([2.0, 3.0])
        >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
        ...     y = tf.reduce_sum(x * x)
        >>> print(acc.jvp(y).numpy())
        4.0
    """

    last = True

    def __init__(self, primals: Any, tangents: Any) -> None:
        super().__init__()
        self._tangents: dict[int, Tensor] = {}
        self._variables: dict[int, Tensor] = {}
        self._recording = False
        sources, directions = leaves(primals), leaves(tangents)
        if len(sources) != len(directions):
            raise ValueError(f"{len(sources)} primals but {len(directions)} tangents")
        if len({id(s) for s in sources}) < len(sources):
            raise ValueError("A tensor was specified as a primal multiple times; sum its tangents.")
        for source, direction in zip(sources, directions, strict=True):
            self._begin(source, convert_to_tensor(direction, source.dtype))

    def _begin(self, primal: Tensor | Variable, tangent: Tensor) -> None:
        if tuple(primal.aval.shape) != tuple(tangent.aval.shape):
            raise ValueError(
                f"The tangent has shape {tangent.shape}, its primal has {primal.shape}"
            )
        if isinstance(primal, Variable):
            self._variables[id(primal.origin)] = tangent
            self.held.append(primal.tensor)
            self._tangents[primal.tensor.identity] = tangent
        else:
            self.held.append(primal)
            self._tangents[primal.identity] = tangent

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self._recording = True
        tapes.activate(self)
        return self

    def __exit__(self, *exception: object) -> None:
        self._recording = False
        tapes.local.active[:] = [t for t in tapes.local.active if t is not self]

    def follows(self, tensors: Sequence[Tensor]) -> bool:
        return any(t.identity in self._tangents for t in tensors)

    def on_read(self, variable: Variable) -> None:
        tangent = self._variables.get(id(variable))
        if tangent is not None:
            self._tangents[variable.tensor.identity] = tangent

    def on_custom(self, computed: Tensor, output: Tensor) -> None:
        tangent = self._tangents.get(computed.identity)
        if tangent is not None:
            self._tangents[output.identity] = tangent

    def record(self, entry: Entry) -> None:
        """Computes the tangents of the outputs if an input has one.

        Raises:
            NotImplementedError: when an output is a list of tensors.
        """
        known = [self._tangents.get(t.identity) for t in entry.inputs]
        missing = [t for t in entry.outputs if t.identity not in self._tangents]
        if not missing or all(tangent is None for tangent in known):
            return
        if any(t.dtype == variant for t in entry.outputs):
            raise NotImplementedError(
                f"ForwardAccumulator: '{entry.name}' gives a list of tensors (a TensorArray in a "
                "compiled function, or what a loop saves for its gradient), whose tangent is not "
                "known; use a GradientTape, or one within another"
            )
        with self._alone():
            for output, tangent in zip(entry.outputs, _push(entry, known), strict=True):
                if tangent is not None:
                    self._tangents.setdefault(output.identity, tangent)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Neither this accumulator nor those within it record."""
        saved = tapes.local.active[:]
        position = next(i for i, t in enumerate(saved) if t is self)
        tapes.local.active[:] = saved[:position]
        try:
            yield
        finally:
            tapes.local.active[:] = saved

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The tangents of tensors that were computed in the context.

        Args:
            primals: a tensor or a nest of them; the result has the same structure.
            unconnected_gradients: None or zeros for tensors without a tangent.
        """
        kind = UnconnectedGradients(getattr(unconnected_gradients, "value", unconnected_gradients))

        def tangent(leaf: Any) -> Tensor | None:
            tensor = leaf.tensor if isinstance(leaf, Variable) else leaf
            found = self._tangents.get(tensor.identity)
            if found is None and kind is UnconnectedGradients.ZERO:
                return zeros(tensor.aval.shape, tensor.dtype)
            return found

        return map_leaves(primals, tangent)


def _product(gradient: Any, tangent: Tensor) -> Tensor:
    """The sum of a gradient times a tangent; of indexed slices, over their rows."""
    if isinstance(gradient, IndexedSlices):
        return reduce_sum(gradient.values * take(tangent, gradient.indices))
    return reduce_sum(gradient * tangent)


def _push(entry: Entry, tangents: list[Tensor | None]) -> list[Tensor | None]:
    """The tangents of an entry's outputs."""
    cotangents = [ones_like(t) if t.dtype.is_differentiable else None for t in entry.outputs]
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([u for u in cotangents if u is not None])
        products = []
        for tangent, back in zip(tangents, entry.backward(*cotangents), strict=True):
            if tangent is not None and back is not None:
                products.append(_product(back() if callable(back) else back, tangent))
        if not products:
            return [None] * len(cotangents)
        total = functools.reduce(lambda a, b: a + b, products)
    found = iter(tape.gradient(total, [u for u in cotangents if u is not None]))
    return [None if u is None else next(found) for u in cotangents]
