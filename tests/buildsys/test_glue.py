"""The modules of the wasm backend and the JavaScript that Emscripten generates for them."""

from __future__ import annotations

import pytest

from buildsys import glue

RELAXED_MADD = b"\xfd\x85\x02"  # the opcode of f32x4.relaxed_madd


def test_nothing_waits_for_the_memory_of_a_closed_module() -> None:
    """Check that the modules do not use ``Atomics.waitAsync``.

    Its promise would keep 30 MB of each closed backend alive.
    """
    text = glue.ensure("relaxed-threads")[0].read_text()
    assert "PThread" in text
    assert "waitAsync" not in text


@pytest.mark.parametrize("variant", glue.VARIANTS)
def test_relaxed_modules_alone_have_relaxed_instructions(variant: str) -> None:
    """Check that only relaxed variants have relaxed instructions.

    Variants of a memory model share objects that are compiled without relaxed SIMD.
    """
    _, module = glue.ensure(variant)
    count = module.read_bytes().count(RELAXED_MADD)
    assert count > 1000 if variant.startswith("relaxed") else count == 0
