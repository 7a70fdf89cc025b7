// Memory that all Programs share, since their steps run one after another: the arena, where the
// temporaries of a run lie, and scratch, which a step uses while it runs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "base/sizes.h"
#include "program/kernel.h"

namespace tfpy {

// Where the buffers of a Program lie in the arena.
struct ArenaPlan {
  struct Place {
    int32_t buffer;
    size_t offset;
  };
  std::vector<Place> places;
  size_t bytes = 0;
};

// A step as the plan's check sees it.
struct StepUse {
  const Kernel* kernel;
  const int32_t* inputs;
  size_t input_count;
  int32_t output;
};

// Whether the step may write its output where it reads that buffer.
bool may_overwrite(const StepUse& step, int32_t buffer);

// Checks that each buffer of `is_temporary` has a place inside the arena, and that buffers that are
// alive at the same time lie apart. A step's output may lie exactly on an input that dies there,
// where the kernel allows it. last_use: the step that reads a buffer last.
bool check_plan(const ArenaPlan& plan, const std::vector<BufferSpec>& buffers,
                const std::vector<bool>& is_temporary, const std::vector<size_t>& last_use,
                const std::vector<StepUse>& steps);

// Null, with the error's text, when the heap is full. The arena grows as needed and then moves.
char* arena_of(size_t bytes);

// The arena for one run, which gives it back; what runs meanwhile has another one.
bool take_arena(size_t bytes, Block* block);
void return_arena(Block&& block);

// Room until the step ends or asks again; null when the heap is full.
void* borrow_scratch_bytes(uint64_t bytes);

template <class T>
T* borrow_scratch(uint64_t count) {
  return static_cast<T*>(borrow_scratch_bytes(product({count, sizeof(T)})));
}

// Gives both back; the next use makes them anew.
void release_shared_memory();

}  // namespace tfpy
