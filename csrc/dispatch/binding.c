// The Python objects that the fast path uses, and the offsets of slots.

#include "dispatch.h"

ValueSlots values;
EntrySlots entries;
DirectSlots directs;
Objects objects;
Numbers numbers;
Names names;

int make_names(void) {
#define NAME(name) \
  if (!(names.name = PyUnicode_InternFromString(#name))) return -1
  NAME(active);
  NAME(by_avals);
  NAME(collect);
  NAME(collect_due);
  NAME(deliver);
  NAME(direct);
  NAME(discard);
  NAME(eagerly);
  NAME(garbage);
  NAME(garbage_bytes);
  NAME(held);
  NAME(hits);
  NAME(name);
  NAME(only);
  NAME(programs);
  NAME(run);
  NAME(scopes);
  NAME(shape);
  NAME(typed_from);
#undef NAME
  names.traced = PyUnicode_InternFromString("_traced");
  if (!names.traced) return -1;
  names.traces = PyUnicode_InternFromString("_traces");
  return names.traces ? 0 : -1;
}

// Takes a new reference to an object of a dict of the given type (NULL: of any type).
static int take(PyObject* given, const char* name, PyTypeObject* type, void* into) {
  PyObject* found = PyDict_GetItemString(given, name);
  if (!found || (type && !PyObject_TypeCheck(found, type))) {
    PyErr_Format(PyExc_TypeError, "the dispatch extension needs %s", name);
    return -1;
  }
  PyObject** place = into;
  Py_XSETREF(*place, Py_NewRef(found));
  return 0;
}

static int take_number(PyObject* given, const char* name, long long* into) {
  PyObject* found = PyDict_GetItemString(given, name);
  if (!found || !PyLong_Check(found)) {
    PyErr_Format(PyExc_TypeError, "the dispatch extension needs %s", name);
    return -1;
  }
  *into = PyLong_AsLongLong(found);
  return *into == -1 && PyErr_Occurred() ? -1 : 0;
}

// Finds the offset of a slot that a class declares in __slots__.
static int find(PyTypeObject* type, const char* name, Py_ssize_t* into) {
  PyObject* found = PyObject_GetAttrString((PyObject*)type, name);
  if (!found) return -1;
  bool is_slot = Py_TYPE(found) == &PyMemberDescr_Type;
  PyMemberDef* member = is_slot ? ((PyMemberDescrObject*)found)->d_member : NULL;
  is_slot = is_slot && member->type == T_OBJECT_EX && !(member->flags & READONLY) &&
            PyType_IsSubtype(type, ((PyMemberDescrObject*)found)->d_common.d_type);
  if (is_slot) *into = member->offset;
  Py_DECREF(found);
  if (is_slot) return 0;
  PyErr_Format(PyExc_TypeError, "%s.%s is not a slot", type->tp_name, name);
  return -1;
}

#define TAKE(name, type) \
  if (take(given, #name, type, &objects.name)) return NULL
#define FIND(type, name, into) \
  if (find(type, name, &into)) return NULL

// Restores the Python finalizer of a Storage class that was bound before: in a program that imports
// tfpy again, tensors of the first import may still exist.
static int restore_finalizer(void) {
  if (!objects.finalize) return 0;
  PyObject* python = objects.finalize;
  objects.finalize = NULL;
  int failed = PyObject_SetAttrString((PyObject*)objects.storage, "__del__", python);
  Py_DECREF(python);
  return failed;
}

static int replace_finalizer(void) {
  PyObject* python = PyObject_GetAttrString((PyObject*)objects.storage, "__del__");
  PyObject* made = python ? storage_finalizer() : NULL;
  int failed = made ? PyObject_SetAttrString((PyObject*)objects.storage, "__del__", made) : -1;
  Py_XDECREF(made);
  if (failed) {
    Py_XDECREF(python);
  } else {
    objects.finalize = python;
  }
  return failed;
}

static PyObject* find_values(PyTypeObject* aval) {
  PyTypeObject *tensor = objects.tensor, *storage = objects.storage;
  PyTypeObject *statistics = Py_TYPE(objects.statistics), *held = Py_TYPE(objects.held);
  FIND(tensor, "aval", values.tensor_aval);
  FIND(tensor, "identity", values.tensor_identity);
  FIND(tensor, "kept", values.tensor_kept);
  FIND(tensor, "_storage", values.tensor_storage);
  FIND(tensor, "_counted", values.tensor_counted);
  FIND(storage, "aval", values.storage_aval);
  FIND(storage, "backend", values.storage_backend);
  FIND(storage, "counted", values.storage_counted);
  FIND(storage, "host", values.storage_host);
  FIND(storage, "line", values.storage_line);
  FIND(storage, "slot", values.storage_slot);
  FIND(aval, "dtype", values.aval_dtype);
  FIND(aval, "nbytes", values.aval_nbytes);
  FIND(aval, "shape", values.aval_shape);
  FIND(statistics, "buffers", values.statistics_buffers);
  FIND(statistics, "mark", values.statistics_mark);
  FIND(statistics, "nbytes", values.statistics_nbytes);
  FIND(held, "depth", values.held_depth);
  FIND(held, "waits", values.held_waits);
  FIND(objects.entry, "aval", entries.aval);
  FIND(objects.entry, "_function", entries.function);
  FIND(objects.entry, "is_small", entries.is_small);
  FIND(objects.entry, "program", entries.program);
  Py_RETURN_NONE;
}

PyObject* bind_values(PyObject* Py_UNUSED(module), PyObject* given) {
  if (!PyDict_Check(given)) return PyErr_Format(PyExc_TypeError, "bind_values() takes a dict");
  objects.has_values = objects.has_calls = false;
  if (restore_finalizer()) return NULL;
  TAKE(tensor, &PyType_Type);
  TAKE(storage, &PyType_Type);
  TAKE(entry, &PyType_Type);
  TAKE(statistics, NULL);
  TAKE(held, NULL);
  TAKE(next_identity, NULL);
  TAKE(discard, NULL);
  TAKE(registry, &PyDict_Type);
  TAKE(scalars, &PyDict_Type);
  TAKE(tapes, NULL);
  TAKE(traces, NULL);
  TAKE(tidy, NULL);
  TAKE(op_observers, &PyList_Type);
  TAKE(op_failed, NULL);
  if (take_number(given, "slot_bytes", &numbers.slot_bytes) ||
      take_number(given, "most_garbage", &numbers.most_garbage) ||
      take_number(given, "alias", &numbers.alias)) {
    return NULL;
  }
  PyObject* aval = PyDict_GetItemString(given, "aval");
  if (!aval || !PyType_Check(aval)) return PyErr_Format(PyExc_TypeError, "aval must be a class");
  PyObject* done = find_values((PyTypeObject*)aval);
  if (!done) return NULL;
  Py_DECREF(done);
  if (replace_finalizer()) return NULL;
  objects.has_values = true;
  Py_RETURN_NONE;
}

PyObject* bind_calls(PyObject* Py_UNUSED(module), PyObject* given) {
  if (!PyDict_Check(given)) return PyErr_Format(PyExc_TypeError, "bind_calls() takes a dict");
  TAKE(direct, &PyType_Type);
  TAKE(call_observers, &PyList_Type);
  TAKE(recorders, &PyList_Type);
  TAKE(watching, &PyList_Type);
  TAKE(settings, NULL);
  TAKE(call_failed, NULL);
  TAKE(prepare, NULL);
  FIND(objects.direct, "backend", directs.backend);
  FIND(objects.direct, "outputs", directs.outputs);
  FIND(objects.direct, "places", directs.places);
  FIND(objects.direct, "positions", directs.positions);
  FIND(objects.direct, "program", directs.program);
  FIND(objects.direct, "results", directs.results);
  FIND(objects.direct, "select", directs.select);
  objects.has_calls = true;
  Py_RETURN_NONE;
}
