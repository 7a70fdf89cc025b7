"""Write a pyodide-lock.json next to its files: make_lock.py CORE FOLDER.

CORE is Pyodide's npm package. Its own lock describes hundreds of packages; the new one describes
only those whose wheels are in FOLDER, with their names, hashes, dependencies and imports.
"""

import json
import sys
import zipfile
from pathlib import Path

from pyodide_lock import PyodideLockSpec, utils

# Packages that Keras requires and imports late (src/tfpy/_src/keras_support/overlay.py). The demo
# is served before they are built.
FOLLOWING = {"h5py"}
# Folders and suffixes of packages that are not folders of sources. They are packed, or parts of
# them are downloaded on first import.
OTHERWISE = {("packed", ".zip"), ("packed", ".bytecode"), ("late", ".json")}
find_imports = utils.parse_top_level_import_name
environment = utils._get_marker_environment


def imports(wheel: Path) -> list[str] | None:
    """Return the names of the packages in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = [Path(name) for name in archive.namelist()]
    found = {name.stem for name in names if (str(name.parent), name.suffix) in OTHERWISE}
    return sorted(found) or find_imports(wheel)


utils.parse_top_level_import_name = imports
core, folder = (Path(name) for name in sys.argv[1:])
info = json.loads((core / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]
version = json.loads((core / "package.json").read_text(encoding="utf-8"))["version"]
# Wheels are tagged with Pyodide's ABI (PEP 783), but pyodide-lock compares the compiler's version.
# The markers of requirements refer to the platform that Python reports.
tagged_as = {**info, "version": version, "platform": f"pyemscripten_{info['abi_version']}"}
utils._get_marker_environment = lambda **named: environment(
    **{**named, "platform": info["platform"]}
)
lock = PyodideLockSpec(info=tagged_as, packages={})
wheels = sorted(folder.glob("*.whl"))
lock = utils.add_wheels_to_spec(lock, wheels, ignore_missing_dependencies=True)
for name, package in lock.packages.items():
    missing = set(package.depends) - lock.packages.keys()
    if missing - FOLLOWING:
        sys.exit(f"{name} requires packages whose wheels are missing: {sorted(missing)}")
    package.depends = [need for need in package.depends if need not in missing]
lock.info.platform = info["platform"]
temporary = folder / "pyodide-lock.json.tmp"
lock.to_json(temporary)
temporary.replace(folder / "pyodide-lock.json")
