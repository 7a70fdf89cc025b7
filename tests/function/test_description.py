"""Concrete functions print as in TensorFlow and are called in the same way."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow

import tfpy

Pair = namedtuple("Pair", "x y")


def _rest(tf: Any) -> Any:
    v, c = tf.Variable([3.0]), tf.constant([1.0, 2.0])

    def f(x, y=2, *rest, k, flag=True, d={"a": 1}, **kw):  # noqa: B006
        return {"o": x * v + 1.0, "l": [x, None]}, c

    return f


def _same(tf: Any) -> Any:
    return lambda x: x


def _two(tf: Any) -> Any:
    def two(a, b):
        return a, b

    return two


def _nothing(tf: Any) -> Any:
    return lambda: None


class _Model:
    def method(self, x: Any) -> Any:
        return x


Case = tuple[Callable[[Any], Any], Callable[[Any], Any], Callable[[Any], dict[str, Any]]]

# function, positional arguments, keyword arguments
CASES: list[Case] = [
    (
        _rest,
        lambda tf: [tf.constant([1.0, 2.0]), tf.constant(3.0), tf.constant(1)],
        lambda tf: {
            "k": tf.TensorSpec([], tf.int32, name="kk"),
            "z": tf.constant(1.0),
            "d": {"b": tf.constant(2.0), "a": (1, 2)},
        },
    ),
    (_rest, lambda tf: [tf.constant([1.0, 2.0])], lambda tf: {"k": 1.5}),
    (
        _rest,
        lambda tf: [tf.constant([1.0, 2.0])],
        lambda tf: {"k": "s", "flag": None, "d": [tf.constant(1), [2.0, True]]},
    ),
    (_same, lambda tf: [1], lambda tf: {}),
    (_same, lambda tf: [tf.constant([1])], lambda tf: {}),
    (_same, lambda tf: [Pair(tf.constant(1), 2)], lambda tf: {}),
    (_same, lambda tf: [[tf.constant(1), tf.constant(2.0)]], lambda tf: {}),
    (_same, lambda tf: [tf.Variable([1.0])], lambda tf: {}),
    (_same, lambda tf: [None], lambda tf: {}),
    (_same, lambda tf: [{"a": {"b": tf.constant(1)}}], lambda tf: {}),
    (_nothing, lambda tf: [], lambda tf: {}),
    (_two, lambda tf: [tf.constant(1), tf.constant(True)], lambda tf: {}),
    (_two, lambda tf: [tf.TensorSpec([2], tf.float32, "nm")], lambda tf: {"b": 3}),
    (_two, lambda tf: [], lambda tf: {"b": tf.constant(1), "a": "q"}),
]


def without_numbers(text: str) -> str:
    text = re.sub(r"^  \d{6,}:", "  ID:", text, flags=re.MULTILINE)
    return re.sub(r"0x[0-9A-F]+", "0x", text)


def printed(tf: Any, case: Case) -> list[str]:
    make, args, kwargs = case
    function = tf.function(make(tf))
    concrete = function.get_concrete_function(*args(tf), **kwargs(tf))
    texts = [str(concrete), repr(concrete), function.pretty_printed_concrete_signatures()]
    return [without_numbers(text) for text in texts]


@pytest.mark.parametrize("case", CASES)
def test_printed_as_tensorflow(case: Case) -> None:
    assert printed(tfpy, case) == printed(tensorflow, case)


@pytest.mark.parametrize("case", [c for c in CASES if c[1] is not CASES[7][1]])
def test_structured_input_signature(case: Case) -> None:
    def signature(tf: Any) -> str:
        make, args, kwargs = case
        concrete = tf.function(make(tf)).get_concrete_function(*args(tf), **kwargs(tf))
        return repr(concrete.structured_input_signature)

    assert signature(tfpy) == signature(tensorflow)


def test_methods_and_several_traces() -> None:
    def text(tf: Any) -> str:
        model = _Model()
        method = tf.function(model.method)
        method(tf.constant(1))
        method(tf.constant([1.0]))
        return without_numbers(method.pretty_printed_concrete_signatures())

    assert text(tfpy) == text(tensorflow)


@pytest.mark.parametrize("tf", [tensorflow, tfpy])
def test_called_by_name_and_without_what_is_no_tensor(tf: Any) -> None:
    def minus(a: Any, b: Any, scale: int = 1) -> Any:
        return (a - b) * scale

    function = tf.function(minus)
    concrete = function.get_concrete_function(tf.constant(1), tf.constant(2), 3)
    a, b = tf.constant(10), tf.constant(4)
    assert int(concrete(a, b)) == int(concrete(b=b, a=a)) == int(concrete(a, b=b)) == 18
    assert int(concrete(a, b, scale=3)) == int(concrete(a, b, 3)) == 18
    nested = tf.function(lambda x: x["a"] * x["b"][0])
    known = nested.get_concrete_function({"b": [tf.constant(2), 5], "a": tf.constant(3)})
    assert int(known({"a": a, "b": [b, 5]})) == int(known(a, b)) == 40
    with pytest.raises(TypeError):
        known({"a": a, "b": [b, 6]})
    for wrong in (lambda: concrete(a), lambda: concrete(a, b, 4), lambda: concrete(a, b, c=b)):
        with pytest.raises(TypeError):
            wrong()
