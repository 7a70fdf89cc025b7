#include "epilogue.h"

#include <string.h>

#include <algorithm>

namespace tfpy {
namespace {

float read_bits(Params& params, const char* name, float absent) {
  if (!params.has(name)) return absent;
  const int32_t bits = params.number(name, INT32_MIN);
  float value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

Epilogue read_epilogue(StepSpec& step) {
  Params& params = step.params;
  Epilogue result;
  result.has_bias = params.has("bias") && params.choice("bias", {"false", "true"}) == 1;
  result.low = read_bits(params, "clamp_min_bits", result.low);
  result.high = read_bits(params, "clamp_max_bits", result.high);
  params.require(result.low <= result.high, "the clamp's bounds are no range");
  params.require(result.is_none() || step.output.dtype == DType::kFloat32,
                 "only float32 has a bias or a clamp");
  return result;
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
