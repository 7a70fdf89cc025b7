// Writes values in the format of Python's marshal module.
#pragma once

#include "values.h"

namespace tfpy {

// A growable buffer.
class Bytes {
 public:
  explicit Bytes(size_t room) : data_(new char[room]), at_(data_), end_(data_ + room) {}
  Bytes(const Bytes&) = delete;
  ~Bytes() { delete[] data_; }

  const char* data() const { return data_; }
  uint32_t size() const { return at_ - data_; }

  void put(char byte) { *room(1) = byte; }
  void put_word(uint32_t word) { memcpy(room(sizeof word), &word, sizeof word); }
  // Appends characters after which a word can be read.
  void put_letters(const char* letters, uint32_t count) {
    char* to = room(count + sizeof(uint64_t));
    for (uint32_t i = 0; i < count; i += sizeof(uint64_t))
      memcpy(to + i, letters + i, sizeof(uint64_t));
    at_ -= sizeof(uint64_t);
  }
  // Overwrites an existing word.
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
// The result equals that of Python's json module, except for two lists. They become tuples of
// columns if all their objects have the expected members:
//   modelTopology.node         names, ops, tuples of inputs, and the attributes as bytes in marshal
//                              format, shared if equal; then the names of constants without inputs,
//                              and their attributes
//   weightsManifest[].weights  names, tuples of sizes, dtypes
void write_model_json(const Values& values, Id root, Bytes* out);

}  // namespace tfpy
