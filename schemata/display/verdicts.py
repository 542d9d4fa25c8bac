"""Verdicts in words, with their counterexamples drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from schemata.display.arc_layout import links_picture, links_text, tree_picture
from schemata.display.arcs import arcs_text, structure_text
from schemata.display.derivations import derivation_text, side_by_side, step_text
from schemata.display.terminal import Page
from schemata.forest.derivations import Derivation
from schemata.structures import Linkage
from schemata.verification.constituents import ConstituentCase
from schemata.verification.grammars import GrammarUnderTest, LicensedLinks, RuleGrammar, TreeRules
from schemata.verification.trees import Structure
from schemata.verification.verdicts import (
    Ambiguous,
    ConstituentVerdict,
    Incomplete,
    LinkageVerdict,
    MissedLinkage,
    Piece,
    Recognition,
    Unsound,
    UnsoundLinks,
    Verdict,
)
from schemata.wording import named, quantity, reference

if TYPE_CHECKING:
    from schemata.relations.repair import Repairs

_PAGE = Page()
_PIECES = 10  # items over linkages that no step takes further: how many are shown


def verdict_text(verdict: Verdict, page: Page = _PAGE) -> str:
    """Return what `schemata verify NAME --class CLASS` prints."""
    trees = f"{verdict.class_name} trees" if verdict.class_name != "all" else "all trees"
    roots = "" if verdict.single_root else ", several words may hang under node 0"
    lines = [
        f"{named(verdict.schema, verdict.parameters)}: {trees} of at most {quantity(verdict.max_n, 'word')}{roots}",
        "",
        f"  complete   {answer_text(verdict.complete, verdict.complete_to)}",
        f"  sound      {answer_text(verdict.sound, verdict.sound_to)}",
        f"  each once  {answer_text(verdict.each_once, verdict.once_to)}",
        "",
        *_ranges(verdict),
    ]
    return "\n".join([*lines, *_counterexamples(verdict, page)])


def recognition_text(recognition: Recognition, page: Page = _PAGE) -> str:
    """Return what `schemata verify NAME` prints without a class."""
    lines = [
        f"{named(recognition.schema, recognition.parameters)}: which classes of trees does it parse exactly?",
        "",
    ]
    if recognition.unsound is not None:
        lines.append("  none: it is unsound whatever the class")
    elif not recognition.consistent:
        lines.append(
            f"  none of the known classes, by its trees of at most {quantity(recognition.max_n, 'word')}"
        )
    else:
        lines += [
            f"  {', '.join(recognition.consistent)}",
            f"  as far as {quantity(recognition.covered, 'word')} tell",
        ]
        if len(recognition.consistent) > 1:
            lines.append("  (these classes are the same so far; a greater --max-n may tell them apart)")
    if recognition.counts:
        lines += ["", "  trees by number of words: " + ", ".join(f"{c:,}" for c in recognition.counts)]
    lines += ["", f"  each once: {answer_text(recognition.each_once, recognition.once_to)}"]
    if recognition.stopped:
        lines += ["", f"  {_stopped(recognition.stopped)}"]
    return "\n".join([*lines, *_counterexamples(recognition, page)])


def constituent_verdict_text(verdict: ConstituentVerdict, page: Page = _PAGE) -> str:
    """Return what `schemata verify NAME` prints for a context-free schema."""
    lines = [
        f"{named(verdict.schema, verdict.parameters)}: constituent trees of at most {quantity(verdict.max_n, 'word')}",
        "",
        f"  each once  {answer_text(verdict.each_once, verdict.once_to)}",
        "",
        f"{quantity(verdict.grammars, 'small grammar')} with a sentence each, {quantity(verdict.trees, 'tree')}, "
        f"seed {verdict.seed}",
    ]
    if verdict.stopped:
        lines.append(_stopped(verdict.stopped))
    return "\n".join([*lines, *_counterexamples(verdict, page)])


def linkage_verdict_text(verdict: LinkageVerdict, page: Page = _PAGE, schema: str | None = None) -> str:
    """Return what `schemata verify NAME` prints for a Link Grammar schema.

    Parameters
    ----------
    verdict : the verdict.
    page : what it is printed on.
    schema : how the schema was named, if not by its name: its path.
    """
    what = verdict.class_name.replace("-", " ")
    dictionaries = quantity(verdict.dictionaries, "dictionary", "dictionaries")
    words = quantity(verdict.max_n, "word")
    beyond = f", {verdict.beyond} of them of more than {words}" if verdict.beyond else ""
    lines = [
        f"{named(verdict.schema, verdict.parameters)}: {what} of at most {words}",
        "",
        f"  complete           {answer_text(verdict.complete, verdict.complete_to)}",
        f"  sound              {answer_text(verdict.sound, verdict.sound_to)}",
        f"  each linkage once  {answer_text(verdict.each_once, verdict.once_to)}",
        "",
        f"against brute force: {dictionaries} with a sentence each{beyond},",
        f"{quantity(verdict.linkages, 'linkage')}, seed {verdict.seed}",
    ]
    if verdict.skipped:
        lines.append(f"{verdict.skipped} undecided within the budget")
    if verdict.stopped:
        lines.append(_stopped(verdict.stopped))
    for found in (verdict.missed, verdict.unsound, verdict.ambiguous):
        match found:
            case None:
                continue
            case MissedLinkage():
                title, about = "Incomplete: this linkage is not derived", _missed(found, page)
            case UnsoundLinks():
                title, about = f"Unsound: {found.fault}", _unsound_links(found, page)
            case Ambiguous():
                title = f"Not once: this linkage is derived {_times(found)}"
                about = _evidence(found, page)
        words, dictionary = " ".join(found.case.words), found.case.to_dictionary().splitlines()
        lines += ["", title, "", f'"{words}" with the dictionary', "", *(f"  {line}" for line in dictionary)]
        name = reference(schema or verdict.schema, verdict.parameters)
        lines += [*about, "", f'Try: schemata run {name} "{words}" --grammar FILE.dict --unpruned']
    return "\n".join(lines)


def repairs_text(repairs: Repairs, *, schema: str) -> str:
    """Return what `schemata verify --repair` prints of a search for repairs; `schema` names the original."""
    counts = {
        "comparison": ("choice of comparisons", "choices of comparisons"),
        "flag": ("table of flags", "tables of flags"),
    }
    tried = " and ".join(quantity(number, *counts[way]) for way, number in repairs.tried.items())
    tried += f" tried; {repairs.refused:,} of them only seemed right" if repairs.refused else " tried"
    if repairs.found is None:
        lines = [f"No repair found: {tried}"]
        if repairs.left_out:
            forms = ", ".join(repairs.left_out)
            lines.append(f"Items of {forms} have normal forms; neither way is tried on them")
        return "\n".join([*lines, *([_stopped(repairs.stopped)] if repairs.stopped else [])])
    found = repairs.found
    by = {"comparison": "by a comparison", "flag": "by a flag"}[found.way]
    verdict = found.verdict
    answers = ("complete", verdict.complete), ("sound", verdict.sound), ("each once", verdict.each_once)
    said = ", ".join(name if answer else f"not {name}" for name, answer in answers)
    lines = [
        f"Repaired {by} ({tried}):",
        "",
        found.text,
        f"{found.name} for {verdict.class_name} trees: {said}, to {quantity(verdict.max_n, 'word')}",
        f"a static filter of {schema}, to {quantity(found.relation.extent.max_n, 'word')}",
        *(f"({note})" for note in found.relation.notes),
    ]
    return "\n".join(lines)


def answer_text(answer: bool | None, covered: int) -> str:
    """Return an answer with the length to which it is yes."""
    if answer is None:
        return f"unknown (yes to {quantity(covered, 'word')})" if covered else "unknown"
    return f"yes, to {quantity(covered, 'word')}" if answer else "no"


def _stopped(reason: str) -> str:
    """Say what stopped a verification."""
    if reason == "interrupt":
        return "interrupted: this is what was known by then"
    of_a_run = {"structures": "structures of a single run", "steps": "step instances of a single run"}
    return f"stopped by the budget of {of_a_run.get(reason, reason)}"


def _ranges(verdict: Verdict) -> list[str]:
    """Say what was tried."""
    covered = verdict.max_n if verdict.stopped is None else verdict.complete_to
    lines = [f"exhaustive in trees to {quantity(covered, 'word')}"]
    if verdict.unsound is None:
        if verdict.every_grammar:
            how = "every grammar (one run under all links decides them all)"
        elif verdict.grammar_kind != "d-rules":
            how = "the rules of each tree, of all projective trees, and random rules"
        else:
            how = "each tree as grammar, a grammar of all trees, and every grammar"
            how += " to 3 words, random ones beyond" if verdict.max_n > 3 else ""
        lines.append(f"soundness: under {how}")
    if verdict.random is not None:
        r = verdict.random
        skipped = f" ({r.skipped} undecided within the budget)" if r.skipped else ""
        lines.append(
            f"random: {quantity(r.trees, 'tree')} and {quantity(r.grammars, 'grammar')} "
            f"of {r.words[0]}..{r.words[1]} words, seed {verdict.seed}{skipped}"
        )
    return [*lines, _stopped(verdict.stopped)] if verdict.stopped else lines


# Counterexamples -------------------------------------------------------------------------------------------


def _counterexamples(verdict: Verdict | Recognition | ConstituentVerdict, page: Page) -> Iterator[str]:
    schema = reference(verdict.schema, verdict.parameters)
    for fault in ("incomplete", "unsound", "ambiguous"):
        match getattr(verdict, fault, None):
            case Incomplete() as missed:
                yield from ("", *_incomplete(schema, missed, page))
            case Unsound() as example:
                yield from ("", *_unsound(example, page))
            case Ambiguous() as example:
                yield from ("", *_ambiguous(schema, example, page))


def _words(n: int) -> list[str]:
    return [f"w{i}" for i in range(1, n + 1)]


def _incomplete(schema: str, missed: Incomplete, page: Page) -> list[str]:
    words = _words(len(missed.heads))
    lines = [
        f"Incomplete: under its own grammar the tree {' '.join(map(str, missed.heads))} is not derived",
        "",
        arcs_text(tree_picture(words, missed.heads), width=page.width, ascii=page.ascii),
        "",
        *_derived_instead("tree", missed.accepted, _pieces(missed.pieces), links_text(missed.missing)),
    ]
    if missed.nearest:
        lines += ["Two items that together come nearest to the tree:", *_pieces(missed.nearest)]
    heads = ",".join(map(str, missed.heads))
    return [*lines, f'Try: schemata run {schema} "{" ".join(words)}" --grammar heads:{heads}']


def _missed(missed: MissedLinkage, page: Page) -> list[str]:
    never = ", ".join(f"{link.left}-{link.right} {link.label}" for link in missed.never_built)
    pieces = [f"  {piece}" for piece in missed.pieces[:_PIECES]]
    if len(missed.pieces) > _PIECES:
        pieces.append(f"  and {len(missed.pieces) - _PIECES:,} more")
    instead = _derived_instead("linkage", missed.accepted, pieces, never)
    return ["", structure_text(None, missed.linkage, page), "", *instead]


def _derived_instead(what: str, accepted: bool, pieces: list[str], never_built: str) -> list[str]:
    """Say how near a schema comes to a structure that it misses."""
    lines = [f"A final item is derived, but it does not contain this {what}."] if accepted else []
    if pieces:
        lines += ["The farthest items (no step uses them):", *pieces]
    elif what == "tree":
        lines.append("No item is derived that no step takes further.")
    if never_built:
        return [*lines, f"Never built: {never_built}"]
    return [*lines, f"Every link of the {what} is built somewhere, but no step puts the pieces together."]


def _pieces(pieces: Sequence[Piece]) -> list[str]:
    wide = max((len(piece.item) for piece in pieces), default=0)
    return [f"  {piece.item:<{wide}}  {links_text(piece.links)}".rstrip() for piece in pieces]


def _unsound(example: Unsound, page: Page) -> list[str]:
    lines = [f"Unsound: {example.fault}", "", *_grammar(example.grammar)]
    drawn = [link for link in example.links if link[0] != link[1]]
    if drawn:
        picture = links_picture(_words(example.grammar.n), drawn)
        lines += ["", arcs_text(picture, width=page.width, ascii=page.ascii)]
    if example.derivation:
        lines += ["", "Derived by"]
    for number, step in enumerate(example.derivation, start=1):
        built = f"   {links_text(step.links)}" if step.links else ""
        above = ", ".join([*step.antecedents, *(f"given {item}" for item in step.contexts)]) or "nothing"
        lines.append(f"  {number}. {step.step}: {above} |- {step.consequent}{built}")
    return lines


def _unsound_links(example: UnsoundLinks, page: Page) -> list[str]:
    lines = []
    if example.linkage is not None:
        lines += ["", structure_text(None, example.linkage, page)]
    elif example.links:
        drawn = [(link.left + 1, link.right + 1, link.label) for link in example.links]
        picture = links_picture(example.case.words, drawn, directed=False, first_number=0)
        lines += ["", arcs_text(picture, width=page.width, ascii=page.ascii, numbers=True)]
    if example.derivation is not None:
        lines += ["", "Derived by", derivation_text(example.derivation, width=page.width, ascii=page.ascii)]
    return lines + _cycle(example.cycle)


def _ambiguous(schema: str, example: Ambiguous, page: Page) -> list[str]:
    """Say which structure has several derivations, and under which grammar."""
    case, structure = example.case, example.structure
    if isinstance(case, ConstituentCase):
        rules = ", ".join(f"{lhs} -> {' '.join(body)}" for lhs, body in case.rules)
        lines = [f"Not once: {structure or 'a tree'} is derived {_times(example)}", "", f"rules {rules}"]
        lines += [f"words {', '.join(map(' is '.join, zip(case.words, case.categories, strict=True)))}"]
        return lines + _evidence(example, page)
    assert isinstance(structure, Structure)
    tree = (
        "these links are" if structure.heads is None else f"the tree {' '.join(map(str, structure.heads))} is"
    )
    lines = [f"Not once: {tree} derived {_times(example)}", ""]
    own = isinstance(case, TreeRules) or (
        isinstance(case, LicensedLinks) and structure.heads and case == LicensedLinks.of_tree(structure.heads)
    )
    if not own:
        lines += [*_grammar(case), ""]
    drawn = [link for link in structure.links if link[0] != link[1]]
    if structure.heads:
        lines.append(
            arcs_text(tree_picture(_words(case.n), structure.heads), width=page.width, ascii=page.ascii)
        )
    elif drawn:
        lines.append(arcs_text(links_picture(_words(case.n), drawn), width=page.width, ascii=page.ascii))
    lines += _evidence(example, page)
    if own and structure.heads:
        words, heads = " ".join(_words(case.n)), ",".join(map(str, structure.heads))
        lines += ["", f'Try: schemata run {schema} "{words}" --grammar heads:{heads} --derivations 2']
    return lines


def _times(example: Ambiguous) -> str:
    return {2: "twice", math.inf: "endlessly often"}.get(example.count, f"{example.count:,} times")


def _evidence(example: Ambiguous, page: Page) -> list[str]:
    """Show two derivations side by side, or one and what makes them endless."""
    lines = []
    if isinstance(example.structure, Linkage):
        lines += ["", structure_text(None, example.structure, page)]
    if len(example.derivations) == 1:
        lines += [
            "",
            "Derived by",
            derivation_text(example.derivations[0], width=page.width, ascii=page.ascii),
        ]
    elif example.derivations:
        first, second = example.derivations
        lines += ["", "Two derivations, step by step; > marks the first step in which they differ"]
        lines += [side_by_side(first, second, example.first_difference or 0, page)]
    return lines + _cycle(example.cycle)


def _cycle(step: Derivation | None) -> list[str]:
    if step is None:
        return []
    above = ", ".join(str(child.item) for child in step.children)
    return ["", "An item helps to derive itself:", f"  {step_text(step)}", f"  {above} |- {step.item}"]


def _grammar(grammar: GrammarUnderTest) -> list[str]:
    n = quantity(grammar.n, "word")
    if isinstance(grammar, LicensedLinks):
        return [f"{n}, licensed: {links_text(sorted(grammar.pairs)) or 'nothing'}"]
    if isinstance(grammar, RuleGrammar):
        categories = ", ".join("/".join(sorted(names)) for names in grammar.categories)
        return [
            f"{n} of the categories {categories}, root {'/'.join(sorted(grammar.roots))}",
            f"rules {', '.join(map(str, grammar.rules))}",
        ]
    return [f"{n}, the rules of the tree {' '.join(map(str, grammar.heads))}"]
