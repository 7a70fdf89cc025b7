"""Modules with their bytecode in one file.

The file is compressed as a whole, which is a third smaller than separately compressed modules. It
contains a marshalled dict from module files without suffix to sizes, followed by the bytecode in
the same order. The site uses such files for packages and for the standard library. This module
therefore imports only modules that Python imports at startup.
"""

from __future__ import annotations

import marshal
import sys
from importlib import machinery
from importlib.abc import InspectLoader, PathEntryFinder
from zipimport import zipimporter

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    import types
    from collections.abc import Iterator
    from typing import Any

START = "__init__"


def read(file: bytes) -> dict[str, memoryview]:
    """Return the bytecode of the modules in a file."""
    import _zstd  # type: ignore[import-not-found]  # compression.zstd imports many modules

    data = memoryview(_zstd.ZstdDecompressor().decompress(file))
    sizes: dict[str, int] = marshal.loads(data)
    end = len(data) - sum(sizes.values())
    modules = {}
    for name, size in sizes.items():
        begin, end = end, end + size
        modules[name] = data[begin:end]
    return modules


def install(archive: str, bytecode: dict[str, memoryview]) -> None:
    """Make Python find modules where it would search an archive in `sys.path`."""

    def finder(path: str) -> PathEntryFinder:
        start, _, inner = path.partition(f"{archive}/")
        if path != archive and start:
            raise ImportError(f"{path} is not in {archive}", path=path)
        return Modules(path, path, inner, bytecode)

    sys.path_hooks.insert(0, finder)
    sys.path_importer_cache.clear()


class Modules(PathEntryFinder):
    """A finder for the modules in a folder of an archive, the ones at `inner` in the dict.

    The modules have file names as if they were unpacked to `place`.
    """

    def __init__(self, path: str, place: str, inner: str, bytecode: dict[str, memoryview]) -> None:
        self._path = path
        self._place = place.removesuffix("/")
        self._start = f"{inner}/" if inner else ""
        self._bytecode = bytecode

    def archive(self) -> zipimporter:
        """Return an importer for the folder in the archive."""
        return zipimporter(self._path)

    def code(self, name: str) -> memoryview:
        """Return the bytecode of a module."""
        return self._bytecode[name]

    def data(self, path: str) -> bytes:
        """Return the content of a file in this folder."""
        return self.archive().get_data(self._path + path.removeprefix(self._place))

    def find_spec(
        self, fullname: str, target: types.ModuleType | None = None
    ) -> machinery.ModuleSpec | None:
        name = fullname.rpartition(".")[2]
        module = f"{self._start}{name}/{START}"
        if is_package := module in self._bytecode:
            origin = f"{self._place}/{name}/{START}.py"
        else:
            module = self._start + name
            origin = f"{self._place}/{name}.py"
        if module not in self._bytecode:
            return None
        loader = _Loader(self, origin, module, is_package)
        spec = machinery.ModuleSpec(fullname, loader, origin=origin, is_package=is_package)
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(f"{self._path}/{name}")
        return spec

    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]:
        """Yield the modules in the folder, for `pkgutil.iter_modules`."""
        for file in sorted(self._bytecode):
            if file.startswith(self._start):
                name, _, rest = file.removeprefix(self._start).partition("/")
                if rest == START or (not rest and name != START):
                    yield prefix + name.partition(".")[0], bool(rest)


class _Loader(InspectLoader):
    """A loader for bytecode. It reads source and data from the archive."""

    def __init__(self, finder: Modules, origin: str, module: str, is_package: bool) -> None:
        self._finder = finder
        self._origin = origin
        self._module = module
        self._is_package = is_package

    def get_code(self, fullname: str) -> types.CodeType:
        code: types.CodeType = marshal.loads(self._finder.code(self._module))
        return code

    def is_package(self, fullname: str) -> bool:
        return self._is_package

    def get_filename(self, fullname: str) -> str:
        """Return the module's `__file__`, as if it were unpacked."""
        return self._origin

    def get_source(self, fullname: str) -> str | None:
        return self._finder.archive().get_source(fullname)

    def get_data(self, path: str) -> bytes:
        """Return the content of a file in the archive, given its path as if it were unpacked."""
        return self._finder.data(path)

    def get_resource_reader(self, fullname: str) -> Any:
        """Return a reader of the package's files, for `importlib.resources`."""
        return self._finder.archive().get_resource_reader(fullname)
