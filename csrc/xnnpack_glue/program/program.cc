#include "program/program.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "program/arena.h"
#include "program/packed.h"
#include "program/program_reader.h"
#include "program/step_times.h"

namespace tfpy::programs {
namespace {

int32_t next_id = 1;

std::unordered_map<int32_t, Program>& table() {
  static std::unordered_map<int32_t, Program> programs;
  return programs;
}

// How a slot crosses: with a minus sign where it is donated.
int32_t id_of(int32_t crossed) {
  return crossed < 0 ? static_cast<int32_t>(-static_cast<uint32_t>(crossed)) : crossed;
}

// A donated slot is one input only.
bool check_donated(const int32_t* ids, size_t count) {
  if (std::none_of(ids, ids + count, [](int32_t id) { return id < 0; })) return true;
  std::vector<int32_t> sorted(ids, ids + count);
  std::sort(sorted.begin(), sorted.end(), [](int32_t a, int32_t b) { return id_of(a) < id_of(b); });
  for (size_t i = 1; i < count; ++i) {
    if (id_of(sorted[i - 1]) == id_of(sorted[i]) && (sorted[i - 1] < 0 || sorted[i] < 0))
      return fail("slot %d is donated and used elsewhere", id_of(sorted[i]));
  }
  return true;
}

bool bind_inputs(Program& program, const int32_t* ids, size_t count) {
  if (count != program.inputs.size())
    return fail("the program takes %zu inputs, not %zu", program.inputs.size(), count);
  for (size_t i = 0; i < count; ++i) {
    const Slot* slot = slots::find(id_of(ids[i]));
    if (slot == nullptr) return false;
    const BufferSpec& spec = program.buffers[program.inputs[i]];
    if (slot->count != spec.count || slot->dtype != spec.dtype) {
      return fail("input %zu is %s of %zu elements; the program takes %s of %zu", i,
                  dtype_name(slot->dtype), slot->count, dtype_name(spec.dtype), spec.count);
    }
    program.operands[program.inputs[i]] = {slot->block.data(), id_of(ids[i])};
  }
  return check_donated(ids, count);
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

// The donated slot in whose place the output lies, or 0.
int32_t donated_to(const Program& program, size_t output, const int32_t* ids) {
  const int32_t input = program.donated[output];
  return input != kNone && ids[input] < 0 ? id_of(ids[input]) : 0;
}

bool bind_outputs(Program& program, const int32_t* ids, std::vector<Slot>* results) {
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const BufferSpec& spec = program.buffers[program.outputs[i]];
    Slot& result = (*results)[i];
    result.count = spec.count;
    result.dtype = spec.dtype;
    const int32_t donated = donated_to(program, i, ids);
    if (donated == 0 && !Block::allocate(bytes_of(spec), &result.block)) return false;
    void* const data = donated == 0 ? result.block.data() : slots::find(donated)->block.data();
    program.operands[program.outputs[i]] = {data, 0};
  }
  return true;
}

// Moves the blocks in which outputs lie; the donated slots are gone.
void take_donated(const Program& program, const int32_t* ids, std::vector<Slot>* results) {
  for (size_t i = 0; i < results->size(); ++i) {
    const int32_t donated = donated_to(program, i, ids);
    if (donated != 0) (*results)[i].block = std::move(slots::find(donated)->block);
  }
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (ids[i] >= 0) continue;
    forget_packed(id_of(ids[i]));
    slots::remove(id_of(ids[i]));
  }
}

// Steps that write in place shall not fail.
bool has_sure_scratch(const Program& program) {
  return program.sure_scratch == 0 || borrow_scratch_bytes(program.sure_scratch) != nullptr;
}

bool run_steps(Program& program) {
  Operand* const arguments = program.arguments.data();
  StepClock clock;
  for (const Step& step : program.steps) {
    if (step.is_empty) continue;
    const int32_t* inputs = program.step_inputs.data() + step.first_input;
    for (size_t i = 0; i < step.input_count; ++i) arguments[i] = program.operands[inputs[i]];
    void* output = const_cast<void*>(program.operands[step.output].data);
    if (!step.kernel->run(arguments, output)) return false;
    clock.note(step.kernel_name);
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

int32_t run(int32_t id, const int32_t* ids, size_t count) {
  const auto found = table().find(id);
  if (found == table().end()) {
    fail("there is no program %d", id);
    return -1;
  }
  Program& program = found->second;
  slots::tick();
  std::vector<Slot> results(program.outputs.size());
  if (!bind_inputs(program, ids, count) || !bind_temporaries(program) ||
      !bind_outputs(program, ids, &results) || !has_sure_scratch(program) || !run_steps(program)) {
    return -1;
  }
  take_donated(program, ids, &results);
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
