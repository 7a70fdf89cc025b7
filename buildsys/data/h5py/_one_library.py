"""An import finder for h5py's extension modules, which are in one library together with HDF5.

In separate libraries, each module would need its own copy of HDF5. tfpy's build adds this file to
h5py, and an import of it to h5py/__init__.py.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

# With the suffix .so, Pyodide would load the library before it is imported.
LIBRARY = str(Path(__file__).with_name("_library.wasm"))
MODULES = frozenset({"@MODULES@"})


class _Finder:
    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, module = name.rpartition(".")
        if package != __package__ or module not in MODULES:
            return None
        loader = ExtensionFileLoader(name, LIBRARY)
        return spec_from_file_location(name, LIBRARY, loader=loader)


sys.meta_path.insert(0, _Finder)
