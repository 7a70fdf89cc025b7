"""The op record: all facts of one primitive in one place.

A record contains the name, the shape and dtype rule, the NumPy reference, the gradient rule, and
the lowering: a scalar expression (elementwise ops), the call of a named kernel, or an alias
(reshape). It also states which rewrites are valid for its equations, so that passes need no lists
of ops. `OPS` is the table of all records; tests, docs and backends are driven by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import OpError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.indexed import Indexed
from tfpy._src.compiler.ir.kernel import KernelCall

Tensor = Any  # operands of ops; the compiler does not depend on its type
Sample = tuple[tuple[Array, ...], dict[str, Any]]
Samples = Callable[["np.random.Generator"], list[Sample]]  # quoted, or numpy.random would load

COMPILER, CONTROL = "compiler", "control"
"""Families of equations that passes and control flow create. No function consists of them."""


GRADIENT, LAYOUT = "gradient", "layout"
"""Kinds of annotations, which are equations that compute nothing."""


@dataclass(frozen=True)
class Laws:
    """The algebraic laws of an elementwise op, exact to the bit."""

    commutative: bool = False
    """For numbers, op(x, y) is op(y, x)."""
    neutral: float | None = None
    """op(x, neutral) is x; for a commutative op, also op(neutral, x)."""
    absorbing: float | None = None
    """op(x, absorbing) and op(absorbing, x) are absorbing, unless x is a float (NaN)."""
    idempotent: bool = False
    """op(op(x)) is op(x); for two operands, op(x, x) is x."""
    involution: bool = False
    """op(op(x)) is x."""
    exact: bool = False
    """IEEE 754 or integer arithmetic defines every bit of the result. So the result does not depend
    on the elements that are computed together, as it may for vectorized functions like exp."""
    sparse: bool = False
    """The op accepts sparse tensors. As op(0) is 0, it computes on their values only."""


@dataclass(frozen=True, eq=False)
class Op:
    """One primitive; see the module's docstring. Families in `ops/` fill most fields."""

    name: str
    family: str
    infer: Callable[..., Any]
    """(*avals, **attrs) -> Aval, or a tuple of them (:attr:`multiple`).

    Raises TensorFlow's error for wrong shapes and dtypes.
    """
    ref: Callable[..., Any]
    """(*arrays, **attrs) -> array. It defines the meaning of the op."""
    vjp: Callable[..., tuple[Tensor | None, ...]] | None = None
    """(g, y, *inputs, **attrs) -> a gradient (or None) per input. None if not differentiable."""
    expr: Callable[..., Any] | None = None
    """(*Exprs, **attrs) -> Expr for elementwise ops; with complex numbers, ComplexExpr."""
    kernel: Callable[..., KernelCall] | None = None
    """(*avals, **attrs) -> KernelCall for ops that are not elementwise."""
    typed_from: int = 0
    """Number of leading inputs that are bool conditions, which do not determine the dtype of Python
    numbers."""
    only: DType | None = None
    """The only dtype that the op accepts. Arguments that are not tensors are converted to it."""
    params: tuple[str, ...] = ()
    """Names of the inputs in the signature of the public function."""
    public: tuple[str, ...] = ()
    """Names under `tf` of the op itself, e.g. `("sin", "math.sin")`."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Attributes of the public function, with their defaults."""
    doc: str = ""
    samples: Samples | None = None
    """rng -> cases (arrays, attrs) for the generated tests."""
    tolerance: float | None = None
    """Relative and absolute tolerance on devices where the default is too strict; see `reason`."""
    reason: str = ""
    stateful: bool = False
    """True if the op has effects or reads state. Passes do not merge, fold, remove or reorder its
    equations."""
    multiple: bool = False
    """True if an equation has several outputs. Then `infer` and `ref` return tuples."""
    laws: Laws = Laws()
    viewed: bool = False
    """True if an expression can read the operand through the op, at a position given by strides."""
    by_component: bool = False
    """True if the op computes the real and the imaginary part of complex numbers separately."""
    by_rows: bool = False
    """True if the gradient rule uses `g` only, element by element, so that rows of `g` determine
    rows of the gradient."""
    by_bits: bool = False
    """True if the op works on the bits of its operands. Then operands are not converted, and
    float16, which devices compute as float32, is not computed on a device."""
    reads_bytes: bool = False
    """True if the op also reads int8 operands on a device that has its kernel."""
    expands: bool = False
    """True if the result has several times the bytes of the operands. Then it is computed when it
    is needed, and not kept like other values that depend on weights only."""
    stacked: Callable[[int, dict[str, Any]], dict[str, Any]] | None = None
    """(count, attrs) -> the attributes that apply the op to `count` operands that are stacked along
    a new first axis; for ops that move elements."""
    annotates: str = ""
    """Kind of the annotation of the first operands, which the equation returns: their gradient
    (:data:`GRADIENT`) or their layout on several devices (:data:`LAYOUT`)."""
    indexed: Indexed | None = None
    """The operand that holds indices, for ops whose indices may be out of range."""
    host_only: str = ""
    """Reason why no device computes the op."""
    sequential: str = ""
    """Reason why only a device with long threads computes the op: results depend on each other."""
    refuses: Callable[..., OpError | None] | None = None
    """(*avals, **attrs) -> the error of every run at these shapes, or None.

    The shape rule accepts the shapes, as in TensorFlow, and the kernel rejects them. So an equation
    that never runs does not fail.
    """

    __call__: ClassVar[Callable[..., Tensor]]
    """(op, *inputs, **attrs) -> the result on tensors; :func:`executes` sets it."""

    @property
    def is_alias(self) -> bool:
        """True if the output is the input's bytes with another shape."""
        return self.expr is None and self.kernel is None and not self.host_only

    @property
    def is_primitive(self) -> bool:
        """True if functions are composed of the op."""
        return self.family not in (COMPILER, CONTROL)

    def infer_all(self, *avals: Aval, **attrs: Any) -> tuple[Aval, ...]:
        """Return the avals of all outputs."""
        found = self.infer(*avals, **attrs)
        return tuple(found) if self.multiple else (found,)

    def refusal(self, avals: Iterable[Aval], attrs: Iterable[tuple[str, Any]]) -> OpError | None:
        """Return the error of every run at these shapes, or None."""
        return None if self.refuses is None else self.refuses(*avals, **dict(attrs))

    def __repr__(self) -> str:
        return f"<op {self.name}>"


def executes(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Set the function that runs when an op is called.

    The executor, which is in a higher layer, uses it as a decorator. So there is no indirection
    between a call and its execution.
    """
    Op.__call__ = function
    return function


OPS: dict[str, Op] = {}
UNSUPPORTED: dict[str, dict[str, str]] = {}
"""Backend -> op -> reason why it is computed on the host. The goal is that all are empty.

Backends are entered by :func:`add_backend`.
"""
Lacks = Callable[[Op], str]
"""(op) -> reason why a backend computes it on the host, or "" if the backend supports it."""
_LACKS: dict[str, Lacks] = {}
AnyOp = TypeVar("AnyOp", bound=Op)


def register(op: AnyOp) -> AnyOp:
    """Add a record to the table.

    Raises:
        ValueError: If the name is taken.
    """
    if op.name in OPS:
        raise ValueError(f"op {op.name} is already in the table")
    OPS[op.name] = op
    for backend in _LACKS:
        _enter(backend, op)
    return op


def add_backend(name: str, lacks: Lacks) -> None:
    """Enter a backend, and the ops that it does not support, in `UNSUPPORTED`."""
    _LACKS[name], UNSUPPORTED[name] = lacks, {}
    for op in OPS.values():
        _enter(name, op)


def _enter(backend: str, op: Op) -> None:
    if reason := _LACKS[backend](op):
        UNSUPPORTED[backend][op.name] = reason


def in_family(*families: str) -> frozenset[Op]:
    """Return the records of these families."""
    return frozenset(op for op in OPS.values() if op.family in families)
