"""The package version. The build reads it from this file."""

__version__ = "0.1.0"

VERSION_OF_TENSORFLOW = "2.21.0"
"""Version of TensorFlow with the same names and semantics."""

VERSION = VERSION_OF_TENSORFLOW
"""Version of TensorFlow with the same names and semantics."""

GIT_VERSION = f"v{VERSION}-tfpy-{__version__}"
"""Versions of TensorFlow and of tfpy."""

COMPILER_VERSION = "none"
"""Version of the C++ compiler of TensorFlow. tfpy needs no compiler."""

GRAPH_DEF_VERSION = 2474
"""Version of the format of TensorFlow's graphs."""

GRAPH_DEF_VERSION_MIN_CONSUMER = 0
"""Oldest version of TensorFlow's graph format whose readers can read graphs of this version."""

GRAPH_DEF_VERSION_MIN_PRODUCER = 0
"""Oldest version of TensorFlow's graph format that can be read."""
