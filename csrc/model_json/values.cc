#include "values.h"

namespace tfpy {

namespace {

constexpr uint32_t kFirstPlaces = 4096;

}  // namespace

Values::Values(const char* letters, size_t size)
    : letters_(letters), places_(kFirstPlaces, kNoId), mask_(kFirstPlaces - 1) {
  values_.reserve(size / 32);
  members_.reserve(size / 16);
}

Id Values::composed(Kind kind, std::vector<Id>* stack, size_t first) {
  const uint32_t at = members_.size();
  uint64_t hash = static_cast<uint64_t>(kind);
  for (size_t i = first; i < stack->size(); ++i) {
    hash = mixed(hash, (*stack)[i]);
    members_.push_back((*stack)[i]);
  }
  const size_t known = values_.size();
  const Id id = found(kind, static_cast<uint32_t>(hash), at, stack->size() - first);
  if (values_.size() == known) members_.resize(at);
  stack->resize(first);
  return id;
}

Id Values::text(const char* letters) const {
  const uint32_t size = strlen(letters), hash = hash_of(letters, size);
  for (uint32_t i = 0; i < kMostPlaces; ++i) {
    const Id id = places_[(hash + i) & mask_];
    if (id == kNoId) break;
    const Value& value = values_[id];
    if (value.kind == Kind::kText && value.size == size &&
        are_equal(letters_ + value.at, letters, size)) {
      return id;
    }
  }
  return kNoId;
}

Id Values::added(const Value& value) {
  const Id id = values_.size();
  values_.push_back(value);
  if (values_.size() * 2 <= places_.size()) return id;
  places_.assign(places_.size() * 4, kNoId);
  mask_ = places_.size() - 1;
  for (Id each = 0; each < values_.size(); ++each) {
    for (uint32_t i = 0; i < kMostPlaces; ++i) {
      Id& place = places_[(values_[each].hash + i) & mask_];
      if (place == kNoId) {
        place = each;
        break;
      }
    }
  }
  return id;
}

}  // namespace tfpy
