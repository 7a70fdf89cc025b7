"""Invalid Programs are rejected with a message, and slots and programs have correct lifetimes."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.memory import plan
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.wasm.lowering import add_kernel

from .expressions import expression_program, inputs_of
from .node_process import RuntimeFailed
from .node_runtime import NodeRuntime

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def valid() -> dict[str, Any]:
    """Return a Program of two steps and a constant: relu(x + b) transposed."""
    a, b = inputs_of([X, X[0]])
    program = expression_program(ex.maximum(a + b, 0.0), [X, X[0]])
    bias = program.inputs.pop()
    program.constants.append((bias, X[0].tobytes()))
    turned = program.add_buffer((3, 2), ex.F)
    dims, strides = [1, 1, 1, 1, 3, 2], [0, 0, 0, 0, 1, 3]
    call = KernelCall("strided", ("x",), {"dims": dims, "strides": strides, "offset": 0})
    add_kernel(program, call, program.outputs, turned)
    program.outputs = [turned]
    program.arena = plan(program).arena
    document: dict[str, Any] = json.loads(program.to_json())
    return document


Edit = Callable[[dict[str, Any]], Any]


def put(*path: Any) -> Edit:
    """Return an edit that sets the value at a path. The last argument is the value."""

    def edit(document: Any) -> None:
        *way, last, value = path
        for key in way:
            document = document[key]
        document[last] = value

    return edit


WRONG: dict[str, Edit] = {
    "no buffers": put("buffers", None),
    "buffer of unknown dtype": put("buffers", 0, "dtype", "float64"),
    "buffer with a negative dimension": put("buffers", 0, "shape", [-2, 3]),
    "buffer larger than the heap": put("buffers", 0, "shape", [2**31 - 1] * 9),
    "shape that is no list": put("buffers", 0, "shape", 6),
    "input index out of range": put("inputs", [99]),
    "negative input index": put("inputs", [-1]),
    "input that is a constant": put("inputs", [0, 1]),
    "constant outside the bytes": put("constants", 0, "offset", 2**20),
    "constant at an odd offset": put("constants", 0, "offset", 8),
    "constant of no buffer": put("constants", 0, "buffer", 7),
    "unknown kernel": put("kernels", 0, "name", "eval"),
    "kernel index out of range": put("steps", 0, "kernel", 9),
    "step that writes an input": put("steps", 0, "outputs", [0]),
    "step that reads the future": put("steps", 0, "inputs", [3, 1]),
    "step with two outputs": put("steps", 1, "outputs", [2, 3]),
    "step without params": put("steps", 0, "params", []),
    "output that is an input": put("outputs", [0]),
    "output given twice": put("outputs", [3, 3]),
    "unknown scalar operation": put("steps", 0, "params", "code", 0, 0, "system"),
    "instruction without registers": put("steps", 0, "params", "code", 0, ["add.f32"]),
    "instruction that reads register 99": put("steps", 0, "params", "code", 0, 2, 99),
    "instruction that reads a negative register": put("steps", 0, "params", "code", 0, 2, -1),
    "instruction that writes an input": put("steps", 0, "params", "code", 0, 1, 0),
    "no instructions": put("steps", 0, "params", "code", []),
    "too few registers": put("steps", 0, "params", "registers", 1),
    "registers without end": put("steps", 0, "params", "registers", 2**30),
    "dims larger than the output": put("steps", 0, "params", "dims", [3, 3]),
    "stride beyond the input": put("steps", 0, "params", "strides", [[3, 1], [1, 1]]),
    "stride that overflows": put("steps", 0, "params", "strides", [[2**31 - 1, 1], [0, 1]]),
    "negative stride": put("steps", 0, "params", "strides", [[3, 1], [0, -1]]),
    "offset that leaves an input": put("steps", 0, "params", "offsets", [1, 0]),
    "negative offset of an input": put("steps", 0, "params", "offsets", [-1, 0]),
    "offsets of a wrong length": put("steps", 0, "params", "offsets", [0]),
    "strides of a wrong length": put("steps", 0, "params", "strides", [[3, 1], [1]]),
    "param of a wrong type": put("steps", 1, "params", "offset", "0"),
    "param that is no integer": put("steps", 1, "params", "offset", 0.5),
    "param that is missing": lambda d: d["steps"][1]["params"].pop("offset"),
    "offset before the input": put("steps", 1, "params", "offset", -1),
    "offset behind the input": put("steps", 1, "params", "offset", 1),
    "dims of a wrong length": put("steps", 1, "params", "dims", [3, 2]),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str, runtime: NodeRuntime) -> None:
    document = valid()
    WRONG[name](document)
    before = runtime.call("memory")
    with pytest.raises(RuntimeFailed, match=r"^Error: wasm: "):
        runtime.register_text(json.dumps(document), X[0].tobytes())
    after = runtime.call("memory")
    assert {k: after[k] for k in ("slots", "bytes", "programs")} == {
        k: before[k] for k in ("slots", "bytes", "programs")
    }


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '{"buffers":[]}', "\0"])
def test_no_program(text: str, runtime: NodeRuntime) -> None:
    with pytest.raises(RuntimeFailed, match=r"^Error: wasm: program"):
        runtime.register_text(text)


def test_valid_one_runs(runtime: NodeRuntime) -> None:
    number = runtime.register_text(json.dumps(valid()), X[0].tobytes())
    slot = runtime.write(X - 3)
    out = runtime.call("run", program=number, slots=[slot])
    got = runtime.read(out, Aval((3, 2), ex.F))
    np.testing.assert_array_equal(got, np.maximum(X - 3 + X[0], 0).T)
    runtime.call("free", slots=[slot, out])
    runtime.call("release", program=number)


WINDOW = {
    **{"batch": 1, "in_h": 5, "in_w": 5, "out_h": 3, "out_w": 3, "filter_h": 3, "filter_w": 3},
    **{"stride_h": 1, "stride_w": 1, "dilation_h": 1, "dilation_w": 1},
    **{"pad_top": 0, "pad_bottom": 0, "pad_left": 0, "pad_right": 0},
}


@pytest.mark.parametrize(
    "change",
    [
        {"stride_h": 0},
        {"filter_h": 2**20},
        {"dilation_h": 2**20},
        {"pad_top": -1},
        {"out_h": 4},
        {"in_c": 8},
        {"groups": 3},
        {"groups": 0},
        {"batch": 2},
        {"batch": 2**31 - 1},
    ],
    ids=str,
)
def test_windows_are_checked(change: dict[str, int], runtime: NodeRuntime) -> None:
    program = Program("wasm")
    f = [program.add_buffer(s, ex.F) for s in ((1, 5, 5, 4), (3, 3, 4, 4), (1, 3, 3, 4))]
    program.inputs, program.outputs = f[:2], f[2:]
    params = {**WINDOW, "in_c": 4, "out_c": 4, "groups": 1}
    add_kernel(program, KernelCall("conv2d", ("x", "filter"), params), f[:2], f[2])
    good = json.loads(program.to_json())
    runtime.call("release", program=runtime.register_text(json.dumps(good)))
    bad = copy.deepcopy(good)
    bad["steps"][0]["params"].update(change)
    with pytest.raises(RuntimeFailed, match=r"^Error: wasm: program: step 0"):
        runtime.register_text(json.dumps(bad))


def test_wrong_calls(runtime: NodeRuntime) -> None:
    number = runtime.register_text(json.dumps(valid()), X[0].tobytes())
    good, short = runtime.write(X), runtime.write(X[0])
    other = runtime.write(X.astype(np.int32))
    for slots in ([], [good, good], [short], [other], [10**9], [-1]):
        with pytest.raises(RuntimeFailed, match=r"^Error: wasm: "):
            runtime.call("run", program=number, slots=slots)
    runtime.call("free", slots=[good, short, other])
    for command, args in (
        ("run", {"program": 10**9, "slots": []}),
        ("release", {"program": -5}),
        ("free", {"slots": [good]}),
        ("read", {"slot": good, "nbytes": 24}),
    ):
        with pytest.raises(RuntimeFailed, match=r"^Error: wasm: there is no "):
            runtime.call(command, **args)
    runtime.call("release", program=number)


def register_gibibyte(runtime: NodeRuntime) -> int:
    """Register a program that makes 2**28 float32 numbers from one."""
    program = expression_program(ex.input_(0, ex.F) * 2.0, [X])
    document = json.loads(program.to_json())
    document["buffers"] = [{"dtype": "float32", "shape": [n]} for n in (1, 2**28)]
    document["steps"][0]["params"].update(dims=[2**28], strides=[[0]])
    return runtime.register_text(json.dumps(document))


def test_full_heap_is_an_error(empty_runtime: NodeRuntime) -> None:
    """Allocate gibibytes until 4 GiB are full. Afterwards the runtime works as before."""
    number = register_gibibyte(empty_runtime)
    slot = empty_runtime.write(np.ones(1, np.float32))
    held = [empty_runtime.call("run", program=number, slots=[slot]) for _ in range(3)]
    with pytest.raises(RuntimeFailed, match="out of memory"):
        empty_runtime.call("run", program=number, slots=[slot])
    empty_runtime.call("free", slots=[slot, *held])
    empty_runtime.call("release", program=number)
    test_valid_one_runs(empty_runtime)
    assert empty_runtime.call("memory")["bytes"] == 0


def test_packed_filters_follow_their_slot(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    """Check that each filter slot is packed once.

    A new slot is never confused with an old one.
    """
    program = Program("wasm")
    f = [program.add_buffer(s, ex.F) for s in ((1, 5, 5, 4), (3, 3, 4, 4), (1, 3, 3, 4))]
    program.inputs, program.outputs = f[:2], f[2:]
    params = {**WINDOW, "in_c": 4, "out_c": 4, "groups": 1}
    add_kernel(program, KernelCall("conv2d", ("x", "filter"), params), f[:2], f[2])
    number = runtime.register(program)
    x = rng.standard_normal((1, 5, 5, 4)).astype(np.float32)
    filters = rng.standard_normal((9, 3, 3, 4, 4)).astype(np.float32)
    x_slot = runtime.write(x)
    patches = np.lib.stride_tricks.sliding_window_view(x[0], (3, 3), (0, 1))
    for repeat in range(2):
        slots = [runtime.write(w) for w in filters]
        for _ in range(2):
            for slot, w in zip(slots, filters, strict=True):
                out = runtime.call("run", program=number, slots=[x_slot, slot])
                got = runtime.read(out, Aval((3, 3, 4), ex.F))
                np.testing.assert_allclose(
                    got, np.einsum("hwcij,ijco->hwo", patches, w), 1e-4, 1e-4
                )
                runtime.call("free", slots=[out])
        runtime.call("free", slots=slots if repeat else slots[::-1])
    runtime.call("free", slots=[x_slot])
    runtime.call("release", program=number)


def donating(count: int) -> str:
    """Return a Program with outputs that overwrite its inputs, one by one."""
    numbers = range(count)
    params = {"dims": [1], "strides": [[1]], "offsets": [0], "constants": [], "registers": 2}
    step = {"kernel": 0, "params": {**params, "code": [["neg.f32", 1, 0]]}}
    document = {
        "version": 1,
        "backend": "wasm",
        "kernels": [{"name": "elementwise", "source": "", "inputs": ["x"]}],
        "buffers": [{"dtype": "float32", "shape": [1]}] * (2 * count),
        "constants": [],
        "inputs": [*numbers],
        "outputs": [count + i for i in numbers],
        "donations": [[count + i, i] for i in numbers],
        "steps": [{**step, "inputs": [i], "outputs": [count + i]} for i in numbers],
    }
    return json.dumps(document)


def test_donations_are_read_in_time_in_proportion_to_their_number(runtime: NodeRuntime):
    def seconds(count: int) -> float:
        text, found = donating(count), []
        for _ in range(2):
            began = time.perf_counter()
            program = runtime.register_text(text)
            found.append(time.perf_counter() - began)
            runtime.call("release", program=program)
        return min(found)

    few, many = seconds(5000), seconds(50_000)
    assert many < 25 * few, (few, many)  # about 10 times; 50 for a linear search
