"""The JavaScript that Emscripten makes for the modules."""

from __future__ import annotations

from buildsys import glue


def test_nothing_waits_for_the_memory_of_a_closed_module() -> None:
    """A promise of ``Atomics.waitAsync`` would keep it: each backend that was closed, 30 MB."""
    text = (glue.ensure("relaxed-threads") / "xnnpack-relaxed-threads.js").read_text()
    assert "PThread" in text
    assert "waitAsync" not in text
