// The last operations of convolutions and products on each element: + bias[channel], then a clamp.
#pragma once

#include "program/kernel.h"

namespace tfpy {

struct Epilogue {
  bool has_bias = false;
  float low = -__builtin_inff(), high = __builtin_inff();

  size_t inputs() const { return has_bias ? 3 : 2; }
  bool is_none() const { return !has_bias && !clamps(); }
  bool clamps() const { return low > -__builtin_inff() || high < __builtin_inff(); }
};

// Reads "bias", "clamp_min_bits" and "clamp_max_bits", which may be absent. The caller checks the
// number of inputs. Depending on the kernel, the clamp keeps NaN or replaces it by the lower bound.
Epilogue read_epilogue(StepSpec& step);

// Fails unless a bias has an element for each channel.
void require_bias(StepSpec& step, const Epilogue& epilogue, uint64_t channels);

// Returns the bias among a step's operands, or null.
inline const float* bias_of(const Epilogue& epilogue, const Operand* inputs) {
  return epilogue.has_bias ? inputs[2].as<float>() : nullptr;
}

// Applies the epilogue to `rows` rows of `channels` elements; bias may be null.
void apply_epilogue(const Epilogue& epilogue, const float* bias, size_t rows, size_t channels,
                    float* data);

}  // namespace tfpy
