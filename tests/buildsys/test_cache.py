"""The build's cache: entries are made once, atomically, and keyed by their inputs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from buildsys import cache

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache, "CACHE", tmp_path)
    return tmp_path


def write_text(text: str):
    return lambda into: (into / "file").write_text(text, encoding="utf-8")


def test_an_entry_is_made_once():
    first = cache.entry("kind", {"a": 1}, "first", write_text("one"))
    again = cache.entry("kind", {"a": 1}, "again", write_text("two"))
    assert first == again
    assert (again / "file").read_text(encoding="utf-8") == "one"


def test_other_inputs_are_another_entry():
    one = cache.entry("kind", {"a": 1}, "one", write_text("one"))
    two = cache.entry("kind", {"a": 2}, "two", write_text("two"))
    assert one != two
    assert (two / "file").read_text(encoding="utf-8") == "two"


def test_a_failed_entry_leaves_nothing(own_cache: Path):
    def fail(into: Path) -> None:
        (into / "half").touch()
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        cache.entry("kind", 1, "failing", fail)
    assert [path.name for path in own_cache.iterdir()] == ["locks"]
    assert (cache.entry("kind", 1, "then", write_text("x")) / "file").exists()


def test_what_a_killed_run_left_is_not_taken_for_an_entry(own_cache: Path):
    path = cache.entry("kind", 1, "made", write_text("x"))
    left = path.rename(own_cache / f"{path.name}.tmp")
    (left / "half").touch()
    made = cache.entry("kind", 1, "again", write_text("y"))
    assert [file.name for file in made.iterdir()] == ["file"]
    assert not left.exists()


def test_two_runs_at_once_make_it_once(tmp_path: Path):
    code = (
        "import sys, time\n"
        "from buildsys import cache\n"
        "def make(into):\n"
        "    time.sleep(0.3)\n"
        "    with open(sys.argv[1], 'a') as count: count.write('made\\n')\n"
        "cache.entry('kind', 1, 'slow', make)\n"
    )
    count = tmp_path / "count"
    env = {**os.environ, "TFPY_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", code, str(count)]
    runs = [subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [run.wait() for run in runs] == [0, 0, 0]
    assert count.read_text(encoding="utf-8") == "made\n"


def test_tree_hash_sees_names_and_contents(tmp_path: Path):
    top = tmp_path / "top"
    top.mkdir()
    (top / "a").write_text("1", encoding="utf-8")
    first = cache.tree_hash(top)
    (top / "a").write_text("2", encoding="utf-8")
    second = cache.tree_hash(top)
    (top / "a").rename(top / "b")
    third = cache.tree_hash(top)
    assert len({first, second, third}) == 3
