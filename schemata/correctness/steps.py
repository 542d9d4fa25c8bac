"""Steps: the rules of a lowered schema as proofs see them, and the patterns by which steps put words together.

`program_of` lowers a schema, and refuses schemata beyond the method. Columns that items forget can be kept
(`with_hidden`): a proof about the program with them is one about the program without, since derivations correspond one
to one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from schemata.correctness.certificate import Decomposition, Element, Hidden, ItemLayout, NotProved
from schemata.correctness.words import GAP, Pattern, letters_in
from schemata.kinds import CONTEXT_FREE, D_RULES, DEPENDENCY_RULES, DEPENDENCY_TREE, LINK_GRAMMAR
from schemata.language import model as m
from schemata.program.linear import Affine, Linear, Provided, Test, linear_terms, variable
from schemata.program.lower import lower
from schemata.program.model import Atom, Column, NotLowerable, Program
from schemata.records import Record, replace

N = variable("n")


class Step(Record):
    """A rule of a program, or a hypothesis of a kind that rules derive as well, as a step without antecedents.

    `antecedents` are the structural ones; `facts` those of kinds that only hypotheses give.
    """

    number: int
    name: str
    case: int | None
    antecedents: tuple[Atom, ...]
    contexts: tuple[Atom, ...]
    facts: tuple[Atom, ...]
    consequent: Atom
    tests: tuple[Test, ...]
    links: tuple[tuple[Affine, Affine], ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the step."""
        parts = (self.consequent, self.antecedents, self.contexts, self.facts, self.tests, self.links)
        return tuple(dict.fromkeys(x for term in linear_terms(parts) for x in term.variables))

    @property
    def foreign_licences(self) -> tuple[Provided, ...]:
        """The licences that the step asks for without building their links."""
        asked = (test for test in self.tests if isinstance(test, Provided))
        return tuple(test for test in asked if test.arguments not in self.links)

    @property
    def unlicensed(self) -> bool:
        """Whether the step builds a link without asking for its licence."""
        asked = {test.arguments for test in self.tests if isinstance(test, Provided)}
        return not asked.issuperset(self.links)


class Woven(Record):
    """A step with its plan worked out.

    Parameters
    ----------
    bounds : the boundaries, as terms over the step's variables.
    ends : for each piece of an antecedent, its two ends as terms.
    order : the pieces that the patterns' variables stand for, in order: number of the piece, antecedent, segment.
    """

    step: Step
    plan: Decomposition
    bounds: tuple[Affine, ...]
    ends: tuple[tuple[Affine, Affine] | None, ...]
    order: tuple[tuple[int, int, int], ...]
    premises: tuple[Test, ...]

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The pattern of each word of the consequent."""
        return self.plan.patterns

    @property
    def letters(self) -> int:
        """How many gaps and links the step adds, those that were pending included."""
        return sum(map(letters_in, self.patterns))


# The programs that are dealt with -----------------------------------------------------------------------------


def program_of(schema: m.Schema) -> Program:
    """Return a schema lowered.

    Raises
    ------
    NotProved : the schema is beyond the method; the message names the reason.
    """
    if schema.grammar != D_RULES or schema.relations:
        over = {
            DEPENDENCY_RULES: "rules with categories and valencies",
            D_RULES: "facts",
            CONTEXT_FREE: "context-free grammars",
            LINK_GRAMMAR: "dictionaries of links with labels",
        }
        raise NotProved(
            f"it is over {over.get(schema.grammar, schema.grammar)}, for which profiles of words are not defined"
        )
    if schema.structure != DEPENDENCY_TREE:
        raise NotProved(f"it builds structures of kind {schema.structure}, and words are about trees")
    try:
        program = lower(schema)
    except NotLowerable as answer:
        raise NotProved(answer.diagnostics[0].message) from None
    for kind in program.kinds:
        for column in kind.columns:
            if column.sort != "position":
                is_list = not isinstance(column.sort, str) and column.sort.kind == "list"
                sort = "lists without a bound on their length" if is_list else f"fields of type {column.sort}"
                raise NotProved(f"items {kind.name} have {sort}")
    if not program.is_linear or any(kind.asks for kind in program.kinds):
        raise NotProved("some conditions are not linear")
    for case in schema.cases:
        if case.head_links or any(
            not isinstance(x, m.Built) or x.name != "link" or len(x.terms) > 2 for x in case.links
        ):
            raise NotProved(f"step {case.step} builds links with labels, or between heads")
    asked = {test.relation for rule in program.rules for test in rule.tests if isinstance(test, Provided)}
    if not asked <= {"licensed"}:
        raise NotProved("steps ask for categories")
    return program


def with_hidden(program: Program, hidden: Sequence[Hidden]) -> Program:
    """Return a program whose kinds keep their forgotten columns; derivations correspond one to one.

    Raises
    ------
    NotProved : some step gives a column no value, or one that its instances do not determine.
    """
    for one in hidden:
        program = _keeping(program, one)
    return program


def is_hidden(column: Column) -> bool:
    """Whether items forget a column: such columns have numbers as names."""
    return column.name.isdecimal()


def _keeping(program: Program, hidden: Hidden) -> Program:
    kind = program.kinds[hidden.kind]
    # The name is a number, so that it is no other variable: no column, not `n`, and no name that a proof makes.
    if not hidden.name.isdecimal() or any(column.name == hidden.name for column in kind.columns):
        raise NotProved(f"{kind.name} has a column {hidden.name}")
    values = dict(hidden.terms)
    kinds = list(program.kinds)
    kinds[hidden.kind] = replace(kind, columns=(*kind.columns, Column(hidden.name, "position")))

    def kept(atom: Atom, name: str) -> Atom:
        return Atom(atom.kind, (*atom.terms, variable(name))) if atom.kind == hidden.kind else atom

    rules = []
    for rule in program.rules:
        names = [f"{hidden.name} of {k}" for k in range(len(rule.antecedents))]
        antecedents = tuple(map(kept, rule.antecedents, names))
        consequent = rule.consequent
        if consequent.kind == hidden.kind:
            value = values.get(rule.number)
            pairs = zip(antecedents, rule.contexts, strict=True)
            structural = tuple(a for a, context in pairs if not context)
            fixed = {x for term in linear_terms(structural) for x in term.variables}
            if value is None or not fixed.issuperset(value.variables):
                raise NotProved(f"no value of {hidden.name} in rule {rule.number}")
            consequent = Atom(hidden.kind, (*consequent.terms, value))
        rules.append(replace(rule, antecedents=antecedents, consequent=consequent))
    if any(clause.atom.kind == hidden.kind for clause in program.hypotheses):
        raise NotProved(f"hypotheses are of kind {kind.name}, which is to keep a column")
    finals = tuple(replace(f, atom=kept(f.atom, f"{hidden.name} of the final item")) for f in program.finals)
    return replace(program, kinds=tuple(kinds), rules=tuple(rules), finals=finals)


def steps_of(program: Program) -> tuple[Step, ...]:
    """Return the rules of a program as steps, then the hypotheses of kinds that rules derive."""
    made = {rule.consequent.kind for rule in program.rules}
    steps: list[Step] = []
    for rule in program.rules:
        pairs = list(zip(rule.antecedents, rule.contexts, strict=True))
        steps.append(
            Step(
                len(steps),
                program.schema.cases[rule.case].step,
                rule.case,
                tuple(a for a, context in pairs if not context and a.kind in made),
                tuple(a for a, context in pairs if context and a.kind in made),
                tuple(a for a, _ in pairs if a.kind not in made),
                rule.consequent,
                rule.tests,
                tuple((ends[0], ends[1]) for ends in rule.links),
            )
        )
    for clause in program.hypotheses:
        if clause.atom.kind in made:
            steps.append(Step(len(steps), "hypothesis", None, (), (), (), clause.atom, clause.tests, ()))
    return tuple(steps)


# Patterns ------------------------------------------------------------------------------------------------------


def read_patterns(step: Step, plan: Decomposition, layout: ItemLayout) -> tuple[tuple[int, int, int], ...]:
    """Judge that the patterns of a plan agree with its pieces and links; returns the pieces that are variables.

    Each pattern is read from left to right, as any word is: its gaps and variables are the pieces between two cuts,
    and its bracket pairs join the boundaries where they open and close. Boundaries with nothing but empty pieces
    between them are the same.

    Raises
    ------
    NotProved : the pattern has other links or pieces: links cross, or one leads over a cut and is not pending.
    """
    solid = [0]
    for piece in plan.pieces:
        solid.append(solid[-1] + (piece.antecedent is None or not piece.empty))
    wanted = sorted((sign, solid[low], solid[high]) for sign, low, high in plan.links)
    found = [(sign, solid[plan.cuts[low]], solid[plan.cuts[high]]) for sign, low, high in layout.pending]
    order: list[tuple[int, int, int]] = []

    def read(pattern: Pattern, at: int, end: int) -> int:
        """Read a pattern from one boundary on; returns where it ends."""
        for part in pattern:
            if isinstance(part, tuple):
                start, at = at, read(part[1], at, end)
                found.append((part[0], solid[start], solid[at]))
                continue
            at = _past_empty(plan, at, end)
            piece = plan.pieces[at] if at < end else None
            if piece is None or (piece.antecedent is None) != (part == GAP) or piece.empty:
                raise NotProved(f"a pattern of step {step.name} is not that of its pieces")
            if piece.antecedent is not None:
                order.append((at, piece.antecedent, piece.segment))
            at += 1
        return at

    for segment, pattern in zip(layout.segments, plan.patterns, strict=True):
        end = plan.cuts[segment + 1]
        if _past_empty(plan, read(pattern, plan.cuts[segment], end), end) != end:
            raise NotProved(f"a pattern of step {step.name} is not that of its pieces")
    if sorted(found) != wanted:
        raise NotProved(f"links of step {step.name} are not those of its patterns")
    return tuple(order)


def _past_empty(plan: Decomposition, at: int, end: int) -> int:
    """Return the next boundary after which a piece is not always empty."""
    while at < end and plan.pieces[at].antecedent is not None and plan.pieces[at].empty:
        at += 1
    return at


# Terms and tests ----------------------------------------------------------------------------------------------


def linear_names(parts: object) -> Iterator[str]:
    """Yield the variables of all terms in some parts."""
    return (x for term in linear_terms(parts) for x in term.names)


def boundary(number: int) -> Affine:
    """Return the variable of a boundary, under a name that no column has."""
    return variable(f"@:{number}")


def negated(test: Linear) -> Test:
    """Return a test's opposite."""
    match test.relation:
        case ">=":
            return Linear(">=", -test.left - 1)
        case "==":
            return Linear("!=", test.left)
    return Linear("==", test.left)


def told(elements: Iterable[Element]) -> str:
    """Return elements in words."""
    return ", ".join("/".join(p or "empty" for p in profiles) or "nothing" for profiles, _ in elements)


def shown(test: Test) -> str:
    """Return a test with columns and boundaries in place of the variables for them."""
    return str(test).replace("@:", "").replace("@", "")
