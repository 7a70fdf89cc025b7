"""The conversion of functions: their source is rewritten, compiled, and used in their place.

The converted code has the original file and line numbers, so that tracebacks and debuggers show the
user's program.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

from tfpy._src.functions.autograph import jumps, liveness
from tfpy._src.functions.autograph.build import OPERATORS, located
from tfpy._src.functions.autograph.expressions import Calls, Logic
from tfpy._src.functions.autograph.names import declared, is_name, parameters, symbols, walk_scope
from tfpy._src.functions.autograph.structure import Loads, Structure

Definition = ast.FunctionDef | ast.Lambda


def definition(function: types.FunctionType) -> Definition | None:
    """Return the syntax tree of a function, or None if its source is not available.

    The line numbers are the ones in the file or the notebook's cell.
    """
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return None
    found = [node for node in _definitions(tree, code.co_firstlineno) if _is(node, code)]
    if len(found) > 1:  # several lambdas on one line, which differ in their columns
        found = [node for node in found if _spans(node, code)]
    return found[0] if len(found) == 1 else None


def _definitions(node: ast.AST, line: int) -> Iterator[Definition]:
    """Yield the functions below a node that may begin on a line. Skip nodes that end before it."""
    for child in ast.iter_child_nodes(node):
        end = getattr(child, "end_lineno", line)
        if end >= line and _first_line(child, line) <= line:
            if isinstance(child, Definition):
                yield child
            yield from _definitions(child, line)


def _first_line(node: ast.AST, default: int) -> int:
    """Return the first line of a node with its decorators; `default` for nodes without a place."""
    decorators: list[int] = [d.lineno for d in getattr(node, "decorator_list", ())]
    begin: int = getattr(node, "lineno", default)
    return min([begin, *decorators])


def _is(node: Definition, code: types.CodeType) -> bool:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    return code.co_name == name and _first_line(node, 0) == code.co_firstlineno


def _spans(node: Definition, code: types.CodeType) -> bool:
    """Return True if the code's instructions are located in a lambda's body."""
    places = {p for p in code.co_positions() if p[2] is not None and p[1] == p[0]}
    columns = [(line, column) for line, _, column, _ in places if line == node.lineno]
    if not columns or not isinstance(node, ast.Lambda):
        return False
    begin, end = node.body.col_offset, node.body.end_col_offset
    assert end is not None
    return all(column is not None and begin <= column < end for _, column in columns if column)


_converted: dict[types.CodeType, types.CodeType | None] = {}
"""Converted code by original code. None if the original is used unchanged."""

_FUNCTION = "ag__function"
"""Internal name of a converted function. Its own name may be a global one, which it calls."""

_converting = threading.RLock()
"""Lock that is held while sources are parsed and compiled, because CPython's parser counts its
depth for all threads."""

_made: set[types.CodeType] = set()
"""Code objects that result from conversions, including nested functions."""


def converted_code(function: types.FunctionType) -> types.CodeType | None:
    """Return the code with converted control flow. Its free variables include `OPERATORS`.

    Return None for functions that are used unchanged: converted functions, generators, and
    functions without a source.
    """
    code = function.__code__
    if code in _made:
        return None
    if code not in _converted:
        with _converting:
            if code not in _converted:
                _converted[code] = _convert(function)
    return _converted[code]


def to_code(function: Callable[..., Any]) -> str:
    """Return the source code that AutoGraph generates for a function.

    Args:
        function: Python function to convert.

    Returns:
        A string with Python code.

    Raises:
        ValueError: If the value is not a Python function, or its source code is not available.

    Example:
        >>> import tfpy as tf
        >>> def signed(x):
        ...     return x if x > 0 else -x
        >>> "if_exp" in tf.autograph.to_code(signed)
        True

    See also: `tf.autograph.to_graph`.
    """
    function = getattr(function, "__func__", function)
    if not isinstance(function, types.FunctionType):
        raise ValueError(
            f"to_code: expected a function that is written in Python, got {function!r}. Pass the "
            "attribute python_function of a tf.function"
        )
    with _converting:
        node = definition(function)
        if node is None:
            raise ValueError(f"the source of {function.__qualname__} is not available")
        return ast.unparse(_transformed(node, function.__code__.co_freevars))


def _convert(function: types.FunctionType) -> types.CodeType | None:
    node = definition(function)
    if node is None or _suspends(node):
        return None
    code = function.__code__
    made = _transformed(node, code.co_freevars)
    made.name = _FUNCTION
    wrapped = _wrapped(made, [*code.co_freevars, OPERATORS], code.co_qualname)
    module = ast.fix_missing_locations(located(ast.Module([wrapped], []), node))
    compiled = compile(module, code.co_filename, "exec", dont_inherit=True)
    found = _inner(compiled, made.name).replace(co_name=code.co_name, co_qualname=code.co_qualname)
    _remember(found)
    return found


def _suspends(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Return True for generators and coroutines, which are used unchanged."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    return any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Await) for n in walk_scope(body))


def _transformed(node: ast.FunctionDef | ast.Lambda, closure: tuple[str, ...]) -> ast.FunctionDef:
    """Return the rewritten function. `node` is modified."""
    if isinstance(node, ast.Lambda):
        body: list[ast.stmt] = [located(ast.Return(node.body), node)]
        made = ast.copy_location(ast.FunctionDef("ag__lambda", node.args, body, [], None), node)
    else:
        made = node
    made.decorator_list, made.returns = [], None
    _strip_defaults(made.args)
    _rewrite(made, always=declared(made.body, ast.Nonlocal) & set(closure))
    return made


def _strip_defaults(args: ast.arguments) -> None:
    """Replace defaults by None. The original function provides the values."""
    args.defaults = [ast.Constant(None) for _ in args.defaults]
    args.kw_defaults = [d if d is None else ast.Constant(None) for d in args.kw_defaults]
    for arg in ast.walk(args):
        if isinstance(arg, ast.arg):
            arg.annotation = None


def _rewrite(function: ast.FunctionDef, always: set[str]) -> None:
    """Run the passes in order: jumps, expressions, nested functions, structure."""
    if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in walk_scope(function.body)):
        return
    jumps.structured(function)
    first = function.args.posonlyargs + function.args.args
    calls = Calls(first[0].arg if first else None)
    body = function.body = [calls.visit(Logic().visit(s)) for s in function.body]
    scope = list(walk_scope(body))
    structure = None
    if any(isinstance(n, _STRUCTURED) for n in scope):
        found = symbols(body)
        lasting = always | declared(body, ast.Global) | found.captured
        lasting |= {s for s in found.writes if not is_name(s)}
        liveness.analyze(body, lasting)
        structure = Structure(body, parameters(function))
    for node in scope:
        if isinstance(node, ast.FunctionDef):
            _rewrite(node, declared(node.body, ast.Nonlocal))
    if structure is not None:
        function.body = _loaded(structure.rewrite(body), structure.undefined)
    located(function, function)


_STRUCTURED = (ast.If, ast.While, ast.For, ast.Delete)
"""Statements that `structure` rewrites."""


def _loaded(body: list[ast.stmt], undefined: set[str]) -> list[ast.stmt]:
    """Return the statements with checks for names that may be undefined."""
    loads = Loads(undefined)
    out: list[ast.stmt] = []
    for statement in body:
        visited = loads.visit(statement)
        out += visited if isinstance(visited, list) else [visited]
    return out


def _wrapped(made: ast.FunctionDef, free: list[str], qualname: str) -> ast.stmt:
    """Return the function inside a factory that binds its free names, inside its class.

    Only the code is used. The class is needed because the compiler mangles `__private` names.
    """
    args = ast.arguments([], [ast.arg(n) for n in free], None, [], [], None, [])
    factory = ast.FunctionDef("ag__factory", args, [made], [], None)
    *_, holder, _ = ["<locals>", *qualname.split(".")]
    if not holder.isidentifier():
        return factory
    return ast.ClassDef(holder, [], [], [factory], [])


def _inner(code: types.CodeType, name: str) -> types.CodeType:
    """Return the code of the function with this name within the code of `_wrapped`."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_name == name:
                return constant
            return _inner(constant, name)
    raise AssertionError(name)


def _remember(code: types.CodeType) -> None:
    """Record code as converted, with its nested functions but not methods of nested classes."""
    _made.add(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and constant.co_flags & inspect.CO_OPTIMIZED:
            _remember(constant)
