"""The images of the gallery's pages in docs/gallery, made by ``python build.py pictures``."""

from __future__ import annotations

import base64
import dataclasses
import json
import sys
from typing import Any

from buildsys.paths import ROOT, SITE
from e2e.gallery import CASES, Case, run
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import MOUNT, PAGE, Browsers, OpenPage

PICTURES = ROOT / "docs" / "gallery"
FRAME, ZOOM = (400, 300), 1.6  # size of a page, and pixels of the image per pixel of the page
SIZE = (640, 480)
LARGEST = 40_000  # in bytes

SHOWN = {
    "audio_notes": ("#roll", "object-fit: fill; scale: 1 2.5"),
    "chat": ("#written", "padding: 20px; font-size: 21px"),
    "fine_tuning": ("#written", "padding: 20px; font-size: 21px"),
    "fluid": ("#water", ""),
    "game_of_life": ("#cells", "image-rendering: pixelated; scale: 2.4"),
    "gan_lab": ("#plane", "object-fit: contain; background: #000"),
    "hands": ("#view", ""),
    "mcmc": ("#plane", "object-fit: contain; background: #000"),
    "pose": ("#view", "object-fit: contain; background: linear-gradient(#cfd8e0 88%, #a98f72 0)"),
    "regression": ("#plane", ""),
    "search": ("#written", "padding: 20px; font-size: 19px"),
    "style": ("#result", ""),
    "teachable_machine": ("#view", ""),
    "text_generator": ("#written", "padding: 20px; font-size: 21px"),
    "time_series": ("#forecast", ""),
    "tsne": ("#plane", "object-fit: contain; background: #11141a"),
}
"""Part of each page that its image shows, and the style of this part."""

SHOW = """(async (selector, style) => {
  const page = document.querySelector("iframe").contentDocument;
  page.documentElement.style.colorScheme = "dark";
  page.querySelector(selector).style.cssText = `
    position: fixed; inset: 0; z-index: 1; width: 100%; height: 100%; max-width: none;
    margin: 0; border-radius: 0; background: var(--card);
    image-rendering: auto; object-fit: cover; ${style}`;
  await new Promise((resolve) => setTimeout(resolve, 500)); // time to redraw the plots
})"""

SHRINK = """(async (png, [width, height]) => {
  const bytes = await (await fetch(`data:image/png;base64,${png}`)).blob();
  const picture = await createImageBitmap(bytes, 0, 0, width, height);
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d").drawImage(picture, 0, 0);
  let quality = 0.8, blob;
  do {
    blob = await canvas.convertToBlob({ type: "image/webp", quality });
    quality -= 0.1;
  } while (blob.size > LARGEST && quality > 0);
  return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
})"""


def make(names: list[str]) -> None:
    """Make the images of the named pages, or of all pages."""
    browsers = Browsers({})
    try:
        with SiteServer(SITE, mounts={MOUNT: PAGE}) as server:
            for case in CASES:
                if names and case.name not in names:
                    continue
                page = browsers.open(
                    "chromium", ENVIRONMENTS["default"], f"{server.url}{MOUNT}/blank.html"
                )
                data = picture(page, case)
                (PICTURES / f"{case.name}.webp").write_bytes(data)
                print(f"{len(data):>7} bytes  {case.name}.webp")
                page.close()
    finally:
        browsers.close()


def picture(page: OpenPage, case: Case) -> bytes:
    """Return a page's drawing as WebP, after the condition of its image is true."""
    page.evaluate(f"document.documentElement.style.zoom = {ZOOM}")
    run(page, dataclasses.replace(case, done=case.picture or case.done), *FRAME)
    call(page, SHOW, *SHOWN[case.name])
    png = base64.b64encode(page.screenshot()).decode()
    shrink = SHRINK.replace("LARGEST", str(LARGEST))
    return base64.b64decode(call(page, shrink, png, SIZE))


def call(page: OpenPage, function: str, *arguments: object) -> Any:
    """Call a JavaScript function in a page and return its result."""
    return page.evaluate(f"{function}({', '.join(map(json.dumps, arguments))})")


if __name__ == "__main__":
    make(sys.argv[1:])
