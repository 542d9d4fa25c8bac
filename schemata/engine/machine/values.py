"""Expressions of kernel text in LLVM's intermediate text: values, conditions, entries of arrays."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from schemata.engine.machine.signatures import ELEMENTS, Signature, unknown

__all__ = ["Values"]

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


@dataclass(slots=True)
class Values:
    """The text of one function under construction, and the values computed in it.

    Variables live in stack slots, which LLVM turns into registers. `signatures` are those of the functions that
    stand above; `ended` is whether the last block has its end, so that nothing may follow but a label.
    """

    signatures: dict[str, Signature]
    own: Signature
    lines: list[str] = field(default_factory=list)
    slots: dict[str, None] = field(default_factory=dict)
    ended: bool = False
    _count: int = 0

    def slot(self, word: str) -> str:
        """Return a new variable, whose name no text has."""
        name = f"{word}.{self._count}"
        self.slots[name] = None
        return name

    # expressions

    def value(self, node: ast.expr) -> str:
        """Write an expression; returns the register or the number that is its value."""
        match node:
            case ast.Constant(bool() as value):
                return str(int(value))
            case ast.Constant(int() as value):
                return str(value)
            case ast.Name(name):
                if name not in self.slots and (name, "int") not in self.own.parameters:
                    raise SyntaxError(f"{name} has no value")
                return self.let(f"load i64, ptr %v.{name}")
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
                return str(-value)
            case ast.UnaryOp(ast.USub(), operand):
                return self.let(f"sub nsw i64 0, {self.value(operand)}")
            case ast.BinOp(left, ast.FloorDiv() | ast.Mod() as operator, ast.Constant(int() as value)) if (
                value > 0
            ):
                return self._divide(self.value(left), value, isinstance(operator, ast.Mod))
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATIONS:
                word = _OPERATIONS[type(operator)]
                if self.own.name.startswith("fresh"):
                    word = _WRAPPING.get(word, word)  # hashing overflows on purpose
                one = self.value(left)
                return self.let(f"{word} i64 {one}, {self.value(right)}")
            case ast.Subscript(ast.Name(array), index):
                element, widen = self._element(array)
                load = "load volatile" if array == "control" else "load"  # another thread may write there
                loaded = self.let(f"{load} {element}, ptr {self._address(array, element, index)}")
                return self.let(f"{widen} {element} {loaded} to i64") if widen else loaded
            case ast.Call(ast.Name(("min" | "max") as name), arguments):
                found = self.value(arguments[0])
                for other in arguments[1:]:
                    next_ = self.value(other)
                    chosen = self.let(f"icmp {'slt' if name == 'min' else 'sgt'} i64 {found}, {next_}")
                    found = self.let(f"select i1 {chosen}, i64 {found}, i64 {next_}")
                return found
            case ast.Call(ast.Name("lowest_bit"), [argument]):
                return self.let(f"call i64 @llvm.cttz.i64(i64 {self.value(argument)}, i1 true)")
            case ast.Call(ast.Name(name), arguments) if name in self.signatures:
                return self._call(self.signatures[name], arguments)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()) | ast.IfExp():
                return self._chosen(node)
        raise unknown(node)

    def _divide(self, value: str, divisor: int, rest: bool) -> str:
        """Divide by a number above 0, rounding down as Python does; returns the quotient or the rest."""
        remainder = self.let(f"srem i64 {value}, {divisor}")
        below = self.let(f"icmp slt i64 {remainder}, 0")
        if rest:
            return self.let(f"add i64 {remainder}, {self.let(f'select i1 {below}, i64 {divisor}, i64 0')}")
        quotient = self.let(f"sdiv i64 {value}, {divisor}")
        return self.let(f"sub i64 {quotient}, {self.let(f'zext i1 {below} to i64')}")

    def _call(self, function: Signature, arguments: list[ast.expr]) -> str:
        shown = []
        for (_, kind), argument in zip(function.parameters, arguments, strict=True):
            if kind == "int":
                shown.append(f"i64 {self.value(argument)}")
            else:
                assert isinstance(argument, ast.Name)
                shown.append(f"ptr %p.{argument.id}")
        return self.let(f"call {function.returned} @{function.name}({', '.join(shown)})")

    def _chosen(self, node: ast.expr) -> str:
        """Return a condition as 0 or 1, or the chosen one of two values."""
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.let(f"zext i1 {self._compare(node)} to i64")
        slot = self.slot("chosen")
        yes, no, after = self.label("yes"), self.label("no"), self.label("after")
        test, one, other = (
            (node.test, node.body, node.orelse)
            if isinstance(node, ast.IfExp)
            else (node, ast.Constant(1), ast.Constant(0))
        )
        self.branch(test, yes, no)
        for label, part in ((yes, one), (no, other)):
            self.open(label)
            self.lines.append(f"  store i64 {self.value(part)}, ptr %v.{slot}")
            self.end(f"br label %{after}")
        self.open(after)
        return self.let(f"load i64, ptr %v.{slot}")

    def branch(self, test: ast.expr, yes: str, no: str) -> None:
        """Go to one of two places; what need not be looked at is not."""
        match test:
            case ast.BoolOp(operator, values):
                both = isinstance(operator, ast.And)
                for value in values[:-1]:
                    further = self.label("and" if both else "or")
                    self.branch(value, further if both else yes, no if both else further)
                    self.open(further)
                self.branch(values[-1], yes, no)
            case ast.UnaryOp(ast.Not(), operand):
                self.branch(operand, no, yes)
            case ast.Constant(bool() as value):
                self.end(f"br label %{yes if value else no}")
            case ast.Compare(_, [_]):
                self.end(f"br i1 {self._compare(test)}, label %{yes}, label %{no}")
            case _:
                found = self.let(f"icmp ne i64 {self.value(test)}, 0")
                self.end(f"br i1 {found}, label %{yes}, label %{no}")

    def _compare(self, node: ast.Compare) -> str:
        left = self.value(node.left)
        word = _COMPARISONS[type(node.ops[0])]
        return self.let(f"icmp {word} i64 {left}, {self.value(node.comparators[0])}")

    # places

    def _element(self, array: str) -> tuple[str, str]:
        kind = dict(self.own.parameters).get(array, "int")
        if kind == "int":
            raise SyntaxError(f"{array} is no array")
        return ELEMENTS[kind]

    def _address(self, array: str, element: str, index: ast.expr) -> str:
        return self.let(f"getelementptr inbounds {element}, ptr %p.{array}, i64 {self.value(index)}")

    def store(self, target: ast.expr, value: str) -> None:
        """Write a value into a variable or an entry of an array."""
        match target:
            case ast.Name(name):
                self.slots.setdefault(name, None)
                self.lines.append(f"  store i64 {value}, ptr %v.{name}")
            case ast.Subscript(ast.Name(array), index):
                element, _ = self._element(array)
                address = self._address(array, element, index)
                if element != "i64":
                    value = self.let(f"trunc i64 {value} to {element}")
                self.lines.append(f"  store {element} {value}, ptr {address}")
            case _:
                raise unknown(target)

    # text

    def let(self, operation: str) -> str:
        """Write an operation; returns the register of its result."""
        self._count += 1
        self.lines.append(f"  %t{self._count} = {operation}")
        return f"%t{self._count}"

    def label(self, word: str) -> str:
        """Return a new label."""
        self._count += 1
        return f"{word}.{self._count}"

    def open(self, label: str) -> None:
        """Begin the block of a label."""
        self.lines.append(f"{label}:")
        self.ended = False

    def end(self, operation: str) -> None:
        """End a block."""
        self.lines.append(f"  {operation}")
        self.ended = True
