#include "program/params.h"

#include <string.h>

#include "base/error.h"

namespace tfpy {

uint64_t product(std::initializer_list<uint64_t> factors) {
  uint64_t result = 1;
  bool overflow = false;
  for (const uint64_t factor : factors) {
    if (factor == 0) return 0;
    overflow |= __builtin_mul_overflow(result, factor, &result);
  }
  return overflow ? UINT64_MAX : result;
}

bool read_number(const rapidjson::Value& value, const char* name, int32_t min, int32_t max,
                 int32_t* out) {
  if (!value.IsInt() || value.GetInt() < min || value.GetInt() > max) {
    return fail("%s is not an integer of %d..%d", name, min, max);
  }
  *out = value.GetInt();
  return true;
}

const rapidjson::Value* Params::member(const char* name) {
  if (!ok_) return nullptr;
  const auto found = object_.FindMember(name);
  if (found == object_.MemberEnd()) {
    ok_ = fail("the parameter %s is missing", name);
    return nullptr;
  }
  return &found->value;
}

bool Params::has(const char* name) const { return object_.HasMember(name); }

int32_t Params::number(const char* name, int32_t min, int32_t max) {
  int32_t result = min;
  const rapidjson::Value* value = member(name);
  if (value != nullptr) ok_ = read_number(*value, name, min, max, &result);
  return result;
}

const rapidjson::Value* Params::list(const char* name) {
  const rapidjson::Value* value = member(name);
  if (value == nullptr || value->IsArray()) return value;
  ok_ = fail("the parameter %s is not a list", name);
  return nullptr;
}

std::vector<int32_t> Params::numbers(const char* name, int32_t min, int32_t max) {
  const rapidjson::Value* values = list(name);
  if (values == nullptr) return {};
  std::vector<int32_t> result(values->Size(), min);
  for (rapidjson::SizeType i = 0; ok_ && i < values->Size(); ++i) {
    ok_ = read_number((*values)[i], name, min, max, &result[i]);
  }
  return result;
}

std::vector<int32_t> Params::numbers(const char* name, size_t length, int32_t min, int32_t max) {
  std::vector<int32_t> result = numbers(name, min, max);
  if (ok_ && result.size() != length)
    ok_ = fail("%s has %zu numbers, not %zu", name, result.size(), length);
  result.resize(length, min);
  return result;
}

int Params::choice(const char* name, std::initializer_list<const char*> choices) {
  const rapidjson::Value* value = member(name);
  if (value == nullptr) return 0;
  if (value->IsString()) {
    int place = 0;
    for (const char* choice : choices) {
      if (strcmp(value->GetString(), choice) == 0) return place;
      ++place;
    }
  }
  ok_ = fail("the parameter %s has none of its values", name);
  return 0;
}

float Params::real(const char* name) {
  const int32_t bits = number(name, INT32_MIN);
  float result = 0;
  memcpy(&result, &bits, sizeof result);
  return result;
}

bool Params::flag(const char* name) { return choice(name, {"false", "true"}) == 1; }

void Params::require(bool condition, const char* what) {
  if (ok_ && !condition) ok_ = fail("%s", what);
}

}  // namespace tfpy
