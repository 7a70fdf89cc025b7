"""`tf.autodiff.ForwardAccumulator`: forward-mode differentiation.

The tangent of the output of an op is `J v`. The gradient rule of the op computes `u -> J' u`, which
is linear in `u`. Differentiating `<J' u, v>` with respect to `u` therefore results in `J v` for any
`u`. Ones are used, because some rules treat 0 separately. In this way every op with a gradient has
a tangent, which is computed by ops, so that other tapes and accumulators record it.
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
from tfpy._src.core.typing import Nest
from tfpy._src.tensors.array.making import ones_like, zeros
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape
from tfpy._src.tensors.autodiff.nests import leaves, map_leaves
from tfpy._src.tensors.autodiff.unconnected import UnconnectedGradients
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.variables.variable import Variable


class ForwardAccumulator(Tape):
    """Context manager that computes Jacobian-vector products of the ops that run in it.

    This is forward-mode differentiation. It is cheaper than `tf.GradientTape` for functions with
    few inputs and many outputs.

    Args:
        primals: Inputs of the function to differentiate, a tensor, Variable, or nested structure
            (list, tuple or dict) of them.
        tangents: Vector by which the Jacobian is multiplied, with the structure, shapes and dtypes
            of `primals`.

    Raises:
        ValueError: If `primals` and `tangents` differ in structure or shapes, or the same tensor
            occurs twice in `primals`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([2.0, 3.0])
        >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
        ...     y = tf.reduce_sum(x * x)
        >>> print(acc.jvp(y).numpy())
        4.0

    See also: `tf.GradientTape`.
    """

    last = True

    def __init__(self, primals: Nest, tangents: Nest) -> None:
        super().__init__()
        self._tangents: dict[int, Tensor] = {}
        self._variables: dict[int, Tensor] = {}
        self._recording = False
        sources, directions = leaves(primals), leaves(tangents)
        if len(sources) != len(directions):
            raise ValueError(
                "ForwardAccumulator: primals and tangents must have the same structure, got "
                f"{len(sources)} primals but {len(directions)} tangents"
            )
        if len({id(s) for s in sources}) < len(sources):
            raise ValueError("A tensor was specified as a primal multiple times; sum its tangents.")
        for source, direction in zip(sources, directions, strict=True):
            self._begin(source, convert_to_tensor(direction, source.dtype))

    def _begin(self, primal: Tensor | Variable, tangent: Tensor) -> None:
        if tuple(primal.aval.shape) != tuple(tangent.aval.shape):
            raise ValueError(
                f"The tangent must have the shape of its primal {primal.shape}, got {tangent.shape}"
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
        """Return True if a tensor has a tangent.

        Args:
            tensors: Inputs of a computation.

        Returns:
            True if the accumulator computes tangents of the computation.
        """
        return any(t.identity in self._tangents for t in tensors)

    def on_read(self, variable: Variable) -> None:
        """Use the tangent of a Variable for its present value.

        Args:
            variable: Variable that an op reads.
        """
        tangent = self._variables.get(id(variable))
        if tangent is not None:
            self._tangents[variable.tensor.identity] = tangent

    def on_custom(self, computed: Tensor, output: Tensor) -> None:
        """Copy the tangent of a computed tensor to an output with a custom gradient.

        Args:
            computed: Tensor that was computed by recorded ops.
            output: Tensor with the same value and a custom gradient.
        """
        tangent = self._tangents.get(computed.identity)
        if tangent is not None:
            self._tangents[output.identity] = tangent

    def record(self, entry: Entry) -> None:
        """Compute the tangents of the outputs of a computation if an input has a tangent.

        Args:
            entry: Record of the computation.

        Raises:
            NotImplementedError: If an output is a list of tensors.
        """
        known = [self._tangents.get(t.identity) for t in entry.inputs]
        missing = [t for t in entry.outputs if t.identity not in self._tangents]
        if not missing or all(tangent is None for tangent in known):
            return
        if any(t.dtype == variant for t in entry.outputs):
            raise NotImplementedError(
                f"ForwardAccumulator: '{entry.name}' returns a list of tensors (a TensorArray in a "
                "compiled function, or the values that a loop saves for its gradient). Tangents of "
                "lists are not supported; use a GradientTape, or nested GradientTapes"
            )
        with self._alone():
            for output, tangent in zip(entry.outputs, _push(entry, known), strict=True):
                if tangent is not None:
                    self._tangents.setdefault(output.identity, tangent)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Disable this accumulator and the accumulators inside it."""
        saved = tapes.local.active[:]
        position = next(i for i, t in enumerate(saved) if t is self)
        tapes.local.active[:] = saved[:position]
        try:
            yield
        finally:
            tapes.local.active[:] = saved

    def jvp(
        self,
        primals: Nest,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Nest:
        """Return the Jacobian-vector products of tensors that were computed in the context.

        Args:
            primals: Results of the function, a tensor or nested structure (list, tuple or dict) of
                tensors.
            unconnected_gradients: Result for a tensor that does not depend on the inputs. `"none"`
                (default) returns None for it, and `"zero"` returns zeros.

        Returns:
            Nest of tensors with the structure, shapes and dtypes of `primals`.

        Example:
            >>> import tfpy as tf
            >>> x = tf.constant(3.0)
            >>> with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            ...     y = tf.square(x)
            >>> print(acc.jvp(y).numpy())
            6.0
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
    """Return the sum of the products of a gradient and a tangent.

    Only the rows of indexed slices are added.
    """
    if isinstance(gradient, IndexedSlices):
        return reduce_sum(gradient.values * take(tangent, gradient.indices))
    return reduce_sum(gradient * tangent)


def _push(entry: Entry, tangents: list[Tensor | None]) -> list[Tensor | None]:
    """Return the tangents of the outputs of an entry."""
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
