"""Completion: the words that can stand at a place of a text, with their explanations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from schemata.editing.analysis import Analysis, analysed
from schemata.editing.document import Document, Edit, Position
from schemata.editing.keywords import ARGUMENT_TYPES, CLAIMS, CONDITIONS, KEYWORDS, TYPES
from schemata.kinds import DECLARED, GRAMMAR_SUFFIXES, STRUCTURES
from schemata.language.index import Block, IndexedName, NameKind
from schemata.language.pieces import DASH_LINE, RELATION_KEYWORDS, SCHEMA_KEYWORDS
from schemata.language.relation_model import KINDS, REQUIREMENTS
from schemata.language.shipped import names_near
from schemata.language.source import QUOTED
from schemata.records import Record

_WORD = re.compile(r"[\w'-]*$")
_NAME = re.compile(r"\*?([^\W\d_]\w*'*)(?!\s*[\[(])(?![\w'])")
_COMMENT = re.compile(rf"{QUOTED}|#.*")

ProposalKind: TypeAlias = (
    Literal["keyword", "name", "type", "variable", "file", "snippet", "value"] | NameKind
)

_BODIES: Mapping[str, str] = {
    "item": "item ${1:span}[${2:i}: ${3:position}, ${4:j}: position]$0",
    "step": "step ${1:Name}\n  ${2:word[i]}\n  ---\n  ${3:span[i, i]}$0",
    "hypothesis": "hypothesis ${1:word}[${2:i}]  where 1 <= ${2:i} <= n$0",
    "final": "final ${1:span}[${2:1, n}]$0",
    "means": "means ${1:span[i, j]}: trees ${2:i, j} over ${3:[i..j]}, ${4:projective}$0",
    "define": "define ${1:name}(${2:i, j}) = $0",
    "schema": 'schema ${1:name}\n  title   "${2:title}"\n  source  "${3:publication}"\n  grammar ${4:d-rules}\n$0',
}
"""The continuations of keywords, as snippets of the protocol."""


class Proposal(Record):
    """One word that can stand at a place.

    `detail` is its declaration or type, `about` a sentence about it. `edit` is the new text in place of the word
    before the cursor; with `is_snippet` it has places to fill in, `${1:name}`.
    """

    label: str
    kind: ProposalKind
    edit: Edit
    detail: str = ""
    about: str = ""
    is_snippet: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the proposal as an object: label, kind, detail, about, edit, snippet."""
        return {
            "label": self.label,
            "kind": self.kind,
            "detail": self.detail,
            "about": self.about,
            "edit": self.edit.to_json(),
            "snippet": self.is_snippet,
        }


_Choice: TypeAlias = tuple[str, ProposalKind, str, str, str | None]  # label, kind, detail, about, snippet


def completion(text: str, position: Position, path: str | Path = "schema") -> list[Proposal]:
    """Return the words that can stand at a place, the nearest first; editors leave out those that do not fit.

    Parameters
    ----------
    text, path : the text and its file, as for `schemata.editing.findings.diagnostics`.
    position : the cursor: line and character from 0, in units of UTF-16.
    """
    known = analysed(Document(text, Path(path)))
    line, column = known.document.place_of(position)
    code = (
        known.source.lines[line - 1]
        if known.source and line <= len(known.source.lines)
        else known.document.line(line - 1)
    )
    before = code[: column - 1]
    if _in_comment_or_quotes(before):
        return []
    found = _WORD.search(before)
    start = found.start() if found else len(before)
    spot = known.document.range_at(line, start + 1, column)
    proposals: dict[str, Proposal] = {}
    for label, kind, detail, about, snippet in _choices(known, line, before[:start]):
        edit = Edit(spot, label if snippet is None else snippet)
        proposals.setdefault(label, Proposal(label, kind, edit, detail, about, snippet is not None))
    return list(proposals.values())


def _in_comment_or_quotes(before: str) -> bool:
    if any(found[0].startswith("#") for found in _COMMENT.finditer(before)):
        return True
    return re.sub(QUOTED, "", before).count('"') % 2 == 1


def _choices(known: Analysis, line: int, before: str) -> Iterator[_Choice]:
    if known.document.language == "grammar":
        yield from _of_grammar(known)
        return
    stripped = before.strip()
    if stripped in ("", "replace", "without", "mirror", "normal") and not (stripped and before[:1].isspace()):
        yield from _keywords(known, stripped)
        if not stripped and not before:
            return
    words = stripped.split()
    heading = _of_heading(known, words)
    if heading is not None:
        yield from heading
        return
    block = _block_before(known, line)
    if re.search(r":\s*(list of\s+)?$", before) and _declares_fields(known, line, before):
        yield from _types(known, block)
        return
    if known.document.language == "relation":
        yield from _of_map(known, line, before)
        return
    yield from _of_rule(known, block, line, before)


def _keywords(known: Analysis, first: str) -> Iterator[_Choice]:
    relation = known.document.language == "relation"
    words = (RELATION_KEYWORDS if relation else SCHEMA_KEYWORDS).words
    for word in words:
        rest = word.removeprefix(f"{first} ") if first else word
        if first and rest == word:
            continue
        form, about = KEYWORDS[word]
        if relation and word == "relation":
            form, about = "relation SCHEMA to SCHEMA", "The two schemata that are related."
        snippet = None if relation or first else _BODIES.get(word)
        yield rest, "keyword", form, about, snippet


def _of_heading(known: Analysis, words: list[str]) -> Iterator[_Choice] | None:
    """Return the choices after a keyword that a few fixed words can follow; None after other keywords."""
    folder = known.document.path.parent if known.document.path.suffix else None

    def named(values: Iterable[str], kind: ProposalKind = "value") -> Iterator[_Choice]:
        return ((value, kind, "", "", None) for value in values)

    if not words:
        return None
    relation = known.document.language == "relation"
    if words[-1] == "extends" or (relation and (words == ["relation"] or words[0] == "through")):
        return named(names_near(folder), "file")
    if relation and words[0] == "relation" and words[-1] == "to":
        return named(names_near(folder), "file")
    match words:
        case ["grammar"]:
            return named(DECLARED)
        case ["structure"]:
            return named(STRUCTURES)
        case ["kind"] if relation:
            return named(KINDS)
        case ["requires"] if relation:
            return ((word, "value", "", about, None) for word, about in REQUIREMENTS.items())
        case ["mirror" | "replace" | "without", "step"]:
            return _names(known, "step", inherited=True)
        case [*_, "composed", "of"]:
            return _names(known, "part", inherited=True)
        case ["replace", "item"]:
            return _names(known, "item", inherited=True)
        case ["title" | "source", *_] if not relation:
            return iter(())
    return None


def _names(known: Analysis, kind: NameKind, inherited: bool = False) -> Iterator[_Choice]:
    """Yield the declared names of a kind: those of this file, then, from the whole schema, the inherited ones."""
    seen = set()
    for name in known.index.of(kind):
        seen.add(name.name)
        yield name.name, kind, name.type or "", name.comment, None
    if not inherited or known.source is None:
        return
    for found in inherited_names(known, kind):
        if found.name not in seen:
            yield found.name, kind, found.type or "", found.comment, None


def inherited_names(known: Analysis, kind: NameKind) -> list[IndexedName]:
    """Return the names of a kind that a schema inherits, whether it uses them or not."""
    from schemata.language.index import declared_names

    return [] if known.source is None else [x for x in declared_names(known.source) if x.kind == kind]


def _block_before(known: Analysis, line: int) -> Block | None:
    """Return the declaration that a line belongs to, or goes on with."""
    before = [b for b in known.index.blocks if b.first <= line]
    return before[-1] if before else None


def _declares_fields(known: Analysis, line: int, before: str) -> bool:
    block = _block_before(known, line)
    return (
        block is not None
        and block.keyword.split()[-1] in ("item", "relation")
        and (before.count("[") > before.count("]") or before.count("(") > before.count(")"))
    )


def _types(known: Analysis, block: Block | None) -> Iterator[_Choice]:
    for name in known.index.of("type"):
        yield name.name, "type", name.type or "", name.comment, None
    if block is not None and block.keyword == "relation":
        for word in ARGUMENT_TYPES:
            yield word, "type", "", "", None
        return
    for word, about in TYPES.items():
        yield word, "type", "", about, None


def _forms(known: Analysis, kind: Literal["item"] = "item") -> Iterator[_Choice]:
    """Yield the item forms, with their fields to be filled in."""
    for name in {x.name: x for x in (*known.index.of(kind), *inherited_names(known, kind))}.values():
        yield name.name, "item", name.type or "", name.comment, item_snippet(name)


def item_snippet(name: IndexedName) -> str:
    """Return an item of a form as a snippet: `span[${1:i}, ${2:j}]`."""
    inside = (name.type or "").partition("[")[2].rpartition("]")[0]
    fields = [part.partition(":")[0].strip() for part in _outer_parts(inside)]
    return f"{name.name}[{', '.join(f'${{{k}:{x}}}' for k, x in enumerate(fields, start=1))}]"


def _outer_parts(text: str) -> list[str]:
    """Return the parts of a text between commas that stand in no brackets.

    >>> _outer_parts("i: position, L: list of (position, flag)")
    ['i: position', ' L: list of (position, flag)']
    """
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([<") - (character in ")]>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]


def _variables(known: Analysis, block: Block, line: int) -> Iterator[_Choice]:
    """Yield the variables of the rule around a line, also of parts of it that do not parse."""
    first, last = block.first, _end_of(known, block)
    code = known.source.code if known.source else ()
    cases = [k for k in range(first, min(last, len(code)) + 1) if re.match(r"\s*case\b", code[k - 1])]
    first = max([first, *(k for k in cases if k <= line)])
    last = min([last, *(k - 1 for k in cases if k > line)])
    types: dict[str, str] = {}
    for name in known.index.of("variable", "field"):
        if name.within and first <= name.within[0] <= last:
            types[name.name] = name.type or ""
    for variable, kind in types.items():
        yield variable, "variable", kind, "", None
    forms = {name.name for name in known.index.of("item", "definition", "relation", "parameter")}
    skipped = {
        *forms,
        *CONDITIONS,
        *types,
        *" ".join(TYPES).split(),
        "and",
        "or",
        "not",
        "in",
        "is",
        "to",
        "by",
        "of",
        "n",
        "minus",
        "true",
        "false",
    }
    body = range(first + (block.keyword.split()[-1] in ("step", "part")), min(last, len(code)) + 1)
    for k in body:
        text = re.sub(QUOTED, "", code[k - 1])
        if k == block.first:
            text = text[len(block.keyword) :]
        for found in _NAME.finditer(text):
            if found[1] not in skipped:
                skipped.add(found[1])
                yield found[1], "variable", "", "", None


def _end_of(known: Analysis, block: Block) -> int:
    later = [b.first for b in known.index.blocks if b.first > block.first]
    return min(later) - 1 if later else 1 << 30


def _of_rule(known: Analysis, block: Block | None, line: int, before: str) -> Iterator[_Choice]:
    inside = before.count("[") - before.count("]") + before.count("(") - before.count(")") > 0
    beside = (
        bool(DASH_LINE.match(before))
        or " where " in f" {before} "
        or "composed of" in before
        or (block is not None and line > block.first and not inside and _stands_beside(known, block, line))
    )
    keyword = block.keyword.split()[-1] if block is not None else ""
    in_item = block is not None and keyword in ("item", "relation", "define", "type")
    if block is not None:
        yield from _variables(known, block, line)
    for name in known.index.of("parameter"):
        yield name.name, "parameter", name.type or "", name.comment, None
    yield "n", "variable", "position", "The length of the sentence.", None
    for word in ("true", "false"):
        yield word, "value", "flag", "", None
    if inside and not beside:
        return
    if beside or in_item:
        yield from _conditions(known)
    if not beside and keyword not in ("item", "relation", "define", "type", "input"):
        yield from _forms(known)
        if keyword in ("step", "part"):
            yield "given", "keyword", *CONDITIONS["given"], None
            yield "case", "keyword", *CONDITIONS["case"], None
            yield "composed of", "keyword", *CONDITIONS["composed of"], None
            yield (
                "for every layout of",
                "keyword",
                "for every layout of a, b",
                "A step for every layout.",
                None,
            )
    if keyword == "means" and not beside:
        for word, about in CLAIMS.items():
            yield word, "keyword", "", about, None
    if keyword in ("item", "hypothesis", "final", "schema", "means") and not beside:
        yield "where", "keyword", *CONDITIONS["where"], None
    if keyword == "schema":
        yield "extends", "keyword", *CONDITIONS["extends"], None


def _stands_beside(known: Analysis, block: Block, line: int) -> bool:
    """Whether conditions go on in a line: below the consequent, or in a `where` that has begun before."""
    code = known.source.code if known.source else ()
    lines = code[block.first - 1 : line - 1]
    if block.keyword.split()[-1] in ("step", "part"):
        bars = [k for k, text in enumerate(lines) if DASH_LINE.match(text)]
        return bool(bars) and any(text.strip() for text in lines[bars[-1] + 1 :])
    return any(re.search(r"\bwhere\b", text) for text in lines)


def _conditions(known: Analysis) -> Iterator[_Choice]:
    kinds: tuple[NameKind, ...] = ("definition", "relation", "constructor")
    for kind in kinds:
        for name in {x.name: x for x in (*known.index.of(kind), *inherited_names(known, kind))}.values():
            arguments = re.findall(r"[(,]\s*([^\W\d_]\w*'*)", name.type or "")
            filled = ", ".join(f"${{{k}:{x}}}" for k, x in enumerate(arguments, start=1))
            yield name.name, kind, name.type or "", name.comment, f"{name.name}({filled})"
    for word, (form, about) in CONDITIONS.items():
        if word not in ("where", "case", "given", "composed of", "extends"):
            yield word, "keyword", form, about, None
    for word in ("and", "or", "not", "in", "is", "minus"):
        yield word, "keyword", "", "", None


def _of_map(known: Analysis, line: int, before: str) -> Iterator[_Choice]:
    """Yield the item forms of the two schemata of a relation, and the variables of the map."""
    from schemata.language.index import item_forms_of_relation

    if before.count("[") > before.count("]") or " where " in f" {before} ":
        block = _block_before(known, line)
        if block is not None:
            yield from _variables(known, block, line)
        yield "n", "variable", "position", "The length of the sentence.", None
        return
    if known.source is not None:
        for name in item_forms_of_relation(known.source):
            yield name.name, "item", name.type or "", name.comment, item_snippet(name)
    for word in ("to", "from", "where", "in"):
        yield word, "keyword", "", "", None


def _of_grammar(known: Analysis) -> Iterator[_Choice]:
    kind = GRAMMAR_SUFFIXES.get(known.document.path.suffix.lower())
    for word in () if kind is None else kind.keywords:
        yield word, "keyword", "", "", None
    for name in known.index.names:
        plain = re.fullmatch(r"[\w'.-]+", name.name) is not None
        label = name.name if plain and name.kind != "word" else f'"{name.name}"'
        if known.document.path.suffix == ".dict":
            label = name.name
        yield label, name.kind, "", "", None
