"""Skip tests that need something that is not built."""

from __future__ import annotations

from typing import NoReturn

import pytest


def skip(name: str) -> NoReturn:
    """Skip the test, or the module that is being imported, instead of a step of the build."""
    pytest.skip(f"needs a build ({name}): python build.py test", allow_module_level=True)
