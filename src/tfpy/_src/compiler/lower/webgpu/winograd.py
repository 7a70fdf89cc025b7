"""Convolutions with 3 x 3 filters as sixteen products in place of nine.

Lavin and Gray, "Fast algorithms for convolutional neural networks", 2016.

A tile of 2 x 2 outputs is a transform of sixteen products. Their factors are transforms of the
tile's 4 x 4 pixels and of the filter: 16 multiplications replace 36. The numbers pass through
memory, so it pays for many pixels and channels. Larger tiles (4 x 4) would have about 20 times the
rounding errors of a plain sum; these tiles have twice its errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfpy._src.compiler.lower.shaders.steps import Params, flags_of
from tfpy._src.compiler.lower.webgpu.products import add_product
from tfpy._src.compiler.lower.webgpu.steps import WebGPUSteps, groups_of
from tfpy._src.compiler.lower.webgpu.tiles import Product

NUMBERS = 16
"""Numbers of each tile and channel."""

LEAST = 1 << 28
"""Number of multiplications of a convolution from which its transforms pay (measured on an
H200)."""

CHANNELS = 64
"""Number of input and output channels from which they pay."""

MOST_BYTES = 1 << 27
"""Largest size in bytes of the numbers of all tiles, which every device can bind."""


def add(
    steps: WebGPUSteps, inputs: Sequence[int], output: int, p: Params, backward: bool = False
) -> bool:
    """Add the steps of a convolution of images, or of its gradient by them, if that is fastest.

    Args:
        inputs: Images, or the gradient of the output, and filters.
        p: Parameters of the convolution.
    """
    source, target = ("out", "in") if backward else ("in", "out")
    c, n = f"{source}_c", f"{target}_c"
    rows, columns = p[f"{target}_h"], p[f"{target}_w"]
    down, across = -(-rows // 2), -(-columns // 2)
    count = p["batch"] * down * across
    if not _fits(p) or not _pays(count, p) or not steps.tiles:
        return False
    if not steps.result_dtype(output).is_floating:
        return False
    margins = {axis: 2 - p[axis] if backward else p[axis] for axis in ("pad_top", "pad_left")}
    sizes: Params = {"tiles": count, "down": down, "across": across}
    pixels = _numbers(
        steps, "winograd_input", {"x": inputs[0]}, count, p[c],
        {**sizes, **margins, "rows": p[f"{source}_h"], "columns": p[f"{source}_w"]},
    )  # fmt: skip
    filters = _numbers(
        steps, "winograd_filter", {"filter": inputs[1]}, p["in_c"], p["out_c"],
        {"count": p["in_c"]}, flags_of(BACKWARD=backward),
    )  # fmt: skip
    products = steps.like(output, NUMBERS * count * p[n])
    product = Product(NUMBERS, count, p[n], p[c], True, True, transpose_b=backward)
    strides = {"a_batch_stride": count * p[c], "b_batch_stride": p["in_c"] * p["out_c"]}
    in_tiles = add_product(steps, {"a": pixels, "b": filters}, products, product, strides)
    assert in_tiles, product
    steps.step(
        "winograd_output", {"x": products}, output,
        {**sizes, "rows": rows, "columns": columns, "channels": p[n] // 4}, ["QUADS"],
        groups_of(count * p[n] // 4),
    )  # fmt: skip
    return True


def _numbers(
    steps: WebGPUSteps,
    name: str,
    inputs: Mapping[str, int],
    count: int,
    channels: int,
    params: Params,
    flags: Sequence[str] = (),
) -> int:
    """Return the buffer of the transformed pixels or filters: [16, count, channels]."""
    buffer = steps.like(steps.output, NUMBERS * count * channels)
    params = {**params, "channels": channels // 4}
    groups = groups_of(count * channels // 4)
    steps.step(name, inputs, buffer, params, ["QUADS", *flags], groups)
    return buffer


def _fits(p: Params) -> bool:
    """Return True for images with 3 x 3 filters, stride 1, and whole texels of channels."""
    flat_windows = all(p.get(size, 1) == 1 for size in ("in_d", "out_d", "filter_d", "groups"))
    window = (p["filter_h"], p["filter_w"]) == (3, 3)
    plain = all(p[f"{what}_{axis}"] == 1 for what in ("stride", "dilation") for axis in "hw")
    return flat_windows and window and plain and p["in_c"] % 4 == 0 and p["out_c"] % 4 == 0


def _pays(tiles: int, p: Params) -> bool:
    """Return True if there are enough pixels and channels, and the tiles' numbers can be bound."""
    channels = (p["in_c"], p["out_c"])
    is_large = 9 * 4 * tiles * channels[0] * channels[1] >= LEAST
    in_reach = 4 * NUMBERS * tiles * max(channels) <= MOST_BYTES
    return is_large and in_reach and min(channels) >= CHANNELS
