"""`tf.lite`: models in `.tflite` files."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

if _typing.TYPE_CHECKING:
    from tfpy._src.formats.tflite.interpreter import Interpreter as Interpreter

_LATER = {
    "Interpreter": "tfpy._src.formats.tflite.interpreter",
}
