"""A test that corrupt ONNX files are rejected: ``python -m onnx_suite.fuzz [seed]``.

It changes bytes of real models, and numbers, names and operations of small models. Reading and
running these files must end soon and in little memory, with results or with a clear error.
"""

from __future__ import annotations

import resource
import signal
import sys
import traceback
import warnings
from collections import Counter
from typing import Any

import numpy as np
import onnx

from buildsys import model_files
from onnx_suite.cases import cases
from tfpy._src.base.errors import OpError
from tfpy._src.formats.node_graphs.plan import plan
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.onnx.reader.dialect import ONNX
from tfpy._src.formats.onnx.reader.files import read_onnx
from tfpy._src.formats.onnx.reader.record import RECORDS
from tfpy._src.formats.onnx.reader.values import tensor
from tfpy._src.library.io.checked_json import ModelFileError

REFUSALS = (ValueError, TypeError, NotImplementedError, OpError, ImportError)
FILES = (
    ("silero-vad", "silero_vad_16k_op15"),
    ("rapidocr-onnxruntime", "ch_ppocr_mobile_v2.0_cls_infer"),
)
OF_A_FILE = 40
OF_A_CASE = 2
SECONDS = 20
MEMORY = 6 << 30


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """Return data with bytes changed, removed or inserted, or with its end cut off."""
    made = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        at, kind = int(rng.integers(len(made) or 1)), rng.integers(24)
        if kind == 0:
            del made[at:]
        elif kind == 1:
            del made[at : at + int(rng.integers(1, 9))]
        elif kind == 2:
            made[at:at] = rng.bytes(int(rng.integers(1, 9)))
        elif made:
            made[at % len(made)] = int(rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.integers(256)]))
    return bytes(made)


ODD = (-(2**62), -(2**31), -7, -1, 0, 1, 2, 3, 5, 1000, 2**20, 2**31, 2**62)


def shaken(data: bytes, rng: np.random.Generator) -> bytes:
    """Return a file, which may be invalid, with one number, name, operation or version changed."""
    model = onnx.load_from_string(data)
    node = _any(model.graph.node, rng)
    kind = int(rng.integers(6))
    if kind <= 2 and node.attribute:
        _shake(_any(node.attribute, rng), rng)
    elif kind == 3 and node.input:
        names = [name for other in model.graph.node for name in (*other.input, *other.output)]
        node.input[int(rng.integers(len(node.input)))] = _any(names, rng)
    elif kind == 4:
        node.op_type = _any(sorted(RECORDS), rng)
    else:
        model.opset_import[0].version = int(rng.integers(1, 29))
    return bytes(model.SerializeToString())


def _any(values: Any, rng: np.random.Generator) -> Any:
    return values[int(rng.integers(len(values)))]


def _shake(attribute: Any, rng: np.random.Generator) -> None:
    """Change one number of an attribute."""
    if attribute.ints:
        attribute.ints[int(rng.integers(len(attribute.ints)))] = _any(ODD, rng)
    elif attribute.HasField("i"):
        attribute.i = _any(ODD, rng)
    elif attribute.HasField("f"):
        attribute.f = float(_any((*ODD, np.nan, np.inf), rng))
    elif attribute.HasField("t"):
        raw = bytearray(attribute.t.raw_data)
        raw[:8] = int(_any(ODD, rng)).to_bytes(8, "little", signed=True)[: len(raw)]
        attribute.t.raw_data = bytes(raw)


def odd_inputs(inputs: Any, rng: np.random.Generator) -> Any:
    """Return the inputs with changed integers, which may be shapes and axes."""
    made = [np.array(x) for x in inputs]
    for x in made:
        if x.dtype.kind == "i" and x.size and rng.random() < 0.7:
            info = np.iinfo(x.dtype)
            x.reshape(-1)[int(rng.integers(x.size))] = np.clip(_any(ODD, rng), info.min, info.max)
    return made


def attempt(data: bytes, inputs: Any) -> str:
    """Return the outcome of reading and running a file."""
    signal.alarm(SECONDS)
    try:
        graph = read_onnx(data, ONNX)
        if inputs is None:
            return "read"
        given = {
            spec.name: tensor(value) for spec, value in zip(graph.inputs, inputs, strict=False)
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            Scope(graph, given).run(plan(graph, graph.outputs, given))
        return "ran"
    except ModelFileError:
        return "refused as a file"
    except REFUSALS:
        return "refused by an operation"
    finally:
        signal.alarm(0)


def main() -> int:
    """Try mutants. Return the exit status, which is 1 if one raises an unexpected exception."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    seed = int(sys.argv[1]) if sys.argv[1:] else 7
    rng = np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    todo: list[tuple[str, bytes, Any]] = []
    for package, name in FILES:
        data = (model_files.ensure(package) / name / "model.onnx").read_bytes()
        todo += [(name, mutated(data, rng), None) for _ in range(OF_A_FILE)]
    for case in list(cases().values())[seed % 4 :: 4]:
        inputs = case.data[0][0]
        if all(isinstance(x, np.ndarray) and x.dtype.kind in "fiub" for x in inputs):
            todo.append((case.name, mutated(case.model, rng), inputs))
            todo += [(case.name, shaken(case.model, rng), inputs) for _ in range(OF_A_CASE)]
            todo.append((case.name, case.model, odd_inputs(inputs, rng)))
    for name, data, inputs in todo:
        try:
            counts[attempt(data, inputs)] += 1
        except BaseException:
            counts["SURPRISES"] += 1
            print(f"--- {name}\n{traceback.format_exc(limit=-4)}", flush=True)
    for outcome, count in counts.most_common():
        print(f"{count:6} {outcome}")
    return int(counts["SURPRISES"] > 0)


def _late(*_: Any) -> None:
    raise TimeoutError(f"the model did not finish within {SECONDS} seconds")


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _late)
    sys.exit(main())
