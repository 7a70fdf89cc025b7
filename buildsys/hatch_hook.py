"""Hatchling's hooks: assets and bytecode of the wheel, and the README of its metadata.

They run for every PEP 517 front end. A source distribution contains the assets, and only this file
of the build.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_IMAGE = re.compile(r"(!\[[^\]]*\]\()(?![a-z]+:)")
_LINK = re.compile(r"(\]\()(?![a-z]+:)(#?)")


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


class ReadmeHook(MetadataHookInterface):
    """The hook that adds the README to the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README with links that work outside of the repository."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = with_absolute_links(text, metadata["urls"]["Homepage"], f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def with_absolute_links(text: str, repository: str, tag: str) -> str:
    """Return a README with absolute links to the files of a version in the repository.

    Args:
        text: Markdown.
        repository: URL of the repository.
        tag: Tag of the version.
    """
    parts = _CODE.split(text)
    for i in range(0, len(parts), 2):  # the others are blocks of code
        part = _IMAGE.sub(rf"\g<1>{repository}/raw/{tag}/", parts[i])
        parts[i] = _LINK.sub(lambda match: _target(match, f"{repository}/blob/{tag}/"), part)
    return "".join(parts)


def _target(match: re.Match[str], folder: str) -> str:
    """Return the beginning of a link; a heading is one of the README."""
    return f"{match[1]}{folder}{'README.md#' if match[2] else ''}"
