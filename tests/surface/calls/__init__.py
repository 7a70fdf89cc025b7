"""One call of every public function: what it is run with to count, document and test it.

The arguments are Python text over the words of ``surface.evaluation``: ``x(2, 3)`` is a tensor of
the dtype that is tried, ``f``, ``i``, ``b``, ``c`` are float32, int32, bool and complex64 ones, and
``t`` is one of given values. A pair says, where TensorFlow has no function of that name, what gives
the same in TensorFlow.
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
"""Functions that have no like in TensorFlow, and what their own tests compare with."""

FLOATS = frozenset(name for table in TABLES for name in getattr(table, "FLOATS", ()))
"""Functions that are tried with the floats of their calls only: ``f`` stays ``f``."""


def arguments(name: str) -> str:
    """The text of the arguments."""
    call = CALLS[name]
    return _tried(name, call if isinstance(call, str) else call[0])


def ours(name: str) -> str:
    """The call, of the library ``tf``."""
    return f"tf.{name}({arguments(name)})"


def theirs(name: str) -> str:
    """What gives the same when ``tf`` is TensorFlow."""
    call = CALLS[name]
    return f"tf.{name}({arguments(name)})" if isinstance(call, str) else _tried(name, call[1])


def dtypes(name: str, every: tuple[str, ...]) -> tuple[str, ...]:
    """Those of ``every`` dtype that the call can be tried with; the first where it says none."""
    return every if "x(" in arguments(name) else every[:1]


def _tried(name: str, text: str) -> str:
    return text if name in FLOATS else re.sub(r"\bf\(", "x(", text)
