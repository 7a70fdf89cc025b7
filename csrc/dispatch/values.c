// New tensors and storages, and the end of storages.
#include "dispatch.h"

int increase(PyObject* object, Py_ssize_t offset, long long by) {
  PyObject** place = slot_at(object, offset);
  if (!*place) {
    PyErr_SetString(PyExc_AttributeError, "a count is missing");
    return -1;
  }
  long long before = PyLong_AsLongLong(*place);
  if (before == -1 && PyErr_Occurred()) return -1;
  PyObject* now = PyLong_FromLongLong(before + by);
  if (!now) return -1;
  Py_SETREF(*place, now);
  return 0;
}

static int count_storage(PyObject* aval, int sign) {
  PyObject* nbytes = *slot_at(aval, values.aval_nbytes);
  long long size = nbytes ? PyLong_AsLongLong(nbytes) : 0;
  if (size == -1 && PyErr_Occurred()) return -1;
  if (increase(objects.statistics, values.statistics_buffers, sign)) return -1;
  return increase(objects.statistics, values.statistics_nbytes, sign * size);
}

PyObject* new_storage(PyObject* aval, PyObject* host, PyObject* backend, PyObject* slot) {
  PyObject* made = objects.storage->tp_alloc(objects.storage, 0);
  if (!made) return NULL;
  *slot_at(made, values.storage_counted) = Py_NewRef(Py_False);
  *slot_at(made, values.storage_aval) = Py_NewRef(aval);
  *slot_at(made, values.storage_host) = Py_NewRef(host);
  *slot_at(made, values.storage_backend) = Py_NewRef(backend);
  *slot_at(made, values.storage_slot) = Py_NewRef(slot);
  *slot_at(made, values.storage_line) = Py_NewRef(Py_None);
  if (count_storage(aval, 1)) {
    Py_DECREF(made);
    return NULL;
  }
  Py_SETREF(*slot_at(made, values.storage_counted), Py_NewRef(Py_True));
  return made;
}

PyObject* new_tensor(PyObject* aval, PyObject* storage) {
  PyObject* mark = *slot_at(objects.statistics, values.statistics_mark);
  if (!mark) return PyErr_Format(PyExc_AttributeError, "the mark of tensors is missing");
  PyObject* identity = PyObject_CallNoArgs(objects.next_identity);
  if (!identity) return NULL;
  PyObject* made = objects.tensor->tp_alloc(objects.tensor, 0);
  if (!made) {
    Py_DECREF(identity);
    return NULL;
  }
  *slot_at(made, values.tensor_aval) = Py_NewRef(aval);
  *slot_at(made, values.tensor_identity) = identity;
  *slot_at(made, values.tensor_kept) = Py_NewRef(Py_False);
  *slot_at(made, values.tensor_storage) = Py_NewRef(storage);
  *slot_at(made, values.tensor_counted) = Py_NewRef(mark);
  return made;
}

// Does what Bookkeeping.discard does, without Python code: an interrupt in it would be lost.
static int discard(PyObject* backend, PyObject* slot, PyObject* nbytes) {
  PyObject* garbage = PyObject_GetAttr(backend, names.garbage);
  if (!garbage) return -1;
  int failed = PyList_Append(garbage, slot);  // raises SystemError if it is no list
  Py_DECREF(garbage);
  PyObject* before = failed ? NULL : PyObject_GetAttr(backend, names.garbage_bytes);
  if (!before) return -1;
  long long total = PyLong_AsLongLong(before) + PyLong_AsLongLong(nbytes) + numbers.slot_bytes;
  Py_DECREF(before);
  PyObject* now = PyErr_Occurred() ? NULL : PyLong_FromLongLong(total);
  if (!now) return -1;
  failed = PyObject_SetAttr(backend, names.garbage_bytes, now);
  Py_DECREF(now);
  if (failed) return -1;
  PyObject* due = total > numbers.most_garbage ? Py_True : Py_False;
  return PyObject_SetAttr(backend, names.collect_due, due);
}

// Returns 1 if a backend discards slots as Bookkeeping does, 0 if not, or -1 with an exception.
static int collects_later(PyObject* backend) {
  PyObject* method = PyObject_GetAttr((PyObject*)Py_TYPE(backend), names.discard);
  if (!method) return -1;
  Py_DECREF(method);
  return method == objects.discard;
}

static PyObject* finalize(PyObject* self, PyObject* Py_UNUSED(none)) {
  PyObject* backend = *slot_at(self, values.storage_backend);
  PyObject* aval = *slot_at(self, values.storage_aval);
  PyObject* slot = *slot_at(self, values.storage_slot);
  PyObject* counted = *slot_at(self, values.storage_counted);
  if (!backend || !aval || !slot || !counted) return PyObject_CallOneArg(objects.finalize, self);
  if (backend != Py_None) {
    int later = collects_later(backend);
    if (later < 0) return NULL;
    if (!later) return PyObject_CallOneArg(objects.finalize, self);
    PyObject* nbytes = *slot_at(aval, values.aval_nbytes);
    if (!nbytes || discard(backend, slot, nbytes)) return NULL;
  }
  if (counted == Py_True && count_storage(aval, -1)) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef finalizer = {"__del__", finalize, METH_NOARGS, NULL};

PyObject* storage_finalizer(void) { return PyDescr_NewMethod(objects.storage, &finalizer); }
