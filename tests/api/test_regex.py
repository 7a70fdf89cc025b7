"""Regular expressions: RE2's syntax and semantics, in time proportional to the text."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow

import tfpy
from tfpy._src.compiler.regex import backtracking, matching

TEXTS = [
    b"", b"a", b"ab", b"aaa", b"aab", b"abcabc", b"b2b", b"The quick brown Fox, 12 times!",
    "Größe ÅÉ 中文".encode(), "ſKk\u212a".encode(), b"\n\na\nb c\n", b"h\xff\xc3a", b"\xed\xa0\x80",
    b"x_y-z.w", b"<b>bold</b> <i>t</i>", b"user@example.com, 1+1=2",
]  # fmt: skip
PATTERNS = r"""
a|b  a*  a+b?  (a|b)*  (a*)*  (a*)+  (|a)*  (|a)+  (a|b*)*  (a??)*  (a*?)*  (a|())*  x*  ()  .  \C
(a|b)c|a(b)?  a{2}  a{2,}  a{1,2}?  a{0}  a{,2}  a{  a{1  (?:ab){1,2}  a+?  a??b  ((a)|b){2}
^  $  \A  \z  \b  \B  (?m)^  (?m)$  (?m)^|$  ^a  c$  \bb  ^$  (?m:^)a$  ^*  \b+  (?:^|a)+
(?i)fox  (?i)k|s  (?i)[a-z]  (?i)\w  (?i)\W  (?i)[^k]  (?i)[[:alpha:]]  (?i:É)å  (?i-i)a  a(?i)B|C
(?s).  (?s:.)a  (?U)a+  (?U)a+?  (?is)A.  (?-s).  (?i)((?-i)a)b  [^\n]+  [^a]  [a-c]+  []-]  [^]a]
[\d-z]  [-a]  [a-]  [\w.]+@[\w.]+  [[:^alpha:]]  [[:punct:]]+  [[:space:]\d]  [[]
[[:alpha:]_]  [\x41-\x5a]
\d+  \D  \s+  \S+  \w+  \W  \pL  \p{Lu}  \PL  \p{^L}+  \p{Any}  \pN  [\pL\d]  [^\pL]  \p{Zs}  [\PL]
\Qa.b\E  \Qab  \Q+\E+  \x41  \x{4e2d}  \101  \07  \.  \_  \-  \n  \t|\n  <[^>]+>  (\w+)@(\w+)\.com
(?P<n>a)(?P<m>b)  (?P<é>a)  é  [é-中]  \Bb  (\w)\b  (a+)(b+)  (.)(.)  (.*)b  .*?b  (\w+) (\w+)
(a|bc|d)+  (?:ab|cd)*x  (a|ab)+c  ((a)b|c)+  (?:1|2|ab)+?b  (\w)+  (?:\w\s)+
"""
REFUSED = r"""
( ) [ [a a** a*+ *a |* (*) a{1001} a{2,1} (a{100}){100} ((a{100}){10}){2} x{1000}{2} (?=a) (?!a)
(?<=a) (?<!a) (?<x>a) (?P=n) (?P>n) (?P<n (?P<>a) (?i (?-) (?z) (? \1 \8 (a)\1 \Z \é \E \x \xg \x{z}
\x{110000} \p{Foo} \pX \p \p{Cn} [[:foo:]] [b-a] [a-\d] [\b] \pL{1000} (?i)*
"""
REWRITES = [r"<\0>", "-", r"<\1|\2>", r"\\", r"<\q>", "x\\", r"\9"]

ATOMS = r"""
a b c é 中 . \d \w \W \s \S \D [ab] [^a] [a-c] [^é] [[:alpha:]] [\d_] \pL \p{Lu} \PL [é-中]
\C (?i:a) (?i:é) (?i:k) \Qa.\E \. A 1 - (?s:.) [\W] [\w-] ^ $ \b \B \A \z (?m:^) (?m:$) (?i)
"""
COUNTS = "* + ? *? +? ?? {2} {1,2} {0,2}? {2,} {0} {1,}? {3,2}"
LETTERS = [*"abcABk12_-. \né中\u212aſ", "\ufffd"]


@pytest.fixture(params=["re", "automaton"])
def engine(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run a test as it is, and again without the patterns that ``re`` handles."""
    caches = (matching.full_match, matching.replacer)
    if request.param == "automaton":
        for name in ("for_match", "for_search"):
            monkeypatch.setattr(backtracking, name, lambda *args: None)
        for cache in caches:
            cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def results(tf: Any, pattern: str, texts: list[bytes], rewrite: str, everywhere: bool) -> Any:
    try:
        return [
            tf.strings.regex_full_match(texts, pattern).numpy().tolist(),
            tf.strings.regex_replace(texts, pattern, rewrite, everywhere).numpy().tolist(),
        ]
    except tf.errors.InvalidArgumentError:
        return "refused"


def check(*case: Any) -> None:
    assert results(tfpy, *case) == results(tensorflow, *case), case


@pytest.mark.usefixtures("engine")
def test_patterns() -> None:
    for pattern in PATTERNS.split():
        check(pattern, TEXTS, r"<\0>", True)
        check(pattern, TEXTS, r"[\1]", False)


def test_rewrites() -> None:
    for rewrite in REWRITES:
        for pattern in ("a", "(a)", "(a)(b)?", ""):
            check(pattern, TEXTS, rewrite, True)
            check(pattern, TEXTS, rewrite, False)


def test_refused_patterns() -> None:
    for pattern in [*REFUSED.split(), "a\\"]:
        assert results(tensorflow, pattern, [b"a"], "", True) == "refused", pattern
        assert results(tfpy, pattern, [b"a"], "", True) == "refused", pattern


def random_pattern(draw: random.Random, depth: int) -> str:
    if not depth or draw.random() < 0.3:
        return draw.choice(ATOMS.split())
    inner = random_pattern(draw, depth - 1)
    match draw.randrange(7):
        case 0 | 1:
            return inner + random_pattern(draw, depth - 1)
        case 2:
            return f"{inner}|{random_pattern(draw, depth - 1)}"
        case 3:
            return f"({inner})"
        case 4:
            return f"(?{draw.choice(['', 'i', 's', 'm', 'U', 'i-s'])}:{inner})"
        case _:
            return inner + draw.choice(COUNTS.split())


@pytest.mark.usefixtures("engine")
def test_random_patterns() -> None:
    draw = random.Random(7)
    for _ in range(400):
        texts = ["".join(draw.choices(LETTERS, k=n)).encode() for n in (0, 1, 2, 4, 7, 12)]
        texts.append(texts[-1][:3] + b"\xe4\xb8" + texts[-2])
        pattern = random_pattern(draw, draw.randrange(1, 6))
        check(pattern, texts, draw.choice(REWRITES[:4]), draw.random() < 0.8)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", b"a" * 20000 + b"b"),
        ("(a|aa)+$", b"a" * 20000 + b"b"),
        ("(a*)*(b*)*c", b"ab" * 10000),
        ("(.*)(.*)(.*)(.*)x", b"a" * 20000),
        ("(?:a?){100}a{100}", b"a" * 2000),
        ("<[^>]+>", b"<" * 20000),
    ],
)
def test_the_time_is_proportional_to_the_text(pattern: str, text: bytes) -> None:
    begin = time.perf_counter()
    check(pattern, [text], "-", True)
    assert time.perf_counter() - begin < 20


def test_the_states_that_are_kept_have_a_bound() -> None:
    """Check the limit with a pattern for the nth letter from the end.

    A deterministic automaton for this pattern needs 2**n states.
    """
    draw = random.Random(3)
    text = "".join(draw.choices("ab", k=20000)).encode()
    automaton = matching.Automaton(
        matching.compile_match(matching.parse("(?:a|b)*a(?:a|b){14}")[0])
    )
    assert (automaton.run(text, automaton.symbols(text)) is not None) == (text[-15:-14] == b"a")
    assert len(automaton._states) <= 2000
