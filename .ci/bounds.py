#!/usr/bin/env python3
"""Make the page of what is not proved for every number of words, and why: python .ci/bounds.py [--output FILE].

For each shipped schema that builds dependency trees or graphs, the page has what the certificates prove, and for the
rest the reason that the search gives, under the bound of the method that it comes of. It takes some seconds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the schemata beside this script

from schemata.correctness.answers import known_correctness, read_certificate
from schemata.correctness.certificate import NotProved
from schemata.correctness.questions import QuickQuestions
from schemata.correctness.search import find_proof
from schemata.correctness.shipped import (
    CLAIMS,
    shipped_certificate,
    shipped_claims_for_every_n,
    shipped_transfers,
)
from schemata.language import model as m
from schemata.language.shipped import shipped_files, shipped_schemata
from schemata.language.typeset import reference_of
from schemata.thresholds import EFFORTS
from schemata.verification.claims import Claim, shipped_claims
from schemata.workbench import load

BOUNDS = {
    "without a bound on their length": (
        "Lists without a bound",
        "An item stands for one word for each segment between its cuts. Where items are configurations of a "
        "transition system, or lists of heads, a list of any length needs any number of cuts; only a fixed "
        "number of cuts has finitely many types.",
    ),
    "a head and blocks of words": (
        "Items with gaps and more",
        "The items of a proof about [trees with gaps](proofs.md#trees-with-gaps) have a head and blocks of words. Here "
        "they have one more field, which says how their dependents came together.",
    ),
    "of type": (
        "Items without heads",
        "A field that is not a position or flag says which head an item has, up to renaming; profiles know heads by "
        "their places alone.",
    ),
    "leads over a cut": (
        "Links over cuts",
        "An item has a bounded list of heads, and a step links any two of them, whatever stands between. A layout "
        "fixes the links that lead over a cut; here they depend on the derivation, and some cross.",
    ),
    "to the left or to the right/ends at no cut": (
        "Links to either side",
        "One step builds a link whose head may be to the left of its dependent or to its right, and two links of an "
        "item may cross: no bracket says which it is, and crossing links cannot be written as a word.",
    ),
    "it is over": (
        "Rules, categories, labels",
        "A word has a category, and rules say which dependents it may have, how many and in which order. Profiles "
        "say only whether a node has its head; whether its dependents fill a rule depends on the grammar, and "
        "grammars are infinitely many.",
    ),
    "it builds": (
        "Graphs, transition systems",
        "Words stand for forests in which each node has one head; nodes of graphs may have several, or links in "
        "both directions. Proofs about transition systems are in [transition systems](transition-systems.md).",
    ),
}
"""The bounds of the method, by what a reason says (one of several): a title, and why it is a bound."""
OTHER = (
    "A question left open",
    "The schema is within the method, but no proof is found: the claim may still hold.",
)
REFUTED = (
    "Proved in part",
    "The claims about these schemata that are not proved are false: runs refute them.",
)
PATIENCE = 900.0  # seconds of a search, however busy the machine is
KINDS = ("dependency tree", "dependency graph")


def rows() -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield schemata by reference, with what is known of each claim, and the reason for what is not proved."""
    claims = {claim.reference: claim for claim in shipped_claims()}
    names = dict.fromkeys([*shipped_schemata(), *(x for x in claims if ":" in x)])
    met = set()
    for reference in names:
        schema = load(reference).definition
        if schema.structure not in KINDS or not any(case.links or case.head_links for case in schema.cases):
            continue
        if reference_of(schema) in met:
            continue  # with the parameters that it has by itself
        met.add(reference_of(schema))
        claim = claims.get(reference) or claims.get(reference_with_parameters(schema))
        proved = shipped_claims_for_every_n(reference_of(schema))
        found = {one: "yes" if one in proved else _refuted(claim, one) for one in CLAIMS}
        wanted = [one for one, answer in found.items() if answer == "not proved"]
        yield reference, found, _reason(reference, wanted) if wanted else ""


def reference_with_parameters(schema: m.Schema) -> str:
    """Return a schema by reference, with the parameters that it has by itself, too."""
    settings = ",".join(f"{p.name}={p.value}" for p in schema.parameters)
    return f"{schema.name}:{settings}" if settings else schema.name


def _refuted(claim: Claim | None, one: str) -> str:
    """Return "no" for what runs refute, of a schema for the class that proofs about it are about."""
    about = claim is not None and claim.class_name in ("projective", proved_about(claim.reference))
    return "no" if about and getattr(claim, one) is False else "not proved"


def proved_about(reference: str) -> str:
    """Return the class that the certificate of a schema is about; nothing where it has none."""
    path = shipped_certificate(reference_of(load(reference).definition))
    return "" if path is None else read_certificate(path).class_name


def _reason(reference: str, wanted: list[str]) -> str:
    try:
        found = find_proof(load(reference).definition, QuickQuestions(), wanted)
    except NotProved as reason:
        return str(reason)
    return str(next(iter(found.reasons.values())))


def page() -> str:
    """Return the page as Markdown."""
    EFFORTS.solver_seconds = PATIENCE
    table = list(rows())
    whole = [name for name, found, _ in table if found["sound"] == found["complete"] == "yes"]
    lines = [
        "# What is not proved for every number of words",
        "",
        "Made by `python .ci/bounds.py --output docs/bounds.md`; do not edit it by hand.",
        "",
        f"Of {len(table)} shipped schemata that build dependency trees or graphs (some with several settings), "
        f"{len(whole)} are [proved](proofs.md) sound and complete for every number of words: "
        + ", ".join(f"`{name}`" for name in whole)
        + ".",
        "",
        "The proofs are for projective trees, except those of "
        + ", ".join(
            f"`{name}` for `{about}`" for name in whole if (about := proved_about(name)) != "projective"
        )
        + ".",
        "",
        "For the others this page says which bound of the method they meet. A missing proof says nothing "
        "against a schema: [the catalogue](catalogue.md) has the verdicts of runs to six words. *No* means that a run "
        "refutes the claim.",
    ]
    left = [row for row in table if row[0] not in whole]
    for title, why, here in grouped(left):
        lines += ["", f"## {title}", "", why, "", "| schema | sound | complete | each once | reason |"]
        lines += ["|---|---|---|---|---|"]
        for name, found, reason in here:
            said = reason.replace("|", "\\|")
            lines.append(f"| `{name}` | {' | '.join(found[one] for one in CLAIMS)} | {said} |")
    lines += [
        "",
        "## Along relations",
        "",
        "These claims follow from certificates of other schemata, along relations that are [proved to carry "
        "them](proofs.md#along-relations) for every number of words. *Twice*: a certificate of the schema itself "
        "proves the claim, too.",
        "",
        "| schema | claim | trees | from | by | twice |",
        "|---|---|---|---|---|---|",
        *along_relations(),
    ]
    return "\n".join(lines) + "\n"


def along_relations() -> Iterator[str]:
    """Yield a row of the table for each claim that travels."""
    ends = [end for one in shipped_transfers() for end in (one.emulated, one.emulating)]
    classes = {read_certificate(path).class_name for path in shipped_files(".certificate").values()}
    for reference in sorted({*ends}):
        for class_name in sorted(classes):
            found = known_correctness(load(reference).definition, None, class_name)
            for claim, source in found.along.items() if found else ():
                by = ", ".join(f"`{name}`" for name in source.relations)
                twice = "yes" if claim in found.twice else ""
                yield f"| `{reference}` | {claim} | {class_name} | `{source.schema}` | {by} | {twice} |"


def grouped(
    left: list[tuple[str, dict[str, str], str]],
) -> Iterator[tuple[str, str, list[tuple[str, dict[str, str], str]]]]:
    """Yield the bounds of the method, each with the schemata whose reason says so, and what is left over."""
    done: set[str] = set()
    for keys, (title, why) in BOUNDS.items():
        near = (row for row in left if any(key in row[2] for key in keys.split("/")))
        here = [row for row in near if row[0] not in done]
        done |= {name for name, _, _ in here}
        assert here, f"no schema has a reason with {keys!r}: has a message other words now?"
        yield title, why, here
    rest = [row for row in left if row[0] not in done]
    for (title, why), is_open in ((OTHER, True), (REFUTED, False)):
        here = [row for row in rest if bool(row[2]) == is_open]
        if here:
            yield title, why, here


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--output", help="the file to write (default: standard output)")
    output = parser.parse_args().output
    if output:
        Path(output).write_text(page(), encoding="utf-8")
    else:
        sys.stdout.write(page())
