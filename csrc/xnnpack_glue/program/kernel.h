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

struct KernelEntry {
  const char* name;
  Factory factory;
};

// Null when there is no such kernel.
const KernelEntry* find_kernel(const char* name);

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

#define KERNEL(name) std::unique_ptr<Kernel> make_##name(StepSpec& step);
#include "program/kernels.def"
#undef KERNEL

}  // namespace tfpy
