"""Linear terms and tests as kernel text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemata.language import typeset
from schemata.program.linear import Affine, AnyOf, Linear, variable


def term_text(term: Affine, names: Mapping[str, str], symbols: Sequence[str] = ()) -> str:
    """Return a term; `names` are the locals of variables (``n`` stays), symbol constants become their number."""
    numbers = sum(k * symbols.index(x[1:-1]) for x, k in term.terms if x.startswith("'"))
    parts = [("n" if x == "n" else names[x], k) for x, k in term.terms if not x.startswith("'")]
    return typeset.linear_text(term.constant + numbers, parts)


def solved_text(
    name: str, value: str, term: Affine, names: Mapping[str, str], symbols: Sequence[str] = ()
) -> tuple[str, str]:
    """Return a variable that is unknown as text, where a term has a value; with the test that it is whole, if any."""
    k = term.coefficient(name)
    rest = term_text(term - variable(name) * k, names, symbols)
    text = value if rest == "0" else f"{value} - ({rest})" if value != "0" else f"-({rest})"
    text = f"-({text})" if k < 0 else text
    return ("", text) if abs(k) == 1 else (f"({text}) % {abs(k)} == 0", f"({text}) // {abs(k)}")


def linear_text(test: Linear, names: Mapping[str, str], symbols: Sequence[str] = ()) -> str:
    """Return a linear test as a comparison with what is positive on the one side, negative on the other."""
    positive, negative = (term_text(side, names, symbols) for side in test.sides)
    return f"{positive} {test.relation} {negative}"


def condition_text(test: Linear | AnyOf, names: Mapping[str, str], symbols: Sequence[str] = ()) -> str:
    """Return a linear test, or a disjunction of conjunctions in parentheses."""
    if isinstance(test, Linear):
        return linear_text(test, names, symbols)
    options = (" and ".join(linear_text(t, names, symbols) for t in option) for option in test.options)
    return f"({' or '.join(f'({option})' for option in options)})"
