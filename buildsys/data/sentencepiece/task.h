// Tasks that run at once, in the place of threads, which side modules of Pyodide do not have.
#pragma once

#include <utility>

struct Task {
  template <typename Function>
  Task(Function&& run) {
    std::forward<Function>(run)();
  }
  void join() {}
};
