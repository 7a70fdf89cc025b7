"""The elementwise functions that handlers for extension types replace all at once."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_UNARY = {
    "core.primitives": "abs acos acosh as_string asin asinh atan atanh bessel_i0 bessel_i0e "
    "bessel_i1 bessel_i1e ceil cos cosh digamma elu erf erfc erfinv exp expm1 floor invert "
    "is_finite is_inf is_nan length lgamma log log1p logical_not lower ndtri negative nextafter "
    "reciprocal relu relu6 rint round rsqrt selu sigmoid sin sinh softplus sqrt square strip tan "
    "tanh upper",
    "library.debugging.assertions": "check_numerics",
    "library.image.adjusting": "adjust_brightness adjust_gamma",
    "library.image.batches": "convert_image_dtype",
    "library.image.randomized": "random_brightness",
    "library.image.stateless_randomized": "stateless_random_brightness",
    "library.io.decoding": "decode_compressed",
    "library.io.files": "decode_base64 encode_base64",
    "library.strings.functions": "regex_full_match regex_replace to_hash_bucket "
    "to_hash_bucket_fast to_hash_bucket_strong to_number",
    "library.strings.splitting": "substr",
    "library.strings.unicode": "unicode_transcode",
    "tensors.array.casting": "saturate_cast",
    "tensors.array.complex_numbers": "angle conj imag real",
    "tensors.array.making": "cast ones_like zeros_like",
    "tensors.math.arithmetic": "clip_by_value erfcinv log_sigmoid reciprocal_no_nan sign",
    "tensors.nn.activations": "gelu leaky_relu log_softmax silu softsign",
}
_BINARY = {
    "core.primitives": "add atan2 bitwise_and bitwise_or bitwise_xor equal floordiv floormod "
    "greater greater_equal left_shift less less_equal logical_and logical_or logical_xor maximum "
    "minimum multiply multiply_no_nan not_equal pow realdiv right_shift squared_difference "
    "subtract truncatediv truncatemod xdivy xlog1py xlogy zeta",
    "tensors.array.complex_numbers": "complex",
    "tensors.math.arithmetic": "divide divide_no_nan scalar_mul",
    "tensors.nn.losses": "sigmoid_cross_entropy_with_logits",
}
_ASSERTIONS = {
    "library.debugging.assertions": "assert_equal assert_greater assert_greater_equal assert_less "
    "assert_less_equal assert_near assert_none_equal",
}


def unary() -> list[Any]:
    """Return the elementwise functions of one tensor."""
    return _functions(_UNARY)


def binary() -> list[Any]:
    """Return the elementwise functions of two tensors."""
    return _functions(_BINARY)


def assertions() -> list[Any]:
    """Return the assertions that compare two tensors elementwise."""
    return _functions(_ASSERTIONS)


def _functions(table: dict[str, str]) -> list[Any]:
    return [
        getattr(import_module(f"tfpy._src.{module}"), name)
        for module, names in table.items()
        for name in names.split()
    ]
