"""A pytest plugin that runs tests with the dispatch extension: `pytest -p compiled_dispatch`.

pytest imports it before the conftest files, which import tfpy. A program imports it before tfpy.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from buildsys.dispatch import MODULE, PLACE, for_python

NAME = f"{PLACE.replace('/', '.')}.{MODULE}"


def _load() -> None:
    """Load the extension, so that tfpy finds it as a part of its package."""
    assert "tfpy" not in sys.modules, "tfpy is imported already, so it does not use the extension"
    file = for_python(Path(sys.executable))
    spec = importlib.util.spec_from_file_location(NAME, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[NAME] = module


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report the numbers of calls that took the fast path in this process."""
    ops, calls = sys.modules[NAME].taken()
    terminalreporter.write_line(f"{ops} fast ops, {calls} fast calls of compiled functions")


_load()
