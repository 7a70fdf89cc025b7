"""One call of every public function, used to count, document and test it.

The arguments are Python source over the words of ``surface.evaluation``: ``x(2, 3)`` is a tensor of
the tested dtype, ``f``, ``i``, ``b``, ``c`` are float32, int32, bool and complex64 tensors, and
``t`` is a tensor of given values. A pair also has the equivalent call for TensorFlow, where
TensorFlow has no function of that name.
"""

from __future__ import annotations

import re

from surface.calls import arrays, images, kinds, linear, mathematics, networks

TABLES = (arrays, mathematics, networks, images, linear, kinds)

CALLS: dict[str, str | tuple[str, str]] = {
    name: call for table in TABLES for name, call in table.CALLS.items()
}

ALONE = {
    "image.rotate_with_offset": "NumPy",
    "image.threshold": "NumPy",
}
"""Functions without an equivalent in TensorFlow, and the references of their own tests."""

FLOATS = frozenset(name for table in TABLES for name in getattr(table, "FLOATS", ()))
"""Functions that are tried with the floats of their calls only: ``f`` remains ``f``."""


def arguments(name: str) -> str:
    """Return the source of the arguments."""
    call = CALLS[name]
    return _tried(name, call if isinstance(call, str) else call[0])


def ours(name: str) -> str:
    """Return the call for tfpy as ``tf``."""
    return f"tf.{name}({arguments(name)})"


def theirs(name: str) -> str:
    """Return the equivalent call if ``tf`` is TensorFlow."""
    call = CALLS[name]
    return f"tf.{name}({arguments(name)})" if isinstance(call, str) else _tried(name, call[1])


def dtypes(name: str, every: tuple[str, ...]) -> tuple[str, ...]:
    """Return the dtypes with which the call can be tried, or the first one if it has no ``x``."""
    return every if "x(" in arguments(name) else every[:1]


def _tried(name: str, text: str) -> str:
    return text if name in FLOATS else re.sub(r"\bf\(", "x(", text)
