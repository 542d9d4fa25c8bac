"""A relation file for the terminal: what is claimed, and which items correspond."""

from __future__ import annotations

from collections.abc import Iterator

from schemata.analysis.relations.bench import reference_of
from schemata.language import model as m
from schemata.language.relation_model import ItemMap, Relation, RelationFile
from schemata.language.typeset import condition_text, pattern_text

__all__ = ["map_parts", "relation_text"]


def relation_text(file: RelationFile, *, ascii: bool = False) -> str:
    """Return a relation file as text; its maps are those of its first claim."""
    claim = file.relations[0]
    lines = [file.name]
    if claim.reference:
        lines.append(claim.reference)
    lines.append("")
    label = "relation"
    for relation in file.relations:
        first, second = reference_of(relation.first), reference_of(relation.second)
        lines.append(f"{label:<12}{first} to {second}")
        label = ""
    lines.append(f"{'kind':<12}{claim.kind}")
    if claim.through:
        lines.append(f"{'through':<12}{', '.join(reference_of(s) for s in claim.through)}")
    for requirement in claim.requires:
        lines.append(f"{'requires':<12}{requirement}")
    label = "items"
    for item_map in claim.maps:
        made = claim.second if item_map.reversed else claim.first
        if not any(case.consequent.form == item_map.source.form for case in made.cases):
            continue  # its items are hypotheses
        source, target, conditions = map_parts(claim, item_map, ascii=ascii)
        shown = f"{source} unchanged" if not item_map.written else _arrow(claim, source, target, ascii)
        beside = f"  if {', '.join(conditions)}" if conditions else ""
        lines.append(f"{label:<12}{shown}{beside}")
        label = ""
    return "\n".join(lines)


def map_parts(relation: Relation, item_map: ItemMap, *, ascii: bool = False) -> tuple[str, str, list[str]]:
    """Return a map's source, its target and its conditions as text."""
    source, target = relation.first, relation.second
    if item_map.reversed:
        source, target = target, source
    return (
        pattern_text(source, item_map.source, ascii=ascii),
        pattern_text(target, item_map.target, ascii=ascii),
        list(_conditions(item_map, ascii)),
    )


def _arrow(relation: Relation, source: str, target: str, ascii: bool) -> str:
    """Return a map with the item of the first schema on the left."""
    if relation.reversed:
        return f"{target} {'<-' if ascii else '←'} {source}"
    return f"{source} {'->' if ascii else '→'} {target}"


def _conditions(item_map: ItemMap, ascii: bool) -> Iterator[str]:
    for condition in item_map.conditions:
        if list(m.variables(condition)):
            yield condition_text(condition, ascii=ascii)
