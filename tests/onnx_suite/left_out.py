"""Patterns of cases of the package onnx that cannot pass on tfpy, grouped by reason."""

from __future__ import annotations

from fnmatch import fnmatchcase

LEFT_OUT: dict[str, tuple[str, ...]] = {
    "tfpy generates other random numbers": (
        "test_bernoulli*",
        "test_training_dropout*",
    ),
    "float64 and int64 become float32 and int32, which have other bits": (
        "test_bitcast_float64_to_int64",
        "test_bitcast_int64_to_float64",
    ),
    "tfpy does not have the dtype float8_e8m0": ("test_cast_e8m0_*",),
    "sums in bfloat16 are rounded in another order": (
        "test_attention_3d_causal_bf16*",
        "test_attention_4d_*_bf16*",
    ),
    "tfpy does not decode these image formats": (
        "test_image_decoder_decode_jpeg2k_rgb",
        "test_image_decoder_decode_pnm_rgb",
        "test_image_decoder_decode_tiff_rgb",
        "test_image_decoder_decode_webp_rgb",
    ),
}


def reason(name: str) -> str | None:
    """Return the reason why a case is excluded, or None."""
    for why, patterns in LEFT_OUT.items():
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            return why
    return None
