"""Notebook displays of tensors, Variables and reports: well-formed HTML with correct facts."""

from __future__ import annotations

import base64
import html
import json
import pickle
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.backends.storage import Storage
from tfpy._src.base import png
from tfpy._src.display import arrays, tables
from tfpy._src.display.html import escape

RNG = np.random.default_rng(0)
SVG = "{http://www.w3.org/2000/svg}"


def parsed(shown: Any) -> ElementTree.Element:
    html = shown._repr_html_()
    for foreign in ("<script", "http:", "https:", "url("):
        assert foreign not in html.replace("http://www.w3.org/2000/svg", "")
    return ElementTree.fromstring(html)


def said(shown: Any) -> str:
    return "".join(parsed(shown).itertext())


def statistics(shown: Any) -> dict[str, str]:
    head, body = ([cell.text or "" for cell in row] for row in parsed(shown).iter("tr"))
    return dict(zip(head, body, strict=True))


def pictures(shown: Any) -> list[np.ndarray[Any, Any]]:
    sources = [image.attrib["src"] for image in parsed(shown).iter("img")]
    files = (base64.b64decode(s.removeprefix("data:image/png;base64,")) for s in sources)
    return [png.read(data).pixels for data in files]


def drawings(shown: Any) -> list[ElementTree.Element]:
    return [*parsed(shown).iter(f"{SVG}svg")]


def test_few_values() -> None:
    shown = said(tf.constant([[1, 2], [3, 4]]))
    assert shown == "tf.Tensor shape (2, 2) · int32 · on host[[1, 2],\n [3, 4]]"
    assert said(tf.constant(["<b>&", "x"])).endswith("[b'<b>&', b'x']")
    assert said(tf.zeros([0, 3])).endswith("[]")
    assert said(tf.constant(2.5) * 1.0) == "tf.Tensor shape () · float32 · on cpu2.5"


def test_names_are_escaped() -> None:
    """Check that names from a model file cannot add elements to the page."""
    name = "<img src=x onerror=alert(1)>"
    weight = tf.Variable([1.0], name=name)
    function = tf.function(lambda x: x * weight)
    for shown in (weight, function.lower(tf.ones([1]))):
        html = shown._repr_html_()
        assert escape(name)[:10] in html  # long names are cut
        assert "<img" not in html


def test_statistics() -> None:
    values = RNG.normal(size=(40, 50)).astype(np.float32)
    values[0, :3] = np.nan, np.inf, -np.inf
    found = statistics(tf.constant(values))
    finite = values[np.isfinite(values)]
    assert found.pop("NaN") == "1"
    assert found.pop("infinite") == "2"
    numbers = {name: float(text) for name, text in found.items()}
    wanted = {"min": finite.min(), "max": finite.max(), "mean": finite.mean(), "std": finite.std()}
    assert numbers == pytest.approx(wanted, rel=1e-4)
    (drawing,) = drawings(tf.constant(values))
    heights = [float(bar.attrib["height"]) for bar in drawing.iter(f"{SVG}rect")]
    counts = np.histogram(finite, 32)[0]
    assert max(heights) == 54
    assert len(heights) == np.count_nonzero(counts)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (tf.fill([200], float("nan")), {"NaN": "200"}),
        (tf.zeros([200]), {"min": "0", "max": "0", "mean": "0", "std": "0", "NaN": "0"}),
        (tf.fill([200], 3e38), {"min": "3e+38", "max": "3e+38", "mean": "3e+38", "std": "0"}),
        (tf.range(200), {"min": "0", "max": "199", "mean": "99.5", "std": "57.7343", "NaN": "0"}),
        (tf.complex(tf.fill([200], 3.0), tf.fill([200], 4.0)), {"|x| min": "5", "|x| max": "5"}),
        (tf.cast(tf.fill([200], 2.0), tf.bfloat16), {"mean": "2", "std": "0"}),
        (tf.cast(tf.fill([200], 60000.0), tf.float16), {"mean": "60000", "std": "0"}),
    ],
)
def test_statistics_of_kinds(values: tf.Tensor, wanted: dict[str, str]) -> None:
    assert statistics(values).items() >= wanted.items()


def test_truths_are_counted() -> None:
    assert "150 of 200 are True" in said(tf.range(200) < 150)


def test_series_are_drawn_in_order() -> None:
    line, _ = drawings(tf.range(1000))
    path = line.find(f"{SVG}path")
    assert path is not None
    points = [tuple(map(float, p.split())) for p in path.attrib["d"][1:].split("L")]
    assert points == sorted(points, key=lambda p: (p[0], -p[1])), "a ramp"
    assert (points[0][1], points[-1][1]) == (54.0, 2.0)


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_pictures(channels: int) -> None:
    bytes_ = RNG.integers(0, 256, (16, 12, channels), np.uint8)
    for values in (bytes_, bytes_.astype(np.int32), (bytes_ / 255).astype(np.float32)):
        (found,) = pictures(tf.constant(values))
        np.testing.assert_array_equal(found, bytes_)
    (scaled,) = pictures(tf.constant((bytes_ / 255 * 8 - 4).astype(np.float32)))
    wanted = (bytes_.astype(float) - bytes_.min()) / np.ptp(bytes_.astype(float)) * 255
    np.testing.assert_allclose(scaled, wanted, atol=1)
    (small,) = pictures(tf.zeros([1000, 500, channels]))
    assert small.shape == (250, 125, channels)


def test_others_are_no_pictures() -> None:
    for shape in ((28, 28, 2), (28, 28), (2, 28, 28, 3), (4, 200, 3)):
        assert pictures(tf.zeros(shape)) == []


def test_long_texts_are_cut() -> None:
    assert len(tf.constant("x" * 10**6)._repr_html_()) < 7000


def test_variables() -> None:
    weights = tf.Variable([1.0, 2.0], name="a<b", trainable=False)
    shown = said(weights)
    assert shown == "tf.Variable a<b:0 · shape (2,) · float32 · not trainable · on host[1., 2.]"


def test_what_has_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []

    @tf.function
    def function(x: tf.Tensor) -> tf.Tensor:
        found.append(said(x + 1.0))
        return x

    function(tf.zeros([2, 3]))
    assert "shape (2, 3) · float32 · of the trace of functionno values: it represents" in found[0]
    gone = tf.zeros([2]) + 1.0
    gone.dispose()
    assert said(gone).endswith("disposedthe values are no longer available")
    computed = tf.zeros([200]) + 1.0
    monkeypatch.setattr(Storage, "is_readable", property(lambda storage: False))
    assert "await x.data() returns the values" in said(computed)
    assert repr(computed).endswith("the device here: await x.data() returns the values>>")
    monkeypatch.setattr(arrays, "MOST", 100)
    assert "800 bytes: too large to display" in said(computed)


def test_backend_report() -> None:
    report = tf.backend_report()
    assert report == dict(report)
    assert json.loads(json.dumps(report)) == report
    assert pickle.loads(pickle.dumps(report)) == report
    assert repr(report) == repr(dict(report))
    lines = str(report).splitlines()
    assert lines[0].split() == ["backend", "status", "variant", "reason"]
    assert [line.split()[0] for line in lines[1:]] == [*report]
    assert lines[-1].split()[:3] == ["cpu", report["cpu"]["status"], "numpy"]
    rows = [[cell.text or "" for cell in row] for row in parsed(report).iter("tr")]
    assert rows[-1] == ["cpu", report["cpu"]["status"], "numpy", report["cpu"]["reason"]]
    assert str(pickle.loads(pickle.dumps(report))) == str(report)


def test_device_info() -> None:
    info = tf.device_info()
    assert info["tfpy"] == {"version": tf.__version__, "backend": "cpu"}
    assert info["python"]["NumPy"] == np.__version__
    assert info["cpu"]["variant"] == "numpy"
    rows = [[cell.text or "" for cell in row] for row in parsed(info).iter("tr")]
    assert rows[:2] == [["what", "fact", "value"], ["tfpy", "version", tf.__version__]]
    assert tables.text(rows) == str(info)


def test_escaping() -> None:
    text = "".join(map(chr, range(32, 127))) + "&amp;é"
    assert escape(text) == html.escape(text)
