#include "program/program.h"

#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "program/arena.h"
#include "program/program_reader.h"

namespace tfpy::programs {
namespace {

int32_t next_id = 1;

std::unordered_map<int32_t, Program>& table() {
  static std::unordered_map<int32_t, Program> programs;
  return programs;
}

}  // namespace

int32_t add(const char* text, size_t length, Slot&& constants) {
  Program program;
  program.constants = std::move(constants.block);
  if (!read_program(text, length, &program)) return -1;
  table().emplace(next_id, std::move(program));
  return next_id++;
}

Program* find(int32_t id) {
  const auto found = table().find(id);
  if (found == table().end()) {
    fail("there is no program %d", id);
    return nullptr;
  }
  return &found->second;
}

bool remove(int32_t id) {
  if (table().erase(id) == 0) return fail("there is no program %d", id);
  if (table().empty()) release_shared_memory();
  return true;
}

size_t count() { return table().size(); }

}  // namespace tfpy::programs
