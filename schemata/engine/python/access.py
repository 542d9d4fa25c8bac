"""What is known of a partner before it is looked up: which part of it is a key, which a guard, which is open."""

from __future__ import annotations

from schemata.engine.python.bindings import Bindings
from schemata.engine.python.indexes import Access
from schemata.engine.python.label_expressions import is_open
from schemata.engine.python.label_keys import add_label_keys
from schemata.language import model as m
from schemata.language.typeset import term_text

__all__ = ["access_to", "is_value"]


def access_to(bindings: Bindings, pattern: m.Pattern, form: m.Form, tag: str = "") -> Access:
    """Return what is known of an item of a form that is to match a pattern; the tag tells its loops from others."""
    found = Access([], [], [], [])
    guards, key, values, payload = found.guards, found.key, found.values, found.open_fields
    for k, term in enumerate(pattern.terms):
        place = "{" + str(k) + "}"
        match term:
            case m.Any():
                continue
            case m.Lit(None):
                guards.append(f"{place} is None")
            case m.Lit(True):
                guards.append(place)
            case m.Lit(False):
                guards.append(f"{place} is False")
            case m.Lit(value):
                guards.append(f"{place} == {value!r}")
            case m.ListTerm(()):
                guards.append(f"{place} == ()")
            case m.Labels(()):
                guards.append(f"{place} == {bindings.text(term)}")
            case _ if is_value(term) and bindings.is_bound(term):
                key.append(place)
                values.append(bindings.text(term))
                found.told.append((place, term_text(term)))
            case m.Labels():
                add_label_keys(bindings, place, term, found, tag)
                payload.append(k)
            case _:
                _inner(bindings, place, term, form.fields[k].type, found)
                payload.append(k)
    return found


def _inner(bindings: Bindings, place: str, term: m.Term, kind: m.Type, found: Access) -> None:
    """Add the known parts of a list or tuple pattern: its first and last elements, a tuple's parts."""
    match term:
        case m.TupleTerm(parts):
            if kind.kind == "optional":
                found.guards.append(f"{place} is not None")
            for k, (part, inner) in enumerate(zip(parts, kind.parts, strict=True)):
                _part(bindings, f"{place}[{k}]", part, inner, found)
        case m.ListTerm(elements):
            inner = kind.arguments[0]
            stars = [k for k, e in enumerate(elements) if isinstance(e, m.Splice | m.Run)]
            fixed = len(elements) - len(stars)
            if not stars:
                found.guards.append(f"len({place}) == {fixed}")
            elif fixed:
                found.guards.append(f"len({place}) >= {fixed}")
            first, last = (stars[0], stars[-1]) if stars else (len(elements), -1)
            for k in range(first):
                _part(bindings, f"{place}[{k}]", elements[k], inner, found)
            if stars:
                for k in range(last + 1, len(elements)):
                    _part(bindings, f"{place}[{k - len(elements)}]", elements[k], inner, found)


def _part(bindings: Bindings, place: str, part: m.Term, kind: m.Type, found: Access) -> None:
    match part:
        case m.TupleTerm() | m.ListTerm():
            _inner(bindings, place, part, kind, found)
        case m.Lit(True):
            found.guards.append(place)
        case m.Lit(False):
            found.guards.append(f"{place} is False")
        case m.Lit(str() | int() as value):
            found.guards.append(f"{place} == {value!r}")
        case _ if is_value(part) and bindings.is_bound(part):
            found.key.append(place)
            found.values.append(bindings.text(part))
            found.told.append((place, term_text(part)))


def is_value(term: m.Term) -> bool:
    """Whether a term stands for one value once its variables are bound."""
    match term:
        case m.Any() | m.Run():
            return False
        case m.Labels():
            return not is_open(term.parts)
        case m.TupleTerm(parts) | m.ListTerm(parts):
            return all(is_value(p) for p in parts)
    return True
