"""``tf.raw_ops``: ops under TensorFlow's internal names; all arguments are given by name."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.raw.table import (
    Bucketize as Bucketize,
    ImageProjectiveTransformV3 as ImageProjectiveTransformV3,
    UniqueV2 as UniqueV2,
    UniqueWithCountsV2 as UniqueWithCountsV2,
)
