// Checked reading of the JSON of a step. Programs are untrusted: every number has a range, and
// every text is one of a list.
#pragma once

#include <rapidjson/document.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <initializer_list>
#include <vector>

namespace tfpy {

// Numbers that become dimensions: their products are computed in 64 bits and checked.
constexpr int32_t kMaxNumber = INT32_MAX;

// A text that a parameter may be, and what it stands for.
template <class Value>
struct Choice {
  const char* text;
  Value value;
};

// Reads a step's params. The first fault is kept (ok() is false, the error's text is set) and the
// readings after it give harmless values.
class Params {
 public:
  explicit Params(const rapidjson::Value& object) : object_(object) {}

  int32_t number(const char* name, int32_t min = 0, int32_t max = kMaxNumber);
  // A list of exactly `length` numbers.
  std::vector<int32_t> numbers(const char* name, size_t length, int32_t min, int32_t max);
  // A list of any length.
  std::vector<int32_t> numbers(const char* name, int32_t min, int32_t max);
  // A float32 that is given as the int32 of the same bits.
  float real(const char* name);
  // "false" or "true".
  bool flag(const char* name);
  // What stands beside the text in `choices`.
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
  // A list, or null.
  const rapidjson::Value* list(const char* name);

  // Fails unless the condition holds.
  void require(bool condition, const char* what);
  bool ok() const { return ok_; }

 private:
  const rapidjson::Value* member(const char* name);
  // Empty where there is no text.
  const char* text(const char* name);
  // The parameter's text is no choice.
  void refuse(const char* name);
  bool read(const rapidjson::Value& value, const char* name, int32_t min, int32_t max,
            int32_t* out);

  const rapidjson::Value& object_;
  bool ok_ = true;
};

// Puts the number of a JSON value of range min..max in *out.
bool read_number(const rapidjson::Value& value, const char* name, int32_t min, int32_t max,
                 int32_t* out);

}  // namespace tfpy
