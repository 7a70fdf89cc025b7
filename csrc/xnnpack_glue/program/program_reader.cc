#include "program/program_reader.h"

#include <rapidjson/document.h>
#include <stdio.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/sizes.h"

namespace tfpy::programs {
namespace {

using rapidjson::Value;

constexpr int32_t kMaxBuffers = 1 << 20;
constexpr size_t kNever = SIZE_MAX;
// Memory that the parser may need per byte of text, and at least.
constexpr uint64_t kParserFactor = 32, kParserBytes = 1 << 16;

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

bool read_buffer(const Value& value, BufferSpec* buffer) {
  const Value* shape = list(value, "shape");
  if (shape == nullptr) return false;
  uint64_t count = 1;
  for (const Value& dim : shape->GetArray()) {
    int32_t number = 0;
    if (!read_number(dim, "shape", 0, kMaxNumber, &number)) return false;
    count = product({count, static_cast<uint64_t>(number)});
  }
  for (const DType dtype : {DType::kFloat32, DType::kInt32, DType::kBool, DType::kInt8}) {
    if (value.HasMember("dtype") &&
        value["dtype"] == Value(rapidjson::StringRef(dtype_name(dtype)))) {
      if (product({count, element_size(dtype)}) > INT32_MAX)
        return fail("program: a buffer is larger than 2 GiB");
      *buffer = {dtype, static_cast<size_t>(count)};
      return true;
    }
  }
  return fail("program: a buffer's dtype is not float32, int32, bool or int8");
}

bool read_kernels(const Value& document, std::vector<const KernelEntry*>* entries) {
  const Value* kernels = list(document, "kernels");
  if (kernels == nullptr) return false;
  for (const Value& value : kernels->GetArray()) {
    if (!value.IsObject() || !value.HasMember("name") || !value["name"].IsString()) {
      return fail("program: a kernel has no name");
    }
    const char* name = value["name"].GetString();
    const KernelEntry* const entry = find_kernel(name);
    if (entry == nullptr) return fail("program: there is no kernel %.40s", name);
    entries->push_back(entry);
  }
  return true;
}

// Returns the position of each of `count` buffers in a list; kNever for buffers that are not in it.
std::vector<size_t> places_in(const std::vector<int32_t>& buffers, size_t count) {
  std::vector<size_t> places(count, kNever);
  for (size_t i = 0; i < buffers.size(); ++i) places[buffers[i]] = i;
  return places;
}

class Reader {
 public:
  explicit Reader(Program* program) : program_(*program) {}

  bool read(const Value& document) {
    const Value* buffers = list(document, "buffers");
    if (buffers == nullptr) return false;
    if (buffers->Size() > kMaxBuffers) return fail("program: more than %d buffers", kMaxBuffers);
    for (const Value& value : buffers->GetArray()) {
      if (!read_buffer(value, &program_.buffers.emplace_back())) return false;
    }
    const size_t count = program_.buffers.size();
    program_.operands.resize(count);
    written_.resize(count);
    is_temporary_.resize(count);
    last_use_.resize(count, kNever);
    maker_.resize(count, kNever);
    return read_inputs(document) && read_constants(document) && read_steps(document) &&
           read_outputs(document) && read_donations(document) && read_arena(document);
  }

 private:
  bool write(int32_t index) {
    if (written_[index]) return fail("program: buffer %d is written twice", index);
    return written_[index] = true;
  }

  bool read_inputs(const Value& document) {
    if (!read_indices(document, "inputs", written_.size(), &program_.inputs)) return false;
    return std::all_of(program_.inputs.begin(), program_.inputs.end(),
                       [this](int32_t index) { return write(index); });
  }

  bool read_constants(const Value& document) {
    const Value* constants = list(document, "constants");
    if (constants == nullptr) return false;
    const int32_t last = static_cast<int32_t>(written_.size()) - 1;
    for (const Value& value : constants->GetArray()) {
      int32_t index = 0, offset = 0;
      if (!read_member(value, "buffer", last, &index)) return false;
      if (!read_member(value, "offset", kMaxNumber, &offset) || !write(index)) return false;
      const uint64_t end =
          uint64_t{static_cast<uint32_t>(offset)} + bytes_of(program_.buffers[index]);
      if (offset % 16 != 0 || end > program_.constants.bytes())
        return fail("program: the constant of buffer %d is outside the constants' bytes", index);
      program_.operands[index] = {program_.constants.as<char>() + offset, slots::reserve(1)};
    }
    return true;
  }

  bool read_steps(const Value& document) {
    std::vector<const KernelEntry*> kernels;
    if (!read_kernels(document, &kernels)) return false;
    const Value* steps = list(document, "steps");
    if (steps == nullptr) return false;
    for (const Value& value : steps->GetArray()) {
      if (!read_step(value, kernels)) return false;
    }
    return true;
  }

  bool read_step(const Value& value, const std::vector<const KernelEntry*>& kernels) {
    const size_t number = program_.steps.size(), count = program_.buffers.size();
    std::vector<int32_t> inputs, outputs;
    int32_t kernel = 0;
    if (!read_member(value, "kernel", static_cast<int32_t>(kernels.size()) - 1, &kernel))
      return false;
    if (!read_indices(value, "inputs", count, &inputs)) return false;
    if (!read_indices(value, "outputs", count, &outputs)) return false;
    if (outputs.size() != 1)
      return fail("program: step %zu has %zu outputs", number, outputs.size());
    if (!value.HasMember("params") || !value["params"].IsObject())
      return fail("program: step %zu has no params", number);
    const int32_t output = outputs[0];
    StepSpec spec{Params(value["params"]), {}, program_.buffers[output]};
    if (spec.output.dtype == DType::kInt8) return fail("program: step %zu makes int8", number);
    for (const int32_t index : inputs) {
      if (!written_[index])
        return fail("program: step %zu reads buffer %d before it is written", number, index);
      last_use_[index] = number;
      spec.inputs.push_back(program_.buffers[index]);
    }
    if (!write(output)) return false;
    is_temporary_[output] = true;
    last_use_[output] = maker_[output] = number;
    const KernelEntry& entry = *kernels[kernel];
    Step step{entry.factory(spec), entry.name, program_.step_inputs.size(),
              inputs.size(),       output,     program_.buffers[output].count == 0};
    if (step.kernel == nullptr) {
      char reason[256];
      snprintf(reason, sizeof reason, "%s", last_error());
      return fail("program: step %zu (kernel %d): %s", number, kernel, reason);
    }
    if (!spec.reads_all_bytes())
      return fail("program: step %zu (kernel %d) does not read int8", number, kernel);
    program_.step_inputs.insert(program_.step_inputs.end(), inputs.begin(), inputs.end());
    if (program_.arguments.size() < inputs.size()) program_.arguments.resize(inputs.size());
    program_.steps.push_back(std::move(step));
    return true;
  }

  // Outputs are distinct buffers that steps write.
  bool read_outputs(const Value& document) {
    if (!read_indices(document, "outputs", written_.size(), &program_.outputs)) return false;
    for (const int32_t index : program_.outputs) {
      if (!is_temporary_[index])
        return fail("program: no step makes output buffer %d alone", index);
      is_temporary_[index] = false;
    }
    return true;
  }

  // Reads "donations": [[output buffer, input buffer], ...], if present.
  bool read_donations(const Value& document) {
    program_.donated.resize(program_.outputs.size(), kNone);
    if (!document.HasMember("donations")) return true;
    const Value* donations = list(document, "donations");
    if (donations == nullptr) return false;
    std::vector<bool> is_paired(written_.size());
    const std::vector<size_t> outputs = places_in(program_.outputs, written_.size());
    const std::vector<size_t> inputs = places_in(program_.inputs, written_.size());
    size_t first_step = program_.steps.size();
    for (const Value& pair : donations->GetArray()) {
      int32_t output = 0, input = 0;
      if (!read_pair(pair, "a donation", &output, &input)) return false;
      const bool is_there = static_cast<size_t>(input) < inputs.size();
      if (!is_there || outputs[output] == kNever || inputs[input] == kNever)
        return fail("program: buffer %d is not an output, or buffer %d is not an input", output,
                    input);
      if (is_paired[output] || is_paired[input])
        return fail("program: buffer %d or %d is in two donations", output, input);
      is_paired[output] = is_paired[input] = true;
      size_t number = 0;
      if (!check_donation(output, input, &number)) return false;
      first_step = std::min(first_step, number);
      program_.donated[outputs[output]] = static_cast<int32_t>(inputs[input]);
    }
    return spoils(document) || read_sure_scratch(first_step);
  }

  // number: the step that writes the output, which must be the last to read the input.
  bool check_donation(int32_t output, int32_t input, size_t* number) {
    if (bytes_of(program_.buffers[output]) != bytes_of(program_.buffers[input]))
      return fail("program: buffers %d and %d differ in size", output, input);
    *number = maker_[output];
    const bool is_read_later = last_use_[input] != kNever && last_use_[input] > *number;
    if (is_read_later || !may_overwrite(use_of(program_.steps[*number]), input))
      return fail("program: step %zu would overwrite input %d", *number, input);
    return true;
  }

  // Returns true if a run that fails may leave donated inputs changed.
  static bool spoils(const Value& document) {
    return document.HasMember("spoils") && document["spoils"].IsTrue();
  }

  // Ensures that a run that fails leaves its inputs unchanged.
  bool read_sure_scratch(size_t first_step) {
    for (size_t number = first_step; number < program_.steps.size(); ++number) {
      const std::optional<uint64_t> need = program_.steps[number].kernel->sole_need();
      if (!need) return fail("program: step %zu may fail after one that writes in place", number);
      program_.sure_scratch = std::max(program_.sure_scratch, *need);
    }
    return true;
  }

  StepUse use_of(const Step& step) const {
    return {step.kernel.get(), program_.step_inputs.data() + step.first_input, step.input_count,
            step.output};
  }

  // Reads "arena": {"nbytes": N, "offsets": [[buffer, offset], ...]}, if there are temporaries.
  bool read_arena(const Value& document) {
    if (document.HasMember("arena")) {
      const Value& arena = document["arena"];
      int32_t bytes = 0;
      const Value* offsets = list(arena, "offsets");
      if (offsets == nullptr || !read_member(arena, "nbytes", kMaxNumber, &bytes)) return false;
      program_.arena.bytes = static_cast<size_t>(bytes);
      for (const Value& pair : offsets->GetArray()) {
        if (!read_place(pair)) return false;
      }
    }
    std::vector<StepUse> uses;
    for (const Step& step : program_.steps) uses.push_back(use_of(step));
    return check_plan(program_.arena, program_.buffers, is_temporary_, last_use_, uses);
  }

  // Reads a buffer and a number.
  bool read_pair(const Value& pair, const char* name, int32_t* buffer, int32_t* number) {
    if (!pair.IsArray() || pair.Size() != 2) return fail("program: %s is not a pair", name);
    const int32_t last = static_cast<int32_t>(written_.size()) - 1;
    return read_number(pair[0], name, 0, last, buffer) &&
           read_number(pair[1], name, 0, kMaxNumber, number);
  }

  bool read_place(const Value& pair) {
    int32_t buffer = 0, offset = 0;
    if (!read_pair(pair, "a place of the arena", &buffer, &offset)) return false;
    program_.arena.places.push_back({buffer, static_cast<size_t>(offset)});
    return true;
  }

  Program& program_;
  std::vector<bool> written_, is_temporary_;
  std::vector<size_t> last_use_;  // step that reads a buffer last
  std::vector<size_t> maker_;     // step that writes a buffer
};

// The parser cannot report that the heap is full, so this function checks for its memory first.
bool has_room_to_parse(size_t length) {
  Block probe;
  return Block::allocate(length * kParserFactor + kParserBytes, &probe);
}

}  // namespace

bool read_program(const char* text, size_t length, Program* program) {
  if (!has_room_to_parse(length)) return false;
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(text, length);
  if (document.HasParseError())
    return fail("program: the text is not JSON (at %zu)", document.GetErrorOffset());
  return Reader(program).read(document);
}

}  // namespace tfpy::programs
