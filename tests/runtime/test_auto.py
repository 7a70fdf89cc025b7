"""``tf.set_backend("auto")``: measures the program's own function, and remembers the result."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from runtime.fake import FakeDevice

import tfpy as tf
from tfpy._src.backends import registry
from tfpy._src.base.errors import InternalError
from tfpy._src.library.config import backend_choice as auto


class Clock:
    """A clock that takes no measurable time to read."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 1e-5
        return self.now


CLOCK = Clock()


class Quick(FakeDevice):
    name = "quick"


class Slow(FakeDevice):
    name = "slow"

    def run(self, program: int, *slots: int) -> int:
        CLOCK.now += 0.02
        return super().run(program, *slots)


class Broken(FakeDevice):
    name = "broken"

    def run(self, program: int, *slots: int) -> int:
        raise InternalError(None, None, "no")


@pytest.fixture(autouse=True)
def backends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Register three backends with an empty cache, and return the cache file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(registry, "_entries", {})
    monkeypatch.setattr(registry, "active", None)
    monkeypatch.setattr(auto, "perf_counter", CLOCK)
    for n, kind in enumerate((Quick, Slow, Broken)):
        tf.register_backend(kind.name, kind, n + 1)
    return tmp_path / "tfpy" / "backends.json"


class Model:
    """A model that adds one, and counts its calls by backend."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.weights = [np.zeros(3, np.float32)]

    def __call__(self, x: Any) -> dict[str, Any]:
        self.calls.append(tf.get_backend())
        return {"y": [tf.add(x, 1.0)]}


X = np.arange(4, dtype=np.float32)


def test_the_fastest_is_taken_and_the_report_says_why() -> None:
    model = Model()
    assert tf.set_backend("auto", model=model, inputs=X) is True
    assert tf.get_backend() == "quick"
    report = tf.backend_report()
    assert report["quick"]["status"] == "chosen"
    assert "ms for Model" in report["quick"]["reason"]
    assert "ms for Model" in report["slow"]["reason"]
    assert model.calls.count("broken") == 1
    assert 2 <= model.calls.count("slow") <= 20


def test_what_opens_only_when_it_is_asked_for_is_not_timed() -> None:
    registry._entries["quick"].asked_only = lambda: "it takes seconds to start"
    model = Model()
    tf.set_backend("auto", model=model, inputs=X)
    assert tf.get_backend() == "slow"
    assert "quick" not in model.calls
    assert tf.backend_report()["quick"]["reason"] == "it takes seconds to start"


def test_it_is_remembered_for_the_same_function_and_shapes(backends: Path) -> None:
    tf.set_backend("auto", model=Model(), inputs=X)
    tf.set_backend("slow")
    again = Model()
    tf.set_backend("auto", model=again, inputs=[X + 1])
    assert tf.get_backend() == "quick"
    assert again.calls == []
    tf.set_backend("auto", model=again, inputs=X[:2])
    assert again.calls != []
    other = Model()
    other.weights = [np.zeros(4, np.float32)]
    tf.set_backend("auto", model=other, inputs=X)
    assert other.calls != []
    assert sorted(json.loads(backends.read_text()).values()) == ["quick"] * 3


def test_another_code_is_another_function() -> None:
    called = []

    def make(amount: float) -> Any:
        if amount == 1.0:
            return lambda x: called.append(1) or x + 1.0
        return lambda x: called.append(2) or x + 2.0

    for amount in (1.0, 2.0, 1.0):
        tf.set_backend("auto", model=make(amount), inputs=tf.constant(X))
        called.append(0)
    runs = [n for n, before in zip(called, [0, *called], strict=False) if n != before]
    assert runs == [1, 0, 2, 0], "the third time nothing is called"


def test_without_inputs() -> None:
    tf.set_backend("auto", model=lambda: tf.add(X, 1.0))
    assert tf.get_backend() == "quick"


def test_a_compiled_function() -> None:
    @tf.function
    def twice(x: Any) -> Any:
        return x * 2.0

    asyncio.run(tf.set_backend_async("auto", model=twice, inputs=tf.constant(X)))
    assert tf.get_backend() == "quick"
    assert "ms for" in tf.backend_report()["quick"]["reason"]
    assert twice(tf.constant(X)).numpy().tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"a": 3}', "null"])
def test_whatever_stands_in_the_cache(backends: Path, text: str) -> None:
    model = Model()
    tf.set_backend("auto", model=model, inputs=X)
    (key,) = json.loads(backends.read_text())
    for entry in (text, json.dumps({key: "tpu"}), json.dumps({key: {"x": 1}})):
        backends.write_text(entry)
        model.calls.clear()
        tf.set_backend("auto", model=model, inputs=X)
        assert tf.get_backend() == "quick"
        assert model.calls != []


def test_a_remembered_backend_that_does_not_open(backends: Path) -> None:
    tf.set_backend("auto", model=Model(), inputs=X)
    for name in ("quick", "slow", "broken"):
        tf.remove_backend(name)

    def failing() -> Any:
        raise OSError("gone")

    tf.register_backend("quick", failing, 1)
    tf.register_backend("slow", Slow, 2)
    tf.register_backend("broken", Broken, 3)
    tf.set_backend("auto", model=Model(), inputs=X)
    assert tf.get_backend() == "slow"


def test_what_cannot_be() -> None:
    for arguments in ({"name": "auto"}, {"name": "quick", "model": Model()}):
        with pytest.raises(ValueError, match="pass a model to measure"):
            tf.set_backend(**arguments)
    tf.set_backend("slow")

    def wrong(x: Any) -> Any:
        raise tf.errors.InvalidArgumentError(None, None, "never")

    with pytest.raises(RuntimeError, match=r"no backend can run .*wrong: .*never"):
        tf.set_backend("auto", model=wrong, inputs=X)
    assert tf.get_backend() == "slow"
