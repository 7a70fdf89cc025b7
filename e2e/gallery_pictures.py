"""The pictures of the gallery's pages in docs/gallery; ``python build.py pictures`` makes them."""

from __future__ import annotations

import base64
import dataclasses
import json
import sys

from buildsys.paths import ROOT, SITE
from e2e.gallery import CASES, run
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import MOUNT, PAGE, Browsers

PICTURES = ROOT / "docs" / "gallery"
SHOWN = (960, 720)  # of a page
SIZE = (640, 480)
LARGEST = 30_000  # bytes

SHRINK = """(async (png, [left, top, fromWidth, fromHeight], [width, height]) => {
  const bytes = await (await fetch(`data:image/png;base64,${png}`)).blob();
  const picture = await createImageBitmap(bytes, left, top, fromWidth, fromHeight,
    { resizeWidth: width, resizeHeight: height, resizeQuality: "high" });
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
    """Pictures of the pages with these names, or of all."""
    browsers = Browsers({})
    try:
        with SiteServer(SITE, mounts={MOUNT: PAGE}) as server:
            for case in CASES:
                if names and case.name not in names:
                    continue
                page = browsers.open(
                    "chromium", ENVIRONMENTS["default"], f"{server.url}{MOUNT}/blank.html"
                )
                run(page, dataclasses.replace(case, done=case.picture or case.done), *SHOWN)
                png = base64.b64encode(page.screenshot()).decode()
                arguments = ", ".join(map(json.dumps, (png, (0, 0, *SHOWN), SIZE)))
                shrink = SHRINK.replace("LARGEST", str(LARGEST))
                data = base64.b64decode(page.evaluate(f"{shrink}({arguments})"))
                (PICTURES / f"{case.name}.webp").write_bytes(data)
                print(f"{len(data):>7} bytes  {case.name}.webp")
                page.close()
    finally:
        browsers.close()


if __name__ == "__main__":
    make(sys.argv[1:])
