"""The project's table in pyproject.toml."""

from __future__ import annotations

import tomllib

from .paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DISTRIBUTION: str = PROJECT["name"]
"""Name on PyPI and npm, and in lock files of Pyodide. Python imports the package as tfpy."""
