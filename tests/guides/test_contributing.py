"""Tests of the examples of CONTRIBUTING.md, in processes whose tables the examples change."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from guides.documents import block

START = """
import sys
import numpy as np
import tfpy as tf
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.lower.program import verify
from tfpy._src.compiler.lower import wasm, webgl, webgpu
"""


def run(program: str, *texts: str) -> Sequence[str]:
    """Run a program with blocks of the page as arguments, and return the lines that it prints."""
    argv = [sys.executable, "-c", START + program, *texts]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_an_op() -> None:
    """Check that the op computes, has a gradient, and is lowered for each device."""
    program = """
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import single_equation
from tfpy._src.compiler.ops import OPS, activation
activation.np = np
exec(sys.argv[1], vars(activation))
op = OPS["squared_relu"]
x = tf.constant([-2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = op(x)
print(y.numpy().tolist(), tape.gradient(y, x).numpy().tolist())
for device in (wasm, webgl, webgpu):
    verify(device.lower(single_equation(op, [Aval((2,), tf.float32)], ())))
"""
    found = run(program, block("CONTRIBUTING.md", "py", "squared_relu = activation"))
    assert found == ["[0.0, 9.0] [0.0, 6.0]"]


def test_a_fused_kernel() -> None:
    """Check that the pass uses the kernel if a device has it, and that the shader is included."""
    program = """
from tfpy._src.compiler.lower import fused
from tfpy._src.compiler.lower.shaders import steps
from tfpy._src.compiler.lower.webgpu import groups
from tfpy._src.compiler.passes import pipeline
code = {}
exec(sys.argv[1], code)
share = tf.function(lambda x: x / tf.reduce_sum(x, -1, keepdims=True))
graph = share.get_concrete_function(tf.TensorSpec([3, 5])).traced.graph
assert code["fuse_row_share"](graph, webgpu.WebGPUTarget()) is graph
exec(sys.argv[3], vars(groups) | {"inputs_of": steps.inputs_of}, vars(groups))
fused.register(eval(sys.argv[2], vars(fused) | code))
original = steps.template
steps.template = lambda *names: sys.argv[4] if names[1] == "row_share" else original(*names)
entered = pipeline.Pass(code["fuse_row_share"], ("target",))
pipeline.STAGES = pipeline.STAGES | {"fuse": (entered, *pipeline.STAGES["fuse"])}
result = pipeline.optimize(graph, webgpu.WebGPUTarget())
x = np.arange(15, dtype=np.float32).reshape(3, 5)
np.testing.assert_allclose(evaluate(result, [x])[0], x / x.sum(-1, keepdims=True))
program = webgpu.lower(result)
verify(program)
print([kernel.name for kernel in program.kernels], sys.argv[4] in program.kernels[0].source)
"""
    found = run(
        program,
        block("CONTRIBUTING.md", "py", "def fuse_row_share"),
        block("CONTRIBUTING.md", "py", "FusedKernel("),
        block("CONTRIBUTING.md", "py", "def row_share"),
        block("CONTRIBUTING.md", "wgsl"),
    )
    assert found == ["['row_share'] True"]


def test_a_pass() -> None:
    program = """
code = {}
exec(sys.argv[1], code)
function = tf.function(lambda x: (x + 1.0) * (x + 1.0))
graph = code["square_products"](function.get_concrete_function(tf.TensorSpec([2])).traced.graph)
print(evaluate(graph, [np.array([1.0, 2.0], np.float32)])[0].tolist())
function = tf.function(lambda x: x * x)
graph = code["square_products"](function.get_concrete_function(tf.TensorSpec([2])).traced.graph)
print([eqn.op.name for eqn in graph.eqns])
assert code["square_products"](graph) is graph
"""
    found = run(program, block("CONTRIBUTING.md", "py", "square_products"))
    assert found == ["[4.0, 9.0]", "['square']"]


def test_a_format_that_is_read() -> None:
    """Check that the model computes and has gradients.

    Unknown operations and corrupt files are rejected.
    """
    program = """
code = {}
exec(sys.argv[1], code)
data = (
    b'{"inputs": ["x"], "outputs": ["y"], "weights": {"w": [[2.0], [-1.0]], "b": [0.5]},'
    b' "nodes": [["relu", "s", "y"], ["matmul", "x", "w", "h"], ["add", "h", "b", "s"]]}'
)
model = code["load_tiny"](data, True, None)
x = tf.constant([[3.0, 1.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
print(y.numpy().tolist(), tape.gradient(y, x).numpy().tolist(), len(model.trainable_variables))
for broken in (data.replace(b"relu", b"gelu"), data.replace(b'"relu"', b"1")):
    try:
        code["load_tiny"](broken, True, None)(x)
    except (tf.errors.UnimplementedError, ValueError) as error:
        print(type(error).__name__)
"""
    found = run(program, block("CONTRIBUTING.md", "py", "load_tiny"))
    assert found == ["[[5.5]] [[2.0, -1.0]] 2", "UnimplementedError", "ModelFileError"]


def test_a_primitive_in_a_format_that_is_written(tmp_path: Path) -> None:
    """Check that the written file has the nodes of the record and computes the same."""
    program = """
from tfpy._src.compiler.ops import OPS, activation
from tfpy._src.formats.onnx.writer import nodes
activation.np = np
exec(sys.argv[1], vars(activation))
exec(sys.argv[2], vars(nodes))
op = OPS["squared_relu"]
tf.save_onnx(lambda x: op(x), sys.argv[3], [tf.TensorSpec([2])])
print(tf.models.load(sys.argv[3])(tf.constant([-2.0, 3.0])).numpy().tolist())
"""
    found = run(
        program,
        block("CONTRIBUTING.md", "py", "squared_relu = activation"),
        block("CONTRIBUTING.md", "py", "def _squared_relu"),
        str(tmp_path / "squared.onnx"),
    )
    assert found == ["[0.0, 9.0]"]
