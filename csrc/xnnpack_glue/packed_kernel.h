// A step whose XNNPACK operator packs a filter and a bias when it is created.
#pragma once

#include <utility>

#include "epilogue.h"
#include "kernel.h"
#include "packed.h"
#include "parallel.h"

namespace tfpy {

// The filter is input number 1, the bias input number 2. The operator is kept as long as both are
// slots that stay.
class PackedKernel : public Kernel {
 public:
  explicit PackedKernel(const Epilogue& epilogue = {}) : epilogue_(epilogue) {}

  bool run(const Operand* inputs, void* output) override {
    const PackedKey key{inputs[1].id, epilogue_.has_bias ? inputs[2].id : 0};
    const bool is_lasting = key.filter != 0 && (key.bias != 0 || !epilogue_.has_bias);
    const Operator* kept = is_lasting ? packed_.find(key) : nullptr;
    Operator fresh;
    if (kept == nullptr) {
      if (!create(inputs[1].as<float>(), bias_of(epilogue_, inputs), &fresh)) return false;
      kept = is_lasting ? packed_.keep(key, std::move(fresh)) : &fresh;
    }
    return setup(kept->get(), inputs[0].as<float>(), static_cast<float*>(output)) &&
           check_status(xnn_run_operator(kept->get(), thread_pool()), "run");
  }

 protected:
  // Makes an operator for the step's shapes; bias may be null.
  virtual bool create(const float* filter, const float* bias, Operator* op) = 0;
  virtual bool setup(xnn_operator_t op, const float* input, float* output) = 0;

  const Epilogue epilogue_;

 private:
  PackedCache<Operator> packed_;
};

}  // namespace tfpy
