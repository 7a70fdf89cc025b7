"""Record train.webp, the animation of README.md: its first page trains a model in Chromium.

PYTHONPATH=src:tests python docs/figures/train.py build/site [argument of Chromium ...]

Playwright and Pillow must be installed. tfpy chooses the backend, and the page prints its name.
With these arguments, headless Chromium uses an NVIDIA GPU: --use-angle=vulkan
--enable-features=Vulkan --disable-vulkan-surface --enable-unsafe-webgpu --ignore-gpu-blocklist
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import io
from pathlib import Path
from typing import Any

from guides.documents import block
from PIL import Image

from tfpy.testing.environments import BROWSERS
from tfpy.testing.server import SiteServer

FILE = Path(__file__).with_suffix(".webp")
SIZE = {"width": 800, "height": 430}
STYLE = "body { zoom: 1.42; margin: 8px; background: #fff }"
FRAMES, SECONDS, HELD = 48, 6.0, 2.0
"""Number of frames, how long they are shown, and how long the last one is shown."""
LARGEST = 400_000
"""Largest size of the file in bytes."""
START, TRAINING = 120, 300_000
"""Seconds within which Python must start, and milliseconds within which the training must end."""
BEGUN = """new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    if (!document.querySelector("#plot svg, .tfpy-error")) return;
    observer.disconnect();
    resolve(Date.now() / 1000);
  }).observe(document.body, { childList: true, subtree: true });
})"""
"""JavaScript that returns the time at which the plot appears, in seconds."""
ENDED = "document.querySelector('.tfpy-output').textContent.includes('validation loss')"

Shot = tuple[float, bytes]
"""The time of a frame in seconds, and its image as PNG."""


async def record(url: str, executable: str, arguments: list[str]) -> tuple[list[Shot], str]:
    """Return the frames that a page shows while it trains, and the text that it prints."""
    from playwright.async_api import async_playwright

    shots: list[Shot] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable, args=arguments)
        page = await browser.new_page(viewport=SIZE)
        await page.goto(url)
        await page.add_style_tag(content=STYLE)
        session = await page.context.new_cdp_session(page)

        async def keep(event: dict[str, Any]) -> None:
            shots.append((event["metadata"]["timestamp"], base64.b64decode(event["data"])))
            await session.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

        session.on("Page.screencastFrame", keep)
        await session.send("Page.startScreencast", {"format": "png"})
        begun = await asyncio.wait_for(page.evaluate(BEGUN), START)
        for error in await page.query_selector_all(".tfpy-error"):
            raise SystemExit(await error.inner_text())
        await page.wait_for_function(ENDED, timeout=TRAINING)
        await page.wait_for_timeout(500)  # the last frame arrives later than the text
        await session.send("Page.stopScreencast")
        printed = await page.inner_text(".tfpy-output")
        await browser.close()
    return [shot for shot in shots if shot[0] >= begun], printed


def chosen(shots: list[Shot]) -> list[Image.Image]:
    """Return the images of `FRAMES` equidistant times."""
    first, last = shots[0][0], shots[-1][0]
    times = [first + (last - first) * i / (FRAMES - 1) for i in range(FRAMES)]
    latest = [max((shot for shot in shots if shot[0] <= time), key=_time) for time in times]
    return [Image.open(io.BytesIO(png)).convert("RGB") for _, png in latest]


def _time(shot: Shot) -> float:
    return shot[0]


def write(images: list[Image.Image]) -> int:
    """Write the animation with the best quality that fits, and return its size in bytes."""
    durations = [round(1000 * SECONDS / len(images))] * len(images)
    durations[-1] += round(1000 * HELD)
    first, *others = images
    for quality in range(80, 20, -10):
        first.save(
            FILE, save_all=True, append_images=others, duration=durations, loop=0,
            quality=quality, method=6,
        )  # fmt: skip
        if FILE.stat().st_size <= LARGEST:
            break
    return FILE.stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, help="folder of the site")
    parser.add_argument("--chromium", help="executable (default: the one on PATH)")
    options, arguments = parser.parse_known_args()
    executable = options.chromium or BROWSERS["chromium"].executable()
    text = '<meta charset="utf-8"><link rel="icon" href="data:,">' + block("README.md", "html")
    with SiteServer(options.site, made={"/page.html": text.encode}) as server:
        shots, printed = asyncio.run(record(f"{server.url}page.html", executable, arguments))
    images = chosen(shots)
    print(printed)
    print(f"{len(shots)} frames in {shots[-1][0] - shots[0][0]:.1f} s; {write(images)} bytes")


if __name__ == "__main__":
    main()
