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

__all__ = ["Signature", "intermediate"]

_ELEMENTS = {"u8[]": ("i8", "zext"), "u16[]": ("i16", "zext"), "i32[]": ("i32", "sext"), "i64[]": ("i64", "")}
_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "add nsw",
    ast.Sub: "sub nsw",
    ast.Mult: "mul nsw",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
_WRAPPING = {"add nsw": "add", "sub nsw": "sub", "mul nsw": "mul"}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """A kernel function: its name, its parameters as (name, type) and how many numbers it returns."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    results: int

    @property
    def returned(self) -> str:
        """The type it returns."""
        return "i64" if self.results == 1 else "{ " + ", ".join(["i64"] * self.results) + " }"


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
            signature = _signature(node)
            signatures[node.name] = signature
            parts.append(_Function(signatures, signature).write(node))
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise _unknown(node)
    parts.append("declare i64 @llvm.cttz.i64(i64, i1)")
    return "\n\n".join(parts) + "\n", tuple(signatures.values())


def _signature(node: ast.FunctionDef) -> Signature:
    parameters = []
    for argument in node.args.args:
        kind = argument.annotation.value if isinstance(argument.annotation, ast.Constant) else None
        if kind != "int" and kind not in _ELEMENTS:
            raise _unknown(argument)
        parameters.append((argument.arg, str(kind)))
    results = 1
    if isinstance(node.returns, ast.Constant) and isinstance(node.returns.value, str):
        results = node.returns.value.count("int")
    return Signature(node.name, tuple(parameters), results)


def _unknown(node: ast.AST) -> SyntaxError:
    found = SyntaxError(f"{type(node).__name__} is not part of the kernel language")
    found.lineno = getattr(node, "lineno", None)
    return found


@dataclass(slots=True)
class _Function:
    """Writes one function. Variables live in stack slots, which LLVM turns into registers."""

    signatures: dict[str, Signature]
    own: Signature
    lines: list[str] = field(default_factory=list)
    slots: dict[str, None] = field(default_factory=dict)
    loops: list[tuple[str, str]] = field(default_factory=list)
    _count: int = 0
    _ended: bool = False

    def write(self, node: ast.FunctionDef) -> str:
        """Return the function's text."""
        self._body(node.body)
        if not self._ended:
            zeros = "0" if self.own.results == 1 else "zeroinitializer"
            self._end(f"ret {self.own.returned} {zeros}")
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

    # statements

    def _body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self._ended:
                return
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                found = [self._value(v) for v in values]
                for target, value in zip(targets, found, strict=True):
                    self._store(target, value)
            case ast.Assign([ast.Tuple(targets)], ast.Call() as call):
                self._unpack(targets, call)
            case ast.Assign([target], value):
                self._store(target, self._value(value))
            case ast.AugAssign(target, operator, value):
                joined = ast.copy_location(ast.BinOp(_loaded(target), operator, value), node)
                self._store(target, self._value(joined))
            case ast.If(test, body, orelse):
                self._if(test, body, orelse)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), bounds), body, []):
                self._for(name, bounds, body)
            case ast.While(test, body, []):
                self._while(test, body)
            case ast.Return(value):
                self._return(value)
            case ast.Break():
                self._end(f"br label %{self.loops[-1][1]}")
            case ast.Continue():
                self._end(f"br label %{self.loops[-1][0]}")
            case ast.Expr(ast.Call() as call):
                self._value(call)
            case ast.Expr(ast.Constant()) | ast.Pass():
                pass
            case _:
                raise _unknown(node)

    def _unpack(self, targets: list[ast.expr], call: ast.Call) -> None:
        whole = self._value(call)
        assert isinstance(call.func, ast.Name)
        kind = self.signatures[call.func.id].returned
        found = [self._let(f"extractvalue {kind} {whole}, {k}") for k in range(len(targets))]
        for target, value in zip(targets, found, strict=True):
            self._store(target, value)

    def _if(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        then, otherwise, after = self._label("then"), self._label("else"), self._label("after")
        self._branch(test, then, otherwise if orelse else after)
        reached = False
        self._open(then)
        self._body(body)
        if not self._ended:
            reached = True
            self._end(f"br label %{after}")
        if orelse:
            self._open(otherwise)
            self._body(orelse)
            if not self._ended:
                reached = True
                self._end(f"br label %{after}")
        if reached or not orelse:
            self._open(after)

    def _for(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        low = self._value(bounds[0]) if len(bounds) > 1 else "0"
        high = self._value(bounds[1] if len(bounds) > 1 else bounds[0])
        step = self._value(bounds[2]) if len(bounds) == 3 else "1"
        if not step.isdigit():
            raise SyntaxError("a range whose step is no number above 0")
        test, inside, following, after = (self._label(x) for x in ("test", "loop", "next", "after"))
        counter = f"{name}.{self._count}"  # its own, so that the body may not disturb the loop
        self.slots[counter] = None
        self.slots.setdefault(name, None)
        self.lines.append(f"  store i64 {low}, ptr %v.{counter}")
        self._end(f"br label %{test}")
        self._open(test)
        here = self._let(f"load i64, ptr %v.{counter}")
        go = self._let(f"icmp slt i64 {here}, {high}")
        self._end(f"br i1 {go}, label %{inside}, label %{after}")
        self._open(inside)
        self.lines.append(f"  store i64 {here}, ptr %v.{name}")
        self.loops.append((following, after))
        self._body(body)
        self.loops.pop()
        if not self._ended:
            self._end(f"br label %{following}")
        self._open(following)
        more = self._let(f"add nsw i64 {self._let(f'load i64, ptr %v.{counter}')}, {step}")
        self.lines.append(f"  store i64 {more}, ptr %v.{counter}")
        self._end(f"br label %{test}")
        self._open(after)

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        again, inside, after = (self._label(x) for x in ("test", "loop", "after"))
        self._end(f"br label %{again}")
        self._open(again)
        self._branch(test, inside, after)
        self._open(inside)
        self.loops.append((again, after))
        self._body(body)
        self.loops.pop()
        if not self._ended:
            self._end(f"br label %{again}")
        self._open(after)

    def _return(self, value: ast.expr | None) -> None:
        if isinstance(value, ast.Tuple):
            kind, whole = self.own.returned, "undef"
            for k, part in enumerate(value.elts):
                whole = self._let(f"insertvalue {kind} {whole}, i64 {self._value(part)}, {k}")
            self._end(f"ret {kind} {whole}")
        else:
            self._end(f"ret i64 {self._value(value) if value is not None else '0'}")

    # expressions

    def _value(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(bool() as value):
                return str(int(value))
            case ast.Constant(int() as value):
                return str(value)
            case ast.Name(name):
                if name not in self.slots and (name, "int") not in self.own.parameters:
                    raise SyntaxError(f"{name} has no value")
                return self._let(f"load i64, ptr %v.{name}")
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
                return str(-value)
            case ast.UnaryOp(ast.USub(), operand):
                return self._let(f"sub nsw i64 0, {self._value(operand)}")
            case ast.BinOp(left, ast.FloorDiv() | ast.Mod() as operator, ast.Constant(int() as value)) if (
                value > 0
            ):
                return self._divide(self._value(left), value, isinstance(operator, ast.Mod))
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATIONS:
                word = _OPERATIONS[type(operator)]
                if self.own.name.startswith("fresh"):
                    word = _WRAPPING.get(word, word)  # hashing overflows on purpose
                one = self._value(left)
                return self._let(f"{word} i64 {one}, {self._value(right)}")
            case ast.Subscript(ast.Name(array), index):
                element, widen = self._element(array)
                load = "load volatile" if array == "control" else "load"  # another thread may write there
                loaded = self._let(f"{load} {element}, ptr {self._address(array, element, index)}")
                return self._let(f"{widen} {element} {loaded} to i64") if widen else loaded
            case ast.Call(ast.Name(("min" | "max") as name), arguments):
                found = self._value(arguments[0])
                for other in arguments[1:]:
                    next_ = self._value(other)
                    chosen = self._let(f"icmp {'slt' if name == 'min' else 'sgt'} i64 {found}, {next_}")
                    found = self._let(f"select i1 {chosen}, i64 {found}, i64 {next_}")
                return found
            case ast.Call(ast.Name("lowest_bit"), [argument]):
                return self._let(f"call i64 @llvm.cttz.i64(i64 {self._value(argument)}, i1 true)")
            case ast.Call(ast.Name(name), arguments) if name in self.signatures:
                return self._call(self.signatures[name], arguments)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()) | ast.IfExp():
                return self._chosen(node)
        raise _unknown(node)

    def _divide(self, value: str, divisor: int, rest: bool) -> str:
        """Divide by a number above 0, rounding down as Python does; returns the quotient or the rest."""
        remainder = self._let(f"srem i64 {value}, {divisor}")
        below = self._let(f"icmp slt i64 {remainder}, 0")
        if rest:
            return self._let(f"add i64 {remainder}, {self._let(f'select i1 {below}, i64 {divisor}, i64 0')}")
        quotient = self._let(f"sdiv i64 {value}, {divisor}")
        return self._let(f"sub i64 {quotient}, {self._let(f'zext i1 {below} to i64')}")

    def _call(self, function: Signature, arguments: list[ast.expr]) -> str:
        shown = []
        for (_, kind), argument in zip(function.parameters, arguments, strict=True):
            if kind == "int":
                shown.append(f"i64 {self._value(argument)}")
            else:
                assert isinstance(argument, ast.Name)
                shown.append(f"ptr %p.{argument.id}")
        return self._let(f"call {function.returned} @{function.name}({', '.join(shown)})")

    def _chosen(self, node: ast.expr) -> str:
        """Return a condition as 0 or 1, or the chosen one of two values."""
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._let(f"zext i1 {self._compare(node)} to i64")
        slot = f"chosen.{self._count}"
        self.slots[slot] = None
        yes, no, after = self._label("yes"), self._label("no"), self._label("after")
        test, one, other = (
            (node.test, node.body, node.orelse)
            if isinstance(node, ast.IfExp)
            else (node, ast.Constant(1), ast.Constant(0))
        )
        self._branch(test, yes, no)
        for label, part in ((yes, one), (no, other)):
            self._open(label)
            self.lines.append(f"  store i64 {self._value(part)}, ptr %v.{slot}")
            self._end(f"br label %{after}")
        self._open(after)
        return self._let(f"load i64, ptr %v.{slot}")

    def _branch(self, test: ast.expr, yes: str, no: str) -> None:
        """Go to one of two places; what need not be looked at is not."""
        match test:
            case ast.BoolOp(operator, values):
                both = isinstance(operator, ast.And)
                for value in values[:-1]:
                    further = self._label("and" if both else "or")
                    self._branch(value, further if both else yes, no if both else further)
                    self._open(further)
                self._branch(values[-1], yes, no)
            case ast.UnaryOp(ast.Not(), operand):
                self._branch(operand, no, yes)
            case ast.Constant(bool() as value):
                self._end(f"br label %{yes if value else no}")
            case ast.Compare(_, [_]):
                self._end(f"br i1 {self._compare(test)}, label %{yes}, label %{no}")
            case _:
                found = self._let(f"icmp ne i64 {self._value(test)}, 0")
                self._end(f"br i1 {found}, label %{yes}, label %{no}")

    def _compare(self, node: ast.Compare) -> str:
        left = self._value(node.left)
        word = _COMPARISONS[type(node.ops[0])]
        return self._let(f"icmp {word} i64 {left}, {self._value(node.comparators[0])}")

    # places

    def _element(self, array: str) -> tuple[str, str]:
        kind = dict(self.own.parameters).get(array, "int")
        if kind == "int":
            raise SyntaxError(f"{array} is no array")
        return _ELEMENTS[kind]

    def _address(self, array: str, element: str, index: ast.expr) -> str:
        return self._let(f"getelementptr inbounds {element}, ptr %p.{array}, i64 {self._value(index)}")

    def _store(self, target: ast.expr, value: str) -> None:
        match target:
            case ast.Name(name):
                self.slots.setdefault(name, None)
                self.lines.append(f"  store i64 {value}, ptr %v.{name}")
            case ast.Subscript(ast.Name(array), index):
                element, _ = self._element(array)
                address = self._address(array, element, index)
                if element != "i64":
                    value = self._let(f"trunc i64 {value} to {element}")
                self.lines.append(f"  store {element} {value}, ptr {address}")
            case _:
                raise _unknown(target)

    # text

    def _let(self, operation: str) -> str:
        self._count += 1
        self.lines.append(f"  %t{self._count} = {operation}")
        return f"%t{self._count}"

    def _label(self, word: str) -> str:
        self._count += 1
        return f"{word}.{self._count}"

    def _open(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self._ended = False

    def _end(self, operation: str) -> None:
        self.lines.append(f"  {operation}")
        self._ended = True


def _loaded(target: ast.expr) -> ast.expr:
    """Return an assignment's target as an expression; contexts do not matter here."""
    return target
