// XNNPACK operators whose filter and bias were packed when they were created, kept by their ids.
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

// What an operator was made of; 0 stands for no bias.
struct PackedKey {
  int32_t filter, bias;

  bool has(int32_t id) const { return filter == id || bias == id; }
  bool operator==(const PackedKey& other) const {
    return filter == other.filter && bias == other.bias;
  }
};

// The operators of one step. Few are kept, so that training, where each run brings a new filter,
// does not grow.
class PackedOperators {
 public:
  PackedOperators();
  ~PackedOperators();
  PackedOperators(const PackedOperators&) = delete;

  // Null when none is kept for the key.
  xnn_operator_t find(const PackedKey& key) const;
  // Keeps the operator; drops the oldest where there are too many.
  void keep(const PackedKey& key, Operator op);

 private:
  friend void forget_packed(int32_t id);
  struct Entry {
    PackedKey key;
    Operator op;
  };
  std::vector<Entry> entries_;
};

// The slot is gone: drops the operators that were made of it.
void forget_packed(int32_t id);

}  // namespace tfpy
