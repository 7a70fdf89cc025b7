"""Counter-based random numbers: Philox4x32-10, as TensorFlow's stateless generators use it.

Philox (Salmon et al., 2011, "Parallel random numbers: as easy as 1, 2, 3") maps a key and a
counter to four words. Output element ``i`` is word ``i % 4`` of counter ``i // 4``, so a kernel
computes every element on its own and every backend gives the same bits.

Inputs are four int32 scalars: two words of key, and the upper two words of the counter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy import dtypes
from tfpy.ir import expr as ex
from tfpy.ir.expr import Expr
from tfpy.ir.graph import Aval, Shape
from tfpy.ops.op import Op, register
from tfpy.ops.samples import Sample

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_TWO_PI = 6.283185307179586
_SMALLEST = 1e-7  # keeps log away from 0, as TensorFlow

Words = np.ndarray[Any, Any]


def philox(counter: list[Words], key: tuple[int, int]) -> list[Words]:
    """Four uint32 words for each counter (four uint32 arrays)."""
    c0, c1, c2, c3 = (c.astype(np.uint64) for c in counter)
    k0, k1 = key
    low = np.uint64(0xFFFFFFFF)
    for _ in range(_ROUNDS):
        p0, p1 = c0 * np.uint64(_MULTIPLIERS[0]), c2 * np.uint64(_MULTIPLIERS[1])
        c0, c1, c2, c3 = (
            (p1 >> np.uint64(32)) ^ c1 ^ np.uint64(k0),
            p1 & low,
            (p0 >> np.uint64(32)) ^ c3 ^ np.uint64(k1),
            p0 & low,
        )
        k0, k1 = (k0 + _WEYL[0]) & 0xFFFFFFFF, (k1 + _WEYL[1]) & 0xFFFFFFFF
    return [c.astype(np.uint32) for c in (c0, c1, c2, c3)]


def scramble(seed: tuple[int, int]) -> tuple[int, int, int, int]:
    """Key and upper counter words of a stateless op's two-integer seed, as TensorFlow."""
    words = []
    for s in seed:
        s &= 0xFFFFFFFFFFFFFFFF
        words += [s & 0xFFFFFFFF, s >> 32]
    mixed = philox([np.array([w], np.uint32) for w in words], (0x3EC8F720, 0x02461E29))
    return tuple(int(w[0]) for w in mixed)  # type: ignore[return-value]


def _host_words(key: tuple[Any, ...], count: int) -> Words:
    """``count`` words in output order."""
    k0, k1, c2, c3 = (int(word) & 0xFFFFFFFF for word in key)
    blocks = np.arange(-(-count // 4), dtype=np.uint32)
    upper = [np.full_like(blocks, np.uint32(c)) for c in (c2, c3)]
    return np.stack(philox([blocks, np.zeros_like(blocks), *upper], (k0, k1)), 1).reshape(-1)[
        :count
    ]


def _words(k0: Expr, k1: Expr, c2: Expr, c3: Expr) -> list[Expr]:
    """The four words of this element's counter."""
    keys = [ex.bitcast(k0, ex.U), ex.bitcast(k1, ex.U)]
    c = [
        ex.bitcast(ex.index() >> 2, ex.U),
        ex.const(0, ex.U),
        ex.bitcast(c2, ex.U),
        ex.bitcast(c3, ex.U),
    ]
    m0, m1 = (ex.const(m, ex.U) for m in _MULTIPLIERS)
    for _ in range(_ROUNDS):
        high = [Expr("mulhi", ex.U, (c[0], m0)), Expr("mulhi", ex.U, (c[2], m1))]
        low = [c[0] * m0, c[2] * m1]
        c = [high[1] ^ c[1] ^ keys[0], low[1], high[0] ^ c[3] ^ keys[1], low[0]]
        keys = [keys[0] + _WEYL[0], keys[1] + _WEYL[1]]
    return c


def _lane(words: list[Expr]) -> Expr:
    """The word that belongs to this element."""
    i = ex.index() & 3
    low = ex.select(ex.eq(i, 0), words[0], words[1])
    return ex.select(i < 2, low, ex.select(ex.eq(i, 2), words[2], words[3]))


def _unit(word: Expr) -> Expr:
    """A float in [0, 1) from 23 bits."""
    return ex.bitcast((word & 0x7FFFFF) | 0x3F800000, ex.F) - 1.0


def _host_unit(words: Words) -> Words:
    return ((words & np.uint32(0x7FFFFF)) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)


def _uniform_expr(*key: Expr, shape: Shape) -> Expr:
    return _unit(_lane(_words(*key)))


def _uniform_ref(*key: Any, shape: Shape) -> Any:
    return _host_unit(_host_words(key, int(np.prod(shape)))).reshape(shape)


def _bits_expr(*key: Expr, shape: Shape) -> Expr:
    return ex.bitcast(_lane(_words(*key)), ex.I)


def _bits_ref(*key: Any, shape: Shape) -> Any:
    return _host_words(key, int(np.prod(shape))).view(np.int32).reshape(shape)


def _normal_expr(*key: Expr, shape: Shape) -> Expr:
    """Box-Muller: each pair of words gives a sine and a cosine."""
    w, i = _words(*key), ex.index() & 3
    first, second = ex.select(i < 2, w[0], w[2]), ex.select(i < 2, w[1], w[3])
    radius = ex.unary("sqrt", ex.unary("log", ex.maximum(_unit(first), _SMALLEST)) * -2.0)
    angle = _unit(second) * _TWO_PI
    return radius * ex.select(ex.eq(i & 1, 0), ex.unary("sin", angle), ex.unary("cos", angle))


def _normal_ref(*key: Any, shape: Shape) -> Any:
    count = int(np.prod(shape))
    pairs = _host_unit(_host_words(key, -(-count // 4) * 4)).reshape(-1, 2)
    radius = np.sqrt(np.float32(-2) * np.log(np.maximum(pairs[:, 0], np.float32(_SMALLEST))))
    angle = np.float32(_TWO_PI) * pairs[:, 1]
    values = np.stack([np.sin(angle) * radius, np.cos(angle) * radius], axis=1)
    return values.reshape(-1)[:count].reshape(shape).astype(np.float32)


def _samples(rng: np.random.Generator) -> list[Sample]:
    key = tuple(rng.integers(-(2**31), 2**31, ()).astype(np.int32) for _ in range(4))
    return [(key, {"shape": s}) for s in ((), (7,), (3, 5), (40, 50))]


def _random(name: str, dtype: Any, ref: Any, expr: Any, doc: str) -> Op:
    return register(
        Op(
            name,
            "random",
            lambda *key, shape: Aval(tuple(shape), dtype),
            ref,
            expr=expr,
            params=("key_0", "key_1", "counter_2", "counter_3"),
            doc=doc,
            samples=_samples,
        )
    )


random_uniform = _random(
    "random_uniform", dtypes.float32, _uniform_ref, _uniform_expr, "Uniform floats in [0, 1)."
)
random_bits = _random(
    "random_bits", dtypes.int32, _bits_ref, _bits_expr, "Uniform 32-bit integers."
)
random_normal = _random(
    "random_normal", dtypes.float32, _normal_ref, _normal_expr, "Standard normal floats."
)
