"""The family of elementwise ops: the common facts of their records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.expr import Expr
from tfpy._src.compiler.ir.op import Laws, Op, register
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import BOOL, FLOAT, FLOAT_COMPLEX, REAL
from tfpy._src.compiler.ops.families.samples import elementwise_samples
from tfpy._src.compiler.ops.rules import Vjp, rule_of


def elementwise(
    name: str,
    ref: Callable[..., Any],
    expr: Callable[..., Any],
    vjp: Vjp | None = None,
    *,
    params: tuple[str, ...] = ("x",),
    takes: Iterable[DType] = FLOAT_COMPLEX,
    gives: DType | Callable[[DType], DType] | None = None,
    typed_from: int = 0,
    public: str | None = None,
    defaults: Mapping[str, Any] | None = None,
    holomorphic: bool = True,
    laws: Laws | None = None,
    by_rows: bool = False,
    by_bits: bool = False,
    doc: str = "",
    domain: tuple[float, float] = (-4.0, 4.0),
    tolerance: float | None = None,
    reason: str = "",
) -> Op:
    """Register an elementwise op with broadcasting. Operands from `typed_from` on have one dtype.

    Args:
        takes: Dtypes of those operands; the operands before are bool.
        gives: Dtype of the output, or a function of the operands' dtype. Default: that dtype.
        public: Names under `tf`, separated by spaces. Default: `name` and `math.name`.
        defaults: Attributes of the public function, with their defaults.
        holomorphic: See :func:`~tfpy._src.compiler.ops.rules.rule_of`.
        domain: Range from which tests draw values.
    """
    takes = frozenset(takes)

    def infer_aval(*avals: Aval, **attrs: Any) -> Aval:
        for condition in avals[:typed_from]:
            infer.check_dtype(name, condition, BOOL, "condition")
        operands = avals[typed_from:]
        infer.check_same_dtype(name, operands)
        infer.check_dtype(name, operands[0], takes)
        shape = infer.broadcast_shapes(name, *(a.shape for a in avals))
        dtype = operands[0].dtype
        return Aval(shape, gives(dtype) if callable(gives) else gives or dtype)

    defaults = defaults or {}
    samples = elementwise_samples(len(params), takes, domain, typed_from, (defaults,))
    back = vjp and rule_of(vjp, holomorphic=holomorphic, broadcasts=len(params) > 1)
    return register(
        Op(
            name,
            "elementwise",
            infer_aval,
            ref,
            back,
            expr,
            typed_from=typed_from,
            only=next(iter(takes)) if len(takes) == 1 else None,
            params=params,
            public=tuple((f"{name} math.{name}" if public is None else public).split()),
            defaults=defaults,
            doc=doc,
            samples=samples,
            by_bits=by_bits,
            tolerance=tolerance,
            reason=reason,
            laws=laws or Laws(),
            by_rows=by_rows,
        )
    )


def float_unary(name: str, ref: Any, vjp: Vjp | None, **facts: Any) -> Op:
    """Register a float function. Default of `expr`: the expression with the op's own name."""
    expr = facts.pop("expr", lambda x: ex.unary(name, x))
    return elementwise(name, ref, expr, vjp, **facts)


def binary(name: str, ref: Any, expr: Any, vjp: Vjp | None = None, **facts: Any) -> Op:
    return elementwise(name, ref, expr, vjp, **({"params": ("x", "y")} | facts))


def compare(name: str, ref: Any, expr: Any, **facts: Any) -> Op:
    """Register a comparison or a logical op. Its result is bool, which is exact."""
    facts = {"takes": REAL, "domain": (-2.0, 2.0)} | facts
    facts["laws"] = replace(facts.get("laws", Laws()), exact=True)
    return binary(name, ref, expr, gives=dtypes.bool, **facts)


def activation(name: str, ref: Any, expr: Any, vjp: Vjp | None, **facts: Any) -> Op:
    facts = {"params": ("features",), "public": f"nn.{name}"} | facts
    return elementwise(name, ref, expr, vjp, takes=FLOAT, **facts)


def unary(op: str) -> Callable[[Expr], Expr]:
    return lambda x: ex.unary(op, x)
