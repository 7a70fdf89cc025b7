// Runs in slices, between which other runs, writes and frees may happen. A long Program on the
// page's own thread thus keeps the page responsive.
//
// Such a run has its own arena, produces its outputs at the end, and keeps the slots that it reads,
// even if they are freed. Donated slots are removed when the run begins, so that nothing reads them
// between two slices. If the run fails or is dropped, they are lost.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace tfpy::programs {

// Returns the run's id, or -1.
int32_t begin_sliced(int32_t program, const int32_t* ids, size_t count);

// Runs one step, and further steps that are expected to end within this many milliseconds, based on
// their last durations. Returns the first output's slot id after the last step, 0 if steps are
// left, and -1 if a step has failed, which ends the run.
int32_t go_on(int32_t run, double ms);

// Ends a run, if it exists, without outputs.
void drop_sliced(int32_t run);

bool is_read_in_slices(int32_t slot);

// Replaces slots::remove() for slots that a run in slices may read.
bool free_slot(int32_t slot);

}  // namespace tfpy::programs
