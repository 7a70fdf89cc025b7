"""Tests that the programs of docs/from_scratch.md print the Graphs and the kernel it shows."""

from __future__ import annotations

from typing import Any

from guides.documents import block, blocks, run


def test_the_texts_that_are_shown() -> None:
    names: dict[str, Any] = {}
    printed = "".join(run(program, names) for program in blocks("docs/from_scratch.md", "python"))
    for shown in blocks("docs/from_scratch.md", "text"):
        assert shown in printed


def test_the_running_example() -> None:
    """Check that the loss function contains the lines at the beginning of the page."""
    lines = block("docs/from_scratch.md", "py", "hidden =").replace("loss =", "return")
    (loss,) = blocks("docs/from_scratch.md", "python", "def loss_of")
    assert all(f"    {line}\n" in loss for line in lines.splitlines())
