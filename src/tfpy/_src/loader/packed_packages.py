"""Packages that a page stores packed: bytecode in one file, all other files in an archive.

The site's wheels of tfpy, of Keras and of its dependencies have two files for each package:
NAME.bytecode, which `bytecode.py` reads, and NAME.zip. To unpack a thousand files and to search for
each would take longer than to run them. A package with compiled modules, which must be files, has
only an archive, which is unpacked when the package is first loaded. NumPy has no archive, because
pages do not need its sources. Its compiled modules are in NAME.files, in the format of
NAME.bytecode, and so are tfpy's shaders. They are written to files when the package is first found.

NAME.bytecode may also contain data of a package, by their full names. Compiled modules and files of
a late archive have empty entries there.

Some files of a large package are downloaded on first use. NAME.json describes them, by ending. The
file "rest" contains the bytecode of modules that are empty in NAME.bytecode.
"""

from __future__ import annotations

import errno
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
from importlib.util import spec_from_file_location
from typing import Any
from zipimport import zipimporter

from tfpy._src.loader import lazy_imports
from tfpy._src.loader.bytecode import START, Modules, read


def install(folder: str) -> None:
    """Make Python import the packages that are stored packed in a folder, now or later."""
    if folder not in sys.path:
        sys.path_hooks.insert(0, _Packages(folder).finder)
        sys.path.append(folder)


class _Packages(PathEntryFinder):
    """A finder for the packages in a folder. Their modules are found below NAME.zip."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._place = os.path.dirname(folder)
        self._bytecode: dict[str, dict[str, memoryview]] = {}

    def finder(self, path: str) -> PathEntryFinder:
        """Return the finder for an entry of `sys.path` or `__path__`.

        Raises:
            ImportError: If the entry is not in this folder.
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
            self._write(f"{archive}.files")
        inner = inner.removeprefix("/")
        return _Modules(path, self._place, inner, self._bytecode[archive])

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
        """Return the folder of a package with compiled modules, and unpack it if necessary."""
        if os.path.exists(archive):
            shutil.unpack_archive(archive, self._place)
            os.remove(archive)
            importlib.invalidate_caches()
        return f"{self._place}/{os.path.basename(archive).removesuffix('.zip')}"

    def _write(self, packed: str) -> None:
        """Write the files of a package that must be files, and remove the packed file."""
        if not os.path.exists(packed):
            return
        files = {f"{self._place}/{name}": data for name, data in _dict_of(packed).items()}
        for folder in sorted({os.path.dirname(file) for file in files}):
            os.makedirs(folder, exist_ok=True)
        for file, data in files.items():
            with open(file, "wb", buffering=0) as out:
                out.write(data)
        os.remove(packed)

    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]:
        """Yield the packages in the folder, for `pkgutil.iter_modules`."""
        if os.path.isdir(self._folder):
            for name in sorted(os.listdir(self._folder)):
                if name.endswith(".zip"):
                    yield prefix + name.removesuffix(".zip"), True


def _dict_of(file: str) -> dict[str, memoryview]:
    with open(file, "rb") as compressed:
        return read(compressed.read())


def _file(archive: str, ending: str) -> str:
    """Return the path of a package's file, and download the file if necessary.

    Raises:
        ImportError: If the download fails.
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
    """A loader for a package with compiled modules, which it unpacks on first use."""

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
        """Return a reader of the package's files, for `importlib.resources`."""
        return self._unpacked(fullname)[1].get_resource_reader(fullname)


class _Modules(Modules):
    """A finder for the modules in a folder of a package. It may download some files."""

    def __init__(
        self, path: str, packages: str, inner: str, bytecode: dict[str, memoryview]
    ) -> None:
        super().__init__(path, f"{packages}/{inner}", inner, bytecode)
        self._packages = packages

    def find_spec(self, fullname: str, target: types.ModuleType | None = None) -> ModuleSpec | None:
        spec = super().find_spec(fullname, target)
        if spec is not None:
            return spec
        name = self._start + fullname.rpartition(".")[2]
        files = (name + suffix for suffix in EXTENSION_SUFFIXES)
        found = next((file for file in files if file in self._bytecode), "")
        return spec_from_file_location(fullname, f"{self._packages}/{found}") if found else None

    def data(self, path: str) -> bytes:
        """Return the content of a file of the package, given its path as if it were unpacked.

        Raises:
            FileNotFoundError: If a package with late files does not have the file.
        """
        name = path.removeprefix(f"{self._packages}/")
        if stored := self._bytecode.get(name):
            return bytes(stored)
        late = f"{self._path.partition('.zip')[0]}.json"
        if name not in self._bytecode and os.path.exists(late):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return self.archive().get_data(name)

    def archive(self) -> zipimporter:
        archive, _, inner = self._path.partition(".zip")
        return zipimporter(_file(archive, "zip") + inner)

    def code(self, name: str) -> memoryview:
        if not self._bytecode[name]:
            archive = self._path.partition(".zip")[0]
            self._bytecode.update(_dict_of(_file(archive, "rest")))
        return self._bytecode[name]
