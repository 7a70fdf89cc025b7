"""Choice of backends: priorities, fall-through, reports, errors."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from runtime.fake import FakeDevice

import tfpy as tf
from tfpy._src.backends import registry
from tfpy._src.backends.backend import BackendSkipped
from tfpy._src.backends.entry import Status


@pytest.fixture(autouse=True)
def fresh_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register only cpu, not yet opened."""
    monkeypatch.setattr(registry, "_entries", {})
    monkeypatch.setattr(registry, "active", None)
    tf.register_backend("cpu", registry.CpuBackend, 1)


def failing() -> Any:
    raise OSError("no such GPU")


def skipped() -> Any:
    raise BackendSkipped("too slow here")


class Slow(FakeDevice):
    name = "slow"


async def opened_later() -> Slow:
    await asyncio.sleep(0.001)
    return Slow()


def test_the_best_that_opens_is_chosen() -> None:
    tf.register_backend("broken", failing, 9)
    tf.register_backend("skipped", skipped, 8)
    tf.register_backend("fake", FakeDevice, 5)
    asyncio.run(tf.ready())
    assert tf.get_backend() == "fake"
    assert tf.backend_report() == {
        "broken": {"status": "failed", "reason": "no such GPU", "variant": "", "priority": 9},
        "skipped": {"status": "skipped", "reason": "too slow here", "variant": "", "priority": 8},
        "fake": {"status": "chosen", "reason": "", "variant": "numpy in disguise", "priority": 5},
        "cpu": {"status": "not tried", "reason": "", "variant": "", "priority": 1},
    }


def test_the_first_op_opens_a_backend() -> None:
    assert (tf.constant([1.0]) + 1).numpy() == [2]
    assert tf.backend_report()["cpu"]["status"] == "chosen"


def test_the_first_op_waits_for_a_factory() -> None:
    tf.register_backend("slow", opened_later, 5)
    assert tf.get_backend() == "slow"


def test_the_first_op_says_what_to_await() -> None:
    """Check that the error names the call to await.

    A synchronous call cannot suspend a coroutine.
    """

    async def first() -> None:
        tf.get_backend()

    tf.register_backend("slow", opened_later, 5)
    with pytest.raises(RuntimeError, match=r"await tf.ready\(\)"):
        asyncio.run(first())


def test_awaited_factories() -> None:
    tf.register_backend("slow", opened_later, 5)
    assert asyncio.run(tf.set_backend_async("slow")) is True
    assert tf.get_backend() == "slow"
    tf.set_backend("cpu")
    tf.set_backend("slow")
    assert tf.backend_report()["cpu"]["status"] == "available"


def test_set_backend_that_needs_an_await() -> None:
    async def choose() -> None:
        tf.set_backend("slow")

    tf.register_backend("slow", opened_later, 5)
    with pytest.raises(RuntimeError, match=r'await tf.set_backend_async\("slow"\)|slow'):
        asyncio.run(choose())


def test_set_backend() -> None:
    tf.register_backend("fake", FakeDevice, 5)
    assert tf.set_backend("cpu") is True
    assert tf.get_backend() == "cpu"
    assert tf.set_backend("fake") is True
    assert tf.get_backend() == "fake"


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match=r"'webgpu' is unknown\. The backends are cpu"):
        tf.set_backend("webgpu")
    with pytest.raises(ValueError, match="unknown"):
        asyncio.run(tf.set_backend_async("webgpu"))
    with pytest.raises(ValueError, match="unknown"):
        tf.remove_backend("webgpu")


def test_a_backend_that_fails_leaves_the_active_one() -> None:
    tf.register_backend("broken", failing, 9)
    tf.set_backend("cpu")
    with pytest.raises(RuntimeError, match=r"'broken' cannot be used here: no such GPU"):
        tf.set_backend("broken")
    assert tf.get_backend() == "cpu"
    assert tf.backend_report()["broken"]["reason"] == "no such GPU"


def test_statuses_are_plain_strings() -> None:
    """Check that statuses are strings.

    The report can be printed and passed to JavaScript.
    """
    found = [status.value for status in Status]
    assert found == ["not tried", "skipped", "failed", "available", "chosen", "lost"]
    tf.register_backend("broken", failing, 9)
    asyncio.run(tf.ready())
    for entry in tf.backend_report().values():
        assert type(entry["status"]) is str
        assert entry["status"] in found


def awaited(name: str) -> bool:
    return asyncio.run(tf.set_backend_async(name))


@pytest.mark.parametrize("choose", [tf.set_backend, awaited])
def test_a_backend_that_failed_is_tried_again(choose: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a failed backend is tried again in both ways of opening a backend.

    The host's properties are also queried again.
    """
    forgotten: list[bool] = []
    monkeypatch.setattr(type(tf.env()), "forget_facts", lambda env: forgotten.append(True))
    for failure, status in ((failing, "failed"), (skipped, "skipped")):
        tf.register_backend("fake", failure, 9)
        with pytest.raises(RuntimeError, match="'fake' cannot be used here"):
            choose("fake")
        assert tf.backend_report()["fake"]["status"] == status
        before = len(forgotten)
        registry._entries["fake"].factory = FakeDevice
        assert choose("fake")
        assert len(forgotten) == before + 1
        tf.remove_backend("fake")


def test_names_are_taken_once() -> None:
    assert tf.register_backend("fake", FakeDevice) is True
    assert tf.register_backend("fake", failing) is False
    assert tf.set_backend("fake") is True


def test_a_backend_has_the_name_that_it_is_registered_under() -> None:
    tf.register_backend("other", FakeDevice, 5)
    with pytest.raises(RuntimeError, match="registered as 'other' has the name 'fake'"):
        tf.set_backend("other")
    assert tf.get_backend() == "cpu"


def test_remove_backend() -> None:
    tf.register_backend("fake", FakeDevice, 5)
    tf.set_backend("fake")
    backend = registry.active_backend()
    assert isinstance(backend, FakeDevice)
    tf.remove_backend("fake")
    assert backend.closed
    assert "fake" not in tf.backend_report()
    assert tf.get_backend() == "cpu"


def test_nothing_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_entries", {})
    tf.register_backend("broken", failing)
    with pytest.raises(RuntimeError, match="no such GPU"):
        asyncio.run(tf.ready())


def test_outside_of_a_browser_the_device_backends_say_so() -> None:
    for name, priority in (("webgl", 3), ("wasm", 2)):
        tf.register_backend(name, partial(registry._open_device, name), priority)
    asyncio.run(tf.ready())
    report = tf.backend_report()
    assert tf.get_backend() == "cpu"
    for name in ("webgl", "wasm"):
        assert report[name]["status"] == "failed"
        assert "browser" in report[name]["reason"]


def test_a_lost_device_is_opened_anew() -> None:
    """Check that values with a host copy are restored.

    Other values raise an error that names the lost device.
    """
    tf.register_backend("fake", FakeDevice, 5)
    assert tf.set_backend("fake")
    small = tf.constant([1.0, 2.0])
    large = small + tf.zeros([1000, 2])
    lost = registry.active_backend()
    assert isinstance(lost, FakeDevice)
    lost.loss = "the browser took it"
    report = tf.backend_report()["fake"]
    assert (report["status"], report["reason"]) == ("lost", "the browser took it")

    assert tf.set_backend("fake")
    assert registry.active_backend() is not lost
    assert lost.closed
    assert tf.backend_report()["fake"]["status"] == "chosen"
    assert (small * 2.0).numpy().tolist() == [2, 4]
    for read in (large.numpy, lambda: large * 2.0, lambda: asyncio.run(large.data())):
        with pytest.raises(tf.errors.UnavailableError, match=r"float32\[1000,2\].*browser took it"):
            read()


def test_ready_looks_for_another_device() -> None:
    tf.register_backend("fake", FakeDevice, 5)
    asyncio.run(tf.ready())
    lost = registry.active_backend()
    assert isinstance(lost, FakeDevice)
    lost.loss = "the browser took it"
    registry._entries["fake"].factory = failing
    asyncio.run(tf.ready())
    assert tf.get_backend() == "cpu"
    with pytest.raises(RuntimeError, match="no such GPU"):
        tf.set_backend("fake")


def test_tensors_of_a_removed_backend_say_so() -> None:
    tf.register_backend("fake", FakeDevice, 5)
    tf.set_backend("fake")
    x = tf.zeros([1000]) + 1.0
    tf.remove_backend("fake")
    for read in (x.numpy, lambda: x + 1.0):
        with pytest.raises(tf.errors.UnavailableError, match="'fake', which was removed"):
            read()


def test_find_backend() -> None:
    tf.register_backend("fake", FakeDevice, 5)
    assert tf.find_backend("fake") is None
    tf.set_backend("fake")
    assert tf.find_backend("fake") is registry.active_backend()
    assert tf.find_backend("tpu") is None
    assert tf.find_backend_factory("fake") is FakeDevice
    assert tf.find_backend_factory("tpu") is None


def test_threads_of_a_backend_that_is_not_open() -> None:
    with pytest.raises(RuntimeError, match=r"await tf.set_backend_async\(\"wasm\"\)"):
        tf.get_threads_count()
    for count in (0, -1, True, 2.0):
        with pytest.raises(ValueError, match="count must be a positive integer"):
            tf.set_threads_count(count)  # type: ignore[arg-type]
