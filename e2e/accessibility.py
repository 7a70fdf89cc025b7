"""Accessibility checks of pages with axe-core."""

from __future__ import annotations

import json
from pathlib import Path

from tfpy.testing.sessions import OpenPage

AXE = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")
SECONDS = 120.0  # a table of a thousand rows on a busy machine

RUN = """(async (page) => {
  page.eval(AXE);
  const { documentElement: { style }, body: { dataset } } = page.document;
  const look = async (theme, options) => {
    const { theme: before } = dataset;
    style.colorScheme = dataset.theme = theme;
    const { backgroundColor } = page.getComputedStyle(page.document.documentElement);
    if (backgroundColor === "rgba(0, 0, 0, 0)") style.backgroundColor = "Canvas";
    const rules = { resultTypes: ["violations"], ...options };
    const { violations } = await page.axe.run(page.document, rules);
    style.colorScheme = style.backgroundColor = "";
    if (before === undefined) delete dataset.theme;
    else dataset.theme = before;
    return violations.map(({ id, impact, help, nodes }) =>
      [impact, `${theme}: ${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`]);
  };
  return [...await look("light"), ...await look("dark", { runOnly: ["color-contrast"] })];
})(WINDOW)"""


def violations(page: OpenPage, window: str = "window") -> list[str]:
    """Return the serious and critical violations of a page, or of a frame's window.

    The page is checked in the light theme and again with the colors of the dark theme. axe assumes
    a white page if there is no background, so the browser's background color is set explicitly.
    """
    source = json.dumps(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(RUN.replace("AXE", source).replace("WINDOW", window), SECONDS)
    return [text for impact, text in found if impact in GRAVE]
