"""The hypotheses and the final items of a schema in its kernel: loops that enter the ones and find the others."""

from __future__ import annotations

from schemata.engine.code import Code
from schemata.engine.python.access import is_value
from schemata.engine.python.choices import settle_conditions
from schemata.engine.python.expressions import condition_text, tuple_text
from schemata.engine.python.label_expressions import table_lines
from schemata.engine.python.matching import Matcher
from schemata.engine.python.names import form_names, python_names
from schemata.engine.python.rewriting import may_be_unnormal
from schemata.language import model as m
from schemata.language.bounds import Bounds, differences, implied
from schemata.language.substitute import item_conditions

__all__ = ["write_final_items", "write_hypotheses"]


def write_hypotheses(schema: m.Schema, code: Code) -> None:
    """Write the loops that enter the hypotheses, each once."""
    order = {f.name: k for k, f in enumerate(schema.forms)}
    for clause in schema.hypotheses:
        form = schema.form(clause.pattern.form)
        name = form_names(schema)[form.name]
        names = python_names(clause.types)
        block = Code(1)
        matcher = Matcher(block, names, clause.types)
        tests = [
            test
            for test in (*clause.conditions, *item_conditions(form, clause.pattern.terms))
            if not isinstance(test, m.GRAMMAR_CONDITIONS) and not _looped_over(test, clause)
        ]
        block.line("")
        for variable in dict.fromkeys(v for v in m.variables(clause.pattern) if v != "n"):
            _open_range(variable, clause, matcher)
        for test in tests:
            block.test(condition_text(test, names))
        block.line(f"made = {tuple_text([matcher.text(t) for t in clause.pattern.terms])}")
        block.open(f"if made not in {name}_ids:")
        block.line(f"{name}_ids[made] = len(items)")
        block.line("items.append(made)")
        block.line(f"forms.append({order[form.name]})")
        code.lines += block.lines
    code.line("")
    code.line("chart.hypothesis_count = len(items)")


def _looped_over(test: m.Term, clause: m.Clause) -> bool:
    """Whether the loops over a hypothesis's variables guarantee a condition: it bounds one at a time."""
    facts = differences(test)
    alone = [{name for name in fact[:2] if name in clause.types} for fact in facts or ()]
    return facts is not None and test in clause.conditions and all(len(names) <= 1 for names in alone)


def _open_range(variable: str, clause: m.Clause, matcher: Matcher) -> None:
    """Loop over the values that a hypothesis variable may have: bounds by numbers and n."""
    target = matcher.names[variable]
    if clause.types[variable].kind == "flag":
        matcher.code.open(f"for {target} in (False, True):")
    else:
        facts = Bounds()
        for condition in clause.conditions:
            facts.learn(implied(condition))
        lows = []
        if (d := facts.distance("0", variable)) is not None:
            lows.append(str(-d))
        if (d := facts.distance("n", variable)) is not None:
            lows.append(f"n - {d}" if d >= 0 else f"n + {-d}")
        highs = []
        if (d := facts.distance(variable, "0")) is not None:
            highs.append(str(d + 1))
        if (d := facts.distance(variable, "n")) is not None:
            highs.append(f"n + {d + 1}" if d + 1 >= 0 else f"n - {-d - 1}")
        low = lows[0] if len(lows) == 1 else f"max({', '.join(lows)})"
        high = highs[0] if len(highs) == 1 else f"min({', '.join(highs)})"
        matcher.code.open(f"for {target} in range({low}, {high}):")
    matcher.bound.add(variable)


def write_final_items(schema: m.Schema, code: Code) -> None:
    """Write `final_items`, which adds the numbers of the items that match a final pattern to a set."""
    order = {f.name: k for k, f in enumerate(schema.forms)}
    code.depth = 0
    code.line("")
    code.open("def final_items(n, grammar, chart, finals):")
    begin = len(code.lines)
    if any(isinstance(c, m.RootCategory) for clause in schema.finals for c in clause.conditions):
        code.line("roots = grammar.roots")
    for clause in schema.finals:
        form = schema.form(clause.pattern.form)
        names = python_names(clause.types, taken=())
        block = Code(1)
        matcher = Matcher(block, names, clause.types)
        if may_be_unnormal(schema, form):
            number = order[form.name]
            block.line(f"given = [i for i in chart.ids[{number}].items() if i[1] < chart.hypothesis_count]")
            block.open(f"for values, x in (*given, *chart.writings[{number}].items()):")
        elif form.has_normal_form:
            block.open(f"for values, x in chart.writings[{order[form.name]}].items():")
        elif matcher.is_bound(clause.pattern) and all(is_value(t) for t in clause.pattern.terms):
            block.line(
                f"x = chart.ids[{order[form.name]}].get({tuple_text([matcher.text(t) for t in clause.pattern.terms])})"
            )
            block.test("x is not None")
            settle_conditions(matcher, clause.conditions)
            block.line("finals.add(x)")
            code.lines += block.lines
            continue
        else:
            block.open(f"for values, x in chart.ids[{order[form.name]}].items():")
        for k, (term, fld) in enumerate(zip(clause.pattern.terms, form.fields, strict=True)):
            matcher.match(f"values[{k}]", term, fld.type)
        settle_conditions(matcher, clause.conditions)
        block.line("finals.add(x)")
        code.lines += block.lines
    code.lines[begin:begin] = ["    " + line for line in table_lines(code.lines[begin:])]
    if len(code.lines) == begin:
        code.line("pass")
