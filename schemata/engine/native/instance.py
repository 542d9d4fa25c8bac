"""What happens with a step instance that was found: its consequent becomes an item, and the instance counts once.

In a large kernel this is a function for every kind of consequent, which the rules call; elsewhere it stands in
every rule, where it is faster.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemata.engine.native.lines import Lines
from schemata.engine.native.shape import Instance, Shape

__all__ = ["emit_instance", "emit_instances", "leave"]


def leave(out: Lines, status: str) -> None:
    """Break the turn off."""
    out.line(f"broken_off(st, CNT, CS, x, {status})")
    out.line("return -1")


def emit_instance(
    shape: Shape,
    instance: Instance,
    columns: Sequence[str],
    ids: Sequence[str],
    words: Sequence[str],
    out: Lines,
) -> None:
    """Write what makes the consequent `z` and goes on only where the instance is new.

    Parameters
    ----------
    shape, instance : the kernel, and how the instance is treated.
    columns : the columns of the consequent.
    ids : the antecedents.
    words : what tells the instance from others of the turn.
    out : the code; it stands inside the tests afterwards.
    """
    layout = shape.layout
    kind = layout.program.kinds[instance.kind]
    normal = kind.form in layout.program.equations
    if not shape.rows:
        for text, digit in zip(columns, layout.digits[instance.kind], strict=True):
            if digit.open:
                out.open(f"if {text} < {digit.low_text} or {text} >= {digit.low_text} + {digit.size_text}:")
                leave(out, "OUTSIDE")
                out.close()
    out.line(f"key = {shape.item_place(instance.kind, columns)}")
    out.line(f"z = {shape.item_at('key')}")
    if not shape.rows:
        out.open("if z == 0:")
        padded = ", ".join([*columns, *["0"] * (layout.width - len(columns))])
        tables = "HK, TAB" if shape.hashed else "TAB"
        if normal:
            out.line(f"z = placed(n, symbols, st, {kind.number}, {padded}, key, F, KI, WB, PL, BN, {tables})")
        else:
            out.line(f"z = made(st, {kind.number}, {padded}, key, F, KI, {tables})")
        out.open("if z < -1:")
        leave(out, "-z")
        out.close(2)
    tests = ["z > 0"] if normal else []
    tests += [f"z != {ids[k]}" for k in instance.repeated]
    if tests:
        out.open(f"if {' and '.join(tests)}:")
    if instance.how == "never":
        return
    out.line("new = 1")
    if instance.how == "writings":
        several = " or ".join(f"MU[{y}]" for y in dict.fromkeys(ids))
        out.open(f"if {several}:")
    out.line(f"new = fresh(st, SH, SR, {', '.join(words)})")
    out.open("if new < 0:")
    leave(out, "MET_FULL")
    out.close(2 if instance.how == "writings" else 1)
    out.open("if new:")


def emit_instances(shape: Shape, tables: str, words: int, out: Lines) -> None:
    """Write the functions that a large kernel's rules call."""
    for instance in shape.instances:
        columns = [f"v{c}" for c in range(len(shape.layout.program.kinds[instance.kind].columns))]
        ids = [f"y{k}" for k in range(instance.antecedents)]
        known = [f"w{k}" for k in range(words if instance.how != "never" else 0)]
        head = ", ".join(["n", "symbols", "x", *columns, *ids, *known, tables])
        out.text += ["", "", "@apart"]
        out.open(f"def {instance.name}({head}):")
        # words of an instance name its consequent, which is known inside only
        emit_instance(shape, instance, columns, ids, [f"{known[0]} | z", *known[1:]] if known else [], out)
        out.line("return 1")
        out.depth = 1
        out.line("return 0")
        out.close()
