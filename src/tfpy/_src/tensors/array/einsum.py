"""`tf.einsum`, which is composed of diagonals, reductions, transpositions and matmul."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import contraction, elementwise as ew, movement
from tfpy._src.compiler.ops.reduction import reduce_axes, reduce_sum
from tfpy._src.core.conversion import as_tensors
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.reshaping import identity, reshape, transpose

Labels = tuple[str, ...]
"""One label per dimension: a letter, or `...k` for the k-th ellipsis dimension from the right."""


def einsum(equation: str, *inputs: TensorLike, **kwargs: object) -> Tensor:
    """Compute a sum of products over labeled dimensions, as `numpy.einsum` does.

    The equation may contain an ellipsis, which stands for dimensions to broadcast. A label that
    occurs twice in a term selects the diagonal (`"ii->i"`). Without `->`, the output has the labels
    that occur once, in alphabetical order. With more than two inputs, the two with the cheapest
    product are always multiplied first.

    Args:
        equation: Labels of the dimensions of each input and of the output, such as `"ij,jk->ik"`.
        inputs: Numeric tensors of the same dtype, one for each term of the equation.
        kwargs: `optimize` and `name`, which have no effect.

    Returns:
        Tensor with the dtype of the inputs. It has one dimension for each label of the output, and
        the broadcast dimensions in place of an ellipsis.

    Raises:
        ValueError: If the equation is malformed, or its number of terms differs from the number of
            inputs.
        TypeError: If an input is not a tensor or an array, or if keyword arguments other than
            `optimize` and `name` are passed.
        tf.errors.InvalidArgumentError: If the number of dimensions of an input does not match its
            labels, or a label stands for dimensions of different sizes.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.constant([[1, 2]]), tf.constant([[3, 4], [5, 6]])
        >>> tf.einsum("ij,kj->ik", a, b).numpy().tolist()
        [[11, 17]]

    See also: `tf.matmul`, `tf.tensordot`.
    """
    if unknown := set(kwargs) - {"optimize", "name"}:
        raise TypeError(f"invalid keyword arguments for this function: {', '.join(unknown)}")
    for number, value in enumerate(inputs):
        if not hasattr(value, "shape"):
            raise TypeError(
                f"einsum: input {number} must be a tensor or an array, as in TensorFlow, got "
                f"{type(value).__name__}. Convert it with tf.constant"
            )
    tensors = as_tensors(contraction.matmul, inputs)
    terms, output = _parse(equation, [t.ndim for t in tensors])
    sizes = _sizes(equation, tensors, terms)
    wanted = _ellipsis_and(output, sizes)
    operands = [
        _squeezed(*_diagonal(t, labels), sizes) for t, labels in zip(tensors, terms, strict=True)
    ]
    while len(operands) > 1:
        i, j = _cheapest(operands, wanted, sizes)
        others = [o for k, o in enumerate(operands) if k not in (i, j)]
        keep = set(wanted).union(*(labels for _, labels in others))
        operands = [*others, _product(operands[i], operands[j], keep)]
    x, labels = _sum_out(*operands[0], keep=set(wanted))
    ordered = _ordered(x, labels, wanted)
    return identity(ordered) if ordered is tensors[0] else ordered


def _parse(equation: str, ranks: Sequence[int]) -> tuple[list[Labels], list[str]]:
    """Return the labels of the inputs, and the letters (or "...") of the output."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ValueError(
            f'Got {len(ranks)} inputs for equation "{equation}", expecting {len(terms)}'
        )
    if right.count("...") > 1 or any(right.count(c) > 1 for c in right if c != "."):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    for term in [*terms, right]:
        if not all(c.isalpha() for c in term.replace("...", "", 1)):
            raise ValueError(
                f"Subscripts have incorrect format: {term!r} in {equation!r} must consist of "
                "letters and at most one ellipsis"
            )
    output = _letters(right)
    if unknown := set(output) - set(left) - {"..."}:
        raise ValueError(
            f"Output subscripts contain the label {min(unknown)} not present in the input "
            f"subscripts: {equation}"
        )
    labels = [_term(equation, t, rank) for t, rank in zip(terms, ranks, strict=True)]
    if arrow:
        return labels, output
    letters = left.replace(".", "").replace(",", "")
    once = sorted(c for c in set(letters) if letters.count(c) == 1)
    return labels, (["..."] if "..." in left else []) + once


def _letters(term: str) -> list[str]:
    """Return the letters of a term, with the ellipsis as one entry."""
    head, dots, tail = term.partition("...")
    return [*head, *([dots] if dots else []), *tail]


def _term(equation: str, term: str, rank: int) -> Labels:
    """Return one label per dimension for a term of the equation."""
    letters = _letters(term)
    extra = rank - len(letters) + letters.count("...")
    if extra < 0 or (extra and "..." not in letters):
        raise invalid(
            "einsum",
            f"an input of {rank} dimensions does not match {term!r} in {equation!r}",
        )
    dots = [f"...{k}" for k in reversed(range(extra))]
    return tuple(label for c in letters for label in (dots if c == "..." else [c]))


def _sizes(equation: str, tensors: Iterable[Tensor], terms: Iterable[Labels]) -> dict[str, int]:
    """Return the size of each label. Ellipsis dimensions broadcast."""
    sizes: dict[str, int] = {}
    for tensor, labels in zip(tensors, terms, strict=True):
        for label, n in zip(labels, tensor.aval.shape, strict=True):
            known = sizes.setdefault(label, n)
            if n != known and label.startswith("...") and 1 in (n, known):
                sizes[label] = n if known == 1 else known
            elif n != known:
                raise invalid(
                    "einsum",
                    f"Expected dimension {known} but got {n} for label {label!r} of {equation!r}",
                )
    return sizes


def _ellipsis_and(output: list[str], sizes: dict[str, int]) -> Labels:
    """Return the output labels with the ellipsis expanded."""
    dots = sorted((s for s in sizes if s.startswith("...")), key=lambda s: -int(s[3:]))
    return tuple(label for c in output for label in (dots if c == "..." else [c]))


def _diagonal(x: Tensor, labels: Labels) -> tuple[Tensor, Labels]:
    """Take diagonals until each label occurs once, and return the tensor and its labels."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            rest = [i for i in range(x.ndim) if i not in (first, second)]
            n = x.aval.shape[first]
            shape = [x.aval.shape[i] for i in rest]
            flat = reshape(transpose(x, [*rest, first, second]), [*shape, n * n])
            x = movement.strided_slice(
                flat,
                begin=(0,) * flat.ndim,
                size=(*shape, n),
                strides=(*[1] * len(rest), n + 1),
            )
            labels = (*(labels[i] for i in rest), label)
    return x, labels


def _squeezed(x: Tensor, labels: Labels, sizes: dict[str, int]) -> tuple[Tensor, Labels]:
    """Remove the dimensions of size 1 that broadcasting would repeat."""
    kept = [i for i, label in enumerate(labels) if x.aval.shape[i] == sizes[label]]
    if len(kept) == len(labels):
        return x, labels
    return reshape(x, [x.aval.shape[i] for i in kept]), tuple(labels[i] for i in kept)


def _sum_out(x: Tensor, labels: Labels, keep: set[str]) -> tuple[Tensor, Labels]:
    """Sum over the dimensions whose labels are not in `keep`."""
    axes = [i for i, label in enumerate(labels) if label not in keep]
    if not axes:
        return x, labels
    return reduce_axes(reduce_sum, x, axes, keepdims=False), tuple(s for s in labels if s in keep)


def _cheapest(
    operands: Sequence[tuple[Tensor, Labels]], wanted: Labels, sizes: dict[str, int]
) -> tuple[int, int]:
    """Return the indices of the two operands whose product has the fewest multiplications."""

    def cost(pair: tuple[int, int]) -> int:
        return math.prod(sizes[s] for s in {*operands[pair[0]][1], *operands[pair[1]][1]})

    return min(itertools.combinations(range(len(operands)), 2), key=cost)


def _product(
    a: tuple[Tensor, Labels], b: tuple[Tensor, Labels], keep: set[str]
) -> tuple[Tensor, Labels]:
    """Multiply two operands and sum over the labels that are not in `keep`."""
    x, xs = _sum_out(*a, keep=keep | set(b[1]))
    y, ys = _sum_out(*b, keep=keep | set(xs))
    both = [s for s in xs if s in ys]
    batch = [s for s in both if s in keep]
    inner = [s for s in both if s not in keep]
    free_x, free_y = ([s for s in own if s not in both] for own in (xs, ys))
    size = dict(zip((*xs, *ys), (*x.aval.shape, *y.aval.shape), strict=True))

    def count(labels: Sequence[str]) -> int:
        return math.prod(size[s] for s in labels)

    lead = count(batch)
    if inner:
        transpose_a = xs == (*batch, *inner, *free_x)
        transpose_b = ys == (*batch, *free_y, *inner)
        middle = [inner, free_x] if transpose_a else [free_x, inner]
        x = _ordered(x, xs, (*batch, *middle[0], *middle[1]))
        x = reshape(x, [lead, count(middle[0]), count(middle[1])])
        middle = [free_y, inner] if transpose_b else [inner, free_y]
        y = _ordered(y, ys, (*batch, *middle[0], *middle[1]))
        y = reshape(y, [lead, count(middle[0]), count(middle[1])])
        z = contraction.matmul(x, y, transpose_a=transpose_a, transpose_b=transpose_b)
    else:
        x = reshape(_ordered(x, xs, (*batch, *free_x)), [lead, count(free_x), 1])
        y = reshape(_ordered(y, ys, (*batch, *free_y)), [lead, 1, count(free_y)])
        z = ew.multiply(x, y)
    labels = (*batch, *free_x, *free_y)
    return reshape(z, [size[s] for s in labels]), labels


def _ordered(x: Tensor, labels: Labels, order: Labels) -> Tensor:
    """Transpose a tensor to the given order of labels."""
    return x if labels == order else transpose(x, [labels.index(s) for s in order])
