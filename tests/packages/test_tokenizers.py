"""The site's tokenizers, regex and sentencepiece in Pyodide, compared with the index's packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from packages.test_compiled import CORE, run

PROGRAM = """
import byte_pairs, sentence_pieces, sentencepiece, tokenizers

byte_pairs.check(tokenizers, byte_pairs.FILE.read_text())
sentence_pieces.check(sentencepiece, sentence_pieces.FILE.read_text(), byte_pairs.TEXTS)
"""


def test_tokens_in_many_scripts(tmp_path: Path) -> None:
    if not list(CORE.glob("sentencepiece-*.whl")):
        pytest.skip("needs the site: python build.py demo")
    run("regex,tokenizers,sentencepiece", PROGRAM, tmp_path)
