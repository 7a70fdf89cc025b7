"""Packages that stand packed in a page: their bytecode in one file, their sources in an archive.

The site's wheels of tfpy, Keras and what it imports have two files for each package: NAME.bytecode
(bytecode.py reads it), and NAME.zip, with all other files.
Unpacking a thousand of them and looking for each would take longer than to run them. A package with
compiled modules, which must be files, is an archive alone, unpacked when it is first loaded.

Of a large package pages fetch some files late: then NAME.json says which, by ending; "rest" is
another such dict, for what the first one has empty.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
import types
from collections.abc import Iterator
from importlib.abc import Loader, PathEntryFinder
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
)
from typing import Any
from zipimport import zipimporter

from tfpy._src.loader import lazy_imports
from tfpy._src.loader.bytecode import START, Modules, read


def install(folder: str) -> None:
    """Lets Python import the packages that stand packed in a folder, now or later."""
    if folder not in sys.path:
        sys.path_hooks.insert(0, _Packages(folder).finder)
        sys.path.append(folder)


class _Packages(PathEntryFinder):
    """Finds the packages of a folder; what is in each is found below NAME.zip."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._place = os.path.dirname(folder)
        self._bytecode: dict[str, dict[str, memoryview]] = {}

    def finder(self, path: str) -> PathEntryFinder:
        """The finder for an entry of ``sys.path`` or ``__path__``.

        Raises:
            ImportError: for entries that are not here.
        """
        if path == self._folder:
            return self
        archive, ending, inner = path.partition(".zip")
        if not ending or os.path.dirname(archive) != self._folder:
            raise ImportError(f"{path} is not in a packed package", path=path)
        if archive not in self._bytecode:
            if not os.path.exists(f"{archive}.bytecode"):
                return _finder_of_files(self.unpacked(f"{archive}.zip") + inner)
            self._bytecode[archive] = _dict_of(f"{archive}.bytecode")
        inner = inner.removeprefix("/")
        return _Modules(path, f"{self._place}/{inner}", inner, self._bytecode[archive])

    def find_spec(self, fullname: str, target: types.ModuleType | None = None) -> ModuleSpec | None:
        archive = f"{self._folder}/{fullname}.zip"
        if os.path.exists(f"{self._folder}/{fullname}.bytecode"):
            return self.finder(archive).find_spec(fullname, target)
        if not os.path.exists(archive):
            return None
        origin = f"{self._place}/{fullname}/{START}.py"
        spec = ModuleSpec(fullname, Unpacking(self, archive), origin=origin, is_package=True)
        spec.has_location = True
        spec.submodule_search_locations = [archive]
        return spec

    def unpacked(self, archive: str) -> str:
        """The folder of a package with compiled modules, unpacked from its archive."""
        if os.path.exists(archive):
            shutil.unpack_archive(archive, self._place)
            os.remove(archive)
            importlib.invalidate_caches()
        return f"{self._place}/{os.path.basename(archive).removesuffix('.zip')}"

    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]:
        """What ``pkgutil.iter_modules`` asks for."""
        if os.path.isdir(self._folder):
            for name in sorted(os.listdir(self._folder)):
                if name.endswith(".zip"):
                    yield prefix + name.removesuffix(".zip"), True


def _dict_of(file: str) -> dict[str, memoryview]:
    with open(file, "rb") as compressed:
        return read(compressed.read())


def _file(archive: str, ending: str) -> str:
    """A file of a package, which may have to be fetched.

    Raises:
        ImportError: when it cannot be.
    """
    path = f"{archive}.{ending}"
    if not os.path.exists(path) and os.path.exists(f"{archive}.json"):
        with open(f"{archive}.json", encoding="utf-8") as text:
            data = lazy_imports.fetch(**json.load(text)[ending])
        with open(path, "wb") as file:
            file.write(data)
    return path


def _finder_of_files(path: str) -> PathEntryFinder:
    loaders = ((ExtensionFileLoader, EXTENSION_SUFFIXES), (SourceFileLoader, SOURCE_SUFFIXES))
    return FileFinder(path, *((loader, list(suffixes)) for loader, suffixes in loaders))


class Unpacking(Loader):
    """Loads a package with compiled modules from files, unpacked when something is wanted."""

    def __init__(self, packages: _Packages, archive: str) -> None:
        self._packages = packages
        self._archive = archive

    def _unpacked(self, fullname: str) -> tuple[ModuleSpec, SourceFileLoader]:
        place = os.path.dirname(self._packages.unpacked(self._archive))
        spec = PathFinder.find_spec(fullname, [place])
        assert spec is not None
        assert isinstance(spec.loader, SourceFileLoader)
        return spec, spec.loader

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        spec, loader = self._unpacked(module.__name__)
        assert spec.submodule_search_locations is not None
        module.__spec__ = spec
        module.__loader__ = loader
        module.__path__ = spec.submodule_search_locations
        loader.exec_module(module)

    def get_source(self, fullname: str) -> str | None:
        return self._unpacked(fullname)[1].get_source(fullname)

    def get_resource_reader(self, fullname: str) -> Any:
        """What ``importlib.resources`` reads a package's files with."""
        return self._unpacked(fullname)[1].get_resource_reader(fullname)


class _Modules(Modules):
    """Finds the modules of a folder of one package, which may have parts that are fetched."""

    def archive(self) -> zipimporter:
        archive, _, inner = self._path.partition(".zip")
        return zipimporter(_file(archive, "zip") + inner)

    def code(self, name: str) -> memoryview:
        if not self._bytecode[name]:
            archive = self._path.partition(".zip")[0]
            self._bytecode.update(_dict_of(_file(archive, "rest")))
        return self._bytecode[name]
