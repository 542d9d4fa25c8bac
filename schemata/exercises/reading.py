"""The format of exercise files: a keyword and its value on a line, longer texts indented below their keyword.

    exercise next-item
    title    The next item of CKY
    schema   cyk
    grammar  example
    sentence the cat slept
    taken    edge[Det, 1, 1]; edge[Nom, 2, 2]

    task
      The chart holds the categories of two words. Which item comes next?
    hint
      Is there a rule with Det and Nom?

The schema and the grammar are named, or their texts stand indented below the keyword. All mistakes are reported at
once, each at its place; a mistake in an indented text at its place in the exercise.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from schemata.errors import Diagnostic, Location, SchemaError, SchemataError, UsageError, did_you_mean, one_of
from schemata.exercises.model import COMMON, COUNTED, KINDS, Exercise
from schemata.from_text import grammar as grammar_of_text
from schemata.kinds import CONTEXT_FREE, D_RULES, FACTS, LINK_GRAMMAR
from schemata.language.files import in_order, read_schema_text
from schemata.language.shipped import shipped_files
from schemata.language.source import Findings, SourceText, Span, source_from_text
from schemata.records import Record
from schemata.structures import DependencyTree, Sentence, tree_class
from schemata.text_files import read_file
from schemata.thresholds import REFUSALS
from schemata.workbench import ParsingSchema, load

SUFFIX = ".exercise"
_LONGEST_RANGE = 12  # words of the longest sentence that a formula is compared on
_MOST_WORDS = 7  # to which schemata are verified at most
_ITEMS = re.compile(r"\s*[;\n]\s*")


def shipped_exercises() -> dict[str, Path]:
    """Return the files of the shipped exercises by name, in the order of the course."""
    return dict(sorted(shipped_files(SUFFIX, "examples").items()))


def read_exercise(reference: str | PathLike[str]) -> Exercise:
    """Return an exercise by shipped name, by path, or from a text of several lines.

    Raises
    ------
    SchemaError : the file cannot be read, or holds mistakes: all of them with their places.
    UsageError : there is no such exercise.

    >>> read_exercise("02-cyk-next").kind
    'next-item'
    """
    text = fspath(reference)
    if "\n" in text.strip():
        return exercise_from_text(text)
    shipped = shipped_exercises()
    path = shipped.get(text) or Path(text)
    if path.suffix != SUFFIX and not path.is_file():
        message, hint = f"there is no exercise {text}", did_you_mean(text, shipped)
        hint = hint or "schemata exercise --list shows those that are shipped"
        expected = f"a shipped exercise, or a path that ends in {SUFFIX}"
        raise UsageError(message, code="unknown-exercise", expected=expected, hint=hint)
    content = read_file(path, SchemaError, "an exercise file", REFUSALS.schema_bytes, SUFFIX)
    return exercise_from_text(content, str(path), path.stem)


def exercise_from_text(text: str, file: str = f"text{SUFFIX}", name: str = "exercise") -> Exercise:
    """Return the exercise in a text; `file` names it in messages.

    Raises
    ------
    SchemaError : the text holds mistakes: all of them with their places.
    """
    exercise, findings = check_exercise(text, file, name)
    if exercise is None:
        raise SchemaError([one for one in findings if one.severity == "error"])
    return exercise


def check_exercise(
    text: str, file: str, name: str, thorough: bool = False
) -> tuple[Exercise | None, list[Diagnostic]]:
    """Return the exercise in a text, None if it holds mistakes, and all findings by their places.

    A `thorough` check also finds tasks that nobody or anybody does right, which takes as long as a few grades.
    """
    problems = Findings()
    try:
        reader = _ExerciseReader(source_from_text(text, file), problems, name)
    except SchemaError as error:
        return None, [
            replace(one, hint="an exercise begins with: exercise KIND") for one in error.diagnostics
        ]
    exercise = reader.exercise()
    if thorough and exercise is not None:
        reader.report_doubts(exercise)
    return (None if problems.errors else exercise), in_order(problems)


class Keyword(Record):
    """A keyword of the file with its value, and the lines indented below it, first and last (none if last < first)."""

    key: str
    span: Span
    value: str
    place: Span
    first: int
    last: int


class _ExerciseReader:
    """Reads the entries of a file one by one; mistakes are collected, so that all are reported."""

    def __init__(self, source: SourceText, problems: Findings, name: str) -> None:
        self.source, self.problems, self.name = source, problems, name
        self.entries: dict[str, Keyword] = {}
        for entry in self._cut():
            if entry.key in self.entries:
                message = f"there is a second {entry.key}"
                problems.report(entry.span, "duplicate-declaration", message, "one")
            else:
                self.entries[entry.key] = entry
        self.kind = self._kind()

    def _cut(self) -> list[Keyword]:
        """Return the entries: each begins in the first column."""
        found: list[Keyword] = []
        for number, line in enumerate(self.source.lines, start=1):
            if line[:1].isspace() or not line.strip() or line.startswith("#"):
                if line.strip() and not line.startswith("#"):
                    if not found:
                        begin = len(line) - len(line.lstrip()) + 1
                        place = Span(self.source, number, begin, len(line) + 1)
                        message = "text without a keyword"
                        self.problems.report(place, "stray-line", message, "exercise KIND in the first line")
                    else:
                        found[-1] = replace(found[-1], last=number)
                continue
            code = self.source.code[number - 1].rstrip()
            key, _, rest = code.partition(" ")
            value = rest.strip()
            begin = code.index(value, len(key)) + 1 if value else len(key) + 1
            span = Span(self.source, number, 1, len(key) + 1)
            place = Span(self.source, number, begin, begin + len(value)) if value else span
            found.append(Keyword(key, span, value, place, number + 1, number))
        return found

    def _kind(self) -> str | None:
        """Return the kind of exercise; checks that there are the right keywords for it."""
        known = dict.fromkeys(
            [*COMMON, *(x for k in KINDS.values() for x in (*k.required, *k.optional, *k.either))]
        )
        for one in self.entries.values():
            if one.key not in known:
                message = f"there is no keyword {one.key}"
                self.problems.report_unknown(one.span, "unknown-keyword", message, known)
        entry = self.entries.get("exercise")
        if entry is None:
            place = Span(self.source, 1, 1, max(2, len(self.source.lines[0]) + 1))
            self.problems.report(place, "no-kind", "the file does not say which kind of exercise it is",
                                 f"exercise {'|'.join(KINDS)}")  # fmt: skip
            return None
        if entry.value not in KINDS:
            message = (
                f"there is no kind of exercise {entry.value}" if entry.value else "nothing follows exercise"
            )
            self.problems.report_unknown(entry.place, "unknown-kind", message, KINDS)
            return None
        kind = KINDS[entry.value]
        allowed = (*COMMON, *kind.required, *kind.optional, *kind.either)
        for one in self.entries.values():
            if one.key in known and one.key not in allowed:
                message = f"{one.key} does not belong to an exercise of kind {entry.value}"
                self.problems.report(one.span, "wrong-keyword", message, one_of(allowed))
        for key in ("title", "task", *kind.required):
            if key not in self.entries:
                self.problems.report(entry.span, "missing-keyword", f"there is no {key}", f"{key} ...")
        chosen = [key for key in kind.either if key in self.entries]
        if kind.either and len(chosen) != 1:
            message = (
                f"there is {'no ' + ' and no '.join(kind.either) if not chosen else ' and '.join(chosen)}"
            )
            place = self.entries[chosen[-1]].span if chosen else entry.span
            self.problems.report(place, "missing-keyword", message, f"either {' or '.join(kind.either)}")
        return entry.value

    # Values

    def text(self, key: str) -> str:
        """Return the text after a keyword: its line, or the indented lines."""
        entry = self.entries.get(key)
        if entry is None:
            return ""
        below = "\n".join(self.source.lines[entry.first - 1 : entry.last])
        found = "\n".join(filter(None, [entry.value, textwrap.dedent(below).strip("\n")]))
        if not found:
            self.problems.report(entry.span, "missing-value", f"nothing follows {key}", f"{key} ...")
        return found

    def block(self, key: str) -> tuple[str, int, int] | None:
        """Return the indented text of a keyword, the lines before it, and its margin; None if a name follows."""
        entry = self.entries.get(key)
        if entry is None or entry.value or entry.last < entry.first:
            return None
        lines = self.source.lines[entry.first - 1 : entry.last]
        margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        return "\n".join(line[margin:] for line in lines) + "\n", entry.first - 1, margin

    def number(self, key: str, default: float, low: float, high: float, whole: bool = True) -> Any:
        """Return the number after a keyword."""
        entry = self.entries.get(key)
        if entry is None:
            return default
        expected = f"a {'whole ' * whole}number from {low:g} to {high:g}"
        if not re.fullmatch(r"\d{1,6}" if whole else r"\d{1,6}(\.\d{1,3})?", entry.value):
            self.problems.report(
                entry.place, "bad-number", f"{entry.value or 'nothing'} is not such a number", expected
            )
            return default
        value = float(entry.value)
        if not low <= value <= high:
            self.problems.report(entry.place, "bad-number", f"{entry.value} is out of range", expected)
        return int(value) if whole else value

    def attempt(self, key: str, work: Callable[[], Any]) -> Any:
        """Return the result of the work; its findings without a place are reported at the keyword's value."""
        entry = self.entries[key]
        try:
            return work()
        except SchemataError as error:
            for one in error.diagnostics:
                self.problems.append(self._placed(one, entry.place))
            return None

    def attempt_all(self, key: str, works: Iterable[Callable[[], Any]]) -> None:
        """Do several works as `attempt` does."""
        for work in works:
            self.attempt(key, work)

    def _placed(self, one: Diagnostic, place: Span) -> Diagnostic:
        found = place.report(
            one.code, one.message, expected=one.expected, hint=one.hint, severity=one.severity
        )
        return found if one.location is None or one.location.file != self.source.file else one

    def shifted(self, findings: list[Diagnostic], above: int, margin: int) -> None:
        """Report findings about an indented text at their places in this file."""
        for one in findings:
            at = one.location
            if at is None:
                self.problems.append(one)
                continue
            end = at.end_column + margin if at.end_column else at.end_column
            place = Location(self.source.file, at.line + above, at.column + margin, end)
            line = self.source.lines[place.line - 1] if place.line <= len(self.source.lines) else ""
            self.problems.append(replace(one, location=place, source_line=line))

    def schema(self, key: str) -> tuple[ParsingSchema | None, str | None]:
        """Return the schema that a keyword names, or whose text stands below it, and that text."""
        if key not in self.entries:
            return None, None
        block = self.block(key)
        if block is None:
            if not self.text(key):
                return None, None
            return self.attempt(key, lambda: load(self.entries[key].value)), None
        text, above, margin = block
        definition, findings = read_schema_text(text, self.source.file)
        self.shifted([one for one in findings if one.severity == "error"], above, margin)
        return (None if definition is None else ParsingSchema(definition)), text

    def grammar(self, schema: ParsingSchema | None) -> Any:
        """Return the grammar: as it is named, or read from the indented text."""
        block = self.block("grammar")
        if "grammar" not in self.entries or schema is None:
            return None
        if block is None:
            named = self.text("grammar")
            return self.attempt("grammar", lambda: schema.check_grammar(named or None)) and named
        text, above, margin = block
        try:
            return grammar_of_text(text, schema, file=self.source.file)
        except SchemataError as error:
            self.shifted(list(error.diagnostics), above, margin)
            return None

    def lengths(self) -> tuple[int, ...]:
        """Return the lengths of sentences: `1..8`."""
        entry = self.entries.get("lengths")
        if entry is None:
            return ()
        found = re.fullmatch(r"(\d{1,2})\s*\.\.\s*(\d{1,2})", entry.value)
        low, high = (int(found[1]), int(found[2])) if found else (1, 0)
        if not 1 <= low < high <= _LONGEST_RANGE:
            message = f"{entry.value or 'nothing'} is not a range of lengths"
            self.problems.report(
                entry.place, "bad-range", message, f"such as 1..6, to {_LONGEST_RANGE} at most"
            )
        return tuple(range(low, high + 1))

    def heads(self) -> tuple[int, ...]:
        """Return the heads of the tree."""
        entry = self.entries.get("tree")
        if entry is None:
            return ()
        words = entry.value.replace(",", " ").split()
        if not words or not all(re.fullmatch(r"\d{1,3}", word) for word in words):
            message = f"{entry.value or 'nothing'} is not a list of heads"
            self.problems.report(
                entry.place, "bad-heads", message, "a head for each word, 0 for the root: 2 0 2"
            )
            return ()
        tree = self.attempt("tree", lambda: DependencyTree(tuple(map(int, words))))
        return () if tree is None else tuple(tree.heads)

    def words(self, key: str, known: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Return values separated by commas."""
        entry = self.entries.get(key)
        found = tuple(one.strip() for one in self.text(key).split(",")) if entry else ()
        for one in found if known is not None and entry is not None else ():
            if known is not None and one not in known:
                assert entry is not None
                message = f"there is no {key} {one}"
                self.problems.report_unknown(entry.place, "unknown-value", message, known)
        return found

    # The whole

    def exercise(self) -> Exercise | None:
        """Return the exercise; None if mistakes keep it from being one."""
        kind = self.kind
        texts = {key: self.text(key) for key in ("title", "task", "hint")}
        seconds = self.number("seconds", 20.0, 0.1, 3600, whole=False)
        max_n = self.number("max-n", 4, 1, _MOST_WORDS)
        broken = self.number("broken", 0, 0, 999_999) if "broken" in self.entries else None
        schema, text = self.schema("schema")
        same_as, _ = self.schema("same-as")
        original, _ = self.schema("original")
        class_name = self.text("class") or None
        if class_name is not None and self.entries["class"].value:
            named = class_name
            wrong_class = schema is not None and schema.definition.grammar in (CONTEXT_FREE, LINK_GRAMMAR)
            if not wrong_class:
                self.attempt("class", lambda: tree_class(named))
        choices = self.words("choices")
        self.attempt_all("choices", [partial(tree_class, choice) for choice in choices])
        once = self.words("once", ("yes", "no"))
        count = self.words("count", COUNTED) or ("items",)
        lengths, heads = self.lengths(), self.heads()
        sentence = None
        if "sentence" in self.entries:
            words = self.text("sentence")
            sentence = self.attempt("sentence", lambda: Sentence.of(words)) if words else None
        elif heads:
            sentence = Sentence(tuple(f"w{k}" for k in range(1, len(heads) + 1)))
        if heads and sentence is not None and len(sentence) != len(heads):
            message = f"the tree has {len(heads)} words, the sentence {len(sentence)}"
            self.problems.report(
                self.entries["sentence"].place, "wrong-length", message, "as many words as heads"
            )
        about = schema or same_as
        grammar = self.grammar(about)
        needy = about is not None and about.definition.grammar not in (D_RULES, FACTS)
        if kind in ("next-item", "count") and needy and "grammar" not in self.entries:
            message = f"{about.name if about else ''} needs a grammar"
            expected = "grammar example, a file, or the text of one indented below grammar"
            self.problems.report(self.entries["schema"].span, "grammar-needed", message, expected)
        taken = tuple(filter(None, _ITEMS.split(self.text("taken")))) if "taken" in self.entries else ()
        if kind is None or self.problems.errors:
            return None
        found = Exercise(
            name=self.name,
            kind=kind,
            title=texts["title"],
            task=texts["task"],
            hint=texts["hint"],
            schema=schema,
            schema_text=text,
            sentence=sentence,
            grammar=grammar,
            grammar_text=self.text("grammar") or None,
            taken=taken,
            count=count[0],
            lengths=lengths,
            choices=choices,
            heads=heads,
            class_name=class_name,
            same_as=same_as,
            original=original or (None if broken is None else schema),
            once=once == ("yes",),
            max_n=max_n,
            seconds=seconds,
        )
        return self._checked(found, broken)

    def _checked(self, found: Exercise, broken: int | None) -> Exercise | None:
        """Return an exercise that can be done: its items can be taken, its tree has two derivations."""
        from schemata.exercises.grading import begun, two_derivations
        from schemata.exercises.variants import broken_copy

        match found.kind:
            case "next-item":
                key = "taken" if found.taken else "sentence"
                self.attempt(key, lambda: begun(found))
            case "second-derivation":
                self.attempt("tree", lambda: two_derivations(found))
            case "mend" if broken is not None:
                return self.attempt("broken", lambda: broken_copy(found, broken)) or None
        return found

    def report_doubts(self, found: Exercise) -> None:
        """Report the reasons why an exercise cannot serve as a task: nothing is broken, or no answer is right."""
        from schemata.exercises.sense import doubts

        for one in doubts(found):
            entry = self.entries[one.key]
            self.problems.report(
                entry.place,
                one.code,
                one.message,
                one.expected,
                severity="error" if one.is_certain else "warning",
            )
