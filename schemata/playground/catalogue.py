"""The menus of the page: shipped schemata and those of the user, each with a sentence and a grammar; exercises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemata.exercises.reading import read_exercise, shipped_exercises
from schemata.grammars.kinds import sample_of
from schemata.kinds import CONSTRAINTS, D_RULES, DECLARED, GrammarKind
from schemata.language.files import read_schema_text
from schemata.language.library import load_schema
from schemata.language.model import Schema
from schemata.language.pieces import SCHEMA_KEYWORDS
from schemata.language.shipped import shipped_files, shipped_schemata

_SENTENCES = {  # for the grammars that are shipped with a schema, by its name
    "bar-hillel": "lattice", "bilexical": "we saw the dog", "bilexical-hooks": "we saw the dog", "chain": "A B",
    "glr": "she saw the man", "hmm": "the dogs run", "itg": "the black cat sleeps ||| le chat noir dort",
    "lcfrs": "darueber muss nachgedacht werden", "lr0": "she saw the man", "nussinov": "G A C U",
    "regular-expression": "a b a b", "tag-cky": "a a b b c c d d", "tag-earley": "a a b b c c d d",
    "eisner-labelled": "we saw her", "eisner-tagged": "the old man",
    "ccg": "Kim saw the cat", "head-driven": "the old man boats",
    "reachability": "start goal", "semi-markov": "the New York Times reads", "edit-distance": "a b c ||| a c",
    "synchronous-cfg": "a b c d ||| y w x z", "constraint-propagation": "die Katze jagt der Hund",
    "kahane1998-published": "slept", "hyperedge-replacement": "the boy wants to go",
}  # fmt: skip
_REJECTING = ("constraint-propagation", "kahane1998-published")
"""Schemata that do not accept their sentence: some value is left for each word; rules are not opened as published."""

_FIRST = "eisner1996"


def catalogue(own: Sequence[dict[str, Any]] = (), first: str | None = None) -> dict[str, Any]:
    """Return the catalogue of the page, as JSON.

    Parameters
    ----------
    own : the user's files: `name`, `text` and `kind` ("schema", "exercise", or a kind of grammar); of exercises
        also `task`.
    first : the schema to show first.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for name, path in shipped_schemata().items():
        schema = load_schema(name)
        entry = {
            "name": name,
            "title": schema.title or name,
            "grammar": schema.grammar,
            "text": path.read_text("utf-8-sig"),
            **_trial(name, schema),
        }
        entry["expected"] = "not accepted" if name in _REJECTING else "accepted"
        groups.setdefault(path.parent.name, []).append(entry)
    listed = [{"name": name, "schemata": entries} for name, entries in groups.items()]
    mine = [_own(one) for one in own if one["kind"] == "schema"]
    if mine:
        listed.insert(0, {"name": "of this page", "schemata": mine})
    return {
        "first": first or _FIRST,
        "groups": listed,
        "grammars": [one for one in own if one["kind"] not in ("schema", "exercise")],
        "exercises": exercises(own),
        "language": {
            "declarations": sorted(SCHEMA_KEYWORDS.words, key=len, reverse=True),
            "kinds": list(DECLARED),
        },
    }


def _own(one: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of a schema of the user's, with a sentence to begin with where it has no errors."""
    schema, _ = read_schema_text(one["text"], one["name"])
    return {**one, "title": one["name"]} | ({} if schema is None else _trial(one["name"], schema))


def _trial(name: str, schema: Schema) -> dict[str, Any]:
    """Return a sentence to try a schema with, and a grammar."""
    kind = schema.grammar
    given = "all" if kind == D_RULES else _example(name, kind) or sample_of(kind, schema.relations)
    return {"sentence": _SENTENCES.get(name) or kind.sentence, "given": given}


def exercises(own: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the exercises of the page: the user's, whose texts go with it, before the shipped ones."""
    mine = [
        {"name": one["name"], "text": one["text"], "kind": one["task"].kind, "title": one["task"].title}
        for one in own
        if one["kind"] == "exercise"
    ]
    taken = {one["name"] for one in mine}
    tasks = [read_exercise(name) for name in shipped_exercises() if name not in taken]
    return mine + [{"name": one.name, "kind": one.kind, "title": one.title} for one in tasks]


def _example(name: str, kind: GrammarKind) -> str | None:
    """Return the text of the grammar that is shipped for a schema, or for its kind."""
    if kind == D_RULES:
        return None
    files = shipped_files(kind.suffixes[0], "examples")
    path = files.get(name) or files.get("english")
    if path is None and name in shipped_files(CONSTRAINTS.suffixes[0], "examples"):
        return "example"  # which is read as facts
    return None if path is None else path.read_text("utf-8")
