// Blocks of the heap and slots: numbered blocks that JavaScript and Python know by id.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <unordered_map>

namespace tfpy {

// JavaScript knows the numbers.
enum class DType : uint8_t { kFloat32 = 0, kInt32 = 1, kBool = 2, kLast = kBool };

size_t element_size(DType dtype);
const char* dtype_name(DType dtype);

constexpr size_t kShortCopy = 16;  // elements below which a call of memcpy costs more than a loop

constexpr size_t kBlockAlignment = 64;
constexpr size_t kBlockPadding = 64;  // at least XNN_EXTRA_BYTES, and a cache line

// An aligned block with padding behind it that SIMD kernels may read and write.
class Block {
 public:
  Block() = default;
  Block(Block&& other);
  Block& operator=(Block&& other);
  Block(const Block&) = delete;
  ~Block();

  // False, with the error's text, when the heap is full.
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
  uint32_t used = 0;  // the run before which, or in which, it was put or found last
};

// Slot ids are positive, count up and are never used twice.
namespace slots {

int32_t add(Slot&& slot);
// Takes `count` ids that follow one another; put() fills them, and one whose slot was removed.
int32_t reserve(int32_t count);
void put(int32_t id, Slot&& slot);
// Null, with the error's text, when there is no such slot.
Slot* find(int32_t id);
bool remove(int32_t id);
const std::unordered_map<int32_t, Slot>& all();
// A run begins.
void tick();

}  // namespace slots

// Bytes of all blocks that are alive.
size_t allocated_bytes();
// The most that they ever were.
size_t peak_bytes();

// Keeps a reserve for the small allocations that cannot report a failure: when the heap is full
// the reserve is given to them, and allocate() reports errors from then on.
void install_reserve();

}  // namespace tfpy
