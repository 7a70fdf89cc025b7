#include "base/memory.h"

#include <stdlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.h"

namespace tfpy {
namespace {

constexpr uint64_t kMaxBytes = UINT32_MAX - 2 * kBlockPadding;
constexpr size_t kReserveBytes = 1 << 20;

size_t total_bytes = 0;
size_t most_bytes = 0;
void* reserve_block = nullptr;
int32_t next_id = 1;
uint32_t runs = 0;

std::unordered_map<int32_t, Slot>& table() {
  static std::unordered_map<int32_t, Slot> slots;
  return slots;
}

void release_reserve() {
  if (reserve_block == nullptr) abort();
  free(reserve_block);
  reserve_block = nullptr;
}

}  // namespace

size_t element_size(DType dtype) { return dtype == DType::kBool || dtype == DType::kInt8 ? 1 : 4; }

const char* dtype_name(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float32";
    case DType::kInt32:
      return "int32";
    case DType::kBool:
      return "bool";
    case DType::kInt8:
      return "int8";
  }
}

Block::Block(Block&& other)
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Block& Block::operator=(Block&& other) {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Block::~Block() {
  free(data_);
  total_bytes -= bytes_;
}

bool Block::allocate(uint64_t bytes, Block* block) {
  install_reserve();
  void* data = nullptr;
  if (bytes <= kMaxBytes && reserve_block != nullptr) {
    const size_t padded =
        (static_cast<size_t>(bytes) + kBlockPadding + kBlockAlignment - 1) & ~(kBlockAlignment - 1);
    data = aligned_alloc(kBlockAlignment, padded);
  }
  if (data == nullptr) {
    return fail("out of memory: %llu bytes wanted, %zu in use",
                static_cast<unsigned long long>(bytes), total_bytes);
  }
  Block fresh;
  fresh.data_ = data;
  fresh.bytes_ = static_cast<size_t>(bytes);
  total_bytes += fresh.bytes_;
  most_bytes = std::max(most_bytes, total_bytes);
  *block = std::move(fresh);
  return true;
}

namespace slots {

int32_t reserve(int32_t count) { return std::exchange(next_id, next_id + count); }

void put(int32_t id, Slot&& slot) {
  slot.used = runs;
  table().insert_or_assign(id, std::move(slot));
}

int32_t add(Slot&& slot) {
  const int32_t id = reserve(1);
  put(id, std::move(slot));
  return id;
}

Slot* find(int32_t id) {
  const auto found = table().find(id);
  if (found == table().end()) {
    fail("there is no slot %d", id);
    return nullptr;
  }
  found->second.used = runs;
  return &found->second;
}

bool remove(int32_t id) { return table().erase(id) != 0 || fail("there is no slot %d", id); }

const std::unordered_map<int32_t, Slot>& all() { return table(); }

void tick() { ++runs; }

}  // namespace slots

size_t allocated_bytes() { return total_bytes; }

size_t peak_bytes() { return most_bytes; }

void install_reserve() {
  if (reserve_block != nullptr) return;
  reserve_block = malloc(kReserveBytes);
  std::set_new_handler(release_reserve);
}

}  // namespace tfpy
