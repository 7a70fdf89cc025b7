"""The walk of a call through the engine: which functions run, in order, and in which files.

Who reads the way of a call opens another file at each change of file. ``str(walk)`` shows it as an
indented text; ``python -m walks`` prints those of :data:`WALKS`, of which ``docs/architecture.md``
shows the files of the first one.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, cast

import numpy as np
from models.small_graph import SIGNATURE, X, files, load

import tfpy
import tfpy as tf
from tfpy._src.backends import registry
from tfpy._src.backends.device import DeviceBackend
from tfpy._src.backends.javascript import bridge
from tfpy._src.compiler.lower import webgl
from tfpy._src.compiler.lower.webgl.glsl import shader

ENGINE = Path(tfpy.__file__).parent / "_src"

_PARTS_OF_FUNCTIONS = ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>", "<module>")
_COMPARING = ("__hash__", "__eq__")


@dataclass(frozen=True)
class Call:
    """A call of a function of the engine."""

    file: str
    """Relative to the engine's folder: ``core/eager.py``."""
    function: str
    """With its class: ``Tensor.slot_on``."""
    depth: int
    """How many calls of the walk it is inside of."""


@dataclass
class Walk:
    """The calls inside of ``with walk() as found``, in their order."""

    calls: list[Call] = field(default_factory=list)

    @property
    def changes(self) -> int:
        """How often a call is in another file than the call before it."""
        return sum(a.file != b.file for a, b in pairwise(self.calls))

    @property
    def files(self) -> list[str]:
        """In the order in which the walk first comes to them."""
        return list(dict.fromkeys(call.file for call in self.calls))

    def before_kernels(self) -> Walk:
        """Return the walk without what computes a program: that is as long as the program."""
        calls: list[Call] = []
        inside: int | None = None
        for call in self.calls:
            if inside is not None and call.depth > inside:
                continue
            is_program = call.function == "Evaluator.__call__"
            inside = call.depth if is_program else None
            if not is_program:
                calls.append(call)
        return Walk(calls)

    def __str__(self) -> str:
        """A line for each call; the file stands where it changes."""
        width = max((len(call.file) for call in self.calls), default=0)
        lines, last = [], ""
        for call in self.calls:
            file = "" if call.file == last else call.file
            lines.append(f"{file:{width}}  {'  ' * call.depth}{call.function}")
            last = call.file
        return "\n".join([*lines, f"{self.changes} changes of file, {len(self.files)} files"])


@contextmanager
def walk() -> Iterator[Walk]:
    """Notes the calls of the engine's functions; code of others between them is passed over.

    Left out is what a reader does not follow into a file: properties, the hashing and comparing of
    keys, what is part of a function (comprehensions) or written by Python (a dataclass's
    ``__init__``), and finalizers with what they call: no text of a function calls them.
    """
    found = Walk()
    noted: list[bool] = []
    finalizers: list[FrameType] = []

    def note(frame: FrameType, event: str, arg: Any) -> None:
        if frame.f_code.co_name == "__del__":
            if event == "call":
                finalizers.append(frame)
            elif event == "return" and finalizers:
                finalizers.pop()
        elif finalizers:
            return
        elif event == "call":
            is_noted = _is_noted(frame)
            if is_noted:
                code = frame.f_code
                file = Path(code.co_filename).relative_to(ENGINE).as_posix()
                name = code.co_qualname.replace(".<locals>", "")
                found.calls.append(Call(file, name, sum(noted)))
            noted.append(is_noted)
        elif event == "return" and noted:
            noted.pop()

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)


def _is_noted(frame: FrameType) -> bool:
    code = frame.f_code
    if not code.co_filename.startswith(str(ENGINE)):
        return False
    return code.co_name not in (*_PARTS_OF_FUNCTIONS, *_COMPARING) and not _is_property(frame)


def _is_property(frame: FrameType) -> bool:
    owner, _, name = frame.f_code.co_qualname.rpartition(".")
    return isinstance(getattr(frame.f_globals.get(owner), name, None), property)


class _Device:
    """Stands for ``bridge.Device``: gives numbers and computes nothing."""

    variant = "none"

    def __init__(self) -> None:
        self.limits = {"tensorBytes": 2**31 - 1}
        self._numbers = itertools.count(1)

    def _next(self, *_: Any) -> int:
        return next(self._numbers)

    write = register = run = _next

    def free(self, slots: list[int]) -> None:
        """There is nothing to free."""


_new_sizes = itertools.count(100)  # of arrays whose shape no op has met, here or in other tests


@contextmanager
def webgl_without_a_device() -> Iterator[DeviceBackend]:
    """A WebGL backend of which the lowering is real."""
    fake = cast(bridge.Device, _Device())
    backend = DeviceBackend("webgl", fake, webgl.lower, webgl.WebGLTarget())
    before, registry.active = registry.active, backend
    try:
        yield backend
    finally:
        registry.active = before


def to_the_shader() -> Walk:
    """relu at the first call of the op: its expression is rendered, the library has been read."""
    with webgl_without_a_device() as backend:
        tf.nn.elu(tf.ones([7, 4]))
        shader._source.cache_clear()
        x = tf.ones([7, next(_new_sizes)])
        x.slot_on(backend)
        with walk() as found:
            y = tf.nn.relu(x)
        assert y.storage.place == "webgl"
    return found


def warm(function: Callable[[], Any]) -> Walk:
    """The walk of a third call."""
    for _ in range(2):
        function()
    with walk() as found:
        result = function()
    del result  # outside of the walk
    return found


def compiled() -> Walk:
    """A warm call of a compiled function."""
    f = tf.function(lambda x: tf.nn.relu(x) * 2.0)
    x = tf.constant(np.ones((7, 3), np.float32))
    return warm(lambda: f(x))


def predict() -> Walk:
    """A warm call of a graph-model."""
    outputs = {"y": SIGNATURE["outputs"]["y"]}
    model = load(files(signature={**SIGNATURE, "outputs": outputs}))
    x = tf.constant(X)
    return warm(lambda: model.predict(x))


def gradient() -> Walk:
    """A tape's gradient of one op, forward and back."""
    x = tf.constant(np.ones((7, 3), np.float32))

    def taped() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu(x)
        return tape.gradient(y, x)

    return warm(taped)


WALKS = {
    "to the shader": to_the_shader,
    "compiled": compiled,
    "predict": predict,
    "gradient": gradient,
}
"""The walks that are to stay short."""


if __name__ == "__main__":
    for name, make in WALKS.items():
        print(f"{name}:\n{make()}\n")
