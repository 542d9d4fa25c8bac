"""One flat list of declarations from a schema and those it extends, each with the parameters it sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from schemata.errors import Diagnostic, UsageError, did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.build import NUMBER_DIGITS
from schemata.language.source import Span

_TESTS = {
    "<=": int.__le__, "<": int.__lt__, ">=": int.__ge__, ">": int.__gt__, "==": int.__eq__, "!=": int.__ne__,
}  # fmt: skip


def check_ranges(
    header: s.Header,
    environment: Mapping[str, int],
    given: Mapping[str, int],
    places: Mapping[str, Span],
    problems: list[Diagnostic],
) -> None:
    """Report parameter values out of the ranges of a schema's head.

    A value is complained of where it was set: at the argument of a schema that extends this one (`places`),
    else at the parameter's default.

    Raises
    ------
    UsageError : the value was set from outside (`given`).
    """
    for name, value in given.items():
        if abs(value) >= 10**NUMBER_DIGITS:
            raise UsageError(
                Diagnostic(
                    "parameter-range",
                    f"parameter {name}: the number is too large",
                    expected=f"at most {10**NUMBER_DIGITS - 1:,}",
                )
            )
    for condition in header.where:
        numbers = _numbers(condition, environment, problems)
        if numbers is None or not isinstance(condition, s.Comparison):
            continue
        if all(_TESTS[r](a, b) for a, r, b in zip(numbers, condition.relations, numbers[1:], strict=False)):
            continue
        wanted = condition.span.text.strip().rstrip(",")
        names = [o.id for o in condition.operands if isinstance(o, s.Name)]
        values = ", ".join(f"{name} = {environment[name]}" for name in names)
        if not names:
            _bad_range(condition, "this is never true", "a range such as k >= 3", problems)
            continue
        message = f"{values} is out of range: schema {header.name} needs {wanted}"
        if any(name in given for name in names):
            raise UsageError(Diagnostic("parameter-range", message, expected=wanted))
        set_at = [places[name] for name in names if name in places]
        set_at += [p.span for p in header.parameters if p.name in names]
        place = set_at[0] if set_at else condition.span
        problems.append(place.report("parameter-range", message, expected=wanted))


def _numbers(
    condition: s.Condition, environment: Mapping[str, int], problems: list[Diagnostic]
) -> list[int] | None:
    if not isinstance(condition, s.Comparison):
        _bad_range(condition, "the range of a parameter is a comparison", "k >= 3", problems)
        return None
    numbers: list[int] = []
    for operand in condition.operands:
        match operand:
            case s.Constant(int() as number, "number"):
                numbers.append(number)
            case s.Name(name) if name in environment:
                numbers.append(environment[name])
            case s.Name(name):
                hint = did_you_mean(name, environment)
                expected = one_of(environment) if environment else "a number"
                _bad_range(operand, f"{name} is no parameter of this schema", expected, problems, hint)
                return None
            case _:
                _bad_range(operand, "a range speaks of parameters and numbers", "k >= 3", problems)
                return None
    return numbers


def _bad_range(
    node: s.Condition, message: str, expected: str, problems: list[Diagnostic], hint: str | None = None
) -> None:
    problems.append(node.span.report("bad-range", message, expected=expected, hint=hint))


Environment = Mapping[str, int]
Finder = Callable[[str, s.SchemaSyntax, Span], s.SchemaSyntax | None]


@dataclass(slots=True)
class Effective:
    """Everything a schema declares or inherits; each declaration is paired with its parameter values.

    `complete` is false where a base is missing, so that names of it may be used that are not known; `sound`
    where something to be replaced or left out is not there. `lost_forms` are forms that were to be replaced,
    `lost_names` what may be a parameter.
    """

    syntax: s.SchemaSyntax
    parameters: tuple[m.Parameter, ...] = ()
    title: str | None = None
    reference: str | None = None
    grammar: tuple[str, Span] | None = None
    items: list[tuple[s.ItemDeclaration, Environment]] = field(default_factory=list)
    hypotheses: list[tuple[s.ItemClause, Environment]] = field(default_factory=list)
    equations: list[tuple[s.Equation | s.Covering, Environment]] = field(default_factory=list)
    steps: list[tuple[s.StepDeclaration, Environment]] = field(default_factory=list)
    finals: list[tuple[s.ItemClause, Environment]] = field(default_factory=list)
    ranges: list[s.Condition] = field(default_factory=list)
    complete: bool = True
    sound: bool = True
    lost_forms: frozenset[str] = frozenset()
    lost_names: frozenset[str] = frozenset()


def merge(
    syntax: s.SchemaSyntax, given: Mapping[str, int], find: Finder, problems: list[Diagnostic]
) -> Effective:
    """Return the declarations of a schema with its base's; `given` are parameter values set from outside.

    Raises
    ------
    UsageError : a given parameter does not exist or is out of range.
    """
    merged = _Merger(given, find, problems).merge(syntax, given, {}, ())
    environment = {p.name: p.value for p in merged.parameters}
    for name in given:
        if name not in environment and merged.complete:
            raise UsageError(
                Diagnostic(
                    "unknown-parameter",
                    f"schema {syntax.header.name} has no parameter {name}",
                    expected=one_of(environment) if environment else "no parameter",
                    hint=did_you_mean(name, environment),
                )
            )
    return merged


@dataclass(slots=True)
class _Merger:
    given: Mapping[str, int]
    find: Finder
    problems: list[Diagnostic]

    def report(
        self, span: Span, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> None:
        self.problems.append(span.report(code, message, expected=expected, hint=hint))

    def merge(
        self,
        syntax: s.SchemaSyntax,
        values: Mapping[str, int],
        places: Mapping[str, Span],
        chain: tuple[tuple[str, Span], ...],
    ) -> Effective:
        """Merge one schema of a chain; `places` is where the schema that extends it sets its parameters."""
        header = syntax.header
        own: dict[str, int] = {}
        for parameter in header.parameters:
            if parameter.name in own or parameter.name == "n":
                what = "n is the length of the sentence" if parameter.name == "n" else "declared twice"
                self.report(
                    parameter.span,
                    "duplicate-parameter",
                    f"parameter {parameter.name}: {what}",
                    "another name",
                )
            own.setdefault(parameter.name, values.get(parameter.name, parameter.default))
        base = self._base(syntax, values, own, chain)
        passed = {a.name for a in header.arguments}
        inherited = [p for p in base.parameters if p.name not in own and p.name not in passed] if base else []
        environment = {**{p.name: p.value for p in inherited}, **own}
        ranges: list[s.Condition] = []
        if header.extends is None or base is not None:
            before = len(self.problems)
            check_ranges(header, environment, self.given if not chain else {}, places, self.problems)
            ranges = [] if len(self.problems) > before else list(header.where)
        unknown = {name.id for name in s.names_in(header.where)} - set(environment)
        defaults = {p.name: p.default for p in reversed(header.parameters)}
        result = Effective(
            syntax,
            (*(m.Parameter(name, value, defaults[name]) for name, value in own.items()), *inherited),
            syntax.title or (base.title if base else None),
            syntax.reference or (base.reference if base else None),
            syntax.grammar or (base.grammar if base else None),
            ranges=[*ranges, *(base.ranges if base else ())],
            complete=base.complete if base else header.extends is None and "extends" not in syntax.lost_kinds,
            lost_names=syntax.lost_names | unknown | (base.lost_names if base else frozenset()),
        )
        if base is not None:
            self._inherit(result, base)
        elif header.extends is None and "schema" not in syntax.lost_kinds:
            self._extends_nothing(syntax)
        self._add(result, environment, base)
        return result

    def _base(
        self,
        syntax: s.SchemaSyntax,
        values: Mapping[str, int],
        own: Mapping[str, int],
        chain: tuple[tuple[str, Span], ...],
    ) -> Effective | None:
        header = syntax.header
        name, span = header.extends, header.extends_span
        if name is None or span is None:
            return None
        path = syntax.source.path
        here = path.stem if path else header.name
        # A loop is reported where the schema that is being checked enters it.
        entry = chain[0][1] if chain else span
        names = [*(n for n, _ in chain), here]
        if name in names:
            loop = " -> ".join((*names[names.index(name) :], name))
            message = (
                f"schema {name} extends itself" if name == here else f"schemata extend each other: {loop}"
            )
            self.report(entry, "cyclic-extends", message, "a schema that does not extend this one")
            return None
        parent = self.find(name, syntax, entry)
        if parent is None:
            return None
        passed, places = self._arguments(header, own)
        known = {p.name for p in parent.header.parameters}
        values = {**values, **{k: v for k, v in own.items() if k in known}, **passed}
        base = self.merge(parent, values, places, (*chain, (here, entry)))
        if base.complete and "schema" not in parent.lost_kinds:
            taken = {p.name for p in base.parameters}
            for argument in header.arguments:
                if argument.name not in taken:
                    self.report(
                        argument.span,
                        "unknown-parameter",
                        f"schema {name} has no parameter {argument.name}",
                        one_of(sorted(taken)) if taken else "no parameter",
                        did_you_mean(argument.name, taken),
                    )
        return base if base.complete else None

    def _arguments(self, header: s.Header, own: Mapping[str, int]) -> tuple[dict[str, int], dict[str, Span]]:
        passed: dict[str, int] = {}
        for argument in header.arguments:
            match argument.value:
                case s.Constant(int() as number, "number"):
                    passed[argument.name] = number
                case s.Name(name) if name in own:
                    passed[argument.name] = own[name]
                case value:
                    self.report(
                        value.span,
                        "bad-argument",
                        f"{value.span.text} is no value for {argument.name}",
                        "a number or a parameter of this schema",
                        did_you_mean(value.id, own) if isinstance(value, s.Name) else None,
                    )
        return passed, {a.name: a.span for a in header.arguments}

    # declarations

    def _extends_nothing(self, syntax: s.SchemaSyntax) -> None:
        for removal in syntax.removals:
            self.report(
                removal.span, "without", "only a schema that extends another leaves steps out", "extends NAME"
            )
            return  # what is missing is one `extends`
        for what, span in syntax.replaced.items():
            message = f"only a schema that extends another replaces a {what}"
            self.report(span, "replace", message, "extends NAME", "or leave replace out")
            return

    def _inherit(self, result: Effective, base: Effective) -> None:
        syntax = result.syntax
        removed = {r.name for r in syntax.removals}
        names = {d.name for d, _ in base.steps}
        for removal in syntax.removals:
            if removal.name not in names:
                self._no_step(removal.span, removal.name, names, base, "leave out")
                result.sound = False
        result.items += base.items
        result.equations += base.equations
        result.steps += [(d, e) for d, e in base.steps if d.name not in removed]
        if not syntax.replaces_hypotheses:
            result.hypotheses += base.hypotheses
        if not syntax.replaces_finals:
            result.finals += base.finals

    def _no_step(self, span: Span, name: str, names: Iterable[str], base: Effective, what: str) -> None:
        self.report(
            span,
            "unknown-step",
            f"schema {base.syntax.header.name} has no step {name} to {what}",
            one_of(sorted(names)),
            did_you_mean(name, names),
        )

    def _add(self, result: Effective, environment: Environment, base: Effective | None) -> None:
        """Add the schema's own declarations; what replaces an inherited one takes its place."""
        syntax = result.syntax
        inherited = [d.name for d, _ in result.steps]
        forms = [d.form for d, _ in result.items]
        for step in syntax.steps:
            if base is None or not step.replace:
                result.steps.append((step, environment))
            elif step.name in inherited:
                result.steps[inherited.index(step.name)] = (step, environment)
            else:
                self._no_step(step.span, step.name, inherited, base, "replace")
                result.sound = False
        for item in syntax.items:
            if base is None or item.form not in syntax.replaced_items:
                result.items.append((item, environment))
            elif item.form in forms:
                result.items[forms.index(item.form)] = (item, environment)
            else:
                self.report(
                    item.span,
                    "unknown-form",
                    f"schema {base.syntax.header.name} has no item form {item.form} to replace",
                    one_of(forms),
                    did_you_mean(item.form, forms),
                )
                result.lost_forms |= {item.form}
                result.sound = False
        result.hypotheses += [(d, environment) for d in syntax.hypotheses]
        result.equations += [(d, environment) for d in syntax.equations]
        result.finals += [(d, environment) for d in syntax.finals]
