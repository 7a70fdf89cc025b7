"""``tf.experimental``: values that may be absent, and partitions of values into rows."""

# Made from api.toml and the op table by `build.py face`: change those.

import typing as _typing

from tfpy._src.data.iterators import Optional as Optional
from tfpy._src.ragged.row_partitions import RowPartition as RowPartition
from tfpy.experimental import numpy as numpy

if _typing.TYPE_CHECKING:
    from tfpy.experimental import dtensor as dtensor

_LATER = {
    "dtensor": "tfpy.experimental.dtensor",
}
