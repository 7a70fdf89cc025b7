"""Explanations of a ModuleNotFoundError in a page of tfpy's loader."""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
from typing import Any

from tfpy._src.base import missing_packages
from tfpy._src.base.missing_packages import PythonPlace, remedy
from tfpy._src.loader import lazy_imports

LIST = "distribution.json"
"""The site's list of the packages in Pyodide's distribution."""
_ALIAS = {
    PythonPlace.SCRIPT: 'Add as-tensorflow to the <script type="text/tfpy"> of the page',
    PythonPlace.LOADER: "Load tfpy with loadTfpy({ asTensorflow: true })",
    PythonPlace.BROWSER_TEST: 'With run_in_browser(packages=["keras"]) this is automatic',
}
_MARK = "_tfpy_explained"


def explain() -> None:
    """Add an explanation to each ModuleNotFoundError that a page receives.

    Pyodide itself adds an explanation when such an error becomes one of JavaScript. It suggests
    functions that this page need not have.
    """
    missing_packages.place = PythonPlace.LOADER
    hook: Any = importlib.import_module("_pyodide._importhook")
    of_pyodide = hook.add_note_to_module_not_found_error

    def add_any_note(error: ModuleNotFoundError) -> None:
        if _top(error) in sys.stdlib_module_names:
            of_pyodide(error)
        else:
            add_note(error)

    hook.add_note_to_module_not_found_error = add_any_note


def add_note(error: ModuleNotFoundError) -> None:
    """Add an explanation to an error, unless the module belongs to the standard library."""
    first = _top(error)
    is_known = first in sys.stdlib_module_names or first in sys.modules
    if first and not is_known and not hasattr(error, _MARK):
        setattr(error, _MARK, True)
        if note := note_for(first):
            error.add_note(note)


def _top(error: ModuleNotFoundError) -> str:
    """Return the name of the missing module, without submodules."""
    return (error.name or "").partition(".")[0]


def note_for(module: str) -> str:
    """Return the explanation for a module that was not found; empty if there is none.

    Args:
        module: Name of the module, without a parent.
    """
    if module == "tensorflow":
        place = missing_packages.place or PythonPlace.LOADER
        return f"tfpy can stand in for TensorFlow. {_ALIAS[place]}, or call tf.as_tensorflow()."
    package = _package_of(module)
    if package:
        return f"The page has not loaded the package {package}. {remedy(package)}"
    if missing_packages.place is PythonPlace.BROWSER_TEST:
        return (
            "If it is a module of yours, name the folder that contains it: pytest "
            f"--tfpy-source=FOLDER. {_MICROPIP.format(module)}"
        )
    if missing_packages.place is PythonPlace.SCRIPT:
        return (
            f'If it is a file of yours, add modules="{module}.py" to the <script '
            f'type="text/tfpy"> of the page. {_MICROPIP.format(module)}'
        )
    return _MICROPIP.format(module)


_MICROPIP = (
    "If it is a pure Python package of PyPI, request the package micropip, and call "
    'await micropip.install("{}") before the import.'
)


def _package_of(module: str) -> str:
    """Return the package of the site or of Pyodide's distribution that contains a module."""
    pyodide_js: Any = importlib.import_module("pyodide_js")
    described: dict[str, Any] = pyodide_js.lockfile.packages.to_py()
    with contextlib.suppress(ImportError, OSError, ValueError, KeyError):  # no list on the site
        described = json.loads(lazy_imports.read(LIST))["packages"] | described
    return next((name for name, facts in described.items() if module in facts["imports"]), "")
