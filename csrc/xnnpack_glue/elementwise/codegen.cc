#include "elementwise/codegen.h"

#include <algorithm>
#include <utility>

#include "elementwise/wasm_bytes.h"

namespace tfpy {
namespace {

using wasm::Bytes;

constexpr uint32_t kLanes = 4;
constexpr uint32_t kVectorBytes = 16;
// Parameters of the function; the following locals hold the ports' addresses.
constexpr uint32_t kCount = 0, kPorts = 1, kFirstAddress = 2;
constexpr size_t kManyValues = 6, kLongChain = 8;

class Generator {
 public:
  Generator(const Bytecode& bytecode, size_t begin, size_t end)
      : bytecode_(bytecode), begin_(begin), end_(end), local_(bytecode.registers) {
    find_ports();
    choose_locals();
  }

  GeneratedRun generate() {
    Bytes body;
    prologue(body);
    loop(body, unroll_);
    loop(body, 1);
    body.byte(wasm::kEnd);
    run_.module = module(body);
    return std::move(run_);
  }

 private:
  // Finds the registers that are read before the run writes them, and the written registers that
  // are read later.
  void find_ports() {
    for (size_t i = begin_; i < end_; ++i) {
      const Instruction& step = bytecode_.code[i];
      for (size_t k = 0; k < step.operand_count(); ++k) {
        const int32_t index = step.operands[k];
        if (bytecode_.is_constant(index)) {
          add(index, &constants_);
        } else if (!contains(written_, index)) {
          add(index, &run_.reads);
        }
      }
      add(step.dst, &written_);
    }
    for (const int32_t index : written_) {
      if (is_live_after(index)) run_.writes.push_back(index);
    }
  }

  // Returns the number of vectors at a time, based on measurements: chains of dependent operations
  // need many vectors in flight, but many live values need few.
  uint32_t choose_unroll() const {
    if (written_.size() > kManyValues) return 2;
    return written_.size() == 1 && end_ - begin_ > kLongChain ? 8 : 4;
  }

  void choose_locals() {
    unroll_ = choose_unroll();
    next_local_ = kFirstAddress + static_cast<uint32_t>(run_.reads.size() + run_.writes.size());
    first_vector_ = next_local_;
    for (const std::vector<int32_t>* list : {&constants_, &run_.reads, &written_}) {
      for (const int32_t index : *list) {
        if (local_[index] != 0) continue;
        local_[index] = next_local_;
        next_local_ += bytecode_.is_single(index) ? 1 : unroll_;
      }
    }
  }

  static bool contains(const std::vector<int32_t>& list, int32_t index) {
    return std::find(list.begin(), list.end(), index) != list.end();
  }

  static void add(int32_t index, std::vector<int32_t>* to) {
    if (!contains(*to, index)) to->push_back(index);
  }

  bool is_live_after(int32_t index) const {
    for (size_t i = end_; i < bytecode_.code.size(); ++i) {
      const Instruction& step = bytecode_.code[i];
      const int32_t* const last = step.operands + step.operand_count();
      if (std::find(step.operands, last, index) != last) return true;
      if (step.dst == index) return false;
    }
    return index == bytecode_.result();
  }

  // Loads addresses, constants and single-valued inputs to locals.
  void prologue(Bytes& to) const {
    const uint32_t ports = static_cast<uint32_t>(run_.reads.size() + run_.writes.size());
    for (uint32_t port = 0; port < ports; ++port)
      to.get(kPorts)
          .byte(wasm::kI32Load)
          .at(wasm::kWordAlignment, port * 4)
          .set(kFirstAddress + port);
    for (const int32_t index : constants_)
      to.splat(static_cast<uint32_t>(bytecode_.constant(index))).set(local_[index]);
    for (uint32_t port = 0; port < run_.reads.size(); ++port) {
      if (bytecode_.is_single(run_.reads[port])) {
        to.get(kFirstAddress + port)
            .simd(wasm::kLoad)
            .at(wasm::kWordAlignment, 0)
            .set(local_[run_.reads[port]]);
      }
    }
  }

  // Processes this many vectors per iteration while enough are left.
  void loop(Bytes& to, uint32_t vectors) const {
    to.byte(wasm::kBlock).byte(wasm::kNoResult).byte(wasm::kLoop).byte(wasm::kNoResult);
    to.get(kCount).i32(vectors * kLanes).byte(wasm::kI32LtU).byte(wasm::kBranchIf).number(1);
    for (uint32_t port = 0; port < run_.reads.size(); ++port) {
      const int32_t index = run_.reads[port];
      if (bytecode_.is_single(index)) continue;
      for (uint32_t v = 0; v < vectors; ++v)
        to.get(kFirstAddress + port)
            .simd(wasm::kLoad)
            .at(wasm::kWordAlignment, v * kVectorBytes)
            .set(vector(index, v));
    }
    for (size_t i = begin_; i < end_; ++i) {
      for (uint32_t v = 0; v < vectors; ++v) {
        encode(to, bytecode_.code[i], v);
        to.set(vector(bytecode_.code[i].dst, v));
      }
    }
    const uint32_t first_write = kFirstAddress + static_cast<uint32_t>(run_.reads.size());
    for (uint32_t port = 0; port < run_.writes.size(); ++port) {
      for (uint32_t v = 0; v < vectors; ++v)
        to.get(first_write + port)
            .get(vector(run_.writes[port], v))
            .simd(wasm::kStore)
            .at(wasm::kWordAlignment, v * kVectorBytes);
    }
    advance(to, vectors);
    to.byte(wasm::kBranch).number(0).byte(wasm::kEnd).byte(wasm::kEnd);
  }

  void advance(Bytes& to, uint32_t vectors) const {
    for (uint32_t address = kFirstAddress; address < first_vector_; ++address) {
      const uint32_t port = address - kFirstAddress;
      if (port < run_.reads.size() && bytecode_.is_single(run_.reads[port])) continue;
      to.get(address).i32(vectors * kVectorBytes).byte(wasm::kI32Add).set(address);
    }
    to.get(kCount).i32(vectors * kLanes).byte(wasm::kI32Sub).set(kCount);
  }

  void encode(Bytes& to, const Instruction& step, uint32_t v) const {
    for (const Encoding::Piece& piece : step.op->encoding.pieces) {
      switch (piece.kind) {
        case Encoding::kNone:
          return;
        case Encoding::kOperand:
          to.get(vector(step.operands[piece.value], v));
          break;
        case Encoding::kShiftOperand:
          to.i32(bytecode_.constant(step.operands[piece.value]));
          break;
        case Encoding::kBits:
          to.splat(piece.value);
          break;
        case Encoding::kInstruction:
          to.simd(static_cast<wasm::SimdOpcode>(piece.value));
          break;
        case Encoding::kShuffleHighs:
          to.simd(wasm::kShuffle);
          for (uint8_t lane = 1; lane < 8; lane += 2)
            for (uint8_t k = 0; k < 4; ++k) to.byte(lane * 4 + k);
          break;
      }
    }
  }

  uint32_t vector(int32_t index, uint32_t v) const {
    return local_[index] + (bytecode_.is_single(index) ? 0 : v);
  }

  std::string module(const Bytes& body) const {
    Bytes locals;
    locals.number(2);
    locals.number(first_vector_ - kFirstAddress).byte(wasm::kI32);
    locals.number(next_local_ - first_vector_).byte(wasm::kV128);
    Bytes types, imports, functions, exports, code, all;
    types.number(1).byte(wasm::kFunction).number(2).byte(wasm::kI32).byte(wasm::kI32).number(0);
    imports.number(1).name("m").name("m").byte(wasm::kMemory);
#ifdef __EMSCRIPTEN_PTHREADS__
    imports.byte(wasm::kSharedMinimumAndMaximum).number(0).number(wasm::kMostPages);
#else
    imports.byte(wasm::kMinimum).number(0);
#endif
    functions.number(1).number(0);
    exports.number(1).name("f").byte(wasm::kFunctionIndex).number(0);
    code.number(1).counted(locals.append(body));
    for (const char c : wasm::kHeader) all.byte(c);
    all.section(wasm::kTypes, types).section(wasm::kImports, imports);
    all.section(wasm::kFunctions, functions).section(wasm::kExports, exports);
    return all.section(wasm::kCode, code).take();
  }

  const Bytecode& bytecode_;
  const size_t begin_, end_;
  GeneratedRun run_;
  uint32_t unroll_ = 1;
  uint32_t first_vector_ = 0, next_local_ = 0;
  std::vector<int32_t> constants_, written_;  // registers
  std::vector<uint32_t> local_;  // local of each register, or of its first vector if it varies
};

}  // namespace

bool has_encoding(const Bytecode& bytecode, const Instruction& instruction) {
  if (instruction.op == nullptr || instruction.op->encoding.empty()) return false;
  for (const Encoding::Piece& piece : instruction.op->encoding.pieces) {
    if (piece.kind == Encoding::kShiftOperand &&
        !bytecode.is_constant(instruction.operands[piece.value]))
      return false;
  }
  return true;
}

GeneratedRun generate(const Bytecode& bytecode, size_t begin, size_t end) {
  return Generator(bytecode, begin, end).generate();
}

}  // namespace tfpy
