"""An import hook that lets `import keras` run on tfpy after `import tfpy`."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

from tfpy._src.keras_support import overlay
from tfpy._src.keras_support.choice import is_wanted
from tfpy._src.keras_support.tensorflow_alias.finder import as_tensorflow

_KERAS = "keras"


def install() -> None:
    """Make the first import of Keras call `as_tensorflow`, unless Keras is to run without tfpy.

    Keras runs without tfpy if TensorFlow is installed or imported, or if the variable
    `KERAS_BACKEND` or Keras's configuration file selects another backend.
    """
    if _KERAS not in sys.modules and not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """A finder for Keras. It removes itself when Keras is imported."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: types.ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname != _KERAS:
            return None
        if any(isinstance(finder, overlay.KerasFinder) for finder in sys.meta_path):
            return None  # tfpy already stands in for TensorFlow
        return overlay.found(lambda loader: _Starting(self, loader), fullname, path, target)


class _Starting(overlay.Wrapping):
    """A loader that calls `as_tensorflow` before Keras is loaded, and replaces itself.

    Programs may search for Keras without importing it. This has no effect.
    """

    def __init__(self, finder: _Finder, loader: Loader) -> None:
        super().__init__(loader)
        self._finder = finder

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        if is_wanted():
            as_tensorflow()
            spec.loader = overlay.AtOnce(self.loader)
        else:
            spec.loader = self.loader
        return self.loader.create_module(spec)
