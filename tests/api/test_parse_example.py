"""`tf.io.parse_example` and its relatives: serialized examples as tensors."""

from __future__ import annotations

import re
from typing import Any

import pytest
import tensorflow
from api.example_cases import ERRORS, VALUES, A, Case, D, ex, names, sq
from api.same import NARROWED, compare
from hypothesis import given, settings, strategies as st

import tfpy


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
