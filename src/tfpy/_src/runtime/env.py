"""Flags, with TensorFlow.js's names (``tf.env()``)."""

from __future__ import annotations

Flag = bool | float | str

_DEFAULTS: dict[str, Flag] = {
    "SOFTWARE_WEBGL_ENABLED": False,  # use WebGL on a software rasteriser too
    "WEBGL_FORCE_F16_TEXTURES": False,  # float16 textures even where float32 can be rendered
    "WASM_HAS_SIMD_SUPPORT": True,
    "WASM_HAS_RELAXED_SIMD_SUPPORT": True,
    "WASM_HAS_MULTITHREAD_SUPPORT": True,  # False keeps to one thread where threads are possible
    "WASM_THREADS_COUNT": 0,  # 0: one per core, at most 8
    "WASM_CODEGEN": "auto",  # elementwise kernels as generated code: "auto", "always" or "never"
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
            ValueError: for an unknown name.
        """
        self.get(name)
        self._flags[name] = value

    def reset(self) -> None:
        """Back to the defaults."""
        self._flags = dict(_DEFAULTS)


_environment = Environment()


def env() -> Environment:
    """The flags of this program (``tf.env()``)."""
    return _environment
