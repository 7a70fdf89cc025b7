// The kernel of a Program's step, and the table of kernels by name.
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

// A step, as passed to its kernel's factory.
struct StepSpec {
  Params params;
  std::vector<BufferSpec> inputs;
  BufferSpec output;

  // Fails unless there are this many inputs, and all inputs and the output are float32.
  void require_float(size_t input_count);
  // Fails unless there are this many inputs, all with the output's dtype.
  void require_same(size_t input_count);
  // Fails unless the buffer has this many elements.
  void require_count(const BufferSpec& buffer, uint64_t count, const char* name);
  // Fails unless the input is int8 and has this many elements. Other kernels do not read int8.
  void require_bytes(size_t input, uint64_t count, const char* name);
  // Returns true if all int8 inputs were required to be int8.
  bool reads_all_bytes() const;
  bool ok() const { return params.ok(); }

  size_t byte_inputs = 0;  // number of inputs that are read as int8
};

// An operand during a run. `id` identifies data that does not change while it exists (a slot or a
// constant), so that data derived from it may be kept; 0 identifies nothing.
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
  // Returns false, with an error, on failure.
  virtual bool run(const Operand* inputs, void* output) = 0;

  // Returns the bytes of scratch memory that run() needs, if nothing else can make it fail;
  // otherwise nothing.
  virtual std::optional<uint64_t> sole_need() const { return std::nullopt; }

  // Returns true if the output may coincide with that input.
  bool may_overwrite(size_t input) const {
    return input < overwrites_.size() && overwrites_[input];
  }
  void let_overwrite(std::vector<bool> inputs) { overwrites_ = std::move(inputs); }

 private:
  std::vector<bool> overwrites_;
};

// Checks a step; returns null, with an error, if it is not valid.
using Factory = std::unique_ptr<Kernel> (*)(StepSpec& step);

struct KernelEntry {
  const char* name;
  Factory factory;
};

// Returns null if the kernel does not exist.
const KernelEntry* find_kernel(const char* name);

// Creates a kernel from a body that is called as body(inputs, output) and returns nothing.
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
