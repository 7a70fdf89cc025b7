// Codes of WebAssembly's instructions and types that generated code uses.
// https://webassembly.github.io/spec/core/binary/
#pragma once

#include <stdint.h>

namespace tfpy::wasm {

enum Type : uint8_t { kI32 = 0x7f, kV128 = 0x7b, kFunction = 0x60, kNoResult = 0x40 };

enum Section : uint8_t { kTypes = 1, kImports = 2, kFunctions = 3, kExports = 7, kCode = 10 };

// Kinds of imports and exports.
enum External : uint8_t { kFunctionIndex = 0, kMemory = 2 };

// Kinds of a memory's limits.
enum Limits : uint8_t { kMinimum = 0, kSharedMinimumAndMaximum = 3 };
constexpr uint32_t kMostPages = 65536;  // 4 GiB

constexpr char kHeader[] = {'\0', 'a', 's', 'm', '\1', '\0', '\0', '\0'};  // with the version

// Alignment of a memory access, as a power of two.
constexpr uint32_t kWordAlignment = 2;

enum Opcode : uint8_t {
  kBlock = 0x02,
  kLoop = 0x03,
  kEnd = 0x0b,
  kBranch = 0x0c,
  kBranchIf = 0x0d,
  kLocalGet = 0x20,
  kLocalSet = 0x21,
  kI32Load = 0x28,
  kI32Const = 0x41,
  kI32LtU = 0x49,
  kI32Eqz = 0x45,
  kI32Add = 0x6a,
  kI32Sub = 0x6b,
  kSimdPrefix = 0xfd,
};

// Instructions after kSimdPrefix.
enum SimdOpcode : uint16_t {
  kLoad = 0x00,
  kStore = 0x0b,
  kConst = 0x0c,
  kShuffle = 0x0d,
  kI32x4Eq = 0x37,
  kI32x4Ne = 0x38,
  kI32x4LtS = 0x39,
  kI32x4LtU = 0x3a,
  kI32x4GtS = 0x3b,
  kI32x4LeS = 0x3d,
  kI32x4LeU = 0x3e,
  kF32x4Eq = 0x41,
  kF32x4Ne = 0x42,
  kF32x4Lt = 0x43,
  kF32x4Le = 0x45,
  kNot = 0x4d,
  kAnd = 0x4e,
  kOr = 0x50,
  kXor = 0x51,
  kBitSelect = 0x52,
  kF32x4Ceil = 0x67,
  kF32x4Floor = 0x68,
  kF32x4Nearest = 0x6a,
  kI32x4Abs = 0xa0,
  kI32x4Neg = 0xa1,
  kI32x4Shl = 0xab,
  kI32x4ShrS = 0xac,
  kI32x4ShrU = 0xad,
  kI32x4Add = 0xae,
  kI32x4Sub = 0xb1,
  kI32x4Mul = 0xb5,
  kI32x4MinS = 0xb6,
  kI32x4MinU = 0xb7,
  kI32x4MaxS = 0xb8,
  kI32x4MaxU = 0xb9,
  kI64x2MulLowU = 0xde,   // i64x2.extmul_low_i32x4_u
  kI64x2MulHighU = 0xdf,  // i64x2.extmul_high_i32x4_u
  kF32x4Abs = 0xe0,
  kF32x4Neg = 0xe1,
  kF32x4Sqrt = 0xe3,
  kF32x4Add = 0xe4,
  kF32x4Sub = 0xe5,
  kF32x4Mul = 0xe6,
  kF32x4Div = 0xe7,
  kF32x4Min = 0xe8,
  kF32x4Max = 0xe9,
  kF32x4PMin = 0xea,
  kF32x4PMax = 0xeb,
  kI32x4FromF32 = 0xf8,  // i32x4.trunc_sat_f32x4_s
  kU32x4FromF32 = 0xf9,  // i32x4.trunc_sat_f32x4_u
  kF32x4FromI32 = 0xfa,  // f32x4.convert_i32x4_s
  kF32x4FromU32 = 0xfb,  // f32x4.convert_i32x4_u
};

}  // namespace tfpy::wasm
