"""Primitives on strings. They run on the host, because devices do not store strings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ir.sizes import closed
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.reference import hash as host_hash, text as host

STRING = frozenset((dtypes.string,))
_REASON = "strings are Python objects, which only Python can process"
_WORDS = [b"", b"tf", b" Some words\t", b"12:34", "Größe ÅÉ".encode(), b"x" * 70]


def _words(shape: tuple[int, ...]) -> Array:
    words = np.empty(int(np.prod(shape)), object)
    words[:] = [_WORDS[i % len(_WORDS)] for i in range(words.size)]
    return words.reshape(shape)


def _inference(name: str, takes: Any, gives: Any) -> Callable[..., Aval]:
    def infer_aval(*avals: Aval, **attrs: Any) -> Aval:
        infer.check_dtype(name, avals[0], takes, "input")
        shape = infer.broadcast_shapes(name, *(a.shape for a in avals))
        return Aval(shape, gives(attrs) if callable(gives) else gives)

    return infer_aval


def text(
    name: str,
    ref: Callable[..., Any],
    *,
    attrs: Mapping[str, Any] | None = None,
    gives: Any = dtypes.string,
    takes: Any = STRING,
    params: tuple[str, ...] = ("input",),
    public: str = "",
    required: int = 0,
    samples: Any = None,
    infer_aval: Callable[..., Aval] | None = None,
    doc: str,
) -> Op:
    """Register an op on strings that preserves the (broadcast) shape.

    Args:
        attrs: Attributes with their defaults. The first `required` attributes have no public
            defaults; their values are used by the tests.
        gives: Dtype of the output, or a function of the attributes.
        samples: Function that returns arrays and attributes for the tests. Default: words in some
            shapes.
    """
    attrs = dict(attrs or {})

    def cases(rng: np.random.Generator) -> list[Sample]:
        return [((_words(shape),), attrs) for shape in ((), (6,), (2, 5), (0, 3))]

    return register(
        Op(
            name,
            "text",
            infer_aval or _inference(name, takes, gives),
            ref,
            only=dtypes.string if takes is STRING and len(params) == 1 else None,
            params=params,
            public=tuple(public.split()),
            defaults={} if required else attrs,
            doc=doc,
            samples=samples or cases,
            host_only=_REASON,
        )
    )


def _numbers(rng: np.random.Generator) -> list[Sample]:
    plain = {"precision": -1, "scientific": False, "shortest": False, "width": -1, "fill": ""}
    floats = np.array([0.0, -1.5, 1e10, np.nan, np.inf, 3.14159], np.float32)
    ints = np.array([[1, -7], [0, 2**31 - 1]], np.int32)
    more: list[dict[str, Any]] = [
        {"scientific": True},
        {"shortest": True},
        {"precision": 2},
        {"width": 12, "fill": "0"},
    ]
    return [
        ((floats,), plain),
        ((ints,), plain),
        ((ints,), plain | {"width": 5, "fill": "-"}),
        ((np.array([True, False]),), plain),
        ((_words((3,)),), plain),
        ((np.array([1 + 2j], np.complex64),), plain),
        *(((floats,), plain | m) for m in more),
    ]


as_string = text(
    "as_string",
    host.as_string,
    attrs={"precision": -1, "scientific": False, "shortest": False, "width": -1, "fill": ""},
    takes=infer.ANY,
    public="strings.as_string as_string",
    samples=_numbers,
    doc="""Convert each element to a string.

    Numbers are formatted as by `printf` in C, and booleans as `true` and `false`.

    Args:
        input: Tensor of numbers, booleans or strings.
        precision: Number of digits after the decimal point of floats. Default: -1, which stands for
            6 digits. Strings are cut to this number of bytes if `width` is positive.
        scientific: If True, format floats in scientific notation.
        shortest: If True, format floats in scientific or decimal notation, whichever is shorter.
        width: Smallest number of characters of a number or string. Shorter results are padded.
            Default: -1, which means no padding.
        fill: Kind of padding. `""` (default) and `" "` insert spaces on the left, `"0"` zeros on
            the left, and `"-"` spaces on the right. `"+"` inserts spaces on the left, and a sign
            before positive numbers.

    Returns:
        String tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `fill` is not one of these strings, both `scientific` and
            `shortest` are True, or `scientific`, `shortest` or `precision` is set for integers or
            booleans.
    """,
)
lower = text(
    "string_lower",
    host.lower,
    attrs={"encoding": ""},
    public="strings.lower",
    doc="""Convert each string to lower case.

    Args:
        input: String tensor.
        encoding: `""` (default) to convert only ASCII letters, or `"utf-8"` to convert all letters.

    Returns:
        String tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `encoding` is neither `""` nor `"utf-8"`.
    """,
)
upper = text(
    "string_upper",
    host.upper,
    attrs={"encoding": ""},
    public="strings.upper",
    doc="""Convert each string to upper case.

    Args:
        input: String tensor.
        encoding: `""` (default) to convert only ASCII letters, or `"utf-8"` to convert all letters.

    Returns:
        String tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `encoding` is neither `""` nor `"utf-8"`.
    """,
)
strip = text(
    "string_strip",
    host.strip,
    public="strings.strip",
    doc="""Remove whitespace at the start and at the end of each string.

    Only ASCII whitespace is removed.

    Args:
        input: String tensor.

    Returns:
        String tensor with the shape of `input`.
    """,
)


def _length_infer(x: Aval, unit: str) -> Aval:
    infer.check_dtype("length", x, STRING, "input")
    check_unit("length", unit)
    return Aval(x.shape, dtypes.int32)


def check_unit(op: str, unit: str) -> None:
    """Raise InvalidArgumentError unless strings are counted in bytes or characters."""
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise invalid(op, f'unit must be "BYTE" or "UTF8_CHAR", got {unit!r}')


length = text(
    "string_length",
    host.length,
    attrs={"unit": "BYTE"},
    public="strings.length",
    infer_aval=_length_infer,
    doc="""Compute the length of each string.

    Args:
        input: String tensor.
        unit: `"BYTE"` (default) to count bytes, or `"UTF8_CHAR"` to count the characters of UTF-8
            strings.

    Returns:
        Int32 tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `unit` is neither `"BYTE"` nor `"UTF8_CHAR"`.
    """,
)


def _substr_infer(x: Aval, pos: Aval, len: Aval, unit: str) -> Aval:
    infer.check_dtype("substr", x, STRING, "input")
    check_unit("substr", unit)
    if pos.shape != len.shape:
        raise invalid(
            "substr",
            f"pos and len should have the same shape, got: {list(pos.shape)} vs. {list(len.shape)}",
        )
    return Aval(infer.broadcast_shapes("substr", x.shape, pos.shape), dtypes.string)


def _substr_samples(rng: np.random.Generator) -> list[Sample]:
    words = np.array(["hello", "héllo", "xyzzyx"], object)
    words[:] = [w.encode() for w in words]
    one, two = np.array([1, -3, 0], np.int32), np.array([2, 9, 3], np.int32)
    return [
        ((words, one, two), {"unit": "BYTE"}),
        ((words, one, two), {"unit": "UTF8_CHAR"}),
        ((words, one.reshape(3, 1), two.reshape(3, 1)), {"unit": "BYTE"}),
        ((words[:1].reshape(()), one, two), {"unit": "BYTE"}),
    ]


substr = text(
    "substr",
    host.substr,
    attrs={"unit": "BYTE"},
    params=("input", "pos", "len"),
    infer_aval=_substr_infer,
    samples=_substr_samples,
    doc="""Substrings of `len` bytes or characters from `pos`, which counts from the end if
    negative.""",
)


def _join_infer(*xs: Aval, separator: str) -> Aval:
    shapes = {closed(x.shape) for x in xs if x.shape}
    for x in xs:
        infer.check_dtype("join", x, STRING, "inputs")
    if len(shapes) > 1:
        raise invalid("join", f"Input shapes do not match: {[list(s) for s in shapes]}")
    return Aval(next(iter(shapes), ()), dtypes.string)


join = text(
    "string_join",
    host.join,
    params=("inputs",),
    infer_aval=_join_infer,
    samples=lambda rng: [
        ((_words((4,)), _words((4,)), _words(())), {"separator": "-"}),
        ((_words((2, 3)),), {"separator": ""}),
    ],
    doc="Concatenations of the strings at the same position.",
)


def _reduce_join_infer(x: Aval, axes: tuple[int, ...], separator: str) -> Aval:
    infer.check_dtype("reduce_join", x, STRING, "inputs")
    return Aval(tuple(n for i, n in enumerate(x.shape) if i not in axes), dtypes.string)


reduce_join = text(
    "reduce_join",
    host.reduce_join,
    params=("inputs",),
    infer_aval=_reduce_join_infer,
    samples=lambda rng: [
        ((_words((2, 3)),), {"axes": (0,), "separator": ""}),
        ((_words((2, 3)),), {"axes": (1, 0), "separator": ","}),
        ((_words((2, 0)),), {"axes": (1,), "separator": ","}),
    ],
    doc="Concatenations of strings along axes.",
)


def _segment_join_infer(x: Aval, ids: Aval, segments: int, separator: str) -> Aval:
    infer.check_dtype("unsorted_segment_join", x, STRING, "inputs")
    infer.check_dtype("unsorted_segment_join", ids, infer.INTEGER, "segment_ids")
    if not ids.rank:
        raise invalid("unsorted_segment_join", "segment_ids must not be a scalar")
    if x.shape[: ids.rank] != ids.shape:
        raise invalid(
            "unsorted_segment_join",
            f"inputs {list(x.shape)} must begin with the shape of segment_ids {list(ids.shape)}",
        )
    return Aval((segments, *x.shape[ids.rank :]), dtypes.string)


segment_join = text(
    "unsorted_segment_join",
    host.segment_join,
    params=("inputs", "segment_ids"),
    infer_aval=_segment_join_infer,
    samples=lambda rng: [
        ((_words((4,)), np.array([2, 0, 2, 0], np.int32)), {"segments": 3, "separator": ":"}),
        ((_words((3, 2)), np.array([1, 0, 1], np.int32)), {"segments": 2, "separator": ""}),
    ],
    doc="Concatenations of the strings of each segment.",
)
full_match = text(
    "regex_full_match",
    host.regex_full_match,
    attrs={"pattern": "[a-z ]*"},
    required=1,
    gives=dtypes.bool,
    doc="True where a regular expression matches the whole string.",
)
regex_replace = text(
    "regex_replace",
    host.regex_replace,
    attrs={"pattern": "([a-z]+)", "rewrite": r"<\1>", "replace_global": True},
    required=1,
    doc="Strings with the matches of a regular expression replaced.",
)


def _hash(name: str, function: Callable[[host_hash.Strings], Array], public: str) -> Op:
    return text(
        name,
        lambda input, num_buckets: host.hash_bucket(input, num_buckets, function),
        attrs={"num_buckets": 1000003},
        required=1,
        gives=dtypes.int64,
        doc=f"Hash bucket of each string, as computed by tf.{public}.",
    )


hash_bucket = _hash("string_to_hash_bucket", host_hash.murmur64, "strings.to_hash_bucket")
hash_bucket_fast = _hash(
    "string_to_hash_bucket_fast", host_hash.farm_fingerprint64, "strings.to_hash_bucket_fast"
)
hash_bucket_strong = text(
    "string_to_hash_bucket_strong",
    lambda input, num_buckets, key: host.hash_bucket(
        input, num_buckets, lambda s: host_hash.siphash(s, key)
    ),
    attrs={"num_buckets": 1000003, "key": (1, 2**60 + 5)},
    required=1,
    gives=dtypes.int64,
    doc="Hash bucket of each string under a secret key.",
)
to_number = text(
    "string_to_number",
    host.to_number,
    attrs={"out_type": dtypes.float32},
    required=1,
    gives=lambda attrs: attrs["out_type"],
    samples=lambda rng: [
        ((np.array([b"1", b" -2.5 ", b"1e3", b"inf", b"nan", b".5", b"0x10"], object),),
         {"out_type": dtypes.float32}),
        ((np.array([[b"1", b" -25 "]], object),), {"out_type": dtypes.int32}),
    ],
    doc="Number that each string represents.",
)  # fmt: skip
unicode_transcode = text(
    "unicode_transcode",
    host.unicode_transcode,
    attrs={
        "input_encoding": "UTF-8",
        "output_encoding": "UTF-16-BE",
        "errors": "replace",
        "replacement_char": 0xFFFD,
        "replace_control_characters": False,
    },
    required=1,
    doc="Strings converted to another encoding.",
)
