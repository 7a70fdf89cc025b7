"""Exported language models on wasm, run by ``tfpy-run.mjs`` in node without Python."""

from __future__ import annotations

import base64
import json
import re
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from buildsys import pyenv
from buildsys.paths import ROOT
from e2e.exported_mutants import CARELESS, edited, mutants

from .conftest import require_assets
from .node_process import NodeProcess, RuntimeFailed

NAMES = ("llama", "llama2", "gpt2", "qwen", "qwen3", "mistral", "gemma", "bloom", "opt")
QUANTIZED = {"llama_int8": 0.7, "llama_int4": 0.99}
"""Models with quantized weights, and the least share of equal answers."""
MUTANTS = 60
Json = Any


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the files of all models in the environment that has KerasHub."""
    require_assets("relaxed")
    folder = tmp_path_factory.mktemp("models")
    argv = [str(pyenv.ensure("hub_tests")), "-m", "wasm.language_model_files", str(folder), "wasm"]
    env = pyenv.importing("src", "tests", ".")
    done = subprocess.run(
        [*argv, *NAMES, *QUANTIZED], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder


@pytest.fixture(scope="module")
def node() -> Iterator[NodeProcess]:
    require_assets("simd")
    started = NodeProcess("language_model_driver.mjs")
    yield started
    started.close()


def loaded(node: NodeProcess, files: Path, name: str) -> Json:
    """Load a model, and return what Python computed with it."""
    facts = node.call("load", path=str(files / f"{name}.tfpy"))
    assert facts["backend"] == "wasm"
    assert not [name for name in facts["variables"] if "cache" in name]
    return json.loads((files / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_tokenizer_agrees_with_python(node: NodeProcess, files: Path, name: str) -> None:
    wanted = loaded(node, files, name)
    (start,) = node.call("encode", texts=[""])
    assert len(start) == 1
    for text, tokens, found in zip(
        wanted["strings"],
        wanted["tokens"],
        node.call("encode", texts=wanted["strings"]),
        strict=True,
    ):
        assert found == start + tokens, text
    assert node.call("decode", rows=wanted["tokens"]) == wanted["decoded"]


@pytest.mark.parametrize("name", NAMES)
def test_greedy_answers_are_those_of_python(node: NodeProcess, files: Path, name: str) -> None:
    """Check tokens and texts, for prompts that take several prefills and steps."""
    wanted = loaded(node, files, name)
    assert len(wanted["prompts"]) > 8
    for prompt, answer, text in zip(
        wanted["prompts"], wanted["answers"], wanted["texts"], strict=True
    ):
        assert node.call("tokens", prompt=prompt, options={}) == answer, prompt
        parts = node.call("generate", prompt=prompt, options={})
        assert "".join(parts) == text
        assert len(parts) > 1


@pytest.mark.parametrize("name", QUANTIZED)
def test_answers_of_quantized_models(node: NodeProcess, files: Path, name: str) -> None:
    """Check most answers with int8: its activations change if a sum is rounded in another way."""
    wanted = loaded(node, files, name)
    found = [node.call("tokens", prompt=prompt, options={}) for prompt in wanted["prompts"]]
    equal = [a == b for a, b in zip(found, wanted["answers"], strict=True)]
    assert sum(equal) > QUANTIZED[name] * len(equal)


def test_chat(node: NodeProcess, files: Path) -> None:
    wanted = loaded(node, files, "llama")["chat"]
    assert "".join(node.call("chat", messages=wanted["messages"], options={})) == wanted["text"]
    system, user, *_ = wanted["messages"]
    for messages, message in [
        ([], "at the beginning, the conversation ends; the model's chat format has "),
        ([user, user], "after the role user, there is the role user; .* has assistant there"),
        ([user, system], "after the role user, there is the role system"),
        ([{"role": "constructor", "content": ""}], "there is the role constructor"),
        ([{"role": "user"}], "an object of two strings"),
    ]:
        with pytest.raises(RuntimeFailed, match=f"TypeError: .*{message}"):
            node.call("chat", messages=messages, options={})
    loaded(node, files, "gpt2")
    with pytest.raises(RuntimeFailed, match="TypeError: the file has no chat format"):
        node.call("chat", messages=wanted["messages"], options={})


def test_drawn_tokens_follow_the_probabilities(node: NodeProcess, files: Path) -> None:
    """Compare tokens with the inverse of the distribution that Python computes."""
    wanted = loaded(node, files, "llama")
    tokens = np.array(wanted["next"]["tokens"])
    probabilities = np.array(wanted["next"]["probabilities"])
    before = np.cumsum(probabilities) - probabilities
    checked = 0
    for top_k, top_p in [(8, 1.0), (3, 1.0), (8, float(before[2]) + 1e-3), (1, 1.0), (8, 1e-6)]:
        kept = (np.arange(8) < top_k) & ((before <= top_p) | (np.arange(8) == 0))
        ends = np.cumsum(np.where(kept, probabilities, 0)) / probabilities[kept].sum()
        numbers = (np.arange(32) + 0.5) / 32
        draws = [
            {"temperature": 3.0, "top_k": top_k, "top_p": top_p, "uniform": float(u)}
            for u in numbers
        ]
        found = node.call("drawn", prompt=wanted["prompts"][0], draws=draws)
        for u, token in zip(numbers, found, strict=True):
            if np.abs(ends[kept] - u).min() > 1e-4:
                assert token == tokens[np.searchsorted(ends, u)], (top_k, top_p, u)
                checked += 1
    assert checked > 100
    assert len(set(found)) == 1


def test_options(node: NodeProcess, files: Path) -> None:
    wanted = loaded(node, files, "llama")
    prompt, answer = wanted["prompts"][0], wanted["answers"][0]

    def tokens(prompt: Any = prompt, **options: Any) -> Any:
        return node.call("tokens", prompt=prompt, options=options)

    assert tokens(maxTokens=5) == answer[:5]
    assert tokens(topK=1, seed=3, maxTokens=5) == answer[:5]
    assert tokens(temperature=0, seed=3, maxTokens=5) == answer[:5]
    drawn = [tokens(temperature=2.0, seed=seed) for seed in (1, 1, 2, -1, 2**40 + 1)]
    assert drawn[0] == drawn[1]
    assert len({tuple(row) for row in drawn}) == 4
    assert len({tuple(tokens(temperature=5.0)) for _ in range(3)}) == 3
    (row,) = node.call("encode", texts=[prompt])
    assert tokens(row) == answer
    for options, message in [
        ({"maxTokens": 0}, "maxTokens must be an integer from 1"),
        ({"temperature": -1}, "temperature must be a number from 0"),
        ({"topK": 9}, "topK must be an integer from 1 to 8, not 9"),
        ({"topP": 0}, "topP must be a number above 0"),
        ({"seed": 0.5}, "seed must be an integer"),
        ({"prompt": [1, -1]}, "a token must be an integer from 0"),
    ]:
        with pytest.raises(RuntimeFailed, match=f"TypeError: {message}"):
            tokens(**options)
    for long, message in [([1] * 64, "has 64 tokens; the model has 64 positions"), ([], "no tok")]:
        with pytest.raises(RuntimeFailed, match=f"RangeError: .*{message}"):
            tokens(long)
    assert len(tokens([1] * 63)) == 1


def test_texts_may_alternate(node: NodeProcess, files: Path) -> None:
    """Check that several texts can be generated at once, and that a text can end early."""
    wanted = loaded(node, files, "llama")
    assert node.call("alternate", prompts=wanted["prompts"][:3]) == wanted["answers"][:3]
    answer = wanted["answers"][0]
    stopped = node.call("stopped", prompt=wanted["prompts"][0], count=4)
    assert stopped == {"found": answer[:4], "error": "AbortError", "left": answer[:4]}


def test_file_contains_weights_once(node: NodeProcess, files: Path) -> None:
    """Check that keys and values are neither in the file nor in a saved file."""
    wanted = loaded(node, files, "llama")
    header, _ = parts((files / "llama.tfpy").read_bytes())
    tensors = [one for name, one in header.items() if name != "__metadata__"]
    floats = sum(4 * int(np.prod(one["shape"])) for one in tensors if one["dtype"] == "F32")
    assert wanted["weights"] <= floats < 1.05 * wanted["weights"]
    node.call("tokens", prompt="Hello", options={"maxTokens": 2})
    saved = node.call("saved")
    assert saved["bytes"] == (files / "llama.tfpy").stat().st_size
    assert saved["slots"] == saved["again"]


@pytest.mark.parametrize("name", QUANTIZED)
def test_file_contains_quantized_weights_once(node: NodeProcess, files: Path, name: str) -> None:
    wanted, file = loaded(node, files, name), files / f"{name}.tfpy"
    header, _ = parts(file.read_bytes())
    integers = [one for one in header.values() if one.get("dtype") == "I8"]
    assert 0.5 < sum(int(np.prod(one["shape"])) for one in integers) / wanted["weights"] < 1
    saved = node.call("saved")
    assert saved["bytes"] == file.stat().st_size
    assert saved["slots"] == saved["again"]
    if name == "llama_int4":
        assert file.stat().st_size < 1.1 * wanted["weights"]


def parts(data: bytes) -> tuple[Json, bytes]:
    """Return a file's header, and the bytes of its tensors."""
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def with_tokenizer(data: bytes, edit: Callable[[Json], object]) -> bytes:
    """Return a file with an edited tokenizer."""
    header, rest = parts(data)
    begin, end = header["tokenizer"]["data_offsets"]
    tokenizer = json.loads(rest[begin:end])
    edit(tokenizer)
    text = json.dumps(tokenizer).encode()
    return with_bytes(data, text)


def with_bytes(data: bytes, text: bytes) -> bytes:
    """Return a file with other bytes as its tokenizer."""
    header, rest = parts(data)
    begin, end = header["tokenizer"]["data_offsets"]
    added = len(text) - (end - begin)
    for name, one in header.items():
        if name != "__metadata__":
            one["data_offsets"] = [at + added * (at >= end) for at in one["data_offsets"]]
    header["tokenizer"]["data_offsets"] = [begin, begin + len(text)]
    header["tokenizer"]["shape"] = [len(text)]
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + rest[:begin] + text + rest[end:]


def of_model(**facts: Any) -> Callable[[Json], None]:
    return lambda document: document["language_model"].update(facts)


def _zeros(**facts: Any) -> Callable[[Json], None]:
    """Return an edit of the state that is zero in the beginning."""

    def edit(document: Json) -> None:
        for one in document["state"]:
            if "zeros" in one:
                one["zeros"].update(facts)

    return edit


def _function(index: int, **facts: Any) -> Callable[[Json], None]:
    return lambda document: document["functions"][index].update(facts)


def _input(name: str) -> Callable[[Json], None]:
    """Return an edit that renames the first input of each function."""

    def edit(document: Json) -> None:
        for one in document["functions"]:
            for signature in one["signatures"]:
                signature["inputs"][0]["name"] = name

    return edit


def _zeros_with_tensor(document: Json) -> None:
    names = [one["tensor"] for one in document["state"] if "zeros" not in one]
    next(one for one in document["state"] if "zeros" in one)["tensor"] = names[0]


DOCUMENTS: list[tuple[Callable[[Json], object], str]] = [
    (lambda document: document.update(version=3), "version 3; this runtime reads 1 and 2"),
    (lambda document: document.update(language_model=[]), "language_model is not an object"),
    (lambda document: document.pop("language_model"), "TypeError: the file has no language model"),
    (of_model(length=1), "a wrong length"),
    (of_model(length=2**40), "a wrong length"),
    (of_model(length=15), "prefills of 4,16 tokens for 15 positions"),
    (of_model(candidates=0), "a wrong number of candidates"),
    (of_model(start=[-1]), "start tokens contains -1"),
    (of_model(stop="2"), "stop tokens is not a list"),
    (of_model(hidden=[2**31]), "hidden tokens contains"),
    (of_model(tokenizer="token_embedding/embeddings"), "is not bytes"),
    (of_model(tokenizer="missing"), "the tokenizer missing is not bytes"),
    (of_model(tokenizer=7), "a tokenizer is not a string"),
    (of_model(chat=[]), "a chat format is not an object"),
    (of_model(chat={"joins": {"start": []}, "stripped": []}), "joins of start is not an object"),
    (of_model(chat={"joins": {"start": {"end": 1}}, "stripped": []}), "a join is not a string"),
    (of_model(chat={"joins": {}, "stripped": [1]}), "a role is not a string"),
    (_function(0, name="other"), "no single function step"),
    (_function(1, name="other"), "no single function sample"),
    (_input("other"), r"step of a language model is not token:int32\[1,1\],position:int32\[\] -> "),
    (_zeros(dtype="float64"), "the dtype of cache is"),
    (_zeros(shape=[-1]), "the shape of cache"),
    (_zeros(shape=[2**30]), "variables of 17179869184 bytes are zero"),
    (_zeros(shape=[4]), r"a block's inputs are \["),
    (_zeros_with_tensor, "is zero and has a tensor"),
]
"""Edits of a document, and the errors that they cause."""


def _token(at: int, token: Any) -> Callable[[Json], object]:
    return lambda tokenizer: tokenizer["tokens"].__setitem__(at, token)


TOKENIZERS: list[tuple[Callable[[Json], object], str]] = [
    (lambda t: t.update(type="words"), "the type of the tokenizer is words, not one of"),
    (lambda t: t.update(tokens={}), "tokens is not a list"),
    (_token(10, 5), "a token is not a string"),
    (lambda t: _token(10, t["tokens"][11])(t), "two tokens are "),
    (lambda t: t["merges"].__setitem__(0, 10**6), "merges contains 1000000"),
    (lambda t: t["merges"].pop(), "a merge has only one token"),
    (lambda t: t["merges"].extend([300, 301]), "the result of merge .* is not a token"),
    (lambda t: _token(t["merges"][0], None)(t), "the result of merge .* is not a token"),
    (lambda t: t["added"][0].append(-1), "added tokens contains -1"),
    (lambda t: (_token(10, "")(t), t["added"][0].append(10)), "the added token 10 is empty"),
    (lambda t: t.update(added=7), "added tokens is not a list"),
    (lambda t: t.update(splits=[{"pattern": "(a+)+b"}]), "a pattern is"),
    (lambda t: t.update(splits=[{"literal": ""}]), "split by an empty literal"),
    (lambda t: t.update(splits=[{"prefix": 1}]), "a prefix is not a string"),
    (lambda t: t.update(splits=[{"pattern": "gpt2"}] * 17), "split in 17 steps"),
    (lambda t: t.update(whole="yes"), "the flag whole is not a boolean"),
]
"""Edits of a tokenizer, and the errors that they cause."""


def _piece(at: int, piece: Any) -> Callable[[Json], object]:
    return lambda tokenizer: tokenizer["pieces"].__setitem__(at, piece)


PIECES: list[tuple[Callable[[Json], object], str]] = [
    (lambda t: t.update(pieces={}), "pieces is not a list"),
    (_piece(300, 5), "a piece is not a string"),
    (_piece(300, ""), "the piece 300 is empty"),
    (lambda t: _piece(300, t["pieces"][301])(t), "two pieces are "),
    (lambda t: _piece(t["kinds"].index(6), "<0xZZ>")(t), "the piece <0xZZ> is not a byte"),
    (lambda t: t["kinds"].pop(), "types of .* pieces"),
    (lambda t: t["kinds"].__setitem__(5, 7), "a piece has an unknown type"),
    (lambda t: t["kinds"].__setitem__(t["kinds"].index(2), 1), "no piece is the unknown one"),
    (lambda t: t["scores"].pop(), "scores of .* pieces"),
    (lambda t: t["scores"].__setitem__(5, "1"), "a score is not a number"),
    (lambda t: t.update(unknown_text=1), "the text of the unknown piece is not a string"),
    (lambda t: t.update(has_bytes=1), "the flag has_bytes is not a boolean"),
]
"""Edits of a tokenizer of SentencePiece, and the errors that they cause."""


def test_broken_files_are_named(node: NodeProcess, files: Path) -> None:
    """Check that each fact of a language model is validated before it is used."""
    data = (files / "llama.tfpy").read_bytes()
    made = [edited(data, edit) for edit, _ in DOCUMENTS]
    made += [with_tokenizer(data, edit) for edit, _ in TOKENIZERS]
    made += [with_bytes(data, b"\xff"), with_bytes(data, b"[" * 10_000), with_bytes(data, b"")]
    messages = [text for _, text in (*DOCUMENTS, *TOKENIZERS)]
    messages += ["the tokenizer is not UTF-8", *["the tokenizer is not a JSON object"] * 2]
    pieces = (files / "llama2.tfpy").read_bytes()
    made += [with_tokenizer(pieces, edit) for edit, _ in PIECES]
    messages += [text for _, text in PIECES]
    found = broken(node, [*made, data, pieces])
    assert found[-2:] == ["", ""]
    for text, message in zip(found[:-2], messages, strict=True):
        assert re.search(message, text), (text, message)
        assert text.startswith(("Error: broken file: ", "TypeError: the file has no"))


@pytest.mark.parametrize("name", ["llama", "llama2"])
def test_damaged_files(node: NodeProcess, files: Path, name: str) -> None:
    """Check that files with random changes raise clear errors, or run."""
    data = (files / f"{name}.tfpy").read_bytes()
    rng = np.random.default_rng(5)
    made = list(mutants(data, rng, MUTANTS))
    header, rest = parts(data)
    begin, end = header["tokenizer"]["data_offsets"]
    for _ in range(MUTANTS):
        text = bytearray(rest[begin:end])
        for at in rng.integers(0, len(text), 3):
            text[at] = rng.integers(32, 127)
        made.append(with_bytes(data, bytes(text)))
    found = [text for text in broken(node, [*made, data]) if text]
    assert len(found) > MUTANTS / 2
    careless = [text for text in found if any(word in text for word in CARELESS)]
    assert not careless, careless[:5]


def broken(node: NodeProcess, files: list[bytes]) -> list[str]:
    """Return the error of loading each file and generating tokens, or ""."""
    texts = [base64.b64encode(file).decode() for file in files]
    found: list[str] = node.call("broken", files=texts, prompt="Hello, world!")
    return found
