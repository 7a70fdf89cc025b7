"""What the document of a webgl Program says besides: layers and lines of textures, chunks of steps.

``web/webgl/document.mjs`` checks and reads it. A buffer is a texture of RGBA texels, four elements
each:

- ``layers``: the first dimension, where a fragment writes one texel for each of its elements; 1 if
  not there.
- ``line``: texels in a line of the texture, a power of two, where a kernel minds.

A step that is drawn in chunks has ``chunks``, a :class:`Chunks`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tfpy._src.compiler.lower.program import Buffer


@dataclass(frozen=True)
class Chunks:
    """How a step is drawn in chunks.

    The last input is read through the kernel's uniform block ``Chunk``: chunk i finds there what
    begins at byte ``i * nbytes``. It draws rectangle i of the output's texture, of ``width`` x
    ``height`` texels; these lie side by side, as many as fit, then below each other.
    """

    count: int
    nbytes: int
    """A multiple of 256."""
    width: int
    height: int


def texture(layers: int = 1, line: int | None = None) -> dict[str, Any]:
    """The further keys of a buffer."""
    found = {} if layers == 1 else {"layers": layers}
    return found if line is None else {**found, "line": line}


def layers_of(buffer: Buffer) -> int:
    """How many layers a buffer's texture has."""
    return int(buffer.extra.get("layers", 1))


def drawn_in(chunks: Chunks | None) -> dict[str, Any]:
    """The further keys of a step."""
    return {} if chunks is None else {"chunks": asdict(chunks)}
