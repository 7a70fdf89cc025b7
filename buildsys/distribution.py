"""The list of the packages in Pyodide's distribution, for pages that request such packages.

The site does not contain these packages. Pages load them from Pyodide's CDN or from a copy, and
check them with the digests of this list (web/site/distribution.mjs).
"""

from __future__ import annotations

import json
import re
from typing import Any

from . import npm

NAME = "pyodide/distribution.json"
FACTS = ("file_name", "imports", "install_dir", "package_type", "sha256", "version")
TESTS = "-tests"
"""Suffix of packages that contain only the tests of another package."""


def listed() -> str:
    """Return the list as JSON: the version of Pyodide, and the packages by normalized name."""
    core = npm.ensure() / "pyodide"
    lock = json.loads((core / "pyodide-lock.json").read_text(encoding="utf-8"))
    packages = {name: _entry(name, facts) for name, facts in lock["packages"].items()}
    kept = {name: facts for name, facts in packages.items() if not name.endswith(TESTS)}
    version = json.loads((core / "package.json").read_text(encoding="utf-8"))["version"]
    return json.dumps({"version": version, "packages": kept}, separators=(",", ":"))


def _entry(name: str, facts: dict[str, Any]) -> dict[str, Any]:
    needs = [_normalized(need) for need in facts["depends"]]
    return {"name": name, "depends": needs, **{fact: facts[fact] for fact in FACTS}}


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
