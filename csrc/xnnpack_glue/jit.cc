#include "jit.h"

#include <emscripten/em_js.h>
#include <stdint.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

// Puts a module's function in the table of this thread, at `index` or, where that is 0, at its
// end. Returns the index, or 0 where the browser refuses.
// clang-format off
EM_JS_DEPS(tfpy_instantiate, "$wasmTable");
EM_JS(uint32_t, tfpy_instantiate, (const char* bytes, size_t size, uint32_t index), {
  try {
    // A copy: a module cannot be made from shared memory.
    const copy = new Uint8Array(wasmMemory.buffer, bytes >>> 0, size).slice();
    const instance = new WebAssembly.Instance(new WebAssembly.Module(copy), {m: {m: wasmMemory}});
    const place = index || wasmTable.grow(1);
    wasmTable.set(place, instance.exports.f);
    return place;
  } catch {
    return 0;
  }
});
// clang-format on

namespace tfpy {
namespace {

struct Entry {
  uint32_t serial = 0;  // of the module it was made from
  uint32_t index = 0;   // in this thread's table
  bool is_refused = false;
};

thread_local std::vector<Entry> entries;

std::vector<size_t> free_places;
size_t next_place = 0;
uint32_t next_serial = 1;

std::unordered_map<std::string, std::weak_ptr<GeneratedModule>>& known_modules() {
  static std::unordered_map<std::string, std::weak_ptr<GeneratedModule>> modules;
  return modules;
}

}  // namespace

GeneratedModule::GeneratedModule(std::string bytes)
    : bytes_(std::move(bytes)), serial_(next_serial++) {
  if (free_places.empty()) {
    place_ = next_place++;
  } else {
    place_ = free_places.back();
    free_places.pop_back();
  }
}

GeneratedModule::~GeneratedModule() {
  known_modules().erase(bytes_);
  free_places.push_back(place_);
}

GeneratedFunction GeneratedModule::function() const {
  if (entries.size() <= place_) entries.resize(place_ + 1);
  Entry& entry = entries[place_];
  if (entry.serial != serial_) {
    const uint32_t index = tfpy_instantiate(bytes_.data(), bytes_.size(), entry.index);
    entry.serial = serial_;
    entry.is_refused = index == 0;
    if (index != 0) entry.index = index;
  }
  return entry.is_refused ? nullptr : reinterpret_cast<GeneratedFunction>(entry.index);
}

bool GeneratedModule::is_made() const {
  return place_ < entries.size() && entries[place_].serial == serial_ &&
         !entries[place_].is_refused;
}

std::shared_ptr<GeneratedModule> generated_module(const std::string& bytes) {
  std::weak_ptr<GeneratedModule>& entry = known_modules()[bytes];
  std::shared_ptr<GeneratedModule> module = entry.lock();
  if (module == nullptr) entry = module = std::make_shared<GeneratedModule>(bytes);
  return module;
}

size_t generated_count() {
  const auto is_made = [](const auto& known) {
    const std::shared_ptr<GeneratedModule> module = known.second.lock();
    return module != nullptr && module->is_made();
  };
  return std::count_if(known_modules().begin(), known_modules().end(), is_made);
}

}  // namespace tfpy
