#include "program/kernel.h"

#include <string.h>

#include <string>

#include "base/error.h"

namespace tfpy {
namespace {

struct Entry {
  const char* name;
  Factory factory;
};

constexpr Entry kKernels[] = {
    {"elementwise", make_elementwise},
    {"strided", make_strided},
    {"pad", make_pad},
    {"concat", make_concat},
    {"gather", make_gather},
    {"segment_sum", make_segment_sum},
    {"reduce", make_reduce},
    {"arg_reduce", make_arg_reduce},
    {"scan", make_scan},
    {"scatter", make_scatter},
    {"ravel_index", make_ravel_index},
    {"argsort", make_argsort},
    {"searchsorted", make_searchsorted},
    {"non_max_suppression", make_non_max_suppression},
    {"dft", make_dft},
    {"matmul", make_matmul},
    {"quantized_matmul", make_quantized_matmul},
    {"quantized_conv2d", make_quantized_conv2d},
    {"conv2d", make_conv2d},
    {"conv2d_backprop_input", make_conv2d_backprop_input},
    {"conv2d_backprop_filter", make_conv2d_backprop_filter},
    {"conv3d", make_conv3d},
    {"conv3d_backprop_input", make_conv3d_backprop_input},
    {"conv3d_backprop_filter", make_conv3d_backprop_filter},
    {"depthwise_conv2d", make_depthwise_conv2d},
    {"depthwise_conv2d_backprop_input", make_depthwise_conv2d_backprop_input},
    {"depthwise_conv2d_backprop_filter", make_depthwise_conv2d_backprop_filter},
    {"pool", make_pool},
    {"max_pool_grad", make_max_pool_grad},
    {"max_pool_grad_grad", make_max_pool_grad_grad},
    {"avg_pool_grad", make_avg_pool_grad},
    {"overlap_add", make_overlap_add},
    {"resample", make_resample},
    {"softmax", make_softmax},
    {"log_softmax", make_log_softmax},
    {"layer_norm", make_layer_norm},
    {"attention", make_attention},
};

}  // namespace

Factory find_kernel(const char* name) {
  for (const Entry& entry : kKernels) {
    if (strcmp(entry.name, name) == 0) return entry.factory;
  }
  return nullptr;
}

const char* kernel_names() {
  static const std::string names = [] {
    std::string joined;
    for (const Entry& entry : kKernels) joined.append(joined.empty() ? "" : " ").append(entry.name);
    return joined;
  }();
  return names.c_str();
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

}  // namespace tfpy
