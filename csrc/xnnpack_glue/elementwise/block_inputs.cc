#include "elementwise/block_inputs.h"

#include <algorithm>

#include "simd/simd.h"

namespace tfpy {
namespace {

// The functions here write whole vectors, up to three elements more than n; the next piece of the
// block overwrites them. Excess reads stay inside a slot's padding.

void fill(int32_t* to, size_t n, int32_t value) {
  const i32x4 lanes = splat(value);
  for (size_t i = 0; i < n; i += 4) store(to + i, lanes);
}

void copy(const int32_t* from, size_t n, int32_t* to) {
  for (size_t i = 0; i < n; i += 4) store(to + i, load(from + i));
}

// Converts bytes 0 or 1 to masks.
void load_masks(const uint8_t* from, size_t n, int32_t* to) {
  for (size_t i = 0; i < n; i += 4) {
    const v128_t words =
        wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(from + i)));
    store(to + i, as_i32(wasm_i32x4_ne(words, wasm_i32x4_const_splat(0))));
  }
}

int32_t read_element(const Source& source, const void* data, size_t offset) {
  if (source.dtype == DType::kBool)
    return -static_cast<int32_t>(static_cast<const uint8_t*>(data)[offset] != 0);
  return static_cast<const int32_t*>(data)[offset];
}

void load_run(const Source& source, const void* data, size_t offset, size_t n, int32_t* to) {
  const size_t stride = source.strides.back();
  if (stride == 0) {
    fill(to, n, read_element(source, data, offset));
  } else if (stride != 1) {
    for (size_t i = 0; i < n; ++i) to[i] = read_element(source, data, offset + i * stride);
  } else if (source.dtype == DType::kBool) {
    load_masks(static_cast<const uint8_t*>(data) + offset, n, to);
  } else {
    copy(static_cast<const int32_t*>(data) + offset, n, to);
  }
}

}  // namespace

BlockInputs::BlockInputs(const Bytecode& bytecode, const Plan& plan, const Operand* operands,
                         Register* own, size_t begin)
    : bytecode_(bytecode),
      in_full_(plan.in_full),
      operands_(operands),
      own_(own),
      at_(bytecode.registers),
      begin_(begin) {
  for (size_t i = 0; i < at_.size(); ++i) at_[i] = own_[i];
  fill_once();
  for (size_t i = 0; i < bytecode.sources.size(); ++i) {
    const Access access = bytecode.sources[i].access;
    if (access == Access::kStrided || access == Access::kRowConstant) walked_.push_back(i);
  }
  if (!walked_.empty()) find_row();
}

void* BlockInputs::start_of(size_t number) const {
  const Source& source = bytecode_.sources[number];
  char* const data = static_cast<char*>(const_cast<void*>(operands_[number].data));
  return data + source.offset * element_size(source.dtype);
}

// Fills constants and inputs that repeat in each block.
void BlockInputs::fill_once() {
  const size_t used = std::min(kBlock, bytecode_.count);
  for (size_t i = 0; i < bytecode_.constants.size(); ++i) {
    const size_t index = bytecode_.sources.size() + i;
    if (in_full_[index]) fill(own_[index], used, bytecode_.constants[i]);
  }
  for (size_t i = 0; i < bytecode_.sources.size(); ++i) {
    const Source& source = bytecode_.sources[i];
    if (source.access == Access::kConstant)
      fill(own_[i], in_full_[i] ? used : 1, read_element(source, start_of(i), 0));
    if (source.access == Access::kPeriodic) {
      for (size_t to = 0; to < bytecode_.block; to += bytecode_.row)
        load_run(source, start_of(i), 0, bytecode_.row, own_[i] + to);
    }
  }
}

void BlockInputs::find_row() {
  const size_t outer = bytecode_.dims.size() - 1;
  column_ = begin_ % bytecode_.row;
  size_t number = begin_ / bytecode_.row;
  position_.resize(outer);
  for (size_t d = outer; d-- > 0;) {
    position_[d] = static_cast<int32_t>(number % bytecode_.dims[d]);
    number /= bytecode_.dims[d];
  }
  for (const size_t i : walked_) {
    size_t offset = 0;
    for (size_t d = 0; d < outer; ++d)
      offset += static_cast<size_t>(position_[d]) * bytecode_.sources[i].strides[d];
    row_offsets_.push_back(offset);
  }
}

void BlockInputs::next(size_t n) {
  for (size_t i = 0; i < bytecode_.sources.size(); ++i) {
    if (bytecode_.sources[i].access == Access::kDense) load_dense(i, n);
  }
  begin_ += n;
  if (walked_.empty()) return;
  for (size_t done = 0; done < n;) {
    const size_t length = std::min(bytecode_.row - column_, n - done);
    for (size_t k = 0; k < walked_.size(); ++k) load_piece(k, length, done);
    advance(length);
    done += length;
  }
}

void BlockInputs::load_dense(size_t number, size_t n) {
  void* const data = start_of(number);
  if (bytecode_.sources[number].dtype == DType::kBool) {
    load_masks(static_cast<const uint8_t*>(data) + begin_, n, own_[number]);
  } else {
    at_[number] = static_cast<int32_t*>(data) + begin_;
  }
}

// Loads elements of one row to the block's elements starting at `to`.
void BlockInputs::load_piece(size_t k, size_t n, size_t to) {
  const size_t number = walked_[k];
  const Source& source = bytecode_.sources[number];
  const size_t offset = row_offsets_[k] + column_ * source.strides.back();
  void* const data = start_of(number);
  if (source.access == Access::kRowConstant && !in_full_[number]) {
    fill(own_[number], 1, read_element(source, data, offset));
  } else if (bytecode_.splits_rows && source.strides.back() == 1 && source.dtype != DType::kBool) {
    at_[number] = static_cast<int32_t*>(data) + offset;
  } else {
    load_run(source, data, offset, n, own_[number] + to);
  }
}

void BlockInputs::advance(size_t n) {
  column_ += n;
  if (column_ < bytecode_.row) return;
  column_ = 0;
  for (size_t d = position_.size(); d-- > 0;) {
    const bool wraps = ++position_[d] == bytecode_.dims[d];
    for (size_t k = 0; k < walked_.size(); ++k) {
      const size_t stride = bytecode_.sources[walked_[k]].strides[d];
      row_offsets_[k] += wraps ? stride - stride * bytecode_.dims[d] : stride;
    }
    if (!wraps) return;
    position_[d] = 0;
  }
}

}  // namespace tfpy
