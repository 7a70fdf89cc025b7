"""The conversion of if, while and for to calls of operators, with a function for each part.

    if a:                 def ag__state_1(): return (x,)
        x = f(x)          def ag__set_state_1(values): nonlocal x; (x,) = values
    else:          →      def ag__then_1(): nonlocal x; x = f(x)
        x = g(x)          def ag__else_1(): nonlocal x; x = g(x)
                          ag__.if_stmt(a, ag__then_1, ag__else_1, ag__state_1, …, ('x',), 1)

The state consists of the symbols that the parts change and that later code, or the next iteration,
reads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from itertools import count

from tfpy._src.functions.autograph.build import (
    GuardedFor,
    assign,
    call,
    function,
    inline,
    located,
    name,
    text,
)
from tfpy._src.functions.autograph.liveness import LIVE_IN, LIVE_OUT
from tfpy._src.functions.autograph.names import declared, is_name, root, symbols

RAW = "raw"
"""Attribute of names that are read even if they are undefined."""


class Structure:
    """A pass that rewrites the body of one function.

    Args:
        body: Statements after the passes `jumps` and `liveness`.
        parameters: Names that are bound at the beginning of the function.
    """

    def __init__(self, body: Sequence[ast.stmt], parameters: set[str]) -> None:
        self._globals = declared(body, ast.Global)
        self._outer = declared(body, ast.Nonlocal)
        self._parameters = parameters
        self._numbers = count(1)
        self.undefined: set[str] = set()
        """Names that are set to `Undefined` because they may be unbound later."""

    def rewrite(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite the whole body of the function."""
        rewritten, needs = self._block(body)
        bound = self._parameters | self._globals | self._outer
        return [*self._initialized(needs - bound, rewritten), *rewritten]

    def _initialized(self, names: Iterable[str], body: Sequence[ast.stmt]) -> list[ast.stmt]:
        made = [assign(n, call("Undefined", text(n))) for n in sorted(names)]
        self.undefined.update(names)
        return [located(s, body[0]) for s in made]

    def _block(self, body: Sequence[ast.stmt]) -> tuple[list[ast.stmt], set[str]]:
        """Return the rewritten statements and the names that must be bound before them."""
        out: list[ast.stmt] = []
        needs: set[str] = set()
        for statement in body:
            made, wanted = self._statement(statement)
            out += made
            needs |= wanted
        return out, needs

    def _statement(self, node: ast.stmt) -> tuple[list[ast.stmt], set[str]]:
        if isinstance(node, ast.If):
            return self._if(node)
        if isinstance(node, ast.While):
            return self._while(node)
        if isinstance(node, ast.For):
            return self._for(node)
        if isinstance(node, ast.Delete) and all(isinstance(t, ast.Name) for t in node.targets):
            names = {t.id for t in node.targets if isinstance(t, ast.Name)}
            return self._initialized(names - self._globals, [node]), set()
        needs: set[str] = set()
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(node, field, None)
            if inner and not isinstance(
                node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
            ):
                rewritten, wanted = self._block(inner)
                setattr(node, field, rewritten)
                needs |= wanted
        for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
            part.body, wanted = self._block(part.body)
            needs |= wanted
        return [node], needs

    def _if(self, node: ast.If) -> tuple[list[ast.stmt], set[str]]:
        changed = symbols([*node.body, *node.orelse]).writes
        live_out, live_in = getattr(node, LIVE_OUT), getattr(node, LIVE_IN)
        outputs = self._state(changed & live_out, changed)
        state = [*outputs, *self._state(changed & (live_in - live_out), changed)]
        number = next(self._numbers)
        then, needs_then = self._part(f"ag__then_{number}", node.body, state, node)
        other, needs_other = self._part(f"ag__else_{number}", node.orelse, state, node)
        functions, access = self._access(state, number, node)
        invoke = call(
            "if_stmt",
            node.test,
            name(then.name),
            name(other.name),
            *access,
            ast.Constant(len(outputs)),
        )
        made = [*functions, then, other, located(ast.Expr(invoke), node)]
        return made, needs_then | needs_other | set(filter(is_name, state))

    def _while(self, node: ast.While) -> tuple[list[ast.stmt], set[str]]:
        changed = symbols([*node.body, node.test]).writes
        state = self._state(changed & (getattr(node, LIVE_OUT) | getattr(node, LIVE_IN)), changed)
        number = next(self._numbers)
        test, _ = self._part(f"ag__test_{number}", [], state, node)
        test.body[-1] = located(ast.Return(node.test), node)
        body, needs = self._part(f"ag__body_{number}", node.body, state, node)
        functions, access = self._access(state, number, node)
        invoke = call("while_stmt", name(test.name), name(body.name), *access)
        made = [*functions, test, body, located(ast.Expr(invoke), node)]
        return made, needs | set(filter(is_name, state))

    def _for(self, node: ast.For) -> tuple[list[ast.stmt], set[str]]:
        changed = symbols([*node.body, node.target]).writes
        state = self._state(changed & (getattr(node, LIVE_OUT) | getattr(node, LIVE_IN)), changed)
        number = next(self._numbers)
        item = f"ag__item_{number}"
        first = located(ast.Assign([node.target], name(item)), node)
        body, needs = self._part(f"ag__body_{number}", [first, *node.body], state, node, [item])
        functions, access = self._access(state, number, node)
        extra: ast.expr = ast.Constant(None)
        if isinstance(node, GuardedFor):
            test, _ = self._part(f"ag__go_on_{number}", [], state, node)
            test.body[-1] = located(ast.Return(node.go_on), node)
            functions, extra = [*functions, test], name(test.name)
        invoke = call("for_stmt", node.iter, extra, name(body.name), *access)
        made = [*functions, body, located(ast.Expr(invoke), node)]
        return made, needs | set(filter(is_name, state))

    def _state(self, live: set[str], changed: set[str]) -> list[str]:
        """Return the live symbols. Attributes and items count only if their root is not changed."""
        return sorted(s for s in live if is_name(s) or root(s) not in changed)

    def _part(
        self,
        title: str,
        body: Sequence[ast.stmt],
        state: Sequence[str],
        like: ast.stmt,
        args: Sequence[str] = (),
    ) -> tuple[ast.FunctionDef, set[str]]:
        """Return a function for a part of the statement, and the names that must be bound."""
        rewritten, needs = self._block(body)
        names = {s for s in state if is_name(s)}
        own = needs - names - self._globals - self._outer
        local = {s for s in symbols(body).writes if is_name(s)}
        inner = self._initialized(own & local, rewritten) if own & local else []
        statements = [*self._declarations(names), *inner, *(rewritten or [ast.Pass()])]
        return located(function(title, args, statements), like), needs - (own & local)

    def _declarations(self, names: set[str]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        if names - self._globals:
            out.append(ast.Nonlocal(sorted(names - self._globals)))
        if names & self._globals:
            out.append(ast.Global(sorted(names & self._globals)))
        return out

    def _access(
        self, state: Sequence[str], number: int, like: ast.stmt
    ) -> tuple[list[ast.stmt], list[ast.expr]]:
        """Return functions that get and set the state, and the arguments that pass them."""
        getter, setter = f"ag__state_{number}", f"ag__set_state_{number}"
        values: list[ast.expr] = [_read(s) for s in state]
        get = function(getter, [], [ast.Return(ast.Tuple(values, ast.Load()))])
        declarations = self._declarations({s for s in state if is_name(s)})
        targets: list[ast.expr] = [ast.parse(s, mode="eval").body for s in state]
        for target in targets:
            target.ctx = ast.Store()  # type: ignore[attr-defined]
        unpack = (
            ast.Assign([ast.Tuple(targets, ast.Store())], name("ag__values"))
            if targets
            else ast.Pass()
        )
        put = function(setter, ["ag__values"], [*declarations, unpack])
        titles = ast.Tuple([text(s) for s in state], ast.Load())
        return [located(get, like), located(put, like)], [name(getter), name(setter), titles]


def _read(symbol: str) -> ast.expr:
    """Return an expression for the value of a symbol, or `Undefined` if it has none."""
    if is_name(symbol):
        found = name(symbol)
        setattr(found, RAW, True)
        return found
    expression = ast.parse(symbol, mode="eval").body
    for node in ast.walk(expression):
        setattr(node, RAW, True)
    return call("part", inline(expression), text(symbol))


class Loads(ast.NodeTransformer):
    """A transformer that adds checks to reads of names that may be `Undefined`."""

    def __init__(self, undefined: set[str]) -> None:
        self._undefined = undefined

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self._undefined and not _is_raw(node):
            return located(call("load", located(name(node.id), node)), node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.AST]:
        """Check the target, because `x += 1` reads `x`."""
        self.generic_visit(node)
        if isinstance(node.target, ast.Name) and node.target.id in self._undefined:
            check = located(ast.Expr(call("load", name(node.target.id))), node)
            return [check, node]
        return node


def _is_raw(node: ast.AST) -> bool:
    return bool(getattr(node, RAW, False))
