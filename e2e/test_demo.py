"""The demo page in Firefox, and the digits that its drawing pad makes of strokes.

``python build.py demo --check`` is the demo's own check, in Chromium on each backend.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from e2e.accessibility import violations
from e2e.demo_check import ENOUGH, accuracy_with, check_backend
from tfpy.testing import ENVIRONMENTS
from tfpy.testing.sessions import OpenPage, Sessions

OpenPageFixture = Callable[..., OpenPage]


@pytest.mark.parametrize("backend", ["wasm", "webgpu"])
def test_learns_in_firefox(tfpy_sessions: Sessions, backend: str) -> None:
    site = tfpy_sessions.site_url(ENVIRONMENTS["default"])
    outcome = check_backend(tfpy_sessions.browsers, site, "firefox", backend)
    assert outcome.wrong == []


def test_learns_where_textures_hold_float16(tfpy_sessions: Sessions) -> None:
    site = tfpy_sessions.site_url(ENVIRONMENTS["default"])
    flags = "WEBGL_FORCE_F16_TEXTURES:true"
    state = accuracy_with(tfpy_sessions.browsers, site, "webgl", flags)
    assert state["report"]["webgl"]["variant"] == "webgl2-float16"
    assert max(state["accuracies"]) >= ENOUGH, state


IN_A_FRAME = """new Promise((resolve) => {
  document.body.innerHTML = '<iframe src="/" style="width: 360px; height: 900px"></iframe>';
  const { contentWindow: demo } = document.querySelector("iframe");
  const percentages = [];
  setInterval(() => {
    const page = demo.document;
    const text = page.querySelector("#percent")?.textContent;
    if (text && percentages.at(-1) !== text) percentages.push(text);
    if (demo.tfpyDemo?.phase !== "ready") return;
    if (!page.querySelector("#answer").textContent) page.querySelector("#sample").click();
    else resolve({
      percentages, width: page.documentElement.scrollWidth, inner: page.documentElement.clientWidth,
      progress: page.querySelector("#progress").position,
      sample: page.querySelector("#pad").getContext("2d").getImageData(0, 0, 440, 440).data
        .some((value) => value > 0),
    });
  }, 20);
})"""


def test_on_a_narrow_screen(tfpy_page: OpenPageFixture) -> None:
    """Check the width of the page, its accessibility with axe-core, and the loading progress."""
    page = tfpy_page("tfpy-testing/blank.html")
    found = page.evaluate(IN_A_FRAME, 120)
    assert found["width"] <= found["inner"]
    assert len(found["percentages"]) > 3
    assert found["progress"] == 0
    assert found["sample"]
    assert violations(page, "document.querySelector('iframe').contentWindow") == []
    assert page.problems == []


def test_plots_where_the_browser_names_no_language(tfpy_page: OpenPageFixture) -> None:
    """Check that plots work under WebKitGTK's locale "C", which Intl rejects."""
    page = tfpy_page("tfpy-testing/blank.html")
    page.evaluate("Object.defineProperty(Navigator.prototype, 'language', { value: 'c' }) && 1")
    assert (
        page.evaluate("import('/plots.mjs').then(({ openPlot }) => typeof openPlot)") == "function"
    )


PERCENT_PLOT = """(async () => {
  const { openPlot } = await import("/plots.mjs");
  const drawn = () => new Promise((resolve) => setTimeout(resolve, 100));
  const container = document.body.appendChild(document.createElement("div"));
  container.style.width = "320px";
  const format = (value, digits) => `${(value * 100).toFixed(Math.max(digits - 2, 0))} %`;
  const plot = openPlot(container, { points: true, range: [0.8, 1], format });
  await drawn();
  plot.clear();
  await drawn();
  for (let epoch = 1; epoch <= 8; epoch++) {
    plot.add(epoch, 0.9);
    await drawn();
  }
  return parseFloat(container.querySelector(".u-over").style.left);
})()"""


def test_ticks_of_a_plot_have_room(tfpy_page: OpenPageFixture) -> None:
    """Check that the axis has room for its widest label "100.0 %".

    Other labels appear before this one.
    """
    page = tfpy_page("tfpy-testing/blank.html")
    assert page.evaluate(PERCENT_PLOT) >= 24 + 7 * len("100.0 %")


def to_digit(page: OpenPage, strokes: list[list[tuple[float, float]]]) -> list[list[int]]:
    """Return the 8x8 pixels that the pad makes of strokes."""
    text = json.dumps(strokes)
    values: list[int] = page.evaluate(
        f"import('/demo/pad.mjs').then(({{ toDigit }}) => [...toDigit({text})])"
    )
    return [values[8 * row : 8 * row + 8] for row in range(8)]


def test_pad_centres_and_scales(tfpy_page: OpenPageFixture) -> None:
    page = tfpy_page("tfpy-testing/blank.html")
    line = to_digit(page, [[(100, 20), (100, 180)]])
    assert line == to_digit(page, [[(7, 300), (7, 330)]])
    for row in line[1:-1]:
        assert row == [0, 0, 0, 8, 8, 0, 0, 0]
    corner = to_digit(page, [[(0, 0), (0, 50), (50, 50)]])
    assert all(row[0] > 0 for row in corner)
    assert all(value > 0 for value in corner[-1])
    assert corner[2][5] == 0
    assert max(map(max, corner)) <= 16
    assert to_digit(page, []) == [[0] * 8] * 8
