"""What ``fn.lower().as_text()`` prints: Graphs and Programs, each below a line of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tfpy._src.ir.fusion import fusion
from tfpy._src.ir.graph import Eqn, Graph
from tfpy._src.lower.program import Program


class Lowered:
    """What the active backend runs for one signature of a ``tf.function``."""

    def __init__(self, parts: Sequence[Graph | Program]) -> None:
        self._parts = parts

    def as_text(self) -> str:
        """The optimized Graphs and the Programs, in the order in which they run."""
        return as_text(*self._parts)


def as_text(*parts: Graph | Program) -> str:
    """The parts in order, each with what it consists of. ::

    # 3 equations: 1 epilogue(conv2d add relu), 1 reshape, 1 transpose
    graph(%0:float32[1,8,8,3], ...
    """
    return "\n\n".join(f"# {_counts(part)}\n{part}" for part in parts)


def _counts(part: Graph | Program) -> str:
    if isinstance(part, Graph):
        return _counted("equation", map(_name, part.eqns))
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
