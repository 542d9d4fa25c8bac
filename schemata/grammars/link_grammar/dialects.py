"""The dialect file: what the tags that stand for costs, as in ``[A+]headline``, cost by default.

The file has sections; a line ``tag: 4`` gives a cost, ``tag:`` a very high one, and a line ``other`` takes
over the section ``[other]``. The section ``[default]`` counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from schemata.errors import GrammarError, did_you_mean
from schemata.grammars.link_grammar.tokens import DictionaryError, Token, diagnostic
from schemata.grammars.text import GrammarText

__all__ = ["cost_lookup", "read_dialects"]

_SECTION = re.compile(r"\[([a-z][A-Za-z\d_-]*)\]\s*:?")
_TAG = re.compile(r"([a-z][A-Za-z\d_-]*)\s*(:)?\s*(\S+)?")
_NUMBER = re.compile(r"-?(?:\d{1,7}(?:\.\d*)?|\.\d+)")
_VERY_HIGH = 10_000.0


def read_dialects(text: GrammarText) -> dict[str, float]:
    """Return the costs that the section ``[default]`` gives to tags.

    Raises
    ------
    GrammarError : a line is no section, tag or name of a section, or sections take over one another.
    """
    sections: dict[str, list[tuple[str, float | None, Token]]] = {}
    problems = []
    current: list[tuple[str, float | None, Token]] | None = None
    for number, whole in enumerate(text.lines, start=1):
        line = whole.split("%", 1)[0].strip()
        if not line:
            continue
        token = Token(line, "word", number, whole.index(line) + 1, len(line))
        section = _SECTION.fullmatch(line)
        tag = _TAG.fullmatch(line)
        if section:
            current = sections.setdefault(section[1], [])
        elif tag is None or current is None or (tag[3] and not (tag[2] and _NUMBER.fullmatch(tag[3]))):
            expected = "[section], tag: cost, or the name of a section"
            message = f"{line} does not belong in a dialect file"
            problems.append(diagnostic(text, DictionaryError(token, "bad-dialect", message, expected)))
        else:
            cost = float(tag[3]) if tag[3] else _VERY_HIGH
            current.append((tag[1], cost if tag[2] else None, token))
    if problems:
        raise GrammarError(problems)
    costs: dict[str, float] = {}

    def take(name: str, above: tuple[str, ...]) -> None:
        for key, cost, token in sections.get(name, ()):
            if cost is not None:
                costs[key] = cost
            elif key in above or key not in sections:
                what = "takes over itself" if key in above else "is no section"
                error = DictionaryError(
                    token, "bad-dialect", f"{key} {what}", hint=did_you_mean(key, sections)
                )
                raise GrammarError(diagnostic(text, error))
            else:
                take(key, (*above, key))

    take("default", ("default",))
    return costs


def cost_lookup(costs: Mapping[str, float] | None) -> Callable[[Token], float]:
    """Return the function that looks up the cost of a tag; without a dialect file every tag is a mistake."""

    def cost_of(token: Token) -> float:
        if costs is None:
            message = f"{token.text} is no cost, and there is no dialect file that gives it one"
            hint = "a cost is written right after the bracket: [A+]0.5"
            raise DictionaryError(token, "bad-cost", message, "a number, &, or, or a closing bracket", hint)
        return costs.get(token.text, _VERY_HIGH)

    return cost_of
