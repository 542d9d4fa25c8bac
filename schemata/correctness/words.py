"""Words of forests: sets of links that do not cross, as words with brackets, and their profiles.

Links over the nodes a..b of which no two cross or join the same nodes are a *word*: `.` stands between neighbouring
nodes, and a link between x < y is a pair of brackets around the word of x..y: `( )` if x is the head, `[ ]` if y is.
Forests over a..c and c..b together are the concatenation of their words; the word of a..a is empty.

The *profile* of a word says whether a and b have their heads within it, and the values of some features; it is "" for
the empty word, and None (a *dead* word) where a node between has two heads or none, or links make a cycle. This is the
algebra of Eisner (1996), as a homomorphism: profiles of concatenations and brackets follow from profiles of the parts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

from schemata.errors import require_known
from schemata.records import Record, field

Profile: TypeAlias = str  # heads within, of a and of b ("0" or "1" each), and a letter for each feature
Pattern: TypeAlias = "tuple[str | tuple[str, Pattern], ...]"
"""A pattern of words: `x` for any word, `.`, and brackets around a pattern, such as `("(", ("x",))`."""
Table: TypeAlias = "dict[Pattern, dict[tuple[Profile, ...], int]]"

EMPTY: Profile = ""
GAP, ANY = ".", "x"
CLOSING = {"(": ")", "[": "]"}
_MANY = 3  # gaps: as many or more


class Feature(Record):
    """A homomorphism into a small set: its values of `.`, of a bracket pair, and of concatenations of two words."""

    gap: str
    link: Callable[[str, str], str]
    joined: Callable[[str, str], str]


FEATURES = {
    "end": Feature("1", lambda sign, inside: "0", lambda x, y: y),  # whether the last node has no links
    "many": Feature(
        "0", lambda sign, inside: "0", lambda x, y: "1"
    ),  # whether several letters stand side by side
    "first": Feature(".", lambda sign, inside: sign, lambda x, y: x),  # the first letter
    "last": Feature(".", lambda sign, inside: sign, lambda x, y: y),  # the last letter
    "two": Feature("1", lambda sign, inside: inside, lambda x, y: "2"),  # the number of gaps: 1, or more
}


class Algebra(Record, slots=False):
    """Profiles with some features.

    >>> algebra = Algebra(("end",))
    >>> algebra.profile("(.)"), algebra.profile("(.)."), algebra.profile("(.)[.]"), algebra.profile("(.)(.)")
    ('010', '001', None, '010')
    """

    features: tuple[str, ...]
    _functions: tuple[Feature, ...] = field(init=False, default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in self.features:
            require_known(name, FEATURES, f"there is no feature of words {name!r}")
        object.__setattr__(self, "_functions", tuple(FEATURES[name] for name in self.features))

    @cached_property
    def _sizes(self) -> dict[Profile, set[int]]:
        """The numbers of gaps that words of each profile have; `_MANY` stands for so many or more."""
        sizes: dict[Profile, set[int]] = {self.gap: {1}}
        changed = True
        while changed:
            changed = False
            made = [(self.link(sign, p), row) for p, row in sizes.items() for sign in CLOSING]
            for (p, one), (q, two) in itertools.product(sizes.items(), repeat=2):
                made.append((self.joined(p, q), {min(_MANY, x + y) for x in one for y in two}))
            for profile, row in made:
                if profile is not None and not row <= sizes.setdefault(profile, set()):
                    sizes[profile] |= row
                    changed = True
        return sizes

    def gaps(self, profile: Profile) -> tuple[int, int | None]:
        """Return the least and the greatest number of gaps of words of a profile; None if there is no greatest.

        >>> Algebra(("end", "many")).gaps("0010"), Algebra(("end", "many")).gaps("0011")
        ((1, 1), (2, None))
        """
        if profile == EMPTY:
            return 0, 0
        sizes = self._sizes.get(profile, {1, _MANY})
        return min(sizes), None if _MANY in sizes else max(sizes)

    @property
    def gap(self) -> Profile:
        """The profile of a gap between neighbouring nodes."""
        return "00" + "".join(f.gap for f in self._functions)

    def link(self, sign: str, inside: Profile) -> Profile | None:
        """Return the profile of a bracket pair; None if the dependent has a head already, or a cycle is closed."""
        if inside[:2] != "00":
            return None
        ends = "01" if sign == "(" else "10"
        return ends + "".join(f.link(sign, x) for f, x in zip(self._functions, inside[2:], strict=True))

    def joined(self, left: Profile, right: Profile) -> Profile | None:
        """Return the profile of two words side by side; None if the node between has no head, or two, or a cycle."""
        if not left or not right:
            return left or right
        if (left[1] == right[0]) or (left[0] == "1" == right[1]):
            return None
        rest = zip(self._functions, left[2:], right[2:], strict=True)
        return left[0] + right[1] + "".join(f.joined(x, y) for f, x, y in rest)

    def value(self, letter: str, inside: Profile = EMPTY) -> Profile | None:
        """Return the profile of a letter: a gap, or a bracket pair around a word of some profile."""
        return self.gap if letter == GAP else self.link(letter, inside)

    def profile(self, word: str) -> Profile | None:
        """Return the profile of a word, from its letters."""
        total: Profile | None = EMPTY
        for letter, inside in letters(word):
            within = self.profile(inside)
            value = None if within is None else self.value(letter, within)
            total = None if value is None or total is None else self.joined(total, value)
            if total is None:
                return None
        return total

    def evaluate(self, pattern: Pattern, values: Iterator[Profile]) -> Profile | None:
        """Return the profile of a pattern with words of given profiles in place of its variables, in their order."""
        total: Profile | None = EMPTY
        for part in pattern:
            value: Profile | None
            if isinstance(part, tuple):
                inside = self.evaluate(part[1], values)
                value = None if inside is None else self.link(part[0], inside)
            else:
                value = next(values) if part == ANY else self.gap
            total = None if value is None or total is None else self.joined(total, value)
        return total


def letters(word: str) -> Iterator[tuple[str, str]]:
    """Yield the letters of a word: the sign of each, and the word within a bracket pair.

    >>> list(letters(".([.].)"))
    [('.', ''), ('(', '[.].')]
    """
    at = 0
    while at < len(word):
        end = _end(word, at)
        yield word[at], word[at + 1 : end - 1] if end > at + 1 else ""
        at = end


def _end(word: str, at: int) -> int:
    """Return the place after the letter that begins at a place."""
    depth = 0
    for place in range(at, len(word)):
        depth += (word[place] in "([") - (word[place] in ")]")
        if not depth:
            return place + 1
    raise ValueError(f"{word!r} is not a word")


def is_word(text: str) -> bool:
    """Whether a text is a word: brackets are pairs, each around something, and no pair is directly within another.

    >>> is_word("(.)[.]"), is_word("([.])"), is_word("()"), is_word("(]")
    (True, False, False, False)
    """
    stack: list[str] = []
    for character in text:
        if character in CLOSING:
            stack.append(CLOSING[character])
        elif character in ")]":
            if not stack or stack.pop() != character:
                return False
        elif character != GAP:
            return False
    if stack:
        return False
    return _is_proper(text, within=False)


def _is_proper(word: str, within: bool) -> bool:
    parts = list(letters(word))
    alone = within and len(parts) == 1 and parts[0][0] != GAP
    return not (within and not parts) and not alone and all(x == GAP or _is_proper(y, True) for x, y in parts)


def links_of(word: str, start: int = 0) -> tuple[tuple[int, int], ...]:
    """Return the links of a word, (dependent, head), sorted; its first node is `start`.

    >>> links_of("(.(.))", 3)
    ((5, 3), (5, 4))
    """
    at, opened, found = start, [], []
    for character in word:
        if character in CLOSING:
            opened.append((character, at))
        elif character == GAP:
            at += 1
        else:
            sign, left = opened.pop()
            found.append((at, left) if sign == "(" else (left, at))
    return tuple(sorted(found))


def gaps_of(word: str) -> int:
    """Return how many gaps a word has: the number of its nodes, less one."""
    return word.count(GAP)


def word_of(links: frozenset[tuple[int, int]] | set[tuple[int, int]], first: int, last: int) -> str | None:
    """Return the word of links over the nodes first..last; None if some cross, leave it, or join the same nodes.

    >>> word_of({(2, 1), (1, 3)}, 1, 3)
    '[(.).]'
    """
    text = ""
    for node in range(first, last + 1):
        ends = sorted((x for x in links if max(x) == node), key=lambda x: -min(x))
        starts = sorted((x for x in links if min(x) == node), key=lambda x: -max(x))
        text += "".join(")" if head < dependent else "]" for dependent, head in ends)
        text += "".join("(" if head < dependent else "[" for dependent, head in starts)
        text += GAP if node < last else ""
    try:
        back = links_of(text, first)
    except IndexError:
        return None
    return text if is_word(text) and back == tuple(sorted(links)) else None


def factorizations(word: str, pattern: Pattern) -> list[tuple[str, ...]]:
    """Return all ways in which a word matches a pattern: the words of its variables, found by trying everything.

    >>> factorizations("..", ("x", "x"))
    [('', '..'), ('.', '.'), ('..', '')]
    >>> factorizations("(..)", (("(", ("x", ".", "x")),))
    [('', '.'), ('.', '')]
    """
    if not pattern:
        return [()] if not word else []
    head, rest = pattern[0], pattern[1:]
    if head == ANY:
        found, at = [], 0
        while True:
            found += [(word[:at], *more) for more in factorizations(word[at:], rest)]
            if at == len(word):
                return found
            at = _end(word, at)
    if not word or word[0] != head[0]:
        return []
    end = _end(word, 0)
    if isinstance(head, str):
        return factorizations(word[1:], rest)
    insides = factorizations(word[1 : end - 1], head[1])
    return [(*inside, *more) for inside in insides for more in factorizations(word[end:], rest)]


class Types(Record):
    """Types of words: the patterns that a word matches, and with which profiles; of each type a word, a profile and a
    table.

    A table has, for each pattern, the profiles of its variables in factorizations of the word, with their number: 1, or
    2 for more.
    """

    words: Sequence[str]
    profiles: Sequence[Profile]
    tables: Sequence[Table]

    def tuples(self, profiles: Sequence[Profile]) -> Iterator[tuple[int, ...]]:
        """Yield the types, by number, of tuples of words of some profiles."""
        rows = ([t for t, own in enumerate(self.profiles) if own == profile] for profile in profiles)
        return itertools.product(*rows)

    def shown(self, numbers: Sequence[int]) -> str:
        """Return a tuple of words of some types as text."""
        return " | ".join(self.words[number] or "nothing" for number in numbers)


def parts_of(patterns: set[Pattern]) -> list[Pattern]:
    """Return patterns, with their prefixes and the insides of their brackets, each after those that it needs."""
    found: set[Pattern] = {(), (ANY,)}

    def add(pattern: Pattern) -> None:
        for end in range(len(pattern) + 1):
            found.add(pattern[:end])
        for part in pattern:
            if isinstance(part, tuple):
                add(part[1])

    for pattern in patterns:
        add(pattern)
    return sorted(found, key=lambda p: (len(repr(p)), repr(p)))


def pattern_text(pattern: Pattern) -> str:
    """Return a pattern as text: a word with `x` for each variable.

    >>> pattern_text((("(", ("x", ".")), "x"))
    '(x.)x'
    """
    return "".join(
        f"{x[0]}{pattern_text(x[1])}{CLOSING[x[0]]}" if isinstance(x, tuple) else x for x in pattern
    )


def pattern_of(text: str) -> Pattern:
    """Return a pattern from its text.

    Raises
    ------
    ValueError : the text is not a pattern.

    >>> pattern_of("(x.)x") == (("(", ("x", ".")), "x")
    True
    """
    stack: list[tuple[str, list[str | tuple[str, Pattern]]]] = [("", [])]
    for character in text:
        if character in CLOSING:
            stack.append((character, []))
        elif character in (GAP, ANY):
            stack[-1][1].append(character)
        else:
            sign, parts = stack.pop()
            if CLOSING.get(sign) != character or not stack:
                raise ValueError(f"{text!r} is not a pattern")
            stack[-1][1].append((sign, tuple(parts)))
    if len(stack) > 1:
        raise ValueError(f"{text!r} is not a pattern")
    return tuple(stack[0][1])


def letters_in(pattern: Pattern) -> int:
    """Return how many gaps and bracket pairs a pattern has, beside its variables."""
    return sum(1 + letters_in(x[1]) if isinstance(x, tuple) else x == GAP for x in pattern)


def variables_in(pattern: Pattern) -> int:
    """Return how many variables a pattern has."""
    return sum(variables_in(x[1]) if isinstance(x, tuple) else x == ANY for x in pattern)
