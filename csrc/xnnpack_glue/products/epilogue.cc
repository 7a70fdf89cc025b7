#include "products/epilogue.h"

#include <algorithm>

namespace tfpy {

Epilogue read_epilogue(StepSpec& step) {
  Params& params = step.params;
  Epilogue result;
  result.has_bias = params.has("bias") && params.flag("bias");
  if (params.has("clamp_min_bits")) result.low = params.real("clamp_min_bits");
  if (params.has("clamp_max_bits")) result.high = params.real("clamp_max_bits");
  params.require(result.low <= result.high, "the clamp's bounds are not a range");
  params.require(result.is_none() || step.output.dtype == DType::kFloat32,
                 "only float32 has a bias or a clamp");
  return result;
}

void require_bias(StepSpec& step, const Epilogue& epilogue, uint64_t channels) {
  if (epilogue.has_bias) step.require_count(step.inputs[2], channels, "bias");
}

void apply_epilogue(const Epilogue& epilogue, const float* bias, size_t rows, size_t channels,
                    float* data) {
  if (epilogue.is_none()) return;
  for (size_t row = 0; row < rows; ++row, data += channels) {
    for (size_t i = 0; i < channels; ++i) {
      const float sum = bias != nullptr ? data[i] + bias[i] : data[i];
      data[i] = std::min(std::max(sum, epilogue.low), epilogue.high);
    }
  }
}

}  // namespace tfpy
