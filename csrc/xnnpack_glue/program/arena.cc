#include "program/arena.h"

#include <map>
#include <utility>

#include "base/error.h"
#include "base/memory.h"

namespace tfpy {
namespace {

// Kernels may read and write up to this far after a buffer.
constexpr size_t kGap = kBlockPadding;

Block& arena() {
  static Block block;
  return block;
}

Block& scratch() {
  static Block block;
  return block;
}

char* room_in(Block* block, uint64_t bytes) {
  if (block->data() == nullptr || block->bytes() < bytes) {
    *block = Block();  // its contents are not needed, so its memory may be reused
    if (!Block::allocate(bytes, block)) return nullptr;
  }
  return block->as<char>();
}

// The live buffers while the steps are traversed.
class LiveBuffers {
 public:
  LiveBuffers(const std::vector<BufferSpec>& buffers, const std::vector<size_t>& offsets)
      : buffers_(buffers), offsets_(offsets) {}

  // Returns a buffer that shares bytes with `index`, or -1.
  int32_t overlapping(int32_t index) const {
    auto next = live_.lower_bound(offsets_[index]);
    if (next != live_.end() && next->first < end_of(index)) return next->second;
    if (next == live_.begin()) return -1;
    const int32_t before = (--next)->second;
    return end_of(before) > offsets_[index] ? before : -1;
  }
  void add(int32_t index) { live_.emplace(offsets_[index], index); }
  void remove(int32_t index) { live_.erase(offsets_[index]); }

 private:
  size_t end_of(int32_t index) const { return offsets_[index] + bytes_of(buffers_[index]) + kGap; }

  const std::vector<BufferSpec>& buffers_;
  const std::vector<size_t>& offsets_;
  std::map<size_t, int32_t> live_;  // by offset
};

bool read_offsets(const ArenaPlan& plan, const std::vector<BufferSpec>& buffers,
                  const std::vector<bool>& is_temporary, std::vector<size_t>* offsets) {
  std::vector<bool> is_placed(buffers.size());
  for (const ArenaPlan::Place& place : plan.places) {
    if (!is_temporary[place.buffer] || is_placed[place.buffer])
      return fail("program: buffer %d is not a temporary, or has two places", place.buffer);
    const uint64_t end = uint64_t{place.offset} + bytes_of(buffers[place.buffer]) + kGap;
    if (place.offset % kBlockAlignment != 0 || end > plan.bytes)
      return fail("program: the arena has no room for buffer %d there", place.buffer);
    is_placed[place.buffer] = true;
    (*offsets)[place.buffer] = place.offset;
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (is_temporary[i] && !is_placed[i]) return fail("program: buffer %zu has no place", i);
  }
  return true;
}

}  // namespace

bool may_overwrite(const StepUse& step, int32_t buffer) {
  for (size_t i = 0; i < step.input_count; ++i) {
    if (step.inputs[i] == buffer && !step.kernel->may_overwrite(i)) return false;
  }
  return true;
}

bool check_plan(const ArenaPlan& plan, const std::vector<BufferSpec>& buffers,
                const std::vector<bool>& is_temporary, const std::vector<size_t>& last_use,
                const std::vector<StepUse>& steps) {
  std::vector<size_t> offsets(buffers.size());
  if (!read_offsets(plan, buffers, is_temporary, &offsets)) return false;
  LiveBuffers live(buffers, offsets);
  for (size_t number = 0; number < steps.size(); ++number) {
    const StepUse& step = steps[number];
    int32_t overwritten = -1;
    if (is_temporary[step.output]) {
      const int32_t other = live.overlapping(step.output);
      if (other >= 0) {
        if (last_use[other] != number || offsets[other] != offsets[step.output] ||
            bytes_of(buffers[other]) != bytes_of(buffers[step.output]) ||
            !may_overwrite(step, other))
          return fail("program: step %zu would overwrite buffer %d", number, other);
        live.remove(other);
        overwritten = other;
      }
      live.add(step.output);
    }
    for (size_t i = 0; i < step.input_count; ++i) {
      const int32_t input = step.inputs[i];
      if (is_temporary[input] && last_use[input] == number && input != overwritten)
        live.remove(input);
    }
    if (is_temporary[step.output] && last_use[step.output] == number) live.remove(step.output);
  }
  return true;
}

char* arena_of(size_t bytes) { return room_in(&arena(), bytes); }

bool take_arena(size_t bytes, Block* block) {
  if (bytes == 0) return true;
  if (arena_of(bytes) == nullptr) return false;
  *block = std::move(arena());
  return true;
}

void return_arena(Block&& block) {
  if (arena().bytes() < block.bytes()) arena() = std::move(block);
}

void* borrow_scratch_bytes(uint64_t bytes) { return room_in(&scratch(), bytes); }

void release_shared_memory() {
  arena() = Block();
  scratch() = Block();
}

}  // namespace tfpy
