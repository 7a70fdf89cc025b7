"""Models in all formats of weights compute the recorded results of llama.cpp."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import numpy as np
import pytest
from wasm.conftest import require_assets

from buildsys import pyenv
from buildsys.paths import ROOT

from . import recorded

GUIDE = (ROOT / "docs" / "language_models.md").read_text(encoding="utf-8")
ROUNDING = 0.01
"""Greatest difference of log-probabilities by other roundings. The cache of llama.cpp is in
float16."""
Json = dict[str, Any]


@pytest.fixture(scope="module")
def found() -> Json:
    """Return the results of tfpy on wasm."""
    require_assets("relaxed")
    argv = [str(pyenv.ensure("hub_tests")), "-m", "llama_cpp_suite.small_models", *recorded.load()]
    env = pyenv.importing("src", "tests", ".")
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    results: Json = json.loads(done.stdout.splitlines()[-1])
    return results


@pytest.mark.parametrize("form", recorded.load())
def test_tokens_are_those_of_llama_cpp(form: str, found: Json) -> None:
    """Compare with the blocks in llama.cpp, where its rounding cannot change the token.

    Compare also with the same weights in float32, for which both round little.
    """
    known, mine = recorded.load()[form], found[form]
    is_clear = np.array(mine["margins"]) > 2 * np.array(known["errors"]) + ROUNDING
    assert is_clear.mean() > 0.6
    np.testing.assert_array_equal(
        np.array(mine["tokens"])[is_clear], np.array(known["tokens"])[is_clear]
    )
    is_clear = np.array(mine["margins"]) > 0.05
    np.testing.assert_array_equal(
        np.array(mine["tokens"])[is_clear], np.array(known["exact"])[is_clear]
    )
    np.testing.assert_allclose(mine["logs"], known["logs"], atol=0.05)


def test_the_guide_has_the_recorded_shares() -> None:
    known = recorded.load()
    assert len(known) > 20
    for form in known:
        row = known[form]["row"]
        assert f"| {form} | {recorded.shown(row)} |" in GUIDE
        assert row["clear"] > 0.99
        assert row["floats"] > 0.99
