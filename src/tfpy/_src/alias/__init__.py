"""tfpy under the name ``tensorflow``, and Keras on it."""

import os
import sys

from tfpy._src.alias import packed

if sys.platform == "emscripten":
    packed.install(os.path.join(os.path.abspath(f"{__file__}/../../../.."), "packed"))
