// The threads of pthreadpool, as a replacement of its pthreads.c. There a command ends after every
// worker has taken part in it, so a single worker on a busy core, or one that must be woken first,
// delays all others. Here workers enter a command while it is open. The caller takes over tasks
// that were not begun, and waits only for the workers that entered.
//
// Fields of struct pthreadpool with another meaning here:
//   command         the command's number, a bit for whether it is open, and the number of workers
//                   inside it
//   active_threads  number of sleeping workers
#include <emscripten/emscripten.h>
#include <emscripten/threading.h>
#include <limits.h>
#include <pthread.h>
#include <pthreadpool.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "threadpool-common.h"
#include "threadpool-object.h"

void _emscripten_yield(double now);  // from Emscripten's library

enum { kInside = 0x7f, kOpen = 0x80, kStep = 0x100 };

// Number of checks for a new command before a worker sleeps: about 0.2 ms.
enum { kSpins = 20000 };

static uint32_t number_of(uint32_t command) { return command & ~(uint32_t)(kOpen | kInside); }

static uint32_t load_command(struct pthreadpool* pool) { return atomic_load(&pool->command); }

static uint32_t wait_for_command(struct pthreadpool* pool, uint32_t done) {
  for (int i = 0; i < kSpins; ++i) {
    const uint32_t number = number_of(load_command(pool));
    if (number != done) return number;
    atomic_thread_fence(memory_order_seq_cst);
  }
  atomic_fetch_add(&pool->active_threads, 1);
  uint32_t command = load_command(pool);
  while (number_of(command) == done) {
    emscripten_futex_wait((volatile void*)&pool->command, command, __builtin_inf());
    command = load_command(pool);
  }
  atomic_fetch_sub(&pool->active_threads, 1);
  return number_of(command);
}

// Returns true if the command was still open.
static bool enter(struct pthreadpool* pool, uint32_t number) {
  uint32_t command = load_command(pool);
  while (number_of(command) == number && (command & kOpen) != 0) {
    if (atomic_compare_exchange_weak(&pool->command, &command, command + 1)) return true;
  }
  return false;
}

static void leave(struct pthreadpool* pool) { atomic_fetch_sub(&pool->command, 1); }

static void* run_worker(void* argument) {
  struct thread_info* thread = argument;
  struct pthreadpool* pool = thread->threadpool;
  uint32_t done = 0;
  for (;;) {
    done = wait_for_command(pool, done);
    if (!enter(pool, done)) continue;
    ((thread_function_t)pool->thread_function)(pool, thread);
    leave(pool);
  }
}

// Opens the command in the pool's fields for at most this many workers.
static void open_command(struct pthreadpool* pool, size_t workers) {
  const uint32_t number = number_of(load_command(pool)) + kStep;
  atomic_store(&pool->command, number | kOpen);
  if (atomic_load(&pool->active_threads) != 0)
    emscripten_futex_wake((volatile void*)&pool->command,
                          workers < INT_MAX ? (int)workers : INT_MAX);
}

struct pthreadpool* pthreadpool_create(size_t threads_count) {
  if (threads_count == 0 || threads_count > kInside) return NULL;
  struct pthreadpool* pool = pthreadpool_allocate(threads_count);
  if (pool == NULL) return NULL;
  pool->threads_count = fxdiv_init_size_t(threads_count);
  for (size_t i = 0; i < threads_count; ++i) {
    pool->threads[i].thread_number = i;
    pool->threads[i].threadpool = pool;
  }
  for (size_t i = 1; i < threads_count; ++i)  // the caller is worker 0
    pthread_create(&pool->threads[i].thread_object, NULL, run_worker, &pool->threads[i]);
  return pool;
}

// Runs the caller's share. The workers read the caller's frames, which contain the task's context.
// The caller's writes during its share must therefore be in other cache lines, which processors
// fetch in pairs; otherwise each write takes the context from all workers.
static void __attribute__((noinline)) run_share(struct pthreadpool* pool,
                                                thread_function_t thread_function) {
  char gap[128];
  __asm__ volatile("" : : "r"(gap) : "memory");
  thread_function(pool, &pool->threads[0]);
  __asm__ volatile("" : : "r"(gap) : "memory");  // keeps it alive until here
}

// Waits for the workers that entered. A worker that has trapped never leaves; Emscripten then ends
// the call when it is asked for pending work.
static void wait_until_left(struct pthreadpool* pool) {
  for (int i = 1; (load_command(pool) & kInside) != 0; ++i) {
    atomic_thread_fence(memory_order_seq_cst);
    if (i % kSpins == 0) {
      _emscripten_yield(emscripten_get_now());
      i = 0;
    }
  }
}

// No worker is inside a command here, so the fields may be written.
PTHREADPOOL_INTERNAL void pthreadpool_parallelize(struct pthreadpool* pool,
                                                  thread_function_t thread_function,
                                                  const void* params, size_t params_size,
                                                  void* task, void* context, size_t linear_range,
                                                  uint32_t flags) {
  pool->thread_function = (void*)thread_function;
  pool->task = task;
  pool->argument = context;
  pool->flags = flags;
  if (params_size != 0) memcpy(&pool->params, params, params_size);
  const size_t threads = pool->threads_count.value;
  const struct fxdiv_result_size_t share = fxdiv_divide_size_t(linear_range, pool->threads_count);
  size_t begin = 0;
  for (size_t i = 0; i < threads; ++i) {
    const size_t length = share.quotient + (size_t)(i < share.remainder);
    pool->threads[i].range_start = begin;
    pool->threads[i].range_end = begin + length;
    pool->threads[i].range_length = length;
    begin += length;
  }
  open_command(pool, linear_range - 1);
  run_share(pool, thread_function);
  atomic_fetch_and(&pool->command, ~(uint32_t)kOpen);
  wait_until_left(pool);
}
