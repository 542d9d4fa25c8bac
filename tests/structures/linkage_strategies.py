"""Connectors and sentences with disjuncts for property tests, drawn without the package's own samplers."""

from __future__ import annotations

from hypothesis import strategies as st

from schemata.structures import Connector, Disjunct

names = st.from_regex(r"[AB]B?[ab*]{0,3}", fullmatch=True)
connectors = st.builds(
    Connector, names, right=st.booleans(), multi=st.booleans(), head=st.sampled_from(["", "h", "d"])
)

_left = st.builds(
    Connector,
    st.sampled_from(["A", "Aa", "B", "A*"]),
    right=st.just(False),
    multi=st.sampled_from([False, False, True]),
    head=st.sampled_from(["", "", "h", "d"]),
)
_right = _left.map(lambda c: Connector(c.name, True, c.multi, c.head))


@st.composite
def sentences(
    draw: st.DrawFn, max_words: int = 4, max_disjuncts: int = 3
) -> tuple[list[str], list[list[Disjunct]]]:
    """Words and the disjuncts to choose from, all kinds of them, few of which fit together."""
    n = draw(st.integers(1, max_words))
    words = [f"w{position}" for position in range(n)]
    choices = []
    for position, word in enumerate(words):
        # A word at an edge has no use for connectors that lead out of the sentence.
        disjunct = st.builds(
            Disjunct,
            st.sampled_from([word, f"{word}.n"]),
            st.lists(_left, max_size=2 if position else 0).map(tuple),
            st.lists(_right, max_size=2 if position < n - 1 else 0).map(tuple),
            st.sampled_from([0.0, 0.5]),
        )
        choices.append(draw(st.lists(disjunct, min_size=1, max_size=max_disjuncts)))
    return words, choices
