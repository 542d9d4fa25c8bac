"""Verdicts in words, with their counterexamples drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from schemata.analysis.reasons import named_position
from schemata.display import svg
from schemata.display.arc_layout import links_picture, links_text, structure_picture
from schemata.display.arcs import AnyStructure as Drawable
from schemata.display.arcs import arcs_svg, arcs_text
from schemata.display.explanations import why_not_text
from schemata.display.latex import derivation_latex
from schemata.display.structures import structure_svgs, structure_text, structures_tikz
from schemata.display.terminal import PAGE, Page, columns, wrapped
from schemata.display.trees import derivation_svg, derivation_text, side_by_side, step_text
from schemata.forest.derivations import Derivation
from schemata.kinds import D_RULES, FACTS
from schemata.language.typeset import reference_of
from schemata.structures import DependencyGraph, DependencyTree, Linkage, Sentence
from schemata.structures.bracketings import Bracketing
from schemata.structures.constituents import AtomSet
from schemata.verification.constituents import ConstituentCase
from schemata.verification.dictionaries import LinkageCase
from schemata.verification.grammars import (
    FactGrammar,
    GrammarUnderTest,
    LicensedLinks,
    RuleGrammar,
    TreeRules,
)
from schemata.verification.items import ItemsVerdict, WrongItem
from schemata.verification.structures import SentenceCase
from schemata.verification.trees import Structure, WhyNotTree
from schemata.verification.verdicts import (
    BRACKETINGS,
    CONSTITUENTS,
    OF_ANOTHER,
    Ambiguous,
    AnyStructure,
    Between,
    LooseLinks,
    Missed,
    Recognition,
    StructureRange,
    Unsound,
    Verdict,
)
from schemata.wording import named, quantity, reference, stopped_by

if TYPE_CHECKING:
    from schemata.correctness.answers import Correctness
    from schemata.relations.repair import Repairs

_PIECES = 10  # items over linkages that no step takes further: how many are shown


def verdict_text(verdict: Verdict, page: Page = PAGE, schema: str | None = None) -> str:
    """Return the text that `schemata verify` prints; `schema` is the schema as written, if not by name:
    its path.
    """
    name, words = named(verdict.schema, verdict.parameters), quantity(verdict.max_n, "word")
    answers, known, tried = ["complete", "sound", "each once"], list[str](), list[str]()
    undecided = [f"{verdict.skipped} undecided within the budget"] * bool(verdict.skipped)
    match verdict:
        case Recognition(counts=counts):
            title = "which classes of trees does it parse exactly?"
            known, answers = _recognised(verdict), ["each once"]
            tried = ["trees by number of words: " + ", ".join(f"{c:,}" for c in counts)] * bool(counts)
        case Verdict(of=StructureRange(cases=(one, many)) as of, class_name=class_name):
            title = f"{class_name} constituent trees" if of == CONSTITUENTS else class_name.replace("-", " ")
            title += f" of at most {words}"
            beyond = f", {verdict.beyond} of them of more than {words}" if verdict.beyond else ""
            tried = [
                f"against brute force: {quantity(verdict.runs, one, many)} with a sentence each{beyond},"
            ]
            tried += [f"{quantity(verdict.structures, of.noun)}, seed {verdict.seed}", *undecided]
        case Verdict(exhaustive_to=whole) if verdict.of == OF_ANOTHER:
            title, answers = f"{verdict.class_name}, to {words}?", ["complete", "sound"]
            cases = quantity(verdict.runs, "case"), quantity(verdict.structures, "structure")
            tried = [f"{', '.join(cases)}, seed {verdict.seed}"]
            if whole is not None:
                known_to = quantity(min(whole, verdict.max_n), "word")
                every = [f"all sentences of at most {known_to}"] * bool(whole)
                if whole < verdict.max_n:
                    every.append("random sentences of each greater length, no proof for these")
                tried.append(", ".join(every))
            nothing = "neither schema derives anything in these cases, so they tell nothing: try more words (--max-n)"
            tried += [nothing] * bool(verdict.holds and not verdict.structures) + undecided
        case _:
            several = verdict.of.rooted and not verdict.single_root
            roots = ", several words may hang under node 0" if several else ""
            if verdict.of == BRACKETINGS:
                answers = answers[:2]
                known = [] if verdict.holds else _between(verdict.between, verdict.of.name)
            title, tried = (
                f"{verdict.class_name} {verdict.of.name} of at most {words}{roots}",
                _ranges(verdict),
            )
    tried += [stopped_by(verdict.stopped)] if verdict.stopped else []
    told = columns([("", answer, _answer_of(verdict, answer)) for answer in answers], page.width)
    how = reference(schema or verdict.schema, verdict.parameters)
    faults = (verdict.incomplete, verdict.unsound, verdict.ambiguous)
    examples = [block for one in faults if one is not None for block in _counterexample(how, one, page)]
    about = (
        "" if verdict.class_name or not verdict.for_every_n else f"{verdict.for_every_n.class_name} trees, "
    )
    proof = [] if verdict.for_every_n is None else _proof_lines(verdict.for_every_n, page, about)
    return _text([[f"{name}: {title}"], known, told, tried, proof, *examples])


def correctness_text(correctness: Correctness, page: Page = PAGE) -> str:
    """Return the answers for every number of words as text."""
    return _text([[f"{correctness.schema}: {correctness.class_name} trees"], _proof_lines(correctness, page)])


def _proof_lines(correctness: Correctness, page: Page, about: str = "") -> list[str]:
    once = [x for x in correctness.along if correctness.answers[x] and x not in correctness.twice]
    said = ", ".join(x.replace("_", " ") for x, answer in correctness.answers.items() if answer)
    source = "proved; the certificate is shipped" if correctness.shipped else "proved"
    lines = [f"{about}for every number of words: {said} ({source})"] if said else []
    for claims, title in ((correctness.twice, "proved twice, also"), (once, "proved")):
        lines += (
            wrapped(f"{title} along relations: {_sources(correctness, claims)}", page.width) if claims else []
        )
    if correctness.contradicted:
        wrong = ", ".join(claim.replace("_", " ") for claim in correctness.contradicted)
        message = f"error: {wrong}: it is proved for every number of words, and a run refutes it; please report this"
        lines += wrapped(message, page.width)
    for claim, heads in correctness.trees.items():
        lines.append(
            f"not {claim.replace('_', ' ')}: the tree {' '.join(map(str, heads))} of {len(heads)} words"
        )
    if correctness.reason is not None:
        message = f"{about}not proved for every number of words: {correctness.reason}"
        lines += wrapped(message, page.width)
    return lines


def _sources(correctness: Correctness, claims: Iterable[str]) -> str:
    """Return the relations along which claims come from other schemata, as text."""
    found = ((claim.replace("_", " "), correctness.along[claim]) for claim in claims)
    return "; ".join(f"{claim}, from {x.schema} by {', '.join(x.relations)}" for claim, x in found)


def _text(blocks: Iterable[Sequence[str]]) -> str:
    """Return blocks of lines as text, with a blank line between two."""
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _recognised(recognition: Recognition) -> list[str]:
    if recognition.unsound is not None:
        return ["  none: it is unsound whatever the class", *_between(recognition.between)]
    if not recognition.consistent:
        tried = quantity(recognition.max_n, "word")
        return [
            f"  none of the known classes, by its trees of at most {tried}",
            *_between(recognition.between),
        ]
    far = f"  as far as {quantity(recognition.covered, 'word')} tell"
    several = "  (these classes are the same so far; a greater --max-n may tell them apart)"
    return [f"  {', '.join(recognition.consistent)}", far, *[several] * (len(recognition.consistent) > 1)]


def _between(between: Between | None, noun: str = "trees") -> list[str]:
    """Say between which classes a schema lies; nothing where no length was settled."""
    if between is None:
        return []
    shown = (["all"] if "all" in names else names for names in (between.lower, between.upper or ()))
    lower, upper = map(", ".join, shown)  # of classes that have all trees of these lengths, one is enough
    lower = (
        f"all {'' if lower == 'all' else f'{lower} '}{noun}" if lower else f"not all {noun} of a known class"
    )
    upper = f"nothing outside {upper}" if upper else "also what is not a tree"
    upper = "perhaps others under other facts" if between.upper is None else upper
    return [f"  between classes, to {quantity(between.to, 'word')}: {lower}; {upper}"]


def repairs_text(repairs: Repairs, *, schema: str) -> str:
    """Return the text that `schemata verify --repair` prints of a search; `schema` names the original."""
    one = {"comparison": "choice of comparisons", "flag": "table of flags"}
    several = {"comparison": "choices of comparisons", "flag": "tables of flags"}
    tried = " and ".join(quantity(k, one[way], several[way]) for way, k in repairs.tried.items())
    tried += f" tried; {repairs.refused:,} of them only seemed right" if repairs.refused else " tried"
    if repairs.found is None:
        lines = [f"No repair found: {tried}"]
        if repairs.left_out:
            forms = ", ".join(repairs.left_out)
            lines.append(f"Items of {forms} have normal forms; neither way is tried on them")
        return "\n".join([*lines, *([stopped_by(repairs.stopped)] if repairs.stopped else [])])
    found, verdict = repairs.found, repairs.found.verdict
    answers = ("complete", verdict.complete), ("sound", verdict.sound), ("each once", verdict.each_once)
    said = ", ".join(name if answer else f"not {name}" for name, answer in answers)
    lines = [
        f"Repaired by a {found.way} ({tried}):",
        "",
        found.text,
        f"{found.name} for {verdict.class_name} trees: {said}, to {quantity(verdict.max_n, 'word')}",
        f"a static filter of {schema}, to {quantity(found.relation.extent.max_n, 'word')}",
        *(f"({note})" for note in found.relation.notes),
    ]
    return "\n".join(lines)


def _answer_of(verdict: Verdict, answer: str) -> str:
    name = answer.replace(" ", "_")
    return answer_text(getattr(verdict, name), getattr(verdict, f"{name.removeprefix('each_')}_to"))


def answer_text(answer: bool | None, covered: int) -> str:
    """Return an answer with the length to which it is yes."""
    if answer is None:
        return f"unknown (yes to {quantity(covered, 'word')})" if covered else "unknown"
    return f"yes, to {quantity(covered, 'word')}" if answer else "no"


def _ranges(verdict: Verdict) -> list[str]:
    """Describe the cases tried."""
    covered = verdict.max_n if verdict.stopped is None else verdict.complete_to
    lines = [f"exhaustive in {verdict.of.name} to {quantity(covered, 'word')}"]
    if verdict.unsound is None:
        if verdict.every_grammar:
            how = "every grammar (one run under all links decides them all)"
        elif verdict.grammar_kind == FACTS:
            how = "all facts over a symbol, over two symbols to 3 words, and random facts"
        elif verdict.grammar_kind != D_RULES:
            how = "the rules of each tree, of all projective trees, and random rules"
        else:
            how = "each tree as grammar, a grammar of all trees, and every grammar"
            how += " to 3 words, random ones beyond" if verdict.max_n > 3 else ""
        lines.append(f"soundness: under {how}")
    if verdict.random is not None:
        r = verdict.random
        skipped = f" ({r.skipped} undecided within the budget)" if r.skipped else ""
        tried = f"{quantity(r.trees, 'tree')} and {quantity(r.grammars, 'grammar')}"
        words = f"{r.words[0]}..{r.words[1]} words"
        lines.append(f"random: {tried} of {words}, seed {verdict.seed}{skipped}")
    return lines


def counterexample_svgs(
    verdict: Verdict, schema: str | None = None, *, width: int | None = svg.WIDTH
) -> list[str]:
    """Return each counterexample of a verdict as SVG: the fault, its case, the structure, and its derivations.

    Parameters
    ----------
    verdict : the verdict.
    schema : the schema as written, if not by name.
    width : the available columns; None for as many as needed.
    """
    how, found = reference(schema or verdict.schema, verdict.parameters), []
    page = Page(width or svg.WIDTH)
    for example in (verdict.incomplete, verdict.unsound, verdict.ambiguous):
        if example is not None:
            (title,), *blocks = _counterexample(how, example, page)
            case = case_lines(example.case)
            lines = [*wrapped(title, page.width), *(case if case in blocks else [])]
            found.append(svg.stacked([svg.paragraph(lines), *_example_svgs(example, width)]))
    return found


def counterexample_tikz(verdict: Verdict, schema: str | None = None) -> list[str]:
    """Return each counterexample of a verdict as a fragment of LaTeX: its structure, if it can be drawn, and its
    derivations as proof trees; the fault is a comment.

    Parameters
    ----------
    verdict, schema : as for `counterexample_svgs`.
    """
    how, found = reference(schema or verdict.schema, verdict.parameters), []
    for example in (verdict.incomplete, verdict.unsound, verdict.ambiguous):
        if example is not None:
            (title,), *_ = _counterexample(how, example, PAGE)
            drawn = structure_of(example)
            pictures = []
            if drawn is not None and not isinstance(drawn[0], AtomSet):
                structure, sentence = drawn
                pictures = [structures_tikz(sentence, [structure])]
            found.append(
                "\n".join([f"% {title}", *pictures, *map(derivation_latex, derivations_of(example))]) + "\n"
            )
    return found


def _example_svgs(example: Missed | Unsound | Ambiguous, width: int | None) -> Iterator[str]:
    """Yield the picture of a counterexample's structure, if it can be drawn, and those of its derivations."""
    picture = structure_svg(example, width)
    if picture is not None:
        yield picture
    for derivation in derivations_of(example):
        yield derivation_svg(derivation, width=width)


def structure_svg(example: Missed | Unsound | Ambiguous, width: int | None = svg.WIDTH) -> str | None:
    """Return the picture of a counterexample's structure; None if it is not one that can be drawn."""
    drawn = structure_of(example)
    if drawn is not None:
        structure, sentence = drawn
        return structure_svgs(sentence, [structure], width=width)[0]
    match example.structure:
        case LooseLinks(links=[_, *_] as links, linkage=None):
            ends = [(link.left + 1, link.right + 1, link.label) for link in links]
            return arcs_svg(
                links_picture(example.case.words, ends, directed=False, first_number=0), width=width
            )
    return None


def structure_of(example: Missed | Unsound | Ambiguous) -> tuple[Drawable, Sentence | None] | None:
    """Return the structure of a counterexample with its sentence; None if it is not one that can be drawn."""
    case = example.case
    words = Sentence(tuple(getattr(case, "words", None) or (f"w{k}" for k in range(1, case.n + 1))))
    match example.structure:
        case Linkage() as linkage:
            return linkage, None
        case LooseLinks(linkage=linkage):
            return None if linkage is None else (linkage, None)
        case AnyStructure(Bracketing() as found):
            return None if found.fault else (found.tree, words)
        case AnyStructure(value):
            return (value, words) if isinstance(value, Drawable) else None
        case Structure(heads=None, links=links):
            graph = DependencyGraph(case.n, [link for link in links if link[0] != link[1]])
            return (graph, words) if graph.links else None
        case Structure(heads=tuple(heads)):
            return DependencyTree(heads), words
    return None


def derivations_of(example: Missed | Unsound | Ambiguous) -> tuple[Derivation, ...]:
    """Return the derivations of a counterexample that are trees of items."""
    match example:
        case Unsound(derivation=Derivation() as derivation):
            return (derivation,)
        case Ambiguous(derivations=derivations):
            return derivations
    return ()


def applied_lines(example: Missed | Unsound | Ambiguous) -> list[str]:
    """Return the steps that derive an unsound structure, one on each line; none if they are a `Derivation`."""
    lines = []
    applied = example.derivation if isinstance(example, Unsound) else None
    for step in applied if isinstance(applied, tuple) else ():
        built = f"   {links_text(step.links)}" if step.links else ""
        above = ", ".join([*step.antecedents, *(f"given {item}" for item in step.contexts)])
        lines.append(f"{step.step}: {above or 'nothing'} |- {step.consequent}{built}")
    return lines


# Counterexamples -------------------------------------------------------------------------------------------


def _counterexample(schema: str, example: Missed | Unsound | Ambiguous, page: Page) -> list[list[str]]:
    """Return blocks of lines: the fault, its case, a picture, further remarks, and a command to try."""
    match example:
        case Missed(structure=AnyStructure(value), case=case):
            if isinstance(case, FactGrammar):  # all facts, which nobody wants to read
                return [
                    [f"Incomplete: whatever the facts, {schema} does not derive this"],
                    [_valued(value, case, page)],
                ]
            title = f"Incomplete: {schema} does not derive this"
            return [[title], case_lines(case), [_valued(value, case, page)]]
        case Missed():
            return _missed(schema, example, page)
        case Unsound(structure=LooseLinks(links, linkage), case=case):
            picture = []
            if linkage is not None:
                picture = [structure_text(None, linkage, page)]
            elif links:
                ends = [(link.left + 1, link.right + 1, link.label) for link in links]
                drawn = links_picture(case.words, ends, directed=False, first_number=0)
                picture = [arcs_text(drawn, page, numbers=True)]
            steps = []
            if isinstance(example.derivation, Derivation):
                steps = ["Derived by", derivation_text(example.derivation, page)]
            title = f"Unsound: {example.fault}"
            return [[title], case_lines(case), picture, steps, _cycle(example.cycle), _try(schema, case)]
        case Unsound(case=case, derivation=tuple(applied)):
            lines = (f"  {number}. {line}" for number, line in enumerate(applied_lines(example), start=1))
            steps = ["Derived by", *lines] if applied else []
            if isinstance(example.structure, AnyStructure):
                picture = [_valued(example.structure.value, case, page)]
            else:
                picture = _drawn(case.n, example.structure.links, page)
            return [[f"Unsound: {example.fault}"], case_lines(case), picture, steps]
    assert isinstance(example, Ambiguous)
    return _ambiguous(schema, example, page)


def _valued(value: Any, case: Any, page: Page) -> str:
    """Return a structure of any kind, drawn."""
    words = getattr(case, "words", [f"w{k}" for k in range(1, case.n + 1)])
    if isinstance(value, Bracketing):
        if value.fault:
            return str(value)
        value = value.tree
    return structure_text(Sentence(tuple(words)), value, page)


def _missed(schema: str, example: Missed, page: Page) -> list[list[str]]:
    """Say which structure is not derived, and how near a schema comes to it."""
    case, structure = example.case, example.structure
    if isinstance(structure, Linkage):
        never = ", ".join(f"{left}-{right} {label}" for left, right, label in example.missing)
        title, where = "Incomplete: this linkage is not derived", case_lines(case)
        picture, command = [structure_text(None, structure, page)], _try(schema, case)
        pieces = [f"  {piece}" for piece in example.pieces[:_PIECES]]
        if len(example.pieces) > _PIECES:
            pieces.append(f"  and {len(example.pieces) - _PIECES:,} more")
    elif structure.heads is None:
        title = "Incomplete: under the grammar of its links this graph is not derived"
        return [[f"{title}: {links_text(structure.links)}"], _drawn(case.n, structure.links, page)]
    else:
        of_facts = isinstance(case, FactGrammar)
        under = "whatever the facts" if of_facts else "under its own grammar"
        title = f"Incomplete: {under} the tree {_joined(structure.heads)} is not derived"
        picture, where = _drawn(case.n, enumerate(structure.heads, start=1), page), []
        pieces, command = _pieces(example.pieces), [] if of_facts else _try(schema, structure.heads)
        never = links_text(example.missing)
    lines = _instead("linkage" if where else "tree", example, pieces, never)
    return [[title], where, picture, lines, command]


def _instead(
    what: str, example: Missed, pieces: list[str], never: str, unlicensed: bool = False
) -> list[str]:
    """Say how near a schema comes to a structure that it misses, perhaps since some of its links are not licensed."""
    lines = [f"A final item is derived, but it does not contain this {what}."] if example.accepted else []
    if pieces:
        lines += ["The farthest items (no step uses them):", *pieces]
    elif what == "tree":
        lines.append("No item is derived that no step takes further.")
    if never:
        lines.append(f"Never built: {never}")
    elif not unlicensed:
        lines.append(f"Every link of the {what} is built somewhere, but no step puts the pieces together.")
    if example.nearest:
        lines += ["Two items that together come nearest to the tree:", *_pieces(example.nearest)]
    return lines


def why_not_tree_text(answer: WhyNotTree, page: Page = PAGE) -> str:
    """Return the text that `schemata why-not --heads` prints."""
    sentence, what, lacks = answer.chart.sentence, f"the tree {_joined(answer.heads)}", answer.lacks
    if lacks is None:
        given = f'{reference_of(answer.chart.schema)} "{" ".join(sentence.words)}"'
        return (
            f"{what} is derived; this draws it:\n"
            f"  schemata run {given} --grammar heads:{','.join(map(str, answer.heads))}"
        )
    drawn = arcs_text(structure_picture(sentence, DependencyTree(answer.heads), rtl=page.rtl), page)
    told = []
    for dependent, head in answer.unlicensed:
        ends = named_position(dependent, sentence), named_position(head, sentence)
        told.append(f"The grammar does not license {ends[0]} under {ends[1]}.")
    never, unlicensed = links_text(lacks.missing), bool(answer.unlicensed)
    instead = _instead("tree", lacks, _pieces(lacks.pieces), never, unlicensed)
    reasons = []
    if answer.reasons is not None:
        reasons = why_not_text(answer.reasons, page, f"No step can {answer.reasons.item}:").splitlines()
    return _text([[f"{what} is not derived"], [drawn], told, instead, reasons])


def _ambiguous(schema: str, example: Ambiguous, page: Page) -> list[list[str]]:
    """Say which structure has several derivations, under which grammar, and how two of them differ."""
    case, structure = example.case, example.structure
    told, picture, where, command = f"{structure or 'a tree'} is", list[str](), case_lines(case), list[str]()
    match structure:
        case Linkage():
            told, picture = "this linkage is", [structure_text(None, structure, page)]
            command = _try(schema, case)
        case AnyStructure(value) if value.nodes:
            told, picture = "this tree is", [_valued(value, case, page)]
        case Structure(heads=None, links=links):
            told, picture = "these links are", _drawn(case.n, links, page)
        case Structure(heads=heads) if heads is not None:
            told, picture = f"the tree {_joined(heads)} is", _drawn(case.n, enumerate(heads, start=1), page)
            if isinstance(case, TreeRules) or case == LicensedLinks.of_tree(heads):
                where, command = [], _try(schema, heads, " --derivations 2")
    steps = []
    if len(example.derivations) == 1:
        steps = ["Derived by", derivation_text(example.derivations[0], page)]
    elif example.derivations:
        first, second = example.derivations
        steps = ["Two derivations, step by step; > marks the first step in which they differ"]
        steps.append(side_by_side(first, second, example.first_difference or 0, page))
    times = {2: "twice", math.inf: "endlessly often"}.get(example.count, f"{example.count:,} times")
    return [[f"Not once: {told} derived {times}"], where, picture, steps, _cycle(example.cycle), command]


def _joined(heads: Sequence[int]) -> str:
    return " ".join(map(str, heads))


def _drawn(n: int, links: Iterable[tuple[int, int]], page: Page) -> list[str]:
    """Return links between n words as arcs; none of a word to itself."""
    kept = [link for link in links if link[0] != link[1]]
    return [arcs_text(links_picture([f"w{i}" for i in range(1, n + 1)], kept), page)] if kept else []


def _try(schema: str, case: LinkageCase | Sequence[int], more: str = "") -> list[str]:
    """Return the command that runs a schema on a case, or on a tree under its own grammar."""
    if isinstance(case, LinkageCase):
        return [f'Try: schemata run {schema} "{" ".join(case.words)}" --grammar FILE.dict --unpruned']
    words, heads = " ".join(f"w{i}" for i in range(1, len(case) + 1)), ",".join(map(str, case))
    return [f'Try: schemata run {schema} "{words}" --grammar heads:{heads}{more}']


def _pieces(pieces: Sequence[Any]) -> list[str]:
    wide = max((len(piece.item) for piece in pieces), default=0)
    return [f"  {piece.item:<{wide}}  {links_text(piece.links)}".rstrip() for piece in pieces]


def _cycle(step: Derivation | None) -> list[str]:
    if step is None:
        return []
    above = ", ".join(str(child.item) for child in step.children)
    return ["An item helps to derive itself:", f"  {step_text(step)}", f"  {above} |- {step.item}"]


def case_lines(case: GrammarUnderTest | LinkageCase | ConstituentCase) -> list[str]:
    """Return the grammar of a counterexample, and its sentence."""
    n = quantity(case.n, "word")
    match case:
        case LinkageCase(words=words):
            dictionary = case.to_dictionary().splitlines()
            return [f'"{" ".join(words)}" with the dictionary', "", *(f"  {line}" for line in dictionary)]
        case SentenceCase():
            return [f'"{" ".join(case.to_json()["sentence"])}"']
        case ConstituentCase():
            tagged = ", ".join(map(" is ".join, zip(case.words, case.categories, strict=True)))
            rules = ", ".join(case.to_json()["rules"])
            return [f"rules {rules}" if rules else "no rules", f"words {tagged}"]
        case FactGrammar(is_whole=True):
            return [f"{n}, all facts over a symbol"]
        case FactGrammar(words=words):
            return [f'"{" ".join(words)}" with the facts', *(f"  {fact}" for fact in case.to_json()["facts"])]
        case LicensedLinks():
            return [f"{n}, licensed: {links_text(sorted(case.pairs)) or 'nothing'}"]
        case RuleGrammar():
            categories = ", ".join("/".join(sorted(names)) for names in case.categories)
            told = f"{n} of the categories {categories}, root {'/'.join(sorted(case.roots))}"
            return [told, f"rules {', '.join(map(str, case.rules))}"]
    return [f"{n}, the rules of the tree {' '.join(map(str, case.heads))}"]


def items_text(verdict: ItemsVerdict, page: Page = PAGE) -> str:
    """Return the text that `schemata verify --items` prints."""
    lines = [f"{verdict.schema}: items of at most {quantity(verdict.max_n, 'word')}", ""]
    lines += [f"  {claim}" for claim in verdict.claims]
    rows = [
        ("sound", answer_text(verdict.sound, verdict.max_n)),
        ("complete", answer_text(verdict.complete, verdict.max_n)),
    ]
    lines += ["", *(f"  {name:<8}  {answer}" for name, answer in rows), ""]
    lines.append(
        f"{quantity(verdict.items, 'item')} with {quantity(verdict.forests, 'forest')} compared with brute force"
    )
    for wrong in verdict.wrong:
        lines += ["", *wrapped(_wrong_item(wrong), page.width)]
        if wrong.links:
            words = [f"w{k}" for k in range(1, wrong.n + 1)]
            lines.append(arcs_text(links_picture(words, wrong.links), page))
    return "\n".join(lines)


def _wrong_item(wrong: WrongItem) -> str:
    """Return a sentence about the fault of an item."""
    links = wrong.trees or links_text(wrong.links) or "no links"
    if wrong.grammar is not None:
        links += f" (under: {', '.join(case_lines(wrong.grammar))})"
    match wrong.fault:
        case "unsound":
            return f"{wrong.item} of {quantity(wrong.n, 'word')} has a forest that is not claimed: {links}"
        case "incomplete":
            return f"{wrong.item} of {quantity(wrong.n, 'word')} lacks a forest that is claimed: {links}"
    return f"{wrong.item} of {quantity(wrong.n, 'word')} is derived, and no claim is about it: {links}"
