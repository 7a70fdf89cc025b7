#include "program/sliced_run.h"

#include <emscripten/emscripten.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "program/arena.h"
#include "program/packed.h"
#include "program/program.h"
#include "program/run.h"

namespace tfpy::programs {
namespace {

struct SlicedRun {
  int32_t program;
  std::vector<int32_t> slots;  // negative ones were donated
  std::vector<Operand> inputs;
  std::vector<Slot> results;
  std::vector<Slot> spent;
  Block arena;
  size_t next_step = 0;
};

int32_t next_id = 1;

std::unordered_map<int32_t, SlicedRun>& table() {
  static std::unordered_map<int32_t, SlicedRun> runs;
  return runs;
}

// Freed slots that are still read. A slot that is stored again under its id may be freed again.
std::unordered_multimap<int32_t, Slot>& kept() {
  static std::unordered_multimap<int32_t, Slot> slots;
  return slots;
}

void end(std::unordered_map<int32_t, SlicedRun>::iterator found) {
  SlicedRun run = std::move(found->second);
  table().erase(found);
  if (count() != 0) return_arena(std::move(run.arena));
  for (const int32_t slot : run.slots) {
    if (slot < 0) forget_packed(-slot);
    if (kept().count(slot) == 0 || is_read_in_slices(slot)) continue;
    kept().erase(slot);
    forget_packed(slot);
  }
}

// Other runs of the program may have bound its operands meanwhile.
void bind(const SlicedRun& run, Program& program) {
  for (size_t i = 0; i < run.inputs.size(); ++i)
    program.operands[program.inputs[i]] = run.inputs[i];
  for (size_t i = 0; i < run.results.size(); ++i)
    program.operands[program.outputs[i]] = {run.results[i].block.data(), 0};
  bind_temporaries(program, run.arena.as<char>());
}

bool run_slice(SlicedRun& run, Program& program, double ms) {
  StepClock clock;
  double now = emscripten_get_now();
  const double until = now + ms;
  bool is_first = true;
  for (; run.next_step < program.steps.size(); ++run.next_step) {
    Step& step = program.steps[run.next_step];
    if (!is_first && now + step.ms > until) break;
    if (!run_step(program, step, clock)) return false;
    const double began = std::exchange(now, emscripten_get_now());
    step.ms = now - began;
    is_first = false;
  }
  return true;
}

}  // namespace

int32_t begin_sliced(int32_t id, const int32_t* ids, size_t count) {
  Program* const program = find(id);
  if (program == nullptr) return -1;
  slots::tick();
  SlicedRun run{id,     {ids, ids + count}, {}, std::vector<Slot>(program->outputs.size()), {},
                Block()};
  if (!bind_inputs(*program, ids, count) || !bind_outputs(*program, ids, &run.results) ||
      !has_sure_scratch(*program) || !take_arena(program->arena.bytes, &run.arena))
    return -1;
  for (const int32_t input : program->inputs) run.inputs.push_back(program->operands[input]);
  run.spent = take_donated(*program, ids, &run.results);
  table().emplace(next_id, std::move(run));
  return next_id++;
}

int32_t go_on(int32_t id, double ms) {
  const auto found = table().find(id);
  if (found == table().end()) {
    fail("there is no run %d", id);
    return -1;
  }
  SlicedRun& run = found->second;
  Program* const program = find(run.program);
  if (program == nullptr) {
    end(found);
    return -1;
  }
  bind(run, *program);
  if (!run_slice(run, *program, ms)) {
    end(found);
    return -1;
  }
  if (run.next_step < program->steps.size()) return 0;
  const int32_t first = put_results(std::move(run.results));
  end(found);
  return first;
}

void drop_sliced(int32_t id) {
  const auto found = table().find(id);
  if (found != table().end()) end(found);
}

bool is_read_in_slices(int32_t slot) {
  return std::any_of(table().begin(), table().end(), [slot](const auto& entry) {
    const std::vector<int32_t>& slots = entry.second.slots;
    return std::find(slots.begin(), slots.end(), slot) != slots.end();
  });
}

bool free_slot(int32_t id) {
  forget_packed(id);
  if (!is_read_in_slices(id)) return slots::remove(id);
  Slot* const slot = slots::find(id);
  if (slot == nullptr) return false;
  kept().emplace(id, std::move(*slot));
  return slots::remove(id);
}

}  // namespace tfpy::programs
