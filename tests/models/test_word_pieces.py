"""The words and pieces of encoders, compared with words of the package tokenizers 0.23."""

from __future__ import annotations

import types

import pytest

from tfpy._src.formats.pretrained import hub, word_pieces
from tfpy._src.formats.pretrained.source import ACCENTS, TokenizerFacts

WORDS = {
    "Don't e-mail…": "don ' t e - mail …",
    "매트 위": "\u1106\u1162\u1110\u1173 \u110b\u1171",
    "\uff21\uff22 ﬁne ½ №5": "\uff41\uff42 ﬁne ½ №5",  # compatible characters are not replaced
    "no\xa0break a\u3000b a\u2003b": "no break a b a b",
    "soft\xadhyphen zero\u200bwidth a\x00b\ufffdc\x07d": "softhyphen zerowidth abcd",
    "tab\tline\nend\r": "tab line end",
    "東京abcタワー": "東 京 abcタワー",
    "ΟΔΟΣ İstanbul Straße": "οδοσ istanbul straße",
    "a\u0301 é ñ": "a e n",
    "x«y»z $5^2": "x « y » z $ 5 ^ 2",
    "\U0001f469\u200d\U0001f680 ok": "\U0001f469\U0001f680 ok",
    "\U0003fffe": "\U0003fffe",  # an unassigned character
    "": "",
}
"""Words by strings, converted to lowercase and without accents."""


@pytest.mark.parametrize("text", WORDS, ids=ascii)
def test_words(text: str) -> None:
    found = word_pieces.words(text, lowercase=True, strip_accents=True)
    assert found == WORDS[text].split()


def test_arguments_select_steps() -> None:
    assert word_pieces.words("Éa 東京") == ["Ea", "東", "京"]
    assert word_pieces.words("Éa 東京", strip_accents=False, split_on_cjk=False) == ["Éa", "東京"]
    assert word_pieces.words("É b", lowercase=True, split=False) == ["e b"]
    found = word_pieces.words("[CLS]A [X]", lowercase=True, special_tokens=["[CLS]", "[SEP]"])
    assert found == ["[CLS]", "a", "[", "x", "]"]


def pretokenize_python(text: str, lowercase: bool) -> list[str]:
    """Stand in for KerasHub's function."""
    return [f"{text}, {lowercase}"]


class WordPieces:
    """A tokenizer with the attributes and methods of KerasHub's that are used or replaced."""

    suffix_indicator, oov_token, chat_template = "##", "[UNK]", None

    def __init__(self, *tokens: str) -> None:
        self._token_to_id_map = {token: number for number, token in enumerate(tokens)}

    def _tokenize_python(self, inputs: list[str], lowercase: bool = True) -> list[list[str]]:
        split = [pretokenize_python(text, lowercase) for text in inputs]
        return [sum(map(self._tokenize_word_python, row), list[str]()) for row in split]

    def _tokenize_word_python(self, word: str) -> list[str]:
        return [f"{word}?"]


@pytest.mark.parametrize("arguments", [{ACCENTS: True}, {}])
def test_tokenizers_of_encoders_change(arguments: dict[str, bool]) -> None:
    """Tokenizers with other arguments, such as those for proteins, split strings as KerasHub."""
    changed, other = WordPieces("a", "##b", "…"), WordPieces()
    preprocessor = types.SimpleNamespace(tokenizer=changed)
    hub._set_tokenizer(preprocessor, TokenizerFacts(arguments=arguments))
    found = changed._tokenize_python(["AB…", "c"])
    plain = [["AB…, True?"], ["c, True?"]]
    assert found == ([["a", "##b", "…"], ["[UNK]"]] if arguments else plain)
    assert other._tokenize_python(["AB…", "c"]) == plain


def test_other_tokenizers_stay_as_they_are() -> None:
    tokenizer = types.SimpleNamespace()
    word_pieces.set_word_pieces(tokenizer)
    assert not vars(tokenizer)


def test_pieces() -> None:
    tokenizer = WordPieces("ab", "a", "##b", "##cd", "##c", "ก", "##ก")
    assert word_pieces.pieces(tokenizer, "abcdb") == ["ab", "##cd", "##b"]
    assert word_pieces.pieces(tokenizer, "ac") == ["a", "##c"]
    assert word_pieces.pieces(tokenizer, "abx") == ["[UNK]"]
    assert word_pieces.pieces(tokenizer, "b") == ["[UNK]"]
    assert word_pieces.pieces(tokenizer, "ก" * 100) == ["ก", *["##ก"] * 99]  # 300 bytes
    assert word_pieces.pieces(tokenizer, "ก" * 101) == ["[UNK]"]
    assert word_pieces.pieces(tokenizer, "") == []
