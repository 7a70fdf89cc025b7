"""Additional keys of webgl Programs: layers and lines of textures, and chunks of steps.

`web/webgl/document.mjs` checks and reads them. A buffer is a texture of RGBA texels, four elements
each:

- `layers`: size of the first dimension, if a fragment writes one texel for each of its elements.
  Default: 1.
- `line`: texels in a line of the texture, a power of two, if a kernel requires it.

A step that is drawn in chunks has `chunks`, a :class:`Chunks`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tfpy._src.compiler.lower.program import Buffer


@dataclass(frozen=True)
class Chunks:
    """The chunks in which a step is drawn.

    The last input is read through the kernel's uniform block `Chunk`, which begins at byte `i *
    nbytes` for chunk i. The chunk draws rectangle i of the output's texture, of `width` x `height`
    texels. The rectangles fill the texture line by line.
    """

    count: int
    nbytes: int
    """A multiple of 256."""
    width: int
    height: int


def texture(layers: int = 1, line: int | None = None) -> dict[str, Any]:
    """Return the additional keys of a buffer."""
    found = {} if layers == 1 else {"layers": layers}
    return found if line is None else {**found, "line": line}


def layers_of(buffer: Buffer) -> int:
    """Return the number of layers of a buffer's texture."""
    return int(buffer.extra.get("layers", 1))


def drawn_in(chunks: Chunks | None) -> dict[str, Any]:
    """Return the additional keys of a step."""
    return {} if chunks is None else {"chunks": asdict(chunks)}
