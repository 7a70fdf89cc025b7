"""Importers with which TensorFlow's tests find their modules, under either library."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any, ClassVar

from .names import PRIVATE, Entry

HELPERS = re.compile(r".*(_test_base|\.test_base|_test_util|_testing|_test_lib)")
"""Helpers of tests. Both libraries run them from the source, even if TensorFlow installs them."""


class Usage:
    """What the present test has used that cannot be judged, and that tfpy does not have."""

    private: ClassVar[set[str]] = set()
    missing: ClassVar[set[str]] = set()
    at_import = True


class StandIn:
    """An object in place of a name that does not exist. A test that uses it raises an error."""

    def __init__(self, wanted: str, is_public: bool) -> None:
        self._wanted = (wanted, is_public)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        wanted, is_public = self._wanted
        return stand_in(f"{wanted}.{name}", is_public)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if Usage.at_import and len(args) == 1 and callable(args[0]) and not kwargs:
            return args[0]  # a decorator
        if Usage.at_import:
            return self
        note(*self._wanted)
        raise NotImplementedError(self._wanted[0])

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        first = next((b for b in bases if isinstance(b, StandIn)), self)
        if first is not self:
            return ()
        return (type("StandInBase", (_Base,), {"_wanted": self._wanted}),)

    def __iter__(self) -> Any:
        return iter(())

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        note(*self._wanted)
        raise NotImplementedError(self._wanted[0])


class _Base:
    """The base of classes that derive from a name that does not exist."""

    _wanted: tuple[str, bool]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not Usage.at_import:
            note(*self._wanted)
        super().__init__(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            note(*self._wanted)
        raise AttributeError(name)


def note(name: str, is_public: bool) -> None:
    """Remember that a test has used a name that does not exist."""
    (Usage.missing if is_public else Usage.private).add(name)


def stand_in(name: str, is_public: bool) -> Any:
    """Return what represents a name that does not exist."""
    if not Usage.at_import:
        note(name, is_public)
        raise AttributeError(name)
    return StandIn(name, is_public)


class PrivateModule(types.ModuleType):
    """A private module of TensorFlow, whose names are found when they are used."""

    entries: dict[str, Entry]
    shims: dict[str, Any]
    find: Callable[[str], Any]
    is_module: Callable[[str], bool]
    alias: types.ModuleType | None
    """The module that `tfpy.as_tensorflow` has made for libraries."""

    def __getattr__(self, name: str) -> Any:
        if name in self.shims:
            return self.shims[name]
        if name.startswith("__"):
            raise AttributeError(name)
        if self.alias is not None and hasattr(self.alias, name):
            return getattr(self.alias, name)
        entry = self.entries.get(name)
        full = f"{self.__name__}.{name}"
        if entry is None and (not self.entries or self.is_module(full)):
            return importlib.import_module(full)
        full = full.removeprefix("tensorflow.python.")
        value = stand_in(full, is_public=False) if entry is None else self._made(*entry)
        # Graphs replace public functions while they are active.
        if not isinstance(value, StandIn) and not inspect.isfunction(value):
            setattr(self, name, value)
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return StandIn(self.__name__, is_public=False)(*args, **kwargs)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return StandIn(self.__name__, is_public=False).__mro_entries__(bases)

    def _made(self, kind: str, what: Any, parameters: Sequence[str] = ()) -> Any:
        if kind == "value":
            return what
        if kind == "module":
            return importlib.import_module(what)
        found = self.find(what)
        if kind == "raw" and not isinstance(found, StandIn):
            return _by_position(found, parameters)
        return found


def _by_position(function: Callable[..., Any], parameters: Sequence[str]) -> Callable[..., Any]:
    """Return a raw op that takes its arguments by position."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(**dict(zip(parameters, args, strict=False)), **kwargs)

    return call


class SourceFinder(MetaPathFinder):
    """A finder for modules that exist only in the checkout, such as helpers of tests."""

    def __init__(self, root: Path, installed: Callable[[str], bool]) -> None:
        self.root = root
        self.installed = installed

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(PRIVATE):
            return None
        if not HELPERS.fullmatch(fullname) and self.installed(fullname):
            return None
        place = self.root.joinpath(*fullname.split("."))
        if place.with_suffix(".py").is_file():
            return spec_from_file_location(fullname, place.with_suffix(".py"))
        if place.is_dir():
            return ModuleSpec(fullname, _Empty(), is_package=True)
        return None


class _Empty(Loader):
    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return types.ModuleType(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing, because the module is empty."""


def _below(name: str, module: types.ModuleType) -> Iterator[tuple[str, types.ModuleType]]:
    """Yield the modules with names of their own, with their full names."""
    parts = {k: v for k, v in vars(module).items() if isinstance(v, types.ModuleType)}
    names = [k for k in vars(module) if not k.startswith("__") or k == "__getattr__"]
    if len(parts) < len(names):
        yield name, module
    for part, value in parts.items():
        if value.__name__ == f"{name}.{part}":
            yield from _below(f"{name}.{part}", value)


class PrivateFinder(MetaPathFinder, Loader):
    """A finder for TensorFlow's private modules, made of tfpy's public names and of shims."""

    def __init__(self, names: dict[str, dict[str, Entry]], source: SourceFinder) -> None:
        from . import shims

        self.names = names
        self.source = source
        self.aliases = dict(_below("tensorflow.python", sys.modules["tensorflow"].python))
        self.shims = {f"tensorflow.python.{k}": v for k, v in shims.SHIMS.items()}

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        if fullname.startswith(PRIVATE):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        module = PrivateModule(spec.name)
        vars(module).update(
            entries=self.names.get(spec.name, {}),
            shims=self.shims.get(spec.name, {}),
            find=self.find,
            is_module=self.is_module,
            alias=self.aliases.get(spec.name),
            __all__=[n for n in self.names.get(spec.name, ()) if not n.startswith("_")],
        )
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing, because names are found when they are used."""

    def is_module(self, name: str) -> bool:
        """Return True if a private module is known, or if the checkout has it."""
        return name in self.names or self.source.find_spec(name) is not None

    def find(self, name: str) -> Any:
        """Return the object with a public name in tfpy."""
        found: Any = sys.modules["tfpy"]
        for part in name.split("."):
            try:
                found = getattr(found, part)
            except AttributeError:
                return stand_in(name, is_public=True)
        return found
