"""How many changes of file it takes to read what a call does. What runs often is near together."""

from __future__ import annotations

import pytest
import walks
from guides.documents import block

LIMITS = {"to the shader": 55, "compiled": 15, "gradient": 60}


@pytest.mark.parametrize("name", LIMITS)
def test_changes_of_file(name: str) -> None:
    found = walks.WALKS[name]()
    assert found.calls, "the walk notes calls"
    assert found.changes <= LIMITS[name], f"more than {LIMITS[name]} changes of file\n{found}"


def test_the_docs_show_the_way_to_the_shader() -> None:
    files = walks.to_the_shader().files
    assert {"core/eager.py", "compiler/lower/webgl/glsl/shader.py"} <= {*files}
    shown = block("docs/architecture.md", "text", "core/primitives.py").split()
    assert " ".join(shown) == " → ".join(files)
