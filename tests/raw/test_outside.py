"""Every operation has no effect outside its graph, or is in the table of the others."""

from __future__ import annotations

import io
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from typing import Any

import pytest
import tensorflow as tf
from raw.calls import SAMPLES, ours, run
from raw.converter import CONVERTER
from raw.reaching import reached
from tensorflow.python.framework import op_def_registry

import tfpy
from buildsys.paths import ROOT
from tfpy._src.formats.raw_ops import RECORDS
from tfpy._src.formats.raw_ops.outside import HARMLESS, OUTSIDE, effect
from tfpy._src.library.io.files import write_file

NAMES = [
    name for table in (OUTSIDE, HARMLESS) for names in table.values() for name in names.split()
]
HERE = set(NAMES) & RECORDS.keys()

PILLOW = {
    *("DecodeAndCropJpeg", "DecodeGif", "DecodeImage", "DecodeJpeg", "DecodePng", "DecodeWebP"),
    *("EncodeJpeg", "EncodeJpegVariableQuality"),
}
"""Operations that import Pillow, which works on bytes and accesses nothing else."""

NO_FILES = {
    "CTCBeamSearchDecoder": "top_paths: of labels",
    "ExperimentalSetStatsAggregatorDataset": "counter_prefix: of a name",
    "SetStatsAggregatorDataset": "counter_prefix: of a name",
    "TensorSliceDataset": "is_files: says what its strings are",
}
"""TensorFlow operations with arguments that sound like files but are not."""

_WATCHED = ("os.", "shutil.", "subprocess.", "socket.", "tempfile.", "glob.", "urllib.", "mmap.")
_OWN = (sys.prefix, sys.base_prefix, str(ROOT / "src"), "/proc")


def test_each_name_is_one_of_tensorflow_and_in_one_place() -> None:
    known = {*dir(tf.raw_ops), *RECORDS, *CONVERTER}
    assert [name for name in NAMES if name not in known] == []
    assert [name for name, count in Counter(NAMES).items() if count > 1] == []


def test_what_tensorflow_gives_files_and_addresses() -> None:
    """Check the table of operations with files and addresses.

    It includes operations that tfpy does not have, because they may be added.
    """
    sounds = re.compile(r"file|path|url|uri|address|logdir|prefix|descriptor|writer$|^token$")
    definitions = {name: op_def_registry.get(name) for name in dir(tf.raw_ops)}
    told = {
        name
        for name, one in definitions.items()
        if one and any(sounds.search(a.name) for a in (*one.input_arg, *one.attr))
    }
    assert told - set(NAMES) == NO_FILES.keys()


def test_no_other_operation_can_reach_files_streams_or_the_clock() -> None:
    found = {name: reached(record.function) for name, record in RECORDS.items()}
    assert {name for name in PILLOW if found[name] == {"importlib"}} == PILLOW
    assert {name for name, names in found.items() if names} - PILLOW == HERE


def test_an_operation_that_acts_is_found() -> None:
    def log(x: Any) -> Any:
        write_file("log.txt", "x")
        return x

    def later(x: Any) -> Any:
        return [log(y) for y in x]

    class Method:
        call = later

    ways = [log, partial(log, 1), Method, [later], {"f": Method().call}]
    for function in (*ways, lambda x: print(x), lambda: os.remove("x"), lambda: time.time()):
        assert reached(function), function
    assert "open" in reached(later)
    assert not reached(lambda x: [x, len(x)])


def test_no_other_operation_acts_when_it_runs() -> None:
    acted = {}
    tfpy.zeros([]) + 1.0  # opens the backend and an event loop with sockets
    for name in SAMPLES:
        with observed() as events:
            run(tfpy, ours(name))
        if events:
            acted[name] = events
    assert {name: events for name, events in acted.items() if name not in HERE} == {}
    assert acted.keys() >= {"ReadFile", "WriteFile", "PrintV2", "InitializeTableFromTextFileV2"}


@pytest.mark.parametrize("stream", ["file:///tmp/x", "file://x", "FILE://x", "", None, b"\xff"])
def test_printing_to_a_file_acts_outside(stream: Any) -> None:
    assert effect("PrintV2", {"output_stream": stream}) == "writes files"
    assert effect("PrintV2", {"output_stream": "stdout"}) is None
    assert effect("PrintV2", {}) is None


_heard: list[list[str]] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    """Record audit events of the interpreter, except imports of modules."""
    if _heard and (event == "open" or event.startswith(_WATCHED)):
        path = arguments[0] if arguments else ""
        if not str(path).startswith(_OWN):
            _heard[-1].append(f"{event} {path}")


sys.addaudithook(_hook)


@contextmanager
def observed() -> Iterator[list[str]]:
    """Record accesses to files, processes, sockets and standard streams."""
    out = io.StringIO()
    events: list[str] = []
    _heard.append(events)
    try:
        with redirect_stdout(out), redirect_stderr(out):
            yield events
    finally:
        _heard.pop()
    if out.getvalue():
        events.append(out.getvalue())
