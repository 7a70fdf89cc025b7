// The kernel of products with weights that stay as they are stored.

#include "products/stored_product.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace tfpy {
namespace {

bool check_groups(const int32_t* groups, size_t count, size_t limit) {
  const bool is_valid = std::all_of(groups, groups + count, [limit](int32_t group) {
    return group >= 0 && static_cast<size_t>(group) < limit;
  });
  return is_valid || fail("multiply_stored: a group is not in [0, %zu)", limit);
}

void require_shapes(StepSpec& step, const StoredShape& shape) {
  const bool is_whole = step.output.dtype == DType::kInt32;
  const size_t count = shape.groups == 0 ? 2 : 5;
  Params& params = step.params;
  params.require(step.inputs.size() == count, "the number of inputs is wrong");
  params.require(step.output.dtype != DType::kBool, "multiply_stored has no bool");
  params.require(shape.bits == 8 || (shape.bits == 4 && !is_whole),
                 "the bits do not fit the dtype");
  params.require(shape.groups == 0 || !is_whole, "products of integers have no groups");
  if (!step.ok()) return;
  params.require(step.inputs[0].dtype == step.output.dtype, "x's dtype is not the output's");
  step.require_count(step.inputs[0], product({shape.m, shape.k}), "x");
  step.require_bytes(1, product({shape.bytes()}), "the weights");
  step.require_count(step.output, product({shape.m, shape.n}), "the output");
  if (shape.groups == 0 || !step.ok()) return;
  params.require(step.inputs[2].dtype == DType::kFloat32, "the scales are not float32");
  params.require(step.inputs[4].dtype == DType::kInt32, "the groups are not int32");
  step.require_count(step.inputs[2], product({shape.groups, shape.n}), "the scales");
  step.require_bytes(3, product({shape.groups, shape.n}), "the zero points");
  step.require_count(step.inputs[4], shape.k, "the groups");
}

}  // namespace

const uint32_t* part_masks(size_t bits) {
  static const std::array<uint32_t, 64> masks = [] {
    std::array<uint32_t, 64> made{};
    for (uint32_t i = 0; i < 32; ++i) {
      made[i] = 0xffu << i / 4 % 4 * 8;
      made[32 + i] = 0xfu << i / 4 * 4;
    }
    return made;
  }();
  return masks.data() + (bits == 4 ? 32 : 0);
}

std::unique_ptr<Kernel> make_multiply_stored(StepSpec& step) {
  Params& params = step.params;
  const uint32_t m = params.number("m"), n = params.number("n"), k = params.number("k", 1);
  const uint32_t bits = params.number("bits", 4, 8), groups = params.number("groups");
  const bool transpose_b = params.flag("transpose_b");
  if (!step.ok()) return nullptr;
  const StoredShape shape{m, n, k, bits, transpose_b, groups};
  require_shapes(step, shape);
  if (!step.ok()) return nullptr;
  const bool is_whole = step.output.dtype == DType::kInt32;
  return make_kernel([shape, is_whole](const Operand* inputs, void* output) {
    if (is_whole) return multiply_stored_integers(shape, inputs, static_cast<int32_t*>(output));
    if (shape.groups != 0 && !check_groups(inputs[4].as<int32_t>(), shape.k, shape.groups))
      return false;
    return multiply_stored_floats(shape, inputs, static_cast<float*>(output));
  });
}

}  // namespace tfpy
