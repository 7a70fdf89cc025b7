// Runs of programs, with interrupts held as in backends/interrupts.py.
#include "dispatch.h"

void drop(PyObject** references, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; i++) Py_XDECREF(references[i]);
}

PyObject* active_backend(void) {
  PyObject* found = PyDict_GetItemWithError(objects.registry, names.active);
  return found && found != Py_None ? Py_NewRef(found) : NULL;
}

// Returns 1 if a list of a thread-local object is empty, 0 if not, or -1 with an exception.
static int is_empty(PyObject* local, PyObject* name) {
  PyObject* list = PyObject_GetAttr(local, name);
  if (!list) return -1;
  int empty = PyList_Check(list) && PyList_GET_SIZE(list) == 0;
  Py_DECREF(list);
  return empty;
}

int is_unwatched(void) {
  int empty = is_empty(objects.tapes, names.active);
  if (empty == 1) empty = is_empty(objects.traces, names.active);
  return empty == 1 ? is_empty(objects.tidy, names.scopes) : empty;
}

int collect_if_due(PyObject* backend) {
  PyObject* due = PyObject_GetAttr(backend, names.collect_due);
  if (!due) return -1;
  Py_DECREF(due);
  if (due == Py_False) return 0;
  PyObject* done = PyObject_CallMethodNoArgs(backend, names.collect);
  Py_XDECREF(done);
  return done ? 0 : -1;
}

PyObject* slot_on(PyObject* tensor, PyObject* backend) {
  PyObject* storage = storage_of(tensor);
  if (!storage || *slot_at(storage, values.storage_backend) != backend) return NULL;
  PyObject* slot = *slot_at(storage, values.storage_slot);
  return slot ? Py_NewRef(slot) : NULL;
}

// Ends a section without interrupts. An interrupt that waits is raised, with the current exception
// as its context.
static int end_section(void) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  int failed = increase(objects.held, values.held_depth, -1);
  if (!failed && *slot_at(objects.held, values.held_waits) == Py_True) {
    PyObject* done = PyObject_CallMethodNoArgs(objects.held, names.deliver);
    failed = done ? 0 : -1;
    Py_XDECREF(done);
  }
  if (!type) return failed;
  if (!failed) {
    PyErr_Restore(type, error, trace);
    return -1;
  }
  PyObject *new_type, *new_error, *new_trace;
  PyErr_Fetch(&new_type, &new_error, &new_trace);
  PyErr_NormalizeException(&type, &error, &trace);
  PyErr_NormalizeException(&new_type, &new_error, &new_trace);
  if (trace && error) PyException_SetTraceback(error, trace);
  if (new_error && error && new_error != error) PyException_SetContext(new_error, Py_NewRef(error));
  Py_DECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
  PyErr_Restore(new_type, new_error, new_trace);
  return -1;
}

static PyObject* call_run(PyObject* backend, PyObject* const* given, Py_ssize_t count) {
  PyObject* run = PyObject_GetAttr(backend, names.run);
  if (!run) return NULL;
  PyObject* first = PyObject_Vectorcall(run, given, (size_t)count, NULL);
  Py_DECREF(run);
  return first;
}

// Makes the Storage of an output, which is a tuple of its aval and its offset.
static PyObject* stored(PyObject* backend, PyObject* first, PyObject* output) {
  long long number = PyLong_AsLongLong(first);
  if (number == -1 && PyErr_Occurred()) return NULL;
  long long offset = PyLong_AsLongLong(PyTuple_GET_ITEM(output, 1));
  if (offset == -1 && PyErr_Occurred()) return NULL;
  PyObject* slot = offset ? PyLong_FromLongLong(number + offset) : Py_NewRef(first);
  if (!slot) return NULL;
  PyObject* made = new_storage(PyTuple_GET_ITEM(output, 0), Py_None, backend, slot);
  Py_DECREF(slot);
  return made;
}

int run_program(PyObject* backend, PyObject* const* given, Py_ssize_t count, PyObject* outputs,
                PyObject** storages) {
  Py_ssize_t width = PyTuple_GET_SIZE(outputs), made = 0;
  if (increase(objects.held, values.held_depth, 1)) return -1;
  PyObject* first = call_run(backend, given, count);
  if (first) {
    for (; made < width; made++) {
      storages[made] = stored(backend, first, PyTuple_GET_ITEM(outputs, made));
      if (!storages[made]) break;
    }
    Py_DECREF(first);
  }
  if (!end_section()) return 0;
  drop(storages, made);
  return -1;
}

PyObject* run_single(PyObject* backend, PyObject* const* given, Py_ssize_t count, PyObject* aval) {
  if (increase(objects.held, values.held_depth, 1)) return NULL;
  PyObject* first = call_run(backend, given, count);
  PyObject* storage = first ? new_storage(aval, Py_None, backend, first) : NULL;
  Py_XDECREF(first);
  if (end_section()) Py_CLEAR(storage);
  return storage;
}

void ignore_failure(void) {
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
}

PyObject* taken_failure(void) {
  if (!PyErr_ExceptionMatches(PyExc_Exception)) return NULL;
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (trace && error) PyException_SetTraceback(error, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return error;
}
