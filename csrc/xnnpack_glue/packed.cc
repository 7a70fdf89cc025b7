#include "packed.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "error.h"

namespace tfpy {
namespace {

constexpr size_t kMaxEntries = 4;

// Which steps keep an operator of an id.
using Owners = std::unordered_multimap<int32_t, PackedOperators*>;

Owners& owners() {
  static Owners map;
  return map;
}

void add_owner(int32_t id, PackedOperators* owner) {
  if (id != 0) owners().emplace(id, owner);
}

void remove_owner(int32_t id, const PackedOperators* owner) {
  const auto range = owners().equal_range(id);
  const auto found = std::find_if(range.first, range.second,
                                  [owner](const auto& entry) { return entry.second == owner; });
  if (found != range.second) owners().erase(found);
}

void remove_owners(const PackedKey& key, const PackedOperators* owner) {
  remove_owner(key.filter, owner);
  remove_owner(key.bias, owner);
}

}  // namespace

bool check_status(xnn_status status, const char* call) {
  if (status == xnn_status_success) return true;
  return fail("XNNPACK: %s: %s", call,
              status == xnn_status_out_of_memory ? "out of memory" : "refused the parameters");
}

PackedOperators::PackedOperators() = default;

PackedOperators::~PackedOperators() {
  for (const Entry& entry : entries_) remove_owners(entry.key, this);
}

xnn_operator_t PackedOperators::find(const PackedKey& key) const {
  for (const Entry& entry : entries_) {
    if (entry.key == key) return entry.op.get();
  }
  return nullptr;
}

void PackedOperators::keep(const PackedKey& key, Operator op) {
  if (entries_.size() == kMaxEntries) {
    remove_owners(entries_.front().key, this);
    entries_.erase(entries_.begin());
  }
  entries_.push_back({key, std::move(op)});
  add_owner(key.filter, this);
  add_owner(key.bias, this);
}

void forget_packed(int32_t id) {
  for (auto found = owners().find(id); found != owners().end(); found = owners().find(id)) {
    PackedOperators* owner = found->second;
    auto& entries = owner->entries_;
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [id](const auto& each) { return each.key.has(id); });
    remove_owners(PackedKey(entry->key), owner);
    entries.erase(entry);
  }
}

}  // namespace tfpy
