// How long steps took, while somebody wants to know.
#pragma once

#include <stddef.h>

namespace tfpy::programs {

struct StepTime {
  const char* kernel;
  double ms;
};

// Begins to time steps, or ends it; either way what was found so far is forgotten.
void time_steps(bool wanted);

// Since time_steps(true).
size_t step_time_count();
const StepTime& step_time(size_t number);

// Times the steps of one run.
class StepClock {
 public:
  StepClock();
  // To be called after each step; time between two steps counts for the second one.
  void note(const char* kernel) {
    if (is_on_) add(kernel);
  }

 private:
  void add(const char* kernel);

  const bool is_on_;
  double last_;
};

}  // namespace tfpy::programs
