"""Rules that a file in the Trace Event Format must follow."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

_SLACK = 1e-3  # microseconds, because numbers are rounded


def check_trace(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Check fields and nesting, and return the events that take time.

    On a track, two events are either nested or disjoint, because viewers draw nothing else.
    """
    document = json.loads(json.dumps(document, allow_nan=False))
    named: set[tuple[int, int]] = set()
    tracks: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for event in document["traceEvents"]:
        assert isinstance(event["name"], str), event
        assert event["name"], event
        assert isinstance(event["pid"], int), event
        assert isinstance(event["tid"], int), event
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name"), event
            assert isinstance(event["args"]["name"], str), event
            named.add((event["pid"], event["tid"]))
            continue
        assert event["ph"] == "X", event
        assert event["dur"] >= 0, event
        tracks[event["pid"], event["tid"]].append(event)
    assert tracks.keys() <= named
    for events in tracks.values():
        around: list[float] = []
        for event in events:
            begin, end = event["ts"], event["ts"] + event["dur"]
            while around and around[-1] <= begin + _SLACK:
                around.pop()
            assert not around or end <= around[-1] + _SLACK, event
            around.append(end)
    return [event for events in tracks.values() for event in events]
