"""Answers to the shipped exercises: one that is right, and wrong ones with a part of what is said of them."""

from __future__ import annotations

from pathlib import Path

from schemata.exercises.model import rules_text
from schemata.exercises.reading import read_exercise
from schemata.language.shipped import shipped_schemata


def _changed(name: str, old: str, new: str) -> str:
    """Return the schema of an exercise with a change of its text."""
    text = rules_text(read_exercise(name))
    assert old in text
    return text.replace(old, new)


def _shipped(name: str, own: str) -> str:
    """Return the text of a shipped schema under another name."""
    path: Path = shipped_schemata()[name]
    return path.read_text(encoding="utf-8").replace(f"schema {name}", f"schema {own}", 1)


HEAD_FINAL = """
schema mine
  grammar d-rules

hypothesis span[i, i]  where 1 <= i <= n
item span[i: position, j: position]  where 1 <= i <= j <= n

step Take
  span[i, j]   span[k, l]
  -----------------------  k == j + 1, attach j to l
  span[i, l]

final span[1, n]
"""

LEFT_FIRST = """
schema left-first
  grammar d-rules

# b: the head has dependents at its right, and takes none at its left any more

hypothesis tree[i, i, i, false]  where 1 <= i <= n
item tree[i: position, j: position, h: position, b: flag]  where 1 <= i <= h <= j <= n

step Left
  tree[i, j, g, _]   tree[j + 1, k, h, false]
  -------------------------------------------  attach g to h
  tree[i, k, h, false]

step Right
  tree[i, j, g, _]   tree[j + 1, k, h, _]
  ---------------------------------------  attach h to g
  tree[i, k, g, true]

final tree[1, n, _, _]
"""
_CHAIN = [
    "span[0, 1, false, false]",
    "span[0, 1, false, true]",
    "span[1, 2, false, false]",
    "span[1, 2, false, true]",
]
_CHAIN += ["span[2, 3, false, false]", "span[2, 3, false, true]"]

NEXT_RIGHT = {
    "01-first-item": ["tree[1, 2, 1]", "tree[1,2,2]"],
    "02-cyk-next": ["edge[NP, 1, 2]", "edge[VP, 3, 3]"],
    "03-earley-next": ["edge[NP(. Det Nom), 1, 0]"],
    "04-eisner-next": ["span[0, 2, false, false]", "span[1, 2, false, true]", "span[0, 1, false, true]"],
}
RIGHT = {name: answers[0] for name, answers in NEXT_RIGHT.items()} | {
    "05-cyk-count": "5",
    "06-collins-items": "C(n+2, 3) - n",
    "07-eisner-items": "3n(n+1)/2 - n",
    "08-collins-derivations": "2^(n-1) * C(2n-2, n-1)/n",
    "09-projective-trees": "C(3n-2, n-1)/n",
    "10-class-collins": "projective; 0 4 1 1",
    "11-class-covington": "covington-lsup: 0 3 1",
    "12-class-wg1": "wg-1 3 4 5 5 0",
    "13-second-collins": "tree[1, 2, 2]; tree[1, 3, 2]",
    "14-second-eisner": "\n".join([*_CHAIN, "span[0, 2, false, true]", "span[0, 3, false, true]"]),
    "15-mend-collins": _changed(
        "15-mend-collins", "attach h1 to h2\n  tree[i, k, h1]", "attach h1 to h2\n  tree[i, k, h2]"
    ),
    "16-mend-cyk": _changed("16-mend-cyk", "j < k", "k == j + 1"),
    "17-mend-eisner": _changed("17-mend-eisner", "span[j, k, d, e]", "span[j, k, not c, e]"),
    "18-mend-arc-eager": _changed("18-mend-arc-eager", "link k to i", "attach k to i"),
    "19-write-hidden": HEAD_FINAL,
    "20-write-projective": LEFT_FIRST,
}
WRONG: dict[str, list[tuple[str, str]]] = {
    "01-first-item": [
        ("tree[1, 1, 1]", "is a hypothesis"),
        ("tree[2, 1, 1]", "nor by any run on this sentence"),
    ],
    "02-cyk-next": [
        ("edge[S, 1, 3]", "it is derived later"),
        ("edge[Det, 1, 1]", "is taken already"),
        ("edge[VP, 1, 2]", "the grammar has no rule VP(Det Nom)"),
    ],
    "03-earley-next": [
        ("edge[NP(Det . Nom), 1, 1]", "it is derived later"),
        ("edge[S(NP . VP), 1, 1]", "nor by any run"),
    ],
    "04-eisner-next": [
        ("span[0, 2, false, true]", "it is derived later"),
        ("span[0, 1, true, false]", "nor by any run on this sentence"),
    ],
    "05-cyk-count": [("6", "has 5 items: 6 is wrong"), ("3", "has 5 items: 3 is wrong")],
    "06-collins-items": [
        ("n^3", "the chart of 1 word has 0 items: n^3 is 1 there"),
        ("C(n, 2) * 2", "the chart of 3 words has 7 items"),
    ],
    "07-eisner-items": [
        ("2n(n+1)", "1 word has 2 items: 2n(n+1) is 4"),
        ("3*C(n+1, 2)", "1 word has 2 items"),
    ],
    "08-collins-derivations": [
        ("2^(n-1)", "3 words has 8 derivations: 2^(n-1) is 4"),
        ("n", "3 words has 8"),
    ],
    "09-projective-trees": [("C(2n-2, n-1)/n", "2 words has 2 trees"), ("n^(n-1)", "3 words has 7 trees")],
    "10-class-collins": [
        ("all; 3 4 0 3", "it misses a tree of it"),
        ("projective; 2 0 2", "is right, but the tree 2 0 2 is in it"),
    ],
    "11-class-covington": [
        ("projective; 0 3 1", "misses a tree of it"),
        ("covington-lsup; 2 0 2", "is in it"),
    ],
    "12-class-wg1": [
        ("gap-degree-1; 3 4 5 5 0", "misses a tree of it"),
        ("projective; 3 4 5 5 0", "derives a tree outside it"),
        ("wg-1; 3 4 0 3", "is in it"),
    ],
    "13-second-collins": [
        ("tree[2, 3, 2]; tree[1, 3, 2]", "this is the derivation shown"),
        ("tree[1, 3, 2]", "does not follow from the hypotheses"),
        ("tree[1, 2, 2]; tree[2, 3, 2]; tree[1, 3, 2]", "leave out what is not needed"),
        ("tree[1, 2, 2]", "do not lead to a final item"),
    ],
    "14-second-eisner": [
        ("span[0, 3, false, true]", "does not follow from the hypotheses"),
        (
            "\n".join([*_CHAIN, "span[1, 3, false, true]", "span[0, 3, false, true]"]),
            "this is the derivation shown",
        ),
        ("\n".join([*_CHAIN, "span[0, 2, false, true]"]), "do not lead to a final item"),
    ],
    "15-mend-collins": [
        (_changed("15-mend-collins", "schema collins", "schema same"), "derives too much"),
        (
            _changed(
                "15-mend-collins", "attach h1 to h2\n  tree[i, k, h1]", "attach h1 to h2\n  tree[i, j, h1]"
            ),
            "derives",
        ),
    ],
    "16-mend-cyk": [
        (_changed("16-mend-cyk", "schema chart-parser", "schema same"), "derives too much"),
        (_changed("16-mend-cyk", "j < k", "k == j + 2"), "derives too"),
    ],
    "17-mend-eisner": [
        (_changed("17-mend-eisner", "span[j, k, d, e]", "span[j, k, c, e]"), "derives"),
        (_changed("17-mend-eisner", "schema spans", "schema same"), "derives too much"),
    ],
    "18-mend-arc-eager": [
        (_changed("18-mend-arc-eager", "link k to i", "licensed k to i"), "derives"),
        (_changed("18-mend-arc-eager", "schema eager", "schema same"), "derives too much"),
    ],
    "19-write-hidden": [
        (HEAD_FINAL.replace("attach j to l", "attach l to j"), "derives too much and derives too little"),
        (HEAD_FINAL.replace("attach j to l", "attach i to l"), "derives"),
        (HEAD_FINAL.replace("final span[1, n]", "final span[1, n]  where n < 4"), "derives too little"),
    ],
    "20-write-projective": [
        (_shipped("collins1996", "mine"), "derives some twice"),
        (HEAD_FINAL, "derives too little"),
        (LEFT_FIRST.replace("tree[j + 1, k, h, false]", "tree[j + 1, k, h, _]"), "derives some twice"),
    ],
}
