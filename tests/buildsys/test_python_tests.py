"""The steps of `build.py test`, and tests that need something that is not built."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import building
import pytest

from buildsys import cache, checks, commands, console, debian, pyenv, site


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the steps that a command runs, without executing them."""
    found: list[str] = []

    def shown(argv: Sequence[object], **_: Any) -> int:
        found.append(" ".join(map(str, argv)))
        return 0

    monkeypatch.setattr(checks, "run_shown", shown)
    monkeypatch.setattr(pyenv, "ensure", lambda name: Path(name))
    monkeypatch.setattr(site, "ensure", lambda: found.append("site"))
    monkeypatch.setattr(checks, "prepare_browsers", lambda: found.append("browsers"))
    monkeypatch.setattr(checks, "check", lambda: len(found.append("check") or ""))
    return found


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["build.py", *words])
    return commands.main()


@pytest.mark.parametrize("mark", [(), ("--",)], ids=["plain", "marked"])
def test_arguments_are_for_the_python_tests(
    ran: list[str], monkeypatch: pytest.MonkeyPatch, mark: tuple[str, ...]
) -> None:
    arguments = ["tests/ops", "-k", "relu and not 6", "-x", "--backend=jax"]
    assert run(monkeypatch, "test", *mark, *arguments) == 0
    assert ran == [" ".join(["test -m pytest", *arguments])]


def test_python_without_tensorflow(ran: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyenv, "WITHOUT_TENSORFLOW", sys.version_info[:2])
    assert run(monkeypatch, "test", "tests/ir") == 0
    assert ran == ["python -m pytest tests/ir"]
    assert (pyenv.ROOT / pyenv.LOCKS["python"]).is_file()


def test_a_complete_run(ran: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "test") == 0
    check, *unit, browsers, site_again, e2e = ran
    assert (check, browsers, site_again) == ("check", "browsers", "site")
    assert unit[0] == "site"
    assert unit[1].startswith("test -m pytest --build ")
    assert e2e.startswith("build -m pytest -o testpaths=e2e ")


def test_arguments_of_the_tests_in_browsers(
    ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for mark in ((), ("--",)):
        ran.clear()
        assert run(monkeypatch, "e2e", *mark, "-k", "leaks") == 0
        assert ran[-1].endswith(" -k leaks")


def test_unknown_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, "check", "-k", "relu")


def test_what_is_not_built_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a test is skipped before anything is run, installed or built.

    Existing results are used.
    """
    monkeypatch.setattr(console, "before_building", [building.skip])
    monkeypatch.setattr(console, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(cache, "CACHE", tmp_path)
    monkeypatch.setattr(debian, "is_debian", lambda: False)

    def compile_it(into: Path) -> None:
        console.run_logged([sys.executable, "-c", f"open({str(into / 'made')!r}, 'w')"], "compiler")

    for name, attempt in {
        "compiler": lambda: cache.entry("kind", 1, "a module", compile_it),
        "a browser": lambda: debian.ensure_packages(["chromium"], "a browser"),
        "the site": site.ensure,
    }.items():
        with pytest.raises(pytest.skip.Exception, match=rf"\({name}\).*python build\.py test"):
            attempt()
    assert [path.name for path in tmp_path.iterdir()] == ["locks"]
    monkeypatch.setattr(console, "before_building", [])
    made = cache.entry("kind", 1, "a module", compile_it)
    monkeypatch.setattr(console, "before_building", [building.skip])
    assert cache.entry("kind", 1, "a module", compile_it) == made
