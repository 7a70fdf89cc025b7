"""TensorFlow's graph operations by name: `record("Conv2D").run(...)`."""

from tfpy._src.formats.raw_ops import (  # noqa: F401 - they enter their operations
    arithmetic,
    arrays,
    batched,
    chance,
    clustering,
    compressed,
    containers,
    control,
    counts,
    encodings,
    estimators,
    fused,
    images,
    linear,
    lists,
    neural,
    optimizers,
    quantized,
    reductions,
    regions,
    remapping,
    sequences,
    sparse,
    tables,
    texts,
    variables,
    windows,
)
from tfpy._src.formats.raw_ops.records import RECORDS, Record, record

__all__ = ["RECORDS", "Record", "record"]
