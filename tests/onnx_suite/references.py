"""A script that writes the results of ONNX Runtime: ``python -m onnx_suite.references TARGET``.

For each model of the packages, TARGET/NAME.npz has arrays "in INPUT" and "out OUTPUT", and
TARGET/NAME.onnx is the model. Two further models are quantized here with ONNX Runtime's own tool,
and one is a decoder with weights of four bits.
"""

from __future__ import annotations

import logging
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)

from onnx_suite.decoder import decoder, decoder_feeds
from onnx_suite.models import Network, feeds, shipped

DECODER = "int4_decoder"
QUANTIZED = "ch_ppocr_mobile_v2.0_cls_infer"
FORMATS = {"quantized_pairs": QuantFormat.QDQ, "quantized_operators": QuantFormat.QOperator}


class _Samples(CalibrationDataReader):  # type: ignore[misc]
    """A reader of noise images, from which the quantizer determines the ranges of values."""

    def __init__(self, network: Network) -> None:
        rng = np.random.default_rng(0)
        ((name, shape),) = network.shapes.items()
        images = (rng.uniform(-1, 1, shape).astype(np.float32) for _ in range(4))
        self._left = ({name: image} for image in images)

    def get_next(self) -> Any:
        return next(self._left, None)


def session(file: Path) -> Any:
    """Return a session that runs the operations of the file one by one, without optimizations."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


def networks(into: Path) -> Iterator[tuple[str, Network]]:
    """Write the models into a folder. Yield the names of their files and the networks."""
    for name, network in shipped():
        shutil.copy(network.file, into / f"{name}.onnx")
        yield name, network
        if name == QUANTIZED:
            for made, form in FORMATS.items():
                quantize_static(
                    network.file,
                    into / f"{made}.onnx",
                    _Samples(network),
                    quant_format=form,
                    per_channel=form == QuantFormat.QDQ,
                    activation_type=QuantType.QUInt8,
                    weight_type=QuantType.QInt8,
                )
                yield made, Network(into / f"{made}.onnx", network.shapes)
    (into / f"{DECODER}.onnx").write_bytes(decoder())
    values = decoder_feeds()
    shapes = {name: x.shape for name, x in values.items()}
    yield DECODER, Network(into / f"{DECODER}.onnx", shapes, values)


def main(into: Path) -> None:
    """Write the models and the results into a folder."""
    onnxruntime.set_default_logger_severity(3)
    logging.getLogger().setLevel(logging.ERROR)
    for name, network in networks(into):
        running = session(into / f"{name}.onnx")
        given = feeds(network, running)
        names = [output.name for output in running.get_outputs()]
        found = dict(zip(names, running.run(None, given), strict=True))
        arrays = {f"in {key}": x for key, x in given.items()}
        np.savez(into / f"{name}.npz", **arrays, **{f"out {key}": y for key, y in found.items()})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
