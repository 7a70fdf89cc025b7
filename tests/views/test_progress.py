"""Progress bars and plots of loops: in a terminal, in simulated notebooks, with tqdm."""

from __future__ import annotations

import asyncio
import sys
import types
from collections.abc import AsyncIterator, Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

import tfpy as tf
from tfpy._src.backends.storage import Storage
from tfpy._src.core.tensor import Tensor
from tfpy._src.display import line_charts, live_plot, progress

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw at each step."""
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    monkeypatch.setattr(live_plot, "_EVERY", 0.0)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Record the HTML that an IPython notebook displays, and its updates."""
    found: list[tuple[str, str]] = []

    def display(html: str, display_id: bool) -> Any:
        found.append(("new", html))
        return types.SimpleNamespace(update=lambda html: found.append(("update", html)))

    module = types.ModuleType("IPython")
    vars(module)["get_ipython"] = lambda: object()
    vars(module)["display"] = types.SimpleNamespace(display=display, HTML=lambda text: text)
    monkeypatch.setitem(sys.modules, "IPython", module)
    return found


def test_elements_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    """Check that only the last line is printed if lines cannot be rewritten, e.g. in a log file."""
    steps = tf.notebook.progress(["a", "b", "c"], label="reading")
    assert list(steps) == ["a", "b", "c"]
    assert (steps.done, steps.total) == (3, 3)
    out = capsys.readouterr().out
    assert out.startswith(f"reading  {'━' * 24} 100%  3/3  ")
    assert out.count("\n") == 1


def test_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, always: None
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    steps = tf.notebook.progress(range(4))
    for step in steps:
        steps.show(loss=tf.constant(1.0 / (step + 1)), rate=0.5)
    first, *drawn, last = capsys.readouterr().out.split("\r")[1:]
    assert first.strip() == f"{'─' * 24}   0%  0/4"
    assert [line.split()[1] for line in drawn] == ["25%", "50%", "75%", "100%", "100%"]
    assert drawn[1].startswith(f"{'━' * 12}{'─' * 12}  50%  2/4")
    assert last.rstrip().endswith("  loss 0.25  rate 0.5")
    assert steps.values == {"loss": 0.25, "rate": 0.5}


def test_unknown_totals(capsys: pytest.CaptureFixture[str]) -> None:
    def some() -> Iterator[int]:
        yield from range(1500)

    steps = tf.notebook.progress(some())
    assert list(steps) == list(range(1500))
    assert capsys.readouterr().out.startswith("1,500  ")
    assert tf.notebook.progress(some(), total=7).total == 7
    assert tf.notebook.progress(tf.data.Dataset.range(5)).total == 5
    assert tf.notebook.progress(tf.data.Dataset.range(5).repeat()).total is None


def test_loops_that_are_left(capsys: pytest.CaptureFixture[str]) -> None:
    steps = tf.notebook.progress(range(10))
    for step in steps:
        if step == 3:
            break
    assert "  3/10  " in capsys.readouterr().out

    def fails() -> None:
        for step in steps:
            assert step < 0

    with pytest.raises(AssertionError):
        fails()
    assert "  0/10" in capsys.readouterr().out


def test_notebooks(shown: list[tuple[str, str]], always: None) -> None:
    steps = tf.notebook.progress(range(2), label="<train>", plot=True)
    for step in steps:
        steps.show(loss=2.0 - step, val_loss=3.0)
    assert [how for how, _ in shown] == ["new", *["update"] * (len(shown) - 1)]
    root = ElementTree.fromstring(shown[-1][1])
    (bar,) = root.iter("progress")
    assert (bar.attrib["value"], bar.attrib["max"], bar.attrib["aria-label"]) == (
        "2", "2", "<train>"
    )  # fmt: skip
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert texts[0] == "loss"
    assert {"training", "validation", "step"} <= set(texts)
    assert "loss 1  val_loss 3" in "".join(root.itertext())
    assert steps.series is not None
    assert steps.series.points["loss"] == [(1, 2.0), (2, 1.0), (2, 1.0)]


def test_marimo(monkeypatch: pytest.MonkeyPatch, always: None) -> None:
    found: list[str] = []
    module = types.ModuleType("marimo")
    vars(module).update(
        running_in_notebook=lambda: True,
        Html=lambda text: text,
        output=types.SimpleNamespace(replace=found.append),
    )
    monkeypatch.setitem(sys.modules, "marimo", module)
    for _ in tf.notebook.progress(range(2)):
        pass
    assert 'value="2"' in found[-1]


class Bar:
    """A substitute for tqdm's bar."""

    made: list[Bar] = []  # noqa: RUF012

    def __init__(self, total: int | None, desc: str | None) -> None:
        self.total, self.desc, self.n, self.is_open = total, desc, 0, True
        self.postfix: dict[str, str] = {}
        Bar.made.append(self)

    def set_postfix(self, shown: dict[str, str], refresh: bool) -> None:
        self.postfix = shown

    def update(self, count: int) -> None:
        self.n += count

    def close(self) -> None:
        self.is_open = False


def modules(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    for name in names:
        module = types.ModuleType(name)
        module.__spec__ = types.SimpleNamespace()  # type: ignore[assignment]
        vars(module)["tqdm"] = type(name, (Bar,), {})
        monkeypatch.setitem(sys.modules, name, module)


def test_tqdm(monkeypatch: pytest.MonkeyPatch, always: None, shown: list[Any]) -> None:
    """Check that a notebook's tqdm is used only with ipywidgets.

    The plot is always tfpy's.
    """
    modules(monkeypatch, "tqdm", "tqdm.notebook")
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    assert progress.tqdm_bars(in_notebook=True) is None
    assert progress.tqdm_bars(in_notebook=False).__name__ == "tqdm"
    modules(monkeypatch, "ipywidgets")
    steps = tf.notebook.progress(range(3), label="steps")
    for step in steps:
        steps.show(loss=step)
    bar = Bar.made[-1]
    assert type(bar).__name__ == "tqdm.notebook"
    assert (bar.total, bar.desc, bar.n, bar.is_open) == (3, "steps", 3, False)
    assert bar.postfix == {"loss": "2"}
    assert shown == []
    for _ in tf.notebook.progress(range(3), plot=True):
        pass
    assert Bar.made[-1] is bar
    assert shown != []


async def awaited(count: int) -> AsyncIterator[int]:
    for n in range(count):
        await asyncio.sleep(0)
        yield n


def test_async_loops(monkeypatch: pytest.MonkeyPatch, always: None) -> None:
    """Check that other tasks run meanwhile and that tensors are awaited.

    Only displayed tensors are read.
    """
    reads: list[Tensor] = []
    data = Tensor.data

    def noted(tensor: Tensor) -> Any:
        reads.append(tensor)
        return data(tensor)

    monkeypatch.setattr(Tensor, "data", noted)
    monkeypatch.setattr("tfpy._src.backends.event_loop.SLICE", 0.0)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def loop(elements: Any) -> Any:
        steps = tf.notebook.progress(elements, total=20)
        task = asyncio.create_task(others())
        async for n in steps:
            steps.show(loss=tf.constant([1.0 / (n + 1)]) * 2.0)
        task.cancel()
        return steps

    for elements in (range(20), awaited(20)):
        turns = 0
        steps = asyncio.run(loop(elements))
        assert steps.done == 20
        assert steps.values == pytest.approx({"loss": 0.1})
        assert turns >= 15
    monkeypatch.setattr(progress, "_EVERY", 1000.0)
    reads.clear()
    asyncio.run(loop(range(20)))
    assert len(reads) == 2, "after the first step and at the end"


def test_errors(monkeypatch: pytest.MonkeyPatch, always: None) -> None:
    steps = tf.notebook.progress(awaited(2))
    with pytest.raises(TypeError, match="Use `async for`"):
        list(steps)
    steps = tf.notebook.progress(range(2))

    def train(loss: Any) -> None:
        for _ in steps:
            steps.show(loss=loss)

    with pytest.raises(ValueError, match=r"loss has 3 elements, not one\. Plot its mean"):
        train(tf.zeros([3]))
    loss = tf.zeros([]) + 1.0
    monkeypatch.setattr(Storage, "is_readable", property(lambda storage: False))
    with pytest.raises(RuntimeError, match=r"cannot wait for loss here\. Use `async for`"):
        train(loss)


def test_live_plot(shown: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the plot is drawn a few times per second, and once more after the loop."""
    monkeypatch.setattr(live_plot, "_EVERY", 0.02)

    async def train() -> tf.notebook.LivePlot:
        made = tf.notebook.LivePlot("epoch")
        for n in range(50):
            made.add(loss=tf.constant(float(n)), accuracy=1.0)
        assert len(shown) < 20
        await asyncio.sleep(0.1)
        return made

    made = asyncio.run(train())
    assert made.points["loss"] == [(n, n) for n in range(50)]
    assert shown[-1] == ("update", made.to_svg())
    made.add(7.5, loss=1.0)
    assert made.points["loss"][-1] == (7.5, 1.0)
    titles = [text.text for text in ElementTree.fromstring(made.to_svg()).iter(f"{SVG}text")]
    assert {"loss", "accuracy", "epoch"} <= set(titles)
    assert "training" not in titles


@pytest.mark.parametrize("ends", [(0.4044, 0.4044), (0.31, 0.69), (-0.9, 0.9), (1.0, 40.0)])
def test_an_axis_has_at_least_two_ticks(ends: tuple[float, float]) -> None:
    points = [(0.0, ends[0]), (1.0, ends[1])]
    root = ElementTree.fromstring(line_charts.charts({"a": {"a": points}}, "step"))
    below = [text for text in root.iter(f"{SVG}text") if text.get("text-anchor") == "middle"]
    labels = [text for text in root.iter(f"{SVG}text") if text.get("x") == "46"]
    assert len(below) >= 2
    assert len(labels) >= 2


def test_long_lines_are_thinned() -> None:
    points = [(float(n), float(n % 2)) for n in range(100_001)]
    root = ElementTree.fromstring(line_charts.charts({"a": {"a": points}}, "step"))
    (line,) = root.iter(f"{SVG}polyline")
    assert len(line.attrib["points"].split()) <= 401
    assert len(line_charts.charts({"a": {"a": points}}, "step")) < 10_000
