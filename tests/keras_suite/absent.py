"""Packages that Keras's tests import and that are not here: a test that uses one is skipped.

Whole files import PyTorch for the sake of one test. While a file is imported, stand-ins take the
packages' place; a test that touches one, or imports the package itself, needs the package.
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
    """What stands for a name of a package: outside of tests, it may be all that a file makes of it.

    It is a class, so that a file may inherit from it.
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
    """Finds the packages that are missing, and every module below them."""

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
        """There is nothing in it."""


@contextmanager
def standing_in() -> Iterator[None]:
    """Within it, the packages that are missing can be imported."""
    finder = _StandIns()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [n for n in sys.modules if n.partition(".")[0] in MISSING]:
            del sys.modules[name]


def missing(error: BaseException | None) -> str | None:
    """The missing package that some code has tried to import."""
    while isinstance(error, ImportError):
        package = (error.name or "").partition(".")[0]
        if package in MISSING:
            return package
        error = error.__context__  # Keras says it in words of its own
    return None
