"""Measure the program of docs/speed.md in Chromium, and draw its timelines and its bars.

PYTHONPATH=src python docs/figures/waves.py --measure    writes waves.json; needs build/site
PYTHONPATH=src python docs/figures/waves.py              draws waves_timeline.svg, waves_bars.svg
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
MEASURED = FOLDER / "waves.json"
STEPS, SIZE, CALLS = 20, 256, 40
WIDTH = 720
BUDGET = 1000 / 60
"""Milliseconds of a frame."""

COLORS = {
    "op": "#8da0cb",
    "function": "#66a61e",
    "run": "#b3b3b3",
    "wait": "#c5dbe0",
    "upload": "#1b9e77",
    "kernel": "#e4572e",
}
"""Those of the timeline of tf.profile."""
KINDS = {
    "op": "call of an op",
    "function": "call of a compiled function",
    "run": "run of its program",
    "kernel": "kernel",
}
BARS = {
    "eager": "op by op",
    "step": "step compiled",
    "frame": "frame compiled",
    "pad": "and without tf.roll",
}


async def measure(tf: Any, backend: str) -> None:
    """Print the fastest of some profiles of each program, in a browser."""

    def step(height: Any, speed: Any) -> Any:
        down, up = tf.roll(height, 1, 0), tf.roll(height, -1, 0)
        right, left = tf.roll(height, 1, 1), tf.roll(height, -1, 1)
        speed = 0.999 * (speed + 0.3 * (down + up + right + left - 4.0 * height))
        return height + speed, speed

    def pad_step(height: Any, speed: Any) -> Any:
        around = tf.pad(height, [[1, 1], [1, 1]])
        down, up = around[:-2, 1:-1], around[2:, 1:-1]
        right, left = around[1:-1, :-2], around[1:-1, 2:]
        speed = 0.999 * (speed + 0.3 * (down + up + right + left - 4.0 * height))
        return height + speed, speed

    def frame_of(step: Callable[..., Any]) -> Callable[..., Any]:
        def frame(height: Any, speed: Any) -> Any:
            for _ in range(STEPS):
                height, speed = step(height, speed)
            return height, speed

        return frame

    programs = {
        "eager": frame_of(step),
        "step": frame_of(tf.function(step)),
        "frame": tf.function(frame_of(step)),
        "pad": tf.function(frame_of(pad_step)),
    }
    state = tf.random.stateless_uniform([SIZE, SIZE], seed=[1, 2]), tf.zeros([SIZE, SIZE])
    found: dict[str, Any] = {"threads": tf.get_threads_count(), "backend": backend}
    for name, program in programs.items():

        def call(program: Callable[..., Any] = program) -> Any:
            return program(*state)

        call()
        call()
        walls, infos = [], []
        for _ in range(CALLS):
            walls.append((await tf.time_async(call)).wall_ms)
            infos.append(await tf.profile_async(call))
            await asyncio.sleep(0.02)
        info = min(infos, key=lambda one: one.wall_ms)
        tracks = [
            [
                track.name,
                [
                    [event.kind, round(event.began * 1e6), round(event.ended * 1e6)]
                    for event in track.events
                ],
            ]
            for track in info.tracks
        ]
        found[name] = {
            "ms": round(min(walls), 2),
            "profile_ms": round(info.wall_ms, 2),
            "kernel_ms": round(info.kernel_ms, 2),
            "kernels": len(info.kernels),
            "tracks": tracks,
        }
    print("FOUND", json.dumps(found, separators=(",", ":")))


def measured(site: Path) -> dict[str, Any]:
    """Run `measure` in Chromium on the wasm backend."""
    from tfpy.testing.environments import ENVIRONMENTS
    from tfpy.testing.mark import BrowserTest
    from tfpy.testing.sessions import Material, Sessions

    sessions = Sessions(Material(site))
    test = BrowserTest(("wasm",), ENVIRONMENTS["default"], (), (), 300.0, False, False)
    try:
        answer = sessions.run("chromium", "wasm", test, measure, {})
    finally:
        sessions.close()
    lines = answer["output"].splitlines()
    found = [line.removeprefix("FOUND ") for line in lines if line.startswith("FOUND ")]
    if not found:
        raise RuntimeError(answer.get("text") or answer["output"])
    result: dict[str, Any] = json.loads(found[0])
    return result


def head(height: int, title: str) -> list[str]:
    """Return the beginning of a figure."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        "<style>",
        "  text { font: 13px system-ui, sans-serif; fill: #1f2328 }",
        "  .note { font-size: 12px; fill: #57606a } .end { text-anchor: end }",
        "  .axis { stroke: #d0d7de } .budget { stroke: #cf222e; stroke-dasharray: 5 4 }",
        "</style>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]


def panel(case: dict[str, Any], title: str, longest: float, top: int) -> tuple[list[str], int]:
    """Return the tracks of a profile up to a time in milliseconds, and the place below them."""
    left, row = 76, 22
    scale = (WIDTH - left - 12) / longest
    parts = [f'<text x="12" y="{top + 12}" font-weight="600">{title}</text>']
    top += 22
    events = [event for _, track in case["tracks"] for event in track]
    for label, kinds in (("Python", ("op", "function")), ("", ("run",)), ("kernels", ("kernel",))):
        drawn = [event for event in events if event[0] in kinds and event[1] / 1e3 < longest]
        if not drawn:
            continue
        parts.append(f'<text x="12" y="{top + 14}">{label}</text>')
        boxes: dict[str, list[str]] = {}
        for kind, began, ended in drawn:
            x = left + began / 1e3 * scale
            width = max((min(ended / 1e3, longest) - began / 1e3) * scale, 0.4)
            box = f"M{x:.1f} {top}h{width:.1f}v{row - 4}h-{width:.1f}z"
            boxes.setdefault(kind, []).append(box)
        for kind, found in boxes.items():
            parts.append(f'<path fill="{COLORS[kind]}" d="{"".join(found)}"/>')
        top += row
    return parts, top + 10


def axis(longest: float, every: int, top: int) -> list[str]:
    """Return an axis of milliseconds."""
    left = 76
    scale = (WIDTH - left - 12) / longest
    parts = [f'<path class="axis" d="M {left} {top} H {WIDTH - 12}"/>']
    for ms in range(0, int(longest) + 1, every):
        x = left + ms * scale
        parts.append(f'<path class="axis" d="M {x:.1f} {top} v 5"/>')
        parts.append(f'<text class="note" x="{x:.1f}" y="{top + 18}">{ms} ms</text>')
    return parts


def timeline(found: dict[str, Any]) -> str:
    """Return the timelines of the first and the last program, whole and enlarged."""
    before, after = found["eager"], found["pad"]
    parts: list[str] = []
    top = 10
    for longest, every, titles in (
        (before["profile_ms"], 10, (f"Before: {before['kernels']} kernels, called one by one",
                                    f"After: {after['kernels']} kernels in one call")),
        (after["profile_ms"], 1, ("Before, its beginning enlarged", "After, enlarged")),
    ):  # fmt: skip
        for case, title in zip((before, after), titles, strict=True):
            drawn, top = panel(case, title, longest, top)
            parts += drawn
        parts += axis(longest, every, top - 4)
        top += 30
    top += 8
    x = 12.0
    for kind, text in KINDS.items():
        mark = f'y="{top - 10}" width="11" height="11" fill="{COLORS[kind]}"'
        parts.append(f'<rect x="{x:.0f}" {mark}/>')
        parts.append(f'<text class="note" x="{x + 16:.0f}" y="{top}">{text}</text>')
        x += 36 + 6.6 * len(text)
    title = "What Python and the device do during a frame, before and after"
    return "\n".join([*head(top + 14, title), *parts, "</svg>", ""])


def bars(found: dict[str, Any]) -> str:
    """Return the milliseconds of all programs as bars."""
    left, row = 170, 30
    longest = max(found[name]["ms"] for name in BARS)
    scale = (WIDTH - left - 80) / longest
    parts: list[str] = []
    top = 34
    for name, label in BARS.items():
        ms = found[name]["ms"]
        parts.append(f'<text class="end" x="{left - 10}" y="{top + 15}">{label}</text>')
        size = f'width="{ms * scale:.1f}" height="{row - 8}"'
        parts.append(f'<rect x="{left}" y="{top}" {size} fill="#54aeff"/>')
        parts.append(f'<text x="{left + ms * scale + 6:.1f}" y="{top + 15}">{ms:.1f} ms</text>')
        top += row
    x = left + BUDGET * scale
    parts.append(f'<path class="budget" d="M {x:.1f} 24 V {top}"/>')
    parts.append(f'<text class="note" x="{x + 6:.1f}" y="20">16.7 ms: 60 frames a second</text>')
    title = "Milliseconds of a frame, after each step of this guide"
    return "\n".join([*head(top + 6, title), *parts, "</svg>", ""])


if __name__ == "__main__" and sys.platform != "emscripten":
    if "--measure" in sys.argv:
        site = Path(sys.argv[-1]) if sys.argv[-1] != "--measure" else Path("build/site")
        MEASURED.write_text(json.dumps(measured(site), separators=(",", ":")) + "\n")
    data = json.loads(MEASURED.read_text())
    for name, draw in (("waves_timeline", timeline), ("waves_bars", bars)):
        (FOLDER / f"{name}.svg").write_text(draw(data), encoding="utf-8")
