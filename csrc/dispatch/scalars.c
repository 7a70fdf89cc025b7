// Python numbers as operands: the tensors of core/scalar_cache.py.
#include "dispatch.h"

// Returns the key of a number in the cache, or NULL with an exception.
static PyObject* key_of(PyObject* number, PyObject* tensor) {
  PyObject* dtype = *slot_at(*slot_at(tensor, values.tensor_aval), values.aval_dtype);
  PyObject* name = dtype ? PyObject_GetAttr(dtype, names.name) : NULL;
  if (!name) return NULL;
  int is_set = PyObject_IsTrue(number);  // 0.0 and -0.0 are equal, so their keys are strings
  PyObject* first = is_set < 0 ? NULL : is_set ? Py_NewRef(number) : PyObject_Repr(number);
  PyObject* key = first ? PyTuple_Pack(3, first, (PyObject*)Py_TYPE(number), name) : NULL;
  Py_XDECREF(first);
  Py_DECREF(name);
  return key;
}

// Returns 1 if the op converts a number to the dtype of the other operand, or 0.
static int takes_numbers(PyObject* op) {
  PyObject* only = PyObject_GetAttr(op, names.only);
  PyObject* from = only ? PyObject_GetAttr(op, names.typed_from) : NULL;
  int takes = only == Py_None && from && PyLong_CheckExact(from) && PyLong_AsLong(from) == 0;
  Py_XDECREF(only);
  Py_XDECREF(from);
  return takes;
}

int with_number(PyObject* op, PyObject* const* inputs, PyObject** tensors) {
  int at = PyFloat_CheckExact(inputs[0]) || PyLong_CheckExact(inputs[0]) ? 0 : 1;
  PyObject *number = inputs[at], *tensor = inputs[1 - at];
  if (!(PyFloat_CheckExact(number) || PyLong_CheckExact(number)) || !are_tensors(&tensor, 1) ||
      !takes_numbers(op)) {
    return 0;
  }
  PyObject* key = key_of(number, tensor);
  PyObject* found = key ? PyDict_GetItemWithError(objects.scalars, key) : NULL;
  Py_XINCREF(found);
  Py_XDECREF(key);
  if (!found || !are_tensors(&found, 1)) {
    Py_XDECREF(found);
    return 0;
  }
  tensors[at] = found;
  tensors[1 - at] = Py_NewRef(tensor);
  return 1;
}
