"""Programs that a page of the documentation runs like the cells of a notebook."""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import linecache
import operator
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from tfpy._src.display.screen import Screen

_FUTURES = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
"""The compiler's flags of all features in `__future__`."""


async def run_cell(source: str, filename: str, names: dict[str, Any], echoes: bool = False) -> str:
    """Run a program, and display the value of its last expression.

    Args:
        source: Program, which may contain `await` at the top level.
        filename: Name of the program in tracebacks.
        names: Namespace of the program.
        echoes: True to print the value of each expression, as the interactive interpreter does.

    Returns:
        Sentence for a reader who sees no other output.
    """
    tree = ast.parse(source, filename)
    flags = _flags(tree, filename)
    # tracebacks show these lines, and tf.function reads them
    linecache.cache[filename] = len(source), None, source.splitlines(keepends=True), filename
    try:
        for part in _parts(tree.body, echoes):
            value = await _evaluate(part, filename, names, flags)
            if echoes:
                sys.displayhook(value)
            else:
                _display(value)
    except KeyboardInterrupt:
        return "Stopped."
    except SystemExit as ended:
        return report_exit(ended)
    return _summary(tree)


def report_exit(ended: SystemExit) -> str:
    """Print the message of a program's `sys.exit`, or its status if that is not 0.

    Args:
        ended: Exception that `sys.exit` raised.

    Returns:
        Sentence with the status.
    """
    code = ended.code
    is_status = code is None or isinstance(code, int)
    status = int(code or 0) if is_status else 1
    text = f"Exited with status {status}."
    if status:
        print(text if is_status else code, file=sys.stderr)
    return text


def _parts(body: list[ast.stmt], echoes: bool) -> Iterator[ast.Expression | ast.Module]:
    """Divide a program into statements and the expressions whose values are displayed."""
    statements: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.Expr) and (echoes or statement is body[-1]):
            yield ast.Module(statements, [])
            yield ast.Expression(statement.value)
            statements = []
        else:
            statements.append(statement)
    yield ast.Module(statements, [])


def _flags(tree: ast.Module, filename: str) -> int:
    """Return the compiler's flags for each part, including the program's future imports."""
    awaits = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    whole = compile(tree, filename, "exec", awaits, dont_inherit=True)
    return awaits | (whole.co_flags & _FUTURES)


async def _evaluate(
    part: ast.Expression | ast.Module, filename: str, names: dict[str, Any], flags: int
) -> Any:
    mode = "eval" if isinstance(part, ast.Expression) else "exec"
    code = compile(part, filename, mode, flags, dont_inherit=True)
    value = eval(code, names)
    return await value if code.co_flags & inspect.CO_COROUTINE else value


def _display(value: object) -> None:
    html = None if isinstance(value, type) else getattr(value, "_repr_html_", None)
    if html is None or not Screen().show(html()):
        sys.displayhook(value)


def _summary(tree: ast.Module) -> str:
    """Name what a program imports and defines."""
    imports = (ast.Import, ast.ImportFrom)
    imported = [node for node in tree.body if isinstance(node, imports)]
    others = [node for node in tree.body if not isinstance(node, imports)]
    parts = ("Imported", imported), ("Defined", others)
    named = [(verb, dict.fromkeys(_bound(nodes))) for verb, nodes in parts]
    return " ".join(f"{verb} {', '.join(names)}." for verb, names in named if names) or "Done."


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that statements bind, except in inner scopes."""
    for node in nodes:
        match node:
            case ast.ImportFrom(module="__future__") | ast.alias(name="*"):
                pass
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.alias(asname=str(name)):
                yield name
            case ast.alias(name=name):
                yield name.partition(".")[0]
            case ast.Name(id=name, ctx=ast.Store()) if not name.startswith("_"):
                yield name
            case ast.Lambda() | ast.comprehension():
                pass
            case _:
                yield from _bound(ast.iter_child_nodes(node))
