"""``tf.einsum`` compared with TensorFlow: every kind of equation, gradients, errors."""

from __future__ import annotations

import numpy as np
import pytest
from api import twin

CASES = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,kj->ik", (3, 4), (5, 4)),
    ("ji,jk", (4, 3), (4, 5)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bqhd,bkhd->bhqk", (2, 4, 3, 5), (2, 6, 3, 5)),
    ("abc,cd->adb", (2, 3, 4), (4, 5)),
    ("i,j->ij", (3,), (4,)),
    ("ij,ij->ij", (3, 4), (3, 4)),
    ("ij,ij->", (3, 4), (3, 4)),
    ("ij,ij->j", (3, 4), (3, 4)),
    ("ijk->k", (2, 3, 4)),
    ("ijk->kji", (2, 3, 4)),
    ("ba", (2, 3)),
    ("ii->i", (4, 4)),
    ("ii", (4, 4)),
    ("iji->j", (3, 2, 3)),
    ("iii->i", (3, 3, 3)),
    ("aab,bcc->ac", (3, 3, 2), (2, 4, 4)),
    ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)),
    ("...ij,...jk->...ik", (7, 1, 3, 4), (2, 4, 5)),
    ("...ij,jk", (2, 3, 4), (4, 5)),
    ("i...,i...->...", (3, 2, 1), (3, 4)),
    ("...->...", (2, 3)),
    ("ab...,b->a...", (2, 3, 4), (3,)),
    ("ij,jk,kl->il", (3, 4), (4, 5), (5, 2)),
    ("a,ab,bc,cd->d", (2,), (2, 3), (3, 4), (4, 5)),
    ("ij,j->i", (0, 3), (3,)),
    ("ij,jk->ik", (2, 0), (0, 3)),
    (" a b , b c -> a c ", (2, 3), (3, 4)),
]


@pytest.mark.parametrize(("equation", "shapes"), [(c[0], c[1:]) for c in CASES])
def test_values_and_gradients(
    equation: str, shapes: tuple[tuple[int, ...], ...], rng: np.random.Generator
) -> None:
    arrays = [rng.uniform(-1, 1, s).astype(np.float32) for s in shapes]
    twin.check(lambda tf, *xs: tf.einsum(equation, *xs), *arrays, grads=True)


def test_integers(rng: np.random.Generator) -> None:
    a, b = (rng.integers(-9, 9, s).astype(np.int32) for s in ((3, 4), (4, 2)))
    twin.check(lambda tf, x, y: tf.einsum("ij,jk->ik", x, y), a, b)


def test_complex(rng: np.random.Generator) -> None:
    a = (rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))).astype(np.complex64)
    twin.check(lambda tf, x: tf.einsum("ij,kj->ik", x, x), a)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (4, 5)]),
        ("ij,jk->ik", [(2, 3)]),
        ("ij->ik", [(2, 3)]),
        ("ijk->i", [(2, 3)]),
        ("i1->i", [(2, 3)]),
        ("ii->i", [(2, 3)]),
        ("i->ii", [(3,)]),
    ],
)
def test_errors(equation: str, shapes: list[tuple[int, ...]]) -> None:
    twin.raises(lambda tf, *xs: tf.einsum(equation, *xs), *[np.ones(s, np.float32) for s in shapes])
