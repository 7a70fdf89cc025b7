// Memory that all Programs share, because their steps run one after another: the arena, with the
// temporaries of a run, and scratch memory, which a step uses while it runs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "base/sizes.h"
#include "program/kernel.h"

namespace tfpy {

// The places of a Program's buffers in the arena.
struct ArenaPlan {
  struct Place {
    int32_t buffer;
    size_t offset;
  };
  std::vector<Place> places;
  size_t bytes = 0;
};

// The buffers of a step, for the check of the plan.
struct StepUse {
  const Kernel* kernel;
  const int32_t* inputs;
  size_t input_count;
  int32_t output;
};

// Returns true if the step may write its output over that input buffer.
bool may_overwrite(const StepUse& step, int32_t buffer);

// Checks that each buffer of `is_temporary` has a place inside the arena, and that simultaneously
// live buffers do not overlap. A step's output may coincide with an input that dies there, if the
// kernel allows it. last_use: the step that reads a buffer last.
bool check_plan(const ArenaPlan& plan, const std::vector<BufferSpec>& buffers,
                const std::vector<bool>& is_temporary, const std::vector<size_t>& last_use,
                const std::vector<StepUse>& steps);

// Returns null, with an error, if the heap is full. The arena grows on demand, and then moves.
char* arena_of(size_t bytes);

// Takes the arena for one run, which returns it; meanwhile other runs use another arena.
bool take_arena(size_t bytes, Block* block);
void return_arena(Block&& block);

// Returns memory that is valid until the step ends or borrows again; null if the heap is full.
void* borrow_scratch_bytes(uint64_t bytes);

template <class T>
T* borrow_scratch(uint64_t count) {
  return static_cast<T*>(borrow_scratch_bytes(product({count, sizeof(T)})));
}

// Releases both; the next use allocates them again.
void release_shared_memory();

}  // namespace tfpy
