"""`.gitattributes`, which `build.py face` makes and `build.py check` compares."""

from __future__ import annotations

from buildsys import face
from buildsys.paths import ROOT


def test_marked_files() -> None:
    """Check that each entry is a file that exists, and that no hand-written file is marked."""
    entries = [line.split() for line in face.ATTRIBUTES.read_text(encoding="utf-8").splitlines()]
    patterns = [entry[0].removeprefix("/") for entry in entries[1:]]
    assert all(entry[1:] == ["linguist-generated"] for entry in entries[1:])
    found = {file for pattern in patterns for file in ROOT.glob(pattern)}
    assert all([*ROOT.glob(pattern)] for pattern in patterns)
    marked = {file.relative_to(ROOT).as_posix() for file in found}
    assert {"src/tfpy/nn/__init__.py", "docs/ops.md", "requirements/test.txt"} <= marked
    assert not {"src/tfpy/convert.py", "docs/environment.md", "requirements/site.txt"} & marked
    modules = [file for file in found if file.suffix == ".py"]
    assert all("Generated from api.toml" in file.read_text(encoding="utf-8") for file in modules)
