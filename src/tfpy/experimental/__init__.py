"""``tf.experimental``: values that may be absent."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.data.iterators import Optional as Optional
from tfpy.experimental import numpy as numpy
