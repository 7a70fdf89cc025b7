"""The op record: everything that is known of one primitive, in one place.

A record gives the name, the shape and dtype rule, the NumPy reference, the gradient rule and how
the op lowers: a scalar expression (elementwise ops), the call of a named kernel, or an alias
(reshape). ``OPS`` is the table of all records; tests, docs and backends are driven by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tfpy._src.ir.graph import Aval
from tfpy._src.ir.kernel import KernelCall

if TYPE_CHECKING:
    from tfpy._src.dtypes import DType

Tensor = Any  # what ops compute on; the compiler does not know it
Sample = tuple[tuple[np.ndarray[Any, Any], ...], dict[str, Any]]
Samples = Callable[[np.random.Generator], list[Sample]]


@dataclass(frozen=True, eq=False)
class Op:
    """One primitive. See the module's text; families in ``ops/`` fill most fields."""

    name: str
    family: str
    infer: Callable[..., Aval]
    """(*avals, **attrs) -> Aval; raises TensorFlow's error for wrong shapes and dtypes."""
    ref: Callable[..., Any]
    """(*arrays, **attrs) -> array: the meaning of the op."""
    vjp: Callable[..., tuple[Tensor | None, ...]] | None = None
    """(g, y, *inputs, **attrs) -> a gradient (or None) per input; None: not differentiable."""
    expr: Callable[..., Any] | None = None
    """(*Exprs, **attrs) -> Expr for elementwise ops; ComplexExpr for complex numbers."""
    kernel: Callable[..., KernelCall] | None = None
    """(*avals, **attrs) -> KernelCall for ops that are not elementwise."""
    typed_from: int = 0
    """Inputs before this one are bool conditions and do not set the dtype of Python numbers."""
    only: DType | None = None
    """The one dtype that the op takes: what is no tensor is converted to it."""
    params: tuple[str, ...] = ()
    """Names of the inputs in the public function's signature."""
    public: tuple[str, ...] = ()
    """Names under ``tf`` that are this op itself, for example ``("sin", "math.sin")``."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Attributes of the public function with their defaults."""
    doc: str = ""
    samples: Samples | None = None
    """rng -> (arrays, attrs) cases for the generated tests."""
    tolerance: float | None = None
    """Relative and absolute tolerance on devices where the default does not do; see ``reason``."""
    reason: str = ""
    stateful: bool = False
    """The op has effects or reads state: passes neither merge, fold, remove nor reorder
    its equations."""
    multiple: bool = False
    """Whether an equation has several outputs: then ``infer`` and ``ref`` give tuples."""
    host_only: str = ""
    """Why no device computes the op; :func:`register` enters it in :data:`UNSUPPORTED`."""

    __call__: ClassVar[Callable[..., Tensor]]
    """(op, *inputs, **attrs): computes the op on tensors. The executor, ``runtime/eager.py``, puts
    its own function here, so that nothing stands between a call and the execution."""

    @property
    def is_alias(self) -> bool:
        """True when the output is the input's bytes under another shape."""
        return self.expr is None and self.kernel is None and not self.host_only

    def infer_all(self, *avals: Aval, **attrs: Any) -> tuple[Aval, ...]:
        """The avals of all outputs."""
        found = self.infer(*avals, **attrs)
        return tuple(found) if self.multiple else (found,)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"<op {self.name}>"


OPS: dict[str, Op] = {}


def register(op: Op) -> Op:
    """Adds a record to the table.

    Raises:
        ValueError: when the name is taken.
    """
    if op.name in OPS:
        raise ValueError(f"op {op.name} is already in the table")
    OPS[op.name] = op
    if op.host_only:
        for device in ("wasm", "webgl"):
            UNSUPPORTED[device][op.name] = op.host_only
    return op


UNSUPPORTED: dict[str, dict[str, str]] = {"cpu": {}, "wasm": {}, "webgl": {}}
"""Backend -> op -> why it is computed on the host there. The goal is that all are empty."""
