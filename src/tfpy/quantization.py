"""`tf.quantization`: rounding of floats to the values that quantized integers represent."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.tensors.nn.fake_quantization import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from tfpy._src.tensors.nn.quantization import (
    quantize_and_dequantize as quantize_and_dequantize,
    quantize_and_dequantize_v2 as quantize_and_dequantize_v2,
)

if _typing.TYPE_CHECKING:
    from tfpy._src.tensors.nn.quantized_tensors import (
        dequantize as dequantize,
        quantize as quantize,
        quantized_concat as quantized_concat,
    )

_LATER = {
    "dequantize": "tfpy._src.tensors.nn.quantized_tensors",
    "quantize": "tfpy._src.tensors.nn.quantized_tensors",
    "quantized_concat": "tfpy._src.tensors.nn.quantized_tensors",
}
