// The C API that JavaScript calls.

#include <memory>

#include "json.h"
#include "marshal.h"

namespace {

std::vector<char> text;
std::unique_ptr<tfpy::Bytes> result;

}  // namespace

extern "C" {

// Returns the address for the text of a model.json of this size.
char* tfpy_text(uint32_t size) {
  text.assign(size + tfpy::kPadding, 0);
  return text.data();
}

// Converts the text to Python's marshal format. Returns the number of bytes, or 0 if Python must
// parse the text.
uint32_t tfpy_convert() {
  const size_t size = text.size() - tfpy::kPadding;
  tfpy::Values values(text.data(), size);
  const tfpy::Id root = tfpy::read_json(text.data(), size, &values);
  if (root == tfpy::kNoId) return 0;
  result = std::make_unique<tfpy::Bytes>(size);
  tfpy::write_model_json(values, root, result.get());
  return result->size();
}

// Returns the address of the converted bytes, valid until the next conversion.
const char* tfpy_result() { return result->data(); }
}
