"""The block formats of tensors in GGUF files, by their numbers.

Source: https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-common.h
"""

from __future__ import annotations

import numpy as np

from tfpy._src.compiler.ops.block_formats import HALF, ON_DEVICES, WIDE, BlockFormat, layout_of
from tfpy._src.compiler.ops.reference import blocks
from tfpy._src.compiler.ops.reference.parts import column
from tfpy._src.formats.gguf import grid_blocks


def _plain(name: str, dtype: str) -> BlockFormat:
    return BlockFormat(name, 1, np.dtype(dtype), None)


_WORDS = {"qs": ("<u2", 32)}
FORMATS = {
    0: _plain("F32", "<f4"),
    1: BlockFormat("F16", 1, np.dtype(HALF), column),
    2: ON_DEVICES["Q4_0"],
    3: ON_DEVICES["Q4_1"],
    6: ON_DEVICES["Q5_0"],
    7: ON_DEVICES["Q5_1"],
    8: ON_DEVICES["Q8_0"],
    10: ON_DEVICES["Q2_K"],
    11: ON_DEVICES["Q3_K"],
    12: ON_DEVICES["Q4_K"],
    13: ON_DEVICES["Q5_K"],
    14: ON_DEVICES["Q6_K"],
    16: BlockFormat("IQ2_XXS", WIDE, layout_of(d=HALF, qs=("<u4", 16)), grid_blocks.iq2_xxs),
    17: BlockFormat("IQ2_XS", WIDE, layout_of(d=HALF, **_WORDS, scales=8), grid_blocks.iq2_xs),
    18: BlockFormat(
        "IQ3_XXS", WIDE, layout_of(d=HALF, qs=64, scales=("<u4", 8)), grid_blocks.iq3_xxs
    ),
    19: BlockFormat("IQ1_S", WIDE, layout_of(d=HALF, qs=32, qh=("<u2", 8)), grid_blocks.iq1_s),
    20: ON_DEVICES["IQ4_NL"],
    21: BlockFormat(
        "IQ3_S", WIDE, layout_of(d=HALF, qs=64, qh=8, signs=32, scales=4), grid_blocks.iq3_s
    ),
    22: BlockFormat(
        "IQ2_S", WIDE, layout_of(d=HALF, qs=32, signs=32, qh=8, scales=8), grid_blocks.iq2_s
    ),
    23: BlockFormat(
        "IQ4_XS", WIDE, layout_of(d=HALF, scales_h=2, scales_l=4, qs=128), blocks.iq4_xs
    ),
    24: _plain("I8", "i1"),
    25: _plain("I16", "<i2"),
    26: _plain("I32", "<i4"),
    27: _plain("I64", "<i8"),
    28: _plain("F64", "<f8"),
    29: BlockFormat("IQ1_M", WIDE, layout_of(qs=32, qh=16, scales=("<u2", 4)), grid_blocks.iq1_m),
    30: BlockFormat("BF16", 1, np.dtype("<u2"), blocks.bf16),
    34: BlockFormat("TQ1_0", WIDE, layout_of(qs=48, qh=4, d=HALF), blocks.tq1_0),
    35: ON_DEVICES["TQ2_0"],
    39: ON_DEVICES["MXFP4"],
    40: BlockFormat("NVFP4", 64, layout_of(d=4, qs=32), blocks.nvfp4),
}
"""All formats, by their numbers in files."""
