"""Finds the syntax tree of a function."""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Iterator

Definition = ast.FunctionDef | ast.Lambda


def definition(function: types.FunctionType) -> Definition | None:
    """The function's own part of the tree of its file; None when there is no source to be found.

    Its line numbers are those of the file (or of the notebook's cell).
    """
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return None
    found = [node for node in _definitions(tree, code.co_firstlineno) if _is(node, code)]
    if len(found) > 1:  # lambdas of one line: told apart by their columns
        found = [node for node in found if _spans(node, code)]
    return found[0] if len(found) == 1 else None


def _definitions(node: ast.AST, line: int) -> Iterator[Definition]:
    """The functions below a node that may begin on a line; what does not span it is passed over."""
    for child in ast.iter_child_nodes(node):
        end = getattr(child, "end_lineno", line)
        if end >= line and _first_line(child, line) <= line:
            if isinstance(child, Definition):
                yield child
            yield from _definitions(child, line)


def _first_line(node: ast.AST, default: int) -> int:
    """Where a node with its decorators begins; ``default`` for nodes that have no place."""
    decorators: list[int] = [d.lineno for d in getattr(node, "decorator_list", ())]
    begin: int = getattr(node, "lineno", default)
    return min([begin, *decorators])


def _is(node: Definition, code: types.CodeType) -> bool:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    return code.co_name == name and _first_line(node, 0) == code.co_firstlineno


def _spans(node: Definition, code: types.CodeType) -> bool:
    """Whether the code's instructions come from within the node's body."""
    places = {p for p in code.co_positions() if p[2] is not None and p[1] == p[0]}
    columns = [(line, column) for line, _, column, _ in places if line == node.lineno]
    if not columns or not isinstance(node, ast.Lambda):
        return False
    begin, end = node.body.col_offset, node.body.end_col_offset
    assert end is not None
    return all(column is not None and begin <= column < end for _, column in columns if column)
