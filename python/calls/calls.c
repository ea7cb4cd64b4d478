/* SPDX-License-Identifier: Apache-2.0 */
/* Calls for small arrays: what _convert.py and _tensors.py do, without ctypes, for the plain case.
 *
 * A caller that has gone the long way once remembers its plan here, under (dtype, format, policy).
 * The next call of the same key is answered in C; whatever is not plain (another type than NumPy's
 * array, an array with gaps, a keyword) is answered with NotImplemented, and the caller goes the
 * long way.
 *
 * Arrays are read where NumPy's ABI has their fields (numpy/ndarraytypes.h, PyArrayObject_fields),
 * so that no header of NumPy is needed and one file serves every Python from 3.11 on (PEP 384).
 * check() compares the fields with an array of known contents; without its consent nothing here is
 * used.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

/* The head of every NumPy array since 1.7, 2.x included. */
typedef struct {
  PyObject head;
  char* data;
  int dimensions;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* dtype;
  int flags;
} Array;

enum { kContiguous = 1, kWriteable = 0x400 };
enum { kLarge = 1 << 14 }; /* bytes from which other threads may run meanwhile */
enum { kMostDimensions = 64 };

typedef struct {
  uint32_t amax;
  uint32_t scale;
} Level;

typedef int (*ConvertArray)(const void*, const void*, uint64_t, uint64_t, uint32_t, void*, uint64_t,
                            uint32_t*);
typedef int (*QuantizeTensor)(const void*, const uint64_t*, size_t, int64_t, const void*, uint64_t,
                              uint64_t, uint32_t, void*, uint64_t, void*, uint64_t, uint32_t*);
typedef int (*FindLevel)(const void*, const void*, uint64_t, Level*);
typedef int (*AtLevel)(const void*, const Level*, void**);
typedef void (*Destroy)(void*);

typedef struct {
  PyTypeObject* array_type;
  PyObject* empty; /* numpy.empty */
  PyObject* conversions;
  PyObject* quantizers;
  ConvertArray convert;
  QuantizeTensor quantize;
  FindLevel find_level;
  AtLevel at_level;
  Destroy destroy;
} State;

static State* state_of(PyObject* module) { return (State*)PyModule_GetState(module); }

static PyObject* long_way(void) {
  Py_INCREF(Py_NotImplemented);
  return Py_NotImplemented;
}

/* A plain array, or NULL. */
static Array* plain_array(const State* state, PyObject* x) {
  if (Py_TYPE(x) != state->array_type) return NULL;
  Array* array = (Array*)x;
  return array->flags & kContiguous && array->dimensions <= kMostDimensions ? array : NULL;
}

static uint64_t elements_of(const Array* array) {
  uint64_t count = 1;
  for (int i = 0; i < array->dimensions; ++i) count *= (uint64_t)array->shape[i];
  return count;
}

/* The plan of (dtype, format, policy), borrowed; NULL without an exception where there is none. */
static PyObject* plan_of(PyObject* plans, const Array* array, PyObject* format, PyObject* policy) {
  PyObject* key = PyTuple_Pack(3, array->dtype, format, policy);
  PyObject* plan = key == NULL ? NULL : PyDict_GetItemWithError(plans, key);
  Py_XDECREF(key);
  if (plan == NULL) PyErr_Clear(); /* no key at all: the long way says why */
  return plan;
}

/* The key of random words. 0 where the long way must say what is wrong. */
static int read_key(PyObject* seed, PyObject* tensor_index, uint64_t* words, uint32_t* tensor) {
  if (!PyLong_CheckExact(seed) || !PyLong_CheckExact(tensor_index)) return 0;
  *words = PyLong_AsUnsignedLongLong(seed);
  const unsigned long long index = PyLong_AsUnsignedLongLong(tensor_index);
  if (PyErr_Occurred() != NULL) {
    PyErr_Clear();
    return 0;
  }
  *tensor = (uint32_t)index;
  return index <= UINT32_MAX;
}

static PyObject* shape_tuple(const uint64_t* shape, int dimensions) {
  PyObject* tuple = PyTuple_New(dimensions);
  for (int i = 0; tuple != NULL && i < dimensions; ++i) {
    PyObject* number = PyLong_FromUnsignedLongLong(shape[i]);
    if (number == NULL || PyTuple_SetItem(tuple, i, number) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

/* numpy.empty(shape, dtype) */
static PyObject* empty_array(const State* state, const uint64_t* shape, int dimensions,
                             PyObject* dtype) {
  PyObject* tuple = shape_tuple(shape, dimensions);
  if (tuple == NULL) return NULL;
  PyObject* made = PyObject_CallFunctionObjArgs(state->empty, tuple, dtype, NULL);
  Py_DECREF(tuple);
  if (made != NULL && Py_TYPE(made) != state->array_type) {
    Py_DECREF(made);
    PyErr_SetString(PyExc_SystemError, "numpy.empty() made no array");
    return NULL;
  }
  return made;
}

static void* pointer_at(PyObject* tuple, Py_ssize_t index) {
  return PyLong_AsVoidPtr(PyTuple_GetItem(tuple, index));
}

static int64_t number_at(PyObject* tuple, Py_ssize_t index) {
  return PyLong_AsLongLong(PyTuple_GetItem(tuple, index));
}

/* convert(x, format, policy, seed, tensor_index) -> codes, or NotImplemented */
static PyObject* convert(PyObject* module, PyObject* const* given, Py_ssize_t count) {
  const State* state = state_of(module);
  if (count != 5) return long_way();
  const Array* x = plain_array(state, given[0]);
  uint64_t seed = 0;
  uint32_t tensor = 0;
  if (x == NULL || !read_key(given[3], given[4], &seed, &tensor)) return long_way();
  /* (conversion, bytes of a source word, type of codes, bytes of a code, what owns the conversion)
   */
  PyObject* plan = plan_of(state->conversions, x, given[1], given[2]);
  if (plan == NULL) return long_way();
  Py_INCREF(plan);
  const uint64_t elements = elements_of(x);
  uint64_t shape[kMostDimensions];
  for (int i = 0; i < x->dimensions; ++i) shape[i] = (uint64_t)x->shape[i];
  PyObject* codes = empty_array(state, shape, x->dimensions, PyTuple_GetItem(plan, 2));
  if (codes != NULL) {
    const void* conversion = pointer_at(plan, 0);
    const uint64_t source_bytes = elements * (uint64_t)number_at(plan, 1);
    const uint64_t code_bytes = elements * (uint64_t)number_at(plan, 3);
    void* data = ((Array*)codes)->data;
    int status;
    if (source_bytes < kLarge) {
      status =
          state->convert(conversion, x->data, source_bytes, seed, tensor, data, code_bytes, NULL);
    } else {
      Py_BEGIN_ALLOW_THREADS;
      status =
          state->convert(conversion, x->data, source_bytes, seed, tensor, data, code_bytes, NULL);
      Py_END_ALLOW_THREADS;
    }
    if (status != 0) {
      Py_DECREF(codes);
      codes = long_way(); /* which says what is wrong */
    }
  }
  Py_DECREF(plan);
  return codes;
}

/* What a quantizer's plan holds, beside what owns it. */
typedef struct {
  void* quantizer;
  uint64_t word_bytes;
  PyObject* code_type;
  uint64_t code_bytes;
  PyObject* scale_type;
  uint64_t scale_bytes;
  uint64_t block_size; /* 0: a block is a whole axis */
  int is_two_level;
} Plan;

static Plan read_plan(PyObject* tuple) {
  Plan plan = {pointer_at(tuple, 0),          (uint64_t)number_at(tuple, 1),
               PyTuple_GetItem(tuple, 2),     (uint64_t)number_at(tuple, 3),
               PyTuple_GetItem(tuple, 4),     (uint64_t)number_at(tuple, 5),
               (uint64_t)number_at(tuple, 6), (int)number_at(tuple, 7)};
  return plan;
}

typedef struct {
  uint64_t shape[kMostDimensions];
  int rank;
  int axis;
  uint64_t elements;
  uint64_t scales;
  uint64_t scale_shape[kMostDimensions];
} Blocked;

/* The shapes of codes and scales; 0 where the axis is none. */
static int measure(const Array* x, int64_t axis, const Plan* plan, Blocked* made) {
  made->rank = x->dimensions;
  const int rank = made->rank == 0 ? 1 : made->rank;
  if (axis < -rank || axis >= rank) return 0;
  made->axis = (int)(axis < 0 ? axis + rank : axis);
  made->elements = elements_of(x);
  made->scales = 1;
  for (int i = 0; i < made->rank; ++i) made->shape[i] = (uint64_t)x->shape[i];
  for (int i = 0; i < rank; ++i) {
    uint64_t length = made->rank == 0 ? 1 : made->shape[i];
    if (i == made->axis) {
      length =
          plan->block_size == 0 ? (length > 0) : (length + plan->block_size - 1) / plan->block_size;
    }
    made->scale_shape[i] = length;
    made->scales *= length;
  }
  return 1;
}

/* The quantizer at the level of x; NULL where the long way must say what is wrong. */
static void* leveled(const State* state, const void* quantizer, const Array* x, uint64_t bytes,
                     Level* level) {
  void* found = NULL;
  if (state->find_level(quantizer, x->data, bytes, level) != 0) return NULL;
  return state->at_level(quantizer, level, &found) == 0 ? found : NULL;
}

static int run(const State* state, const void* quantizer, const Blocked* blocked, const Plan* plan,
               const Array* x, uint64_t seed, uint32_t tensor, Array* codes, Array* scales,
               uint32_t* flags) {
  const uint64_t bytes = blocked->elements * plan->word_bytes;
  int status;
  if (bytes < kLarge) {
    return state->quantize(quantizer, blocked->shape, (size_t)blocked->rank, blocked->axis, x->data,
                           bytes, seed, tensor, codes->data, blocked->elements * plan->code_bytes,
                           scales->data, blocked->scales * plan->scale_bytes, flags);
  }
  Py_BEGIN_ALLOW_THREADS;
  status = state->quantize(quantizer, blocked->shape, (size_t)blocked->rank, blocked->axis, x->data,
                           bytes, seed, tensor, codes->data, blocked->elements * plan->code_bytes,
                           scales->data, blocked->scales * plan->scale_bytes, flags);
  Py_END_ALLOW_THREADS;
  return status;
}

/* quantize(x, format, policy, axis, seed, tensor_index)
 * -> (plan, codes, scales, axis, flags, handle of a quantizer at a level or 0, amax, scale), or
 * NotImplemented */
static PyObject* quantize(PyObject* module, PyObject* const* given, Py_ssize_t count) {
  const State* state = state_of(module);
  if (count != 6 || !PyLong_CheckExact(given[3])) return long_way();
  const Array* x = plain_array(state, given[0]);
  uint64_t seed = 0;
  uint32_t tensor = 0;
  if (x == NULL || !read_key(given[4], given[5], &seed, &tensor)) return long_way();
  const int64_t axis = PyLong_AsLongLong(given[3]);
  if (PyErr_Occurred() != NULL) {
    PyErr_Clear();
    return long_way();
  }
  PyObject* tuple = plan_of(state->quantizers, x, given[1], given[2]);
  if (tuple == NULL) return long_way();
  Py_INCREF(tuple);
  const Plan plan = read_plan(tuple);
  Blocked blocked;
  Level level = {0, 0x3F800000};
  void* quantizer = plan.quantizer;
  PyObject* codes = NULL;
  PyObject* scales = NULL;
  PyObject* answer = NULL;
  uint32_t flags = 0;
  const int is_measured = measure(x, axis, &plan, &blocked);
  if (is_measured && plan.is_two_level) {
    quantizer = leveled(state, quantizer, x, blocked.elements * plan.word_bytes, &level);
  }
  if (!is_measured || quantizer == NULL) {
    Py_DECREF(tuple);
    return long_way();
  }
  codes = empty_array(state, blocked.shape, blocked.rank, plan.code_type);
  if (codes != NULL) {
    scales = empty_array(state, blocked.scale_shape, blocked.rank == 0 ? 1 : blocked.rank,
                         plan.scale_type);
  }
  int status = -1;
  if (scales != NULL) {
    status = run(state, quantizer, &blocked, &plan, x, seed, tensor, (Array*)codes, (Array*)scales,
                 &flags);
    if (status == 0) {
      PyObject* handle = PyLong_FromVoidPtr(plan.is_two_level ? quantizer : NULL);
      if (handle != NULL) {
        answer = Py_BuildValue("(OOOiINII)", tuple, codes, scales, blocked.axis, flags, handle,
                               level.amax, level.scale);
      }
    } else {
      answer = long_way();
    }
  }
  if (plan.is_two_level && (answer == NULL || status != 0)) state->destroy(quantizer);
  Py_XDECREF(codes);
  Py_XDECREF(scales);
  Py_DECREF(tuple);
  return answer;
}

/* remember(is_quantizer, key, plan) */
static PyObject* remember(PyObject* module, PyObject* arguments) {
  State* state = state_of(module);
  int is_quantizer;
  PyObject* key;
  PyObject* plan;
  if (!PyArg_ParseTuple(arguments, "pO!O!", &is_quantizer, &PyTuple_Type, &key, &PyTuple_Type,
                        &plan)) {
    return NULL;
  }
  if (PyTuple_Size(key) != 3 || PyTuple_Size(plan) < (is_quantizer ? 8 : 4)) {
    PyErr_SetString(PyExc_ValueError, "a key of three and a plan");
    return NULL;
  }
  PyObject* plans = is_quantizer ? state->quantizers : state->conversions;
  if (PyDict_Size(plans) >= 1024) PyDict_Clear(plans);
  if (PyDict_SetItem(plans, key, plan) < 0) return NULL;
  Py_RETURN_NONE;
}

/* setup(numpy.ndarray, numpy.empty, (addresses of five functions of the library)) */
static PyObject* setup(PyObject* module, PyObject* arguments) {
  State* state = state_of(module);
  PyObject* type;
  PyObject* empty;
  unsigned long long at[5];
  if (!PyArg_ParseTuple(arguments, "O!O(KKKKK)", &PyType_Type, &type, &empty, &at[0], &at[1],
                        &at[2], &at[3], &at[4])) {
    return NULL;
  }
  if (state->empty != NULL) {
    PyErr_SetString(PyExc_RuntimeError, "setup() is called once");
    return NULL;
  }
  Py_INCREF(type);
  Py_INCREF(empty);
  state->array_type = (PyTypeObject*)type;
  state->empty = empty;
  state->convert = (ConvertArray)(uintptr_t)at[0];
  state->quantize = (QuantizeTensor)(uintptr_t)at[1];
  state->find_level = (FindLevel)(uintptr_t)at[2];
  state->at_level = (AtLevel)(uintptr_t)at[3];
  state->destroy = (Destroy)(uintptr_t)at[4];
  Py_RETURN_NONE;
}

/* check(array, data, shape, strides, dtype, is_contiguous) -> are its fields where they are read?
 */
static PyObject* check(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* given;
  PyObject* dtype;
  unsigned long long data;
  Py_ssize_t shape[2];
  Py_ssize_t strides[2];
  int is_contiguous;
  if (!PyArg_ParseTuple(arguments, "OK(nn)(nn)Op", &given, &data, &shape[0], &shape[1], &strides[0],
                        &strides[1], &dtype, &is_contiguous)) {
    return NULL;
  }
  const Array* array = (const Array*)given;
  const int is_there = (uintptr_t)array->data == (uintptr_t)data && array->dimensions == 2 &&
                       array->dtype == dtype &&
                       (array->flags & kContiguous) == (is_contiguous ? kContiguous : 0) &&
                       array->shape[0] == shape[0] && array->shape[1] == shape[1] &&
                       array->strides[0] == strides[0] && array->strides[1] == strides[1];
  return PyBool_FromLong(is_there);
}

static PyMethodDef kMethods[] = {
    {"convert", (PyCFunction)(void (*)(void))convert, METH_FASTCALL,
     "convert(x, format, policy, seed, tensor_index)"},
    {"quantize", (PyCFunction)(void (*)(void))quantize, METH_FASTCALL,
     "quantize(x, format, policy, axis, seed, tensor_index)"},
    {"remember", remember, METH_VARARGS, "remember(is_quantizer, key, plan)"},
    {"setup", setup, METH_VARARGS, "setup(ndarray, empty, functions)"},
    {"check", check, METH_VARARGS, "check(array, data, shape, strides, dtype, is_contiguous)"},
    {NULL, NULL, 0, NULL}};

static int traverse(PyObject* module, visitproc visit, void* arg) {
  State* state = state_of(module);
  Py_VISIT(state->array_type);
  Py_VISIT(state->empty);
  Py_VISIT(state->conversions);
  Py_VISIT(state->quantizers);
  return 0;
}

static int clear(PyObject* module) {
  State* state = state_of(module);
  Py_CLEAR(state->array_type);
  Py_CLEAR(state->empty);
  Py_CLEAR(state->conversions);
  Py_CLEAR(state->quantizers);
  return 0;
}

static void release(void* module) { (void)clear((PyObject*)module); }

static int start(PyObject* module) {
  State* state = state_of(module);
  state->conversions = PyDict_New();
  state->quantizers = PyDict_New();
  return state->conversions == NULL || state->quantizers == NULL ? -1 : 0;
}

static PyModuleDef_Slot kSlots[] = {{Py_mod_exec, (void*)start}, {0, NULL}};
static struct PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                                     "_calls",
                                     "Calls for small arrays.",
                                     sizeof(State),
                                     kMethods,
                                     kSlots,
                                     traverse,
                                     clear,
                                     release};

PyMODINIT_FUNC PyInit__calls(void) { return PyModuleDef_Init(&kModule); }
