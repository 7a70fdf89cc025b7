// What steps derive from slots that stay the same (packed filters), kept by the slots' ids.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <xnnpack.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/memory.h"

namespace tfpy {

struct OperatorDeleter {
  void operator()(xnn_operator_t op) const { xnn_delete_operator(op); }
};
using Operator = std::unique_ptr<xnn_operator, OperatorDeleter>;

// False, with an error's text that names the call, unless the status is success.
bool check_status(xnn_status status, const char* call);

// What something was made of; 0 stands for no bias.
struct PackedKey {
  int32_t filter, bias;

  bool has(int32_t id) const { return filter == id || bias == id; }
  bool operator==(const PackedKey& other) const {
    return filter == other.filter && bias == other.bias;
  }
};

// The keys of one step's cache, by place.
class PackedKeys {
 public:
  virtual ~PackedKeys();

 protected:
  PackedKeys() = default;
  PackedKeys(const PackedKeys&) = delete;
  // The place of the key, or the number of keys.
  size_t place_of(const PackedKey& key) const;
  // Adds the key behind the others. Few are kept, so that training, where each run brings a new
  // filter, does not grow: where there are too many, erase() removes the first.
  void add(const PackedKey& key);
  size_t count() const { return keys_.size(); }
  // Drops what is kept at the place.
  virtual void erase(size_t place) = 0;

 private:
  friend void forget_packed(int32_t id);
  void remove(size_t place);

  std::vector<PackedKey> keys_;
};

// What one step keeps.
template <class T>
class PackedCache final : public PackedKeys {
 public:
  // Null when nothing is kept for the key.
  T* find(const PackedKey& key) {
    const size_t place = place_of(key);
    return place < count() ? &values_[place] : nullptr;
  }
  T* keep(const PackedKey& key, T&& value) {
    add(key);
    values_.push_back(std::move(value));
    return &values_.back();
  }

 private:
  void erase(size_t place) override {
    values_.erase(values_.begin() + static_cast<ptrdiff_t>(place));
  }

  std::vector<T> values_;
};

// A step's packed matrices, kept as long as the slots that they are made of.
class PackedBlocks {
 public:
  // Null when the heap is full. Unless it is kept, calls pack(block); keeps it if the id is not 0.
  template <class Pack>
  const Block* of(int32_t id, uint64_t bytes, const Pack& pack) {
    if (const Block* kept = id != 0 ? packed_.find({id, 0}) : nullptr) return kept;
    Block made;
    if (!Block::allocate(bytes, &made)) return nullptr;
    pack(made);
    if (id != 0) return packed_.keep({id, 0}, std::move(made));
    fresh_ = std::move(made);
    return &fresh_;
  }
  bool has(int32_t id) { return packed_.find({id, 0}) != nullptr; }

 private:
  PackedCache<Block> packed_;
  Block fresh_;  // what is not kept
};

// The slot is gone: drops what was made of it.
void forget_packed(int32_t id);

}  // namespace tfpy
