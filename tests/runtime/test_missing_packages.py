"""Messages about packages that are missing, in each place where Python runs."""

from __future__ import annotations

import importlib
from importlib.machinery import ModuleSpec
from typing import Any

import pytest

import tfpy
from tfpy._src.base import missing_packages
from tfpy._src.base.missing_packages import PythonPlace, remedy, several_devices


@pytest.mark.parametrize(
    ("has", "text"),
    [
        ("pyodide_kernel", "Run %pip install pillow in a cell."),
        ("marimo", 'Add "pillow" to the dependencies in the first lines of the notebook.'),
        ("pyscript", 'Add "pillow" to the packages in the configuration of the PyScript script.'),
        ("nothing", 'await pyodide.loadPackage("pillow")'),
    ],
)
def test_places_in_browsers(monkeypatch: pytest.MonkeyPatch, has: str, text: str) -> None:
    def find_spec(name: str) -> ModuleSpec | None:
        return ModuleSpec(name, None) if name == has else None

    monkeypatch.setattr(missing_packages, "_IN_BROWSER", True)
    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    assert text in remedy("pillow")
    assert "keras==3.15.*" in remedy("keras", "3.15.*")
    assert remedy("jax") == "It does not run in browsers."
    assert several_devices() == "In browsers, tfpy computes on one device."


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (PythonPlace.JUPYTERLITE, "build it with --piplite-wheels"),
        (PythonPlace.MARIMO, "describes how to use Keras in JupyterLite"),
        (PythonPlace.PYSCRIPT, "describes how to use Keras in JupyterLite"),
        (PythonPlace.PYODIDE, "from the folder pyodide of tfpy's site"),
    ],
)
def test_keras_in_browsers(monkeypatch: pytest.MonkeyPatch, place: PythonPlace, text: str) -> None:
    monkeypatch.setattr(missing_packages, "place", place)
    assert text in remedy("keras")


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (PythonPlace.SCRIPT, 'Add packages="pillow" to the <script type="text/tfpy"> of the page.'),
        (
            PythonPlace.LOADER,
            'Request it when the page loads tfpy: loadTfpy({ packages: ["pillow"] }).',
        ),
        (PythonPlace.BROWSER_TEST, 'Add packages=["pillow"] to run_in_browser.'),
    ],
)
def test_pages_of_the_loader(
    monkeypatch: pytest.MonkeyPatch, place: PythonPlace, text: str
) -> None:
    monkeypatch.setattr(missing_packages, "place", place)
    assert remedy("pillow") == text


def test_python() -> None:
    assert remedy("keras") == 'Run pip install "tfpy-web[keras]".'
    assert remedy("ml-dtypes") == "Run pip install ml-dtypes."
    assert several_devices() == (
        "To use several devices, run pip install jax and call tf.set_backend('jax')."
    )


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda tf: tf.set_backend("webgpo"), "Did you mean 'webgpu'?"),
        (lambda tf: tf.cast(1, "flaot32"), "Did you mean 'float32'?"),
        (
            lambda tf: tf.env().get("TFPY_WASM_THREADS_CONT"),
            "Did you mean 'TFPY_WASM_THREADS_COUNT'",
        ),
        (lambda tf: tf.register_gradient("rond")(abs), "Did you mean 'round'?"),
        (lambda tf: tf.distribute.Mirrored, "did you mean tf.distribute.MirroredStrategy"),
        (lambda tf: tf.config.set_visible_device, "did you mean tf.config.set_visible_devices"),
    ],
)
def test_misspelled_names(call: Any, text: str) -> None:
    with pytest.raises((AttributeError, TypeError, ValueError)) as caught:
        call(tfpy)
    assert text in str(caught.value)
