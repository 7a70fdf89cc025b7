// The C API that JavaScript calls. A negative result is an error with a message in
// tfpy_last_error(); ids are positive.
#include <emscripten/emscripten.h>
#include <stdint.h>
#include <string.h>
#include <xnnpack.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/sizes.h"
#include "elementwise/jit.h"
#include "elementwise/plan.h"
#include "program/arena.h"
#include "program/packed.h"
#include "program/program.h"
#include "program/run.h"
#include "program/sliced_run.h"
#include "program/step_times.h"
#include "threads/parallel.h"

#define TFPY_EXPORT extern "C" EMSCRIPTEN_KEEPALIVE

namespace {

using tfpy::Slot;

constexpr int32_t kMaxArguments = 1 << 16;
constexpr int32_t kMaxThreads = 64;

// Array with a fixed address, which passes numbers and lists of slots.
uint32_t words[kMaxArguments];

int32_t result_of(bool success) { return success ? 0 : -1; }

// Converts a number to an enum with the values 0..Enum::kLast.
template <class Enum>
bool read_enum(int32_t number, const char* name, Enum* value) {
  const int32_t last = static_cast<int32_t>(Enum::kLast);
  if (number < 0 || number > last) return tfpy::fail("%s is not 0..%d", name, last);
  *value = static_cast<Enum>(number);
  return true;
}

}  // namespace

// codegen: a tfpy::Codegen.
TFPY_EXPORT int32_t tfpy_open(int32_t threads, int32_t codegen) {
  tfpy::Codegen when;
  if (threads < 1 || threads > kMaxThreads)
    return result_of(tfpy::fail("threads is not 1..%d", kMaxThreads));
  if (!read_enum(codegen, "codegen", &when)) return -1;
  tfpy::set_codegen(when);
  tfpy::install_reserve();
  if (!tfpy::check_status(xnn_initialize(nullptr), "initialize")) return -1;
  tfpy::open_thread_pool(static_cast<size_t>(threads));
  return 0;
}

TFPY_EXPORT const char* tfpy_last_error() { return tfpy::last_error(); }

// Returns the number of the step that has rejected an index if this is the last error; otherwise
// -1.
TFPY_EXPORT int32_t tfpy_wrong_step() { return tfpy::programs::wrong_step(); }

TFPY_EXPORT uint32_t* tfpy_words() { return words; }

// Creates an uninitialized slot of `count` elements. dtype: a tfpy::DType. id: 0 for a new id, or
// the id of a freed slot.
TFPY_EXPORT int32_t tfpy_slot_new(uint32_t count, int32_t dtype, int32_t id) {
  Slot slot;
  slot.count = count;
  if (!read_enum(dtype, "dtype", &slot.dtype)) return -1;
  const uint64_t bytes = tfpy::product({count, tfpy::element_size(slot.dtype)});
  if (!tfpy::Block::allocate(bytes, &slot.block)) return -1;
  if (id == 0) return tfpy::slots::add(std::move(slot));
  tfpy::slots::put(id, std::move(slot));
  return id;
}

// words = [address, count, dtype]
TFPY_EXPORT int32_t tfpy_slot_describe(int32_t id) {
  const Slot* slot = tfpy::slots::find(id);
  if (slot == nullptr) return -1;
  words[0] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(slot->block.data()));
  words[1] = static_cast<uint32_t>(slot->count);
  words[2] = static_cast<uint32_t>(slot->dtype);
  return 0;
}

TFPY_EXPORT int32_t tfpy_slot_free(int32_t id) { return result_of(tfpy::programs::free_slot(id)); }

// words = [id, bytes, number of the run that used it last] of as many slots as fit, starting at
// number `first`. Returns the number of these slots.
TFPY_EXPORT int32_t tfpy_slot_list(uint32_t first) {
  const auto& all = tfpy::slots::all();
  int32_t found = 0;
  auto slot = std::next(all.begin(), static_cast<ptrdiff_t>(std::min<size_t>(first, all.size())));
  for (; slot != all.end() && found < kMaxArguments / 3; ++slot, ++found) {
    words[3 * found] = static_cast<uint32_t>(slot->first);
    words[3 * found + 1] = static_cast<uint32_t>(slot->second.block.bytes());
    words[3 * found + 2] = slot->second.used;
  }
  return found;
}

// Registers a Program from its JSON text in one bool slot and its constants in another. Both slots
// are consumed.
TFPY_EXPORT int32_t tfpy_program_register(int32_t text_slot, int32_t constants_slot) {
  if (tfpy::slots::find(text_slot) == nullptr || tfpy::slots::find(constants_slot) == nullptr)
    return -1;
  if (text_slot == constants_slot) return result_of(tfpy::fail("text and constants are one slot"));
  const Slot text = std::move(*tfpy::slots::find(text_slot));
  Slot constants = std::move(*tfpy::slots::find(constants_slot));
  tfpy::slots::remove(text_slot);
  tfpy::slots::remove(constants_slot);
  return tfpy::programs::add(text.block.as<char>(), text.block.bytes(), std::move(constants));
}

// Runs a program on the slots words[0..count), some of which may be donated (run.h). Returns the
// first output's id.
TFPY_EXPORT int32_t tfpy_program_run(int32_t program, int32_t count) {
  if (count < 0 || count > kMaxArguments)
    return result_of(tfpy::fail("more than %d inputs", kMaxArguments));
  return tfpy::programs::run(program, reinterpret_cast<const int32_t*>(words),
                             static_cast<size_t>(count));
}

// Begins a run in slices (sliced_run.h) on the slots words[0..count). Returns its id.
TFPY_EXPORT int32_t tfpy_run_begin(int32_t program, int32_t count) {
  if (count < 0 || count > kMaxArguments)
    return result_of(tfpy::fail("more than %d inputs", kMaxArguments));
  return tfpy::programs::begin_sliced(program, reinterpret_cast<const int32_t*>(words),
                                      static_cast<size_t>(count));
}

// Continues a run for this many milliseconds. Returns the first output's id, or 0 if steps are
// left.
TFPY_EXPORT int32_t tfpy_run_go_on(int32_t run, double ms) {
  return tfpy::programs::go_on(run, ms);
}

TFPY_EXPORT void tfpy_run_drop(int32_t run) { tfpy::programs::drop_sliced(run); }

TFPY_EXPORT int32_t tfpy_program_release(int32_t program) {
  return result_of(tfpy::programs::remove(program));
}

// Starts or stops timing the steps of Programs.
TFPY_EXPORT void tfpy_time_steps(int32_t wanted) { tfpy::programs::time_steps(wanted != 0); }

// words = [address of the kernel's name, milliseconds as a float's bits] of as many steps as fit,
// starting at number `first`. Returns the number of these steps.
TFPY_EXPORT int32_t tfpy_step_times(uint32_t first) {
  const size_t count = tfpy::programs::step_time_count();
  int32_t found = 0;
  for (size_t i = first; i < count && found < kMaxArguments / 2; ++i, ++found) {
    const tfpy::programs::StepTime& time = tfpy::programs::step_time(i);
    const float ms = static_cast<float>(time.ms);
    words[2 * found] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(time.kernel));
    memcpy(&words[2 * found + 1], &ms, sizeof ms);
  }
  return found;
}

// Returns the bytes of all blocks.
TFPY_EXPORT uint32_t tfpy_held() { return static_cast<uint32_t>(tfpy::allocated_bytes()); }

// Releases memory that Programs share and recreate on demand.
TFPY_EXPORT void tfpy_shrink() { tfpy::release_shared_memory(); }

// words = [slots, bytes of all blocks, programs, threads, generated functions, rejected functions,
// peak bytes]
TFPY_EXPORT void tfpy_memory() {
  words[0] = static_cast<uint32_t>(tfpy::slots::all().size());
  words[1] = static_cast<uint32_t>(tfpy::allocated_bytes());
  words[2] = static_cast<uint32_t>(tfpy::programs::count());
  words[3] = static_cast<uint32_t>(tfpy::worker_count());
  words[4] = static_cast<uint32_t>(tfpy::generated_count());
  words[5] = tfpy::refused_count();
  words[6] = static_cast<uint32_t>(tfpy::peak_bytes());
}
