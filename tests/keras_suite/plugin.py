"""The pytest plugin that runs Keras's own tests on tfpy."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

import tfpy

from . import absent, left_out

tfpy.as_tensorflow(replace=True)

MARKERS = ("requires_trainable_backend", "multi_device", "uses_gpu", "jax_grain_test")
ADDRESS = re.compile("at0x[0-9a-f]+")


def skip_if_backend(backend: str, reason: str) -> pytest.MarkDecorator:
    """Return the mark that Keras's tests import from their conftest, which its packages lack."""
    return pytest.mark.skipif(backend == "tensorflow", reason=reason)


sys.modules["conftest"] = types.ModuleType("conftest")
vars(sys.modules["conftest"])["skip_if_backend"] = skip_if_backend


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers of Keras's tests, and let Keras detect the installed packages."""
    for marker in MARKERS:
        config.addinivalue_line("markers", f"{marker}: of Keras's tests")
    from keras.src.utils import module_utils

    for package in vars(module_utils).values():
        if isinstance(package, module_utils.LazyModule):
            _ = package.available  # detected once, before there are substitutes


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Remove addresses from the names of tests, because processes must agree on the names."""
    for mark in metafunc.definition.iter_markers("parametrize"):
        if callable(ids := mark.kwargs.get("ids")):
            mark.kwargs["ids"] = lambda value, ids=ids: ADDRESS.sub("", str(ids(value)))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the files that cannot be imported here."""
    if not collection_path.is_relative_to(config.rootpath):
        return None
    name = collection_path.relative_to(config.rootpath).as_posix()
    return True if left_out.is_file_left_out(name) else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Import test files with substitutes for missing packages."""
    with absent.standing_in():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip a test that needs a missing package."""
    report = yield
    package = absent.missing(call.excinfo.value) if report.failed and call.excinfo else None
    if package:
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"needs the package {package}")
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the excluded tests as expected failures.

    They run, and unexpected passes are reported.
    """
    for item in items:
        if reason := left_out.reason(item.nodeid):
            item.add_marker(pytest.mark.xfail(reason=reason))
