#include "elementwise/bytecode.h"

#include <string.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"

namespace tfpy {
namespace {

constexpr size_t kMaxDims = 16;
constexpr size_t kMinRow = 128;  // rows at least so long are worth blocks of their own
constexpr int32_t kMaxRegisters = 4096;

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
  if (tape.splits_rows) return strides.back() == 0 ? Access::kRowConstant : Access::kStrided;
  const bool repeats = is_periodic && tape.row != 0 && tape.block % tape.row == 0;
  return repeats ? Access::kPeriodic : Access::kStrided;
}

// Rows that are split are whole vectors, so that only the last block of all has a rest. Of other
// rows a block has as many as make whole vectors, if it has room for them.
void choose_blocks(Tape* tape) {
  tape->block = kBlock;
  if (tape->dims.size() == 1 || tape->row == 0) return;
  tape->splits_rows = tape->row >= kMinRow && tape->row % 4 == 0;
  if (tape->splits_rows || tape->row > kBlock) return;
  const size_t unit = std::lcm(tape->row, size_t{4});
  if (unit <= kBlock) tape->block = kBlock / unit * unit;
}

void read_sources(StepSpec& step, Tape* tape) {
  const rapidjson::Value* lists = step.params.list("strides");
  if (lists == nullptr) return;
  step.params.require(lists->Size() == step.inputs.size(),
                      "strides has not one list for each input");
  std::vector<int32_t> offsets(step.inputs.size(), 0);
  if (step.params.has("offsets"))
    offsets = step.params.numbers("offsets", step.inputs.size(), 0, kMaxNumber);
  for (size_t i = 0; step.ok() && i < step.inputs.size(); ++i) {
    const rapidjson::Value& list = (*lists)[static_cast<rapidjson::SizeType>(i)];
    step.params.require(list.IsArray() && list.Size() == tape->dims.size(),
                        "strides has a list of a wrong length");
    if (!step.ok()) return;
    std::vector<int32_t> strides(tape->dims.size());
    uint64_t last = static_cast<uint64_t>(offsets[i]);
    for (size_t d = 0; d < strides.size(); ++d) {
      const rapidjson::Value& value = list[static_cast<rapidjson::SizeType>(d)];
      step.params.require(read_number(value, "strides", 0, kMaxNumber, &strides[d]), last_error());
      if (tape->count != 0)
        last +=
            product({static_cast<uint64_t>(tape->dims[d] - 1), static_cast<uint64_t>(strides[d])});
    }
    step.params.require(tape->count == 0 || last < step.inputs[i].count, "strides leave an input");
    const size_t offset = static_cast<size_t>(offsets[i]);
    tape->sources.push_back({step.inputs[i].dtype, access_of(*tape, strides), strides, offset});
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
  Instruction instruction{op, 0, {0, 0, 0}};
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

void read_code(StepSpec& step, Tape* tape) {
  const rapidjson::Value* code = step.params.list("code");
  step.params.require(code != nullptr && !code->Empty(), "code is empty");
  if (!step.ok()) return;
  std::vector<bool> written(tape->registers, false);
  std::fill_n(written.begin(), tape->sources.size() + tape->constants.size(), true);
  for (const rapidjson::Value& value : code->GetArray())
    read_instruction(step, value, tape, &written);
}

}  // namespace

Tape read_tape(StepSpec& step) {
  Tape tape;
  tape.dtype = step.output.dtype;
  tape.count = step.output.count;
  tape.dims = step.params.numbers("dims", 0, kMaxNumber);
  step.params.require(!tape.dims.empty() && tape.dims.size() <= kMaxDims,
                      "dims has no or too many numbers");
  if (!step.ok()) return tape;
  uint64_t count = 1;
  for (const int32_t dim : tape.dims) count = product({count, static_cast<uint64_t>(dim)});
  step.require_count(step.output, count, "the output");
  tape.row = tape.dims.back();
  tape.constants = step.params.numbers("constants", INT32_MIN, INT32_MAX);
  const int32_t fixed = static_cast<int32_t>(step.inputs.size() + tape.constants.size());
  tape.registers = step.params.number("registers", fixed, kMaxRegisters);
  choose_blocks(&tape);
  read_sources(step, &tape);
  if (step.ok()) read_code(step, &tape);
  return tape;
}

}  // namespace tfpy
