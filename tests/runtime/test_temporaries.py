"""The places of a Program's temporaries in the memory of a GPU backend."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

MODULE = (Path(__file__).parents[2] / "web/common/temporaries.mjs").as_uri()
SCRIPT = """
const { assignTemporaries } = await import(process.argv[1]);
const { text, sizes, shares } = JSON.parse(process.argv[2]);
const buckets = new Map(sizes.map((bytes) => [bytes, { bytes }]));
const buffers = sizes.map((bytes) => ({ layout: { bucket: buckets.get(bytes) } }));
const fits = (place, wanted) => (shares ? place.bytes >= wanted.bytes : place === wanted);
const { temporaries, temporaryBytes } = assignTemporaries(text, buffers, fits);
const places = temporaries.map(({ buffer, bucket, index }) => [buffer, bucket.bytes, index]);
console.log(JSON.stringify({ places, temporaryBytes }));
"""


def assigned(text: dict[str, Any], sizes: list[int], shares: bool) -> tuple[dict[int, Any], int]:
    """Return the place (size, number) of each temporary, and the bytes of all places."""
    given = json.dumps({"text": text, "sizes": sizes, "shares": shares})
    run = subprocess.run(
        ["node", "--input-type=module", "-e", SCRIPT, MODULE, given],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(run.stdout)
    places = {buffer: (size, index) for buffer, size, index in found["places"]}
    return places, found["temporaryBytes"]


def program(steps: list[tuple[list[int], int]], outputs: list[int]) -> dict[str, Any]:
    """Return a Program whose buffer 0 is its input. Steps are (inputs, output)."""
    return {
        "inputs": [0],
        "outputs": outputs,
        "constants": [],
        "kernels": [{"overwrites": False}, {"overwrites": True}],
        "steps": [{"kernel": 0, "inputs": read, "outputs": [made]} for read, made in steps],
    }


def test_a_smaller_temporary_uses_a_larger_place() -> None:
    text = program([([0], 1), ([1], 2), ([2], 3), ([3], 4)], [4])
    places, nbytes = assigned(text, [16, 1024, 512, 256, 16], shares=True)
    assert nbytes == 1024 + 512
    assert places[3] == places[1] == (1024, 0)
    places, nbytes = assigned(text, [16, 1024, 512, 256, 16], shares=False)
    assert nbytes == 1024 + 512 + 256
    assert places[3] == (256, 0)


def test_a_buffer_that_is_written_over_another_one() -> None:
    text = program([([0], 1), ([1, 0], 2), ([2], 3)], [3])
    text["steps"][1]["kernel"] = 1
    places, nbytes = assigned(text, [64, 64, 64, 64], shares=True)
    assert places[1] == places[2]
    assert nbytes == 64


@pytest.mark.parametrize("shares", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_live_temporaries_have_different_places(seed: int, shares: bool) -> None:
    rng = np.random.default_rng(seed)
    count = 120
    sizes = (2 ** rng.integers(4, 10, count + 1)).tolist()
    steps = [
        (sorted({int(i) for i in rng.integers(max(0, made - 12), made, 2)}), made)
        for made in range(1, count + 1)
    ]
    text = program(steps, [count, 17])
    places, nbytes = assigned(text, sizes, shares)
    last = {buffer: number for number, (read, made) in enumerate(steps) for buffer in (*read, made)}
    spans = {made: (number, last[made]) for number, (_, made) in enumerate(steps)}
    spans = {buffer: span for buffer, span in spans.items() if buffer not in text["outputs"]}
    assert places.keys() == spans.keys()
    for a in spans:
        assert places[a][0] >= sizes[a] if shares else places[a][0] == sizes[a]
        for b in spans:
            if a < b and places[a] == places[b]:
                assert spans[a][1] < spans[b][0]
    assert nbytes == sum(size for size, _ in set(places.values()))
