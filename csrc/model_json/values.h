// The values of a JSON text; equal values are shared, except for rare ones.
#pragma once

#include <stdint.h>
#include <string.h>

#include <vector>

namespace tfpy {

enum class Kind : uint8_t { kNull, kTrue, kFalse, kInteger, kFloat, kText, kList, kObject };

// Number of a value.
using Id = uint32_t;
constexpr Id kNoId = UINT32_MAX;

struct Value {
  uint32_t hash;
  // Start of the characters in the text (strings and numbers), or of the members among all members.
  uint32_t at;
  // Number of characters, of items, or of keys and values together.
  uint32_t size;
  Kind kind;
  // True if the text contains the value more than once.
  bool recurs;
};

// Number of characters that are hashed, plus the last word of eight.
constexpr uint32_t kPrefix = 32;
constexpr uint32_t kPadding = kPrefix + 8;

inline uint64_t word_at(const char* letters) {
  uint64_t word;
  memcpy(&word, letters, sizeof word);
  return word;
}

// Returns the first `count` characters of a word; less than eight.
inline uint64_t first_of(uint64_t word, uint32_t count) {
  return word & ((uint64_t{1} << 8 * count) - 1);
}

inline uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

inline uint32_t hash_of(const char* letters, uint32_t size) {
  uint64_t hash = size;
  for (; size >= 8; size -= 8, letters += 8) hash = mixed(hash, word_at(letters));
  return static_cast<uint32_t>(mixed(hash, first_of(word_at(letters), size)));
}

inline bool are_equal(const char* a, const char* b, uint32_t size) {
  for (; size >= 8; size -= 8, a += 8, b += 8) {
    if (word_at(a) != word_at(b)) return false;
  }
  return first_of(word_at(a) ^ word_at(b), size) == 0;
}

class Values {
 public:
  // The characters must stay in place, followed by kPadding bytes.
  explicit Values(const char* letters, size_t size);

  const Value& operator[](Id id) const { return values_[id]; }
  size_t count() const { return values_.size(); }
  const char* letters(const Value& value) const { return letters_ + value.at; }
  const Id* members(const Value& value) const { return members_.data() + value.at; }

  // Returns a value that is one word.
  Id plain(Kind kind) { return found(kind, static_cast<uint32_t>(kind), 0, 0); }
  // Returns a string or a number.
  Id spelled(Kind kind, const char* start, uint32_t size) {
    return found(kind, hash_of(start, size), start - letters_, size);
  }
  // Marks a value as recurring.
  Id again(Id id) {
    values_[id].recurs = true;
    return id;
  }
  // Returns a list or object of the last values of a stack, and removes them from it.
  Id composed(Kind kind, std::vector<Id>* stack, size_t first);
  // Returns the string with these characters, after which a word can be read; kNoId if it does not
  // exist.
  Id text(const char* letters) const;

 private:
  Id found(Kind kind, uint32_t hash, uint32_t at, uint32_t size) {
    for (uint32_t i = 0; i < kMostPlaces; ++i) {
      Id& place = places_[(hash + i) & mask_];
      if (place == kNoId) {
        place = values_.size();
        break;
      }
      Value& known = values_[place];
      if (known.hash == hash && known.kind == kind && known.size == size &&
          are_same(kind, known.at, at, size)) {
        known.recurs = true;
        return place;
      }
    }
    return added({hash, at, size, kind, false});
  }
  bool are_same(Kind kind, uint32_t a, uint32_t b, uint32_t size) const {
    if (kind >= Kind::kList) {
      for (uint32_t i = 0; i < size; ++i) {
        if (members_[a + i] != members_[b + i]) return false;
      }
      return true;
    }
    return are_equal(letters_ + a, letters_ + b, size);
  }
  Id added(const Value& value);

  const char* letters_;
  std::vector<Value> values_;
  std::vector<Id> members_;
  // A hash table with open addressing, at most half full. A value without a free place near its
  // hash, as in a file with crafted hashes, is not stored and therefore not shared.
  static constexpr uint32_t kMostPlaces = 32;
  std::vector<Id> places_;
  uint32_t mask_;
};

}  // namespace tfpy
