"""A profile as a table for terminals, and as a table and a timeline for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tfpy._src.display import tables
from tfpy._src.display.html import escape
from tfpy._src.library.profiler.timeline import svg

if TYPE_CHECKING:
    from tfpy._src.library.profiler.info import KernelInfo, ProfileInfo

_ROWS = 20
_WIDEST = 48


@dataclass
class _Kind:
    """The runs of the kernels with one name."""

    name: str
    runs: int = 0
    ms: float = 0.0
    nbytes: int = 0


def _kinds(kernels: Sequence[KernelInfo]) -> list[_Kind]:
    """Group kernels by name, in descending order of time."""
    found: dict[str, _Kind] = {}
    for kernel in kernels:
        kind = found.setdefault(kernel.name, _Kind(kernel.name))
        kind.runs += 1
        kind.ms += kernel.kernel_time_ms or 0.0
        kind.nbytes += kernel.bytes_added
    return sorted(found.values(), key=lambda kind: -kind.ms)


def _rows(info: ProfileInfo) -> list[list[str]]:
    """Return the cells of the table. The first row contains the headings."""
    total = info.kernel_ms
    kinds = _kinds(info.kernels)
    rows = [["kernel", "runs", "ms", "%", "new bytes"]]
    for kind in kinds[:_ROWS]:
        ms = "" if total is None else f"{kind.ms:.3f}"
        share = f"{100 * kind.ms / total:.1f}" if total else ""
        name = kind.name if len(kind.name) <= _WIDEST else f"{kind.name[: _WIDEST - 1]}…"
        rows.append([name, str(kind.runs), ms, share, f"{kind.nbytes:,}"])
    if len(kinds) > _ROWS:
        left = kinds[_ROWS:]
        ms = "" if total is None else f"{sum(kind.ms for kind in left):.3f}"
        rows.append([f"{len(left)} others", str(sum(kind.runs for kind in left)), ms, "", ""])
    return rows


def _summary(info: ProfileInfo) -> list[str]:
    """Return the lines above the table."""
    kernels = f"not timed: {info.reason}" if info.kernel_ms is None else f"{info.kernel_ms:.3f} ms"
    return [
        f"{info.wall_ms:.3f} ms on the clock, {info.accounted:.1%} accounted for",
        f"{len(info.kernels)} kernels on {info.backend}: {kernels}",
        f"{info.new_tensors} new tensors, {info.new_bytes:,} bytes; at most {info.peak_bytes:,}",
    ]


def text(info: ProfileInfo) -> str:
    """Return the profile as text for a terminal."""
    return "\n".join([*_summary(info), "", tables.text(_rows(info), numbers=True)])


def html(info: ProfileInfo) -> str:
    """Return the profile as HTML for a notebook."""
    said = "<br>".join(map(escape, _summary(info)))
    table = tables.html(_rows(info), numbers=True)
    return f"<div><p>{said}</p>{svg(info.tracks, info.wall_ms / 1e3)}{table}</div>"
