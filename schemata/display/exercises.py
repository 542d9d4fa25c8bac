"""Exercises and grades in words: the task with its rules and sentence, and drawn reasons for wrong answers."""

from __future__ import annotations

from typing import Any

from schemata.display.structures import structure_text
from schemata.display.terminal import PAGE, Page, columns, wrapped
from schemata.exercises.grading import two_derivations
from schemata.exercises.model import Exercise, Grade, rules_text
from schemata.exercises.reading import read_exercise, shipped_exercises
from schemata.structures import DependencyTree
from schemata.wording import quantity


def exercise_text(exercise: Exercise, page: Page = PAGE) -> str:
    """Return the task of an exercise: the question, the rules, the sentence, the form of an answer."""
    variant = "" if exercise.variant is None else f", variant {exercise.variant}"
    blocks = [f"{exercise.name}{variant}: {exercise.title}", _prose(exercise.task, page)]
    if exercise.schema is not None:
        blocks.append(
            "\n".join(f"    {line}".rstrip() for line in rules_text(exercise).strip("\n").split("\n"))
        )
    match exercise.kind:
        case "next-item":
            items = "\n".join(f"  {one}" for one in exercise.taken) or "  nothing yet"
            blocks += [_sentence(exercise), f"Items taken:\n{items}"]
        case "count":
            lengths = exercise.lengths
            far = f"sentences of {lengths[0]} to {lengths[-1]} words" if lengths else _sentence(exercise)
            blocks.append(
                f"Count: {exercise.count}, of {far}" if lengths else f"{far}\nCount: {exercise.count}"
            )
        case "class" if exercise.choices:
            blocks.append(f"Choose from: {', '.join(exercise.choices)}")
        case "second-derivation":
            _, known = two_derivations(exercise)
            shown = [str(node.item) + f"   {node.step}" for node in known[0].applied()]
            blocks += [structure_text(exercise.sentence, DependencyTree(exercise.heads), page)]
            blocks += [
                "\n".join(["One derivation:", *(f"  {k}. {line}" for k, line in enumerate(shown, start=1))])
            ]
        case "mend" | "write":
            goal = f"exactly the class {exercise.class_name}"
            if exercise.same_as is not None:
                goal = "what a hidden schema derives"
                goal = goal if exercise.kind == "write" else f"what {exercise.same_as.name} derives"
            once = ", each structure once" if exercise.once else ""
            blocks.append(f"It is to derive {goal}{once}, to {quantity(exercise.max_n, 'word')}.")
    blocks.append(_prose(f"Answer: {exercise.answer}", page))
    return "\n\n".join(blocks)


def grade_text(grade: Grade, page: Page = PAGE) -> str:
    """Return a grade: right, wrong or undecided, the reason, and the drawn evidence."""
    word = {True: "right", False: "wrong", None: "not known"}[grade.right]
    blocks = [_prose(f"{word}: {grade.message}", page)]
    blocks += [_drawn(one, grade, page) for one in grade.evidence]
    blocks += [_prose(f"Hint: {grade.hint}", page)] * bool(grade.hint)
    return "\n\n".join(block for block in blocks if block)


def course_text(page: Page = PAGE) -> str:
    """Return the shipped exercises in the order of the course."""
    rows = []
    for name in shipped_exercises():
        exercise = read_exercise(name)
        rows.append((name, exercise.kind, exercise.title))
    return "\n".join(columns([("exercise", "kind", "title"), *rows], page.width))


def _drawn(value: Any, grade: Grade, page: Page) -> str:
    from schemata.display.shown import plain_text

    if isinstance(value, DependencyTree):
        return structure_text(grade.sentence, value, page)
    return plain_text(value, page)


def _sentence(exercise: Exercise) -> str:
    assert exercise.sentence is not None
    text = exercise.grammar_text or ""
    below = "".join(f"\n  {line}" for line in text.split("\n")) if "\n" in text else f" {text}"
    shown = f"\nGrammar:{below}" if text else ""
    return f"Sentence: {' '.join(exercise.sentence.words)}{shown}"


def _prose(text: str, page: Page) -> str:
    """Return a text filled to the width of the page: paragraphs as such, indented lines each by itself."""
    lines: list[str] = []
    paragraph: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line.strip() and not line[0].isspace():
            paragraph.append(line.strip())
            continue
        lines += wrapped(" ".join(paragraph), page.width) if paragraph else []
        paragraph = []
        margin = len(line) - len(line.lstrip())
        lines += wrapped(line.strip(), page.width, margin, margin) if line.strip() else [""]
    return "\n".join(lines).rstrip("\n")
