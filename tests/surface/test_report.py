"""``docs/ops.md`` equals the page generated from the op table and the calls."""

from __future__ import annotations

from surface.inventory import BY_NATURE, HOST, HOST_ON_GPUS, INVENTORY
from surface.report import BACKENDS, PAGE, page, rows, summary, ways_on_page


def test_page_is_current() -> None:
    found = rows()
    assert PAGE.read_text(encoding="utf-8") == page(found), "run python build.py coverage --write"
    assert all(backend in summary(found) for backend in BACKENDS)
    assert ways_on_page() == {row.name: {b: row.way(b) for b in BACKENDS} for row in found}


def test_devices_have_what_tensorflow_js_has_there() -> None:
    """Check that only the listed TensorFlow.js ops are computed on the host."""
    found = {name: row for row in rows() for name in (row.name, *row.others)}
    on_gpus = HOST | HOST_ON_GPUS
    for backend, expected in (("wasm", HOST), ("webgl", on_gpus), ("webgpu", on_gpus)):
        ways = {
            op: BY_NATURE.get(name) or found[name].way(backend) for op, name in INVENTORY.items()
        }
        assert {op for op, way in ways.items() if way == "host"} == expected.keys(), backend
