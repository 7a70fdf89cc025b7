// The fast path of compiled functions: calls with tensors that run one program.
#include "dispatch.h"

// Returns 1 if no other code follows calls of compiled functions, 0 if some code does, or -1 with
// an exception.
static int is_plain(void) {
  if (PyList_GET_SIZE(objects.call_observers) || PyList_GET_SIZE(objects.recorders) ||
      PyList_GET_SIZE(objects.watching)) {
    return 0;
  }
  PyObject* eagerly = PyObject_GetAttr(objects.settings, names.eagerly);
  if (!eagerly) return -1;
  Py_DECREF(eagerly);
  return eagerly == Py_False ? is_unwatched() : 0;
}

// Returns a new reference to the trace of a call with these arguments, or NULL.
static PyObject* traced_of(PyObject* traces, PyObject* const* args, Py_ssize_t count) {
  PyObject *known = PyObject_GetAttr(traces, names.by_avals), *found = NULL;
  PyObject* key = known && PyDict_Check(known) ? PyTuple_New(count) : NULL;
  if (key) {
    for (Py_ssize_t i = 0; i < count; i++) {
      PyTuple_SET_ITEM(key, i, Py_NewRef(*slot_at(args[i], values.tensor_aval)));
    }
    PyObject* concrete = Py_XNewRef(PyDict_GetItemWithError(known, key));
    Py_DECREF(key);
    if (concrete) found = PyObject_GetAttr(concrete, names.traced);
    Py_XDECREF(concrete);
  }
  Py_XDECREF(known);
  return found;
}

// Returns the DirectCall of a trace for the active backend, or NULL. If there is none yet, Python
// makes one for later calls, after the call has compiled the program.
static PyObject* direct_of(PyObject* traced, PyObject* backend) {
  PyObject* direct = PyObject_GetAttr(traced, names.direct);
  if (!direct) return NULL;
  bool is_known = Py_TYPE(direct) == objects.direct;
  if (is_known && *slot_at(direct, directs.backend) == backend) {
    if (*slot_at(direct, directs.outputs) != Py_None) return direct;
  } else {
    PyObject* done = PyObject_CallOneArg(objects.prepare, traced);
    Py_XDECREF(done);
  }
  Py_DECREF(direct);
  return NULL;
}

// Returns a new reference to the operand at a position: an argument, a captured tensor or the value
// of a Variable. Returns NULL if it is not a tensor.
static PyObject* operand_at(PyObject* direct, PyObject* const* args, Py_ssize_t count,
                            PyObject* position) {
  Py_ssize_t at = PyLong_AsSsize_t(position);
  if (at < 0) return NULL;
  if (at < count) return Py_NewRef(args[at]);
  PyObject* places = *slot_at(direct, directs.places);
  if (at - count >= PyTuple_GET_SIZE(places)) return NULL;
  PyObject* place = PyTuple_GET_ITEM(places, at - count);
  PyObject* found =
      Py_TYPE(place) == objects.tensor ? Py_NewRef(place) : PyObject_GetAttr(place, names.held);
  if (found && Py_TYPE(found) != objects.tensor) Py_CLEAR(found);
  return found;
}

// Collects the number of the program and the slots of its inputs. Returns how many references they
// are. The last one is NULL if an input is not on the backend.
static Py_ssize_t collect(PyObject* direct, PyObject* const* args, Py_ssize_t count,
                          PyObject* backend, PyObject** given) {
  PyObject* positions = *slot_at(direct, directs.positions);
  Py_ssize_t many = PyTuple_GET_SIZE(positions), taken = 1;
  given[0] = Py_NewRef(*slot_at(direct, directs.program));
  for (; taken <= many; taken++) {
    PyObject* operand = operand_at(direct, args, count, PyTuple_GET_ITEM(positions, taken - 1));
    given[taken] = operand ? slot_on(operand, backend) : NULL;
    Py_XDECREF(operand);
    if (!given[taken]) return taken + 1;
  }
  return taken;
}

static int count_hit(PyObject* traces) {
  PyObject* before = PyObject_GetAttr(traces, names.hits);
  if (!before) return -1;
  long long hits = PyLong_AsLongLong(before);
  Py_DECREF(before);
  PyObject* now = PyErr_Occurred() ? NULL : PyLong_FromLongLong(hits + 1);
  if (!now) return -1;
  int failed = PyObject_SetAttr(traces, names.hits, now);
  Py_DECREF(now);
  return failed;
}

// Replaces the slots of all inputs by the slots of the program's inputs, which may include results
// of a prelude. Returns the slots and the number of the program, or NULL with an exception.
static PyObject* selected(PyObject* select, PyObject* const* given, Py_ssize_t count) {
  PyObject *slots = PyList_New(count - 1), *none = slots ? PyTuple_New(0) : NULL, *found = NULL;
  if (none) {
    for (Py_ssize_t i = 1; i < count; i++) PyList_SET_ITEM(slots, i - 1, Py_NewRef(given[i]));
    PyObject* arguments[] = {slots, none};
    found = PyObject_Vectorcall(select, arguments, 2, NULL);
    if (found && !PyList_Check(found)) {
      PyErr_SetString(PyExc_TypeError, "the slots of a program must be a list");
      Py_CLEAR(found);
    }
    if (found && PyList_Insert(found, 0, given[0])) Py_CLEAR(found);
  }
  Py_XDECREF(slots);
  Py_XDECREF(none);
  return found;
}

static int run_direct(PyObject* direct, PyObject* backend, PyObject* const* given, Py_ssize_t count,
                      PyObject** storages) {
  PyObject *select = *slot_at(direct, directs.select), *outputs = *slot_at(direct, directs.outputs);
  if (select == Py_None) return run_program(backend, given, count, outputs, storages);
  PyObject* list = selected(select, given, count);
  PyObject* taken = list ? PyList_AsTuple(list) : NULL;
  Py_XDECREF(list);
  if (!taken) return -1;
  PyObject* const* items = &PyTuple_GET_ITEM(taken, 0);
  int failed = run_program(backend, items, PyTuple_GET_SIZE(taken), outputs, storages);
  Py_DECREF(taken);
  return failed;
}

// Returns the result of a call: a tensor, or the nest that the function `results` of the DirectCall
// makes from a list of tensors. An item of `results` without it is a tuple of an aval and the
// number of the output.
static PyObject* result_of(PyObject* direct, PyObject* const* storages, Py_ssize_t width) {
  PyObject* results = *slot_at(direct, directs.results);
  PyObject *items = PyTuple_GET_ITEM(results, 0), *filled = PyTuple_GET_ITEM(results, 1);
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  PyObject* list = PyList_New(count);
  for (Py_ssize_t i = 0; list && i < count; i++) {
    PyObject* item = PyTuple_GET_ITEM(items, i);
    Py_ssize_t at = PyLong_AsSsize_t(PyTuple_GET_ITEM(item, 1));
    bool is_output = at >= 0 && at < width;
    PyObject* tensor = is_output ? new_tensor(PyTuple_GET_ITEM(item, 0), storages[at]) : NULL;
    if (!is_output && !PyErr_Occurred()) {
      PyErr_Format(PyExc_IndexError, "result %zd is output %zd, but there are %zd", i, at, width);
    }
    if (!tensor) {
      Py_CLEAR(list);
    } else if (filled == Py_None) {  // the result is this tensor
      Py_DECREF(list);
      return tensor;
    } else {
      PyList_SET_ITEM(list, i, tensor);
    }
  }
  if (!list || filled == Py_True) return list;
  PyObject* nest = PyObject_CallOneArg(filled, list);
  Py_DECREF(list);
  return nest;
}

// Runs a program. Returns NULL without an exception if Python must make the call.
static PyObject* called(PyObject* traces, PyObject* direct, PyObject* const* args, Py_ssize_t count,
                        PyObject* backend) {
  enum { kMost = 64 };  // inputs and outputs
  PyObject *given[1 + kMost], *storages[kMost], *result = NULL;
  Py_ssize_t width = PyTuple_GET_SIZE(*slot_at(direct, directs.outputs));
  if (PyTuple_GET_SIZE(*slot_at(direct, directs.positions)) > kMost || width > kMost) return NULL;
  Py_ssize_t taken = collect(direct, args, count, backend, given);
  if (!given[taken - 1]) {
    ignore_failure();
  } else if (!count_hit(traces)) {
    if (!run_direct(direct, backend, given, taken, storages)) {
      result = result_of(direct, storages, width);
      drop(storages, width);
      if (result) fast_calls++;
    } else {
      PyObject* failure = taken_failure();
      if (failure) {
        PyObject* arguments[] = {direct, failure};
        result = PyObject_Vectorcall(objects.call_failed, arguments, 2, NULL);
        Py_DECREF(failure);
      }
    }
  }
  drop(given, taken);
  return result;
}

PyObject* fast_call(PyObject* function, PyObject* const* args, Py_ssize_t count) {
  if (!objects.has_values || !objects.has_calls || count > kMostOperands) return NULL;
  if (!are_tensors(args, count)) return NULL;
  PyObject* backend = is_plain() == 1 ? active_backend() : NULL;
  PyObject* traces = backend ? PyObject_GetAttr(function, names.traces) : NULL;
  PyObject* traced = traces ? traced_of(traces, args, count) : NULL;
  PyObject* direct = traced ? direct_of(traced, backend) : NULL;
  PyObject* result = NULL;
  if (!direct) {
    ignore_failure();
  } else if (!collect_if_due(backend)) {
    result = called(traces, direct, args, count, backend);
  }
  Py_XDECREF(direct);
  Py_XDECREF(traced);
  Py_XDECREF(traces);
  Py_XDECREF(backend);
  return result;
}
