#include "elementwise/jit.h"

#include <emscripten/em_js.h>
#include <stdint.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

// Puts a module's function in the table of this thread, at `index`, or at its end if the index is
// 0. Returns the index, or 0 if the browser rejects the module.
// clang-format off
EM_JS_DEPS(tfpy_instantiate, "$wasmTable");
EM_JS(uint32_t, tfpy_instantiate, (const char* bytes, size_t size, uint32_t index), {
  try {
    // A copy, because a module cannot be compiled from shared memory.
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
  uint32_t serial = 0;  // serial number of its module
  uint32_t index = 0;   // index in this thread's table
  bool is_refused = false;
};

thread_local std::vector<Entry> entries;

std::vector<size_t> free_places;
size_t next_place = 0;
uint32_t next_serial = 1;
std::atomic<uint32_t> refused{0};

// Modules in use.
std::vector<std::weak_ptr<GeneratedModule>>& modules() {
  static std::vector<std::weak_ptr<GeneratedModule>> list;
  return list;
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
  const auto is_gone = [](const auto& module) { return module.expired(); };
  modules().erase(std::remove_if(modules().begin(), modules().end(), is_gone), modules().end());
  free_places.push_back(place_);
}

GeneratedFunction GeneratedModule::function() const {
  if (entries.size() <= place_) entries.resize(place_ + 1);
  Entry& entry = entries[place_];
  if (entry.serial != serial_) {
    const uint32_t index = tfpy_instantiate(bytes_.data(), bytes_.size(), entry.index);
    entry.serial = serial_;
    entry.is_refused = index == 0;
    if (entry.is_refused) {
      ++refused;
    } else {
      entry.index = index;
    }
  }
  return entry.is_refused ? nullptr : reinterpret_cast<GeneratedFunction>(entry.index);
}

std::shared_ptr<GeneratedModule> generated_module(std::string&& bytes) {
  for (const auto& known : modules()) {
    std::shared_ptr<GeneratedModule> module = known.lock();
    if (module != nullptr && module->bytes() == bytes) return module;
  }
  auto module = std::make_shared<GeneratedModule>(std::move(bytes));
  modules().push_back(module);
  return module;
}

size_t generated_count() { return modules().size(); }

uint32_t refused_count() { return refused; }

}  // namespace tfpy
