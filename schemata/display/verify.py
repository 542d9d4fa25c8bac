"""A verdict in words, with its counterexamples drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from schemata.analysis.built_structures import Application
from schemata.analysis.grammars_under_test import GrammarUnderTest, LinkGrammar, RuleGrammar
from schemata.analysis.verdict import Incomplete, Recognition, Unsound, Verdict
from schemata.display.arcs import draw_arcs, draw_links

__all__ = ["answer_text", "named", "recognition_text", "reference", "stopped_text", "verdict_text"]


def verdict_text(verdict: Verdict, *, width: int = 80, ascii: bool = False) -> str:
    """Return what `schemata verify NAME --class CLASS` prints."""
    trees = f"{verdict.class_name} trees" if verdict.class_name != "all" else "all trees"
    roots = "" if verdict.single_root else ", several words may hang under node 0"
    lines = [
        f"{named(verdict.schema, verdict.parameters)}: {trees} of at most {verdict.max_n} words{roots}",
        "",
        f"  complete  {answer_text(verdict.complete, verdict.complete_to)}",
        f"  sound     {answer_text(verdict.sound, verdict.sound_to)}",
        "",
        *_ranges(verdict),
    ]
    if verdict.incomplete is not None:
        lines += [
            "",
            *_incomplete(reference(verdict.schema, verdict.parameters), verdict.incomplete, width, ascii),
        ]
    if verdict.unsound is not None:
        lines += ["", *_unsound(verdict.unsound, width, ascii)]
    return "\n".join(lines)


def recognition_text(found: Recognition, *, width: int = 80, ascii: bool = False) -> str:
    """Return what `schemata verify NAME` prints without a class."""
    lines = [f"{named(found.schema, found.parameters)}: which classes of trees does it parse exactly?", ""]
    if found.unsound is not None:
        lines.append("  none: it is unsound whatever the class")
    elif not found.consistent:
        lines.append(f"  none of the known classes, by its trees of at most {found.max_n} words")
    else:
        lines.append(f"  {', '.join(found.consistent)}")
        lines.append(f"  as far as {found.covered} words tell")
        if len(found.consistent) > 1:
            lines.append("  (these classes are the same so far; a greater --max-n may tell them apart)")
    if found.counts:
        lines += ["", "  trees by number of words: " + ", ".join(f"{c:,}" for c in found.counts)]
    if found.stopped:
        lines += ["", f"  {stopped_text(found.stopped)}"]
    if found.unsound is not None:
        lines += ["", *_unsound(found.unsound, width, ascii)]
    return "\n".join(lines)


def named(schema: str, parameters: Mapping[str, int]) -> str:
    """Return a schema's name with its parameters, as people read it."""
    settings = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    return f"{schema} ({settings})" if settings else schema


def reference(schema: str, parameters: Mapping[str, int]) -> str:
    """Return a schema as the command line takes it."""
    settings = ",".join(f"{name}={value}" for name, value in parameters.items())
    return f"{schema}:{settings}" if settings else schema


def answer_text(answer: bool | None, covered: int) -> str:
    """Return an answer with the length to which it is yes."""
    if answer is None:
        return f"unknown (yes to {covered} words)" if covered else "unknown"
    return f"yes, to {covered} words" if answer else "no"


def stopped_text(reason: str) -> str:
    """Say what stopped a verification."""
    if reason == "interrupt":
        return "interrupted: this is what was known by then"
    what = {"structures": "structures", "steps": "step instances"}.get(reason, reason)
    return f"stopped by the budget of {what} of a single run"


def _ranges(verdict: Verdict) -> list[str]:
    """Say what was tried."""
    lines = [f"exhaustive in trees to {verdict.max_n} words" if verdict.stopped is None
             else f"exhaustive in trees to {verdict.complete_to} words"]  # fmt: skip
    if verdict.unsound is None:
        if verdict.every_grammar:
            lines.append("soundness: under every grammar (one run under all links decides them all)")
        else:
            lines.append(
                "soundness: under each tree as grammar, a grammar of all trees, and "
                + ("every grammar to 3 words, random ones beyond" if verdict.max_n > 3 else "every grammar")
                if verdict.grammar_kind == "d-rules"
                else "soundness: under the rules of each tree, of all projective trees, and random rules"
            )
    if verdict.random is not None:
        r = verdict.random
        skipped = f" ({r.skipped} undecided within the budget)" if r.skipped else ""
        lines.append(
            f"random: {r.trees} trees and {r.grammars} grammars of {r.words[0]}..{r.words[1]} words, "
            f"seed {verdict.seed}{skipped}"
        )
    if verdict.stopped:
        lines.append(stopped_text(verdict.stopped))
    return lines


def _words(n: int) -> list[str]:
    return [f"w{i}" for i in range(1, n + 1)]


def _incomplete(schema: str, found: Incomplete, width: int, ascii: bool) -> list[str]:
    words = _words(len(found.heads))
    spelt = ",".join(map(str, found.heads))
    lines = [
        f"Incomplete: under its own grammar the tree {' '.join(map(str, found.heads))} is not derived",
        "",
        draw_arcs(words, found.heads, width=width, ascii=ascii),
        "",
    ]
    if found.accepted:
        lines.append("A final item is derived, but it does not contain this tree.")
    if found.pieces:
        lines.append("As far as it gets (items that no step takes further):")
        wide = max(len(piece.item) for piece in found.pieces)
        lines += [f"  {p.item:<{wide}}  {_links(p.links)}".rstrip() for p in found.pieces]
    else:
        lines.append("No item is derived that no step takes further.")
    if found.missing:
        lines.append(f"Never built: {_links(found.missing)}")
    else:
        lines.append("Every link of the tree is built somewhere, but no step puts the pieces together.")
    if found.nearest:
        lines.append("What would have to be put together, as near as it gets:")
        wide = max(len(piece.item) for piece in found.nearest)
        lines += [f"  {p.item:<{wide}}  {_links(p.links)}" for p in found.nearest]
    lines.append(f'Try: schemata run {schema} "{" ".join(words)}" --grammar heads:{spelt}')
    return lines


def _unsound(found: Unsound, width: int, ascii: bool) -> list[str]:
    words = _words(found.grammar.n)
    lines = [f"Unsound: {found.fault}", "", *_grammar(found.grammar)]
    drawn = [link for link in found.links if link[0] != link[1]]
    if drawn:
        lines += ["", draw_links(words, drawn, width=width, ascii=ascii)]
    if found.derivation:
        lines += ["", "Derived by", *_derivation(found.derivation)]
    return lines


def _grammar(grammar: GrammarUnderTest) -> list[str]:
    n = f"{grammar.n} word{'s' * (grammar.n != 1)}"
    if isinstance(grammar, LinkGrammar):
        return [f"{n}, licensed: {_links(sorted(grammar.pairs)) or 'nothing'}"]
    if isinstance(grammar, RuleGrammar):
        rules = ", ".join(map(str, grammar.rules))
        categories = ", ".join("/".join(sorted(names)) for names in grammar.categories)
        return [
            f"{n} of the categories {categories}, root {'/'.join(sorted(grammar.roots))}",
            f"rules {rules}",
        ]
    return [f"{n}, the rules of the tree {' '.join(map(str, grammar.heads))}"]


def _derivation(steps: Iterable[Application]) -> list[str]:
    lines = []
    for number, step in enumerate(steps, start=1):
        built = f"   {_links(step.links)}" if step.links else ""
        above = ", ".join([*step.antecedents, *(f"given {item}" for item in step.contexts)]) or "nothing"
        lines.append(f"  {number}. {step.step}: {above} |- {step.consequent}{built}")
    return lines


def _links(links: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{d} under {h}" for d, h in links)
