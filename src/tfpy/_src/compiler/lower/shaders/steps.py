"""The steps of a kernel call: templates, prologues, epilogues, and the splitting of long sums."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.kernel import Epilogue, KernelCall, Param, Prologue
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.shaders.expression import Expression
from tfpy._src.compiler.lower.shaders.language import ShadingLanguage
from tfpy._src.compiler.lower.shaders.library import template

LONGEST_SUM = 256
"""Largest number of elements that one output combines in a reduction."""

ONE_STEP = 64
"""Largest number of elements that one output combines to avoid a second step."""

ENOUGH_OUTPUTS = 8192
"""Number of outputs from which long sums are not split further for parallelism."""

Params = dict[str, Any]

_MADE = -1
"""Placeholder among buffers for the operand that a prologue computes."""


@dataclass
class Parts:
    """The parts of the source of a step's kernel."""

    body: str
    read: dict[str, int]
    """Buffers by the names of inputs."""
    params: Params
    defines: list[str]
    finish: Expression | None
    """Epilogue, if this step applies it."""


class Steps(ABC):
    """A builder that adds the steps of one kernel call to a Program.

    The step that writes `output` applies the epilogue. The steps that read the placeholder of its
    result apply the prologue.
    """

    language: ShadingLanguage

    max_inputs: int
    """Largest number of arrays that a kernel may read."""

    def __init__(
        self, program: Program, call: KernelCall, inputs: Sequence[int], output: int
    ) -> None:
        self.program = program
        self.call = call
        self.inputs = list(inputs)
        self.output = output
        self._made: tuple[Expression, list[int]] | None = None
        self._finish: tuple[Expression, list[int]] | None = None
        self._dtype = program.buffers[output].dtype
        if call.epilogue is not None:
            self._finish = self._take_epilogue(call.epilogue)
        if call.prologue is not None:
            self._made = self._take_prologue(call.prologue)

    def _take_epilogue(self, epilogue: Epilogue) -> tuple[Expression, list[int]]:
        count = len(self.inputs) - len(epilogue.views)
        self.inputs, extra = self.inputs[:count], self.inputs[count:]
        dtypes = [self.program.buffers[b].dtype for b in extra]
        self._dtype = epilogue.result
        views, space = epilogue.views, epilogue.out.shape
        root = epilogue.root
        return Expression(self.language, "e", root, dtypes, views, space, self._dtype), extra

    def _take_prologue(self, prologue: Prologue) -> tuple[Expression, list[int]]:
        count = len(prologue.views)
        read, self.inputs = self.inputs[:count], [_MADE, *self.inputs[count:]]
        dtypes = [self.program.buffers[b].dtype for b in read]
        views, space = prologue.views, prologue.out.shape
        return Expression(self.language, "p", prologue.root, dtypes, views, space), read

    @abstractmethod
    def step(
        self,
        name: str,
        inputs: Mapping[str, int],
        output: int,
        params: Mapping[str, Param],
        defines: Sequence[str] = (),
    ) -> None:
        """Add one step: the template `name` on named input buffers."""

    @abstractmethod
    def like(self, output: int, count: int) -> int:
        """Add a buffer of the result's dtype with `count` elements."""

    def result_dtype(self, output: int) -> DType:
        """Return the element type of a kernel's result before its epilogue."""
        return self._dtype if output == self.output else self.program.buffers[output].dtype

    def dtype_of(self, operand: int) -> DType:
        """Return the element type of an input's buffer, or of the prologue's result."""
        if operand != _MADE:
            return self.program.buffers[operand].dtype
        assert self._made is not None
        return self._made[0].root.dtype

    def parts(
        self,
        name: str,
        inputs: Mapping[str, int],
        output: int,
        params: Mapping[str, Param],
        defines: Sequence[str],
    ) -> Parts:
        """Return the parts of a step's source: the template, prologue and epilogue."""
        read = {x: b for x, b in inputs.items() if b != _MADE}
        found = Parts(template(self.language.name, name), read, dict(params), [*defines], None)
        for x in inputs.keys() - found.read.keys():
            assert self._made is not None
            expression, own = self._made
            found.body = f"{self._made_operand(x, expression, 'QUADS' in defines)}\n{found.body}"
            found.read |= zip(expression.names, own, strict=True)
            found.params |= expression.params
            found.defines.append("PROLOGUE")
        if self._finish is not None and output == self.output:
            found.finish, own = self._finish
            found.read |= zip(found.finish.names, own, strict=True)
            found.params |= found.finish.params
        return found

    def _made_operand(self, x: str, expression: Expression, quads: bool) -> str:
        """Return code that computes the operand `x` of a template instead of reading an array."""
        scalar, vector = self.language.stored(expression.root.dtype)
        return "\n".join(
            [
                expression.shared(),
                expression.texel_function(f"{x}_texel", vector),
                expression.element_function(f"{x}_at", scalar),
                *self.language.made_operand(x, expression.root.dtype, quads),
            ]
        )


def inputs_of(call: KernelCall, inputs: Sequence[int]) -> dict[str, int]:
    """Return the buffers by their names in the template."""
    return dict(zip(call.inputs, inputs, strict=True))


def flags_of(**flags: bool) -> list[str]:
    """Return the names of the flags that are set, with which the template is compiled."""
    return [name for name, on in flags.items() if on]


def chunk_of(n: int, outputs: int, longest: int = LONGEST_SUM) -> int:
    """Return how many of `n` elements an output combines, so that enough outputs run in parallel.

    The result is a multiple of four, or all elements, and at least 1.
    """
    if n <= ONE_STEP or (n <= longest and outputs >= ENOUGH_OUTPUTS):
        return max(n, 1)
    if outputs >= ENOUGH_OUTPUTS:
        return longest
    return min(longest, 4 * math.ceil(math.sqrt(n) / 4))
