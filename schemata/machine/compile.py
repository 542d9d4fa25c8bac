"""Compilation of kernel text: from the small kernel language to machine code by LLVM, or to CPython functions.

A variable is a whole number, or a real one where a real number is assigned to it. Real numbers are finite: operations
on them carry LLVM's fast-math flags, without which it vectorises neither sums nor maxima.
"""

from __future__ import annotations

import ast
import math
import struct
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, TypeAlias, TypeVar

from schemata.cache import look_up, state_of, store
from schemata.records import Record, dataclass, field
from schemata.thresholds import WAYS

ELEMENTS = {
    "u8[]": ("i8", "zext"),
    "u16[]": ("i16", "zext"),
    "i32[]": ("i32", "sext"),
    "i64[]": ("i64", ""),
    "f32[]": ("float", "fpext"),
    "f64[]": ("double", ""),
    "shared i64[]": ("i64", ""),  # others write into it meanwhile
}  # of arrays: LLVM's type, and how it is widened


class KernelSignature(Record):
    """A kernel function: its name, and its parameters as (name, type); it returns a whole number."""

    name: str
    parameters: tuple[tuple[str, str], ...]


def signature_of(node: ast.FunctionDef) -> KernelSignature:
    """Return the signature of a kernel function.

    Raises
    ------
    SyntaxError : a parameter is neither a number nor an array.
    """
    kinds = [getattr(argument.annotation, "value", None) for argument in node.args.args]
    for argument, kind in zip(node.args.args, kinds, strict=True):
        if kind != "int" and kind not in ELEMENTS:
            raise unknown(argument)
    names = (argument.arg for argument in node.args.args)
    return KernelSignature(node.name, tuple(zip(names, map(str, kinds), strict=True)))


def unknown(node: ast.AST) -> SyntaxError:
    """Return the error for something that is not part of the language."""
    found = SyntaxError(f"{type(node).__name__} is not part of the kernel language")
    found.lineno = getattr(node, "lineno", None)
    return found


_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "add nsw", ast.Sub: "sub nsw", ast.Mult: "mul nsw", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "shl", ast.RShift: "ashr",
}  # fmt: skip
_REAL: dict[type[ast.operator], str] = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul"}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge",
}  # fmt: skip

_ZERO, _ONE = ast.Constant(0), ast.Constant(1)
_ZEROS = {"i64": "0", "double": "0.0"}  # of variables, by their type
_FUNCTIONS = {"exp": "@exp_at_most_0", "log": "@llvm.log.f64"}  # of real numbers
# 2 to a whole power times a polynomial, so that it is inlined and vectorised; below -708 some 1e-308
_EXP = """
declare double @llvm.log.f64(double)
declare double @llvm.floor.f64(double)

define internal double @exp_at_most_0(double %a) alwaysinline nounwind {{
  %low = fcmp fast olt double %a, -7.08e2
  %x = select fast i1 %low, double -7.08e2, double %a
  %y = fmul fast double %x, {log2_e}
  %z = fadd fast double %y, 5.0e-1
  %k = call fast double @llvm.floor.f64(double %z)
  %l = fmul fast double %k, {log_2}
  %r = fsub fast double %x, %l
{polynomial}
  %m = fadd double %k, 6755399441055744.0
  %i = bitcast double %m to i64
  %j = add i64 %i, 1023
  %s = shl i64 %j, 52
  %t = bitcast i64 %s to double
  %v = fmul fast double %p0, %t
  ret double %v
}}
"""


def _real(value: float) -> str:
    """Return a real number as LLVM writes it, exactly."""
    return f"0x{struct.pack('>d', value).hex().upper()}"


def _exp_text() -> str:
    """Return the text of `exp` for numbers up to 0, by its series: 12 terms are exact except for the last few bits."""
    lines, last = [], _real(1 / math.factorial(11))
    for k in range(10, -1, -1):
        lines.append(f"  %q{k} = fmul fast double {last}, %r")
        lines.append(f"  %p{k} = fadd fast double %q{k}, {_real(1 / math.factorial(k))}")
        last = f"%p{k}"
    return _EXP.format(log2_e=_real(1 / math.log(2)), log_2=_real(math.log(2)), polynomial="\n".join(lines))


@dataclass(slots=True)
class _Function:
    """The text of one function under construction.

    Variables live in stack slots, which LLVM turns into registers. `signatures` are those of the functions that
    stand above; `ended` is whether the last block has its end, so that nothing may follow but a label. `slots` are the
    variables with their types, `reals` the registers that hold real numbers; `loops` has where each loop goes on, and
    where it ends.
    """

    signatures: dict[str, KernelSignature]
    own: KernelSignature
    lines: list[str] = field(default_factory=list)
    slots: dict[str, str] = field(default_factory=dict)
    reals: set[str] = field(default_factory=set)
    loops: list[tuple[str, str]] = field(default_factory=list)
    ended: bool = False
    _count: int = 0

    def write(self, node: ast.FunctionDef) -> str:
        """Return the function's text."""
        numbers = [name for name, kind in self.own.parameters if kind == "int"]
        self.slots |= dict.fromkeys(numbers, "i64")
        self._body(node.body)
        if not self.ended:
            self._end("ret i64 0")
        shown = ", ".join(
            f"i64 %p.{name}" if kind == "int" else f"ptr noalias nocapture %p.{name}"
            for name, kind in self.own.parameters
        )
        head = [f"define i64 @{self.own.name}({shown}) {'#1' if node.decorator_list else '#0'} {{", "entry:"]
        head += [f"  %v.{name} = alloca {kind}" for name, kind in self.slots.items()]
        head += [f"  store {kind} {_ZEROS[kind]}, ptr %v.{name}" for name, kind in self.slots.items()]
        head += [f"  store i64 %p.{name}, ptr %v.{name}" for name in numbers]
        return "\n".join([*head, *self.lines, "}"])

    # statements

    def _body(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if self.ended:
                return
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                found = [self._value(v) for v in values]
                for target, value in zip(targets, found, strict=True):
                    self._store(target, value)
            case ast.Assign([target], value):
                self._store(target, self._value(value))
            case ast.AugAssign(target, operator, value):
                joined = ast.copy_location(ast.BinOp(target, operator, value), node)
                self._store(target, self._value(joined))
            case ast.If(test, body, orelse):
                self._choose(test, body, orelse)
            case ast.For(ast.Name() as name, ast.Call(ast.Name("range"), ends), body, []):
                low, high, step, *_ = [*ends, _ONE] if len(ends) > 1 else [_ZERO, *ends, _ONE]
                self._count_up(name, low, high, step, body)
            case ast.While(test, body, []):
                self._loop(test, body, [])
            case ast.Return(value):
                self._end(f"ret i64 {self._value(value) if value is not None else '0'}")
            case ast.Break():
                self._go(self.loops[-1][1])
            case ast.Continue():
                self._go(self.loops[-1][0])
            case ast.Expr(ast.Call() as call):
                self._value(call)
            case ast.Expr(ast.Constant()) | ast.Pass():
                pass
            case _:
                raise unknown(node)

    def _choose(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> None:
        then, otherwise, after = self._label("then"), self._label("else"), self._label("after")
        self._branch(test, then, otherwise)
        ends: list[bool] = []
        for label, part in ((then, body), (otherwise, orelse)):
            self._open(label)
            self._body(part)
            ends.append(self.ended)
            if not self.ended:
                self._go(after)
        if not all(ends):
            self._open(after)

    def _count_up(
        self, name: ast.Name, low: ast.expr, high: ast.expr, step: ast.expr, body: list[ast.stmt]
    ) -> None:
        """Write a loop over a range, which counts by a variable of its own, so that the body may not disturb it."""
        if not (isinstance(step, ast.Constant) and isinstance(step.value, int) and step.value > 0):
            raise SyntaxError("a range whose step is not a number above 0")
        counter, limit = self._variable(name.id), self._variable("limit")
        self._store(counter, self._value(low))
        self._store(limit, self._value(high))
        forward = ast.Assign([counter], ast.BinOp(counter, ast.Add(), step))
        self._loop(ast.Compare(counter, [ast.Lt()], [limit]), [ast.Assign([name], counter), *body], [forward])

    def _loop(self, test: ast.expr, body: Sequence[ast.stmt], forward: Sequence[ast.stmt]) -> None:
        """Write a loop, whose body may continue (by the code that leads `forward`) or break."""
        again, inside, following, after = (self._label(x) for x in ("test", "loop", "next", "after"))
        self._go(again)
        self._open(again)
        self._branch(test, inside, after)
        self._open(inside)
        self.loops.append((following, after))
        self._body(body)
        self.loops.pop()
        if not self.ended:
            self._go(following)
        self._open(following)
        self._body(forward)
        self._go(again)
        self._open(after)

    def _store(self, target: ast.expr, value: str) -> None:
        """Write a value into a variable or an entry of an array."""
        match target:
            case ast.Name(name):
                kind = self.slots.setdefault(name, self._kind(value))
                if self._kind(value) != kind:
                    raise SyntaxError(f"{name} is a whole number and a real one")
                self.lines.append(f"  store {kind} {value}, ptr %v.{name}")
            case ast.Subscript(ast.Name(array), index):
                element, _, address = self._address(array, index)
                if element not in _ZEROS:
                    narrow = "fptrunc double" if element == "float" else "trunc i64"
                    value = self._let(f"{narrow} {value} to {element}")
                self.lines.append(f"  store {element} {value}, ptr {address}")
            case _:
                raise unknown(target)

    # expressions

    def _value(self, node: ast.expr) -> str:
        """Write an expression; returns the register or the number that is its value."""
        match node:
            case ast.Constant(float() as value):
                return _real(value)
            case ast.Constant(int() as value):
                return str(int(value))
            case ast.Name(name):
                if name not in self.slots:
                    raise SyntaxError(f"{name} has no value")
                return self._let(f"load {self.slots[name]}, ptr %v.{name}", self.slots[name] == "double")
            case ast.UnaryOp(ast.USub(), operand):
                found = self._value(operand)
                if self._kind(found) == "double":
                    return self._let(f"fneg fast double {found}", True)
                return f"-{found}" if found.isdecimal() else self._let(f"sub nsw i64 0, {found}")
            case ast.BinOp(left, operator, right):
                return self._joined(type(operator), self._value(left), self._value(right), node)
            case ast.Subscript(ast.Name(array), index):
                element, widen, address = self._address(array, index)
                load = "load volatile" if (array, "shared i64[]") in self.own.parameters else "load"
                loaded = self._let(f"{load} {element}, ptr {address}", element == "double")
                if not widen:
                    return loaded
                real = widen == "fpext"
                return self._let(f"{widen} {element} {loaded} to {'double' if real else 'i64'}", real)
            case ast.Call(ast.Name(("min" | "max") as name), arguments):
                found = self._value(arguments[0])
                for other in arguments[1:]:
                    next_ = self._value(other)
                    chosen = self._compared("slt" if name == "min" else "sgt", found, next_, node)
                    kind = self._kind(found)
                    fast = " fast" if kind == "double" else ""
                    found = self._let(f"select{fast} i1 {chosen}, {kind} {found}, {kind} {next_}", bool(fast))
                return found
            case ast.Call(ast.Name("lowest_bit"), [argument]):
                return self._let(f"call i64 @llvm.cttz.i64(i64 {self._value(argument)}, i1 true)")
            case ast.Call(ast.Name(name), [argument]) if name in _FUNCTIONS:
                found = self._value(argument)
                self._common_kind(found, _real(0.0), node)
                return self._let(f"call fast double {_FUNCTIONS[name]}(double {found})", True)
            case ast.Call(ast.Name(name), arguments) if name in self.signatures:
                kinds = (kind for _, kind in self.signatures[name].parameters)
                shown = ", ".join(map(self._argument, arguments, kinds))
                return self._let(f"call i64 @{name}({shown})")
            case ast.Compare():
                return self._let(f"zext i1 {self._compare(node)} to i64")
            case ast.IfExp(test, one, other):
                return self._chosen(test, one, other)
            case ast.BoolOp() | ast.UnaryOp(ast.Not()):
                return self._chosen(node, _ONE, _ZERO)
        raise unknown(node)

    def _argument(self, argument: ast.expr, kind: str) -> str:
        """Write an argument of a function: a number, or an array, which only has a name."""
        if kind == "int":
            return f"i64 {self._value(argument)}"
        assert isinstance(argument, ast.Name)
        return f"ptr %p.{argument.id}"

    def _kind(self, value: str) -> str:
        """Return the type of a register or a number."""
        return "double" if value.startswith("0x") or value in self.reals else "i64"

    def _common_kind(self, one: str, other: str, node: ast.AST) -> str:
        """Return the type of two values.

        Raises
        ------
        SyntaxError : only one of them is a real number.
        """
        if self._kind(one) != self._kind(other):
            raise SyntaxError(f"{ast.unparse(node)} has a whole number among real ones")
        return self._kind(one)

    def _joined(self, operator: type[ast.operator], one: str, other: str, node: ast.AST) -> str:
        """Write an operation on two values."""
        real = self._common_kind(one, other, node) == "double"
        if operator in (ast.FloorDiv, ast.Mod) and other.isdigit() and int(other) > 0:
            return self._divide(one, int(other), operator is ast.Mod)
        word = (_REAL if real else _OPERATIONS).get(operator)
        if word is None:
            raise unknown(node)
        if self.own.name.startswith(("fresh", "slot_of", "hashed")):
            word = word.removesuffix(" nsw")  # hashing overflows on purpose
        return self._let(f"{word} {'fast double' if real else 'i64'} {one}, {other}", real)

    def _divide(self, value: str, divisor: int, rest: bool) -> str:
        """Divide by a number above 0, rounding down as Python does; returns the quotient or the remainder."""
        remainder = self._let(f"srem i64 {value}, {divisor}")
        below = self._let(f"icmp slt i64 {remainder}, 0")
        if rest:
            return self._let(f"add i64 {remainder}, {self._let(f'select i1 {below}, i64 {divisor}, i64 0')}")
        quotient = self._let(f"sdiv i64 {value}, {divisor}")
        return self._let(f"sub i64 {quotient}, {self._let(f'zext i1 {below} to i64')}")

    def _compare(self, node: ast.Compare) -> str:
        if len(node.ops) > 1:
            raise unknown(node)
        left = self._value(node.left)
        return self._compared(_COMPARISONS[type(node.ops[0])], left, self._value(node.comparators[0]), node)

    def _compared(self, word: str, one: str, other: str, node: ast.AST) -> str:
        """Write a comparison of two values."""
        if self._common_kind(one, other, node) == "double":
            return self._let(f"fcmp fast o{word.removeprefix('s')} double {one}, {other}")
        return self._let(f"icmp {word} i64 {one}, {other}")

    def _chosen(self, test: ast.expr, one: ast.expr, other: ast.expr) -> str:
        """Return one of two values by a condition."""
        slot = self._variable("chosen")
        self._choose(test, [ast.Assign([slot], one)], [ast.Assign([slot], other)])
        return self._value(slot)

    def _branch(self, test: ast.expr, yes: str, no: str) -> None:
        """Go to one of two places; the rest of a condition is only evaluated if it matters."""
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
                self._go(yes if value else no)
            case _:
                compared = (
                    test if isinstance(test, ast.Compare) else ast.Compare(test, [ast.NotEq()], [_ZERO])
                )
                self._end(f"br i1 {self._compare(compared)}, label %{yes}, label %{no}")

    def _address(self, array: str, index: ast.expr) -> tuple[str, str, str]:
        """Return the type of an array's elements, how they are widened, and the place of one of them."""
        kind = dict(self.own.parameters).get(array, "int")
        if kind == "int":
            raise SyntaxError(f"{array} is not an array")
        element, widen = ELEMENTS[kind]
        place = f"getelementptr inbounds {element}, ptr %p.{array}, i64 {self._value(index)}"
        return element, widen, self._let(place)

    # text

    def _variable(self, word: str) -> ast.Name:
        """Return a new variable, whose name no text has."""
        self._count += 1
        return ast.Name(f"{word}.{self._count}")

    def _let(self, operation: str, real: bool = False) -> str:
        """Write an operation; returns the register of its result, which may be a real number."""
        self._count += 1
        self.lines.append(f"  %t{self._count} = {operation}")
        if real:
            self.reals.add(f"%t{self._count}")
        return f"%t{self._count}"

    def _label(self, word: str) -> str:
        """Return a new label."""
        self._count += 1
        return f"{word}.{self._count}"

    def _open(self, label: str) -> None:
        """Begin the block of a label."""
        self.lines.append(f"{label}:")
        self.ended = False

    def _go(self, label: str) -> None:
        """End a block by going to a label."""
        self._end(f"br label %{label}")

    def _end(self, operation: str) -> None:
        """End a block."""
        self.lines.append(f"  {operation}")
        self.ended = True


def intermediate(text: str, wanted: Sequence[str] = ()) -> tuple[str, tuple[KernelSignature, ...]]:
    """Return a kernel module as LLVM text, and its functions; only the `wanted` ones are visible from outside.

    Raises
    ------
    SyntaxError : the text has a construct that the small language lacks.
    """
    signatures: dict[str, KernelSignature] = {}
    parts: list[str] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            own = signatures[node.name] = signature_of(node)
            written = _Function(signatures, own).write(node)
            parts.append(written if node.name in wanted else written.replace("define", "define internal", 1))
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise unknown(node)
    parts.append("declare i64 @llvm.cttz.i64(i64, i1)")
    parts += [_exp_text()] if any("f64[]" in dict(s.parameters).values() for s in signatures.values()) else []
    parts.append("attributes #0 = { nounwind }\nattributes #1 = { noinline nounwind }\n")
    return "\n\n".join(parts), tuple(signatures.values())


Compiler: TypeAlias = Callable[..., Mapping[str, Callable[..., int]]]  # with the parameters of `machine_code`

T = TypeVar("T")

_KIND = "kernels"  # folder in the user's cache folder
_compiling: list[Callable[[], None]] = []
_WORDS = {
    "range": range,
    "min": min,
    "max": max,
    "exp": math.exp,
    "log": math.log,
    "apart": lambda function: function,
    "lowest_bit": lambda number: (number & -number).bit_length() - 1,
}


def machine_code(text: str, wanted: Sequence[str], loops: bool = True) -> Mapping[str, Callable[..., int]]:
    """Compile kernel text and return the wanted functions by name; each returns one number.

    Arrays are passed as one-dimensional NumPy arrays of the declared type. Without `loops` compilation takes half the
    time, since optimisations that only help long loops over tables are left out. Machine code is kept between runs.

    Raises
    ------
    ImportError : llvmlite is not installed.
    SyntaxError : the text is not kernel text.
    """
    import llvmlite.binding  # noqa: F401  # where it lacks, that is said here

    return _interruptible(lambda: _loaded(text, wanted, loops))


def _loaded(text: str, wanted: Sequence[str], loops: bool) -> Mapping[str, Callable[..., int]]:
    """Return the functions of kernel text, compiled before or now."""
    import llvmlite.binding as llvm

    _initialize()
    key = _key(text, wanted, loops)
    code = None if key is None else look_up(_KIND, key)
    if code is None:
        code = _compiled(text, wanted, loops)
        if key is not None:
            store(_KIND, key, code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return {s.name: _callable(engine, s) for s in _signatures(text, wanted)}


def is_compiling() -> bool:
    """Whether some thread is compiling; that can only be waited for, since LLVM does not stop."""
    return bool(_compiling)


def _interruptible(make: Callable[[], T]) -> T:
    """Return the result of work in a thread of its own, so that Ctrl-C can come meanwhile; Python's exit waits.

    Nothing is raised in that thread: what comes in the middle of llvmlite's own code leaves locks and memory astray.
    """
    found: list[T] = []
    failed: list[BaseException] = []
    under_way = threading.Lock()
    under_way.acquire()

    def work() -> None:
        _compiling.append(work)
        try:
            found.append(make())
        except BaseException as error:
            failed.append(error)
        finally:
            _compiling.remove(work)
            under_way.release()

    threading.Thread(target=work, name="compiler").start()
    while not under_way.acquire(timeout=WAYS.watch_seconds):
        pass  # a signal that comes just before the waiting is heard at its end
    for error in failed:
        raise error
    return found[0]


def _compiled(text: str, wanted: Sequence[str], loops: bool) -> bytes:
    """Return machine code for kernel text."""
    import llvmlite.binding as llvm

    body, _ = intermediate(text, wanted)
    machine = _target_machine()
    module = llvm.parse_assembly(body)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    parts = body.split("\ndefine ") if loops else [body]
    _improve(module, machine, loops, max(part.count("\n") for part in parts) > WAYS.optimised_lines)
    return bytes(machine.emit_object(module))


def _signatures(text: str, wanted: Sequence[str]) -> tuple[KernelSignature, ...]:
    """Return the wanted functions of kernel text that has been compiled before; bodies are not looked at."""
    heads = (line for line in text.splitlines() if line.startswith("def "))
    found = intermediate("\n".join(f"{line}\n    pass" for line in heads))[1]
    return tuple(s for s in found if s.name in wanted)


def _improve(module: Any, machine: Any, loops: bool, large: bool) -> None:
    """Let LLVM optimise a module: by all its passes, or by the most important ones if all would take seconds."""
    import llvmlite.binding as llvm

    options = llvm.create_pipeline_tuning_options(speed_level=3 if loops and not large else 1)
    options.loop_vectorization = loops
    options.loop_interleaving = (
        False  # most loops run over some words: several vectors at once would seldom be full
    )
    options.loop_unrolling = loops
    builder = llvm.create_pass_builder(machine, options)
    if not large:
        builder.getModulePassManager().run(module, builder)
        return
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()  # equal values are not looked for: LLVM's NewGVN aborts on some kernels
    passes.run(module, builder)


def is_compiled(text: str, wanted: Sequence[str], loops: bool = True) -> bool:
    """Whether the machine code of kernel text is in the cache."""
    key = _key(text, wanted, loops)
    return key is not None and look_up(_KIND, key) is not None


def _key(text: str, wanted: Sequence[str], loops: bool) -> str | None:
    """Return the dependencies of machine code as a hash; None if it cannot be kept."""
    import hashlib  # this and `ctypes` take milliseconds that runs in Python do without

    import llvmlite
    import llvmlite.binding as llvm

    compiler = _compiler()
    if compiler is None:
        return None
    about = (
        text,
        *wanted,
        str(loops),
        compiler,
        llvmlite.__version__,
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
    )
    return hashlib.sha256("\0".join((*about, llvm.get_host_cpu_features().flatten())).encode()).hexdigest()


@cache
def _compiler() -> str | None:
    """Return the state of this compiler: machine code that an older one made is not used."""
    return state_of([Path(__file__).parent])


def _target_machine() -> Any:
    """Return a new target machine: each compiler owns one, and ends it."""
    import llvmlite.binding as llvm

    _initialize()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3, jit=True
    )


@cache
def _initialize() -> None:
    import llvmlite.binding as llvm

    _harden(llvm.ffi)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _harden(ffi: Any) -> None:
    """Let llvmlite's lock be taken and released by functions of C alone.

    Its own are of Python. Ctrl-C, or the end of a budget, that comes within them leaves the lock taken for ever, and
    whatever compiles next waits without end. They also call what others have registered; where some have, they stay.
    """
    lock = getattr(getattr(ffi, "lib", None), "_lock", None)
    inner = getattr(lock, "_lock", None)
    if inner is not None and not getattr(lock, "_cblist", ()):
        kind: Any = type(lock)
        kind.__enter__ = staticmethod(inner.__enter__)
        kind.__exit__ = staticmethod(inner.__exit__)


def _callable(engine: Any, signature: KernelSignature) -> Callable[..., int]:
    """Return a Python function for a compiled one; it lets other threads run meanwhile."""
    import ctypes

    kinds = [ctypes.c_int64 if kind == "int" else ctypes.c_void_p for _, kind in signature.parameters]
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(engine.get_function_address(signature.name))

    def call(*arguments: Any) -> int:
        return int(function(*(a if isinstance(a, int) else addresses([a])[0] for a in arguments)))

    call.__dict__.update(engine=engine, at_addresses=function)  # the engine owns the machine code
    return call


def addresses(arrays: Iterable[Any]) -> list[int]:
    """Return the addresses of arrays in memory; NumPy's own functions for this take several times as long."""
    import ctypes

    begin, address = (ctypes.c_char * 0).from_buffer, ctypes.addressof
    return [address(begin(array)) for array in arrays]


def interpreted(text: str) -> CodeType:
    """Return the code of kernel text for CPython, from which `functions_of` makes functions."""
    return compile(text, "<kernel>", "exec")


def functions_of(code: CodeType) -> dict[str, Any]:
    """Return the functions of kernel text, in a space of their own."""
    space: dict[str, Any] = {"__builtins__": _WORDS}
    exec(code, space)
    return space


def dictionary_functions(name: str, table: dict[tuple[int, ...], int]) -> dict[str, Any]:
    """Return the functions that look up and enter keys, with a dictionary in the place of a hash table of
    kernel text.
    """

    def look(_k: Any, _slots: int, *key: int) -> int:
        return table.get(key, 0)

    def enter(st: Any, _k: Any, count: int, _room: int, *key: int) -> int:
        table[key[:-1]] = key[-1]
        st[count] = len(table)
        return 1

    return {f"{name}_at": look, f"{name}_enter": enter}
