"""The pytest plugin that imports tfpy as TensorFlow, in the processes that run tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from absl import flags

from library_suite.running import NAME, ON_TFPY
from library_suite.table import Library, libraries

if os.environ[ON_TFPY] == "1":
    import tfpy

    tfpy.as_tensorflow(replace=True)
flags.FLAGS.mark_as_parsed()  # tests read flags, which the main function of absl would parse
if "PYTEST_XDIST_WORKER" in os.environ:
    # The folders of these tests have names that a library may use for its own modules. The main
    # process of xdist keeps them for the processes that it starts.
    _tests = Path(__file__).parents[1]
    sys.path[:] = [name for name in sys.path if Path(name).resolve() not in (_tests, _tests.parent)]


def library() -> Library:
    """Return the library whose tests run."""
    return libraries()[os.environ[NAME]]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that are left out."""
    left = {item for item in items if library().is_left_out(item.nodeid)}
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]
