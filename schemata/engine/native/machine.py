"""A small compiler from whole-number Python to machine code, by LLVM.

Kernels are written in a few of Python's words: functions of whole numbers and arrays; assignment, `if`, `while`,
`for ... in range`, `break`, `continue`, `return`; arithmetic, comparisons, `and`, `or`, `not`, `min`, `max`,
`len`. Numbers have 64 bits and wrap around; `//` and `%` round down as in Python. An array is known by its
name, which says what its entries are. Nothing else is accepted, so that a text can do nothing but compute.

Why not Numba: typing and lowering a kernel of some thousand lines takes it 5 to 30 times as long as LLVM takes to
compile it, every index costs a test for negative values, and arrays may overlap as far as LLVM knows.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["to_llvm"]

_OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
_RELATIONS = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}


def to_llvm(
    text: str,
    arrays: Mapping[str, int],
    constants: Mapping[str, int],
    entries: Sequence[str],
    checked: bool = False,
) -> str:
    """Return a module text as LLVM's assembly.

    Parameters
    ----------
    text : functions in the words above.
    arrays : the bits of an entry of every array, by name (8, 32 or 64; unsigned where 8).
    constants : names that stand for numbers.
    entries : functions that are called from outside. Their machine code takes one pointer, to 64-bit numbers: the
        parameters in order, an array as its address and its length.
    checked : test every index; the first that is wrong sets `fault` to its line, and is taken as 0.

    Raises
    ------
    SyntaxError : the text has other words.
    """
    tree = ast.parse(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    others = [
        n for n in tree.body if not isinstance(n, ast.FunctionDef | ast.Import | ast.ImportFrom | ast.Assign)
    ]
    if any(not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)) for n in others):
        raise SyntaxError("a kernel has functions only")
    known = {f.name: [a.arg for a in f.args.args] for f in functions}
    out = ["@fault = global i64 0", ""]
    for function in functions:
        out += _Function(function, known, arrays, constants, checked).lines()
    for name in entries:
        out += _entry(name, known[name], arrays)
    for kind in ("smin", "smax"):
        out.append(f"declare i64 @llvm.{kind}.i64(i64, i64)")
    return "\n".join(out) + "\n"


def _entry(name: str, parameters: Sequence[str], arrays: Mapping[str, int]) -> list[str]:
    """Return the function that is called from outside."""
    out = [f"define i64 @entry_{name}(ptr %given) {{"]
    passed: list[str] = []
    place = 0

    def load(kind: str) -> str:
        nonlocal place
        out.append(f"  %p{place} = getelementptr i64, ptr %given, i64 {place}")
        out.append(f"  %v{place} = load {kind}, ptr %p{place}")
        place += 1
        return f"{kind} %v{place - 1}"

    for parameter in parameters:
        if parameter in arrays:
            passed += [load("ptr"), load("i64")]
        else:
            passed.append(load("i64"))
    out.append(f"  %r = call i64 @{name}({', '.join(passed)})")
    return [*out, "  ret i64 %r", "}", ""]


@dataclass(slots=True)
class _Function:
    """One function on its way; values are names of LLVM's registers, or numbers."""

    node: ast.FunctionDef
    known: Mapping[str, Sequence[str]]
    arrays: Mapping[str, int]
    constants: Mapping[str, int]
    checked: bool
    out: list[str] = field(default_factory=list)
    slots: dict[str, None] = field(default_factory=dict)
    loops: list[tuple[str, str]] = field(default_factory=list)  # where continue and break go
    count: int = 0
    open: bool = True  # whether the current block still has no end

    def lines(self) -> list[str]:
        """Return the function as assembly."""
        parameters: list[str] = []
        for argument in self.node.args.args:
            name = argument.arg
            if name in self.arrays:
                parameters += [f"ptr noalias nocapture %{name}", f"i64 %{name}.len"]
            else:
                parameters.append(f"i64 %{name}")
                self.slots[name] = None
                self.emit(f"store i64 %{name}, ptr %{name}.at")
        self.block(self.node.body)
        if self.open:
            self.emit("ret i64 0")
        large = "noinline " if self.node.decorator_list else ""
        head = f"define internal i64 @{self.node.name}({', '.join(parameters)}) {large}nounwind {{"
        allocated = [f"  %{name}.at = alloca i64" for name in self.slots]
        return [head, "start:", *allocated, *self.out, "}", ""]

    # pieces

    def emit(self, text: str) -> None:
        if self.open:
            self.out.append("  " + text)

    def fresh(self) -> str:
        self.count += 1
        return f"%t{self.count}"

    def value(self, text: str) -> str:
        """Emit an instruction with a result; returns its register."""
        name = self.fresh()
        self.emit(f"{name} = {text}")
        return name

    def label(self, hint: str) -> str:
        self.count += 1
        return f"{hint}{self.count}"

    def jump(self, label: str) -> None:
        self.emit(f"br label %{label}")
        self.open = False

    def begin(self, label: str) -> None:
        if self.open:
            self.jump(label)
        self.out.append(f"{label}:")
        self.open = True

    def wrong(self, node: ast.AST) -> SyntaxError:
        return SyntaxError(f"not a word of kernels: {ast.unparse(node)}")

    # statements

    def block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(ast.Constant(str())) | ast.Pass():
                pass
            case ast.Expr(ast.Call() as call):
                self.expression(call)
            case ast.Assign([target], value):
                self.store(target, self.expression(value))
            case ast.AugAssign(target, operator, value):
                load = ast.parse(ast.unparse(target), mode="eval").body
                self.store(target, self.expression(ast.copy_location(ast.BinOp(load, operator, value), node)))
            case ast.If(test, body, orelse):
                yes, no, end = self.label("then"), self.label("else"), self.label("end")
                self.condition(test, yes, no if orelse else end)
                self.begin(yes)
                self.block(body)
                if orelse:
                    if self.open:
                        self.jump(end)
                    self.begin(no)
                    self.block(orelse)
                self.begin(end)
            case ast.While(test, body, []):
                head, inner, end = self.label("while"), self.label("do"), self.label("end")
                self.begin(head)
                self.condition(test, inner, end)
                self.begin(inner)
                self.loops.append((head, end))
                self.block(body)
                self.loops.pop()
                if self.open:
                    self.jump(head)
                self.begin(end)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), arguments), body, []):
                self.counted(name, arguments, body)
            case ast.Break():
                self.jump(self.loops[-1][1])
                self.begin(self.label("dead"))
            case ast.Continue():
                self.jump(self.loops[-1][0])
                self.begin(self.label("dead"))
            case ast.Return(value):
                self.emit(f"ret i64 {self.expression(value) if value is not None else 0}")
                self.open = False
                self.begin(self.label("dead"))
            case _:
                raise self.wrong(node)

    def counted(self, name: str, arguments: Sequence[ast.expr], body: Sequence[ast.stmt]) -> None:
        """Write a loop over a range with a step above 0."""
        values = [self.expression(a) for a in arguments]
        low, high = ("0", values[0]) if len(values) == 1 else values[:2]
        step = values[2] if len(values) == 3 else "1"
        if not step.isdigit():
            raise SyntaxError("a range with another step than a number")
        self.slots[name] = None
        self.count += 1
        at = f"%loop.{self.count}.at"
        self.slots[f"loop.{self.count}"] = None
        self.emit(f"store i64 {low}, ptr {at}")
        head, inner, on, end = (self.label(h) for h in ("for", "do", "next", "end"))
        self.begin(head)
        here = self.value(f"load i64, ptr {at}")
        more = self.value(f"icmp slt i64 {here}, {high}")
        self.emit(f"br i1 {more}, label %{inner}, label %{end}")
        self.open = False
        self.begin(inner)
        self.emit(f"store i64 {here}, ptr %{name}.at")
        self.loops.append((on, end))
        self.block(body)
        self.loops.pop()
        self.begin(on)
        next_value = self.value(f"add nsw i64 {here}, {step}")
        self.emit(f"store i64 {next_value}, ptr {at}")
        self.jump(head)
        self.begin(end)

    def store(self, target: ast.expr, value: str) -> None:
        match target:
            case ast.Name(name) if name not in self.arrays and name not in self.constants:
                self.slots[name] = None
                self.emit(f"store i64 {value}, ptr %{name}.at")
            case ast.Subscript(ast.Name(name), index) if name in self.arrays:
                bits = self.arrays[name]
                place = self.place(name, index, target.lineno)
                if bits < 64:
                    value = self.value(f"trunc i64 {value} to i{bits}")
                self.emit(f"store i{bits} {value}, ptr {place}")
            case _:
                raise self.wrong(target)

    def place(self, name: str, index: ast.expr, line: int) -> str:
        """Return the address of an entry."""
        at = self.expression(index)
        if self.checked:
            fine = self.value(f"icmp ult i64 {at}, %{name}.len")
            bad, good = self.label("bad"), self.label("good")
            self.emit(f"br i1 {fine}, label %{good}, label %{bad}")
            self.open = False
            self.begin(bad)
            self.emit(f"store i64 {line}, ptr @fault")
            self.begin(good)
            at = self.value(f"select i1 {fine}, i64 {at}, i64 0")
        return self.value(f"getelementptr inbounds i{self.arrays[name]}, ptr %{name}, i64 {at}")

    # expressions

    def expression(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(bool() | int() as number):
                return str(int(number))
            case ast.Name(name) if name in self.constants:
                return str(self.constants[name])
            case ast.Name(name) if name not in self.arrays:
                self.slots[name] = None
                return self.value(f"load i64, ptr %{name}.at")
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as number)):
                return str(-number)
            case ast.UnaryOp(ast.USub(), operand):
                return self.value(f"sub i64 0, {self.expression(operand)}")
            case ast.BinOp(left, ast.FloorDiv() | ast.Mod() as operator, ast.Constant(int() as number)) if (
                number > 0
            ):
                return self.divided(self.expression(left), number, isinstance(operator, ast.Mod))
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                one, other = self.expression(left), self.expression(right)
                return self.value(f"{_OPERATORS[type(operator)]} i64 {one}, {other}")
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()):
                return self.truth(node)
            case ast.Subscript(ast.Name(name), index) if name in self.arrays:
                bits = self.arrays[name]
                loaded = self.value(f"load i{bits}, ptr {self.place(name, index, node.lineno)}")
                if bits == 64:
                    return loaded
                return self.value(f"{'zext' if bits == 8 else 'sext'} i{bits} {loaded} to i64")
            case ast.Call(ast.Name(name), arguments, []):
                return self.call(name, arguments, node)
        raise self.wrong(node)

    def call(self, name: str, arguments: Sequence[ast.expr], node: ast.Call) -> str:
        match name, arguments:
            case "int", [value]:
                return self.expression(value)
            case "len", [ast.Name(array)] if array in self.arrays:
                return f"%{array}.len"
            case (("min" | "max"), [first, *rest]):
                found = self.expression(first)
                for other in rest:
                    found = self.value(
                        f"call i64 @llvm.s{name}.i64(i64 {found}, i64 {self.expression(other)})"
                    )
                return found
        parameters = self.known.get(name)
        if parameters is None or len(parameters) != len(arguments):
            raise self.wrong(node)
        passed: list[str] = []
        for parameter, argument in zip(parameters, arguments, strict=True):
            if parameter in self.arrays:
                if (
                    not isinstance(argument, ast.Name)
                    or self.arrays.get(argument.id) != self.arrays[parameter]
                ):
                    raise self.wrong(node)
                passed += [f"ptr %{argument.id}", f"i64 %{argument.id}.len"]
            else:
                passed.append(f"i64 {self.expression(argument)}")
        return self.value(f"call i64 @{name}({', '.join(passed)})")

    def divided(self, value: str, number: int, rest: bool) -> str:
        """Return the quotient or the rest of a division by a number above 0, rounded down."""
        remainder = self.value(f"srem i64 {value}, {number}")
        below = self.value(f"icmp slt i64 {remainder}, 0")
        if rest:
            more = self.value(f"select i1 {below}, i64 {number}, i64 0")
            return self.value(f"add i64 {remainder}, {more}")
        quotient = self.value(f"sdiv i64 {value}, {number}")
        less = self.value(f"zext i1 {below} to i64")
        return self.value(f"sub i64 {quotient}, {less}")

    def truth(self, node: ast.expr) -> str:
        """Return a condition as 0 or 1."""
        self.count += 1
        at = f"%truth.{self.count}.at"
        self.slots[f"truth.{self.count}"] = None
        yes, end = self.label("true"), self.label("end")
        self.emit(f"store i64 0, ptr {at}")
        self.condition(node, yes, end)
        self.begin(yes)
        self.emit(f"store i64 1, ptr {at}")
        self.begin(end)
        return self.value(f"load i64, ptr {at}")

    def condition(self, node: ast.expr, yes: str, no: str) -> None:
        """Go to one of two labels."""
        match node:
            case ast.BoolOp(operator, parts):
                both = isinstance(operator, ast.And)
                for part in parts[:-1]:
                    on = self.label("on")
                    self.condition(part, on if both else yes, no if both else on)
                    self.begin(on)
                self.condition(parts[-1], yes, no)
                return
            case ast.UnaryOp(ast.Not(), operand):
                self.condition(operand, no, yes)
                return
            case ast.Compare(left, [relation], [right]) if type(relation) in _RELATIONS:
                one, other = self.expression(left), self.expression(right)
                found = self.value(f"icmp {_RELATIONS[type(relation)]} i64 {one}, {other}")
            case _:
                found = self.value(f"icmp ne i64 {self.expression(node)}, 0")
        self.emit(f"br i1 {found}, label %{yes}, label %{no}")
        self.open = False
