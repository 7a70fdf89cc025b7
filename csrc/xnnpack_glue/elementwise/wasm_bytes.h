// Bytes of a WebAssembly module under construction.
#pragma once

#include <stdint.h>

#include <string>
#include <string_view>
#include <utility>

#include "elementwise/wasm_opcodes.h"

namespace tfpy::wasm {

class Bytes {
 public:
  Bytes& byte(uint8_t value) {
    data_.push_back(static_cast<char>(value));
    return *this;
  }
  // LEB128.
  Bytes& number(uint32_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<uint8_t>(value | 0x80));
    return byte(static_cast<uint8_t>(value));
  }
  Bytes& signed_number(int32_t value) {
    while (value < -64 || value > 63) {
      byte(static_cast<uint8_t>(value | 0x80));
      value >>= 7;
    }
    return byte(value & 0x7f);
  }
  Bytes& append(const Bytes& other) {
    data_ += other.data_;
    return *this;
  }
  // Appends the length, then the bytes.
  Bytes& counted(const Bytes& other) {
    return number(static_cast<uint32_t>(other.data_.size())).append(other);
  }
  Bytes& name(std::string_view text) {
    number(static_cast<uint32_t>(text.size()));
    data_ += text;
    return *this;
  }
  Bytes& section(Section id, const Bytes& content) { return byte(id).counted(content); }

  Bytes& simd(SimdOpcode opcode) { return byte(kSimdPrefix).number(opcode); }
  Bytes& get(uint32_t local) { return byte(kLocalGet).number(local); }
  Bytes& set(uint32_t local) { return byte(kLocalSet).number(local); }
  Bytes& i32(int32_t value) { return byte(kI32Const).signed_number(value); }
  // A memory access: its alignment as a power of two, and its offset.
  Bytes& at(uint32_t alignment, uint32_t offset) { return number(alignment).number(offset); }
  // Four lanes with the same bits.
  Bytes& splat(uint32_t bits) {
    simd(kConst);
    for (int lane = 0; lane < 4; ++lane)
      for (int shift = 0; shift < 32; shift += 8) byte(static_cast<uint8_t>(bits >> shift));
    return *this;
  }

  std::string take() { return std::move(data_); }

 private:
  std::string data_;
};

}  // namespace tfpy::wasm
