// Checked reading of a step's JSON. Programs are untrusted: every number has a range, and every
// string is one of a list.
#pragma once

#include <rapidjson/document.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <initializer_list>
#include <vector>

namespace tfpy {

// Limit of numbers that become dimensions; their products are computed in 64 bits and checked.
constexpr int32_t kMaxNumber = INT32_MAX;

// A string that a parameter may have, and its value.
template <class Value>
struct Choice {
  const char* text;
  Value value;
};

// Reads a step's params. The first error is kept (ok() is false, and the message is set), and later
// readings return harmless values.
class Params {
 public:
  explicit Params(const rapidjson::Value& object) : object_(object) {}

  int32_t number(const char* name, int32_t min = 0, int32_t max = kMaxNumber);
  // Reads a list of exactly `length` numbers.
  std::vector<int32_t> numbers(const char* name, size_t length, int32_t min, int32_t max);
  // Reads a list of any length.
  std::vector<int32_t> numbers(const char* name, int32_t min, int32_t max);
  // Reads a float32 that is given as the int32 with the same bits.
  float real(const char* name);
  // Reads "false" or "true".
  bool flag(const char* name);
  // Returns the value of the string in `choices`.
  template <class Value>
  Value choice(const char* name, std::initializer_list<Choice<Value>> choices) {
    const char* chosen = text(name);
    for (const Choice<Value>& each : choices) {
      if (strcmp(each.text, chosen) == 0) return each.value;
    }
    refuse(name);
    return choices.begin()->value;
  }
  bool has(const char* name) const;
  // Returns a list, or null.
  const rapidjson::Value* list(const char* name);

  // Fails unless the condition holds.
  void require(bool condition, const char* what);
  bool ok() const { return ok_; }

 private:
  const rapidjson::Value* member(const char* name);
  // Returns an empty string if the parameter is not a string.
  const char* text(const char* name);
  // Reports that the parameter's string is not a choice.
  void refuse(const char* name);
  bool read(const rapidjson::Value& value, const char* name, int32_t min, int32_t max,
            int32_t* out);

  const rapidjson::Value& object_;
  bool ok_ = true;
};

// Stores a JSON number in the range min..max in *out.
bool read_number(const rapidjson::Value& value, const char* name, int32_t min, int32_t max,
                 int32_t* out);

}  // namespace tfpy
