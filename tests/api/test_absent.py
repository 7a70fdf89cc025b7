"""Error messages for names that do not exist and for values that were not awaited."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from surface import public

import tfpy as tf
from tfpy._src.base import missing_names


def said(namespace: str, name: str) -> str:
    with pytest.raises(AttributeError) as raised:
        getattr(public.module(namespace), name)
    return str(raised.value)


@pytest.mark.parametrize(
    ("namespace", "name", "text"),
    [
        ("", "softmax", "tfpy has no tf.softmax; did you mean tf.math.softmax or tf"),
        ("nn", "sofmax", "tfpy has no tf.nn.sofmax; did you mean tf.nn.softmax"),
        ("", "reduce_summ", "tfpy has no tf.reduce_summ; did you mean tf.reduce_sum"),
        ("random", "unifrom", "tfpy has no tf.random.unifrom; did you mean tf.random.uniform?"),
        ("random.experimental", "normal", "did you mean tf.random.normal?"),
        ("math", "qwxyz", "tfpy has no tf.math.qwxyz; docs/ops.md lists every function"),
    ],
)
def test_close_names_are_told(namespace: str, name: str, text: str) -> None:
    assert text in said(namespace, name)


@pytest.mark.parametrize("name", missing_names.INSTEAD)
def test_namespaces_that_are_not_here(name: str) -> None:
    assert not hasattr(tf, name), "it is here: take its line out"
    assert said("", name) == f"tfpy has no tf.{name}; {missing_names.INSTEAD[name]}"


@pytest.mark.parametrize("namespace", public.NAMESPACES)
def test_every_namespace_answers(namespace: str) -> None:
    assert "no_such_name" in said(namespace, "no_such_name")
    assert "no_such_name" not in dir(public.module(namespace))


USES: list[Callable[[Any], Any]] = [
    lambda x: x + 1,
    lambda x: 1.0 - x,
    lambda x: tf.constant(2.0) * x,
    lambda x: tf.reduce_sum(x),
    tf.constant,
    np.asarray,
    float,
    lambda x: x[0],
    len,
    list,
    lambda x: x > 0,
    lambda x: f"{x:.2f}" if x else "",
    lambda x: x(),
]


@pytest.mark.parametrize("use", USES)
def test_a_forgotten_await_is_named(use: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"x.data\(\) returns its value .* `await x.data\(\)`"):
        use(tf.constant([1.0]).data())


def test_what_is_not_awaited_shows_it() -> None:
    pending = tf.ready()
    assert (
        repr(pending)
        == "<tf.ready() returns its value when it is awaited: write `await tf.ready()`>"
    )
    with pytest.raises(AttributeError, match=r"no shape: tf.ready.*await"):
        _ = pending.shape
    pending.close()


def test_what_is_awaited_is_as_before() -> None:
    async def program() -> list[Any]:
        await tf.ready()
        x, v = tf.constant([1.0, 2.0]), tf.Variable(3.0)
        task = asyncio.create_task(x.data())
        both = await asyncio.gather(x.data(), v.data())
        late = await asyncio.wait_for(x.array(), 5)
        pending = x.data()
        assert inspect.isawaitable(pending)
        return [(await task).tolist(), both[0].tolist(), both[1], late, (await pending).tolist()]

    assert asyncio.run(program()) == [[1, 2], [1, 2], 3, [1, 2], [1, 2]]
    assert asyncio.run(tf.constant([1]).data()).tolist() == [1]
    with pytest.raises(TypeError, match="must not be async"):
        tf.tidy(lambda: tf.constant(1.0).data())
