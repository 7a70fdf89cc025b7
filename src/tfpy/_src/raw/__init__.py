"""TensorFlow's operations, by the names that they have in graphs: ``record("Conv2D").run(…)``."""

from tfpy._src.raw import (  # noqa: F401 - they enter their operations
    arithmetic,
    arrays,
    fused,
    images,
    linear,
    neural,
    reductions,
)
from tfpy._src.raw.records import RECORDS, Record, record

__all__ = ["RECORDS", "Record", "record"]
