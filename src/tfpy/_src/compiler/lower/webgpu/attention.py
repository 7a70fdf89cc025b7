"""The steps of attention on WebGPU, without storing the scores in memory.

For few rows of q, a workgroup computes one row, or a chunk of its keys. Otherwise attention is
computed in tiles, which skip the blocks that a mask hides. Without a mask, and with few tiles, each
tile is split into chunks of the keys.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfpy._src.base.dtypes import float32, int32
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.strides import broadcast_strides
from tfpy._src.compiler.lower.shaders.steps import Params, flags_of, inputs_of
from tfpy._src.compiler.lower.webgpu.groups import flat
from tfpy._src.compiler.lower.webgpu.steps import WebGPUSteps
from tfpy._src.compiler.lower.webgpu.wgsl.shader import GROUP

WIDEST = 256
"""Largest number of columns of a result, and largest depth of a product, that the kernels
support."""

CHUNK = 512
"""Number of keys that one workgroup processes for a row."""

FEWEST = 4
"""Number of rows of q up to which each row has separate workgroups, because tiles would be mostly
empty."""

FEW_ROWS = 1 << 17
"""Number of rows times the sizes of a row of q and v, up to which rows also have separate
workgroups."""

FEW_SCORES = 3 << 24
"""Largest number of multiplications in each product for which that is faster than products in
tiles, which share long sums."""

FEW_KEYS = 256
"""Number of keys up to which a few tiles suffice, because each needs few sequential blocks."""

FILLS = 128
"""Number of workgroups from which tiles are faster than products that use more workgroups."""

WIDE = 128
"""Largest number of columns of the result for which tiles are faster than products."""

LARGE_SCORES = 1 << 27
"""Bytes of scores from which tiles are always used, because many devices do not support such
buffers."""


@dataclass(frozen=True)
class AttentionTile:
    """A workgroup of `tx` by `ty` threads.

    Each thread has `tm` fours of rows, `tn` fours of a block's keys and `tw` fours of the result's
    columns. The workgroup memory contains `depth` fours along the depth, or `keys` fours of keys.
    """

    tx: int
    ty: int
    tm: int
    tn: int
    tw: int
    depth: int = 4
    keys: int = 4

    @property
    def rows(self) -> int:
        return 4 * self.tm * self.ty

    @property
    def block(self) -> int:
        return 4 * self.tn * self.tx

    @property
    def columns(self) -> int:
        return 4 * self.tw * self.tx

    @property
    def defines(self) -> list[str]:
        sizes = {"TM": self.tm, "TN": self.tn, "TW": self.tw, "TX": self.tx, "TY": self.ty}
        sizes |= {"DEPTH": self.depth, "KEYS": self.keys}
        return [f"{k} {v}" for k, v in sizes.items()]


LARGE = (
    AttentionTile(8, 16, 1, 2, 1),
    AttentionTile(8, 16, 1, 2, 2),
    AttentionTile(16, 8, 1, 2, 2),
    AttentionTile(16, 8, 1, 2, 4, keys=2),
)
"""Tiles by the columns of the result, each the fastest of a dozen on an NVIDIA H200."""

SMALL = (AttentionTile(8, 8, 1, 4, 1), AttentionTile(16, 8, 1, 1, 1), *LARGE[2:])
"""Tiles with a mask if there are few of them."""

MOST_CHUNKS = 8
"""Largest number of chunks of a tile's keys."""


def tile_for(p: Params) -> AttentionTile:
    """Return the tile for the shape of an attention."""
    large, small = (
        next(tile for tile in tiles if p["width"] <= tile.columns) for tiles in (LARGE, SMALL)
    )
    return small if _is_masked(p) and _count(p, large) < FILLS else large


def chunks_for(p: Params, tile: AttentionTile) -> int:
    """Return the number of chunks of each tile's keys, so that the device is busy."""
    chunks, blocks = 1, -(-p["n"] // tile.block)
    if not _is_masked(p):
        while _count(p, tile) * chunks < 2 * FILLS and 2 * chunks <= min(blocks, MOST_CHUNKS):
            chunks *= 2
    return chunks


def _is_masked(p: Params) -> bool:
    return bool(p["masked"] == "true")


def _count(p: Params, tile: AttentionTile) -> int:
    found: int = p["outer"] * p["inner"] * -(-p["m"] // tile.rows)
    return found


def pays(call: KernelCall) -> bool:
    """Return True if attention without scores in memory is faster than products and softmax."""
    p: Params = dict(call.params)
    widest = max(p["depth"], p["width"])
    if widest > WIDEST:
        return False
    scores = _rows(p) * p["n"]
    if p["m"] <= FEWEST or 4 * scores > LARGE_SCORES:
        return True
    if _is_by_rows(p):
        return bool(scores * widest <= FEW_SCORES)
    tile = tile_for(p)
    fills = p["n"] <= FEW_KEYS or _count(p, tile) * chunks_for(p, tile) >= FILLS
    return bool(fills and widest <= WIDE)


def _rows(p: Params) -> int:
    found: int = p["outer"] * p["inner"] * p["m"]
    return found


def _is_by_rows(p: Params) -> bool:
    return bool(p["m"] <= FEWEST or _rows(p) * (p["depth"] + p["width"]) <= FEW_ROWS)


def attention(steps: WebGPUSteps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    p: Params = dict(call.params)
    p.setdefault("group", 1)
    named = inputs_of(call, inputs)
    if _is_by_rows(p):
        _by_rows(steps, p, named, output)
    else:
        _in_tiles(steps, p, named, output)


def _by_rows(steps: WebGPUSteps, p: Params, named: Mapping[str, int], output: int) -> None:
    chunk = _chunk_of(p)
    columns = 1 << (_fours(p) - 1).bit_length()
    defines = [f"DEPTH {-(-p['depth'] // 4)}", f"COLUMNS {columns}"]
    defines += [f"KEYS {-(-chunk // GROUP) * GROUP}"]
    zeroed = p.get("blind") == "zero"  # otherwise a row that sees nothing needs all keys
    defines += flags_of(SKIPS=_is_masked(p) and zeroed and chunk < p["n"])
    _step(steps, "attention_rows", p | {"chunk": chunk}, named, output, defines, _rows(p))


def _chunk_of(p: Params) -> int:
    """Return the number of keys of a workgroup, fewer if rows are few and keys many."""
    n = p["n"]
    longest = CHUNK // 2 if n > CHUNK and _rows(p) * -(-n // CHUNK) < FILLS else CHUNK
    return -(-n // -(-n // longest))


def _in_tiles(steps: WebGPUSteps, p: Params, named: Mapping[str, int], output: int) -> None:
    tile = tile_for(p)
    blocks = -(-p["n"] // tile.block)
    chunk = -(-blocks // chunks_for(p, tile)) * tile.block
    named, params = dict(named), p | {"chunk": chunk, "tiles": -(-p["m"] // tile.rows)}
    if "mask" in named:
        named["blocks"], params["blocks_strides"] = _blocks(steps, p, tile, named["mask"])
    _step(steps, "attention_tile", params, named, output, tile.defines, _count(p, tile))


def _step(
    steps: WebGPUSteps,
    name: str,
    params: Params,
    named: Mapping[str, int],
    output: int,
    defines: Sequence[str],
    groups: int,
) -> None:
    """Add the step of a kernel with `groups` workgroups per chunk of the keys.

    Another step joins the results of several chunks.
    """
    chunks = -(-params["n"] // params["chunk"])
    params = params | {"chunks": chunks}
    defines = [*defines, *_wholes(params)]
    if chunks == 1:
        steps.step(name, named, output, params, [*defines, *_quads(params)], flat(groups))
        return
    rows, fours = _rows(params), _fours(params)
    partial = steps.program.add_buffer([rows, chunks, 4 * (1 + fours)], float32)
    steps.step(name, named, partial, params, [*defines, "QUADS", "PARTIAL"], flat(groups * chunks))
    joining = flat(-(-rows * fours // GROUP))
    steps.step("attention_join", {"x": partial}, output, params, _quads(params), joining)


def _fours(p: Params) -> int:
    """Return the number of texels in a row of the result."""
    return -(-int(p["width"]) // 4)


def _blocks(steps: WebGPUSteps, p: Params, tile: AttentionTile, mask: int) -> tuple[int, list[int]]:
    """Return the buffer with the mask's effect on each block, and its batch and tile strides."""
    outer, inner, row, _ = p["mask_strides"]
    sizes = {
        "outer": p["outer"] if outer else 1,
        "inner": p["inner"] if inner else 1,
        "tiles": -(-p["m"] // tile.rows) if row else 1,
        "blocks": -(-p["n"] // tile.block),
    }
    shape = [*sizes.values()]
    found = steps.program.add_buffer(shape, int32)
    params = sizes | {name: p[name] for name in ("m", "n", "mask_strides")}
    defines = [f"ROWS {tile.rows}", f"KEYS {tile.block}", *_wholes(p)]
    steps.step("attention_blocks", {"mask": mask}, found, params, defines, flat(math.prod(shape)))
    return found, broadcast_strides(shape, shape)


def _wholes(p: Params) -> list[str]:
    """Return the flags of the operands that are read by texels."""
    sizes = {"q": p["depth"], "k": p["depth"], "v": p["width"], "mask": p["n"]}
    flags = {f"{x.upper()}_WHOLE": _is_whole(p[f"{x}_strides"], n) for x, n in sizes.items()
             if f"{x}_strides" in p}  # fmt: skip
    return flags_of(**flags)


def _quads(p: Params) -> list[str]:
    return flags_of(QUADS=_is_whole(p["out_strides"], p["width"]))


def _is_whole(strides: Sequence[int], size: int) -> bool:
    """Return True if a matrix's columns are adjacent, in whole texels."""
    return strides[-1] == 1 and all(v % 4 == 0 for v in (*strides[:-1], size))
