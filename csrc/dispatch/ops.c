// The fast path of core/eager.py: ops on tensors with a compiled program.
#include "dispatch.h"

// Returns the key of a call in the cache of a backend, or NULL with an exception.
static PyObject* key_of(PyObject* op, PyObject* const* inputs, Py_ssize_t count, PyObject* attrs,
                        PyObject* const* given) {
  Py_ssize_t many = attrs ? PyTuple_GET_SIZE(attrs) : 0;
  PyObject* key = PyTuple_New(1 + count + many);
  if (!key) return NULL;
  PyTuple_SET_ITEM(key, 0, Py_NewRef(op));
  for (Py_ssize_t i = 0; i < count; i++) {
    PyTuple_SET_ITEM(key, 1 + i, Py_NewRef(*slot_at(inputs[i], values.tensor_aval)));
  }
  for (Py_ssize_t i = 0; i < many; i++) {
    PyObject* pair = PyTuple_Pack(2, PyTuple_GET_ITEM(attrs, i), given[i]);
    if (!pair) {
      Py_DECREF(key);
      return NULL;
    }
    PyTuple_SET_ITEM(key, 1 + count + i, pair);
  }
  return key;
}

// Returns the cache entry of a call, or NULL if there is none. Keys that cannot be hashed have no
// entry. Python's function then raises the error.
static PyObject* entry_of(PyObject* backend, PyObject* op, PyObject* const* inputs,
                          Py_ssize_t count, PyObject* attrs, PyObject* const* given) {
  PyObject* key = key_of(op, inputs, count, attrs, given);
  PyObject* programs = key ? PyObject_GetAttr(backend, names.programs) : NULL;
  PyObject* found = NULL;
  if (programs && PyDict_Check(programs)) {
    found = Py_XNewRef(PyDict_GetItemWithError(programs, key));
    if (found && Py_TYPE(found) != objects.entry) Py_CLEAR(found);
  }
  Py_XDECREF(programs);
  Py_XDECREF(key);
  if (!found) ignore_failure();
  return found;
}

// Returns 1 if the host has the values of all tensors, and otherwise 0.
static int are_at_hand(PyObject* const* tensors, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* storage = storage_of(tensors[i]);
    PyObject* host = storage ? *slot_at(storage, values.storage_host) : NULL;
    if (!host || host == Py_None) return 0;
  }
  return 1;
}

// Returns a new reference to the values of a tensor on the host, or NULL if their array has another
// shape.
static PyObject* array_of(PyObject* tensor) {
  PyObject* storage = storage_of(tensor);
  PyObject* host = storage ? *slot_at(storage, values.storage_host) : NULL;
  if (!host) return NULL;
  PyObject *array = Py_NewRef(host), *shape = PyObject_GetAttr(array, names.shape);
  PyObject* wanted = *slot_at(*slot_at(tensor, values.tensor_aval), values.aval_shape);
  int same = shape && wanted ? PyObject_RichCompareBool(shape, wanted, Py_EQ) : 0;
  Py_XDECREF(shape);
  if (same == 1) return array;
  ignore_failure();
  Py_DECREF(array);
  return NULL;
}

// Computes an op with NumPy. Returns a Storage, or NULL, in which case `ran` is true if NumPy ran.
static PyObject* by_numpy(PyObject* entry, PyObject* const* inputs, Py_ssize_t count, bool* ran) {
  PyObject* function = *slot_at(entry, entries.function);
  if (!function || function == Py_None) return NULL;
  PyObject *arrays[kMostOperands], *array = NULL, *storage = NULL;
  Py_ssize_t found = 0;
  while (found < count && (arrays[found] = array_of(inputs[found]))) found++;
  if (found == count) {
    *ran = true;
    Py_INCREF(function);
    array = PyObject_Vectorcall(function, arrays, (size_t)count, NULL);
    Py_DECREF(function);
  }
  drop(arrays, found);
  if (array) {
    PyObject* zero = PyLong_FromLong(0);
    storage = zero ? new_storage(*slot_at(entry, entries.aval), array, Py_None, zero) : NULL;
    Py_XDECREF(zero);
    Py_DECREF(array);
  }
  return storage;
}

// Runs an op on the device. Returns a Storage, or NULL, in which case `ran` is true if it ran.
static PyObject* by_device(PyObject* backend, PyObject* entry, PyObject* const* inputs,
                           Py_ssize_t count, bool* ran) {
  if (collect_if_due(backend)) {
    *ran = true;
    return NULL;
  }
  PyObject *given[1 + kMostOperands], *storage = NULL;
  Py_ssize_t taken = 1;
  given[0] = Py_NewRef(*slot_at(entry, entries.program));
  while (taken <= count && (given[taken] = slot_on(inputs[taken - 1], backend))) taken++;
  if (taken > count) {
    *ran = true;
    storage = run_single(backend, given, taken, *slot_at(entry, entries.aval));
  }
  drop(given, taken);
  return storage;
}

// Lets Python convert the current exception. Returns NULL with an exception, or the result: a
// failed op of a trace becomes an equation.
static PyObject* handled(PyObject* op, PyObject* const* inputs, Py_ssize_t count, PyObject* attrs,
                         PyObject* const* given, PyObject* entry) {
  PyObject* failure = taken_failure();
  if (!failure) return NULL;
  PyObject *result = NULL, *tensors = PyTuple_New(count), *named = PyDict_New();
  Py_ssize_t many = attrs && named ? PyTuple_GET_SIZE(attrs) : 0;
  int failed = !tensors || !named;
  for (Py_ssize_t i = 0; !failed && i < count; i++) {
    PyTuple_SET_ITEM(tensors, i, Py_NewRef(inputs[i]));
  }
  for (Py_ssize_t i = 0; !failed && i < many; i++) {
    failed = PyDict_SetItem(named, PyTuple_GET_ITEM(attrs, i), given[i]);
  }
  if (!failed) {
    PyObject* arguments[] = {failure, op, tensors, named, entry};
    result = PyObject_Vectorcall(objects.op_failed, arguments, 5, NULL);
  }
  Py_DECREF(failure);
  Py_XDECREF(tensors);
  Py_XDECREF(named);
  return result;
}

static PyObject* computed(PyObject* backend, PyObject* entry, PyObject* const* inputs,
                          Py_ssize_t count, bool* ran) {
  PyObject* number = *slot_at(entry, entries.program);
  if (*slot_at(entry, entries.is_small) == Py_True && are_at_hand(inputs, count)) {
    return by_numpy(entry, inputs, count, ran);
  }
  long program = number ? PyLong_AsLong(number) : 0;
  if (program > 0) return by_device(backend, entry, inputs, count, ran);
  if (program == numbers.alias && !PyErr_Occurred()) return Py_XNewRef(storage_of(inputs[0]));
  ignore_failure();
  return NULL;
}

// Applies an op to tensors, with the values of the attributes in `given`.
static PyObject* applied(PyObject* op, PyObject* const* inputs, Py_ssize_t count, PyObject* attrs,
                         PyObject* const* given) {
  if (PyList_GET_SIZE(objects.op_observers) || is_unwatched() != 1) {
    ignore_failure();
    return NULL;
  }
  PyObject* backend = active_backend();
  if (!backend) return NULL;
  PyObject *entry = entry_of(backend, op, inputs, count, attrs, given), *result = NULL;
  if (entry) {
    bool ran = false;
    PyObject* storage = computed(backend, entry, inputs, count, &ran);
    if (storage) {
      result = new_tensor(*slot_at(entry, entries.aval), storage);
      Py_DECREF(storage);
      if (result) fast_ops++;
    } else if (ran) {
      result = handled(op, inputs, count, attrs, given, entry);
    }
    Py_DECREF(entry);
  }
  Py_DECREF(backend);
  return result;
}

PyObject* fast_op(PyObject* op, PyObject* const* inputs, Py_ssize_t count, PyObject* attrs) {
  if (!objects.has_values || count < 1 || count > kMostOperands) return NULL;
  if (are_tensors(inputs, count)) return applied(op, inputs, count, attrs, inputs + count);
  PyObject *tensors[2], *result = NULL;
  if (count != 2 || !with_number(op, inputs, tensors)) {
    ignore_failure();
    return NULL;
  }
  result = applied(op, tensors, 2, attrs, inputs + count);
  drop(tensors, 2);
  return result;
}
