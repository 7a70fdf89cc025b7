"""The command ``build.py llama-cpp-tests``."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from wasm.node_backend import active

import tfpy as tf
from tfpy._src.formats.gguf.reader import GgufFile
from tfpy._src.formats.gguf.writer import TensorPlan, write_gguf

from . import forcing, recorded
from .random_files import COUNT, FORMS, random_file, random_tokens

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Compare models with llama.cpp, and print a row of a table for each."""
    options = _options()
    tf.as_tensorflow(replace=True)  # before the import of KerasHub
    if not options.file:
        for form in options.form or FORMS:
            with tempfile.TemporaryDirectory() as place:
                file = Path(place, f"{form}.gguf")
                file.write_bytes(random_file(form))
                _compare(options, form, file, random_tokens())
    for file in options.file:
        _compare(options, file.stem, file, _tokens_of_license(file)[: options.count])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="build.py llama-cpp-tests")
    parser.add_argument("folder", type=Path, help="folder in which the npm package node-llama-cpp"
                        " is installed")  # fmt: skip
    parser.add_argument("file", type=Path, nargs="*", help="GGUF files (default: small models with"
                        " random weights in all formats)")  # fmt: skip
    parser.add_argument("--form", action="append", choices=FORMS, help="only this format; can be"
                        " repeated")  # fmt: skip
    parser.add_argument("--count", type=int, default=COUNT, help="number of tokens for GGUF files"
                        " (default: %(default)s)")  # fmt: skip
    parser.add_argument("--backend", choices=("wasm", "cpu"), default="wasm")
    parser.add_argument("--variant", default="relaxed", help="module of the wasm backend")
    parser.add_argument("--write", action="store_true", help="also store the results of formats"
                        " for the tests")  # fmt: skip
    return parser.parse_args()


def _compare(options: argparse.Namespace, name: str, file: Path, tokens: Any) -> None:
    with _as_floats(file) as floats:
        folder = options.folder.resolve()
        wanted, exact = forcing.with_llama_cpp(folder, [file, floats], tokens)
    is_wasm = options.backend == "wasm"
    with active(options.variant, "auto") if is_wasm else nullcontext():
        model = tf.models.load(str(file))
        found = [forcing.with_tfpy(model, tokens, at_once) for at_once in (len(tokens), 1)]
        del model
    row = recorded.row_of(wanted, exact, found)
    print(f"| {name} | {recorded.shown(row)} |", flush=True)
    if options.write and not options.file:
        recorded.store(name, row, wanted, exact)


@contextmanager
def _as_floats(file: Path) -> Iterator[Path]:
    """Write the same model with all weights in float32."""
    with tempfile.TemporaryDirectory() as place, file.open("rb") as opened:
        source = GgufFile(opened)
        plans = {name: TensorPlan(source.shape(name), "F32") for name in source.names}
        made = Path(place, "floats.gguf")
        with made.open("wb") as out:
            write_gguf(out, source.metadata, plans, source.read)
        yield made


def _tokens_of_license(file: Path) -> Any:
    """Return tokens of a text."""
    tokenizer = tf.models.load(str(file)).preprocessor.tokenizer
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    found: Sequence[int] = np.asarray(tokenizer(text))[:COUNT]
    return np.array(found, np.int32)


if __name__ == "__main__":
    main()
