"""Claims about what items stand for: those of the papers, and mistakes that must be found."""

from itertools import product

import pytest

from schemata.errors import UsageError
from schemata.language.library import schema_path
from schemata.verification.claims import item_claims
from schemata.verification.items import claimed_forests, read_claim, verify_items
from schemata.workbench import load
from tests.support.charts import schema_of

CLAIMED = (
    "collins1996", "generalised-eisner-satta", "eisner1996", "eisner-satta1999", "yamada-matsumoto2003", "arc-standard",
    "hybrid", "wg1", "mg1",
)  # fmt: skip


@pytest.mark.parametrize("name", CLAIMED)
def test_the_papers_claims_hold(name: str) -> None:
    """Lemma 1 is the claim about wg1, proposition 1 that about mg1."""
    verdict = verify_items(name, max_n=4)
    assert verdict.holds
    assert verdict.items > 20
    assert verdict.forests >= verdict.items
    assert verdict.claims == item_claims(name)


def test_forests_by_another_enumeration() -> None:
    """Projective trees of 1..n headed at h: of all heads those where each word between a link's ends hangs below it."""
    for n, h in ((3, 1), (4, 2), (4, 4)):
        found = set()
        for heads in product(range(n + 1), repeat=n):
            if [d for d, x in enumerate(heads, 1) if x == 0] != [h]:
                continue

            def above(word: int, heads: tuple[int, ...] = heads) -> list[int]:
                seen: list[int] = []
                while word and word not in seen:
                    seen.append(word)
                    word = heads[word - 1]
                return [*seen, word]

            if any(above(d)[-1] for d in range(1, n + 1)):
                continue
            links = [(d, x) for d, x in enumerate(heads, 1) if x]
            if all(x in above(k) for d, x in links for k in range(min(d, x), max(d, x))):
                found.add(tuple(links))
        words = frozenset(range(1, n + 1))
        assert claimed_forests(frozenset({h}), words, (("projective", 0, False),), n) == found


@pytest.mark.parametrize(
    ("old", "new", "fault", "item"),
    [
        ("attach j to i", "attach j to i, j - i == 1", "incomplete", "span[0, 3]"),
        ("-----------------------  attach j to k", "-------  link j to i", "incomplete", "span[0, 2]"),
    ],
)  # fmt: skip
def test_broken_schemata_are_found(old: str, new: str, fault: str, item: str) -> None:
    """A condition and a wrong link make items lack forests; the smallest such item is the witness."""
    schema = schema_of(schema_path("yamada-matsumoto2003").read_text("utf-8").replace(old, new, 1))
    verdict = verify_items(schema, item_claims("yamada-matsumoto2003"), 4)
    assert not verdict.complete
    (wrong,) = [one for one in verdict.wrong if one.fault == fault]
    assert wrong.item == item


def test_an_unsound_schema_is_found() -> None:
    """Spans that overlap give a word two heads, or make a cycle."""
    claims = ["tree[i, j, h]: tree h over i..j, projective"]
    verdict = verify_items(
        "collins1996", ["tree[i, j, h]: tree h over i..j, below gap-degree-0, well-nested"], 4
    )
    assert verdict.holds  # a whole interval has no gap either
    schema = schema_of(
        schema_path("collins1996").read_text("utf-8").replace("tree[j + 1, k, h2]", "tree[m, k, h2]", 1)
    )
    verdict = verify_items(schema, claims, 4)
    assert not verdict.sound
    assert verdict.wrong[0].fault == "unsound"
    assert verdict.wrong[0].n == 2


def test_weaker_and_stronger_claims() -> None:
    more = verify_items("yamada-matsumoto2003", ["span[i, j]: trees i, j over i..j, gap-degree-1"], 4)
    assert (more.sound, more.complete, more.wrong[0].n) == (True, False, 3)
    fewer = verify_items(
        "wg1", [text.replace("below gap-degree-1", "below gap-degree-0") for text in item_claims("wg1")], 4
    )
    assert (fewer.sound, fewer.complete) == (False, True)
    some = verify_items("eisner1996", ["span[i, j, false, true]: tree i over i..j, projective"], 3)
    assert {one.fault for one in some.wrong} == {"unclaimed"}


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("span[i]: trees i over i..i", "1 fields for the 2 of span"),
        ("spam[i, j]: trees i, j over i..j", "no item form spam"),
        ("span[i, j]: trees i, k over i..j", "'k' is none of the pattern's names"),
        ("span[i, j]: trees i, j over i..j, planar", "'planar' is no class of forests"),
        ("span[i, j]: trees i, j over i..j, gap-degree", "'gap-degree' is no class of forests"),
        ("span[i, j]: trees i, j over i, projective", "words are no intervals"),
        ("anything", "is no claim about items"),
    ],
)
def test_claims_that_are_none(claim: str, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("[", r"\[")):
        read_claim(claim, load("yamada-matsumoto2003").definition)


def test_schemata_without_forests_or_claims() -> None:
    with pytest.raises(UsageError, match="nothing is claimed about the items of nivre2003"):
        verify_items("nivre2003")
    with pytest.raises(UsageError, match="which cyk does not build from D-rules"):
        verify_items("cyk")


def test_the_command(cli, tells) -> None:
    code, out, _ = cli("verify", "yamada-matsumoto2003", "--items", "--max-n", "3")
    assert code == 0
    assert "19 items with 43 forests compared with brute force" in out
    claim = "span[i, j]: trees i, j over i..j, gap-degree-1"
    found = tells("verify", "yamada-matsumoto2003", "--items", "--max-n", "3", "--means", claim, code=1)
    assert (found["sound"], found["complete"]) == (True, False)
    assert found["wrong"] == [
        {"n": 3, "item": "span[0, 3]", "fault": "incomplete", "links": [[1, 3], [2, 0]]}
    ]
    assert cli("verify", "hybrid", "--items", "--class", "projective").code == 2
