#include "threads/parallel.h"

namespace tfpy {
namespace {

pthreadpool_t pool = nullptr;

}  // namespace

pthreadpool_t thread_pool() { return pool; }

void open_thread_pool(size_t threads) {
  if (threads > 1) pool = pthreadpool_create(threads);
}

void close_thread_pool() {
  pthreadpool_destroy(pool);
  pool = nullptr;
}

}  // namespace tfpy
