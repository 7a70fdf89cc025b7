// XNNPACK operators whose filter was packed when they were created, kept by the filter's id.
#pragma once

#include <stdint.h>
#include <xnnpack.h>

#include <memory>
#include <vector>

namespace tfpy {

struct OperatorDeleter {
  void operator()(xnn_operator_t op) const { xnn_delete_operator(op); }
};
using Operator = std::unique_ptr<xnn_operator, OperatorDeleter>;

// False, with an error's text that names the call, unless the status is success.
bool check_status(xnn_status status, const char* call);

// The operators of one step. Few are kept, so that training, where each run brings a new filter,
// does not grow.
class PackedOperators {
 public:
  PackedOperators();
  ~PackedOperators();
  PackedOperators(const PackedOperators&) = delete;

  // Null when none is kept for the id.
  xnn_operator_t find(int32_t id) const;
  // Keeps the operator; drops the oldest where there are too many.
  void keep(int32_t id, Operator op);

 private:
  friend void forget_packed(int32_t id);
  struct Entry {
    int32_t id;
    Operator op;
  };
  std::vector<Entry> entries_;
};

// The slot is gone: drops the operators that were made of it.
void forget_packed(int32_t id);

}  // namespace tfpy
