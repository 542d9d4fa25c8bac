"""Terms and conditions of a schema as Python expressions, for the generated kernels.

Schema text never reaches the generated code: variables are renamed by `names.python_names`, symbols go through
`repr`, everything else is built from numbers and operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemata.engine.python.label_expressions import labels_text
from schemata.engine.python.names import Names
from schemata.language import model as m
from schemata.language.typeset import linear_text

__all__ = ["condition_text", "operand", "term_text", "tuple_text"]


def term_text(term: m.Term, names: Names) -> str:
    """Return a term whose variables are all bound as a Python expression."""
    match term:
        case m.Var(name):
            return "n" if name == "n" else names[name]
        case m.Lit(value):
            return repr(value)
        case m.Length(name):
            return f"len({names[name]})"
        case m.Linear(constant, atoms):
            return linear_text(constant, [(term_text(atom, names), k) for atom, k in atoms])
        case m.Not(m.Var() as operand):
            return f"not {term_text(operand, names)}"
        case m.TupleTerm(terms):
            return tuple_text([term_text(t, names) for t in terms])
        case m.ListTerm(elements):
            if len(elements) == 1 and isinstance(elements[0], m.Splice):
                return names[elements[0].name]
            return tuple_text(
                [f"*{names[e.name]}" if isinstance(e, m.Splice) else term_text(e, names) for e in elements]
            )
        case m.Labels():
            return labels_text(term, names)
        case m.Reversed(operand_term):
            return f"labels_turned[{term_text(operand_term, names)}]"
        case m.AtDot(operand_term):
            return f"label_at_dot[{term_text(operand_term, names)}]"
    return condition_text(term, names)


def tuple_text(parts: Sequence[str]) -> str:
    """Return the expression of a tuple of expressions."""
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def operand(text: str) -> str:
    """Return an expression that can stand beside an arithmetic or comparison operator."""
    compares = any(f" {word} " in text for word in ("and", "or", "in", "is", "==", "!=", "<", "<="))
    return f"({text})" if compares or text.startswith("not ") else text


def condition_text(condition: m.Term, names: Names) -> str:
    """Return a condition whose variables are all bound as a Python expression."""
    match condition:
        case m.Var() | m.Lit():
            return term_text(condition, names)
        case m.Not(m.Compare("==", left, right)):
            return condition_text(m.Compare("!=", left, right), names)
        case m.Not(inner):
            return f"not {_in_brackets(condition_text(inner, names))}"
        case m.Junction(word, operands):
            return f" {word} ".join(_in_brackets(condition_text(o, names)) for o in operands) or "True"
        case m.Compare(relation, left, right):
            return _comparison(relation, left, right, names)
        case m.Member(element, region):
            return _membership(element, region, names)
        case m.InOrder(operand_term):
            return f"in_order({term_text(operand_term, names)})"
        case m.AllWithin(intervals, m.Interval(low, high)):
            ends = f"{term_text(low, names)}, {term_text(high, names)}"
            return f"all_within({term_text(intervals, names)}, {ends})"
        case m.Matches(left, right):
            return f"(label_token[{term_text(left, names)}], label_token[{term_text(right, names)}]) in token_pairs"
        case m.IsAbsent(m.Var(name)) if name != "n":
            return f"{names[name]} is None"
        case m.IsAbsent(inner):
            return "True" if isinstance(inner, m.Lit) and inner.value is None else "False"
    raise TypeError(f"{condition} is no condition")


def _in_brackets(text: str) -> str:
    return text if " " not in text or _closes_at_end(text) else f"({text})"


def _closes_at_end(text: str) -> bool:
    """Whether an expression is one word with brackets around all that follows it, or in brackets itself."""
    depth = 0
    for place, character in enumerate(text):
        if character == " " and not depth:
            return False
        depth += (character in "([") - (character in ")]")
        if character in ")]" and not depth:
            return place == len(text) - 1
    return True


def _may_be_absent(term: m.Term) -> bool:
    return isinstance(term, m.Var) and term.optional


def _presence(terms: Iterable[m.Term], names: Names) -> list[str]:
    found = []
    for term in terms:
        if isinstance(term, m.Lit) and term.value is None:
            found.append("False")
        elif isinstance(term, m.Var) and term.optional:
            found.append(f"{names[term.name]} is not None")
    return found


def _comparison(relation: str, left: m.Term, right: m.Term, names: Names) -> str:
    one, two = operand(term_text(left, names)), operand(term_text(right, names))
    if relation in ("==", "!="):
        for term, other in ((left, two), (right, one)):
            match term:
                case m.Lit(None):
                    return f"{other} is None" if relation == "==" else f"{other} is not None"
                case m.Lit(bool() as value) if not _may_be_absent(left) and not _may_be_absent(right):
                    return other if value == (relation == "==") else f"not {_in_brackets(other)}"
        return f"{one} {relation} {two}"
    present = _presence((left, right), names)
    if "False" in present:
        return "False"
    return " and ".join([*present, f"{one} {relation} {two}"])


def _membership(element: m.Term, region: m.Region, names: Names) -> str:
    shown = operand(term_text(element, names))
    match region:
        case m.Var(name):
            return f"{shown} in {names[name]}"
        case m.Interval(low, high):
            present = _presence((low, high, element), names)
            if "False" in present:
                return "False"
            return " and ".join([*present, f"{term_text(low, names)} <= {shown} <= {term_text(high, names)}"])
        case m.Without(left, m.ListTerm(elements)) if all(isinstance(e, m.TupleTerm) for e in elements):
            inside = _membership(element, left, names)
            pairs = [e.terms for e in elements if isinstance(e, m.TupleTerm)]
            taken = [_membership(element, m.Interval(low, high), names) for low, high in pairs]
            return " and ".join([_in_brackets(inside), *(f"not {_in_brackets(o)}" for o in taken)])
        case m.Without(left, m.Var() | m.ListTerm() as listed):
            inside = _membership(element, left, names)
            return f"{_in_brackets(inside)} and not in_some({shown}, {term_text(listed, names)})"
        case m.Without(left, m.Interval() as right):
            inside = _membership(element, left, names)
            outside = _membership(element, right, names)
            return f"{_in_brackets(inside)} and not {_in_brackets(outside)}"
    raise TypeError(f"{region} is no region")
