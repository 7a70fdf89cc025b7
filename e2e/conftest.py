"""Configuration of the browser tests, which use tfpy's own pytest plugin.

Starting a page takes seconds. Therefore each process runs whole files, files that share pages which
no other file opens run in the same process, and the longest files begin first.
"""

from __future__ import annotations

from typing import Any

import promises
import pytest
from xdist.scheduler import LoadScopeScheduling

from e2e import matrix
from e2e.served import show
from e2e.webgl_page import evaluate, rng, small_bands

__all__ = ["evaluate", "rng", "show", "small_bands"]

pytest_plugins = ["tfpy_pytest"]

LONGEST = (
    *("test_ops.py", "test_matrix.py", "test_every_page.py", "test_gallery.py"),
    *("test_hub.py", "test_fuzz.py", "test_requested_packages.py", "test_language_models.py"),
    *("test_jupyterlite.py", "test_marimo.py"),
    *("test_keras.py", "test_keras_tasks.py", "test_keras_suite.py"),
    *("test_calls.py", "test_graph_models.py", "test_composed_ops.py", "test_sentence_vectors.py"),
    *("test_layers_models.py", "test_grids.py", "test_webgpu_products.py", "test_networks.py"),
    "test_traces.py",
)
"""Files that take longest, in descending order. Every other file takes less time."""

LAST = "test_leaks.py"
"""This file runs last, because it closes a browser with all its pages."""

TOGETHER = {
    "test_keras.py": "keras",
    "test_keras_tasks.py": "keras",
    "test_keras_suite.py": "keras",
    "test_backend_choice.py": "environments",
    "test_browser.py": "environments",
    "test_debugging.py": "shown",
    "test_leaks.py": "environments",
    "test_page_sources.py": "environments",
    "test_promises.py": "environments",
    "test_threads_of_execution.py": "environments",
    "test_views.py": "shown",
}
"""Files that share pages: with Keras, in Firefox, in workers, without isolation, with float16."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--matrix",
        choices=("pairs", "all"),
        default="pairs",
        help="states of the matrix: some that have each pair of values (default), or all",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize tests with the states, ordered so that states of one browser are adjacent."""
    if "state" in metafunc.fixturenames:
        found = (
            matrix.cover() if metafunc.config.getoption("matrix") == "pairs" else matrix.states()
        )
        states = sorted(found, key=lambda s: (s["browser"], matrix.environment(s).lacks))
        metafunc.parametrize("state", states, ids=[", ".join(s.values()) for s in states])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    promises.mark(items)
    ranks = {name: rank for rank, name in enumerate(LONGEST)} | {LAST: len(LONGEST) + 1}
    items.sort(key=lambda item: ranks.get(item.path.name, len(LONGEST)))


class PageScheduling(LoadScopeScheduling):
    """A scheduler that assigns whole files, or files that share pages, to a process."""

    def _split_scope(self, nodeid: str) -> str:
        name = nodeid.partition("::")[0].rpartition("/")[2]
        return TOGETHER.get(name, name)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> PageScheduling:
    return PageScheduling(config, log)
