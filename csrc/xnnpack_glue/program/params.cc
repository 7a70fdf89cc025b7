#include "program/params.h"

#include <string.h>

#include "base/error.h"

namespace tfpy {

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

const char* Params::text(const char* name) {
  const rapidjson::Value* value = member(name);
  return value != nullptr && value->IsString() ? value->GetString() : "";
}

void Params::refuse(const char* name) {
  if (ok_) ok_ = fail("the parameter %s does not have one of its values", name);
}

float Params::real(const char* name) {
  const int32_t bits = number(name, INT32_MIN);
  float result = 0;
  memcpy(&result, &bits, sizeof result);
  return result;
}

bool Params::flag(const char* name) {
  return choice<bool>(name, {{"false", false}, {"true", true}});
}

void Params::require(bool condition, const char* what) {
  if (ok_ && !condition) ok_ = fail("%s", what);
}

}  // namespace tfpy
