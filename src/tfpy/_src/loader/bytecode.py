"""Modules whose bytecode stands in one file.

The file is a marshalled dict of sizes by the files' names without suffix, and then the bytecode in
that order, compressed as a whole: that is a third less than modules that are compressed one by one.
The site has packages in such files, and the standard library, so that this module imports only what
Python starts with.
"""

from __future__ import annotations

import marshal
import sys
from importlib import machinery
from importlib.abc import InspectLoader, PathEntryFinder
from zipimport import zipimporter

TYPE_CHECKING = False  # as typing has it
if TYPE_CHECKING:
    import types
    from collections.abc import Iterator
    from typing import Any

START = "__init__"


def read(file: bytes) -> dict[str, memoryview]:
    """The bytecode that a file holds."""
    import _zstd  # type: ignore[import-not-found]  # compression.zstd imports much else

    data = memoryview(_zstd.ZstdDecompressor().decompress(file))
    sizes: dict[str, int] = marshal.loads(data)
    end = len(data) - sum(sizes.values())
    modules = {}
    for name, size in sizes.items():
        begin, end = end, end + size
        modules[name] = data[begin:end]
    return modules


def install(archive: str, bytecode: dict[str, memoryview]) -> None:
    """Lets Python find modules where it looks into an archive of ``sys.path``, which has few."""

    def finder(path: str) -> PathEntryFinder:
        start, _, inner = path.partition(f"{archive}/")
        if path != archive and start:
            raise ImportError(f"{path} is not in {archive}", path=path)
        return Modules(path, path, inner, bytecode)

    sys.path_hooks.insert(0, finder)
    sys.path_importer_cache.clear()


class Modules(PathEntryFinder):
    """Finds the modules of a folder of an archive, those at ``inner`` in the dict.

    Their files are called as if they were unpacked, to ``place``.
    """

    def __init__(self, path: str, place: str, inner: str, bytecode: dict[str, memoryview]) -> None:
        self._path = path
        self._place = place.removesuffix("/")
        self._start = f"{inner}/" if inner else ""
        self._bytecode = bytecode

    def archive(self) -> zipimporter:
        """What reads the folder in the archive."""
        return zipimporter(self._path)

    def code(self, name: str) -> memoryview:
        """The bytecode of a module."""
        return self._bytecode[name]

    def data(self, path: str) -> bytes:
        """What a file of this folder holds."""
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
        """What ``pkgutil.iter_modules`` asks for."""
        for file in sorted(self._bytecode):
            if file.startswith(self._start):
                name, _, rest = file.removeprefix(self._start).partition("/")
                if rest == START or (not rest and name != START):
                    yield prefix + name, bool(rest)


class _Loader(InspectLoader):
    """Loads a module from its bytecode; gives its source, and data, from the archive."""

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
        """The module's ``__file__``, as if it were unpacked."""
        return self._origin

    def get_source(self, fullname: str) -> str | None:
        return self._finder.archive().get_source(fullname)

    def get_data(self, path: str) -> bytes:
        """What a file of the archive holds, called as if it were unpacked."""
        return self._finder.data(path)

    def get_resource_reader(self, fullname: str) -> Any:
        """What ``importlib.resources`` reads a package's files with."""
        return self._finder.archive().get_resource_reader(fullname)
