// Values as Python's marshal reads them.
#pragma once

#include "values.h"

namespace tfpy {

// A buffer that grows.
class Bytes {
 public:
  explicit Bytes(size_t room) : data_(new char[room]), at_(data_), end_(data_ + room) {}
  Bytes(const Bytes&) = delete;
  ~Bytes() { delete[] data_; }

  const char* data() const { return data_; }
  uint32_t size() const { return at_ - data_; }

  void put(char byte) { *room(1) = byte; }
  void put_word(uint32_t word) { memcpy(room(sizeof word), &word, sizeof word); }
  // Letters behind which a word can be read.
  void put_letters(const char* letters, uint32_t count) {
    char* to = room(count + sizeof(uint64_t));
    for (uint32_t i = 0; i < count; i += sizeof(uint64_t))
      memcpy(to + i, letters + i, sizeof(uint64_t));
    at_ -= sizeof(uint64_t);
  }
  // Writes over a word that is there.
  void set_word(uint32_t at, uint32_t word) { memcpy(data_ + at, &word, sizeof word); }

 private:
  char* room(size_t count) {
    if (static_cast<size_t>(end_ - at_) < count) grow(count);
    char* found = at_;
    at_ += count;
    return found;
  }
  void grow(size_t count);

  char* data_;
  char* at_;
  char* end_;
};

// Writes a model.json.
//
// It is what Python's json makes of it, but for two lists, which are tuples of columns when all
// their objects are as they should be:
//   modelTopology.node         names, ops, tuples of inputs, and the attributes as bytes, which are
//                              data of marshal; equal ones are one object. Then the names of
//                              constants that take nothing, and their attributes
//   weightsManifest[].weights  names, tuples of sizes, dtypes
void write_model_json(const Values& values, Id root, Bytes* out);

}  // namespace tfpy
