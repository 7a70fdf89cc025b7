"""The figures of the guides equal the output of their scripts and agree with the pages."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from guides.documents import ROOT
from PIL import Image

FIGURES = ROOT / "docs" / "figures"
IMAGE = re.compile(r"!\[([^\]]*)\]\(((?:docs/)?figures/[^)]+)\)")


def script(name: str) -> ModuleType:
    """Import a script of docs/figures."""
    spec = importlib.util.spec_from_file_location(name, FIGURES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drawn(name: str) -> str:
    """Read a figure."""
    return (FIGURES / name).read_text(encoding="utf-8")


def test_the_map_of_positions() -> None:
    assert script("positioning").drawing() == drawn("positioning.svg")


def test_the_timelines_of_a_frame() -> None:
    waves = script("waves")
    found = json.loads(drawn("waves.json"))
    assert waves.timeline(found) == drawn("waves_timeline.svg")
    assert waves.bars(found) == drawn("waves_bars.svg")
    text = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    for name in waves.BARS:
        assert f"{found[name]['ms']:.1f} ms" in text
    assert (found["eager"]["kernels"], found["pad"]["kernels"]) == (420, 60)
    assert found["threads"] == 2


@pytest.mark.parametrize("file", sorted(FIGURES.glob("*.svg")), ids=lambda file: file.name)
def test_a_figure_has_paper(file: Path) -> None:
    """Check that a rectangle covers the canvas, so that figures are legible in dark mode."""
    root = ElementTree.parse(file).getroot()
    paper = root.find("{http://www.w3.org/2000/svg}rect")
    assert paper is not None
    size = [paper.attrib["width"], paper.attrib["height"]]
    assert size == ["100%", "100%"] or root.attrib["viewBox"].split()[2:] == size


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_images_are_there_and_described(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for words, file in IMAGE.findall(text):
        assert len(words.split()) >= 5
        assert (ROOT / "docs" / file).is_file()


@pytest.mark.parametrize("page", ["README.md", "docs/site/index.md"])
def test_the_animation_of_the_first_page(page: str) -> None:
    """Check that the animation is described and small, and ends with the result."""
    found = IMAGE.findall((ROOT / page).read_text(encoding="utf-8"))
    words, file = next(one for one in found if one[1].endswith("train.webp"))
    assert len(words.split()) >= 5
    assert (ROOT / "docs" / file.removeprefix("docs/")).stat().st_size < 400_000
    durations = []
    with Image.open(FIGURES / "train.webp") as image:
        assert image.width == 800
        for number in range(image.n_frames):
            image.seek(number)
            image.load()
            durations.append(image.info["duration"])
    assert len(durations) >= 30
    assert 6000 <= sum(durations) <= 10_000
    assert durations[-1] >= 1000
