"""One flat list of declarations from a schema and those it extends, each with the parameters it sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from schemata.errors import Diagnostic, UsageError, did_you_mean
from schemata.language import model as m
from schemata.language import syntax as s

__all__ = ["Effective", "merge"]

Environment = Mapping[str, int]
Finder = Callable[[str, s.SchemaSyntax, s.Header], s.SchemaSyntax | None]


@dataclass(slots=True)
class Effective:
    """Everything a schema declares or inherits; each declaration is paired with its parameter values."""

    syntax: s.SchemaSyntax
    parameters: tuple[m.Parameter, ...]
    title: str | None
    reference: str | None
    grammar: tuple[str, s.Span] | None
    items: list[tuple[s.ItemDeclaration, Environment]] = field(default_factory=list)
    hypotheses: list[tuple[s.ItemClause, Environment]] = field(default_factory=list)
    equations: list[tuple[s.Equation, Environment]] = field(default_factory=list)
    steps: list[tuple[s.StepDeclaration, Environment]] = field(default_factory=list)
    finals: list[tuple[s.ItemClause, Environment]] = field(default_factory=list)


def merge(
    syntax: s.SchemaSyntax,
    given: Mapping[str, int],
    find: Finder,
    problems: list[Diagnostic],
    seen: tuple[str, ...] = (),
) -> Effective:
    """Return the declarations of a schema with its base's; `given` are parameter values set from outside.

    Raises
    ------
    UsageError : a given parameter does not exist or is out of range.
    """
    header = syntax.header
    seen = (*seen, header.name)
    own = {p.name: given.get(p.name, p.default) for p in header.parameters}
    base = _base(syntax, given, own, find, problems, seen)
    inherited = (
        [p for p in base.parameters if p.name not in own and p.name not in {a.name for a in header.arguments}]
        if base
        else []
    )
    names = [p.name for p in header.parameters]
    for parameter in header.parameters:
        if names.count(parameter.name) > 1 or parameter.name == "n":
            problems.append(
                parameter.span.report("duplicate-parameter", f"parameter {parameter.name} is taken")
            )
    environment = {**{p.name: p.value for p in inherited}, **own}
    if len(seen) == 1:
        for name in given:
            if name not in environment:
                raise UsageError(
                    Diagnostic(
                        "unknown-parameter",
                        f"schema {header.name} has no parameter {name}",
                        expected="one of " + ", ".join(environment) if environment else "no parameter",
                        hint=did_you_mean(name, environment),
                    )
                )
    for condition in header.where:
        _check_range(condition, environment, header, given, problems)
    parameters = (*(m.Parameter(p.name, own[p.name], p.default) for p in header.parameters), *inherited)
    result = Effective(
        syntax,
        parameters,
        syntax.title or (base.title if base else None),
        syntax.reference or (base.reference if base else None),
        syntax.grammar or (base.grammar if base else None),
    )
    if base is not None:
        _inherit(result, base, syntax, problems)
    else:
        for removal in syntax.removals:
            problems.append(
                removal.span.report("without", "only a schema that extends another leaves steps out")
            )
        for step in syntax.steps:
            if step.replace:
                problems.append(
                    step.span.report("replace", "only a schema that extends another replaces steps")
                )
    own_steps = [(d, environment) for d in syntax.steps if not (base is not None and d.replace)]
    result.items += [
        (d, environment) for d in syntax.items if not (base is not None and d.form in syntax.replaced_items)
    ]
    result.hypotheses += [(d, environment) for d in syntax.hypotheses]
    result.equations += [(d, environment) for d in syntax.equations]
    result.steps += own_steps
    result.finals += [(d, environment) for d in syntax.finals]
    if base is not None:
        _replace(result, syntax, environment, problems)
    return result


def _base(
    syntax: s.SchemaSyntax,
    given: Mapping[str, int],
    own: Mapping[str, int],
    find: Finder,
    problems: list[Diagnostic],
    seen: tuple[str, ...],
) -> Effective | None:
    header = syntax.header
    if header.extends is None or header.extends_span is None:
        return None
    if header.extends in seen:
        chain = " -> ".join((*seen[seen.index(header.extends) :], header.extends))
        problems.append(header.extends_span.report("cyclic-extends", f"schemata extend each other: {chain}"))
        return None
    parent = find(header.extends, syntax, header)
    if parent is None:
        return None
    passed: dict[str, int] = {}
    known = {p.name for p in parent.header.parameters}
    for argument in header.arguments:
        value = argument.value
        match value:
            case s.Constant(int() as number, "number"):
                passed[argument.name] = number
            case s.Name(name) if name in own:
                passed[argument.name] = own[name]
            case _:
                problems.append(
                    value.span.report(
                        "bad-argument", "this is no value", expected="a number or a parameter of this schema"
                    )
                )
        if parent.header.extends is None and argument.name not in known:
            problems.append(
                argument.span.report(
                    "unknown-parameter",
                    f"schema {parent.header.name} has no parameter {argument.name}",
                    expected="one of " + ", ".join(sorted(known)) if known else "no parameter",
                    hint=did_you_mean(argument.name, known),
                )
            )
    before = len(problems)
    values = {**given, **{k: v for k, v in own.items() if k in known}, **passed}
    base = merge(parent, values, find, problems, seen)
    for found in problems[before:]:
        if found.code == "parameter-range" and header.arguments:
            problems.append(header.arguments[0].span.report("parameter-range", found.message))
            problems.remove(found)
            break
    return base


def _inherit(result: Effective, base: Effective, syntax: s.SchemaSyntax, problems: list[Diagnostic]) -> None:
    removed = {r.name for r in syntax.removals}
    names = {d.name for d, _ in base.steps}
    for removal in syntax.removals:
        if removal.name not in names:
            problems.append(
                removal.span.report(
                    "unknown-step",
                    f"schema {base.syntax.header.name} has no step {removal.name}",
                    expected="one of " + ", ".join(sorted(names)),
                    hint=did_you_mean(removal.name, names),
                )
            )
    result.items += base.items
    result.equations += base.equations
    result.steps += [(d, e) for d, e in base.steps if d.name not in removed]
    if not syntax.replaces_hypotheses:
        result.hypotheses += base.hypotheses
    if not syntax.replaces_finals:
        result.finals += base.finals


def _replace(
    result: Effective, syntax: s.SchemaSyntax, environment: Environment, problems: list[Diagnostic]
) -> None:
    """Put the schema's `replace` declarations where the inherited ones of the same name stand."""
    for step in syntax.steps:
        if not step.replace:
            continue
        places = [k for k, (d, _) in enumerate(result.steps) if d.name == step.name]
        if not places:
            names = [d.name for d, _ in result.steps]
            problems.append(
                step.span.report(
                    "unknown-step",
                    f"there is no step {step.name} to replace",
                    hint=did_you_mean(step.name, names),
                )
            )
            continue
        result.steps[places[0]] = (step, environment)
    for item in syntax.items:
        if item.form not in syntax.replaced_items:
            continue
        places = [k for k, (d, _) in enumerate(result.items) if d.form == item.form]
        if not places:
            problems.append(
                item.span.report(
                    "unknown-form",
                    f"there is no item form {item.form} to replace",
                    hint=did_you_mean(item.form, [d.form for d, _ in result.items]),
                )
            )
            continue
        result.items[places[0]] = (item, environment)


def _check_range(
    condition: s.Condition,
    environment: Environment,
    header: s.Header,
    given: Mapping[str, int],
    problems: list[Diagnostic],
) -> None:
    if not isinstance(condition, s.Comparison):
        problems.append(
            condition.span.report("parameter-range", "a parameter's range is a comparison", expected="k >= 3")
        )
        return
    numbers: list[int] = []
    for operand in condition.operands:
        match operand:
            case s.Constant(int() as number, "number"):
                numbers.append(number)
            case s.Name(name) if name in environment:
                numbers.append(environment[name])
            case _:
                problems.append(
                    operand.span.report(
                        "parameter-range",
                        "a parameter's range speaks of parameters and numbers",
                        expected="one of " + ", ".join(environment) + " or a number"
                        if environment
                        else "a number",
                    )
                )
                return
    tests = {
        "<=": int.__le__, "<": int.__lt__, ">=": int.__ge__, ">": int.__gt__, "==": int.__eq__, "!=": int.__ne__,
    }  # fmt: skip
    if all(tests[r](a, b) for a, r, b in zip(numbers, condition.relations, numbers[1:], strict=False)):
        return
    line = header.span.source.lines[condition.span.line - 1]
    wanted = line[condition.span.column - 1 : condition.span.end - 1].strip().rstrip(",")
    names = [o.id for o in condition.operands if isinstance(o, s.Name)]
    values = ", ".join(f"{name} = {environment[name]}" for name in names)
    message = f"{values} is out of range: schema {header.name} needs {wanted}"
    if any(name in given for name in names):
        raise UsageError(Diagnostic("parameter-range", message, expected=wanted))
    place = next((p.span for p in header.parameters if p.name in names), condition.span)
    problems.append(place.report("parameter-range", message, expected=wanted))
