// Data that steps derive from slots that do not change (packed filters), kept by the slots' ids.
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

// Returns false, with an error that names the call, unless the status is success.
bool check_status(xnn_status status, const char* call);

// The slots from which data was derived; 0 stands for no bias.
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
  // Returns the place of the key, or the number of keys.
  size_t place_of(const PackedKey& key) const;
  // Appends the key. Only a few keys are kept, so that training, where each run has a new filter,
  // does not grow the cache: if there are too many, erase() removes the first.
  void add(const PackedKey& key);
  size_t count() const { return keys_.size(); }
  // Removes the data at the place.
  virtual void erase(size_t place) = 0;

 private:
  friend void forget_packed(int32_t id);
  void remove(size_t place);

  std::vector<PackedKey> keys_;
};

// The cache of one step.
template <class T>
class PackedCache final : public PackedKeys {
 public:
  // Returns null if nothing is kept for the key.
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

// A packed matrix, which counts as long as it exists.
class KeptBlock {
 public:
  explicit KeptBlock(Block&& block);
  KeptBlock(KeptBlock&& other) = default;
  KeptBlock& operator=(KeptBlock&& other) = default;
  ~KeptBlock();
  const Block& block() const { return block_; }

 private:
  Block block_;
};

// Returns true if one more matrix of this size can be kept in addition to the original. Packed
// copies of large models would double the memory.
bool can_keep_packed(uint64_t bytes);

// A step's packed matrices, kept as long as the slots from which they were packed.
class PackedBlocks {
 public:
  // Returns the packed block; calls pack(block) unless it is kept, and keeps it if the id is not 0.
  // Returns null if the heap is full.
  template <class Pack>
  const Block* of(int32_t id, uint64_t bytes, const Pack& pack) {
    if (const KeptBlock* kept = id != 0 ? packed_.find({id, 0}) : nullptr) return &kept->block();
    Block made;
    if (!Block::allocate(bytes, &made)) return nullptr;
    pack(made);
    if (id != 0) return &packed_.keep({id, 0}, KeptBlock(std::move(made)))->block();
    fresh_ = std::move(made);
    return &fresh_;
  }
  bool has(int32_t id) { return packed_.find({id, 0}) != nullptr; }

 private:
  PackedCache<KeptBlock> packed_;
  Block fresh_;  // a block that is not kept
};

// Removes the data that was derived from a slot, which no longer exists.
void forget_packed(int32_t id);

}  // namespace tfpy
