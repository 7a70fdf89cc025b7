// Elementwise kernels: bytecode of scalar operations, run block by block in registers that fit in
// the L1 cache. Inputs with the output's layout are read in place, and the result is written in
// place, so short bytecode runs at memory bandwidth.
#include <string.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/sizes.h"
#include "elementwise/block_inputs.h"
#include "elementwise/bytecode.h"
#include "elementwise/plan.h"
#include "program/arena.h"
#include "program/kernel.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

void store_masks(const int32_t* from, size_t n, uint8_t* to) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const v128_t words = wasm_v128_and(bits(load(from + i)), wasm_i32x4_const_splat(1));
    const v128_t halves = wasm_i16x8_narrow_i32x4(words, words);
    wasm_v128_store32_lane(to + i, wasm_u8x16_narrow_i16x8(halves, halves), 0);
  }
  for (; i < n; ++i) to[i] = static_cast<uint8_t>(from[i] & 1);
}

// Runs bytecode on elements begin..end of the output in one thread; both must be at the start of a
// block, or at the end of the output.
class Interpreter {
 public:
  Interpreter(const Bytecode& bytecode, const Plan& plan, const Operand* operands, void* output,
              Register* own, size_t begin)
      : bytecode_(bytecode),
        plan_(plan),
        inputs_(bytecode, plan, operands, own, begin),
        output_(output),
        own_(own),
        begin_(begin) {}

  void run(size_t end) {
    while (begin_ < end) {
      size_t n = std::min(bytecode_.block, end - begin_);
      if (bytecode_.splits_rows) n = std::min(n, bytecode_.row - begin_ % bytecode_.row);
      inputs_.next(n);
      run_block(n);
      begin_ += n;
    }
  }

 private:
  void run_block(size_t n) {
    const size_t lanes = (n + 3) & ~size_t{3};
    int32_t* const target = static_cast<int32_t*>(output_) + begin_;
    int32_t* const result = own_[bytecode_.result()];
    const bool in_place = lanes == n && bytecode_.dtype != DType::kBool;
    for (const PlanStep& step : plan_.steps) {
      const bool is_last = step.end == bytecode_.code.size();
      if (step.module != nullptr) {
        run_generated(step, lanes, is_last && in_place ? target : result);
      } else {
        const Instruction& instruction = bytecode_.code[step.begin];
        run_instruction(instruction, lanes, is_last && in_place ? target : own_[instruction.dst]);
      }
    }
    if (bytecode_.dtype == DType::kBool) {
      store_masks(result, n, static_cast<uint8_t*>(output_) + begin_);
    } else if (!in_place) {
      memcpy(target, result, n * sizeof(int32_t));
    }
  }

  void run_instruction(const Instruction& instruction, size_t lanes, int32_t* dst) {
    if (instruction.op == nullptr) {
      for (size_t k = 0; k < lanes; ++k) dst[k] = static_cast<int32_t>(begin_ + k);
    } else {
      const int32_t* from = instruction.operands;
      instruction.op->run(lanes, dst, inputs_.at(from[0]), inputs_.at(from[1]),
                          inputs_.at(from[2]));
    }
  }

  // `result` is the address of the bytecode's result if the step computes it.
  void run_generated(const PlanStep& step, size_t lanes, int32_t* result) {
    ports_.clear();
    for (const int32_t index : step.reads) ports_.push_back(inputs_.at(index));
    for (const int32_t index : step.writes)
      ports_.push_back(index == bytecode_.result() ? result : own_[index]);
    step.module->function()(lanes, ports_.data());
  }

  const Bytecode& bytecode_;
  const Plan& plan_;
  BlockInputs inputs_;
  void* output_;
  Register* own_;
  size_t begin_;
  std::vector<void*> ports_;
};

class ElementwiseKernel final : public Kernel {
 public:
  explicit ElementwiseKernel(Bytecode bytecode)
      : bytecode_(std::move(bytecode)), interpreted_(interpreted_plan(bytecode_)) {
    std::vector<bool> is_dense;  // a block is read before it is written
    for (const Source& source : bytecode_.sources)
      is_dense.push_back(source.access == Access::kDense && source.offset == 0);
    let_overwrite(std::move(is_dense));
  }

  bool run(const Operand* inputs, void* output) override {
    elements_ += bytecode_.count;
    if (compiled_ == nullptr && is_worth_compiling(bytecode_, elements_))
      compiled_ = std::make_unique<Plan>(compiled_plan(bytecode_));
    const Plan& chosen = compiled_ == nullptr ? interpreted_ : *compiled_;
    const size_t unit = bytecode_.block;
    const size_t units = ceil_divide(bytecode_.count, unit);
    const size_t tasks = task_count(units, unit * chosen.cost);
    Register* const registers = borrow_scratch<Register>(registers_of(tasks));
    if (registers == nullptr) return false;
    parallel_shares(units, tasks, [&](size_t task, size_t begin, size_t end) {
      Register* own = registers + task * bytecode_.registers;
      Interpreter(bytecode_, plan(), inputs, output, own, begin * unit)
          .run(std::min(bytecode_.count, end * unit));
    });
    return true;
  }

  std::optional<uint64_t> sole_need() const override {
    return product({registers_of(worker_count()), sizeof(Register)});
  }

 private:
  uint64_t registers_of(size_t tasks) const { return product({tasks, bytecode_.registers}); }

  // Returns the plan for this thread.
  const Plan& plan() const {
    return compiled_ != nullptr && is_runnable(*compiled_) ? *compiled_ : interpreted_;
  }

  const Bytecode bytecode_;
  const Plan interpreted_;
  std::unique_ptr<Plan> compiled_;
  uint64_t elements_ = 0;  // number of elements that the kernel has processed
};

}  // namespace

std::unique_ptr<Kernel> make_elementwise(StepSpec& step) {
  Bytecode bytecode = read_bytecode(step);
  if (!step.ok()) return nullptr;
  return std::make_unique<ElementwiseKernel>(std::move(bytecode));
}

}  // namespace tfpy
