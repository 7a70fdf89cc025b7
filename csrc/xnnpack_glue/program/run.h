// Running a Program from its first step to its last; sliced_run.h stops in between.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "base/memory.h"
#include "program/program_reader.h"
#include "program/step_times.h"

namespace tfpy::programs {

// Runs a program on slots. One with a minus sign is donated: when the run has succeeded it is gone,
// and an output may lie in its place. Returns the first output's slot id (the others follow), or
// -1.
int32_t run(int32_t program, const int32_t* ids, size_t count);

// The parts of a run. Binding sets the program's operands, for this run alone.
bool bind_inputs(Program& program, const int32_t* ids, size_t count);
void bind_temporaries(Program& program, const char* arena);
// Makes results of the outputs' sizes, but where donated slots serve.
bool bind_outputs(Program& program, const int32_t* ids, std::vector<Slot>* results);
bool run_step(Program& program, const Step& step, StepClock& clock);
// The step that has refused an index, where that is the last error; else kNone.
int32_t wrong_step();
// Gives the results ids that follow one another, and returns the first.
int32_t put_results(std::vector<Slot>&& results);

}  // namespace tfpy::programs
