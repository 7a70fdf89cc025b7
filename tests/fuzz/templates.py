"""Templates of random calls, derived from ``surface.calls``.

Every public function has a call there, which a test ensures, so new functions are fuzzed
automatically.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from surface.calls import ALONE, CALLS

import tfpy

from .pipelines import PIPELINES
from .values import Rng, Shape, broadcastable, choose, shape as random_shape, size as random_size

WORDS = {"x": None, "f": "float32", "b": "bool", "c": "complex64", "i": "int32", "s": "string"}
"""Dtypes of the words of ``surface.evaluation``. ``x`` has any dtype."""

LEFT_OUT = {
    r"random\b.*|multinomial|nn\.dropout|rand": "streams of random numbers have tests of their own",
    r"print|debugging\..*": "effects",
    r"image\.(random|stateless_random).*": "random",
    r"image\.(ssim|ssim_multiscale|psnr)": "slow: large images",
    r"eig|eigvals": "the order of eigenvalues is anyone's",
    r"linalg\.(eigh|svd)": "vectors have either sign; tests/ops/test_linalg.py has them",
    r"image\.(decode|encode|draw).*|browser\..*": "files and pages",
    r"constant|convert_to_tensor|broadcast_static_shape": "take no tensor",
}
"""Functions that are not tried, with the reasons."""

OPERATORS = {
    "add": "x(2, 3) + x(3)",
    "subtract": "x(2, 3) - x(3)",
    "multiply": "x(2, 3) * x(3)",
    "divide": "x(2, 3) / x(3)",
    "math.floordiv": "x(2, 3) // x(3)",
    "math.floormod": "x(2, 3) % x(3)",
    "pow": "x(2, 3) ** x(3)",
    "matmul": "x(2, 3) @ x(3, 4)",
    "negative": "-x(2, 3)",
    "abs": "abs(x(2, 3))",
    "logical_not": "~b(2, 3)",
    "less": "x(2, 3) < x(3)",
    "greater_equal": "x(2, 3) >= x(3)",
    "equal": "x(2, 3) == x(3)",
    "strided_slice": (
        "x(4)[1:]",
        "x(4)[::-1]",
        "x(4, 3)[:, 1]",
        "x(4, 3)[..., tf.newaxis, 1:2]",
        "x(4, 3)[-1]",
        "x(4, 3)[3:0:-2]",
        "x(2, 3, 4)[0, ..., 2]",
        "x(5, 4)[1:4, ::2]",
    ),
    "cast": tuple(
        f"tf.cast(x(2, 3), '{d}')"
        for d in ("float32", "int32", "bool", "complex64", "uint8", "int8", "float16", "uint32")
    ),
    "where": ("tf.where(b(2, 3), x(2, 3), x(3))", "tf.where(b(2, 3))"),
    "scaled": ("x(2, 3) * 2.0 + 1.0", "1.0 - x(2, 3)", "x(2, 3) / 3", "2 ** x(3)", "x(3) ** 2"),
}
"""Python's operators, which have no call in ``surface.calls``."""

LEFT_ALONE = {"sorted": "top_k then gives any order"}
"""Options that are not tried, with the reasons."""

TEXTS = (
    ("SAME", "VALID"),
    ("CONSTANT", "REFLECT", "SYMMETRIC"),
    ("ASCENDING", "DESCENDING"),
    ("MAX", "AVG"),
    ("left", "right"),
    ("float32", "int32", "bool", "complex64", "uint8"),
    ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"),
)
"""Strings that may replace each other in a call."""


class Word(NamedTuple):
    """An operand that a call requires."""

    kind: str
    dims: Shape
    below: int
    """Exclusive upper bound of the integers of ``i``."""


class Drawn(NamedTuple):
    """A call without its operands: ``$0``, ``$1``... in the text."""

    name: str
    text: str
    words: tuple[Word, ...]


Options = tuple[tuple[str, tuple[Any, ...]], ...]
"""Keyword arguments to try, each with its values."""


class Template:
    """One call, from which other calls are drawn."""

    def __init__(self, name: str, text: str, options: Options = ()) -> None:
        self.name = name
        self.tree = ast.parse(text, mode="eval")
        self.free = re.fullmatch(r"tf\.[\w.]+\(((x|f|b|c)\([\d, ]*\)(, )?)*\)", text) is not None
        """True if the call has only operands, which may then have any shape."""
        self.options = options
        self.text = text

    def __str__(self) -> str:
        return self.text

    def draw(self, rng: Rng, like: Shape | None) -> Drawn:
        """Return a similar call. ``like`` is the shape of an available tensor."""
        tree = copy.deepcopy(self.tree)
        words = list(_words(tree))
        if self.free and rng.random() < 0.6:
            _broadcast(rng, words, random_shape(rng) if like is None else like)
        elif like is not None and words and rng.random() < 0.7:
            _resize(tree, words, dict(zip(_dims(words[0]), like, strict=False)))
        elif words and rng.random() < 0.4:
            _resize_one(rng, tree, words)
        if rng.random() < 0.25:
            _edit(rng, tree)
        if rng.random() < 0.3 and self.options and isinstance(tree.body, ast.Call):
            name, values = choose(rng, self.options)
            if all(k.arg != name for k in tree.body.keywords):
                value = ast.parse(repr(choose(rng, values)), mode="eval").body
                tree.body.keywords.append(ast.keyword(name, value))
        return _drawn(self.name, tree, words)


def _drawn(name: str, tree: ast.Expression, words: list[ast.Call]) -> Drawn:
    found = []
    for number, word in enumerate(words):
        kind = word.func.id  # type: ignore[attr-defined]
        dims = _dims(word)
        below = word.args[0].value if kind == "i" else 0  # type: ignore[attr-defined]
        found.append(Word(kind, dims, below))
        word.func = ast.Name(f"operand_{number}")
    text = re.sub(r"\boperand_(\d+)\([^()]*\)", r"$\1", ast.unparse(tree))
    return Drawn(name, re.sub(r"\bt\(", "tf.constant(", text), tuple(found))


def _words(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WORDS:
            yield node


def _sizes(word: ast.Call) -> list[ast.Constant]:
    return word.args[word.func.id == "i" :]  # type: ignore[attr-defined,return-value]


def _dims(word: ast.Call) -> Shape:
    return tuple(int(s.value) for s in _sizes(word))  # type: ignore[arg-type]


def _set_dims(word: ast.Call, dims: Shape) -> None:
    word.args[word.func.id == "i" :] = [ast.Constant(n) for n in dims]  # type: ignore[attr-defined]


def _broadcast(rng: Rng, words: list[ast.Call], to: Shape) -> None:
    for number, word in enumerate(words):
        _set_dims(word, to if number == 0 else broadcastable(rng, to))


def _resize(tree: ast.AST, words: list[ast.Call], sizes: dict[int, int]) -> None:
    """Replace each size by another one, equally in all operands."""
    for word in words:
        _set_dims(word, tuple(sizes.get(n, n) for n in _dims(word)))


def _resize_one(rng: Rng, tree: ast.AST, words: list[ast.Call]) -> None:
    """Replace one size, in the operands and possibly wherever the number occurs."""
    dims = [n for word in words for n in _dims(word)]
    if not dims:
        return
    old, new = int(choose(rng, dims)), random_size(rng)
    if rng.random() < 0.5:
        return _resize(tree, words, {old: new})
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value == old:
            node.value = new
    return None


def _edit(rng: Rng, tree: ast.Expression) -> None:
    """Replace one number or string of the arguments."""
    inside = {id(s) for word in _words(tree) for s in word.args}
    constants = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in inside and node.value is not None
    ]
    if not constants:
        return
    node = choose(rng, constants)
    if isinstance(node.value, bool):
        node.value = not node.value
    elif isinstance(node.value, int):
        node.value = int(choose(rng, (-2, -1, 0, 1, 2, 3, node.value + 1, node.value - 1)))
    elif isinstance(node.value, float):
        node.value = choose(rng, (0.0, -1.0, 0.5, 1.0, 3.7, -node.value, 1e4, 1e-4))
    else:
        node.value = choose(rng, next((t for t in TEXTS if node.value in t), (node.value,)))


@functools.cache
def _options(name: str) -> Options:
    """Return the keyword arguments of a function that are tried, with values."""
    function = functools.reduce(getattr, name.split("."), tfpy)
    if not isinstance(function, Callable):  # type: ignore[arg-type]
        return ()
    found: list[tuple[str, tuple[Any, ...]]] = []
    for option in inspect.signature(function).parameters.values():
        if option.name in LEFT_ALONE:
            continue
        if isinstance(option.default, bool):
            found.append((option.name, (not option.default,)))
        elif option.name in ("axis", "axes"):
            found.append((option.name, (None, 0, 1, -1, 2, [0], [0, 1], [])))
    return tuple(found)


def _templates() -> Iterator[Template]:
    for name, call in CALLS.items():
        left_out = any(re.fullmatch(pattern, name) for pattern in LEFT_OUT)
        if isinstance(call, str) and name not in ALONE and not left_out:
            yield Template(name, f"tf.{name}({call})", _options(name))
    for name, texts in OPERATORS.items():
        for text in (texts,) if isinstance(texts, str) else texts:
            yield Template(name if name != "scaled" else "add", text)
    for name, texts in PIPELINES.items():
        for text in texts:
            yield Template(name, text)


TEMPLATES = tuple(_templates())
