#include "program.h"

#include <rapidjson/document.h>
#include <stdio.h>

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "error.h"
#include "kernel.h"

namespace tfpy::programs {
namespace {

using rapidjson::Value;

constexpr int32_t kMaxBuffers = 1 << 20;
constexpr size_t kNever = SIZE_MAX;
// What the parser may need for each byte of text, and at least.
constexpr uint64_t kParserFactor = 32, kParserBytes = 1 << 16;

struct Buffer {
  BufferSpec spec;
  const void* constant = nullptr;
  int32_t constant_id = 0;
  bool written = false;
  bool is_output = false;
  size_t last_use = kNever;  // the step that reads it last
};

struct Step {
  std::unique_ptr<Kernel> kernel;
  std::vector<int32_t> inputs;
  int32_t output = 0;
  std::vector<int32_t> dead;  // buffers that nobody reads afterwards
};

struct Program {
  Block constants;
  std::vector<Buffer> buffers;
  std::vector<int32_t> inputs, outputs;
  std::vector<Step> steps;
};

int32_t next_id = 1;

std::unordered_map<int32_t, Program>& table() {
  static std::unordered_map<int32_t, Program> programs;
  return programs;
}

const Value* list(const Value& object, const char* name) {
  if (object.IsObject()) {
    const auto found = object.FindMember(name);
    if (found != object.MemberEnd() && found->value.IsArray()) return &found->value;
  }
  fail("program: the list %s is missing", name);
  return nullptr;
}

bool read_member(const Value& object, const char* name, int32_t max, int32_t* out) {
  if (!object.IsObject() || !object.HasMember(name)) return fail("program: %s is missing", name);
  return read_number(object[name], name, 0, max, out);
}

bool read_indices(const Value& object, const char* name, size_t count, std::vector<int32_t>* out) {
  const Value* values = list(object, name);
  if (values == nullptr) return false;
  out->resize(values->Size());
  for (rapidjson::SizeType i = 0; i < values->Size(); ++i) {
    if (!read_number((*values)[i], name, 0, static_cast<int32_t>(count) - 1, &(*out)[i]))
      return false;
  }
  return true;
}

bool read_buffer(const Value& value, Buffer* buffer) {
  const Value* shape = list(value, "shape");
  if (shape == nullptr) return false;
  uint64_t count = 1;
  for (const Value& dim : shape->GetArray()) {
    int32_t number = 0;
    if (!read_number(dim, "shape", 0, kMaxNumber, &number)) return false;
    count = product({count, static_cast<uint64_t>(number)});
  }
  for (const DType dtype : {DType::kFloat32, DType::kInt32, DType::kBool}) {
    if (value.HasMember("dtype") &&
        value["dtype"] == Value(rapidjson::StringRef(dtype_name(dtype)))) {
      if (product({count, element_size(dtype)}) > INT32_MAX)
        return fail("program: a buffer is larger than 2 GiB");
      buffer->spec = {dtype, static_cast<size_t>(count)};
      return true;
    }
  }
  return fail("program: a buffer's dtype is none of float32, int32 and bool");
}

bool write_buffer(Program* program, int32_t index) {
  Buffer& buffer = program->buffers[index];
  if (buffer.written) return fail("program: buffer %d is written twice", index);
  return buffer.written = true;
}

bool read_constants(const Value& document, Program* program) {
  const Value* constants = list(document, "constants");
  if (constants == nullptr) return false;
  for (const Value& value : constants->GetArray()) {
    int32_t index = 0, offset = 0;
    if (!read_member(value, "buffer", static_cast<int32_t>(program->buffers.size()) - 1, &index))
      return false;
    if (!read_member(value, "offset", kMaxNumber, &offset) || !write_buffer(program, index))
      return false;
    Buffer& buffer = program->buffers[index];
    const uint64_t end = uint64_t{static_cast<uint32_t>(offset)} +
                         product({buffer.spec.count, element_size(buffer.spec.dtype)});
    if (offset % 16 != 0 || end > program->constants.bytes()) {
      return fail("program: the constant of buffer %d is outside the constants' bytes", index);
    }
    buffer.constant = program->constants.as<char>() + offset;
    buffer.constant_id = slots::reserve(1);
  }
  return true;
}

bool read_kernels(const Value& document, std::vector<Factory>* factories) {
  const Value* kernels = list(document, "kernels");
  if (kernels == nullptr) return false;
  for (const Value& value : kernels->GetArray()) {
    if (!value.IsObject() || !value.HasMember("name") || !value["name"].IsString()) {
      return fail("program: a kernel has no name");
    }
    const char* name = value["name"].GetString();
    const Factory factory = find_kernel(name);
    if (factory == nullptr) return fail("program: there is no kernel %.40s", name);
    factories->push_back(factory);
  }
  return true;
}

bool read_step(const Value& value, const std::vector<Factory>& factories, Program* program) {
  const size_t number = program->steps.size();
  const size_t count = program->buffers.size();
  Step step;
  std::vector<int32_t> outputs;
  int32_t kernel = 0;
  if (!read_member(value, "kernel", static_cast<int32_t>(factories.size()) - 1, &kernel))
    return false;
  if (!read_indices(value, "inputs", count, &step.inputs)) return false;
  if (!read_indices(value, "outputs", count, &outputs)) return false;
  if (outputs.size() != 1) return fail("program: step %zu has %zu outputs", number, outputs.size());
  if (!value.HasMember("params") || !value["params"].IsObject())
    return fail("program: step %zu has no params", number);
  step.output = outputs[0];
  StepSpec spec{Params(value["params"]), {}, program->buffers[step.output].spec};
  for (const int32_t index : step.inputs) {
    Buffer& buffer = program->buffers[index];
    if (!buffer.written)
      return fail("program: step %zu reads buffer %d before it is written", number, index);
    buffer.last_use = number;
    spec.inputs.push_back(buffer.spec);
  }
  if (!write_buffer(program, step.output)) return false;
  program->buffers[step.output].last_use = number;
  step.kernel = factories[kernel](spec);
  if (step.kernel == nullptr) {
    char reason[256];
    snprintf(reason, sizeof reason, "%s", last_error());
    return fail("program: step %zu (kernel %d): %s", number, kernel, reason);
  }
  program->steps.push_back(std::move(step));
  return true;
}

bool read_program(const Value& document, Program* program) {
  const Value* buffers = list(document, "buffers");
  if (buffers == nullptr) return false;
  if (buffers->Size() > kMaxBuffers) return fail("program: more than %d buffers", kMaxBuffers);
  for (const Value& value : buffers->GetArray()) {
    if (!read_buffer(value, &program->buffers.emplace_back())) return false;
  }
  const size_t count = program->buffers.size();
  if (!read_indices(document, "inputs", count, &program->inputs)) return false;
  for (const int32_t index : program->inputs) {
    if (!write_buffer(program, index)) return false;
  }
  std::vector<Factory> factories;
  if (!read_constants(document, program) || !read_kernels(document, &factories)) return false;
  const Value* steps = list(document, "steps");
  if (steps == nullptr) return false;
  for (const Value& value : steps->GetArray()) {
    if (!read_step(value, factories, program)) return false;
  }
  return read_indices(document, "outputs", count, &program->outputs);
}

// Outputs are distinct buffers that steps write; buffers die at their last use.
bool finish_program(Program* program) {
  std::vector<bool> is_computed(program->buffers.size());
  for (const Step& step : program->steps) is_computed[step.output] = true;
  for (const int32_t index : program->outputs) {
    Buffer& buffer = program->buffers[index];
    if (!is_computed[index] || buffer.is_output)
      return fail("program: no step makes output buffer %d alone", index);
    buffer.is_output = true;
  }
  for (size_t index = 0; index < program->buffers.size(); ++index) {
    const Buffer& buffer = program->buffers[index];
    if (is_computed[index] && !buffer.is_output) {
      program->steps[buffer.last_use].dead.push_back(static_cast<int32_t>(index));
    }
  }
  return true;
}

// The parser cannot report that the heap is full, so its need is tried before.
bool has_room_to_parse(size_t length) {
  Block probe;
  return Block::allocate(length * kParserFactor + kParserBytes, &probe);
}

bool run_steps(Program& program, Operand* operands, Slot* results) {
  for (Step& step : program.steps) {
    const BufferSpec& spec = program.buffers[step.output].spec;
    Slot& result = results[step.output];
    result.count = spec.count;
    result.dtype = spec.dtype;
    if (!Block::allocate(product({spec.count, element_size(spec.dtype)}), &result.block))
      return false;
    operands[step.output].data = result.block.data();
    std::vector<Operand> inputs;
    inputs.reserve(step.inputs.size());
    for (const int32_t index : step.inputs) inputs.push_back(operands[index]);
    if (spec.count != 0 && !step.kernel->run(inputs.data(), result.block.data())) return false;
    for (const int32_t index : step.dead) results[index] = Slot();
  }
  return true;
}

}  // namespace

int32_t add(const char* text, size_t length, Slot&& constants) {
  if (!has_room_to_parse(length)) return -1;
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(text, length);
  if (document.HasParseError()) {
    fail("program: the text is no JSON (at %zu)", document.GetErrorOffset());
    return -1;
  }
  Program program;
  program.constants = std::move(constants.block);
  if (!read_program(document, &program) || !finish_program(&program)) return -1;
  table().emplace(next_id, std::move(program));
  return next_id++;
}

int32_t run(int32_t id, const int32_t* inputs, size_t count) {
  const auto found = table().find(id);
  if (found == table().end()) {
    fail("there is no program %d", id);
    return -1;
  }
  Program& program = found->second;
  if (count != program.inputs.size()) {
    fail("the program takes %zu inputs, not %zu", program.inputs.size(), count);
    return -1;
  }
  std::vector<Operand> operands(program.buffers.size());
  std::vector<Slot> results(program.buffers.size());
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    operands[i] = {program.buffers[i].constant, program.buffers[i].constant_id};
  }
  for (size_t i = 0; i < count; ++i) {
    const Slot* slot = slots::find(inputs[i]);
    if (slot == nullptr) return -1;
    const BufferSpec& spec = program.buffers[program.inputs[i]].spec;
    if (slot->count != spec.count || slot->dtype != spec.dtype) {
      fail("input %zu is %s of %zu elements; the program takes %s of %zu", i,
           dtype_name(slot->dtype), slot->count, dtype_name(spec.dtype), spec.count);
      return -1;
    }
    operands[program.inputs[i]] = {slot->block.data(), inputs[i]};
  }
  if (!run_steps(program, operands.data(), results.data())) return -1;
  const int32_t first = slots::reserve(static_cast<int32_t>(program.outputs.size()));
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    slots::put(first + static_cast<int32_t>(i), std::move(results[program.outputs[i]]));
  }
  return first;
}

bool remove(int32_t id) { return table().erase(id) != 0 || fail("there is no program %d", id); }

void clear() { table().clear(); }

size_t count() { return table().size(); }

}  // namespace tfpy::programs
