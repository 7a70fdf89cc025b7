"""Texts in many scripts, and their tokens in the pipelines of KerasHub's byte-pair tokenizers.

`PYTHONPATH=tests python -m packages.byte_pairs` writes byte_pairs.json with the package tokenizers
of Hugging Face. In a page, the site's tokenizers must find the same tokens (`check`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("byte_pairs.json")
TEXTS = (
    "The quick brown fox jumps over the lazy dog. It's 3:45pm, we'll see!",
    "Größe, naïve façade, œuvre; ½ € 1234567",
    "Привет, как дела? Это проверка.",
    "你好，世界！这是一个测试。",
    "こんにちは世界、カタカナ",
    "안녕하세요 세계",
    "مرحبا بالعالم، كيف حالك؟",
    "שלום עולם",
    "नमस्ते दुनिया, यह एक परीक्षण है",
    "สวัสดีชาวโลก",
    "👩‍👩‍👧 family 🎉🎉 👍🏽",
    "Ελληνικά Σίσυφος ΣΊΣΥΦΟΣ",
    "İstanbul ıspanak ǅ ﬁ ﬃ \u212a we'\u017f it'S DON'T",
    "  leading  and   spaces  \n\n\n lines\r\n\ttabs\u00a0nbsp\u3000\u2028\u0085\x1c",
    "def f(x):\n    return x**2  # comment\n",
    "<|endoftext|>hello<s>a<s>b <|im_start|>user",
    "cafe\u0301 A\u030a",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 𠀀𪛖",
    "",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
)
SPECIAL = ("<|endoftext|>", "<s>", "<s>a", "<|im_start|>", "")
LLAMA = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEKKEN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\p{N}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CLIP = r"<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
BEHAVIORS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")


def pipelines(package: Any, vocab: dict[str, int], merges: list[tuple[str, str]]) -> dict[str, Any]:
    """Return tokenizers of a package, made as KerasHub makes them, by name."""
    split, byte_level = package.pre_tokenizers.Split, package.pre_tokenizers.ByteLevel
    words = {
        "hub": split(pattern=LLAMA, behavior="isolated"),  # a string stands for itself
        "llama": split(package.Regex(LLAMA), "isolated"),
        "tekken": split(package.Regex(TEKKEN), behavior="isolated"),
        **{name: split(package.Regex(r"[ae\s]"), name, invert=True) for name in BEHAVIORS},
    }
    made = {}
    for name, first in words.items():
        made[name] = package.Tokenizer(package.models.BPE(vocab=vocab, merges=merges))
        bytes_of = byte_level(add_prefix_space=name == "tekken", use_regex=name in BEHAVIORS)
        made[name].pre_tokenizer = package.pre_tokenizers.Sequence([first, bytes_of])
    made["clip"] = _clip(package, vocab, merges)
    for tokenizer in made.values():
        tokenizer.add_special_tokens(list(SPECIAL))
        tokenizer.decoder = package.decoders.ByteLevel()
    return made


def _clip(package: Any, vocab: dict[str, int], merges: list[tuple[str, str]]) -> Any:
    known = [token for token in vocab if token != "z"]
    tokens = [*known, *(f"{token}</w>" for token in known)]
    options = {"continuing_subword_prefix": "", "end_of_word_suffix": "</w>"}
    model = package.models.BPE(
        vocab={token: number for number, token in enumerate(tokens)},
        merges=[pair for pair in merges if "z" not in "".join(pair)],
        **{**options, "fuse_unk": False, "unk_token": "!"},
    )
    made, normalizers = package.Tokenizer(model), package.normalizers
    steps = [normalizers.NFC(), normalizers.Replace(package.Regex(r"\s+"), " ")]
    made.normalizer = normalizers.Sequence([*steps, normalizers.Lowercase()])
    pieces = package.pre_tokenizers.Split(package.Regex(CLIP), behavior="removed", invert=True)
    byte_level = package.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.pre_tokenizer = package.pre_tokenizers.Sequence([pieces, byte_level])
    return made


def found(package: Any, vocab: dict[str, int], merges: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the numbers of the tokens of TEXTS, and the texts of the tokens, by pipeline."""
    results = {}
    for name, tokenizer in pipelines(package, vocab, merges).items():
        tokens = tokenizer.encode_batch(list(TEXTS))
        ids = [encoding.ids for encoding in tokens]
        assert [[tokenizer.id_to_token(n) for n in row] for row in ids] == [
            t.tokens for t in tokens
        ]
        pieces = [row[1::2] for row in ids]
        decoded = [
            tokenizer.decode_batch(pieces, skip_special_tokens=skip) for skip in (True, False)
        ]
        results[name] = {"ids": ids, "decoded": decoded}
    return results


def check(package: Any, text: str) -> None:
    """Check that a package finds the stored tokens."""
    stored = json.loads(text)
    merges = [tuple(pair.split(" ")) for pair in stored["merges"]]
    mine = found(package, stored["vocab"], merges)
    for name, expected in stored["found"].items():
        for text, ids, theirs in zip(TEXTS, mine[name]["ids"], expected["ids"], strict=True):
            assert ids == theirs, (name, text, ids, theirs)
        assert mine[name]["decoded"] == expected["decoded"], name


def write() -> None:
    """Train a vocabulary and write it with the tokens."""
    import tokenizers

    byte_level = tokenizers.pre_tokenizers.ByteLevel
    options = {"initial_alphabet": sorted(byte_level.alphabet()), "show_progress": False}
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=430, special_tokens=["<s>"], **options)
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer = byte_level(add_prefix_space=False)
    trained.train_from_iterator(TEXTS * 2, trainer)
    model = json.loads(trained.to_str())["model"]
    merges = [" ".join(pair) for pair in model["merges"]]
    kept = found(tokenizers, model["vocab"], [tuple(pair) for pair in model["merges"]])
    stored = {"vocab": model["vocab"], "merges": merges, "found": kept}
    FILE.write_text(json.dumps(stored, separators=(",", ":"), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    write()
