"""Expressions with NumPy behavior that TensorFlow and tfpy compute in one process.

Usage: ``python -m api.numpy_programs`` prints, as JSON, the expressions whose results differ, by
mode. ``test_experimental_numpy.py`` runs it in a process of its own, because the behavior cannot be
disabled again, with 64-bit dtypes.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import tensorflow
from api.same import compare

import tfpy

FUNCTIONS = """
tnp.array([1, 2.5])
tnp.array([1, 2])
tnp.array(1.5)
tnp.array(True)
tnp.array([])
tnp.array([[True, False]])
tnp.array(1 + 2j)
tnp.array([1, 2j])
tnp.array([1.5, 2], dtype=int)
tnp.array([1, 2], dtype=np.float32)
tnp.array([1, 2], dtype=tf.float16)
tnp.array(np.array([1, 2], np.int8))
tnp.array(f)
tnp.array(tf.Variable([1, 2]))
tnp.array([f, f])
tnp.array([f[0], 2.0])
tnp.array("a")
tnp.array([1, 2], ndmin=3)
tnp.asarray(i)
tnp.asarray(i, dtype=float)
tnp.asanyarray([1.5])
tnp.ascontiguousarray(2)
tnp.copy([1, 2])
tnp.zeros(3)
tnp.zeros((2, 2), dtype=int)
tnp.zeros([2], dtype=None)
tnp.ones([2, 2])
tnp.ones(2, np.int32)
tnp.empty([2])
tnp.zeros_like(i)
tnp.ones_like([1.5], dtype=int)
tnp.empty_like(f)
tnp.full([2, 2], 7)
tnp.full(2, 7.5, dtype=int)
tnp.full((), i[0])
tnp.full_like(f, 3)
tnp.full_like([1, 2], 3.5)
tnp.full_like(f, 1, order="C")
tnp.eye(3)
tnp.eye(3, 2, 1, dtype=int)
tnp.eye(2, k=3)
tnp.identity(2)
tnp.tri(3)
tnp.tri(2, 3, 1, dtype=int)
tnp.tri(3, k=-1)
tnp.tril(m)
tnp.triu(m, 1)
tnp.tril(m, -1)
tnp.tril(f)
tnp.arange(5)
tnp.arange(2, 5)
tnp.arange(1.0, 2.0, 0.25)
tnp.arange(5, 1, -2)
tnp.arange(5, 1)
tnp.arange(3, dtype=np.float32)
tnp.arange(3, step=0)
tnp.linspace(0, 1, 5)
tnp.linspace(0, 10, 5, endpoint=False)
tnp.linspace(0, 10, 3, dtype=int)
tnp.linspace(0.0, 1.0, 3, retstep=True)
tnp.linspace(0, 1, 1)
tnp.linspace([0, 1], [2, 3], 3, axis=1)
tnp.linspace(0, 1, -1)
tnp.linspace(f[0], f[1], 3)
tnp.logspace(0, 2, 3)
tnp.logspace(0, 2, 3, endpoint=False, base=2)
tnp.geomspace(1, 1000, 4)
tnp.geomspace(-1000, -1, 4)
tnp.geomspace(1.0, 16.0, 5, dtype=np.float32)
tnp.vander([1, 2, 3])
tnp.vander([1.0, 2.0], 4, increasing=True)
tnp.vander(m)
tnp.diag([1, 2])
tnp.diag([1, 2], -1)
tnp.diag(m)
tnp.diag(m, 1)
tnp.diag(m, 7)
tnp.diag(t)
tnp.diagflat(m, 1)
tnp.diagonal(m)
tnp.diagonal(t, 1, 0, 2)
tnp.diagonal(t, axis1=1, axis2=2)
tnp.diag_indices(3)
tnp.diag_indices(2, 3)
tnp.diag_indices(-1)
tnp.meshgrid([1, 2], [3, 4, 5])
tnp.meshgrid([1.0, 2.0], [3.0, 4.0], indexing="ij")
tnp.meshgrid([1, 2], [3, 4], sparse=True)
tnp.ix_([0, 1], [2, 3])
tnp.ix_([True, False], [1])
tnp.ix_([1.5])
tnp.shape(m)
tnp.ndim(m)
int(tnp.size(m))
tnp.size(1.5)
tnp.size(m, 1)
tnp.isscalar(1.5)
tnp.isscalar([1])
tnp.reshape(m, [3, 2])
tnp.reshape(m, -1)
tnp.reshape(m, (3, 2), order="F")
tnp.reshape(m, (3, 2), order="A")
tnp.ravel(m)
tnp.flatten(m, "F")
tnp.flatten(m, "X")
tnp.transpose(m)
tnp.transpose(t, (1, 0, 2))
tnp.swapaxes(t, 0, -1)
tnp.moveaxis(t, 0, -1)
tnp.moveaxis(t, [0, 1], [1, 2])
tnp.moveaxis(t, [0, 1], [1])
tnp.expand_dims(f, 0)
tnp.squeeze([[1, 2]])
tnp.squeeze([[1], [2]], 1)
tnp.squeeze(m, 0)
tnp.broadcast_to(3, [2, 2])
tnp.broadcast_to(f, (2, 2))
tnp.broadcast_arrays([1, 2], [[3], [4]])
tnp.broadcast_arrays([1, 2])
tnp.atleast_1d(1)
tnp.atleast_1d(1, [2])
tnp.atleast_2d([1, 2])
tnp.atleast_3d(1)
tnp.atleast_3d([1, 2])
tnp.atleast_3d(m)
tnp.flip(m)
tnp.flip(m, 1)
tnp.flip(m, -2)
tnp.flipud(m)
tnp.fliplr(m)
tnp.roll(m, 1)
tnp.roll(m, 1, 1)
tnp.roll(m, (1, 1), (0, 1))
tnp.rot90(m)
tnp.rot90(m, 2)
tnp.rot90(m, 3)
tnp.rot90(m, -1, (1, 0))
tnp.pad(m, [[1, 0], [0, 2]], "constant")
tnp.pad(m, [[1, 0], [0, 2]], "constant", constant_values=7)
tnp.pad(m, [[1, 0], [0, 2]], "reflect")
tnp.pad(m, [[1, 0], [0, 2]], "symmetric")
tnp.pad(m, [[1, 0], [0, 2]], "edge")
tnp.concatenate([[1, 2], [3.5]])
tnp.concatenate([i, f])
tnp.concatenate((m, m), axis=1)
tnp.concatenate([])
tnp.stack([[1, 2], [3, 4.5]])
tnp.stack([i, f], axis=1)
tnp.stack(m)
tnp.stack(m, axis=1)
tnp.hstack([1, 2])
tnp.hstack([m, m])
tnp.vstack([[1, 2], [3, 4]])
tnp.dstack([[1, 2], [3, 4]])
tnp.append([1], [2.5])
tnp.append(m, m, axis=0)
tnp.split([1, 2, 3, 4], 2)
tnp.split([1, 2, 3, 4], [1, 3])
tnp.split(m, 3, axis=1)
tnp.split([1, 2, 3], 2)
tnp.vsplit(m, 2)
tnp.hsplit(m, 3)
tnp.hsplit(f, 2)
tnp.hsplit(m, 2)
tnp.dsplit(t, 2)
tnp.tile([1, 2], 2)
tnp.tile(m, (2, 1, 1))
tnp.tile(m, 2)
tnp.repeat([1, 2], 2)
tnp.repeat(m, [1, 2], axis=0)
tnp.repeat(3, 4)
tnp.take(m, [0, 2])
tnp.take(m, [0, 5], axis=1)
tnp.take(m, [-1, 4], axis=1, mode="wrap")
tnp.take(m, 0, mode="raise")
tnp.take(m, 0, mode="other")
tnp.take_along_axis(m, [[0], [2]], 1)
tnp.take_along_axis(m, [[-1, 0, 0]], 0)
tnp.take_along_axis(m, [1, 2], None)
tnp.compress([True, False], m)
tnp.compress([0, 1], m, axis=0)
tnp.compress([True, False, True], m, axis=-1)
tnp.compress([[True]], m)
tnp.nonzero([[1, 0], [0, 2]])
tnp.nonzero(3)
tnp.where([True, False], 1, 0.5)
tnp.where(m > 2, m, 0)
tnp.where([0, 1, 1])
tnp.where([0, 1, 1], 1)
tnp.select([m > 2, m > 1], [m, 10 * m], 0.5)
tnp.select([m > 2], [])
tnp.sum(m)
tnp.sum(f, axis=0, keepdims=True)
tnp.sum([True, True])
tnp.sum([True, False], dtype=bool)
tnp.sum(u)
tnp.sum(tf.constant([1, 2], tf.int8))
tnp.sum(m, axis=(0, 1))
tnp.sum(m, dtype=np.float32)
tnp.sum(m, axis=-1)
tnp.sum(m, axis=tf.constant(1))
tnp.sum(m, axis=5)
tnp.prod(m, axis=0)
tnp.prod(u)
tnp.mean(m)
tnp.mean(f)
tnp.mean(m, axis=0, dtype=np.float32)
tnp.mean(m, out=1)
tnp.amax(m, axis=1)
tnp.amin(m)
tnp.max(m, axis=0, keepdims=True)
tnp.min([True, False])
tnp.max([True, False])
tnp.ptp(m, axis=1)
tnp.all([1, 0])
tnp.any(m > 5, axis=0)
tnp.count_nonzero([[1, 0], [2, 0]], axis=0)
tnp.count_nonzero(f)
tnp.var(m)
tnp.var(f, dtype=np.float64)
tnp.std(m, axis=1)
tnp.std(f, keepdims=True)
tnp.average(m)
tnp.average(m, axis=0)
tnp.average(m, weights=m)
tnp.average(m, axis=1, weights=[1, 2, 3], returned=True)
tnp.average(f, returned=True)
tnp.average(m, axis=0, returned=True)
tnp.average(m, axis=(0, 1))
tnp.nansum(n)
tnp.nanprod(n)
tnp.nanmean(n)
tnp.nanmean(m, axis=0)
tnp.nansum(m)
tnp.cumsum(m)
tnp.cumsum(m, axis=1)
tnp.cumsum(u)
tnp.cumprod(m, axis=-1)
tnp.cumsum([True, True])
tnp.cumsum(m, dtype=np.float32)
tnp.diff([1, 4, 9])
tnp.diff(m, axis=0)
tnp.diff([1, 4, 9, 16], n=2)
tnp.diff([True, False, True])
tnp.diff(m, axis=3)
tnp.sort([3, 1, 2])
tnp.sort(m, axis=None)
tnp.sort(-m, axis=0)
tnp.sort(m, kind="heapsort")
tnp.argsort([3, 1, 2])
tnp.argsort(-m, axis=0, kind="stable")
tnp.argsort(m, axis=None)
tnp.argsort(1)
tnp.argmax(m)
tnp.argmax(m, axis=0)
tnp.argmin(m, axis=1)
tnp.argmin(3)
tnp.dot([1, 2], [3, 4])
tnp.dot(m, [1, 2, 3])
tnp.dot(t, tf.transpose(m))
tnp.dot(2, f)
tnp.dot(i, f)
tnp.inner([1, 2], [3, 4])
tnp.inner(m, m)
tnp.vdot(m, m)
tnp.vdot([1 + 2j], [3j])
tnp.outer([1, 2], [3.5, 4])
tnp.matmul(m, [1, 2, 3])
tnp.matmul([1, 2], m)
tnp.matmul(t, tf.transpose(m))
tnp.matmul(m, m)
tnp.tensordot(m, m, [[1], [1]])
tnp.tensordot(m, m)
tnp.kron([1, 10], m)
tnp.kron(m, [[1], [2]])
tnp.cross([1, 0, 0], [0, 1, 0])
tnp.cross([1, 2], [3, 4])
tnp.cross([1, 2, 0], [3, 4])
tnp.cross(m, m + 1)
tnp.cross(tf.transpose(m), tf.transpose(m) + 1, axis=0)
tnp.polyval([1, 2, 3], 2)
tnp.polyval([1, 2], [1.5, 2.5])
tnp.polyval(3, [1, 2])
tnp.trace(m[:, :2])
tnp.trace(m, 1)
tnp.trace(t, axis1=1, axis2=2)
tnp.trace(m[:, :2], dtype=np.float32)
tnp.einsum("ij,j->i", m, [1.5, 2, 3])
tnp.einsum("ij->ji", m)
tnp.einsum("i,i", f, f, optimize="greedy")
tnp.einsum("i,i", f, f, casting="other")
tnp.add([1, 2], 0.5)
tnp.add([True, False], [True, True])
tnp.add(i, f)
tnp.add(u, 1)
tnp.add(u, i)
tnp.add(f, 1.5)
tnp.add(1, 2)
tnp.subtract(3, [1, 2])
tnp.multiply([True, False], True)
tnp.multiply(u, 2)
tnp.divide([1, 2], 4)
tnp.true_divide([True], [True])
tnp.true_divide(u, u)
tnp.floor_divide(-7, 2)
tnp.floor_divide([True], [True])
tnp.floor_divide(f, 0.5)
tnp.mod([7, -7], 3)
tnp.remainder(-7.5, 2)
tnp.divmod(7, -2)
tnp.power(2, [1, 2])
tnp.power(f, 2)
tnp.float_power(2, 3)
tnp.maximum(f, 0)
tnp.maximum([1, -1], 0)
tnp.maximum(i, 1.5)
tnp.minimum([True], [False])
tnp.minimum(u, i)
tnp.clip([1, 5, 9], 2, 6)
tnp.clip(f, None, 2)
tnp.clip(i, 1.5, None)
tnp.clip(i, None, None)
tnp.clip(i, 1, 1.5)
tnp.arctan2(1.0, [1.0, -1.0])
tnp.nextafter(1.0, [2.0])
tnp.heaviside([-1.5, 0.0, 2.0], 0.5)
tnp.heaviside([-1, 0, 1], 1)
tnp.hypot(3, 4)
tnp.hypot(f, f)
tnp.logaddexp(f, f)
tnp.logaddexp(np.inf, f)
tnp.logaddexp2(f, 1.0)
tnp.isclose([1.0, np.nan], [1.0000001, np.nan])
tnp.isclose([1.0, np.nan], [1.1, np.nan], rtol=0.2, equal_nan=True)
tnp.isclose([1, 2], [1, 3])
tnp.allclose(f, f)
tnp.array_equal(i, [1, 2])
tnp.array_equal(i, [1.0, 2.5])
tnp.array_equal(i, m)
tnp.gcd([12, 18], 8)
tnp.gcd(0, [0, 3])
tnp.gcd(-12, 18)
tnp.gcd(1.5, 2)
tnp.lcm([4, 6], 10)
tnp.lcm(0, 3)
tnp.bitwise_and(6, [3, 4])
tnp.bitwise_or([True], [False])
tnp.bitwise_xor(u, i)
tnp.bitwise_not([0, 1])
tnp.bitwise_not([True])
tnp.equal(i, [1.0, 2.5])
tnp.not_equal([True], [False])
tnp.greater([True, False], False)
tnp.greater_equal(i, 1.5)
tnp.less(u, -1)
tnp.less_equal(f, f)
tnp.logical_and([0, 2], 1)
tnp.logical_or([0.0, 2.0], 0)
tnp.logical_xor(i, 0)
tnp.logical_not([0, 2])
tnp.sin([0, 1])
tnp.cos(f)
tnp.tan(1)
tnp.arcsin([0.5])
tnp.arccos(0.5)
tnp.arctan(i)
tnp.sinh(f)
tnp.cosh(f)
tnp.tanh(i)
tnp.arcsinh(f)
tnp.arccosh(f)
tnp.arctanh([0.5])
tnp.exp(1)
tnp.exp(f)
tnp.exp(b)
tnp.exp(tf.constant([1.0], tf.float16))
tnp.expm1(f)
tnp.exp2([1, 2])
tnp.exp2(f)
tnp.log([1, 2])
tnp.log1p(f)
tnp.log2(8)
tnp.log2(f)
tnp.log10([10, 100])
tnp.sqrt(4)
tnp.sqrt([1 + 0j])
tnp.cbrt([8, -27])
tnp.cbrt(f)
tnp.ceil([1.5])
tnp.floor(i)
tnp.fix([-1.5, 1.5])
tnp.deg2rad(180)
tnp.rad2deg(f)
tnp.sinc([0, 0.5])
tnp.isnan(n)
tnp.isnan([1])
tnp.isfinite([1.0, np.inf])
tnp.isinf(f)
tnp.isinf(i)
tnp.isposinf(n)
tnp.isneginf(n)
tnp.abs([-1, 2])
tnp.absolute(-1.5)
tnp.fabs(-2)
tnp.abs([3 + 4j])
tnp.negative(i)
tnp.positive([1.5])
tnp.square([1.5, 2])
tnp.reciprocal([2.0, 4.0])
tnp.conj([1 + 2j])
tnp.conjugate(f)
tnp.signbit([-1.5, 0.0])
tnp.signbit([True])
tnp.sign([-2, 0, 3])
tnp.sign(f, out=1)
tnp.angle([1 + 1j])
tnp.angle([1.0, -1.0])
tnp.angle([1j], deg=True)
tnp.around([1.55, 2.5, -0.5])
tnp.around([123, 456], -1)
tnp.around(f, 1)
tnp.round(f)
tnp.real([1 + 2j])
tnp.imag([1 + 2j, 3])
tnp.imag(f)
tnp.iscomplex([1 + 2j, 3])
tnp.isreal([1 + 2j, 3])
tnp.iscomplexobj([1j])
tnp.isrealobj([1.0])
tnp.result_type(1, 2.5)
tnp.result_type(tf.int32, tf.float32)
tnp.result_type(i, 1.5)
tnp.result_type(f, 1.5)
tnp.result_type(f, np.float64(1))
tnp.result_type(u, -1)
tnp.result_type([1, 2], [2.5])
tnp.result_type(np.array([1, 2], np.int8), tf.float16)
tnp.result_type(int)
tnp.result_type(float)
tnp.result_type("int8")
tnp.result_type()
tnp.promote_types(tf.int32, np.float32)
tnp.promote_types("int8", "uint8")
tnp.finfo(np.float32).max
tnp.finfo(tf.float32).eps
tnp.iinfo(np.int32).max
tnp.issubdtype(np.int32, np.integer)
tnp.int_ is np.int_ and tnp.float64 is np.float64 and tnp.bool_ is np.bool_
[tnp.pi, tnp.e, tnp.inf, tnp.newaxis]
isinstance(tnp.ones(2), tnp.ndarray)
tnp.random.randn(2, 3).dtype
tnp.random.rand(2).shape
tnp.random.uniform(size=[2]).dtype
tnp.random.uniform([0.0, 1.0], 2.0).shape
tnp.random.randint(5, size=3).dtype
tnp.random.randint(5, 9, dtype=np.int32).shape
tnp.random.randint(5, dtype=np.int8)
tnp.random.poisson(3.0, 4).dtype
tnp.random.poisson(3.0, [2, 2]).shape
tnp.random.standard_normal().shape
tnp.random.random((2, 2)).shape
tnp.random.seed("x")
np.sum(tnp.ones([2, 2]))
np.asarray(tnp.arange(3))
"""
"""Calls of functions of ``tf.experimental.numpy``."""

BEHAVIOR = """
[tnp.random.seed(3), tnp.random.randn(3), tnp.random.rand(2), tnp.random.uniform(1, 2, [2])]
[tnp.random.seed(3), tnp.random.randint(100, size=[4])]
i + f
f + i
i + 1.5
1.5 + i
f + 1
f + np.float64(1)
f * np.ones(2)
np.ones(2) * f
np.float32(1) + i
i + np.array([1, 2])
np.array([1, 2]) + i
i + [1, 2.5]
[1, 2.5] + i
i + 1j
f + 1j
u + 300
u + 1
u / 2
u + i
b + 1
b + b
b * b
b & b
i & b
b | b
b ^ b
-b
+i
~i
i / 2
i // 2
i % 2
i ** 2
i ** 0.5
2 ** i
i @ i
f @ i
m @ [1, 2, 3]
[1, 2] @ m
m @ m
i < 1.5
i >= f
i == 1.5
i != f
i == None
i != None
i == m
i == [1, 2]
s + "b"
"b" + s
s + s
s == "a"
s == s
v + 1.5
1.5 + v
v + f
f + v
v * v
v == 1.0
v < f
i + v
h + f
h + 1.5
tf.constant([1.0, 2.0], tf.bfloat16) + f
tf.constant([1.0, 2.0], tf.bfloat16) + 1.5
tf.add(i, f)
i.T
m.T
t.T
m.ndim
int(m.size)
m.tolist()
m.shape
m.reshape(3, 2)
m.reshape((3, 2))
m.reshape([3, 2], order="F")
m.reshape(-1)
m.reshape(6, order="C", other=1)
m.ravel()
m.flatten()
m.flatten("F")
m.transpose()
t.transpose((1, 2, 0))
m.astype(float)
m.astype(np.float64)
m.astype(tf.int8)
m.astype("float32")
m.clip(2, 4)
m.clip(1.5, None)
m.max()
m.max(axis=0)
m.min(axis=1, keepdims=True)
m.mean()
m.mean(axis=0)
f.mean()
round(f)
round(f, 1)
m.sum()
m.any()
m.item()
v.T
m[0]
m[0, 1]
m[-1, -1]
m[:, 1]
m[..., 0]
m[None].shape
m[:, None, 1].shape
m[::-1]
m[:, ::-2]
m[[0, 1]]
m[[1, -1, 0]]
m[:, [0, 2]]
m[[0, 1], [2, 0]]
m[[[0, 1], [1, 0]]]
m[[0, 1], :]
m[[True, False]]
m[:, [True, False, True]]
m[m > 2]
m[m.numpy() > 2]
m[tf.constant([1, 0])]
m[tf.constant(1)]
m[np.array([1, 0])]
m[np.array([1, 0]), np.array([[0], [2]])]
m[np.int64(1), 1:]
m[tf.constant(0), tf.constant([0, 1])]
m[1, [0, 2]]
m[[0, 2], 1]
t[[0, 1], :, [0, 1]]
t[:, [0, 1], [0, 1]]
t[..., [0, 1]]
t[[0], ..., [0, 1]]
t[[0, 1], 1, :]
t[None, [0, 1]]
t[[0, 1], None]
t[0, :, [1, 0]]
t[:, 0, [1, 0]]
t[[1, 0], 0:1]
t[np.ix_([0, 1], [0], [1, 0])]
t[tnp.ix_([0, 1], [0], [1, 0])]
t[[True, False], 0]
m[u - 200]
m[tf.constant([0, 1], tf.int64), tf.constant([1, 2])]
m[1.5]
m["a"]
m[[0.5]]
m[5]
m[0, 0, 0]
m[[5]]
m[0:1.5]
m[[0, slice(1, 3)]]
m[[[]]]
v[0]
v[::-1]
list(m)[1]
m[tf.range(2), tf.range(2)]
m[1:, 1:][0]
f[[]]
f[tnp.array([0, 1])]
tf.constant(3)[None]
tf.constant(3)[...]
sum(f)
[x for x in f + i]
np.add(f, i)
np.sqrt(f)
np.array(i + f)
tf.reduce_sum(i + f)
tf.where(i > 1.5, i, 0)
fun(i, f)
fun(f, 2)
fun(tf.ones([3, 2]), i)
graph_index(m, tf.constant([1, 0]))
graph_methods(m)
gradient(f)
gradient_of_index(f)
variable_gradient()
tf.vectorized_map(lambda x: x * 2.5 + x.T, m)
tf.map_fn(lambda x: x.max() * 2, m)
[x.T for x in tf.data.Dataset.from_tensor_slices(m).map(lambda x: x * 0.5)]
tnp.meshgrid([1, 2], [3.0, 4.0], indexing="ij")
tnp.log2(f)
tnp.log10(f)
tnp.rad2deg(f) + 1
tnp.exp2(f)
tnp.logaddexp(f, f)
"""
"""Operators, methods and indexing that NumPy behavior changes."""

WEAK = """
tf.constant(1.2)
tf.constant([1, 2])
tf.constant([1, 2], tf.int16)
tf.constant(np.array([1, 2]))
tf.constant(True)
tf.constant("a")
tf.constant([])
tf.constant(1j)
tf.constant(tf.constant(1), tf.int64)
tf.constant(1.5) + tf.constant(3.1, tf.float16)
tf.constant(1) + tf.constant(2.5)
tf.constant(1) + 2
tf.constant(1, tf.int32) + tf.constant(2.5, tf.float32)
tf.constant(5, tf.uint8) + tf.constant(1, tf.int8)
tf.constant(5, tf.uint8) + 1.5
tf.constant([1, 2]).T
tf.convert_to_tensor(1.5)
tf.Variable(1) + tf.constant(2.5, tf.float16)
tf.Variable(1) + 2.5
tf.Variable(1.5).assign_add(1)
tf.Variable(1).assign(1.5)
tf.Variable(1, dtype=tf.int64).assign(tf.constant(3, tf.int16))
f + i
f * 2
2 * i
2.5 - i
f / i
i / 2
i // 2
i % 2
i ** 2
f @ f[:, None]
i == f
i < f
f > 1
i < 2.5
tf.constant(1.5) < f
tf.constant(1.5) > 1
u + i
u + 1
h + f
h + tf.constant([1.0, 2.0], tf.bfloat16)
b + i
f + 1j
tf.constant(1.5) == 1.5
tf.add(i, f)
tf.add(1, 2.5)
tf.add(tf.constant(1), tf.constant(2.5))
tf.multiply(u, 2)
tf.maximum(i, f)
tf.maximum(1, 2)
tf.matmul([[1, 2]], [[1.5], [2]])
tf.abs(-5)
tf.abs(i)
tf.exp(1.0)
tf.sqrt([4.0])
tf.reduce_sum([1, 2])
tf.reduce_mean(tf.constant([1.0, 2.0]))
tf.reshape([1, 2], [2, 1])
tf.transpose([[1, 2]])
tf.nn.relu([-1.0, 2.0])
tf.math.sigmoid(0.0)
tf.zeros([2])
tf.cast(tf.constant(1), tf.float32)
tf.constant([1.5, 2.5])[0]
list(tf.constant([1.5, 2.5]))
-tf.constant(1.5)
abs(tf.constant(-1.5))
tf.constant([1.5]).shape
tf.constant([1.5]).dtype
tf.constant([1.5]).numpy()
float(tf.constant(1.5))
tf.is_tensor(tf.constant(1.5))
isinstance(tf.constant(1.5), tf.Tensor)
tnp.array([1, 2])
tnp.array(1.5)
tnp.asarray(np.array([1.5]))
tnp.sum([1, 2])
tnp.mean([1, 2])
tnp.sin(1.0)
tnp.sin(i)
tnp.arange(3)
tnp.zeros([2])
tnp.result_type(i, f)
tnp.result_type(1, 2.5)
tnp.argsort(f)
tnp.max([1, 2])
gradient(f)
variable_gradient()
fun(i, f)
fun(tf.constant([1.5, 2.5]), i)
m[[0, 1], [2, 0]]
m.T
m.reshape(-1)
m.astype(tf.float16)
np.array(tf.constant([1.5]))
tf.stack([tf.constant(1.5), tf.constant(2.5)])
tf.concat([tf.constant([1.5]), tf.constant([2.5])], 0)
"""
"""Expressions of the modes with weak types."""

PROGRAMS = {
    "off": "i + f\nf + 1\nm.T\nm[[0, 1]]\ntnp.add(i, f)\ni + [1.5, 2]",
    "legacy": FUNCTIONS + BEHAVIOR,
    "safe": WEAK,
    "all": WEAK,
}
"""Expressions by mode, in the order in which the modes are tried."""


def scope(tf: Any) -> dict[str, Any]:
    """Return the names of the expressions, with `tf` as the library."""

    @tf.function
    def fun(x: Any, y: Any) -> Any:
        return x * y + 1.5

    @tf.function
    def graph_index(x: Any, at: Any) -> Any:
        return x[at], x[:, at], x[at, at], x[::-1, [0, 1]]

    @tf.function
    def graph_methods(x: Any) -> Any:
        return x.T, x.reshape(-1), x.astype(tf.float32).mean(), x.max(axis=0), x.clip(1, 2.5)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.experimental.numpy.sum(x * 2 + x**2)
        return tape.gradient(y, x)

    def gradient_of_index(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x[[0, 0, 1]] ** 2)
        return tape.gradient(y, x)

    def variable_gradient() -> Any:
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(w * w * 3)
        return tape.gradient(y, w)

    constant = tf.convert_to_tensor
    return {
        "tf": tf,
        "np": np,
        "tnp": tf.experimental.numpy,
        "i": constant([1, 2]),
        "f": constant([1.5, 2.5]),
        "u": constant([200, 201], tf.uint8),
        "b": constant([True, False]),
        "h": constant([1.5, 2.5], tf.float16),
        "s": constant("a"),
        "n": constant([1.0, np.nan, np.inf, -np.inf]),
        "m": constant([[1, 2, 3], [4, 5, 6]]),
        "t": tf.reshape(tf.range(8), [2, 2, 2]),
        "v": tf.Variable([1.0, 2.0]),
        "fun": fun,
        "graph_index": graph_index,
        "graph_methods": graph_methods,
        "gradient": gradient,
        "gradient_of_index": gradient_of_index,
        "variable_gradient": variable_gradient,
    }


def outcome(names: dict[str, Any], expression: str) -> tuple[str, Any]:
    """Return the class of the error, or "" and the result."""
    try:
        return "", eval(expression, names)
    except Exception as error:
        return type(error).__name__, str(error)


def differences(program: str, scopes: Any) -> list[str]:
    """Return a line for each expression whose results differ."""
    found = []
    for expression in program.strip().splitlines():
        (error, mine), (wanted_error, wanted) = (outcome(names, expression) for names in scopes)
        if error != wanted_error:
            found.append(f"{expression}: {error} {mine!r} instead of {wanted_error} {wanted!r}")
        elif not error:
            try:
                compare(mine, wanted, 1e-5, expression)
                assert ("weak=True" in repr(mine)) == ("weak=True" in repr(wanted)), "weakness"
            except AssertionError as difference:
                found.append(f"{expression}: {mine!r} instead of {wanted!r} ({difference})")
    return found


def main() -> None:
    libraries = (tfpy, tensorflow)
    scopes = [scope(library) for library in libraries]
    found = {}
    for mode, program in PROGRAMS.items():
        for library in libraries:
            numpy = library.experimental.numpy
            numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
        found[mode] = differences(program, scopes)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
