"""A call of every operation: the source of its arguments, with the words of ``surface.evaluation``.

A pair also has the equivalent call for TensorFlow, where TensorFlow does not have the operation.
"""

from __future__ import annotations

from typing import Any

from raw.calls import arrays, elements, handles, hosts, networks, others
from surface.evaluation import evaluate, words

TABLES = (elements, arrays, networks, hosts, handles, others)
SAMPLES = {name: sample for table in TABLES for name, sample in table.SAMPLES.items()}

ELSEWHERE = {
    "DecodeGif": "needs Pillow",
    **dict.fromkeys(("DecodeWebP", "EncodeJpeg", "EncodeJpegVariableQuality"), "needs Pillow"),
    **dict.fromkeys(("Placeholder", "PlaceholderV2"), "raise"),
    "_FusedBatchNormEx": "tests/raw/test_fused.py",
    "_FusedConv2D": "tests/raw/test_fused.py",
    "_FusedDepthwiseConv2dNative": "tests/raw/test_fused.py",
    "_FusedMatMul": "tests/raw/test_fused.py",
}
"""Operations without a sample, with the reason."""


def ours(name: str) -> str:
    """Return the call of tfpy's operation."""
    sample = SAMPLES[name]
    return _call(name, sample if isinstance(sample, str) else sample[0])


def theirs(name: str) -> str:
    """Return the equivalent call if ``tf`` is TensorFlow."""
    sample = SAMPLES[name]
    return _call(name, sample) if isinstance(sample, str) else sample[1]


def run(lib: Any, text: str) -> Any:
    """Return the result of a call with a library."""
    return evaluate(text, words(lib))


def _call(name: str, arguments: str) -> str:
    if arguments.startswith("="):
        return arguments[1:]
    given = f"**{arguments}" if arguments.startswith("(lambda") else arguments
    return f"tf.raw_ops.{name}({given})"
