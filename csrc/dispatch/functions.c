// A callable object that tries the fast path and then calls a Python function. A class binds it as
// a method.

#include "dispatch.h"

unsigned long long fast_ops, fast_calls;

typedef struct {
  PyObject_HEAD vectorcallfunc call;
  PyObject* python;  // the function that defines the semantics
  PyObject* op;      // of an operator; otherwise NULL
  PyObject* dict;    // name and docstring of the function
} FastFunction;

// apply(op, *inputs, **attrs)
static PyObject* call_apply(PyObject* self, PyObject* const* args, size_t flags, PyObject* names_) {
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  if (count > 1) {
    PyObject* found = fast_op(args[0], args + 1, count - 1, names_);
    if (found || PyErr_Occurred()) return found;
  }
  return PyObject_Vectorcall(((FastFunction*)self)->python, args, flags, names_);
}

// operator(self, other)
static PyObject* call_operator(PyObject* self, PyObject* const* args, size_t flags,
                               PyObject* names_) {
  FastFunction* function = (FastFunction*)self;
  if (!names_) {
    PyObject* found = fast_op(function->op, args, PyVectorcall_NARGS(flags), NULL);
    if (found || PyErr_Occurred()) return found;
  }
  return PyObject_Vectorcall(function->python, args, flags, names_);
}

// reflected(self, other) applies the op to other and self.
static PyObject* call_reflected(PyObject* self, PyObject* const* args, size_t flags,
                                PyObject* names_) {
  FastFunction* function = (FastFunction*)self;
  if (!names_ && PyVectorcall_NARGS(flags) == 2) {
    PyObject* operands[] = {args[1], args[0]};
    PyObject* found = fast_op(function->op, operands, 2, NULL);
    if (found || PyErr_Occurred()) return found;
  }
  return PyObject_Vectorcall(function->python, args, flags, names_);
}

// __call__(function, *args)
static PyObject* call_compiled(PyObject* self, PyObject* const* args, size_t flags,
                               PyObject* names_) {
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  if (count > 0 && !names_) {
    PyObject* found = fast_call(args[0], args + 1, count - 1);
    if (found || PyErr_Occurred()) return found;
  }
  return PyObject_Vectorcall(((FastFunction*)self)->python, args, flags, names_);
}

static int traverse(PyObject* self, visitproc visit, void* arg) {
  FastFunction* function = (FastFunction*)self;
  Py_VISIT(function->python);
  Py_VISIT(function->op);
  Py_VISIT(function->dict);
  return 0;
}

static int clear(PyObject* self) {
  FastFunction* function = (FastFunction*)self;
  Py_CLEAR(function->python);
  Py_CLEAR(function->op);
  Py_CLEAR(function->dict);
  return 0;
}

static void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear(self);
  Py_TYPE(self)->tp_free(self);
}

static PyObject* bind(PyObject* self, PyObject* instance, PyObject* Py_UNUSED(type)) {
  return instance ? PyMethod_New(self, instance) : Py_NewRef(self);
}

static PyObject* represent(PyObject* self) {
  return PyUnicode_FromFormat("<fast path of %R>", ((FastFunction*)self)->python);
}

static PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyTypeObject FastFunctionType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfpy._src.core._dispatch.FastFunction",
    .tp_basicsize = sizeof(FastFunction),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_vectorcall_offset = offsetof(FastFunction, call),
    .tp_dictoffset = offsetof(FastFunction, dict),
    .tp_getset = attributes,
    .tp_call = PyVectorcall_Call,
    .tp_descr_get = bind,
    .tp_repr = represent,
    .tp_traverse = traverse,
    .tp_clear = clear,
    .tp_dealloc = dealloc,
    .tp_free = PyObject_GC_Del,
};

static PyObject* made(vectorcallfunc call, PyObject* python, PyObject* op) {
  if (!PyCallable_Check(python)) return PyErr_Format(PyExc_TypeError, "%R is no function", python);
  FastFunction* function = PyObject_GC_New(FastFunction, &FastFunctionType);
  if (!function) return NULL;
  function->call = call;
  function->python = Py_NewRef(python);
  function->op = Py_XNewRef(op);
  function->dict = NULL;
  PyObject_GC_Track(function);
  return (PyObject*)function;
}

static PyObject* of_apply(PyObject* Py_UNUSED(module), PyObject* python) {
  return made(call_apply, python, NULL);
}

static PyObject* of_call(PyObject* Py_UNUSED(module), PyObject* python) {
  return made(call_compiled, python, NULL);
}

static PyObject* of_operator(PyObject* Py_UNUSED(module), PyObject* args) {
  PyObject *op, *python;
  int reflected;
  if (!PyArg_ParseTuple(args, "OOp:of_operator", &op, &python, &reflected)) return NULL;
  return made(reflected ? call_reflected : call_operator, python, op);
}

static PyObject* taken(PyObject* Py_UNUSED(module), PyObject* Py_UNUSED(none)) {
  return Py_BuildValue("KK", fast_ops, fast_calls);
}

// core/fast_path.py documents these functions. Docstrings here would be downloaded by each page.
static PyMethodDef methods[] = {{"bind_values", bind_values, METH_O, NULL},
                                {"bind_calls", bind_calls, METH_O, NULL},
                                {"of_apply", of_apply, METH_O, NULL},
                                {"of_call", of_call, METH_O, NULL},
                                {"of_operator", of_operator, METH_VARARGS, NULL},
                                {"taken", taken, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_dispatch", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__dispatch(void) {
  if (make_names() || PyType_Ready(&FastFunctionType)) return NULL;
  return PyModule_Create(&definition);
}
