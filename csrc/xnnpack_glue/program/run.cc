#include "program/run.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "program/arena.h"
#include "program/packed.h"
#include "program/program.h"
#include "program/sliced_run.h"

namespace tfpy::programs {
namespace {

int32_t last_step = kNone;  // step that ran last

// Returns a slot's id; donated slots are passed as negative numbers.
int32_t id_of(int32_t crossed) {
  return crossed < 0 ? static_cast<int32_t>(-static_cast<uint32_t>(crossed)) : crossed;
}

// Checks that a donated slot is only one input.
bool check_donated(const int32_t* ids, size_t count) {
  if (std::none_of(ids, ids + count, [](int32_t id) { return id < 0; })) return true;
  std::vector<int32_t> sorted(ids, ids + count);
  std::sort(sorted.begin(), sorted.end(), [](int32_t a, int32_t b) { return id_of(a) < id_of(b); });
  for (size_t i = 1; i < count; ++i) {
    if (id_of(sorted[i - 1]) == id_of(sorted[i]) && (sorted[i - 1] < 0 || sorted[i] < 0))
      return fail("slot %d is donated and used elsewhere", id_of(sorted[i]));
  }
  for (const int32_t id : sorted) {
    if (id < 0 && is_read_in_slices(id_of(id)))
      return fail("slot %d is donated, and read by a run that has not ended", id_of(id));
  }
  return true;
}

bool bind_shared_arena(Program& program) {
  if (program.arena.places.empty()) return true;
  const char* base = arena_of(program.arena.bytes);
  if (base == nullptr) return false;
  bind_temporaries(program, base);
  return true;
}

// Returns the donated slot over which the output is written, or 0.
int32_t donated_to(const Program& program, size_t output, const int32_t* ids) {
  const int32_t input = program.donated[output];
  return input != kNone && ids[input] < 0 ? id_of(ids[input]) : 0;
}

bool run_steps(Program& program) {
  StepClock clock;
  return std::all_of(program.steps.begin(), program.steps.end(),
                     [&](const Step& step) { return run_step(program, step, clock); });
}

}  // namespace

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

void bind_temporaries(Program& program, const char* arena) {
  if (arena == program.arena_base) return;
  for (const ArenaPlan::Place& place : program.arena.places)
    program.operands[place.buffer] = {arena + place.offset, 0};
  program.arena_base = arena;
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

bool run_step(Program& program, const Step& step, StepClock& clock) {
  if (step.is_empty) return true;
  Operand* const arguments = program.arguments.data();
  const int32_t* inputs = program.step_inputs.data() + step.first_input;
  for (size_t i = 0; i < step.input_count; ++i) arguments[i] = program.operands[inputs[i]];
  void* output = const_cast<void*>(program.operands[step.output].data);
  last_step = static_cast<int32_t>(&step - program.steps.data());
  if (!step.kernel->run(arguments, output)) return false;
  clock.note(step.kernel_name);
  return true;
}

int32_t wrong_step() { return is_wrong_index() ? last_step : kNone; }

bool has_sure_scratch(const Program& program) {
  return program.sure_scratch == 0 || borrow_scratch_bytes(program.sure_scratch) != nullptr;
}

std::vector<Slot> take_donated(const Program& program, const int32_t* ids,
                               std::vector<Slot>* results) {
  std::vector<Slot> spent;
  for (size_t i = 0; i < results->size(); ++i) {
    const int32_t donated = donated_to(program, i, ids);
    if (donated != 0) (*results)[i].block = std::move(slots::find(donated)->block);
  }
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (ids[i] >= 0) continue;
    const int32_t donated = id_of(ids[i]);
    spent.push_back(std::move(*slots::find(donated)));
    forget_packed(donated);
    slots::remove(donated);
  }
  return spent;
}

int32_t put_results(std::vector<Slot>&& results) {
  const int32_t first = slots::reserve(static_cast<int32_t>(results.size()));
  for (size_t i = 0; i < results.size(); ++i)
    slots::put(first + static_cast<int32_t>(i), std::move(results[i]));
  return first;
}

int32_t run(int32_t id, const int32_t* ids, size_t count) {
  Program* const program = find(id);
  if (program == nullptr) return -1;
  slots::tick();
  std::vector<Slot> results(program->outputs.size());
  if (!bind_inputs(*program, ids, count) || !bind_shared_arena(*program) ||
      !bind_outputs(*program, ids, &results) || !has_sure_scratch(*program) || !run_steps(*program))
    return -1;
  take_donated(*program, ids, &results);
  return put_results(std::move(results));
}

}  // namespace tfpy::programs
