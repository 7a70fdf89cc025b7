"""SentencePiece models with the tokens of texts in many scripts.

`PYTHONPATH=tests python -m packages.sentence_pieces` writes sentence_pieces.json with the package
sentencepiece of the package index. In a page, the site's package must find the same tokens.
"""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("sentence_pieces.json")
COMMON = {"pad_id": 3, "minloglevel": 2, "character_coverage": 1.0, "hard_vocab_limit": False}
MODELS = {
    "unigram": {"vocab_size": 400, "normalization_rule_name": "identity"},
    "bpe": {
        **{"model_type": "bpe", "vocab_size": 520, "byte_fallback": True},
        **{"normalization_rule_name": "identity", "remove_extra_whitespaces": False},
        "user_defined_symbols": ["<|im_start|>", "\n"],
    },
}


def trained(sentencepiece: Any, texts: tuple[str, ...], **options: Any) -> bytes:
    """Return a new model of texts."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=model, **{**COMMON, **options}
    )
    return model.getvalue()


def found(sentencepiece: Any, model: bytes, texts: tuple[str, ...]) -> list[Any]:
    """Return the numbers of the tokens of texts, and the texts of the tokens."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    ids = processor.encode(list(texts), add_bos=True, add_eos=True)
    return [ids, processor.decode(ids), processor.encode(texts[0], out_type=str)]


def check(sentencepiece: Any, text: str, texts: tuple[str, ...]) -> None:
    """Check that a package finds the stored tokens, and trains a model that normalizes."""
    for name, (model, expected) in json.loads(text).items():
        assert found(sentencepiece, base64.b64decode(model), texts) == expected, name
    normal = trained(sentencepiece, texts, vocab_size=400)
    processor = sentencepiece.SentencePieceProcessor(model_proto=normal)
    assert processor.decode(processor.encode("Ｔｈｅ ﬁ ½  a")) == "The fi 1⁄2 a"


def write(texts: tuple[str, ...]) -> None:
    """Train models and write them with the tokens."""
    import sentencepiece

    stored = {}
    for name, options in MODELS.items():
        model = trained(sentencepiece, texts, **options)
        kept = found(sentencepiece, model, texts)
        stored[name] = [base64.b64encode(model).decode(), kept]
    FILE.write_text(json.dumps(stored, separators=(",", ":"), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    from .byte_pairs import TEXTS

    write(TEXTS)
