"""Generation of random programs. TensorFlow runs along, so that most statements are meaningful."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from .bounds import domain
from .pipelines import PIPELINES
from .programs import Array, Call, Given, Library, Program, Ref, Statement, array_of
from .surroundings import SURROUNDINGS
from .templates import TEMPLATES, WORDS, Drawn, Template, Word
from .values import DTYPE_WEIGHTS, MAX_SIZE, Domain, Rng, array, choose, inside

NEAR_ONE = (-2.0, 2.0)
LARGEST_RESULT = 20_000
TRIES = 12
"""Number of attempts at one statement before it is omitted."""
KEPT_REFUSALS = 0.15
"""Share of rejected calls that stay in a program, so that errors are compared as well."""
GRADIENTS = 0.15
"""Share of statements that are gradients of their call."""
SURROUNDED = 0.2
"""Share of statements with a call in a compiled loop, a conditional or similar."""
OTHER_DTYPES = 0.08
"""Share of operands with another dtype than the floats that a call expects."""
UNCONVERTED = 0.06
"""Share of calls with an operand that is an array or a list."""


class Live(NamedTuple):
    """A tensor that later statements may read."""

    ref: Ref
    array: Array


class Generator:
    """A generator of programs by number. The same seed produces the same program."""

    def __init__(self, tensorflow: Any, wanted: Callable[[str], bool] = lambda name: True) -> None:
        self.tf = Library(tensorflow)
        self.templates = [t for t in TEMPLATES if wanted(t.name)]

    def template(self, draw: str) -> Template:
        """Return the template of a draw.

        A new template changes only the draws that it takes over.
        """
        return max(self.templates, key=lambda t: crc32(f"{draw} {t}".encode()))

    def program(self, seed: int) -> Program:
        """Return the program of a seed."""
        rng = np.random.default_rng(seed)
        made = _Making(self, rng, seed)
        for _ in range(int(rng.integers(1, 6))):
            made.add()
        return Program(tuple(made.statements))


class _Making:
    def __init__(self, generator: Generator, rng: Rng, seed: int) -> None:
        self.generator, self.tf, self.rng, self.seed = generator, generator.tf, rng, seed
        self.tries = 0
        self.statements: list[Statement] = []
        self.live: list[Live] = []

    def add(self) -> None:
        """Add a call with its operands, unless no attempt succeeds."""
        for _ in range(TRIES):
            if self._try():
                return

    def _try(self) -> bool:
        rng = self.rng
        self.tries += 1
        template = self.generator.template(f"{self.seed} {self.tries}")
        at_hand = choose(rng, self.live) if self.live and rng.random() < 0.75 else None
        drawn = template.draw(rng, at_hand.array.shape if at_hand else None)
        if any(np.prod(w.dims) > 4 * MAX_SIZE for w in drawn.words):
            return False
        dtype = at_hand.array.dtype.name if at_hand else _dtype(rng)
        dtype = "string" if dtype == "object" else dtype
        before = len(self.statements), len(self.live)
        numbers = domain(drawn.name) or (NEAR_ONE if rng.random() < 0.3 else None)
        surrounding = None
        if drawn.words and drawn.name not in PIPELINES and rng.random() < SURROUNDED:
            surrounding = choose(rng, SURROUNDINGS)
        words = surrounding.words(rng, drawn.words) if surrounding else drawn.words
        operands = [self._operand(word, dtype, numbers) for word in words]
        values = [self._value(ref) for ref in operands]
        if surrounding:
            call = surrounding.call(drawn, tuple(operands))
        else:
            call = self._unconverted(self._gradient(drawn, operands, values))
        result = self._result(call, values)
        if result is None:
            del self.statements[before[0] :], self.live[before[1] :]
            return False
        number = len(self.statements)
        self.statements.append(call)
        found = ((Ref(number, path), a) for path, a in result.items() if a is not None)
        self.live += [Live(ref, a) for ref, a in found if a.size <= MAX_SIZE]
        return True

    def _result(self, call: Call, values: list[Array]) -> dict[str, Array | None] | None:
        """Return the arrays of a call, or None for a call to omit."""
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = self.tf.call(call, [self.tf.given(v) for v in values])
            except Exception:
                return {} if self.rng.random() < KEPT_REFUSALS else None
            leaves = self.tf.leaves(result)
            if any(x is not None and np.prod(x.shape) > LARGEST_RESULT for x in leaves.values()):
                return None
            return {path: array_of(tensor) for path, tensor in leaves.items()} or None

    def _value(self, ref: Ref) -> Array:
        statement = self.statements[ref.statement]
        if isinstance(statement, Given):
            return statement.array
        return next(live.array for live in self.live if live.ref == ref)

    def _operand(self, word: Word, dtype: str, numbers: Domain | None) -> Ref:
        """Return an existing value of the kind and shape, or a new tensor."""
        wanted = WORDS[word.kind] or dtype
        if word.kind == "f" and self.rng.random() < OTHER_DTYPES:
            wanted = _dtype(self.rng)
        fitting = [
            live.ref
            for live in self.live
            if live.array.shape == word.dims
            and live.array.dtype.name == wanted
            and inside(live.array, numbers)
            and (word.kind != "i" or ((live.array >= 0) & (live.array < word.below)).all())
        ]
        if fitting and self.rng.random() < 0.8:
            return choose(self.rng, fitting)  # type: ignore[no-any-return]
        if word.kind == "i":
            made = self.rng.integers(0, max(word.below, 1), word.dims).astype(np.int32)
        else:
            made = array(self.rng, word.dims, wanted, numbers)
        self.statements.append(Given(made))
        ref = Ref(len(self.statements) - 1)
        self.live.append(Live(ref, made))
        return ref

    def _gradient(self, drawn: Drawn, operands: list[Ref], values: list[Array]) -> Call:
        """Return the call, or sometimes its gradient with respect to its float operands."""
        call = Call(drawn.name, drawn.text, tuple(operands))
        floats = [i for i, value in enumerate(values) if value.dtype == np.float32]
        if not floats or self.rng.random() >= GRADIENTS:
            return call
        text = drawn.text
        for i in floats:
            text = text.replace(f"${i}", f"x{i}")
        names = ", ".join(f"x{i}" for i in floats)
        read = ", ".join(f"${i}" for i in floats)
        return Call(
            f"gradient of {drawn.name}", f"gradients(lambda {names}: {text}, {read})", call.operands
        )

    def _unconverted(self, call: Call) -> Call:
        """Return the call, sometimes with an operand as an array or a list."""
        if self.rng.random() >= UNCONVERTED or "lambda" in call.text:
            return call
        number = int(self.rng.integers(len(call.operands))) if call.operands else 0
        form = choose(self.rng, (".numpy()", ".numpy().tolist()"))
        text = re.sub(rf"\${number}\b", f"${number}{form}", call.text)
        return Call(call.name, text, call.operands)


def _dtype(rng: Rng) -> str:
    return str(choose(rng, list(DTYPE_WEIGHTS), list(DTYPE_WEIGHTS.values())))
