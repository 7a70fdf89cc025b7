"""Execution of scalar expressions in the wasm runtime."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.strides import broadcast_view, collapse
from tfpy._src.compiler.lower.program import Kernel, Program
from tfpy._src.compiler.lower.wasm.lowering import assemble

from .node_runtime import Array, NodeRuntime


def inputs_of(arrays: Sequence[Array]) -> list[ex.Expr]:
    return [ex.input_(i, as_dtype(a.dtype)) for i, a in enumerate(arrays)]


def expression_program(root: ex.Expr, arrays: Sequence[Array]) -> Program:
    """Return a Program of one elementwise kernel over broadcast arrays."""
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    program = Program("wasm")
    program.inputs = [program.add_buffer(a.shape, as_dtype(a.dtype)) for a in arrays]
    program.outputs = [program.add_buffer(shape, root.dtype)]
    dims, strides = collapse(shape, [broadcast_view(a.shape, shape) for a in arrays])
    params = {"dims": dims, "strides": strides, **assemble(root, len(arrays))}
    names = tuple(f"x{i}" for i in range(len(arrays)))
    program.add_step(Kernel("elementwise", names), program.inputs, program.outputs, params)
    return program


def run_expression(runtime: NodeRuntime, root: ex.Expr, *arrays: Array) -> Array:
    return runtime.run_program(expression_program(root, arrays), arrays)[0]


def run_unary(runtime: NodeRuntime, op: str, x: Array) -> Array:
    return run_expression(runtime, ex.unary(op, ex.input_(0, as_dtype(x.dtype))), x)


def run_binary(runtime: NodeRuntime, op: str, x: Array, y: Array) -> Array:
    return run_expression(runtime, ex.binary(op, *inputs_of([x, y])), x, y)


def output_aval(root: ex.Expr, arrays: Sequence[Array]) -> Aval:
    return Aval(np.broadcast_shapes(*(a.shape for a in arrays)), root.dtype)
