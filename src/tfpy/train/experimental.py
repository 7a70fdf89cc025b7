"""`tf.train.experimental`: Python values in checkpoints."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.python_state import PythonState as PythonState
