"""What ``fn.lower().as_text()`` prints: Graphs and Programs, each below a line of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tfpy._src.backends.interface import Code
from tfpy._src.compiler.ir.fusion import fusion
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.lower.program import Program
from tfpy._src.display.screen import Screen
from tfpy._src.functions.executor.compiled_parts import Lowering

if TYPE_CHECKING:
    from tfpy._src.functions.tf_function.concrete import ConcreteFunction


class Lowered:
    """What the active backend runs for one signature of a ``tf.function``."""

    def __init__(
        self, name: str, lowering: Lowering, inputs: Sequence[str], results: Sequence[str]
    ) -> None:
        self.name = name
        """The function's."""
        self.lowering = lowering
        self.inputs = inputs
        """What goes in, by name."""
        self.results = results
        """What comes out, by name."""

    def as_text(self) -> str:
        """The optimized Graphs and the Programs, in the order in which they run."""
        all_ = ((part.graph, part.program, part.code) for part in self.lowering.parts)
        return as_text(*(part for parts in all_ for part in parts if part is not None))

    __str__ = as_text

    def __repr__(self) -> str:
        return f"<Lowered {self.name}: show() draws it, as_text() tells it>"

    def show(self) -> None:
        """Shows the kernels as boxes, with what they pass on, in a notebook or a page; prints the
        text elsewhere."""
        if not Screen().show(self._repr_html_()):
            print(self.as_text())

    def to_svg(self) -> str:
        """The picture that :meth:`show` shows: of very many kernels the first ones."""
        from tfpy._src.functions.tf_function import diagrams  # which few programs need

        return diagrams.svg(self)

    def _repr_html_(self) -> str:
        from tfpy._src.functions.tf_function import diagrams

        return diagrams.lowered(self)


def as_html(name: str, traces: Sequence[ConcreteFunction]) -> str:
    """What notebooks show of a function: its signatures, and what was compiled of them."""
    from tfpy._src.functions.tf_function import diagrams

    return diagrams.functions(name, traces)


def as_text(*parts: Graph | Code) -> str:
    """The parts in order, each with what it consists of. ::

    # 3 equations: 1 epilogue(conv2d add relu), 1 reshape, 1 transpose
    graph(%0:float32[1,8,8,3], ...
    """
    return "\n\n".join(f"# {_counts(part)}\n{part}" for part in parts)


def _counts(part: Graph | Code) -> str:
    if isinstance(part, Graph):
        return _counted("equation", map(_name, part.eqns))
    if not isinstance(part, Program):
        return "what the backend compiles of them"
    constants = sum(len(data) for _, data in part.constants)
    steps = _counted("step", (part.kernels[step.kernel].name for step in part.steps))
    return f"{steps}; constants of {constants} bytes"


def _name(eqn: Eqn) -> str:
    if eqn.op is not fusion:
        return eqn.op.name
    attrs = dict(eqn.attrs)
    return f"{attrs['kind']}({' '.join(inner.op.name for inner in attrs['body'].eqns)})"


def _counted(what: str, names: Iterable[str]) -> str:
    counts = Counter(names)
    total = counts.total()
    found = ", ".join(f"{n} {name}" for name, n in counts.most_common())
    return f"{total} {what}{'' if total == 1 else 's'}" + (f": {found}" if found else "")
