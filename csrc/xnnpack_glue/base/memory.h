// Heap blocks and slots: numbered blocks that JavaScript and Python refer to by id.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <unordered_map>

namespace tfpy {

// JavaScript uses the same numbers. Only few kernels read int8, see StepSpec::require_bytes().
enum class DType : uint8_t { kFloat32 = 0, kInt32 = 1, kBool = 2, kInt8 = 3, kLast = kInt8 };

size_t element_size(DType dtype);
const char* dtype_name(DType dtype);

constexpr size_t kShortCopy = 16;  // elements below which memcpy is slower than a loop

constexpr size_t kBlockAlignment = 64;
constexpr size_t kBlockPadding = 64;  // at least XNN_EXTRA_BYTES, and a cache line

// An aligned block, followed by padding that SIMD kernels may read and write.
class Block {
 public:
  Block() = default;
  Block(Block&& other);
  Block& operator=(Block&& other);
  Block(const Block&) = delete;
  ~Block();

  // Returns false, with an error, if the heap is full.
  static bool allocate(uint64_t bytes, Block* block);

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

struct Slot {
  Block block;
  size_t count = 0;
  DType dtype = DType::kFloat32;
  uint32_t used = 0;  // number of the run that used it last
};

// Slot ids are positive, count up and are never used twice.
namespace slots {

int32_t add(Slot&& slot);
// Reserves `count` consecutive ids, to be filled by put(). put() may also fill the id of a removed
// slot.
int32_t reserve(int32_t count);
void put(int32_t id, Slot&& slot);
// Returns null, with an error, if the slot does not exist.
Slot* find(int32_t id);
bool remove(int32_t id);
const std::unordered_map<int32_t, Slot>& all();
// Counts the beginning of a run.
void tick();

}  // namespace slots

// Returns the bytes of all allocated blocks.
size_t allocated_bytes();
// Returns the peak of allocated_bytes().
size_t peak_bytes();

// Keeps a reserve for small allocations that cannot report an error. If the heap is full, the
// reserve is released, and allocate() fails from then on.
void install_reserve();

}  // namespace tfpy
