"""Resolves sequences of labels, what single names and starred ones stand for, the dot; and matches of labels."""

from __future__ import annotations

from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.scope import Scope, with_article
from schemata.language.source import Span

__all__ = ["is_about_labels", "label", "matches", "sequence"]

Part = m.Var | m.Any | m.Splice | m.Run


def is_about_labels(kind: m.Type | None) -> bool:
    """Whether values of a type are labels or sequences of them, or have such parts."""
    if kind is None:
        return False
    return kind.kind in ("label", "labels", "dotted labels") or any(map(is_about_labels, kind.arguments))


def sequence(scope: Scope, term: s.Sequence, expected: m.Type | None, binding: bool) -> m.Term:
    """Resolve `*a . x *b`: a pattern where `binding`, else an expression."""
    dots = len(term.parts) - 1
    if expected is not None and expected.kind == "optional":
        expected = expected.arguments[0]
    if expected is None or expected.kind not in ("labels", "dotted labels"):
        wanted = with_article(str(expected)) if expected is not None else "a value"
        hint = "commas separate terms; a sequence is a value of a field of labels"
        return scope.error(term.span, "wrong-type", "this is a sequence of labels", wanted, hint)
    wanted_dots = int(expected.kind == "dotted labels")
    if dots != wanted_dots:
        shown = "*a . *b" if wanted_dots else "x *a"
        return scope.error(
            term.span, "wrong-arity", f"this sequence has {_count(dots)}, not {_count(wanted_dots)}", shown
        )
    stays = _stays(scope, term, binding)
    if stays is None:
        return m.Any()
    sides = [[_part(scope, part, binding) for part in side] for side in term.parts]
    if binding:
        for side, written in zip(sides, term.parts, strict=True):
            starred = [w for w, p in zip(written, side, strict=True) if isinstance(p, m.Splice | m.Run)]
            if len(starred) > 1:
                return scope.error(
                    starred[1].span,
                    "pattern",
                    "where one of these ends and the other begins is open",
                    "one starred name between the ends of a sequence and its dot",
                )
    parts = tuple(part for side in sides for part in side)
    return m.Labels(parts, len(sides[0]) if dots else None, stays)


def _count(dots: int) -> str:
    return f"{dots or 'no'} dot{'s' * (dots != 1)}"


def _stays(scope: Scope, term: s.Sequence, binding: bool) -> bool | None:
    """Whether a sequence has `x@` before its dot; None, with a finding, where it has one elsewhere."""
    found = [part for side in term.parts for part in side if isinstance(part, s.Stays)]
    if not found:
        return False
    first = term.parts[0]
    if binding:
        problem = "a pattern moves no dot"
    elif len(term.parts) == 1 or found[0] is not first[-1] or len(found) > 1:
        problem = f"{found[-1].span.text} stands not before the dot"
    else:
        return True
    scope.error(found[-1].span, "pattern", problem, "x@ right before the dot of a consequent")
    return None


def _part(scope: Scope, part: s.Name | s.Star | s.Wildcard | s.Stays, binding: bool) -> Part:
    match part:
        case s.Stays(name):
            part = name
        case s.Wildcard(span) if not binding:
            return scope.error(span, "wildcard", "_ has no value here", "a label", "_ only matches")
        case s.Wildcard():
            return m.Any()
        case s.Star("_", span):
            if not binding:
                scope.error(span, "wildcard", "*_ has no value here", "labels", "*_ only matches")
            return m.Run(m.Any())
        case s.Star(name, span):
            value = scope.name(s.Name(name, span), m.LABELS, binding)
            return m.Splice(value.name) if isinstance(value, m.Var) else m.Run(m.Any())
    value = scope.name(part, m.LABEL, binding)
    return value if isinstance(value, m.Var) else m.Any()


def label(scope: Scope, term: s.Term) -> m.Term:
    """Resolve one side of `x ~ y`: a label, or a sequence with a dot, which stands for the label at the dot."""
    if isinstance(term, s.Sequence):
        found = sequence(scope, term, m.DOTTED_LABELS, binding=False)
        return m.AtDot(found) if isinstance(found, m.Labels) else m.Any()
    if isinstance(term, s.Name):
        return scope.name(term, m.LABEL, False)
    return scope.error(term.span, "wrong-type", f"{_shown(term.span)} is no label", "a label of a sequence")


def matches(scope: Scope, term: s.Matches) -> m.Matches:
    """Resolve `x ~ y`."""
    return m.Matches(label(scope, term.left), label(scope, term.right))


def _shown(span: Span) -> str:
    return span.text if len(span.text) < 30 else "this"
