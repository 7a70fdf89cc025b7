// What JavaScript calls.

#include <memory>

#include "json.h"
#include "marshal.h"

namespace {

std::vector<char> text;
std::unique_ptr<tfpy::Bytes> result;

}  // namespace

extern "C" {

// Where a model.json of so many bytes is to be put.
char* tfpy_text(uint32_t size) {
  text.assign(size + tfpy::kPadding, 0);
  return text.data();
}

// Makes data of Python's marshal of it; how many bytes, or 0 for what Python's json should look at.
uint32_t tfpy_convert() {
  const size_t size = text.size() - tfpy::kPadding;
  tfpy::Values values(text.data(), size);
  const tfpy::Id root = tfpy::read_json(text.data(), size, &values);
  if (root == tfpy::kNoId) return 0;
  result = std::make_unique<tfpy::Bytes>(size);
  tfpy::write_model_json(values, root, result.get());
  return result->size();
}

// Where these bytes are, until the next are made.
const char* tfpy_result() { return result->data(); }
}
