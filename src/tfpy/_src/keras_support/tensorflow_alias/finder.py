"""`tf.as_tensorflow`, which makes `import tensorflow` import tfpy."""

from __future__ import annotations

import importlib
import os
import sys
import types
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

from tfpy._src.base.version import VERSION_OF_TENSORFLOW
from tfpy._src.keras_support import overlay
from tfpy._src.keras_support.choice import NAME, Alias
from tfpy._src.keras_support.tensorflow_alias import private, tf_keras

KERAS = "keras._tf_keras.keras"
"""Keras with TensorFlow's selection of public names."""
_PUBLIC = __name__.partition(".")[0]


def as_tensorflow(replace: bool = False) -> None:
    """Make `import tensorflow` import tfpy, so that programs for TensorFlow and Keras use tfpy.

    The first import of Keras after tfpy and the first access to `tf.keras` call this function
    automatically. The import of Keras does not call it if TensorFlow is installed or if another
    backend of Keras is selected. The module `tensorflow` has the names of tfpy, which are the same
    objects. `tensorflow.__version__` is the version of TensorFlow with which tfpy is compatible.
    Private names that Keras and other packages import exist in `tensorflow` only.

    Args:
        replace: If True, `import tensorflow` imports tfpy even if TensorFlow is installed. If
            False, an installed TensorFlow is an error.

    Raises:
        RuntimeError: If TensorFlow has already been imported, or if it is installed and `replace`
            is False.

    Example::

        import tfpy

        tfpy.as_tensorflow()
        import keras
        import tensorflow as tf  # the names of tfpy

    See also: `tf.keras`.
    """
    if NAME in sys.modules:
        if sys.modules[NAME] is Alias.module:
            return
        raise RuntimeError(
            "as_tensorflow: TensorFlow is imported already; call tfpy.as_tensorflow() before the "
            "import"
        )
    if not replace and PathFinder.find_spec(NAME) is not None:
        raise RuntimeError(
            "as_tensorflow: TensorFlow is installed here, and `import tensorflow` imports it. "
            "tfpy.as_tensorflow(replace=True) makes it import tfpy in this process"
        )
    if not os.environ.get("KERAS_BACKEND"):  # it may be empty
        os.environ["KERAS_BACKEND"] = NAME
    package = _renamed(sys.modules[_PUBLIC])
    private.install(package)
    sys.meta_path[:0] = [_Finder(package), overlay.KerasFinder()]
    Alias.module = sys.modules[NAME] = package


def _renamed(package: types.ModuleType) -> types.ModuleType:
    """Return the module `tensorflow`: the names of tfpy, with TensorFlow's version.

    The names are copied, because Python finds them faster in the module's own dictionary.
    """
    made = types.ModuleType(NAME)

    def found(name: str) -> Any:
        """Return a name that tfpy has imported later, or imports on first use."""
        value = vars(made)[name] = getattr(package, name)
        return value

    vars(made).update(
        vars(package),
        __name__=NAME,
        __package__=NAME,
        __spec__=ModuleSpec(NAME, None, origin=package.__file__, is_package=True),
        __path__=[],
        __version__=VERSION_OF_TENSORFLOW,
        __getattr__=found,
        __dir__=lambda: sorted({*vars(made), *dir(package)}),
    )
    return made


class _Finder(MetaPathFinder):
    """A finder for modules below `tensorflow`: tfpy's modules, Keras's, and private ones."""

    def __init__(self, package: types.ModuleType) -> None:
        self.package = package

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: types.ModuleType | None = None,
    ) -> ModuleSpec | None:
        first, _, name = fullname.partition(".")
        if first == tf_keras.NAME:
            module = tf_keras.module(name)
        elif first != NAME or not name:
            return None
        else:
            module = self._module(name)
        if module is None:  # Python must not search tfpy's own folder
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return ModuleSpec(fullname, overlay.ExistingModule(module))

    def _module(self, name: str) -> types.ModuleType | None:
        if name == "keras" or name.startswith("keras."):
            return importlib.import_module(KERAS + name.removeprefix("keras"))
        found: object = self.package
        for part in name.split("."):
            found = None if part == "_src" else getattr(found, part, None)
        return found if isinstance(found, types.ModuleType) else None
