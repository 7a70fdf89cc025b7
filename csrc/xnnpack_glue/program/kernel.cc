#include "program/kernel.h"

#include <string.h>

#include <algorithm>

#include "base/error.h"

namespace tfpy {
namespace {

constexpr KernelEntry kKernels[] = {
#define KERNEL(name) {#name, make_##name},
#include "program/kernels.def"
#undef KERNEL
};

}  // namespace

const KernelEntry* find_kernel(const char* name) {
  for (const KernelEntry& entry : kKernels) {
    if (strcmp(entry.name, name) == 0) return &entry;
  }
  return nullptr;
}

void StepSpec::require_float(size_t input_count) {
  params.require(output.dtype == DType::kFloat32, "the output is not float32");
  require_same(input_count);
}

void StepSpec::require_same(size_t input_count) {
  params.require(inputs.size() == input_count, "the number of inputs is wrong");
  for (const BufferSpec& input : inputs) {
    params.require(input.dtype == output.dtype, "an input's dtype is not the output's");
  }
  inputs.resize(input_count, BufferSpec{output.dtype, 0});
}

void StepSpec::require_count(const BufferSpec& buffer, uint64_t count, const char* name) {
  if (ok() && buffer.count != count) {
    params.require(false, "");
    fail("%s has %zu elements where the parameters say %llu", name, buffer.count,
         static_cast<unsigned long long>(count));
  }
}

void StepSpec::require_bytes(size_t input, uint64_t count, const char* name) {
  params.require(inputs[input].dtype == DType::kInt8, "an input is not int8");
  require_count(inputs[input], count, name);
  ++byte_inputs;
}

bool StepSpec::reads_all_bytes() const {
  const auto count = std::count_if(inputs.begin(), inputs.end(), [](const BufferSpec& input) {
    return input.dtype == DType::kInt8;
  });
  return static_cast<size_t>(count) == byte_inputs;
}

}  // namespace tfpy
