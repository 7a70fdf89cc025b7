"""The gallery's pages: each does its work, on a narrow screen, without accessibility violations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from buildsys.paths import ROOT, SITE
from e2e.accessibility import violations
from e2e.gallery import CASES, GALLERY, SECONDS, Case, run
from e2e.gallery_pictures import SHOWN
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_page(tfpy_page: Callable[[str], OpenPage], case: Case) -> None:
    page = tfpy_page("tfpy-testing/blank.html")
    found = run(page, case, 360, 900)
    assert found["backend"] == case.backend
    assert found["width"] <= found["inner"]
    assert violations(page, "document.querySelector('iframe').contentWindow") == []
    assert page.problems == []


def test_a_page_in_firefox(tfpy_page: Callable[..., OpenPage]) -> None:
    page = tfpy_page("tfpy-testing/blank.html", browser="firefox")
    (case,) = (case for case in CASES if case.name == "game_of_life")
    assert run(page, case, 360, 900)["backend"] == case.backend
    assert page.problems == []


PROGRESS = """(async () => {
  const generation = () => Number.parseFloat(document.getElementById("generation")?.innerText);
  while (!(generation() >= 5)) {
    const error = document.querySelector(".tfpy-error")?.innerText;
    if (error) throw new Error(error);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const backend = document.querySelector("input[name=backend]:checked").value;
  return [crossOriginIsolated, backend];
})()"""


def test_a_page_on_a_plain_host(tfpy_sessions: Sessions, tmp_path: Path) -> None:
    """Run the site in a folder of a server without headers, as on GitHub Pages."""
    with SiteServer(tmp_path, isolated=False, mounts={"tfpy": SITE}) as server:
        address = f"{server.url}tfpy/gallery/game_of_life/index.html?backend=wasm&run"
        page = tfpy_sessions.browsers.open("chromium", ENVIRONMENTS["default"], address)
        assert page.evaluate(PROGRESS, SECONDS) == [False, "wasm"]
        assert page.problems == []
        page.close()


def test_a_backend_that_does_not_open(tfpy_page: Callable[[str], OpenPage]) -> None:
    """Check that the error page links to a backend that opens."""
    page = tfpy_page("gallery/mcmc/index.html?backend=abacus&run")
    link = """(async () => {
      const link = () => document.querySelector(".card > a");
      while (!link()) await new Promise((resolve) => setTimeout(resolve, 50));
      return link().search;
    })()"""
    assert page.evaluate(link, 60) == "?run="


def test_sliders_show_their_values(tfpy_page: Callable[[str], OpenPage]) -> None:
    page = tfpy_page("gallery/gan_lab/index.html")
    shown = """(async () => {
      const text = () => document.querySelector("#rate + .value")?.textContent;
      while (!text()) await new Promise((resolve) => setTimeout(resolve, 50));
      const slider = document.getElementById("rate");
      const before = text();
      slider.value = -3;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      return [before, text(), slider.getAttribute("aria-valuetext")];
    })()"""
    assert page.evaluate(shown, 60) == ["0.002", "0.001", "0.001"]


def test_each_page_has_a_case_and_is_shown() -> None:
    names = sorted(file.parent.name for file in GALLERY.glob("*/index.html"))
    assert sorted({case.name for case in CASES}) == names
    index = (GALLERY / "index.html").read_text(encoding="utf-8")
    assert sorted(SHOWN) == names
    docs = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for name in names:
        assert f'href="{name}/index.html"' in index
        assert f"gallery/{name}.webp" in docs


@pytest.mark.parametrize("file", sorted(GALLERY.glob("*/*.py")), ids=lambda file: file.stem)
def test_programs_are_short(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) < 200
