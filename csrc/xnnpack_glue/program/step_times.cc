#include "program/step_times.h"

#include <emscripten/emscripten.h>

#include <vector>

namespace tfpy::programs {
namespace {

bool is_timing = false;
std::vector<StepTime> times;

}  // namespace

void time_steps(bool wanted) {
  is_timing = wanted;
  times = {};
}

size_t step_time_count() { return times.size(); }

const StepTime& step_time(size_t number) { return times[number]; }

StepClock::StepClock() : is_on_(is_timing), last_(is_timing ? emscripten_get_now() : 0.0) {}

void StepClock::add(const char* kernel) {
  const double now = emscripten_get_now();
  times.push_back({kernel, now - last_});
  last_ = now;
}

}  // namespace tfpy::programs
