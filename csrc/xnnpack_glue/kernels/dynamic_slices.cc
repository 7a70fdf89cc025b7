// The kernel that writes a part of a tensor at a computed position.
#include <string.h>

#include <algorithm>
#include <array>

#include "base/sizes.h"
#include "program/kernel.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr size_t kDims = 6;

// A part of a tensor.
struct Part {
  std::array<size_t, kDims> dims, sizes;  // of the tensor and of the part
  size_t first;                           // dimension of the first start
};

std::array<size_t, kDims> read_sizes(Params& params, const char* name) {
  const std::vector<int32_t> numbers = params.numbers(name, kDims, 0, kMaxNumber);
  std::array<size_t, kDims> sizes;
  std::copy_n(numbers.begin(), kDims, sizes.begin());
  return sizes;
}

uint64_t volume(const std::array<size_t, kDims>& sizes) {
  uint64_t result = 1;
  for (const size_t size : sizes) result = product({result, uint64_t{size}});
  return result;
}

// Returns the element of the tensor at which the part begins. Starts are clipped.
size_t position(const Part& part, const int32_t* starts) {
  size_t at = 0;
  for (size_t d = 0; d < kDims; ++d) {
    const int64_t limit = static_cast<int64_t>(part.dims[d] - part.sizes[d]);
    const int64_t start = d < part.first ? 0 : starts[d - part.first];
    at = at * part.dims[d] + static_cast<size_t>(std::clamp<int64_t>(start, 0, limit));
  }
  return at;
}

// Copies the rows of the part, which are contiguous in both arrays.
template <class T>
void write_part(const Part& part, const T* updates, T* out) {
  const size_t n = part.sizes[kDims - 1];
  if (n == 0) return;
  parallel_ranges(volume(part.sizes) / n, n, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      size_t rest = row, offset = 0, pitch = part.dims[kDims - 1];
      for (size_t d = kDims - 1; d-- > 0;) {
        offset += rest % part.sizes[d] * pitch;
        pitch *= part.dims[d];
        rest /= part.sizes[d];
      }
      memcpy(out + offset, updates + row * n, n * sizeof(T));
    }
  });
}

template <class T>
void update(const Part& part, const Operand* inputs, T* out) {
  const T* x = inputs[0].as<T>();
  if (x != out) {
    parallel_ranges(volume(part.dims), 1, [=](size_t begin, size_t end) {
      memcpy(out + begin, x + begin, (end - begin) * sizeof(T));
    });
  }
  write_part(part, inputs[1].as<T>(), out + position(part, inputs[2].as<int32_t>()));
}

}  // namespace

std::unique_ptr<Kernel> make_dynamic_update_slice(StepSpec& step) {
  step.params.require(step.inputs.size() == 3, "dynamic_update_slice takes three inputs");
  Part part{read_sizes(step.params, "dims"), read_sizes(step.params, "sizes"),
            static_cast<size_t>(step.params.number("first", 0, kDims - 1))};
  if (!step.ok()) return nullptr;
  for (size_t d = 0; d < kDims; ++d) {
    step.params.require(part.sizes[d] <= part.dims[d], "the updates are larger than the tensor");
  }
  const DType dtype = step.output.dtype;
  step.params.require(step.inputs[0].dtype == dtype, "x's dtype is not the output's");
  step.params.require(step.inputs[1].dtype == dtype, "the updates' dtype is not the output's");
  step.params.require(step.inputs[2].dtype == DType::kInt32, "the starts are not int32");
  step.require_count(step.inputs[0], volume(part.dims), "x");
  step.require_count(step.inputs[1], volume(part.sizes), "the updates");
  step.require_count(step.inputs[2], kDims - part.first, "the starts");
  step.require_count(step.output, volume(part.dims), "the output");
  if (!step.ok()) return nullptr;
  auto kernel = make_kernel([=](const Operand* inputs, void* output) {
    if (dtype == DType::kBool) {
      update(part, inputs, static_cast<uint8_t*>(output));
    } else {
      update(part, inputs, static_cast<int32_t*>(output));
    }
  });
  kernel->let_overwrite({true, false, false});
  return kernel;
}

}  // namespace tfpy
