"""Hatchling's build hook: makes the wheel's assets, so that every PEP 517 front end gets them.

A source distribution has them inside, and nothing of the build but this file.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class AssetsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs before hatchling collects the files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make what is missing or out of date in src/tfpy/assets; not for editable installs."""
        root = Path(self.root)
        if version == "editable" or not (root / "buildsys" / "assets.py").is_file():
            return
        sys.path.insert(0, str(root))
        try:
            from buildsys import assets
        finally:
            sys.path.remove(str(root))
        assets.ensure()
