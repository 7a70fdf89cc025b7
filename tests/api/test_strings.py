"""Strings: tf.strings, and functions under tf that accept strings."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import error, same

import tfpy


@same
def test_as_string_and_case(tf: Any) -> Any:
    return [
        tf.strings.as_string(1.5),
        tf.strings.length(["é", b"\xff"], unit="UTF8_CHAR"),
        tf.strings.lower(["ABÉ"]),
        tf.strings.lower(["ABÉ"], encoding="utf-8"),
    ]


@same
def test_as_string_and_case_errors(tf: Any) -> Any:
    return [
        error(lambda: tf.strings.length("a", unit="X")),
        error(lambda: tf.strings.lower(["A"], encoding="x")),
    ]


@same
def test_joining(tf: Any) -> Any:
    return [
        tf.strings.join(["a", ["b", "c"]]),
        tf.strings.join([], "."),
        tf.strings.join(["a"], "."),
        tf.strings.reduce_join([["a", "b"], ["c", "d"]]),
        tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=[0, 1], separator="."),
        tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=[1, 0], separator="."),
        tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=0, keepdims=True),
        tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=[], separator="."),
        tf.strings.reduce_join(tf.ragged.constant([["a", "b"], ["c"]]), axis=1, separator=" "),
        tf.strings.reduce_join(tf.ragged.constant([["a", "b"], ["c"], []]), axis=-1, separator=" "),
    ]


@same
def test_joining_errors(tf: Any) -> Any:
    return [
        error(lambda: tf.strings.join([["a", "d", "e"], ["b", "c"]])),
        error(lambda: tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=2)),
    ]


@same
def test_regex(tf: Any) -> Any:
    return [
        tf.strings.regex_full_match("ab", "a"),
        tf.strings.regex_replace("hello", "(l)(o)", r"<\2\1\0\\>"),
        tf.strings.regex_replace("hello", "l", r"\3"),
        tf.strings.regex_replace("aaa", "a", "b", replace_global=False),
        tf.strings.regex_replace("abc", "", "-"),
        tf.strings.regex_replace("aab", "a*", "-"),
        tf.strings.regex_replace("baac", "a*", "-"),
        tf.strings.regex_replace("a1é", "\\W", "-"),
        tf.strings.regex_replace("a1é中", "\\p{L}", "-"),
        tf.strings.regex_replace("a,é!", "[[:punct:]]", "-"),
        tf.strings.regex_replace("a,é![x]", "[^[:alpha:]]", "-"),
        tf.strings.regex_replace("a]b-c", "[]-]", "x"),
        tf.strings.regex_replace("x^y[z", "[[^]", "x"),
        tf.strings.regex_full_match("a\n", "a$"),
        tf.strings.regex_full_match("é", "."),
        tf.strings.regex_full_match(["A"], "(?i)a"),
        tf.strings.regex_replace("ab", "(?P<x>a)", r"\1\1"),
    ]


@same
def test_regex_errors(tf: Any) -> Any:
    return [
        error(lambda: tf.strings.regex_replace("a.b", "[", "x")),
    ]


@same
def test_substr(tf: Any) -> Any:
    return [
        tf.strings.substr("hello", 1, 3),
        tf.strings.substr(["hello", "ab"], [-2, 0], [9, 1]),
        tf.strings.substr("hello", 5, 1),
        tf.strings.substr("héllo", 1, 1, unit="UTF8_CHAR"),
        tf.strings.substr("héllo", -4, 2, unit="UTF8_CHAR"),
        tf.strings.substr(["ab", "cd"], 1, -1),
        tf.strings.substr(["abc", "def"], [[0], [1]], [[1], [2]]),
        tf.strings.substr("abc", [0, 1], [1, 1]),
    ]


@same
def test_substr_errors(tf: Any) -> Any:
    return [
        error(lambda: tf.strings.substr("hello", 6, 1)),
        error(lambda: tf.strings.substr("a", 1, [1, 2])),
        error(lambda: tf.strings.substr("a", -2, 1)),
    ]


@same
def test_numbers_and_hashes(tf: Any) -> Any:
    return [
        tf.strings.to_number(["1", "2.5", " 3 ", "1e3", "inf", "nan", "-Inf", "0x10"]),
        tf.strings.to_number(" 7 ", tf.int32),
        tf.strings.to_number("1e999"),
        tf.strings.strip([" a \n", "\t\x0bb\x0c\r"]),
        tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3),
        tf.strings.to_hash_bucket(tf.ragged.constant([["a"], ["b", "c"]]), 10),
    ]


@same
def test_numbers_and_hashes_errors(tf: Any) -> Any:
    return [
        error(lambda: tf.strings.to_number("a")),
        error(lambda: tf.strings.to_number("1.5", tf.int32)),
        error(lambda: tf.strings.to_number("", tf.int32)),
        error(lambda: tf.strings.to_number("99999999999", tf.int32)),
        error(lambda: tf.strings.to_number("1_0")),
        error(lambda: tf.strings.to_number("1", tf.bool)),
        error(lambda: tf.strings.to_hash_bucket_fast("a", 0)),
        error(lambda: tf.strings.to_hash_bucket_strong("a", 5, [1])),
    ]


@same
def test_format(tf: Any) -> Any:
    return [
        tf.strings.format("x {} y {}", (tf.constant([1, 2, 3, 4, 5, 6, 7, 8]), tf.constant("a"))),
        tf.strings.format("v: {}", tf.constant([[1.5, 2], [3, 4]])),
        tf.strings.format("v: {}", [tf.constant(True)]),
        tf.strings.format("v: %t%", tf.range(10), placeholder="%t%", summarize=2),
        tf.strings.format("v: {}", tf.constant(["a", "b"])),
        tf.strings.format("{}", tf.eye(8)),
        *(tf.strings.format("{}", tf.fill([2, 2], 1j), summarize=n) for n in (-1, 0, 3, 4)),
        tf.strings.format("{}", tf.constant([1e10, 1 / 3])),
        tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 3, separator=":"),
        tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [1, 0], 2, separator=","),
    ]


@same
def test_format_errors(tf: Any) -> Any:
    return [
        error(lambda: tf.strings.format("{} {}", (1,))),
        error(lambda: tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 5], 3)),
    ]


@same
def test_unicode(tf: Any) -> Any:
    return [
        tf.strings.unicode_transcode([b"\xff a", b"ok\x01"], "UTF-8", "UTF-8"),
        tf.strings.unicode_transcode([b"\xff a"], "UTF-8", "UTF-16-BE", errors="ignore"),
        tf.strings.unicode_transcode(
            [b"ok\x01"], "UTF-8", "UTF-8", replace_control_characters=True
        ),
        tf.strings.unicode_transcode(["a"], "latin1", "UTF-8"),
        tf.strings.unicode_transcode(["\xe9"], "UTF-8", "UTF-32-BE", replacement_char=0x20),
        tf.strings.unicode_transcode(
            [b"\xe4\xb8", b"\xf0\x9f\x98", b"a\xc0\xafz"], "UTF-8", "UTF-8"
        ),
        tf.add(tf.constant(["a"]), "b"),
        tf.strings.bytes_split(["ab", "é"]),
        tf.strings.bytes_split("ab"),
        tf.strings.unicode_split(["ab", "é"], "UTF-8"),
        tf.strings.unicode_decode(["ab", "é"], "UTF-8"),
        tf.strings.unicode_decode("ab", "UTF-8"),
        tf.strings.unicode_decode([b"a\xffb"], "UTF-8"),
        tf.strings.unicode_decode([b"a\xffb"], "UTF-8", errors="ignore"),
        tf.strings.unicode_decode_with_offsets(["aéb"], "UTF-8"),
        tf.strings.unicode_split_with_offsets(["aéb", "x"], "UTF-8"),
        tf.strings.unicode_encode([[97, 98], [0xE9, 0x110000]], "UTF-8"),
        tf.strings.unicode_encode([0xD800, 97], "UTF-8", errors="ignore"),
        tf.strings.unicode_encode([0xE9], "UTF-16-BE"),
        tf.strings.unicode_encode(tf.ragged.constant([[97, 98], [99]]), "UTF-8"),
    ]


@same
def test_unicode_errors(tf: Any) -> Any:
    return [
        error(lambda: tf.strings.unicode_transcode([b"\xff a"], "UTF-8", "UTF-8", errors="strict")),
        error(lambda: tf.strings.unicode_transcode(["a"], "UTF-8", "latin1")),
        error(lambda: tf.strings.unicode_transcode(["\xe9"], "bogus", "UTF-8")),
        error(lambda: tf.strings.unicode_transcode([b"a"], "UTF-8", "UTF-8", errors="bad")),
        error(lambda: tf.constant("a") < "b"),
        error(lambda: tf.strings.unicode_encode([0xD800], "UTF-8", errors="strict")),
    ]


@same
def test_splitting(tf: Any) -> Any:
    return [
        tf.strings.split(["a b  c", ""]),
        tf.strings.split("a b"),
        tf.strings.split(["a,b,,c"], ","),
        tf.strings.split(["a,b,c"], ",", maxsplit=1),
        tf.strings.split([["a b", "c"], ["d", ""]]),
        tf.strings.split(tf.ragged.constant([["a b", "c"], ["d"]])),
        tf.strings.split(["a  b c "], maxsplit=1),
        tf.strings.split([""], ","),
        tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], ["d"]]), 2),
        tf.strings.ngrams(["a", "b", "c"], [1, 2]),
        tf.strings.ngrams(["a", "b", "c"], 2, pad_values=("<", ">")),
        tf.strings.ngrams(tf.ragged.constant([["a", "b"], []]), 3, preserve_short_sequences=True),
        tf.strings.ngrams(["a", "b", "c"], 3, pad_values="_", padding_width=1, separator="|"),
        tf.strings.ngrams([["a", "b", "c"], ["d", "e", "f"]], 2),
        tf.strings.ngrams(
            tf.ragged.constant([["a"], ["b", "c"]]), [2, 3], pad_values="_", padding_width=5
        ),
        tf.strings.ngrams(
            tf.ragged.constant([["a"], ["b", "c"]]),
            [4],
            pad_values="_",
            padding_width=1,
            preserve_short_sequences=True,
        ),
    ]


@same
def test_splitting_errors(tf: Any) -> Any:
    return [
        error(lambda: tf.strings.ngrams(["a"], 0)),
        error(lambda: tf.strings.ngrams(["a"], 2, pad_values=1)),
    ]


@same
def test_tensors_of_strings(tf: Any) -> Any:
    return [
        tf.strings.upper(tf.ragged.constant([["a"], ["b", "c"]])),
        tf.constant(["a", "b"]) == "a",
        tf.where([True, False], "x", "y"),
        tf.gather(["a", "b"], [1, 1, 0]),
        tf.concat([["a"], ["b"]], 0),
        tf.reshape(["a", "b"], [2, 1]),
        tf.stack(["a", "b"]),
        tf.tile(["a"], [3]),
        tf.transpose([["a", "b"]]),
        tf.constant(["a", "b", "c"])[::-1],
        tf.boolean_mask(["a", "b"], [True, False]),
        tf.fill([2], "q"),
        tf.repeat(["a", "b"], 2),
        tf.expand_dims("a", 0),
        tf.zeros_like(tf.constant(["a"])),
        tf.unstack(["a", "b"]),
        tf.split(["a", "b"], 2),
        tf.broadcast_to("a", [2, 2]),
        tf.size(["a", "b"]),
        tf.not_equal(["a", "b"], ["a", "c"]),
    ]


@same
def test_bytes_as_separators(tf: Any) -> Any:
    return [
        tf.strings.ngrams(["a", "b", "c"], 2, separator=b"|"),
        tf.strings.ngrams(["a", "b"], (1, 2), separator=b"\xff"),
        tf.strings.ngrams(["a", "b"], tf.constant(2)),
        tf.strings.join([["a"], ["b"]], b"\xff"),
        tf.strings.reduce_join([["a", "b"]], 1, separator=b"-"),
        tf.strings.unsorted_segment_join(["a", "b"], [0, 0], 1, separator=b"-"),
        tf.strings.split("a-b", b"-"),
        tf.strings.regex_replace("a", b"a", b"\xff\\0"),
    ]


@same
def test_empty_strings_tensors(tf: Any) -> Any:
    def empty(*shape: int) -> Any:
        return tf.constant(np.full(shape, b"", object), tf.string)

    return [
        tf.strings.reduce_join(empty(0, 2), 1),
        tf.strings.reduce_join(empty(0, 2), 0, separator=","),
        tf.strings.reduce_join(empty(2, 0), [0, 1]),
        tf.strings.reduce_join(empty(0), []),
        tf.strings.unsorted_segment_join(empty(0), tf.constant([], tf.int32), 1),
        tf.strings.unsorted_segment_join(empty(0, 2), tf.constant([], tf.int32), 2),
        tf.strings.unsorted_segment_join(empty(2, 0), [0, 1], 2),
        tf.strings.ngrams(empty(2, 0), 2, pad_values="P"),
        tf.strings.to_hash_bucket(empty(0, 2), 5),
        tf.strings.to_hash_bucket_fast(empty(2, 0), 5),
        tf.strings.to_hash_bucket_strong(empty(0), 5, [1, 2]),
        tf.strings.length(empty(0, 3)),
    ]


@same
def test_reduce_join_of_ragged(tf: Any) -> Any:
    x = tf.ragged.constant([["a", "b"], [], ["c"]])
    deep = tf.ragged.constant([[["a"], []], [], [["b", "c d"]]])
    join = tf.strings.reduce_join
    return [
        *(
            join(x, axis, keepdims, "-")
            for axis in (None, 0, 1, [0, 1])
            for keepdims in (False, True)
        ),
        *(join(deep, axis, separator="-") for axis in (None, 0, 1, 2, [0, 1])),
        error(lambda: join(x, 2)),
        error(lambda: join([["a"]], [0, -2])),
    ]


@same
def test_strings_that_are_scattered_join(tf: Any) -> Any:
    return [
        tf.scatter_nd([[0], [0], [1]], ["a", "b", "c"], [3]),
        tf.scatter_nd([[0], [2], [0]], [["a", "b"], ["c", "d"], ["e", "f"]], [3, 2]),
        tf.scatter_nd([[[0, 1]], [[0, 1]]], [["a"], ["b"]], [2, 2]),
        error(lambda: tf.scatter_nd([[5]], ["a"], [3])),
    ]


@same
def test_as_string_of_strings(tf: Any) -> Any:
    words = ["hi", "", "longer"]
    return [
        *(
            tf.strings.as_string(words, width=width, fill=fill, precision=precision)
            for width in (-1, 0, 4, 8)
            for fill in ("", " ", "0", "+", "-")
            for precision in (-1, 0, 3)
        ),
        error(lambda: tf.strings.as_string(True, precision=2)),
        error(lambda: tf.strings.as_string([True], scientific=True)),
        error(lambda: tf.strings.as_string(1, shortest=True)),
    ]


MALFORMED = [
    b"a\xff", b"\xe2\x28\xa1", b"\xf0\x9f\x98", b"\x80\x9f", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
    b"a\xef\xbf\xbd", b"\x00\xff", b"\x7f\x85\x1f\t\n\r", b"\xc2\x85", b"\xf0\x90\x28\xbc", b"",
]  # fmt: skip


@same
def test_malformed_characters(tf: Any) -> Any:
    out = []
    for errors in ("replace", "ignore"):
        for replacement in (0xFFFD, ord("?"), 0x1F600, 0xD800):
            how = {"errors": errors, "replacement_char": replacement}
            out.append(tf.strings.unicode_split_with_offsets(MALFORMED, "UTF-8", **how))
            for control in (False, True):
                how["replace_control_characters"] = control
                out.append(tf.strings.unicode_transcode(MALFORMED, "UTF-8", "UTF-8", **how))
                out.append(tf.strings.unicode_decode_with_offsets(MALFORMED, "UTF-8", **how))
    out += [error(lambda s=s: tf.strings.unicode_decode(s, "UTF-8", "strict")) for s in MALFORMED]
    decode = tf.strings.unicode_decode
    return [
        *out,
        decode(b"\n", "UTF-8", "strict", replace_control_characters=True),
        error(lambda: tf.strings.unicode_transcode("\n", "UTF-8", "UTF-8", "strict", 63, True)),
        error(lambda: decode(b"\xfe", "UTF-8", replacement_char=0x110000)),
        error(lambda: tf.strings.unicode_encode([72], "UTF-8", replacement_char=-1)),
        error(lambda: tf.strings.unicode_encode([72], "UTF-8", errors="other")),
        error(lambda: tf.strings.unicode_encode(72, "UTF-8")),
        error(lambda: tf.strings.unicode_split("a", "UTF-16")),
    ]


@same
def test_wide_encodings(tf: Any) -> Any:
    texts = ["ab€", "𝄞x", ""]
    out = []
    for bits in ("16", "32"):
        for order in ("", "-BE", "-LE"):
            codec = f"utf-{bits}{order or '-be'}"
            data = [text.encode(codec) for text in texts]
            out.append(tf.strings.unicode_transcode(data, f"UTF-{bits}{order}", "UTF-8"))
            out.append(tf.strings.unicode_decode_with_offsets(data, f"UTF-{bits}{order}"))
        for order in ("be", "le"):  # with a byte-order mark
            marked = "\ufeffa\x01b".encode(f"utf-{bits}-{order}")
            out.append(tf.strings.unicode_decode_with_offsets(marked, f"UTF-{bits}"))
        for errors in ("replace", "ignore"):
            odd = [b"\x00", b"\x00a\x00", b"\xd8\x00\x00a", b"\xdc\x00", b"\x00\x11\x00\x00"]
            decode = tf.strings.unicode_decode_with_offsets
            out += [decode([s], f"UTF-{bits}-BE", errors) for s in odd]
    return out


@same
def test_limits_of_splitting_and_substrings(tf: Any) -> Any:
    words = ["é中", " x  y ", "\t\n", "", "a b c"]
    return [
        *(tf.strings.split(words, None, most) for most in (-1, 0, 1, 2, 3)),
        *(tf.strings.split(words, " ", most) for most in (-1, 0, 1, 2)),
        *(
            tf.strings.substr("héllo", 1, n, unit)
            for n in (-2, -1)
            for unit in ("BYTE", "UTF8_CHAR")
        ),
        error(lambda: tf.strings.lower("A", "UTF-8")),
        error(lambda: tf.strings.unsorted_segment_join("a", 0, 1)),
    ]


@same
def test_hashes_of_all_lengths(tf: Any) -> Any:
    draw = random.Random(1)
    words = [draw.randbytes(n) for n in [*range(140), 191, 192, 193, 1000, 4096]]
    draw.shuffle(words)
    return [
        tf.strings.to_hash_bucket(words, 2**31 - 1),
        tf.strings.to_hash_bucket_fast(words, 2**31 - 1),
        tf.strings.to_hash_bucket_strong(words, 2**31 - 1, [-1, 2**60 + 5]),
    ]


@same
def test_format_escapes(tf: Any) -> Any:
    ragged = tf.ragged.constant
    values = [
        tf.constant(["a\"b'\\", "\x00\x7f1\n\r\t\v", b"\xff", "é"]),
        tf.constant('a"b\n'),
        ragged([["a'b", "c"], []]),
        ragged([[1.5], []]),
        ragged([[*range(20)], [1]]),
        ragged([[True]]),
    ]
    return [tf.strings.format("x {} y", value) for value in values]


@pytest.mark.parametrize("tf", [tfpy, tensorflow], ids=["tfpy", "tensorflow"])
def test_refused_ngrams(tf: Any) -> None:
    for text, data, widths, options in [
        ("Data must have rank>0", "a", 1, {}),
        ("All ngram_widths must be greater than 0. Got ", ["a"], [1, -1], {}),
        ("must be a string, tuple of strings, or None", ["a"], 1, {"pad_values": 5}),
        ("must be greater than 0", ["a"], 1, {"pad_values": "x", "padding_width": 0}),
        ("must be provided if padding_width is set", ["a"], 1, {"padding_width": 1}),
    ]:
        with pytest.raises((TypeError, ValueError), match=text):
            tf.strings.ngrams(data, widths, **options)


@same
def test_scripts_of_code_points(tf: Any) -> Any:
    points = tf.range(-300, 0x110000 + 300)
    found = tf.strings.unicode_script(points).numpy()
    return [
        [len(found), int(found.sum()), found.tobytes()],
        tf.strings.unicode_script([[65, 955], [-1, 0x4E00]]),
        tf.function(tf.compat.v1.strings.unicode_script)(tf.constant(65)),
    ]
