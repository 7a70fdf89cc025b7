// Forced into every pthreadpool source. A waiting thread spins a million times before it sleeps;
// where a core is busy with something else, two threads are then three times slower than one.
#include "threadpool-common.h"
#undef PTHREADPOOL_SPIN_WAIT_ITERATIONS
#define PTHREADPOOL_SPIN_WAIT_ITERATIONS 10000
