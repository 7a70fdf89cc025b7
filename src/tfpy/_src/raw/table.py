"""``tf.raw_ops``: one short function for each op, under TensorFlow's internal name."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src import dtypes
from tfpy._src.array.making import cast, reshape
from tfpy._src.array.sorting import Unique, UniqueWithCounts, searchsorted, unique_slices
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.errors import invalid
from tfpy._src.image.sampling import transform
from tfpy._src.raw.record import raw


@raw
def Bucketize(input: Any, boundaries: Any) -> Tensor:
    """How many of the ascending boundaries are not above each number; int32."""
    edges = np.array(boundaries, np.float32)
    if (np.diff(edges) < 0).any():
        raise invalid("Bucketize", "Expected sorted boundaries")
    x = cast(convert_to_tensor(input), dtypes.float32)
    found = searchsorted(constant(edges), reshape(x, [-1]), side="right")
    return reshape(found, x.aval.shape)


@raw
def ImageProjectiveTransformV3(
    images: Any,
    transforms: Any,
    output_shape: Any,
    fill_value: Any,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Tensor:
    """Images under projective maps; see ``tf.image.transform``. Of the images' dtype."""
    x, fill = convert_to_tensor(images), float(fill_value)
    how = (interpolation.lower(), fill_mode.lower())
    return cast(transform(x, transforms, *how, fill, output_shape), x.dtype)


@raw
def UniqueV2(x: Any, axis: Any, out_idx: Any = dtypes.int32) -> Unique:
    """The distinct slices along an axis in order of appearance, and which of them each one is."""
    found = unique_slices(x, axis, out_idx)
    return Unique(found.y, found.idx)


@raw
def UniqueWithCountsV2(x: Any, axis: Any, out_idx: Any = dtypes.int32) -> UniqueWithCounts:
    """As ``UniqueV2``, and how often each distinct slice appears."""
    return unique_slices(x, axis, out_idx)
