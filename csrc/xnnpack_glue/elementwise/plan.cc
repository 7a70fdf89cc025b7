#include "elementwise/plan.h"

#include <algorithm>
#include <utility>

#include "base/sizes.h"
#include "elementwise/codegen.h"

namespace tfpy {
namespace {

// Modules of longer runs would be too large for synchronous compilation in some browsers.
constexpr size_t kMaxRun = 512;
// Number of interpreted operations on elements that take about as long as compilation.
constexpr uint64_t kCompileWork = 1 << 20;
// Number of generated instructions that take as long as one interpreted instruction, and number of
// interpreted instructions that take as long as one that computes a function.
constexpr size_t kSpeedup = 4, kFunctionCost = 8;

Codegen codegen = Codegen::kAuto;

size_t shortest_run() { return codegen == Codegen::kAlways ? 1 : 2; }

size_t run_end(const Bytecode& bytecode, size_t begin) {
  const size_t limit = std::min(bytecode.code.size(), begin + kMaxRun);
  size_t end = begin;
  while (end < limit && has_encoding(bytecode, bytecode.code[end])) ++end;
  return end;
}

void finish(const Bytecode& bytecode, Plan* plan) {
  plan->in_full.resize(bytecode.registers);
  for (const PlanStep& step : plan->steps) {
    if (step.module != nullptr) {
      plan->cost += ceil_divide(step.end - step.begin, kSpeedup);
      continue;
    }
    const Instruction& instruction = bytecode.code[step.begin];
    plan->cost += has_encoding(bytecode, instruction) ? 1 : kFunctionCost;
    for (size_t k = 0; k < instruction.operand_count(); ++k)
      plan->in_full[instruction.operands[k]] = true;
  }
}

}  // namespace

void set_codegen(Codegen when) { codegen = when; }

Plan interpreted_plan(const Bytecode& bytecode) {
  Plan plan;
  for (size_t i = 0; i < bytecode.code.size(); ++i)
    plan.steps.push_back({i, i + 1, nullptr, {}, {}});
  finish(bytecode, &plan);
  return plan;
}

Plan compiled_plan(const Bytecode& bytecode) {
  Plan plan;
  for (size_t begin = 0; begin < bytecode.code.size();) {
    const size_t end = run_end(bytecode, begin);
    if (end < begin + shortest_run()) {
      plan.steps.push_back({begin, begin + 1, nullptr, {}, {}});
      ++begin;
      continue;
    }
    GeneratedRun run = generate(bytecode, begin, end);
    plan.steps.push_back({begin, end, generated_module(std::move(run.module)), std::move(run.reads),
                          std::move(run.writes)});
    begin = end;
  }
  finish(bytecode, &plan);
  return plan;
}

bool is_runnable(const Plan& plan) {
  return std::all_of(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) {
    return step.module == nullptr || step.module->function() != nullptr;
  });
}

bool is_worth_compiling(const Bytecode& bytecode, uint64_t elements) {
  if (codegen != Codegen::kAuto) return codegen == Codegen::kAlways;
  return bytecode.code.size() > 1 && elements * bytecode.code.size() >= kCompileWork;
}

}  // namespace tfpy
