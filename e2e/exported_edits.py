"""Edits of the exported case "lists". Each edit introduces one defect, which the page reports."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from e2e.exported_mutants import edited, with_text

Json = dict[str, Any]
Edit = Callable[[Json], None]

MOST_ITEMS = 2**20
"""Maximum number of items of a list, equal to the limit in ``web/player/values.mjs``."""


def _blocks(document: Json) -> Iterator[Json]:
    """Yield the block of each target."""
    for target in document["targets"]:
        yield target["blocks"][0][0]


def _within(block: Json) -> Iterator[tuple[Json, Json]]:
    """Yield the steps of a block and of the blocks inside it, each with its own block."""
    for step in block["steps"]:
        yield block, step
        for inner in (*step.get("branches", ()), step.get("body"), step.get("test")):
            if inner is not None:
                yield from _within(inner)


def _each(op: str, change: Callable[[Json, Json], object], **facts: Any) -> Edit:
    """Return an edit that changes the first step of an op with these facts in each target."""

    def edit(document: Json) -> None:
        for whole in _blocks(document):
            pairs = [
                (block, step)
                for block, step in _within(whole)
                if step["op"] == op and all(name in step for name in facts)
            ]
            change(*pairs[0])

    return edit


def _set(**facts: Any) -> Callable[[Json, Json], object]:
    return lambda block, step: step.update(facts)


def _adders(document: Json, **changed: Any) -> None:
    for target in document["targets"]:
        target["adders"].update({key.replace("_", "/"): n for key, n in changed.items()})


def _other_adder(document: Json) -> None:
    for target in document["targets"]:
        target["adders"]["float32/6"] = target["adders"]["int32/1"]


def _adder_program(change: Callable[[Json], object]) -> Edit:
    """Return an edit that changes the document of the Program that adds items."""

    def edit(document: Json) -> None:
        for number in {target["adders"]["float32/6"] for target in document["targets"]}:
            change(document["programs"][number]["document"])

    return edit


def _second_output(program: Json) -> None:
    program["buffers"].append(dict(program["buffers"][program["outputs"][0]]))
    program["steps"].append({**program["steps"][-1], "outputs": [len(program["buffers"]) - 1]})
    program["outputs"].append(len(program["buffers"]) - 1)


def _smaller_output(program: Json) -> None:
    program["buffers"][program["outputs"][0]]["shape"] = [1]


def _cache(document: Json) -> None:
    """Mark a step in the body of a loop as cached, although the loop changes its inputs."""
    for whole in _blocks(document):
        for block, step in _within(whole):
            plain = step["op"] == "program" and "cached" not in step and "donated" not in step
            if plain and block is not whole:
                step["cached"] = True
                return


def _donate(document: Json) -> None:
    """Donate a value that a loop does not change."""
    for whole in _blocks(document):
        for _, loop in _within(whole):
            if loop["op"] == "while":
                body = loop["body"]
                fixed = body["inputs"][loop["state"] :]
                for step in body["steps"]:
                    kept = [i for i, at in enumerate(step["inputs"]) if at in fixed]
                    if step["op"] == "program" and kept and step is body["steps"][-1]:
                        step["donated"] = kept[:1]


def _variable_as_constant(document: Json) -> None:
    for whole in _blocks(document):
        kind, count = "float32", 9
        whole["values"].append([kind, count])
        whole["constants"].append([len(whole["values"]) - 1, "filters"])


def _same_variable(document: Json) -> None:
    document["state"].append(document["state"][0])


def _same_function(document: Json) -> None:
    document["functions"] *= 2
    for target in document["targets"]:
        target["blocks"] *= 2


def _counted(**facts: Any) -> Edit:
    return _each("while", lambda block, step: step["counted"].update(facts), counted=True)


def _more_steps(*steps: Callable[[int], Json], values: list[list[Any]]) -> Edit:
    """Return an edit that appends steps to each block, and values, numbered from n, for them."""

    def edit(document: Json) -> None:
        for whole in _blocks(document):
            first = len(whole["values"])
            whole["values"] += values
            whole["steps"] = [*whole["steps"], *(step(first) for step in steps)]
            for step in whole["steps"][: -len(steps)]:
                step.pop("donated", None)

    return edit


def _list_make(inputs: list[int], output: int, length: int | None = None) -> Callable[[int], Json]:
    return lambda n: {
        "op": "list_make",
        "inputs": [n + i for i in inputs],
        "outputs": [n + output],
        "places": [*range(len(inputs))],
        "length": len(inputs) if length is None else length,
    }


def _doubled(count: int) -> Edit:
    """Return an edit that adds a list to itself.

    The list holds another list twice, which holds another list twice, and so on.
    """
    makes = [_list_make([], 0), *(_list_make([i, i], i + 1) for i in range(count))]
    add = _list_add(count, count, count + 1)
    return _more_steps(*makes, add, values=[["list", 1]] * (count + 2))


def _nested(count: int) -> Edit:
    makes = [_list_make([], 0), *(_list_make([i], i + 1) for i in range(count))]
    return _more_steps(*makes, values=[["list", 1]] * (count + 1))


def _long_lists(count: int) -> Edit:
    """Return an edit that makes lists that exist at the same time, because later steps use them."""
    makes = [_list_make([], i, MOST_ITEMS) for i in range(count)]
    uses = [_list_add(i, i, count + i) for i in range(count)]
    return _more_steps(*makes, *uses, values=[["list", 1]] * (2 * count))


def _list_add(a: int, b: int, output: int) -> Callable[[int], Json]:
    return lambda n: {"op": "list_add", "inputs": [n + a, n + b], "outputs": [n + output]}


def _same_place(first: int) -> Json:
    return {**_list_make([0, 0], 1)(first), "places": [0, 0]}


def _read_nothing(document: Json) -> None:
    """Read an item that no step wrote and that has the maximum size."""
    for whole in _blocks(document):
        index = next(i for i, value in enumerate(whole["values"]) if value == ["int32", 1])
        first = len(whole["values"])
        whole["values"] += [["list", 1], ["complex64", 2**31 - 1]]
        whole["steps"].append(_list_make([], 0)(first))
        get = {"op": "list_get", "inputs": [first, index], "outputs": [first + 1]}
        whole["steps"].append(get)


def _ignored(document: Json) -> None:
    """Add facts to steps of ops that do not use these facts."""
    for whole in _blocks(document):
        for _, step in list(_within(whole)):
            if step["op"] in ("list_set", "list_get", "list_clear", "known", "list_add"):
                step.update(program=10**9, cached=True, body=[[]], branches=[{}], test=0)


EDITS: dict[str, tuple[Edit, str]] = {
    "facts of other ops": (_ignored, ""),
    "adder of another type": (
        _other_adder,
        r"the inputs of program \d+ are \[float32/6,float32/6\], not",
    ),
    "adder of two outputs": (
        _adder_program(_second_output),
        r"the outputs of program \d+ are \[float",
    ),
    "adder of a smaller output": (
        _adder_program(_smaller_output),
        r"outputs of program \d+ are .float32/6., not",
    ),
    "adder that is not there": (
        lambda d: _adders(d, float32_6=10**6),
        "program that does not exist",
    ),
    "adder of lists": (lambda d: _adders(d, list_1=0), "an adder of list/1"),
    "cached in a loop": (_cache, r"a cached step takes value \d+, which changes"),
    "cached by a number": (
        _each("program", _set(cached=1)),
        "the flag cached of a step is not a boolean",
    ),
    "donation of what stays": (_donate, r"donated value \d+, which is still needed"),
    "variable as constant": (_variable_as_constant, "constant filters is a variable"),
    "variable twice": (_same_variable, "two variables have the same tensor"),
    "function twice": (_same_function, "a function's name appears twice"),
    "known of another type": (
        _each("known", _set(value=["const", "f", 0.5])),
        "has an expression of type f",
    ),
    "half as an integer": (
        _each("known", _set(value=["const", "i", 0.5])),
        "a constant is not a number of type i",
    ),
    "test that is no bool": (_counted(test=["const", "i", 1]), "a loop's test is not a bool"),
    "test of what is not known": (
        _counted(starts=[]),
        "reads an input that is not a known number",
    ),
    "place twice": (
        _more_steps(_list_make([], 0), _same_place, values=[["list", 1]] * 2),
        "a list's place appears twice",
    ),
    "items of another size": (
        _each("list_unstack", _set(item=["float32", 5])),
        "the program's outputs are not 3 items float32/5",
    ),
    "more items": (_each("list_unstack", _set(count=MOST_ITEMS)), "are not 1048576 items float32"),
    "list of two": (
        _each("list_add", lambda block, step: block["values"].append(["list", 2])),
        "a value has a wrong element count",
    ),
    "no op": (_each("list_add", _set(op={})), "a step's op is not a string"),
    "lists that double": (_doubled(40), r"ResourceExhaustedError: a list has \d+ items, more than"),
    "lists in lists": (_nested(100), "ResourceExhaustedError: lists are nested more than 64 deep"),
    "long lists": (_long_lists(5), "ResourceExhaustedError: all lists have more than"),
    "a large item": (_read_nothing, r"ResourceExhaustedError: a tensor of \d+ bytes"),
}
"""Edits, with patterns of the page's errors. A pattern is empty if the file runs as before."""

_DEEP = "[" * 20_000 + "]" * 20_000

DEEP: dict[str, tuple[str, str, str]] = {
    "version": ('"version": 1', f'"version": {_DEEP}', "version a list of 1; this runtime reads 1"),
    "op": ('"op": "list_add"', f'"op": {_DEEP}', "a step's op is not a string"),
    # A deep stack can hold the nesting. Then the runtime of the Program reports the defect.
    "program": ('"kernels": [', f'"kernels": [{_DEEP}, ', r"program( \d+ is nested|: kernel 0:)"),
    "constants": ('"constants": "', f'"constants": {_DEEP}, "x": "', "constants is not a string"),
}
"""Replacements in the text of a file, with patterns of the errors that the page reports."""


def assert_told(data: bytes, broken: Callable[[list[bytes]], list[str]]) -> None:
    """Check that a page reports the defect of each edited file and runs the original file.

    Args:
        data: The exported case "lists".
        broken: Function that returns the page's error for each file, or "" if the file runs.
    """
    files = {name: edited(data, edit) for name, (edit, _) in EDITS.items()}
    patterns = {name: pattern for name, (_, pattern) in EDITS.items()}
    for name, (old, new, pattern) in DEEP.items():
        files[f"deep {name}"] = with_text(data, functools.partial(_replaced, old=old, new=new))
        patterns[f"deep {name}"] = pattern
    texts = broken([*files.values(), data])
    assert texts.pop() == ""
    for name, text in zip(files, texts, strict=True):
        pattern = patterns[name]
        assert re.search(pattern, text) if pattern else text == "", f"{name}: {text}"


def _replaced(text: str, old: str, new: str) -> str:
    spaced = json.dumps(json.loads(text))
    assert old in spaced
    return spaced.replace(old, new)
