"""`tf.typing`: types for annotations, such as the values that functions accept as tensors."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.base.dtypes import DTypeLike as DTypeLike
from tfpy._src.core.typing import (
    Axis as Axis,
    FloatLike as FloatLike,
    IntLike as IntLike,
    Nest as Nest,
    Padding as Padding,
    PathLike as PathLike,
    ShapeLike as ShapeLike,
    Strides as Strides,
    TensorLike as TensorLike,
)
