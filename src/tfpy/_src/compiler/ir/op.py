"""The op record: everything that is known of one primitive, in one place.

A record gives the name, the shape and dtype rule, the NumPy reference, the gradient rule and how
the op lowers: a scalar expression (elementwise ops), the call of a named kernel, or an alias
(reshape). It says what passes may do with its equations, so that they need no lists of their own.
``OPS`` is the table of all records; tests, docs and backends are driven by it.
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

Tensor = Any  # what ops compute on; the compiler does not know it
Sample = tuple[tuple[Array, ...], dict[str, Any]]
Samples = Callable[["np.random.Generator"], list[Sample]]  # naming it would load numpy.random

COMPILER, CONTROL = "compiler", "control"
"""Families of equations that passes and control flow make; no function is composed of them."""


GRADIENT, LAYOUT = "gradient", "layout"
"""Annotations: what equations state that compute nothing."""


@dataclass(frozen=True)
class Laws:
    """What algebra knows of an elementwise op, to the bit."""

    commutative: bool = False
    """op(x, y) is op(y, x), of numbers."""
    neutral: float | None = None
    """op(x, neutral) is x; of a commutative op, op(neutral, x) too."""
    absorbing: float | None = None
    """op(x, absorbing) and op(absorbing, x) are absorbing, unless x is a float: that may be NaN."""
    idempotent: bool = False
    """op(op(x)) is op(x); of two operands, op(x, x) is x."""
    involution: bool = False
    """op(op(x)) is x."""
    exact: bool = False
    """IEEE 754 or integer arithmetic defines every bit of the result. So no bit depends on which
    elements are computed together, as it may in vectorized functions like exp."""
    sparse: bool = False
    """The op takes sparse tensors. As op(0) is 0, it computes on their values alone."""


@dataclass(frozen=True, eq=False)
class Op:
    """One primitive. See the module's text; families in ``ops/`` fill most fields."""

    name: str
    family: str
    infer: Callable[..., Any]
    """(*avals, **attrs) -> Aval, or a tuple of them (:attr:`multiple`).

    Raises TensorFlow's error for wrong shapes and dtypes.
    """
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
    laws: Laws = Laws()
    viewed: bool = False
    """Whether an expression may read its operand through it, at a place that strides tell."""
    by_component: bool = False
    """Whether complex numbers are computed as their real parts and their imaginary parts are."""
    by_rows: bool = False
    """Whether the gradient rule uses of its operands ``g`` alone, element by element: rows of ``g``
    give rows of the gradient."""
    by_bits: bool = False
    """Whether it is about the bits of its operands, so that these are not converted for it; nor
    does a device compute it on float16, which it computes as float32."""
    stacked: Callable[[int, dict[str, Any]], dict[str, Any]] | None = None
    """(count, attrs) -> the attributes that apply the op to each of ``count`` operands, which are
    stacked along a new first axis; for ops that move elements."""
    annotates: str = ""
    """What the equation states about its first operands, which are its results: their gradient
    (:data:`GRADIENT`) or their layout on several devices (:data:`LAYOUT`). It computes nothing."""
    indexed: Indexed | None = None
    """The operand that holds indices, for ops whose indices may be out of range."""
    host_only: str = ""
    """Why no device computes the op."""
    sequential: str = ""
    """Why only a device with long threads computes the op: one result waits for another."""
    refuses: Callable[..., OpError | None] | None = None
    """(*avals, **attrs) -> the error of every run at these shapes, or None.

    The shape rule accepts the shapes, as TensorFlow's does, and the kernel refuses them. So an
    equation in a part of a program that never runs does not fail.
    """

    __call__: ClassVar[Callable[..., Tensor]]
    """(op, *inputs, **attrs): computes the op on tensors; :func:`executes` says how."""

    @property
    def is_alias(self) -> bool:
        """True when the output is the input's bytes under another shape."""
        return self.expr is None and self.kernel is None and not self.host_only

    @property
    def is_primitive(self) -> bool:
        """Whether functions are composed of it."""
        return self.family not in (COMPILER, CONTROL)

    def infer_all(self, *avals: Aval, **attrs: Any) -> tuple[Aval, ...]:
        """The avals of all outputs."""
        found = self.infer(*avals, **attrs)
        return tuple(found) if self.multiple else (found,)

    def refusal(self, avals: Iterable[Aval], attrs: Iterable[tuple[str, Any]]) -> OpError | None:
        """Return the error of every run at these shapes, or None."""
        return None if self.refuses is None else self.refuses(*avals, **dict(attrs))

    def __repr__(self) -> str:
        return f"<op {self.name}>"


def executes(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Makes a function what calling an op does: a decorator for the executor, which is in a layer
    above. So nothing stands between a call and the execution."""
    Op.__call__ = function
    return function


OPS: dict[str, Op] = {}
UNSUPPORTED: dict[str, dict[str, str]] = {}
"""Backend -> op -> why it is computed on the host there. The goal is that all are empty.

A backend enters itself by :func:`add_backend`.
"""
Lacks = Callable[[Op], str]
"""(op) -> why a backend leaves it to the host; nothing if it computes it."""
_LACKS: dict[str, Lacks] = {}
AnyOp = TypeVar("AnyOp", bound=Op)


def register(op: AnyOp) -> AnyOp:
    """Adds a record to the table.

    Raises:
        ValueError: when the name is taken.
    """
    if op.name in OPS:
        raise ValueError(f"op {op.name} is already in the table")
    OPS[op.name] = op
    for backend in _LACKS:
        _enter(backend, op)
    return op


def add_backend(name: str, lacks: Lacks) -> None:
    """Enters a backend and what it lacks in :data:`UNSUPPORTED`."""
    _LACKS[name], UNSUPPORTED[name] = lacks, {}
    for op in OPS.values():
        _enter(name, op)


def _enter(backend: str, op: Op) -> None:
    if reason := _LACKS[backend](op):
        UNSUPPORTED[backend][op.name] = reason


def in_family(*families: str) -> frozenset[Op]:
    """The records of these families."""
    return frozenset(op for op in OPS.values() if op.family in families)
