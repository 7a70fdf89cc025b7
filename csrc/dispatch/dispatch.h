// A fast path for calls of ops and of compiled functions on tensors. docs/architecture.md describes
// it.
//
// The functions below read and write the slots of Python objects at the offsets of their member
// descriptors, so that the classes stay plain Python classes. A function that returns NULL without
// an exception has changed nothing, and the caller continues with the Python function.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <structmember.h>

// Largest number of operands of the fast path.
enum { kMostOperands = 16 };

// Offsets of the slots of Tensor, Storage, Aval, Statistics and the section of interrupts.
typedef struct {
  Py_ssize_t tensor_aval, tensor_identity, tensor_kept, tensor_storage, tensor_counted;
  Py_ssize_t storage_aval, storage_backend, storage_counted, storage_host, storage_line;
  Py_ssize_t storage_slot;
  Py_ssize_t aval_dtype, aval_nbytes, aval_shape;
  Py_ssize_t statistics_buffers, statistics_mark, statistics_nbytes;
  Py_ssize_t held_depth, held_waits;
} ValueSlots;

// Offsets of the slots of a cache entry of the eager executor.
typedef struct {
  Py_ssize_t aval, function, is_small, program;
} EntrySlots;

// Offsets of the slots of DirectCall.
typedef struct {
  Py_ssize_t backend, outputs, places, positions, program, results, select;
} DirectSlots;

// Python objects that the fast path uses. They are NULL until bind_values and bind_calls.
typedef struct {
  PyTypeObject *tensor, *storage, *entry, *direct;
  PyObject *statistics, *held, *next_identity, *discard, *finalize;
  PyObject* scalars;                // dict of core/scalar_cache.py
  PyObject* registry;               // dict of the module with the active backend
  PyObject *tapes, *traces, *tidy;  // thread-local objects with lists
  PyObject *op_observers, *call_observers, *recorders, *watching;
  PyObject *settings, *op_failed, *call_failed, *prepare;
  bool has_values, has_calls;
} Objects;

// Numbers of Python modules: the overhead of a slot in addition to its bytes and the bytes that are
// worth a collection (backends/bookkeeping.py), and the program of an alias (core/eager.py).
typedef struct {
  long long slot_bytes, most_garbage, alias;
} Numbers;

// Interned names of attributes.
typedef struct {
  PyObject *active, *by_avals, *collect, *collect_due, *deliver, *direct, *discard, *eagerly,
      *garbage;
  PyObject *garbage_bytes, *held, *hits, *name, *only, *programs, *run, *scopes, *shape, *traced,
      *traces, *typed_from;
} Names;

extern ValueSlots values;
extern EntrySlots entries;
extern DirectSlots directs;
extern Objects objects;
extern Numbers numbers;
extern Names names;

// Numbers of ops and of compiled calls that took the fast path.
extern unsigned long long fast_ops, fast_calls;

// Returns the slot of an object at an offset, as a reference to modify. It is NULL if it is unset.
static inline PyObject** slot_at(PyObject* object, Py_ssize_t offset) {
  return (PyObject**)((char*)object + offset);
}

// Returns the Storage of a tensor as a borrowed reference, or NULL if it has none.
static inline PyObject* storage_of(PyObject* tensor) {
  PyObject* storage = *slot_at(tensor, values.tensor_storage);
  return storage && Py_TYPE(storage) == objects.storage ? storage : NULL;
}

// Returns true if all objects are tensors with an aval.
static inline bool are_tensors(PyObject* const* items, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; i++) {
    if (Py_TYPE(items[i]) != objects.tensor || !*slot_at(items[i], values.tensor_aval)) {
      return false;
    }
  }
  return true;
}

// binding.c
int make_names(void);
// Take the objects of a dict by name, and find the offsets of the slots of their classes.
PyObject* bind_values(PyObject* module, PyObject* given);
PyObject* bind_calls(PyObject* module, PyObject* given);

// values.c
// Adds to an int in a slot. Returns 0, or -1 with an exception.
int increase(PyObject* object, Py_ssize_t offset, long long by);
// Return a new object, or NULL with an exception.
PyObject* new_storage(PyObject* aval, PyObject* host, PyObject* backend, PyObject* slot);
PyObject* new_tensor(PyObject* aval, PyObject* storage);
// The method __del__ of Storage.
PyObject* storage_finalizer(void);

// running.c
// Returns a new reference to the active backend, or NULL.
PyObject* active_backend(void);
// Returns 1 if no tape, trace or tidy scope is active, 0 otherwise, or -1 with an exception.
int is_unwatched(void);
// Frees discarded slots if they are worth a call. Returns 0, or -1 with an exception.
int collect_if_due(PyObject* backend);
// Returns a new reference to a tensor's slot on a backend, or NULL if it has none there.
PyObject* slot_on(PyObject* tensor, PyObject* backend);
// Runs a program, given its number and the slots, and makes a Storage for each output. An output
// is a tuple of its aval and its offset from the first output slot. Returns 0, or -1 with an
// exception.
int run_program(PyObject* backend, PyObject* const* given, Py_ssize_t count, PyObject* outputs,
                PyObject** storages);
// Run a program with one output of this aval. Returns a new Storage or NULL with an exception.
PyObject* run_single(PyObject* backend, PyObject* const* given, Py_ssize_t count, PyObject* aval);
// Clears the current exception if it is an Exception, so that Python makes the call. Others, such
// as an interrupt, propagate to the caller.
void ignore_failure(void);
// Returns the current exception if Python's handlers must convert it, and clears it. Returns NULL
// if there is none, or if it is not an Exception.
PyObject* taken_failure(void);
void drop(PyObject** references, Py_ssize_t count);

// scalars.c
// Takes references to the tensors of two operands if one is a Python number in the cache of
// scalars. Returns 1, or 0 if there are none, possibly with an exception.
int with_number(PyObject* op, PyObject* const* inputs, PyObject** tensors);

// ops.c
// Applies an op to tensors. The values of `names` follow the inputs.
PyObject* fast_op(PyObject* op, PyObject* const* inputs, Py_ssize_t count, PyObject* attrs);

// calls.c
// Calls a compiled function with positional arguments.
PyObject* fast_call(PyObject* function, PyObject* const* args, Py_ssize_t count);
