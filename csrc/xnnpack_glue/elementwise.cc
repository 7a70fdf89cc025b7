// Elementwise kernels: a tape of scalar operations, run block by block in registers that stay in
// the L1 cache. Inputs that lie as the output does are read in place, the result is written in
// place, so a short tape runs at memory bandwidth.
#include <string.h>

#include <numeric>
#include <string>
#include <utility>

#include "error.h"
#include "kernel.h"
#include "parallel.h"
#include "scalar_ops.h"
#include "simd.h"

namespace tfpy {
namespace {

constexpr size_t kBlock = 512;  // elements of a register
constexpr size_t kMaxDims = 16;
constexpr int32_t kMaxRegisters = 4096;
constexpr size_t kMinRow = 128;  // rows at least so long are split; shorter ones share a block

struct Instruction {
  ScalarOp run;  // null: the flat index
  int32_t dst;
  int32_t operands[kMaxOperands];
};

enum class Access { kDense, kConstant, kPeriodic, kStrided };

struct Source {
  DType dtype;
  Access access;
  std::vector<int32_t> strides;  // in elements, one for each dimension
};

struct Tape {
  std::vector<Source> sources;     // registers 0.., one for each input
  std::vector<int32_t> constants;  // the registers that follow
  std::vector<Instruction> code;
  size_t registers = 0;
  std::vector<int32_t> dims;  // of the output, merged
  size_t count = 0, row = 0;  // row: length of the innermost dimension
  size_t block = 0;           // elements at a time
  DType dtype = DType::kFloat32;
};

using Register = int32_t[kBlock];

void fill(int32_t* to, size_t n, int32_t value) {
  const i32x4 lanes = splat(value);
  for (size_t i = 0; i < n; i += 4) store(to + i, lanes);
}

int32_t read_element(const Source& source, const void* data, size_t offset) {
  if (source.dtype == DType::kBool)
    return -static_cast<int32_t>(static_cast<const uint8_t*>(data)[offset] != 0);
  return static_cast<const int32_t*>(data)[offset];
}

// Bytes that are 0 or 1 become masks.
void load_masks(const uint8_t* from, size_t n, int32_t* to) {
  for (size_t i = 0; i < n; i += 4) {
    const v128_t words =
        wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(from + i)));
    store(to + i, as_i32(wasm_i32x4_ne(words, wasm_i32x4_const_splat(0))));
  }
}

void store_masks(const int32_t* from, size_t n, uint8_t* to) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const v128_t words = wasm_v128_and(bits(load(from + i)), wasm_i32x4_const_splat(1));
    const v128_t halves = wasm_i16x8_narrow_i32x4(words, words);
    wasm_v128_store32_lane(to + i, wasm_u8x16_narrow_i16x8(halves, halves), 0);
  }
  for (; i < n; ++i) to[i] = static_cast<uint8_t>(from[i] & 1);
}

void load_run(const Source& source, const void* data, size_t offset, int32_t stride, size_t n,
              int32_t* to) {
  if (stride == 0) {
    const int32_t value = read_element(source, data, offset);
    for (size_t i = 0; i < n; ++i) to[i] = value;
  } else if (stride == 1 && source.dtype != DType::kBool) {
    memcpy(to, static_cast<const int32_t*>(data) + offset, n * sizeof(int32_t));
  } else {
    for (size_t i = 0; i < n; ++i) to[i] = read_element(source, data, offset + i * stride);
  }
}

// Runs a tape on a range of the output in one thread.
class Interpreter {
 public:
  Interpreter(const Tape& tape, const Operand* inputs, void* output, Register* registers)
      : tape_(tape), inputs_(inputs), output_(output), own_(registers), at_(tape.registers) {
    for (size_t i = 0; i < at_.size(); ++i) at_[i] = own_[i];
    const size_t used = std::min(kBlock, (tape.count + 3) & ~size_t{3});
    for (size_t i = 0; i < tape.constants.size(); ++i)
      fill(own_[tape.sources.size() + i], used, tape.constants[i]);
    for (size_t i = 0; i < tape.sources.size(); ++i) {
      const Source& source = tape.sources[i];
      if (source.access == Access::kConstant)
        fill(own_[i], used, read_element(source, inputs[i].data, 0));
      if (source.access == Access::kPeriodic) {
        for (size_t to = 0; to < tape.block; to += tape.row) {
          load_run(source, inputs[i].data, 0, source.strides.back(), tape.row, own_[i] + to);
        }
      }
    }
  }

  // Elements begin..end; both at the start of a block, or the end of the output.
  void run(size_t begin, size_t end) {
    if (tape_.row >= kMinRow && tape_.dims.size() > 1) {
      while (begin < end) {
        const size_t rest = tape_.row - begin % tape_.row;
        const size_t n = std::min({tape_.block, rest, end - begin});
        run_block(begin, n);
        begin += n;
      }
    } else {
      for (; begin < end; begin += tape_.block)
        run_block(begin, std::min(tape_.block, end - begin));
    }
  }

 private:
  size_t offset_of(const Source& source, size_t flat) const {
    int64_t offset = 0;
    for (size_t d = tape_.dims.size(); d-- > 0;) {
      const size_t dim = tape_.dims[d];
      offset += static_cast<int64_t>(flat % dim) * source.strides[d];
      flat /= dim;
    }
    return static_cast<size_t>(offset);
  }

  void load_block(size_t number, size_t begin, size_t n) {
    const Source& source = tape_.sources[number];
    const void* data = inputs_[number].data;
    if (source.access == Access::kDense) {
      if (source.dtype == DType::kBool) {
        load_masks(static_cast<const uint8_t*>(data) + begin, n, own_[number]);
      } else {
        at_[number] = const_cast<int32_t*>(static_cast<const int32_t*>(data)) + begin;
      }
    } else if (source.access == Access::kStrided) {
      const int32_t stride = source.strides.back();
      if (tape_.row >= kMinRow && stride == 1 && source.dtype != DType::kBool) {
        at_[number] =
            const_cast<int32_t*>(static_cast<const int32_t*>(data)) + offset_of(source, begin);
        return;
      }
      for (size_t done = 0; done < n;) {
        const size_t length = std::min(tape_.row - (begin + done) % tape_.row, n - done);
        load_run(source, data, offset_of(source, begin + done), stride, length,
                 own_[number] + done);
        done += length;
      }
    }
  }

  void run_block(size_t begin, size_t n) {
    for (size_t i = 0; i < tape_.sources.size(); ++i) load_block(i, begin, n);
    const size_t lanes = (n + 3) & ~size_t{3};
    const int32_t last = tape_.code.back().dst;
    int32_t* const target = static_cast<int32_t*>(output_) + begin;
    const bool in_place = lanes == n && tape_.dtype != DType::kBool;
    for (size_t i = 0; i < tape_.code.size(); ++i) {
      const Instruction& step = tape_.code[i];
      void* dst = in_place && i + 1 == tape_.code.size() ? target : own_[step.dst];
      if (step.run == nullptr) {
        for (size_t k = 0; k < lanes; ++k)
          static_cast<int32_t*>(dst)[k] = static_cast<int32_t>(begin + k);
      } else {
        step.run(lanes, dst, at_[step.operands[0]], at_[step.operands[1]], at_[step.operands[2]]);
      }
    }
    if (tape_.dtype == DType::kBool) {
      store_masks(own_[last], n, static_cast<uint8_t*>(output_) + begin);
    } else if (!in_place) {
      memcpy(target, own_[last], n * sizeof(int32_t));
    }
  }

  const Tape& tape_;
  const Operand* inputs_;
  void* output_;
  Register* own_;
  std::vector<int32_t*> at_;  // where each register is: in own_, or in an input
};

bool run_tape(const Tape& tape, const Operand* inputs, void* output) {
  const size_t unit = tape.block;
  const size_t units = (tape.count + unit - 1) / unit;
  const size_t cost = unit * (tape.code.size() + tape.sources.size());
  const size_t tasks = task_count(units, cost);
  Block registers;
  if (!Block::allocate(uint64_t{tasks} * tape.registers * sizeof(Register), &registers))
    return false;
  parallel_for(tasks, [&](size_t task) {
    const size_t begin = units * task / tasks * unit;
    const size_t end = std::min(tape.count, units * (task + 1) / tasks * unit);
    Register* own = registers.as<Register>() + task * tape.registers;
    Interpreter(tape, inputs, output, own).run(begin, end);
  });
  return true;
}

Access access_of(const Tape& tape, const std::vector<int32_t>& strides) {
  int64_t dense = 1;
  bool is_dense = true, is_constant = true, is_periodic = true;
  for (size_t d = tape.dims.size(); d-- > 0;) {
    is_dense &= strides[d] == dense || tape.dims[d] == 1;
    is_constant &= strides[d] == 0;
    is_periodic &= strides[d] == 0 || d + 1 == tape.dims.size();
    dense *= tape.dims[d];
  }
  if (is_dense) return Access::kDense;
  if (is_constant) return Access::kConstant;
  return is_periodic && tape.row < kMinRow ? Access::kPeriodic : Access::kStrided;
}

// Short rows share a block, as many as make whole vectors.
size_t block_length(const Tape& tape) {
  if (tape.row >= kMinRow || tape.row == 0 || tape.dims.size() == 1) return kBlock;
  const size_t unit = std::lcm(tape.row, size_t{4});
  return kBlock / unit * unit;
}

void read_sources(StepSpec& step, Tape* tape) {
  const rapidjson::Value* lists = step.params.list("strides");
  if (lists == nullptr) return;
  step.params.require(lists->Size() == step.inputs.size(),
                      "strides has not one list for each input");
  for (size_t i = 0; step.ok() && i < step.inputs.size(); ++i) {
    const rapidjson::Value& list = (*lists)[static_cast<rapidjson::SizeType>(i)];
    step.params.require(list.IsArray() && list.Size() == tape->dims.size(),
                        "strides has a list of a wrong length");
    if (!step.ok()) return;
    std::vector<int32_t> strides(tape->dims.size());
    uint64_t last = 0;
    for (size_t d = 0; d < strides.size(); ++d) {
      const rapidjson::Value& value = list[static_cast<rapidjson::SizeType>(d)];
      step.params.require(read_number(value, "strides", 0, kMaxNumber, &strides[d]), last_error());
      if (tape->count != 0)
        last +=
            product({static_cast<uint64_t>(tape->dims[d] - 1), static_cast<uint64_t>(strides[d])});
    }
    step.params.require(tape->count == 0 || last < step.inputs[i].count, "strides leave an input");
    tape->sources.push_back({step.inputs[i].dtype, access_of(*tape, strides), strides});
  }
}

// An instruction: its name, the register it writes, the registers it reads.
void read_instruction(StepSpec& step, const rapidjson::Value& value, Tape* tape,
                      std::vector<bool>* written) {
  const bool is_named = value.IsArray() && value.Size() >= 2 && value[0].IsString();
  step.params.require(is_named, "an instruction of code is no list with a name and registers");
  if (!step.ok()) return;
  const char* name = value[0].GetString();
  const ScalarOpInfo* op = find_scalar_op(name);
  const bool is_index = strcmp(name, "index") == 0;
  if (op == nullptr && !is_index) {
    step.params.require(false, (std::string("there is no scalar operation ") + name).c_str());
    return;
  }
  const size_t operands = is_index ? 0 : op->operands;
  step.params.require(value.Size() == operands + 2,
                      "an instruction has a wrong number of registers");
  Instruction instruction{is_index ? nullptr : op->run, 0, {0, 0, 0}};
  const int32_t fixed = static_cast<int32_t>(tape->sources.size() + tape->constants.size());
  const int32_t limit = static_cast<int32_t>(tape->registers) - 1;
  for (size_t i = 0; step.ok() && i < operands; ++i) {
    const rapidjson::Value& operand = value[static_cast<rapidjson::SizeType>(i + 2)];
    step.params.require(read_number(operand, "an operand", 0, limit, &instruction.operands[i]),
                        last_error());
    step.params.require((*written)[instruction.operands[i]],
                        "a register is read before it is written");
  }
  if (step.ok())
    step.params.require(read_number(value[1], "a result register", fixed, limit, &instruction.dst),
                        last_error());
  if (step.ok()) (*written)[instruction.dst] = true;
  tape->code.push_back(instruction);
}

}  // namespace

std::unique_ptr<Kernel> make_elementwise(StepSpec& step) {
  Tape tape;
  tape.dtype = step.output.dtype;
  tape.count = step.output.count;
  tape.dims = step.params.numbers("dims", 0, kMaxNumber);
  step.params.require(!tape.dims.empty() && tape.dims.size() <= kMaxDims,
                      "dims has no or too many numbers");
  if (!step.ok()) return nullptr;
  uint64_t count = 1;
  for (const int32_t dim : tape.dims) count = product({count, static_cast<uint64_t>(dim)});
  step.require_count(step.output, count, "the output");
  tape.row = tape.dims.back();
  tape.constants = step.params.numbers("constants", INT32_MIN, INT32_MAX);
  const int32_t fixed = static_cast<int32_t>(step.inputs.size() + tape.constants.size());
  tape.registers = step.params.number("registers", fixed, kMaxRegisters);
  tape.block = block_length(tape);
  read_sources(step, &tape);
  const rapidjson::Value* code = step.params.list("code");
  step.params.require(code != nullptr && !code->Empty(), "code is empty");
  if (!step.ok()) return nullptr;
  std::vector<bool> written(tape.registers, false);
  std::fill_n(written.begin(), fixed, true);
  for (const rapidjson::Value& value : code->GetArray())
    read_instruction(step, value, &tape, &written);
  if (!step.ok()) return nullptr;
  std::vector<bool> is_dense;  // a block is read before it is written
  for (const Source& source : tape.sources) is_dense.push_back(source.access == Access::kDense);
  auto kernel = make_kernel([tape = std::move(tape)](const Operand* inputs, void* output) {
    return run_tape(tape, inputs, output);
  });
  kernel->let_overwrite(std::move(is_dense));
  return kernel;
}

}  // namespace tfpy
