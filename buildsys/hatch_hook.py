"""Hatchling's build hook: makes the wheel's assets and bytecode for every PEP 517 front end.

A source distribution contains the assets, and only this file of the build.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class AssetsHook(BuildHookInterface):  # type: ignore[type-arg]
    """The hook that runs before hatchling collects the files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the assets that are missing or out of date, except for editable installs."""
        root = Path(self.root)
        if version == "editable" or not (root / "buildsys" / "assets.py").is_file():
            return
        sys.path.insert(0, str(root))
        try:
            from buildsys import assets, bytecode
        finally:
            sys.path.remove(str(root))
        assets.ensure()
        if self.target_name == "wheel":
            build_data["force_include"] |= {str(f): n for f, n in bytecode.ensure().items()}
