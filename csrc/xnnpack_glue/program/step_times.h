// Durations of steps, recorded on request.
#pragma once

#include <stddef.h>

namespace tfpy::programs {

struct StepTime {
  const char* kernel;
  double ms;
};

// Starts or stops timing steps; both discard earlier times.
void time_steps(bool wanted);

// Number of times since time_steps(true).
size_t step_time_count();
const StepTime& step_time(size_t number);

// Times the steps of one run.
class StepClock {
 public:
  StepClock();
  // Called after each step; time between two steps counts for the second one.
  void note(const char* kernel) {
    if (is_on_) add(kernel);
  }

 private:
  void add(const char* kernel);

  const bool is_on_;
  double last_;
};

}  // namespace tfpy::programs
