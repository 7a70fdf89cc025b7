"""The lowering of a Graph to a Program of the wasm runtime (`csrc/xnnpack_glue`).

A named kernel is passed on unchanged. An expression becomes bytecode for the runtime's block
interpreter. Its `params` are

- `dims`, `strides`: the index space (see :func:`tfpy._src.compiler.ir.strides.collapse`).
- `offsets`: the element of each input that the first output reads, if one of them is not 0.
- `constants`: 32-bit patterns, as signed integers.
- `registers`: number of registers: first the inputs, then the constants, then temporaries.
- `code`: instructions `[name, result register, operand registers...]`. The last one computes the
  result. A bool is 0 or -1 in a register.
"""

from __future__ import annotations

import functools
import heapq
from collections.abc import Collection, Mapping, Sequence

from tfpy._src.base.dtypes import DEVICE_DTYPES, DType, int8
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.kernel import KernelCall, Param, float_bits
from tfpy._src.compiler.ir.strides import collapse
from tfpy._src.compiler.lower.buffers import assign_buffers
from tfpy._src.compiler.lower.calls import Elementwise
from tfpy._src.compiler.lower.donation_plan import update_in_place, update_spent
from tfpy._src.compiler.lower.memory import plan
from tfpy._src.compiler.lower.program import Kernel, Program
from tfpy._src.compiler.lower.wasm.target import with_parameters


def lower(graph: Graph, donated: Collection[int] = (), spent: bool = False) -> Program:
    """Return the wasm Program of a Graph.

    Args:
        donated: Positions of inputs that may be donated to a run. Then the Graph must not have
            complex values.
        spent: True if nothing reads donated inputs after a run that failed.

    Raises:
        ValueError: If a value has a dtype that devices do not store.
    """
    program, tasks = assign_buffers(graph, "wasm", DEVICE_DTYPES | {int8})
    for call, inputs, output in tasks:
        if isinstance(call, Elementwise):
            add_elementwise(program, call, inputs, output)
        else:
            add_kernel(program, with_parameters(call), inputs, output)
    if donated:
        buffers = [program.inputs[i] for i in donated]
        update_in_place(program, buffers)
        if spent:
            update_spent(program, buffers)
    else:
        write_outputs_early(program)
    program.arena = plan(program).arena
    return program


def write_outputs_early(program: Program) -> None:
    """Move each step that writes an output directly behind the steps that it depends on.

    Outputs are not in the arena, so temporaries that only such steps read are needed for less time.
    """
    outputs = {*program.outputs}
    made: dict[int, int] = {}
    keys: list[tuple[int, bool]] = []
    for number, step in enumerate(program.steps):
        last = max((made.get(buffer, -1) for buffer in step.inputs), default=-1)
        early = outputs.issuperset(step.outputs)
        keys.append((last, True) if early else (number, False))
        made.update(dict.fromkeys(step.outputs, keys[-1][0]))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    program.steps = [program.steps[number] for number in order]


def add_elementwise(
    program: Program, call: Elementwise, inputs: Sequence[int], output: int
) -> None:
    """Add the step of an expression, which is assembled into bytecode."""
    dims, strides = collapse(call.out.shape, call.views)
    names = tuple(f"x{i}" for i in range(len(inputs)))
    params = {"dims": dims, "strides": strides, **assemble(call.root, len(names))}
    if any(view.offset for view in call.views):
        params["offsets"] = [view.offset for view in call.views]
    program.add_step(Kernel("elementwise", names), inputs, [output], params)


def add_kernel(program: Program, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the step of a named kernel, which is passed on unchanged."""
    program.add_step(Kernel(call.name, call.inputs), inputs, [output], call.params)


_SUFFIX = {ex.F: "f32", ex.I: "i32", ex.U: "u32", ex.B: "u32"}
_SAME_FOR_INTEGERS = ("neg", "add", "sub", "mul", "eq", "ne")
_BY_TYPE = {*ex.UNARY_NUMERIC, *ex.BINARY_NUMERIC, *ex.COMPARE, "shr"}
_BY_NAME = {
    *ex.UNARY_FLOAT,
    *ex.BINARY_FLOAT,
    *ex.BINARY_INT,
    *ex.BITWISE,
    *("shl", "not", "isnan", "mulhi", "select"),
}
_CASTS = {
    (ex.F, ex.I): "f32_to_i32",
    (ex.F, ex.U): "f32_to_u32",
    (ex.I, ex.F): "i32_to_f32",
    (ex.U, ex.F): "u32_to_f32",
    (ex.B, ex.I): "mask_to_i32",
    (ex.B, ex.U): "mask_to_i32",
    (ex.B, ex.F): "mask_to_f32",
}
_MOVES = {(ex.I, ex.U), (ex.U, ex.I)}


def instruction_name(op: str, operand: DType, result: DType) -> str | None:
    """Return the interpreter's name of a scalar operation, or None if the bits do not change.

    Raises:
        KeyError: If the operation does not compute anything, like inputs and constants.
    """
    if op == "bitcast" or (op == "cast" and (operand, result) in _MOVES):
        return None
    if op == "cast":
        return _CASTS[operand, result]
    if op in _BY_TYPE:
        suffix = _SUFFIX[operand]
        return f"{op}.i32" if suffix == "u32" and op in _SAME_FOR_INTEGERS else f"{op}.{suffix}"
    if op == "quotient":
        return "div"
    if op in _BY_NAME:
        return op
    raise KeyError(op)


@functools.lru_cache(maxsize=256)  # fusions of the same body have the same expression
def assemble(root: ex.Expr, inputs: int) -> Mapping[str, Param]:
    """Return the bytecode of an expression over a number of inputs. Registers are reused."""
    instructions, (result,) = ex.linearize(root)
    source = _sources(instructions)
    constants = sorted({_bits(one) for one in instructions if one.op == "const"})
    last_use = {source[a]: number for number, one in enumerate(instructions) for a in one.args}
    last_use[source[result]] = len(instructions)
    registers: dict[int, int] = {}
    first_temporary = count = inputs + len(constants)
    free: list[int] = []
    code: list[list[str | int]] = []
    for number, instruction in enumerate(instructions):
        if instruction.op == "input":
            assert isinstance(instruction.value, int)
            registers[number] = instruction.value
        elif instruction.op == "const":
            registers[number] = inputs + constants.index(_bits(instruction))
        elif source[number] == number:
            name, args = _instruction(instructions, instruction)
            operands = [registers[source[a]] for a in args]
            for value in {source[a] for a in instruction.args}:
                if last_use[value] == number and registers[value] >= first_temporary:
                    heapq.heappush(free, registers[value])
            if free:
                registers[number] = heapq.heappop(free)
            else:
                registers[number], count = count, count + 1
            code.append([name, registers[number], *operands])
    if registers[source[result]] < first_temporary:
        code.append(["copy", count, registers[source[result]]])
        count += 1
    return {"constants": constants, "registers": count, "code": code}


def _instruction(
    instructions: Sequence[ex.Instruction], instruction: ex.Instruction
) -> tuple[str, tuple[int, ...]]:
    """Return the name of an instruction's operation, and its operands in order."""
    op, args, dtype = instruction.op, instruction.args, instruction.dtype
    if op == "index":
        return "index", ()
    name = instruction_name(op, instructions[args[-1]].dtype, dtype)
    assert name is not None
    if op in ("min", "max") and dtype == ex.F:
        for first, second in (args, args[::-1]):
            if _is_number(instructions[second]):
                return f"{op}_number.f32", (first, second)
    return name, args


def _is_number(instruction: ex.Instruction) -> bool:
    return instruction.op == "const" and instruction.value == instruction.value


def _sources(instructions: Sequence[ex.Instruction]) -> list[int]:
    """Return for each instruction the instruction with its register.

    An instruction that only moves bits shares the register of its operand.
    """
    source: list[int] = []
    for number, instruction in enumerate(instructions):
        op, args, dtype = instruction.op, instruction.args, instruction.dtype
        moves = args and instruction_name(op, instructions[args[-1]].dtype, dtype) is None
        source.append(source[args[0]] if moves else number)
    return source


def _bits(instruction: ex.Instruction) -> int:
    """Return a constant's 32-bit pattern as a signed integer."""
    assert instruction.value is not None
    if instruction.dtype == ex.B:
        return -int(instruction.value)
    if instruction.dtype == ex.F:
        return float_bits(float(instruction.value))
    return (int(instruction.value) + 2**31) % 2**32 - 2**31
