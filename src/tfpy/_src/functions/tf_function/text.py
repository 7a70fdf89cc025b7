"""The text of lowered functions: Graphs and Programs, each below a line of counts."""

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
    from tfpy._src.functions.trace.extra import Extra


class Lowered:
    """The code that the active backend runs for one signature of a `tf.function`.

    Example:
        >>> import tfpy as tf
        >>> lowered = tf.function(tf.nn.relu).lower(tf.TensorSpec([2]))
        >>> lowered
        <Lowered relu: call show() for a diagram, as_text() for the text>
    """

    def __init__(
        self, name: str, lowering: Lowering, inputs: Sequence[str], results: Sequence[str]
    ) -> None:
        self.name = name
        """Name of the function."""
        self.lowering = lowering
        self.inputs = inputs
        """Names of the inputs."""
        self.results = results
        """Names of the results."""

    def as_text(self) -> str:
        """Return the optimized ops, and the kernels of the backend, in the order of execution.

        Returns:
            A string of several lines.

        Example:
            >>> import tfpy as tf
            >>> print(tf.function(tf.nn.relu).lower(tf.TensorSpec([2])).as_text())
            # 1 equation: 1 relu
            graph(%0:float32[2])
              %1:float32[2] = relu(%0)
              return %1
        """
        all_ = ((part.graph, part.program, part.code) for part in self.lowering.parts)
        return as_text(*(part for parts in all_ for part in parts if part is not None))

    __str__ = as_text

    def __repr__(self) -> str:
        return f"<Lowered {self.name}: call show() for a diagram, as_text() for the text>"

    def show(self) -> None:
        """Display the kernels and the tensors between them as a diagram.

        Outside of notebooks and pages, print the text instead.

        Example:
            >>> import tfpy as tf
            >>> tf.function(tf.nn.relu).lower(tf.TensorSpec([2])).show()
            # 1 equation: 1 relu
            graph(%0:float32[2])
              %1:float32[2] = relu(%0)
              return %1
        """
        if not Screen().show(self._repr_html_()):
            print(self.as_text())

    def to_svg(self) -> str:
        """Return the diagram of :meth:`show` as SVG. It shows only the first 120 kernels.

        Returns:
            A string with the SVG document.

        Example:
            >>> import tfpy as tf
            >>> tf.function(tf.nn.relu).lower(tf.TensorSpec([2])).to_svg()[:4]
            '<svg'
        """
        from tfpy._src.functions.tf_function import diagrams  # few programs need it

        return diagrams.svg(self)

    def _repr_html_(self) -> str:
        from tfpy._src.functions.tf_function import diagrams

        return diagrams.lowered(self)


def input_name(extra: Extra) -> str:
    """Return the name of an input that is not an argument."""
    if extra.variable is not None:
        return extra.variable.name
    return "captured" if extra.anew is None else "feed"


def as_html(name: str, traces: Sequence[ConcreteFunction]) -> str:
    """Return HTML for notebooks: the signatures of a function and their compiled programs."""
    from tfpy._src.functions.tf_function import diagrams

    return diagrams.functions(name, traces)


def as_text(*parts: Graph | Code) -> str:
    """Return the text of Graphs and Programs in order, each below a line of counts. ::

    # 3 equations: 1 epilogue(conv2d add relu), 1 reshape, 1 transpose
    graph(%0:float32[1,8,8,3], ...
    """
    return "\n\n".join(f"# {_counts(part)}\n{part}" for part in parts)


def _counts(part: Graph | Code) -> str:
    if isinstance(part, Graph):
        return _counted("equation", map(_name, part.eqns))
    if not isinstance(part, Program):
        return "code that the backend compiles from it"
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
