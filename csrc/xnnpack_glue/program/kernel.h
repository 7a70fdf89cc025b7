// What a Program's step runs, and the table of kernels by name.
#pragma once

#include <stdint.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "program/params.h"

namespace tfpy {

struct BufferSpec {
  DType dtype;
  size_t count;
};

// At most INT32_MAX in a Program.
inline size_t bytes_of(const BufferSpec& buffer) {
  return buffer.count * element_size(buffer.dtype);
}

// A step as its kernel's factory sees it.
struct StepSpec {
  Params params;
  std::vector<BufferSpec> inputs;
  BufferSpec output;

  // Fails unless there are so many inputs, all float32 as the output is.
  void require_float(size_t input_count);
  // Fails unless there are so many inputs, all of the output's dtype.
  void require_same(size_t input_count);
  // Fails unless the buffer has so many elements.
  void require_count(const BufferSpec& buffer, uint64_t count, const char* name);
  bool ok() const { return params.ok(); }
};

// An operand while a Program runs. `id` names data that stays the same as long as it exists (a
// slot or a constant), so that something derived from it may be kept; 0 names nothing.
struct Operand {
  const void* data;
  int32_t id;

  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
};

// A prepared step. Its output has at least one element.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // False, with the error's text, when it fails.
  virtual bool run(const Operand* inputs, void* output) = 0;

  // The bytes of scratch that run() needs, where nothing else can make it fail; else nothing.
  virtual std::optional<uint64_t> sole_need() const { return std::nullopt; }

  // Whether the output may lie exactly on that input.
  bool may_overwrite(size_t input) const {
    return input < overwrites_.size() && overwrites_[input];
  }
  void let_overwrite(std::vector<bool> inputs) { overwrites_ = std::move(inputs); }

 private:
  std::vector<bool> overwrites_;
};

// Checks a step; null, with the error's text, when something is wrong with it.
using Factory = std::unique_ptr<Kernel> (*)(StepSpec& step);

// Null when there is no such kernel.
Factory find_kernel(const char* name);

// The names of all kernels, separated by spaces.
const char* kernel_names();

// Makes a kernel from a body that is called as body(inputs, output) and returns nothing.
template <class Body>
std::unique_ptr<Kernel> make_kernel(Body body) {
  class Simple final : public Kernel {
   public:
    explicit Simple(Body body) : body_(std::move(body)) {}
    bool run(const Operand* inputs, void* output) override {
      if constexpr (std::is_void_v<decltype(body_(inputs, output))>) {
        body_(inputs, output);
        return true;
      } else {
        return body_(inputs, output);
      }
    }

   private:
    Body body_;
  };
  return std::make_unique<Simple>(std::move(body));
}

// The factories, by family.
std::unique_ptr<Kernel> make_elementwise(StepSpec& step);
std::unique_ptr<Kernel> make_strided(StepSpec& step);
std::unique_ptr<Kernel> make_pad(StepSpec& step);
std::unique_ptr<Kernel> make_concat(StepSpec& step);
std::unique_ptr<Kernel> make_gather(StepSpec& step);
std::unique_ptr<Kernel> make_segment_sum(StepSpec& step);
std::unique_ptr<Kernel> make_reduce(StepSpec& step);
std::unique_ptr<Kernel> make_arg_reduce(StepSpec& step);
std::unique_ptr<Kernel> make_scan(StepSpec& step);
std::unique_ptr<Kernel> make_scatter(StepSpec& step);
std::unique_ptr<Kernel> make_ravel_index(StepSpec& step);
std::unique_ptr<Kernel> make_argsort(StepSpec& step);
std::unique_ptr<Kernel> make_searchsorted(StepSpec& step);
std::unique_ptr<Kernel> make_non_max_suppression(StepSpec& step);
std::unique_ptr<Kernel> make_dft(StepSpec& step);
std::unique_ptr<Kernel> make_matmul(StepSpec& step);
std::unique_ptr<Kernel> make_quantized_matmul(StepSpec& step);
std::unique_ptr<Kernel> make_quantized_conv2d(StepSpec& step);
std::unique_ptr<Kernel> make_conv2d(StepSpec& step);
std::unique_ptr<Kernel> make_conv2d_backprop_input(StepSpec& step);
std::unique_ptr<Kernel> make_conv2d_backprop_filter(StepSpec& step);
std::unique_ptr<Kernel> make_conv3d(StepSpec& step);
std::unique_ptr<Kernel> make_conv3d_backprop_input(StepSpec& step);
std::unique_ptr<Kernel> make_conv3d_backprop_filter(StepSpec& step);
std::unique_ptr<Kernel> make_depthwise_conv2d(StepSpec& step);
std::unique_ptr<Kernel> make_depthwise_conv2d_backprop_input(StepSpec& step);
std::unique_ptr<Kernel> make_depthwise_conv2d_backprop_filter(StepSpec& step);
std::unique_ptr<Kernel> make_pool(StepSpec& step);
std::unique_ptr<Kernel> make_max_pool_grad(StepSpec& step);
std::unique_ptr<Kernel> make_max_pool_grad_grad(StepSpec& step);
std::unique_ptr<Kernel> make_avg_pool_grad(StepSpec& step);
std::unique_ptr<Kernel> make_overlap_add(StepSpec& step);
std::unique_ptr<Kernel> make_resample(StepSpec& step);
std::unique_ptr<Kernel> make_softmax(StepSpec& step);
std::unique_ptr<Kernel> make_log_softmax(StepSpec& step);
std::unique_ptr<Kernel> make_layer_norm(StepSpec& step);
std::unique_ptr<Kernel> make_attention(StepSpec& step);

}  // namespace tfpy
