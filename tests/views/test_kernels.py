"""Compiled functions in notebooks: their signatures, and diagrams of their kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.backends import registry
from tfpy._src.backends.cpu import CpuBackend
from tfpy._src.backends.interface import Compiled
from tfpy._src.compiler.lower import wasm, webgpu
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.functions.tf_function import diagrams

SVG = "{http://www.w3.org/2000/svg}"


def boxes(lowered: Any) -> list[list[str]]:
    root = ElementTree.fromstring(lowered.to_svg())
    return [(group.text or "").split("\n") for group in root.iter(f"{SVG}title")]


def titles(lowered: Any) -> list[str]:
    return sorted(box[0] for box in boxes(lowered))


def arrows(lowered: Any) -> int:
    root = ElementTree.fromstring(lowered.to_svg())
    return len([p for p in root.iter(f"{SVG}path") if p.attrib.get("fill") == "none"])


def lowered_html(shown: Any) -> str:
    return "".join(ElementTree.fromstring(shown._repr_html_()).itertext())


class Wasm(CpuBackend):
    """A backend with wasm's lowering that cannot run."""

    name = "wasm"
    target = WasmTarget()
    on_host = False
    splits_complex = True

    def lower(self, graph: Any, donated: Any = (), spent: bool = False) -> Compiled:
        return Compiled(graph, wasm.lower(graph, donated, spent))

    def register(self, compiled: Compiled) -> int:
        raise AssertionError("nothing is compiled to be shown")


class WebGPU(Wasm):
    """A backend with WebGPU's lowering that cannot run."""

    name = "webgpu"
    target = webgpu.WebGPUTarget(7, False)  # type: ignore[assignment]

    def lower(self, graph: Any, donated: Any = (), spent: bool = False) -> Compiled:
        return Compiled(graph, webgpu.lower(graph, donated, spent))


@pytest.fixture(params=[Wasm, WebGPU])
def device(request: pytest.FixtureRequest) -> Iterator[None]:
    with registry.running_on(request.param()):
        yield


@tf.function
def dense(x: tf.Tensor) -> Any:
    return tf.nn.relu(x @ WEIGHTS + BIAS), tf.reshape(x, [-1])


SPEC = tf.TensorSpec([4, 3])
with registry.on_host():
    WEIGHTS = tf.Variable(np.ones((3, 2), np.float32), name="weights")
    BIAS = tf.Variable(np.ones(2, np.float32), name="bias")


def test_kernels_of_numpy() -> None:
    lowered = dense.lower(SPEC)
    assert titles(lowered) == [
        *("add", "bias:0", "matmul", "relu", "result 0", "result 1", "weights:0", "x"),
    ]
    assert ["matmul", "float32[4,2], 32 bytes"] in boxes(lowered)
    assert ["result 1", "float32[12], 48 bytes"] in boxes(lowered)
    assert arrows(lowered) == 7
    assert lowered_html(lowered).startswith("dense 3 kernels · cpu")


def test_fused_kernels(device: None) -> None:
    lowered = dense.lower(SPEC)
    assert titles(lowered) == [
        *("bias:0", "matmul+add+relu", "result 0", "result 1", "weights:0", "x"),
    ]
    fused = ["matmul+add+relu", "kernel matmul", "float32[4,2], 32 bytes"]
    assert fused in boxes(lowered)
    assert arrows(lowered) == 5


def test_parts_of_device_and_host(device: None) -> None:
    """Show a prelude, complex numbers as two values each, and parts on the host."""

    @tf.function
    def function(x: tf.Tensor) -> Any:
        wave = tf.signal.fft(tf.complex(x * tf.exp(WEIGHTS[:, 0]), x))
        text = tf.strings.as_string(tf.abs(wave))
        return tf.strings.length(text) + 1, wave

    lowered = function.lower(SPEC)
    assert titles(lowered) == [
        *("abs", "add", "as_string", "complex", "complex", "dft", "multiply", "result 0"),
        *("result 1", "strided_slice", "strided_slice", "strided_slice+reshape+exp"),
        *("string_length", "weights:0", "x"),
    ]
    assert arrows(lowered) == 16
    html = lowered_html(lowered)
    assert "dashed: again only when a weight has changed" in html
    assert "orange: by NumPy or Python on the host" in html


def test_results_that_need_no_kernel() -> None:
    @tf.function
    def function(x: tf.Tensor) -> Any:
        BIAS.assign(BIAS)
        return x, tf.constant(np.ones((2, 2), np.float32)), x * 2.0

    lowered = function.lower(tf.zeros([3]))
    assert titles(lowered) == [
        *("bias:0", "bias:0 assigned", "multiply", "result 0", "result 1", "result 2", "x"),
    ]


def test_constants() -> None:
    @tf.function
    def function(x: tf.Tensor) -> Any:
        return x * tf.constant([1.0, 2.0, 3.0]) + 1.0

    lowered = function.lower(tf.TensorSpec([3]))
    assert titles(lowered) == ["add", "constant", "multiply", "result", "x"]
    assert ["constant", "12 bytes"] in boxes(lowered)
    assert arrows(lowered) == 4


def test_very_many_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagrams, "_MOST", 5)

    @tf.function
    def function(x: tf.Tensor) -> tf.Tensor:
        for n in range(20):
            x = tf.sin(x) * float(n)
        return x

    lowered = function.lower(tf.constant([1.0]))
    assert len(boxes(lowered)) == 7, "x, five kernels and the result"
    assert "the first 5 kernels of 39; as_text()" in lowered_html(lowered)


def test_shown_in_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    lowered = dense.lower(SPEC)
    lowered.show()
    assert capsys.readouterr().out == f"{lowered.as_text()}\n"
    assert str(lowered) == lowered.as_text()


def test_functions() -> None:
    @tf.function
    def scale(x: tf.Tensor, by: Any = 2.0, on: str = "<axis>") -> Any:
        return x * by

    assert "not traced yet" in lowered_html(scale)
    scale(tf.zeros([2]))
    scale(tf.zeros([3]), tf.constant(1.0))
    scale.get_concrete_function(tf.TensorSpec([5]))
    rows = [
        ["".join(cell.itertext()) for cell in row]
        for row in ElementTree.fromstring(scale._repr_html_()).iter("tr")
    ]
    assert rows[1:] == [
        ["(x: float32[2], by=2.0, on='<axis>') → float32[2]", "cpu", "1", "4", ""],
        ["(x: float32[3], by: float32[], on='<axis>') → float32[3]", "cpu", "1", "0", ""],
        ["(x: float32[5], by=2.0, on='<axis>') → float32[5]", "not compiled yet", "", "", ""],
    ]


def test_programs_of_functions(device: None) -> None:
    dense.lower(SPEC)
    rows = [*ElementTree.fromstring(dense._repr_html_()).iter("tr")]
    cells = [cell.text for cell in rows[-1]]
    assert cells[:1] + cells[2:4] == [
        "(x: float32[4,3]) → float32[4,2], float32[12]", "1", "0"
    ]  # fmt: skip
