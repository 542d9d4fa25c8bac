"""The command about exercises: `exercise` shows a task, grades an answer, and lists those that are shipped."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from schemata.budget import Reason
from schemata.cli import command as c
from schemata.cli.output import waiting
from schemata.errors import SchemaError, UsageError
from schemata.exercises.grading import grade, unknown_grade
from schemata.exercises.model import Exercise
from schemata.exercises.reading import read_exercise, shipped_exercises
from schemata.exercises.variants import variant_of
from schemata.records import document
from schemata.text_files import decode, read_file
from schemata.thresholds import REFUSALS

_OF_SCHEMATA = ("mend", "write")


def _ungraded(arguments: Namespace, reason: Reason) -> int | None:
    if arguments.answer is None:
        return None
    return c.answer(arguments, unknown_grade(read_exercise(arguments.file), reason), code=2)


@c.command(
    c.option("file FILE", "a shipped exercise, or the path of a .exercise file", nargs="?"),
    c.option("answer ANSWER", "the answer: a text, a file, or - for standard input", nargs="?"),
    c.flag("--list", "list the shipped exercises, in the order of the course"),
    c.number("--variant SEED", "a variant of the exercise, the same for the same seed", above=-1),
    c.LIMITS,
    c.ASCII,
    c.WIDTH,
    c.JSON,
    apart=(("--list", "--variant"),),
    unanswered=_ungraded,
)
def exercise(arguments: Namespace) -> int:
    """Show an exercise about parsing algorithms, or grade an answer to it.

    An answer is graded by running and verifying schemata; a wrong one gets the smallest counterexample, or the
    reasons. Exit code 0: right; 1: wrong; 2: the file or the answer is unusable, or a limit was
    hit first.
    """
    from schemata.display.exercises import course_text

    if arguments.list:
        if arguments.file is not None:
            raise UsageError(
                "--list takes no exercise", code="usage", hint="schemata exercise FILE shows one"
            )
        return c.answer(
            arguments, lambda: document({"exercises": [_row(x) for x in shipped_exercises()]}), course_text
        )
    if arguments.file is None:
        hint = "schemata exercise --list shows those that are shipped"
        raise UsageError(
            "no exercise is named", code="usage", expected="a shipped exercise, or a file", hint=hint
        )
    chosen = read_exercise(arguments.file)
    if arguments.variant is not None:
        chosen = variant_of(chosen, arguments.variant)
    if arguments.answer is None:
        return c.answer(arguments, chosen)
    text, file = answer_text(chosen, arguments.answer)
    found = grade(chosen, text, arguments.max_seconds, file)
    return c.answer(arguments, found, code=c.exit_code(found.right, found.stopped))


def answer_text(exercise: Exercise, given: str) -> tuple[str, str | None]:
    """Return the text of an answer, and the file it is from: standard input for -, a file that is there, or itself.

    Raises
    ------
    SchemaError : the file cannot be read.
    """
    limit = REFUSALS.schema_bytes
    if given == "-":
        waiting()
        return decode(sys.stdin.buffer.read(limit + 1), "<stdin>", SchemaError, "text in UTF-8"), "<stdin>"
    is_path = "\n" not in given and (Path(given).suffix in (".schema", ".txt") or Path(given).is_file())
    if is_path or (exercise.kind in _OF_SCHEMATA and "\n" not in given.strip()):
        return read_file(given, SchemaError, "a file with the answer", limit, ".schema"), given
    return given, None


def _row(name: str) -> dict[str, str]:
    found = read_exercise(name)
    return {"exercise": name, "kind": found.kind, "title": found.title}
