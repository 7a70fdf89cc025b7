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

void remove_owner(int32_t id, const PackedOperators* owner) {
  const auto range = owners().equal_range(id);
  const auto found = std::find_if(range.first, range.second,
                                  [owner](const auto& entry) { return entry.second == owner; });
  if (found != range.second) owners().erase(found);
}

}  // namespace

bool check_status(xnn_status status, const char* call) {
  if (status == xnn_status_success) return true;
  return fail("XNNPACK: %s: %s", call,
              status == xnn_status_out_of_memory ? "out of memory" : "refused the parameters");
}

PackedOperators::PackedOperators() = default;

PackedOperators::~PackedOperators() {
  for (const Entry& entry : entries_) remove_owner(entry.id, this);
}

xnn_operator_t PackedOperators::find(int32_t id) const {
  for (const Entry& entry : entries_) {
    if (entry.id == id) return entry.op.get();
  }
  return nullptr;
}

void PackedOperators::keep(int32_t id, Operator op) {
  if (entries_.size() == kMaxEntries) {
    remove_owner(entries_.front().id, this);
    entries_.erase(entries_.begin());
  }
  entries_.push_back({id, std::move(op)});
  owners().emplace(id, this);
}

void forget_packed(int32_t id) {
  const auto range = owners().equal_range(id);
  for (auto at = range.first; at != range.second; ++at) {
    auto& entries = at->second->entries_;
    entries.erase(std::remove_if(entries.begin(), entries.end(),
                                 [id](const auto& entry) { return entry.id == id; }),
                  entries.end());
  }
  owners().erase(range.first, range.second);
}

}  // namespace tfpy
