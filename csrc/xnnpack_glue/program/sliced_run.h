// Runs in slices, between which other runs, writes and frees happen: a page lives while a long
// Program runs on its own thread.
//
// Such a run has an arena to itself while it lasts, gives its outputs when it ends, and keeps the
// slots that it reads, though somebody frees them. It takes no donated slot: whoever reads one
// between two slices finds it as it was.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace tfpy::programs {

// Returns the run's id, or -1.
int32_t begin_sliced(int32_t program, const int32_t* ids, size_t count);

// Runs one step, and further ones that end within so many milliseconds if they take as long as last
// time. Returns the first output's slot id when the last step has run, 0 before, and -1 when a step
// has failed; there is no such run then.
int32_t go_on(int32_t run, double ms);

// Ends a run, if there is one, without outputs.
void drop_sliced(int32_t run);

bool is_read_in_slices(int32_t slot);

// To be called in place of slots::remove() where the slot may be read by a run in slices.
bool free_slot(int32_t slot);

}  // namespace tfpy::programs
