"""The WebGL2 runtime alone: variants that small op tests do not reach, errors, context loss.

The page imports ``web/webgl/webgl.mjs`` without Pyodide. Programs are lowered in the test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from e2e.module_page import Evaluate
from e2e.webgl_page import CLEAN, call_of, equation, matmul_call
from tfpy._src.base.dtypes import float32
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.shaders import kernels as shader_kernels
from tfpy._src.compiler.lower.webgl import lower


def tanh_program() -> Program:
    return lower(equation("tanh", [np.zeros(5, np.float32)]))


def test_order_with_nan(evaluate: Evaluate) -> None:
    """Check that argsort puts NaN above all numbers and that argmax and argmin skip NaN."""
    x = np.array([3, np.nan, 1, -np.inf, np.inf, np.nan, 0, 1, 3], np.float32)
    late = np.array([np.nan] * 600 + [1.0] + [np.nan] * 3, np.float32)
    cases = [("argsort", x, {"k": 9, "descending": d}) for d in (False, True)]
    cases += [(f, v, {"axis": 0}) for f in ("argmax", "argmin") for v in (x, x[1:2], late)]
    calls = [call_of(lower(equation(name, [v], **attrs)), [v]) for name, v, attrs in cases]
    found = evaluate("results", {}, calls)
    for values, (name, v, attrs) in zip(found["values"], cases, strict=True):
        assert values == np.ravel(OPS[name].ref(v, **attrs)).tolist()


def test_scatters_and_sorts_in_many_steps(
    evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(shader_kernels, "LONGEST_SEARCH", 8)
    ids = rng.integers(-1, 4, 50).astype(np.int32)
    for width in (3, 4):
        x, updates = (rng.integers(-9, 9, (n, width)).astype(np.int32) for n in (4, 50))
        names = ["scatter_update", "scatter_prod", "scatter_max", "scatter_min"]
        calls = [call_of(lower(equation(n, [x, ids, updates])), [x, ids, updates]) for n in names]
        found = evaluate("results", {}, calls)
        assert found["left"] == CLEAN
        for name, values in zip(names, found["values"], strict=True):
            assert values == OPS[name].ref(x, ids, updates).ravel().tolist()
    keys = rng.integers(0, 50, (2, 3001)).astype(np.int32)
    attrs = {"k": 3001, "descending": True}
    found = evaluate("results", {}, [call_of(lower(equation("argsort", [keys], **attrs)), [keys])])
    assert found["values"][0] == OPS["argsort"].ref(keys, **attrs).ravel().tolist()


@pytest.mark.parametrize("width", [1, 3, 4])
@pytest.mark.parametrize(("count", "segments"), [(5000, 3000), (4099, 7), (2500, 9000), (3000, 1)])
def test_segments_by_sorted_ids(
    evaluate: Evaluate,
    monkeypatch: pytest.MonkeyPatch,
    rng: np.random.Generator,
    count: int,
    segments: int,
    width: int,
) -> None:
    """Cover thousands of ids and outputs, long and empty segments, and ids without a segment."""
    monkeypatch.setattr(shader_kernels, "STEP_COST", -(10**9))
    ids = rng.integers(-2, segments, count).astype(np.int32)
    ids[: count // 5] = segments // 2
    data = rng.integers(-9, 9, (count, width)).astype(np.int32)
    x = rng.integers(-9, 9, (segments, width)).astype(np.int32)
    cases = [("segment_sum", [data, ids], {"segments": segments})]
    cases += [(f"scatter_{kind}", [x, ids, data], {}) for kind in ("update", "prod", "max", "min")]
    programs = [lower(equation(name, arrays, **attrs)) for name, arrays, attrs in cases]
    for program in programs:
        assert "segment_runs" in {kernel.name for kernel in program.kernels}
    found = evaluate(
        "results", {}, [call_of(p, a) for p, (_, a, _) in zip(programs, cases, strict=True)]
    )
    assert found["left"] == CLEAN
    for values, (name, arrays, attrs) in zip(found["values"], cases, strict=True):
        assert values == OPS[name].ref(*arrays, **attrs).ravel().tolist(), name


def test_float16_textures_round_to_nearest_even(
    evaluate: Evaluate, rng: np.random.Generator
) -> None:
    # The reciprocal of the uploaded values, because the software rasterizer stores infinity as NaN.
    limits = [1 + 2**-11, 1 + 3 * 2**-11, 65504.0, 65519.0, 65520.0, -1e30]
    powers = np.ldexp(1.0, np.arange(-13, 15))
    x = np.array([*limits, *rng.normal(size=58), *powers], np.float32)
    call = call_of(lower(equation("reciprocal", [x])), [x])
    found = evaluate("results", {"float32": False}, [call])
    assert found["variant"] == "webgl2-float16"
    with np.errstate(over="ignore"):
        expected = 1 / x.astype(np.float16).astype(np.float64)
    np.testing.assert_allclose(found["values"][0], expected, rtol=2**-11, atol=2**-24)


def chain(length: int) -> Program:
    """Return a Program that applies the same kernel `length` times in sequence."""
    program = tanh_program()
    (kernel,) = program.kernels
    for _ in range(length - 1):
        (last,) = program.outputs
        program.outputs = [program.add_buffer((5,), float32)]
        program.add_step(kernel, [last], program.outputs, {})
    return program


def test_second_run_changes_only_what_differs(evaluate: Evaluate) -> None:
    x = np.linspace(-1, 1, 5, dtype=np.float32)
    once = ["useProgram", "viewport"]
    made = ["createTexture", "createFramebuffer", "createBuffer", "activeTexture"]
    each = ["bindFramebuffer", "bindTexture", "bindBufferRange", "drawArrays"]
    counts = evaluate("callsOfSecondRun", call_of(chain(20), [x]), [*once, *made, *each])
    assert [counts[name] for name in [*once, *made]] == [0] * 6
    assert [counts[name] for name in each] == [20] * 4


def test_a_donated_input(evaluate: Evaluate) -> None:
    """Check that the output gets a donated input's texture after all steps that read it."""
    w, g = (np.linspace(a, 2, 4000, dtype=np.float32) for a in (-1, -2))
    graph = Graph()
    values = [graph.add_input(Aval(w.shape, float32)) for _ in range(2)]
    product = graph.add_eqn(OPS["multiply"], [graph.add_eqn(OPS["square"], values[:1], ()), 1], ())
    graph.outputs = [graph.add_eqn(OPS["negative"], [product], ())]
    program = lower(graph, [0, 1])
    assert program.donations == {program.outputs[0]: program.inputs[0]}
    found = evaluate("donatedInput", call_of(program, [w, g]))
    kept, donated, second = found["values"]
    np.testing.assert_allclose(kept, -w * w * g, rtol=1e-6, atol=1e-6)
    assert (donated, second) == (kept, g.tolist())
    *twice, failure = found["refused"]
    assert [text.endswith("is donated and used elsewhere") for text in twice] == [True] * 3
    assert failure == "no drawing"
    assert found["gone"].startswith("webgl: there is no slot")
    before, failed, after, left = found["memory"]
    assert (failed["slots"], failed["bytes"]) == (before["slots"], before["bytes"])
    assert (after["slots"], after["bytes"]) == (before["slots"], before["bytes"])
    assert after["textures"] == failed["textures"]
    assert (left["slots"], left["bytes"]) == (0, 0)
    assert left["textures"] == left["freeTextures"]


def test_registered_without_blocking(evaluate: Evaluate) -> None:
    rng = np.random.default_rng(0)
    call, expected, _ = matmul_call(rng, 1, 64, 64, 65, "false", "false", np.float32, 8)
    found = evaluate("registeredAsync", call)
    assert found["heard"] == [[0, 2], [1, 2], [2, 2]]
    assert found["values"] == expected.ravel().tolist()


def broken(change: Callable[[dict[str, Any]], None]) -> str:
    """Return the JSON of the tanh Program after a change of its document."""
    document = json.loads(tanh_program().to_json())
    change(document)
    return json.dumps(document)


def add_constant(document: dict[str, Any], offset: int) -> None:
    document["buffers"].append({"dtype": "float32", "shape": [4], "layers": 1})
    document["constants"].append({"buffer": len(document["buffers"]) - 1, "offset": offset})


def donate(*pairs: list[int]) -> Callable[[dict[str, Any]], None]:
    """Return a change that adds donations and a last step with another output of half the size."""

    def change(document: dict[str, Any]) -> None:
        document["buffers"] += [
            {"dtype": "float32", "shape": [5], "layers": 1},
            {"dtype": "float32", "shape": [4], "layers": 1},
        ]
        document["steps"] += [{**document["steps"][0], "inputs": [1], "outputs": [2]}]
        document["inputs"].append(3)
        document["outputs"] = [1, 2]
        document["donations"] = list(pairs)

    return change


def chunks_of(**sizes: int) -> Callable[[dict[str, Any]], None]:
    """Return a change that draws the step in chunks, with an input large enough for them."""

    def change(document: dict[str, Any]) -> None:
        chunks = {"count": 1, "nbytes": 256, "width": 1, "height": 1} | sizes
        document["buffers"][0]["shape"] = [64]
        document["steps"][0]["chunks"] = chunks

    return change


def misspell(document: dict[str, Any]) -> None:
    kernel = document["kernels"][0]
    kernel["source"] = kernel["source"].replace("return v1;", "return v7;")


REFUSED: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda d: d.update(version=9), "program: version 9, this runtime reads 1"),
    (lambda d: d.update(backend="wasm"), "program: made for backend wasm"),
    (lambda d: d["steps"][0].update(inputs=[7]), "program: step 0 reads buffer 7 before"),
    (lambda d: d["steps"][0].update(outputs=[0]), "program: step 0 writes buffer 0 a second time"),
    (lambda d: d["steps"][0].update(kernel=3), "program: step 0 names kernel 3"),
    (lambda d: d["steps"][0].update(inputs=[0, 0]), "program: step 0 (elementwise) has too few"),
    (lambda d: d.update(outputs=[0]), "program: no step writes output buffer 0"),
    (lambda d: d.update(outputs=[1, 1]), "program: an output appears twice"),
    (lambda d: d["buffers"][0].update(shape=[-1]), "program: buffer shape [-1]"),
    (lambda d: d["buffers"][0].update(dtype="int8"), "program: int8, which webgl does not have"),
    (lambda d: d["buffers"][0].update(layers=9), "program: buffer of 9 layers"),
    (lambda d: d["buffers"][0].update(layers=4), "program: buffer shape [5] of 4 layers"),
    (
        lambda d: d["buffers"][0].update(layers=5),
        "program: buffer 0, an input or output, has 5 layers",
    ),
    (lambda d: d["steps"][0].update(outputs=[]), "program: step 0 (elementwise) has 0 outputs"),
    (lambda d: d["buffers"][0].update(shape=[2**14, 2**14, 4]), "webgl: 1073741824 elements do"),
    (lambda d: add_constant(d, 16), "program: constant 2 lies outside the data"),
    (lambda d: add_constant(d, -4), "program: constant 2 lies outside the data"),
    (donate([1, 0]), "program: step 0 would overwrite output buffer 1 and input buffer 0"),
    (donate([2, 0], [2, 3]), "program: a buffer is in two donations"),
    (donate([2, 0], [1, 0]), "program: a buffer is in two donations"),
    (donate([2, 1]), "program: output buffer 2 and input buffer 1 do not exist"),
    (donate([0, 2]), "program: output buffer 0 and input buffer 2 do not exist"),
    (donate([9, 0]), "program: output buffer 9 and input buffer 0 do not exist"),
    (donate([2, 3]), "program: output buffer 2 and input buffer 3 differ in size"),
    (lambda d: d["buffers"][0].update(line=3), "program: buffer with lines of 3 texels"),
    (chunks_of(), "program: kernel elementwise and its step do not agree on chunks"),
    (chunks_of(width=0), "program: step 0 has chunks of sizes 1,256,0,1"),
    (chunks_of(nbytes=16), "program: step 0 has chunks of 16 bytes"),
    (chunks_of(count=2), "program: step 0 reads 2 chunks of [64]"),
    (lambda d: d.pop("buffers"), "program: the list buffers is missing"),
    (lambda d: d.update(steps={}), "program: the list steps is missing"),
    (lambda d: d["buffers"][0].pop("shape"), "program: buffer 0: the list shape is missing"),
    (lambda d: d["buffers"].append(None), "program: buffer 2: the list shape is missing"),
    (lambda d: d["kernels"][0].pop("inputs"), "program: kernel 0: the list inputs is missing"),
    (lambda d: d.update(constants=[3]), "program: constant 0 is not an object"),
    (lambda d: d["steps"][0].pop("outputs"), "program: step 0: the list outputs is missing"),
    (lambda d: d["steps"][0].pop("params"), "program: step 0 has no params"),
    (lambda d: d.update(donations=3), "program: the list donations is missing"),
    (lambda d: d.update(donations=[[1]]), "program: an entry of donations is not a pair"),
    (misspell, "WebGL2 kernel elementwise of a program does not compile; other kernels still work"),
]


def test_malformed_programs_are_refused(evaluate: Evaluate) -> None:
    found = evaluate("refusals", [broken(change) for change, _ in REFUSED])
    assert evaluate("refusals", ["{", "null"])["messages"] == [
        "program: the text is not JSON (SyntaxError: Expected property name or '}' in JSON at "
        "position 1 (line 1 column 2))",
        "program: the text is not an object",
    ]
    assert (found["kept"], found["textures"]) == (0, 0)
    for message, (_, expected) in zip(found["messages"], REFUSED, strict=True):
        assert message is not None
        assert message.startswith(expected)
    assert "\nline " in found["messages"][-1]
    assert "return v7;" in found["messages"][-1]


@pytest.mark.usefixtures("small_bands")
@pytest.mark.parametrize("in_chunks", [False, True])
def test_lost_context_is_an_error(
    evaluate: Evaluate, rng: np.random.Generator, in_chunks: bool
) -> None:
    call = call_of(tanh_program(), [np.zeros(5, np.float32)])
    if in_chunks:
        call, *_ = matmul_call(rng, 1, 16, 8, 8, "false", "false", np.float32, 8, 1 << 14)
    found = evaluate("afterLoss", call)
    assert len(found["said"]) == 5
    assert all("context lost" in text for text in found["said"])
    assert found["freed"] is None


def test_no_memory_is_an_error_and_never_a_wrong_value(evaluate: Evaluate) -> None:
    """Check that each failure is reported and that valid values stay valid.

    Work continues with more memory.
    """
    x = np.linspace(-2, 2, 2**18, dtype=np.float32)  # large enough for an early check
    program = lower(equation("square", [x]))
    found = evaluate("outOfMemory", call_of(program, [x]))
    allocating, computing, *lost, reading = found["said"]
    wanted = "ResourceExhaustedError: webgl: out of memory"
    assert re.fullmatch(rf"{wanted}: \d+ bytes wanted, \d+ in use", allocating)
    assert re.fullmatch(rf"{wanted} while computing, \d+ bytes in use; the results .*", computing)
    for said in lost:
        assert said.startswith("ResourceExhaustedError: webgl: the value is lost")
    assert re.fullmatch(rf"{wanted}: \d+ bytes wanted, \d+ in use", reading)
    for values in found["values"]:
        np.testing.assert_allclose(values, (x * x)[::1000], rtol=1e-6)
    failed, left = found["failed"], found["left"]
    assert (failed["slots"], failed["allocatedBytes"]) == (1, x.nbytes)
    assert found["small"] == ["ResourceExhaustedError", 4.0]
    assert (left["slots"], left["bytes"], left["textures"]) == (0, 0, left["freeTextures"])
