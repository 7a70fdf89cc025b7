#include "elementwise/bytecode.h"

#include <string.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"
#include "base/sizes.h"

namespace tfpy {
namespace {

constexpr size_t kMaxDims = 16;
constexpr size_t kMinRow = 128;  // minimum length of rows that get their own blocks
constexpr int32_t kMaxRegisters = 4096;

Access access_of(const Bytecode& bytecode, const std::vector<int32_t>& strides) {
  int64_t dense = 1;
  bool is_dense = true, is_constant = true, is_periodic = true;
  for (size_t d = bytecode.dims.size(); d-- > 0;) {
    is_dense &= strides[d] == dense || bytecode.dims[d] == 1;
    is_constant &= strides[d] == 0;
    is_periodic &= strides[d] == 0 || d + 1 == bytecode.dims.size();
    dense *= bytecode.dims[d];
  }
  if (is_dense) return Access::kDense;
  if (is_constant) return Access::kConstant;
  if (bytecode.splits_rows) return strides.back() == 0 ? Access::kRowConstant : Access::kStrided;
  const bool repeats = is_periodic && bytecode.row != 0 && bytecode.block % bytecode.row == 0;
  return repeats ? Access::kPeriodic : Access::kStrided;
}

// Split rows consist of whole vectors, so that only the very last block has a remainder. Otherwise
// a block has a number of rows that makes whole vectors, if it has room for them.
void choose_blocks(Bytecode* bytecode) {
  bytecode->block = kBlock;
  if (bytecode->dims.size() == 1 || bytecode->row == 0) return;
  bytecode->splits_rows = bytecode->row >= kMinRow && bytecode->row % 4 == 0;
  if (bytecode->splits_rows || bytecode->row > kBlock) return;
  const size_t unit = std::lcm(bytecode->row, size_t{4});
  if (unit <= kBlock) bytecode->block = kBlock / unit * unit;
}

void read_sources(StepSpec& step, Bytecode* bytecode) {
  const rapidjson::Value* lists = step.params.list("strides");
  if (lists == nullptr) return;
  step.params.require(lists->Size() == step.inputs.size(),
                      "strides does not have one list per input");
  std::vector<int32_t> offsets(step.inputs.size(), 0);
  if (step.params.has("offsets"))
    offsets = step.params.numbers("offsets", step.inputs.size(), 0, kMaxNumber);
  for (size_t i = 0; step.ok() && i < step.inputs.size(); ++i) {
    const rapidjson::Value& list = (*lists)[static_cast<rapidjson::SizeType>(i)];
    step.params.require(list.IsArray() && list.Size() == bytecode->dims.size(),
                        "strides has a list of a wrong length");
    if (!step.ok()) return;
    std::vector<int32_t> strides(bytecode->dims.size());
    uint64_t last = static_cast<uint64_t>(offsets[i]);
    for (size_t d = 0; d < strides.size(); ++d) {
      const rapidjson::Value& value = list[static_cast<rapidjson::SizeType>(d)];
      step.params.require(read_number(value, "strides", 0, kMaxNumber, &strides[d]), last_error());
      if (bytecode->count != 0)
        last += product(
            {static_cast<uint64_t>(bytecode->dims[d] - 1), static_cast<uint64_t>(strides[d])});
    }
    step.params.require(bytecode->count == 0 || last < step.inputs[i].count,
                        "strides leave an input");
    const size_t offset = static_cast<size_t>(offsets[i]);
    bytecode->sources.push_back(
        {step.inputs[i].dtype, access_of(*bytecode, strides), strides, offset});
  }
}

// Reads an instruction: its name, the register that it writes, and the registers that it reads.
void read_instruction(StepSpec& step, const rapidjson::Value& value, Bytecode* bytecode,
                      std::vector<bool>* written) {
  const bool is_named = value.IsArray() && value.Size() >= 2 && value[0].IsString();
  step.params.require(is_named, "an instruction of code is not a list with a name and registers");
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
  const int32_t fixed = static_cast<int32_t>(bytecode->sources.size() + bytecode->constants.size());
  const int32_t limit = static_cast<int32_t>(bytecode->registers) - 1;
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
  bytecode->code.push_back(instruction);
}

void read_code(StepSpec& step, Bytecode* bytecode) {
  const rapidjson::Value* code = step.params.list("code");
  step.params.require(code != nullptr && !code->Empty(), "code is empty");
  if (!step.ok()) return;
  std::vector<bool> written(bytecode->registers, false);
  std::fill_n(written.begin(), bytecode->sources.size() + bytecode->constants.size(), true);
  for (const rapidjson::Value& value : code->GetArray())
    read_instruction(step, value, bytecode, &written);
}

}  // namespace

Bytecode read_bytecode(StepSpec& step) {
  Bytecode bytecode;
  bytecode.dtype = step.output.dtype;
  bytecode.count = step.output.count;
  bytecode.dims = step.params.numbers("dims", 0, kMaxNumber);
  step.params.require(!bytecode.dims.empty() && bytecode.dims.size() <= kMaxDims,
                      "dims has no numbers or too many");
  if (!step.ok()) return bytecode;
  uint64_t count = 1;
  for (const int32_t dim : bytecode.dims) count = product({count, static_cast<uint64_t>(dim)});
  step.require_count(step.output, count, "the output");
  bytecode.row = bytecode.dims.back();
  bytecode.constants = step.params.numbers("constants", INT32_MIN, INT32_MAX);
  const int32_t fixed = static_cast<int32_t>(step.inputs.size() + bytecode.constants.size());
  bytecode.registers = step.params.number("registers", fixed, kMaxRegisters);
  choose_blocks(&bytecode);
  read_sources(step, &bytecode);
  if (step.ok()) read_code(step, &bytecode);
  return bytecode;
}

}  // namespace tfpy
