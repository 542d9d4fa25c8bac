"""The compiler from a schema to Python: one module text per schema, with a function per item form.

An item is taken from the agenda once. Then every step instance whose latest antecedent it is gets found: the
item is matched against one antecedent after the other, and the remaining antecedents are looked up among
items taken before. Where an item can stand in two places of one instance, only the last of them counts, so
every instance is found once. The invariant that makes this right: an index holds exactly the items taken
from the agenda before the current one, and, once the `before` part of a function is done, that one too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schemata.engine.code import Code
from schemata.engine.python.block import Block
from schemata.engine.python.clauses import write_final_items, write_hypotheses
from schemata.engine.python.indexes import Indexes
from schemata.engine.python.label_expressions import PRELUDE, prelude_lines, uses_labels
from schemata.engine.python.names import form_names, python_names
from schemata.engine.python.rewriting import emit_normal_form
from schemata.engine.python.specialise import specialise
from schemata.language import model as m
from schemata.language.cases import instance_names

if TYPE_CHECKING:
    from schemata.engine.python.probe import Probe

__all__ = ["KernelSource", "emit_kernel"]


@dataclass(frozen=True, slots=True)
class KernelSource:
    """A generated kernel: its Python text, and per case how many antecedents and links its log rows hold."""

    text: str
    strides: tuple[tuple[int, int], ...] = field(repr=False)


def emit_kernel(schema: m.Schema, probe: Probe | None = None) -> KernelSource:
    """Return the kernel of a schema as readable Python; with a probe, one that measures itself."""
    indexes = Indexes()
    blocks = {form.name: _blocks(schema, form, indexes, probe) for form in schema.forms}
    functions: list[str] = []
    for form in schema.forms:
        functions += _form_functions(schema, form, indexes, *blocks[form.name], probe)
    code = Code()
    title = "".join(c for c in schema.name if c.isprintable())
    code.line(f'"""Generated from the schema {title}: finds every item and step instance once."""')
    code.line("")
    code.line("")
    if any(f.type.intervals for form in schema.forms for f in form.fields):
        code.line(
            "from schemata.engine.python.intervals import all_within, in_order, in_some, normal_cover, other_cover"
        )
        code.line("")
        code.line("")
    labelled = uses_labels(schema)
    if labelled:
        for line in (*PRELUDE, "", ""):
            code.line(line)
    code.open("def kernel(n, grammar, chart, overflow):")
    code.line("items, forms = chart.values, chart.form_of")
    for k, form in enumerate(schema.forms):
        name = form_names(schema)[form.name]
        code.line(f"{name}_ids = chart.ids[{k}]  # {form.name}[{', '.join(f.name for f in form.fields)}]")
        code.line(f"find_{name} = {name}_ids.get")
        if form.has_normal_form:
            code.line(f"{name}_writings = chart.writings[{k}]")
            code.line(f"find_written_{name} = {name}_writings.get")
            code.line(f"{name}_places = {{}}")
            code.line(f"placed_{name} = {name}_places.get")
    _grammar_views(schema, code)
    begin = len(code.lines)
    for k, case in enumerate(schema.cases):
        code.line(f"add_{k} = chart.logs[{k}].extend  # {case.step}{f', {case.label}' if case.label else ''}")
    for index in indexes.all():
        code.line(f"{index.name} = {{}}  # {index.describe(schema)}")
    code.lines += functions
    write_hypotheses(schema, code)
    _axioms(schema, indexes, code, probe)
    if labelled:
        code.lines[begin:begin] = ["    " + line for line in prelude_lines(code.lines)]
    names = form_names(schema)
    written = [f"{k}: write_{names[f.name]}" for k, f in enumerate(schema.forms) if f.has_normal_form]
    handlers = [f"take_{name}" for name in names.values()]
    code.line(f"return start, ({', '.join(handlers)},), {{{', '.join(written)}}}")
    code.line("")
    write_final_items(schema, code)
    strides = tuple((len(c.antecedents), len(c.links)) for c in schema.cases)
    return KernelSource("\n".join(code.lines) + "\n", strides)


def _grammar_views(schema: m.Schema, code: Code) -> None:
    """Fetch what the steps ask of the grammar."""
    conditions = [c for case in schema.cases for c in case.conditions]
    conditions += [c for clause in schema.finals for c in clause.conditions]
    if any(isinstance(c, m.Licensed) for c in conditions):
        code.line(
            "licensed, heads_of, dependents_of = grammar.pairs, grammar.heads_of, grammar.dependents_of"
        )
    if any(isinstance(c, m.CategoryLicence) for c in conditions):
        code.line("category_pairs = grammar.category_pairs")
        code.line("categories_above, categories_below = grammar.categories_above, grammar.categories_below")
    if any(isinstance(c, m.HasRule) for c in conditions):
        code.line("rules, rules_of = grammar.rule_pairs, grammar.bodies_of")
    if any(isinstance(c, m.RootCategory) for c in conditions):
        code.line("roots = sorted(grammar.roots)")
    if any(isinstance(c, m.LeftCorner) for c in conditions):
        code.line("corners_of, cornered_by = grammar.corners_of, grammar.cornered_by")
    if any(isinstance(c, m.HasCategory) for c in conditions):
        code.line("categories = grammar.categories")


# One item form ----------------------------------------------------------------------------------------------


def _blocks(schema: m.Schema, form: m.Form, indexes: Indexes, probe: Probe | None) -> tuple[Code, Code]:
    """Return the code that uses an item of a form as antecedent, before and after it enters the indexes."""
    before, after = Code(2), Code(2)
    names = instance_names(schema)
    for number, case in enumerate(schema.cases):
        shared = names.count(names[number]) > 1
        for slot, antecedent in enumerate(case.antecedents):
            if antecedent.pattern.form != form.name:
                continue
            first = slot == 0 and len(case.antecedents) > 1
            target = before if first else after
            for member, note in specialise(schema, case):
                block = Block(schema, number, member, slot, indexes, first, shared or bool(note), note, probe)
                target.line("")
                target.lines += block.emit(target.depth)
    return before, after


def _form_functions(
    schema: m.Schema, form: m.Form, indexes: Indexes, before: Code, after: Code, probe: Probe | None
) -> list[str]:
    """Return the functions of one form: `before`, the index entries, `after`, and `take` that calls them."""
    name = form_names(schema)[form.name]
    code = Code(1)
    for part, body in (("before", before), ("after", after)):
        if not body.lines:
            continue
        code.line("")
        code.open(f"def {part}_{name}(x, item, found):")
        code.lines += body.lines[1:]
        code.depth -= 1
    insert = Code(2)
    fields = list(python_names([f.name for f in form.fields], taken=indexes.reserved()).values())
    for index in indexes.of(form.name):
        for guard in index.guards:
            insert.test(guard.format(*fields))
        key = index.key_text(fields)
        payload = ", ".join(["x", *(fields[k] for k in index.payload)])
        row = f"({payload},)" if not index.payload else f"({payload})"
        insert.line(f"rows = {index.name}.get({key})")
        insert.open("if rows is None:")
        insert.line(f"{index.name}[{key}] = [{row}]")
        insert.depth -= 1
        insert.open("else:")
        insert.line(f"rows.append({row})")
        insert = _outdent(insert, 2)
    if insert.lines or form.has_normal_form:
        code.line("")
        code.open(f"def enter_{name}(x, item):")
        if form.has_normal_form:
            code.line(f"{name}_writings[item] = x")
        if insert.lines:
            code.line(_unpack(fields, "item"))
            code.lines += insert.lines
        code.depth -= 1
    if form.has_normal_form:
        emit_normal_form(schema, form, name, code)
        code.line("")
        code.open(f"def write_{name}(x):")
        code.line(f"for item in writings_{name}(items[x]) if x >= chart.hypothesis_count else [items[x]]:")
        code.line(f"    {name}_writings[item] = x")
        code.depth -= 1
    code.line("")
    code.open(f"def take_{name}(x):")
    code.line("found = set()")
    if form.has_normal_form:
        if probe is not None:
            probe.begin_filing(form.name, len(indexes.of(form.name)), code)
        code.line(f"writings = writings_{name}(items[x]) if x >= chart.hypothesis_count else [items[x]]")
        if probe is not None:
            probe.end_filing(form.name, code)
        parts = [("enter", "x, item")]
        parts = [*([("before", "x, item, found")] if before.lines else []), *parts]
        parts += [("after", "x, item, found")] if after.lines else []
        for part, arguments in parts:
            if probe is not None and part == "enter":
                probe.begin_filing(form.name, len(indexes.of(form.name)), code)
            code.open("for item in writings:")
            code.line(f"{part}_{name}({arguments})")
            code.depth -= 1
            if probe is not None and part == "enter":
                probe.end_filing(form.name, code)
    else:
        code.line("item = items[x]")
        if before.lines:
            code.line(f"before_{name}(x, item, found)")
        if insert.lines:
            if probe is not None:
                probe.begin_filing(form.name, len(indexes.of(form.name)), code)
            code.line(f"enter_{name}(x, item)")
            if probe is not None:
                probe.end_filing(form.name, code)
        if after.lines:
            code.line(f"after_{name}(x, item, found)")
    return code.lines


def _outdent(code: Code, depth: int) -> Code:
    fresh = Code(depth)
    fresh.lines = code.lines
    return fresh


def _unpack(names: Sequence[str], value: str) -> str:
    return f"{names[0]}, = {value}" if len(names) == 1 else f"{', '.join(names)} = {value}"


def _axioms(schema: m.Schema, indexes: Indexes, code: Code, probe: Probe | None) -> None:
    """Write `start`, which applies the steps without antecedents."""
    code.line("")
    code.open("def start():")
    code.line("found = set()")
    names = instance_names(schema)
    for number, case in enumerate(schema.cases):
        if not case.antecedents:
            shared = names.count(names[number]) > 1
            block = Block(schema, number, case, -1, indexes, False, shared, "", probe)
            code.lines += block.emit(code.depth)
    code.depth -= 1
    code.line("")
