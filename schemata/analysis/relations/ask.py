"""What a user asks about two schemata: with maps or without, of one kind or of any, or from a relation file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from schemata.analysis.relations.answers import Answer
from schemata.analysis.relations.bench import Workbench, reference_of
from schemata.analysis.relations.course import Watcher
from schemata.analysis.relations.relate import decide
from schemata.errors import Diagnostic, SchemaError, UsageError
from schemata.language import model as m
from schemata.language.library import shipped_relations
from schemata.language.relation_model import CHAINS, INTO_FIRST, KINDS, Relation, StepKind
from schemata.language.relations import chain_parts, inverse, load_relation, read_maps

__all__ = ["STEP_KINDS", "check_kind", "decide_claim", "relate_kind", "shipped_claims"]

_HINT = "say with --map how items correspond"
STEP_KINDS: tuple[StepKind, ...] = tuple(kind for kind in KINDS if kind not in CHAINS)  # type: ignore[misc]


def check_kind(kind: str) -> StepKind:
    """Return a kind that a relation of two schemata can be of.

    Raises
    ------
    UsageError : there is no such kind.
    """
    from schemata.errors import did_you_mean

    for known in STEP_KINDS:
        if kind == known:
            return known
    raise UsageError(
        Diagnostic(
            "unknown-kind",
            f"there is no relation of kind {kind!r}",
            expected=", ".join(STEP_KINDS),
            hint=did_you_mean(kind, STEP_KINDS) or _spelt_out(kind),
        )
    )


def _spelt_out(kind: str) -> str | None:
    """Return a hint for the letters that papers write over arrows: sr, df."""
    known = {"".join(word[0] for word in one.split("-")): one for one in STEP_KINDS}
    return f"did you mean {known[kind]}?" if kind in known else None


def shipped_claims(first: m.Schema, second: m.Schema) -> Iterator[Relation]:
    """Yield the claims of shipped relation files about two schemata, and the inverses of such claims."""
    for name, text in _texts().items():
        if first.name not in text or second.name not in text:
            continue  # reading a file with all its schemata takes long
        for claim in _claims(name):
            for one in (claim, inverse(claim)):
                if one is not None and (one.first, one.second) == (first, second):
                    yield one


@cache
def _texts() -> dict[str, str]:
    return {name: path.read_text(encoding="utf-8") for name, path in shipped_relations().items()}


@cache
def _claims(name: str) -> tuple[Relation, ...]:
    return load_relation(name).relations


def relate_kind(
    first: m.Schema,
    second: m.Schema,
    kind: StepKind,
    maps: Sequence[str] = (),
    max_n: int = 5,
    *,
    bench: Workbench | None = None,
    watch: Watcher | None = None,
) -> Answer:
    """Decide whether two schemata are related in one way.

    Parameters
    ----------
    first, second : the schemata.
    kind : the kind of relation.
    maps : `ITEM to ITEM where ...`; without any, those of a shipped relation between the two, else items of the
        same form correspond.
    max_n : the number of words, at most.
    bench, watch : see `decide`.

    Raises
    ------
    SchemaError : a map has errors, or none can be guessed for some form.
    UsageError : see `decide`.
    """
    if maps:
        return decide(read_maps(maps, first, second), kind, max_n, bench=bench, watch=watch)
    into_first = kind in INTO_FIRST
    claims = sorted(shipped_claims(first, second), key=lambda c: (c.kind != kind, c.reversed != into_first))
    for claim in claims:
        if claim.kind in CHAINS or (kind.startswith("item") and claim.reversed != into_first):
            continue
        return decide(claim, kind, max_n, bench=bench, watch=watch)
    try:
        relation = read_maps((), first, second, kind)
    except SchemaError as error:
        raise SchemaError([replace(d, hint=d.hint or _HINT) for d in error.diagnostics]) from None
    return decide(relation, kind, max_n, bench=bench, watch=watch)


def decide_claim(
    claim: Relation, max_n: int, *, bench: Workbench | None = None, watch: Watcher | None = None
) -> tuple[Answer, ...]:
    """Decide what a relation file claims.

    Returns
    -------
    The answer; for a chain one for each of its parts, that of the strongest kind that holds, or the last one
    tried where none does.

    Raises
    ------
    UsageError : the claim names no kind; see also `decide`.
    """
    if claim.kind is None:
        raise UsageError(f"the relation {claim.name} claims no kind")
    found: list[Answer] = []
    for part in chain_parts(claim):
        answer: Answer | None = None
        for relation in part:
            assert relation.kind is not None
            answer = decide(relation, check_kind(relation.kind), max_n, bench=bench, watch=watch)
            if answer.holds or answer.stopped:
                break
        if answer is None:
            first, second = reference_of(claim.first), reference_of(claim.second)
            raise UsageError(
                Diagnostic(
                    "no-correspondence",
                    f"items of {first} and {second} correspond in no way that is known for a part of the chain",
                    hint="write relation files for its parts",
                )
            )
        found.append(answer)
    return tuple(found)
