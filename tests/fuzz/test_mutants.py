"""Corrupt Programs of fixed seeds on the wasm runtime, and the detection of errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from wasm.conftest import require_assets

from . import mutants
from .mutate import mutated

DOCUMENT = '{"version": 1, "buffers": [{"dtype": "float32", "shape": [2, 3]}], "inputs": [0]}'


def test_broken_programs_on_wasm(capsys: pytest.CaptureFixture[str]) -> None:
    require_assets("simd")
    found = mutants.run("wasm", 0, 4000, None)
    assert not found, capsys.readouterr().out


def test_broken_files_of_exported_programs(capsys: pytest.CaptureFixture[str]) -> None:
    require_assets("simd")
    found = mutants.run("exported", 0, 150, None)
    assert not found, capsys.readouterr().out


def test_mutants_are_others() -> None:
    texts = [mutated(np.random.default_rng(seed), DOCUMENT) for seed in range(200)]
    assert len(set(texts)) > 100
    assert texts[7] == mutated(np.random.default_rng(7), DOCUMENT)
    changed = [t for t in texts if t != DOCUMENT]
    assert len(changed) > 150


class Answers:
    """A runtime that returns one answer to every request."""

    def __init__(self, **verdict: Any) -> None:
        self.verdict = {"ran": True, "message": "", "wrong": [], **verdict}

    def __enter__(self) -> mutants.Trials:
        return lambda batch: [self.verdict for _ in batch]

    def __exit__(self, *error: object) -> None: ...


@pytest.mark.parametrize(
    ("verdict", "found"),
    [
        ({}, []),
        ({"ran": False, "message": "Error: wasm: program: no buffers"}, []),
        ({"wrong": ["input 0 was changed"]}, ["input 0 was changed"]),
        ({"message": "RuntimeError: unreachable"}, ["unclear: RuntimeError: unreachable"]),
    ],
)
def test_what_is_wrong_is_found(
    verdict: dict[str, Any], found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(mutants.OPEN, "wasm", lambda: Answers(**verdict))
    assert list(mutants.run("wasm", 0, 50, None)) == found
