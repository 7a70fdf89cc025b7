"""The list of the packages in Pyodide's distribution."""

from __future__ import annotations

import json
from pathlib import Path

from buildsys import distribution

PAGES = Path(__file__).parents[2] / "docs" / "pages.md"


def test_the_list_is_complete() -> None:
    found = json.loads(distribution.listed())
    packages = found["packages"]
    assert {"matplotlib", "numpy", "pandas", "pillow", "scikit-learn"} <= packages.keys()
    assert {need for facts in packages.values() for need in facts["depends"]} <= packages.keys()
    assert all(len(facts["sha256"]) == 64 for facts in packages.values())
    assert packages["pillow"]["imports"] == ["PIL"]
    assert f"https://cdn.jsdelivr.net/pyodide/v{found['version']}/full/" in PAGES.read_text()
