// Runs a Program from its first step to its last; sliced_run.h stops in between.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "base/memory.h"
#include "program/program_reader.h"
#include "program/step_times.h"

namespace tfpy::programs {

// Runs a program on slots. A negative number is a donated slot: after a successful run it is
// removed, and an output may reuse its block. Returns the first output's slot id (the others
// follow), or -1.
int32_t run(int32_t program, const int32_t* ids, size_t count);

// The parts of a run. Binding sets the program's operands for this run only.
bool bind_inputs(Program& program, const int32_t* ids, size_t count);
void bind_temporaries(Program& program, const char* arena);
// Allocates results for the outputs, except where donated slots are reused.
bool bind_outputs(Program& program, const int32_t* ids, std::vector<Slot>* results);
// Steps that write in place must not fail, so their scratch memory is borrowed before the first
// step.
bool has_sure_scratch(const Program& program);
// Moves the blocks of outputs out of the donated slots, and removes these. Returns what is left of
// them: the inputs that no output overwrites.
std::vector<Slot> take_donated(const Program& program, const int32_t* ids,
                               std::vector<Slot>* results);
bool run_step(Program& program, const Step& step, StepClock& clock);
// Returns the step that has rejected an index if this is the last error; otherwise kNone.
int32_t wrong_step();
// Assigns consecutive ids to the results, and returns the first.
int32_t put_results(std::vector<Slot>&& results);

}  // namespace tfpy::programs
