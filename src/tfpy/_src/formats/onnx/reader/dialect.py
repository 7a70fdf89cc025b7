"""The dialect with all ONNX operations."""

from __future__ import annotations

from tfpy._src.formats.onnx.reader.ops import (
    activations,
    attention,
    constants,
    control,
    convolution,
    elementwise,
    experts,
    group_query_attention,
    images,
    indexing,
    learning,
    linear,
    losses,
    microsoft_attention,
    movement,
    normalization,
    packed_products,
    packed_rows,
    pooling,
    quantization,
    randomness,
    recurrent,
    reductions,
    resize,
    sequences,
    signals,
    text,
    training,
    vision,
    whole,
)
from tfpy._src.formats.onnx.reader.record import OnnxDialect

FAMILIES = (
    activations, attention, constants, control, convolution, elementwise, experts,
    group_query_attention, images, indexing, learning, linear, losses, microsoft_attention,
    movement, normalization, packed_products, packed_rows, pooling, quantization, randomness,
    recurrent, reductions, resize, sequences, signals, text, training, vision, whole,
)  # fmt: skip
"""Modules of the records, which register themselves on import."""
ONNX = OnnxDialect()
