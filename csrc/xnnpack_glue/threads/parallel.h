// Splits work over the thread pool; without threads everything runs in the calling thread.
#pragma once

#include <pthreadpool.h>

#include <algorithm>
#include <cstddef>

namespace tfpy {

// Returns the pool that tfpy's kernels and XNNPACK share; null without threads.
pthreadpool_t thread_pool();
void open_thread_pool(size_t threads);

inline size_t worker_count() { return pthreadpool_get_threads_count(thread_pool()); }

// Calls body(task) for each task below `tasks`.
template <class Body>
void parallel_for(size_t tasks, const Body& body) {
  if (tasks <= 1 || thread_pool() == nullptr) {
    for (size_t task = 0; task < tasks; ++task) body(task);
    return;
  }
  pthreadpool_parallelize_1d(
      thread_pool(), [](void* context, size_t task) { (*static_cast<const Body*>(context))(task); },
      const_cast<Body*>(&body), tasks, 0);
}

// The share of 0..items that one of several tasks has; shares differ by at most one item.
struct Share {
  size_t begin, end;
};
Share share_of(size_t items, size_t tasks, size_t task);

// Calls body(task, begin, end) for each task below `tasks` with its share of 0..items.
template <class Body>
void parallel_shares(size_t items, size_t tasks, const Body& body) {
  parallel_for(tasks, [&](size_t task) {
    const Share share = share_of(items, tasks, task);
    body(task, share.begin, share.end);
  });
}

// Number of element operations below which a second thread does not pay off.
constexpr size_t kThreadGrain = 32 * 1024;

// Returns the number of tasks, at most `most`, into which `items` of `cost` element operations each
// should be split.
inline size_t task_count(size_t items, size_t cost, size_t most = worker_count()) {
  const size_t worth = items / std::max<size_t>(1, kThreadGrain / std::max<size_t>(1, cost));
  return std::max<size_t>(1, std::min({most, items, worth}));
}

// Calls body(begin, end) for ranges that cover 0..items.
template <class Body>
void parallel_ranges(size_t items, size_t cost, const Body& body) {
  constexpr size_t kRangesPerThread = 4;  // so that other threads can help a slow one
  const size_t workers = worker_count();
  const size_t tasks = task_count(items, cost, workers > 1 ? workers * kRangesPerThread : 1);
  parallel_shares(items, tasks, [&](size_t, size_t begin, size_t end) { body(begin, end); });
}

}  // namespace tfpy
