"""Flags, with TensorFlow.js's names (``tf.env()``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Flag = bool | float | str


class _Kind(NamedTuple):
    """The default of a flag and the values that it may have."""

    default: Flag
    takes: Callable[[Flag], bool]
    values: str


def _switch(default: bool) -> _Kind:
    return _Kind(default, lambda value: isinstance(value, bool), "True or False")


def _count(default: int) -> _Kind:
    def takes(value: Flag) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0

    return _Kind(default, takes, "a whole number from 0")


def _one_of(*names: str) -> _Kind:
    return _Kind(names[0], lambda value: value in names, " or ".join(map(repr, names)))


_FLAGS = {
    "WEBGPU_SOFTWARE_ENABLED": _switch(False),  # use a fallback adapter of WebGPU too
    "SOFTWARE_WEBGL_ENABLED": _switch(False),  # use WebGL on a software rasteriser too
    "WEBGL_FORCE_F16_TEXTURES": _switch(False),  # float16 even where float32 can be rendered
    "WASM_HAS_SIMD_SUPPORT": _switch(True),
    "WASM_HAS_RELAXED_SIMD_SUPPORT": _switch(True),
    "WASM_HAS_MULTITHREAD_SUPPORT": _switch(True),  # False: one thread, where more are possible
    "WASM_THREADS_COUNT": _count(0),  # 0: one per core, at most 8
    "WASM_CODEGEN": _one_of("auto", "always", "never"),  # elementwise kernels as generated code
}


class Environment:
    """Flags by name; set them before the backend is opened."""

    def __init__(self) -> None:
        self.reset()

    def get(self, name: str) -> Flag:
        """The value of a flag.

        Raises:
            ValueError: for an unknown name.
        """
        if name not in self._flags:
            raise ValueError(f"Unknown flag {name!r}; there are {', '.join(sorted(self._flags))}")
        return self._flags[name]

    def get_bool(self, name: str) -> bool:
        """The truth value of a flag; see :meth:`get`."""
        return bool(self.get(name))

    def get_number(self, name: str) -> float:
        """The value of a flag as a number; see :meth:`get`."""
        return float(self.get(name))

    def set(self, name: str, value: Flag) -> None:
        """Sets a flag.

        Raises:
            ValueError: for an unknown name, or a value that the flag does not take.
        """
        self.get(name)
        kind = _FLAGS[name]
        if not kind.takes(value):
            raise ValueError(f"Flag {name} is {kind.values}, not {value!r}")
        self._flags[name] = value

    def reset(self) -> None:
        """Back to the defaults."""
        self._flags = {name: kind.default for name, kind in _FLAGS.items()}


_environment = Environment()


def env() -> Environment:
    """The flags of this program (``tf.env()``)."""
    return _environment
