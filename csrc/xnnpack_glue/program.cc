#include "program.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "error.h"
#include "program_reader.h"

namespace tfpy::programs {
namespace {

int32_t next_id = 1;

std::unordered_map<int32_t, Program>& table() {
  static std::unordered_map<int32_t, Program> programs;
  return programs;
}

bool bind_inputs(Program& program, const int32_t* ids, size_t count) {
  if (count != program.inputs.size())
    return fail("the program takes %zu inputs, not %zu", program.inputs.size(), count);
  for (size_t i = 0; i < count; ++i) {
    const Slot* slot = slots::find(ids[i]);
    if (slot == nullptr) return false;
    const BufferSpec& spec = program.buffers[program.inputs[i]];
    if (slot->count != spec.count || slot->dtype != spec.dtype) {
      return fail("input %zu is %s of %zu elements; the program takes %s of %zu", i,
                  dtype_name(slot->dtype), slot->count, dtype_name(spec.dtype), spec.count);
    }
    program.operands[program.inputs[i]] = {slot->block.data(), ids[i]};
  }
  return true;
}

bool bind_temporaries(Program& program) {
  if (program.arena.places.empty()) return true;
  const char* base = arena_of(program.arena.bytes);
  if (base == nullptr) return false;
  if (base != program.arena_base) {
    for (const ArenaPlan::Place& place : program.arena.places)
      program.operands[place.buffer] = {base + place.offset, 0};
    program.arena_base = base;
  }
  return true;
}

bool bind_outputs(Program& program, std::vector<Slot>* results) {
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const BufferSpec& spec = program.buffers[program.outputs[i]];
    Slot& result = (*results)[i];
    result.count = spec.count;
    result.dtype = spec.dtype;
    if (!Block::allocate(bytes_of(spec), &result.block)) return false;
    program.operands[program.outputs[i]] = {result.block.data(), 0};
  }
  return true;
}

bool run_steps(Program& program) {
  Operand* const arguments = program.arguments.data();
  for (const Step& step : program.steps) {
    if (step.is_empty) continue;
    const int32_t* inputs = program.step_inputs.data() + step.first_input;
    for (size_t i = 0; i < step.input_count; ++i) arguments[i] = program.operands[inputs[i]];
    void* output = const_cast<void*>(program.operands[step.output].data);
    if (!step.kernel->run(arguments, output)) return false;
  }
  return true;
}

}  // namespace

int32_t add(const char* text, size_t length, Slot&& constants) {
  Program program;
  program.constants = std::move(constants.block);
  if (!read_program(text, length, &program)) return -1;
  table().emplace(next_id, std::move(program));
  return next_id++;
}

int32_t run(int32_t id, const int32_t* inputs, size_t count) {
  const auto found = table().find(id);
  if (found == table().end()) {
    fail("there is no program %d", id);
    return -1;
  }
  Program& program = found->second;
  std::vector<Slot> results(program.outputs.size());
  if (!bind_inputs(program, inputs, count) || !bind_temporaries(program) ||
      !bind_outputs(program, &results) || !run_steps(program)) {
    return -1;
  }
  const int32_t first = slots::reserve(static_cast<int32_t>(results.size()));
  for (size_t i = 0; i < results.size(); ++i)
    slots::put(first + static_cast<int32_t>(i), std::move(results[i]));
  return first;
}

bool remove(int32_t id) {
  if (table().erase(id) == 0) return fail("there is no program %d", id);
  if (table().empty()) release_shared_memory();
  return true;
}

void clear() {
  table().clear();
  release_shared_memory();
}

size_t count() { return table().size(); }

}  // namespace tfpy::programs
