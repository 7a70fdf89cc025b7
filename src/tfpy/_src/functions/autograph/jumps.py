"""The conversion of break, continue and return to flags, which makes control flow structured.

while a:              did_break = False
    if b:             while not did_break and a:
        break    →        if b:
    c()                       did_break = True
                          else:
                              c()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from tfpy._src.functions.autograph.build import assign, guarded, located, name, operator
from tfpy._src.functions.autograph.names import walk_scope

RETURNED, RESULT = "ag__returned", "ag__result"


def structured(function: ast.FunctionDef) -> None:
    """Rewrite the function's body in place, without nested functions."""
    body = function.body
    if not _returns_early(body):
        function.body = _Block(_Context(), count(1)).lower(body)
        return
    lowered = _Block(_Context(returns=RETURNED), count(1)).lower([*body, *_implicit_return(body)])
    undefined = ast.Call(operator("UndefinedResult"), [], [])
    final = ast.Return(ast.Call(operator("result"), [name(RESULT)], []))
    first = assign(RETURNED, ast.Constant(False)), assign(RESULT, undefined)
    function.body = [
        *(located(s, body[0]) for s in first),
        *lowered,
        located(final, body[-1]),
    ]


def _returns_early(body: Sequence[ast.stmt]) -> bool:
    """Return True if a return statement is not the last statement of the body."""
    returns = [n for n in walk_scope(body) if isinstance(n, ast.Return)]
    return len(returns) > 1 or (len(returns) == 1 and returns[0] is not body[-1])


def _implicit_return(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    return [] if _always_jumps(body) else [located(ast.Return(None), body[-1])]


@dataclass(frozen=True)
class _Context:
    """The names of the flags that jumps set; None for jumps that do not occur."""

    returns: str | None = None
    breaks: str | None = None
    continues: str | None = None


class _Block:
    """A pass over the statements of one loop, or of the function outside of loops."""

    def __init__(self, context: _Context, numbers: Iterator[int]) -> None:
        self._context = context
        self._numbers = numbers

    def lower(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Return the statements. Statements after a possible jump become conditional."""
        out: list[ast.stmt] = []
        for i, statement in enumerate(body):
            rest = list(body[i + 1 :])
            if isinstance(statement, ast.If) and rest and self._flags([statement]):
                if _always_jumps(statement.body):
                    out += self._if(statement, statement.body, [*statement.orelse, *rest])
                    return out
                if _always_jumps(statement.orelse):
                    out += self._if(statement, [*statement.body, *rest], statement.orelse)
                    return out
            out += self._statement(statement)
            if isinstance(statement, ast.Return | ast.Break | ast.Continue):
                return out
            flags = self._flags([statement])
            if flags and rest:
                guard = ast.If(_none_of(flags), self.lower(rest), [])
                out.append(located(guard, rest[0]))
                return out
        return out

    def _flags(self, body: Sequence[ast.stmt]) -> list[str]:
        """Return the flags that jumps in the statements may set."""
        found = [
            flag
            for flag, kind in (
                (self._context.breaks, ast.Break),
                (self._context.continues, ast.Continue),
            )
            if flag is not None and _jumps_here(body, kind)
        ]
        if self._context.returns and any(isinstance(n, ast.Return) for n in walk_scope(body)):
            found.append(self._context.returns)
        return found

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        context = self._context
        if isinstance(node, ast.Return) and context.returns:
            value = node.value or ast.Constant(None)
            return [
                located(assign(RESULT, value), node),
                located(assign(context.returns, ast.Constant(True)), node),
            ]
        if isinstance(node, ast.Break) and context.breaks:
            return [located(assign(context.breaks, ast.Constant(True)), node)]
        if isinstance(node, ast.Continue) and context.continues:
            return [located(assign(context.continues, ast.Constant(True)), node)]
        if isinstance(node, ast.If):
            return self._if(node, node.body, node.orelse)
        if isinstance(node, ast.While | ast.For):
            return self._loop(node)
        if isinstance(node, ast.With):
            return [ast.copy_location(ast.With(node.items, self.lower(node.body)), node)]
        if isinstance(node, ast.Try | ast.TryStar):
            return [self._try(node)]
        if isinstance(node, ast.Match):
            cases = [ast.match_case(c.pattern, c.guard, self.lower(c.body)) for c in node.cases]
            return [ast.copy_location(ast.Match(node.subject, cases), node)]
        return [node]

    def _if(
        self, node: ast.If, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]
    ) -> list[ast.stmt]:
        return [ast.copy_location(ast.If(node.test, self.lower(body), self.lower(orelse)), node)]

    def _try(self, node: ast.Try | ast.TryStar) -> ast.stmt:
        body, flags = self.lower(node.body), self._flags(node.body)
        orelse = self.lower(node.orelse)
        if flags and orelse:
            orelse = [located(ast.If(_none_of(flags), orelse, []), orelse[0])]
        handlers = [
            ast.copy_location(ast.ExceptHandler(h.type, h.name, self.lower(h.body)), h)
            for h in node.handlers
        ]
        made = type(node)(body, handlers, orelse, self.lower(node.finalbody))
        return ast.copy_location(made, node)

    def _loop(self, node: ast.While | ast.For) -> list[ast.stmt]:
        """Return the loop without jumps: flags are set before it, and its `else` follows it."""
        number = next(self._numbers)
        breaks = f"ag__broke_{number}" if _jumps_here(node.body, ast.Break) else None
        continues = f"ag__continued_{number}" if _jumps_here(node.body, ast.Continue) else None
        inner = _Block(_Context(self._context.returns, breaks, continues), self._numbers)
        body = inner.lower(node.body)
        if continues:
            body.insert(0, located(assign(continues, ast.Constant(False)), node))
        stops = [breaks] if breaks else []
        if self._context.returns and any(isinstance(n, ast.Return) for n in walk_scope(node.body)):
            stops.append(self._context.returns)
        loop: ast.While | ast.For
        if isinstance(node, ast.While):
            test = ast.BoolOp(ast.And(), [_none_of(stops), node.test]) if stops else node.test
            loop = ast.While(test, body, [])
        else:
            loop = ast.For(node.target, node.iter, body, [])
            loop = guarded(loop, _none_of(stops)) if stops else loop
        out: list[ast.stmt] = [located(ast.copy_location(loop, node), node)]
        if breaks:
            out.insert(0, located(assign(breaks, ast.Constant(False)), node))
        if node.orelse:
            after = self.lower(node.orelse)
            out += [located(ast.If(_none_of(stops), after, []), after[0])] if stops else after
        return out


def _none_of(flags: Sequence[str]) -> ast.expr:
    negated: list[ast.expr] = [ast.UnaryOp(ast.Not(), name(f)) for f in flags]
    return negated[0] if len(negated) == 1 else ast.BoolOp(ast.And(), negated)


def _jumps_here(body: Sequence[ast.AST], kind: type[ast.Break] | type[ast.Continue]) -> bool:
    """Return True if a break or continue belongs to the loop around these statements."""
    return any(isinstance(node, kind) or _jumps_here(_within(node), kind) for node in body)


def _within(node: ast.AST) -> list[ast.AST]:
    """Return the children of a statement that belong to the same loop."""
    if isinstance(node, ast.While | ast.For):
        return list(node.orelse)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
        return []
    return list(ast.iter_child_nodes(node))


def _always_jumps(body: Sequence[ast.stmt]) -> bool:
    """Return True if every path through the statements ends with a jump or an exception."""
    for node in body:
        if isinstance(node, ast.Return | ast.Break | ast.Continue | ast.Raise):
            return True
        if isinstance(node, ast.If) and _always_jumps(node.body) and _always_jumps(node.orelse):
            return True
        if isinstance(node, ast.With) and _always_jumps(node.body):
            return True
    return False
