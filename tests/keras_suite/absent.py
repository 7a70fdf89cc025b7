"""Packages that Keras's tests import and that are not installed. Tests that use one are skipped.

Whole files import PyTorch because of one test. While a file is imported, substitutes replace the
packages. A test that uses a substitute, or imports the package itself, needs the package.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import Any

OPTIONAL = (
    *("ai_edge_litert", "flax", "grain", "jax", "litert_torch", "onnx", "onnxruntime", "openvino"),
    *("orbax", "pandas", "PIL", "tensorflow_io", "tf_keras", "torch"),
)
MISSING = tuple(name for name in OPTIONAL if find_spec(name) is None)


def _stand_in(package: str) -> Any:
    """Return a substitute for a name of a package, which raises when a test uses it.

    The substitute is a class, so that a file may inherit from it.
    """
    if "PYTEST_CURRENT_TEST" in os.environ:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    return _Anything("Anything", (), {"package": package})


class _Anything(type):
    package: str

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _stand_in(cls.package)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return _stand_in(cls.package)


class _Package(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _stand_in(self.__name__.partition(".")[0])


class _StandIns(MetaPathFinder, Loader):
    """An importer of the missing packages and of every module below them."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: types.ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in MISSING:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return _Package(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing, because the module is empty."""


@contextmanager
def standing_in() -> Iterator[None]:
    """Make the missing packages importable within a context."""
    finder = _StandIns()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [n for n in sys.modules if n.partition(".")[0] in MISSING]:
            del sys.modules[name]


def missing(error: BaseException | None) -> str | None:
    """Return the missing package that caused an error, or None."""
    while isinstance(error, ImportError):
        package = (error.name or "").partition(".")[0]
        if package in MISSING:
            return package
        error = error.__context__  # Keras raises its own error with another message
    return None
