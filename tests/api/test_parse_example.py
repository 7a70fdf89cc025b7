"""`tf.io.parse_example` and its relatives: serialized examples as tensors."""

from __future__ import annotations

import re
from typing import Any

import pytest
import tensorflow
from api.example_cases import VALUES, A, B, C, Case, D, N, ex, names, sq
from api.same import NARROWED, compare
from hypothesis import given, settings, strategies as st

import tfpy

ERRORS: list[Case] = [
    lambda t: t.pe([A, B], {"a": t.F([], t.tf.int64)}),
    lambda t: t.pe([A, B], {"a": t.F([3], t.tf.int64)}),
    lambda t: t.pe([A, C], {"a": t.F([2], t.tf.int64)}),
    lambda t: t.pe([A, N], {"a": t.F([2], t.tf.int64)}),
    lambda t: t.pe([A, C], {"a": t.F([2], t.tf.int64, 8)}),
    lambda t: t.pe([A, C], {"a": t.F([2], t.tf.int64, [1.5, 2])}),
    lambda t: t.pe([A, B], {"a": t.F([2], t.tf.float32)}),
    lambda t: t.pe([A, B], {"s": t.F([2], t.tf.int64)}),
    lambda t: t.pe([A, B], {"f": t.F([2], t.tf.string)}),
    lambda t: t.pe([A, B], {"a": t.V(t.tf.float32)}),
    lambda t: t.pe([], {"s": t.V(t.tf.string), "a": t.F([2], t.tf.int64)}),
    lambda t: t.pe([A, D], {"a": t.S([2], t.tf.int64, allow_missing=True)}),
    lambda t: t.pe([A, D], {"a": t.S([], t.tf.int64)}),
    lambda t: t.ps(
        ex(v=[3, 1, 4, 1], l=[1, 9]),
        {"x": t.R(t.tf.int64, "v", [t.R.RowLengths("l")], validate=True)},
    ),
    lambda t: t.ps(ex(i=[3], w=[1.5, 2.5]), {"x": t.SP("i", "w", t.tf.float32, 10)}),
    lambda t: t.ps(A, {"x": t.SP("", "w", t.tf.float32, 10)}),
    lambda t: t.ps(A, {"x": t.SP("i", "", t.tf.float32, 10)}),
    lambda t: t.ps(A, {"x": t.SP("i", "w", None, 10)}),
    lambda t: t.ps(A, {"f": t.S([3], t.tf.float32, allow_missing=True)}),
    lambda t: t.ps(C, {"f": t.S([2], t.tf.float32, allow_missing=False)}),
    lambda t: t.ps(A, {"a": t.F([], t.tf.int64)}),
    lambda t: t.ps(C, {"a": t.F([], t.tf.int64)}),
    lambda t: t.ps(A, {"a": t.F([2], t.tf.float32)}),
    lambda t: t.ps(A, {"a": t.V(t.tf.float32)}),
    lambda t: t.ps(A, {"a": t.R(t.tf.float32)}),
    lambda t: t.ps(b"abc", {"a": t.F([2], t.tf.int64)}),
    lambda t: t.pe([A, b"abc"], {"a": t.F([2], t.tf.int64)}),
    lambda t: t.pe([A, b"abc"], {"a": t.F([2], t.tf.int64)}, example_names=["n1", "n2"]),
    lambda t: t.pe([A, C], {"a": t.F([2], t.tf.int64)}, example_names=["n1", "n2"]),
    lambda t: t.pe([A, C], {"a": t.F([2], t.tf.int64)}, example_names=["n1"]),
    lambda t: t.pe([[A]], {"a": t.F([2], t.tf.int64)}),
    lambda t: t.ps([A], {"a": t.F([2], t.tf.int64)}),
    lambda t: t.pe([A], None),
    lambda t: t.pe([A], {}),
    lambda t: t.ps(A, None),
    lambda t: t.ps(A, {}),
    lambda t: t.pe(3, {"a": t.F([2], t.tf.int64)}),
    lambda t: t.pe([A], {"a": t.F([2], t.tf.uint8)}),
    lambda t: t.pe([A], {"a": t.V(t.tf.uint8)}),
    lambda t: t.pe([A], {"a": t.F([2], None)}),
    lambda t: t.pe([A], {"a": t.F(None, t.tf.int64)}),
    lambda t: t.pe([A], {"a": t.F([None], t.tf.int64)}),
    lambda t: t.pe([A], {"a": t.F([2, None], t.tf.int64)}),
    lambda t: t.pe([A], {"a": t.V(None)}),
    lambda t: t.pe([A], {"a": 3}),
    lambda t: t.pe([A], {"a": t.tf.int64}),
    lambda t: t.R(t.tf.uint8),
    lambda t: t.R(t.tf.int64, value_key=3),
    lambda t: t.R(t.tf.int64, value_key=""),
    lambda t: t.R(t.tf.int64, partitions=[3]),
    lambda t: t.R(t.tf.int64, partitions=3),
    lambda t: t.R(t.tf.int64, partitions=t.R.RowSplits("a")),
    lambda t: t.R(t.tf.int64, validate=3),
    lambda t: t.R(t.tf.int64, row_splits_dtype=t.tf.float32),
    lambda t: t.pe([A], {"a": t.F([2], t.tf.int64), "x": t.SP("i", "a", t.tf.int64, 10)}),
    lambda t: t.pe([A], {"a": t.V(t.tf.float32), "x": t.SP("a", "f", t.tf.float32, 10)}),
    lambda t: t.pe([A], {"a": t.V(t.tf.int64), "x": t.R(t.tf.int64, "a")}),
    lambda t: t.pe([A], {"a": t.F([2], t.tf.int64), "x": t.R(t.tf.int64, "a")}),
    lambda t: t.pe([A], {"y": t.R(t.tf.float32, "a"), "x": t.R(t.tf.int64, "a")}),
    lambda t: t.p1(
        sq({"c": [1]}, {"x": [[1, 2], [3, 4]], "y": [[b"a"], [b"b", b"c"], []]}),
        {"c": t.F([], t.tf.int64)},
        {"x": t.S([2], t.tf.int64), "y": t.V(t.tf.string)},
    ),
    lambda t: t.p1(
        sq({"c": [1]}, {"x": [[1, 2], [3]]}), {"c": t.R(t.tf.int64)}, {"x": t.S([2], t.tf.int64)}
    ),
    lambda t: t.p1(sq({"c": [1]}, {}), None, {"x": t.S([], t.tf.int64)}),
    lambda t: t.p1(sq({"c": [1]}, {}), None, {"x": t.S([], t.tf.int64, default_value=3)}),
    lambda t: t.p1(sq({"c": [1]}, {"x": [[1], [3]]}), None, {"x": t.S([], t.tf.float32)}),
    lambda t: t.p1(sq({"c": [1]}, {"x": [[1], [3]]}), None, {"x": t.V(t.tf.float32)}),
    lambda t: t.p1(sq({"c": [1]}, {"x": [[1], None]}), None, {"x": t.S([], t.tf.int64)}),
    lambda t: t.p1(sq({"c": [1]}), {"c": t.F([], t.tf.float32)}),
    lambda t: t.p1(sq({"c": [1]}), {"d": t.F([], t.tf.float32)}),
    lambda t: t.p1(sq({"c": [1]}), {"c": t.F([2], t.tf.int64)}),
    lambda t: t.p1(sq({"c": [1]}), {"c": t.S([2], t.tf.int64)}),
    lambda t: t.p1(sq({"c": [1]}), None, {"c": t.F([2], t.tf.int64)}),
    lambda t: t.p1(sq({"c": [1]})),
    lambda t: t.p1([sq({"c": [1]})], {"c": t.V(t.tf.int64)}),
    lambda t: t.p1(b"abc", {"c": t.V(t.tf.int64)}),
    lambda t: t.p1(b"abc", {"c": t.V(t.tf.int64)}, example_name="n"),
    lambda t: t.pq(
        [
            sq({"c": [1]}, {"x": [[1, 2], [3, 4]], "y": [[b"a"], [b"b", b"c"], []]}),
            sq({"c": [5]}, {"x": [[5, 6]], "y": []}),
        ],
        {"c": t.F([], t.tf.int64)},
        {"x": t.S([2], t.tf.int64), "y": t.V(t.tf.string)},
    ),
    lambda t: t.pq(
        [sq({"c": [1]}, {"x": [[1, 2], [3]]}), sq({"c": [5, 6]}, {"x": [[5]]})],
        {"c": t.R(t.tf.int64)},
        {"x": t.S([], t.tf.int64)},
    ),
    lambda t: t.pq(
        [sq({"c": [1]}, {"x": [[1], [3]]}), sq({"c": [5, 6]}, {})], None, {"x": t.S([], t.tf.int64)}
    ),
    lambda t: t.pq(
        [sq({"c": [1]}, {"x": [[1], [3]]}), sq({"c": [5, 6]}, {})], {"d": t.F([], t.tf.int64)}
    ),
    lambda t: t.pq([sq({"c": [1]}, {"x": [[1], [3]]}), b"abc"], {"c": t.F([], t.tf.int64)}),
    lambda t: t.pq([], {"c": t.F([], t.tf.int64)}),
    lambda t: t.pq(
        t.tf.zeros([0], t.tf.string),
        {"c": t.F([], t.tf.int64), "r": t.R(t.tf.int64)},
        {"x": t.S([], t.tf.int64), "y": t.V(t.tf.string)},
    ),
    lambda t: t.pq([sq()]),
    lambda t: list(
        t.tf.data.Dataset.from_tensor_slices([A, C]).map(
            lambda x: t.ps(x, {"a": t.F([2], t.tf.int64)})
        )
    ),
]


@pytest.mark.filterwarnings("ignore")
def test_values() -> None:
    for number, case in enumerate(VALUES):
        mine, wanted = case(names(tfpy)), case(names(tensorflow))
        if isinstance(wanted, dict):  # the order of keys is not specified
            mine, wanted = dict(sorted(mine.items())), dict(sorted(wanted.items()))
        compare(mine, wanted, 0, f"case {number}")


def told(case: Case, tf: Any) -> tuple[str, str]:
    """Return the class of an error, and its text without what only one library adds."""
    with pytest.raises(Exception) as raised:  # noqa: PT011 - any class; ours must be the same
        case(names(tf))
    text = re.sub(
        r"^parse(_sequence)?_example: |\{\{function.*?\}\} ?|\s*\[Op:.*",
        "",
        str(raised.value),
        flags=re.S,
    )
    text = re.sub(r"^Error in user-defined.*V2: |\s+\[\[.*", "", text, flags=re.S)
    return raised.type.__name__, re.sub("|".join(NARROWED) or "$^", lambda m: NARROWED[m[0]], text)


OWN_TEXTS = (
    "slice was not parsed",
    "to EagerTensor of dtype",
    "unexpected number of values",
    "do not form a valid RaggedTensor",
    "partition types in",
    "Receivedpartitions",
    "gottf",
    "Dense and ragged keys",
    "is not in the list of allowed values",
    "requested dtype string",
    "have the same shape as serialized",
)
"""Errors of TensorFlow that have another text here."""


@pytest.mark.filterwarnings("ignore")
def test_errors() -> None:
    for number, case in enumerate(ERRORS):
        (kind, mine), (wanted, text) = told(case, tfpy), told(case, tensorflow)
        assert kind == wanted, number
        if not any(own in text for own in OWN_TEXTS):
            assert mine == text, number


def test_integers_that_do_not_fit() -> None:
    t, data = names(tfpy), ex(a=[2**40])
    if tfpy.int64 is tfpy.int32:
        with pytest.raises(tfpy.errors.InvalidArgumentError, match="does not fit 32 bits"):
            t.ps(data, {"a": t.V(tfpy.int64)})
    else:
        assert t.ps(data, {"a": t.F([], tfpy.int64)})["a"].numpy() == 2**40


LISTS = st.one_of(
    st.none(),
    st.lists(st.integers(-9, 9), max_size=4),
    st.lists(st.floats(width=32), min_size=1, max_size=4),
    st.lists(st.binary(max_size=2), min_size=1, max_size=4),
)
KINDS = st.sampled_from(["int64", "float32", "string"])
CONFIGS = st.one_of(
    st.tuples(st.just("V"), KINDS),
    st.tuples(st.just("R"), KINDS),
    st.tuples(st.just("F"), st.sampled_from([(), (2,), (1, 2)]), KINDS),
    st.tuples(st.just("S"), st.sampled_from([(), (2,)]), KINDS),
)
KEYS = st.sampled_from("ab")
STEPS = st.dictionaries(KEYS, st.lists(LISTS, max_size=3))


def config(t: Any, spec: Any) -> Any:
    kind, *shape, dtype = spec
    return getattr(t, kind)(*shape, getattr(t.tf, dtype), *([True] if kind == "S" else []))


def check(call: Case) -> None:
    """Compare the results of both libraries, or the classes of their errors."""

    def result(tf: Any) -> Any:
        try:
            return call(names(tf))
        except UnicodeDecodeError:  # TensorFlow cannot convert the text of its error
            return "InvalidArgumentError"
        except (tf.errors.InvalidArgumentError, ValueError) as error:
            return type(error).__name__

    compare(result(tfpy), result(tensorflow), 0, "")


@settings(max_examples=120, deadline=None, derandomize=True, database=None)
@given(
    st.lists(st.dictionaries(KEYS, LISTS), min_size=1, max_size=3),
    st.dictionaries(KEYS, CONFIGS, min_size=1),
    st.booleans(),
)
def test_random_examples(examples: Any, specs: Any, single: bool) -> None:
    data = [ex(**values) for values in examples]

    def parse(t: Any) -> Any:
        configs = {key: config(t, spec) for key, spec in specs.items()}
        found = t.ps(data[0], configs) if single else t.pe(data, configs)
        return dict(sorted(found.items()))

    check(parse)


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(
    st.lists(STEPS, min_size=1, max_size=2),
    st.dictionaries(KEYS, CONFIGS.filter(lambda spec: spec[0] != "F"), min_size=1),
    st.booleans(),
)
def test_random_sequences(examples: Any, specs: Any, single: bool) -> None:
    data = [sq({}, lists) for lists in examples]

    def parse(t: Any) -> Any:
        configs = {key: config(t, spec) for key, spec in specs.items()}
        found = t.p1(data[0], None, configs) if single else t.pq(data, None, configs)
        return [dict(sorted(part.items())) for part in found]

    check(parse)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(st.sampled_from([A, D]), st.integers(0, 60), st.integers(0, 255), st.integers(1, 60))
def test_corrupt_examples(example: bytes, at: int, byte: int, end: int) -> None:
    """Check that corrupt bytes that are accepted have the values that TensorFlow reads.

    TensorFlow accepts some malformed fields that it skips.
    """
    changed = bytearray(example)
    changed[at % len(changed)] = byte
    message = bytes(changed[:end])

    def parse(t: Any) -> Any:
        return t.pe([message], {"a": t.V(t.tf.int64)})

    try:
        parse(names(tfpy))
    except tfpy.errors.InvalidArgumentError:
        return
    check(parse)
