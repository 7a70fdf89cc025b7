"""Instructions for the installation of missing packages, for the messages of errors.

The answer depends on the place where Python runs.
"""

from __future__ import annotations

import importlib.util
import sys
from enum import Enum


class PythonPlace(Enum):
    """A place where Python runs, with the text that explains how to get a package there."""

    PYTHON = "Run pip install {pip}."
    SCRIPT = 'Add packages="{name}" to the <script type="text/tfpy"> of the page.'
    LOADER = 'Request it when the page loads tfpy: loadTfpy({{ packages: ["{name}"] }}).'
    BROWSER_TEST = 'Add packages=["{name}"] to run_in_browser.'
    JUPYTERLITE = "Run %pip install {required} in a cell."
    MARIMO = 'Add "{required}" to the dependencies in the first lines of the notebook.'
    PYSCRIPT = 'Add "{required}" to the packages in the configuration of the PyScript script.'
    PYODIDE = (
        'Call await pyodide.loadPackage("{name}") in JavaScript, or '
        'await micropip.install("{required}") in Python.'
    )


place: PythonPlace | None = None
"""Place of this program if tfpy's loader has started Python, or None."""

_IN_BROWSER = sys.platform == "emscripten"
_MARKS = {
    "pyodide_kernel": PythonPlace.JUPYTERLITE,
    "marimo": PythonPlace.MARIMO,
    "pyscript": PythonPlace.PYSCRIPT,
}
"""Modules that only these places have."""
_PIP = {"keras": '"tfpy-web[keras]"'}
"""Arguments of pip for packages that tfpy requires in certain versions."""
_KERAS_ELSEWHERE = (
    "The packages that it needs are not on PyPI for browsers. The page Notebooks of tfpy's "
    "documentation describes how to use Keras in JupyterLite."
)
_KERAS = {
    PythonPlace.JUPYTERLITE: (
        "Run %pip install tfpy-web keras in a cell. The packages that Keras needs are not on PyPI "
        "for browsers, so the JupyterLite site must contain them: build it with --piplite-wheels, "
        "as the page Notebooks of tfpy's documentation describes."
    ),
    PythonPlace.MARIMO: _KERAS_ELSEWHERE,
    PythonPlace.PYSCRIPT: _KERAS_ELSEWHERE,
    PythonPlace.PYODIDE: (
        "Load Pyodide from the folder pyodide of tfpy's site, and in JavaScript call "
        'await pyodide.loadPackage("keras").'
    ),
}
"""Texts for Keras, which needs packages that tfpy's site contains and PyPI does not."""
_NATIVE = {"jax"}
"""Packages that do not run in browsers."""


def remedy(name: str, version: str = "") -> str:
    """Return a sentence that explains how to get a package.

    Args:
        name: Name of the package, normalized.
        version: Version that tfpy requires, such as "3.15.*". Default: any.
    """
    if name in _NATIVE and _IN_BROWSER:
        return "It does not run in browsers."
    if name == "keras" and not version and _place() in _KERAS:
        return _KERAS[_place()]
    required = f"{name}=={version}" if version else name
    pip = _PIP.get(name, f'"{required}"' if version else name)
    return _place().value.format(name=name, required=required, pip=pip)


def several_devices() -> str:
    """Return a sentence that explains how to compute on several devices or in several processes."""
    if _IN_BROWSER:
        return "In browsers, tfpy computes on one device."
    command = remedy("jax").removesuffix(".")
    return (
        f"To use several devices, {command[0].lower()}{command[1:]} and call tf.set_backend('jax')."
    )


def _place() -> PythonPlace:
    if place is not None:
        return place
    if not _IN_BROWSER:
        return PythonPlace.PYTHON
    found = (_MARKS[name] for name in _MARKS if importlib.util.find_spec(name) is not None)
    return next(found, PythonPlace.PYODIDE)
