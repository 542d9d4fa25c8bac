"""From kernel text to LLVM's intermediate text.

Kernel text is Python of a small kind, so that it can be read, and run slowly with every index checked. It has
functions over whole numbers of 64 bits, and arrays of bytes (`u8`), 16-bit (`u16`), 32-bit (`i32`) and 64-bit
(`i64`) numbers:

    def total(counts: "i64[]", size: "int") -> "int":
        x = 0
        for k in range(0, size):
            x += counts[k]
        return x

Statements: assignments (also of several numbers that a function returns), `+=` and its like, `if`, `for` over
a range, `while`, `break`, `continue`, `return`, calls. Expressions: numbers, variables, entries of arrays,
`+ - * & | ^ << >>`, `//` and `%` by a number above 0, comparisons, `and`, `or`, `not`, `min`, `max`,
`lowest_bit` (the place of the lowest bit that is set in a number above 0), conditional expressions, calls of
functions that stand above. A function marked `@apart` is not copied to where it is called. Every variable is a number;
arrays are arguments only. Indices are not checked here.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from schemata.engine.machine.signatures import Signature, signature_of, unknown
from schemata.engine.machine.values import Values

__all__ = ["intermediate"]


def intermediate(text: str) -> tuple[str, tuple[Signature, ...]]:
    """Return a kernel module as LLVM text, and its functions.

    Raises
    ------
    SyntaxError : the text has something that the small language has not.
    """
    signatures: dict[str, Signature] = {}
    parts: list[str] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            signature = signature_of(node)
            signatures[node.name] = signature
            parts.append(_Function(signatures, signature).write(node))
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise unknown(node)
    parts.append("declare i64 @llvm.cttz.i64(i64, i1)")
    return "\n\n".join(parts) + "\n", tuple(signatures.values())


@dataclass(slots=True)
class _Function(Values):
    """Writes one function: its head and its statements. `loops` has where each loop goes on, and where it ends."""

    loops: list[tuple[str, str]] = field(default_factory=list)

    def write(self, node: ast.FunctionDef) -> str:
        """Return the function's text."""
        self._body(node.body)
        if not self.ended:
            zeros = "0" if self.own.results == 1 else "zeroinitializer"
            self.end(f"ret {self.own.returned} {zeros}")
        shown = ", ".join(
            f"i64 %p.{name}" if kind == "int" else f"ptr noalias nocapture %p.{name}"
            for name, kind in self.own.parameters
        )
        head = [
            f"define {self.own.returned} @{self.own.name}({shown}) {'#1' if node.decorator_list else '#0'} {{",
            "entry:",
        ]
        for name, kind in self.own.parameters:
            if kind == "int":
                self.slots[name] = None
        head += [f"  %v.{name} = alloca i64" for name in self.slots]
        head += [f"  store i64 0, ptr %v.{name}" for name in self.slots]
        head += [
            f"  store i64 %p.{name}, ptr %v.{name}" for name, kind in self.own.parameters if kind == "int"
        ]
        return "\n".join([*head, *self.lines, "}"])

    def _body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.ended:
                return
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                found = [self.value(v) for v in values]
                for target, value in zip(targets, found, strict=True):
                    self.store(target, value)
            case ast.Assign([ast.Tuple(targets)], ast.Call() as call):
                self._unpack(targets, call)
            case ast.Assign([target], value):
                self.store(target, self.value(value))
            case ast.AugAssign(target, operator, value):
                joined = ast.copy_location(ast.BinOp(target, operator, value), node)
                self.store(target, self.value(joined))
            case ast.If(test, body, orelse):
                self._if(test, body, orelse)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), bounds), body, []):
                self._for(name, bounds, body)
            case ast.While(test, body, []):
                self._while(test, body)
            case ast.Return(value):
                self._return(value)
            case ast.Break():
                self.end(f"br label %{self.loops[-1][1]}")
            case ast.Continue():
                self.end(f"br label %{self.loops[-1][0]}")
            case ast.Expr(ast.Call() as call):
                self.value(call)
            case ast.Expr(ast.Constant()) | ast.Pass():
                pass
            case _:
                raise unknown(node)

    def _unpack(self, targets: list[ast.expr], call: ast.Call) -> None:
        whole = self.value(call)
        assert isinstance(call.func, ast.Name)
        kind = self.signatures[call.func.id].returned
        found = [self.let(f"extractvalue {kind} {whole}, {k}") for k in range(len(targets))]
        for target, value in zip(targets, found, strict=True):
            self.store(target, value)

    def _if(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        then, otherwise, after = self.label("then"), self.label("else"), self.label("after")
        self.branch(test, then, otherwise if orelse else after)
        reached = False
        self.open(then)
        self._body(body)
        if not self.ended:
            reached = True
            self.end(f"br label %{after}")
        if orelse:
            self.open(otherwise)
            self._body(orelse)
            if not self.ended:
                reached = True
                self.end(f"br label %{after}")
        if reached or not orelse:
            self.open(after)

    def _for(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        low = self.value(bounds[0]) if len(bounds) > 1 else "0"
        high = self.value(bounds[1] if len(bounds) > 1 else bounds[0])
        step = self.value(bounds[2]) if len(bounds) == 3 else "1"
        if not step.isdigit():
            raise SyntaxError("a range whose step is no number above 0")
        test, inside, following, after = (self.label(x) for x in ("test", "loop", "next", "after"))
        counter = self.slot(name)  # its own, so that the body may not disturb the loop
        self.slots.setdefault(name, None)
        self.lines.append(f"  store i64 {low}, ptr %v.{counter}")
        self.end(f"br label %{test}")
        self.open(test)
        here = self.let(f"load i64, ptr %v.{counter}")
        go = self.let(f"icmp slt i64 {here}, {high}")
        self.end(f"br i1 {go}, label %{inside}, label %{after}")
        self.open(inside)
        self.lines.append(f"  store i64 {here}, ptr %v.{name}")
        self.loops.append((following, after))
        self._body(body)
        self.loops.pop()
        if not self.ended:
            self.end(f"br label %{following}")
        self.open(following)
        more = self.let(f"add nsw i64 {self.let(f'load i64, ptr %v.{counter}')}, {step}")
        self.lines.append(f"  store i64 {more}, ptr %v.{counter}")
        self.end(f"br label %{test}")
        self.open(after)

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        again, inside, after = (self.label(x) for x in ("test", "loop", "after"))
        self.end(f"br label %{again}")
        self.open(again)
        self.branch(test, inside, after)
        self.open(inside)
        self.loops.append((again, after))
        self._body(body)
        self.loops.pop()
        if not self.ended:
            self.end(f"br label %{again}")
        self.open(after)

    def _return(self, value: ast.expr | None) -> None:
        if isinstance(value, ast.Tuple):
            kind, whole = self.own.returned, "undef"
            for k, part in enumerate(value.elts):
                whole = self.let(f"insertvalue {kind} {whole}, i64 {self.value(part)}, {k}")
            self.end(f"ret {kind} {whole}")
        else:
            self.end(f"ret i64 {self.value(value) if value is not None else '0'}")
