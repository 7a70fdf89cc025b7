"""Concrete functions with a signature that leaves sizes open.

A program is compiled for actual sizes, so the function is traced again for each combination of
sizes. In every trace the function sees None for the sizes that its signature leaves open.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.signature import Call, SizedSpec, TensorSpec
from tfpy._src.functions.tf_function.symbolic_sizes import traced_with_stand_ins
from tfpy._src.functions.tf_function.text import Lowered
from tfpy._src.functions.tf_function.traced import Traced
from tfpy._src.functions.tf_function.untraced import Untraced

_MAX_SIZES = 256  # sizes for one signature; the oldest are dropped


class OpenConcreteFunction(ConcreteFunction):
    """A Python function traced for a signature with open sizes, with a program for each shape.

    Args:
        name: Name of the function.
        signature: Parameters of the function.
        call: Arguments, with specs in place of tensors.
        trace: Traces the function for a call.
    """

    def __init__(
        self,
        name: str,
        signature: inspect.Signature,
        call: Call,
        trace: Callable[[Call], ConcreteFunction | Untraced],
    ) -> None:
        self.name, self._signature, self.call = name, signature, call
        self._specs = [TensorSpec(t.shape, t.dtype, name) for name, t in call.tensors]
        self._trace = trace
        self._of_sizes: OrderedDict[tuple[Aval, ...], ConcreteFunction | Untraced] = OrderedDict()
        self._example: ConcreteFunction | None = None
        """One of the traces. All traces have the same description of the function."""

    @property
    def is_described(self) -> bool:
        """True if the function has been traced for some sizes."""
        return self._example is not None

    @property
    def traced(self) -> Traced:
        """Compiled trace for one choice of sizes."""
        assert self._example is not None, "described() makes one"
        return self._example.traced

    @property
    def is_shared(self) -> bool:
        """False: the traces serve only the Variables of the signature."""
        return False

    def serves(self, call: Call) -> bool:
        """Return True if the signature covers a call."""
        tensors = [t for _, t in call.tensors]
        same = call.kind == self.call.kind and call.identities == self.call.identities
        return same and all(
            t.shape.rank is None and spec.shape.rank is None
            if isinstance(t, TensorSpec) and t.shape.rank is None
            else TensorSpec(t.shape, t.dtype).is_subtype_of(TensorSpec(spec.shape, spec.dtype))
            for t, spec in zip(tensors, self._specs, strict=True)
        )

    def sized(self, avals: Sequence[Aval]) -> ConcreteFunction | Untraced:
        """Return the trace for tensors with these avals."""
        key = tuple(aval.closed for aval in avals)
        found = self._of_sizes.get(key)
        if found is None:
            found = self._of_sizes[key] = self._for_shapes([aval.shape for aval in key])
            if len(self._of_sizes) > _MAX_SIZES:
                self._of_sizes.popitem(last=False)
            if isinstance(found, ConcreteFunction) and not self.is_described:
                self._example = found
        return found

    def forget_lost(self) -> None:
        """Drop the traces that need values that were lost with their device."""
        for key, found in list(self._of_sizes.items()):
            if found.has_lost:
                del self._of_sizes[key]

    def run(self, tensors: Sequence[Tensor]) -> Any:
        return self.sized([t.aval for t in tensors]).run(tensors)

    async def run_async(self, tensors: Sequence[Tensor]) -> Any:
        return await self.sized([t.aval for t in tensors]).run_async(tensors)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Return the program that the active backend runs for the shapes of some arguments.

        Args:
            *args, **kwargs: Arguments of a call. Default: shapes of the last call with new ones.

        Returns:
            A `Lowered`.

        Raises:
            ValueError: If no arguments are passed and there was no call yet.
        """
        if args or kwargs:
            found = self.sized([t.aval for t in self._given(args, kwargs)[1]])
        elif self._of_sizes:
            found = next(reversed(self._of_sizes.values()))
        else:
            raise ValueError(f"lower: {self.name} is compiled for actual sizes; pass arguments")
        if isinstance(found, Untraced):
            raise found.error
        return found.lower()

    def described(self) -> OpenConcreteFunction:
        """Trace the function for some sizes if it has no trace, and return self.

        Raises:
            NotTraceableError: If a shape depends on values.
        """
        if not self.is_described:
            found = traced_with_stand_ins([spec.shape for spec in self._specs], self._for_shapes)
            if isinstance(found, Untraced):
                raise found.error
            self._example = found
        return self

    def _for_shapes(self, shapes: Sequence[Sequence[int]]) -> ConcreteFunction | Untraced:
        specs = [SizedSpec(s, shape) for s, shape in zip(self._specs, shapes, strict=True)]
        return self._trace(Call(self.call.replaced(specs)))

    def _takes(self, tensors: Sequence[Tensor]) -> bool:
        return all(
            t.dtype == spec.dtype and spec.shape.is_compatible_with(t.aval.closed.shape)
            for t, spec in zip(tensors, self._specs, strict=True)
        )
