#include "threads/parallel.h"

#include <algorithm>

namespace tfpy {
namespace {

pthreadpool_t pool = nullptr;

}  // namespace

pthreadpool_t thread_pool() { return pool; }

void open_thread_pool(size_t threads) {
  if (threads > 1) pool = pthreadpool_create(threads);
}

Share share_of(size_t items, size_t tasks, size_t task) {
  const size_t quotient = items / tasks, rest = items % tasks;
  const size_t begin = task * quotient + std::min(task, rest);
  return {begin, begin + quotient + (task < rest ? 1 : 0)};
}

}  // namespace tfpy
