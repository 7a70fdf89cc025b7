"""The table of passes: complete, with each pass's requirements, and verified after each pass."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest
from passes.fusing import Greedy
from passes.sketch import Sketch

import tfpy as tf
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.passes import pipeline

PASSES = [one for stage in pipeline.STAGES.values() for one in stage]
FOLDER = Path(pipeline.__file__).parent
HELPERS = {"prelude.WeightOnly", "rewrite.count_reads"}
"""Names in modules of passes that other rooms use, in addition to the pipeline's names."""


def imported(file: Path) -> set[str]:
    """Return names that a file imports from modules of passes, as "module.name"."""
    prefix = "tfpy._src.compiler.passes."
    return {
        f"{node.module.removeprefix(prefix)}.{alias.name}"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(prefix)
        for alias in node.names
    }


def test_passes_run_from_the_pipeline_alone() -> None:
    others = [f for f in FOLDER.parents[1].rglob("*.py") if not f.is_relative_to(FOLDER)]
    found = {name for file in others for name in imported(file)}
    assert "pipeline.optimize" in found, "imports are found"
    assert {name for name in found if not name.startswith("pipeline.")} == HELPERS


def test_each_pass_is_listed_once_with_what_it_needs() -> None:
    functions = [one.function for one in PASSES]
    assert len(functions) == len(set(functions))
    for one in PASSES:
        _, *facts = inspect.signature(one.function).parameters
        assert list(one.needs) == facts, one


def all_stages(graph: Graph) -> None:
    target = Greedy()
    prepared = pipeline.prepare(graph, target, (), target.dtypes, spreads=False)
    pipeline.optimize_with_weights(prepared, target, (), bits=8)


@pytest.mark.parametrize("number", range(len(PASSES)), ids=lambda n: PASSES[n].function.__name__)
def test_the_pass_that_breaks_a_graph_is_named(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tf.env().get("TFPY_VERIFY_PASSES")  # tests/conftest.py sets it
    name = PASSES[number].function.__name__

    def breaking(graph: Graph, **facts: Any) -> Any:
        broken = Graph(graph.avals, graph.inputs, graph.constants, graph.eqns, [99])
        return (Graph(), broken) if name == "split_prelude" else broken

    breaking.__name__ = name
    broken = PASSES[number]._replace(function=breaking)
    stages = {
        stage: tuple(broken if one is PASSES[number] else one for one in passes)
        for stage, passes in pipeline.STAGES.items()
    }
    monkeypatch.setattr(pipeline, "STAGES", stages)
    s = Sketch((4,))
    with pytest.raises(ValueError, match=rf"after {name}: graph: output %99 is never defined"):
        all_stages(s.returns(s("add", 0, s("exp", 0))))
