"""Normal forms in a kernel: from a writing to its normal form, and from an item to all its writings."""

from __future__ import annotations

from schemata.engine.code import Code
from schemata.engine.python.choices import settle_conditions
from schemata.engine.python.expressions import condition_text, term_text
from schemata.engine.python.matching import Matcher
from schemata.engine.python.names import python_names
from schemata.language import model as m
from schemata.language.bounds import Bounds, implied
from schemata.language.substitute import item_conditions, substitute

__all__ = ["emit_normal_form", "may_be_unnormal"]


def may_be_unnormal(schema: m.Schema, form: m.Form) -> bool:
    """Whether some hypothesis of a form may be in no normal form: it then has one writing that others may share.

    False is certain; true where no equation is seen to be out of reach.
    """
    return form.has_normal_form and any(
        clause.pattern.form == form.name
        and (
            _covers_more(form.cover, clause.pattern.terms)
            if form.cover is not None
            else any(_may_apply(form, clause, equation) for equation in form.equations)
        )
        for clause in schema.hypotheses
    )


def _covers_more(cover: m.Cover, terms: tuple[m.Term, ...]) -> bool:
    """Whether a pattern may cover other words than the one aside, which stays as it is."""
    alone = terms[cover.low] == terms[cover.high] == terms[cover.aside]
    return not (alone and terms[cover.gaps] == m.ListTerm(()))


def _may_apply(form: m.Form, clause: m.Clause, equation: m.Equation) -> bool:
    """Whether nothing shows that an equation applies to no hypothesis of a clause."""
    renamed = {name: m.Var(f"{name} rewritten") for name in equation.types if name != "n"}
    conditions = [*clause.conditions, *item_conditions(form, clause.pattern.terms)]
    conditions += [
        substitute(c, renamed) for c in equation.conditions if not isinstance(c, m.GRAMMAR_CONDITIONS)
    ]
    for left, given, declared in zip(equation.left, clause.pattern.terms, form.fields, strict=True):
        match left, given:
            case m.Lit(one), m.Lit(other):
                if one != other:
                    return False
            case m.Var(name), m.Lit(None) if equation.types[name].kind != "optional":
                return False
            case _ if declared.type.kind == "position":
                conditions.append(m.Compare("==", substitute(left, renamed), given))
    facts = Bounds()
    for condition in conditions:
        facts.learn(implied(condition))
    return not facts.contradictory()


def emit_normal_form(schema: m.Schema, form: m.Form, name: str, code: Code) -> None:
    """Write `normal_NAME` and `writings_NAME` for a form with equations.

    An item's writings are found by reading the equations from right to left, from the item outwards; those
    whose normal form is the item and that fulfil the form's conditions are kept.
    """
    _emit_place(schema, form, name, code)
    if form.where:
        _emit_fits(form, name, code)
    if form.cover is not None:
        _emit_cover(form, form.cover, name, code)
        return
    for direction in ("rewritten", "unwritten"):
        code.line("")
        code.open(f"def {direction}_{name}(item):")
        if direction == "unwritten":
            code.line("written = []")
        for equation in form.equations:
            inner = _equation(form, equation, direction, code.depth)
            code.lines += inner.lines
        code.line("return None" if direction == "rewritten" else "return written")
        code.depth -= 1
    code.line("")
    code.open(f"def normal_{name}(item):")
    code.open("for _ in range(1000):")
    code.line(f"simpler = rewritten_{name}(item)")
    code.open("if simpler is None:")
    code.line("return item")
    code.depth -= 1
    code.line("item = simpler")
    code.depth -= 1
    code.line('overflow("a normal form that never ends")')
    code.depth -= 1
    code.line("")
    code.open(f"def writings_{name}(item):")
    code.line("reached = {item: None}")
    code.line("waiting = [item]")
    code.open("while waiting:")
    code.open(f"for writing in unwritten_{name}(waiting.pop()):")
    code.open("if writing not in reached:")
    code.open("if len(reached) > 10000:")
    code.line('overflow("more than 10,000 writings of one item")')
    code.depth -= 1
    code.line("reached[writing] = None")
    code.line("waiting.append(writing)")
    code.depth -= 3
    fits = f" and fits_{name}(w)" if form.where else ""
    code.line(f"return [w for w in reached if normal_{name}(w) == item{fits}]")
    code.depth -= 1


def _emit_place(schema: m.Schema, form: m.Form, name: str, code: Code) -> None:
    """Write `place_NAME`: the number of the item that a writing stands for, -1 where it is no item.

    Every writing is asked for many times and normalised once.
    """
    code.line("")
    code.open(f"def place_{name}(written):")
    code.line(f"made = normal_{name}(written)")
    if form.where:
        code.open(f"if not fits_{name}(made):")
        code.line(f"{name}_places[written] = -1")
        code.line("return -1")
        code.depth -= 1
    code.line(f"z = find_{name}(made)")
    code.open("if z is None:")
    code.line(f"z = {name}_ids[made] = len(items)")
    code.line("items.append(made)")
    code.line(f"forms.append({schema.forms.index(form)})")
    code.depth -= 1
    code.line(f"{name}_places[written] = z")
    code.line("return z")
    code.depth -= 1


def _emit_fits(form: m.Form, name: str, code: Code) -> None:
    """Write `fits_NAME`, the conditions of the form."""
    code.line("")
    code.open(f"def fits_{name}(item):")
    names = python_names([f.name for f in form.fields])
    code.line(f"{', '.join(names.values())}{',' if len(names) == 1 else ''} = item")
    tests = " and ".join(f"({condition_text(c, names)})" for c in form.where)
    code.line(f"return {tests}")
    code.depth -= 1


def _emit_cover(form: m.Form, cover: m.Cover, name: str, code: Code) -> None:
    """Write both functions for a normal form by what is covered: at most two writings, with and without a word."""
    places = f"{cover.low}, {cover.high}, {cover.gaps}, {cover.aside}"
    code.line("")
    code.open(f"def normal_{name}(item):")
    code.line(f"return normal_cover(item, {places})")
    code.depth -= 1
    code.line("")
    code.open(f"def writings_{name}(item):")
    code.line(f"other = other_cover(item, {places})")
    fits = f" and fits_{name}(other)" if form.where else ""
    code.line(f"return [item, other] if other is not None{fits} else [item]")
    code.depth -= 1


def _equation(form: m.Form, equation: m.Equation, direction: str, depth: int) -> Code:
    """Return the code that applies one equation: from left to right, or from right to left."""
    source, target = equation.left, equation.right
    if direction == "unwritten":
        source, target = target, source
    names = python_names(equation.types)
    block = Code(depth)
    matcher = Matcher(block, names, equation.types)
    block.comment(f"{_shown(form, source)}  to  {_shown(form, target)}")
    fields = [matcher.fresh("f") for _ in source]
    block.line(f"{', '.join(fields)}{',' if len(fields) == 1 else ''} = item")
    for value, term, field in zip(fields, source, form.fields, strict=True):
        matcher.match(value, term, field.type)
    settle_conditions(matcher, equation.conditions)
    shown = [matcher.text(t) for t in target]
    text = f"({shown[0]},)" if len(shown) == 1 else f"({', '.join(shown)})"
    block.line(f"return {text}" if direction == "rewritten" else f"written.append({text})")
    return block


def _shown(form: m.Form, terms: tuple[m.Term, ...]) -> str:
    names = {v: v for t in terms for v in m.variables(t)}
    parts = []
    for term in terms:
        match term:
            case m.Lit(None):
                parts.append("-")
            case m.Lit(bool() as value):
                parts.append(str(value).lower())
            case _:
                parts.append(term_text(term, names))
    return f"{form.name}[{', '.join(parts)}]"
