"""Kernel text that rules and the filing of items share: asking queries, making items and instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemata.kernels.lists import ANSWERING
from schemata.kernels.shape import Shape
from schemata.language.cases import hyperedge_names
from schemata.machine.text import Nest, filled
from schemata.program.model import Rule
from schemata.program.queries import Query

_ASK = """
p{tag} = {look}
if p{tag} {missing}:
    {leave}
"""

_NEW = """
{key}
z = {look}
if z == 0:
    z = {made}
    if z < -1:
        {leave}
"""

_FRESH = """
new = fresh(st, SH, SR, {words})
if new < 0:
    {leave}
"""

_LEAF = """
e = z * {size}
if LF[e] != 0 and ({differ}):
    st[MIXED] = 1
elif LF[e] == 0 or LF[e] > {step}:
    {noted}
"""


def leaving(status: str) -> str:
    """Return what breaks the turn off."""
    return f"broken_off(st, CNT, CS, x, {status})\nreturn -1"


def add_ask(
    shape: Shape, query: Query, bound: Sequence[tuple[int, str]], wanted: Sequence[int], tag: str, code: Nest
) -> Mapping[int, str]:
    """Add the look at a query's answers, and the loop over them.

    Parameters
    ----------
    shape, query : the kernel, and what is asked.
    bound, wanted : the places that are known, with their text, and those that are asked for.
    tag : makes the locals' names new.

    Returns
    -------
    The locals with the wanted places.
    """
    table = shape.table(query, [k for k, _ in bound], wanted)
    values = [value for _, value in bound]
    if shape.answers(table):
        look = f"answer_{table}({', '.join([ANSWERING, *values])})"
        code.add(_ASK, tag=tag, look=look, missing="< 0", leave=leaving(f"-p{tag}"))
    else:
        code.add(_ASK, tag=tag, look=shape.asked(table, values), missing="== 0", leave=leaving("UNKNOWN"))
    if not wanted:
        code.add(f"if RP[p{tag}] > 0:")
        return {}
    width = len(wanted)
    size = f"RP[p{tag}]" + (f" * {width}, {width}" if width > 1 else "")
    code.add(f"for r{tag} in range(p{tag} + 1, p{tag} + 1 + {size}):")
    for k in range(width):
        code.add(f"a{tag}_{k} = RP[r{tag}{f' + {k}' if k else ''}]")
    return {place: f"a{tag}_{k}" for k, place in enumerate(wanted)}


def new_item(shape: Shape, kind: int, columns: Sequence[str], normal: bool = False) -> str:
    """Return what finds item `z` in the table, or enters it; `normal` brings it into normal form before."""
    key = shape.item_key(kind, columns)
    look = shape.item_at(key if shape.hashed else "key")
    key = "" if shape.hashed else f"key = {key}"
    if shape.rows:
        return f"{key}\nz = {look}"
    padded = ", ".join([*columns, *["0"] * (shape.layout.width - len(columns))])
    table = "HK" if shape.hashed else "key, TAB"
    made = f"made(st, {kind}, {padded}, F, KI, {table})"
    if normal:
        made = f"placed(n, symbols, st, {kind}, {padded}, F, KI, WB, PL, BN, {table})"
    return filled(_NEW, key=key, look=look, made=made, leave=leaving("-z"))


def add_instance(
    shape: Shape,
    rule: Rule,
    columns: Sequence[str],
    ids: Sequence[str],
    repeated: Sequence[int],
    words: Sequence[str],
    code: Nest,
) -> None:
    """Add what makes the consequent `z` and goes on only where the instance is new.

    Parameters
    ----------
    shape, rule : the kernel, and whose instance it is.
    columns : the columns of the consequent.
    ids : the antecedents.
    repeated : those that the consequent may be.
    words : what tells the instance from others of the turn, but for the consequent, for which the first has room.
    """
    program, kind, how = shape.layout.program, rule.consequent.kind, shape.repetitions[rule.number]
    normal = program.kinds[kind].form in program.equations
    code.add(new_item(shape, kind, columns, normal))
    tests = [*(["z > 0"] if normal else []), *(f"z != {ids[k]}" for k in repeated)]
    if tests:
        code.add(f"if {' and '.join(tests)}:")
    if how == "never":
        return
    fresh = filled(_FRESH, words=", ".join([f"{words[0]} + z", *words[1:]]), leave=leaving("MET_FULL"))
    if how == "writings":
        several = " or ".join(f"MU[{y}]" for y in dict.fromkeys(ids))
        fresh = filled("new = 1\nif {several}:\n    {fresh}\n", several=several, fresh=fresh)
    code.add(fresh)
    code.add("if new:")


def leaf_text(shape: Shape, case: int, ids: Sequence[str], ends: Sequence[str]) -> str:
    """Return what notes the first instance of the first case that predicts item `z`, and whether others build else."""
    schema = shape.layout.program.schema
    if not shape.leaves or not schema.cases[case].predicts:
        return ""
    after, size = shape.layout.leaf_places
    name = hyperedge_names(schema)[case]
    built = [*ends, *["-1"] * (after - 1 - len(ends))]
    differ = [f"(LF[e] - 1) // {len(schema.cases)} != {name}"]
    differ += [f"LF[e + {k}] != {end}" for k, end in enumerate(built, start=1)]
    step = 1 + name * len(schema.cases) + case
    row = [str(step), *built, *(f"{y} - 1" for y in ids)]
    noted = "\n".join(f"LF[e + {k}] = {value}" for k, value in enumerate(row))
    return filled(_LEAF, size=size, differ=" or ".join(differ), step=step, noted=noted)
