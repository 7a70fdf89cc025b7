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
from tfpy._src.core.operand import AbsentAttribute, DenseOperand


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


@pytest.mark.parametrize("call", [lambda: tf.constant(1.0).data(), tf.ready])
def test_what_is_never_awaited_has_a_warning(call: Callable[[], Any]) -> None:
    with pytest.warns(
        RuntimeWarning, match=r"\(\) was never awaited and .*: write `await "
    ) as found:
        call()
    assert [warning.filename for warning in found] == [__file__]


def test_every_public_coroutine_knows_its_call() -> None:
    """Check every public coroutine, except methods that programs implement and that tfpy calls."""
    implemented = {"KernelBackend.finish", "DistributedIterator.fetch"}
    implemented |= {"ConcreteFunction.prepare", "ConcreteFunction.run_async"}
    plain = {
        function.__qualname__
        for module in map(public.module, public.NAMESPACES)
        for name in dir(module)
        for function in coroutines(getattr(module, name, None))
        if function.__code__.co_name != "begin"  # the code of `awaitable`
    }
    assert plain - implemented == set()


def coroutines(value: Any) -> list[Any]:
    """Return the asynchronous functions among an object and its attributes."""
    names = [name for name in dir(value) if not name.startswith("_")]
    own = [getattr(value, name, None) for name in names] if inspect.isclass(value) else []
    plain = [getattr(one, "__func__", one) for one in (value, *own)]
    found = [one for one in plain if inspect.isfunction(one)]
    return [one for one in found if inspect.iscoroutinefunction(inspect.unwrap(one))]


ARRAY_METHODS = [
    name for name, kind in vars(DenseOperand).items() if isinstance(kind, AbsentAttribute)
]


@pytest.mark.parametrize("name", ARRAY_METHODS)
@pytest.mark.parametrize("kind", [tf.constant, tf.Variable])
def test_methods_of_arrays(name: str, kind: Callable[[Any], Any]) -> None:
    x = kind([1.0, 2.0])
    assert not hasattr(x, name)
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'; use "):
        getattr(x, name)


def test_methods_of_arrays_in_a_function() -> None:
    with pytest.raises(AttributeError, match=r"'SymbolicTensor' .* 'item'; use x.numpy"):
        tf.function(lambda x: x.item())(tf.constant(1.0))


def test_an_element_cannot_be_assigned() -> None:
    x = tf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match=r"does not support item .*tensor_scatter"):
        x[0] = 3.0
    assert x.numpy().tolist() == [1.0, 2.0]


def test_a_gradient_that_is_none() -> None:
    with tf.GradientTape() as tape:
        x = tf.constant(1.0)
    missing = tape.gradient(tf.constant(2.0), x)
    with pytest.raises(ValueError, match=r"value \(None\) .* does not depend on the source"):
        _ = x * missing


@pytest.mark.parametrize("values", [[1, None], ["a", None], [b"a", 2.0]])
def test_arrays_of_objects(values: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"Unsupported object type (int|NoneType|float)\)"):
        tf.constant(np.array(values, object))


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
