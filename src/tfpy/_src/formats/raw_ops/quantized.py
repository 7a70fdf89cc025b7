"""Fake quantization: rounding of numbers to the steps of an integer."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.tensors.nn import fake_quantization as fake, quantization, quantized_tensors


def _by_range(quantize: Any) -> Any:
    """Quantize by a range of two scalars; an axis of -1 means none."""

    def rounded(input: Any, input_min: Any, input_max: Any, *, axis: int, **attrs: Any) -> Tensor:
        return quantize(input, input_min, input_max, axis=None if axis < 0 else axis, **attrs)

    return rounded


op(
    "FakeQuantWithMinMaxArgs(inputs; min=-6.0, max=6.0, num_bits=8, narrow_range=False) -> outputs",
    fake.fake_quant_with_min_max_args,
)
op(
    "FakeQuantWithMinMaxArgsGradient(gradients, inputs; min=-6.0, max=6.0, num_bits=8, "
    "narrow_range=False) -> backprops",
    fake.fake_quant_with_min_max_args_gradient,
)
op(
    "FakeQuantWithMinMaxVars(inputs, min, max; num_bits=8, narrow_range=False) -> outputs",
    fake.fake_quant_with_min_max_vars,
)
op(
    "FakeQuantWithMinMaxVarsGradient(gradients, inputs, min, max; num_bits=8, "
    "narrow_range=False) -> backprops_wrt_input, backprop_wrt_min, backprop_wrt_max",
    fake.fake_quant_with_min_max_vars_gradient,
)
op(
    "FakeQuantWithMinMaxVarsPerChannel(inputs, min, max; num_bits=8, narrow_range=False) -> "
    "outputs",
    fake.fake_quant_with_min_max_vars_per_channel,
)
op(
    "FakeQuantWithMinMaxVarsPerChannelGradient(gradients, inputs, min, max; num_bits=8, "
    "narrow_range=False) -> backprops_wrt_input, backprop_wrt_min, backprop_wrt_max",
    fake.fake_quant_with_min_max_vars_per_channel_gradient,
)
op(
    "QuantizeAndDequantizeV2(input, input_min, input_max; signed_input=True, num_bits=8, "
    'range_given=False, round_mode="HALF_TO_EVEN", narrow_range=False, axis=-1) -> output',
    _by_range(quantization.quantize_and_dequantize),
)
op(
    "QuantizeAndDequantizeV3(input, input_min, input_max, num_bits; signed_input=True, "
    "range_given=True, narrow_range=False, axis=-1) -> output",
    lambda input, input_min, input_max, num_bits, **attrs: _by_range(
        quantization.quantize_and_dequantize
    )(input, input_min, input_max, num_bits=int(num_bits), **attrs),
)
op(
    "QuantizeAndDequantizeV4(input, input_min, input_max; signed_input=True, num_bits=8, "
    'range_given=False, round_mode="HALF_TO_EVEN", narrow_range=False, axis=-1) -> output',
    _by_range(quantization.quantize_and_dequantize_v2),
)
op(
    'Dequantize(input, min_range, max_range; mode="MIN_COMBINED", narrow_range=False, axis=-1, '
    "dtype=float32) -> output",
    quantized_tensors.dequantize,
)
op(
    'QuantizeV2(input, min_range, max_range; T, mode="MIN_COMBINED", '
    'round_mode="HALF_AWAY_FROM_ZERO", narrow_range=False, axis=-1, ensure_minimum_range=0.01) '
    "-> output, output_min, output_max",
    quantized_tensors.quantize,
)
op(
    "QuantizedConcat(concat_dim, values*N, input_mins*N, input_maxes*N) -> output, output_min, "
    "output_max",
    quantized_tensors.quantized_concat,
)
