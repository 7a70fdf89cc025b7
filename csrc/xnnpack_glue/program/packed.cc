#include "program/packed.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"

namespace tfpy {
namespace {

constexpr size_t kMaxEntries = 4;

constexpr uint64_t kMostKeptBytes = uint64_t{64} << 20;

uint64_t kept_bytes = 0;

// The steps that keep data derived from an id.
using Owners = std::unordered_multimap<int32_t, PackedKeys*>;

Owners& owners() {
  static Owners map;
  return map;
}

void add_owner(int32_t id, PackedKeys* owner) {
  if (id != 0) owners().emplace(id, owner);
}

void remove_owner(int32_t id, const PackedKeys* owner) {
  const auto range = owners().equal_range(id);
  const auto found = std::find_if(range.first, range.second,
                                  [owner](const auto& entry) { return entry.second == owner; });
  if (found != range.second) owners().erase(found);
}

void remove_owners(const PackedKey& key, const PackedKeys* owner) {
  remove_owner(key.filter, owner);
  remove_owner(key.bias, owner);
}

}  // namespace

bool check_status(xnn_status status, const char* call) {
  if (status == xnn_status_success) return true;
  return fail("XNNPACK: %s: %s", call,
              status == xnn_status_out_of_memory ? "out of memory" : "refused the parameters");
}

KeptBlock::KeptBlock(Block&& block) : block_(std::move(block)) { kept_bytes += block_.bytes(); }

KeptBlock::~KeptBlock() { kept_bytes -= block_.bytes(); }

bool can_keep_packed(uint64_t bytes) { return kept_bytes + bytes <= kMostKeptBytes; }

PackedKeys::~PackedKeys() {
  for (const PackedKey& key : keys_) remove_owners(key, this);
}

size_t PackedKeys::place_of(const PackedKey& key) const {
  return static_cast<size_t>(std::find(keys_.begin(), keys_.end(), key) - keys_.begin());
}

void PackedKeys::add(const PackedKey& key) {
  if (keys_.size() == kMaxEntries) remove(0);
  keys_.push_back(key);
  add_owner(key.filter, this);
  add_owner(key.bias, this);
}

void PackedKeys::remove(size_t place) {
  remove_owners(keys_[place], this);
  keys_.erase(keys_.begin() + static_cast<ptrdiff_t>(place));
  erase(place);
}

void forget_packed(int32_t id) {
  for (auto found = owners().find(id); found != owners().end(); found = owners().find(id)) {
    PackedKeys* owner = found->second;
    const auto key = std::find_if(owner->keys_.begin(), owner->keys_.end(),
                                  [id](const PackedKey& each) { return each.has(id); });
    owner->remove(static_cast<size_t>(key - owner->keys_.begin()));
  }
}

}  // namespace tfpy
