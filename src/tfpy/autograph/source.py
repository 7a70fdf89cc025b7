"""Finds the syntax tree of a function."""

from __future__ import annotations

import ast
import inspect
import types
from functools import lru_cache

Definition = ast.FunctionDef | ast.Lambda


def definition(function: types.FunctionType) -> Definition | None:
    """The function's own part of the tree of its file; None when there is no source to be found.

    Its line numbers are those of the file (or of the notebook's cell).
    """
    code = function.__code__
    try:
        lines, _ = inspect.findsource(code)
        tree = _parse("".join(lines))
    except (OSError, TypeError, SyntaxError):
        return None
    found = [node for node in _definitions(tree) if _is(node, code)]
    if len(found) > 1:  # lambdas of one line: told apart by their columns
        found = [node for node in found if _spans(node, code)]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=64)
def _parse(text: str) -> ast.Module:
    return ast.parse(text)


def _definitions(tree: ast.Module) -> list[Definition]:
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda)]


def _is(node: Definition, code: types.CodeType) -> bool:
    if isinstance(node, ast.Lambda):
        return code.co_name == "<lambda>" and node.lineno == code.co_firstlineno
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return code.co_name == node.name and first == code.co_firstlineno


def _spans(node: Definition, code: types.CodeType) -> bool:
    """Whether the code's instructions come from within the node's body."""
    places = {p for p in code.co_positions() if p[2] is not None and p[1] == p[0]}
    columns = [(line, column) for line, _, column, _ in places if line == node.lineno]
    if not columns or not isinstance(node, ast.Lambda):
        return False
    begin, end = node.body.col_offset, node.body.end_col_offset
    assert end is not None
    return all(column is not None and begin <= column < end for _, column in columns if column)
